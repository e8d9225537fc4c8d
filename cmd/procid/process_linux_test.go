package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestARunningProcessIsItsID(t *testing.T) {
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	expect(t, id+" running", p.number(), id)
	p.alive(t)
}

func TestAnotherProcidSaysTheSame(t *testing.T) {
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	for _, args := range [][]string{{"--why", p.number()}, {"--why", p.number(), id}} {
		if got := output(t, part("procid", 0, args...)); got != id+" running" {
			t.Errorf("%q: %s", args, got)
		}
	}
}

func TestTwoProcessesHaveTwoIDs(t *testing.T) {
	first := identityOf(t, strconv.Itoa(os.Getpid()))
	p := start(t, part("wait", 0))
	if second := identityOf(t, p.number()); second == first {
		t.Errorf("both are %s", first)
	}
}

func TestAReapedProcessIsGone(t *testing.T) {
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	_ = p.Process.Kill()
	if err := p.Wait(); p.ProcessState == nil {
		t.Fatal("it wasn't reaped:", err)
	}
	expect(t, "gone not-running", p.number())
	expect(t, "gone not-running", p.number(), id)
}

func TestAnUnreapedZombieIsGone(t *testing.T) {
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	_ = p.Process.Kill()
	p.await(t, unix.WEXITED)
	if err := unix.Kill(p.pid(), 0); err != nil {
		t.Fatal("a zombie takes signals:", err)
	}
	expect(t, "gone zombie", p.number())
	expect(t, "gone zombie", p.number(), id)
}

// playLeaderless ends its main thread and goes on in another one.
func playLeaderless() {
	go func() {
		runtime.LockOSThread()
		for !strings.Contains(readProc("self/stat"), ") Z ") {
			runtime.Gosched()
		}
		say("the leader has ended")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

func readProc(path string) string {
	text, _ := os.ReadFile("/proc/" + path)
	return string(text)
}

func TestAZombieLeaderWithALiveThreadIsAlive(t *testing.T) {
	p := start(t, part("leaderless", 0))
	if !strings.Contains(readProc(p.number()+"/stat"), ") Z ") {
		t.Fatal("its leader is no zombie")
	}
	id := identityOf(t, p.number())
	expect(t, id+" running", p.number(), id)
	p.alive(t)
	_ = p.Process.Kill()
	p.await(t, unix.WEXITED)
	expect(t, "gone zombie", p.number(), id)
}

// playExecing calls exec from a thread that isn't the leader, again and again.
func playExecing() {
	left, _ := strconv.Atoi(os.Args[1])
	if left == 0 {
		say("done")
		return
	}
	go func() {
		runtime.LockOSThread()
		must(unix.Exec(os.Args[0], []string{os.Args[0], strconv.Itoa(left - 1)}, os.Environ()))
	}()
	select {}
}

func TestAProcessWhoseThreadCallsExecIsNeverGone(t *testing.T) {
	p := part("execing", 0, "300")
	p.Args[0] = p.Path
	stdin, stdout := pipes(t, p)
	defer stdin.Close()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		said <- line
	}()
	number := strconv.Itoa(p.Process.Pid)
	id := identify(newAsker(thisSystem(), ""), p.Process.Pid).word
	for {
		got := ask(t, number, id)
		select {
		case line := <-said:
			if line != "done\n" || got != id+" running" {
				t.Errorf("it said %q, procid %q", line, got)
			}
			end(p)
			return
		default:
		}
		if strings.HasPrefix(got, "gone") {
			t.Fatalf("%s is %q and goes on", id, got)
		}
	}
}

func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.ReadCloser) {
	t.Helper()
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return stdin, stdout
}

// inThread runs a function while another thread of this process waits in a
// system call, with that thread's number.
func inThread(t *testing.T, do func(number string)) {
	t.Helper()
	number, release := make(chan int), make(chan bool)
	go func() {
		runtime.LockOSThread()
		number <- unix.Gettid()
		<-release
	}()
	tid := <-number
	defer close(release)
	if tid == os.Getpid() {
		inThread(t, do) // the main thread is not free, so it is another one
		return
	}
	if err := unix.Kill(tid, 0); err != nil {
		t.Fatal("a thread's number takes signals:", err)
	}
	do(strconv.Itoa(tid))
}

func TestAThreadsNumberIsNoProcess(t *testing.T) {
	me := identityOf(t, strconv.Itoa(os.Getpid()))
	inThread(t, func(number string) {
		expect(t, "gone thread", number)
		expect(t, "gone thread", number, me)
	})
}

func TestAStoppedProcessIsAliveAndStopped(t *testing.T) {
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	_ = p.Process.Signal(unix.SIGSTOP)
	p.await(t, unix.WSTOPPED)
	expect(t, id+" stopped", p.number(), id)
	_ = p.Process.Signal(unix.SIGCONT)
	p.await(t, unix.WCONTINUED)
	expect(t, id+" running", p.number(), id)
}

// playNamed takes a name that looks like fields of its own stat line.
func playNamed() {
	must(os.WriteFile("/proc/self/comm", []byte("a) S 1 (b c"), 0))
	say("named")
}

func TestAHostileNameDoesNotShiftTheFields(t *testing.T) {
	plain := start(t, part("wait", 0))
	p := start(t, part("named", 0))
	if got := readProc(p.number() + "/comm"); got != "a) S 1 (b c\n" {
		t.Fatalf("its name is %q", got)
	}
	id, ok := parseID(identityOf(t, p.number()))
	before, _ := parseID(identityOf(t, plain.number()))
	if !ok || id.start < before.start || id.start > before.start+6000 {
		t.Errorf("started at %d, a process before it at %d", id.start, before.start)
	}
	p.alive(t)
}

func TestAFullDiskIsAnIOError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full:", err)
	}
	defer full.Close()
	for _, args := range [][]string{{"1"}, {"-"}, {"--help"}} {
		cmd := part("procid", 0, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("1\n"), full, nil
		expectStatus(t, cmd, exitIO)
	}
}

func TestAClosedPipeIsAnIOErrorAndNoSignal(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	defer writer.Close()
	cmd := part("main", 0, "1")
	cmd.Stdout, cmd.Stderr = writer, nil
	expectStatus(t, cmd, exitIO)
}

func expectStatus(t *testing.T, cmd *exec.Cmd, want int) {
	t.Helper()
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
		t.Errorf("%q: %v, want status %d", cmd.Args[1:], err, want)
	}
}
