package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheProgramHasItsArgumentsAndEnvironment(t *testing.T) {
	id := output(t, part("main", 0, "1"))
	cmd := part("main", 0, "--why", "1")
	cmd.Env = append(cmd.Env, "REGISTRY_LOCK_TENANT=one", "REGISTRY_LOCK_TENANT=two", "XREGISTRY_LOCK_TENANT=three")
	got, why, _ := strings.Cut(output(t, cmd), " ")
	recorded, ok := parseID(got)
	if !ok || recorded.machine != hash50("tenant", "two") && recorded.machine != hash50("tenant", "one") || why != whyRunning {
		t.Errorf("%q %q", got, why)
	}
	if plain, ok := parseID(id); !ok || plain.source != fromLinux {
		t.Errorf("%q", id)
	}
}

func TestStreamsThatDontBlockAreWaitedFor(t *testing.T) {
	var in, out [2]int
	must(unix.Pipe2(in[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	must(unix.Pipe2(out[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	files := map[int]*os.File{}
	for _, fd := range []int{in[0], in[1], out[0], out[1]} {
		files[fd] = os.NewFile(uintptr(fd), "pipe")
	}
	cmd := part("main", 0, "--why", "-")
	cmd.Stdin, cmd.Stdout = files[in[0]], files[out[1]]
	must(cmd.Start())
	_, _ = files[in[0]].Close(), files[out[1]].Close()
	const lines = 20000
	go func() {
		_, _ = io.WriteString(files[in[1]], strings.Repeat("2147483647\n", lines))
		_ = files[in[1]].Close()
	}()
	got, _ := io.ReadAll(files[out[0]])
	if err := cmd.Wait(); err != nil || string(got) != strings.Repeat("gone not-running\n", lines) {
		t.Errorf("%v, %d bytes", err, len(got))
	}
}
