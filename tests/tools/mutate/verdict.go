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
	"regexp"
	"slices"
	"strings"
	"time"
)

// A verdict is one line of the file of results.
type verdict struct {
	ID       string
	File     string
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
	noted map[string]bool // short names of mutants that earlier runs killed
	known map[string]verdict
	kills map[string]int // file or function, suite and name of a test: how many mutants it killed there
}

// openResults reads the verdicts of this machine, and the list of mutants that were killed on others.
func openResults(path, killed string) (*results, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	r := &results{file, map[string]bool{}, map[string]verdict{}, map[string]int{}}
	text, err := os.ReadFile(killed)
	if err != nil {
		return nil, err
	}
	for _, short := range strings.Fields(string(text)) {
		r.noted[short] = true
	}
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
		r.kills[v.File+"\n"+v.By[0]+"\n"+v.By[1]]++
	}
}

func (r *results) add(v verdict) error {
	r.note(v)
	line, _ := json.Marshal(v)
	_, err := r.file.Write(append(line, '\n'))
	return err
}

// of returns the mutant's verdict, an empty one where it has none.
func (r *results) of(m mutant) verdict {
	v, ok := r.known[m.ID]
	if !ok && r.noted[short(m.ID)] {
		v.Verdict = "killed"
	}
	return v
}

// short is the name of a mutant in the list of those that are killed.
func short(id string) string { return id[:min(8, len(id))] }

// list writes the list of those mutants that are killed.
func (r *results) list(path string, mutants []mutant) error {
	var killed []string
	for _, m := range mutants {
		if v := r.of(m).Verdict; v == "killed" || v == "timed out" {
			killed = append(killed, short(m.ID))
		}
	}
	slices.Sort(killed)
	var text strings.Builder
	for row := range slices.Chunk(slices.Compact(killed), 11) {
		fmt.Fprintln(&text, strings.Join(row, " "))
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// holds tells whether the mutant has a verdict that these tests wouldn't change.
func (r *results) holds(m mutant, tests []test, most int) bool {
	v := r.of(m)
	return v.Verdict != "" && (v.Verdict != "survived" || v.Tests == digest(tests, most) || v.Tests == digest(tests, len(tests)))
}

// digest is of the tests, and of how many of them were tried where not all were.
func digest(tests []test, most int) string {
	hash := fnv.New64a()
	if most < len(tests) {
		fmt.Fprintln(hash, most)
	}
	for _, t := range tests {
		fmt.Fprintln(hash, t.Suite, t.Name)
	}
	return fmt.Sprintf("%016x", hash.Sum64())
}

// covering returns the tests that run the mutant's region, in the order in which to try them: those
// that killed a mutant of the same function, then but for the slow ones those whose code has most of
// the names in the change, those that killed one of the same file, those of the suite that bears the
// file's name, the fastest; of each suite in turn. Where the traces are of another wording of the
// function, these are the tests that ran that, or else anything of the file.
func covering(m mutant, tests []test, r *results) []test {
	suite := strings.TrimSuffix(filepath.Base(m.File), ".sh") + ".bats"
	kills := func(where string, t test) int { return r.kills[where+"\n"+t.Suite+"\n"+t.Name] }
	one := map[bool]int{true: 1}
	own := func(t test) int { return one[filepath.Base(t.Suite) == suite] }
	slow := func(t test) int { return one[t.Ms > 5000] }
	names := namesIn.FindAllString(m.Function+" "+m.Old, -1)
	named := map[string]int{}
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
	for _, t := range all {
		for _, name := range names {
			named[t.Suite+t.Name] += one[strings.Contains(t.text, name)]
		}
	}
	slices.SortStableFunc(all, func(a, b test) int {
		return cmp.Or(cmp.Compare(kills(m.Function, b), kills(m.Function, a)), cmp.Compare(slow(a), slow(b)),
			cmp.Compare(named[b.Suite+b.Name], named[a.Suite+a.Name]),
			cmp.Compare(kills(m.File, b), kills(m.File, a)), cmp.Compare(own(b), own(a)), cmp.Compare(a.Ms, b.Ms))
	})
	proven := slices.IndexFunc(all, func(t test) bool { return kills(m.Function, t) == 0 })
	return append(all[:max(proven, 0):max(proven, 0)], inTurn(all[max(proven, 0):])...)
}

var namesIn = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]{4,}`)

// inTurn returns the first test of each suite, then the second of each, and so on.
func inTurn(tests []test) (all []test) {
	var suites []string
	of := map[string][]test{}
	for _, t := range tests {
		if of[t.Suite] == nil {
			suites = append(suites, t.Suite)
		}
		of[t.Suite] = append(of[t.Suite], t)
	}
	for row := 0; len(all) < len(tests); row++ {
		for _, suite := range suites {
			if row < len(of[suite]) {
				all = append(all, of[suite][row])
			}
		}
	}
	return all
}

// try runs the tests on the mutant.
func (l *lane) try(m mutant, tests []test) (verdict, error) {
	started := time.Now()
	defer l.restore()
	l.write(m.File, m.text)
	by, timedOut, ran, err := l.firstFailure(tests, 5)
	v := verdict{ID: m.ID, File: m.File, Function: m.Function, Verdict: "survived", By: by, Ran: ran}
	if timedOut {
		v.Verdict = "timed out"
	} else if by != nil {
		v.Verdict = "killed"
	}
	v.Seconds = time.Since(started).Round(100 * time.Millisecond).Seconds()
	return v, err
}

// firstFailure runs the tests up to the first that fails: its suite and name. It counts only if it
// passes on the code as it is, and just as impatient where it waited in vain.
func (l *lane) firstFailure(tests []test, patience int) (by []string, timedOut bool, ran int, err error) {
	tests = slices.DeleteFunc(slices.Clone(tests), func(t test) bool {
		fit, known := l.fit[t.Suite+t.Name]
		return known && !fit
	})
	if len(tests) == 0 {
		return nil, false, 0, nil
	}
	slowest := slices.MaxFunc(tests, func(a, b test) int { return cmp.Compare(a.Ms, b.Ms) }).Ms
	stall := 15*time.Second + 5*time.Duration(slowest)*time.Millisecond
	results, err := l.one(tests, patience, stall)
	ran = len(results)
	if errors.Is(err, errStalled) {
		return nil, true, ran, nil
	} else if err != nil || ran == len(tests) && results[ran-1].ok {
		return nil, false, ran, err
	}
	failed, inVain := tests[ran:min(ran+1, len(tests))], false // where even the script ended
	if ran > 0 && !results[ran-1].ok {
		failed, inVain = tests[ran-1:ran], strings.Contains(results[ran-1].why, "said nothing")
	}
	if !l.fit[failed[0].Suite+failed[0].Name] || inVain {
		changed, text := l.change()
		l.restore()
		again, err := l.one(failed, patience, stall)
		l.write(changed, text)
		if l.context.Err() != nil {
			return nil, false, ran, err
		}
		passes := err == nil && len(again) == 1 && again[0].ok
		if !passes && inVain && patience < 30 {
			return l.firstFailure(tests, 30)
		}
		l.fit[failed[0].Suite+failed[0].Name] = passes
		if !passes {
			say("left out, for it fails in one.bash: %s: %s", failed[0].Suite, failed[0].Name)
			return l.firstFailure(tests, patience)
		}
	}
	return []string{failed[0].Suite, failed[0].Name}, false, ran, nil
}

// change returns the one file of the tree that is changed.
func (l *lane) change() (name string, text []byte) {
	for name = range l.changed {
		text, _ = os.ReadFile(filepath.Join(l.tree, name))
	}
	return name, text
}
