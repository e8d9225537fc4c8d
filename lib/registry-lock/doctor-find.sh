# shellcheck shell=bash
# doctor-find.sh: what may be of a lock below a folder, in lists for doctor.sh, and procid's answers
# about all of it.

# _registry_lock_find_below DIR: what may be of a lock goes to a list, and what procid is to be
# asked about it to another. Links are not followed but where DIR is one.
_registry_lock_find_below() {
  local rl_path rl_root=${1%/} rl_noted='' rl_found=0
  rl_questions=0
  LC_ALL=C \command find -H "$1" -maxdepth $((10#$rl_opt_depth + 1)) \( -name holder -o -name pid \
    -o -name 'holder.*' -o -name 'claim.*' -o -name 'trial.*' -o -name '*.holder' \
    -o -name '*.trial.*' -o -type d \( -name '*.slot.*' -o -name '*[lL][oO][cC][kK]*' \) \) \
    -print0 >"$rl_work/found" 2>"$rl_work/errors" || rl_found=$?
  ((rl_found == 0)) || _registry_lock_count_blind <"$rl_work/errors"
  while IFS= builtin read -r -d '' rl_path; do
    _registry_lock_sort "$rl_path"
    _registry_lock_progress
  done <"$rl_work/found" >"$rl_work/list" 3>"$rl_work/ask"
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

# _registry_lock_sort PATH: lists what PATH is part of, once: a slot, or a lock by its entry, by an
# older script's record, or as an empty directory. What lies in a slot is the slot's.
_registry_lock_sort() {
  local rl_above=${1%/*} rl_wpid rl_wid rl_kind rl_hpid rl_hid rl_token
  if [[ $1 == *.slot.*/* ]] && _registry_lock_in_slot "$rl_above"; then
    return 0
  elif _registry_lock_slot_split "$1"; then
    _registry_lock_note slot "$1" "$rl_wpid" "$rl_wid"
  elif _registry_lock_entry_split "${1##*/}"; then
    _registry_lock_note lock "$rl_above" "$rl_hpid" "$rl_hid"
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
    inside/holder | foreign/holder | foreign/*.*) [[ $rl_entry == "$rl_base" ]] || return 0 ;;
    */*.trial.*)
      _registry_lock_entry_split "trial.${1##*.trial.}" || return 0
      _registry_lock_note slot "$1" "$rl_hpid" "$rl_hid"
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

# _registry_lock_note WHAT PATH [PID ID]: a line for the list, and one for procid where it has a
# say; once, and no deeper than was asked for.
_registry_lock_note() {
  local rl_question='' rl_below=${2#"$rl_root"}
  rl_below=${rl_below//[!\/]/}
  [[ -n $2 && $1$2 != "$rl_noted" ]] && ((${#rl_below} <= 10#$rl_opt_depth)) || return 0
  rl_noted=$1$2
  [[ -z ${4-} || -z $rl_id ]] || rl_question="$3 $4"
  builtin printf '%s\0%s\0%s\0' "$1" "$2" "$rl_question"
  [[ -n $rl_question ]] || return 0
  builtin printf '%s\n' "$rl_question" >&3
  ((rl_questions += 1))
}

# _registry_lock_ask_all: one start of procid for all questions. Without an answer to each of them,
# and a procid that ended with 0, there are no answers, and each question is asked by itself.
_registry_lock_ask_all() {
  builtin printf '' >"$rl_work/answers"
  ((rl_questions)) || return 0
  (_registry_lock_ask_in_bulk) >"$rl_work/answers" 2>/dev/null ||
    builtin printf '' >"$rl_work/answers"
}

# _registry_lock_ask_in_bulk: prints the answers, which may come 5 seconds apart, and not more or
# longer ones than there can be; for a subshell, as is _registry_lock_ask_bounded.
_registry_lock_ask_in_bulk() {
  local rl_line='' rl_answers=0
  builtin eval 'while ((rl_answers <= rl_questions)) && IFS= builtin read -r -n 999 -t 5 rl_line &&
    [[ $rl_line != "ended "* ]]; do
    builtin printf "%s\n" "$rl_line"
    ((rl_answers += 1))
  done < <(
    \command "${REGISTRY_LOCK_PROCID:-procid}" --why - <"$rl_work/ask"
    builtin printf "ended %s\n" "$?")'
  [[ $rl_line == 'ended 0' ]] && ((rl_answers == rl_questions))
}
