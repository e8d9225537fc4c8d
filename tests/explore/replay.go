//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
)

// replay makes the run SCENARIO:CHOICES, goes on as the explorer would, and prints the steps.
func replay(o *options, schedule string) error {
	s, choices, err := parse(schedule)
	if err != nil {
		return err
	}
	w, err := once(o, s, choices, true)
	if err != nil {
		return err
	}
	fmt.Print(list(w.steps))
	if w.violation != "" {
		return fmt.Errorf("VIOLATION: %s", w.violation)
	}
	return nil
}

// parse reads SCENARIO:CHOICES.
func parse(schedule string) (*scenario, []choice, error) {
	name, text, _ := strings.Cut(schedule, ":")
	choices, err := parseSchedule(text)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range scenarios(true) {
		if s.name == name {
			return s, choices, nil
		}
	}
	return nil, nil, fmt.Errorf("there is no scenario %q", name)
}

// follow makes one run of s along choices. One that can't be made there is an error where exact is
// set, else it is left out.
func follow(a *actor, s *scenario, choices []choice, exact bool) (*world, error) {
	w, err := begin(s, a)
	if err == nil {
		err = w.follow(choices, exact)
	}
	if err != nil && w != nil {
		err = fmt.Errorf("%w\n%s", err, list(w.steps))
	}
	return w, err
}

// once is follow with an actor for this once.
func once(o *options, s *scenario, choices []choice, exact bool) (*world, error) {
	a, err := newActor(o, newBook())
	if err != nil {
		return nil, err
	}
	defer a.close()
	return follow(a, s, choices, exact)
}

// followReal makes a run of programs along choices.
func followReal(o *options, s *scenario, choices []choice) (*world, error) {
	w, err := beginReal(o, s)
	if err != nil {
		return nil, err
	}
	if err := w.follow(choices, true); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, list(w.steps))
	}
	return w, w.endReal()
}

func (w *world) follow(choices []choice, exact bool) error {
	for w.violation == "" {
		all, _ := w.choices()
		for len(choices) > 0 && !slices.Contains(all, choices[0]) {
			if exact {
				return fmt.Errorf("this schedule does not fit: there is no %v after these steps", choices[0])
			}
			choices = choices[1:]
		}
		c := all[0]
		if len(choices) > 0 {
			c, choices = choices[0], choices[1:]
		}
		if c.kind == finish {
			w.over, w.final = true, w.end()
			return w.checkEnd()
		}
		if err := w.apply(c); err != nil {
			return err
		}
	}
	return nil
}
