//go:build unix

package main

import (
	"strings"
)

// choices lists what can happen next, first what costs nothing; cost is 1 where a process that could go
// on is preempted. A step in a process's own slot is nobody else's to see: there it only
// goes on or is killed.
func (w *world) choices() (all []choice, cost []int) {
	kills := w.s.kills
	for _, p := range w.users() {
		if p.life == dead {
			kills--
		}
	}
	for i, p := range w.users() {
		if p.life == running && w.private(p) {
			all = append(all, choice{grant, i})
			if kills > 0 && p.changes() {
				all = append(all, choice{kill, i})
			}
			return all, make([]int, len(all))
		}
	}
	all = append(w.grants(), w.events(kills)...)
	for _, c := range all {
		cost = append(cost, w.preempts(c))
	}
	return all, cost
}

// grants lists the processes that can go on, the one that made the last step first.
func (w *world) grants() (all []choice) {
	stuck := true
	for i, p := range w.users() {
		if p.life == running && (p.kind != "wait" || w.changed(p)) {
			stuck = false
			all = append(all, choice{grant, i})
		}
	}
	for i, p := range w.users() {
		if stuck && p.life == running && p.idle < maxIdle {
			all = append(all, choice{grant, i})
		}
	}
	for i, c := range all {
		if c.who == w.last {
			copy(all[1:], all[:i])
			all[0] = c
		}
	}
	return all
}

// events lists what is no step of a live process.
func (w *world) events(kills int) (all []choice) {
	live := false
	for i, p := range w.users() {
		if p.life != running {
			continue
		}
		live = true
		switch {
		case kills <= 0 || !p.changes() && p.kind != "wait":
		case len(p.pending) > 0 && p.pending[0].from != "":
			all = append(all, choice{late, i})
		default:
			all = append(all, choice{kill, i})
		}
	}
	if !live {
		all = append(all, choice{finish, 0})
	}
	for i, p := range w.procs {
		if len(p.late) > 0 {
			all = append(all, choice{move, i})
		}
	}
	for i, p := range w.users() {
		if w.wakes < w.s.early && p.life == running && p.kind == "wait" && w.facts().there {
			all = append(all, choice{early, i})
		}
	}
	if w.s.hand && !w.handed && w.ownerAtRest() {
		all = append(all, choice{hand, 0})
	}
	return all
}

// yields tells whether a switch away from the last process is free.
func (w *world) yields() bool {
	if w.last < 0 {
		return true
	}
	p := w.procs[w.last]
	return p.life != running || p.kind == "wait"
}

// preempts is 1 where the last process could go on, and a step of another comes first, be it the mv that a
// dead one left.
func (w *world) preempts(c choice) int {
	if c.kind != grant && c.kind != move || w.yields() || c.who == w.last {
		return 0
	}
	return 1
}

// silent is a stop that is no step at all.
func (p *proc) silent() bool {
	switch p.kind {
	case "time", "carriers", "why", "signal":
		return true
	}
	return p.kind == "probe" && len(p.args) == 1
}

// changes tells whether p is about to change something. Killed before a step that only reads, a process
// leaves what it leaves when it is killed after that.
func (p *proc) changes() bool { return len(p.pending) > 0 || p.kind == "want" || p.kind == "waiting" }

// private is a stop that nobody else can see anything of.
func (w *world) private(p *proc) bool {
	if p.silent() {
		return true
	}
	switch {
	case len(p.pending) > 0:
		c := p.pending[0]
		return w.own(p, c.path) && w.own(p, c.from) && w.own(p, c.to)
	case p.kind == "exists":
		return w.own(p, p.args[0])
	}
	return false
}

// own tells whether path is p's slot or in it.
func (w *world) own(p *proc, path string) bool {
	slot := w.slot(p)
	return path == "" || path == slot || strings.HasPrefix(path, slot+"/")
}
