package main

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestBulkAnswersEveryLineInOrder(t *testing.T) {
	reused := identity{home.scope, 6}.String()
	got := call("5\n6 "+homeID+"\n7 "+reused+"\n8 no-id\n", "-")
	want := homeID + "\n" + homeID + "\ngone\nunknown\n"
	if got.status != 0 || got.stdout != want || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if want := []int{5, 6, 7}; !slices.Equal(got.looks.asked, want) {
		t.Errorf("asked for %v", got.looks.asked)
	}
}

func TestABadLineIsUnknownAndStopsNothing(t *testing.T) {
	bad := []string{
		" ", " 5", "5 ", "5  x", "5\t", "5\tx", "5\r", "5 x\r", "5\x00", "5 x\x00y", "5 X", "5 a b",
		"-", "#5", "5 " + strings.Repeat("a", 49), strings.Repeat("5", 1<<10), "5 " + strings.Repeat("a", 1<<18),
	}
	for _, line := range append(bad, badPIDs...) {
		if line == "" || strings.Contains(line, "\n") {
			continue
		}
		got := call("5\n"+line+"\n6\n", "-", "--why")
		if len(got.stdout) != 0 {
			t.Fatalf("--why comes first: %+v", got)
		}
		got = call("5\n"+line+"\n6\n", "--why", "-")
		alive := homeID + " running\n"
		if got.status != exitUsage || got.stdout != alive+"unknown bad-line\n"+alive {
			t.Errorf("%q: %+v", quote(line), got)
		}
		if !slices.Equal(got.looks.asked, []int{5, 6}) {
			t.Errorf("%q: asked for %v", quote(line), got.looks.asked)
		}
	}
}

func TestTheLastLineNeedsNoNewline(t *testing.T) {
	if got := call("5\n6", "-"); got.status != 0 || strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("%+v", got)
	}
	if got := call("", "-"); got.status != 0 || got.stdout != "" {
		t.Errorf("no line: %+v", got)
	}
	if got := call("\n5\n\n", "--why", "-"); got.status != 0 || got.stdout != "\n"+homeID+" running\n\n" {
		t.Errorf("empty lines ask nothing: %+v", got)
	}
	if got := call(strings.Repeat("5", 1<<17), "-"); got.status != exitUsage || got.stdout != "unknown\n" {
		t.Errorf("one endless line: status %d, %q", got.status, got.stdout)
	}
}

func TestFewBadLinesAreNamedAndTheRestCounted(t *testing.T) {
	got := call("5\n"+strings.Repeat("\x1b[2J\n", 1000), "-")
	if lines := strings.Count(got.stderr, "\n"); lines != badLinesNamed+1 {
		t.Errorf("%d lines: %q", lines, got.stderr)
	}
	if !strings.Contains(got.stderr, "line 2:") || !strings.Contains(got.stderr, "995 more") {
		t.Errorf("%q", got.stderr)
	}
	if strings.Contains(got.stderr, "\x1b") {
		t.Errorf("a control character reaches the terminal: %q", got.stderr)
	}
}

func TestAsManyBadLinesAsAreNamedNeedNoCount(t *testing.T) {
	got := call(strings.Repeat("x\n", badLinesNamed), "-")
	if strings.Count(got.stderr, "\n") != badLinesNamed || strings.Contains(got.stderr, "more") {
		t.Errorf("%q", got.stderr)
	}
}

func TestTenThousandLinesComeBackInOrder(t *testing.T) {
	var in, want strings.Builder
	for i := range 10000 {
		line, answer := "5 "+homeID, homeID
		if i%7 == 3 {
			line, answer = "x", "unknown"
		}
		if i%7 == 5 {
			line, answer = "5 "+(identity{home.scope, uint64(i)}).String(), "gone"
		}
		in.WriteString(line + "\n")
		want.WriteString(answer + "\n")
	}
	if got := call(in.String(), "-"); got.stdout != want.String() {
		t.Errorf("the answers differ: %d bytes instead of %d", len(got.stdout), want.Len())
	}
}

func TestALineIsAnsweredBeforeTheNextOneIsWritten(t *testing.T) {
	lines, toProcid := io.Pipe()
	fromProcid, answers := io.Pipe()
	system := func() system { return fakeSystem{seenAbsent(whyNotRunning)} }
	p := program{system, "", lines, answers, io.Discard}
	done := make(chan int)
	go func() { done <- p.run([]string{"-"}) }()
	replies := bufio.NewReader(fromProcid)
	for range 3 {
		_, _ = io.WriteString(toProcid, "5\n6") // the next line has begun
		if reply, err := replies.ReadString('\n'); reply != "gone\n" || err != nil {
			t.Fatalf("%q, %v", reply, err)
		}
		go func() { _, _ = io.WriteString(toProcid, "\n") }()
		if reply, err := replies.ReadString('\n'); reply != "gone\n" || err != nil {
			t.Fatalf("%q, %v", reply, err)
		}
	}
	_ = toProcid.Close()
	if status := <-done; status != 0 {
		t.Errorf("status %d", status)
	}
}
