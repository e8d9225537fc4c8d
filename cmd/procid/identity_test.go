package main

import (
	"math"
	"strings"
	"testing"
)

var someID = identity{scope{fromLinux, 1<<50 - 1, 33, 0, 0xEFFFFFFB}, 364147}

func TestAnIDIsWrittenInOneWord(t *testing.T) {
	const want = "lvvvvvvvvvv0000000011_0_1ulajuj_7sz7"
	if got := someID.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !isWord(someID.String()) {
		t.Error("an ID isn't a word")
	}
}

func TestAnIDReadsBackAsItself(t *testing.T) {
	for _, id := range []identity{someID, {}, {scope{fromWindows, 0, 0, 1, 1}, 134064000000000000}} {
		if id.source == 0 {
			id.source = fromDarwin
		}
		if got, ok := parseID(id.String()); !ok || got != id {
			t.Errorf("%s reads as %+v, %v", id, got, ok)
		}
	}
}

func TestOtherSpellingsAreNoIDs(t *testing.T) {
	const head = "l0123456789abcdefghij"
	for _, text := range []string{
		"", "l", head, head + "_", head + "_0_0", head + "_0_0_", head + "_0_0_1_", head + "_0_0_1_1",
		head + "_00_0_1", head + "_0_0_01", head + "_0_0_1Z", head + "_0_0_-1", head + "_0_0_+1",
		head + "_0_0_1 ", " " + head + "_0_0_1", head + "x_0_0_1", head + "-0-0-1",
		"L0123456789abcdefghij_0_0_1", "l0123456789abcdefghiw_0_0_1", "l0123456789Abcdefghij_0_0_1",
		"x0123456789abcdefghij_0_0_1", head + "_0_0_3w5e11264sgsg", head + "_0_0_1\n",
		head + "_1z141z3_1z141z3_zzzzzzzzzzzz",
	} {
		if id, ok := parseID(text); ok {
			t.Errorf("%q was taken for %+v", text, id)
		}
	}
}

func TestAWordHasOnlySmallLettersDigitsAndDashes(t *testing.T) {
	for text, want := range map[string]bool{
		"a-z_09": true, "-": true, strings.Repeat("a", 48): true,
		"": false, strings.Repeat("a", 49): false, "a.b": false, "aB": false, "a b": false,
		"a\nb": false, "a\x00b": false, "aéb": false, "a/b": false, "\xff": false,
	} {
		if got := isWord(text); got != want {
			t.Errorf("isWord(%q) = %v", text, got)
		}
	}
}

func TestAPIDIsPlainDecimal(t *testing.T) {
	for _, text := range goodPIDs {
		if _, ok := parsePID(text); !ok {
			t.Errorf("%q was refused", text)
		}
	}
	for _, text := range badPIDs {
		if pid, ok := parsePID(text); ok {
			t.Errorf("%q was taken for %d", text, pid)
		}
	}
}

var goodPIDs = []string{"1", "10", "2147483647"}

var badPIDs = []string{
	"", "0", "-1", "+1", "01", "00", " 1", "1 ", "\t1", "1\n", "1\r", "1\x00", "1.0", "1e3", "0x1",
	"1_0", "2147483648", "4294967296", "18446744073709551616", strings.Repeat("9", 400),
	"a", "-", "--", "١", "１", "1²", "NaN", "-2147483648", "1;2", "$1", "\x1b[2J",
}

func TestHashesTellPartsApart(t *testing.T) {
	seen := map[uint64][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}} {
		hash := hash50(parts...)
		if other, twice := seen[hash]; twice || hash > 1<<50-1 {
			t.Errorf("%q hashes like %q: %d", parts, other, hash)
		}
		seen[hash] = parts
	}
}

// What one release has written the next one must know again.
func TestAHashIsTheSameInEveryRelease(t *testing.T) {
	if got := hash50("machine", "build7"); got != 669863752270861 {
		t.Errorf("got %d", got)
	}
	if got := hash50(""); got != 348230919145729 {
		t.Errorf("of nothing: got %d", got)
	}
}

func TestTheLongestIDIsReadAndGiven(t *testing.T) {
	id := identity{scope{fromLinux, 1, 1, 0xEFFFFFFB, 0xEFFFFFFB}, 101559956668416} // 36^9
	text := id.String()
	if got, ok := parseID(text); len(text) != longestID || !ok || got != id {
		t.Errorf("%q, %d bytes: %+v, %v", text, len(text), got, ok)
	}
	ask := &asker{fakeSystem{seenPresent(id.start, whyRunning)}, viewpoint{scope: id.scope, known: true}}
	if got := identify(ask, 5); got != (verdict{text, whyRunning}) {
		t.Errorf("given is %v", got)
	}
}

func TestAnIDThatWouldBeTooLongIsNotGiven(t *testing.T) {
	long := scope{fromLinux, 1, 1, math.MaxUint32, math.MaxUint32}
	ask := &asker{fakeSystem{seenPresent(math.MaxUint64, whyRunning)}, viewpoint{scope: long, known: true}}
	if got := identify(ask, 5); got != unknown(whyNoIdentity) {
		t.Errorf("got %v", got)
	}
}

func FuzzParseID(f *testing.F) {
	f.Add(someID.String())
	f.Add("l0123456789abcdefghij_0_0_01")
	f.Fuzz(func(t *testing.T, text string) {
		id, ok := parseID(text)
		if ok && (id.String() != text || !isWord(text)) {
			t.Errorf("%q was taken and is written %q", text, id)
		}
	})
}
