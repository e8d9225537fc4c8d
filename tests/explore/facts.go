//go:build unix

package main

import "fmt"

// facts are what is asked again and again of a tree, found once.
type facts struct {
	text   string // short for the whole
	there  bool   // the lock
	names  []string
	inLock string // the same as a text
	shown  map[sight]string
}

// sight is who looks at a tree, and what of it is hidden.
type sight struct {
	who, live string
	queue     bool
}

// forest has the facts of each tree of an exploration, by its text.
type forest map[string]*facts

// facts are those of the tree as it is now.
func (w *world) facts() *facts {
	if w.tree.facts != nil {
		return w.tree.facts
	}
	text := key(w.tree.text(nil, nil))
	f := w.known[text]
	if f == nil {
		f = &facts{text: text, there: w.tree.exists(lock), names: w.tree.names(lock), shown: map[sight]string{}}
		f.inLock = fmt.Sprint(f.there, f.names)
		w.known[text] = f
	}
	w.tree.facts = f
	return f
}

// shown is short for the tree as p finds it, but for what is hidden.
func (w *world) shown(s sight, p *proc, hidden func(string) bool) string {
	f := w.facts()
	text, known := f.shown[s]
	if !known {
		text = key(w.tree.text(hidden, p.part.to))
		f.shown[s] = text
	}
	return text
}

// lives tells of each process whether its life is l.
func (w *world) lives(l life) string {
	all := make([]byte, len(w.procs))
	for i, p := range w.procs {
		all[i] = '0'
		if p.life == l {
			all[i] = '1'
		}
	}
	return string(all)
}
