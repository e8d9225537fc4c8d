//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	beat  = 10 * time.Millisecond
	round = 5 * time.Second
)

// crew is how many workers of each kind there are at a time, outside and in the cell.
var crew = []struct {
	kind            string
	outside, inCell int
}{{"doctor", 1, 1}, {"breaker", 1, 0}, {"older", 3, 0}, {"run", 4, 2}, {"library", 6, 3}}

// Two are an older script's too, and nobody's in the cell.
var (
	common = []string{"one", "two", "three"}
	locks  = append(slices.Clone(common), "old/inside", "old/beside")
)

type worker struct {
	name, kind string
	inCell     bool
	killed     bool
}

type pause struct {
	*victim
	until time.Time
}

// conductor starts the workers and does to them what it likes.
type conductor struct {
	options
	random   *rand.Rand
	figures  figures
	problems []string
	log      *os.File
	read     int64            // how far the log is known
	inside   map[string]owner // by lock
	workers  map[int]*worker  // by pid
	paused   map[int]pause    // by pid
	used     map[int]bool     // numbers that a worker has had
	counts   map[string]int   // at the beginning of the round
	mv       string
	cell     cell
	started  int
	aim      int // a number that shall be recycled
}

// conduct is the chaos on one file system. Status 0: nothing went wrong.
func (o options) conduct() int {
	c := &conductor{options: o, random: rand.New(rand.NewSource(o.seed)), figures: figures{},
		workers: map[int]*worker{}, paused: map[int]pause{}, used: map[int]bool{}, counts: map[string]int{}}
	c.prepare()
	end := time.Now().Add(time.Duration(o.seconds * float64(time.Second)))
	for begin := time.Now(); time.Now().Before(end) && len(c.problems) == 0; {
		c.chaos(min(round, time.Until(end)))
		c.calm()
		fmt.Printf("%-9s %4.0f s: %d acquisitions, %d dead locks broken, %d wrong\n", o.stage,
			time.Since(begin).Seconds(), c.figures["acquisitions"], c.figures["dead locks broken"], len(c.problems))
	}
	for _, lock := range locks {
		c.require(c.counts[lock] > 0, "nobody ever had %s", lock)
	}
	text, _ := json.Marshal(c.figures)
	c.require(os.WriteFile(c.out+"/figures", text, 0o600) == nil, "the figures can't be written")
	slices.Sort(c.problems)
	c.problems = slices.Compact(c.problems)
	for _, problem := range c.problems[:min(20, len(c.problems))] {
		fmt.Printf("%-9s WRONG: %s\n", o.stage, problem)
	}
	return min(len(c.problems), 1)
}

func (c *conductor) require(ok bool, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

func (c *conductor) place(name string) string { return filepath.Join(c.out, "mnt", "locks", name) }

// prepare lays out the folders.
func (c *conductor) prepare() {
	var err error
	c.mv, err = exec.LookPath("mv")
	c.require(err == nil, "no mv: %v", err)
	for _, dir := range []string{c.place("old"), c.out + "/own", c.out + "/tmp"} {
		c.require(os.MkdirAll(dir, 0o700) == nil, "no folder %s", dir)
	}
	for _, lock := range locks {
		c.require(os.WriteFile(c.place(lock+".count"), []byte("0\n"), 0o600) == nil, "no count of %s", lock)
	}
	err = c.makeCell()
	c.require(err == nil, "no cell: %v", err)
	c.begin()
}

// begin: an empty log.
func (c *conductor) begin() {
	os.Remove(c.out + "/stop")
	os.RemoveAll(c.out + "/own")
	os.Remove(c.out + "/errors")
	os.Remove(c.out + "/doctor")
	os.Remove(c.out + "/log")
	c.require(os.Mkdir(c.out+"/own", 0o700) == nil, "no folder for the workers' own logs")
	var err error
	c.log, err = os.OpenFile(c.out+"/log", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	c.require(err == nil, "no log: %v", err)
	c.read, c.inside = 0, map[string]owner{}
}

// start runs one worker, outside or in the cell; 0 where there is no number left for it.
func (c *conductor) start(inCell bool, kind string, command ...string) int {
	c.started++
	w := &worker{name: fmt.Sprintf("%s%d", kind, c.started), kind: kind, inCell: inCell}
	names := locks
	if inCell {
		w.name, names = w.name+"c", common
	}
	env := append(os.Environ(), "CHAOS_WORKER="+w.name, fmt.Sprintf("CHAOS_SEED=%d", c.seed+int64(c.started)),
		"CHAOS_OUT="+c.out, "CHAOS_LOCKS="+c.place(""), "CHAOS_NAMES="+strings.Join(names, " "),
		"CHAOS_LIBRARY="+c.home+"/lib/registry-lock.sh", "CHAOS_BIN="+c.tests+"/bin:"+c.home+"/bin", "CHAOS_MV="+c.mv,
		"TMPDIR="+c.out+"/tmp", "PATH="+c.tests+"/bin:"+c.home+"/bin:"+os.Getenv("PATH"))
	errors, err := os.OpenFile(c.out+"/errors", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0
	}
	defer errors.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer null.Close()
	program, err := exec.LookPath(command[0])
	c.require(err == nil, "no %s", command[0])
	if inCell {
		env = append(env, "CHAOS_CELL=1")
	}
	pid, err := c.forkExec(inCell, program, command,
		&syscall.ProcAttr{Env: env, Files: []uintptr{null.Fd(), errors.Fd(), errors.Fd()}})
	if err != nil {
		return 0
	}
	c.workers[pid] = w
	if c.used[pid] {
		c.figures["workers with a recycled number"]++
	}
	c.used[pid] = true
	return pid
}

// hire fills the crew up.
func (c *conductor) hire() {
	outside, inCell := map[string]int{}, map[string]int{}
	for _, w := range c.workers {
		if w.inCell {
			inCell[w.kind]++
		} else {
			outside[w.kind]++
		}
	}
	for _, part := range crew {
		for range part.outside - outside[part.kind] {
			c.hireOne(false, part.kind, locks)
		}
		for range part.inCell - inCell[part.kind] {
			c.hireOne(true, part.kind, common)
		}
	}
}

func (c *conductor) hireOne(inCell bool, kind string, locks []string) {
	script := c.tests + "/worker.sh"
	if kind != "run" {
		c.start(inCell, kind, "bash", script, kind)
		return
	}
	lock := locks[c.random.Intn(len(locks))]
	c.start(inCell, kind, c.home+"/bin/registry-lock", "run", "-w", "3", c.place(lock), "--", "bash", script, "program", lock)
}

// chaos, for that long.
func (c *conductor) chaos(long time.Duration) {
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(beat) {
		c.reap()
		c.recycle()
		c.hire()
		c.follow()
		c.resume(time.Now())
		all := c.processes()
		c.orphanRenames(all)
		if c.random.Intn(14) == 0 {
			c.kill(c.choose(all))
		}
		if c.random.Intn(10) == 0 {
			c.stop(c.choose(all), time.Duration(10+c.random.Intn(600))*time.Millisecond)
		}
		wrap()
	}
}

// choose picks a process: an owner, a worker's first process, or any.
func (c *conductor) choose(all []process) int {
	dice := c.random.Intn(10)
	if who, ok := c.inside[locks[c.random.Intn(len(locks))]]; ok && dice < 4 {
		pid, _ := strconv.Atoi(who.pid)
		return pid
	}
	if dice < 7 {
		all = slices.DeleteFunc(slices.Clone(all), func(p process) bool { return c.workers[p.pid] == nil })
	}
	if len(all) == 0 {
		return 0
	}
	return all[c.random.Intn(len(all))].pid
}

// kill ends a process for good. The log says so first, and so before anybody may take what it held.
func (c *conductor) kill(pid int) bool {
	v, ok := catch(pid)
	if !ok {
		return false
	}
	defer v.letGo()
	if v.older() {
		return false
	}
	c.figures[c.part(v)]++
	fmt.Fprintf(c.log, "kill %s %d %s\n", v.worker, pid, strings.ReplaceAll(v.name, " ", "_"))
	v.signal(unix.SIGKILL)
	if w := c.workers[pid]; w != nil {
		w.killed = true
		if c.random.Intn(3) == 0 {
			c.aim = pid
		}
	}
	return true
}

// part is the line of the figures that a killed process counts for.
func (c *conductor) part(v *victim) string {
	for _, who := range c.inside {
		if who == (owner{v.worker, strconv.Itoa(v.pid)}) {
			return "killed holders"
		}
	}
	w := c.workers[v.pid]
	if w == nil {
		return "killed children (mv, procid, rm ...)"
	}
	switch w.kind {
	case "run":
		return "killed run wrappers"
	case "breaker":
		return "killed breakers"
	case "doctor":
		return "killed doctors"
	}
	return "killed waiters and starters"
}

// stop holds a process up.
func (c *conductor) stop(pid int, long time.Duration) {
	if _, ok := c.paused[pid]; ok {
		return
	}
	v, ok := catch(pid)
	if !ok {
		return
	}
	c.figures["stopped for a while"]++
	v.signal(unix.SIGSTOP)
	c.paused[pid] = pause{v, time.Now().Add(long)}
}

// resume lets those go on whose time has come.
func (c *conductor) resume(now time.Time) {
	for pid, p := range c.paused {
		if now.After(p.until) {
			p.signal(unix.SIGCONT)
			p.letGo()
			delete(c.paused, pid)
		}
	}
}

// orphanRenames: an mv that has stopped itself goes on later, and its shell may be dead by then.
func (c *conductor) orphanRenames(all []process) {
	for _, p := range all {
		if _, ok := c.paused[p.pid]; ok || p.state != 'T' {
			continue
		}
		v, ok := catch(p.pid)
		if !ok {
			continue
		}
		c.figures["stopped in mv"]++
		c.paused[p.pid] = pause{v, time.Now().Add(time.Duration(c.random.Intn(400)) * time.Millisecond)}
		if p.parent != 1 && c.random.Intn(2) == 0 && c.kill(p.parent) {
			c.figures["  their shell killed meanwhile"]++
		}
	}
}

// reap asks for the status of everything that has ended.
func (c *conductor) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			return
		}
		if w := c.workers[pid]; w != nil {
			delete(c.workers, pid)
			c.ended(w, status)
		}
	}
}

// ended: a worker ends with 0, or is killed; a wrapper ends as its command did, or with 70 where the
// child was killed by which it looked for its library.
func (c *conductor) ended(w *worker, status syscall.WaitStatus) {
	code := status.ExitStatus()
	switch {
	case status.Signaled():
		c.require(status.Signal() == syscall.SIGKILL && (w.killed || w.kind == "older"), "%s died: %v", w.name, status.Signal())
		if w.kind == "older" {
			c.figures["killed holders of the older style"]++
		}
	case w.kind == "run":
		c.require(code == 0 || code == 70 || code == 73 || code == 75 || code == 137, "%s ended with %d", w.name, code)
	case w.kind != "fresh":
		c.require(code == 0, "%s ended with %d", w.name, code)
	}
}

// recycle gives the number of a killed worker, when it is free, to a process that has nothing to do
// with it.
func (c *conductor) recycle() {
	if c.aim == 0 {
		return
	}
	if _, ok := look(c.aim); ok {
		return
	}
	_ = os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(c.aim-1)), 0)
	if c.start(false, "decoy", "sleep", "0.5") == c.aim {
		c.figures["numbers recycled on purpose"]++
	}
	c.aim = 0
}

// wrap keeps the numbers low where the namespace has no limit of its own.
func wrap() {
	text, _ := os.ReadFile("/proc/sys/kernel/ns_last_pid")
	if last, _ := strconv.Atoi(strings.TrimSpace(string(text))); last > pidLimit {
		_ = os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte("300"), 0)
	}
}

// follow reads on in the log: who is inside.
func (c *conductor) follow() {
	text := make([]byte, 65536)
	n, _ := c.log.ReadAt(text, c.read)
	end := strings.LastIndexByte(string(text[:n]), '\n') + 1
	c.read += int64(end)
	for _, line := range strings.Split(string(text[:end]), "\n") {
		switch word := strings.Fields(line); {
		case len(word) == 4 && word[0] == "enter":
			c.inside[word[1]] = owner{word[2], word[3]}
		case len(word) == 3 && word[0] == "leave" && c.inside[word[1]].worker == word[2]:
			delete(c.inside, word[1])
		}
	}
}
