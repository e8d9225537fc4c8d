# Turns the output of `go test -v` into TAP with times, as bats writes it.
# A test with subtests is counted by its subtests, or itself if it alone failed.

function note_parents(name, state,   parent) {
  parent = name
  while (sub(/\/[^\/]*$/, "", parent)) {
    has_child[package, parent] = 1
    if (state == "FAIL") child_failed[package, parent] = 1
  }
}

/^=== (RUN|CONT|NAME|PAUSE) / { current = $3; next }
/^(ok|FAIL)\t/ { package++; current = ""; next }

/^ *--- (PASS|FAIL|SKIP): / {
  state = $2
  sub(/:$/, "", state)
  line = $0
  sub(/^ *--- (PASS|FAIL|SKIP): /, "", line)
  seconds = line
  sub(/.*\(/, "", seconds)
  sub(/ \([0-9.]+s\)$/, "", line)
  current = line
  count++
  packages[count] = package
  names[count] = current
  states[count] = state
  ms[count] = int(seconds * 1000 + 0.5)
  note_parents(current, state)
  next
}

current != "" && NF > 0 {
  log_lines[package, current] = log_lines[package, current] "# " $0 "\n"
  last_line[package, current] = $0
}

END {
  for (i = 1; i <= count; i++) {
    id = packages[i] SUBSEP names[i]
    if (id in has_child && !(states[i] == "FAIL" && !(id in child_failed))) continue
    if (states[i] == "FAIL") {
      printf "not ok %d %s\n%s", ++n, names[i], log_lines[id]
      continue
    }
    printf "ok %d %s in %dms", ++n, names[i], ms[i]
    if (states[i] == "SKIP") {
      reason = last_line[id]
      sub(/^ *[^ ]*\.go:[0-9]+: /, "", reason)
      printf " # skip %s", reason
    }
    printf "\n"
  }
}
