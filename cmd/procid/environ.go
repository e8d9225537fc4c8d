//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"slices"
)

const (
	tokensPrefix   = "REGISTRY_LOCK_TOKENS="
	longestEnviron = 8 << 20 // of more the rest isn't looked at
)

// environ finds a token in an environment that comes in pieces: entries that
// end with NUL. It is a word of the value of REGISTRY_LOCK_TOKENS, in any of the
// entries of that name.
type environ struct {
	want  string // tokensPrefix and the token
	at    int    // how much of want has been read, or one of the two below
	found bool
}

const (
	otherEntry = -1 // skip to the next entry
	otherWord  = -2 // skip to the next word
)

func newEnviron(token string) *environ { return &environ{want: tokensPrefix + token} }

func (e *environ) read(piece []byte) {
	for len(piece) > 0 && !e.found {
		if e.at == otherEntry {
			end := bytes.IndexByte(piece, 0)
			if end < 0 {
				return
			}
			piece = piece[end:]
		}
		e.next(piece[0])
		piece = piece[1:]
	}
}

func (e *environ) next(b byte) {
	inValue := e.at >= len(tokensPrefix) || e.at == otherWord
	switch {
	case b == 0:
		e.end()
		e.at = 0
	case inValue && (b == ' ' || b == '\t' || b == '\n'):
		e.end()
		e.at = len(tokensPrefix)
	case e.at >= 0 && e.at < len(e.want) && b == e.want[e.at]:
		e.at++
	case inValue:
		e.at = otherWord
	default:
		e.at = otherEntry
	}
}

// end is where a word ends, or the environment.
func (e *environ) end() { e.found = e.found || e.at == len(e.want) }

// glance is what a look at one process found.
type glance int

const (
	carriesNot glance = iota // it hasn't the token, or isn't running any more
	carries
	endedAsCarrier
	notToBeSeen
)

// count adds what a look at c found.
func (s *survey) count(found glance, c carrier) {
	switch found {
	case carries:
		s.carriers = append(s.carriers, c)
	case endedAsCarrier:
		s.ended++
	case notToBeSeen:
		s.hidden++
	}
}

// others sorts process numbers and takes out what isn't to be looked at: this
// process, and what is no process number.
func others(pids []int) []int {
	slices.Sort(pids)
	me := os.Getpid()
	return slices.DeleteFunc(pids, func(pid int) bool { return pid < 1 || pid == me })
}
