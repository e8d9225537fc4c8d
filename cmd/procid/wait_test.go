package main

import "testing"

// watched is a system that can tell of an end, after which it sees another thing.
type watched struct {
	fakeSystem
	last  sighting
	ended bool // else nobody reads any more
}

func (w *watched) watch(int) (func() bool, bool) {
	return func() bool {
		w.seen = w.last
		return w.ended
	}, true
}

func TestAWaitAnswersAtOnceAndAtTheEnd(t *testing.T) {
	alive, dead := seenPresent(7, whyRunning), seenAbsent(whyNotRunning)
	for _, test := range []struct {
		first, last sighting
		ended       bool
		want        string
	}{
		{alive, dead, true, homeID + "\ngone\n"},
		{alive, dead, false, homeID + "\n"},
		{alive, alive, true, homeID + "\n" + homeID + "\n"},
		{dead, dead, true, "gone\n"},
		{seenPresent(8, whyRunning), dead, true, "gone\n"},
		{seenUnsure(whyNoProc), dead, true, "unknown\n"},
	} {
		got := callOn(&watched{fakeSystem{test.first}, test.last, test.ended}, "", "--wait", "5", homeID)
		if got.status != 0 || got.stdout != test.want || got.stderr != "" {
			t.Errorf("%+v: %+v", test, got)
		}
	}
}

func TestWhereNoEndIsToldAWaitIsUnknown(t *testing.T) {
	for want, seen := range map[string]sighting{
		"unknown\n": seenPresent(7, whyRunning),
		"gone\n":    seenAbsent(whyNotRunning),
	} {
		got := callOn(fakeSystem{seen}, "", "--wait", "5", homeID)
		if got.status != 0 || got.stdout != want {
			t.Errorf("%v: %+v", seen, got)
		}
	}
}
