//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// beginReal is begin for a run of real commands and a real procid in a directory of its own.
func beginReal(o *options, s *scenario) (*world, error) {
	dir, err := os.MkdirTemp(o.tmp, "real")
	if err != nil {
		return nil, err
	}
	w := newWorld(s)
	w.real = &disk{dir, newTree()}
	if w.gone().id, err = procid(o, strconv.Itoa(os.Getpid())); err != nil {
		return nil, err
	}
	s.start(w)
	if err := w.real.lay(&w.tree); err != nil {
		return nil, err
	}
	if w.tree, err = w.real.read(); err != nil {
		return nil, err
	}
	for i, c := range w.gone().late {
		w.gone().late[i] = c.opened(&w.tree)
	}
	if w.mother, err = startMother(o); err != nil {
		return nil, err
	}
	for _, p := range w.procs {
		if p == w.gone() {
			continue
		}
		if p.shell, err = w.mother.start(dir+"."+p.name, dir, ""); err != nil {
			return nil, err
		}
	}
	w.o = o
	return w, w.spawnAll()
}

// endReal ends what runs and removes the directory.
func (w *world) endReal() error {
	for _, p := range w.procs {
		if p.shell == nil {
			continue
		}
		if err := p.shell.abort(p.child); err != nil {
			return err
		}
		p.shell.close()
	}
	w.mother.close()
	return os.RemoveAll(w.real.dir)
}

// stepReal lets p make a step, and reads what has become of the files.
func (w *world) stepReal(p *proc, word string) ([]string, error) {
	says, err := p.shell.step(word)
	if err != nil {
		return nil, err
	}
	if p.pid != p.shell.pid && p.shell.pid != "" {
		p.pid = p.shell.pid
		if p.id, err = procid(w.o, p.pid); err != nil {
			return nil, err
		}
	}
	for i, line := range says {
		says[i] = strings.ReplaceAll(strings.ReplaceAll(line, w.real.dir+"/", ""), w.real.dir, ".")
	}
	w.tree, err = w.real.read()
	return says, err
}

// made makes a change by the controller in the real directory too.
func (w *world) made(c change, err error) error {
	if w.real == nil || err != nil || c.from != "" && w.tree.exists(c.from) {
		return err
	}
	if c.from == "" {
		return os.RemoveAll(filepath.Join(w.real.dir, c.path))
	}
	to, err := c.target(&w.tree)
	if err != nil {
		return err
	}
	return unix.Rename(filepath.Join(w.real.dir, c.from), filepath.Join(w.real.dir, to))
}

// procid asks the real procid for the identity of the process that has pid.
func procid(o *options, pid string) (string, error) {
	out, err := exec.Command(o.procid, pid).Output()
	return strings.TrimSpace(string(out)), err
}
