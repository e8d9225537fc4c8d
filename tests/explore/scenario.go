//go:build unix

package main

import "fmt"

// role is what a process does: a function explore_NAME of seam.bash, and its arguments.
type role struct {
	name            string
	rounds, seconds int
}

// scenario is where an exploration starts, who takes part, and what may happen to them.
type scenario struct {
	name  string
	start func(*world)
	roles []role
	kills int
	early int // times that a waiter is woken though the path is not free
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
var starts = map[string]func(*world){
	"free":    func(*world) {},
	"holder":  func(w *world) { w.forge("holder", "") },
	"claimer": func(w *world) { w.forge("claim", ".dead.1") },
	"slot":    func(w *world) { w.forge("", "/holder") },
	"release": func(w *world) { w.forgeLate("holder", "") },
	"removal": func(w *world) { w.forgeLate("claim", ".dead.1") },
}

// kinds are who takes part from each start, and how many preemptions `make explore` tries, and
// `make explore-deep`; -1 is any number.
var kinds = []struct {
	roles       []role
	bound, deep int
}{
	{users(3, 2, true), 0, 2},
	{users(3, 1, true), 2, 3},
	{users(2, 2, false), 3, -1},
	{users(2, 1, false), -1, -1},
}

// inTurn are the starts. Those with much in common are explored about the same time, and share what is
// played, but don't begin together, where both would play the same.
var inTurn = []string{"claimer", "free", "holder", "release", "slot", "removal"}

// forge makes a lock with an entry of the gone process, and its slot with a directory in it.
func (w *world) forge(kind, inSlot string) {
	x := w.gone()
	slot := w.slot(x)
	w.tree.put(slot, file{kind: 'd'})
	in := lock
	switch {
	case kind == "":
		in, kind = slot+"/"+lock, "holder"
	case inSlot != "":
		w.tree.put(slot+"/"+lock+inSlot, file{kind: 'd'})
	}
	w.tree.put(in, file{kind: 'd'})
	text := fmt.Sprintf("registry-lock 1\npid %s\nstart %s\nhost here\nsince long\ncommand gone\n", x.pid, x.id)
	w.tree.put(in+"/"+kind+"."+x.pid+"."+x.id+".1", file{kind: 'f', text: text})
}

// forgeLate is forge, with an mv under way that the gone process left: of the lock to its slot.
func (w *world) forgeLate(kind, inSlot string) {
	w.forge(kind, inSlot)
	x := w.gone()
	to := w.slot(x)
	if inSlot != "" {
		to += "/" + lock + inSlot
	}
	x.late = []change{renames(&w.tree, []string{lock, to + "/."}, false)[0].opened(&w.tree)}
}

// scenarios are those of `make explore`, and with deep also those of `make explore-deep`; the short
// ones come last, so that all processors end together.
func scenarios(deep bool) (all []*scenario) {
	add := func(suffix, start string, kills, bound int, roles []role) *scenario {
		s := &scenario{start: starts[start], roles: roles, kills: kills, bound: bound}
		s.name = fmt.Sprintf("%s-%dx%d%s", start, len(roles), roles[0].rounds, suffix)
		if start == "slot" || start == "release" || start == "removal" {
			s.leaves = "lock.slot.X"
		}
		all = append(all, s)
		return s
	}
	for _, kind := range kinds {
		for _, start := range inTurn {
			add("", start, 1, kind.bound, kind.roles)
		}
	}
	for _, kind := range kinds {
		for _, start := range inTurn {
			if deep && kind.deep != kind.bound {
				add("-deep", start, 1, kind.deep, kind.roles)
			}
		}
	}
	older := users(2, 1, false)
	older[0].name = "older"
	add("-older", "free", 0, -1, older).older = true
	add("-hand", "free", 0, -1, users(2, 1, false)).hand = true
	add("-early", "free", 1, 2, users(2, 1, false)).early = 2
	noRm := add("-no-rm", "holder", 1, 1, users(2, 1, false))
	noRm.noRm, noRm.leaves = true, "lock.slot."
	add("-hasty", "holder", 1, 1, users(2, 1, true))
	return all
}
