package main

import (
	"io"
	"syscall"
	_ "unsafe" // for go:linkname
)

// Package os is not used here: its goroutine for finalizers and its look at the
// standard streams cost more than asking about a process does, and so does what
// syscall.Getenv makes of an environment.

func main() {
	stdin, stdout, stderr := stream(0), stream(1), stream(2)
	syscall.Exit(run(args()[1:], variable(environment(), tenantVariable), stdin, stdout, stderr))
}

// args is what os.Args is made of.
//
//go:linkname args os.runtime_args
func args() []string

// environment is what os.Environ is made of.
//
//go:linkname environment syscall.runtime_envs
func environment() []string

// variable is the value of a variable in an environment: of the first one of that
// name, as in getenv(3).
func variable(environment []string, name string) string {
	for _, entry := range environment {
		if key, value, found := cut(entry, "="); found && key == name {
			return value
		}
	}
	return ""
}

// stream is a standard stream. A write to a closed pipe is an error: the runtime
// ends a program by SIGPIPE only where package os asks for it.
type stream int

func (s stream) Read(buf []byte) (int, error) {
	n, err := s.wait(func() (int, error) { return syscall.Read(int(s), buf) })
	if n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

func (s stream) Write(text []byte) (written int, err error) {
	for written < len(text) && err == nil {
		var n int
		n, err = s.wait(func() (int, error) { return syscall.Write(int(s), text[written:]) })
		written += max(n, 0)
	}
	return written, err
}

// wait repeats what a stream that doesn't block, as others may have set it, is
// not ready for.
func (s stream) wait(call func() (int, error)) (int, error) {
	n, err := retry(call)
	for err == syscall.EAGAIN {
		nap()
		n, err = retry(call)
	}
	return n, err
}
