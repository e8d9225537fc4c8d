package main

import (
	"strconv"
	"strings"
	"testing"
)

// scripted is a system whose surveys are given; the last one comes for ever. Nobody
// has any number.
type scripted struct {
	fakeSystem
	surveys []scriptedSurvey
	blind   bool
	tokens  []string
	taken   int
}

// scriptedSurvey is what a survey finds of each token that is asked for.
type scriptedSurvey struct {
	hidden, ended int
	carriers      []carrier
	of            string // where it isn't of each: whose
}

func (s *scripted) look(int) sighting { return seenAbsent(whyNotRunning) }

func (s *scripted) survey(tokens map[string]*sought) (int, bool) {
	s.taken++
	found := s.surveys[min(s.taken, len(s.surveys))-1]
	for token, sought := range tokens {
		s.tokens = append(s.tokens, token)
		for _, c := range found.carriers {
			if found.of == "" || found.of == token {
				sought.add(c, true)
			}
		}
		sought.ended += found.ended
	}
	return found.hidden, !s.blind
}

// someToken is of a process of home's.
var someToken = "5." + homeID + ".2"

func TestNoneIsAnsweredOnlyAfterTwoSurveysInARow(t *testing.T) {
	none, ended := scriptedSurvey{}, scriptedSurvey{ended: 1}
	one := scriptedSurvey{carriers: []carrier{{7, "x"}}}
	for name, test := range map[string]struct {
		surveys []scriptedSurvey
		taken   int
		want    string
	}{
		"found at once":          {[]scriptedSurvey{one}, 1, "7 x end 0"},
		"none twice":             {[]scriptedSurvey{none}, 2, "end 0"},
		"a child was left":       {[]scriptedSurvey{none, one}, 2, "7 x end 0"},
		"one ended, left none":   {[]scriptedSurvey{ended, none}, 3, "end 0"},
		"one ended in between":   {[]scriptedSurvey{none, ended, none}, 4, "end 0"},
		"one ended, left one":    {[]scriptedSurvey{none, ended, ended, one}, 4, "7 x end 0"},
		"it goes on and on":      {[]scriptedSurvey{ended}, 5, "end 1"},
		"others can't be seen":   {[]scriptedSurvey{{hidden: 3}}, 2, "end 3"},
		"one beside unseen ones": {[]scriptedSurvey{{hidden: 2, carriers: one.carriers}}, 1, "7 x end 2"},
	} {
		s := &scripted{surveys: test.surveys}
		got := callOn(s, "", "--why", someToken)
		if got.status != 0 || got.stdout != "gone not-running "+test.want+"\n" || got.stderr != "" || s.taken != test.taken {
			t.Errorf("%s: %+v after %d surveys", name, got, s.taken)
		}
		if s.tokens[0] != someToken {
			t.Errorf("%s: it looked for %q", name, s.tokens)
		}
	}
}

func TestCarriersAreToldOfALiveProcessToo(t *testing.T) {
	one := scriptedSurvey{hidden: 2, carriers: []carrier{{7, "x"}, {8, "a b"}}}
	got := callOn(&scripted{surveys: []scriptedSurvey{one}}, "", "--carriers", "5.x.2")
	if got.status != 0 || got.stdout != "7 x\n8 a?b\nend 2\n" || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if got := callOn(fakeSystem{}, "", "--carriers", "5.x.2"); got.stdout != "unknown\n" {
		t.Errorf("%+v", got)
	}
}

func TestOneSurveyServesAllTokensOfABatch(t *testing.T) {
	var in, want strings.Builder
	for i := range 5000 {
		token := "5." + homeID + "." + strconv.Itoa(i+1)
		in.WriteString(token + "\n5\n\n6 " + homeID + "\n" + token + "\n")
		carriers := "end 4\n"
		if token == someToken {
			carriers = "7 x end 4\n"
		}
		want.WriteString("gone " + carriers + "gone\n\ngone\ngone " + carriers)
	}
	s := &scripted{surveys: []scriptedSurvey{{hidden: 4, carriers: []carrier{{7, "x"}}, of: someToken}}}
	got := callOn(s, in.String(), "-")
	if got.status != 0 || got.stdout != want.String() || got.stderr != "" {
		t.Errorf("status %d, %d bytes instead of %d, %q", got.status, len(got.stdout), want.Len(), got.stderr)
	}
	if most := 2 * (1 + 25000/longestBatch); s.taken > most {
		t.Errorf("%d surveys, more than %d", s.taken, most)
	}
}

func TestOnlyTheTokenOfAGoneProcessIsLookedFor(t *testing.T) {
	for name, test := range map[string]struct {
		seen  sighting
		token string
		want  string
	}{
		"alive":           {seenPresent(7, whyRunning), someToken, homeID},
		"unsure":          {seenUnsure(whyNoProc), someToken, "unknown"},
		"another machine": {seenAbsent(whyNotRunning), "5." + identity{at(otherMachine, otherBoot).scope, 7}.String() + ".2", "unknown"},
		"no ID of procid": {seenAbsent(whyNotRunning), "5.x.2", "unknown"},
	} {
		s := &staring{seen: test.seen}
		if got := callOn(s, "", test.token); got.stdout != test.want+"\n" || got.status != 0 || s.taken != 0 {
			t.Errorf("%s: %+v after %d surveys", name, got, s.taken)
		}
	}
}

// staring is scripted, but for what it sees.
type staring struct {
	scripted
	seen sighting
}

func (s *staring) look(int) sighting { return s.seen }

func TestASystemThatCantLookSaysUnknown(t *testing.T) {
	for name, s := range map[string]system{
		"no surveyor": fakeSystem{seenAbsent(whyNotRunning)},
		"blind":       &scripted{surveys: []scriptedSurvey{{}}, blind: true},
	} {
		if got := callOn(s, "", someToken); got.status != 0 || got.stdout != "gone unknown\n" || got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatIsNoTokenIsAUsageErrorAndIsNotLookedFor(t *testing.T) {
	long := strings.Repeat("a", 49)
	for _, token := range []string{
		".", "5.x", "5.x.2.1", ".x.2", "5.x.", "..", "05.x.2", "0.x.2", "5..2",
		"-5.x.2", "5.x.0", "5.x.02", "5.x.-1", "5.x.+1", "5.x.2 ", " 5.x.2", "5.X.2", "5.x y.2",
		"5." + long + ".2", "5.x.2147483648", "2147483648.x.2", "5.\x1b[2J.2", "5.x.2\r", "5.x.2 x",
	} {
		s := &scripted{surveys: []scriptedSurvey{{}}}
		got := callOn(s, "", token)
		if got.status != exitUsage || got.stdout != "" || s.taken != 0 || strings.Count(got.stderr, "\n") != 2 {
			t.Errorf("%q: %+v after %d surveys", token, got, s.taken)
		}
		got = callOn(s, token+"\n", "-")
		if got.status != exitUsage || got.stdout != "unknown\n" || s.taken != 0 || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("a line %q: %+v after %d surveys", token, got, s.taken)
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
	var s scriptedSurvey
	for pid := range 150 {
		s.carriers = append(s.carriers, carrier{pid + 1, "x"})
	}
	words := strings.Fields(callOn(&scripted{surveys: []scriptedSurvey{s}}, "", someToken).stdout)
	if len(words) != 1+200+2 || words[199] != "100" || words[201] != "end" {
		t.Errorf("%d words: %q", len(words), words)
	}
}

func TestAFailedWriteOfCarriersIsAnIOError(t *testing.T) {
	var problems strings.Builder
	s := fakeSystem{seenAbsent(whyNotRunning)}
	p := program{func() system { return s }, "", strings.NewReader(""), brokenPipe{}, &problems}
	if status := p.run([]string{someToken}); status != exitIO {
		t.Errorf("status %d, %q", status, problems.String())
	}
}
