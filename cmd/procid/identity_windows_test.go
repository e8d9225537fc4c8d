package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

const childKey = "PROCID_TEST_CHILD"

// TestMain plays a child of the tests too: it says its own ID, then waits for the end of input.
func TestMain(m *testing.M) {
	if os.Getenv(childKey) == "" {
		os.Exit(m.Run())
	}
	fmt.Println(askHere(os.Getpid(), "").word)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// child is a process that runs until end is called; said is what it takes for its own ID.
type child struct {
	pid  int
	said string
	end  func()
}

func startChild(t *testing.T) child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childKey+"=1")
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return child{cmd.Process.Pid, strings.TrimSpace(said), func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}}
}

func askHere(pid int, id string) verdict {
	ask := newAsker(thisSystem(), "")
	if id == "" {
		return identify(ask, pid)
	}
	return judge(ask, pid, id)
}

func TestALiveProcessIsItsID(t *testing.T) {
	child := startChild(t)
	defer child.end()
	first := askHere(child.pid, "")
	id, ok := parseID(first.word)
	if !ok || id.source != fromWindows || first.word != child.said {
		t.Fatalf("got %v, the process itself %s", first, child.said)
	}
	if again := askHere(child.pid, first.word); again != first {
		t.Errorf("first %v, then %v", first, again)
	}
	id.start++
	if got := askHere(child.pid, id.String()); got != gone(whyRecycled) {
		t.Errorf("another start: %v", got)
	}
	id.machine++
	if got := askHere(child.pid, id.String()); got != unknown(whyMachine) {
		t.Errorf("another machine: %v", got)
	}
}

func TestTheAskerItselfIsAlive(t *testing.T) {
	me := askHere(os.Getpid(), "")
	if _, ok := parseID(me.word); !ok || me.why != whyRunning || askHere(os.Getpid(), me.word) != me {
		t.Errorf("%v, then %v", me, askHere(os.Getpid(), me.word))
	}
}

func TestANumberThatNothingHasIsGone(t *testing.T) {
	const nothing = 2147483644
	me := askHere(os.Getpid(), "")
	for _, id := range []string{"", me.word} {
		if got := askHere(nothing, id); got != gone(whyNotRunning) {
			t.Errorf("with the ID %q: %v", id, got)
		}
	}
}

func TestAProcessThatMayNotBeOpenedIsUnknown(t *testing.T) {
	child := startChild(t)
	defer child.end()
	forbid(t, child.pid)
	for _, id := range []string{"", child.said} {
		if got := askHere(child.pid, id); got != unknown(whyNotPermitted) {
			t.Errorf("with the ID %q: %v", id, got)
		}
	}
}

// forbid lets nobody open a process, but to give that leave again.
func forbid(t *testing.T, pid int) {
	t.Helper()
	process, err := windows.OpenProcess(windows.WRITE_DAC, false, uint32(pid))
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(process)
	nobody, err := windows.SecurityDescriptorFromString("D:P")
	if err != nil {
		t.Fatal(err)
	}
	none, _, err := nobody.DACL()
	if err != nil {
		t.Fatal(err)
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	if err := windows.SetSecurityInfo(process, windows.SE_KERNEL_OBJECT, what, nil, nil, none, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAnEndedProcessIsGoneThoughItCanBeOpened(t *testing.T) {
	child := startChild(t)
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(child.pid))
	if err != nil {
		t.Fatal(err)
	}
	child.end()
	if got := askHere(child.pid, child.said); got != gone(whyZombie) {
		t.Errorf("with an open handle: %v", got)
	}
	_ = windows.CloseHandle(handle)
	if got := askHere(child.pid, child.said); got.word != "gone" {
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
