//go:build unix

package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A process that says nothing for so long hangs; it bounds an exploration that fails.
const patience = 60 * time.Second

// mother is a bash that has read the library and seam.bash, and forks shells.
type mother struct {
	cmd   *exec.Cmd
	hears io.WriteCloser
}

func startMother(o *options) (*mother, error) {
	cmd := exec.Command(o.bash, o.dir+"/seam.bash", o.library)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PATH="+o.tools+":"+o.path, "explore_path="+o.path)
	if o.verbose {
		cmd.Stderr = os.Stderr
	}
	hears, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	says, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(says).ReadString('\n')
	if err != nil || line != "ready\n" {
		return nil, fmt.Errorf("seam.bash: %q: %w", line, err)
	}
	return &mother{cmd, hears}, nil
}

func (m *mother) close() {
	m.hears.Close()
	m.cmd.Wait() // its status says nothing
}

// shell is a place where the processes of the exploration run, one after the other.
type shell struct {
	says  *os.File
	lines *bufio.Reader
	hears *os.File
	dir   string // where they work
	pid   string // of the process that it runs now, as the system numbers it
}

// start makes a shell, to be talked to by way of talk, whose processes work in dir and believe to have
// the pid as, where that isn't empty.
func (m *mother) start(talk, dir, as string) (s *shell, err error) {
	s = &shell{dir: dir}
	if s.says, err = fifo(talk + ".says"); err != nil {
		return nil, err
	}
	s.lines = bufio.NewReader(s.says)
	if s.hears, err = fifo(talk + ".hears"); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(m.hears, talk, dir, as)
	return s, err
}

func fifo(path string) (*os.File, error) {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR, 0) // doesn't wait for the other side
}

// step tells the shell a line, and gives what it says up to its next stop or the end of its process.
func (s *shell) step(line string) (says []string, err error) {
	if _, err := s.hears.WriteString(line + "\n"); err != nil {
		return nil, err
	}
	if err := s.says.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("a shell said nothing more (%q): %w", line, err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "holds":
			if line, err = s.holds(); err != nil {
				return nil, err
			}
		case "error":
			return nil, errors.New("seam.bash: " + rest)
		case "pid":
			s.pid = rest
			continue
		case "ended":
			s.pid = ""
			return append(says, line), nil
		case "stop":
			return append(says, line), nil
		}
		says = append(says, line)
	}
}

// changing are variables that change by themselves, or that the seam has for itself.
var changing = regexp.MustCompile(`^declare -\S+ (BASHPID|BASH_[A-Z]+|EPOCH[A-Z]+|S?RANDOM|SECONDS|LINENO|FUNCNAME|PIPESTATUS|_|explore_\w+)(=|$)`)

// holds is all that the process holds, as a line.
func (s *shell) holds() (string, error) {
	sum := sha256.New()
	own := strings.NewReplacer(s.dir, ".", `_registry_lock_shell="`+s.pid+`"`, "")
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("a shell does not say what it holds: %w", err)
		}
		if line == "holds that\n" {
			return fmt.Sprintf("holds %x", sum.Sum(nil)), nil
		}
		if !changing.MatchString(line) {
			own.WriteString(sum, line)
		}
	}
}

// abort kills the process, which is at a stop, its own or a child's; the shell has waited for it when
// this returns.
func (s *shell) abort(child bool) error {
	if s.pid == "" {
		return nil
	}
	word := ""
	if child {
		word = "die"
	} else if err := s.kill(); err != nil {
		return err
	}
	says, err := s.step(word)
	if err != nil || !strings.HasPrefix(says[0], "ended") {
		return fmt.Errorf("a process was killed and said %q: %w", says, err)
	}
	return nil
}

func (s *shell) kill() error {
	pid, err := strconv.Atoi(s.pid)
	if err != nil {
		return err
	}
	return unix.Kill(pid, unix.SIGKILL)
}

// close ends the shell, and the process that it runs.
func (s *shell) close() {
	s.hears.Close()
	s.says.Close()
}
