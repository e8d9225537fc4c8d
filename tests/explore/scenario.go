//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// role is what a process does: a function explore_NAME of seam.bash, and its arguments.
type role struct {
	name            string
	rounds, seconds int
}

// scenario is where an exploration starts, who takes part, and what may happen to them.
type scenario struct {
	name  string
	start func(*world) error
	roles []role
	kills int
	bound int // preemptions, -1 for any number

	hand   bool   // the lock is removed by hand once, while its owner is at work
	older  bool   // an older script, without entries, is among the roles
	noRm   bool   // the system has no rm
	leaves string // what is left behind of what was there at the start
}

// maxBound is how many preemptions are tried for a mutant.
const maxBound = 4

const patient = 9999 // seconds, which no run lasts

// users are n processes, each with so many rounds; the last waits for nothing when asked to.
func users(n, rounds int, hasty bool) (all []role) {
	for range n {
		all = append(all, role{"user", rounds, patient})
	}
	if hasty {
		all[n-1].seconds = 0
	}
	return all
}

// starts are the states that an exploration begins in.
var starts = map[string]func(*world) error{
	"free":    func(*world) error { return nil },
	"holder":  func(w *world) error { return w.forge("holder", "") },
	"claimer": func(w *world) error { return w.forge("claim", ".dead.1") },
	"slot":    func(w *world) error { return w.forge("", "/holder") },
	"release": func(w *world) error { return w.forgeLate("holder", "") },
	"removal": func(w *world) error { return w.forgeLate("claim", ".dead.1") },
}

// forge makes a lock with an entry of the gone process, and its slot with a directory in it.
func (w *world) forge(kind, inSlot string) error {
	slot, x := w.slot(w.gone()), w.gone()
	inside := filepath.Join(slot, "lock"+inSlot)
	switch inSlot {
	case "":
		inside = slot
	case "/holder":
		inside = filepath.Join(slot, "lock")
	}
	if err := os.MkdirAll(inside, 0o700); err != nil {
		return err
	}
	in := w.lock()
	if kind == "" {
		in, kind = inside, "holder"
	} else if err := os.Mkdir(in, 0o700); err != nil {
		return err
	}
	text := fmt.Sprintf("registry-lock 1\npid %s\nstart %s\nhost here\nsince long\ncommand gone\n", x.pid, x.id)
	return os.WriteFile(filepath.Join(in, kind+"."+x.pid+"."+x.id+".1"), []byte(text), 0o600)
}

// forgeLate is forge, with an mv under way that the gone process left: of the lock to its slot.
func (w *world) forgeLate(kind, inSlot string) error {
	if err := w.forge(kind, inSlot); err != nil {
		return err
	}
	x := w.gone()
	to := w.slot(x)
	if inSlot != "" {
		to += "/lock" + inSlot
	}
	x.late = renames([]string{w.lock(), to + "/."}, false)
	x.late[0].open()
	return nil
}

// scenarios are those of `make explore`, and with deep also those of `make explore-deep`.
func scenarios(deep bool) (all []*scenario) {
	add := func(suffix, start string, kills, bound int, roles []role) *scenario {
		s := &scenario{start: starts[start], roles: roles, kills: kills, bound: bound}
		s.name = fmt.Sprintf("%s-%dx%d%s", start, len(roles), roles[0].rounds, suffix)
		if start == "slot" {
			s.leaves = "lock.slot.X"
		}
		all = append(all, s)
		return s
	}
	older := users(2, 1, false)
	older[0].name = "older"
	add("-older", "free", 0, -1, older).older = true
	add("-hand", "free", 0, -1, users(2, 1, false)).hand = true
	noRm := add("-no-rm", "holder", 1, 1, users(2, 1, false))
	noRm.noRm, noRm.leaves = true, "lock.slot."
	add("-hasty", "holder", 1, 1, users(2, 1, true))
	for _, start := range []string{"free", "holder", "claimer", "slot", "release", "removal"} {
		bound := 1
		if start == "free" || start == "slot" {
			bound = -1
		}
		add("", start, 1, bound, users(2, 1, false))
		if deep {
			add("-deep", start, 1, -1, users(2, 1, false))
			add("-deep", start, 1, 3, users(2, 2, false))
			add("-deep", start, 1, 2, users(3, 1, true))
		}
	}
	add("", "free", 1, 1, users(2, 2, false))
	add("", "free", 1, 0, users(3, 1, true))
	return all
}
