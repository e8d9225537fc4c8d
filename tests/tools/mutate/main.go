// Mutate breaks lib and bin in bulk, one small change at a time, and lists each change that no test
// notices. It runs on Linux.
//
// A mutant is tried against the tests that run the function which holds the change, the likeliest
// and fastest first, up to the first that fails. Which tests these are is found out once: each
// suite runs on a copy of the code that tells every call. Both the traces and the verdicts are kept
// in tests/.mutants, so that a run that was stopped goes on, and only what has changed is done again.
// tests/mutants/killed.txt has the mutants that runs on other machines killed; it goes with the code.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

var ownSession = &syscall.SysProcAttr{Setsid: true}

func say(format string, arguments ...any) { fmt.Printf(format+"\n", arguments...) }

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-hold" {
		os.Exit(hold(os.Args[2:]))
	}
	var o options
	flag.StringVar(&o.root, "root", "../..", "the `folder` that holds lib, bin and tests")
	only := flag.String("only", "", "only mutants of these files and functions: `NAME[,NAME...]`")
	flag.Uint64Var(&o.sample, "sample", 1, "one mutant in `N`, by chance but always the same ones")
	flag.IntVar(&o.lanes, "lanes", 2, "how many bats run at a time")
	flag.BoolVar(&o.list, "list", false, "list the mutants and try none")
	flag.IntVar(&o.most, "most", 1<<20, "a mutant that passes the `N` likeliest tests has survived")
	flag.BoolVar(&o.again, "again", false, "try only mutants that survived before")
	flag.BoolVar(&o.note, "note", false, "write the list of all mutants that are killed, tests/mutants/killed.txt")
	with := flag.String("with", "", "only with the tests that match `REGEX`, as SUITE.bats: NAME")
	flag.Parse()
	o.only, o.with = strings.Split(*only, ","), regexp.MustCompile(*with)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	survived, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		stop()
		os.Exit(2)
	}
	if survived {
		os.Exit(1)
	}
}

// The options say which mutants are tried, and with which tests.
type options struct {
	root        string
	only        []string
	sample      uint64
	lanes, most int
	list, again bool
	note        bool
	with        *regexp.Regexp
}

func run(ctx context.Context, o options) (bool, error) {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return false, err
	}
	sources, err := readSources(root)
	if err != nil {
		return false, err
	}
	equivalent, err := readEquivalent(filepath.Join(root, "tests/mutants/equivalent.md"))
	if err != nil {
		return false, err
	}
	all, left := choose(sources, equivalent, o.only, o.sample)
	if o.list {
		for _, m := range left {
			m.print()
		}
		say("%d mutants", len(left))
		return false, nil
	}
	state := filepath.Join(root, "tests/.mutants")
	if err := os.MkdirAll(state, 0o755); err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "registry-lock-mutants.")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	os.Chmod(work, 0o755)
	lanes, err := newLanes(ctx, root, work, o.lanes)
	if err != nil {
		return false, err
	}
	suites, err := suitesOf(root)
	if err != nil {
		return false, err
	}
	tests, err := traceAll(lanes, filepath.Join(state, "trace.json"), suites, sources, o.with)
	if err != nil {
		return false, err
	}
	killed := filepath.Join(root, "tests/mutants/killed.txt")
	verdicts, err := openResults(filepath.Join(state, "verdicts.jsonl"), killed)
	if err != nil {
		return false, err
	}
	err = tryAll(lanes, left, tests, verdicts, o)
	if o.note {
		all, _ := choose(sources, equivalent, []string{""}, 1)
		err = cmp.Or(verdicts.list(killed, all), err)
	}
	return report(all, left, verdicts, o.sample), err
}

func newLanes(ctx context.Context, root, work string, count int) ([]*lane, error) {
	path := exec.Command("tests/bats.sh", "--path")
	path.Dir = root
	bats, err := path.Output()
	if err != nil {
		return nil, err
	}
	goCache, err := exec.Command(cmp.Or(os.Getenv("GO"), "go"), "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	var lanes []*lane
	mutex := &sync.Mutex{}
	for number := range count {
		l, err := newLane(ctx, root, filepath.Join(work, fmt.Sprint(number)),
			strings.TrimSpace(string(bats)), strings.TrimSpace(string(goCache)), mutex)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

// suitesOf returns the suites that run the library from the tree; rules about its text, and what is
// installed from it, kill no mutant.
func suitesOf(root string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(root, "tests/*.bats"))
	var suites []string
	for _, path := range paths {
		if name := filepath.Base(path); name != "source_rules.bats" && name != "install.bats" {
			suites = append(suites, "tests/"+name)
		}
	}
	return suites, err
}

func readSources(root string) ([]*source, error) {
	paths, err := filepath.Glob(filepath.Join(root, "lib/registry-lock/*.sh"))
	if err != nil {
		return nil, err
	}
	paths = append(paths, filepath.Join(root, "lib/registry-lock.sh"), filepath.Join(root, "bin/registry-lock"))
	var sources []*source
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, _ := filepath.Rel(root, path)
		s, err := parse(filepath.ToSlash(name), text)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// choose returns the mutants that were asked for, and those of them that aren't equivalent. It says
// which entries of the list of equivalent ones have no mutant.
func choose(sources []*source, equivalent map[key]string, only []string, sample uint64) (all, left []mutant) {
	used := map[key]bool{}
	ignored := ignored(sources)
	for _, s := range sources {
		for _, m := range s.mutants(ignored) {
			used[m.key()] = true
			if !wanted(m, only) || number(m)%sample != 0 {
				continue
			}
			all = append(all, m)
			if equivalent[m.key()] == "" {
				left = append(left, m)
			}
		}
	}
	for key := range equivalent {
		if !used[key] {
			say("equivalent.md: there is no such mutant: %s: %s: %s", key.file, key.function, key.new)
		}
	}
	return all, left
}

func wanted(m mutant, only []string) bool {
	base := filepath.Base(m.File)
	return slices.ContainsFunc(only, func(name string) bool {
		return name == "" || name == m.File || name == base || name == strings.TrimSuffix(base, ".sh") ||
			name == m.Function
	})
}

// number is the same for a mutant wherever in its file it stands.
func number(m mutant) uint64 {
	hash := fnv.New64a()
	fmt.Fprintln(hash, m.key())
	return hash.Sum64() >> 8
}

// tryAll tries each mutant that has no verdict yet.
func tryAll(lanes []*lane, mutants []mutant, tests []test, verdicts *results, o options) error {
	var open []mutant
	for _, m := range mutants {
		if o.again && verdicts.of(m).Verdict != "survived" {
			continue
		}
		if !verdicts.holds(m, covering(m, tests, &results{}), o.most) {
			open = append(open, m)
		}
	}
	done := 0
	return share(lanes, open, func(l *lane, m mutant) error {
		var order []test
		l.locked(func() { order = covering(m, tests, verdicts) })
		v, err := l.try(m, order[:min(o.most, len(order))])
		if err != nil {
			return err
		}
		v.Tests = digest(covering(m, tests, &results{}), o.most)
		l.locked(func() {
			done++
			if err = verdicts.add(v); v.Verdict == "survived" {
				say("%d of %d: survived %d tests, %.0f s", done, len(open), v.Ran, v.Seconds)
				m.print()
			} else if done%25 == 0 {
				say("%d of %d", done, len(open))
			}
		})
		return err
	})
}

func (m mutant) print() {
	say("%s:%d: %s: %s\n    - %s\n    + %s", m.File, m.Line, m.Function, m.Kind, m.Old, m.New)
}

// report lists the survivors and counts; it tells whether there is a survivor or a mutant untried.
func report(all, left []mutant, verdicts *results, sample uint64) bool {
	say("\nSurvivors:")
	counts := map[string]int{}
	for _, m := range left {
		v := verdicts.of(m)
		counts[v.Verdict]++
		if v.Verdict == "survived" {
			m.print()
		}
	}
	dead := counts["killed"] + counts["timed out"]
	say("\nmutants: %d made (1 in %d), %d equivalent, %d killed, %d timed out, %d survived, %d not tried: %.1f %% killed",
		len(all), sample, len(all)-len(left), counts["killed"], counts["timed out"], counts["survived"], counts[""],
		100*float64(dead)/float64(max(1, len(left)-counts[""])))
	return dead < len(left)
}
