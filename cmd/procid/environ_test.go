//go:build linux || darwin

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// finds tells whether an environment has the token, by itself and among others.
func finds(t *testing.T, token string, pieces ...string) bool {
	t.Helper()
	one, many := map[string]*sought{token: {}}, map[string]*sought{token: {}, "8..8": {}, "9..9": {}}
	e, among := newEnviron(one), newEnviron(many)
	for _, piece := range pieces {
		e.read([]byte(piece))
		among.read([]byte(piece))
	}
	e.end()
	among.end()
	if slices.Contains(among.found, many[token]) != e.complete() || len(among.found) > 1 {
		t.Errorf("%q: alone %v, among others %v", pieces, e.complete(), among.found)
	}
	return e.complete()
}

func TestATokenIsAWholeWordOfOneVariable(t *testing.T) {
	const token = "5.x.2"
	for text, want := range map[string]bool{
		"A=b\x00REGISTRY_LOCK_TOKENS=5.x.2\x00C=d\x00":                         true,
		"REGISTRY_LOCK_TOKENS=1..1 5.x.2 7..1\x00":                             true,
		"REGISTRY_LOCK_TOKENS=5.x.2 7..1\x00":                                  true,
		"REGISTRY_LOCK_TOKENS=  1..1\t5.x.2\n\x00":                             true,
		"REGISTRY_LOCK_TOKENS=5.x.2":                                           true, // cut where it ends
		"REGISTRY_LOCK_TOKENS=\x00REGISTRY_LOCK_TOKENS=5.x.2\x00":              true, // there twice
		"\x00\x00REGISTRY_LOCK_TOKENS=5.x.2\x00":                               true,
		"REGISTRY_LOCK_TOKENS=15.x.2\x00":                                      false,
		"REGISTRY_LOCK_TOKENS=5.x.23 5.x.2.1 5.x 5.x.\x00":                     false,
		"REGISTRY_LOCK_TOKENS=x=5.x.2 5.x.2; 5.x.2\x0b\x00":                    false,
		"REGISTRY_LOCK_TOKENS=5.x\x00.2\x00":                                   false,
		"OTHER=5.x.2\x00":                                                      false,
		"OTHER=REGISTRY_LOCK_TOKENS=5.x.2\x00":                                 false,
		"OTHER=\nREGISTRY_LOCK_TOKENS=5.x.2\x00":                               false,
		"REGISTRY_LOCK_TOKENS2=5.x.2\x00XREGISTRY_LOCK_TOKENS=5.x.2\x00 5.x.2": false,
		"REGISTRY_LOCK_TOKENS=\x00 5.x.2\x005.x.2\x00":                         false,
		"": false,
	} {
		if got := finds(t, token, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
		for cut := range len(text) {
			if got := finds(t, token, text[:cut], text[cut:]); got != want {
				t.Errorf("%q, cut at %d: %v", text, cut, got)
			}
		}
		if got := finds(t, token, strings.Split(text, "")...); got != want {
			t.Errorf("%q, byte by byte: %v", text, got)
		}
	}
}

func TestNumbersAreSortedAndNeverMine(t *testing.T) {
	me := os.Getpid()
	if got := others([]int{10, 9, me, 0, 100, -1, 1}); !slices.Equal(got, []int{1, 9, 10, 100}) {
		t.Errorf("%v", got)
	}
}
