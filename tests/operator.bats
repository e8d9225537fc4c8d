#!/usr/bin/env bats
# operator.bats: what people type instead of rm -r: it removes what it was shown, or nothing.

# shellcheck disable=SC1010,SC2016,SC2086,SC2088 # code for drivers, and words
load helper

# token: what status prints as the token of LOCK.
token() {
  local name
  name=$(entry_of "$LOCK")
  printf '%s\n' "${name#*.}"
}

# printed: the last command that the output tells to type.
printed() {
  local line=${output##*"all the same: "}
  printf '%s\n' "${line%%$'\n'*}"
}

# refusing COMMAND PATTERN: a COMMAND first on PATH that the system refuses what matches PATTERN.
refusing() {
  local dir=$BATS_TEST_TMPDIR/refusing
  mkdir -p "$dir"
  cat >"$dir/$1" <<REFUSE
#!/usr/bin/env bash
case "\$*" in $2) echo "$1: Input/output error" >&2; exit 1 ;; esac
exec $(command -v "$1") "\$@"
REFUSE
  chmod +x "$dir/$1"
  PATH=$dir:$PATH
}

# intact BEFORE: below DIR all is as it was.
intact() { same "$(listing "$DIR")" "$1"; }

@test "the lock of a killed holder is removed, and the line says whose it was and why" {
  killed_holder other
  run registry-lock break "$LOCK"
  status_is 0
  says "registry-lock: $LOCK: removed the lock of process $other_pid (other.sh) on $HOSTNAME since 2"
  says 'that process is gone: it is not running'
  no_litter
}

@test "a free lock is free already" {
  run registry-lock break "$LOCK"
  status_is 0
  same "$output" "registry-lock: $LOCK is free"
  no_litter
}

@test "the lock of a live holder is shown and left alone" {
  hold other
  local before
  before=$(ls -ldi "$LOCK" "$LOCK"/*)
  run registry-lock break "$LOCK"
  status_is 75
  says 'registry-lock: not removed'
  says "held by process $other_pid (other.sh)"
  says 'it is running'
  same "$(printed)" "registry-lock break --force $LOCK $(token)"
  same "$(ls -ldi "$LOCK" "$LOCK"/*)" "$before"
  alive "$other_pid"
}

@test "the right token without --force is not enough, nor is --force without a token" {
  hold other
  run registry-lock break "$LOCK" "$(token)"
  status_is 75
  run registry-lock break --force "$LOCK"
  status_is 64
  says 'give its token too'
  same "$(printed)" "registry-lock break --force $LOCK $(token)"
  run registry-lock break -f "$LOCK" ''
  status_is 64
  held_by "$other_pid"
  send other go
  ended other
}

@test "with --force and a token that isn't the holder's nothing is removed" {
  hold other
  local wrong
  for wrong in 1 "$other_pid" "holder.$(token)" "$(token)1" '*' '-x'; do
    run registry-lock break --force -- "$LOCK" "$wrong"
    status_is 75
    says 'the token given is not that of its holder now'
    says "process $other_pid"
  done
  held_by "$other_pid"
  send other go
  ended other
}

@test "the token of another holder does not remove a dead one's lock either" {
  killed_holder other
  run registry-lock break "$LOCK" 1.x.1
  status_is 75
  is_taken
  run registry-lock break "$LOCK" "$(token)"
  status_is 0
}

@test "the command that is printed removes the lock of a live holder, who learns that he lost it" {
  hold other
  run registry-lock break "$LOCK"
  run bash -c "$(printed)"
  status_is 0
  says "removed by force; until then: $LOCK is held by process $other_pid"
  lacks "$output" $'\n'
  is_free
  alive "$other_pid"
  send other go
  ended other 76
  contains "$(err_of other)" "$LOCK was taken from this process (pid $other_pid): it is not its lock any more; nothing was touched"
}

# Case 24.
@test "a holder whose lock was removed by force touches nothing of his successor's" {
  start a 'registry_lock_acquire "$LOCK" 0; tell held; hear; registry_lock_check "$LOCK"; tell "check $?"; hear
    registry_lock_release "$LOCK"; tell "release $?"; hear; registry_lock_release'
  expect a held
  run registry-lock break -f "$LOCK" "$(token)"
  hold b
  local before
  before=$(listing "$DIR")
  send a go
  expect a 'check 76'
  contains "$(err_of a)" "was taken from this process (pid $a_pid)"
  send a go
  expect a 'release 76'
  send a go
  ended a
  held_by "$b_pid"
  send b go
  ended b
}

@test "nor does he touch a successor without a readable record" {
  hold a
  run registry-lock break -f "$LOCK" "$(token)"
  forge "$LOCK" holder 'nothing to be read'
  local before
  before=$(listing "$LOCK")
  send a go
  ended a 76
  same "$(listing "$LOCK")" "$before"
}

@test "a stopped holder's lock is removed by force, and he learns it when he goes on" {
  hold a
  kill -STOP "$a_pid"
  run registry-lock break -f "$LOCK" "$(token)"
  status_is 0
  says 'until then'
  hold b
  kill -CONT "$a_pid"
  send a go
  ended a 76
  held_by "$b_pid"
}

@test "a waiter gets in when the lock of a live holder is removed by force" {
  hold a
  start b 'registry_lock_acquire "$LOCK" 30 && tell in; hear'
  until [ -d "$LOCK.slot.$b_pid.$(identity "$b_pid")/lock" ]; do :; done
  run registry-lock break -f "$LOCK" "$(token)"
  status_is 0
  expect b in
  held_by "$b_pid"
}

@test "the release of the live holder that is under way when his lock is removed takes nobody's" {
  gate_mv '"-- "*/lock*/.'
  hold a
  send a go
  expect gate at
  run registry-lock break -f "$LOCK" "$(token)"
  status_is 0
  hold b
  send gate go
  expect gate done
  ended a 76
  held_by "$b_pid"
}

@test "a token that changed since it was printed is refused, and the new holder is shown" {
  hold a
  run registry-lock status "$LOCK"
  local command
  command=$(next_command)
  run registry-lock break "$LOCK"
  command=$(printed)
  send a go
  ended a
  hold b
  run bash -c "$command"
  status_is 75
  says 'the token given is not that of its holder now'
  says "held by process $b_pid"
  held_by "$b_pid"
}

@test "a token that changes between the look and the claim is refused, and the new holder is shown" {
  hold a
  gate_mv '*/claim.*'
  start op "registry_lock_break --force \"\$LOCK\" $(token)"
  expect gate at
  send a go
  ended a
  hold b
  send gate go
  expect gate done
  ended op 75
  contains "$(err_of op)" 'not removed, it changed hands just then'
  contains "$(err_of op)" "held by process $b_pid"
  held_by "$b_pid"
  send b go
  ended b
  no_litter
}

@test "a dead holder's lock that another takes between the look and the claim is left alone" {
  killed_holder dead
  gate_mv '*/claim.*'
  start op 'registry_lock_break "$LOCK"'
  expect gate at
  hold b
  send gate go
  expect gate done
  ended op 75
  contains "$(err_of op)" "held by process $b_pid"
  held_by "$b_pid"
}

@test "a dead holder's lock that another removes between the look and the claim is free" {
  killed_holder dead
  gate_mv '*/claim.*'
  start op 'registry_lock_break "$LOCK"'
  expect gate at
  run registry-lock break "$LOCK"
  status_is 0
  send gate go
  expect gate done
  ended op
  contains "$(err_of op)" "$LOCK is free"
  no_litter
}

@test "of eight operators on one dead lock one removes it, and the others harm nothing" {
  killed_holder dead
  local n
  for n in 1 2 3 4 5 6 7 8; do start "op$n" 'hear; registry_lock_break "$LOCK"'; done
  for n in 1 2 3 4 5 6 7 8; do send "op$n" go; done
  for n in 1 2 3 4 5 6 7 8; do
    eval "wait \$op${n}_pid" || [ $? = 75 ] || fail "op$n: $(err_of "op$n")"
  done
  same "$(cat "$BATS_TEST_TMPDIR"/talk/op*.err | grep -c 'removed the')" 1
  no_litter
}

@test "the claim of a dead remover is removed, that of a live one is left alone" {
  killed_holder dead
  start c 'stop_at _registry_lock_remove; registry_lock_break "$LOCK"'
  expect c 'at _registry_lock_remove'
  run registry-lock break "$LOCK"
  status_is 75
  says "process $c_pid is removing a dead holder's lock; it is running"
  slay c
  run registry-lock break "$LOCK"
  status_is 0
  says "removed the claim of process $c_pid"
  no_litter
}

@test "the claim of a live remover goes with --force and its token, and he does no harm" {
  killed_holder dead
  start c 'stop_at _registry_lock_remove; registry_lock_acquire "$LOCK" 0; tell "$?"; hear'
  expect c 'at _registry_lock_remove'
  run registry-lock break --force "$LOCK" "$(token)"
  status_is 0
  hold b
  send c go
  expect c 75
  held_by "$b_pid"
}

@test "a holder in another container is removed with --force and his token alone" {
  need_root
  need_unshare -p -f --mount-proc --kill-child
  start other 'registry_lock_acquire "$LOCK" 5 && tell held; hear' unshare -p -f --mount-proc --kill-child
  expect other held
  run registry-lock break "$LOCK"
  status_is 75
  says 'another pid namespace'
  held_by 1
  run bash -c "$(printed)"
  status_is 0
  is_free
}

@test "an empty directory goes with --force only" {
  mkdir "$LOCK"
  run registry-lock break "$LOCK"
  status_is 75
  says 'has no holder recorded'
  is_taken
  same "$(printed)" "registry-lock break --force $LOCK"
  run bash -c "$(printed)"
  status_is 0
  no_litter
}

@test "an empty directory in which somebody writes just then is left alone" {
  mkdir "$LOCK"
  start op 'stop_at _registry_lock_remove_empty; registry_lock_break --force "$LOCK"'
  expect op 'at _registry_lock_remove_empty'
  echo "pid $$" >"$LOCK/holder"
  send op go
  ended op 75
  contains "$(err_of op)" 'it changed hands just then'
  contains "$(err_of op)" "held by process $$"
  same "$(cat "$LOCK/holder")" "pid $$"
}

@test "a damaged record goes with --force and its name" {
  local name
  for name in holder.0.x.1 '-x' 'two words' $'new\nline' '$(touch ran)'; do
    forge "$LOCK" "$name"
    run registry-lock break -f "$LOCK"
    status_is 64
    run bash -c "$(printed)"
    status_is 0
    no_litter
  done
}

@test "a directory with several files in it is not removed by any option" {
  mkdir "$LOCK" && touch "$LOCK/data" "$LOCK/holder.1.x.1"
  local before
  before=$(listing "$DIR")
  run registry-lock break -f "$LOCK" 1.x.1
  status_is 73
  says "To look: ls -la $LOCK"
  run registry-lock break -f "$LOCK"
  status_is 73
  same "$(listing "$LOCK")" "$(grep /lock <<<"$before")"
}

@test "a file or a link in the way is not removed by any option" {
  touch file && mkdir dir && ln -s dir link && ln -s nowhere dangling
  local name
  for name in file link dangling; do
    run registry-lock break -f "$name" x
    status_is 73
    says 'a file or a link has that name'
    says "To look: ls -ld $DIR/$name"
  done
  same "$(echo *)" 'dangling dir file link'
}

@test "where the system refuses, its reason is given and all is as it was" {
  dead_lock_at "$LOCK"
  mkdir empty
  chmod 555 "$DIR"
  local before
  before=$(listing "$DIR")
  as_nobody 'registry_lock_break "$LOCK"'
  status_is 73
  says "$LOCK can't be made or removed here: Permission denied (the directory $DIR is dr-xr-xr-x"
  intact "$before"
  as_nobody "registry_lock_break -f '$DIR/empty'"
  status_is 73
  says 'Permission denied'
  intact "$before"
}

@test "where it can have no slot of its own it says why, once, and follows no link in its place" {
  dead_lock_at "$LOCK"
  local before
  before=$(listing "$DIR")
  (
    refusing mkdir '*'
    run registry-lock break "$LOCK"
    status_is 73
    same "$(grep -c 'Input/output error' <<<"$output")" 1
  )
  intact "$before"
  need_links
  mkdir aside
  run bash -c ". '$library'; ln -s aside '$LOCK'.slot.\$\$.\$(procid \$\$)
    registry_lock_break '$LOCK'"
  status_is 73
  says 'File exists'
  is_taken
  same "$(ls aside)" ''
}

@test "a break that came to nothing, and has no reason, is no refusal of the system" {
  dead_lock_at "$LOCK"
  _registry_lock_break() { rl_error='words of an earlier step'; }
  run registry_lock_break "$LOCK"
  status_is 75
  says 'not removed, something came between; try again'
}

@test "where only the lock is closed the reason is the system's, not a change of hands" {
  dead_lock_at "$LOCK"
  forge "$DIR/old" holder "$dead_pid"
  chmod 777 "$DIR"
  local name
  for name in lock old; do
    as_nobody "registry_lock_break '$DIR/$name'"
    status_is 73
    says 'Permission denied'
    lacks "$output" 'changed hands'
  done
  same "$(ls "$LOCK")$(ls old)" "holder.$dead_pid.$dead_id.1holder"
  same "$(ls -A)" $'lock\nold'
}

@test "a lock in a folder that is closed to me is not called free" {
  mkdir -m 700 closed
  as_nobody "registry_lock_break '$DIR/closed/lock'"
  status_is 73
  lacks "$output" 'is free'
}

@test "a live holder of the older layouts is left, and goes with --force and his number" {
  stranger
  forge "$DIR/inside" holder "pid $stranger_pid"
  mkdir beside && echo "$stranger_pid" >beside.holder
  local name
  for name in inside beside; do
    run registry-lock break "$name"
    status_is 75
    says "as an older script recorded; it is running"
    run bash -c "$(printed)"
    status_is 0
    says 'removed by force; until then'
    is_free "$DIR/$name"
  done
  no_litter
  alive "$stranger_pid"
}

@test "what --force can't remove is as it was, and the reason is given" {
  stranger
  forge "$LOCK" "holder.$stranger_pid.$stranger_id.1"
  mkdir beside && echo "$stranger_pid" >beside.holder
  (
    refusing mv '*.trial.*'
    run registry-lock break -f beside "$stranger_pid"
    status_is 73
    says 'Input/output error'
  )
  refusing mv '*.slot.*/.' && refusing rmdir '*beside'
  run registry-lock break -f "$LOCK" "$(token)"
  status_is 73
  says 'Input/output error'
  same "$(entry_of "$LOCK")" "holder.$stranger_pid.$stranger_id.1"
  run registry-lock break -f beside "$stranger_pid"
  status_is 73
  same "$(cat beside.holder) $(echo *)" "$stranger_pid beside beside.holder lock"
}

@test "--force takes the holder's slot with the lock, and does not go on where it stays" {
  stranger
  forge "$LOCK" "holder.$stranger_pid.$stranger_id.1"
  local moves slot=$LOCK.slot.$stranger_pid.$stranger_id
  mkdir "$slot" && touch "$slot/in"
  for moves in '*' '*.dead.*'; do
    (
      refusing mv "$moves" && refusing rm '*' && refusing rmdir '*'
      run registry-lock break -f "$LOCK" "$(token)"
      status_is 73
      lacks "$output" 'removed by force'
      same "$(ls -A "$LOCK" "$slot")" "$LOCK:
holder.$stranger_pid.$stranger_id.1

$slot:
in"
    )
  done
  run registry-lock break -f "$LOCK" "$(token)"
  status_is 0
  is_free
  is_free "$slot"
}

@test "break leaves a driver's traps as they were" {
  dead_lock_at "$LOCK"
  trap 'echo leaving' EXIT
  local before
  before=$(trap -p)
  here registry_lock_break "$LOCK"
  status_is 0
  same "$(trap -p)" "$before"
}

@test "a process breaks no lock of its own" {
  registry_lock_acquire "$LOCK"
  here registry_lock_break --force "$LOCK" "$(token)"
  status_is 64
  says 'held by this very process'
  registry_lock_check "$LOCK"
  registry_lock_release "$LOCK"
  no_litter
}

@test "a process that lost its lock may break that of the dead one who took it" {
  registry_lock_acquire "$LOCK"
  rm -r "$LOCK"
  dead_lock_at "$LOCK"
  here registry_lock_break "$LOCK"
  status_is 0
  says "removed the lock of process $dead_pid"
  is_free
}

@test "both commands in a waiter's last words do what they say, for every odd path" {
  odd_names
  local name look remove looks='' removes=''
  for name in "${odd_names[@]}"; do
    mkdir -- "$name"
    run registry_lock_acquire "$DIR/$name" 0
    status_is 75
    look=${output##*To look: } remove=${output##*nobody holds it: }
    looks="$looks ${look%%; to remove*} | grep -q 'no holder is recorded' && echo seen"$'\n' removes+="$remove"$'\n'
  done
  paste "$looks"
  same "${#lines[@]}" "${#odd_names[@]}"
  paste "$removes"
  status_is 0
  no_litter
}

@test "what break prints for a live holder removes his lock, for every odd path" {
  odd_names
  stranger
  local name all=''
  for name in "${odd_names[@]}"; do
    forge "$DIR/$name" "holder.$stranger_pid.$stranger_id.1"
    run registry_lock_break "$DIR/$name"
    status_is 75
    all+="$(printed)"$'\n'
  done
  paste "$all"
  status_is 0
  no_litter
  alive "$stranger_pid"
}

@test "no lock, too many words and unknown options are usage errors" {
  local words
  for words in '' 'a b c' '--forced a' '-x a' '--force=yes a' "''"; do
    eval "run registry-lock break $words"
    status_is 64
  done
  dead_lock_at "$LOCK"
  run registry-lock break "$LOCK" -x
  status_is 64
  held_by "$dead_pid"
  run registry-lock break -ff -- -x
  status_is 0
  says "$DIR/-x is free"
}
