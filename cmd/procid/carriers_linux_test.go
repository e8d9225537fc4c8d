package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newToken returns a token that no other test has, of a gone process: no system
// gives such a number.
func newToken() string {
	tokens++
	return fmt.Sprintf("2147483647.%s.%d", identify(newAsker(thisSystem(), ""), os.Getpid()).word, tokens)
}

var tokens int

// with gives a command an environment with tokens in it.
func with(cmd *exec.Cmd, tokens string) *exec.Cmd {
	cmd.Env = append(cmd.Env, "REGISTRY_LOCK_TOKENS="+tokens)
	return cmd
}

// carriersOf is what procid in this process says of them, "PID NAME" each.
func carriersOf(t *testing.T, token string) (carriers []string) {
	t.Helper()
	var out, problems strings.Builder
	status := run([]string{token}, "", strings.NewReader(""), &out, &problems)
	words := strings.Fields(out.String())
	if status != 0 || problems.Len() > 0 || len(words) < 3 || words[0] != "gone" {
		t.Fatalf("status %d, %q, %s", status, words, problems.String())
	}
	for words = words[1:]; len(words) > 2; words = words[2:] {
		carriers = append(carriers, words[0]+" "+words[1])
	}
	if len(words) != 2 || words[0] != "end" {
		t.Fatalf("%q", out.String())
	}
	return carriers
}

func expectCarriers(t *testing.T, token string, want ...string) {
	t.Helper()
	if got := carriersOf(t, token); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// line is what is printed of a running process.
func line(t *testing.T, number string) string {
	t.Helper()
	name := strings.TrimSuffix(readProc(number+"/comm"), "\n")
	if name == "" {
		t.Fatalf("process %s has no name", number)
	}
	return number + " " + plainName(name)
}

// shell makes a command of a shell script.
func shell(script string) *exec.Cmd {
	cmd := part("shell", 0)
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script}
	return cmd
}

func TestAChildCarriesItsToken(t *testing.T) {
	token := newToken()
	p := start(t, with(part("wait", 0), "1..1 "+token))
	other := start(t, with(part("wait", 0), "1..1"))
	expectCarriers(t, token, line(t, p.number()))
	other.alive(t)
	_ = p.Process.Kill()
	_ = p.Wait()
	expectCarriers(t, token)
}

func TestCarriersComeInAscendingOrder(t *testing.T) {
	token := newToken()
	var pids []int
	for range 3 {
		pids = append(pids, start(t, with(part("wait", 0), token)).pid())
	}
	slices.Sort(pids)
	var want []string
	for _, pid := range pids {
		want = append(want, line(t, strconv.Itoa(pid)))
	}
	expectCarriers(t, token, want...)
}

func TestAGrandchildCarriesOnAfterTheChild(t *testing.T) {
	token := newToken()
	p := start(t, with(shell("exec 3<&0; sh -c 'echo $$; read -r go' <&3 &"), token))
	p.await(t, unix.WEXITED)
	expectCarriers(t, token, p.said+" sh")
}

// What a shell exports is in what it starts, not in itself or its forks: the
// documented limit.
func TestAForkThatCallsNoExecIsNotSeen(t *testing.T) {
	token := newToken()
	p := start(t, shell(`export REGISTRY_LOCK_TOKENS=`+token+`; exec 3<&0
		(echo forked; read -r go <&3; exec cat <&3) & echo $!; wait`))
	number := p.said
	if number == "forked" {
		number = p.hears(t)
	} else if said := p.hears(t); said != "forked" {
		t.Fatalf("it said %q", said)
	}
	if identityOf(t, number) == "" {
		t.Fatal("the fork isn't running")
	}
	expectCarriers(t, token)
	p.tell(t, "go")
	for readProc(number+"/comm") != "cat\n" {
		if got := ask(t, number); strings.HasPrefix(got, "gone") {
			t.Fatal("the fork is ", got)
		}
	}
	expectCarriers(t, token, number+" cat")
}

func TestOnlyAWholeWordOfTheVariableCounts(t *testing.T) {
	token := newToken()
	for _, p := range []*exec.Cmd{
		with(part("wait", 0), token+"0"), with(part("wait", 0), "1"+token), with(part("wait", 0), "x"+token+"."),
		part("wait", 0, token, "REGISTRY_LOCK_TOKENS="+token),
	} {
		p.Env = append(p.Env, "OTHER_TOKENS="+token, "LAST=REGISTRY_LOCK_TOKENS="+token)
		defer start(t, p).alive(t)
	}
	expectCarriers(t, token)
}

func TestAnUnreapedZombieCarriesNothing(t *testing.T) {
	token := newToken()
	p := start(t, with(part("wait", 0), token))
	expectCarriers(t, token, line(t, p.number()))
	_ = p.Process.Kill()
	p.await(t, unix.WEXITED)
	if !strings.Contains(readProc(p.number()+"/stat"), ") Z ") {
		t.Fatal("it is no zombie")
	}
	expectCarriers(t, token)
}

func TestAZombieLeaderWithALiveThreadCarries(t *testing.T) {
	token := newToken()
	p := start(t, with(part("leaderless", 0), token))
	if !strings.Contains(readProc(p.number()+"/stat"), ") Z ") {
		t.Fatal("its leader is no zombie")
	}
	expectCarriers(t, token, line(t, p.number()))
	p.alive(t)
}

func TestThreadsAreNotListed(t *testing.T) {
	token := newToken()
	p := start(t, with(part("wait", 0), token))
	names, err := os.ReadDir("/proc/" + p.number() + "/task")
	if err != nil || len(names) < 2 {
		t.Fatalf("it has %d threads: %v", len(names), err)
	}
	expectCarriers(t, token, line(t, p.number()))
}

// playHuge calls exec with an environment of 3 MB, its token at the very end.
func playHuge() {
	must(unix.Setrlimit(unix.RLIMIT_STACK, &unix.Rlimit{Cur: 1 << 26, Max: unix.RLIM_INFINITY}))
	env := []string{roleKey + "=wait"}
	for i := range 30 {
		env = append(env, fmt.Sprintf("V%d=%s", i, strings.Repeat("x y ", 25_000)))
	}
	env = append(env, "REGISTRY_LOCK_TOKENS="+os.Args[1])
	must(unix.Exec("/proc/self/exe", os.Args[:1], env))
}

func TestAHugeEnvironmentIsReadToItsEnd(t *testing.T) {
	token := newToken()
	p := start(t, part("huge", 0, "1..1 "+token))
	if size := len(readProc(p.number() + "/environ")); size < 3_000_000 {
		t.Fatalf("it has %d bytes", size)
	}
	expectCarriers(t, token, line(t, p.number()))
	expectCarriers(t, newToken())
}

func TestACarrierInTheMidstOfExecIsNotMissed(t *testing.T) {
	token := newToken()
	p := start(t, with(shell("echo started; exec sh -c "+
		`'i=$1; [ "$i" -gt 0 ] || { echo done; exec cat; }; exec sh -c "$0" "$0" $((i - 1))' `+
		`'i=$1; [ "$i" -gt 0 ] || { echo done; exec cat; }; exec sh -c "$0" "$0" $((i - 1))' 300`), token))
	done := make(chan string)
	go func() {
		said, _ := p.out.ReadString('\n')
		done <- said
	}()
	for looks := 1; ; looks++ {
		if got := carriersOf(t, token); len(got) != 1 || !strings.HasPrefix(got[0], p.number()+" ") {
			t.Fatalf("look %d: %q", looks, got)
		}
		select {
		case said := <-done:
			if said != "done\n" || looks < 2 {
				t.Errorf("it said %q after %d looks", said, looks)
			}
			return
		default:
		}
	}
}

// playCrowd asks as nobody about a child of root's; kernel threads, a zombie and
// procid itself do not count.
func playCrowd() {
	token := newToken()
	zombie := part("procid", 0, "--version")
	must(zombie.Start())
	must(unix.Waitid(unix.P_PID, zombie.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	child := with(part("wait", 0), token)
	_, err := child.StdinPipe()
	must(err)
	must(child.Start())
	for _, role := range []string{"procid", "as nobody"} {
		answer, err := part(role, 0, token).Output()
		must(err)
		_, _ = os.Stdout.Write(answer)
	}
	say("done")
}

func crowd(t *testing.T, options string) []string {
	needRoot(t)
	p := start(t, part("own proc", unix.CLONE_NEWPID|unix.CLONE_NEWNS, options, "crowd"))
	lines := []string{p.said}
	for lines[len(lines)-1] != "done" {
		lines = append(lines, p.hears(t))
	}
	return lines
}

func TestProcessesOfOthersCountAsNotLookedAt(t *testing.T) {
	got := crowd(t, "")
	if !slices.Equal(got[1:], []string{"gone end 2", "done"}) { // process 1 and the child
		t.Errorf("%q", got)
	}
}

func TestHiddenProcessesCountAsNotLookedAt(t *testing.T) {
	for options, want := range map[string]string{"hidepid=1": "gone end 3", "hidepid=2": "gone end 1", "hidepid=4": "gone end 1"} {
		if got := crowd(t, options); !slices.Equal(got[1:], []string{want, "done"}) {
			t.Errorf("%s: %q", options, got)
		}
	}
}

func TestWithoutAProcOfItsOwnNothingIsLookedFor(t *testing.T) {
	needRoot(t)
	token := newToken()
	start(t, with(part("wait", 0), token))
	for _, cmd := range []*exec.Cmd{
		part("no proc", unix.CLONE_NEWNS, "--why", token),
		part("procid", unix.CLONE_NEWPID, "--why", token), // with the /proc of another namespace
	} {
		if got := output(t, cmd); got != "unknown no-proc" {
			t.Errorf("got %q", got)
		}
	}
	l := newTree(t).asker().system.(*linux)
	l.own = false
	if _, ok := l.survey(map[string]*sought{token: {}}); ok {
		t.Error("there was a survey")
	}
}

func TestManyTokensAreFoundInOneLook(t *testing.T) {
	one, two, none := newToken(), newToken(), newToken()
	a := start(t, with(part("wait", 0), one+" "+two))
	b := start(t, with(part("wait", 0), two))
	var out strings.Builder
	in := strings.Join([]string{one, two, none, "", one}, "\n")
	if status := run([]string{"-"}, "", strings.NewReader(in), &out, io.Discard); status != 0 {
		t.Errorf("status %d", status)
	}
	first, second := line(t, a.number()), line(t, b.number())
	if a.pid() > b.pid() {
		t.Skip("the numbers have begun again")
	}
	want := regexp.MustCompile("^gone " + first + " end N\ngone " + first + " " + second + " end N\ngone end N\n\ngone " + first + " end N\n$")
	if got := regexp.MustCompile("end [0-9]+").ReplaceAllString(out.String(), "end N"); !want.MatchString(got) {
		t.Errorf("%q", got)
	}
}

func TestProcidItselfIsNoCarrier(t *testing.T) {
	token := newToken()
	got := output(t, with(part("procid", 0, token), token))
	if !strings.HasPrefix(got, "gone end ") {
		t.Errorf("got %q", got)
	}
}

// carrying gives the tree's process an environment, of which stat says it has
// size bytes, and token in it.
func (f *tree) carrying(environ string, size int) {
	f.file("proc/77/environ", environ)
	f.file("proc/77/comm", "x\n")
	tail := " 0 4096" + strings.Repeat(" 0", 26) + " 1000 " + strconv.Itoa(1000+size) + " 0\n"
	f.file("proc/77/stat", strings.TrimSuffix(statLine(treePID, "x", "S", "1", "4242"), afterStart)+tail[2:])
}

func (f *tree) survey(token string) *sought {
	f.Helper()
	s := &sought{}
	hidden, ok := f.asker().system.(*linux).survey(map[string]*sought{token: s})
	if !ok {
		f.Fatal("there is no survey")
	}
	s.hidden = hidden
	return s
}

func TestTheTreesProcessCarries(t *testing.T) {
	f := newTree(t)
	env := "A=b\x00REGISTRY_LOCK_TOKENS=5.x.2\x00"
	f.carrying(env, len(env))
	s := f.survey("5.x.2")
	if len(s.carriers) != 1 || s.carriers[0] != (carrier{treePID, "x"}) || s.ended != 0 {
		t.Errorf("%+v", s)
	}
	if s := f.survey("5.x.3"); len(s.carriers) != 0 || s.hidden != 1 { // process 1, which isn't there
		t.Errorf("%+v", s)
	}
}

func TestAnEnvironmentThatIsNotWholeWasNotLookedAt(t *testing.T) {
	env := "A=b\x00"
	for name, spoil := range map[string]func(*tree){
		"in exec":      func(f *tree) { f.carrying("", -1000) },
		"cut off":      func(f *tree) { f.carrying(env, len(env)+1) },
		"over the cap": func(f *tree) { f.carrying(strings.Repeat("A", longestEnviron+1), longestEnviron+1) },
		"no stat":      func(f *tree) { f.carrying(env, len(env)); f.file("proc/77/stat", "77 (x) S 1\n") },
		"old kernel": func(f *tree) {
			f.carrying(env, len(env))
			f.file("proc/77/stat", strings.Replace(statLine(77, "x", "S", "1", "4242"), afterStart, " 4096 0", 1))
		},
		"a pipe": func(f *tree) {
			f.carrying(env, len(env))
			if err := unix.Mkfifo(f.path("proc/77/environ"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"a directory": func(f *tree) {
			f.carrying(env, len(env))
			_ = os.Remove(f.path("proc/77/environ"))
			f.file("proc/77/environ/x", "")
		},
	} {
		f := newTree(t)
		if spoil(f); f.survey("5.x.2").hidden != 2 {
			t.Errorf("%s: %+v", name, f.survey("5.x.2"))
		}
	}
	f := newTree(t)
	f.carrying(strings.Repeat("A", longestEnviron), longestEnviron)
	if s := f.survey("5.x.2"); s.hidden != 1 {
		t.Errorf("just the cap: %+v", s)
	}
}

func TestAProcessThatVanishesIsNotCounted(t *testing.T) {
	f := newTree(t)
	f.carrying("A=b\x00", 4)
	_ = os.Remove(f.path("proc/77/environ"))
	_ = os.Remove(f.path("proc/77/stat"))
	f.kill = []error{unix.ESRCH}
	if s := f.survey("5.x.2"); s.hidden != 0 || s.ended != 0 || len(s.carriers) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestACarrierThatEndsUnderTheLookIsToldApart(t *testing.T) {
	f := newTree(t)
	f.carrying("REGISTRY_LOCK_TOKENS=5.x.2\x00", 27)
	f.file("proc/77/stat", statLine(treePID, "x", "Z", "1", "4242"))
	if s := f.survey("5.x.2"); s.ended != 1 || len(s.carriers) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestWhatHasNoMemoryCarriesNothing(t *testing.T) {
	p := start(t, part("wait", 0))
	line, ok := parseMemory(readProc(p.number() + "/stat"))
	if size := len(readProc(p.number() + "/environ")); !ok || line.environ != uint64(size) || line.size == 0 {
		t.Errorf("%+v, of %d bytes", line, size)
	}
	for name, stat := range map[string]string{
		"a kernel thread": strings.Replace(statLine(treePID, "x", "S", "1", "4242"), afterStart, " 0 0", 1),
		"a zombie":        strings.Replace(statLine(treePID, "x", "Z", "1", "4242"), afterStart, " 0 0", 1),
	} {
		f := newTree(t)
		f.file("proc/77/stat", stat)
		if s := f.survey("5.x.2"); s.hidden != 1 || len(s.carriers) != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// thread gives the tree's process a thread with an environment; the state of one
// that has ended is Z, and its environment is gone.
func (f *tree) thread(tid int, state, environ string) {
	at := "proc/77/task/" + strconv.Itoa(tid) + "/"
	tail := " 4096" + strings.Repeat(" 0", 26) + " 1000 " + strconv.Itoa(1000+len(environ)) + " 0\n"
	if state == "Z" {
		tail = " 0 0"
	}
	f.file(at+"environ", environ)
	f.file(at+"stat", strings.TrimSuffix(statLine(tid, "x", state, "3", "4242"), afterStart)+tail)
}

func TestWhereTheLeaderHasEndedItsThreadsTell(t *testing.T) {
	const other, carrying = "A=b\x00", "REGISTRY_LOCK_TOKENS=5.x.2\x00"
	leader := func(f *tree, state, threads string) {
		f.file("proc/77/environ", "")
		f.file("proc/77/stat", strings.Replace(statLine(treePID, "x", state, threads, "4242"), afterStart, " 0 0", 1))
	}
	for name, c := range map[string]struct {
		play             func(*tree)
		carriers, hidden int
	}{
		"the first carries":        {func(f *tree) { f.thread(78, "S", carrying) }, 1, 1},
		"the first has ended":      {func(f *tree) { f.thread(78, "Z", ""); f.thread(79, "S", carrying) }, 1, 1},
		"the first has vanished":   {func(f *tree) { f.file("proc/77/task/78/x", ""); f.thread(79, "S", carrying) }, 1, 1},
		"all have ended":           {func(f *tree) { f.thread(78, "Z", "") }, 0, 1},
		"one can not be read":      {func(f *tree) { f.thread(78, "S", other); f.file("proc/77/task/78/stat", "78 (x\n") }, 0, 2},
		"there is no other":        {func(f *tree) { f.thread(78, "S", carrying); leader(f, "Z", "1") }, 0, 1},
		"the leader has not ended": {func(f *tree) { f.thread(78, "S", carrying); leader(f, "S", "3") }, 0, 1},
	} {
		f := newTree(t)
		leader(f, "Z", "3")
		f.thread(77, "Z", "")
		c.play(f)
		if s := f.survey("5.x.2"); len(s.carriers) != c.carriers || s.hidden != c.hidden || s.ended != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestAnEnvironmentsSizeIsKnownWhereItsPlacesAre(t *testing.T) {
	for fields, want := range map[string]uint64{
		"0 0": notYet, "0 9": 9, "7 9": 2, "9 9": 0, "9 7": notYet, "7 0": notYet, "x 9": notYet,
	} {
		line := "77 (x) S" + strings.Repeat(" 1", 46) + " " + fields + " 0"
		m, ok := parseMemory(line)
		if !ok || m.environ != want {
			t.Errorf("%s: got %d, %v", fields, m.environ, ok)
		}
	}
	if m, ok := parseMemory("077 (x) S" + strings.Repeat(" 1", 46) + " 7 9 0"); ok {
		t.Errorf("a line with a wrong number: %+v", m)
	}
}
