package main

import (
	"syscall"
	"unsafe"
)

const (
	pidfdOpen = 434 // pidfd_open(2), of Linux 5.3: this number wherever system calls count from 0
	pollIn    = 1   // POLLIN
)

// pollFD is struct pollfd of poll(2).
type pollFD struct {
	fd             int32
	events, raised int16
}

// watch holds the process by a pidfd, which can be read when all its threads have
// ended. A FIFO or pipe that nobody reads raises POLLERR.
func (l *linux) watch(pid int) (end func() bool, ok bool) {
	fd, _, err := syscall.Syscall(pidfdOpen, uintptr(pid), 0, 0)
	if err != 0 {
		return nil, false
	}
	return func() bool {
		fds := [2]pollFD{{fd: int32(fd), events: pollIn}, {fd: 1}}
		_, err := retry(func() (int, error) { return ppoll(fds[:]) })
		return err == nil && fds[0].raised != 0
	}, true
}

// ppoll waits without a time limit.
func ppoll(fds []pollFD) (int, error) {
	n, _, err := syscall.Syscall6(syscall.SYS_PPOLL,
		uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), 0, 0, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}
