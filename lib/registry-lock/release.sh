# shellcheck shell=bash
# release.sh: giving locks back, and asking whether they are still held.

# _registry_lock_find: rl_index = this process's acquisition of rl_lock, by this or another name of
# the same directory; status 76 where there is none.
_registry_lock_find() {
  for rl_index in "${!_registry_lock_locks[@]}"; do
    [[ ${_registry_lock_states[rl_index]} == held ]] || continue
    [[ ${_registry_lock_locks[rl_index]} != "$rl_lock" &&
      ! -e $rl_lock/holder.${_registry_lock_tokens[rl_index]} ]] || return 0
  done
  return 76
}

# _registry_lock_kept_slot LOCK: rl_index = this process's last acquisition of LOCK, whose slot was
# kept.
_registry_lock_kept_slot() {
  for rl_index in "${!_registry_lock_locks[@]}"; do
    [[ ${_registry_lock_locks[rl_index]} != "$1" ||
      ${_registry_lock_states[rl_index]} != released ]] || return 0
  done
  return 1
}

# _registry_lock_check LOCK: see registry_lock_check.
_registry_lock_check() {
  local rl_lock rl_dir rl_name rl_pid rl_id rl_index rl_stranger=
  (($# == 1)) || {
    _registry_lock_usage 'usage: registry_lock_check LOCK'
    return $?
  }
  _registry_lock_path "$1" || return $?
  _registry_lock_self
  _registry_lock_find || return $?
  [[ ! -e $rl_lock/holder.${_registry_lock_tokens[rl_index]} ]] || return 0
  _registry_lock_say_lost "$rl_lock"
  return 76
}

# _registry_lock_release [LOCK]: see registry_lock_release.
_registry_lock_release() {
  local rl_lock rl_dir rl_name rl_pid rl_id rl_index
  (($# == 1)) || {
    _registry_lock_release_many "$@"
    return $?
  }
  _registry_lock_path "$1" || return $?
  _registry_lock_self
  rl_index=$_registry_lock_count
  builtin [ "${_registry_lock_states[rl_index]-}" = held ] &&
    builtin [ "${_registry_lock_locks[rl_index]}" = "$rl_lock" ] || _registry_lock_find || return $?
  _registry_lock_give_back "$rl_index"
}

# _registry_lock_release_many [ARG...]: the same without LOCK.
_registry_lock_release_many() {
  (($# == 0)) || {
    _registry_lock_usage 'usage: registry_lock_release [LOCK]'
    return $?
  }
  _registry_lock_release_all
}

# _registry_lock_release_all: everything this process holds or waits for, last taken first. Ends
# with the last status that is not 0. What a write was about to put in place goes before the locks
# do: its mv may outlive the shell, and must not land on a later owner's file (I5).
_registry_lock_release_all() {
  local rl_pid rl_id rl_index rl_held='' rl_status=0 rl_error rl_all=1
  _registry_lock_self
  [[ -z $_registry_lock_temp ]] || _registry_lock_discard "$_registry_lock_temp"
  for rl_index in "${!_registry_lock_states[@]}"; do rl_held="$rl_index $rl_held"; done
  for rl_index in $rl_held; do
    [[ -n ${_registry_lock_states[rl_index]-} ]] || continue # gone with another
    "_registry_lock_drop_${_registry_lock_states[rl_index]}" "$rl_index" || rl_status=$?
  done
  return "$rl_status"
}

# _registry_lock_drop_pending NUMBER: stops an acquisition, wherever a signal found it. An mv that
# may still be under way finds its source moved, or has placed the lock.
_registry_lock_drop_pending() {
  local rl_slot=${_registry_lock_slots[$1]} rl_lock=${_registry_lock_locks[$1]}
  if [[ $_registry_lock_busy == "$rl_slot" ]] &&
    _registry_lock_exists "$rl_slot/${rl_lock##*/}"; then
    _registry_lock_set_aside "$rl_slot" "$rl_slot/${rl_lock##*/}"
  fi
  _registry_lock_busy=
  if [[ -e $rl_lock/holder.${_registry_lock_tokens[$1]} ]]; then
    _registry_lock_give_back "$1"
  else
    _registry_lock_discard "$rl_slot"
    _registry_lock_end "$1"
  fi
}

# _registry_lock_drop_held NUMBER: releases. Where an mv of an earlier release may still be under
# way, it is that release; without the slot it can't land on a later owner, and what it leaves is
# the lock of a gone process (I5).
_registry_lock_drop_held() {
  [[ $_registry_lock_busy == "${_registry_lock_slots[$1]}" ]] || {
    _registry_lock_give_back "$1"
    return $?
  }
  _registry_lock_discard "${_registry_lock_slots[$1]}"
  _registry_lock_end "$1"
}

# _registry_lock_drop_released NUMBER: only its slot was still to go. A look at the EXIT trap by way
# of the slot costs no process.
_registry_lock_drop_released() {
  local rl_shown=''
  _registry_lock_note_trap "${_registry_lock_slots[$1]}/${_registry_lock_locks[$1]##*/}.trap"
  _registry_lock_discard "${_registry_lock_slots[$1]}"
  _registry_lock_end "$1" "$rl_shown"
}

# _registry_lock_give_back NUMBER: releases one lock. 73: the system refused, and it is still held.
_registry_lock_give_back() {
  local rl_lock=${_registry_lock_locks[$1]} rl_slot=${_registry_lock_slots[$1]}
  local rl_name=${_registry_lock_locks[$1]##*/} rl_stranger rl_error
  _registry_lock_take_back "$rl_slot" "$rl_name" "${rl_lock%/*}" \
    "holder.${_registry_lock_tokens[$1]}" || {
    _registry_lock_bytes _registry_lock_not_back "$1" "$?"
    return $?
  }
  _registry_lock_states[$1]=released
  _registry_lock_busy=
  _registry_lock_wake "$rl_slot" "$rl_lock" "$rl_name"
  _registry_lock_keep "$1" || _registry_lock_drop_released "$1"
}

# _registry_lock_not_back NUMBER STATUS: says why, and forgets what is lost.
_registry_lock_not_back() {
  local rl_owner
  _registry_lock_busy=
  if (($2 == 73)); then
    rl_stranger=$rl_error
    _registry_lock_owner_of "${rl_lock%/*}"
    rl_error=$rl_stranger
    _registry_lock_say_refused "$rl_lock" "${rl_lock%/*}"
    return 73
  fi
  _registry_lock_say_lost "$rl_lock"
  # A stranger's lock that could not be put back lies in the slot, and the message says so.
  [[ ${rl_stranger-} == "$rl_slot"/* ]] || _registry_lock_discard "$rl_slot"
  _registry_lock_end "$1"
  return 76
}

# _registry_lock_keep NUMBER: the slot of a lock that comes again and again stays for its next
# acquisition, and the EXIT trap with it: from the second release on, of the last four locks. Every
# 64th time it goes, with the old entries in it.
_registry_lock_keep() {
  [[ -z ${rl_all-} ]] || return 1
  _registry_lock_is_recent || {
    _registry_lock_remember "$(($1 % 4))"
    return 1
  }
  (($1 % 64)) && [[ -e $rl_slot/holder.${_registry_lock_tokens[$1]} ]] || return 1
  _registry_lock_carry_no_more "${_registry_lock_tokens[$1]}"
}

# _registry_lock_is_recent: rl_lock is one of the last four that were released.
_registry_lock_is_recent() {
  local rl_recent
  for rl_recent in "${_registry_lock_recent[@]-}"; do
    builtin [ "$rl_recent" != "$rl_lock" ] || return 0
  done
  return 1
}

# _registry_lock_remember PLACE: rl_lock is one of the last four; the kept slot of the one that it
# follows goes.
_registry_lock_remember() {
  local rl_index
  if _registry_lock_kept_slot "${_registry_lock_recent[$1]-}"; then
    _registry_lock_drop_released "$rl_index"
  fi
  _registry_lock_recent[$1]=$rl_lock
}
