//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"
)

// disk is a real directory that a process works in, and what is known to be there.
type disk struct {
	dir string
	has tree
}

// edit is a change that a shell made by itself: a file that it wrote, or removed.
type edit struct {
	path string
	file file
	gone bool
}

// epoch is the time of a file of age 0; one of age 1 is a second younger.
var epoch = time.Unix(1700000000, 0)

// lay makes the directory equal to t.
func (d *disk) lay(t *tree) error {
	for p, f := range d.has.files {
		if f.kind == t.files[p].kind {
			continue
		}
		if err := os.RemoveAll(filepath.Join(d.dir, p)); err != nil {
			return err
		}
		d.has.drop(p)
	}
	var paths []string
	for p := range t.files {
		paths = append(paths, p)
	}
	sort.Strings(paths) // a directory before what is in it
	for _, p := range paths {
		if err := d.put(t.files[p], p); err != nil {
			return err
		}
	}
	d.has = t.clone()
	return nil
}

// put makes p, whose directory is there.
func (d *disk) put(f file, p string) error {
	was, full := d.has.files[p], filepath.Join(d.dir, p)
	switch {
	case f.kind == was.kind && (f.kind != 'f' || f.text == was.text && f.age == was.age):
		return nil
	case f.kind == 'd':
		return os.Mkdir(full, 0o700)
	case f.kind == 'p':
		return syscall.Mkfifo(full, 0o600)
	}
	if err := os.WriteFile(full, []byte(f.text), 0o600); err != nil {
		return err
	}
	return os.Chtimes(full, time.Time{}, aged(f.age))
}

func aged(age int) time.Time { return epoch.Add(time.Duration(age) * time.Second) }

// read is what is there now. The id of a directory is its inode number.
func (d *disk) read() (tree, error) {
	t := newTree()
	err := filepath.WalkDir(d.dir, func(full string, e fs.DirEntry, err error) error {
		if err != nil || full == d.dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		f := file{age: int(info.ModTime().Sub(epoch))}
		switch {
		case e.IsDir():
			f.kind, f.age, f.id = 'd', 0, int(info.Sys().(*syscall.Stat_t).Ino)
		case info.Mode()&fs.ModeNamedPipe != 0:
			f.kind, f.age = 'p', 0
		default:
			text, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			f.kind, f.text = 'f', string(text)
		}
		t.files[strings.TrimPrefix(full, d.dir+"/")] = f
		return nil
	})
	return t, err
}

// edits tells what a shell has changed by itself since the directory was laid.
func (d *disk) edits() (all []edit, err error) {
	now, err := d.read()
	if err != nil {
		return nil, err
	}
	for p, f := range now.files {
		was := d.has.files[p]
		if f.kind != 'f' && f.kind != was.kind {
			return nil, fmt.Errorf("a shell has made %s by itself", p)
		}
		if f.kind == 'f' && (was.kind != 'f' || f.text != was.text || f.age != int(aged(was.age).Sub(epoch))) {
			all = append(all, edit{path: p, file: file{kind: 'f', text: f.text}})
		}
	}
	for p := range d.has.files {
		if _, there := now.files[p]; !there {
			all = append(all, edit{path: p, gone: true})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].path < all[j].path })
	return all, nil
}

// settle notes the edits, and gives the files the times of their ages.
func (d *disk) settle(all []edit) error {
	d.has.apply(all)
	for _, e := range all {
		if e.gone {
			continue
		}
		if err := os.Chtimes(filepath.Join(d.dir, e.path), time.Time{}, aged(d.has.files[e.path].age)); err != nil {
			return err
		}
	}
	return nil
}

// apply makes the edits in t.
func (t *tree) apply(all []edit) {
	for _, e := range all {
		if e.gone {
			t.drop(e.path)
		} else {
			t.put(e.path, e.file)
		}
	}
}
