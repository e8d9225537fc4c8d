//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cell is a second container on the same locks: a pid, a mount and a UTS namespace of its own. Its
// processes have other numbers there than the conductor sees, often those of processes outside.
type cell struct {
	init   int // its process 1, as the conductor sees it
	starts chan func()
}

// beCell is process 1 of the cell, which asks for the status of all that ends there. It never ends.
func (o options) beCell() int {
	for _, err := range []error{
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
		unix.Sethostname([]byte("cell")),
		os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte("300"), 0),
		limitPids(),
	} {
		if err != nil {
			fmt.Fprintln(os.Stderr, "the cell:", err)
			return 1
		}
	}
	fmt.Println("ready")
	for {
		if _, err := syscall.Wait4(-1, nil, 0, nil); err == syscall.ECHILD {
			time.Sleep(beat)
		}
	}
}

// limitPids is what stage.sh does outside.
func limitPids() error {
	most := os.Getenv("CHAOS_CELL_PIDS")
	if most == "" {
		return nil
	}
	return os.WriteFile("/proc/sys/kernel/pid_max", []byte(most), 0)
}

// makeCell makes the cell, and a thread that starts processes in it.
func (c *conductor) makeCell() error {
	ready, says, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	c.cell.init, err = syscall.ForkExec("/proc/self/exe", []string{"chaos", "-cell"}, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{null.Fd(), says.Fd(), os.Stderr.Fd()},
		Sys:   &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS},
	})
	says.Close()
	if err != nil {
		return err
	}
	if n, _ := ready.Read(make([]byte, 16)); n == 0 {
		return fmt.Errorf("its process 1 has ended")
	}
	c.cell.starts = make(chan func())
	entered := make(chan error)
	go c.serveCell(entered)
	return <-entered
}

// serveCell enters the cell with its thread, which starts processes there from now on.
func (c *conductor) serveCell(entered chan error) {
	runtime.LockOSThread() // and never unlocked: the thread is of no other use
	err := unix.Unshare(unix.CLONE_FS)
	for _, ns := range []string{"uts", "pid", "mnt"} { // behind mnt, /proc is another
		if err == nil {
			err = enter(fmt.Sprintf("/proc/%d/ns/%s", c.cell.init, ns))
		}
	}
	entered <- err
	for start := range c.cell.starts {
		start()
	}
}

func enter(namespace string) error {
	fd, err := unix.Open(namespace, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Setns(fd, 0)
}

// forkExec is syscall.ForkExec, in the cell or outside.
func (c *conductor) forkExec(inCell bool, program string, command []string, attr *syscall.ProcAttr) (pid int, err error) {
	if !inCell {
		return syscall.ForkExec(program, command, attr)
	}
	done := make(chan struct{})
	c.cell.starts <- func() {
		pid, err = syscall.ForkExec(program, command, attr)
		close(done)
	}
	<-done
	return pid, err
}

// inCell tells a worker of the cell by its name.
func inCell(worker string) bool { return strings.HasSuffix(worker, "c") }
