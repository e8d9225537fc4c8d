//go:build unix

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// choice is what happens next.
type choice struct {
	kind byte // see the constants
	who  int
}

const (
	grant  = 'g' // a process makes its next step
	kill   = 'k' // it is killed
	late   = 'l' // it is killed while the rename that it has asked for is under way
	move   = 'm' // the mv that it left behind renames
	early  = 'e' // it waits, and is woken though the path is not free
	hand   = 'h' // somebody removes the lock by hand
	finish = 'f' // all is over; a fresh process comes
)

func (c choice) String() string {
	switch c.kind {
	case grant:
		return strconv.Itoa(c.who)
	case hand, finish:
		return string(c.kind)
	}
	return string(c.kind) + strconv.Itoa(c.who)
}

// parseSchedule reads what choice.String wrote, one after the other.
func parseSchedule(text string) (all []choice, err error) {
	c := choice{kind: grant}
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			c.who = int(r - '0')
		case r == hand || r == finish:
			c.kind = byte(r)
		case strings.ContainsRune("klme", r) && c.kind == grant:
			c.kind = byte(r)
			continue
		default:
			return nil, fmt.Errorf("the schedule has a %q", r)
		}
		all = append(all, c)
		c = choice{kind: grant}
	}
	return all, nil
}
