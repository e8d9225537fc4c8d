package main

import (
	"strconv"
	"syscall"
)

// Inode numbers of the initial namespaces: PROC_PID_INIT_INO and
// PROC_TIME_INIT_INO in the kernel's include/linux/proc_ns.h.
const (
	initialPIDNS  = 0xEFFFFFFC
	initialTimeNS = 0xEFFFFFFA
)

// ownProc tells whether /proc is that of the asker's own pid namespace: there it
// is found under its own number, and a process whose namespace lies deeper than
// that of /proc has one number for each of them on the NSpid line.
func (l *linux) ownProc() bool {
	self, err := readLink(l.root + "/proc/self")
	if pid, ok := parsePID(self); err != nil || !ok || pid != syscall.Getpid() {
		return false
	}
	numbers, ok := l.ownNumbers()
	return ok && !has(numbers, '\t')
}

// ownNumbers reads the NSpid line, which older kernels don't have. The line of
// groups before it can be long.
func (l *linux) ownNumbers() (string, bool) {
	for buf := page[:]; len(buf) <= 1<<20; buf = make([]byte, len(buf)<<4) {
		status, err := readFile(atCWD, l.root+"/proc/self/status", buf)
		if err != nil {
			return "", false
		}
		if len(status) < len(buf) {
			numbers, _ := statusField(status, "NSpid")
			return numbers, true
		}
	}
	return "", false
}

func (l *linux) viewpoint() viewpoint {
	if !l.own {
		return nowhere(fromLinux, whyNoProc)
	}
	pidns, ok1 := l.pidNamespace()
	timens, ok2 := l.timeNamespace()
	boot, ok3 := l.firstLine("/proc/sys/kernel/random/boot_id")
	if !ok1 || !ok2 || !ok3 || !isBootID(boot) {
		return nowhere(fromLinux, whyNoIdentity)
	}
	machineID, host := l.machineID(), l.sys.host()
	return viewpoint{
		scope:   scope{fromLinux, hash50(machineID, host), hash50(boot), pidns, timens},
		known:   true,
		trusted: trustworthy(machineID, host),
	}
}

func (l *linux) pidNamespace() (uint64, bool) {
	inode, err := l.namespace("pid")
	if inode == initialPIDNS {
		inode = 0
	}
	return inode, err == nil
}

// timeNamespace names the asker's time namespace. It shifts field 22 of what the
// asker reads (time_namespaces(7)), and the number of one that is no more is
// given to the next one, so the name is made of the number and the offsets.
func (l *linux) timeNamespace() (uint64, bool) {
	inode, err := l.namespace("time")
	if err == syscall.ENOENT || err == nil && inode == initialTimeNS {
		return 0, true // ENOENT: a kernel without time namespaces
	}
	children, err2 := l.namespace("time_for_children")
	offsets, err3 := readFile(atCWD, l.root+"/proc/self/timens_offsets", page[:1<<10])
	if err != nil || err2 != nil || err3 != nil || children != inode {
		return 0, false // the offsets are those of time_for_children
	}
	number := strconv.FormatUint(inode, 10)
	return hash50(number, string(offsets))>>18 | 1, true
}

// namespace reads a link of namespaces(7): "pid:[4026531836]".
func (l *linux) namespace(kind string) (uint64, error) {
	link, err := readLink(l.root + "/proc/self/ns/" + kind)
	if err != nil {
		return 0, err
	}
	kind, _, _ = cut(kind, "_for_children")
	name, rest, _ := cut(link, ":[")
	number, _, _ := cut(rest, "]")
	inode, ok := parseCanonical(number, 10)
	if name != kind || !ok || inode == 0 {
		return 0, syscall.EBADMSG
	}
	return inode, nil
}

// firstLine reads a file of one short line.
func (l *linux) firstLine(path string) (string, bool) {
	text, err := readFile(atCWD, l.root+path, page[:256])
	line, _, _ := cut(string(text), "\n")
	return line, err == nil
}

// isBootID: random(4), a random UUID for each boot.
func isBootID(text string) bool {
	return len(text) == 36 && madeOf(text, "0123456789abcdef-") && !madeOf(text, "0-")
}

// machineID reads machine-id(5), or what D-Bus had before it.
func (l *linux) machineID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if line, ok := l.firstLine(path); ok {
			return line
		}
	}
	return ""
}

func hostName() string {
	var name syscall.Utsname
	if syscall.Uname(&name) != nil {
		return ""
	}
	var host []byte
	for _, c := range name.Nodename {
		if c == 0 {
			break
		}
		host = append(host, byte(c)) // signed or not, as the processor has it
	}
	return string(host)
}
