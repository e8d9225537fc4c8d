#!/usr/bin/env bats
# queue.bats: who waits is woken by the release, the one that has waited longest; and without being
# woken notices all that it would be woken for.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # code for drivers; what helper and library use
load helper

# queued NAME MINUTE: the live process NAME waits for LOCK since that minute; NAME_slot is its slot. A
# byte in its FIFO stays there.
queued() {
  local slot pid=$1_pid
  start "$1" 'tell up; hear' && expect "$1" up || return
  slot=$LOCK.slot.${!pid}.$(identity "${!pid}")
  mkdir "$slot" && waits_in "$slot" "$2" || return
  eval "exec $next_fd<>'$slot/lock.wake'; ${1}_wake=$next_fd ${1}_slot=\$slot"
  next_fd=$((next_fd + 1))
}
waits_in() { mkfifo "$1/lock.wake" && echo . >"$1/lock.waits" && touch -t "20200101000$2" "$1/lock.waits"; }

# asked_for: this shell holds LOCK, and others have told it that they wait.
asked_for() { registry_lock_acquire "$LOCK" 0 && : >"$(echo "$LOCK.slot.$$".*)/lock.wanted"; }

# is_woken NAME / sleeps_on NAME
is_woken() {
  local wake=$1_wake slot=$1_slot line
  read -r -t "$patience" line <&"${!wake}" || fail "$1 was not woken" || return
  same "$line" . || return
  [ ! -s "${!slot}/lock.waits" ] || fail "$1 may be woken again"
}
sleeps_on() {
  local slot=$1_slot
  [ -s "${!slot}/lock.waits" ] || fail "$1 was woken"
}

# watched: LOCK is the stranger's, and this shell has judged it and waits, with $place in its slot. A
# beat takes no time; its length is in beats, and then at_beat runs with their number.
watched() {
  stranger
  mkdir slot
  place=$DIR/slot/lock rl_lock=$LOCK rl_name=lock rl_behind='' rl_left=2000 rl_parent=$$ rl_verdict=alive
  rl_patience=50
  rl_signal=yes rl_watched='' rl_hpid=$stranger_pid rl_record=$LOCK/holder.$stranger_pid.$stranger_id.1 beats=()
  echo . >"$place.waits"
  forge "$LOCK" "${rl_record##*/}"
  _registry_lock_beat() {
    beats+=("$rl_beat")
    rl_left=$((rl_left - rl_beat))
    at_beat "${#beats[@]}"
    [[ " ${woken_at-} " == *" ${#beats[@]} "* ]]
  }
  at_beat() { :; }
}

# watches STATUS BEAT...: so the watch ends, after those beats.
watches() {
  here _registry_lock_watch "$place"
  status_is "$1" && shift && same "${beats[*]}" "$*"
}

refuses() { ! "$@" || fail "done: $*"; }

@test "a release wakes the one that has waited longest, and the next one the next" {
  asked_for
  queued one 3 && queued two 1 && queued three 2
  registry_lock_release "$LOCK"
  is_woken two
  sleeps_on one && sleeps_on three
  asked_for
  registry_lock_release "$LOCK"
  is_woken three
  sleeps_on one
}

@test "nobody is woken by a holder that has not been told of any" {
  queued one 1
  registry_lock_acquire "$LOCK" 0
  registry_lock_release "$LOCK"
  sleeps_on one
}

@test "what is no waiter's, or not surely of the same user, is passed over" {
  local kind slot
  queued one 9
  corpse
  stranger
  for kind in gone number link waits fifo pipe owner; do
    echo . >"$one_slot/lock.waits"
    asked_for
    slot=$LOCK.slot.$stranger_pid.$kind
    case $kind in
      gone) slot=$LOCK.slot.$dead_pid.$dead_id ;;
      number) slot=$LOCK.slot.-1.x ;;
    esac
    mkdir "$slot" && waits_in "$slot" 1
    case $kind in
      link) mv "$slot" aside && ln -s aside "$slot" ;;
      waits) mv "$slot/lock.waits" old && ln -s "$DIR/old" "$slot/lock.waits" ;;
      fifo) rm "$slot/lock.wake" && : >"$slot/lock.wake" ;;
      pipe) mv "$slot/lock.wake" pipe && ln -s "$DIR/pipe" "$slot/lock.wake" ;;
      owner) [ "$EUID" = 0 ] && chown 65534 "$slot" || continue ;;
    esac
    registry_lock_release "$LOCK"
    is_woken one
    [ -s "$slot/lock.waits" ] || fail "woken: $kind"
  done
}

@test "who waits tells the holder, in a slot of the same user that is no link" {
  rl_lock=$LOCK rl_name=lock
  mkdir "$LOCK.slot.1.x" "$LOCK.slot.2.x" aside
  ln -s aside "$LOCK.slot.3.x"
  ln -s "$DIR/victim" "$LOCK.slot.2.x/lock.wanted"
  for slot in 1 2 3 4; do
    here _registry_lock_want "$slot.x"
    status_is 0
    same "$output" ''
  done
  [ -e "$LOCK.slot.1.x/lock.wanted" ]
  [ ! -e victim ]
  same "$(ls aside)" ''
  [[ $- != *C* ]]
  echo word >"$LOCK.slot.1.x/lock.wanted"
  _registry_lock_want 1.x
  same "$(cat "$LOCK.slot.1.x/lock.wanted")" word
  need_root
  mkdir "$LOCK.slot.5.x" && chown 65534 "$LOCK.slot.5.x"
  _registry_lock_want 5.x
  same "$(ls "$LOCK.slot.5.x")" ''
}

@test "a waiter is woken by the release alone, and waits no more once it holds the lock" {
  hold other
  start next 'umask 777; _registry_lock_beat() { tell beat; builtin read -r _; }; stop_at _registry_lock_await
    registry_lock_acquire "$LOCK" 60 || exit; tell taken; hear; registry_lock_release'
  expect next 'at _registry_lock_await'
  local slot
  slot=$(echo "$LOCK.slot.$next_pid".*)
  [ -s "$slot/lock.waits" ]
  [ -e "$(echo "$LOCK.slot.$other_pid".*)/lock.wanted" ]
  [[ $(ls -l "$slot/lock.wake") == prw-------* ]] || fail "$(ls -l "$slot")"
  send next go
  expect next beat
  send other go
  expect next taken
  [ ! -s "$slot/lock.waits" ] || fail 'it still waits'
  send next go
  ended next
  ended other
  no_litter
}

@test "who waits has a FIFO, says so as long as it waits, and tells the holder if there is one" {
  local rl_state=entry rl_hpid=1 rl_hid=x rl_no_fifo='' _registry_lock_unlimited=1 told=
  _registry_lock_want() { told+=$1; }
  mkdir slot
  umask 777
  _registry_lock_queue slot/lock
  umask 22
  [ -p slot/lock.wake ]
  [ -s slot/lock.waits ]
  [ -e slot/lock.wanted ]
  same "$told" 1.x
  [[ $(ls -l slot/lock.waits) == -rw* ]] || fail "$(ls -l slot)"
  touch -t 202001010000 slot/lock.waits && touch -t 202001010001 later
  rl_state=free
  _registry_lock_queue slot/lock
  [ slot/lock.waits -ot later ]
  same "$told" 1.x
  _registry_lock_queue_leave slot/lock
  [ ! -s slot/lock.waits ]
  _registry_lock_fifo() { return 1; }
  refuses _registry_lock_queue slot/lock
  [ ! -s slot/lock.waits ]
  _registry_lock_fifo() { :; }
  refuses _registry_lock_queue none/lock
}

@test "where a FIFO can't be made none is tried again, and under a limit on files none at all" {
  hold other
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\necho "$*" >>"%s"\nexit 1\n' "$BATS_TEST_TMPDIR/tried" >"$BATS_TEST_TMPDIR/bin/mkfifo"
  chmod +x "$BATS_TEST_TMPDIR/bin/mkfifo"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  run bash -c "ulimit -f 9; . '$library'; registry_lock_acquire '$LOCK' 0.1"
  status_is 75
  [ ! -e "$BATS_TEST_TMPDIR/tried" ] || fail 'a FIFO was tried'
  run registry_lock_acquire "$LOCK" 0.1
  status_is 75
  same "$(grep -c . "$BATS_TEST_TMPDIR/tried")" 1
}

@test "a FIFO that can't be made, or was not, is none" {
  local rl_no_fifo status
  mkdir "$BATS_TEST_TMPDIR/bin" slot
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  _registry_lock_unlimited=1
  for status in 0 1; do
    printf '#!/bin/sh\nexit %s\n' "$status" >"$BATS_TEST_TMPDIR/bin/mkfifo"
    chmod +x "$BATS_TEST_TMPDIR/bin/mkfifo"
    rl_no_fifo=''
    refuses _registry_lock_fifo slot/lock
    same "$rl_no_fifo" 1
  done
}

@test "who has just woken a waiter lets it go first, once" {
  local case wall delta budget more paused pauses
  queued one 1
  _registry_lock_wall() { rl_wall=$wall; }
  _registry_lock_pause() { pauses=$((pauses + 1)); }
  for case in '0 5 1' '29 5 1' '30 5 0' '-1 5 0' '0 0 0' '0 5 0 .2'; do
    read -r delta budget paused more <<<"$case"
    wall=1000000 pauses=0
    echo . >"$one_slot/lock.waits"
    asked_for
    registry_lock_release "$LOCK"
    is_woken one
    wall=$((wall + delta))
    registry_lock_acquire "$LOCK$more" "$budget"
    same "$case: $pauses" "$case: $paused"
    registry_lock_release
    registry_lock_acquire "$LOCK" 5
    same "$case: $pauses" "$case: $paused"
    registry_lock_release
  done
}

@test "who was woken before it listens, or finds the path free, tries at once; the latter not where others do" {
  watched
  : >"$place.waits"
  watches 0
  echo . >"$place.waits"
  rm -r "$LOCK"
  watches 0
  rl_patience=1000 beats=()
  watches 0 70 10 20 40
  rl_patience=50 rl_behind=1 beats=()
  watches 0 70 10 20 40
}

@test "who is woken tries, and who is not looks as long as time is left" {
  watched
  rl_left=140
  watches 1 70 70
  rl_left=2000 beats=() woken_at=3
  watches 0 70 70 70
  rl_left=2000 beats=() woken_at=''
  at_beat() { [ "$1" != 2 ] || REPLY=.; } # read says that no word came
  watches 0 70 70
}

@test "a path that is seen free four times running is tried" {
  watched
  at_beat() {
    case $1 in
      2 | 5) rm -r "$LOCK" ;;
      4) mkdir "$LOCK" && : >"$LOCK/holder.$stranger_pid.$stranger_id.2" ;;
    esac
  }
  watches 0 70 70 10 20 70 10 20 40
}

@test "what was not judged is, and what changes about its process is noticed" {
  watched
  rl_verdict=''
  watches 1 70
  rl_patience=200 beats=()
  watches 1 70 70 70
  rl_patience=210 beats=()
  watches 1 70 70 70
  rl_verdict=alive rl_signal=no beats=()
  watches 1 70
  rl_signal=yes beats=()
  at_beat() { [ "$1" != 2 ] || slay stranger; }
  watches 1 70 70
}

@test "a process that answers and is dead all the same is noticed at the fourth beat" {
  watched
  _registry_lock_may_live() { return 1; }
  watches 1 70 70 70 70
  alive "$stranger_pid"
}

# waits_watched NAME: a process that waits for LOCK while procid watches its holder; it tells procid's
# number, and "taken". Such a beat never ends by itself.
waits_watched() {
  [ "$(procid --wait "$$" "$(procid "$$")" | head -n 1)" != unknown ] || skip 'needs a system that tells of an end: Linux 5.3'
  start "$1" "${2-}"'
    eval "real$(declare -f _registry_lock_beat)"
    _registry_lock_beat() {
      ((rl_every == 1)) || { real_registry_lock_beat; return; }
      tell "$rl_watcher"
      builtin read -r
    }
    registry_lock_acquire "$LOCK" 60 && tell taken && hear; registry_lock_release "$LOCK"'
  watcher=$(listen "$1")
  alive "$watcher"
}

@test "procid tells a waiter that the holder has ended, without a beat" {
  hold other
  waits_watched next
  slay other
  expect next taken
  contains "$(err_of next)" "removed the lock of process $other_pid"
  gone "$watcher"
  send next go
  ended next
  no_litter
}

@test "who is watched over by procid is woken by the release, and the procid ends" {
  hold other
  waits_watched next
  send other go
  expect next taken
  gone "$watcher"
  send next go
  ended next
  ended other
  no_litter
}

@test "the procid of a waiter carries none of its tokens, and ends soon after it" {
  hold other
  waits_watched next 'registry_lock_acquire "$LOCK.own" 0
    _registry_lock_watch_next() { :; }'
  local token id
  token=$(basename "$LOCK.own"/holder.*)
  same "$(procid --carriers "${token#holder.}" | grep -c "^$watcher " || :)" 0
  id=$(identity "$watcher")
  slay next
  kill -KILL "$(cut -d " " -f 4 "/proc/$watcher/stat")"
  same "$(timeout "$patience" procid --wait "$watcher" "$id" | tail -n 1)" gone
}

@test "beats are rare while procid watches and the holder knows of the wait, and its end ends the watch" {
  watched
  mkdir "$LOCK.slot.$stranger_pid.$stranger_id"
  : >"$LOCK.slot.$stranger_pid.$stranger_id/lock.wanted"
  rl_hid=$stranger_id rl_watcher='' rl_ended=1 rl_heard=0 woken_at='1 2 4'
  at_beat() {
    case $1 in
      1) REPLY=gone ;; # of an earlier watch
      2) REPLY=$stranger_id ;;
      4) REPLY=gone ;;
    esac
  }
  watches 3 70 70 250 250
  rm "$LOCK.slot.$stranger_pid.$stranger_id/lock.wanted"
  rl_left=2000 rl_heard=0 REPLY='' beats=()
  watches 3 70 70 70 70
}

@test "the time of a beat in which procid spoke is not lost, and one that speaks on and on is ended" {
  watched
  rl_watcher='' rl_heard=0 rl_hid=$stranger_id rl_ended=1 woken_at='1 2 3 4 5 6' rl_left=100 rl_beat_of=70
  _registry_lock_unwatch() { echo ended; }
  _registry_lock_beat() { :; }
  at_beat() { REPLY=unknown; }
  for word in 1 2 3 4; do
    REPLY=unknown
    same "$(_registry_lock_heard)" ''
    _registry_lock_heard
    same "$rl_left $REPLY" "$((100 + word * 70)) "
  done
  REPLY=unknown
  same "$(_registry_lock_heard)" ended
}

@test "procid watches only what is known to be alive, has time left, and has not ended before" {
  _registry_lock_watcher() { echo "$*"; }
  local rl_verdict=alive rl_hpid=7 rl_hid=x rl_ended='' rl_left=201
  same "$(_registry_lock_watch_end slot/lock)" '7 x slot/lock.wake'
  rl_left=200
  same "$(_registry_lock_watch_end slot/lock)" ''
  rl_left=201 rl_ended=1
  same "$(_registry_lock_watch_end slot/lock)" ''
  rl_ended='' rl_hid=''
  same "$(_registry_lock_watch_end slot/lock)" ''
  rl_hid=x rl_verdict=orphaned
  same "$(_registry_lock_watch_end slot/lock)" ''
}

@test "who is no child of this process is not ended with a watch" {
  stranger
  local rl_watcher=$stranger_pid
  start other "rl_watcher=$stranger_pid; _registry_lock_unwatch 5; tell \"\$?.\$rl_watcher\"; hear"
  expect other 5.
  alive "$stranger_pid"
}

@test "that the holder has ended is a reason to ask, once for an entry" {
  local rl_pid=$$ rl_left=1000 rl_slot=slot rl_dir=. rl_now=5000 rl_asked=4000 rl_again=8000 rl_ended=''
  _registry_lock_woken() { return "$woken"; }
  woken=1
  _registry_lock_await slot/lock
  same "$rl_asked$rl_ended" 4000
  woken=3
  _registry_lock_await slot/lock
  same "$rl_asked$rl_ended" -30001
}

@test "who is woken places its lock, without another process" {
  local rl_pid=$$ rl_left=1000 rl_slot=slot rl_dir=$DIR rl_paused=0
  mkdir -p slot/lock
  : >slot/lock/holder.1.x.1
  _registry_lock_woken() { same "$_registry_lock_busy.$rl_parent" "slot.$$" || return 1; }
  _registry_lock_await slot/lock
  [ -e "$LOCK/holder.1.x.1" ] && [ ! -e slot/lock ] || fail "$rl_error"
  same "$rl_paused.$_registry_lock_busy" 1000.
}

@test "a watch ends soon after its shell, by whatever it was killed" {
  watched
  corpse
  rl_parent=$dead_pid
  watches 1 70 70 70 70
  mkdir "$LOCK.slot.$stranger_pid.$stranger_id"
  : >"$LOCK.slot.$stranger_pid.$stranger_id/lock.wanted"
  rl_hid=$stranger_id rl_watcher='' rl_ended=1 rl_heard=0 woken_at=1 beats=()
  at_beat() { REPLY=$stranger_id; }
  watches 1 70
}

@test "a lock that changes hands is watched for its new holder, who is told, and all the time ever more rarely" {
  watched
  mkdir "$LOCK.slot.$stranger_pid.$stranger_id"
  rl_left=5000
  at_beat() { [ "$1" -ge 7 ] || mv "$LOCK"/* "${LOCK}/holder.$stranger_pid.$stranger_id.$(($1 + 1))"; }
  watches 1 70 140 280 400 400 400 400 400 400
  same "${rl_record##*/}" "holder.$stranger_pid.$stranger_id.7"
  [ -e "$LOCK.slot.$stranger_pid.$stranger_id/lock.wanted" ] || fail 'it was not told'
}

@test "a holder that procid watched is watched no more when another has the lock, and looks begin as often as ever" {
  local unwatched=''
  watched
  mkdir "$LOCK.slot.$stranger_pid.$stranger_id"
  : >"$LOCK.slot.$stranger_pid.$stranger_id/lock.wanted"
  rl_hid=$stranger_id rl_watcher='' rl_ended=1 rl_heard=0 woken_at=1
  _registry_lock_unwatch() { unwatched+="${#beats[@]};"; }
  at_beat() {
    case $1 in
      1) REPLY=$stranger_id ;;
      2 | 3) mv "$LOCK"/* "${LOCK}/holder.$stranger_pid.$stranger_id.$(($1 + 1))" ;;
    esac
  }
  watches 1 70 250 70 140 140 140 140 140 140 140 140
  same "$unwatched" '2;3;'
}

@test "a lock that has changed hands is judged when it stays for a second, or its new holder dies" {
  watched
  hold other "$LOCK.other"
  other_id=$(identity "$other_pid")
  at_beat() { [ "$1" != 5 ] || mv "$rl_record" "$LOCK/holder.$other_pid.$other_id.1"; }
  rl_verdict='' rl_patience=1000
  watches 1 70 70 70 70 70 140 140 140 140 140 140 140 140
  at_beat() {
    case $1 in
      1) mv "$rl_record" "$LOCK/holder.$other_pid.$other_id.2" ;;
      3) slay other ;;
    esac
  }
  rl_left=2000 rl_watched=$stranger_pid beats=()
  watches 1 70 140 140
  at_beat() { [ "$1" != 1 ] || mv "$rl_record" "$LOCK/holder.$stranger_pid.$stranger_id.3"; }
  rl_left=350 rl_signal=no beats=()
  watches 1 70 140 140
}

@test "where no good entry is seen the next look is soon" {
  watched
  at_beat() {
    case $1 in
      1) mv "$LOCK"/* away ;;
      4) : >"$LOCK/holder.x" ;;
    esac
  }
  watches 1 70 100 100 100 100
}

# pauses WANTED VARIABLE=VALUE...: with these, 400 ms after its start, a pause of 5 seconds is that long.
pauses() {
  local rl_budget=5000 rl_start=1000 rl_now=1400 rl_told=1 rl_verdict='' rl_asked=1200 rl_again=500 rl_wall_before=''
  [ -z "${2-}" ] || local "${@:2}"
  _registry_lock_pause
  same "$paused" "$1"
}

@test "a wait is not traced" {
  hold other
  run bash -c "exec 9>trace; BASH_XTRACEFD=9; . '$library'; set -x
    registry_lock_acquire '$LOCK' 0.1"
  status_is 75
  same "$(grep -c _registry_lock_beat trace)" 0
}

@test "a pause ends when the next thing is due" {
  _registry_lock_queue() { same "$1" 'slot/name'; }
  _registry_lock_await() { same "$1" 'slot/name' && paused=$rl_left; }
  rl_slot=slot rl_name=name
  pauses 4600
  pauses 600 rl_told=
  pauses 300 rl_verdict=alive
  pauses 1000 rl_wall_before=1
  pauses 1 rl_verdict=alive rl_again=200
}

@test "a beat is no longer than the time that is left, and ends when the process is woken" {
  rl_beat=70 rl_left=100 rl_beat_of=0
  refuses _registry_lock_beat </dev/null
  same "$rl_beat $rl_left $rl_beat_of" '70 30 70'
  refuses _registry_lock_beat </dev/null
  same "$rl_beat $rl_left $rl_beat_of" '30 0 30'
  rl_beat=20 rl_left=100
  mkfifo fifo
  refuses _registry_lock_beat <>fifo
  _registry_lock_beat <<<''
}

@test "who was woken for an acquisition that is over, or whose shell is gone, places nothing" {
  corpse
  mkdir -p place
  mkfifo place.wake
  _registry_lock_watch() { :; }
  rl_mine=1.x.1 rl_parent=$$
  refuses _registry_lock_woken place
  : >place/holder.1.x.1
  _registry_lock_woken place
  rl_parent=$dead_pid
  refuses _registry_lock_woken place
  _registry_lock_watch() { return 1; }
  rl_parent=$$
  refuses _registry_lock_woken place
}
