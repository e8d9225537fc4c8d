package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// A key names a mutant by what a reader sees of it, whatever its line.
type key struct{ file, function, old, new string }

func (m mutant) key() key { return key{m.File, m.Function, m.Old, m.New} }

// readEquivalent reads the mutants that no test can tell from the code, or that none here can.
// "## FILE: FUNCTION" says where; then for each "    - OLD", "    + NEW" and a paragraph of reason,
// which may follow several.
func readEquivalent(path string) (map[key]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reasons := map[key]string{}
	var at key
	var waiting []key
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "## "):
			at.file, at.function, _ = strings.Cut(line[3:], ":")
			at.function = strings.TrimSpace(at.function)
		case strings.HasPrefix(line, "    - "):
			at.old = line[6:]
		case strings.HasPrefix(line, "    + "):
			at.new = line[6:]
			waiting = append(waiting, at)
		case line == "    +":
			at.new = ""
			waiting = append(waiting, at)
		case line != "":
			for _, key := range waiting {
				reasons[key] = line
			}
			waiting = nil
		}
	}
	if len(waiting) > 0 {
		return nil, fmt.Errorf("%s: no reason is given for %q", path, waiting[0].new)
	}
	return reasons, lines.Err()
}
