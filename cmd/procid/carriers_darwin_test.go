package main

import "testing"

func TestTheEnvironmentStandsBehindTheArguments(t *testing.T) {
	for text, want := range map[string]string{
		"\x02\x00\x00\x00/bin/x\x00\x00\x00x\x00y\x00A=b\x00C=d\x00\x00ptr=1\x00": "A=b\x00C=d\x00",
		"\x01\x00\x00\x00/bin/x\x00x\x00A=b\x00":                                  "A=b\x00\x00",
		"\x02\x00\x00\x00/bin/x\x00x\x00\x00A=b\x00\x00":                          "A=b\x00", // an empty argument
		"\x01\x00\x00\x00/bin/x\x00x\x00\x00ptr=1\x00":                            "",        // none shown
		"\x01\x00\x00\x00/bin/x\x00x\x00":                                         "",
		"\x05\x00\x00\x00/bin/x\x00x\x00A=b\x00\x00":                              "",
		"\xff\xff\xff\xff": "",
		"":                 "",
	} {
		got, shown := shownEnviron([]byte(text))
		if string(got) != want || shown != (want != "") {
			t.Errorf("%q: %q, %v", text, got, shown)
		}
	}
}
