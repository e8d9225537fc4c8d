//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// patience bounds a round that does not come to its end.
const patience = 60 * time.Second

// calm ends a round: everybody goes, then a fresh process gets each lock, nothing is left behind,
// and the round's evidence is checked.
func (c *conductor) calm() {
	c.require(os.WriteFile(c.out+"/stop", nil, 0o600) == nil, "the workers can't be told to stop")
	c.clear()
	c.sweep(true)
	for _, lock := range locks {
		c.fresh(false, lock)
	}
	c.sweep(false)
	c.fresh(true, common[c.random.Intn(len(common))])
	c.sweep(true)
	c.litter()
	e := c.gather()
	c.problems = append(c.problems, check(e, c.figures)...)
	c.figures["rounds that ended in a check"]++
	c.counts = e.after
	c.log.Close()
	if len(c.problems) == 0 {
		c.begin()
	}
}

// clear kills all but older-style writers, which end of themselves.
func (c *conductor) clear() {
	c.untilNobody(func(p process) { c.kill(p.pid) })
}

// wait until everybody has ended of himself.
func (c *conductor) wait() {
	c.untilNobody(func(process) {})
}

// untilNobody does something to each process, and lets it go on, until there is none.
func (c *conductor) untilNobody(do func(process)) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(beat) {
		c.resume(time.Now().Add(patience))
		all := c.processes()
		if len(all) == 0 {
			return
		}
		for _, p := range all {
			do(p)
			if p.state == 'T' {
				c.wake(p.pid)
			}
		}
		c.reap()
	}
	for _, p := range c.processes() {
		c.require(false, "%s (%d, %s, %c) does not end", p.name, p.pid, workerOf(p.pid), p.state)
	}
}

func (c *conductor) wake(pid int) {
	if v, ok := catch(pid); ok {
		v.signal(unix.SIGCONT)
		v.letGo()
	}
}

// sweep is one look of the doctor. What is of a container's processes, only there is proven gone.
func (c *conductor) sweep(inCell bool) {
	c.start(inCell, "sweep", "bash", c.tests+"/worker.sh", "sweep")
	c.wait()
}

// fresh: a process that has nothing to do with what was before gets lock. An older record's number
// may just be the one of that process, so it is tried again.
func (c *conductor) fresh(inCell bool, lock string) {
	before := c.count(lock)
	for try := range 3 {
		c.start(inCell, "fresh", "bash", c.tests+"/worker.sh", "fresh", lock)
		c.wait()
		if c.count(lock) > before {
			if try == 0 {
				c.figures["  by fresh processes, first try"]++
			}
			return
		}
	}
	c.require(false, "a wedge: nobody gets %s", lock)
}

func (c *conductor) count(lock string) int {
	text, err := os.ReadFile(c.place(lock + ".count"))
	n, err2 := strconv.Atoi(strings.TrimSpace(string(text)))
	c.require(err == nil && err2 == nil, "the count of %s is %q", lock, text)
	return n
}

// litter: after the doctor there is nothing below the locks but their counts, and what nobody can
// tell or is misled by: what a killed registry_lock_write left, the slot of a process whose procid was
// killed, so that it had no identity, and the record of an older lock that was put back just when its
// holder had given the lock back.
func (c *conductor) litter() {
	all, err := filepath.Glob(c.place("*"))
	below, err2 := filepath.Glob(c.place("old/*"))
	c.require(err == nil && err2 == nil, "the locks can't be listed: %v, %v", err, err2)
	for _, path := range append(all, below...) {
		name, _ := filepath.Rel(c.place(""), path)
		c.require(name == "old" || strings.HasSuffix(name, ".count") || mayStay(name), "left behind: %s", name)
		if mayStay(name) {
			os.RemoveAll(c.place(name))
		}
	}
}

func mayStay(name string) bool {
	return strings.Contains(name, ".count.write.") || name == "old/beside.holder" ||
		strings.Contains(name, ".slot.") && strings.HasSuffix(name, ".")
}

func (c *conductor) gather() evidence {
	e := evidence{own: map[string]string{}, before: c.counts, after: map[string]int{}}
	e.log, e.errors = c.text("log"), c.text("errors")
	own, _ := filepath.Glob(c.out + "/own/*")
	for _, path := range own {
		e.own[filepath.Base(path)] = c.text("own/" + filepath.Base(path))
	}
	for _, lock := range locks {
		e.after[lock] = c.count(lock)
	}
	c.figures["removed by doctor"] += strings.Count(c.text("doctor"), "removed  ")
	return e
}

func (c *conductor) text(name string) string {
	text, _ := os.ReadFile(filepath.Join(c.out, name))
	return string(text)
}
