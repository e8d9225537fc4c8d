//go:build unix

package main

import "fmt"

// sampled is how many different ends there are for one that is reached in a run of programs too.
const sampled = 25

// compare replays every so many runs with real commands and a real procid, which is to end as w did.
// A real command can not be stopped between its changes.
func (x *explorer) compare(w *world) error {
	if x.s.noRm || w.torn || len(x.over)%sampled != 1 {
		return nil
	}
	s, choices, err := parse(x.schedule())
	if err != nil {
		return err
	}
	v, err := followReal(x.o, s, choices)
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
