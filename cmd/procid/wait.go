package main

// watcher is a system that can tell when a process ends without asking again
// and again.
type watcher interface {
	// watch watches what has the number now. The end returned waits until that
	// has ended; it is false when nobody reads standard output any more.
	watch(pid int) (end func() bool, ok bool)
}

// wait answers the question about PID and ID. Where that process is alive and the
// system can tell when it ends, procid stays until then and answers once more;
// where it can't, the answer is "unknown". It is watched before it is asked about:
// what is watched is then that very process, or has ended.
func (p program) wait(args []string) int {
	if len(args) != 2 {
		return p.usage("--wait takes a PID and an ID")
	}
	q, problem := parseQuestion(args...)
	if problem != "" {
		return p.usage(problem)
	}
	ask := newAsker(p.system(), p.tenant)
	end, watched := ask.watch(q.pid)
	v := ask.answer(q)
	if v.word == q.id && !watched {
		v = unknown("")
	}
	status := p.print(v.word + "\n")
	if status != exitOK || v.word != q.id || !end() {
		return status
	}
	return p.print(ask.answer(q).word + "\n")
}

// watch is the system's, where it has one.
func (ask *asker) watch(pid int) (end func() bool, ok bool) {
	if w, can := ask.system.(watcher); can {
		return w.watch(pid)
	}
	return nil, false
}
