# shellcheck shell=bash
# doctor.sh: finding what is left behind below a folder, and removing what is proven. Three passes
# over files in a folder of its own, so that memory stays flat: find, ask procid once, tell.

# _registry_lock_doctor_command [OPTION...] [DIR...]: see registry_lock_doctor.
_registry_lock_doctor_command() {
  local rl_opt_json='' rl_opt_fix='' rl_opt_empty='' rl_opt_depth='' rl_opt_grace=2 rl_operands rl_taken
  local rl_pid rl_id rl_budget rl_work rl_error rl_progress=0 rl_status
  _registry_lock_options 'json:j fix:F empty:e depth:d= grace:g=' "$@" || return
  _registry_lock_doctor_usage || return
  ((${#rl_operands[@]})) || rl_operands=(.)
  _registry_lock_self
  rl_work=$(\command mktemp -d "${TMPDIR:-/tmp}/registry-lock.XXXXXX") || {
    _registry_lock_say 'doctor needs a folder for its lists, and mktemp made none'
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

# _registry_lock_doctor_usage: checks the options; rl_budget = the grace in milliseconds.
_registry_lock_doctor_usage() {
  _registry_lock_milliseconds "$rl_opt_grace" || return
  case $rl_opt_depth in *[!0123456789]*) _registry_lock_usage '--depth takes a whole number' || return ;; esac
  for rl_taken in ${rl_operands[@]+"${rl_operands[@]}"}; do
    [[ -d $rl_taken ]] && continue
    _registry_lock_plain rl_taken "$rl_taken"
    _registry_lock_usage "$rl_taken is not a directory" || return
  done
  [[ -z $rl_opt_empty || -n $rl_opt_fix ]] || _registry_lock_usage '--empty goes with --fix'
}

# _registry_lock_examine: the passes, over rl_operands. Status as registry_lock_doctor's.
_registry_lock_examine() {
  local rl_dir rl_held=0 rl_stale=0 rl_fixed=0 rl_unknown=0 rl_seen=0 rl_blind=0
  builtin printf '' >"$rl_work/empty"
  for rl_dir in "${rl_operands[@]}"; do
    _registry_lock_find_below "$rl_dir" || rl_blind=1
    _registry_lock_ask_all
    _registry_lock_tell_all <"$rl_work/list" 3<"$rl_work/answers" 4>>"$rl_work/empty"
  done
  _registry_lock_progress end
  [[ ! -s $rl_work/empty ]] || _registry_lock_tell_empty
  _registry_lock_summary
  if ((rl_stale)); then return 2; fi
  ((rl_unknown + rl_blind == 0))
}

# _registry_lock_find_below DIR: what may be of a lock goes to a list, and what procid is to be asked
# about it to another. Status 1 where find could not look everywhere and said so.
_registry_lock_find_below() {
  local rl_path rl_lock rl_depth=() rl_found=0
  _registry_lock_absolute "$1"
  set -- "${rl_lock%/.}"
  [[ -z $rl_opt_depth ]] || rl_depth=(-maxdepth "$((10#$rl_opt_depth + 1))")
  \command find "$1" ${rl_depth[@]+"${rl_depth[@]}"} \( -name holder -o -name pid \
    -o -name 'holder.*' -o -name 'claim.*' -o -name 'trial.*' -o -name '*.holder' \
    -o -name '*.trial.*' -o -type d \( -name '*.slot.*' -o -name '*[lL][oO][cC][kK]*' \) \) \
    -print0 >"$rl_work/found" || rl_found=1
  while IFS= builtin read -r -d '' rl_path; do
    _registry_lock_sort "$rl_path"
    _registry_lock_progress
  done <"$rl_work/found" >"$rl_work/list" 3>"$rl_work/ask"
  return "$rl_found"
}

# _registry_lock_sort PATH: lists what PATH is part of, once: a slot, or a lock by its entry, by an older
# script's record, or as an empty directory. What lies in a slot is the slot's.
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

# _registry_lock_sort_old PATH: lists PATH where it isn't in this library's form.
_registry_lock_sort_old() {
  local rl_lock=$1 rl_state rl_entry rl_record rl_host rl_since rl_command
  case ${1##*/} in
    holder | pid) rl_lock=${1%/*} ;;
    *.trial.*) rl_lock=${1%.trial.*} ;;
    *.holder) rl_lock=${1%.holder} ;;
  esac
  _registry_lock_look "$rl_lock"
  case $rl_state/${1##*/} in
    inside/holder | inside/pid | foreign/holder | beside/*.holder | beside/*.trial.*) ;;
    empty/*) [[ $rl_lock == "$1" ]] || return 0 ;;
    *) return 0 ;;
  esac
  _registry_lock_note lock "$rl_lock"
}

# _registry_lock_note WHAT PATH [PID ID]: a line for the list, and one for procid where it has a say.
_registry_lock_note() {
  local rl_question=
  [[ -z ${4-} || -z $rl_id ]] || rl_question="$3 $4"
  builtin printf '%s\0%s\0%s\0' "$1" "$2" "$rl_question"
  [[ -z $rl_question ]] || builtin printf '%s\n' "$rl_question" >&3
}

# _registry_lock_ask_all: one start of procid for all questions. If it fails there are no answers, and
# each question is asked by itself.
_registry_lock_ask_all() {
  \command "${REGISTRY_LOCK_PROCID:-procid}" --why - <"$rl_work/ask" \
    >"$rl_work/answers" 2>/dev/null || builtin printf '' >"$rl_work/answers"
}

# _registry_lock_tell_all: reads the list and, from descriptor 3, the answers; tells of each, and mends.
_registry_lock_tell_all() {
  local rl_what rl_path rl_known_question rl_known_answer
  while IFS= builtin read -r -d '' rl_what && IFS= builtin read -r -d '' rl_path &&
    IFS= builtin read -r -d '' rl_known_question; do
    rl_known_answer=
    [[ -z $rl_known_question ]] || IFS= builtin read -r rl_known_answer <&3
    ((rl_seen += 1))
    "_registry_lock_tell_$rl_what" "$rl_path"
    _registry_lock_progress
  done
}

# _registry_lock_tell_lock PATH: one lock, whose stale holder is removed with --fix.
_registry_lock_tell_lock() {
  local rl_lock rl_dir rl_name rl_state rl_entry rl_record rl_kind='' rl_hpid rl_hid rl_token='' rl_public
  local rl_host rl_since rl_command rl_verdict rl_why rl_text rl_error='' rl_next rl_because rl_broke=''
  _registry_lock_path "$1" || return 0
  _registry_lock_inspect
  [[ $rl_public != free ]] || return 0
  if [[ $rl_state == empty && -n $rl_opt_empty ]]; then
    _registry_lock_child ls -di -- "$rl_lock"
    builtin printf '%s\0%s\0' "$rl_lock" "$rl_error" >&4
    return 0
  fi
  [[ $rl_public != stale || -z $rl_opt_fix ]] || _registry_lock_mend
  _registry_lock_held_text "$rl_lock"
  _registry_lock_finding lock
}

# _registry_lock_mend: breaks the stale rl_lock by the protocol; rl_public = removed if that was done.
_registry_lock_mend() {
  local rl_number rl_mine rl_slot rl_stuck='' rl_stranger rl_silent=1
  _registry_lock_begin
  if _registry_lock_make_slot "$rl_slot"; then
    _registry_lock_break
    _registry_lock_discard "$rl_slot"
  fi
  _registry_lock_end "$rl_number"
  [[ -z $rl_broke ]] || rl_public=removed
}

# _registry_lock_tell_slot PATH: one slot; that of a gone process is removed with --fix. A slot without
# an identity does not say on which machine its process is.
_registry_lock_tell_slot() {
  local rl_lock=$1 rl_hpid rl_hid rl_wpid rl_wid rl_verdict rl_why rl_public=unknown rl_place rl_text
  local rl_next='' rl_because rl_host='' rl_since='' rl_command='' rl_token='' rl_kind='' rl_error
  _registry_lock_slot_split "$1"
  rl_hpid=$rl_wpid rl_hid=$rl_wid
  _registry_lock_judge "$rl_wpid" "$rl_wid" ''
  _registry_lock_explain "$rl_wpid" "$rl_wid"
  case $rl_verdict in
    alive) rl_public=held ;;
    gone) rl_public=stale rl_next='registry-lock doctor --fix' ;;
  esac
  if [[ $rl_public == stale && -n $rl_opt_fix ]]; then
    _registry_lock_discard "$1"
    [[ -e $1 ]] || rl_public=removed
  fi
  _registry_lock_because
  _registry_lock_plain rl_place "$1"
  rl_text="$rl_place is the slot of process $rl_wpid; $rl_because"
  _registry_lock_finding slot
}

# _registry_lock_tell_empty: after the grace, removes the directories that are the same, still empty and
# without a record; the others are left and counted.
_registry_lock_tell_empty() {
  local rl_lock rl_inode rl_error rl_state rl_entry rl_record rl_kind='' rl_hpid='' rl_hid='' rl_token=''
  local rl_public rl_verdict=unknown rl_why=no-record rl_text rl_because rl_next rl_host rl_since rl_command
  _registry_lock_child sleep "$rl_opt_grace"
  while IFS= builtin read -r -d '' rl_lock && IFS= builtin read -r -d '' rl_inode; do
    rl_public=unknown
    _registry_lock_look "$rl_lock"
    [[ $rl_state != free ]] || continue
    _registry_lock_child ls -di -- "$rl_lock"
    if [[ $rl_state == empty && $rl_error == "$rl_inode" && ! -e $rl_lock.holder &&
      ! $rl_lock -nt $rl_work/empty ]]; then
      ! _registry_lock_remove_empty "$rl_lock" || rl_public=removed
    fi
    _registry_lock_force_command "$rl_lock"
    _registry_lock_held_text "$rl_lock"
    _registry_lock_finding lock
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
  builtin printf 'looked at %d: %d held by live processes, %d stale, %d that can not be told, %d removed\n' \
    "$((rl_held + rl_stale + rl_unknown + rl_fixed))" "$rl_held" "$rl_stale" "$rl_unknown" "$rl_fixed"
}

# _registry_lock_progress [end]: on a terminal, how far it is; "end" clears the line.
_registry_lock_progress() {
  [[ -t 2 ]] || return 0
  if [[ -n ${1-} ]]; then
    builtin printf '\r\033[K' >&2
  elif (((rl_progress += 1) % 500 == 0)); then
    builtin printf '\rregistry-lock: looked at %d ' "$rl_progress" >&2
  fi
}
