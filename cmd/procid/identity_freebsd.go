//go:build amd64 || arm64 || riscv64

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// freebsd asks signal 0 whether a process is there and the kern.proc.pid sysctl
// which one it is.
type freebsd struct{}

// Offsets in struct kinfo_proc of sys/user.h where pointers have 64 bits. A
// structure of another size isn't read.
const (
	kinfoSize    = 1088 // KINFO_PROC_SIZE, also the value of ki_structsize
	kiPID        = 72
	kiStart      = 336 // struct timeval, two 64-bit numbers
	kiState      = 388 // char ki_stat
	stateStop    = 4   // sys/proc.h
	stateZombie  = 5
	microsPerSec = 1_000_000
)

func thisSystem() system { return freebsd{} }

func (freebsd) look(pid int) sighting {
	err := unix.Kill(pid, 0)
	if err == unix.ESRCH {
		return noSuchProcess()
	}
	if err != nil && err != unix.EPERM {
		return seenUnsure(whyOddErrno)
	}
	before, err1 := unix.SysctlTimeval("kern.boottime")
	info, err2 := unix.SysctlRaw("kern.proc.pid", pid)
	after, err3 := unix.SysctlTimeval("kern.boottime")
	if err2 != nil && unix.Kill(pid, 0) == unix.ESRCH {
		return noSuchProcess()
	}
	if err1 != nil || err2 != nil || err3 != nil || *before != *after {
		return seenUnsure(whyOddErrno)
	}
	return sight(info, pid, *before)
}

// sight: the kernel keeps when a process started as time since boot and adds the
// boot time for display, which moves when the clock is set. It is taken off again.
func sight(info []byte, pid int, boot unix.Timeval) sighting {
	if len(info) != kinfoSize || int32At(info, 0) != kinfoSize || int32At(info, kiPID) != pid {
		return seenUnsure(whyOddErrno)
	}
	start := microseconds(info[kiStart:]) - uint64(boot.Sec*microsPerSec+boot.Usec)
	switch info[kiState] {
	case stateZombie:
		return seenAbsent(whyZombie)
	case stateStop:
		return seenPresent(start, whyStopped)
	}
	return seenPresent(start, whyRunning)
}

func int32At(info []byte, at int) int { return int(int32(littleEndian(info[at : at+4]))) }

func microseconds(timeval []byte) uint64 {
	return littleEndian(timeval[:8])*microsPerSec + littleEndian(timeval[8:16])
}

// littleEndian: all three processors of this file are.
func littleEndian(bytes []byte) (n uint64) {
	for i, b := range bytes {
		n |= uint64(b) << (8 * i)
	}
	return n
}

// noSuchProcess: ESRCH is also what the system says of a process that it hides.
func noSuchProcess() sighting {
	if jailed() {
		return seenUnsure(whyPIDNS)
	}
	if hides() {
		return seenUnsure(whyNotPermitted)
	}
	return seenAbsent(whyNotRunning)
}

// jailed: jail(8); what can't be asked counts as a jail.
func jailed() bool {
	value, err := unix.SysctlUint32("security.jail.jailed")
	return err != nil || value != 0
}

// hides tells whether processes of others are hidden from this user: the knobs of
// security(7), mac_seeotheruids(4) and mac_partition(4).
func hides() bool {
	if os.Geteuid() == 0 {
		return isSet("security.mac.partition.enabled")
	}
	return !isSet("security.bsd.see_other_uids") || !isSet("security.bsd.see_other_gids") ||
		!isSet("security.bsd.see_jail_proc") ||
		isSet("security.mac.seeotheruids.enabled") || isSet("security.mac.partition.enabled")
}

func isSet(name string) bool {
	value, err := unix.SysctlUint32(name)
	return err == nil && value != 0
}

// viewpoint: kern.boot_id is random for each boot. Older systems have only the
// boot time, which needs the machine beside it. An earlier boot is never proven.
func (freebsd) viewpoint() viewpoint {
	if jailed() {
		return nowhere(fromFreeBSD, whyPIDNS)
	}
	host, _ := unix.Sysctl("kern.hostname")
	uuid, _ := unix.Sysctl("kern.hostuuid")
	view := viewpoint{scope: scope{source: fromFreeBSD, machine: hash50(uuid, host)}, known: true}
	if boot, err := unix.SysctlRaw("kern.boot_id"); err == nil && len(boot) == 16 {
		view.boot = hash50(string(boot))
		return view
	}
	boot, err := unix.SysctlRaw("kern.boottime")
	if err != nil {
		return nowhere(fromFreeBSD, whyNoIdentity)
	}
	view.boot, view.weakBoot = hash50(string(boot)), true
	return view
}
