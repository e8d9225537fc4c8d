//go:build unix

package main

import "fmt"

// sampled is how many different ends there are for one that is reached in a run of programs too.
const sampled = 25

// compare replays every so many runs with real commands and a real procid, which is to end as w did.
// A real command
// can not be stopped between its changes.
func (x *explorer) compare(w *world) error {
	if x.o.real || x.s.noRm || w.torn || len(x.over)%sampled != 1 {
		return nil
	}
	text := x.schedule()
	s, choices, err := parse(text)
	if err != nil {
		return err
	}
	programs := *x.o
	programs.real = true
	v, err := follow(&programs, s, choices, true)
	if err != nil {
		return fmt.Errorf("with real commands: %w", err)
	}
	x.report.compared++
	if v.violation != "" || v.final != w.final {
		return fmt.Errorf("with real commands it ends otherwise: %s\n%s\nnot\n%s\n%s",
			v.violation, v.final, w.final, list(v.steps))
	}
	return nil
}

// odd is for a state that is not what it was when the same steps led there, as happens when the system
// gives the number of a killed process to another one within the run: the run is made once more,
// and what comes twice is believed. Often, that is an error.
func (x *explorer) odd(w *world, depth int) error {
	n, state := x.stack[depth], w.state()
	x.report.odd++
	if x.report.odd > 3+x.report.runs/100 {
		return fmt.Errorf("step %d differs from run to run:\n%s\nwas\n%s", depth, state, n.state)
	}
	if x.last == state {
		n.state = state
	}
	x.last = state
	x.stack[len(x.stack)-1].next-- // for backtrack
	return w.end()
}
