package main

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/windows"
)

const waitKey = "PROCID_TEST_WAIT"

// TestPlaysAChild is a child of the other tests: it waits for the end of input.
func TestPlaysAChild(t *testing.T) {
	if os.Getenv(waitKey) == "" {
		t.Skip("only as a child of the other tests")
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startChild starts a child and returns what makes it end.
func startChild(t *testing.T) (*exec.Cmd, func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPlaysAChild$")
	cmd.Env = append(os.Environ(), waitKey+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

func askHere(pid int, id string) verdict {
	ask := newAsker(thisSystem(), "")
	if id == "" {
		return identify(ask, pid)
	}
	return judge(ask, pid, id)
}

func TestALiveProcessIsItsID(t *testing.T) {
	child, end := startChild(t)
	defer end()
	first := askHere(child.Process.Pid, "")
	id, ok := parseID(first.word)
	if !ok || id.source != fromWindows {
		t.Fatalf("got %v", first)
	}
	if again := askHere(child.Process.Pid, first.word); again != first {
		t.Errorf("first %v, then %v", first, again)
	}
	id.start++
	if got := askHere(child.Process.Pid, id.String()); got != gone(whyRecycled) {
		t.Errorf("another start: %v", got)
	}
	id.machine++
	if got := askHere(child.Process.Pid, id.String()); got != unknown(whyMachine) {
		t.Errorf("another machine: %v", got)
	}
}

func TestAnEndedProcessIsGoneThoughItCanBeOpened(t *testing.T) {
	child, end := startChild(t)
	pid := child.Process.Pid
	id := askHere(pid, "").word
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		t.Fatal(err)
	}
	end()
	if got := askHere(pid, id); got != gone(whyZombie) {
		t.Errorf("with an open handle: %v", got)
	}
	_ = windows.CloseHandle(handle)
	if got := askHere(pid, id); got.word != "gone" {
		t.Errorf("with none that is known of: %v", got)
	}
}

func TestANumberBesideAProcessesIsNotItsID(t *testing.T) {
	for beside := 1; beside < 4; beside++ {
		pid := os.Getpid() + beside
		if got := askHere(pid, ""); got != unknown(whyOddErrno) && got != gone(whyNotRunning) {
			t.Errorf("%s: %v", strconv.Itoa(pid), got)
		}
	}
}
