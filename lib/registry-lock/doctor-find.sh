# shellcheck shell=bash
# doctor-find.sh: what may be of a lock below a folder, and what of it is one.

# _registry_lock_find_below DIR: what may be of a lock goes to a list. Links are not followed but
# where DIR is one.
_registry_lock_find_below() {
  local rl_found=0
  LC_ALL=C \command find -H "$1" -maxdepth $((10#$rl_opt_depth + 1)) \( -name holder -o -name pid \
    -o -name 'holder.*' -o -name 'claim.*' -o -name 'trial.*' -o -name '*.holder' \
    -o -name '*.trial.*' -o -type d \( -name '*.slot.*' -o -name '*[lL][oO][cC][kK]*' \) \) \
    -print0 >"$rl_work/found" 2>"$rl_work/errors" || rl_found=$?
  ((rl_found == 0)) || _registry_lock_count_blind <"$rl_work/errors"
}

# _registry_lock_count_blind: where find could not look, from what it says of it. What went away
# meanwhile is nothing to look at.
_registry_lock_count_blind() {
  local rl_line rl_first='' rl_lines=0 rl_here=0
  while IFS= builtin read -r rl_line; do
    ((rl_lines += 1))
    [[ $rl_line != *': No such file or directory' ]] || continue
    ((rl_here += 1))
    [[ -n $rl_first ]] || _registry_lock_plain rl_first "$rl_line"
  done
  ((rl_here || rl_lines == 0)) || return 0
  ((rl_unseen += 1))
  rl_first="(complaints: $rl_here): ${rl_first:-find failed}"
  _registry_lock_say "doctor could not look everywhere $rl_first"
}

# _registry_lock_is_full: rl_path is a directory that is only called like a lock, and something is
# in it, which is found by itself if it is of a lock.
_registry_lock_is_full() {
  case ${rl_path##*/} in
    holder | pid | *.holder | *.slot.* | *.trial.* | holder.* | claim.* | trial.*) return 1 ;;
  esac
  builtin set -- "$rl_path"/*
  [[ -e $1 ]]
}

# _registry_lock_sort PATH: tells of what PATH is part of, once: a slot, or a lock by its entry, by
# an older script's record, or as an empty directory. What lies in a slot is the slot's.
_registry_lock_sort() {
  local rl_above=${1%/*} rl_base=${1##*/} rl_wpid rl_wid
  if [[ $1 == *.slot.*/* ]] && _registry_lock_in_slot "$rl_above"; then
    return 0
  elif [[ $rl_base == *.slot.* ]] && _registry_lock_slot_split "$1"; then
    _registry_lock_note slot "$1"
  elif _registry_lock_entry_split "$rl_base"; then
    _registry_lock_note lock "$rl_above"
  else
    _registry_lock_sort_old "$1"
  fi
}

# _registry_lock_in_slot PATH: PATH, or a folder above it, is a slot.
_registry_lock_in_slot() {
  local rl_path=$1
  while [[ $rl_path == *.slot.* ]]; do
    ! _registry_lock_slot_split "$rl_path" || return 0
    [[ $rl_path == */* ]] || return 1
    rl_path=${rl_path%/*}
  done
  return 1
}

# _registry_lock_sort_old PATH: lists PATH where it isn't in this library's form. A pid file alone
# in a directory is a lock only where the directory is called so, since daemons have such too.
_registry_lock_sort_old() {
  local rl_lock=$1 rl_base=${1##*/} rl_state rl_entry rl_record rl_host rl_since rl_command
  case $rl_base in
    holder | pid | holder.[0-9]*.*.[0-9]* | claim.[0-9]*.*.[0-9]*) rl_lock=${1%/*} ;;
    *.trial.*) rl_lock=${1%.trial.*} ;;
    *.holder) rl_lock=${1%.holder} ;;
  esac
  _registry_lock_look "$rl_lock"
  case $rl_state/$rl_base in
    beside/*.holder | beside/*.trial.*) ;;
    empty/*) [[ $rl_lock == "$1" ]] && _registry_lock_called_so "$1" || return 0 ;;
    inside/pid | foreign/pid)
      [[ $rl_entry == pid ]] && _registry_lock_called_so "$rl_lock" || return 0
      ;;
    inside/holder | foreign/holder | foreign/holder.*.* | foreign/claim.*.*)
      [[ $rl_entry == "$rl_base" ]] || return 0
      ;;
    */*.trial.*)
      _registry_lock_entry_split "trial.${1##*.trial.}" || return 0
      _registry_lock_note slot "$1"
      return 0
      ;;
    *) return 0 ;;
  esac
  _registry_lock_note lock "$rl_lock"
}

# _registry_lock_called_so PATH: its name has the word lock in it, and neither block nor clock.
_registry_lock_called_so() {
  case ${1##*/} in
    *[bBcC][lL][oO][cC][kK]*) return 1 ;;
    *[lL][oO][cC][kK]*) return 0 ;;
  esac
  return 1
}

# _registry_lock_note WHAT PATH: tells of PATH; once, and no deeper than was asked for.
_registry_lock_note() {
  local rl_below
  [[ -n $2 && $1$2 != "$rl_noted" ]] || return 0
  if [[ $rl_opt_depth != 999999999 ]]; then
    rl_below=${2#"$rl_root"} rl_below=${rl_below//[!\/]/}
    ((${#rl_below} <= 10#$rl_opt_depth)) || return 0
  fi
  rl_noted=$1$2
  "_registry_lock_tell_$1" "$2"
}
