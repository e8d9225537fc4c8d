//go:build unix

// Explore drives real bash processes, which run the real library, through their interleavings, and
// kills them wherever they stand.
//
// seam.bash stops a process before each step that others can see: each change of a file or
// directory, each listing or read of a lock, each probe, each wait. One stop is enough for before and
// after: between two of them nothing is seen or changed. The controller, this program, goes from state
// to state, depth first, by every choice that there is at a state, within a bound of preemptions, and
// does not go on from a state that it knows: the same files, the same history of steps and answers of
// each process. Where the way that led there can not matter any more, outside the library and before each
// new look at a contended lock, a process tells all that its shell holds, and its history begins with
// that. The files of a state are the controller's, in memory (tree.go). What a process does in a
// state is played by a real one, a subshell of a bash that has read the library, in a real directory
// that holds just those files (disk.go). Each such step is played once and known from then on
// (actor.go); a process whose steps lead elsewhere when they are played again is an error.
//
// What is real and what is not. The shell code is the library's, word for word, but for the functions
// in seam.bash's table. What commands do to files is what POSIX says of the system calls that they make
// (command.go), so that a rename can be made after the shell that asked for it was killed: at any later
// time, and into the directory that mv had open by then (I5 in the library's head). A killed process
// takes no more steps, and procid's answers are what the controller knows; nobody is seen to carry a
// token, as on systems that show no environments. Time is the controller's: a wait ends when what it
// waits for has changed, however late, or early, where a scenario says so: a wake-up that was lost,
// came too soon or was somebody else's. A sample of the schedules is run again with real commands,
// SIGKILL and procid (real.go), and must end with the same files.
//
// What is left out, since it is seen by nobody: switches while a process works in its own slot, and
// kills before a step that only reads, which leave what a kill after it leaves.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
)

// options say what is explored, and where.
type options struct {
	bash, dir, library string // dir has seam.bash and tool.sh
	tmp, tools, path   string
	procid             string
	verbose            bool
}

func main() {
	var o options
	flag.StringVar(&o.bash, "bash", "bash", "the bash that runs the library")
	flag.StringVar(&o.library, "library", "lib/registry-lock.sh", "the library")
	flag.StringVar(&o.dir, "dir", "tests/explore", "where the explorer's shell code is")
	flag.BoolVar(&o.verbose, "v", false, "show what the processes print")
	only := flag.String("only", "", "scenarios that match this regular expression")
	schedule := flag.String("schedule", "", "replay this one")
	deep := flag.Bool("deep", false, "larger bounds")
	bound := flag.Int("bound", -2, "another bound of preemptions, -1 for none")
	mutants := flag.String("mutants", "", "find schedules for the kept mutants that match, and keep them")
	kept := flag.Bool("kept", false, "replay the kept schedules")
	flag.Parse()
	tmp, err := os.MkdirTemp(fastest(), "registry-lock-explore.")
	if err == nil {
		removeOnSignal(tmp)
		err = o.layTools(tmp)
	}
	if err == nil {
		switch {
		case *schedule != "":
			err = replay(&o, *schedule)
		case *mutants != "":
			err = findKept(&o, regexp.MustCompile(*mutants).MatchString)
		case *kept:
			err = checkKept(&o)
		default:
			if err = exploreAll(&o, *only, *deep, *bound); err == nil && *only == "" {
				err = checkKept(&o)
			}
		}
	}
	os.RemoveAll(tmp) // it is in the system's temporary directory
	if err != nil {
		fmt.Fprintln(os.Stderr, "explore:", err)
		os.Exit(1)
	}
}

// removeOnSignal removes tmp when the program is told to end; the shells end with its pipes.
func removeOnSignal(tmp string) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-told
		os.RemoveAll(tmp) // as above
		os.Exit(130)
	}()
}

// fastest is where small files cost least: in memory, where the system has such a place.
func fastest() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		return "/dev/shm"
	}
	return ""
}

// layTools makes a folder for PATH, whose commands on files ask the controller.
func (o *options) layTools(tmp string) error {
	o.tmp, o.tools = tmp, filepath.Join(tmp, "tools")
	bin, err := filepath.Abs(filepath.Join(filepath.Dir(o.library), "../bin"))
	if err != nil {
		return err
	}
	o.procid, o.path = filepath.Join(bin, "procid"), bin+":"+os.Getenv("PATH")
	tool, err := filepath.Abs(filepath.Join(o.dir, "tool.sh"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(o.tools, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"mv", "mkdir", "mkfifo", "rm", "rmdir"} {
		if err := os.Symlink(tool, filepath.Join(o.tools, name)); err != nil {
			return err
		}
	}
	return nil
}
