package main

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// survey reads /proc/PID/environ of all processes. A process's threads aren't
// listed in /proc. A process that forked and hasn't called exec since shows the
// environment of the one it was forked from; one that wrote over its own, as
// setproctitle(3) does, shows what it wrote.
func (l *linux) survey(token string) (s survey, ok bool) {
	if !l.own {
		return survey{}, false
	}
	names, err := readNames(unix.AT_FDCWD, l.root+"/proc")
	if err != nil {
		return survey{}, false
	}
	for _, pid := range others(listed(names)) {
		found, name := l.glance(pid, token)
		s.count(found, carrier{pid, name})
	}
	return s, true
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
func (l *linux) glance(pid int, token string) (glance, string) {
	for range 3 {
		found, name, err := l.glanceOnce(pid, token)
		if err == nil {
			return found, name
		}
		if seen, _ := l.unreadable(pid, err); seen.presence == absent {
			return carriesNot, ""
		}
		if !vanished(err) {
			break
		}
	}
	return notToBeSeen, ""
}

func (l *linux) glanceOnce(pid int, token string) (glance, string, error) {
	dir, err := open(unix.AT_FDCWD, l.root+"/proc/"+strconv.Itoa(pid), unix.O_DIRECTORY)
	if err != nil {
		return carriesNot, "", err
	}
	defer unix.Close(dir)
	found, err := procDir(dir).carries(token)
	if err != nil || !found {
		return carriesNot, "", err
	}
	name, _ := readFile(dir, "comm", make([]byte, longestName+1))
	if seen, err := l.inspect(procDir(dir), pid); err != nil || seen.presence != present {
		return endedAsCarrier, "", nil
	}
	return carries, strings.TrimSuffix(string(name), "\n"), nil
}

// carries tells whether the token is in the process's environment. Where only
// the leader has ended, its threads still have it.
func (dir procDir) carries(token string) (bool, error) {
	found, leader, err := dir.search("", token)
	if err != nil || found || leader.size > 0 || !leader.dead || leader.threads == 1 {
		return found, err
	}
	names, err := dir.list()
	for _, name := range names {
		found, thread, err := dir.search("task/"+name+"/", token)
		if found || err == nil && thread.size > 0 || err != nil && !vanished(err) {
			return found, err
		}
	}
	return false, err // no thread has it any more
}

var _ surveyor = (*linux)(nil)
