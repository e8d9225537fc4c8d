//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"testing"

	"golang.org/x/sys/unix"
)

var paths = []string{"a", "b", "a/a", "a/b", "b/a", "b/b", "a/a/a", "b/b/b"}

// A tree answers and becomes what a real directory does.
func TestTreeIsAsADirectory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func() string { return paths[random.IntN(len(paths))] }
	for range 60 {
		d, tree := disk{t.TempDir(), newTree()}, newTree()
		for range 60 {
			name, in, real := someCall(random.IntN(6), pick(), pick())
			want, got := real(d.dir+"/"), in(&tree)
			if !errors.Is(got, want) && !(errors.Is(want, unix.ENOTDIR) && errors.Is(got, unix.ENOENT)) {
				t.Fatalf("%s: %v, and in a directory %v\n%s", name, got, want, tree.text(nil, nil))
			}
			now, err := d.read()
			if err != nil {
				t.Fatal(err)
			}
			if tree.text(nil, nil) != now.text(nil, nil) {
				t.Fatalf("%s: %s\nand in a directory %s", name, tree.text(nil, nil), now.text(nil, nil))
			}
		}
	}
}

// A copy of a tree stays as it was, and what was known of a tree is forgotten when it changes.
func TestACopyOfATreeStays(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	now := newTree()
	for i := range 2000 {
		p, q := paths[random.IntN(len(paths))], paths[random.IntN(len(paths))]
		was, text := now.clone(), now.text(nil, nil)
		now.facts = &facts{}
		name, in, _ := someCall(random.IntN(6), p, q)
		if i%7 == 0 {
			name, in = "rm "+p+"/*", func(t *tree) error { return t.empty(p) }
		}
		_ = in(&now) // most are refused
		if was.text(nil, nil) != text {
			t.Fatalf("%s changed a copy:\n%s\nbefore:\n%s", name, was.text(nil, nil), text)
		}
		if now.facts != nil && now.text(nil, nil) != text {
			t.Fatalf("%s changed a tree that was taken for the same", name)
		}
	}
}

// someCall is a call on a tree, and the same below a real directory.
func someCall(kind int, p, q string) (name string, in func(*tree) error, real func(string) error) {
	switch kind {
	case 0:
		return "mkdir " + p, func(t *tree) error { return t.make(p, file{kind: 'd'}) },
			func(dir string) error { return unix.Mkdir(dir+p, 0o700) }
	case 1:
		return "mkfifo " + p, func(t *tree) error { return t.make(p, file{kind: 'p'}) },
			func(dir string) error { return unix.Mkfifo(dir+p, 0o600) }
	case 2:
		return "rmdir " + p, func(t *tree) error { return t.rmdir(p) },
			func(dir string) error { return unix.Rmdir(dir + p) }
	default:
		return fmt.Sprintf("rename %s %s", p, q), func(t *tree) error { return t.rename(p, q, false) },
			func(dir string) error { return unix.Rename(dir+p, dir+q) }
	}
}

// What is laid over another tree is what is read there then, and shows no edits.
func TestDiskHoldsATree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	d, tree := disk{t.TempDir(), newTree()}, newTree()
	for i := range 400 {
		p, q := paths[random.IntN(len(paths))], paths[random.IntN(len(paths))]
		if i%3 == 0 && tree.isDir(path.Dir(p)) && !tree.isDir(p) {
			tree.put(p, file{kind: 'f', text: q})
		}
		_, in, _ := someCall(random.IntN(6), p, q)
		_ = in(&tree) // most are refused
		if err := d.lay(&tree); err != nil {
			t.Fatal(err)
		}
		now, err := d.read()
		if err != nil {
			t.Fatal(err)
		}
		if tree.text(nil, nil) != now.text(nil, nil) {
			t.Fatalf("%s\nwas laid, and there is %s", tree.text(nil, nil), now.text(nil, nil))
		}
		if edits, err := d.edits(); err != nil || len(edits) > 0 {
			t.Fatalf("%v %v", edits, err)
		}
	}
}
