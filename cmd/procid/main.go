// Procid answers one question about a process number: gone, unknown, or the
// identity of the process that has it. "unknown" is never evidence of death.
//
// It is started again and again, so what a start costs counts: the Linux parts
// do without package os and what comes with it, and the runtime doesn't look for
// the limits of its control group.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"io"
	"strconv"
)

// version is set at link time: -ldflags "-X main.version=1.2.3".
var version = "0.1.0"

// Exit statuses, named as in sysexits(3).
const (
	exitOK    = 0
	exitUsage = 64
	exitIO    = 74
)

// run is procid without the process around it.
func run(args []string, tenant string, stdin io.Reader, stdout, stderr io.Writer) int {
	return program{thisSystem, tenant, stdin, stdout, stderr}.run(args)
}

// program is one call of procid: what it asks and where it reads and writes.
type program struct {
	system func() system
	tenant string // as the environment has it
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
	if !isTenant(p.tenant) {
		return p.usage(tenantVariable + " is not " + tenantRule + ": " + quote(p.tenant))
	}
	if len(args) > 0 && args[0] == "--carriers" {
		return p.carriers(args[1:])
	}
	if len(args) > 0 && args[0] == "--wait" {
		return p.wait(args[1:])
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
	q, problem := parseQuestion(args...)
	if problem != "" {
		return p.usage(problem)
	}
	b := newBatch(p.system(), p.tenant)
	b.put(q)
	return p.print(b.lines(why))
}

func (p program) print(text string) int {
	if text == "" {
		return exitOK
	}
	if _, err := p.stdout.Write([]byte(text)); err != nil {
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
