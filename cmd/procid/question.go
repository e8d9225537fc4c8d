package main

// question is about a number, about a recorded process if it has an ID, and
// about what carries a token if it has one.
type question struct {
	pid       int
	id, token string
}

// parseQuestion reads a PID, a PID and an ID, or a token PID.ID.N.
func parseQuestion(words ...string) (q question, problem string) {
	if len(words) == 1 && has(words[0], '.') {
		return parseToken(words[0])
	}
	pid, ok := parsePID(words[0])
	if !ok {
		return q, "not a plain decimal PID from 1 to 2147483647: " + quote(words[0])
	}
	q.pid = pid
	if len(words) == 2 {
		if !isWord(words[1]) {
			return q, "not a word that could be an ID: " + quote(words[1])
		}
		q.id = words[1]
	}
	return q, ""
}

// parseToken: PID.ID.N names one acquisition of a lock.
func parseToken(text string) (q question, problem string) {
	number, rest, _ := cut(text, ".")
	id, count, _ := cut(rest, ".")
	pid, ok1 := parsePID(number)
	_, ok2 := parsePID(count)
	if !ok1 || !ok2 || !isWord(id) {
		return q, "not a token PID.ID.N: " + quote(text)
	}
	return question{pid, id, text}, ""
}

// parsePID takes exactly what the shell may print for a process number: decimal
// digits without sign, blank or leading zero, from 1 to 2147483647.
func parsePID(text string) (int, bool) {
	n, ok := parseCanonical(text, 10)
	if !ok || n < 1 || n > 1<<31-1 {
		return 0, false
	}
	return int(n), true
}
