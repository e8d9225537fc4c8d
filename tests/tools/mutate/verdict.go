package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A verdict is one line of the file of results.
type verdict struct {
	ID       string
	Function string
	Verdict  string   // killed, timed out or survived
	Ran      int      // tests
	By       []string `json:",omitempty"` // suite and name of the test that failed
	Tests    string   // what a survivor survived: another set of tests may kill it
	Seconds  float64
}

// results are the verdicts so far, and the file that holds them.
type results struct {
	file  *os.File
	known map[string]verdict
	kills map[string]int // function, suite and name of a test: how many mutants it killed there
}

func openResults(path string) (*results, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	r := &results{file, map[string]verdict{}, map[string]int{}}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var v verdict
		if json.Unmarshal(lines.Bytes(), &v) == nil {
			r.note(v)
		}
	}
	return r, nil
}

func (r *results) note(v verdict) {
	r.known[v.ID] = v
	if len(v.By) == 2 {
		r.kills[v.Function+"\n"+v.By[0]+"\n"+v.By[1]]++
	}
}

func (r *results) add(v verdict) error {
	r.note(v)
	line, _ := json.Marshal(v)
	_, err := r.file.Write(append(line, '\n'))
	return err
}

// holds tells whether the mutant has a verdict that these tests wouldn't change.
func (r *results) holds(m mutant, tests []test) bool {
	v, ok := r.known[m.ID]
	return ok && (v.Verdict != "survived" || v.Tests == digest(tests))
}

func digest(tests []test) string {
	hash := fnv.New64a()
	for _, t := range tests {
		fmt.Fprintln(hash, t.Suite, t.Name)
	}
	return fmt.Sprintf("%016x", hash.Sum64())
}

// covering returns the tests that run the mutant's region, in the order in which to try them: those
// that killed a mutant of the same function, those of the suite that bears the file's name, the
// fastest. Where the traces are of another wording of the function, these are the tests that ran
// that, or else anything of the file.
func covering(m mutant, tests []test, r *results) []test {
	suite := strings.TrimSuffix(filepath.Base(m.File), ".sh") + ".bats"
	rank := func(t test) int {
		rank := 2 * r.kills[m.Function+"\n"+t.Suite+"\n"+t.Name]
		if filepath.Base(t.Suite) == suite {
			rank++
		}
		return rank
	}
	running := func(prefix string) (running []test) {
		for _, t := range tests {
			if at, _ := slices.BinarySearch(t.Regions, prefix); at < len(t.Regions) && strings.HasPrefix(t.Regions[at], prefix) {
				running = append(running, t)
			}
		}
		return running
	}
	all := running(m.Region)
	if wording := m.Region[:strings.LastIndexByte(m.Region, '.')]; len(all) == 0 && len(running(wording)) == 0 {
		all = running(wording[:strings.LastIndexByte(wording, '#')])
		if len(all) == 0 {
			all = running(m.File + ":")
		}
	}
	slices.SortStableFunc(all, func(a, b test) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(a.Ms, b.Ms))
	})
	return all
}

// batches are how many tests one bats runs, so that most mutants need only a few of them.
var batches = []int{4, 16, 1 << 20}

// try runs the tests on the mutant.
func (l *lane) try(m mutant, tests []test) (verdict, error) {
	v := verdict{ID: m.ID, Function: m.Function, Verdict: "survived", Tests: digest(tests)}
	started := time.Now()
	defer l.restore()
	for _, size := range batches {
		batch := tests[:min(size, len(tests))]
		tests = tests[len(batch):]
		if len(batch) == 0 {
			break
		}
		l.write(m.File, m.text)
		by, timedOut, ran, err := l.firstFailure(batch, 5)
		if err != nil {
			return v, err
		}
		v.Ran += ran
		if timedOut {
			v.Verdict = "timed out"
			break
		} else if by != nil {
			v.Verdict, v.By = "killed", by
			break
		}
	}
	v.Seconds = time.Since(started).Round(100 * time.Millisecond).Seconds()
	return v, nil
}

// firstFailure runs the tests up to the first that fails: its suite and name. A test that waited in
// vain counts only if it passes, just as impatient, on the code as it is.
func (l *lane) firstFailure(tests []test, patience int) (by []string, timedOut bool, ran int, err error) {
	slowest := 0
	suiteOf := map[string]string{}
	var suites []string
	for _, t := range tests {
		slowest = max(slowest, t.Ms)
		suiteOf[t.Name] = t.Suite
		if !slices.Contains(suites, t.Suite) {
			suites = append(suites, t.Suite)
		}
	}
	stall := 15*time.Second + 5*time.Duration(slowest)*time.Millisecond
	results, err := l.bats(suites, regexFor(tests), patience, stall, false)
	if errors.Is(err, errStalled) {
		return nil, true, len(results), nil
	} else if err != nil {
		return nil, false, 0, err
	}
	last := results[len(results)-1]
	if last.ok && len(results) >= len(tests) {
		return nil, false, len(results), nil
	} else if last.ok {
		return []string{suites[0], "(bats itself)"}, false, len(results), nil
	}
	by = []string{suiteOf[last.name], last.name}
	if patience < 30 && strings.Contains(last.why, "said nothing") {
		changed, text := l.change()
		l.restore()
		again, err := l.bats(by[:1], regexFor([]test{{Name: last.name}}), patience, stall, false)
		l.write(changed, text)
		if err != nil || !again[0].ok {
			return l.firstFailure(tests, 30)
		}
	}
	return by, false, len(results), nil
}

// change returns the one file of the tree that is changed.
func (l *lane) change() (name string, text []byte) {
	for name = range l.changed {
		text, _ = os.ReadFile(filepath.Join(l.tree, name))
	}
	return name, text
}
