//go:build unix

package main

import (
	"fmt"
	"strings"
	"time"
)

// node is a state with what can happen there.
type node struct {
	world   *world
	choices []choice
	cost    []int
	next    int
	left    int // preemptions
}

// explorer walks a scenario's schedules, depth first.
type explorer struct {
	o      *options
	s      *scenario
	actor  *actor
	stack  []*node
	seen   map[string]int // the most preemptions that were left in a state
	over   map[string]bool
	report report
}

// report is what an exploration found.
type report struct {
	name              string
	runs, ends        int
	states, pruned    int
	compared          int
	played, again     int
	took              time.Duration
	violation, replay string
	steps             []string
}

// explore walks all schedules of s within its bounds, up to the first violation.
func explore(o *options, s *scenario, a *actor) (*report, error) {
	x := &explorer{o: o, s: s, actor: a, seen: map[string]int{}, over: map[string]bool{}}
	x.report.name = s.name
	began := time.Now()
	steps, again := a.steps, a.again
	if err := x.walk(); err != nil {
		return nil, fmt.Errorf("%s, schedule %s: %w", s.name, x.schedule(), err)
	}
	if x.report.violation != "" {
		if err := x.tell(); err != nil {
			return nil, err
		}
	}
	x.report.played, x.report.again = a.steps-steps, a.again-again
	x.report.states = len(x.seen)
	x.report.took = time.Since(began)
	return &x.report, nil
}

// walk goes from state to state until a violation, or until no schedule is left.
func (x *explorer) walk() error {
	w, err := begin(x.s, x.actor)
	if err != nil {
		return err
	}
	w.silent = true
	for more := x.push(w); more; more = x.report.violation == "" && x.backtrack() {
		if err := x.descend(); err != nil {
			return err
		}
	}
	return nil
}

// descend goes on from the top of the stack, by the first choice of each state that is new.
func (x *explorer) descend() error {
	for more := true; more; {
		top := x.stack[len(x.stack)-1]
		w := top.world.clone()
		c := top.choices[top.next]
		if c.kind == finish {
			if err := x.finish(w); err != nil {
				return err
			}
			more = false
		} else if err := w.apply(c); err != nil {
			return err
		}
		more = more && w.violation == "" && x.push(w)
		if w.violation != "" {
			x.report.violation, x.report.replay = w.violation, x.schedule()
		}
	}
	x.report.runs++
	return nil
}

// tell replays the run that ended in a violation, for its steps.
func (x *explorer) tell() error {
	_, text, _ := strings.Cut(x.report.replay, ":")
	choices, err := parseSchedule(text)
	if err != nil {
		return err
	}
	w, err := follow(x.actor, x.s, choices, true)
	if err != nil {
		return err
	}
	x.report.steps = w.steps
	if w.violation != x.report.violation {
		return fmt.Errorf("%s ends in %q when it is replayed, not in %q", x.report.replay, w.violation, x.report.violation)
	}
	return nil
}

// push puts the state w on the stack; it returns false where it was explored before.
func (x *explorer) push(w *world) bool {
	n := &node{world: w, left: x.s.bound}
	if d := len(x.stack); d > 0 {
		before := x.stack[d-1]
		n.left = before.left - before.cost[before.next]
	}
	if !x.isNew(n) {
		x.report.pruned++
		return false
	}
	choices, cost := w.choices()
	for i, c := range choices {
		if x.s.bound < 0 || cost[i] <= n.left {
			n.choices, n.cost = append(n.choices, c), append(n.cost, cost[i])
		}
	}
	if len(n.choices) == 0 {
		w.wrong("nobody can go on")
		return false
	}
	x.stack = append(x.stack, n)
	return true
}

// isNew tells whether n's state is new, or was explored with fewer preemptions left.
func (x *explorer) isNew(n *node) bool {
	w := n.world
	state, left := key(w.state()), n.left
	switch {
	case x.s.bound < 0:
		left = 0
	case !w.yields():
		state += w.procs[w.last].name
	}
	if most, known := x.seen[state]; known && most >= left {
		return false
	}
	x.seen[state] = left
	return true
}

// finish judges the end of a run, once for each state that runs end in.
func (x *explorer) finish(w *world) error {
	x.report.ends++
	state := key(w.state())
	if x.over[state] {
		return nil
	}
	x.over[state] = true
	w.over, w.final = true, w.end()
	if err := w.checkEnd(); err != nil || w.violation != "" {
		return err
	}
	return x.compare(w)
}

// backtrack goes to the next schedule; it returns false when there is none.
func (x *explorer) backtrack() bool {
	for len(x.stack) > 0 {
		top := x.stack[len(x.stack)-1]
		if top.next++; top.next < len(top.choices) {
			return true
		}
		x.stack = x.stack[:len(x.stack)-1]
	}
	return false
}

// schedule is what replays the run.
func (x *explorer) schedule() (text string) {
	for _, n := range x.stack {
		text += n.choices[n.next].String()
	}
	return x.s.name + ":" + text
}
