# shellcheck shell=bash
# doctor.sh: telling what is left behind below a folder, and removing what is proven. Three passes
# over files in a folder of its own, so that memory stays flat: find, ask procid once, tell. What
# is found may be a lock several times over, or none: doctor-find.sh sorts that out on the way.

# _registry_lock_doctor_command [OPTION...] [DIR...]: see registry_lock_doctor.
_registry_lock_doctor_command() {
  local rl_opt_json='' rl_opt_fix='' rl_opt_empty='' rl_opt_depth=999999999 rl_opt_grace=2
  local rl_operands rl_taken rl_pid rl_id rl_budget rl_work rl_error rl_progress=0 rl_status
  local rl_terminal='' rl_myself
  _registry_lock_options 'json:j fix:F empty:e depth:d= grace:g=' "$@" || return $?
  ((${#rl_operands[@]})) || rl_operands=(.)
  _registry_lock_doctor_usage || return $?
  [[ ! -t 2 ]] || rl_terminal=1
  _registry_lock_self_later
  rl_work=$(\command mktemp -d "${TMPDIR:-/tmp}/registry-lock.XXXXXX" 2>&1) || {
    _registry_lock_plain rl_error "${rl_work##*: }"
    _registry_lock_say "doctor needs a folder for its lists, and mktemp made none: $rl_error"
    return 73
  }
  _registry_lock_temp=$rl_work
  _registry_lock_arm
  _registry_lock_examine
  rl_status=$?
  _registry_lock_discard "$rl_work"
  _registry_lock_temp=
  _registry_lock_disarm
  return "$rl_status"
}

# _registry_lock_doctor_usage: checks the options and makes rl_operands absolute.
_registry_lock_doctor_usage() {
  local rl_lock rl_index
  _registry_lock_milliseconds "$rl_opt_grace" || return $?
  case $rl_opt_depth in
    '' | *[!0123456789]* | ??????????*)
      _registry_lock_usage '--depth takes a whole number'
      return $?
      ;;
  esac
  [[ -z $rl_opt_empty || -n $rl_opt_fix ]] ||
    _registry_lock_usage '--empty goes with --fix' || return $?
  for rl_index in "${!rl_operands[@]}"; do
    _registry_lock_absolute "${rl_operands[rl_index]}" || return $?
    rl_lock=${rl_lock%/.}
    if [[ -z ${rl_operands[rl_index]} || ! -d $rl_lock/. ]]; then
      _registry_lock_plain rl_lock "${rl_operands[rl_index]}"
      _registry_lock_usage "$rl_lock is not a directory"
      return $?
    fi
    rl_operands[rl_index]=${rl_lock:-/}
  done
}

# _registry_lock_examine: the passes, over rl_operands. Status as registry_lock_doctor's.
_registry_lock_examine() {
  local rl_dir rl_held=0 rl_stale=0 rl_fixed=0 rl_unknown=0 rl_unseen=0 rl_answers
  builtin printf '' >"$rl_work/empty"
  for rl_dir in "${rl_operands[@]}"; do
    _registry_lock_find_below "$rl_dir"
    _registry_lock_ask_all
    _registry_lock_tell_all "$rl_dir" \
      <"$rl_work/found" 3<"$rl_answers" 4>>"$rl_work/empty" 5<"$rl_work/questions"
  done
  [[ -z $rl_terminal ]] || _registry_lock_progress end
  [[ ! -s $rl_work/empty ]] || _registry_lock_tell_empty
  _registry_lock_summary
  if ((rl_stale)); then return 2; fi
  ((rl_unknown + rl_unseen == 0))
}

# _registry_lock_tell_all DIR: reads the list and, from descriptors 5 and 3, the questions and the
# answers; tells of each, and mends.
_registry_lock_tell_all() {
  local rl_path rl_known_question='' rl_known_answer='' rl_noted='' rl_root=${1%/} rl_lock
  local rl_state rl_entry rl_kind rl_hpid rl_hid rl_token rl_public rl_host rl_since rl_command
  local rl_verdict rl_why rl_text rl_next rl_because rl_orphans rl_orphan rl_blind REPLY
  [[ -z $rl_myself ]] || { builtin read -r -u 5 && builtin read -r -u 3; }
  rl_myself=
  # An assignment before a read makes bash put its environment together again, which costs several
  # times the read. REPLY is what was read as it is; the other two have no blanks to lose.
  while builtin read -r -d ''; do
    rl_path=$REPLY
    builtin read -r -u 5 rl_known_question
    builtin read -r -u 3 rl_known_answer
    if [[ -n $rl_known_question ]]; then
      _registry_lock_tell_usual || _registry_lock_sort "$rl_path"
    else
      _registry_lock_is_full || _registry_lock_sort "$rl_path"
    fi
    [[ -z $rl_terminal ]] || _registry_lock_progress
  done
}

# _registry_lock_tell_lock PATH [INODE]: one lock, whose stale holder is removed with --fix. An
# empty one is noted for a second look with --empty; that look has its INODE.
_registry_lock_tell_lock() {
  local rl_lock=$1 rl_dir=${1%/*} rl_name=${1##*/} rl_state rl_entry rl_record rl_kind rl_hid
  local rl_hpid rl_token rl_public rl_host rl_since rl_command rl_verdict rl_why rl_text rl_error=
  local rl_next rl_because rl_broke='' rl_stuck='' rl_orphans='' rl_orphan='' rl_blind=''
  _registry_lock_inspect
  [[ $rl_public != stale || -z $rl_opt_fix ]] || _registry_lock_mend
  [[ $rl_public != free ]] || return 0
  if [[ $rl_state == empty && -n $rl_opt_empty ]]; then
    _registry_lock_child ls -di -- "$rl_lock"
    if [[ -z ${2-} ]]; then
      builtin printf '%s\0%s\0' "$rl_lock" "$rl_error" >&4
      return 0
    fi
    [[ $rl_error != "$2" ]] || _registry_lock_mend_empty
  fi
  _registry_lock_held_text "$rl_lock"
  _registry_lock_finding lock
}

# _registry_lock_mend: breaks the stale rl_lock by the protocol; rl_public = removed if that was
# done, and what it is now where it changed hands. Procid is asked again, by itself: an answer out
# of many is one by its place among them, which is enough to report and not to remove.
_registry_lock_mend() {
  local rl_number rl_mine rl_slot rl_stranger rl_silent=1
  rl_known_answer=
  _registry_lock_inspect
  [[ $rl_public == stale ]] || return 0
  _registry_lock_begin
  if _registry_lock_own_slot; then
    _registry_lock_break
    _registry_lock_discard "$rl_slot"
  else
    _registry_lock_plain rl_stuck "${rl_error##*: }"
  fi
  _registry_lock_end "$rl_number"
  if [[ -n $rl_broke ]]; then
    rl_public=removed
  elif [[ -z $rl_stuck ]]; then
    _registry_lock_inspect
  fi
}

# _registry_lock_mend_empty: removes rl_lock, which is the directory of the first look, if nothing
# was in it since and no record lies beside it.
_registry_lock_mend_empty() {
  ! _registry_lock_exists "$rl_lock.holder" && [[ ! $rl_lock -nt $rl_work/empty ]] &&
    _registry_lock_remove_empty "$rl_lock" && rl_public=removed
}

# _registry_lock_tell_empty: the second look at empty directories, after the grace.
_registry_lock_tell_empty() {
  local rl_path rl_inode
  _registry_lock_child sleep "$rl_opt_grace"
  while IFS= builtin read -r -d '' rl_path && IFS= builtin read -r -d '' rl_inode; do
    _registry_lock_tell_lock "$rl_path" "$rl_inode"
  done <"$rl_work/empty"
}

# _registry_lock_finding KIND: counts and prints one finding: rl_public, rl_text, rl_next.
_registry_lock_finding() {
  case $rl_public in
    removed) ((rl_fixed += 1)) ;;
    stale) ((rl_stale += 1)) ;;
    unknown) ((rl_unknown += 1)) ;;
    *) ((rl_held += 1)) ;;
  esac
  [[ $rl_public != removed ]] || rl_next=
  if [[ -n $rl_opt_json ]]; then
    _registry_lock_json_finding "$1"
  elif [[ $rl_public != held || $1 != slot ]]; then
    builtin printf '%-8s %s\n' "$rl_public" "$rl_text"
    [[ $rl_public == held || -z $rl_next ]] || builtin printf '         %s\n' "$rl_next"
  fi
}

# _registry_lock_summary: the last line, for people.
_registry_lock_summary() {
  [[ -z $rl_opt_json ]] || return 0
  builtin printf 'looked at %d: %d held by live processes, %d stale, ' \
    "$((rl_held + rl_stale + rl_unknown + rl_fixed))" "$rl_held" "$rl_stale"
  builtin printf '%d that can not be told, %d removed\n' "$rl_unknown" "$rl_fixed"
}

# _registry_lock_progress [end]: on a terminal, how far it is; "end" clears the line.
_registry_lock_progress() {
  if [[ -n ${1-} ]]; then
    builtin printf '\r\033[K' >&2
  elif (((rl_progress += 1) % 500 == 0)); then
    builtin printf '\rregistry-lock: looked at %d ' "$rl_progress" >&2
  fi
}
