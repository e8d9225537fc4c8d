package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// tree is a root directory with a /proc of its own making. Its process is 77.
type tree struct {
	*testing.T
	root   string
	kill   []error // what kill(2) says, call by call; the last one for ever
	tgkill error
	killed int
	host   string
	tenant string
}

const (
	treePID    = 77
	treeBootID = "0badcafe-0123-4567-89ab-cdef01234567"
	machineID  = "0badcafe0123456789abcdef01234567"
)

func newTree(t *testing.T) *tree {
	f := &tree{T: t, root: t.TempDir(), kill: []error{nil}, host: "build7"}
	me := strconv.Itoa(os.Getpid())
	f.link("proc/self", me)
	f.file("proc/"+me+"/status", "Name:\tx\nTgid:\t"+me+"\nNSpid:\t"+me+"\n")
	f.link("proc/"+me+"/ns/pid", "pid:[4026531836]")
	f.link("proc/"+me+"/ns/time", "time:[4026531834]")
	f.file("proc/sys/kernel/random/boot_id", treeBootID+"\n")
	f.file("etc/machine-id", machineID+"\n")
	f.file("proc/77/stat", statLine(treePID, "x", "S", "1", "4242")+"\n")
	f.file("proc/77/status", "Name:\tx\nTgid:\t77\n")
	return f
}

func (f *tree) path(name string) string {
	path := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	_ = os.Remove(path)
	return path
}

func (f *tree) file(name, text string) {
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f *tree) link(name, target string) {
	if err := os.Symlink(target, f.path(name)); err != nil {
		f.Fatal(err)
	}
}

func (f *tree) mine(name string) string { return "proc/" + strconv.Itoa(os.Getpid()) + "/" + name }

func (f *tree) asker() *asker {
	kill := func(int, unix.Signal) error {
		f.killed++
		return f.kill[min(f.killed, len(f.kill))-1]
	}
	tgkill := func(int, int, unix.Signal) error { return f.tgkill }
	host := func() string { return f.host }
	return newAsker(newLinux(f.root, calls{kill, tgkill, host}), f.tenant)
}

// id is the ID of the tree's process, with the given changes of its scope.
func (f *tree) id(change func(*identity)) string {
	seen := identify(newTree(f.T).asker(), treePID)
	id, ok := parseID(seen.word)
	if !ok {
		f.Fatalf("the tree's process is %v", seen)
	}
	if change != nil {
		change(&id)
	}
	return id.String()
}

func (f *tree) expect(want verdict, id string) {
	f.Helper()
	got := identify(f.asker(), treePID)
	if id != "" {
		got = judge(f.asker(), treePID, id)
	}
	if got != want {
		f.Errorf("got %v, want %v", got, want)
	}
}

func TestTheTreesProcessIsAlive(t *testing.T) {
	f := newTree(t)
	f.expect(verdict{f.id(nil), whyRunning}, f.id(nil))
	f.expect(gone(whyRecycled), f.id(func(id *identity) { id.start++ }))
	f.expect(gone(whyRecycled), f.id(func(id *identity) { id.start-- }))
}

func TestEachErrnoHasItsVerdict(t *testing.T) {
	for _, test := range []struct {
		kill, tgkill error
		want         verdict
	}{
		{unix.ESRCH, unix.ESRCH, gone(whyNotRunning)},
		{unix.EINVAL, nil, unknown(whyOddErrno)},
		{unix.ENOSYS, unix.ENOSYS, unknown(whyOddErrno)},
		{syscall.Errno(999), nil, unknown(whyOddErrno)},
	} {
		f := newTree(t)
		f.kill, f.tgkill = []error{test.kill}, test.tgkill
		f.expect(test.want, "")
		f.expect(test.want, f.id(nil))
	}
	for _, tgkill := range []error{unix.EPERM, unix.ENOSYS, unix.ESRCH} {
		f := newTree(t)
		f.kill, f.tgkill = []error{unix.EPERM}, tgkill
		f.expect(verdict{f.id(nil), whyRunning}, f.id(nil))
	}
}

func TestAProcessIsToldWithoutItsStatus(t *testing.T) {
	f := newTree(t)
	_ = os.Remove(f.path("proc/77/status"))
	f.expect(verdict{f.id(nil), whyRunning}, "")
}

func TestWhatEndsWhileItIsReadIsLookedAtAgain(t *testing.T) {
	f := newTree(t)
	killed := 0
	kill := func(int, unix.Signal) error {
		if killed++; killed == 2 {
			f.file("proc/77/stat", statLine(treePID, "y", "S", "1", "5000"))
		}
		return nil
	}
	l := newLinux(f.root, calls{kill, func(int, int, unix.Signal) error { return nil }, hostName})
	_ = os.Remove(f.path("proc/77/stat"))
	if seen := l.look(treePID); seen != seenPresent(5000, whyRunning) || killed != 3 {
		t.Errorf("got %v after %d calls", seen, killed)
	}
}

func TestATimeNamespaceIsInTheIdentity(t *testing.T) {
	f := newTree(t)
	f.link(f.mine("ns/time"), "time:[4026532177]")
	f.link(f.mine("ns/time_for_children"), "time:[4026532177]")
	f.file(f.mine("timens_offsets"), "monotonic 0 0\nboottime 5 0\n")
	first, _ := parseID(identify(f.asker(), treePID).word)
	f.file(f.mine("timens_offsets"), "monotonic 0 0\nboottime 6 0\n")
	second, _ := parseID(identify(f.asker(), treePID).word)
	if first.timens == 0 || second.timens == 0 || first.timens == second.timens || first.timens>>32 != 0 {
		t.Errorf("%v and %v", first, second)
	}
	f.link(f.mine("ns/time_for_children"), "time:[4026532178]")
	f.expect(unknown(whyNoIdentity), "")
}

func TestTheHostsNameIsTheSystems(t *testing.T) {
	want, err := os.Hostname()
	if got := hostName(); err != nil || got != want {
		t.Errorf("got %q, want %q, %v", got, want, err)
	}
}

// script is a group of threads that changes from one reading to the next.
type script struct {
	lists [][]string
	stats []stat
}

func (s *script) list() (list []string, err error) {
	list, s.lists = s.lists[0], s.lists[1:]
	return list, nil
}

func (s *script) stat(string, int) (line stat, err error) {
	line, s.stats = s.stats[0], s.stats[1:]
	return line, nil
}

func TestThreadsAreDeadOnlyIfNoneWasAddedOrTookOver(t *testing.T) {
	dead, alive, released := stat{state: 'Z', threads: 2}, stat{state: 'S', threads: 2}, stat{state: 'X'}
	two, added := []string{"77", "78"}, []string{"77", "78", "79"}
	for name, test := range map[string]struct {
		group script
		want  bool
	}{
		"all dead":        {script{[][]string{two, two}, []stat{dead, dead, dead}}, true},
		"one was added":   {script{[][]string{two, added}, []stat{dead, dead, dead}}, false},
		"one took over":   {script{[][]string{two, two}, []stat{dead, dead, alive}}, false},
		"one takes over":  {script{[][]string{two, two}, []stat{dead, dead, released}}, false},
		"one is alive":    {script{[][]string{two, two}, []stat{dead, alive, dead}}, false},
		"none are listed": {script{[][]string{nil, nil}, []stat{dead}}, false},
	} {
		if got := threadsDead(treePID, &test.group); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAForeignProcProvesNoDeath(t *testing.T) {
	f := newTree(t)
	f.link("proc/self", "77")
	f.file("proc/77/stat", statLine(treePID, "x", "Z", "1", "4242"))
	f.expect(unknown(whyNoProc), "")
}

func TestARefusedReadIsNotPermitted(t *testing.T) {
	for _, err := range []error{unix.EACCES, unix.EPERM} {
		l := newTree(t).asker().system.(*linux)
		if seen, _ := l.unreadable(treePID, err); seen != seenUnsure(whyNotPermitted) {
			t.Errorf("%v: got %v", err, seen)
		}
	}
}

func TestAThreadIsToldByItsGroup(t *testing.T) {
	f := newTree(t)
	f.tgkill = unix.ESRCH
	f.file("proc/77/status", "Name:\tx\nTgid:\t76\nPid:\t77\n")
	f.expect(gone(whyThread), "")
	f.expect(gone(whyThread), f.id(nil))
}

func TestWhatCantBeReadIsUnknown(t *testing.T) {
	for name, spoil := range map[string]func(*tree){
		whyNoProc:       func(f *tree) { _ = os.RemoveAll(filepath.Join(f.root, "proc/77")) },
		"odd-errno":     func(f *tree) { f.file("proc/77/stat", "77 (x) S 1 2\n") },
		"odd-errno ":    func(f *tree) { f.file("proc/77/stat", statLine(78, "x", "S", "1", "4242")) },
		"odd-errno  ":   func(f *tree) { f.file("proc/77/stat", "") },
		"odd-errno   ":  func(f *tree) { f.tgkill = unix.ESRCH; f.file("proc/77/status", "Tgid:\t77\n") },
		"not-permitted": func(f *tree) { f.kill = []error{unix.EPERM}; f.file("proc/77/stat", "") },
	} {
		f := newTree(t)
		id := f.id(nil)
		spoil(f)
		f.expect(unknown(strings.TrimSpace(name)), "")
		f.expect(unknown(strings.TrimSpace(name)), id)
	}
}

func TestAProcessThatEndsWhileItIsReadIsGone(t *testing.T) {
	f := newTree(t)
	id := f.id(nil)
	f.kill = []error{nil, unix.ESRCH}
	_ = os.Remove(f.path("proc/77/stat"))
	f.expect(gone(whyNotRunning), id)
}

func TestAZombieNeedsItsThreadsDead(t *testing.T) {
	for _, test := range []struct {
		state, threads, thread string
		want                   verdict
	}{
		{"Z", "1", "", gone(whyZombie)},
		{"X", "1", "", gone(whyZombie)},
		{"Z", "2", "S", verdict{"", whyRunning}},
		{"Z", "2", "T", verdict{"", whyRunning}},
		{"Z", "2", "", verdict{"", whyRunning}}, // its threads can't be read
		{"Z", "2", "Z", gone(whyZombie)},
		{"Z", "2", "x", gone(whyZombie)},
		{"Z", "0", "", unknown(whyNoProc)}, // released while another thread takes over
		{"S", "0", "", verdict{"", whyRunning}},
	} {
		f := newTree(t)
		stat := statLine(treePID, "x", test.state, test.threads, "4242")
		f.file("proc/77/stat", stat)
		if test.thread != "" {
			f.file("proc/77/task/77/stat", stat)
			f.file("proc/77/task/78/stat", statLine(78, "x", test.thread, "2", "4243"))
		}
		if test.want.word == "" {
			test.want.word = f.id(nil)
		}
		f.expect(test.want, f.id(nil))
	}
}

func TestAnotherBootIsGoneOnlyOnAMachineThatIsSurelyThisOne(t *testing.T) {
	earlier := newTree(t).id(func(id *identity) { id.boot++ })
	for name, test := range map[string]struct {
		change func(*tree)
		want   verdict
	}{
		"this machine":     {func(*tree) {}, gone(whyEarlierBoot)},
		"renamed":          {func(f *tree) { f.host = "build8" }, unknown(whyMachine)},
		"other machine id": {func(f *tree) { f.file("etc/machine-id", strings.Repeat("1", 32)) }, unknown(whyMachine)},
		"pid namespace":    {func(f *tree) { f.link(f.mine("ns/pid"), "pid:[4026532000]") }, unknown(whyBoot)},
		"old kernel":       {func(f *tree) { _ = os.Remove(f.path(f.mine("ns/time"))) }, gone(whyEarlierBoot)},
	} {
		f := newTree(t)
		test.change(f)
		if got := judge(f.asker(), treePID, earlier); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
		if f.killed != 0 {
			t.Errorf("%s: signal 0 was asked", name)
		}
	}
}

func TestAGenericMachineNeverProvesAnEarlierBoot(t *testing.T) {
	for name, change := range map[string]func(*tree){
		"generic host":  func(f *tree) { f.host = "localhost" },
		"no machine id": func(f *tree) { _ = os.Remove(f.path("etc/machine-id")) },
		"first boot":    func(f *tree) { f.file("etc/machine-id", "uninitialized\n") },
		"all zero":      func(f *tree) { f.file("etc/machine-id", strings.Repeat("0", 32)+"\n") },
	} {
		f := newTree(t)
		change(f)
		id, ok := parseID(identify(f.asker(), treePID).word)
		id.boot++
		if got := judge(f.asker(), treePID, id.String()); !ok || got != unknown(whyBoot) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestARenamedHostJudgesItsOwnRecords(t *testing.T) {
	f := newTree(t)
	id := f.id(nil)
	f.host = "renamed"
	f.file("etc/machine-id", strings.Repeat("1", 32))
	f.expect(verdict{id, whyRunning}, id)
	f.kill, f.killed = []error{unix.ESRCH}, 0
	f.expect(gone(whyNotRunning), id)
}

func TestAScopeThatCantBeReadGivesNoIdentity(t *testing.T) {
	const bootID = "proc/sys/kernel/random/boot_id"
	for _, test := range []struct {
		want  string
		spoil func(*tree)
	}{
		{whyNoIdentity, func(f *tree) { _ = os.Remove(f.path(bootID)) }},
		{whyNoIdentity, func(f *tree) { f.file(bootID, "\n") }},
		{whyNoIdentity, func(f *tree) { f.file(bootID, strings.Repeat("x", len(treeBootID))+"\n") }},
		{whyNoIdentity, func(f *tree) { _ = os.Remove(f.path(f.mine("ns/pid"))) }},
		{whyNoIdentity, func(f *tree) { f.link(f.mine("ns/pid"), "pid:[x]") }},
		{whyNoIdentity, func(f *tree) { f.link(f.mine("ns/pid"), "pid:[0]") }},
		{whyNoIdentity, func(f *tree) { f.link(f.mine("ns/pid"), "net:[4026531836]") }},
		{whyNoIdentity, func(f *tree) { f.link(f.mine("ns/time"), "time:[4026532000]") }},
		{whyNoIdentity, func(f *tree) {
			f.link(f.mine("ns/time"), "time:[4026532000]")
			f.link(f.mine("ns/time_for_children"), "time:[4026532000]")
		}},
		{whyNoProc, func(f *tree) { f.link("proc/self", "1") }},
		{whyNoProc, func(f *tree) {
			f.link("proc/self", "77")
			f.file("proc/77/status", "Name:\tx\nTgid:\t77\nNSpid:\t77\n")
		}},
		{whyNoProc, func(f *tree) { _ = os.Remove(f.path("proc/self")) }},
		{whyNoProc, func(f *tree) { f.file(f.mine("status"), "Name:\tx\nNSpid:\t5\t1\n") }},
		{whyNoProc, func(f *tree) { f.file(f.mine("status"), strings.Repeat("x", 1<<20)) }},
	} {
		f := newTree(t)
		id := f.id(nil)
		test.spoil(f)
		f.expect(unknown(test.want), "")
		f.expect(unknown(test.want), id)
		f.kill, f.killed = []error{unix.ESRCH}, 0
		f.expect(gone(whyNotRunning), "")
		f.expect(unknown(test.want), id)
	}
}

func TestManyGroupsDoNotHideTheNamespace(t *testing.T) {
	f := newTree(t)
	f.file(f.mine("status"), "Name:\tx\nGroups:\t"+strings.Repeat("1234567 ", 9000)+"\nNSpid:\t5\n")
	f.expect(verdict{f.id(nil), whyRunning}, "")
	f.file(f.mine("status"), "Name:\tx\nGroups:\t"+strings.Repeat("1234567 ", 9000)+"\nNSpid:\t5\t1\n")
	f.expect(unknown(whyNoProc), "")
}

func TestABadPIDNeverReachesKill(t *testing.T) {
	f := newTree(t)
	var out, problems strings.Builder
	p := program{func() system { return f.asker().system }, "", strings.NewReader(""), &out, &problems}
	for _, pid := range badPIDs {
		if pid != "-" {
			p.run([]string{pid})
		}
	}
	lines := strings.ReplaceAll(strings.Join(badPIDs, "|"), "\n", "\r")
	p.stdin = strings.NewReader(strings.ReplaceAll(lines, "|", "\n"))
	if p.run([]string{"-"}); f.killed != 0 {
		t.Errorf("kill was called %d times", f.killed)
	}
	if p.run([]string{"77"}); f.killed == 0 {
		t.Error("the counter doesn't count")
	}
}

// A pipe in the place of a file would keep a plain open waiting for ever.
func TestAPipeInThePlaceOfAFileIsNotWaitedFor(t *testing.T) {
	f := newTree(t)
	for _, name := range []string{"etc/machine-id", "proc/sys/kernel/random/boot_id", "proc/77/stat"} {
		if err := unix.Mkfifo(f.path(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f.expect(unknown(whyOddErrno), "")
}
