//go:build unix

package main

import (
	"fmt"
	"path"
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
	dir      int    // the id of the directory of a rename's target, where mv has it open
	do       func(*tree, string) error
}

// changes splits a command into its changes.
func changes(t *tree, argv []string) ([]change, error) {
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
		return renames(t, args, strings.Contains(flags, "n")), nil
	case "rm":
		return removals(args), nil
	case "rmdir":
		return each("rmdir", args, (*tree).rmdir), nil
	case "mkdir":
		return each("mkdir", args, func(t *tree, p string) error { return t.make(p, file{kind: 'd'}) }), nil
	case "mkfifo":
		return each("mkfifo", args, func(t *tree, p string) error { return t.make(p, file{kind: 'p'}) }), nil
	}
	return nil, fmt.Errorf("the controller does not know the command %q", strings.Join(argv, " "))
}

func each(name string, paths []string, do func(*tree, string) error) (all []change) {
	for _, p := range paths {
		all = append(all, change{name: name + " " + p, path: path.Clean(p), do: do})
	}
	return all
}

func removals(paths []string) (all []change) {
	for _, p := range paths {
		all = append(all, change{name: "rm " + p + "/*", path: p, do: (*tree).empty},
			change{name: "rm " + p, path: p, do: (*tree).remove})
	}
	return all
}

func renames(t *tree, args []string, keep bool) (all []change) {
	last := len(args) - 1
	for _, from := range args[:last] {
		to := args[last]
		if strings.HasSuffix("/"+to, "/.") || t.isDir(to) {
			to = to + "/" + path.Base(from)
		}
		to = path.Clean(to)
		name := "mv "
		if keep {
			name = "mv -n "
		}
		all = append(all, change{name: name + from + " " + to, from: path.Clean(from), to: to, keep: keep})
	}
	return all
}

// opened is c where mv has the directory of the target open, as it has before it renames.
func (c change) opened(t *tree) change {
	c.dir = t.files[path.Dir(c.to)].id
	return c
}

// make makes the change.
func (c change) make(t *tree) error {
	if c.from == "" {
		return c.do(t, c.path)
	}
	to, err := c.target(t)
	if err != nil {
		return err
	}
	return t.rename(c.from, to, c.keep)
}

// target is where a rename goes, wherever its directory is now.
func (c change) target(t *tree) (string, error) {
	if c.dir == 0 {
		return c.to, nil
	}
	dir := t.named(c.dir)
	if dir == "" {
		return "", unix.ENOENT
	}
	return path.Join(dir, path.Base(c.to)), nil
}
