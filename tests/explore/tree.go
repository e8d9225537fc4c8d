//go:build unix

package main

import (
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// tree is what lies below a directory: a line a name, with the numbers of processes instead of their
// pids, so that it is equal where two runs differ in nothing else.
func (w *world) tree() string {
	var lines []string
	w.walk(w.dir, &lines)
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func (w *world) walk(dir string, lines *[]string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		line := w.plain(path)
		switch {
		case e.IsDir():
			line += "/" + w.openedBy(path)
			w.walk(path, lines)
		case e.Type().IsRegular():
			line += "=" + w.content(path)
		}
		*lines = append(*lines, line)
	}
}

// openedBy tells which late mv has the directory open.
func (w *world) openedBy(dir string) (marks string) {
	for _, p := range w.procs {
		if len(p.late) > 0 && p.late[0].dir >= 0 && sameDir(p.late[0].dir, dir) {
			marks += "<" + p.name
		}
	}
	return marks
}

// content is a file's content without its time.
func (w *world) content(path string) string {
	data, _ := os.ReadFile(path)
	lines := strings.Split(w.plain(string(data)), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "since ") {
			lines[i] = "since"
		}
	}
	return strconv.Quote(strings.Join(lines, "\n"))
}

// plain replaces the directory and the processes' identities by short names.
func (w *world) plain(text string) string {
	if w.replacer == nil {
		pairs := []string{w.dir + "/", "", w.dir, "."}
		for _, p := range w.procs {
			if p.pid != "" {
				pairs = append(pairs, p.pid+"."+p.id, p.name, "pid "+p.pid+"\n", "pid "+p.name+"\n",
					"start "+p.id, "start "+p.name, p.pid+" "+p.id, p.name, p.id, p.name)
			}
		}
		w.replacer = strings.NewReplacer(pairs...)
	}
	return w.replacer.Replace(text)
}

// entries lists the names in the lock, and whether it is there as a directory.
func (w *world) entries() (names []string, there bool) {
	list, err := os.ReadDir(w.lock())
	if err != nil {
		return nil, false
	}
	for _, e := range list {
		names = append(names, w.plain(e.Name()))
	}
	return names, true
}
