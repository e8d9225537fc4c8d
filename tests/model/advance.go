package model

// advance is s after the next step of process i.
func (o Options) advance(s state, i int) state {
	p := &s.procs[i]
	mine := entry{holder, int8(i), p.round}
	claim0 := entry{claimed, int8(i), 0}
	switch p.step {
	case place:
		return o.place(s, i, mine)
	case write:
		if s.lock.kind != none {
			s.lock = mine
		}
		p.step = owns
	case look:
		p.step, p.seen = place, entry{}
		if s.lock.kind > empty {
			p.step, p.seen = judge, s.lock
		}
	case judge:
		p.step = o.verdict(s, p.seen)
	case revoke:
		s.noSlot |= 1 << p.seen.who
		p.step = claim
		if o.RevokeAfter {
			p.step = verify
		}
	case claim:
		return o.claim(s, i, claim0)
	case verify:
		p.step = place
		if s.lock == claim0 {
			p.step = move
		}
	case move:
		s.lock, p.step = entry{}, place
	case undo:
		s.lock, p.step = p.seen, place
	case owns:
		p.step = check
	case check:
		p.step = release
	case release:
		s.lock = entry{}
		p.round--
		p.step = place
		if p.round == 0 {
			p.step = end
		}
	}
	return s
}

func (o Options) place(s state, i int, mine entry) state {
	p := &s.procs[i]
	switch {
	case s.lock.kind != none:
		p.step = look
	case o.EntryAfter:
		s.lock, p.step = entry{kind: empty}, write
	default:
		s.lock, p.step = mine, owns
	}
	return s
}

// verdict is the step after the probe has answered about seen.
func (o Options) verdict(s state, seen entry) step {
	switch {
	case !s.procs[seen.who].dead && !o.TreatGone:
		return place
	case seen.kind == claimed && o.LoneClaim:
		return place
	case o.NoClaim:
		return move
	case o.NoRevoke, o.RevokeAfter, o.RevokeClaimsNo && seen.kind == claimed:
		return claim
	}
	return revoke
}

func (o Options) claim(s state, i int, mine entry) state {
	p := &s.procs[i]
	wanted := p.seen
	if o.Unbound && wanted.kind == holder && s.lock.kind == holder {
		wanted = s.lock
	}
	p.step = place
	if s.lock == wanted {
		s.lock, p.step = mine, verify
		if o.RevokeAfter {
			p.step = revoke
		}
	}
	return s
}
