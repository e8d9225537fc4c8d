package main

import "strconv"

// An ID is
//
//	SMMMMMMMMMMBBBBBBBBBB_PIDNS_TIMENS_START
//
// S is the source of the start time, M and B are 50 bits each of a hash of the
// machine, or of the tenant, and of its boot (base 32), PIDNS and TIMENS name the asker's
// namespaces (base 36; the initial one, and the only one, is 0), START is the
// start time as the kernel gives it (base 36). No other spelling is an ID.
const (
	longestID  = 48
	hashDigits = 10
	headLength = 1 + 2*hashDigits
	digits     = "0123456789abcdefghijklmnopqrstuv"
)

// Sources of a start time.
const (
	fromLinux   = 'l' // proc_pid_stat(5) field 22, clock ticks since boot
	fromTenant  = 't' // the same; M is of a tenant
	fromDarwin  = 'd' // kern.proc.pid, microseconds of wall-clock time
	fromFreeBSD = 'f' // kern.proc.pid, microseconds since boot
	fromWindows = 'w' // GetProcessTimes, 100 ns of wall-clock time
)

// scope is where an identity means what it says: start times are comparable
// only within one scope.
type scope struct {
	source        byte
	machine, boot uint64
	pidns, timens uint64
}

// identity is one process, for ever, among all that ever had its number.
type identity struct {
	scope
	start uint64
}

func (id identity) String() string {
	return string(rune(id.source)) + formatHash(id.machine) + formatHash(id.boot) +
		"_" + strconv.FormatUint(id.pidns, 36) +
		"_" + strconv.FormatUint(id.timens, 36) +
		"_" + strconv.FormatUint(id.start, 36)
}

// parseID reads an ID. What it accepts, String writes again letter by letter.
func parseID(text string) (identity, bool) {
	if len(text) > longestID || text == "" || !has("ltdfw", text[0]) {
		return identity{}, false
	}
	head, rest, _ := cut(text, "_")
	pidns, rest, _ := cut(rest, "_")
	timens, start, _ := cut(rest, "_")
	if len(head) != headLength {
		return identity{}, false
	}
	id := identity{scope: scope{source: text[0]}}
	var ok [5]bool
	id.machine, ok[0] = parseHash(head[1 : 1+hashDigits])
	id.boot, ok[1] = parseHash(head[1+hashDigits:])
	id.pidns, ok[2] = parseCanonical(pidns, 36)
	id.timens, ok[3] = parseCanonical(timens, 36)
	id.start, ok[4] = parseCanonical(start, 36)
	return id, ok == [5]bool{true, true, true, true, true}
}

// isWord tells whether text could be an ID of this or another version.
func isWord(text string) bool {
	return text != "" && len(text) <= longestID &&
		madeOf(text, "abcdefghijklmnopqrstuvwxyz0123456789_-")
}

// parseCanonical reads a number in its one spelling: small letters, no sign, no
// leading zero.
func parseCanonical(text string, base int) (uint64, bool) {
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil && strconv.FormatUint(n, base) == text
}

func formatHash(hash uint64) string {
	var text [hashDigits]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = digits[hash%32]
		hash /= 32
	}
	return string(text[:])
}

func parseHash(text string) (hash uint64, ok bool) {
	for i := range len(text) {
		digit := index(digits, text[i:i+1])
		if digit < 0 {
			return 0, false
		}
		hash = hash*32 + uint64(digit)
	}
	return hash, true
}

// hash50 is 50 bits of the FNV-1a hash of the parts, mixed by the finalizer of
// SplitMix64. It tells apart what isn't made to collide; it keeps no secret.
func hash50(parts ...string) uint64 {
	hash := uint64(14695981039346656037)
	for _, part := range parts {
		for i := range len(part) {
			hash = (hash ^ uint64(part[i])) * 1099511628211
		}
		hash = (hash ^ 0xff) * 1099511628211 // ends the part: no text has this byte
	}
	hash = (hash ^ hash>>30) * 0xbf58476d1ce4e5b9
	hash = (hash ^ hash>>27) * 0x94d049bb133111eb
	return (hash ^ hash>>31) >> 14
}
