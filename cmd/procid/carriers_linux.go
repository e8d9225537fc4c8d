package main

import (
	"strconv"
	"syscall"
)

// survey reads /proc/PID/environ of all processes. A process's threads aren't
// listed in /proc. A process that forked and hasn't called exec since shows the
// environment of the one it was forked from; one that wrote over its own, as
// setproctitle(3) does, shows what it wrote.
func (l *linux) survey(tokens map[string]*sought) (hidden int, ok bool) {
	if !l.own {
		return 0, false
	}
	names, err := readNames(atCWD, l.root+"/proc")
	if err != nil {
		return 0, false
	}
	look := func(pid int) glance { return l.glance(pid, tokens) }
	return surveyed(listed(names), look), true
}

// listed takes the process numbers out of the names in /proc. Every pid namespace
// has a process 1: one that isn't there is hidden, and stands for all that are.
func listed(names []string) []int {
	pids := []int{1}
	for _, name := range names {
		if pid, ok := parsePID(name); ok && pid != 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// glance looks again, a few times, when a number's process ends meanwhile and
// the number is in use all the same.
func (l *linux) glance(pid int, tokens map[string]*sought) glance {
	for range 3 {
		g, err := l.glanceOnce(pid, tokens)
		if err == nil {
			return g
		}
		if seen, _ := l.unreadable(pid, err); seen.presence == absent {
			return glance{}
		}
		if !vanished(err) {
			break
		}
	}
	return glance{hidden: true}
}

func (l *linux) glanceOnce(pid int, tokens map[string]*sought) (glance, error) {
	dir, err := open(atCWD, l.root+"/proc/"+strconv.Itoa(pid), syscall.O_DIRECTORY)
	if err != nil {
		return glance{}, err
	}
	defer syscall.Close(dir)
	found, err := procDir(dir).carries(tokens)
	if len(found) == 0 {
		return glance{}, err
	}
	comm, _ := readFile(dir, "comm", page[:])
	name, _, _ := cut(string(comm), "\n")
	seen, err2 := l.inspect(procDir(dir), pid)
	alive := err2 == nil && seen.presence == present
	return glance{found, alive, name, err != nil}, nil
}

// carries finds the tokens that are in the process's environment; with an error
// there may be more. Where only the leader has ended, its threads still have it.
func (dir procDir) carries(tokens map[string]*sought) ([]*sought, error) {
	found, leader, err := dir.search("", tokens)
	if len(found) > 0 || !leader.dead || leader.threads == 1 {
		return found, err
	}
	names, err := dir.list()
	for _, name := range names {
		found, thread, err := dir.search("task/"+name+"/", tokens)
		if len(found) > 0 || err == nil && thread.size > 0 || err != nil && !vanished(err) {
			return found, err
		}
	}
	return nil, err // no thread has it any more
}

var _ surveyor = (*linux)(nil)
