# shellcheck shell=bash
# helper.bash: what the suites share: real drivers as separate processes, talked to over FIFOs,
# and assertions. Nothing sleeps: `expect` blocks until the other side has said its word.

root=$(cd -- "$BATS_TEST_DIRNAME/.." && pwd -P)
library=${REGISTRY_LOCK_LIB:-$root/lib/registry-lock.sh}
patience=${TEST_PATIENCE:-30} # seconds; bounds a test that fails

# setup of every suite: a folder of its own, procid on PATH, the library in this shell.
setup() {
  unset "${!REGISTRY_LOCK_@}" CDPATH
  outer_path=$PATH PATH=$root/bin:$PATH
  DIR=$BATS_TEST_TMPDIR/dir
  [ -z "${FILESYSTEM_UNDER_TEST-}" ] || DIR=$FILESYSTEM_UNDER_TEST/${BATS_TEST_TMPDIR#"${BATS_RUN_TMPDIR%/*}"/}/dir
  LOCK=$DIR/lock
  mkdir -p -- "$DIR" "$BATS_TEST_TMPDIR/talk"
  cd -- "$DIR" || return
  next_fd=20 pids=
  # shellcheck source=lib/registry-lock.sh
  . "$library"
}

# teardown of every suite: its processes end, and what bats itself does is done with real tools.
teardown() {
  local pid
  PATH=${outer_path:-$PATH}
  for pid in $pids; do kill -CONT "$pid" && kill -KILL "$pid" && wait "$pid"; done 2>/dev/null
  return 0
}

# start NAME CODE [WORD...]: a process NAME that has sourced the library and runs CODE; with WORDs
# these start it (a wrapper such as unshare -p). NAME_pid is its pid, $talk/NAME.err its
# standard error, $talk/NAME.out2 its standard output. In CODE: tell WORD; hear sets REPLY
# (bash sleeps through a signal that it took just before a read, so that none waits for ever, and a
# word may come in two parts);
# stop_at FUNCTION: before its next call, tells "at FUNCTION" and hears a word.
start() {
  local name=$1 code=$2 talk=$BATS_TEST_TMPDIR/talk
  shift 2
  channel "$name" || return
  cat >"$talk/$name.sh" <<DRIVER
tell() { printf '%s\n' "\$*" >'$talk/$name.says'; }
hear() {
  local part=''
  REPLY=
  until read -r -t 1 part <'$talk/$name.hears'; do
    REPLY+=\$part part=''
    [ -p '$talk/$name.hears' ] || return
  done 2>/dev/null
  REPLY+=\$part
}
stop_at() {
  eval "real\$(declare -f "\$1")"
  eval "\$1() { \$1() { real\$1 \"\\\$@\"; }; tell at \$1; hear; real\$1 \"\\\$@\"; }"
}
LOCK='$LOCK'
. '$library'
$code
DRIVER
  "$@" bash "$talk/$name.sh" >"$talk/$name.out" 2>"$talk/$name.err" </dev/null 3>&- &
  eval "${name}_pid=$!"
  pids="$pids $!"
}

# channel NAME: the two FIFOs over which this shell and NAME talk.
channel() {
  local talk=$BATS_TEST_TMPDIR/talk
  mkfifo "$talk/$1.says" "$talk/$1.hears" || return
  eval "exec $next_fd<>'$talk/$1.says' $((next_fd + 1))<>'$talk/$1.hears'"
  eval "${1}_says=$next_fd ${1}_hears=$((next_fd + 1))"
  next_fd=$((next_fd + 2))
}

# failing_mv: an mv in $BATS_TEST_TMPDIR/bin that the system refuses everything.
failing_mv() {
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\necho "mv: cannot move: Input/output error" >&2\nexit 1\n' \
    >"$BATS_TEST_TMPDIR/bin/mv"
  chmod +x "$BATS_TEST_TMPDIR/bin/mv"
}

# stranger_in_the_way: an mv in $BATS_TEST_TMPDIR/bin, first on PATH, that finds a stranger's lock in
# LOCK's place, and moves it; then another is there, so that it can't be put back.
stranger_in_the_way() {
  local mv
  mv=$(command -v mv)
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '%s\n' '#!/bin/sh' "case \$2 in '$LOCK') ;; *) exec $mv \"\$@\" ;; esac" \
    "rm -r '$LOCK'; mkdir '$LOCK'; : >'$LOCK/holder.1.x.1'" \
    "$mv \"\$@\"; mkdir '$LOCK'" >"$BATS_TEST_TMPDIR/bin/mv"
  chmod +x "$BATS_TEST_TMPDIR/bin/mv"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# gate_mv PATTERN [after]: an mv first on PATH that stops once, before (or after) it renames, where
# its arguments match PATTERN: `expect gate at`; `send gate go`; `expect gate "done"`. It hides that
# it was started under a lock, as every process does where the system shows no environments.
gate_mv() {
  local gate=$BATS_TEST_TMPDIR/gate talk=$BATS_TEST_TMPDIR/talk/gate before after
  before="$(command -v mv) \"\$@\"; status=\$?"
  [ -n "${2-}" ] || after=$before before=
  mkdir "$gate" && channel gate && : >"$talk.err"
  cat >"$gate/mv" <<MV
#!/usr/bin/env bash
[ -z "\${REGISTRY_LOCK_TOKENS-}" ] || { unset REGISTRY_LOCK_TOKENS; exec "\$0" "\$@"; }
case "\$*" in $1) mkdir '$gate/used' 2>/dev/null ;; *) false ;; esac || exec $(command -v mv) "\$@"
$before
echo at >'$talk.says'
read -r -t 60 <'$talk.hears'
$after
echo done >'$talk.says'
exit "\$status"
MV
  chmod +x "$gate/mv"
  PATH=$gate:$PATH
}

# expect NAME WORD: the next thing that NAME tells is WORD.
expect() {
  local fd=$1_says line
  read -r -t "$patience" line <&"${!fd}" || fail "$1 said nothing, where '$2' was to come; $(errors "$1")" || return
  [ "$line" = "$2" ] || fail "$1 said '$line', not '$2'; $(errors "$1")"
}

# listen NAME: prints the next thing that NAME tells.
listen() {
  local fd=$1_says line
  read -r -t "$patience" line <&"${!fd}" || fail "$1 said nothing" || return
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
  wait "${!pid}" 2>/dev/null || :
  gone "${!pid}"
}

# killed_holder NAME [LOCK]: LOCK is held by NAME, which is gone.
killed_holder() { hold "$@" && slay "$1" && is_taken "${2:-$LOCK}"; }

# corpse: dead_pid and dead_id are those of a process that was there and is gone.
corpse() {
  start corpse 'tell up; hear' && expect corpse up || return
  dead_pid=$corpse_pid dead_id=$(identity "$corpse_pid")
  slay corpse
}

# dead_lock_at LOCK: LOCK as a process left it that is gone.
dead_lock_at() {
  [ -n "${dead_id-}" ] || corpse || return
  forge "$1" "holder.$dead_pid.$dead_id.1" 'registry-lock 1' "pid $dead_pid" "host $HOSTNAME"
}

# stranger: a live process, stranger_pid and stranger_id, that has taken no lock.
stranger() {
  start stranger 'tell up; hear' && expect stranger up && stranger_id=$(identity "$stranger_pid")
}

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

# need_links: skips where DIR's file system has no symbolic links or FIFOs.
need_links() {
  { ln -s nowhere "${DIR%/*}/link" && mkfifo "${DIR%/*}/fifo"; } 2>/dev/null ||
    skip 'needs a file system with links and FIFOs'
}

# need_owners: skips where DIR's file system keeps no modes, or not who made a thing.
need_owners() {
  local all=${DIR%/*}/all
  [ -d "$all" ] || mkdir -m 777 "$all" || return
  setpriv --reuid=65534 --regid=65534 --clear-groups mkdir -m 711 "$all/own" 2>/dev/null || [ -d "$all/own" ] || return
  [[ $(ls -ldn "$all/own") == drwx--x--x*' 65534 '* ]] || skip 'needs a file system that keeps modes and owners'
}

# in_initial_namespaces: skips where an earlier boot can't be proven: in a container, or on a machine
# without an id and a name of its own.
in_initial_namespaces() {
  [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || skip 'needs the initial pid namespace'
  case $(cat /etc/machine-id 2>/dev/null) in '' | *[!0-9a-f]*) skip 'needs a machine id' ;; esac
  case $(uname -n) in localhost*) skip 'needs a host name' ;; esac
}

# my_pid: prints the pid of the process that calls it in $(…), on any bash.
my_pid() { exec sh -c 'echo "$PPID"'; }

# as_nobody CODE [WORD...]: `run` of CODE in a driver that is an unprivileged user; with WORDs these
# start it.
as_nobody() {
  local code=$1 public=$BATS_TEST_TMPDIR/public dir=$BATS_TEST_TMPDIR
  shift
  need_root
  command -v setpriv >/dev/null || skip 'needs setpriv'
  mkdir -p "$public" && cp -R -- "${library%/*}" "$root/bin/procid" "$public" || return
  chmod -R a+rX "$public"
  while [[ $dir == "$BATS_RUN_TMPDIR"* ]]; do chmod a+x "$dir" && dir=${dir%/*}; done
  [ -z "${FILESYSTEM_UNDER_TEST-}" ] || need_owners || return
  set -- "$@" setpriv --reuid=65534 --regid=65534 --clear-groups bash -c "
    PATH='$public':\$PATH LOCK='$LOCK'; . '$public/lib/${library##*/}' || exit 99; $code"
  run "$@"
  [ "$status" != 99 ] || skip "the temporary directory is closed to other users"
}

# on_tmpfs OPTIONS CODE: `run` of CODE in a driver that sees a tmpfs of its own at $DIR.
on_tmpfs() {
  need_root
  need_unshare -m
  run unshare -m bash -c "mount -t tmpfs -o '$1' none '$DIR' && cd '$DIR' || exit 99
    LOCK='$LOCK'; . '$library'; $2"
  [ "$status" != 99 ] || skip 'needs to mount a tmpfs'
}

# never_pauses: from here on a pause of acquire in this shell ends the test as a failure would.
never_pauses() {
  # shellcheck disable=SC2317 # the library calls it
  _registry_lock_pause() { echo 'PAUSED' && exit 99; }
}

# apart COMMAND...: like `run`, but output is standard output alone, and complaint standard error.
apart() {
  status=0
  output=$("$@" 2>"$BATS_TEST_TMPDIR/apart") || status=$?
  complaint=$(cat "$BATS_TEST_TMPDIR/apart")
}

# next_command: what the last text of status says to type next.
next_command() { printf '%s\n' "$output" | sed -n 's/^  next     //p'; }

# paste LINES: `run` of LINES as people paste them, up to the first that fails; in one shell, for speed.
paste() {
  run bash -c "set -e; . '$library'; registry-lock() { \"registry_lock_\$1\" \"\${@:2}\"; }
$1"
}

# options_of [COMMAND]: the options that registry-lock --help shows, all or those of COMMAND, sorted.
options_of() {
  [ -e "$BATS_TEST_TMPDIR/help" ] || registry-lock --help >"$BATS_TEST_TMPDIR/help"
  sed 's/rm -r//' "$BATS_TEST_TMPDIR/help" |
    awk -v word="${1-}" '/^$|^  [a-z]/ { own = $1 == word } own || word == ""' |
    grep -oE -- '(^|[ [|])--?[A-Za-z][a-z-]*' | tr -d ' [|' | LC_ALL=C sort -u
}

# json FILTER: that part of the output, which is JSON.
json() { printf '%s\n' "$output" | jq -r "$1"; }
need_jq() { command -v jq >/dev/null || skip 'needs jq'; }

# odd_names: the array of names that a careless program stumbles over.
# shellcheck disable=SC2016,SC1003 # they are not to be expanded
odd_names() {
  odd_names=('two "words"' "it's" '$(touch ran)' '`touch ran`;x' 'back\slash${IFS}' $'new\nline\ttab'
    $'esc\e[31m\a' $'nel\xc2\x85' $'no\xffutf\xfe8' 'grün €' '*?[a]' '-n' '--' '#no comment' '~' '!! &' "'" '"' '\'
    ' ' $'end\n' '%s{a,b}=')
}

# listing DIR: all that is below DIR, with modes, owners, sizes, times and inodes.
listing() { find "$1" -exec ls -ldi --time-style=full-iso {} + 2>/dev/null || find "$1" -ls; }

# here COMMAND...: like `run`, but in this very shell.
here() {
  status=0
  "$@" >"$BATS_TEST_TMPDIR/here" 2>&1 || status=$?
  output=$(<"$BATS_TEST_TMPDIR/here")
}
