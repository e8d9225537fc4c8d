//go:build unix

package main

import (
	"strings"
)

// apply makes the choice and checks what has come of it.
func (w *world) apply(c choice) (err error) {
	for _, q := range w.procs {
		w.torn = w.torn || q.begun && (q != w.procs[c.who] || c.kind != grant)
	}
	before := w.facts().names
	p := w.procs[c.who]
	visible := !w.private(p)
	switch c.kind {
	case grant:
		if !p.silent() {
			w.note("%s %s", p.name, w.doing(p))
		}
		err = w.grant(c.who)
		if visible {
			w.last = c.who
		}
	case early:
		w.note("%s is woken too early", p.name)
		w.wakes++
		p.clock += 60
		err = w.tell(c.who, "0")
		w.last = c.who
	case kill:
		w.note("%s is killed before: %s", p.name, w.doing(p))
		err = w.kill(p)
	case late:
		w.note("%s is killed during: %s", p.name, w.doing(p))
		p.late = nil
		for _, c := range p.pending {
			p.late = append(p.late, c.opened(&w.tree))
		}
		err = w.kill(p)
	case move:
		w.moveLate(p)
	case hand:
		w.note("somebody removes the lock by hand")
		w.removeByHand()
		return nil
	}
	if err == nil {
		w.checkStep(p, before)
	}
	return err
}

func (w *world) removeByHand() {
	w.handed = true
	for _, q := range w.users() {
		q.robbed = q.robbed || q.owner
	}
	rm := change{path: lock}
	w.tree.empty(lock)
	w.made(rm, w.tree.remove(lock))
}

// doing says what p is about to do.
func (w *world) doing(p *proc) string {
	if w.silent {
		return ""
	}
	switch {
	case len(p.pending) > 0:
		return w.plain(p.pending[0].name)
	case p.silent():
		return p.kind
	}
	return w.plain(strings.Join(append([]string{p.kind}, p.args...), " "))
}

func (w *world) outcome(err error) {
	if err != nil && !w.silent {
		w.steps[len(w.steps)-1] += ": " + message(err)
	}
}

// moveLate makes the next rename of the mv that p left, and those after it that stay in p's slot.
func (w *world) moveLate(p *proc) {
	for more := true; more; more = len(p.late) > 0 && w.own(p, p.late[0].from) {
		w.note("the mv that %s left: %s", p.name, w.plain(p.late[0].name))
		w.outcome(w.made(p.late[0], p.late[0].make(&w.tree)))
		p.late = p.late[1:]
	}
}
