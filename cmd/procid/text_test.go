package main

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzText holds what is done here beside what package strings does.
func FuzzText(f *testing.F) {
	f.Add("a b  c", " ")
	f.Add("x) y) z", ") ")
	f.Add("", "_")
	f.Add("aaa", "aa")
	f.Add("@AZ[`az{", "Z")
	f.Fuzz(func(t *testing.T, text, sep string) {
		if sep == "" {
			return
		}
		before, after, found := cut(text, sep)
		before2, after2, found2 := strings.Cut(text, sep)
		if before != before2 || after != after2 || found != found2 {
			t.Errorf("cut %q at %q: %q, %q, %v", text, sep, before, after, found)
		}
		parts := strings.Split(text, sep)
		for i := range len(parts) + 2 {
			value, whole := field(text, sep, i)
			if i < len(parts) && value != parts[i] || i >= len(parts) && value != "" || whole != (i < len(parts)-1) {
				t.Errorf("field %d of %q at %q: %q, %v", i, text, sep, value, whole)
			}
		}
		if last, found := behindLast(text, sep); found && last != parts[len(parts)-1] || found != (len(parts) > 1) {
			t.Errorf("behind the last %q of %q: %q, %v", sep, text, last, found)
		}
		if madeOf(text, sep) != (strings.Trim(text, sep) == "") && isASCII(text+sep) {
			t.Errorf("%q of %q: %v", text, sep, madeOf(text, sep))
		}
		if isASCII(text) && lower(text) != strings.ToLower(text) {
			t.Errorf("%q: %q", text, lower(text))
		}
	})
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}

func TestLinesComeAsTheyAreHoweverTheyAreRead(t *testing.T) {
	for _, text := range []string{
		"", "a", "a\n", "\n", "a\nb", "a\n\nb\n\n", strings.Repeat("x\n", 1<<16),
		strings.Repeat("x", longestLine) + "\n" + strings.Repeat("y", longestLine),
	} {
		for _, reader := range []io.Reader{
			strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text)),
			iotest.HalfReader(strings.NewReader(text)),
		} {
			want := bufio.NewScanner(strings.NewReader(text))
			want.Buffer(nil, inputBuffer)
			in := newLines(reader)
			for want.Scan() {
				if line, err := in.next(); line != want.Text() || err != nil {
					t.Fatalf("%.20q: got %.20q, %v, want %.20q", text, line, err, want.Text())
				}
			}
			if line, err := in.next(); line != "" || err != io.EOF {
				t.Errorf("%.20q: got %.20q, %v at its end", text, line, err)
			}
		}
	}
}

func TestOfAnEndlessLineTheNextOneIsStillRead(t *testing.T) {
	in := newLines(strings.NewReader(strings.Repeat("x", 3*inputBuffer+5) + "\nnext\n"))
	if line, err := in.next(); len(line) < longestLine || err != nil {
		t.Errorf("%d bytes, %v", len(line), err)
	}
	if line, err := in.next(); line != "next" || err != nil {
		t.Errorf("%.20q, %v", line, err)
	}
}
