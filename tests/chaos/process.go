//go:build linux

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process is one that /proc shows.
type process struct {
	pid, parent int
	state       byte
	name        string
}

// processes lists all but this one, which is process 1 of its namespace, and that of the cell.
func (c *conductor) processes() []process {
	entries, _ := os.ReadDir("/proc")
	var found []process
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != 1 && pid != c.cell.init {
			if p, ok := look(pid); ok {
				found = append(found, p)
			}
		}
	}
	return found
}

func look(pid int) (process, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	_, rest, _ := strings.Cut(string(text), "(")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 || len(rest) < end+5 {
		return process{}, false
	}
	parent, _ := strconv.Atoi(strings.Fields(rest[end+4:])[0])
	return process{pid, parent, rest[end+2], rest[:end]}, true
}

// victim is a process that can be sent a signal, and no other that gets its number later.
type victim struct {
	process
	fd     int
	worker string // whose process it is
}

// catch takes hold of the process that has pid now.
func catch(pid int) (*victim, bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, false
	}
	p, ok := look(pid)
	worker := workerOf(pid)
	if !ok || worker == "" || p.state == 'Z' {
		unix.Close(fd)
		return nil, false
	}
	return &victim{p, fd, worker}, true
}

func (v *victim) signal(s unix.Signal) { _ = unix.PidfdSendSignal(v.fd, s, nil, 0) }
func (v *victim) letGo()               { unix.Close(v.fd) }

// older: what is killed of an older-style writer between its mkdir and its record can't be mended.
func (v *victim) older() bool { return strings.HasPrefix(v.worker, "older") }

func workerOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, entry := range strings.Split(string(text), "\x00") {
		if name, ok := strings.CutPrefix(entry, "CHAOS_WORKER="); ok {
			return name
		}
	}
	return ""
}
