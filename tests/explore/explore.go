//go:build unix

package main

import (
	"fmt"
	"strings"
	"time"
)

// node is a state of the run at hand, with what can happen there.
type node struct {
	state   string
	choices []choice
	cost    []int
	next    int
	left    int // preemptions
}

// explorer walks a scenario's schedules, depth first. It starts each run anew and drives it along the
// choices on its stack.
type explorer struct {
	o      *options
	s      *scenario
	shells []*shell
	stack  []*node
	seen   map[string]int // the most preemptions that were left in a state
	over   map[string]bool
	last   string // the last odd state
	report report
}

// report is what an exploration found.
type report struct {
	name              string
	runs, ends        int
	states, pruned    int
	compared, odd     int
	took              time.Duration
	violation, replay string
	steps             []string
}

// explore walks all schedules of s within its bounds, up to the first violation.
func explore(o *options, s *scenario) (*report, error) {
	x := &explorer{o: o, s: s, seen: map[string]int{}, over: map[string]bool{}}
	x.report.name = s.name
	began := time.Now()
	var err error
	if x.shells, err = startShells(o, len(s.roles)+1); err != nil {
		return nil, err
	}
	defer closeAll(x.shells)
	for more := true; more && x.report.violation == ""; more = x.backtrack() {
		if err := x.run(); err != nil {
			return nil, fmt.Errorf("%s, schedule %s: %w", s.name, x.schedule(), err)
		}
	}
	if x.report.violation != "" {
		if err := x.tell(); err != nil {
			return nil, err
		}
	}
	x.report.states = len(x.seen)
	x.report.took = time.Since(began)
	return &x.report, nil
}

// run makes one run: along the stack, then on by the first choice of each state that is new.
func (x *explorer) run() error {
	w, err := newWorld(x.o, x.s, x.shells)
	if err != nil {
		return err
	}
	x.report.runs++
	w.silent = true
	for depth := 0; w.violation == ""; depth++ {
		if depth == len(x.stack) && !x.push(w) {
			break
		}
		n := x.stack[depth]
		c := n.choices[n.next]
		w.known = depth < len(x.stack)-1
		if w.known && !w.fits(c) || !w.known && w.state() != n.state {
			return x.odd(w, depth)
		}
		if c.kind == finish {
			err = x.finish(w, n.state)
			break
		}
		if err := w.apply(c); err != nil {
			return err
		}
	}
	if w.violation != "" {
		x.report.violation, x.report.replay = w.violation, x.schedule()
	}
	if err != nil {
		return err
	}
	if err := w.end(); err != nil || w.violation != "" || !w.over {
		return err
	}
	return x.compare(w)
}

// tell replays the run that ended in a violation, for its steps.
func (x *explorer) tell() error {
	_, text, _ := strings.Cut(x.report.replay, ":")
	choices, err := parseSchedule(text)
	if err != nil {
		return err
	}
	w, err := follow(x.o, x.s, choices, true)
	if err != nil {
		return err
	}
	x.report.steps = w.steps
	if w.violation != x.report.violation {
		return fmt.Errorf("%s ends in %q when it is replayed, not in %q", x.report.replay, w.violation, x.report.violation)
	}
	return nil
}

// push puts the state of w on the stack; it returns false where it was explored before.
func (x *explorer) push(w *world) bool {
	n := &node{state: w.state(), left: x.s.bound}
	if d := len(x.stack); d > 0 {
		before := x.stack[d-1]
		n.left = before.left - before.cost[before.next]
	}
	if !x.isNew(n, w) {
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
func (x *explorer) isNew(n *node, w *world) bool {
	state, left := key(n.state), n.left
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
func (x *explorer) finish(w *world, state string) error {
	x.report.ends++
	if x.over[key(state)] {
		return nil
	}
	x.over[key(state)] = true
	w.over, w.final = true, w.tree()
	return w.checkEnd()
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
