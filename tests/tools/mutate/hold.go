package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

const prSetChildSubreaper = 36

// readOnly starts the words after "--" in a mount namespace where nothing but the folders before
// it can be written: a mutant of code that removes things may remove anything.
const readOnly = `
for dir; do
  [ "$dir" != -- ] || break
  mount --bind "$dir" "$dir" || exit
  shift
done
shift
mount -o remount,bind,ro / && exec "$@"`

// hold runs a command and, once it has ended or the other side has closed standard input, kills
// whatever it left running: an orphan comes to this process. Arguments: WRITABLE... -- COMMAND...
func hold(arguments []string) int {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		fmt.Fprintln(os.Stderr, "mutate: prctl:", errno)
		return 2
	}
	command := append([]string{"unshare", "-m", "sh", "-c", readOnly, "hold"}, arguments...)
	if exec.Command("unshare", "-m", "true").Run() != nil {
		for arguments[0] != "--" {
			arguments = arguments[1:]
		}
		command = arguments[1:]
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		return 2
	}
	null, _ := os.Open(os.DevNull)
	child, err := os.StartProcess(path, command, &os.ProcAttr{
		Files: []*os.File{null, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		return 2
	}
	go func() {
		os.Stdin.Read(make([]byte, 1))
		killAll()
	}()
	var status syscall.WaitStatus
	for {
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == nil && pid == child.Pid {
			break
		}
	}
	result := status.ExitStatus()
	for {
		killAll()
		if _, err := syscall.Wait4(-1, nil, 0, nil); err == syscall.ECHILD {
			return result
		}
	}
}

// killAll kills every process below this one, the stopped ones too.
func killAll() {
	entries, _ := os.ReadDir("/proc")
	parents := map[int]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])); len(fields) > 1 {
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	for pid := range parents {
		for above := parents[pid]; above != 0; above = parents[above] {
			if above == os.Getpid() {
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
}
