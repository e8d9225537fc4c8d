package main

import (
	"strings"
	"testing"
)

// scripted is a system whose surveys are given; the last one comes for ever.
type scripted struct {
	fakeSystem
	surveys []survey
	blind   bool
	token   string
	taken   int
}

func (s *scripted) survey(token string) (survey, bool) {
	s.token = token
	s.taken++
	return s.surveys[min(s.taken, len(s.surveys))-1], !s.blind
}

func callCarriers(s system, args ...string) called {
	var out, problems strings.Builder
	p := program{func() system { return s }, strings.NewReader(""), &out, &problems}
	status := p.run(append([]string{"--carriers"}, args...))
	return called{status: status, stdout: out.String(), stderr: problems.String()}
}

func TestNoneIsAnsweredOnlyAfterTwoSurveysInARow(t *testing.T) {
	none, ended, one := survey{}, survey{ended: 1}, survey{carriers: []carrier{{7, "x"}}}
	for name, test := range map[string]struct {
		surveys []survey
		taken   int
		want    string
	}{
		"found at once":          {[]survey{one}, 1, "7 x\nend 0\n"},
		"none twice":             {[]survey{none}, 2, "end 0\n"},
		"a child was left":       {[]survey{none, one}, 2, "7 x\nend 0\n"},
		"one ended, left none":   {[]survey{ended, none}, 3, "end 0\n"},
		"one ended in between":   {[]survey{none, ended, none}, 4, "end 0\n"},
		"one ended, left one":    {[]survey{none, ended, ended, one}, 4, "7 x\nend 0\n"},
		"it goes on and on":      {[]survey{ended}, 5, "end 1\n"},
		"others can't be seen":   {[]survey{{hidden: 3}}, 2, "end 3\n"},
		"one beside unseen ones": {[]survey{{hidden: 2, carriers: one.carriers}}, 1, "7 x\nend 2\n"},
	} {
		s := &scripted{surveys: test.surveys}
		got := callCarriers(s, "5.x.2")
		if got.status != 0 || got.stdout != test.want || got.stderr != "" || s.taken != test.taken {
			t.Errorf("%s: %+v after %d surveys", name, got, s.taken)
		}
		if s.token != "5.x.2" {
			t.Errorf("%s: it looked for %q", name, s.token)
		}
	}
}

func TestASystemThatCantLookSaysUnknown(t *testing.T) {
	for name, s := range map[string]system{
		"no surveyor": fakeSystem{},
		"blind":       &scripted{surveys: []survey{{}}, blind: true},
	} {
		if got := callCarriers(s, "5..2"); got.status != 0 || got.stdout != "unknown\n" || got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatIsNoTokenIsAUsageErrorAndIsNotLookedFor(t *testing.T) {
	long := strings.Repeat("a", 49)
	for _, args := range [][]string{
		{}, {""}, {"5"}, {"5.x"}, {"5.x.2.1"}, {"5.x.2", "6.x.2"}, {".x.2"}, {"5.x."}, {".."}, {"05.x.2"}, {"0.x.2"},
		{"-5.x.2"}, {"5.x.0"}, {"5.x.02"}, {"5.x.-1"}, {"5.x.+1"}, {"5.x.2 "}, {" 5.x.2"}, {"5.X.2"}, {"5.x y.2"},
		{"5." + long + ".2"}, {"5.x.2147483648"}, {"2147483648.x.2"}, {"5.\x1b[2J.2"}, {"5.x.2\n"}, {"--help"},
	} {
		s := &scripted{surveys: []survey{{}}}
		got := callCarriers(s, args...)
		if got.status != exitUsage || got.stdout != "" || s.taken != 0 || strings.Count(got.stderr, "\n") != 2 {
			t.Errorf("%q: %+v after %d surveys", args, got, s.taken)
		}
	}
	for _, token := range []string{"5..2", "2147483647.a-z_0.2147483647"} {
		if got := callCarriers(&scripted{surveys: []survey{{}}}, token); got.status != 0 {
			t.Errorf("%q: %+v", token, got)
		}
	}
}

func TestANameIsOneHarmlessWord(t *testing.T) {
	for name, want := range map[string]string{
		"node": "node", "": "?", " ": "?", "a b\tc\n": "a?b?c?", "kworker/0:1-events": "kworker?0:1-events",
		"A.z_9+:@-": "A.z_9+:@-", "\x1b[2J": "??2J", "é": "??", "[`{": "???", strings.Repeat("a", 99): strings.Repeat("a", 64),
	} {
		if got := plainName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestAtMostAHundredCarriersAreNamed(t *testing.T) {
	var s survey
	for pid := range 150 {
		s.carriers = append(s.carriers, carrier{pid + 1, "x"})
	}
	lines := strings.Split(callCarriers(&scripted{surveys: []survey{s}}, "5..2").stdout, "\n")
	if len(lines) != 102 || lines[99] != "100 x" || lines[100] != "end 0" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

func TestAFailedWriteOfCarriersIsAnIOError(t *testing.T) {
	var problems strings.Builder
	p := program{func() system { return fakeSystem{} }, strings.NewReader(""), brokenPipe{}, &problems}
	if status := p.run([]string{"--carriers", "5..2"}); status != exitIO {
		t.Errorf("status %d, %q", status, problems.String())
	}
}
