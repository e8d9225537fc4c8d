//go:build unix

package main

import (
	"fmt"
	"strings"
)

// spawn starts the process p.
func (w *world) spawn(p *proc) error {
	p.life = running
	line := fmt.Sprintf("%s %s %d %d", w.dir, p.role.name, p.role.rounds, p.role.seconds)
	if err := p.shell.tell(line); err != nil {
		return err
	}
	return w.listen(p)
}

// listen takes what p says up to its next stop or its end.
func (w *world) listen(p *proc) error {
	for {
		word, rest, err := p.shell.hear()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		switch word {
		case "note":
			if err := w.noted(p, rest); err != nil {
				return err
			}
		case "ended":
			p.life = ended
			p.history = ""
			return nil
		case "stop":
			return w.stopped(p, rest)
		}
	}
}

func (w *world) noted(p *proc, text string) (err error) {
	word, value, _ := strings.Cut(text, " ")
	if word == "pid" {
		p.pid, p.id = value, idPrefix+strings.ToLower(p.name)
		if w.real {
			p.id, err = procid(w.o, value)
		}
		w.replacer = nil
		return err
	}
	w.note("      %s %s, status %s", p.name, word, value)
	w.checkNote(p, word, value)
	return nil
}

// stopped notes where p stands: "PID WHAT-CAME-OF-THE-LAST-STEP|WHAT ARG...".
func (w *world) stopped(p *proc, text string) error {
	before, what, _ := strings.Cut(text, "|")
	pid, saw, _ := strings.Cut(before, " ")
	words := strings.Fields(what)
	p.kind, p.args, p.child = words[0], words[1:], pid != p.pid
	if p.silent() {
		what = p.kind
	}
	p.remember(w.plain(saw) + "|" + w.plain(what))
	if p.kind != "change" {
		return nil
	}
	var err error
	p.pending, err = changes(p.args)
	p.failed = ""
	return err
}

// remember adds a step or its outcome to p's history.
func (p *proc) remember(text string) {
	p.history = key(p.history + text)
}
