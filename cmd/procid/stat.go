package main

import "strconv"

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
	number, rest, _ := cut(line, " (")
	rest, named := behindLast(rest, ") ")
	if number != strconv.Itoa(pid) || !named {
		return stat{}, false
	}
	state, _, _ := cut(rest, " ") // field 3
	threads, ok1 := numberField(rest, 20-3)
	start, ok2 := numberField(rest, 22-3) // with nothing after it, it may be cut off
	if len(state) != 1 {
		return stat{}, false
	}
	return stat{state[0], threads, start}, ok1 && ok2
}

// numberField reads a field that a blank follows.
func numberField(text string, n int) (uint64, bool) {
	value, whole := field(text, " ", n)
	number, ok := parseCanonical(value, 10)
	return number, ok && whole
}

// dead: Z is a zombie, X and x are dead altogether.
func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// stopped: T is stopped by a signal, t by a tracer.
func (s stat) stopped() bool { return s.state == 'T' || s.state == 't' }

// statusField returns the value of a whole line "Key:\tvalue" of
// proc_pid_status(5), not the first. A name can't forge one: its newlines are
// escaped there.
func statusField(status []byte, key string) (string, bool) {
	_, rest, _ := cut(status, "\n"+key+":\t")
	value, _, whole := cut(rest, "\n")
	if !whole {
		return "", false
	}
	return string(value), true
}
