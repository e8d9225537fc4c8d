package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// fakeSystem sees the same of every number.
type fakeSystem struct{ seen sighting }

func (f fakeSystem) viewpoint() viewpoint { return home }
func (f fakeSystem) look(int) sighting    { return f.seen }

// called is what one call of procid did.
type called struct {
	status         int
	stdout, stderr string
	looks          *lookCounter
}

// lookCounter counts how often a number is handed to the system.
type lookCounter struct {
	fakeSystem
	asked []int
}

func (l *lookCounter) look(pid int) sighting {
	l.asked = append(l.asked, pid)
	return l.seen
}

func call(stdin string, args ...string) called {
	looks := &lookCounter{fakeSystem: fakeSystem{seenPresent(7, whyRunning)}}
	did := callOn(looks, stdin, args...)
	did.looks = looks
	return did
}

func callOn(s system, stdin string, args ...string) called {
	var out, problems strings.Builder
	p := program{func() system { return s }, "", strings.NewReader(stdin), &out, &problems}
	return called{status: p.run(args), stdout: out.String(), stderr: problems.String()}
}

var homeID = identity{home.scope, 7}.String()

func TestEachSituationHasItsVerdict(t *testing.T) {
	other := identity{at(inPIDNS).scope, 7}.String()
	earlier := identity{at(otherBoot).scope, 7}.String()
	reused := identity{home.scope, 6}.String()
	for _, test := range []struct {
		seen sighting
		id   string
		want verdict
	}{
		{seenPresent(7, whyRunning), "", verdict{homeID, whyRunning}},
		{seenAbsent(whyThread), "", gone(whyThread)},
		{seenUnsure(whyNotPermitted), "", unknown(whyNotPermitted)},
		{seenPresent(7, whyStopped), homeID, verdict{homeID, whyStopped}},
		{seenPresent(7, whyRunning), reused, gone(whyRecycled)},
		{seenAbsent(whyZombie), homeID, gone(whyZombie)},
		{seenUnsure(whyOddErrno), homeID, unknown(whyOddErrno)},
		{seenPresent(7, whyRunning), earlier, gone(whyEarlierBoot)},
		{seenAbsent(whyNotRunning), other, unknown(whyPIDNS)},
		{seenAbsent(whyNotRunning), "some-other-word", unknown(whyBadID)},
	} {
		ask := newAsker(fakeSystem{test.seen}, "")
		got := identify(ask, 5)
		if test.id != "" {
			got = judge(ask, 5, test.id)
		}
		if got != test.want {
			t.Errorf("%+v, ID %q: got %v, want %v", test.seen, test.id, got, test.want)
		}
	}
}

func TestAnAnswerIsOneWordAndStatusZero(t *testing.T) {
	for _, args := range [][]string{{"5"}, {"5", homeID}} {
		got := call("", args...)
		if got.status != 0 || got.stdout != homeID+"\n" || got.stderr != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if got := call("", "--why", "5", homeID); got.stdout != homeID+" running\n" {
		t.Errorf("--why: %+v", got)
	}
}

func TestABadPIDIsAUsageErrorAndIsNeverAskedFor(t *testing.T) {
	for _, pid := range badPIDs {
		for _, args := range [][]string{{pid}, {pid, homeID}, {"--why", pid}} {
			if args[len(args)-1] == "-" {
				continue // that is the bulk form
			}
			got := call("", args...)
			if got.status != exitUsage || got.stdout != "" || len(got.looks.asked) != 0 {
				t.Errorf("%q: %+v, asked %v", args, got, got.looks.asked)
			}
		}
	}
}

func TestAnIDThatIsNoWordIsAUsageError(t *testing.T) {
	for _, id := range []string{"", "A", "a.b", "a b", "a\n", strings.Repeat("a", 49), "\x1b[2J"} {
		got := call("", "5", id)
		if got.status != exitUsage || got.stdout != "" || len(got.looks.asked) != 0 {
			t.Errorf("%q: %+v", id, got)
		}
	}
}

func TestAWordThatIsNoIDIsUnknownAndIsNotAskedFor(t *testing.T) {
	got := call("", "--why", "5", "gone")
	if got.status != 0 || got.stdout != "unknown bad-id\n" || len(got.looks.asked) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWrongArgumentsAreSaidInOneLineAndAHint(t *testing.T) {
	for _, args := range [][]string{{}, {"--why"}, {"5", homeID, "x"}, {"-", "5"}, {"--what"}, {"--carriers"}, {"--carriers", "5"}, {"--wait"}, {"--wait", "5"}, {"--wait", "5", homeID, "x"}, {"--wait", "x", homeID}, {"--wait", "5", "X"}, {"--carriers", "5.x.1", "5.x.1"}, {"--why", "--carriers", "5.x.1"}, {"5.x.1", homeID}, {"-", "-"}, {"5\x1b[2J\n\n"}} {
		got := call("", args...)
		if got.status != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 2 {
			t.Errorf("%q: %+v", args, got)
		}
		if strings.ContainsAny(got.stderr, "\x1b\x00") || !strings.Contains(got.stderr, usageHint) {
			t.Errorf("%q: %q", args, got.stderr)
		}
	}
}

func TestALongArgumentIsCutInTheMessage(t *testing.T) {
	if got := call("", strings.Repeat("9", 1<<16)); len(got.stderr) > 400 {
		t.Errorf("%d bytes", len(got.stderr))
	}
}

func TestHelpAndVersionGoToStandardOutput(t *testing.T) {
	if got := call("", "--help"); got.status != 0 || got.stdout != help || got.stderr != "" {
		t.Errorf("--help: %+v", got)
	}
	if got := call("", "--version"); got.status != 0 || got.stdout != "procid "+version+"\n" {
		t.Errorf("--version: %+v", got)
	}
}

// brokenPipe can't be written to.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// brokenDisk can't be read from.
type brokenDisk struct{}

func (brokenDisk) Read([]byte) (int, error) { return 0, errors.New("broken disk") }

func TestAFailedWriteHasItsOwnStatus(t *testing.T) {
	system := func() system { return fakeSystem{seenAbsent(whyNotRunning)} }
	for _, args := range [][]string{{"5"}, {"5", homeID}, {"-"}, {"--help"}, {"--version"}} {
		var problems strings.Builder
		p := program{system, "", strings.NewReader("5\nx\n"), brokenPipe{}, &problems}
		if status := p.run(args); status != exitIO || !strings.Contains(problems.String(), "broken pipe") {
			t.Errorf("%q: status %d, %q", args, status, problems.String())
		}
	}
}

func TestAFailedReadHasThatStatusToo(t *testing.T) {
	system := func() system { return fakeSystem{seenAbsent(whyNotRunning)} }
	var out, problems strings.Builder
	p := program{system, "", io.MultiReader(strings.NewReader("5\n"), brokenDisk{}), &out, &problems}
	if status := p.run([]string{"-"}); status != exitIO || out.String() != "gone\n" {
		t.Errorf("status %d, %q, %q", status, out.String(), problems.String())
	}
}

func TestLongTextIsCutWhereItIsQuoted(t *testing.T) {
	long := strings.Repeat("a", 60)
	for text, want := range map[string]string{
		"\x1b": `"\x1b"`, long: `"` + long + `"`, long + "a": `"` + long + `"...`,
	} {
		if got := quote(text); got != want {
			t.Errorf("%q is quoted as %s", text, got)
		}
	}
}
