package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// playNobody gives up root and goes on as procid.
func playNobody() {
	must(unix.Setgroups(nil))
	must(unix.Setgid(nobody))
	must(unix.Setuid(nobody))
	roles["procid"]()
}

// mountProc puts a /proc of its own into this mount namespace. A remount would
// change the one that the whole machine sees.
func mountProc(options string) {
	must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	must(unix.Mount("proc", "/proc", "proc", 0, options))
}

// playOwnProc mounts /proc with options and goes on as another part.
func playOwnProc() {
	mountProc(os.Args[1])
	role := os.Args[2]
	os.Args = append(os.Args[:1], os.Args[3:]...)
	roles[role]()
}

// playNoProc takes /proc away and goes on as procid.
func playNoProc() {
	must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	must(unix.Unmount("/proc", unix.MNT_DETACH))
	roles["procid"]()
}

// playInmate says its own ID.
func playInmate() {
	say(identify(newAsker(thisSystem(), ""), os.Getpid()).word)
}

func TestAnotherUsersProcessIsItsID(t *testing.T) {
	needRoot(t)
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	for _, args := range [][]string{{"--why", p.number()}, {"--why", p.number(), id}} {
		if got := output(t, part("as nobody", 0, args...)); got != id+" running" {
			t.Errorf("%q: %s", args, got)
		}
	}
	p.alive(t)
}

func TestAHiddenProcessIsUnknown(t *testing.T) {
	needRoot(t)
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	for _, hide := range []string{"hidepid=1", "hidepid=2", "hidepid=4"} {
		for _, args := range [][]string{{p.number()}, {p.number(), id}} {
			args = append([]string{hide, "as nobody", "--why"}, args...)
			if got := output(t, part("own proc", unix.CLONE_NEWNS, args...)); got != "unknown not-permitted" {
				t.Errorf("%q: %s", args, got)
			}
		}
	}
	p.alive(t)
}

func TestWithoutProcOnlySignalsTell(t *testing.T) {
	needRoot(t)
	p := start(t, part("wait", 0))
	id, dead := identityOf(t, p.number()), reaped(t)
	for _, test := range []struct{ want, pid, id string }{
		{"unknown no-proc", p.number(), ""}, {"unknown no-proc", p.number(), id},
		{"gone not-running", dead, ""}, {"unknown no-proc", dead, id},
	} {
		cmd := part("no proc", unix.CLONE_NEWNS, strings.Fields("--why "+test.pid+" "+test.id)...)
		if got := output(t, cmd); got != test.want {
			t.Errorf("%v: got %s", test, got)
		}
	}
	p.alive(t)
}

// reaped returns the number of a process that has just been reaped.
func reaped(t *testing.T) string {
	t.Helper()
	p := part("procid", 0, "--version")
	if err := p.Run(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(p.ProcessState.Pid())
}

func TestAProcOfAnotherNamespaceIsNotRead(t *testing.T) {
	needRoot(t)
	id := identityOf(t, strconv.Itoa(os.Getpid()))
	for want, args := range map[string]string{
		"unknown no-proc":   "--why 1",
		"unknown no-proc ":  "--why 1 " + id,
		"gone not-running":  "--why 2000000000",
		"unknown no-proc  ": "--why 2000000000 " + id,
	} {
		got := output(t, part("procid", unix.CLONE_NEWPID, strings.Fields(args)...))
		if got != strings.TrimSpace(want) {
			t.Errorf("%s: got %s", args, got)
		}
	}
}

func TestAProcessOutsideThePIDNamespaceIsUnknown(t *testing.T) {
	needRoot(t)
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	for _, number := range []string{p.number(), "1"} {
		cmd := part("own proc", unix.CLONE_NEWPID|unix.CLONE_NEWNS, "", "procid", "--why", number, id)
		if got := output(t, cmd); got != "unknown other-pid-namespace" {
			t.Errorf("process %s from inside: %s", number, got)
		}
	}
	p.alive(t)
}

func TestAProcessInsideAnotherPIDNamespaceIsUnknown(t *testing.T) {
	needRoot(t)
	p := start(t, part("own proc", unix.CLONE_NEWPID|unix.CLONE_NEWNS, "", "inmate"))
	id, ok := parseID(p.said)
	if !ok || id.pidns == 0 {
		t.Fatalf("inside it is %q", p.said)
	}
	for _, number := range []string{"1", p.number(), reaped(t)} {
		expect(t, "unknown other-pid-namespace", number, p.said)
	}
	p.alive(t)
}

// playLaterTime enters a time namespace whose clock since boot is os.Args[1]
// seconds ahead, and asks procid from there.
func playLaterTime() {
	if err := unix.Unshare(unix.CLONE_NEWTIME); err != nil {
		say("no time namespace: " + err.Error())
		os.Exit(0)
	}
	offsets := "boottime " + os.Args[1] + " 0\n"
	must(os.WriteFile("/proc/self/timens_offsets", []byte(offsets), 0))
	cmd := part("procid", 0, os.Args[2:]...)
	cmd.Stdout = os.Stdout
	must(cmd.Run())
	os.Exit(0)
}

func laterTime(t *testing.T, offset string, args ...string) string {
	t.Helper()
	needRoot(t)
	got := output(t, part("later time", 0, append([]string{offset}, args...)...))
	if strings.HasPrefix(got, "no time namespace") {
		t.Skip(got)
	}
	return got
}

func TestAnotherTimeNamespaceIsUnknown(t *testing.T) {
	p := start(t, part("wait", 0))
	id := identityOf(t, p.number())
	if got := laterTime(t, "100000", "--why", p.number(), id); got != "unknown other-time-namespace" {
		t.Errorf("from inside: %s", got)
	}
	inside := laterTime(t, "100000", p.number())
	shifted, ok := parseID(inside)
	if plain, _ := parseID(id); !ok || shifted.start-plain.start != 100000*100 {
		t.Fatalf("inside it is %s, outside %s", inside, id)
	}
	expect(t, "unknown other-time-namespace", p.number(), inside)
	p.alive(t)
}

// The number of a time namespace that is no more goes to the next one.
func TestATimeNamespaceWithAReusedNumberIsAnother(t *testing.T) {
	p := start(t, part("wait", 0))
	before := laterTime(t, "100000", p.number())
	if got := laterTime(t, "200000", "--why", p.number(), before); got != "unknown other-time-namespace" {
		t.Errorf("got %s", got)
	}
	p.alive(t)
}

// playRecycling gives the number of a reaped process to another one, and says
// what procid makes of the first one's ID.
func playRecycling() {
	first := part("wait", 0)
	id := started(first)
	number := first.Process.Pid
	end(first)
	for range 1000 {
		last := []byte(strconv.Itoa(number - 1))
		must(os.WriteFile("/proc/sys/kernel/ns_last_pid", last, 0))
		second := part("wait", 0)
		if other := started(second); second.Process.Pid == number && other != id {
			say(judge(newAsker(thisSystem(), ""), number, id).line(true) + "\n" + other)
			say(identify(newAsker(thisSystem(), ""), number).word)
			os.Exit(0)
		}
		end(second)
	}
	say("the number didn't come back")
}

// started starts a part and returns its ID.
func started(cmd *exec.Cmd) string {
	_, err := cmd.StdinPipe()
	must(err)
	must(cmd.Start())
	return identify(newAsker(thisSystem(), ""), cmd.Process.Pid).word
}

// end kills a part and reaps it.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestARecycledNumberIsGone(t *testing.T) {
	needRoot(t)
	p := start(t, part("own proc", unix.CLONE_NEWPID|unix.CLONE_NEWNS, "", "recycling"))
	if p.said != "gone recycled" {
		t.Fatalf("got %q", p.said)
	}
	if second, still := p.hears(t), p.hears(t); second != still {
		t.Errorf("the process with the number was %s and is %s", second, still)
	}
}
