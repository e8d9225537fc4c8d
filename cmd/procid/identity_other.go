//go:build !linux && !darwin && !windows && !(freebsd && (amd64 || arm64 || riscv64))

package main

import "syscall"

// pidOnly knows whether a number is in use, and never by whom.
type pidOnly struct{}

func thisSystem() system { return pidOnly{} }

func (pidOnly) viewpoint() viewpoint { return nowhere(0, whyNoIdentity) }

func (pidOnly) look(pid int) sighting {
	switch syscall.Kill(pid, 0) {
	case syscall.ESRCH:
		return seenAbsent(whyNotRunning)
	case nil:
		return seenUnsure(whyNoIdentity)
	case syscall.EPERM:
		return seenUnsure(whyNotPermitted)
	}
	return seenUnsure(whyOddErrno)
}
