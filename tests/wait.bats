#!/usr/bin/env bats
# wait.bats: how acquire waits, how it stops waiting, and what it says then. Where time matters the
# clock is one that only pauses move, so nothing here depends on how fast the machine is.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # code for drivers; what helper and library use
load helper

# simulate: from here on the pauses of this shell's acquire take no time but move its clock, note
# how long they were in $naps, and call at_pause with their count.
simulate() {
  clock=0 pauses=0 naps=$BATS_TEST_TMPDIR/naps _registry_lock_uptime=$BATS_TEST_TMPDIR/uptime
  : >"$naps"
  echo '0.00 0.00' >"$_registry_lock_uptime"
  eval "real$(declare -f _registry_lock_child)"
  _registry_lock_fifo() { return 1; }
  _registry_lock_child() {
    if [ "$1" != sleep ]; then real_registry_lock_child "$@"; else advance "$2"; fi
  }
  at_pause() { :; }
}

advance() {
  local milliseconds=$((10#${1/./}))
  echo "$milliseconds" >>"$naps"
  clock=$((clock + milliseconds)) pauses=$((pauses + 1))
  printf '%d.%02d 0.00\n' "$((clock / 1000))" "$((clock % 1000 / 10))" >"$_registry_lock_uptime"
  at_pause "$pauses"
}

# slept FROM TO: all the naps together took that many milliseconds.
slept() {
  local total
  total=$(awk '{ n += $1 } END { print n + 0 }' "$naps")
  if [ "$total" -lt "$1" ] || [ "$total" -gt "$2" ]; then fail "slept $total ms, not $1 to $2"; fi
}

# watched_procid: procid, each question noted in $asked.
watched_procid() {
  asked=$BATS_TEST_TMPDIR/asked
  : >"$asked"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/watched
  printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$asked" "$(command -v procid)" \
    >"$REGISTRY_LOCK_PROCID"
  chmod +x "$REGISTRY_LOCK_PROCID"
}

# questions PID: how often a verdict on PID was asked for.
questions() { grep -c "^$1 ." "$asked" || :; }

# waiter NAME CODE: a process that runs CODE and waits for LOCK; it tells "waiting" at its second
# pause, and "taken".
waiter() {
  set -m
  start "$1" "$2"'
    eval "real$(declare -f _registry_lock_pause)"
    _registry_lock_pause() {
      pauses=$((${pauses-0} + 1))
      ((pauses != 2)) || tell waiting
      real_registry_lock_pause "$@"
    }
    registry_lock_acquire "$LOCK" 60 && tell taken && hear &&
      registry_lock_check "$LOCK" && registry_lock_release'
  set +m
  expect "$1" waiting
}

# signalled SIGNAL NAME: SIGNAL ends NAME, which tells "bye". Bash loses an INT that comes in the
# very instant in which a child of it ends: that one is sent again.
signalled() {
  local pid=$2_pid says=$2_says line tries=0
  until kill "-$1" "${!pid}" && read -r -t 2 line <&"${!says}"; do
    ((tries += 1))
    [ "$tries" -lt 10 ] || fail "$1 doesn't end $2" || return
  done
  same "$line" bye
}

# all_but_wanted: what lies in $DIR, but for the word to a holder that others wait.
all_but_wanted() { find "$DIR" ! -name '*.wanted' | sort; }

# forge_live [LINE...]: LOCK has an entry of the live process $other_pid, with LINEs in it.
forge_live() {
  start other 'hear'
  forge "$LOCK" "holder.$other_pid.$(identity "$other_pid").1" "$@"
}

@test "a waiter gets the lock when its holder releases it" {
  hold other
  waiter next ''
  send other go
  ended other
  expect next taken
  held_by "$next_pid"
  send next go
  ended next
  no_litter
}

@test "a waiter gets the lock when its holder is killed" {
  hold other
  waiter next ''
  slay other
  expect next taken
  [ ! -s "$(echo "$LOCK.slot.$next_pid".*)/lock.waits" ] || fail 'it still waits'
  held_by "$next_pid"
  contains "$(err_of next)" "removed the lock of process $other_pid"
}

@test "a waiter leaves nothing behind when it gives up" {
  hold other
  local before
  before=$(all_but_wanted)
  run registry_lock_acquire "$LOCK" 0.05
  status_is 75
  same "$(all_but_wanted)" "$before"
  alive "$other_pid"
}

@test "the budget is time: the pauses add up to it" {
  hold other
  simulate
  here registry_lock_acquire "$LOCK" 10
  status_is 75
  says 'Gave up after 10 s'
  slept 9990 10150
  alive "$other_pid"
}

@test "a short budget ends in time, too" {
  hold other
  simulate
  here registry_lock_acquire "$LOCK" 0.25
  status_is 75
  says 'Gave up after 0.25 s'
  slept 250 290
}

@test "pauses begin at a few milliseconds, grow, and are not all alike" {
  local grown=
  hold other
  simulate
  at_pause() { [ "$1" -gt 13 ] || grown+=" $rl_nap"; }
  here registry_lock_acquire "$LOCK" 10
  same "$grown" ' 2 3 4 6 9 13 19 28 42 63 94 100 100'
  [ "$(head -n 1 "$naps")" -le 3 ] || fail "the first pause: $(head -n 1 "$naps") ms"
  [ "$(sort -n "$naps" | tail -n 1)" -le 125 ] || fail 'a pause is longer than 125 ms'
  [ "$(sed -n '15,60p' "$naps" | sort -n | head -n 1)" -ge 75 ] || fail 'late pauses are short'
  [ "$(sed -n '15,60p' "$naps" | sort -u | wc -l)" -gt 5 ] || fail 'late pauses are alike'
}

@test "a verdict is asked for once at the start and then rarely, not at each poll; an open one more often at first" {
  hold other
  simulate
  watched_procid
  here registry_lock_acquire "$LOCK" 10
  status_is 75
  [ "$pauses" -ge 90 ] || fail "only $pauses polls"
  same "$(questions "$other_pid")" 3
  printf '#!/bin/sh\necho "$*" >>"%s"\n[ $# = 1 ] && exec "%s" "$@"\necho unknown\n' "$asked" "$(command -v procid)" \
    >"$REGISTRY_LOCK_PROCID"
  : >"$asked"
  here registry_lock_acquire "$LOCK" 10
  status_is 75
  same "$(questions "$other_pid")" 4
}

@test "when the lock changes hands and then stays a verdict is asked for again, and the message is about it" {
  hold first
  simulate
  watched_procid
  local early='' changed=''
  at_pause() {
    [ -n "$rl_told" ] || return 0
    [ -n "$changed" ] || { send first go && ended first && hold second && changed=$1; }
    [ "$1" != "$((changed + 5))" ] || early=$(questions "$second_pid")
    [ "$1" != "$((changed + 15))" ] || early+=$(questions "$second_pid")
  }
  here registry_lock_acquire "$LOCK" 5
  status_is 75
  [ "$(questions "$first_pid")" -ge 1 ] || fail 'the first holder was not asked about'
  same "$early" 01
  says "held by process $second_pid (second.sh)"
  lacks "${output##*$'\n'}" "$first_pid"
}

@test "an older script's lock is told by its own record, not by what was read before it" {
  stranger
  forge "$LOCK" "holder.$stranger_pid..1" 'registry-lock 1' "pid $stranger_pid" "host $HOSTNAME" 'since then' 'command first'
  simulate
  at_pause() { [ -z "$rl_told" ] || { rm "$LOCK"/* && echo "$stranger_pid" >"$LOCK/pid"; }; }
  here registry_lock_acquire "$LOCK" 5
  status_is 75
  says "waiting: $LOCK is held by process $stranger_pid (first) on $HOSTNAME since then"
  says "$LOCK is held by process $stranger_pid on $HOSTNAME, as an older script recorded"
}

@test "an entry that says less, or is not believed, is not told with what another one said" {
  local lines
  stranger
  simulate
  at_pause() { [ -z "$rl_told" ] || printf 'registry-lock 1\npid %s\n%s' "$stranger_pid" "$lines" >"$LOCK"/*; }
  for lines in '' $'host a\nhost b\nsince s\ncommand c\n'; do
    forge "$LOCK" "holder.$stranger_pid.$stranger_id.1" x "pid $stranger_pid" 'host h' 'since then' 'command first'
    pauses=0
    here registry_lock_acquire "$LOCK" 5
    status_is 75
    says "waiting: $LOCK is held by process $stranger_pid (first) on h since then; it is running"
    says "$LOCK is held by process $stranger_pid; it is running"
    rm -r "$LOCK"
  done
}

@test "a holder's death is noticed at the next poll, not at the next slow beat" {
  local late
  simulate
  at_pause() { [ "$1" != "$late" ] || slay "other$late"; }
  for late in 3 20; do
    hold "other$late"
    clock=0 pauses=0
    here registry_lock_acquire "$LOCK" 10
    status_is 0
    says 'removed the lock of process'
    [ "$pauses" -le $((late + 1)) ] || fail "$pauses pauses"
    registry_lock_release
  done
}

@test "after one second a single line says what is waited for and who holds it" {
  hold other
  simulate
  here registry_lock_acquire "$LOCK" 10
  same "$(printf '%s\n' "$output" | grep -c waiting)" 1
  same "$(printf '%s\n' "$output" | wc -l | tr -d ' ')" 2
  contains "${output%%$'\n'*}" "waiting: $LOCK is held by process $other_pid (other.sh)"
  contains "${output%%$'\n'*}" 'it is running'
}

@test "nothing is said about waiting before one second has passed" {
  hold other
  simulate
  at_pause() { [ "$clock" -lt 900 ] || send other go; }
  here registry_lock_acquire "$LOCK" 0.95
  lacks "$output" waiting
}

@test "REGISTRY_LOCK_QUIET=1 silences the waiting line, and not the reason for giving up" {
  hold other
  simulate
  REGISTRY_LOCK_QUIET=1
  here registry_lock_acquire "$LOCK" 10
  lacks "$output" waiting
  says "held by process $other_pid"
  says 'Gave up after 10 s'
}

@test "a clock that is set, on or back, neither ends nor extends a wait" {
  hold other
  simulate
  local step wall
  _registry_lock_uptime=$DIR/absent
  _registry_lock_wall() { rl_wall=$((wall + clock)); }
  for step in 3600000 -3600000 86400000000; do
    wall=1700000000000 clock=0 pauses=0
    : >"$naps"
    at_pause() { [ "$1" != 30 ] || wall=$((wall + step)); }
    _registry_lock_uptime=$BATS_TEST_TMPDIR/none
    advance() {
      echo "$((10#${1/./}))" >>"$naps"
      clock=$((clock + 10#${1/./})) pauses=$((pauses + 1))
      at_pause "$pauses"
    }
    here registry_lock_acquire "$LOCK" 10
    status_is 75
    slept 9800 10200
  done
}

@test "where the uptime is known the wall clock isn't asked" {
  hold other
  simulate
  _registry_lock_wall() { fail 'the wall clock was asked'; }
  here registry_lock_acquire "$LOCK" 1
  status_is 75
  lacks "$output" 'wall clock'
}

@test "INT, TERM and HUP end a wait, and no slot is left" {
  hold other
  local before pair
  before=$(all_but_wanted)
  for pair in INT:130 TERM:143 HUP:129; do
    waiter "on${pair%:*}" 'trap "tell bye" EXIT'
    signalled "${pair%:*}" "on${pair%:*}"
    ended "on${pair%:*}" "${pair#*:}"
    same "$(all_but_wanted)" "$before"
  done
  alive "$other_pid"
}

@test "INT and TERM end a wait where FIFOs can't be made, and where there is no sleep either" {
  hold other
  local pair name
  for pair in INT:130 TERM:143; do
    waiter "f${pair%:*}" 'trap "tell bye" EXIT; _registry_lock_fifo() { return 1; }'
    waiter "s${pair%:*}" 'trap "tell bye" EXIT; _registry_lock_fifo() { return 1; }; pauses=1
      eval "child$(declare -f _registry_lock_child)"
      _registry_lock_child() { [ "$1" != sleep ] && child_registry_lock_child "$@"; }'
    for name in "f${pair%:*}" "s${pair%:*}"; do
      signalled "${pair%:*}" "$name"
      ended "$name" "${pair#*:}"
    done
  done
  same "$(echo *)" "$(echo lock "lock.slot.$other_pid".*)"
  held_by "$other_pid"
}

@test "a caller's own TERM trap that exits ends a wait, with his status" {
  hold other
  waiter next 'trap "exit 9" TERM'
  kill -TERM "$next_pid"
  ended next 9
  same "$(echo *.slot.*)" "$(echo "lock.slot.$other_pid".*)"
  held_by "$other_pid"
}

@test "a caller's own TERM trap that returns lets the wait go on" {
  hold other
  waiter next 'trap "tell trapped" TERM'
  kill -TERM "$next_pid"
  expect next trapped
  send other go
  expect next taken
  held_by "$next_pid"
}

@test "a lock that is taken after a trap of the caller's released everything is held for good" {
  hold other
  waiter next 'trap "registry_lock_release; tell trapped" TERM'
  kill -TERM "$next_pid"
  expect next trapped
  send other go
  expect next taken
  held_by "$next_pid"
  send next go
  ended next
  no_litter
}

@test "who gives up on a live holder learns who, where and since when, and that it was contention" {
  hold other
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  local since
  since=$(sed -n 's/^since //p' "$LOCK"/holder.*)
  says "$LOCK is held by process $other_pid (other.sh) on $HOSTNAME since $since; "
  says 'it is running, so this is contention. Gave up after 0 s. '
  says "To look: registry-lock status $LOCK"
}

@test "who gives up on a stopped holder learns how to let it go on" {
  [ -r /proc/self/stat ] || skip 'needs /proc'
  hold other
  kill -STOP "$other_pid"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "it is stopped; kill -CONT $other_pid lets it go on"
  alive "$other_pid"
}

@test "who gives up on a holder in another container learns that it can't be asked" {
  need_root
  need_unshare -p -f --mount-proc
  start other 'registry_lock_acquire "$LOCK" && tell held && hear' unshare -p -f --mount-proc
  expect other held
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says 'it is recorded in another container'
  says "whether it lives can't be asked from here"
  lacks "$output" contention
  is_taken
}

@test "who gives up on a holder on another machine learns that it can't be asked" {
  forge "$LOCK" 'holder.123..1' 'registry-lock 1' 'pid 123' 'host elsewhere' 'command sync'
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says 'process 123 (sync) on elsewhere'
  says 'it is recorded on another machine'
  says "whether it lives can't be asked from here"
  is_taken
}

@test "who gives up without a procid learns that there is none" {
  hold other
  REGISTRY_LOCK_PROCID=$DIR/absent run registry_lock_acquire "$LOCK" 0
  status_is 75
  says 'there is no working procid on PATH'
  held_by "$other_pid"
}

@test "who gives up on a damaged record learns that it names no usable process" {
  local name
  for name in holder.0.x.1 holder.007.x.1 holder.-5.x.1 holder.99999999999.x.1 holder.1.X.1 \
    holder.x; do
    forge "$LOCK" "$name" 'pid 1'
    run registry_lock_acquire "$LOCK" 0
    status_is 75
    says 'the record names no usable process'
    says "registry-lock status $LOCK"
    same "$(ls "$LOCK")" "$name"
    rm -r "$LOCK"
  done
}

@test "who gives up on a live claimer learns that it is removing a dead holder's lock" {
  start other 'hear'
  forge "$LOCK" "claim.$other_pid.$(identity "$other_pid").1"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "process $other_pid is removing a dead holder's lock"
  alive "$other_pid"
  is_taken
}

@test "the command in a message can be pasted, whatever the path holds" {
  local name word
  registry-lock() { printf '%s.' "$@"; }
  for name in 'a b' "it's" '$(touch x)' 'a`touch x`' $'new\nline' ';touch x' \
    '*' '~' $'e\e[31m' $'\xc3\xa9t\xc3\xa9' '"q"' 'back\slash'; do
    forge "$DIR/$name" 'holder.123..1' 'pid 123' 'host elsewhere'
    run registry_lock_acquire "$DIR/$name" 0
    status_is 75
    same "$(printf '%s\n' "$output" | wc -l | tr -d ' ')" 1
    word=${output##*To look: }
    same "$(eval "${word%%; to remove it*}")" "status.$DIR/$name."
    same "$(eval "registry-lock ${output##*: registry-lock }")" "break.--force.$DIR/$name.123..1."
    lacks "$output" $'\e'
    [ ! -e x ] || fail "a part of the path was run: $output"
  done
}

@test "what an entry holds reaches the terminal without its control characters" {
  forge_live 'registry-lock 1' "host $(printf 'h\tx\177')" \
    "command $(printf 'evil\033]0;title\007\r\b\302\233')"
  printf 'pid %s\n' "$other_pid" >>"$LOCK"/holder.*
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "(evil?]0;title???"
  same "$(printf '%s' "$output" | LC_ALL=C tr -d '[:print:]' | LC_ALL=C od -An -c | tr -d ' \n')" ''
}

@test "an entry with a forged second pid is not believed, and its process still is" {
  forge_live 'registry-lock 1' 'pid 1' 'command evil'
  printf 'pid %s\n' "$other_pid" >>"$LOCK"/holder.*
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "held by process $other_pid; it is running"
  lacks "$output" evil
  lacks "$output" 'process 1 '
}

@test "an entry is never evaluated, and no more than a piece of it is read" {
  forge_live 'registry-lock 1' 'command $(touch ran)`touch ran`' 'host $(touch ran)'
  printf 'pid %s\n' "$other_pid" >>"$LOCK"/holder.*
  head -c 100000 /dev/zero | tr '\0' x >>"$LOCK/$(entry_of "$LOCK")"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says '($(touch ran)`touch ran`)'
  [ "${#output}" -lt 1500 ] || fail "a message of ${#output} characters"
  [ ! -e ran ] || fail 'the entry was evaluated'
}

@test "an entry that is a FIFO or a link is not opened" {
  start other 'hear'
  local entry
  entry=$LOCK/holder.$other_pid.$(identity "$other_pid").1
  mkdir "$LOCK" && mkfifo "$entry"
  start reader 'registry_lock_acquire "$LOCK" 0; tell "$?"'
  expect reader 75
  contains "$(err_of reader)" "held by process $other_pid; it is running"
  rm "$entry"
  printf 'pid %s\ncommand secret\n' "$other_pid" >secret
  ln -s "$DIR/secret" "$entry"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  lacks "$output" secret
}

# The steps by themselves.

@test "Linux's uptime is the time where it is one, and else the wall clock's steps of up to two seconds are" {
  local text wall step rl_now rl_wall_before rl_paused=7
  _registry_lock_wall() { rl_wall=$wall; }
  _registry_lock_uptime=$DIR/uptime
  while IFS='|' read -r text expected; do
    echo "$text" >"$_registry_lock_uptime"
    rl_now=1000 rl_wall_before='' wall=5000
    _registry_lock_tick
    same "$text: $rl_now $rl_wall_before" "$text: $expected"
  done <<'END'
123.45 6.78|123450 
0.08 0|80 
123.45|123450 
123.4|1000 5000
12345|1000 5000
1x3.45|1000 5000
1.2.45|1000 5000
|1000 5000
END
  rm "$_registry_lock_uptime"
  rl_now=1000 rl_wall_before='' wall=5000
  _registry_lock_tick
  same "$rl_now $rl_wall_before" '1000 5000'
  for step in 0:0 1:1 2000:2000 2001:7 -1:7; do
    rl_now=1000 rl_wall_before=5000 wall=$((5000 + ${step%:*}))
    _registry_lock_tick
    same "$step $((rl_now - 1000)) $rl_wall_before" "$step ${step#*:} $wall"
  done
}

# wall_at TEXT: the wall clock where bash's is TEXT and the shell is 7 s old; apart, since bats has a look
# at bash's, too.
wall_at() (
  unset EPOCHREALTIME SECONDS
  EPOCHREALTIME=$1 SECONDS=7
  _registry_lock_wall
  echo "$rl_wall"
)

@test "the wall clock is in milliseconds, or in the shell's whole seconds" {
  local text expected
  while IFS='|' read -r text expected; do
    same "$text: $(wall_at "$text")" "$text: $expected"
  done <<'END'
1700000000.123456|1700000000123
1700000000,123456|1700000000123
1700000000|7000
1.12|7000
x|7000
|7000
END
  same "$(unset EPOCHREALTIME SECONDS && _registry_lock_wall && echo "$rl_wall")" 0
}

@test "the time of day is in UTC, and put together once in a second" {
  local rl_utc before after TZ=XYZ-5
  unset EPOCHSECONDS
  EPOCHSECONDS=100 _registry_lock_now=known _registry_lock_now_at=100
  _registry_lock_utc
  same "$rl_utc" known
  EPOCHSECONDS=101
  before=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  _registry_lock_utc
  after=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  [[ ! $rl_utc < $before && ! $rl_utc > $after ]] || fail "$rl_utc, from $before to $after"
  same "$_registry_lock_now $_registry_lock_now_at $TZ" "$rl_utc 101 XYZ-5"
}

@test "where the shell doesn't tell the time of day, date does, if it ends well" {
  local rl_utc
  mkdir "$BATS_TEST_TMPDIR/date"
  printf '#!/bin/sh\necho "$*"; exit 1\n' >"$BATS_TEST_TMPDIR/date/date"
  chmod +x "$BATS_TEST_TMPDIR/date/date"
  if ((BASH_VERSINFO[0] >= 5)); then
    (PATH=$BATS_TEST_TMPDIR/date:$PATH && _registry_lock_utc_now && [[ $rl_utc == 2*Z ]])
  fi
  (
    builtin() { [ "$1" != printf ] && command builtin "$@"; }
    _registry_lock_utc_now
    [[ $rl_utc == 2???-??-??T??:??:??Z ]]
    PATH=$BATS_TEST_TMPDIR/date:$PATH
    hash -r
    _registry_lock_utc_now
    [ -z "$rl_utc" ]
  )
}

@test "a pause ends when the next thing is due, and never at once" {
  local rl_slot=$DIR/slot rl_name=lock rl_start=1000 rl_budget now told verdict asked before queued=0 got row
  _registry_lock_queue() { return "$queued"; }
  _registry_lock_await() { got="await $* $rl_left"; }
  _registry_lock_nap() { got="nap $rl_left"; }
  while read -r rl_budget rl_now told verdict rl_asked rl_again before expected; do
    row="$rl_budget $rl_now $told $verdict $rl_asked $rl_again $before:"
    rl_told=${told#-} rl_verdict=${verdict#-} rl_wall_before=${before#-} queued=0
    _registry_lock_pause
    same "$row $got" "$row await $DIR/slot/lock $expected"
    queued=1
    _registry_lock_pause
    same "$row $got" "$row nap $expected"
  done <<'END'
5000 1500 yes - 0 0 - 4500
5000 1500 - - 0 0 - 500
200 1100 - - 0 0 - 100
5000 3000 - - 0 0 - 1
5000 1500 yes alive 1400 300 - 200
5000 1500 yes alive 1400 100 - 1
5000 1500 yes alive 1400 9000 - 4500
5000 1500 yes - 0 0 70 1000
500 1100 yes - 0 0 70 400
END
}

@test "a nap is shorter than what is left, a quarter more or less by chance, and the next one longer" {
  local rl_nap rl_paused rl_now=1500 rl_start=1000 rl_budget seed slept next rest
  _registry_lock_child() { rest="$*"; }
  while read -r rl_nap rl_budget seed paused slept next; do
    rest="$rl_nap $rl_budget $seed" _registry_lock_seed=$seed
    row=$rest
    _registry_lock_nap
    same "$row: $rl_paused $rest $rl_nap" "$row: $paused sleep $slept $next"
    [ "$seed" != 0 ] || same "$_registry_lock_seed" 12345
  done <<'END'
8 5000 0 8 0.006 12
100 5000 0 100 0.075 100
100 5000 1 100 0.083 100
66 5000 0 66 0.049 99
67 5000 0 67 0.050 100
2 5000 0 2 0.001 3
100 540 0 40 0.030 100
END
}

@test "where there is no sleep a read of a pipe is the nap" {
  local rl_nap=8 rl_paused rl_now=1500 rl_start=1000 rl_budget=5000
  _registry_lock_child() { return 127; }
  (
    builtin() { [ "$1" != eval ] && command builtin "$@" || echo "$2" >>evals; }
    _registry_lock_nap
  )
  contains "$(cat evals)" 'read -r -t 1 <> <('
}
