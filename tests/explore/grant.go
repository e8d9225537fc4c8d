//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// grant lets p make its next step.
func (w *world) grant(p *proc) error {
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
	case "carriers", "why":
		word = "no"
	case "time":
		word = strconv.Itoa(p.clock)
	case "look", "list":
		p.seen, p.honest = w.view(), w.heldByLive()
	}
	if w.real && (p.kind == "probe" || p.kind == "carriers" || p.kind == "why") {
		word = "go"
	}
	if p.kind != "change" {
		p.remember("=" + w.plain(word))
	}
	if err := p.shell.tell(word); err != nil {
		return err
	}
	return w.listen(p)
}

// change makes the next change of p's command; it returns the word for p when that was the last.
func (w *world) change(p *proc) string {
	if w.real {
		p.owner = p.owner && p.pending[0].from != w.lock() && p.pending[0].path != w.lock()
		p.pending = p.pending[1:]
		if p.begun = len(p.pending) > 0; p.begun {
			return ""
		}
		return "go"
	}
	c := p.pending[0]
	p.pending = p.pending[1:]
	var err error = unix.ENOENT
	if p.args[0] != "rm" || !w.s.noRm {
		err = c.make()
	}
	w.outcome(err)
	if c.from == w.lock() || c.path == w.lock() {
		w.released(p)
	}
	if err != nil {
		p.failed += p.args[0] + ": " + message(err) + " "
	}
	p.remember("=" + p.failed)
	if p.begun = len(p.pending) > 0; p.begun {
		return ""
	}
	if p.failed != "" {
		return "1 " + p.failed
	}
	return "0 "
}

// released notes that an owner has moved its own lock.
func (w *world) released(p *proc) {
	if _, err := os.Lstat(w.lock()); p.owner && errors.Is(err, os.ErrNotExist) {
		p.owner = false
	}
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
	if _, err := os.Lstat(w.lock()); err != nil {
		return "0"
	}
	return "1"
}

// probe answers as procid does, from what the controller has seen end.
func (w *world) probe(args []string) string {
	for _, q := range w.procs {
		if q.pid != args[0] {
			continue
		}
		if q.life == running && (len(args) < 2 || args[1] == q.id) {
			return q.id
		}
	}
	return "gone"
}

// kill ends p by SIGKILL; its shell has waited for it when this returns.
func (w *world) kill(p *proc) error {
	if p.child {
		if err := p.shell.tell("die"); err != nil {
			return err
		}
	} else {
		pid, err := strconv.Atoi(p.pid)
		if err != nil {
			return err
		}
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			return err
		}
	}
	word, rest, err := p.shell.hear()
	if err != nil || word != "ended" {
		return fmt.Errorf("%s was killed and said %q %q: %w", p.name, word, rest, err)
	}
	p.life, p.history, p.owner, p.pending, p.kind = dead, "", false, nil, ""
	return nil
}
