package main

import "syscall"

const atCWD = -100 // AT_FDCWD

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (n int, err error) {
	for n, err = call(); err == syscall.EINTR; {
		n, err = call()
	}
	return n, err
}

// open never waits, whatever lies at the path, and takes no terminal.
func open(dir int, path string, flags int) (int, error) {
	flags |= syscall.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_CLOEXEC
	return retry(func() (int, error) { return syscall.Openat(dir, path, flags, 0) })
}

// readFile reads into buf what one read(2) gives: all of a file of /proc that is
// made in one piece, when it is shorter than buf.
func readFile(dir int, path string, buf []byte) ([]byte, error) {
	fd, err := open(dir, path, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	n, err := retry(func() (int, error) { return syscall.Read(fd, buf) })
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// readLink reads a symbolic link of less than 128 bytes.
func readLink(path string) (string, error) {
	var text [128]byte
	n, err := syscall.Readlink(path, text[:])
	if err != nil {
		return "", err
	}
	if n == len(text) {
		return "", syscall.ENAMETOOLONG
	}
	return string(text[:n]), nil
}

// readNames returns the names in a directory.
func readNames(dir int, path string) (names []string, err error) {
	fd, err := open(dir, path, syscall.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	buf := make([]byte, 1<<13)
	for {
		n, err := retry(func() (int, error) { return syscall.ReadDirent(fd, buf) })
		if n <= 0 || err != nil {
			return names, err
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}

// nap is a pause of a millisecond.
func nap() {
	pause := syscall.NsecToTimespec(1e6)
	_ = syscall.Nanosleep(&pause, nil)
}

// page is what a file of /proc is read into; what is kept of it is copied. On the
// stack it would make that grow, by more than all else that a start allocates.
var page [1 << 12]byte
