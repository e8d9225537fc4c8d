package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (n int, err error) {
	for n, err = call(); err == unix.EINTR; {
		n, err = call()
	}
	return n, err
}

// open never waits, whatever lies at the path, and takes no terminal.
func open(dir int, path string, flags int) (int, error) {
	flags |= unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	return retry(func() (int, error) { return unix.Openat(dir, path, flags, 0) })
}

// readFile reads into buf what one read(2) gives: all of a file of /proc that is
// made in one piece, when it is shorter than buf.
func readFile(dir int, path string, buf []byte) ([]byte, error) {
	fd, err := open(dir, path, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// readLink reads a symbolic link of less than 128 bytes.
func readLink(path string) (string, error) {
	var text [128]byte
	n, err := unix.Readlink(path, text[:])
	if err != nil {
		return "", err
	}
	if n == len(text) {
		return "", unix.ENAMETOOLONG
	}
	return string(text[:n]), nil
}

// readNames returns the names in a directory.
func readNames(dir int, path string) ([]string, error) {
	fd, err := open(dir, path, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	names := os.NewFile(uintptr(fd), path)
	defer names.Close()
	return names.Readdirnames(-1)
}
