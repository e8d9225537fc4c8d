//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A process that says nothing for so long hangs; it bounds an exploration that fails.
const patience = 60 * time.Second

// shell is a bash that runs seam.bash: it makes one process of the exploration after the other.
type shell struct {
	cmd   *exec.Cmd
	says  *os.File
	lines *bufio.Reader
	hears *os.File
}

func startShell(o *options) (*shell, error) {
	says, shellSays, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	shellHears, hears, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(o.bash, o.dir+"/seam.bash", o.library)
	cmd.ExtraFiles = []*os.File{shellSays, shellHears}
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PATH="+o.tools+":"+o.path, "explore_path="+o.path)
	if o.verbose {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	shellSays.Close()
	shellHears.Close()
	return &shell{cmd, says, bufio.NewReader(says), hears}, nil
}

// hear gives the next line that the shell says, as its first word and the rest.
func (s *shell) hear() (word, rest string, err error) {
	if err := s.says.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", "", err
	}
	line, err := s.lines.ReadString('\n')
	if err != nil {
		return "", "", fmt.Errorf("a shell said nothing more (%q): %w", line, err)
	}
	word, rest, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	if word == "error" {
		return "", "", fmt.Errorf("seam.bash: %s", rest)
	}
	return word, rest, nil
}

func (s *shell) tell(line string) error {
	_, err := s.hears.WriteString(line + "\n")
	return err
}

// close ends the shell, which has no process now.
func (s *shell) close() {
	s.hears.Close()
	s.cmd.Wait() // its status says nothing
	s.says.Close()
}

// startShells starts n of them.
func startShells(o *options, n int) (all []*shell, err error) {
	for range n {
		s, err := startShell(o)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func closeAll(shells []*shell) {
	for _, s := range shells {
		s.close()
	}
}
