package main

import (
	"io"
	"strconv"
)

const (
	badLinesNamed = 5 // how many bad lines standard error names
	longestBatch  = 1 << 14
)

// batch is a row of answers. The carriers of all its tokens are looked for
// together, when all is asked.
type batch struct {
	ask     *asker
	answers []answer
	sought  map[string]*sought
}

// answer: carriers is of a token whose process is gone, else nil.
type answer struct {
	verdict
	carriers *sought
}

func newBatch(s system, tenant string) *batch { return &batch{ask: newAsker(s, tenant)} }

// put answers a question, but for carriers.
func (b *batch) put(q question) {
	a := answer{verdict: b.ask.answer(q)}
	if q.token != "" && a.isGone() {
		a.carriers = b.seek(q.token)
	}
	b.answers = append(b.answers, a)
}

func (b *batch) seek(token string) *sought {
	if b.sought == nil {
		b.sought = map[string]*sought{}
	}
	if b.sought[token] == nil {
		b.sought[token] = &sought{}
	}
	return b.sought[token]
}

// lines is the answers, a line each, and the end of the batch.
func (b *batch) lines(why bool) string {
	findCarriers(b.ask.system, b.sought)
	var text []byte
	for _, a := range b.answers {
		text = append(text, a.line(why)...)
		if a.carriers != nil {
			text = append(append(text, ' '), a.carriers.told(" ")...)
		}
		text = append(text, '\n')
	}
	b.answers, b.sought = b.answers[:0], nil
	return string(text)
}

// bulk answers every line of standard input in order. A bad line is answered
// with unknown and makes the status exitUsage; it never stops the rest. An empty
// line asks nothing; its answer is an empty line. What can be read without
// waiting is one batch.
func (p program) bulk(why bool) int {
	in := newLines(p.stdin)
	b, bad := newBatch(p.system(), p.tenant), 0
	for number := 1; ; number++ {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			_ = p.print(b.lines(why))
			return p.failed("reading", err)
		}
		if problem := b.putLine(line); problem != "" {
			bad++
			p.nameBadLine(number, bad, problem)
		}
		if in.waits() && len(b.answers) < longestBatch {
			continue
		}
		if status := p.print(b.lines(why)); status != exitOK {
			return status
		}
	}
	if status := p.print(b.lines(why)); status != exitOK {
		return status
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

func (p program) nameBadLine(number, bad int, problem string) {
	if bad > badLinesNamed {
		return
	}
	_, _ = io.WriteString(p.stderr, "procid: line "+strconv.Itoa(number)+": "+problem+"\n")
}

// putLine answers one line, and says what is wrong with a bad one.
func (b *batch) putLine(line string) (problem string) {
	if line == "" {
		b.answers = append(b.answers, answer{})
		return ""
	}
	number, id, two := cut(line, " ")
	words := []string{number, id}
	if !two {
		words = words[:1]
	}
	q, problem := parseQuestion(words...)
	if problem != "" {
		b.answers = append(b.answers, answer{verdict: unknown(whyBadLine)})
		return problem
	}
	b.put(q)
	return ""
}
