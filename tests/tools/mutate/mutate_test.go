package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMutantsOf(t *testing.T) {
	for _, c := range []struct {
		code string
		want []string
	}{
		{"local a=1", nil},
		{"x", []string{":"}},
		{":", nil},
		{"a=1 b=2", []string{"b=2", "a=1"}},
		{"x >f 2>&1", []string{":"}},
		{"x || return 73", []string{": || return 73", "x && return 73", "x", "x || return 0", "x || return 74"}},
		{"[[ -z $a ]] && x", []string{"[[ -z '' ]] && x", "[[ -z $a ]] || x", "[[ -z $a ]]"}},
		{"[[ -d a && b == c ]]", []string{"! [[ -d a && b == c ]]", "[[ b == c ]]", "[[ -d a ]]",
			"[[ -d a || b == c ]]", "[[ -d a && '' == c ]]"}},
		{"! [[ -d a ]]", []string{"[[ -d a ]]"}},
		{"((a += 1))", []string{"((a -= 1))"}},
		{"((a < 1))", []string{"! ((a < 1))", "((a <= 1))"}},
		{"builtin exit 0", []string{":", "builtin exit 1"}},
		{"y mv -n -- a \"$b/.\"", []string{":", "y mv -n -- \"$b/.\" a"}},
		{"if a && b; then x; fi", []string{"if ! { a && b; }; then x; fi", "if : && b; then x; fi",
			"if a || b; then x; fi", "if a; then x; fi", "if a && b; then :; fi"}},
		{"case a in b) ;; *) x ;; esac", []string{"case a in *) x ;; esac", "case a in b) ;; esac",
			"case a in b) ;; *) : ;; esac"}},
	} {
		s, err := parse("x.sh", []byte("f() {\n  "+c.code+"\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range s.mutants(nil) {
			if m.Function != "f" || m.Line != 2 || m.Old != c.code {
				t.Errorf("%s: is said to be %q in line %d of %q", c.code, m.Old, m.Line, m.Function)
			}
			got = append(got, m.New)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s", c.code, strings.Join(got, "\n"))
		}
	}
}

func TestAStatusThatNothingLooksAt(t *testing.T) {
	s, _ := parse("x.sh", []byte(`
		f() { a; if b; then c; else d || e; fi; g; h; x=$?; "dyn_$1"; i j; last; }
		last() { deep; }
		dyn_x() { :; }
		k() { ! never; x=$(sub); for n in 1; do own; done; return 0; }
		f; k && :`))
	got := ignored([]*source{s})
	for name, want := range map[string]bool{"a": true, "b": false, "c": true, "d": false, "e": true, "g": true, "h": false,
		"dyn_x": false, "i": true, "j": false, "last": true, "deep": true, "never": false, "sub": false, "own": true,
		"k": false, "f": true} {
		if got[name] != want {
			t.Errorf("%s: %v", name, got[name])
		}
	}
}

func TestAMutantIsTheSameInAFileThatHasGrown(t *testing.T) {
	ids := func(text string) (ids []string) {
		s, _ := parse("x.sh", []byte(text))
		for _, m := range s.mutants(nil) {
			if m.Function == "f" {
				ids = append(ids, m.ID)
			}
		}
		return ids
	}
	f := "f() { a || b; }\n"
	if before, after := ids(f), ids("g() { c; }\n"+f); len(before) == 0 || !slices.Equal(before, after) {
		t.Error(before, after)
	}
	if slices.Equal(ids(f), ids("f() { a || b; c; }\n")) {
		t.Error("another function has the same mutants")
	}
}

func TestEveryRegionIsTold(t *testing.T) {
	s, _ := parse("x.sh", []byte("a=1\nf() { b || { return $?; }; case c in d) e ;; *) ;; esac; }\n"))
	tell := func(name string) string { return `\builtin \echo 'called x.sh:` + name + `;' >'F' 2>/dev/null; ` }
	want := tell("#811c9dc5.0") + "a=1\nf() { " + tell("f#9ff854b7.6") + "b || { return $?; }; case c in d) " +
		tell("f#9ff854b7.40") + "e ;; *) ;; esac; }\n"
	if got := string(traced(s, "F")); got != want {
		t.Error(got)
	}
}

func TestTestsOfARegion(t *testing.T) {
	tests := []test{{"a.bats", "slow", 9, []string{"x.sh:f#1.0;", "x.sh:f#1.12;"}, ""}, {"x.bats", "own", 9, []string{"x.sh:f#1.0;"}, ""},
		{"a.bats", "fast", 1, []string{"x.sh:f#1.0;"}, ""}, {"a.bats", "other", 1, []string{"x.sh:g#1.0;", "y.sh:f#1.0;"}, ""}}
	for region, want := range map[string]string{"x.sh:f#1.0;": "own fast slow", "x.sh:f#1.12;": "slow", "x.sh:f#1.1;": "",
		"x.sh:f#2.7;": "own fast slow", "x.sh:h#1.0;": "own fast other slow"} {
		var got []string
		for _, t := range covering(mutant{File: "x.sh", Function: "f", Region: region}, tests, &results{}) {
			got = append(got, t.Name)
		}
		if strings.Join(got, " ") != want {
			t.Error(region, got)
		}
	}
}

func TestTheLikeliestTestsComeFirst(t *testing.T) {
	region := []string{"x.sh:f#1.0;"}
	tests := []test{{"a.bats", "1", 1, region, "other"}, {"a.bats", "2", 2, region, "other"}, {"b.bats", "3", 3, region, "other"},
		{"b.bats", "4", 4, region, "it sets rl_value"}, {"c.bats", "5", 5, region, "other"}}
	m := mutant{File: "x.sh", Function: "f", Old: "rl_value=1", Region: region[0]}
	order := func(kills map[string]int) (order string) {
		for _, t := range covering(m, slices.Clone(tests), &results{kills: kills}) {
			order += t.Name
		}
		return order
	}
	if got := order(nil); got != "41532" {
		t.Error(got)
	}
	if got := order(map[string]int{"f\nb.bats\n3": 1, "f\na.bats\n2": 2}); got != "23415" {
		t.Error(got)
	}
}

func TestEquivalentMutants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "equivalent.md")
	os.WriteFile(path, []byte("# Title\n\nText.\n\n## x.sh: f\n\n    - a\n    + b\n    - a\n    + c\n\nWhy.\n"), 0o600)
	got, err := readEquivalent(path)
	if err != nil || len(got) != 2 || got[key{"x.sh", "f", "a", "c"}] != "Why." {
		t.Error(got, err)
	}
	os.WriteFile(path, []byte("## x.sh: f\n\n    - a\n    + b\n"), 0o600)
	if got, err := readEquivalent(path); err == nil {
		t.Error(got)
	}
}

func TestTapIsReadUpToTheFirstFailure(t *testing.T) {
	lines := make(chan string, 9)
	for _, line := range []string{"1..4", "ok 1 a in 5ms", "ok 2 b in 1ms # skip no jq", "not ok 3 c in 7ms",
		"# it said nothing", "ok 4 d in 1ms"} {
		lines <- line
	}
	got, stalled := readTap(lines, time.Minute, false)
	want := []result{{"a", true, false, 5, ""}, {"b", true, true, 1, ""}, {"c", false, false, 7, "# it said nothing\n"}}
	if stalled || !slices.Equal(got, want) {
		t.Error(stalled, got)
	}
	if _, stalled := readTap(lines, time.Millisecond, false); !stalled {
		t.Error("silence is no stall")
	}
}

func TestATraceHoldsAsLongAsTheWordingOfItsTest(t *testing.T) {
	keys := func(text string) string {
		got := traceKeys(text)
		return strings.Join([]string{got["a"], got["b"]}, "\n")
	}
	suite := "help() { :; }\n@test \"a\" {\n  x\n}\n@test \"b\" { y; }\n"
	a, b, _ := strings.Cut(keys(suite), "\n")
	for old, new := range map[string]string{"x": "z", "y": "z", ":": "!"} {
		newA, newB, _ := strings.Cut(keys(strings.Replace(suite, old, new, 1)), "\n")
		if len(a) != 16 || len(b) != 16 || (a == newA) != (old == "y") || (b == newB) != (old == "x") {
			t.Error(old, a, newA, b, newB)
		}
	}
	if len(traceKeys("no test")) != 0 {
		t.Error("a test of none")
	}
}

func TestTheListOfTheKilledIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "killed.txt")
	os.WriteFile(list, []byte("aaaaaaaa\n"), 0o600)
	open := func() *results {
		r, err := openResults(filepath.Join(dir, "verdicts"), list)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	r.add(verdict{ID: "bbbbbbbb1", Verdict: "timed out"})
	r.add(verdict{ID: "cccccccc1", Verdict: "survived"})
	mutants := []mutant{{ID: "aaaaaaaa1"}, {ID: "bbbbbbbb1"}, {ID: "cccccccc1"}, {ID: "dddddddd1"}}
	if err := r.list(list, mutants); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(list); string(text) != "aaaaaaaa bbbbbbbb\n" {
		t.Errorf("%q", text)
	}
	os.Remove(filepath.Join(dir, "verdicts"))
	var got []string
	for _, m := range mutants {
		got = append(got, open().of(m).Verdict)
	}
	if !slices.Equal(got, []string{"killed", "killed", "", ""}) {
		t.Error(got)
	}
}
