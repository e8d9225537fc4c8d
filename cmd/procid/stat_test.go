package main

import (
	"strconv"
	"strings"
	"testing"
)

const afterStart = " 0 0 18446744073709551615 0 0"

func statLine(pid int, name, state, threads, start string) string {
	return strconv.Itoa(pid) + " (" + name + ") " + state + strings.Repeat(" 1", 16) + " " + threads +
		" 0 " + start + afterStart
}

func TestFieldsCountFromTheLastBracket(t *testing.T) {
	for _, name := range []string{"sleep", "a) S 1 (b c", ")", "(", "", " ", ") Z 1 1", "a\nb", "\xff)"} {
		got, ok := parseStat(statLine(42, name, "S", "3", "364147"), 42)
		if want := (stat{'S', 3, 364147}); !ok || got != want {
			t.Errorf("%q: got %+v, %v", name, got, ok)
		}
	}
}

func TestWhatIsNoStatLineIsRefused(t *testing.T) {
	good := statLine(42, "x", "S", "1", "7")
	for _, line := range []string{
		"", "42", "42 (x", "42 (x)", "42 (x) ", "42 x S 1", good[:strings.Index(good, afterStart)],
		"43" + good[2:], "042" + good[2:], " " + good,
		statLine(42, "x", "SS", "1", "7"), statLine(42, "x", "", "1", "7"),
		statLine(42, "x", "S", "-1", "7"), statLine(42, "x", "S", "1", "-7"), statLine(42, "x", "S", "1", "07"),
		statLine(42, "x", "S", "1", "18446744073709551616"), statLine(42, "x", "S", "1", "7.0"),
	} {
		if got, ok := parseStat(line, 42); ok {
			t.Errorf("%q was taken for %+v", line, got)
		}
	}
}

func TestStatesMeanDeadStoppedOrNeither(t *testing.T) {
	for state, want := range map[byte]string{
		'Z': "dead", 'X': "dead", 'x': "dead", 'T': "stopped", 't': "stopped",
		'R': "", 'S': "", 'D': "", 'I': "", 'P': "", 'W': "", 'K': "", '0': "",
	} {
		s := stat{state: state}
		if s.dead() != (want == "dead") || s.stopped() != (want == "stopped") {
			t.Errorf("state %c: dead %v, stopped %v", state, s.dead(), s.stopped())
		}
	}
}

func TestAStatusFieldIsAWholeLine(t *testing.T) {
	const status = "Name:\tTgid:\t9\\n\nUmask:\t0022\nTgid:\t42\nNgid:\t0\nNSpid:\t42\t1"
	if got, ok := statusField([]byte(status), "Tgid"); got != "42" || !ok {
		t.Errorf("Tgid: %q, %v", got, ok)
	}
	for _, key := range []string{"NSpid", "gid", "None"} {
		if got, ok := statusField([]byte(status), key); ok {
			t.Errorf("%s: %q", key, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(statLine(42, "a) S 1 (b c", "Z", "2", "364147"), 42, "x")
	f.Add("42 (x) S", 42, ") ")
	f.Fuzz(func(t *testing.T, line string, pid int, name string) {
		s, ok := parseStat(line, pid)
		if ok && (!strings.HasPrefix(line, strconv.Itoa(pid)+" (") ||
			!strings.Contains(line, " "+strconv.FormatUint(s.start, 10)+" ")) {
			t.Errorf("%q was taken for %+v of %d", line, s, pid)
		}
		want := stat{'S', 5, 364147}
		if s, ok := parseStat(statLine(pid, name, "S", "5", "364147"), pid); !ok || s != want {
			t.Errorf("the name %q gives %+v, %v", name, s, ok)
		}
	})
}
