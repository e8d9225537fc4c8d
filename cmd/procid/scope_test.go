package main

import "testing"

var home = viewpoint{scope: scope{fromLinux, 1, 1, 0, 0}, known: true, trusted: true}

// at is home changed by the given steps.
func at(steps ...func(*viewpoint)) viewpoint {
	view := home
	for _, step := range steps {
		step(&view)
	}
	return view
}

func otherBoot(v *viewpoint)    { v.boot = 2 }
func otherMachine(v *viewpoint) { v.machine = 2 }
func inPIDNS(v *viewpoint)      { v.pidns = 7 }
func inTimeNS(v *viewpoint)     { v.timens = 7 }
func otherSource(v *viewpoint)  { v.source = fromDarwin }
func untrusted(v *viewpoint)    { v.trusted = false }
func weakBoot(v *viewpoint)     { v.weakBoot = true }
func lost(v *viewpoint)         { v.known, v.why = false, whyNoProc }

func TestScopesCompare(t *testing.T) {
	for name, test := range map[string]struct {
		recorded, me viewpoint
		relation     relation
		why          string
	}{
		"the same":                        {home, home, sameScope, ""},
		"the same container":              {at(inPIDNS), at(inPIDNS), sameScope, ""},
		"the same time namespace":         {at(inTimeNS), at(inTimeNS), sameScope, ""},
		"a renamed host":                  {at(otherMachine), home, sameScope, ""},
		"no trust needed":                 {home, at(untrusted), sameScope, ""},
		"another source":                  {at(otherSource), home, unrelated, whySource},
		"another source, other boot":      {at(otherSource, otherBoot), home, unrelated, whySource},
		"I don't know where I am":         {home, at(lost), unrelated, whyNoProc},
		"another pid namespace":           {at(inPIDNS), home, unrelated, whyPIDNS},
		"seen from a pid namespace":       {home, at(inPIDNS), unrelated, whyPIDNS},
		"another time namespace":          {at(inTimeNS), home, unrelated, whyTimeNS},
		"seen from a time namespace":      {home, at(inTimeNS), unrelated, whyTimeNS},
		"weak boot, same machine":         {at(weakBoot), at(weakBoot), sameScope, ""},
		"weak boot, other machine":        {at(otherMachine), at(weakBoot), unrelated, whyMachine},
		"earlier boot":                    {at(otherBoot), home, earlierBoot, ""},
		"earlier boot, untrusted":         {at(otherBoot), at(untrusted), unrelated, whyBoot},
		"earlier boot, weak":              {at(otherBoot), at(weakBoot), unrelated, whyBoot},
		"earlier boot, other machine":     {at(otherBoot, otherMachine), home, unrelated, whyMachine},
		"earlier boot, recorded pid ns":   {at(otherBoot, inPIDNS), home, unrelated, whyBoot},
		"earlier boot, recorded time ns":  {at(otherBoot, inTimeNS), home, unrelated, whyBoot},
		"earlier boot, my pid ns":         {at(otherBoot), at(inPIDNS), unrelated, whyBoot},
		"earlier boot, my time ns":        {at(otherBoot), at(inTimeNS), unrelated, whyBoot},
		"earlier boot, both in that one":  {at(otherBoot, inPIDNS), at(inPIDNS), unrelated, whyBoot},
		"earlier boot, both in a time ns": {at(otherBoot, inTimeNS), at(inTimeNS), unrelated, whyBoot},
	} {
		relation, why := compare(test.recorded.scope, test.me)
		if relation != test.relation || why != test.why {
			t.Errorf("%s: got %v %q, want %v %q", name, relation, why, test.relation, test.why)
		}
	}
}

func TestOnlyARealMachineIDAndNameAreTrusted(t *testing.T) {
	const id = "0badcafe0123456789abcdef01234567"
	for _, test := range []struct {
		id, host string
		want     bool
	}{
		{id, "build7", true}, {id, "localhost7", true},
		{id, "", false}, {id, "localhost", false}, {id, "LocalHost", false}, {id, "(none)", false},
		{id, "localhost.localdomain", false}, {"", "build7", false}, {"uninitialized", "build7", false},
		{"00000000000000000000000000000000", "build7", false}, {id + "0", "build7", false},
		{id[1:], "build7", false}, {"0BADCAFE0123456789ABCDEF01234567", "build7", false},
		{"0badcafe-0123456789abcdef01234567"[:32], "build7", false},
	} {
		if got := trustworthy(test.id, test.host); got != test.want {
			t.Errorf("trustworthy(%q, %q) = %v", test.id, test.host, got)
		}
	}
}
