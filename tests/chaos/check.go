//go:build linux

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// evidence is what one round left.
type evidence struct {
	log    string            // what all processes stamped, in order
	own    map[string]string // each worker's own log: the counts that it wrote
	before map[string]int    // each lock's count at the beginning
	after  map[string]int
	errors string // what all wrote to standard error
}

// owner is a process in a critical section.
type owner struct{ worker, pid string }

type checker struct {
	figures  figures
	problems []string
	inside   map[string]owner // by lock
	last     map[string]string
	killed   map[owner]bool
	hit      map[string]bool // workers of which a process was killed
	died     map[string]int  // owners that died inside, by lock
}

// check says all that is wrong with a round, and counts.
func check(e evidence, f figures) []string {
	c := &checker{f, nil, map[string]owner{}, map[string]string{}, map[owner]bool{}, map[string]bool{}, map[string]int{}}
	for _, line := range strings.Split(e.log, "\n") {
		if line != "" {
			c.line(line, strings.Fields(line))
		}
	}
	for lock, who := range c.inside {
		c.end(lock, who)
	}
	for lock := range e.after {
		c.counts(lock, e)
	}
	c.messages(e.errors)
	return c.problems
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) line(text string, word []string) {
	switch {
	case word[0] == "enter" && len(word) == 4:
		c.enter(word[1], owner{word[2], word[3]})
	case word[0] == "leave" && len(word) == 3:
		c.leave(word[1], word[2])
	case word[0] == "kill" && len(word) >= 4:
		c.killed[owner{word[1], word[2]}] = true
		c.hit[word[1]] = true
	case word[0] == "odd" && len(word) >= 3:
		c.odd(text, word)
	default:
		c.problem("a line of the log is damaged: %q", text)
	}
}

// enter: nobody is inside, but for one who was killed before.
func (c *checker) enter(lock string, who owner) {
	if before, ok := c.inside[lock]; ok {
		c.end(lock, before)
		c.figures["taken after a death"]++
	} else if last := c.last[lock]; last != "" && last != who.worker {
		c.figures["hand-overs"]++
	}
	c.inside[lock] = who
	c.figures["acquisitions"]++
	if inCell(who.worker) {
		c.figures["  in a second pid namespace"]++
	}
	switch {
	case strings.HasPrefix(who.worker, "older"):
		c.figures["  by older-style writers"]++
	case strings.HasPrefix(who.worker, "run"):
		c.figures["  by registry-lock run"]++
	}
}

// end: an owner that did not leave was killed.
func (c *checker) end(lock string, who owner) {
	c.died[lock]++
	if !c.killed[who] {
		c.problem("two owners: %s was in %s, alive, when another came in or the round ended", who.worker, lock)
	}
}

func (c *checker) leave(lock, worker string) {
	if c.inside[lock].worker != worker {
		c.problem("two owners: %s left %s when it was no longer the owner", worker, lock)
		return
	}
	delete(c.inside, lock)
	c.last[lock] = worker
}

// odd is a status that nobody should see; "the system refused" is one that a killed child explains.
func (c *checker) odd(text string, word []string) {
	switch {
	case word[len(word)-1] == "76" || word[2] == "check":
		c.problem("a robbed owner: %s", text)
	case word[len(word)-1] != "73" || !c.hit[word[1]]:
		c.problem("a status without a reason: %s", text)
	}
}

// counts: each value of a lock's count was written by one owner, and none is missing but those of
// owners that died before they could note it.
func (c *checker) counts(lock string, e evidence) {
	seen := map[int]string{}
	for worker, text := range e.own {
		for _, line := range strings.Split(text, "\n") {
			name, number, _ := strings.Cut(line, " ")
			value, err := strconv.Atoi(number)
			if name != lock || err != nil {
				continue
			}
			if other := seen[value]; other != "" {
				c.problem("a lost update: %s and %s both made %s %d", worker, other, lock, value)
			}
			if value <= e.before[lock] || value > e.after[lock] {
				c.problem("a lost update: %s made %s %d, which went from %d to %d", worker, lock, value, e.before[lock], e.after[lock])
			}
			seen[value] = worker
		}
	}
	if missing := e.after[lock] - e.before[lock] - len(seen); missing > c.died[lock] {
		c.problem("counts from nowhere: %d of %s, where %d owners died", missing, lock, c.died[lock])
	}
}

// never is what no worker may print, whatever is killed.
var never = []string{"was taken from this process", "was removed by hand", "syntax error", "unbound variable",
	"bad substitution", "bad array subscript", "division by 0", "Segmentation fault", "Aborted", "ambiguous redirect",
	"too many arguments", "expression expected", "not a valid identifier"}

func (c *checker) messages(text string) {
	for _, line := range strings.Split(text, "\n") {
		for _, words := range never {
			if strings.Contains(line, words) {
				c.problem("a worker printed: %s", line)
			}
		}
		switch {
		case strings.Contains(line, ": removed the "):
			c.figures["dead locks broken"]++
			if strings.Contains(line, "its number was recycled") {
				c.figures["  with a recycled number"]++
			}
		case strings.Contains(line, "Gave up after"):
			c.figures["gave up in time"]++
		}
	}
}
