package main

import (
	"strconv"
	"strings"
)

const (
	carriersNamed = 100 // how many carriers are printed
	longestName   = 64
	mostSurveys   = 5
)

// carrier is a live process whose environment, as it was at its exec, has the
// token as a word of REGISTRY_LOCK_TOKENS.
type carrier struct {
	pid  int
	name string // as the system has it: any bytes
}

// survey is one look at all processes, but this one.
type survey struct {
	carriers []carrier // in ascending order
	hidden   int       // live processes that can't be looked at
	ended    int       // carriers that ended while they were looked at
}

// surveyor is a system that can look at the environments of processes.
type surveyor interface {
	survey(token string) (s survey, ok bool)
}

// carriers answers "procid --carriers TOKEN".
func (p program) carriers(args []string) int {
	if len(args) != 1 {
		return p.usage("--carriers takes one TOKEN")
	}
	if !isToken(args[0]) {
		return p.usage("not a token PID.ID.N: " + quote(args[0]))
	}
	s, ok := findCarriers(p.system(), args[0])
	if !ok {
		return p.print("unknown\n")
	}
	return p.print(s.lines())
}

// isToken: PID.ID.N names one acquisition of a lock; ID may be empty.
func isToken(text string) bool {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return false
	}
	_, ok1 := parsePID(parts[0])
	_, ok2 := parsePID(parts[2])
	return ok1 && ok2 && (parts[1] == "" || isWord(parts[1]))
}

// findCarriers surveys until one survey finds carriers or two in a row find none.
// One survey misses a carrier that ends before its turn and leaves a child whose
// turn is over, or that was born after the numbers were listed. It is assumed
// that this does not happen in two surveys running: that no program lives on in
// ever new children, each started and left within one survey. Where that shows,
// in carriers that end under the look five times, it is told as one more process
// that can't be looked at.
func findCarriers(system system, token string) (survey, bool) {
	all, can := system.(surveyor)
	if !can {
		return survey{}, false
	}
	var s survey
	none, ok := 0, false
	for range mostSurveys {
		if s, ok = all.survey(token); !ok || len(s.carriers) > 0 {
			return s, ok
		}
		if none++; s.ended > 0 {
			none = 0
		}
		if none == 2 {
			return s, true
		}
	}
	s.hidden++
	return s, true
}

func (s survey) lines() string {
	var text strings.Builder
	for _, c := range s.carriers[:min(len(s.carriers), carriersNamed)] {
		text.WriteString(strconv.Itoa(c.pid) + " " + plainName(c.name) + "\n")
	}
	text.WriteString("end " + strconv.Itoa(s.hidden) + "\n")
	return text.String()
}

// plainName makes one harmless word of a process's name.
func plainName(name string) string {
	if name == "" {
		return "?"
	}
	word := []byte(name[:min(len(name), longestName)])
	for i, b := range word {
		letter := b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9'
		if !letter && strings.IndexByte("._+:@-", b) < 0 {
			word[i] = '?'
		}
	}
	return string(word)
}
