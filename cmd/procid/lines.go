package main

import "io"

const (
	inputBuffer = 1 << 20 // holds longestBatch tokens, so that a file of them is one batch
	longestLine = 1 << 8  // far longer than any good line
)

// lines reads lines. One that is too long is cut there or somewhere behind.
type lines struct {
	from io.Reader
	buf  []byte
	rest []byte // of buf: what was read and not yet given out
	err  error
}

func newLines(from io.Reader) *lines { return &lines{from: from, buf: make([]byte, inputBuffer)} }

// next returns the next line without its newline; the last one needs none. Behind
// it comes io.EOF.
func (l *lines) next() (string, error) {
	for !l.waits() && len(l.rest) < longestLine && l.err == nil {
		l.read()
	}
	line, rest, whole := cut(l.rest, "\n")
	if !whole && len(line) == 0 || !whole && l.err != nil && l.err != io.EOF {
		return "", l.err
	}
	text := string(line)
	for l.rest = rest; !whole && l.err == nil; l.rest = rest {
		l.read()
		_, rest, whole = cut(l.rest, "\n")
	}
	return text, nil
}

// read adds to rest what comes next.
func (l *lines) read() {
	have := copy(l.buf, l.rest)
	n, err := l.from.Read(l.buf[have:])
	l.rest, l.err = l.buf[:have+n], err
}

// waits tells whether the next line can be read without waiting for it.
func (l *lines) waits() bool { return index(l.rest, "\n") >= 0 }
