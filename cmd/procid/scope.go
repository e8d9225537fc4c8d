package main

// viewpoint is from where a question is asked.
type viewpoint struct {
	scope
	known    bool   // scope holds; else why says what is missing
	why      string //
	trusted  bool   // scope.machine is surely one machine: see trustworthy
	weakBoot bool   // scope.boot isn't random, so that it needs scope.machine beside it
	tenant   uint64 // a hash of the tenant's name; 0 is none
}

func nowhere(source byte, why string) viewpoint {
	return viewpoint{scope: scope{source: source}, why: why}
}

// relation is what a recorded scope is to the asker's.
type relation int

const (
	unrelated        relation = iota // nothing follows from what is seen here
	sameScope                        // what is seen here decides
	earlierBoot                      // this machine, before it was started the last time
	earlierNamespace                 // of this tenant, before the asker's pid namespace
)

// compare relates the scope of a record to the asker's; why tells what makes it
// unrelated. Boots are told apart by random numbers, so under the same boot the
// machine is only a label: a renamed host goes on judging its own records.
func compare(recorded scope, me viewpoint) (relation, string) {
	switch {
	case recorded.source == fromTenant:
		return compareTenants(recorded, me)
	case recorded.source != me.source:
		return unrelated, whySource
	case !me.known:
		return unrelated, me.why
	case recorded.boot != me.boot:
		return compareBoots(recorded, me)
	case me.weakBoot && recorded.machine != me.machine:
		return unrelated, whyMachine
	case recorded.pidns != me.pidns:
		return unrelated, whyPIDNS
	case recorded.timens != me.timens:
		return unrelated, whyTimeNS
	}
	return sameScope, ""
}

// compareBoots: another boot was an earlier one of this machine only when the
// machine is surely this one and neither side is in a container. Containers
// share machine ids and names with live neighbours and may be given a boot id.
func compareBoots(recorded scope, me viewpoint) (relation, string) {
	initial := recorded.pidns == 0 && recorded.timens == 0 && me.pidns == 0 && me.timens == 0
	switch {
	case recorded.machine != me.machine:
		return unrelated, whyMachine
	case !me.trusted || me.weakBoot || !initial:
		return unrelated, whyBoot
	}
	return earlierBoot, ""
}

// trustworthy tells whether machine id and host name together name one machine:
// a real machine-id(5) and a name that isn't everybody's.
func trustworthy(machineID, host string) bool {
	return isMachineID(machineID) && !isGenericHost(host)
}

// isMachineID: machine-id(5) has 32 small hexadecimal digits, not all zero. An
// image that waits for its first boot says "uninitialized".
func isMachineID(text string) bool {
	return len(text) == 32 && madeOf(text, "0123456789abcdef") && !madeOf(text, "0")
}

func isGenericHost(host string) bool {
	name, _, _ := cut(lower(host), ".")
	return host == "" || host == "(none)" || name == "localhost"
}
