//go:build unix

package main

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// held is what a process with that number and directory says that it holds.
func held(t *testing.T, pid, dir, seconds, random string) string {
	t.Helper()
	says := fmt.Sprintf("hB explore_user 12\ndeclare -- LOCK=%q\ndeclare -i RANDOM=%q\ndeclare -- _registry_lock_shell=%q\n"+
		"declare -- explore_pid=%q\ndeclare -- seconds=%q\n\nholds that\n", dir+"/lock", random, pid, pid, seconds)
	s := &shell{dir: dir, pid: pid, lines: bufio.NewReader(strings.NewReader(says))}
	all, err := s.holds()
	if err != nil || !tellsAll(all) {
		t.Fatalf("%q %v", all, err)
	}
	return all
}

// Two processes hold the same whatever their numbers and places are, and not where a value differs, be it
// the number of one of them.
func TestWhatAProcessHolds(t *testing.T) {
	one := held(t, "17", "/one", "9999", "1")
	if other := held(t, "9999", "/other", "9999", "2"); other != one {
		t.Error("they differ by what is not theirs to hold")
	}
	if other := held(t, "17", "/one", "17", "1"); other == one {
		t.Error("a value differs, and they don't")
	}
}
