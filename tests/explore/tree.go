//go:build unix

package main

import (
	"maps"
	"path"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// file is what has a name: a directory (d), a plain file (f) or a FIFO (p).
type file struct {
	kind byte
	text string // of a plain file
	age  int    // a later change has a higher one
	id   int    // of a directory, whatever its name becomes
}

// tree is the directory of a run, by paths from there. Its methods are the system calls that the
// commands on files make, as POSIX has them.
type tree struct {
	files  map[string]file
	ticks  int
	shared bool   // others have the same files, which are copied before a change
	facts  *facts // since its last change
}

func newTree() tree { return tree{files: map[string]file{}} }

func (t *tree) clone() tree {
	if !t.shared {
		t.shared = true
	}
	return *t
}

// change is called before a change.
func (t *tree) change() {
	t.facts = nil
	if t.shared {
		t.files, t.shared = maps.Clone(t.files), false
	}
}

// drop removes the name p.
func (t *tree) drop(p string) {
	t.change()
	delete(t.files, p)
}

// put makes p anew.
func (t *tree) put(p string, f file) {
	t.change()
	t.ticks++
	f.age = t.ticks
	if f.kind == 'd' && f.id == 0 {
		f.id = t.ticks
	}
	t.files[p] = f
}

func (t *tree) exists(p string) bool {
	_, there := t.files[p]
	return there || p == "."
}

func (t *tree) isDir(p string) bool { return p == "." || t.files[p].kind == 'd' }

// below lists the paths in dir and in its directories.
func (t *tree) below(dir string) (all []string) {
	for p := range t.files {
		if strings.HasPrefix(p, dir+"/") {
			all = append(all, p)
		}
	}
	sort.Strings(all)
	return all
}

// names lists what is in dir itself.
func (t *tree) names(dir string) (all []string) {
	for _, p := range t.below(dir) {
		if path.Dir(p) == dir {
			all = append(all, path.Base(p))
		}
	}
	return all
}

// make makes p, if it isn't there and its directory is.
func (t *tree) make(p string, f file) error {
	switch {
	case t.exists(p):
		return unix.EEXIST
	case !t.isDir(path.Dir(p)):
		return unix.ENOENT
	}
	t.put(p, f)
	return nil
}

func (t *tree) rmdir(p string) error {
	switch {
	case !t.exists(p):
		return unix.ENOENT
	case !t.isDir(p):
		return unix.ENOTDIR
	case len(t.below(p)) > 0:
		return unix.ENOTEMPTY
	}
	t.drop(p)
	return nil
}

// empty removes what is in p.
func (t *tree) empty(p string) error {
	for _, q := range t.below(p) {
		t.drop(q)
	}
	return nil
}

// remove removes p, a file or an empty directory, which may be gone.
func (t *tree) remove(p string) error {
	if t.isDir(p) {
		return t.rmdir(p)
	}
	t.drop(p)
	return nil
}

// rename is rename(2); keep, as by mv -n, leaves what is there.
func (t *tree) rename(from, to string, keep bool) error {
	f := t.files[from]
	switch {
	case !t.exists(from) || !t.isDir(path.Dir(to)):
		return unix.ENOENT
	case from == to || keep && t.exists(to):
		return nil
	case strings.HasPrefix(to, from+"/"):
		return unix.EINVAL
	case strings.HasPrefix(from, to+"/"):
		return unix.ENOTEMPTY
	case t.exists(to) && t.isDir(to) && f.kind != 'd':
		return unix.EISDIR
	case t.exists(to) && !t.isDir(to) && f.kind == 'd':
		return unix.ENOTDIR
	case len(t.below(to)) > 0:
		return unix.ENOTEMPTY
	}
	t.change()
	for _, p := range t.below(from) {
		t.files[to+p[len(from):]] = t.files[p]
		delete(t.files, p)
	}
	t.files[to] = f
	delete(t.files, from)
	return nil
}

// named is the path of the directory with that id now; "" where it is gone.
func (t *tree) named(id int) string {
	for p, f := range t.files {
		if f.kind == 'd' && f.id == id {
			return p
		}
	}
	return ""
}

// text is the whole tree but for what is hidden, with other names where rename is given: a line a path.
// Where it matters, the order of files by age is told too.
func (t *tree) text(hidden func(string) bool, rename *strings.Replacer) string {
	lines := make([]string, 0, len(t.files))
	var aged []string
	for p, f := range t.files {
		if hidden != nil && hidden(p) {
			continue
		}
		line := p + " " + string(f.kind) + " " + strconv.Quote(f.text)
		if rename != nil {
			line = rename.Replace(line)
		}
		lines = append(lines, line)
		if strings.HasSuffix(p, ".waits") && f.text != "" {
			aged = append(aged, p)
		}
	}
	sort.Strings(lines)
	sort.Slice(aged, func(i, j int) bool { return t.files[aged[i]].age < t.files[aged[j]].age })
	order := strings.Join(aged, " ")
	if rename != nil {
		order = rename.Replace(order)
	}
	return strings.Join(lines, "\n") + "\n" + order
}
