// Package model explores the lock protocol exhaustively: every interleaving, a kill at every
// step, and for each kill also the case that the rename which the dead shell had started is
// made later, at any moment, by the mv that outlives it.
//
// One transition is one system call that others can see (a rename, a listing, the removal of a
// slot) or one probe. Checked in every state: at most one live owner, a live owner's entry is
// in the lock, a lock never has the entry of a live process that is done with it.
package model

import "fmt"

const maxProcs = 4

type step int8

const (
	nothing step = iota
	place
	write
	look
	judge
	revoke
	claim
	verify
	move
	undo
	owns
	check
	release
	end
)

var stepNames = [...]string{"nothing", "place", "write", "look", "judge", "revoke", "claim", "verify", "move", "undo",
	"owns", "check", "release", "end"}

// kind says what an entry is; none is a lock that does not exist, empty one without an entry.
type kind int8

const (
	none kind = iota
	empty
	holder
	claimed
)

// entry is the only entry of a lock: its kind, its process, and that process's round.
type entry struct {
	kind  kind
	who   int8
	round int8
}

// proc is one process. late is the step whose rename is still to be made after its death.
type proc struct {
	step  step
	round int8
	seen  entry
	dead  bool
	late  step
}

// state is comparable: two equal states have equal futures. noSlot has a bit for each process
// whose slot was destroyed.
type state struct {
	lock   entry
	noSlot uint8
	kills  int8
	procs  [maxProcs]proc
}

// Options of an exploration. Each field but the first three is a mutant of the protocol.
type Options struct {
	Procs, Kills, Rounds int

	TreatGone      bool // never asks whether the holder is alive
	NoClaim        bool // moves the lock away without claiming its entry
	Unbound        bool // claims whatever holder entry is there
	LoneClaim      bool // does not take over the claim of a gone claimer
	EntryAfter     bool // puts an empty directory in place and writes the entry afterwards
	NoRevoke       bool // leaves the slot of a gone process where it is
	RevokeAfter    bool // destroys that slot after claiming the entry, not before
	RevokeClaimsNo bool // destroys the slots of gone holders, not those of gone claimers
}

// Explore walks every reachable state. It returns how many there are, and for a violation what
// it is and the shortest way there.
func Explore(o Options) (states int, violation string, path []string) {
	first := state{kills: int8(o.Kills)}
	for i := range o.Procs {
		first.procs[i] = proc{step: place, round: int8(o.Rounds)}
	}
	parent := map[state]state{first: first}
	queue := []state{first}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if v := o.wrong(s); v != "" {
			return len(parent), v, o.path(parent, s)
		}
		for _, n := range o.successors(s) {
			if _, known := parent[n]; !known {
				parent[n] = s
				queue = append(queue, n)
			}
		}
	}
	return len(parent), "", nil
}

func (o Options) path(parent map[state]state, s state) (lines []string) {
	for {
		lines = append([]string{o.line(s)}, lines...)
		if parent[s] == s {
			return lines
		}
		s = parent[s]
	}
}

func (o Options) line(s state) string {
	text := fmt.Sprintf("lock=%v", s.lock)
	for i, p := range s.procs[:o.Procs] {
		text += fmt.Sprintf("  %d:%s", i, stepNames[p.step])
		if p.dead {
			text += "+killed"
		}
		if p.late != nothing {
			text += "+late " + stepNames[p.late]
		}
	}
	return text
}

// wrong says what is violated in s.
func (o Options) wrong(s state) string {
	owner := int8(-1)
	for i, p := range s.procs[:o.Procs] {
		if p.dead || p.step < owns || p.step > release {
			continue
		}
		if owner >= 0 {
			return "two live owners"
		}
		owner = int8(i)
		if s.lock != (entry{holder, owner, p.round}) {
			return "a live owner without its entry"
		}
	}
	switch s.lock.kind {
	case none:
		return ""
	case empty:
		return "a lock without an entry"
	}
	who := s.procs[s.lock.who]
	if !who.dead && who.step == end {
		return "wedged: the entry of a process that is done"
	}
	if who.dead && o.LoneClaim && s.lock.kind == claimed {
		return "wedged: nobody may take over a dead claimer's claim"
	}
	return ""
}

// successors lists what can happen next: a step of a live process, its death, a late rename.
func (o Options) successors(s state) (next []state) {
	for i := range o.Procs {
		p := s.procs[i]
		if p.dead {
			if p.late != nothing {
				next = append(next, late(s, i))
			}
			continue
		}
		if p.step == end {
			continue
		}
		next = append(next, o.advance(s, i))
		if p.step == move && !o.NoClaim { // the system may refuse the rename
			n := s
			n.procs[i].step = undo
			next = append(next, n)
		}
		if s.kills == 0 {
			continue
		}
		n := s
		n.kills--
		n.procs[i].dead = true
		next = append(next, n)
		switch p.step {
		case place, claim, move, undo, release:
			n.procs[i].late = p.step
			next = append(next, n)
		}
	}
	return next
}

// late makes the rename that process i had started when it died. From and to its slot nothing moves
// once that is destroyed.
func late(s state, i int) state {
	p := &s.procs[i]
	slot := s.noSlot&(1<<i) == 0
	switch p.late {
	case place:
		if slot && s.lock.kind == none {
			s.lock = entry{holder, int8(i), p.round}
		}
	case claim:
		if s.lock == p.seen {
			s.lock = entry{claimed, int8(i), 0}
		}
	case undo:
		if s.lock == (entry{claimed, int8(i), 0}) {
			s.lock = p.seen
		}
	default:
		if slot {
			s.lock = entry{}
		}
	}
	p.late = nothing
	return s
}
