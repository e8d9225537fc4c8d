# shellcheck shell=bash
# helper.bash: what the suites share: real drivers as separate processes, talked to over FIFOs,
# and assertions. Nothing sleeps: `expect` blocks until the other side has said its word.

root=$(cd -- "$BATS_TEST_DIRNAME/.." && pwd -P)
library=${REGISTRY_LOCK_LIB:-$root/lib/registry-lock.sh}

# setup of every suite: a folder of its own, procid on PATH, the library in this shell.
setup() {
  unset "${!REGISTRY_LOCK_@}" CDPATH
  PATH=$root/bin:$PATH
  DIR=$BATS_TEST_TMPDIR/dir
  LOCK=$DIR/lock
  mkdir -p -- "$DIR" "$BATS_TEST_TMPDIR/talk"
  cd -- "$DIR" || return
  next_fd=20 pids=
  # shellcheck source=lib/registry-lock.sh
  . "$library"
}

teardown() {
  local pid
  for pid in $pids; do kill -CONT "$pid" && kill -KILL "$pid"; done 2>/dev/null
  return 0
}

# start NAME CODE [WORD...]: a process NAME that has sourced the library and runs CODE; with WORDs
# these start it (a wrapper such as unshare -p). NAME_pid is its pid, $talk/NAME.err its
# standard error, $talk/NAME.out2 its standard output. In CODE: tell WORD; hear sets REPLY.
start() {
  local name=$1 code=$2 talk=$BATS_TEST_TMPDIR/talk
  shift 2
  mkfifo "$talk/$name.says" "$talk/$name.hears" || return
  eval "exec $next_fd<>'$talk/$name.says' $((next_fd + 1))<>'$talk/$name.hears'"
  eval "${name}_says=$next_fd ${name}_hears=$((next_fd + 1))"
  next_fd=$((next_fd + 2))
  cat >"$talk/$name.sh" <<DRIVER
tell() { printf '%s\n' "\$*" >'$talk/$name.says'; }
hear() { read -r REPLY <'$talk/$name.hears'; }
LOCK='$LOCK'
. '$library'
$code
DRIVER
  "$@" bash "$talk/$name.sh" >"$talk/$name.out" 2>"$talk/$name.err" </dev/null 3>&- &
  eval "${name}_pid=$!"
  pids="$pids $!"
}

# expect NAME WORD: the next thing that NAME tells is WORD. Half a minute bounds a test that fails.
expect() {
  local fd=$1_says line
  read -r -t 30 line <&"${!fd}" || fail "$1 said nothing, where '$2' was to come; $(errors "$1")" || return
  [ "$line" = "$2" ] || fail "$1 said '$line', not '$2'; $(errors "$1")"
}

# listen NAME: prints the next thing that NAME tells.
listen() {
  local fd=$1_says line
  read -r -t 30 line <&"${!fd}" || fail "$1 said nothing" || return
  printf '%s\n' "$line"
}

# send NAME WORD: what NAME hears next.
send() {
  local fd=$1_hears
  printf '%s\n' "$2" >&"${!fd}"
}

# ended NAME [STATUS]: waits for NAME, which ends with STATUS (0).
ended() {
  local pid=$1_pid status=0
  wait "${!pid}" || status=$?
  [ "$status" = "${2:-0}" ] || fail "$1 ended with $status, not ${2:-0}; $(errors "$1")"
}

errors() { printf 'its standard error: %s' "$(cat "$BATS_TEST_TMPDIR/talk/$1.err")"; }
err_of() { cat "$BATS_TEST_TMPDIR/talk/$1.err"; }

# hold NAME [LOCK]: a process NAME that has taken LOCK; `send NAME go` lets it release and end.
hold() {
  start "$1" "registry_lock_acquire \"${2:-\$LOCK}\" 10 || exit; tell held; hear
    registry_lock_release \"${2:-\$LOCK}\"" && expect "$1" held
}

# slay NAME: NAME is killed with -9, reaped, and shown to be gone.
slay() {
  local pid=$1_pid
  kill -KILL "${!pid}"
  wait "${!pid}" || :
  gone "${!pid}"
}

# killed_holder NAME [LOCK]: LOCK is held by NAME, which is gone.
killed_holder() { hold "$@" && slay "$1" && is_taken "${2:-$LOCK}"; }

# identity PID: its ID, as procid tells it.
identity() { procid "$1"; }

# gone PID [ID] / alive PID [ID]: the probe says so.
gone() { [ "$(procid "$@")" = gone ] || fail "process $* is not gone: $(procid "$@")"; }
alive() {
  case $(procid "$@") in
    gone | unknown) fail "process $* is not alive: $(procid "$@")" ;;
  esac
}

# forge LOCK NAME [LINE...]: LOCK as if the entry NAME had been written, with LINEs in it.
forge() {
  local lock=$1 entry=$2
  shift 2
  mkdir -- "$lock" && { (($# == 0)) || printf '%s\n' "$@"; } >"$lock/$entry"
}

# entry_of LOCK: the name of its entry.
entry_of() {
  set -- "$1"/*
  printf '%s\n' "${1##*/}"
}

# held_by PID [LOCK]: LOCK's only entry is a holder entry of PID.
held_by() {
  local found
  found=$(ls -A "${2:-$LOCK}")
  case $found in
    *$'\n'* | '') fail "not one entry in ${2:-$LOCK}: '$found'" ;;
    "holder.$1."*) ;;
    *) fail "${2:-$LOCK} is held by $found, not by $1" ;;
  esac
}

is_free() { [ ! -e "${1:-$LOCK}" ] || fail "${1:-$LOCK} is not free: $(ls -A "${1:-$LOCK}")"; }
is_taken() { [ -d "${1:-$LOCK}" ] || fail "${1:-$LOCK} is free"; }

# no_litter [DIR]: nothing lies about in DIR.
no_litter() {
  [ -z "$(ls -A "${1:-$DIR}")" ] || fail "left behind: $(ls -AR "${1:-$DIR}")"
}

# Assertions on what `run` left, and on text.
status_is() { [ "$status" = "$1" ] || fail "status $status, not $1; output: $output"; }
says() { contains "$output" "$1"; }
contains() { [[ $1 == *"$2"* ]] || fail "no '$2' in: $1"; }
lacks() { [[ $1 != *"$2"* ]] || fail "'$2' is in: $1"; }
same() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }
fail() {
  printf '%s\n' "$1" >&2
  return 1
}

# need_root / need_unshare WORD...: skips where the platform has no such thing.
need_root() { [ "$EUID" = 0 ] || skip 'needs root'; }
need_unshare() { unshare "$@" true 2>/dev/null || skip "needs unshare $*"; }
