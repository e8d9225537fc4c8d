package main

import (
	"strings"
	"testing"
)

// ours makes a viewpoint one of tenant "a".
func ours(v *viewpoint)   { *v = v.ofTenant("a") }
func theirs(v *viewpoint) { *v = v.ofTenant("b") }

func TestTenantsCompare(t *testing.T) {
	for name, test := range map[string]struct {
		recorded, me viewpoint
		relation     relation
		why          string
	}{
		"the same namespace":             {at(ours), at(ours), sameScope, ""},
		"the same container":             {at(inPIDNS, ours), at(inPIDNS, ours), sameScope, ""},
		"the same, other host name":      {at(inPIDNS, otherMachine, ours), at(inPIDNS, ours), sameScope, ""},
		"the same, seen by no tenant":    {at(inPIDNS, ours), at(inPIDNS), sameScope, ""},
		"the same, seen by another":      {at(inPIDNS, ours), at(inPIDNS, theirs), sameScope, ""},
		"the same, of no tenant":         {at(inPIDNS), at(inPIDNS, ours), sameScope, ""},
		"another container":              {at(inPIDNS, ours), at(ours), earlierNamespace, ""},
		"from a container":               {at(ours), at(inPIDNS, ours), earlierNamespace, ""},
		"another boot":                   {at(inPIDNS, otherBoot, ours), at(ours), earlierNamespace, ""},
		"another machine":                {at(inPIDNS, otherBoot, otherMachine, ours), at(ours), earlierNamespace, ""},
		"and time namespace":             {at(inPIDNS, inTimeNS, ours), at(ours), earlierNamespace, ""},
		"another boot, its number again": {at(inPIDNS, otherBoot, ours), at(inPIDNS, ours), sameScope, ""},
		"its number again, other clock":  {at(inPIDNS, otherBoot, inTimeNS, ours), at(inPIDNS, ours), unrelated, whyTimeNS},
		"another time namespace":         {at(inTimeNS, ours), at(ours), unrelated, whyTimeNS},
		"another tenant's":               {at(inPIDNS, ours), at(theirs), unrelated, whyPIDNS},
		"no tenant asks":                 {at(inPIDNS, ours), home, unrelated, whyPIDNS},
		"no tenant's":                    {at(inPIDNS), at(ours), unrelated, whyPIDNS},
		"another boot, another tenant's": {at(otherBoot, ours), at(theirs), unrelated, whyBoot},
		"another boot, no tenant asks":   {at(otherBoot, ours), home, unrelated, whyBoot},
		"no tenant's, earlier boot":      {at(otherBoot), at(ours), earlierBoot, ""},
		"I don't know where I am":        {at(inPIDNS, ours), at(lost, ours), unrelated, whyNoProc},
		"another source":                 {at(inPIDNS, ours), at(otherSource, ours), unrelated, whySource},
	} {
		relation, why := compare(test.recorded.recorded(), test.me)
		if relation != test.relation || why != test.why {
			t.Errorf("%s: got %v %q, want %v %q", name, relation, why, test.relation, test.why)
		}
	}
}

func TestATenantStandsInTheIdentityForTheMachine(t *testing.T) {
	a := identity{at(ours).recorded(), 7}.String()
	if again := (identity{at(ours, otherMachine).recorded(), 7}).String(); a != again || a[0] != fromTenant {
		t.Errorf("%s and %s", a, again)
	}
	if b := (identity{at(theirs).recorded(), 7}).String(); a == b || len(a) != len(homeID) || a[1:11] == homeID[1:11] {
		t.Errorf("%s, %s and %s", a, b, homeID)
	}
	if id, ok := parseID(a); !ok || id.String() != a {
		t.Errorf("%s reads as %+v, %v", a, id, ok)
	}
}

func TestWhereThereAreNoNamespacesThereAreNoTenants(t *testing.T) {
	me := at(otherSource, ours)
	if me.recorded() != me.scope {
		t.Errorf("%+v", me)
	}
}

func TestATenantsProcessOfAnotherNamespaceIsGone(t *testing.T) {
	id := identity{at(inPIDNS, ours).recorded(), 7}.String()
	for tenant, want := range map[string]verdict{
		"a": gone(whyEarlierNS), "b": unknown(whyPIDNS), "": unknown(whyPIDNS),
	} {
		looks := &lookCounter{fakeSystem: fakeSystem{seenPresent(7, whyRunning)}}
		if got := judge(newAsker(looks, tenant), 5, id); got != want || len(looks.asked) != 0 {
			t.Errorf("tenant %q: got %v, asked %v", tenant, got, looks.asked)
		}
	}
}

func TestATenantHasANameOfItsOwn(t *testing.T) {
	for _, name := range []string{"", "a", "A-z_0.9", "-", ".", strings.Repeat("a", 64)} {
		if got := callTenant(name, "5"); got.status != 0 || got.stderr != "" || got.stdout == "" {
			t.Errorf("%q: %+v", name, got)
		}
	}
	for _, name := range []string{
		" ", "a b", "a\n", "a/b", "a:b", "a\x1b[2J", "\xe4", "\u00e4", "a\x00", strings.Repeat("a", 65), strings.Repeat("x", 1<<16),
	} {
		for _, args := range [][]string{{"5"}, {"5", homeID}, {someToken}, {"-"}} {
			got := callTenant(name, args...)
			if got.status != exitUsage || got.stdout != "" || len(got.looks.asked) != 0 {
				t.Errorf("%q: %+v", name, got)
			}
			if !strings.Contains(got.stderr, tenantVariable) || strings.ContainsAny(got.stderr, "\x1b\x00") || len(got.stderr) > 500 {
				t.Errorf("%q: %q", name, got.stderr)
			}
		}
		if got := callTenant(name, "--version"); got.status != 0 {
			t.Errorf("--version: %+v", got)
		}
	}
}

func callTenant(tenant string, args ...string) called {
	var out, problems strings.Builder
	looks := &lookCounter{fakeSystem: fakeSystem{seenPresent(7, whyRunning)}}
	p := program{func() system { return looks }, tenant, strings.NewReader("5\n"), &out, &problems}
	return called{p.run(args), out.String(), problems.String(), looks}
}
