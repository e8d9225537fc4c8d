//go:build linux

// Command chaos kills, stops and confuses many processes that share some locks, on several file
// systems, and checks that nothing went wrong that a lock promises against.
//
//	chaos [-seconds N] [-seed N] [-home DIR] [-fs LIST]
//
// It runs itself once for each file system, in a mount and a pid namespace of its own. In there some
// of the processes are in a container of their own.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const pidLimit = 500 // the kernel hands out numbers from 300 on, once it has come around

type options struct {
	seconds float64
	seed    int64
	home    string // the tree whose lib and bin are tested
	tests   string // the folder of the workers' scripts
	stage   string // where this process is the conductor: what it is called
	out     string // its folder
}

func main() {
	var o options
	list := flag.String("fs", "ext4,tmpfs,overlayfs", "the file systems")
	flag.Float64Var(&o.seconds, "seconds", 60, "how long, over all file systems")
	flag.Int64Var(&o.seed, "seed", time.Now().UnixNano()%1000000, "what the random choices begin with")
	flag.StringVar(&o.home, "home", ".", "the tree that is tested")
	flag.StringVar(&o.tests, "tests", "tests/chaos", "the folder of the workers")
	flag.StringVar(&o.stage, "stage", "", "only for chaos itself")
	flag.StringVar(&o.out, "out", "", "only for chaos itself")
	cell := flag.Bool("cell", false, "only for chaos itself")
	flag.Parse()
	o.home, _ = filepath.Abs(o.home)
	o.tests, _ = filepath.Abs(o.tests)
	if *cell {
		os.Exit(o.beCell())
	}
	if o.stage != "" {
		os.Exit(o.conduct())
	}
	os.Exit(o.stages(strings.Split(*list, ",")))
}

// stages runs all of them, and says what came of it.
func (o options) stages(list []string) int {
	out, err := os.MkdirTemp("", "registry-lock-chaos.")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("chaos: seed %d, %g s over %s\n", o.seed, o.seconds, strings.Join(list, ", "))
	var all []figures
	var ran []string
	bad := 0
	for i, fs := range list {
		figures, ok := o.runStage(fs, filepath.Join(out, fs), int64(i), len(list))
		if figures == nil {
			continue
		}
		all, ran = append(all, figures), append(ran, fs)
		if !ok {
			bad++
		}
	}
	printTable(ran, all)
	if bad > 0 || len(all) == 0 {
		fmt.Printf("\nchaos: FAILED on %d of %d file systems; what is left: %s; again: make chaos SECONDS=%g SEED=%d\n",
			bad, len(list), out, o.seconds, o.seed)
		return 1
	}
	os.RemoveAll(out)
	fmt.Println("\nchaos: nothing went wrong")
	return 0
}

// runStage is the chaos on one file system; no figures where it can't be had.
func (o options) runStage(fs, out string, number int64, stages int) (figures, bool) {
	self, err := os.Executable()
	if err != nil {
		return nil, false
	}
	cmd := exec.Command("unshare", "-m", "-p", "-f", "--kill-child", "--mount-proc",
		filepath.Join(o.tests, "stage.sh"), fs, out, self,
		"-stage", fs, "-out", out, "-home", o.home, "-tests", o.tests,
		"-seconds", fmt.Sprint(o.seconds/float64(stages)), "-seed", fmt.Sprint(o.seed+number))
	cmd.Env = append(os.Environ(), fmt.Sprintf("CHAOS_PIDS=%d", pidLimit))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if cmd.ProcessState.ExitCode() == 77 {
		fmt.Printf("%-9s skipped: it can't be mounted here\n", fs)
		return nil, true
	}
	text, readErr := os.ReadFile(filepath.Join(out, "figures"))
	f := figures{}
	if readErr != nil || json.Unmarshal(text, &f) != nil {
		fmt.Printf("%-9s FAILED: the conductor ended without a word: %v\n", fs, err)
		return figures{}, false
	}
	return f, err == nil
}
