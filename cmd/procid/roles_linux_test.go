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

// The test binary plays other processes: roleKey names the part it has, and
// roles has them all. A part that goes on prints what it is asked for, then
// waits until its standard input ends. Under an emulator playersKey names the test
// binary of the machine itself, so that the processes asked about are native ones.
const (
	roleKey    = "PROCID_TEST_ROLE"
	playersKey = "PROCID_TEST_PLAYERS"
	nobody     = 65534
)

var roles map[string]func()

func init() {
	if os.Getenv(roleKey) != "" {
		runtime.LockOSThread() // parts run on the main thread
	}
	roles = map[string]func(){
		"procid":     playProcid,
		"main":       main,
		"wait":       func() { say("ready") },
		"named":      playNamed,
		"leaderless": playLeaderless,
		"execing":    playExecing,
		"as nobody":  playNobody,
		"own proc":   playOwnProc,
		"no proc":    playNoProc,
		"inmate":     playInmate,
		"later time": playLaterTime,
		"recycling":  playRecycling,
		"huge":       playHuge,
		"crowd":      playCrowd,
	}
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleKey)
	if role == "" {
		os.Exit(m.Run())
	}
	roles[role]()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func playProcid() {
	os.Exit(run(os.Args[1:], os.Getenv(tenantVariable), os.Stdin, os.Stdout, os.Stderr))
}

// say tells the parent that the part has come so far.
func say(text string) { _, _ = os.Stdout.WriteString(text + "\n") }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// part makes a command of a role; flags are its new namespaces.
func part(role string, flags uintptr, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	if exe, err := os.Executable(); err == nil {
		cmd.Path = exe
	}
	if native := os.Getenv(playersKey); native != "" {
		cmd.Path = native
	}
	cmd.Env = append(os.Environ(), roleKey+"="+role)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// player is a started part that has said its first line.
type player struct {
	*exec.Cmd
	said string
	out  *bufio.Reader
	in   io.Writer
}

func start(t *testing.T, cmd *exec.Cmd) *player {
	t.Helper()
	stdin, stdout := pipes(t, cmd)
	if err := cmd.Start(); err != nil {
		skipIfEmulated(t, cmd)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p := &player{Cmd: cmd, out: bufio.NewReader(stdout), in: stdin}
	p.said = p.hears(t)
	return p
}

// skipIfEmulated skips a test that could not start a part in new namespaces.
func skipIfEmulated(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Getenv(playersKey) != "" && cmd.Process == nil && cmd.SysProcAttr.Cloneflags != 0 {
		t.Skip("the emulator makes no namespaces")
	}
}

// hears returns the next line that a part says.
func (p *player) hears(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%s said %q: %v", p.Env[len(p.Env)-1], line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// tell sends a part a line.
func (p *player) tell(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (p *player) pid() int       { return p.Process.Pid }
func (p *player) number() string { return strconv.Itoa(p.pid()) }

// output runs a part to its end; it must end with 0.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		skipIfEmulated(t, cmd)
		t.Fatalf("%s: %v, %q", cmd.Env[len(cmd.Env)-1], err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// ask is procid --why in this process.
func ask(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems strings.Builder
	status := run(append([]string{"--why"}, args...), "", strings.NewReader(""), &out, &problems)
	if status != 0 || problems.Len() > 0 {
		t.Fatalf("procid %q: status %d, %s", args, status, problems.String())
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// identityOf returns the ID of a process that is running.
func identityOf(t *testing.T, number string) string {
	t.Helper()
	id, why, _ := strings.Cut(ask(t, number), " ")
	if _, ok := parseID(id); !ok || why != whyRunning {
		t.Fatalf("process %s: %s %s", number, id, why)
	}
	return id
}

// expect asks and compares.
func expect(t *testing.T, want string, args ...string) {
	t.Helper()
	if got := ask(t, args...); got != want {
		t.Errorf("procid --why %q: got %q, want %q", args, got, want)
	}
}

// alive fails unless the process is there, and no zombie, as its parent sees it.
func (p *player) alive(t *testing.T) {
	t.Helper()
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.pid(), &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	if err != nil || info.Signo != 0 {
		t.Fatalf("process %d isn't running: %v, signal %d", p.pid(), err, info.Signo)
	}
}

// await waits for a change of a child without reaping it.
func (p *player) await(t *testing.T, change int) {
	t.Helper()
	if err := unix.Waitid(unix.P_PID, p.pid(), nil, change|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
}

// needRoot skips a test of what only root can set up.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make namespaces and mounts")
	}
}
