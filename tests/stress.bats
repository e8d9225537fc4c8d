#!/usr/bin/env bats
# stress.bats: many processes count in one file under the lock, and are killed and started again
# meanwhile. STRESS_SEED=N draws other victims; the log of a run that fails is printed in part.

# shellcheck disable=SC2154 # variables of the helper
load helper

# stress WORKERS TIMES: what was told is in $log, see fixtures/stress.sh.
stress() {
  log=$BATS_TEST_TMPDIR/log
  bash "$root/tests/fixtures/stress.sh" "$library" "$DIR" "$1" "$2" "${STRESS_SEED:-1}" >"$log" 2>&1 ||
    fail "seed ${STRESS_SEED:-1}: $(tail -n 5 "$log" "$DIR/errors")"
}

# Everybody inside goes out before the next comes in, or was killed inside and never speaks again.
sections_do_not_overlap() {
  awk '
    function wrong(what) { print "line " NR ": " what; bad = 1 }
    { run = $2 "." $3 }
    $1 == "killed" { killed[run] = 1; next }
    run in dead { wrong(run " speaks, and another has come in since it was inside") }
    $1 == "in" && inside != "" { dead[inside] = NR }
    $1 == "in" { inside = run }
    $1 == "out" && run != inside { wrong(run " goes out, and " inside " is inside") }
    $1 == "out" { inside = "" }
    END {
      for (run in dead) if (!(run in killed)) wrong(run " was inside at " dead[run] ", and was not killed")
      exit bad
    }' "$log" || fail "the critical sections overlap"
}

# counts_are_complete WORKERS TIMES: no worker counted a number twice, as it would after a lost
# update; one that it did not tell was counted by a run that was killed inside; the file has all.
counts_are_complete() {
  awk -v workers="$1" -v times="$2" '
    function wrong(what) { print what; bad = 1 }
    $1 == "in" { runs_inside[$2]++ }
    $1 == "out" { runs_inside[$2]-- }
    $1 == "out" && $4 > 0 && told[$2, $4]++ { wrong("worker " $2 " counted " $4 " twice") }
    END {
      for (w = 1; w <= workers; w++) {
        missing = 0
        for (k = 1; k <= times; k++) missing += !told[w, k]
        if (missing > runs_inside[w])
          wrong("worker " w ": " missing " were not told, " runs_inside[w] " of its runs were killed inside")
      }
      exit bad
    }' "$log" || fail "an update was lost"
  read -r -a count <"$DIR/data"
  same "${#count[@]} ${count[0]}" "$(($1 + 1)) $(($1 * $2))"
  for ((w = 1; w <= $1; w++)); do same "${count[w]}" "$2" || return; done
}

# The victims were in all kinds of places: waiting or acquiring, inside, releasing.
kills_were_everywhere() {
  awk '
    { run = $2 "." $3 }
    $1 == "killed" { killed[run] = $4; next }
    { last[run] = $1 }
    END {
      for (run in killed) place[last[run]]++
      print "killed: " place["try"] " acquiring, " place["in"] " inside, " place["out"] " releasing"
      exit !(place["try"] && place["in"] && place["out"])
    }' "$log" || fail "a kind of place is missing"
}

# Nothing lies about but slots of killed processes.
only_slots_of_the_killed() {
  local path pid
  is_free || return
  for path in "$LOCK".*; do
    [ -e "$path" ] || continue
    pid=${path#"$LOCK.slot."}
    pid=${pid%%.*}
    grep -q "^killed .* $pid\$" "$log" || fail "$path is of nobody who was killed" || return
    gone "$pid" "${path##*.}" || return
  done
  rm -rf -- "$LOCK".slot.*
  same "$(ls -A)" $'data\nerrors\ntold'
}

@test "eight processes count forty times each, killed at random, and no count is lost" {
  stress 8 40
  same "$(grep -c '^end ' "$log")" 8
  kills_were_everywhere
  sections_do_not_overlap
  counts_are_complete 8 40
  only_slots_of_the_killed
}
