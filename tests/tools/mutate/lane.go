package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed one.bash
var oneBash []byte

// A lane is a copy of the tree in which one run of tests is under way at a time.
type lane struct {
	context context.Context
	dir     string // writable for what runs in the lane, and readable for all users
	tree    string
	env     []string
	goCache string
	changed map[string][]byte // the files of the tree that are changed, as they were
	fit     map[string]bool   // whether a test passes in one.bash on the code as it is, where known
	mutex   *sync.Mutex       // of all lanes
}

func newLane(ctx context.Context, root, dir, bats, goCache string, mutex *sync.Mutex) (*lane, error) {
	l := &lane{context: ctx, dir: dir, tree: filepath.Join(dir, "tree"), goCache: goCache,
		changed: map[string][]byte{}, fit: map[string]bool{}, mutex: mutex}
	const copyTree = `mkdir -p "$1/tests" && cp -R bin lib cmd "$1/" &&
		cp -R tests/*.bats tests/*.bash tests/*.sh tests/fixtures "$1/tests/"`
	copying := exec.Command("sh", "-c", copyTree, "sh", l.tree)
	copying.Dir = root
	if output, err := copying.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("can't copy the tree: %w: %s", err, output)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch {
		case strings.HasPrefix(name, "REGISTRY_LOCK_"), strings.HasPrefix(name, "MAKE"):
		case name == "CDPATH", name == "BASH_ENV", name == "ENV", name == "MFLAGS", name == "GOFLAGS":
		default:
			l.env = append(l.env, variable)
		}
	}
	l.env = append(l.env, "BATS="+bats, "GOCACHE="+goCache, "TMPDIR="+filepath.Join(dir, "tmp"))
	return l, os.WriteFile(filepath.Join(dir, "one.bash"), oneBash, 0o755)
}

func (l *lane) locked(work func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	work()
}

// write puts a changed file into the tree.
func (l *lane) write(name string, text []byte) {
	path := filepath.Join(l.tree, name)
	if _, ok := l.changed[name]; !ok {
		l.changed[name], _ = os.ReadFile(path)
	}
	if err := os.WriteFile(path, text, 0o755); err != nil {
		panic(err)
	}
}

func (l *lane) append(name, text string) {
	before, _ := os.ReadFile(filepath.Join(l.tree, name))
	l.write(name, append(before, text...))
}

// restore makes the tree what it was.
func (l *lane) restore() {
	for name, text := range l.changed {
		l.write(name, text)
		delete(l.changed, name)
	}
}

// A result is what bats says of one test.
type result struct {
	name        string
	ok, skipped bool
	ms          int
	why         string
}

var errStalled = errors.New("no test ended within the limit")

var tapLine = regexp.MustCompile(`^(not )?ok \d+ (.*?)(?: in (\d+)ms)?( # skip.*| # timeout.*)?$`)

// bats runs all tests of a suite that match the regex. A test that ends later than stall after the
// one before it is an errStalled.
func (l *lane) bats(suite, regex string, stall time.Duration) ([]result, error) {
	results, err := l.tap([]string{"tests/bats.sh", "--formatter", "tap", "--timing", "-f", regex, suite}, 30, stall, true)
	if err == nil && len(results) == 0 {
		err = errors.New("bats ran no test")
	}
	return results, err
}

// one runs tests in that order up to the first that fails.
func (l *lane) one(tests []test, patience int, stall time.Duration) ([]result, error) {
	words := []string{filepath.Join(l.dir, "one.bash"), filepath.Join(l.dir, "tmp")}
	for _, t := range tests {
		words = append(words, t.Suite, t.Name)
	}
	return l.tap(words, patience, stall, false)
}

// tap runs a bash script that prints TAP up to the first failure or with toTheLast to its end.
// patience is for how many seconds a test waits for the word of another process.
func (l *lane) tap(words []string, patience int, stall time.Duration, toTheLast bool) ([]result, error) {
	tmp := filepath.Join(l.dir, "tmp")
	os.RemoveAll(tmp)
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return nil, err
	}
	os.Chmod(tmp, 0o777|os.ModeSticky) // for the tests that are another user
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(l.context)
	defer cancel()
	command := exec.CommandContext(ctx, self, append([]string{"-hold", l.dir, l.goCache, "--", "bash"}, words...)...)
	command.Dir = l.tree
	command.Env = append(l.env, fmt.Sprintf("TEST_PATIENCE=%d", patience))
	command.SysProcAttr = ownSession
	stop, err := command.StdinPipe() // its end is what ends the other side
	if err != nil {
		return nil, err
	}
	command.Cancel = stop.Close
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	results, stalled := readTap(lines, stall, toTheLast)
	cancel()
	for range lines {
	}
	command.Wait()
	if l.context.Err() != nil {
		return nil, l.context.Err()
	} else if stalled {
		return results, errStalled
	}
	return results, nil
}

// readTap reads TAP up to the first failure and what is said of it, or to its end.
func readTap(lines <-chan string, stall time.Duration, toTheLast bool) (results []result, stalled bool) {
	limit := time.NewTimer(stall)
	failed := false // and only what is said of it is waited for
	for {
		select {
		case <-limit.C:
			return results, !failed
		case line, more := <-lines:
			if !more {
				return results, false
			}
			found := tapLine.FindStringSubmatch(line)
			if found == nil {
				if len(results) > 0 {
					results[len(results)-1].why += line + "\n"
				}
				continue
			}
			if failed {
				return results, false
			}
			r := result{name: found[2], ok: found[1] == "", skipped: strings.HasPrefix(found[4], " # skip")}
			r.ms, _ = strconv.Atoi(found[3])
			results = append(results, r)
			limit.Reset(stall)
			if !r.ok && !toTheLast {
				failed = true
				limit.Reset(200 * time.Millisecond)
			}
		}
	}
}

var special = regexp.MustCompile(`[][\\.*^$+?(){}|/]`)

// regexFor matches the names of the tests, and no other.
func regexFor(tests []test) string {
	var names []string
	for _, t := range tests {
		names = append(names, special.ReplaceAllString(t.Name, `\$0`))
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// share hands each item to the next free lane, up to the first error.
func share[T any](lanes []*lane, items []T, work func(*lane, T) error) error {
	queue := make(chan T)
	failed := make(chan error, len(lanes))
	for _, l := range lanes {
		go func() {
			for item := range queue {
				if err := work(l, item); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	var first error
	running := len(lanes)
	for _, item := range items {
		select {
		case queue <- item:
			continue
		case first = <-failed:
			running--
		}
		break
	}
	close(queue)
	for ; running > 0; running-- {
		if err := <-failed; err != nil && first == nil {
			first = err
		}
	}
	return first
}
