//go:build unix

package main

import (
	"slices"
	"strings"
)

// An ID that stands in file names for procid's, and the number of a process that never was.
const (
	idPrefix = "explored-"
	nobody   = "2000000001"
)

// name is a process as it stands in entries.
type name struct{ pid, id string }

// nameOf is that of the process with a name in the steps: P0, P1 ... F, X.
func nameOf(process string) name {
	pid := "200000001" + process[1:]
	switch process {
	case "X":
		pid = nobody
	case "F":
		pid = "2000000009"
	}
	return name{pid, idPrefix + strings.ToLower(process)}
}

// self is what the actor has for its own name, whoever it plays; others are what the others have then.
var (
	self   = name{"2000000020", idPrefix + "me"}
	others = []name{{"2000000021", idPrefix + "a"}, {"2000000022", idPrefix + "b"}, {"2000000023", idPrefix + "c"},
		{"2000000024", idPrefix + "d"}}
)

// part is a process of a run, as the actor plays it: with other names.
type part struct{ to, from *strings.Replacer }

// newPart is the part of the process i.
func newPart(procs []*proc, i int) part {
	var to, from []string
	n := 0
	for j, p := range procs {
		as := self
		switch {
		case p.pid == nobody:
			continue
		case j != i:
			as = others[n]
			n++
		}
		to = append(to, p.pid, as.pid, p.id, as.id)
		from = append(from, as.pid, p.pid, as.id, p.id)
	}
	return part{strings.NewReplacer(to...), strings.NewReplacer(from...)}
}

// tree is t as the actor finds it.
func (p part) tree(t *tree) *tree {
	played := tree{files: make(map[string]file, len(t.files)), ticks: t.ticks}
	for path, f := range t.files {
		f.text = p.to.Replace(f.text)
		played.files[p.to.Replace(path)] = f
	}
	return &played
}

// edits are what the process has written, in the names of the run.
func (p part) edits(all []edit) (real []edit) {
	for _, e := range all {
		e.path, e.file.text = p.from.Replace(e.path), p.from.Replace(e.file.text)
		real = append(real, e)
	}
	return real
}

// step is one step of the process i and what it says: played now, or known.
func (w *world) step(i int, word string) ([]string, error) {
	p := w.procs[i]
	if w.real != nil {
		return w.stepReal(p, word)
	}
	o, err := w.actor.step(p.mind, p.part.to.Replace(word), w.view(p), w.queue(p), func() *tree { return p.part.tree(&w.tree) })
	if err != nil {
		return nil, err
	}
	p.mind = o.mind
	w.tree.apply(p.part.edits(o.edits))
	says := make([]string, len(o.mind.says))
	for i, line := range o.mind.says {
		says[i] = p.part.from.Replace(line)
	}
	return says, nil
}

// view is what p can see of the files in its next step, as it is played: of another live process's
// slot only its place in the queue, and that only where p looks for it.
func (w *world) view(p *proc) string {
	looks := p.looksAtQueue()
	hidden := func(path string) bool {
		for _, q := range w.users() {
			if q == p || q.life != running {
				continue
			}
			if in, found := strings.CutPrefix(path, w.slot(q)); found {
				return !looks || in != "" && !strings.HasPrefix(in, "/"+lock+".wa")
			}
		}
		return false
	}
	return w.shown(sight{p.name, w.lives(running), looks}, p, hidden)
}

// queue is what p keeps in mind of the queue, which does not show in what it says: it lists the
// places before it looks at each.
func (w *world) queue(p *proc) string {
	if !p.looksAtQueue() {
		return ""
	}
	return w.shown(sight{p.name, "queue", true}, p, func(path string) bool { return !strings.Contains(path, "/"+lock+".wa") })
}

func (p *proc) looksAtQueue() bool {
	return slices.Contains([]string{"want", "wake", "waiting", "signal"}, p.kind)
}
