//go:build unix

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// seats is how many shells of an actor wait where a process of it stands.
const seats = 64

// mind is a process at a stop, with all that it has seen and been told, or since it has last told all that
// it holds. What it does next follows from that, from the word that it is told, and from the files that it
// can see.
type mind struct {
	before *mind
	depth  int
	word   string // what it was told before it came here
	found  tree   // and the files as they were then
	wrote  []edit
	says   []string
	hist   string
	next   map[string]outcome
}

// outcome is what one step leads to.
type outcome struct {
	mind  *mind
	edits []edit // what the shell wrote by itself
}

// book holds the minds that are known, and what each step of theirs leads to, for all actors.
type book struct {
	sync.RWMutex
	root  *mind
	minds map[string]*mind
}

func newBook() *book {
	return &book{root: &mind{next: map[string]outcome{}}, minds: map[string]*mind{}}
}

func (b *book) look(m *mind, k string) (o outcome, known bool) {
	b.RLock()
	defer b.RUnlock()
	o, known = m.next[k]
	return o, known
}

// enter notes where the step k of m leads: to n, or to the mind that is known by n's history.
func (b *book) enter(m *mind, k string, n *mind) outcome {
	b.Lock()
	defer b.Unlock()
	if known := b.minds[n.hist]; known != nil {
		m.next[k] = outcome{known, n.wrote}
	} else {
		b.minds[n.hist] = n
		m.next[k] = outcome{n, n.wrote}
	}
	return m.next[k]
}

// actor plays a process for the controller, by real shells: any process, since they differ in nothing
// but their numbers, and it has one of its own (part.go). Each step is played once; what came of it is
// known from then on. A shell that stands somewhere else is led there from the start.
type actor struct {
	o      *options
	mother *mother
	*book
	seats []*seat
	uses  int
	steps int // that were played
	again int // of them, to lead a shell somewhere
}

// seat is a shell, and where the process that it runs stands.
type seat struct {
	shell *shell
	disk  disk
	at    *mind
	used  int
	child bool // the stop is one of a child of the process
}

func newActor(o *options, b *book) (*actor, error) {
	m, err := startMother(o)
	return &actor{o: o, mother: m, book: b}, err
}

// step tells a process at m the word; view is what it can see of the files, which are found only if
// that is needed, and learns what it keeps in mind of them.
func (a *actor) step(m *mind, word, view, learns string, find func() *tree) (outcome, error) {
	k := key(word + "\n" + view)
	if o, known := a.look(m, k); known {
		return o, nil
	}
	s, err := a.lead(m)
	if err != nil {
		return outcome{}, err
	}
	return a.play(s, word, k, learns, find())
}

// play lets the process in s make the step k, which is new.
func (a *actor) play(s *seat, word, k, learns string, t *tree) (outcome, error) {
	says, err := a.say(s, word, t)
	if err != nil {
		return outcome{}, err
	}
	wrote, err := s.disk.edits()
	if err != nil {
		return outcome{}, err
	}
	hist := key(s.at.hist + "\n" + word + "\n" + learns + "\n" + strings.Join(says, "\n"))
	if slices.ContainsFunc(says, tellsAll) {
		hist = key(strings.Join(says, "\n"))
	}
	o := a.enter(s.at, k, &mind{before: s.at, depth: s.at.depth + 1, word: word, found: t.clone(), wrote: wrote,
		says: says, hist: hist, next: map[string]outcome{}})
	return o, a.settle(s, o)
}

// tellsAll tells a line that says all that a process holds, from which follows what it does.
func tellsAll(line string) bool { return strings.HasPrefix(line, "holds ") }

// say tells the process in s the word, where it finds the files t.
func (a *actor) say(s *seat, word string, t *tree) (says []string, err error) {
	a.steps++
	if err := s.disk.lay(t); err != nil {
		return nil, err
	}
	says, err = s.shell.step(word)
	for i, line := range says {
		says[i] = strings.ReplaceAll(strings.ReplaceAll(line, s.disk.dir+"/", ""), s.disk.dir, ".")
	}
	return says, err
}

// settle notes where the process in s stands now.
func (a *actor) settle(s *seat, o outcome) error {
	s.at = o.mind
	s.child = strings.HasPrefix(o.mind.says[len(o.mind.says)-1], "stop child")
	return s.disk.settle(o.edits)
}

// lead brings a shell to m: the one that is nearest, or else the one that was used longest ago.
func (a *actor) lead(m *mind) (*seat, error) {
	var way []*mind // from the end
	for n := m; n != a.root; n = n.before {
		way = append(way, n)
	}
	s, err := a.nearest(way)
	if err != nil {
		return nil, err
	}
	a.uses++
	s.used = a.uses
	for _, n := range slices.Backward(way) {
		if n.depth <= s.at.depth {
			continue
		}
		a.again++
		says, err := a.say(s, n.word, &n.found)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(says, n.says) {
			return nil, fmt.Errorf("the same steps lead elsewhere: to %q, not to %q", says, n.says)
		}
		if err := a.settle(s, outcome{n, n.wrote}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// nearest is a shell whose process stands on the way.
func (a *actor) nearest(way []*mind) (*seat, error) {
	for _, n := range way {
		for _, s := range a.seats {
			if s.at == n {
				return s, nil
			}
		}
	}
	if len(a.seats) < seats {
		return a.newSeat()
	}
	s := slices.MinFunc(a.seats, func(s, t *seat) int { return s.used - t.used })
	s.at = a.root
	return s, s.shell.abort(s.child)
}

func (a *actor) newSeat() (*seat, error) {
	dir, err := os.MkdirTemp(a.o.tmp, "run")
	if err != nil {
		return nil, err
	}
	s := &seat{disk: disk{dir, newTree()}, at: a.root}
	if s.shell, err = a.mother.start(dir, dir, self.pid); err != nil {
		return nil, err
	}
	a.seats = append(a.seats, s)
	return s, nil
}

func (a *actor) close() {
	for _, s := range a.seats {
		s.shell.close()
	}
	a.mother.close()
}
