package main

// Why a verdict is what it is: one word, for messages only.
const (
	whyNotRunning   = "not-running"
	whyRecycled     = "recycled"
	whyZombie       = "zombie"
	whyThread       = "thread"
	whyEarlierBoot  = "earlier-boot"
	whyEarlierNS    = "earlier-container"
	whyMachine      = "other-machine"
	whyBoot         = "other-boot"
	whyPIDNS        = "other-pid-namespace"
	whyTimeNS       = "other-time-namespace"
	whySource       = "other-source"
	whyNotPermitted = "not-permitted"
	whyNoProc       = "no-proc"
	whyNoIdentity   = "no-identity"
	whyBadID        = "bad-id"
	whyBadLine      = "bad-line"
	whyOddErrno     = "odd-errno"
	whyRunning      = "running"
	whyStopped      = "stopped"
)

// verdict is an answer: "gone", "unknown" or an ID, and why.
type verdict struct{ word, why string }

func gone(why string) verdict    { return verdict{"gone", why} }
func unknown(why string) verdict { return verdict{"unknown", why} }

func (v verdict) isGone() bool { return v.word == "gone" }

func (v verdict) line(why bool) string {
	if why && v.word != "" {
		return v.word + " " + v.why
	}
	return v.word
}

// presence is what a look at a process number found.
type presence int

const (
	unsure  presence = iota // can't be told
	absent                  // no process has the number, or only a dead one
	present                 // a live process has it
)

// sighting is one look at a process number.
type sighting struct {
	presence presence
	why      string
	start    uint64 // of a present process, in the kernel's own unit
}

func seenAbsent(why string) sighting                { return sighting{absent, why, 0} }
func seenUnsure(why string) sighting                { return sighting{unsure, why, 0} }
func seenPresent(start uint64, why string) sighting { return sighting{present, why, start} }

// system is what an operating system tells about processes.
type system interface {
	viewpoint() viewpoint  // from where is asked; holds for the life of this process
	look(pid int) sighting // what has the number now; pid is at least 1
}

// asker is a system with its viewpoint, taken once however many questions follow.
type asker struct {
	system
	me viewpoint
}

func newAsker(s system, tenant string) *asker {
	return &asker{s, s.viewpoint().ofTenant(tenant)}
}

// answer answers all of a question but who carries its token.
func (ask *asker) answer(q question) verdict {
	if q.id == "" {
		return identify(ask, q.pid)
	}
	return judge(ask, q.pid, q.id)
}

// identify answers "procid PID".
func identify(ask *asker, pid int) verdict {
	seen := ask.look(pid)
	switch {
	case seen.presence == absent:
		return gone(seen.why)
	case seen.presence == unsure:
		return unknown(seen.why)
	case !ask.me.known:
		return unknown(ask.me.why)
	}
	text := identity{ask.me.recorded(), seen.start}.String()
	if len(text) > longestID {
		return unknown(whyNoIdentity)
	}
	return verdict{text, seen.why}
}

// judge answers "procid PID ID". The number is looked at only when the ID was
// made where the answer means the same process.
func judge(ask *asker, pid int, text string) verdict {
	recorded, ok := parseID(text)
	if !ok {
		return unknown(whyBadID)
	}
	relation, why := compare(recorded.scope, ask.me)
	switch relation {
	case earlierBoot:
		return gone(whyEarlierBoot)
	case earlierNamespace:
		return gone(whyEarlierNS)
	case unrelated:
		return unknown(why)
	}
	seen := ask.look(pid)
	switch {
	case seen.presence == absent:
		return gone(seen.why)
	case seen.presence == unsure:
		return unknown(seen.why)
	case seen.start != recorded.start:
		return gone(whyRecycled)
	}
	return verdict{text, seen.why}
}
