# shellcheck shell=bash
# doctor-slot.sh: slots of gone processes, and records in their hands whose lock is gone.

# _registry_lock_tell_slot PATH: a slot, or a record that was taken to be judged and whose lock is
# gone; that of a gone process is removed with --fix.
_registry_lock_tell_slot() {
  local rl_lock=$1 rl_hpid rl_hid rl_wpid rl_wid rl_verdict rl_why rl_public=unknown rl_place
  local rl_text rl_entry
  local rl_next='' rl_because rl_host='' rl_since='' rl_command='' rl_token='' rl_kind='' rl_error
  if [[ -d $1 && ! -L $1 ]] && _registry_lock_slot_split "$1"; then
    rl_hpid=$rl_wpid rl_hid=$rl_wid rl_text='the slot' rl_entry=$1
  elif [[ -f $1 ]] && _registry_lock_entry_split "trial.${1##*.trial.}"; then
    rl_token='' rl_text="an older script's record in the hands"
    rl_entry=${1%.trial.*}.slot.$rl_hpid.
  else
    return 0
  fi
  [[ -n $rl_hid ]] || _registry_lock_slot_host "$rl_entry"
  _registry_lock_judge "$rl_hpid" "$rl_hid" "$rl_host"
  if [[ $rl_verdict == gone && -n $rl_opt_fix ]]; then
    rl_known_answer= # as in _registry_lock_mend
    _registry_lock_judge "$rl_hpid" "$rl_hid" "$rl_host"
  fi
  _registry_lock_explain "$rl_hpid" "$rl_hid"
  _registry_lock_because
  _registry_lock_plain rl_place "$1"
  rl_text="$rl_place is $rl_text of process $rl_hpid; $rl_because"
  case $rl_verdict in
    alive) rl_public=held ;;
    gone) _registry_lock_mend_slot ;;
  esac
  _registry_lock_finding slot
}

# _registry_lock_mend_slot: removes rl_lock, the slot of a gone process, with --fix.
_registry_lock_mend_slot() {
  rl_public=stale
  _registry_lock_quote rl_next "${rl_lock%/*}"
  rl_next="registry-lock doctor --fix --depth 1 $rl_next"
  [[ -n $rl_opt_fix ]] && _registry_lock_mend_first || return 0
  _registry_lock_discard "$rl_lock"
  _registry_lock_exists "$rl_lock" || rl_public=removed
}

# _registry_lock_mend_first: what else is of the process of a slot without an identity is mended,
# which only the slot tells the host of. Status 1 where something stays.
_registry_lock_mend_first() {
  local rl_of=${rl_lock%.slot.*} rl_path
  [[ -z $rl_hid ]] || return 0
  for rl_path in "$rl_of".trial."$rl_hpid"..* "$rl_of"/{trial,claim}."$rl_hpid"..*; do
    ! _registry_lock_exists "$rl_path" || _registry_lock_sort "$rl_path"
    ! _registry_lock_exists "$rl_path" || return 1
  done
}

# _registry_lock_slot_host SLOT: rl_host = the host of SLOT's process, rl_hpid, which has no
# identity, where the lock that it wanted to place lies in SLOT.
_registry_lock_slot_host() {
  local rl_since rl_command rl_name=${1##*/}
  builtin set -- "$1/${rl_name%.slot.*}/holder.$rl_hpid.".*
  [[ ! -f $1 ]] || _registry_lock_describe_by "$1"
}
