//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// change is one change of the tree by a command, as others can see it: most commands make one, mv
// of several names one for each, and rm -r of a directory one for its content and one for itself.
type change struct {
	name     string // what is shown
	path     string // what is made or removed
	from, to string // of a rename, whose target is complete
	keep     bool   // mv -n: what is there stays
	dir      int    // the directory of a rename's target, where mv has it open, else -1
	do       func() error
}

// changes splits a command into its changes.
func changes(argv []string) ([]*change, error) {
	var flags string
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		flag := args[0]
		args = args[1:]
		if flag == "--" {
			break
		}
		flags += flag[1:]
		if strings.HasSuffix(flag, "m") { // mkfifo -m MODE
			args = args[1:]
		}
	}
	switch argv[0] {
	case "mv":
		return renames(args, strings.Contains(flags, "n")), nil
	case "rm":
		return removals(args), nil
	case "rmdir":
		return each("rmdir", args, unix.Rmdir), nil
	case "mkdir":
		return each("mkdir", args, func(p string) error { return unix.Mkdir(p, 0o700) }), nil
	case "mkfifo":
		return each("mkfifo", args, func(p string) error { return unix.Mkfifo(p, 0o600) }), nil
	}
	return nil, fmt.Errorf("the controller does not know the command %q", strings.Join(argv, " "))
}

func each(name string, paths []string, do func(string) error) (all []*change) {
	for _, p := range paths {
		all = append(all, &change{name: name + " " + p, path: p, dir: -1, do: func() error { return do(p) }})
	}
	return all
}

func removals(paths []string) (all []*change) {
	for _, p := range paths {
		all = append(all, &change{name: "rm " + p + "/*", path: p, dir: -1, do: func() error { return empty(p) }},
			&change{name: "rm " + p, path: p, dir: -1, do: func() error { return remove(p) }})
	}
	return all
}

// empty removes what is in the directory p.
func empty(p string) error {
	entries, err := os.ReadDir(p)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(p, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// remove removes p, a file or an empty directory, which may be gone.
func remove(p string) error {
	err := os.Remove(p)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func renames(args []string, keep bool) (all []*change) {
	last := len(args) - 1
	for _, from := range args[:last] {
		to := args[last]
		if info, err := os.Stat(to); strings.HasSuffix(to, "/.") || err == nil && info.IsDir() {
			to = to + "/" + path.Base(from)
		}
		name := "mv "
		if keep {
			name = "mv -n "
		}
		all = append(all, &change{name: name + from + " " + path.Clean(to), from: from, to: to, keep: keep, dir: -1})
	}
	return all
}

// open opens the directory of a rename's target, as mv does before it renames.
func (c *change) open() {
	if fd, err := unix.Open(path.Dir(c.to), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		c.dir = fd
	}
}

// make makes the change.
func (c *change) make() error {
	if c.from == "" {
		return c.do()
	}
	dir, to := unix.AT_FDCWD, c.to
	if c.dir >= 0 {
		dir, to = c.dir, path.Base(c.to)
		defer c.close()
	}
	var there unix.Stat_t
	if c.keep && unix.Fstatat(dir, to, &there, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return nil
	}
	return unix.Renameat(unix.AT_FDCWD, c.from, dir, to)
}

// close gives the directory of the target up.
func (c *change) close() {
	if c.dir >= 0 {
		unix.Close(c.dir) // it was only to name it
		c.dir = -1
	}
}

// sameDir tells whether fd is the directory.
func sameDir(fd int, dir string) bool {
	var a, b unix.Stat_t
	return unix.Fstat(fd, &a) == nil && unix.Stat(dir, &b) == nil && a.Ino == b.Ino && a.Dev == b.Dev
}
