//go:build unix

package main

import (
	"fmt"
	"strings"
)

// spawn starts the process i.
func (w *world) spawn(i int) error {
	p := w.procs[i]
	p.life = running
	if w.real == nil {
		p.mind = w.actor.root
	}
	return w.tell(i, fmt.Sprintf("%s %d %d", p.role.name, p.role.rounds, p.role.seconds))
}

// tell lets the process i go on with a word, and takes what it says up to its next stop or its end.
func (w *world) tell(i int, word string) error {
	p := w.procs[i]
	says, err := w.step(i, word)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	for _, line := range says {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "note":
			word, value, _ := strings.Cut(rest, " ")
			w.note("      %s %s, status %s", p.name, word, value)
			w.checkNote(p, word, value)
		case "outside":
			p.calls++
			p.clock, p.idle, p.seen, p.honest = p.calls*year, 0, "", false
		case "ended":
			p.life = ended
		case "stop":
			err = w.stopped(p, rest)
		}
	}
	return err
}

// stopped notes where p stands: "WHOSE WHAT-CAME-OF-THE-LAST-STEP|WHAT ARG...".
func (w *world) stopped(p *proc, text string) (err error) {
	before, what, _ := strings.Cut(text, "|")
	words := strings.Fields(what)
	p.kind, p.args, p.child = words[0], words[1:], strings.HasPrefix(before, "child")
	p.failed, p.pending = "", nil
	if p.kind == "change" {
		p.pending, err = changes(&w.tree, p.args)
	}
	return err
}
