package main

import "syscall"

// search finds the tokens in what a process or a thread has; with an error there
// may be more. Its environment reads short or empty in the midst of exec, so it
// counts as read only when its length is what stat says right after.
func (dir procDir) search(task string, tokens map[string]*sought) (found []*sought, m memory, err error) {
	for range 20 {
		e := newEnviron(tokens)
		length, unread := e.readFile(int(dir), task+"environ")
		if e.complete() {
			return e.found, m, nil
		}
		if m, err = dir.memory(task + "stat"); err != nil || m.size == 0 {
			return e.found, m, err
		}
		if unread != nil || length == m.environ {
			return e.found, m, unread
		}
		found = e.found
		nap()
	}
	return found, m, syscall.EAGAIN
}

// readFile reads a file of longestEnviron at most.
func (e *environ) readFile(dir int, path string) (length uint64, err error) {
	fd, err := open(dir, path, 0)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	buf := make([]byte, 1<<14)
	for length <= longestEnviron && !e.complete() {
		n, err := retry(func() (int, error) { return syscall.Read(fd, buf) })
		if err != nil {
			return length, err
		}
		if n == 0 {
			e.end()
			return length, nil
		}
		e.read(buf[:n])
		length += uint64(n)
	}
	if e.complete() {
		return length, nil
	}
	return length, syscall.EFBIG
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
	line, err := readFile(int(dir), path, page[:])
	if err != nil {
		return memory{}, err
	}
	m, ok := parseMemory(string(line))
	if !ok {
		return memory{}, syscall.EBADMSG
	}
	return m, nil
}

// parseMemory reads a line of proc_pid_stat(5). Kernels before 3.5 have no field
// 51: there no environment is known to be whole.
func parseMemory(line string) (memory, bool) {
	number, _, _ := cut(line, " ")
	pid, _ := parsePID(number)
	s, ok := parseStat(line, pid)
	rest, _ := behindLast(line, ") ")
	m := memory{dead: s.dead(), threads: s.threads, environ: notYet}
	size, ok1 := numberField(rest, 23-3)
	m.size = size
	from, ok2 := numberField(rest, 50-3)
	to, ok3 := numberField(rest, 51-3)
	if ok2 && ok3 && to > 0 && to >= from {
		m.environ = to - from
	}
	return m, ok && ok1
}
