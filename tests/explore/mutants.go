//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// kept is a schedule that shows what is wrong with a mutant of the library.
type kept struct{ name, file, schedule string }

// keptSchedules reads DIR/schedules/NAME: the schedule in its last line, the rest is comment.
func keptSchedules(o *options) (all []kept, err error) {
	files, err := filepath.Glob(filepath.Join(o.dir, "schedules", "*"))
	if err == nil && len(files) == 0 {
		err = errors.New("no schedule is kept")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		all = append(all, kept{filepath.Base(file), file, lines[len(lines)-1]})
	}
	return all, err
}

// mutant is o with a copy of the library that the mutant's sed script has changed, wherever the
// function is that it changes.
func (o *options) mutant(name string) (*options, error) {
	tree, err := os.MkdirTemp(o.tmp, name)
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(tree, os.DirFS(filepath.Dir(o.library))); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(tree, "*", "*.sh"))
	changed := false
	for _, file := range files {
		before, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		after, err := exec.Command("sed", "-f", filepath.Join(o.dir, "../mutants", name+".sed"), file).Output()
		if err != nil {
			return nil, err
		}
		changed = changed || !bytes.Equal(before, after)
		if err := os.WriteFile(file, after, 0o600); err != nil {
			return nil, err
		}
	}
	if err == nil && !changed {
		err = errors.New("the mutant changes nothing")
	}
	mutated := *o
	mutated.library = filepath.Join(tree, filepath.Base(o.library))
	return &mutated, err
}

// checkKept replays each kept schedule: it shows a violation of its mutant, and none of the library.
func checkKept(o *options) error {
	all, err := keptSchedules(o)
	if err != nil {
		return err
	}
	for _, k := range all {
		if err := k.check(o); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	fmt.Printf("%d kept schedules show what they are kept for\n", len(all))
	return nil
}

func (k kept) check(o *options) error {
	s, choices, err := parse(k.schedule)
	if err != nil {
		return err
	}
	mutated, err := o.mutant(k.name)
	if err != nil {
		return err
	}
	w, err := once(mutated, s, choices, true)
	if err != nil {
		return err
	}
	if w.violation == "" {
		return fmt.Errorf("the kept schedule shows nothing on the mutant any more; find one: make explore-mutants")
	}
	fmt.Printf("%-18s %s\n", k.name, w.violation)
	w, err = once(o, s, choices, false)
	if err == nil && w.violation != "" {
		err = fmt.Errorf("on the library: %s\n%s", w.violation, list(w.steps))
	}
	return err
}

// findKept explores the mutants of all kept schedules for a schedule that shows them, with as few
// preemptions as one needs, and keeps it. The scenario is the kept one's.
func findKept(o *options, only func(string) bool) error {
	all, err := keptSchedules(o)
	if err != nil {
		return err
	}
	for _, k := range all {
		if !only(k.name) {
			continue
		}
		if err := k.find(o); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return nil
}

func (k kept) find(o *options) error {
	s, _, err := parse(k.schedule)
	if err != nil {
		return err
	}
	mutated, err := o.mutant(k.name)
	if err != nil {
		return err
	}
	a, err := newActor(mutated, newBook())
	if err != nil {
		return err
	}
	defer a.close()
	for s.bound = 0; s.bound <= maxBound; s.bound++ {
		r, err := explore(mutated, s, a)
		if err != nil {
			return err
		}
		fmt.Printf("%-18s %-20s %d preemptions, %5d schedules, %5.1f s: %s\n",
			k.name, s.name, s.bound, r.runs, r.took.Seconds(), r.violation)
		if r.violation != "" {
			return k.keep(r)
		}
	}
	return errors.New("no schedule shows it")
}

func (k kept) keep(r *report) error {
	text := "# " + r.violation + "\n"
	for _, line := range strings.Split(strings.TrimSpace(list(r.steps)), "\n") {
		text += "# " + line + "\n"
	}
	return os.WriteFile(k.file, []byte(text+r.replay+"\n"), 0o644)
}
