package main

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// survey reads kern.procargs2 of all processes. The system shows no environment
// of another user's process, nor of its own restricted programs (those under
// System Integrity Protection): where none is shown, none was looked at.
func (d darwin) survey(tokens map[string]*sought) (hidden int, ok bool) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return 0, false
	}
	names := make(map[int]string, len(all))
	pids := make([]int, 0, len(all))
	for _, info := range all {
		if info.Proc.P_stat != stateZombie {
			pids = append(pids, int(info.Proc.P_pid))
			names[int(info.Proc.P_pid)] = unix.ByteSliceToString(info.Proc.P_comm[:])
		}
	}
	look := func(pid int) glance { return d.glance(pid, names[pid], tokens) }
	return surveyed(pids, look), true
}

func (d darwin) glance(pid int, name string, tokens map[string]*sought) glance {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	text, shown := shownEnviron(args)
	e := newEnviron(tokens)
	if err == nil && shown {
		e.read(text)
		if len(e.found) == 0 {
			return glance{}
		}
	}
	seen := d.look(pid)
	alive := seen.presence == present
	return glance{e.found, alive, name, len(e.found) == 0 && seen.presence != absent}
}

// shownEnviron takes the environment out of what kern.procargs2 gives: the number
// of arguments, the path of the program, NULs, the arguments, the environment, and
// after an empty entry what the system adds. Each entry ends with NUL.
func shownEnviron(args []byte) ([]byte, bool) {
	if len(args) < 4 || len(args) > longestEnviron {
		return nil, false
	}
	count := int(int32(binary.NativeEndian.Uint32(args)))
	_, rest, whole := bytes.Cut(args[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; count > 0 && whole; count-- {
		_, rest, whole = bytes.Cut(rest, []byte{0})
	}
	entries, _, _ := bytes.Cut(rest, []byte{0, 0})
	if !whole || len(entries) == 0 || rest[0] == 0 {
		return nil, false
	}
	return append(entries, 0), true
}

var _ surveyor = darwin{}
