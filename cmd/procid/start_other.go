//go:build !linux

package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// With SIGPIPE ignored a closed standard output is a write error (exitIO).
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Getenv(tenantVariable), os.Stdin, os.Stdout, os.Stderr))
}
