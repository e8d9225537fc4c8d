// Procid answers one question about a process number: gone, unknown, or the
// identity of the process that has it. "unknown" is never evidence of death.
package main

import (
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// version is set at link time: -ldflags "-X main.version=1.2.3".
var version = "0.1.0"

// Exit statuses, named as in sysexits(3).
const (
	exitOK    = 0
	exitUsage = 64
	exitIO    = 74
)

func main() {
	// With SIGPIPE ignored a closed standard output is a write error (exitIO).
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is procid without the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return program{thisSystem, stdin, stdout, stderr}.run(args)
}

// program is one call of procid: what it asks and where it reads and writes.
type program struct {
	system func() system
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func (p program) run(args []string) int {
	if len(args) == 1 && args[0] == "--help" {
		return p.print(help)
	}
	if len(args) == 1 && args[0] == "--version" {
		return p.print("procid " + version + "\n")
	}
	if len(args) > 0 && args[0] == "--carriers" {
		return p.carriers(args[1:])
	}
	why := len(args) > 0 && args[0] == "--why"
	if why {
		args = args[1:]
	}
	if len(args) == 1 && args[0] == "-" {
		return p.bulk(why)
	}
	return p.single(args, why)
}

// single answers the question that the arguments put.
func (p program) single(args []string, why bool) int {
	if len(args) == 0 {
		return p.usage("no PID given")
	}
	if len(args) > 2 {
		return p.usage("too many arguments")
	}
	pid, ok := parsePID(args[0])
	if !ok {
		return p.usage("not a plain decimal PID from 1 to 2147483647: " + quote(args[0]))
	}
	if len(args) == 1 {
		return p.print(identify(newAsker(p.system()), pid).line(why))
	}
	if !isWord(args[1]) {
		return p.usage("not a word that could be an ID: " + quote(args[1]))
	}
	return p.print(judge(newAsker(p.system()), pid, args[1]).line(why))
}

func (p program) print(text string) int {
	if _, err := io.WriteString(p.stdout, text); err != nil {
		return p.failed("writing", err)
	}
	return exitOK
}

func (p program) usage(problem string) int {
	_, _ = io.WriteString(p.stderr, "procid: "+problem+"\n"+usageHint)
	return exitUsage
}

func (p program) failed(doing string, err error) int {
	_, _ = io.WriteString(p.stderr, "procid: "+doing+": "+err.Error()+"\n")
	return exitIO
}

// quote makes untrusted text fit for a terminal: escaped, and cut when long.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// parsePID takes exactly what the shell may print for a process number: decimal
// digits without sign, blank or leading zero, from 1 to 2147483647.
func parsePID(text string) (int, bool) {
	n, ok := parseCanonical(text, 10)
	if !ok || n < 1 || n > 1<<31-1 {
		return 0, false
	}
	return int(n), true
}
