//go:build linux || darwin

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func finds(token string, pieces ...string) bool {
	e := newEnviron(token)
	for _, piece := range pieces {
		e.read([]byte(piece))
	}
	e.end()
	return e.found
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
		if got := finds(token, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
		for cut := range len(text) {
			if got := finds(token, text[:cut], text[cut:]); got != want {
				t.Errorf("%q, cut at %d: %v", text, cut, got)
			}
		}
		if got := finds(token, strings.Split(text, "")...); got != want {
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
