#!/usr/bin/env bash
# group.sh GROUP DIR: the cases of one group, in this very shell. For run.sh.
# A real process holds DIR/live/lock all the while; the records that are made name it, or nobody,
# and must stay; those named "gone" name a process that is, and may be removed.
# shellcheck disable=SC2154,SC2016 # set by start_others; texts that must not be expanded
root=$PWD group=$1 dir=$2 inputs=0 commands=0 failed=0 keep='' keeps=()
export TMPDIR=$dir/tmp HOME=$dir
. "$root/lib/registry-lock.sh" || exit
. "$root/tests/bad-input/words.sh" || exit

# The live holder and the one that is gone, as the probe says.
start_others() {
  mkdir "$dir/tmp" "$dir/live" "$dir/place"
  mkfifo "$dir/up" "$dir/down"
  bash -c '. "$1/lib/registry-lock.sh" && registry_lock_acquire "$2/live/lock" 5 && echo up >"$2/up" && read -r _ <"$2/down"
    registry_lock_release' holder "$root" "$dir" &
  live=$!
  read -r _ <"$dir/up" && live_id=$(procid "$live")
  bash -c 'echo up >"$1/up" && read -r _ <"$1/down"' other "$dir" &
  gone=$!
  read -r _ <"$dir/up" && gone_id=$(procid "$gone")
  kill -KILL "$gone" && wait "$gone" 2>/dev/null
  [[ $(procid "$gone" "$gone_id") == gone ]] || bad 'the gone process is not gone'
  keep=$dir/live/lock/holder.$live.$live_id.1
  still_held
}

still_held() {
  [[ $(procid "$live" "$live_id") == "$live_id" ]] || bad 'the live holder is not alive'
  [[ -e $keep ]] || { bad 'the live lock was broken' && keep=''; }
}

bad() {
  ((failed += 1))
  printf 'FAIL %s: %s: %s\n' "$group" "$(tr '[:cntrl:]' '?' <<<"${input-}")" "$*"
}

# input NAME: what is tried from now on is called so.
input() {
  [[ -z $keep || -e $keep ]] || still_held
  input=$1
  ((inputs += 1))
  printf '%s\n' "$1" >"$dir/now"
}

# try COMMAND [ARG...]: its status is one of the library's, and what it prints is fit for a terminal,
# no complaint of the shell's, and, from --json, JSON (jq looks at all of it at the end).
try() {
  local status=0 text command="$*"
  ((commands += 1))
  local out=$dir/out.$BASHPID err=$dir/err.$BASHPID
  "$@" >"$out" 2>"$err" </dev/null || status=$?
  case $status in 0 | 1 | 2 | 64 | 73 | 75 | 76) ;; *) bad "$command: status $status: $(cat "$err")" ;; esac
  ! IFS= read -r -d '' text <"$out" || bad "$command: prints a NUL"
  [[ ${2-} != --json ]] || printf '%s' "$text" >>"$dir/json"
  fit "$command" "$text"
  ! IFS= read -r -d '' text <"$err" || bad "$command: prints a NUL"
  fit "$command" "$text"
  [[ $text != *': line '[0-9]* ]] || bad "$command: the shell complains: $text"
  return "$status"
}

fit() { # COMMAND TEXT
  local text=${2//$'\n'/}
  [[ $text != *[[:cntrl:]]* && $text != *$'\xc2'[$'\x80'-$'\x9f']* ]] ||
    bad "$1: prints a control character: $(printf '%q' "$text")"
}

# all_on LOCK: every command about one lock, but the doctor's.
all_on() {
  try registry_lock_status "$1"
  try registry_lock_status --json "$1"
  try registry_lease_verdict "$1"
  try registry_lock_check "$1" && bad "check: $1 is not this process's"
  try registry_lock_release "$1" && bad "release: $1 is not this process's"
  try registry_lock_break "$1"
  try registry_lock_break --force "$1" wrong
  if try registry_lock_acquire "$1" 0; then
    try registry_lock_check "$1" || bad "check: $1 was taken"
    try registry_lock_release "$1" || bad "release: $1 was taken"
  fi
}

# look_at_all DIR: the doctor's commands, over what a group has made.
look_at_all() {
  try registry_lock_doctor "$1"
  try registry_lock_doctor --json "$1"
  try registry_lock_doctor --json --fix "$1"
  try registry_lease_list_of "$1"
}
registry_lease_list_of() { "$root/bin/registry-lock" lease list "$1"; }

# stays PATH: from here on PATH must be there, whatever is done. all_stay asks.
stays() { keeps+=("$input" "$1"); }
all_stay() {
  local i
  for ((i = 0; i < ${#keeps[@]}; i += 2)); do
    input=${keeps[i]}
    [[ -e ${keeps[i + 1]} || -L ${keeps[i + 1]} ]] || bad "it was removed: ${keeps[i + 1]}"
  done
}

# place [WORD]: lock = the path of a new lock in a folder of its own, which has a live one as well.
place() {
  local folder=$dir/place/$inputs
  mkdir "$folder" && lock=$folder/lock
}

# entry GONE-OR-LIVE NAME [CONTENT]: a lock with that entry.
entry() {
  place && mkdir "$lock"
  { printf '%s' "${3-registry-lock 1}" >"$lock/$2"; } 2>/dev/null || bad "the case can't be made: $2"
  [[ $1 == gone ]] || stays "$lock/$2"
  all_on "$lock"
}

. "$root/tests/bad-input/cases.sh" || exit
start_others
cd -- "$dir/place" || exit
"group_$group"
still_held
all_stay
input=end
if [[ -s $dir/json ]] && command -v jq >/dev/null; then
  jq -e 'has("state") and has("verdict")' "$dir/json" >/dev/null 2>"$dir/err" || bad "not JSON: $(cat "$dir/err")"
fi
[[ -z $(find "$dir" -name ran) ]] || bad 'something in the input was run'
echo go >"$dir/down"
printf 'end %d %d %d\n' "$inputs" "$commands" "$failed"
