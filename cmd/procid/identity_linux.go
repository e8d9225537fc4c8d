package main

import (
	"strconv"

	"syscall"
)

// linux asks signal 0 whether a process is there and /proc which one it is.
type linux struct {
	root string // before every path
	sys  calls
	own  bool // root/proc is that of the asker's pid namespace
}

// calls are the system calls that don't go by a path.
type calls struct {
	kill   func(pid int, sig syscall.Signal) error       // kill(2)
	tgkill func(tgid, tid int, sig syscall.Signal) error // tgkill(2)
	host   func() string                                 // of uname(2)
}

func thisSystem() system { return newLinux("", calls{syscall.Kill, syscall.Tgkill, hostName}) }

func newLinux(root string, sys calls) *linux {
	l := &linux{root: root, sys: sys}
	l.own = l.ownProc()
	return l
}

// look looks again, a few times, when what it reads ends while signal 0 still
// says that the number is in use.
func (l *linux) look(pid int) sighting {
	seen, err := l.lookOnce(pid)
	for tries := 0; tries < 3 && vanished(err); tries++ {
		seen, err = l.lookOnce(pid)
	}
	return seen
}

func vanished(err error) bool { return err == syscall.ENOENT || err == syscall.ESRCH }

// lookOnce: ESRCH from kill(2) alone says that no process has the number; EPERM
// says that one has. Everything read about it comes through one descriptor of
// /proc/PID, which goes on meaning what had the number when it was opened. The
// error is of a process that is still there and couldn't be read.
func (l *linux) lookOnce(pid int) (sighting, error) {
	err := l.sys.kill(pid, 0)
	if err == syscall.ESRCH {
		return seenAbsent(whyNotRunning), nil
	}
	if err != nil && err != syscall.EPERM {
		return seenUnsure(whyOddErrno), nil
	}
	if !l.own {
		return seenUnsure(whyNoProc), nil
	}
	dir, err := open(atCWD, l.root+"/proc/"+strconv.Itoa(pid), syscall.O_DIRECTORY)
	if err != nil {
		return l.unreadable(pid, err)
	}
	defer syscall.Close(dir)
	seen, err := l.inspect(procDir(dir), pid)
	if err != nil {
		return l.unreadable(pid, err)
	}
	return seen, nil
}

// unreadable: a process that ended meanwhile is absent. One that is still there
// is hidden or can't be read, which says nothing about it.
func (l *linux) unreadable(pid int, err error) (sighting, error) {
	again := l.sys.kill(pid, 0)
	switch {
	case again == syscall.ESRCH:
		return seenAbsent(whyNotRunning), nil
	case again == syscall.EPERM, err == syscall.EPERM, err == syscall.EACCES:
		return seenUnsure(whyNotPermitted), err
	case vanished(err):
		return seenUnsure(whyNoProc), err
	}
	return seenUnsure(whyOddErrno), err
}

// inspect reads the process whose /proc directory is open. What is read from
// there had the number ever since, so first comes what asks by the number.
func (l *linux) inspect(dir procDir, pid int) (sighting, error) {
	leads, err := l.leads(dir, pid)
	if err != nil {
		return sighting{}, err
	}
	leader, err := dir.stat("stat", pid)
	switch {
	case err != nil:
		return sighting{}, err
	case !leads:
		return seenAbsent(whyThread), nil
	case leader.dead() && leader.threads == 0:
		return sighting{}, syscall.ESRCH // released: by its parent, or by a thread that took over in exec
	case leader.dead() && (leader.threads == 1 || threadsDead(pid, dir)):
		return seenAbsent(whyZombie), nil
	case leader.stopped():
		return seenPresent(leader.start, whyStopped), nil
	}
	return seenPresent(leader.start, whyRunning), nil
}

// stat reads a line of proc_pid_stat(5) of the process or of one of its threads.
func (dir procDir) stat(path string, pid int) (stat, error) {
	line, err := readFile(int(dir), path, page[:])
	if err != nil {
		return stat{}, err
	}
	s, ok := parseStat(string(line), pid)
	if !ok {
		return stat{}, syscall.EBADMSG
	}
	return s, nil
}
