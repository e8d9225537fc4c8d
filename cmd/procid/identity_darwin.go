package main

import "golang.org/x/sys/unix"

// darwin asks signal 0 whether a process is there and the kern.proc.pid sysctl
// which one it is. Threads have no process numbers, and there are no namespaces.
type darwin struct{}

// Process states, p_stat of sys/proc.h.
const (
	stateStop   = 4
	stateZombie = 5
)

func thisSystem() system { return darwin{} }

func (darwin) look(pid int) sighting {
	err := unix.Kill(pid, 0)
	if err == unix.ESRCH {
		return seenAbsent(whyNotRunning)
	}
	if err != nil && err != unix.EPERM {
		return seenUnsure(whyOddErrno)
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case err == unix.EPERM, err == unix.EACCES:
		return seenUnsure(whyNotPermitted)
	case err != nil || int(info.Proc.P_pid) != pid:
		return ended(pid)
	}
	return sight(info.Proc.P_stat, info.Proc.P_starttime)
}

// sight: p_starttime is the wall-clock time of the fork, kept as it was then.
func sight(state int8, start unix.Timeval) sighting {
	microseconds := uint64(start.Sec)*1_000_000 + uint64(start.Usec)
	switch state {
	case stateZombie:
		return seenAbsent(whyZombie)
	case stateStop:
		return seenPresent(microseconds, whyStopped)
	}
	return seenPresent(microseconds, whyRunning)
}

// ended: a process that sysctl doesn't tell of has ended only if signal 0 says so.
func ended(pid int) sighting {
	if unix.Kill(pid, 0) == unix.ESRCH {
		return seenAbsent(whyNotRunning)
	}
	return seenUnsure(whyOddErrno)
}

// viewpoint: kern.bootsessionuuid is random for each boot. Nothing that is cheap
// to read names the machine for sure, so an earlier boot is never proven.
func (darwin) viewpoint() viewpoint {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || boot == "" {
		return nowhere(fromDarwin, whyNoIdentity)
	}
	host, _ := unix.Sysctl("kern.hostname") // only a label
	scope := scope{source: fromDarwin, machine: hash50(host), boot: hash50(boot)}
	return viewpoint{scope: scope, known: true}
}
