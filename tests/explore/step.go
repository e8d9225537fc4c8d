//go:build unix

package main

import (
	"os"
	"strings"
)

// apply makes the choice and checks what has come of it.
func (w *world) apply(c choice) (err error) {
	for _, q := range w.procs {
		w.torn = w.torn || q.begun && (q != w.procs[c.who] || c.kind != grant)
	}
	var before []string
	if !w.known {
		before, _ = w.entries()
	}
	p := w.procs[c.who]
	visible := !w.private(p)
	switch c.kind {
	case grant:
		if !p.silent() {
			w.note("%s %s", p.name, w.doing(p))
		}
		err = w.grant(p)
		if visible {
			w.last = c.who
		}
	case kill:
		w.note("%s is killed before: %s", p.name, w.doing(p))
		err = w.kill(p)
	case late:
		w.note("%s is killed during: %s", p.name, w.doing(p))
		p.late = p.pending
		for _, c := range p.late {
			c.open()
		}
		err = w.kill(p)
	case move:
		w.moveLate(p)
	case hand:
		w.note("somebody removes the lock by hand")
		w.handed = true
		for _, q := range w.actors() {
			q.robbed = q.robbed || q.owner
		}
		return os.RemoveAll(w.lock())
	}
	if err == nil && !w.known {
		w.checkStep(p, before)
	}
	return err
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
		w.outcome(p.late[0].make())
		p.late = p.late[1:]
	}
}
