//go:build linux

package main

import (
	"strings"
	"testing"
)

// twice is a round in which a and b each had the lock once, one after the other.
func twice() evidence {
	return evidence{
		log:    "enter l a 1\nleave l a\nenter l b 2\nleave l b\n",
		own:    map[string]string{"a": "l 1\n", "b": "l 2\n"},
		before: map[string]int{"l": 0},
		after:  map[string]int{"l": 2},
	}
}

func TestWhatIsRightIsNotWrong(t *testing.T) {
	killed := twice() // a died before it noted what it wrote
	killed.log = "enter l a 1\nkill a 1 bash\nenter l b 2\nleave l b\n"
	killed.own = map[string]string{"b": "l 2\n"}
	refused := twice() // b's mv was killed
	refused.log = "enter l a 1\nleave l a\nkill b 9 mv\nodd b acquire 73\nenter l b 2\nleave l b\n"
	for name, e := range map[string]evidence{"twice": twice(), "killed": killed, "refused": refused} {
		if problems := check(e, figures{}); problems != nil {
			t.Errorf("%s: %q", name, problems)
		}
	}
}

func TestEachWrongIsSeen(t *testing.T) {
	for says, spoil := range map[string]func(*evidence){
		"two owners: a was in l, alive":      func(e *evidence) { e.log = "enter l a 1\nenter l b 2\nleave l b\n" },
		"two owners: a left l when":          func(e *evidence) { e.log = "enter l a 1\nkill a 1 bash\nenter l b 2\nleave l a\n" },
		"alive, when another came in":        func(e *evidence) { e.log = "kill a 9 mv\nenter l a 1\nenter l b 2\nleave l b\n" },
		"or the round ended":                 func(e *evidence) { e.log = "enter l a 1\n" },
		"a robbed owner: odd a check 76":     func(e *evidence) { e.log += "odd a check 76\n" },
		"a robbed owner: odd a release 76":   func(e *evidence) { e.log += "kill a 9 mv\nodd a release 76\n" },
		"without a reason: odd a acquire 73": func(e *evidence) { e.log += "odd a acquire 73\nkill a 9 mv\n" },
		"without a reason: odd a acquire 64": func(e *evidence) { e.log += "kill a 9 mv\nodd a acquire 64\n" },
		"damaged: \"ente\"":                  func(e *evidence) { e.log += "ente" },
		"both made l 1":                      func(e *evidence) { e.own["b"] = "l 1\n" },
		"which went from 0 to 2":             func(e *evidence) { e.own["b"] = "l 3\n" },
		"counts from nowhere: 1 of l":        func(e *evidence) { e.after["l"] = 3 },
		"a worker printed: x: syntax error":  func(e *evidence) { e.errors = "fine\nx: syntax error\n" },
		"printed: l was taken from this":     func(e *evidence) { e.errors = "l was taken from this process (pid 1)" },
	} {
		e := twice()
		spoil(&e)
		if problems := strings.Join(check(e, figures{}), "\n"); !strings.Contains(problems, says) {
			t.Errorf("no %q in %q", says, problems)
		}
	}
}
