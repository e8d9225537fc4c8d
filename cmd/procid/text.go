package main

// Packages strings, bytes and bufio would do all this, and cost a start more
// than asking about a process does: they bring the tables of package unicode.

// index returns where sep first is in text, or -1.
func index[T string | []byte](text T, sep string) int {
	for i := 0; i+len(sep) <= len(text); i++ {
		if string(text[i:i+len(sep)]) == sep {
			return i
		}
	}
	return -1
}

// cut splits text around the first sep; without one, all of it is before.
func cut[T string | []byte](text T, sep string) (before, after T, found bool) {
	i := index(text, sep)
	if i < 0 {
		return text, text[len(text):], false
	}
	return text[:i], text[i+len(sep):], true
}

// behindLast returns what is behind the last sep in text.
func behindLast(text, sep string) (after string, found bool) {
	for _, rest, more := cut(text, sep); more; _, rest, more = cut(rest, sep) {
		after, found = rest, true
	}
	return after, found
}

// field is the nth of the fields that sep ends or separates, from 0; whole tells
// whether a sep follows.
func field(text, sep string, n int) (value string, whole bool) {
	value, rest, whole := cut(text, sep)
	for ; n > 0 && whole; n-- {
		value, rest, whole = cut(rest, sep)
	}
	if n > 0 {
		return "", false
	}
	return value, whole
}

// lower makes small letters of A-Z.
func lower(text string) string {
	small := []byte(text)
	for i, b := range small {
		if b >= 'A' && b <= 'Z' {
			small[i] += 'a' - 'A'
		}
	}
	return string(small)
}

// has tells whether letter is one of letters.
func has(letters string, letter byte) bool {
	for i := range len(letters) {
		if letters[i] == letter {
			return true
		}
	}
	return false
}

// madeOf tells whether text has none but those letters.
func madeOf(text, letters string) bool {
	for i := range len(text) {
		if !has(letters, text[i]) {
			return false
		}
	}
	return true
}
