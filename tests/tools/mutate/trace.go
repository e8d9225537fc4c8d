package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A test is one bats test that passes on the code as it is, with the regions that it runs.
type test struct {
	Suite, Name string
	Ms          int
	Regions     []string
	text        string // its code
}

func (t test) matches(with *regexp.Regexp) bool {
	return with.MatchString(filepath.Base(t.Suite) + ": " + t.Name)
}

// A trace holds as long as its key does. A test that was skipped runs no region.
type trace struct {
	test
	Key    string
	Broken bool // it fails without any mutant
}

// traceLimit bounds a test of the code as it is.
const traceLimit = 10 * time.Minute

// traced returns the text with a line to the FIFO told at the start of each region. Nothing moves to
// another line.
func traced(s *source, fifo string) []byte {
	all := slices.Clone(s.regions)
	slices.SortFunc(all, func(a, b region) int { return b.at - a.at })
	text := slices.Clone(s.text)
	for _, r := range all {
		tell := fmt.Sprintf(`\builtin \echo 'called %s' >'%s' 2>/dev/null; `, r.name, fifo)
		text = slices.Concat(text[:r.at], []byte(tell), text[r.at:])
	}
	return text
}

// Each test says its name before its setup.
const tellTest = `
eval "untraced_$(declare -f setup)"
setup() { echo "test $BATS_TEST_DESCRIPTION" >'%s'; untraced_setup; }
`

// traceSuite runs those tests of one suite on traced code.
func (l *lane) traceSuite(suite string, tests []test, sources []*source) (traces []trace, err error) {
	fifo := filepath.Join(l.dir, "called")
	os.Remove(fifo)
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		return nil, err
	}
	os.Chmod(fifo, 0o666)
	pipe, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	regions := map[string]map[string]bool{}
	told := make(chan struct{})
	go func() {
		defer close(told)
		current := map[string]bool{}
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			what, rest, _ := strings.Cut(lines.Text(), " ")
			switch what {
			case "end":
				return
			case "test":
				current = map[string]bool{}
				regions[rest] = current
			case "called":
				current[rest] = true
			}
		}
	}()
	defer l.restore()
	for _, s := range sources {
		l.write(s.name, traced(s, fifo))
	}
	l.append("tests/helper.bash", fmt.Sprintf(tellTest, fifo))
	results, err := l.bats(suite, regexFor(tests), traceLimit)
	fmt.Fprintln(pipe, "end")
	<-told
	if err != nil {
		return nil, fmt.Errorf("%s: %w", suite, err)
	}
	l.restore()
	for _, result := range results {
		t := trace{test: test{Suite: suite, Name: result.name, Ms: result.ms}}
		if !result.ok {
			// Not the trace's fault?
			again, err := l.bats(suite, regexFor([]test{t.test}), traceLimit)
			t.Broken = err != nil || len(again) != 1 || !again[0].ok
		}
		if !t.Broken && !result.skipped {
			t.Regions = slices.Sorted(maps.Keys(regions[result.name]))
		}
		traces = append(traces, t)
	}
	return traces, nil
}

var testLine = regexp.MustCompile(`(?m)^@test "(.*)" \{`)

// traceKeys are keys for the tests of a suite: each changes with what stands before the first test,
// and from this one to the next. Where the code has changed since, covering makes do.
func traceKeys(text string) map[string]string {
	keys := map[string]string{}
	at := append(testLine.FindAllStringSubmatchIndex(text, -1), []int{len(text)})
	for i, found := range at[:len(at)-1] {
		hash := fnv.New64a()
		hash.Write([]byte(text[:at[0][0]] + text[found[0]:at[i+1][0]]))
		keys[text[found[2]:found[3]]] = fmt.Sprintf("%016x", hash.Sum64())
	}
	return keys
}

// codes returns the code of each test of a suite, up to the next one.
func codes(text string) map[string]string {
	code := map[string]string{}
	at := append(testLine.FindAllStringSubmatchIndex(text, -1), []int{len(text)})
	for i, found := range at[:len(at)-1] {
		code[text[found[2]:found[3]]] = text[found[0]:at[i+1][0]]
	}
	return code
}

// traceAll returns the tests of all suites that match; only those are run whose trace isn't in the
// file.
func traceAll(lanes []*lane, file string, suites []string, sources []*source, with *regexp.Regexp) (all []test, err error) {
	known := map[string][]trace{}
	if text, err := os.ReadFile(file); err == nil {
		json.Unmarshal(text, &known)
	}
	keys, code := map[string]map[string]string{}, map[string]map[string]string{}
	missing := map[string][]test{}
	for _, suite := range suites {
		text, _ := os.ReadFile(filepath.Join(lanes[0].tree, suite))
		keys[suite], code[suite] = traceKeys(string(text)), codes(string(text))
		known[suite] = slices.DeleteFunc(known[suite], func(t trace) bool { return t.Key != keys[suite][t.Name] })
		for name := range keys[suite] {
			has := func(t trace) bool { return t.Name == name }
			if t := (test{Suite: suite, Name: name}); t.matches(with) && !slices.ContainsFunc(known[suite], has) {
				missing[suite] = append(missing[suite], t)
			}
		}
	}
	err = share(lanes, slices.Sorted(maps.Keys(missing)), func(l *lane, suite string) error {
		traces, err := l.traceSuite(suite, missing[suite], sources)
		if err != nil {
			return err
		}
		say("traced %s: %d tests", suite, len(traces))
		l.locked(func() {
			for _, t := range traces {
				t.Key = keys[suite][t.Name]
				known[suite] = append(known[suite], t)
			}
			text, _ := json.MarshalIndent(known, "", " ")
			err = os.WriteFile(file, text, 0o644)
		})
		return err
	})
	for _, suite := range suites {
		for _, t := range known[suite] {
			if t.Broken {
				say("left out, for it fails without any mutant: %s: %s", suite, t.Name)
			} else if t.matches(with) {
				t.text = code[suite][t.Name]
				all = append(all, t.test)
			}
		}
	}
	return all, err
}
