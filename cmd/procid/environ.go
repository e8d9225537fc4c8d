//go:build linux || darwin

package main

import (
	"slices"
	"syscall"
)

const (
	tokensPrefix   = "REGISTRY_LOCK_TOKENS="
	longestToken   = 10 + 1 + longestID + 1 + 10
	longestEnviron = 8 << 20 // of more the rest isn't looked at
)

// environ finds tokens in an environment that comes in pieces: entries that end
// with NUL. A token is a word of the value of REGISTRY_LOCK_TOKENS, in any of the
// entries of that name.
type environ struct {
	want  map[string]*sought
	found []*sought
	at    int    // how much of tokensPrefix has been read, or otherEntry
	word  []byte // of the value: what was read of a word, not all of it where it is no token
}

const otherEntry = -1 // skip to the next entry

func newEnviron(want map[string]*sought) *environ {
	return &environ{want: want, word: make([]byte, 0, longestToken+1)}
}

func (e *environ) read(piece []byte) {
	for len(piece) > 0 && !e.complete() {
		if e.at == otherEntry {
			end := index(piece, "\x00")
			if end < 0 {
				return
			}
			piece = piece[end:]
		}
		e.next(piece[0])
		piece = piece[1:]
	}
}

// complete: there is nothing more to find.
func (e *environ) complete() bool { return len(e.found) == len(e.want) }

func (e *environ) next(b byte) {
	switch {
	case b == 0:
		e.end()
		e.at = 0
	case e.at < len(tokensPrefix):
		if b != tokensPrefix[e.at] {
			e.at = otherEntry
			return
		}
		e.at++
	case b == ' ' || b == '\t' || b == '\n':
		e.end()
	case len(e.word) <= longestToken:
		e.word = append(e.word, b)
	}
}

// end is where a word ends, or the environment.
func (e *environ) end() {
	s := e.want[string(e.word)]
	e.word = e.word[:0]
	if s != nil && !slices.Contains(e.found, s) {
		e.found = append(e.found, s)
	}
}

// glance is what a look at one process found.
type glance struct {
	found  []*sought // the tokens that it has
	alive  bool      // it still ran after they were found
	name   string    // where it has any
	hidden bool      // it lives, and not all of it is to be seen
}

// others sorts process numbers and takes out what isn't to be looked at: this
// process, and what is no process number.
func others(pids []int) []int {
	slices.Sort(pids)
	me := syscall.Getpid()
	return slices.DeleteFunc(pids, func(pid int) bool { return pid < 1 || pid == me })
}

// surveyed adds what glances found of the processes; hidden is how many of them
// are hidden.
func surveyed(pids []int, look func(pid int) glance) (hidden int) {
	for _, pid := range others(pids) {
		g := look(pid)
		for _, s := range g.found {
			s.add(carrier{pid, g.name}, g.alive)
		}
		if g.hidden {
			hidden++
		}
	}
	return hidden
}
