package main

import (
	"slices"

	"syscall"
)

// leads tells whether the number is a process's. A thread's number has a /proc
// directory too, though none that is listed, and takes signals. tgkill(2) finds
// a thread only in its own group, at a third of the cost of reading status.
func (l *linux) leads(dir procDir, pid int) (bool, error) {
	err := l.sys.tgkill(pid, pid, 0)
	if err == nil || err == syscall.EPERM {
		return true, nil
	}
	group, err := threadGroup(dir)
	return group == pid, err
}

// threadGroup reads Tgid of proc_pid_status(5): the process that a thread is of.
func threadGroup(dir procDir) (int, error) {
	status, err := readFile(int(dir), "status", page[:])
	if err != nil {
		return 0, err
	}
	text, _ := statusField(status, "Tgid")
	group, ok := parsePID(text)
	if !ok {
		return 0, syscall.EBADMSG
	}
	return group, nil
}

// threadsDead tells whether no thread of a process with a dead leader runs any
// more. A thread may start another while the list is read and end before it is
// asked, so the list must be the same after all on it were seen dead. One that
// calls exec takes the leader's number, so the leader must be dead at the end.
func threadsDead(pid int, group threads) bool {
	before, err := group.list()
	if err != nil || len(before) == 0 {
		return false
	}
	for _, name := range before {
		tid, ok := parsePID(name)
		thread, err := group.stat("task/"+name+"/stat", tid)
		if !ok || err != nil || !thread.dead() {
			return false
		}
	}
	after, err := group.list()
	if err != nil || !slices.Equal(before, after) {
		return false
	}
	leader, err := group.stat("stat", pid)
	return err == nil && leader.dead() && leader.threads > 0
}

// threads is where a process's threads can be read.
type threads interface {
	list() ([]string, error)
	stat(path string, tid int) (stat, error)
}

// procDir is a descriptor of a directory /proc/PID.
type procDir int

// list returns the numbers of the process's threads.
func (dir procDir) list() ([]string, error) { return readNames(int(dir), "task") }
