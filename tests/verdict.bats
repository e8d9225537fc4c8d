#!/usr/bin/env bats
# verdict.bats: what counts as proof that a holder is gone, and what doesn't.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # code for drivers, and variables of the helper
load helper

# procid_that CODE [CARRIERS]: a procid that runs CODE; about who asks it is the real one. To what
# was started under the lock of a gone holder it says "end 0", or what CARRIERS does.
procid_that() {
  export REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/procid.fake
  printf '#!/usr/bin/env bash\n[ $# != 1 ] || exec "%s" "$@"\n%s\n%s\n' "$root/bin/procid" \
    "case \$* in --why\\ *.*.*) echo -n 'gone not-running '; ${2-echo end 0}; exit 0 ;; esac" "$1" \
    >"$REGISTRY_LOCK_PROCID"
  chmod +x "$REGISTRY_LOCK_PROCID"
}

# stands [TEXT]: the lock of the live process `other` outlasts an acquire, which says TEXT.
stands() {
  run registry_lock_acquire "$LOCK" 0
  status_is 75 && lacks "$output" removed && alive "$other_pid" && held_by "$other_pid" &&
    says "${1-procid gives no answer about it, so whether it lives can}"
}

# falls TEXT: LOCK is broken, since TEXT.
falls() {
  run registry_lock_acquire "$LOCK" 0
  status_is 0 && says removed && says "$1" && is_free
}

# dead_pid: a number that nothing has.
dead_pid() {
  start corpse 'exit 0'
  ended corpse
  gone "$corpse_pid" && dead_pid=$corpse_pid
}

# pid_only PID [HOST]: LOCK as PID would have written it where no identity can be read.
pid_only() {
  forge "$LOCK" "holder.$1..1" 'registry-lock 1' "pid $1" 'start ' "host ${2-$HOSTNAME}" 'since ' 'command old'
}

# ps_that CODE: a ps that runs CODE, where no procid works.
ps_that() {
  export REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/none
  mkdir -p "$BATS_TEST_TMPDIR/ps"
  printf '#!/usr/bin/env bash\n%s\n' "$1" >"$BATS_TEST_TMPDIR/ps/ps"
  chmod +x "$BATS_TEST_TMPDIR/ps/ps"
  PATH=$BATS_TEST_TMPDIR/ps:$PATH
}

@test "without a procid nobody is gone" {
  hold other
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/none stands 'there is no working procid on PATH'
}

@test "who is told that he is gone has no identity, and numbers that begin with the time" {
  local before entry number
  export REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/procid
  printf '#!/bin/sh\necho gone\n' >"$REGISTRY_LOCK_PROCID"
  chmod +x "$REGISTRY_LOCK_PROCID"
  before=$(date +%s)
  registry_lock_acquire "$LOCK" 0
  entry=$(entry_of "$LOCK") number=$((${entry##*.} - 1))
  same "$entry" "holder.$$..${entry##*.}"
  ((number >= before % 1000000000 && number <= $(date +%s) % 1000000000)) || fail "$number"
}

@test "a directory named procid is none" {
  hold other
  mkdir -p "$BATS_TEST_TMPDIR/bin/procid"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/bin/procid stands 'there is no working procid on PATH'
}

@test "a procid for another processor is none" {
  hold other
  printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\377\377\1\0\0\0' >"$BATS_TEST_TMPDIR/procid"
  chmod +x "$BATS_TEST_TMPDIR/procid"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/procid stands 'there is no working procid on PATH'
}

@test "without a procid even the lock of a killed holder stands" {
  killed_holder other
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/none run registry_lock_acquire "$LOCK" 0
  gone "$other_pid"
  status_is 75
  says 'there is no working procid on PATH'
}

@test "a procid that says gone and ends with 1 is not believed" {
  hold other
  procid_that 'echo gone; exit 1'
  stands
}

@test "a procid that prints two words is not believed" {
  hold other
  procid_that 'echo gone gone'
  stands
}

@test "a procid that prints two lines is not believed" {
  hold other
  procid_that 'echo gone; echo gone'
  stands
}

@test "a procid that prints nothing and ends with 0 is not believed" {
  hold other
  procid_that ':'
  stands
}

@test "a procid that is killed after it has said gone is not believed" {
  hold other
  procid_that 'echo gone; kill -KILL $$'
  stands
}

@test "a procid that says gone, an end of text, and fails is not believed" {
  hold other
  procid_that 'printf "gone\n 0\0"; exit 1'
  stands
}

@test "a word that is not quite gone is not gone" {
  local word
  hold other
  for word in GONE Gone ' gone' 'gone ' $'gone\r' gone. "'gone'" gon goners; do
    procid_that "echo \"$word\""
    stands
  done
  procid_that 'printf gone'
  stands
}

@test "the identity of another process, or of another scope, is no verdict" {
  local word
  hold other
  for word in "$(identity $$)" "w$(identity "$other_pid")" LTABRB0UU0_0_0_1 \
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; do
    procid_that "echo $word"
    stands
  done
}

@test "a procid that hangs is given up, and not believed" {
  hold other
  eval "$(declare -f _registry_lock_ask_bounded _registry_lock_ask_and_wait | sed 's/-t 5/-t 1/')"
  procid_that "echo \$\$ >>'$BATS_TEST_TMPDIR/hung'; echo gone; exec sleep 60 3>&-"
  stands
  pids="$pids $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/hung")"
  kill -0 "$(head -n 1 "$BATS_TEST_TMPDIR/hung")"
}

@test "where bash has lost procid's status it is asked again, three times in all" {
  local lost most asked=$BATS_TEST_TMPDIR/asked
  here registry_lock_acquire "$DIR/first" && registry_lock_release
  procid_that "echo x >>'$asked'; echo gone"
  _registry_lock_ask_status() {
    builtin wait "$1"
    builtin set -- "$?"
    [ "$(grep -c . "$asked")" -gt "$most" ] || builtin set -- "$lost"
    rl_output+=" $1"
  }
  for lost in -1 127; do
    killed_holder "other$((lost + 1))"
    : >"$asked"
    most=3
    here registry_lock_acquire "$LOCK" 0
    status_is 75
    says 'procid gives no answer about it'
    same "$(sed 3q "$asked" | grep -c .)" 3
    : >"$asked"
    most=2
    here registry_lock_acquire "$LOCK" 0
    status_is 0
    says 'removed the lock of process'
    same "$(grep -c . "$asked")" 3
    registry_lock_release
  done
}

@test "gone counts when procid says just that and ends with 0" {
  killed_holder other
  procid_that 'echo gone'
  falls 'that process is gone: it is not running'
}

@test "without an answer about what was started under the lock, it stays" {
  local code
  for code in 'exit 1' 'echo end' 'kill -KILL $$' 'echo end 0; exit 3' : 'echo x y end 0'; do
    killed_holder "other${#code}"
    procid_that 'echo gone' "$code"
    run registry_lock_acquire "$LOCK" 0
    status_is 75
    says "procid gives no answer about it"
    run registry_lock_status --json "$LOCK"
    says '"verdict":"unknown","reason":"no-answer"'
    unset REGISTRY_LOCK_PROCID
    rm -r "$LOCK"
  done
}

@test "a verdict is on the entry that is asked about, and not what was said of another" {
  stranger
  forge "$LOCK" "holder.$stranger_pid.$stranger_id.1"
  _registry_lock_self
  _registry_lock_look "$LOCK"
  local rl_host='' rl_known_question=1.x.1 rl_known_answer='gone not-running end 1' rl_why=
  here _registry_lock_judge_entry
  same "$rl_verdict" alive
  rl_verdict=gone rl_seen=holder.1.x.1.1
  here _registry_lock_tell
  same "$rl_verdict" alive
  here _registry_lock_judge 0 x ''
  same "$rl_verdict $rl_why" 'unknown damaged'
}

# Entries without an identity.
@test "an entry without an identity is broken when nothing has its number" {
  dead_pid
  pid_only "$dead_pid"
  falls "process $dead_pid (old) on $HOSTNAME; that process is gone: it is not running"
}

@test "an entry without an identity stands while anything has its number" {
  start other 'hear'
  pid_only "$other_pid"
  stands "process $other_pid (old) on $HOSTNAME; it is running"
}

@test "an entry of another host without an identity is not judged" {
  dead_pid
  pid_only "$dead_pid" elsewhere
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "on elsewhere; it is recorded on another machine, so whether it lives can't be asked"
}

@test "an entry without an identity or a host is not judged" {
  dead_pid
  forge "$LOCK" "holder.$dead_pid..1"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  is_taken
}

@test "without procid a number that kill and ps both don't know is gone" {
  dead_pid
  pid_only "$dead_pid"
  ps_that "exec $(command -v ps) \"\$@\""
  falls "that process is gone: it is not running"
}

@test "without procid a number is not gone unless a ps that lists the asker says so too" {
  local code
  dead_pid
  pid_only "$dead_pid"
  for code in 'exit 1' ':' 'echo "ps: unrecognized option: A" >&2; exit 1' 'echo PID; echo 1' \
    "echo \$PPID; echo $dead_pid" 'echo $PPID; exit 1'; do
    ps_that "$code"
    run registry_lock_acquire "$LOCK" 0
    status_is 75
    is_taken
  done
}

@test "without procid another user's process is not gone" {
  start other 'hear'
  pid_only "$other_pid"
  as_nobody 'REGISTRY_LOCK_PROCID=/none; ! kill -0 '"$other_pid"' || exit 3; umask 0
    cd "${LOCK%/*}" && _registry_lock_self
    _registry_lock_judge '"$other_pid"' "" "$HOSTNAME"; echo "$rl_verdict"'
  status_is 0
  same "${output##*$'\n'}" unknown
}

# Numbers that kill would take for something else.

# watch_kill: notes what the library hands to kill.
watch_kill() {
  local name
  for name in $(compgen -A function _registry_lock_); do
    eval "$(declare -f "$name" | sed 's/builtin kill/watched_kill/g')"
  done
}
watched_kill() {
  echo "kill $*" >>"$BATS_TEST_TMPDIR/asked"
  command kill "$@"
}

@test "an entry with a number that no process can have is handed to nobody and left alone" {
  local bad
  hold other
  send other go
  ended other
  procid_that 'echo "$*" >>"'"$BATS_TEST_TMPDIR/asked"'"; echo gone'
  watch_kill
  for bad in 0 -1 01 +5 ' 5' 2147483648 99999999999999999999 5x ''; do
    forge "$LOCK" "holder.$bad.$(identity $$).1"
    run registry_lock_acquire "$LOCK" 0
    status_is 75
    says 'names no usable process'
    rm -r "$LOCK"
  done
  [ ! -e "$BATS_TEST_TMPDIR/asked" ] || fail "asked: $(cat "$BATS_TEST_TMPDIR/asked")"
}

@test "that seam sees the number of a good entry" {
  killed_holder other
  watch_kill
  falls 'it is not running'
  contains "$(cat "$BATS_TEST_TMPDIR/asked")" "kill -0 $other_pid"
}

# Case 7.
@test "a recycled number is no holder, and the stranger who has it now is left alone" {
  local id
  start stranger 'tell up; hear'
  expect stranger up
  id=$(identity "$stranger_pid")
  forge "$LOCK" "holder.$stranger_pid.${id%_*}_1.1"
  falls 'that process is gone: its number was recycled, another process has it now'
  alive "$stranger_pid" "$id"
  send stranger go
  ended stranger
}

@test "a number that the system really gave to another process is no holder" {
  need_root
  need_unshare -p -f --mount-proc
  cat >"$BATS_TEST_TMPDIR/inside" <<'INSIDE'
. "$1"
bash -c '. "$1"; registry_lock_acquire lock 0; kill -KILL $$' - "$1" &
pid=$! then=$(cut -d' ' -f1 /proc/uptime)
wait "$pid"
until [ "$(cut -d' ' -f1 /proc/uptime | tr -d .)" -gt $((${then/./} + 2)) ]; do :; done
for try in 1 2 3 4 5 6 7 8 9; do
  echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
  sleep 60 3>&- &
  [ $! != "$pid" ] || break
  kill $!
done
[ $! = "$pid" ] || exit 99
registry_lock_acquire lock 0 && echo "got in" && kill "$pid" && echo "and $pid is there"
INSIDE
  run unshare -p -f --mount-proc bash "$BATS_TEST_TMPDIR/inside" "$library"
  [ "$status" != 99 ] || skip 'the number was not to be had'
  says 'its number was recycled'
  says 'got in'
  says 'is there'
}

@test "the number of a mere thread is no holder" {
  local id tid
  [ -d /proc/self/task ] || skip 'needs /proc/PID/task'
  channel asked
  procid - <"$BATS_TEST_TMPDIR/talk/asked.hears" >"$BATS_TEST_TMPDIR/talk/asked.says" 3>&- &
  pids="$pids $!"
  send asked $$
  [ "$(listen asked)" = "$(identity $$)" ]
  id=$(identity $!)
  for tid in "/proc/$!/task"/*; do
    tid=${tid##*/}
    [ "$tid" = "$!" ] || break
  done
  kill -0 "$tid"
  forge "$LOCK" "holder.$tid.$id.1"
  falls "that process is gone: the number is only a thread's now"
  alive $! "$id"
}

# Case 8.
@test "a killed holder that its parent has not reaped is gone" {
  local id
  start parent "bash -c '. \"\$1\"; registry_lock_acquire \"\$2\" 0; kill -STOP \$\$' - '$library' \"\$LOCK\" &
    tell \$!; hear"
  child=$(listen parent) && pids="$pids $child"
  until [ -d "$LOCK" ]; do :; done
  id=$(identity "$child")
  kill -STOP "$parent_pid"
  kill -KILL "$child"
  until [ "$(procid "$child" "$id")" = gone ]; do :; done
  kill -0 "$child"
  [ ! -r /proc/self/stat ] || ! _registry_lock_may_live "$child" || fail 'it looks alive'
  falls 'that process has ended; its parent has not asked for its status yet'
}

@test "a holder whose first thread has ended while another runs is not gone" {
  command -v "${GO:-go}" >/dev/null || skip 'needs go'
  [ -d /proc/self/task ] || skip 'needs /proc/PID/task'
  "${GO:-go}" build -o "$BATS_TEST_TMPDIR/leader_ends" "$root/tests/fixtures/leader_ends.go"
  channel asked
  "$BATS_TEST_TMPDIR/leader_ends" <"$BATS_TEST_TMPDIR/talk/asked.hears" 3>&- &
  other_pid=$! pids="$pids $!"
  forge "$LOCK" "holder.$!.$(identity $!).1"
  until grep -q ') Z ' "/proc/$other_pid/stat"; do :; done
  stands 'it is running'
  send asked go
  wait "$other_pid"
  falls 'it is not running'
}

# Case 1.
@test "a live holder of another user is known to be running" {
  hold other
  chmod 777 "$DIR" "$LOCK"
  as_nobody '! kill -0 '"$other_pid"' || exit 3; registry_lock_acquire "$LOCK" 0'
  alive "$other_pid"
  held_by "$other_pid"
  status_is 75
  says "is held by process $other_pid"
  says 'it is running'
}

# Case 12.
@test "the same number and start time in an earlier boot is another process" {
  local id
  in_initial_namespaces
  start stranger 'tell up; hear'
  expect stranger up
  id=$(identity "$stranger_pid")
  forge "$LOCK" "holder.$stranger_pid.${id:0:11}0123456789${id:21}.1"
  falls 'that process is gone: it belongs to an earlier boot of this machine'
  alive "$stranger_pid" "$id"
}

# Case 14.
@test "a holder with blanks and brackets in its program's name is known, and known to be gone" {
  local odd="$BATS_TEST_TMPDIR/a) S 1 (b c"
  cp "$(command -v bash)" "$odd"
  start other 'registry_lock_acquire "$LOCK" 0 && tell held; hear' sh -c 'exec "$0" "$2"' "$odd"
  expect other held
  [ ! -e /proc/self/comm ] || same "$(cat "/proc/$other_pid/comm")" 'a) S 1 (b c'
  stands 'it is running'
  slay other
  falls 'that process is gone: it is not running'
}
