package model

import "testing"

func TestNoInterleavingAndNoKillBreaksTheProtocol(t *testing.T) {
	for _, o := range []Options{
		{Procs: 2, Kills: 2, Rounds: 3}, {Procs: 3, Kills: 2, Rounds: 2}, {Procs: 4, Kills: 1, Rounds: 1},
	} {
		states, violation, path := Explore(o)
		if violation != "" {
			t.Errorf("%+v: %s", o, violation)
			for _, line := range path {
				t.Log(line)
			}
		}
		t.Logf("%d processes, %d kills, %d rounds: %d states", o.Procs, o.Kills, o.Rounds, states)
	}
}

func TestEachMutantOfTheProtocolEndsInAViolation(t *testing.T) {
	for name, o := range map[string]Options{
		"holders are not asked":         {TreatGone: true},
		"no claim":                      {NoClaim: true},
		"claim of whatever is there":    {Unbound: true},
		"a dead claimer's claim stays":  {LoneClaim: true},
		"entry after the directory":     {EntryAfter: true},
		"slots are not destroyed":       {NoRevoke: true},
		"slots are destroyed too late":  {RevokeAfter: true},
		"a gone claimer's slot is left": {RevokeClaimsNo: true},
	} {
		t.Run(name, func(t *testing.T) {
			o.Procs, o.Kills, o.Rounds = 4, 3, 1
			_, violation, path := Explore(o)
			if violation == "" {
				t.Fatal("no violation found")
			}
			t.Logf("%s after %d steps", violation, len(path)-1)
			for _, line := range path {
				t.Log(line)
			}
		})
	}
}
