#!/usr/bin/env bats
# release.bats: giving locks back, and nothing that isn't one's own.

# shellcheck disable=SC2016,SC2034,SC2154,SC2030,SC2031,SC2317 # code for drivers, and variables of the helper
load helper

# log_mv: from here on the arguments of each mv are in the file $log.
log_mv() {
  local bin=$BATS_TEST_TMPDIR/bin
  log=$BATS_TEST_TMPDIR/log
  mkdir "$bin"
  printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$log" "$(command -v mv)" >"$bin/mv"
  chmod +x "$bin/mv"
  PATH=$bin:$PATH
}

@test "a release frees the lock, says nothing and leaves nothing behind" {
  registry_lock_acquire "$LOCK"
  here registry_lock_release "$LOCK"
  status_is 0
  same "$output" ''
  no_litter
}

@test "a released lock is the next one's at once" {
  registry_lock_acquire "$LOCK"
  registry_lock_release "$LOCK"
  hold other
  held_by "$other_pid"
}

@test "a release by another name of the path frees the lock" {
  need_links
  mkdir teams && ln -s teams alias
  local name
  for name in alias/lock ./teams/lock "$DIR//teams/lock/"; do
    registry_lock_acquire teams/lock
    registry_lock_release "$name"
    is_free teams/lock
  done
  registry_lock_release
  no_litter teams
}

@test "a release of one lock leaves the others" {
  mkdir sub
  registry_lock_acquire one && registry_lock_acquire one2 && registry_lock_acquire sub/one
  registry_lock_release one
  is_free one
  registry_lock_check one2
  registry_lock_check sub/one
}

@test "a release without LOCK frees them all, the last taken first" {
  registry_lock_acquire one && registry_lock_acquire two && registry_lock_acquire three
  log_mv
  registry_lock_release
  no_litter
  same "$(sed "s|.*$DIR/||; s|\.slot.*||" "$log")" $'three\ntwo\none'
}

@test "a release without LOCK is done where nothing is held" {
  here registry_lock_release
  status_is 0
  same "$output" ''
}

@test "a second release finds nothing to give back" {
  registry_lock_acquire "$LOCK"
  registry_lock_release "$LOCK"
  here registry_lock_release "$LOCK"
  status_is 76
  same "$output" ''
}

@test "each acquisition has a token of its own" {
  registry_lock_acquire "$LOCK"
  local first
  first=$(entry_of "$LOCK")
  registry_lock_release "$LOCK"
  registry_lock_acquire "$LOCK"
  same "${first##*.}/$(entry_of "$LOCK" | sed 's/.*\.//')" 1/2
}

# cycle [COUNT]: LOCK is taken and given back, COUNT times.
cycle() {
  local n
  for ((n = 0; n < ${1-1}; n++)); do
    registry_lock_acquire "$LOCK" 0 && registry_lock_release "$LOCK" || return
  done
}

# processes COMMAND...: the programs that COMMAND starts, a line each, and how many times it forks, at
# the end.
processes() {
  command -v strace >/dev/null || skip 'needs strace'
  declare -f cycle >"$BATS_TEST_TMPDIR/code"
  printf '%s\n' "cycle 3; : </dev/full; $*; : </dev/full; registry_lock_release" >>"$BATS_TEST_TMPDIR/code"
  LOCK=$LOCK strace -f -qq -e trace=process,openat -o "$BATS_TEST_TMPDIR/calls" bash -c ". '$library'
    . '$BATS_TEST_TMPDIR/code'" || return
  sed -n '\|/dev/full|,\|/dev/full|p' "$BATS_TEST_TMPDIR/calls" | awk '
    / execve\(/ { name = $0; sub(/", .*/, "", name); sub(/.*\//, "", name); program[$1] = name }
    /(execve\(|execve resumed).* = 0/ { print program[$1] }
    / (clone|clone3|fork|vfork)\(/ && !/unfinished/ || /<... (clone|clone3|fork|vfork) resumed/ { n++ }
    END { print n + 0 }'
}

@test "a process that takes a lock again and again starts two programs each time, and forks no more" {
  ((BASH_VERSINFO[0] >= 4 && ! ${OLD_BASH_UNDER_TEST-0})) || skip 'before bash 4 its number costs a process'
  same "$(processes cycle)" $'mv\nmv\n2'
  no_litter
}

@test "the slot of a lock that comes again and again stays, and the EXIT trap with it" {
  trap 'echo mine' EXIT
  local trap slot
  trap=$(trap -p EXIT)
  cycle
  same "$(trap -p EXIT)" "$trap"
  no_litter
  cycle 2
  slot=$(echo "$LOCK".slot.*)
  [ -d "$slot/lock" ] || fail "no slot was kept: $(ls -R "$DIR")"
  same "$(ls "$slot/lock")" ''
  [ ! -e "$slot/lock.dead.1" ] || fail "it was not used again: $(ls -R "$slot")"
  lacks "$(trap -p EXIT)" mine
  registry_lock_release
  same "$(trap -p EXIT)" "$trap"
  no_litter
  trap - EXIT
}

@test "the slot stays whatever the caller makes of REGISTRY_LOCK_TOKENS" {
  cycle 2
  registry_lock_acquire "$LOCK"
  unset REGISTRY_LOCK_TOKENS
  registry_lock_release "$LOCK"
  [ -d "$(echo "$LOCK".slot.*)" ] || fail "no slot was kept: $(ls -R "$DIR")"
  same "${REGISTRY_LOCK_TOKENS-unset}" unset
  registry_lock_release
  no_litter
}

@test "under a limit on file sizes a lock comes again and again, too" {
  (
    ulimit -f 9
    cycle 4 && registry_lock_acquire "$LOCK" 0 && held_by "$(my_pid)" && registry_lock_release
  )
  no_litter
}

@test "a subshell keeps no slot for what its parent has released" {
  cycle
  (cycle && no_litter)
}

@test "leaving the shell removes the slots that were kept, and runs the caller's own code" {
  start driver "$(declare -f cycle)"'
    trap "tell bye" EXIT; cycle 3; LOCK=$LOCK.2; cycle 3; tell "kept $(echo *.slot.* | wc -w)"; hear'
  expect driver 'kept 2'
  send driver go
  expect driver bye
  ended driver
  no_litter
}

@test "of many locks that come again and again the slots of four are kept, and of others none" {
  local n
  for n in 1 2 3 4 5 6 7; do LOCK=$DIR/lock$n cycle 3; done
  same "$(echo *.slot.* | wc -w | tr -d ' ')" 4
  for n in 1 2 3 4 5 6 7; do LOCK=$DIR/other$n cycle; done
  same "$(echo *.slot.*)" '*.slot.*'
}

@test "a kept slot is its own lock's, and what is known of it grows with no cycle" {
  cycle 2
  registry_lock_acquire "$LOCK.2" 0
  [ -d "$(echo "$LOCK".slot.*)" ] || fail "no slot was kept: $(ls -R "$DIR")"
  registry_lock_release "$LOCK.2"
  for _ in 1 2 3; do
    cycle 2
    LOCK=$LOCK.2 cycle 2
  done
  same "${#_registry_lock_locks[@]}" 2
  registry_lock_release
  same "${#_registry_lock_locks[@]}" 0
  no_litter
}

@test "a lock that is held is not taken by the name of one whose slot was kept" {
  need_links
  mkdir one two
  registry_lock_acquire one/lock
  LOCK=$DIR/two/lock cycle 2
  mv two away && ln -s one two
  never_pauses
  here registry_lock_acquire two/lock 60
  status_is 64
  says 'held by this very process'
}

@test "what a kept slot held goes from time to time" {
  cycle 3
  for _registry_lock_count in 30 63; do cycle 2; done
  [ "$(find "$LOCK".slot.* | wc -l)" -lt 10 ] || fail "$(ls -R "$DIR")"
  registry_lock_release
  no_litter
}

@test "a waiter's word that comes while the slot is removed leaves nothing behind" {
  registry_lock_acquire "$LOCK"
  local slot
  slot=$(echo "$LOCK".slot.*)
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '%s\n' '#!/bin/sh' "mkdir '$BATS_TEST_TMPDIR/once' 2>/dev/null || exec $(command -v rm) \"\$@\"" \
    "$(command -v rm) \"\$@\"; mkdir '$slot'; : >'$slot/lock.wanted'; exit 1" >"$BATS_TEST_TMPDIR/bin/rm"
  chmod +x "$BATS_TEST_TMPDIR/bin/rm"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  registry_lock_release "$LOCK"
  no_litter
}

@test "a kept slot that somebody removed is made again" {
  cycle 2
  rm -r "$LOCK".slot.*
  here registry_lock_acquire "$LOCK" 0
  status_is 0
  same "$output" ''
  held_by "$$"
  registry_lock_release
  no_litter
}

@test "a kept slot in which nothing can be written any more is no hindrance" {
  cycle 2
  (
    ulimit -f 0
    trap '' XFSZ
    registry_lock_acquire "$LOCK" 0
  ) 2>"$BATS_TEST_TMPDIR/err" && fail 'it was taken'
  here registry_lock_acquire "$LOCK" 0
  status_is 0
  held_by "$$"
}

@test "an EXIT trap that the caller sets while a slot is kept is his, and the lock is still released" {
  start driver "$(declare -f cycle)"'
    cycle 3; trap "tell mine" EXIT; registry_lock_acquire "$LOCK"; tell held; hear; exit'
  expect driver held
  held_by "$driver_pid"
  send driver go
  expect driver mine
  ended driver
  no_litter
}

@test "an EXIT trap that the caller removes while a slot is kept is laid again" {
  start driver "$(declare -f cycle)"'
    cycle 3; trap - EXIT; registry_lock_acquire "$LOCK"; tell held; hear; exit'
  expect driver held
  held_by "$driver_pid"
  send driver go
  ended driver
  no_litter
}

@test "a failed acquire whose status is ignored, and the release after it, touch nothing" {
  hold other
  local before
  before=$(ls -lR "$DIR")
  start careless 'registry_lock_acquire "$LOCK" 0; registry_lock_release "$LOCK"; tell "one $?"
    registry_lock_release; tell "all $?"'
  expect careless 'one 76'
  expect careless 'all 0'
  ended careless
  same "$(ls -lR "$DIR")" "$before"
  alive "$other_pid"
}

@test "a caller that never acquired releases nothing" {
  hold other
  here registry_lock_release "$LOCK"
  status_is 76
  same "$output" ''
  held_by "$other_pid"
}

@test "an old holder whose lock was broken doesn't touch its successor's" {
  start old 'registry_lock_acquire "$LOCK"; tell held; hear; registry_lock_release "$LOCK"
    tell "released $?"; hear; registry_lock_release "$LOCK"; tell "again $?"'
  expect old held
  rm -r "$LOCK"
  hold successor
  send old go
  expect old 'released 76'
  contains "$(err_of old)" "was taken from this process (pid $old_pid)"
  contains "$(err_of old)" 'nothing was touched'
  send old go
  expect old 'again 76'
  ended old
  held_by "$successor_pid"
}

@test "an old holder that exits warns, and doesn't touch its successor's lock" {
  start old 'registry_lock_acquire "$LOCK"; tell held; hear; exit 3'
  expect old held
  rm -r "$LOCK"
  hold successor
  send old go
  ended old 3
  contains "$(err_of old)" "was taken from this process (pid $old_pid)"
  held_by "$successor_pid"
  alive "$successor_pid"
  same "$(echo *)" "lock lock.slot.$successor_pid.$(identity "$successor_pid")"
}

@test "a release of a lock that was lost renames nothing, not even to put it back" {
  registry_lock_acquire "$LOCK"
  rm -r "$LOCK"
  hold successor
  log_mv
  here registry_lock_release "$LOCK"
  status_is 76
  [ ! -e "$log" ] || fail "renamed: $(<"$log")"
  held_by "$successor_pid"
}

@test "a waiter that gave up exits without a word more, and touches nothing" {
  hold other
  start waiter 'trap "registry_lock_release" EXIT; registry_lock_acquire "$LOCK" 0.05 || exit'
  ended waiter 75
  same "$(wc -l <"$BATS_TEST_TMPDIR/talk/waiter.err" | tr -d ' ')" 1
  held_by "$other_pid"
}

@test "a successor without a readable record is not ours: it is left" {
  local kind
  for kind in empty foreign fixed; do
    start old 'registry_lock_acquire "$LOCK"; tell held; hear; registry_lock_release "$LOCK"'
    expect old held
    rm -r "$LOCK"
    mkdir "$LOCK"
    [ "$kind" = empty ] || echo 'pid 1' >"$LOCK/$kind"
    [ "$kind" != fixed ] || mv "$LOCK/fixed" "$LOCK/holder"
    local before
    before=$(ls -lA "$LOCK")
    send old go
    ended old 76
    contains "$(err_of old)" 'was taken from this process'
    same "$(ls -lA "$LOCK")" "$before"
    rm -r "$LOCK" "$BATS_TEST_TMPDIR"/talk/old.*
  done
}

@test "the lock of another process that a removal by hand put in the way of a release is put back" {
  gate_mv '--\ *'
  start old 'registry_lock_acquire "$LOCK"; tell held; hear; registry_lock_release "$LOCK"'
  expect old held
  send old go
  expect gate at
  rm -r "$LOCK"
  hold successor
  send gate go
  expect gate "done"
  ended old 76
  held_by "$successor_pid"
  contains "$(err_of old)" "the lock of another process was moved and is now at $LOCK"
  contains "$(err_of old)" 'Use registry-lock break, never rm -r'
}

@test "a stranger's lock that can't be put back stays where the message says" {
  registry_lock_acquire "$LOCK"
  stranger_in_the_way
  here registry_lock_release "$LOCK"
  status_is 76
  local slot
  slot=$(echo "$LOCK".slot.*)
  says "is now at $slot/lock"
  same "$(ls "$slot/lock")" holder.1.x.1
}

@test "a lock removed by hand is no longer held, and can be taken again" {
  registry_lock_acquire "$LOCK"
  rm -r "$LOCK"
  here registry_lock_acquire "$LOCK" 0
  status_is 0
  says 'was taken from this process'
  same "holder.$REGISTRY_LOCK_TOKENS" "$(entry_of "$LOCK")"
  registry_lock_release "$LOCK"
  no_litter
}

@test "of a lock removed by hand nothing is told that an earlier call knew" {
  run bash -c "shopt -s localvar_inherit 2>/dev/null; . '$library'; rl_stranger='$LOCK.odd'
    registry_lock_acquire '$LOCK'; rm -r '$LOCK'; registry_lock_acquire '$LOCK' 0"
  status_is 0
  says 'was taken from this process'
  lacks "$output" "$LOCK.odd"
}

@test "a slot that a cleaner of temporary files took away doesn't hinder the release" {
  registry_lock_acquire "$LOCK"
  rm -r "$LOCK".slot.*
  here registry_lock_release "$LOCK"
  status_is 0
  same "$output" ''
  no_litter
}

@test "a release that the system refuses says why, and the lock is still held" {
  chmod 777 "$DIR"
  as_nobody 'mkdir own; registry_lock_acquire own/lock; chmod 555 own
    registry_lock_release own/lock; echo "released $?"
    registry_lock_check own/lock; echo "check $?"
    chmod 755 own; registry_lock_release own/lock; echo "again $?"; ls -A own'
  says "own/lock can't be made or removed here: Permission denied"
  says 'released 73'
  says 'check 0'
  same "${output##*again }" 0
}

@test "where one of several is lost the others are released, and the status tells" {
  registry_lock_acquire one && registry_lock_acquire two && registry_lock_acquire three
  rm -r two
  here registry_lock_release
  status_is 76
  says "$DIR/two was taken from this process"
  no_litter
}

@test "a subshell releases nothing of its parent's, by name, all at once or when it ends" {
  registry_lock_acquire "$LOCK"
  (registry_lock_release)
  run registry_lock_release "$LOCK"
  status_is 76
  same "$(registry_lock_release "$LOCK" 2>&1)" ''
  (exit 3) || :
  (registry_lock_acquire other && registry_lock_release) &
  wait "$!"
  registry_lock_check "$LOCK"
  held_by "$(my_pid)"
}

@test "a child program of a holder releases nothing" {
  registry_lock_acquire "$LOCK"
  run bash -c ". '$library'; registry_lock_release '$LOCK'"
  status_is 76
  held_by "$(my_pid)"
}

@test "a wrong number of arguments and a path that ends in no name are usage errors" {
  registry_lock_acquire "$LOCK"
  here registry_lock_release "$LOCK" "$LOCK"
  status_is 64
  says 'usage: registry_lock_release [LOCK]'
  here registry_lock_release ''
  status_is 64
  registry_lock_check "$LOCK"
}

# The steps by themselves: acquisition 3 is of LOCK. What they call is noted in $calls.

# steps STATE: that is its state, and what is called changes nothing.
steps() {
  _registry_lock_locks=([3]=$LOCK) _registry_lock_tokens=([3]=7.x.3) _registry_lock_slots=([3]=$DIR/slot)
  _registry_lock_states=([3]=$1) _registry_lock_busy='' calls=''
  _registry_lock_set_aside() { calls+="set_aside $*;"; }
  _registry_lock_discard() { calls+="discard $* ${_registry_lock_busy:+busy};"; }
  _registry_lock_end() { calls+="end $*;"; }
  _registry_lock_wake() { calls+="wake $* ${_registry_lock_states[3]} ${_registry_lock_busy:+busy};"; }
  _registry_lock_carry_no_more() { calls+="carry_no_more $*;"; }
  _registry_lock_note_trap() { calls+="note_trap $*;" rl_shown='a trap'; }
}

# calls STATUS CALLS COMMAND...: so COMMAND ends, and this is what it called.
calls() {
  local wanted=$1 noted=$2
  shift 2
  calls='' output=''
  here "$@"
  status_is "$wanted"
  same "$calls" "$noted"
}

@test "an acquisition is found by its lock's name or its entry while it is held, and no other" {
  local rl_lock=$LOCK rl_index
  steps held
  calls 0 '' _registry_lock_find
  same "$rl_index" 3
  rl_lock=$DIR/other
  calls 76 '' _registry_lock_find
  forge "$DIR/other" holder.7.x.3
  calls 0 '' _registry_lock_find
  calls 1 '' _registry_lock_kept_slot "$LOCK"
  for state in pending released; do
    _registry_lock_states[3]=$state
    calls 76 '' _registry_lock_find
    rl_lock=$LOCK
    calls 76 '' _registry_lock_find
  done
  calls 0 '' _registry_lock_kept_slot "$LOCK"
  same "$rl_index" 3
  calls 1 '' _registry_lock_kept_slot "$DIR/other"
}

@test "an acquisition that a signal has stopped is given back where it was placed, and else undone" {
  steps pending
  _registry_lock_give_back() { calls+="give_back $* ${_registry_lock_busy:+busy};"; }
  calls 0 "discard $DIR/slot ;end 3;" _registry_lock_drop_pending 3
  mkdir "$DIR/slot"
  _registry_lock_busy=$DIR/slot
  calls 0 "discard $DIR/slot ;end 3;" _registry_lock_drop_pending 3
  mkdir "$DIR/slot/lock"
  calls 0 "discard $DIR/slot ;end 3;" _registry_lock_drop_pending 3
  _registry_lock_busy=$DIR/slot
  calls 0 "set_aside $DIR/slot $DIR/slot/lock;discard $DIR/slot ;end 3;" _registry_lock_drop_pending 3
  same "$_registry_lock_busy" ''
  forge "$LOCK" holder.7.x.3
  _registry_lock_busy=$DIR/other
  calls 0 'give_back 3 ;' _registry_lock_drop_pending 3
}

@test "a lock whose release may be under way loses its slot, and another is given back" {
  steps held
  _registry_lock_give_back() { calls+="give_back $*;" && return 73; }
  calls 73 'give_back 3;' _registry_lock_drop_held 3
  _registry_lock_busy=$DIR/slot
  calls 0 "discard $DIR/slot busy;end 3;" _registry_lock_drop_held 3
}

@test "a slot that was kept goes, after a look at the trap by way of it" {
  steps released
  calls 0 "note_trap $DIR/slot/lock.trap;discard $DIR/slot ;end 3 a trap;" _registry_lock_drop_released 3
}

@test "who is next is woken when the lock is free, and then the slot is kept or goes" {
  local taken=0 kept=0
  steps held
  _registry_lock_take_back() { calls+="take_back $*;" _registry_lock_busy=$1 && return "$taken"; }
  _registry_lock_keep() { calls+="keep $*;" && return "$kept"; }
  _registry_lock_drop_released() { calls+="drop $*;"; }
  _registry_lock_not_back() { calls+="not_back $*;" && return "$2"; }
  local back="take_back $DIR/slot lock $DIR holder.7.x.3;" wake="wake $DIR/slot $LOCK lock released ;"
  calls 0 "$back${wake}keep 3;" _registry_lock_give_back 3
  kept=1
  calls 0 "$back${wake}keep 3;drop 3;" _registry_lock_give_back 3
  for taken in 73 76; do
    _registry_lock_states[3]=held
    calls "$taken" "${back}not_back 3 $taken;" _registry_lock_give_back 3
    same "${_registry_lock_states[3]}" held
  done
}

@test "a lock that can't be given back stays this process's, and one that is lost does not" {
  local rl_lock=$LOCK rl_slot=$DIR/slot rl_stranger='' rl_error=why rl_owner=''
  steps held
  _registry_lock_owner_of() { calls+="owner_of $*;" rl_error=other; }
  _registry_lock_say_refused() { calls+="refused $* $rl_error ${_registry_lock_busy:+busy};"; }
  _registry_lock_say_lost() { calls+="lost $* ${_registry_lock_busy:+busy};"; }
  _registry_lock_busy=$rl_slot
  calls 73 "owner_of $DIR;refused $LOCK $DIR why ;" _registry_lock_not_back 3 73
  _registry_lock_busy=$rl_slot
  calls 76 "lost $LOCK ;discard $DIR/slot ;end 3;" _registry_lock_not_back 3 76
  rl_stranger=$LOCK
  calls 76 "lost $LOCK ;discard $DIR/slot ;end 3;" _registry_lock_not_back 3 76
  rl_stranger=$DIR/slot/lock
  calls 76 "lost $LOCK ;end 3;" _registry_lock_not_back 3 76
}

@test "the slot of a lock that came before stays, except each 64th time or where its entry isn't in it" {
  local rl_lock=$LOCK rl_slot=$DIR/slot rl_all=''
  steps released
  mkdir "$rl_slot"
  : >"$rl_slot/holder.7.x.3"
  _registry_lock_recent=()
  calls 1 '' _registry_lock_keep 3
  same "${_registry_lock_recent[3]}" "$LOCK"
  calls 0 'carry_no_more 7.x.3;' _registry_lock_keep 3
  rl_all=1
  calls 1 '' _registry_lock_keep 3
  rl_all=''
  rm "$rl_slot/holder.7.x.3"
  calls 1 '' _registry_lock_keep 3
  _registry_lock_tokens[64]=7.x.64
  : >"$rl_slot/holder.7.x.64"
  calls 1 '' _registry_lock_keep 64
  _registry_lock_tokens[65]=7.x.64
  calls 0 'carry_no_more 7.x.64;' _registry_lock_keep 65
}

@test "of the last four locks the place is the next one's, and the slot that was kept for it goes" {
  local rl_lock=$DIR/new
  steps released
  _registry_lock_drop_released() { calls+="drop $*;"; }
  _registry_lock_recent=([1]=$LOCK [2]=$DIR/two)
  calls 0 '' _registry_lock_remember 2
  calls 0 'drop 3;' _registry_lock_remember 1
  same "${_registry_lock_recent[*]}" "$DIR/new $DIR/new"
  calls 0 '' _registry_lock_is_recent
  rl_lock=$LOCK
  calls 1 '' _registry_lock_is_recent
}

@test "a release of all ends with the last status that isn't 0, and leaves out what went with another" {
  steps held
  _registry_lock_self() { :; }
  _registry_lock_temp=''
  _registry_lock_states=([1]=pending [2]=held [3]=held [4]=released)
  _registry_lock_drop_released() { calls+="released $*;"; }
  _registry_lock_drop_held() { calls+="held $*;" && unset '_registry_lock_states[2]' && return 76; }
  _registry_lock_drop_pending() { calls+="pending $*;"; }
  calls 76 'released 4;held 3;pending 1;' _registry_lock_release_all
  _registry_lock_temp=$DIR/temp _registry_lock_states=()
  calls 0 "discard $DIR/temp ;" _registry_lock_release_all
}

@test "a lock whose slot was kept is not given back again, and nothing is said of it" {
  registry_lock_acquire "$LOCK" 0 && registry_lock_release "$LOCK"
  registry_lock_acquire "$LOCK" 0 && registry_lock_release "$LOCK"
  here registry_lock_release "$LOCK"
  status_is 76
  same "$output" ''
  here registry_lock_check "$LOCK"
  status_is 76
  same "$output" ''
  registry_lock_release
}
