#!/usr/bin/env bash
# demo.sh: the lock at work on real processes, in a temporary directory. A line "ok" was checked, by
# the probe or in the file, right before it was printed. Ends with 1 if anything was not so.
# shellcheck disable=SC2317 # functions that check calls, and the trap
set -u
export LC_ALL=C
unset CDPATH "${!REGISTRY_LOCK_@}" "${!ROSTER_GATE@}" "${!ROSTER_WORKER@}"

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
driver=$here/fixtures/roster-sync-driver.sh
PATH=${here%/*}/bin:$PATH
TIMEFORMAT=%R
wrong=0 done_by='' started=''
title='' plain=''
[[ ! -t 1 || -n ${NO_COLOR-} || ${TERM-dumb} = dumb ]] || title=$'\e[1m' plain=$'\e[0m'

# One scene plays in a pid namespace of its own: this script again, on the same roster.
inner=
if [[ ${1-} = --in-namespace ]]; then
  inner=1 ROSTER_DIR=$2
else
  ROSTER_DIR=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-demo.XXXXXX") || exit
fi
export ROSTER_DIR
team=$ROSTER_DIR/teams/blue
config=$team/config.json
lock=$team/.config.lock

clean_up() {
  local one
  for one in $started; do kill -KILL "$one"; done 2>/dev/null
  wait 2>/dev/null
  [[ -n $inner ]] || rm -rf -- "$ROSTER_DIR"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

scene() { printf '\n%s%s%s\n' "$title" "$1" "$plain"; }
say() { printf '  %s\n' "$1"; }

# check CLAIM COMMAND...: CLAIM stands if COMMAND succeeds.
check() {
  local claim=$1
  shift
  if "$@"; then
    printf '  ok  %s\n' "$claim"
  else
    printf '  NO  %s (failed: %s)\n' "$claim" "$*"
    wrong=1
  fi
}

give_up() {
  printf '  NO  %s\n' "$1"
  exit 1
}

# What is checked. An ID says which process: the number and when it started.
same() { [[ $1 = "$2" ]]; }
alive() { [[ $(procid "$1" "$2") = "$2" ]]; }
gone() { [[ $(procid "$1" "$2") = gone ]]; }
recycled() { [[ $(procid --why "$1" "$2") = 'gone recycled' ]]; }
held_by() { [[ $(ls -A "$lock" 2>/dev/null) = "holder.$1.$2".* ]]; }
updates() { sed -n 's/^  "updates": \([0-9]*\),$/\1/p' "$config"; }
members() { sed -n 's/^    "\([a-z]*\)",*$/\1/p' "$config" | tr '\n' ' '; }
ends_with() {
  wait "$1"
  [[ $? = "$2" ]]
}

# start FD WHO [SECONDS]: the driver as a process of its own: $pid, $id. FD reads what it says.
start() {
  local err=$ROSTER_DIR/$2.says
  mkfifo "$err" || exit
  bash "$driver" blue "${@:2}" 2>"$err" </dev/null &
  pid=$! started="$started $!"
  eval "exec $1<\"\$err\""
  id=$(procid "$pid")
  say "$2 starts: process $pid"
}

# start_holding WHO: the same, until it has the lock and before it works. FD is 6.
start_holding() {
  local gate=$ROSTER_DIR/$1.gate
  mkfifo "$gate.says" "$gate.hears" || exit
  exec 8<>"$gate.says" 9<>"$gate.hears"
  ROSTER_GATE=$gate start 6 "$1"
  read -r -t 20 _ <&8 || give_up "$1 did not get the lock"
}
go_on() { printf 'go on\n' >&9; }

# hear FD: shows a line of a driver, the long path cut short; hear_out FD: all until it ends.
hear() {
  local line
  read -r -t 20 line <&"$1" || return
  printf '      | %s\n' "${line//"$ROSTER_DIR"/DIR}"
}
hear_out() { while hear "$1"; do :; done; }

slay() {
  { kill -KILL "$1" && wait "$1"; } 2>/dev/null
  say "process $1 is killed with -9"
}

two_in_turn() {
  local anna anna_id
  scene '1. Two drivers, one after the other'
  start_holding anna
  anna=$pid anna_id=$id
  start 7 ben
  hear 7
  check 'ben is alive, and waits' alive "$pid" "$id"
  check 'anna has the lock' held_by "$anna" "$anna_id"
  say 'anna goes on'
  go_on
  check 'anna works, releases, and ends with 0' ends_with "$anna" 0
  hear_out 7
  check 'then ben works, and ends with 0' ends_with "$pid" 0
  check 'the roster has anna, then ben' same "$(members)" 'anna ben '
  done_by='anna ben '
}

killed_holder() {
  local cleo cleo_id
  scene '2. A driver killed with -9 while it holds the lock'
  start_holding cleo
  cleo=$pid cleo_id=$id
  slay "$cleo"
  check 'the probe: that process is gone' gone "$cleo" "$cleo_id"
  check 'its lock is still there' held_by "$cleo" "$cleo_id"
  { time start_holding dora; } 2>"$ROSTER_DIR/time"
  say "dora was in after $(tail -n 1 "$ROSTER_DIR/time") s"
  check 'dora has the lock' held_by "$pid" "$id"
  go_on
  hear_out 6
  check 'dora works, and ends with 0' ends_with "$pid" 0
  check 'the roster has dora, and not cleo' same "$(members)" "${done_by}dora "
  done_by="${done_by}dora "
}

live_holder() {
  local emil emil_id
  scene '3. A live holder is waited for, and not robbed'
  start_holding emil
  emil=$pid emil_id=$id
  start 7 fay 1.5
  hear_out 7
  check 'fay gave up, with the status for "still held", 75' ends_with "$pid" 75
  check 'the probe: emil is alive' alive "$emil" "$emil_id"
  check 'emil has the lock' held_by "$emil" "$emil_id"
  go_on
  check 'emil works, releases, and ends with 0' ends_with "$emil" 0
  check 'the roster has emil, and not fay' same "$(members)" "${done_by}emil "
  done_by="${done_by}emil "
}

# give_away PID ID: the number of a process that is gone, to a stranger. Two that start within one tick
# of the clock read the same, so then again.
give_away() {
  while :; do
    echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
    sleep 60 &
    stranger=$!
    [[ $stranger = "$1" && $(procid "$1") = "$2" ]] || return 0
    slay "$stranger" >/dev/null
  done
}

# put_stranger PID ID: where numbers can't be given away, the killed driver's entry gets a stranger's.
put_stranger() {
  say '(no pid namespace of our own here: its entry is given the number of a live process)'
  sleep 60 &
  stranger=$!
  mv "$lock/holder.$1.$2.1" "$lock/holder.$stranger.$2.1"
  mv "$lock.slot.$1.$2" "$lock.slot.$stranger.$2"
}

recycled_number() {
  local gil gil_id stranger stranger_id
  start_holding gil
  gil=$pid gil_id=$id
  slay "$gil"
  if [[ -n $inner ]]; then give_away "$gil" "$gil_id"; else put_stranger "$gil" "$gil_id"; fi
  started="$started $stranger"
  stranger_id=$(procid "$stranger")
  say "a stranger starts, a sleep: process $stranger"
  check "a live process has the number in the lock's entry" held_by "$stranger" "$gil_id"
  check 'the probe: it is not the one that took the lock' recycled "$stranger" "$gil_id"
  start 7 hal
  hear_out 7
  check 'hal works, and ends with 0' ends_with "$pid" 0
  check 'the probe: the stranger is alive, and the same' alive "$stranger" "$stranger_id"
}

# own_namespace WORD...: whether WORDs start a command that may choose its process numbers.
own_namespace() {
  # shellcheck disable=SC2016 # for that shell
  "$@" bash -c '[[ $$ = 1 ]] && echo 99 >/proc/sys/kernel/ns_last_pid' 2>/dev/null
}

recycled_holder() {
  local unshare='unshare -p -f --mount-proc'
  scene '4. The number of a killed driver now belongs to a stranger'
  [[ $EUID = 0 ]] || unshare='unshare -U -r -p -f --mount-proc'
  # shellcheck disable=SC2086 # words
  if own_namespace $unshare; then
    say '(in a pid namespace of its own, where numbers start at 1)'
    $unshare bash "$here/demo.sh" --in-namespace "$ROSTER_DIR" || wrong=1
  else
    recycled_number
  fi
  done_by="${done_by}hal "
}

outliving_worker() {
  local ida ida_id worker worker_id gate=$ROSTER_DIR/worker.gate
  scene '5. A driver killed with -9 while its worker goes on writing'
  mkfifo "$gate.says" "$gate.hears" || exit
  exec 8<>"$gate.says"
  ROSTER_WORKER_GATE=$gate start 6 ida
  ida=$pid ida_id=$id
  read -r -t 20 worker <&8 || give_up "ida's worker did not start"
  worker_id=$(procid "$worker")
  say "ida has the lock; her worker is process $worker"
  slay "$ida"
  check 'the probe: ida is gone' gone "$ida" "$ida_id"
  check 'the probe: her worker is alive' alive "$worker" "$worker_id"
  start 7 jon
  hear 7
  check 'jon is alive, and waits' alive "$pid" "$id"
  check 'the lock is still the one that ida took' held_by "$ida" "$ida_id"
  say 'the worker goes on, writes, and ends'
  printf 'go on\n' >"$gate.hears"
  hear_out 7
  check 'then jon works, and ends with 0' ends_with "$pid" 0
  check 'the roster has ida, then jon' same "$(members)" "${done_by}ida jon "
  done_by="${done_by}ida jon "
}

in_the_end() {
  scene 'In the end'
  # shellcheck disable=SC2086 # words
  set -- $done_by
  check "the roster counts $# updates, one for each worker that ended well" same "$(updates)" $#
  check "and names them: $*" same "$(members)" "$done_by"
  check 'nothing else lies in its directory' same "$(ls -A "$team")" config.json
  printf '\n'
}

if [[ -n $inner ]]; then
  recycled_number
  exit "$wrong"
fi
command -v procid >/dev/null || give_up 'there is no procid; "make" builds it'
mkdir -p "$team" || exit
say 'Drivers take the lock of a roster, read it, add themselves, and write it.'
say "What the library says stands behind a bar. DIR is $ROSTER_DIR"
two_in_turn
killed_holder
live_holder
recycled_holder
outliving_worker
in_the_end
exit "$wrong"
