//go:build unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxIdle is how often a process waits in vain, with nobody else able to go on, before that is a wedge.
const maxIdle = 3

func (w *world) wrong(format string, args ...any) {
	if w.violation == "" {
		w.violation = fmt.Sprintf(format, args...)
	}
}

// checkNote judges how a call of p ended.
func (w *world) checkNote(p *proc, word, status string) {
	switch {
	case word == "acquired" && status == "0":
		p.owner = true
	case word == "acquired" && status == "75" && p.role.seconds == 0:
		if !p.honest {
			w.wrong("%s gave up, though no live process had the lock when it looked last", p.name)
		}
	case word == "released" && (status == "0" && !p.robbed || status == "76" && p.robbed):
		p.owner, p.robbed = false, false
	default:
		w.wrong("%s has %s the lock with status %s", p.name, word, status)
	}
}

// checkStep judges the lock after a step of p; before is what was in it.
func (w *world) checkStep(p *proc, before []string) {
	names, there := w.facts().names, w.facts().there
	now := " " + strings.Join(names, " ") + " "
	if there && len(names) != 1 && !(w.s.older && len(names) == 0) {
		w.wrong("the lock has %d entries", len(names))
	}
	for _, name := range before {
		q := w.holder(name)
		if q != nil && q != p && q.life == running && !strings.Contains(now, " "+name+" ") {
			w.wrong("%s moved the entry of %s, which is alive", p.name, q.name)
		}
	}
	var owners []string
	for _, q := range w.procs {
		if !q.owner || q.robbed || q.life != running {
			continue
		}
		owners = append(owners, q.name)
		if q.role.name == "user" && !strings.Contains(now, " holder."+q.pid+"."+q.id+".") {
			w.wrong("%s owns the lock, and its entry is not there", q.name)
		}
	}
	if len(owners) > 1 {
		w.wrong("%s own the lock at once", strings.Join(owners, " and "))
	}
	w.checkWedge()
}

func (w *world) checkWedge() {
	live := 0
	for _, p := range w.users() {
		if p.life == running {
			live++
			if p.kind != "wait" || w.changed(p) || p.idle < maxIdle {
				return
			}
		}
	}
	if live > 0 {
		w.wrong("wedged: all wait, and nothing changes")
	}
}

// holder is the process that an entry names.
func (w *world) holder(entry string) *proc {
	for _, p := range w.procs {
		if strings.Contains(entry, "."+p.pid+"."+p.id+".") {
			return p
		}
	}
	return nil
}

// seen is what a waiter waits for a change of.
func (w *world) seen() string {
	return w.facts().inLock + " " + w.lives(dead)
}

// changed tells whether p, which waits, would see anything new, or sees a free path.
func (w *world) changed(p *proc) bool {
	return !w.facts().there || w.seen() != p.seen
}

func (w *world) heldByLive() bool {
	names := w.facts().names
	if len(names) == 0 && w.facts().there {
		return true
	}
	for _, name := range names {
		if q := w.holder(name); q != nil && q.life == running {
			return true
		}
	}
	return false
}

// ownerAtRest tells whether an owner stands where a removal by hand is told from its own release.
func (w *world) ownerAtRest() bool {
	for _, p := range w.users() {
		if p.owner && p.kind == "check" {
			return true
		}
	}
	return false
}

// checkEnd judges what is left when all have ended: nothing, unless one was killed; and a fresh
// process gets in, and stays in when the renames come that are still under way.
func (w *world) checkEnd() error {
	clean := !w.handed
	for _, p := range w.users() {
		clean = clean && p.life == ended
	}
	for _, path := range slices.Sorted(maps.Keys(w.tree.files)) {
		path = w.plain(path)
		if clean && !(w.s.leaves != "" && strings.HasPrefix(path, w.s.leaves)) {
			w.wrong("left behind: %s", path)
		}
	}
	f := w.fresh()
	if err := w.spawn(len(w.procs) - 1); err != nil {
		return err
	}
	for steps := 0; f.life == running && w.violation == ""; steps++ {
		if f.kind == "wait" || steps > 60 {
			w.wrong("a fresh process does not get in")
			break
		}
		if f.kind == "check" {
			w.moveAll()
		}
		if err := w.apply(choice{grant, len(w.procs) - 1}); err != nil {
			return err
		}
	}
	return nil
}

// moveAll makes all renames that are still under way.
func (w *world) moveAll() {
	for i, p := range w.procs {
		for len(p.late) > 0 && w.violation == "" {
			w.apply(choice{move, i}) // it may fail
		}
	}
}
