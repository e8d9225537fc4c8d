# shellcheck shell=bash
# operands.sh: what a caller names: a lock by its path, and a number of seconds.

# _registry_lock_asked [LOCK [SECONDS]]: what _registry_lock_path and _registry_lock_milliseconds
# make of it.
_registry_lock_asked() {
  (($# == 1 || $# == 2)) || {
    _registry_lock_usage 'usage: registry_lock_acquire LOCK [SECONDS]'
    return $?
  }
  _registry_lock_path "$1" || return $?
  builtin set -- "${2-${REGISTRY_LOCK_SECONDS:-10}}"
  rl_budget=$_registry_lock_budget
  builtin [ "$1/" = "$_registry_lock_budget_of" ] || _registry_lock_milliseconds "$1"
}

# _registry_lock_path LOCK: rl_lock = LOCK made absolute, rl_dir and rl_name its two parts. A later
# cd changes nothing. Status 64 where LOCK names nothing that could be a directory entry.
_registry_lock_path() {
  rl_lock=${1:-/}
  [[ $rl_lock == /*[!/] ]] || _registry_lock_absolute "$rl_lock" || return $?
  rl_name=${rl_lock##*/} rl_dir=${rl_lock%/*}
  case $rl_name in
    '' | . | ..) _registry_lock_usage 'the path must end in a name' ;;
  esac
}

# _registry_lock_absolute PATH: rl_lock = PATH from the root, without a slash at its end.
_registry_lock_absolute() {
  local rl_here=${PWD-}
  rl_lock=$1
  while [[ $rl_lock == ?*/ ]]; do rl_lock=${rl_lock%/}; done
  [[ $rl_lock != /* ]] || return 0
  while [[ $rl_lock == ./?* ]]; do
    rl_lock=${rl_lock#./}
    while [[ $rl_lock == /* ]]; do rl_lock=${rl_lock#/}; done
  done
  [[ $rl_here == /* && $rl_here -ef . ]] || rl_here=$(builtin pwd -P 2>/dev/null) || {
    _registry_lock_say 'the working directory is not there any more; give an absolute path'
    return 73
  }
  rl_lock=${rl_here%/}/$rl_lock
}

# _registry_lock_milliseconds SECONDS: rl_budget = a plain decimal number of seconds in
# milliseconds; it is kept for the next time.
_registry_lock_milliseconds() {
  local rl_whole=${1%%.*} rl_part=
  [[ $1 != *.* ]] || rl_part=${1#*.}
  case $rl_whole$rl_part in
    '' | *[!0123456789]*) rl_whole=x ;;
  esac
  if [[ $rl_whole == x ]] || ((${#rl_whole} > 9)); then
    _registry_lock_plain rl_whole "$1"
    _registry_lock_usage "'$rl_whole' is not a number of seconds such as 10 or 0.5"
    return $?
  fi
  rl_part=${rl_part}000
  rl_budget=$((10#0$rl_whole * 1000 + 10#${rl_part:0:3}))
  _registry_lock_budget=$rl_budget _registry_lock_budget_of=$1/
}
