package main

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// search looks for the token in what a process or a thread has. Its environment
// reads short or empty in the midst of exec, so it counts as read only when its
// length is what stat says right after.
func (dir procDir) search(task, token string) (found bool, m memory, err error) {
	for range 20 {
		found, length, unread := readEnviron(int(dir), task+"environ", token)
		if found {
			return true, m, nil
		}
		if m, err = dir.memory(task + "stat"); err != nil || m.size == 0 {
			return false, m, err
		}
		if unread != nil || length == m.environ {
			return false, m, unread
		}
		time.Sleep(time.Millisecond)
	}
	return false, m, unix.EAGAIN
}

// readEnviron looks for the token in a file of longestEnviron at most.
func readEnviron(dir int, path, token string) (found bool, length uint64, err error) {
	fd, err := open(dir, path, 0)
	if err != nil {
		return false, 0, err
	}
	defer unix.Close(fd)
	e, buf := newEnviron(token), make([]byte, 1<<14)
	for length <= longestEnviron {
		n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
		if err != nil {
			return false, length, err
		}
		if n == 0 {
			e.end()
			return e.found, length, nil
		}
		if e.read(buf[:n]); e.found {
			return true, length, nil
		}
		length += uint64(n)
	}
	return false, length, unix.EFBIG
}

// memory is what proc_pid_stat(5) says of the memory of a process or thread.
type memory struct {
	dead    bool
	threads uint64
	size    uint64 // field 23; 0 for a kernel thread and for what has ended
	environ uint64 // field 51 less field 50; notYet in the midst of exec
}

const notYet = 1<<64 - 1

func (dir procDir) memory(path string) (memory, error) {
	line, err := readFile(int(dir), path, make([]byte, 1<<12))
	if err != nil {
		return memory{}, err
	}
	m, ok := parseMemory(string(line))
	if !ok {
		return memory{}, unix.EBADMSG
	}
	return m, nil
}

// parseMemory reads a line of proc_pid_stat(5). Kernels before 3.5 have no field
// 51: there no environment is known to be whole.
func parseMemory(line string) (memory, bool) {
	number, _, _ := strings.Cut(line, " ")
	pid, _ := parsePID(number)
	s, ok := parseStat(line, pid)
	fields := strings.Fields(line[max(strings.LastIndexByte(line, ')'), 0):])
	const size, start, end = 23 - 2, 50 - 2, 51 - 2 // fields[0] is the bracket
	if !ok || len(fields) <= size {
		return memory{}, false
	}
	m := memory{dead: s.dead(), threads: s.threads, environ: notYet}
	m.size, ok = parseCanonical(fields[size], 10)
	if len(fields) > end {
		from, ok1 := parseCanonical(fields[start], 10)
		to, ok2 := parseCanonical(fields[end], 10)
		if ok1 && ok2 && to > 0 && to >= from {
			m.environ = to - from
		}
	}
	return m, ok
}
