package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
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
}

// A suite's trace holds as long as its key does.
type suiteTrace struct {
	Key    string
	Tests  []test
	Broken []string // tests that fail without any mutant
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

// traceSuite runs one suite on traced code.
func (l *lane) traceSuite(suite string, sources []*source) (suiteTrace, error) {
	fifo := filepath.Join(l.dir, "called")
	os.Remove(fifo)
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		return suiteTrace{}, err
	}
	os.Chmod(fifo, 0o666)
	pipe, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		return suiteTrace{}, err
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
	results, err := l.bats([]string{suite}, "", 30, traceLimit, true)
	fmt.Fprintln(pipe, "end")
	<-told
	if err != nil {
		return suiteTrace{}, fmt.Errorf("%s: %w", suite, err)
	}
	l.restore()
	trace := suiteTrace{}
	for _, result := range results {
		if !result.ok {
			// Not the trace's fault?
			again, err := l.bats([]string{suite}, regexFor([]test{{Name: result.name}}), 30, traceLimit, true)
			if err != nil || len(again) != 1 || !again[0].ok {
				trace.Broken = append(trace.Broken, result.name)
				continue
			}
		}
		if !result.skipped {
			names := make([]string, 0, len(regions[result.name]))
			for name := range regions[result.name] {
				names = append(names, name)
			}
			slices.Sort(names)
			trace.Tests = append(trace.Tests, test{suite, result.name, result.ms, names})
		}
	}
	return trace, nil
}

// traceKey changes with what the suite says. Where the code has changed since, covering makes do.
func traceKey(root, suite string) string {
	hash := fnv.New64a()
	text, _ := os.ReadFile(filepath.Join(root, suite))
	hash.Write(text)
	return fmt.Sprintf("%016x", hash.Sum64())
}

// traceAll returns the tests of all suites; only those are run whose trace isn't in the file.
func traceAll(lanes []*lane, root, file string, suites []string, sources []*source) ([]test, error) {
	known := map[string]suiteTrace{}
	if text, err := os.ReadFile(file); err == nil {
		json.Unmarshal(text, &known)
	}
	var missing []string
	for _, suite := range suites {
		if known[suite].Key != traceKey(root, suite) {
			missing = append(missing, suite)
		}
	}
	err := share(lanes, missing, func(l *lane, suite string) error {
		trace, err := l.traceSuite(suite, sources)
		if err != nil {
			return err
		}
		trace.Key = traceKey(l.tree, suite) // the root may have changed
		say("traced %s: %d tests", suite, len(trace.Tests))
		l.locked(func() {
			known[suite] = trace
			text, _ := json.MarshalIndent(known, "", " ")
			err = os.WriteFile(file, text, 0o644)
		})
		return err
	})
	var all []test
	for _, suite := range suites {
		all = append(all, known[suite].Tests...)
		for _, name := range known[suite].Broken {
			say("left out, for it fails without any mutant: %s: %s", suite, name)
		}
	}
	return all, err
}
