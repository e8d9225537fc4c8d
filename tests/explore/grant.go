//go:build unix

package main

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// grant lets the process i make its next step.
func (w *world) grant(i int) error {
	p := w.procs[i]
	word := "go"
	switch p.kind {
	case "change":
		if word = w.change(p); word == "" {
			return nil
		}
	case "wait":
		word = w.wait(p)
	case "probe":
		word = w.probe(p.args)
	case "signal":
		word = w.signal(p.args[0])
	case "carriers", "why":
		word = "no"
	case "time":
		word = strconv.Itoa(p.clock)
	case "look", "list":
		p.seen, p.honest = w.seen(), w.heldByLive()
	}
	switch p.kind {
	case "probe", "carriers", "why", "signal":
		if w.real != nil {
			word = "go"
		}
	}
	return w.tell(i, word)
}

// change makes the next change of p's command; it returns the word for p when that was the last.
func (w *world) change(p *proc) string {
	c := p.pending[0]
	p.pending = p.pending[1:]
	if w.real != nil {
		p.owner = p.owner && c.from != lock && c.path != lock
		if p.begun = len(p.pending) > 0; p.begun {
			return ""
		}
		return "go"
	}
	var err error = unix.ENOENT
	if p.args[0] != "rm" || !w.s.noRm {
		err = c.make(&w.tree)
	}
	w.outcome(err)
	if c.from == lock || c.path == lock {
		p.owner = p.owner && w.tree.exists(lock) // by its owner, it is a release
	}
	if err != nil {
		p.failed += p.args[0] + ": " + message(err) + " "
	}
	if p.begun = len(p.pending) > 0; p.begun {
		return ""
	}
	if p.failed != "" {
		return "1 " + p.failed
	}
	return "0 "
}

func message(err error) string {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// wait ends p's wait; much time is over then where nothing has changed since it looked. The word says
// whether the path is free.
func (w *world) wait(p *proc) string {
	p.clock += 60
	if w.changed(p) {
		p.idle = 0
	} else {
		p.idle++
		p.clock += 20000
	}
	if w.tree.exists(lock) {
		return "1"
	}
	return "0"
}

// probe answers as procid does, from what the controller has seen end.
func (w *world) probe(args []string) string {
	for _, q := range w.procs {
		if q.pid == args[0] && q.life == running && (len(args) < 2 || args[1] == q.id) {
			return q.id
		}
	}
	return "gone"
}

// signal answers as kill -0 does: a command that is a status.
func (w *world) signal(pid string) string {
	for _, q := range w.procs {
		if q.pid == pid && q.life == running {
			return "true"
		}
	}
	return "false"
}

// kill ends p by SIGKILL. What it has changed stays; nothing else of it does.
func (w *world) kill(p *proc) error {
	p.life, p.owner, p.pending, p.kind, p.mind = dead, false, nil, "", nil
	if w.real == nil {
		return nil
	}
	return p.shell.abort(p.child)
}
