package main

import "strconv"

const (
	carriersNamed = 100 // how many carriers of a token are named
	longestName   = 64
	mostSurveys   = 5
)

// carrier is a live process whose environment, as it was at its exec, has a
// token as a word of REGISTRY_LOCK_TOKENS.
type carrier struct {
	pid  int
	name string // as the system has it: any bytes
}

// sought is what is known of the carriers of one token.
type sought struct {
	carriers []carrier // in ascending order, carriersNamed at most
	hidden   int       // live processes that can't be looked at
	blind    bool      // none can
	ended    int       // carriers that ended under the last look
	none     int       // surveys in a row that found none
}

// surveyor is a system that can look at the environments of processes. A survey
// is one look at all processes but this one: it adds to carriers and ended, and
// tells how many can't be looked at.
type surveyor interface {
	survey(tokens map[string]*sought) (hidden int, ok bool)
}

// carriers answers "procid --carriers TOKEN", whether the process lives or not.
func (p program) carriers(args []string) int {
	if len(args) != 1 {
		return p.usage("--carriers takes one TOKEN")
	}
	q, problem := parseToken(args[0])
	if problem != "" {
		return p.usage(problem)
	}
	s := &sought{}
	findCarriers(p.system(), map[string]*sought{q.token: s})
	return p.print(s.told("\n") + "\n")
}

// findCarriers surveys until, for each token, one survey finds carriers or two in
// a row find none. One survey misses a carrier that ends before its turn and
// leaves a child whose turn is over, or that was born after the numbers were
// listed. It is assumed that this does not happen in two surveys running: that no
// program lives on in ever new children, each started and left within one survey.
// Where that shows, in carriers that end under the look five times, it is told as
// one more process that can't be looked at. Tokens that are settled are taken out
// of the map.
func findCarriers(s system, tokens map[string]*sought) {
	if len(tokens) == 0 {
		return
	}
	all, can := s.(surveyor)
	hidden := 0
	for looks := 0; can && len(tokens) > 0 && looks < mostSurveys; looks++ {
		if hidden, can = all.survey(tokens); can {
			settle(tokens, hidden)
		}
	}
	for _, s := range tokens {
		s.blind, s.hidden = !can, hidden+1
	}
}

// settle takes stock after a survey.
func settle(tokens map[string]*sought, hidden int) {
	for token, s := range tokens {
		s.hidden = hidden
		if s.none++; s.ended > 0 {
			s.none, s.ended = 0, 0
		}
		if len(s.carriers) > 0 || s.none == 2 {
			delete(tokens, token)
		}
	}
}

// add counts a carrier, dead or alive.
func (s *sought) add(c carrier, alive bool) {
	switch {
	case !alive:
		s.ended++
	case len(s.carriers) < carriersNamed:
		s.carriers = append(s.carriers, c)
	}
}

// told is what is said of them, each with sep behind it.
func (s *sought) told(sep string) string {
	if s.blind {
		return "unknown"
	}
	text := ""
	for _, c := range s.carriers {
		text += strconv.Itoa(c.pid) + " " + plainName(c.name) + sep
	}
	return text + "end " + strconv.Itoa(s.hidden)
}

// plainName makes one harmless word of a process's name.
func plainName(name string) string {
	if name == "" {
		return "?"
	}
	word := []byte(name[:min(len(name), longestName)])
	for i, b := range word {
		letter := b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9'
		if !letter && !has("._+:@-", b) {
			word[i] = '?'
		}
	}
	return string(word)
}
