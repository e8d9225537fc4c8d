package main

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// waitFor is a procid that waits for the end of a process and has said its ID.
func waitFor(t *testing.T, p *player) *player {
	t.Helper()
	id := identityOf(t, p.number())
	waiter := start(t, part("procid", 0, "--wait", p.number(), id))
	if waiter.said != id {
		t.Fatalf("it said %q", waiter.said)
	}
	return waiter
}

// rest is what it says until it ends, with 0.
func (p *player) rest(t *testing.T) string {
	t.Helper()
	text, _ := io.ReadAll(p.out)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	return string(text)
}

func TestAWaitEndsWithItsProcess(t *testing.T) {
	p := start(t, part("wait", 0))
	waiter := waitFor(t, p)
	p.alive(t)
	_ = p.Process.Kill()
	if got := waiter.rest(t); got != "gone\n" {
		t.Errorf("%q", got)
	}
}

func TestAWaitIsForTheLastThread(t *testing.T) {
	p := start(t, part("leaderless", 0))
	waiter := waitFor(t, p)
	expect(t, waiter.said+" running", p.number(), waiter.said)
	p.tell(t, "")
	if got := waiter.rest(t); got != "gone\n" {
		t.Errorf("%q", got)
	}
	p.await(t, unix.WEXITED)
}

func TestAWaitThatNobodyReadsEnds(t *testing.T) {
	var out [2]int
	must(unix.Pipe2(out[:], unix.O_CLOEXEC))
	p := start(t, part("wait", 0))
	cmd := part("procid", 0, "--wait", p.number(), identityOf(t, p.number()))
	written := os.NewFile(uintptr(out[1]), "pipe")
	cmd.Stdout = written
	must(cmd.Start())
	_ = written.Close()
	var text [100]byte
	if n, err := unix.Read(out[0], text[:]); n < 1 || err != nil {
		t.Fatal(n, err)
	}
	_ = unix.Close(out[0])
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	p.alive(t)
}

func TestAWaitForWhatIsNotThereIsGone(t *testing.T) {
	p := start(t, part("wait", 0))
	number, id := p.number(), identityOf(t, p.number())
	_ = p.Process.Kill()
	p.await(t, unix.WEXITED)
	if got := output(t, part("procid", 0, "--wait", number, id)); got != "gone" {
		t.Errorf("a zombie: %q", got)
	}
	_ = p.Wait()
	if got := output(t, part("procid", 0, "--wait", number, id)); got != "gone" {
		t.Errorf("%q", got)
	}
}
