//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An ID that stands in file names for procid's, and the number of a process that never was.
const (
	idPrefix = "explored-"
	nobody   = "2000000001"
)

type life int

const (
	running life = iota
	ended
	dead
)

// proc is one process of a run.
type proc struct {
	name, pid, id string
	role          role
	shell         *shell
	life          life

	kind    string // of the stop it stands at
	args    []string
	begun   bool // some changes of its command are made, others not
	child   bool // the stop is in a child of the process
	pending []*change
	failed  string // what the earlier changes of its command said

	history string // a hash of all its steps and of what came of them
	seen    string // the lock as its last look could find it
	honest  bool   // a live process or an older script had the lock then
	idle    int    // times that it waited in vain
	clock   int    // its milliseconds
	owner   bool
	robbed  bool // its lock was removed by hand

	late []*change // the renames that an mv still makes after its death
}

// world is one run of a scenario: a directory, and the processes at work on it.
type world struct {
	o     *options
	s     *scenario
	dir   string
	procs []*proc // those of the scenario, the gone one, the fresh one
	real  bool    // commands and probes are programs, not the controller's doing

	replacer  *strings.Replacer
	last      int // the process that made the last step that others can see
	handed    bool
	violation string
	steps     []string
	torn      bool   // something happened between two changes of one command
	over      bool   // all its processes have ended
	final     string // the tree then
	silent    bool   // no steps are noted
	known     bool   // the next step was judged in an earlier run
}

func (w *world) lock() string        { return filepath.Join(w.dir, "lock") }
func (w *world) slot(p *proc) string { return w.lock() + ".slot." + p.pid + "." + p.id }
func (w *world) gone() *proc         { return w.procs[len(w.s.roles)] }
func (w *world) fresh() *proc        { return w.procs[len(w.s.roles)+1] }
func (w *world) actors() []*proc     { return w.procs[:len(w.s.roles)] }

// note adds a line to the steps.
func (w *world) note(f string, a ...any) {
	if !w.silent {
		w.steps = append(w.steps, fmt.Sprintf(f, a...))
	}
}

// newWorld makes the directory of s, and starts its processes up to their first stops.
func newWorld(o *options, s *scenario, shells []*shell) (*world, error) {
	dir, err := os.MkdirTemp(o.tmp, "run")
	if err != nil {
		return nil, err
	}
	w := &world{o: o, s: s, dir: dir, last: -1, real: o.real}
	for i, r := range s.roles {
		w.procs = append(w.procs, &proc{name: fmt.Sprintf("P%d", i), role: r, shell: shells[i]})
	}
	w.procs = append(w.procs, &proc{name: "X", pid: nobody, id: idPrefix + "x", life: dead})
	w.procs = append(w.procs, &proc{name: "F", role: role{"user", 1, 0}, shell: shells[len(s.roles)], life: ended})
	if w.real {
		if w.gone().id, err = procid(o, fmt.Sprint(os.Getpid())); err != nil {
			return nil, err
		}
	}
	if err := s.start(w); err != nil {
		return nil, err
	}
	for _, p := range w.actors() {
		if err := w.spawn(p); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// state tells states apart: two with the same text have the same futures.
func (w *world) state() string {
	var b strings.Builder
	b.WriteString(w.tree())
	for _, p := range w.procs {
		fmt.Fprintf(&b, "\n%s %d %x %d %v", p.name, p.life, p.history, len(p.pending), p.robbed)
		for _, c := range p.late {
			fmt.Fprintf(&b, " late %s", w.plain(c.name))
		}
	}
	fmt.Fprintf(&b, "\n%v", w.handed)
	return b.String()
}

// key is short for a text.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

// end kills what still runs and removes the directory.
func (w *world) end() error {
	for _, p := range w.procs {
		for _, c := range p.late {
			c.close()
		}
		if p.life == running && p.shell != nil {
			if err := w.kill(p); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(w.dir)
}
