//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const lock = "lock"

// year is more milliseconds than a call of the library lasts.
const year = 1000000000

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
	life          life

	part  part
	mind  *mind  // where it stands, and how it came there; nil in a run of programs
	shell *shell // in a run of programs

	kind    string // of the stop it stands at
	args    []string
	begun   bool // some changes of its command are made, others not
	child   bool // the stop is in a child of the process
	pending []change
	failed  string // what the earlier changes of its command said

	seen   string // the lock as its last look could find it
	honest bool   // a live process or an older script had the lock then
	idle   int    // times that it waited in vain
	clock  int    // its milliseconds
	calls  int    // that have ended
	owner  bool
	robbed bool // its lock was removed by hand

	late []change // the renames that an mv still makes after its death
}

// world is a state of a run of a scenario: the files, and the processes at work on them.
type world struct {
	s     *scenario
	tree  tree
	procs []*proc // those of the scenario, the gone one, the fresh one
	actor *actor
	known forest

	// In a run of programs files and processes are the system's.
	o      *options
	real   *disk
	mother *mother

	last      int // the process that made the last step that others can see
	handed    bool
	wakes     int // that came too early
	violation string
	steps     []string
	torn      bool   // something happened between two changes of one command
	over      bool   // all its processes have ended
	final     string // the tree then
	silent    bool   // no steps are noted
}

func (w *world) slot(p *proc) string { return lock + ".slot." + p.pid + "." + p.id }
func (w *world) gone() *proc         { return w.procs[len(w.s.roles)] }
func (w *world) fresh() *proc        { return w.procs[len(w.s.roles)+1] }
func (w *world) users() []*proc      { return w.procs[:len(w.s.roles)] }

// note adds a line to the steps.
func (w *world) note(f string, a ...any) {
	if !w.silent {
		w.steps = append(w.steps, fmt.Sprintf(f, a...))
	}
}

// clone is a world of its own in the same state.
func (w *world) clone() *world {
	v := *w
	v.tree = w.tree.clone()
	v.procs = make([]*proc, len(w.procs))
	all := make([]proc, len(w.procs))
	for i, p := range w.procs {
		all[i] = *p
		v.procs[i] = &all[i]
	}
	return &v
}

// newWorld is s before it begins.
func newWorld(s *scenario) *world {
	w := &world{s: s, tree: newTree(), known: forest{}, last: -1}
	for i, r := range append(slices.Clone(s.roles), role{}, role{"user", 1, 0}) {
		w.procs = append(w.procs, &proc{name: fmt.Sprintf("P%d", i), role: r, life: ended})
	}
	w.gone().name, w.gone().life, w.fresh().name = "X", dead, "F"
	for _, p := range w.procs {
		n := nameOf(p.name)
		p.pid, p.id = n.pid, n.id
	}
	for i, p := range w.procs {
		p.part = newPart(w.procs, i)
	}
	return w
}

// begin makes the files of s, and starts its processes up to their first stops.
func begin(s *scenario, a *actor) (*world, error) {
	w := newWorld(s)
	w.actor = a
	s.start(w)
	return w, w.spawnAll()
}

func (w *world) spawnAll() error {
	for i := range w.users() {
		if err := w.spawn(i); err != nil {
			return err
		}
	}
	return nil
}

// state tells states apart: two with the same text have the same futures.
func (w *world) state() string {
	b := append(make([]byte, 0, 512), w.facts().text...)
	for _, p := range w.procs {
		b = fmt.Appendf(b, "\n%d", p.life)
		if p.mind != nil && p.life == running {
			b = fmt.Appendf(b, " %d %d %d %t %t %t %s %s %s", len(p.pending), p.idle, p.clock, p.owner, p.robbed, p.honest,
				p.failed, p.seen, p.mind.hist)
		}
		for _, c := range p.late {
			b = fmt.Appendf(b, " late %s", c.name)
			if c.dir != 0 {
				b = fmt.Appendf(b, " %s", w.tree.named(c.dir))
			}
		}
	}
	return string(fmt.Appendf(b, "\n%t %d", w.handed, w.wakes))
}

// key is short for a text.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

var sinceLine = regexp.MustCompile(`(?m)^since .*$`)

// plain replaces the processes' identities by their names. Of two that started in the same tick
// an ID alone doesn't tell which is meant.
func (w *world) plain(text string) string {
	var pairs []string
	for _, p := range w.procs {
		pairs = append(pairs, p.pid+"."+p.id, p.name, p.pid+" "+p.id, p.name,
			"pid "+p.pid+"\nstart "+p.id, "pid "+p.name+"\nstart "+p.name, "pid "+p.pid+"\n", "pid "+p.name+"\n", p.id, p.name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// end is what the files are at the end, whoever took part and when.
func (w *world) end() string {
	t := newTree()
	for p, f := range w.tree.files {
		f.text = w.plain(sinceLine.ReplaceAllString(f.text, "since"))
		t.files[w.plain(p)] = f
	}
	return t.text(nil, nil)
}
