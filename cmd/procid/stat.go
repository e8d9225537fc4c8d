package main

import (
	"bytes"
	"strconv"
	"strings"
)

// stat is what proc_pid_stat(5) says about a process or a thread.
type stat struct {
	state   byte   // field 3
	threads uint64 // field 20: the threads of its process that aren't reaped; 0 once it is
	start   uint64 // field 22, in clock ticks
}

// parseStat reads one line of proc_pid_stat(5). The name, field 2, may hold any
// byte, blanks and brackets too, so fields count from the last ")". What isn't
// such a line of that very pid is refused.
func parseStat(line string, pid int) (stat, bool) {
	number, rest, _ := strings.Cut(line, " (")
	name := strings.LastIndex(rest, ") ")
	if number != strconv.Itoa(pid) || name < 0 {
		return stat{}, false
	}
	const third, twentieth, last = 0, 20 - 3, 22 - 3
	fields := strings.SplitN(rest[name+2:], " ", last+2)
	if len(fields) < last+2 || len(fields[third]) != 1 {
		return stat{}, false // a field 22 with nothing after it may be cut off
	}
	threads, ok1 := parseCanonical(fields[twentieth], 10)
	start, ok2 := parseCanonical(fields[last], 10)
	return stat{fields[third][0], threads, start}, ok1 && ok2
}

// dead: Z is a zombie, X and x are dead altogether.
func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// stopped: T is stopped by a signal, t by a tracer.
func (s stat) stopped() bool { return s.state == 'T' || s.state == 't' }

// statusField returns the value of a whole line "Key:\tvalue" of
// proc_pid_status(5), not the first. A name can't forge one: its newlines are
// escaped there.
func statusField(status []byte, key string) (string, bool) {
	_, rest, _ := bytes.Cut(status, []byte("\n"+key+":\t"))
	value, _, whole := bytes.Cut(rest, []byte("\n"))
	if !whole {
		return "", false
	}
	return string(value), true
}
