package main

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
)

const badLinesNamed = 5 // how many bad lines standard error names

// bulk answers every line of standard input in order. A bad line is answered
// with unknown and makes the status exitUsage; it never stops the rest.
func (p program) bulk(why bool) int {
	in := bufio.NewReaderSize(p.stdin, 1<<16)
	out := bufio.NewWriterSize(p.stdout, 1<<16)
	ask, bad := newAsker(p.system()), 0
	for number := 1; ; number++ {
		line, err := readLine(in)
		if err == io.EOF {
			break
		}
		if err != nil {
			_ = out.Flush()
			return p.failed("reading", err)
		}
		answer, ok := answerLine(ask, line)
		if !ok {
			bad++
			p.nameBadLine(number, bad, line)
		}
		_, _ = out.WriteString(answer.line(why)) // Flush reports its error
		if lineWaits(in) {
			continue
		}
		if err := out.Flush(); err != nil {
			return p.failed("writing", err)
		}
	}
	if err := out.Flush(); err != nil {
		return p.failed("writing", err)
	}
	return p.bulkStatus(bad)
}

func (p program) bulkStatus(bad int) int {
	if bad == 0 {
		return exitOK
	}
	if bad > badLinesNamed {
		more := strconv.Itoa(bad - badLinesNamed)
		_, _ = io.WriteString(p.stderr, "procid: and "+more+" more bad lines\n")
	}
	return exitUsage
}

func (p program) nameBadLine(number, bad int, line string) {
	if bad > badLinesNamed {
		return
	}
	where := "procid: line " + strconv.Itoa(number)
	_, _ = io.WriteString(p.stderr, where+": not \"PID [ID]\": "+quote(line)+"\n")
}

// answerLine answers one line; ok is false for a line that isn't "PID [ID]".
func answerLine(ask *asker, line string) (answer verdict, ok bool) {
	number, id, two := strings.Cut(line, " ")
	pid, ok := parsePID(number)
	if !ok || two && !isWord(id) {
		return unknown(whyBadLine), false
	}
	if !two {
		return identify(ask, pid), true
	}
	return judge(ask, pid, id), true
}

// lineWaits tells whether the next line can be read without waiting for it.
func lineWaits(in *bufio.Reader) bool {
	read, _ := in.Peek(in.Buffered())
	return bytes.IndexByte(read, '\n') >= 0
}

// readLine returns the next line without its newline; the last one needs none.
// Of a line longer than the buffer only as much is kept, far more than any good
// line has. io.EOF means that there is no further line.
func readLine(in *bufio.Reader) (string, error) {
	part, err := in.ReadSlice('\n')
	line := string(part)
	for err == bufio.ErrBufferFull {
		_, err = in.ReadSlice('\n')
	}
	if err == io.EOF && line != "" {
		err = nil
	}
	return strings.TrimSuffix(line, "\n"), err
}
