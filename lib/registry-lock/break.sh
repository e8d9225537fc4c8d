# shellcheck shell=bash
# break.sh: what an operator types instead of rm -r.

# _registry_lock_break_command [--force] LOCK [TOKEN]: see registry_lock_break.
_registry_lock_break_command() {
  local rl_opt_force='' rl_operands rl_taken rl_pid rl_id rl_lock rl_dir rl_name rl_number rl_mine
  local rl_slot rl_status
  _registry_lock_options 'force:f' "$@" || return $?
  ((${#rl_operands[@]} == 1 || ${#rl_operands[@]} == 2)) || {
    _registry_lock_usage 'usage: registry-lock break [--force] LOCK [TOKEN]'
    return $?
  }
  _registry_lock_path "${rl_operands[0]}" || return $?
  _registry_lock_self
  _registry_lock_refuse_twice || return $?
  _registry_lock_begin
  _registry_lock_break_one "${rl_operands[1]-}"
  rl_status=$?
  _registry_lock_discard "$rl_slot"
  _registry_lock_end "$rl_number"
  return "$rl_status"
}

# _registry_lock_break_one [TOKEN]: removes rl_lock if that may be: 0 it is free; 64 the TOKEN is
# missing; 73 the system or what is there does not allow it; 75 it is held.
_registry_lock_break_one() {
  local rl_state rl_entry rl_record rl_kind rl_hpid rl_hid rl_token rl_public rl_host rl_since
  local rl_command rl_verdict rl_why rl_text rl_error='' rl_next rl_stuck='' rl_stranger rl_owner
  local rl_broke='' rl_orphans='' rl_orphan='' rl_blind=''
  _registry_lock_inspect
  case $rl_public/$rl_state/$rl_token in
    free/*) _registry_lock_break_refused '' ;;
    */blocked/* | */closed/* | */foreign/) _registry_lock_break_impossible ;;
    *)
      if [[ -n $1 && $1 != "$rl_token" ]]; then
        _registry_lock_break_refused 'the token given is not that of its holder now'
      elif [[ $rl_public == stale ]]; then
        _registry_lock_break_stale
      else
        _registry_lock_break_held "$1"
      fi
      ;;
  esac
}

# _registry_lock_break_stale: the protocol's break, by hand.
_registry_lock_break_stale() {
  _registry_lock_own_slot || {
    _registry_lock_refuse
    return $?
  }
  _registry_lock_break
  [[ -z $rl_broke ]] || return 0
  rl_error=
  _registry_lock_break_failed
}

# _registry_lock_break_held [TOKEN]: a lock whose holder is not known to be gone needs --force, and
# a TOKEN where it has one.
_registry_lock_break_held() {
  if [[ -z $rl_opt_force ]]; then
    _registry_lock_break_refused 'it is not proven that its work has ended'
    return $?
  fi
  if [[ -z $1 && $rl_state != empty ]]; then
    _registry_lock_break_refused 'to remove it by force, give its token too'
    return 64
  fi
  if _registry_lock_own_slot && _registry_lock_break_by_force; then return 0; fi
  _registry_lock_break_failed
}

# _registry_lock_break_by_force: removes exactly the record that was looked at, whoever lives. Its
# process's slot goes first: an mv of its own that is under way then moves nothing (I5).
_registry_lock_break_by_force() {
  case $rl_state in
    empty) _registry_lock_remove_empty "$rl_lock" || return $? ;;
    beside) _registry_lock_force_beside "$rl_lock.trial.$rl_mine" || return $? ;;
    *) _registry_lock_force_entry "claim.$rl_mine" || return $? ;;
  esac
  _registry_lock_held_text "$rl_lock"
  _registry_lock_say "removed by force; until then: $rl_text"
}

# _registry_lock_force_beside TRIAL: its part for an older script's lock with the record beside it.
_registry_lock_force_beside() {
  _registry_lock_rename "$rl_record" "$1" || return $?
  _registry_lock_old_remove "$1" && return 0
  _registry_lock_note_stuck
  _registry_lock_rename "$1" "$rl_record"
  return 1
}

# _registry_lock_force_entry CLAIM: its part for a lock with one entry. A CLAIM that comes to
# nothing is undone.
_registry_lock_force_entry() {
  [[ -z $rl_hpid ]] ||
    _registry_lock_revoke "$rl_lock.slot.$rl_hpid.$rl_hid" "$rl_slot" "$rl_name" || return $?
  _registry_lock_claim "$rl_lock" "$rl_entry" "$1" || return $?
  _registry_lock_remove "$rl_slot" "$rl_name" "$rl_dir" "$1" && return 0
  _registry_lock_note_stuck
  _registry_lock_claim "$rl_lock" "$1" "$rl_entry"
  return 1
}

# _registry_lock_break_failed: nothing was removed: because it changed hands, or its number was in
# use again for a while, or the system refused (rl_error). Older records all have one name.
_registry_lock_break_failed() {
  local rl_before=$rl_state/$rl_entry/$rl_hpid rl_came='it changed hands just then'
  [[ -n $rl_stuck ]] || _registry_lock_note_stuck
  _registry_lock_inspect
  if [[ -n $rl_stuck && $rl_state/$rl_entry/$rl_hpid == "$rl_before" ]]; then
    rl_error=$rl_stuck
    _registry_lock_refuse
    return $?
  fi
  [[ $rl_public != stale ]] || rl_came='something came between; try again'
  _registry_lock_break_refused "$rl_came"
}

# _registry_lock_own_slot: makes rl_slot, this process's own, where it isn't there.
_registry_lock_own_slot() {
  [[ -d $rl_slot && ! -L $rl_slot ]] || _registry_lock_make_dir "$rl_slot"
}

# _registry_lock_break_refused WHY: shows the holder, and what would remove it; status 75.
_registry_lock_break_refused() {
  local rl_place
  if [[ $rl_public == free ]]; then
    _registry_lock_plain rl_place "$rl_lock"
    _registry_lock_say "$rl_place is free"
    return 0
  fi
  _registry_lock_held_text "$rl_lock"
  _registry_lock_say "not removed, $1: $rl_text"
  _registry_lock_force_command
  _registry_lock_say "to remove it all the same: $rl_next"
  return 75
}

# _registry_lock_break_impossible: what is there is not to be removed by this command; status 73.
_registry_lock_break_impossible() {
  _registry_lock_held_text "$rl_lock"
  _registry_lock_say "not removed: $rl_text. To look: $rl_next"
  return 73
}
