# shellcheck shell=bash
# acquire.sh: taking a lock: what is known and recorded, and the way to the place.

# _registry_lock_acquire LOCK [SECONDS]: see registry_lock_acquire.
_registry_lock_acquire() {
  local rl_lock rl_dir rl_name rl_pid rl_id rl_number rl_slot rl_mine rl_budget rl_kept rl_index
  local rl_status rl_error
  [[ -z ${REGISTRY_LOCK_TENANT-} ]] || _registry_lock_tenant || return $?
  _registry_lock_asked "$@" || return $?
  _registry_lock_self
  _registry_lock_known || return $?
  _registry_lock_begin
  _registry_lock_take && {
    _registry_lock_carry "$rl_mine"
    return 0
  }
  rl_status=$?
  _registry_lock_discard "$rl_slot"
  _registry_lock_end "$rl_number"
  return "$rl_status"
}

# _registry_lock_known: what this process knows of rl_lock: rl_kept = the number of its last
# acquisition, if its slot was kept; there is no other where that one is all it has. Refuses what it
# holds.
_registry_lock_known() {
  rl_kept=$_registry_lock_count
  ((${#_registry_lock_locks[@]} != 1)) ||
    builtin [ "${_registry_lock_states[rl_kept]-}" != released ] ||
    builtin [ "${_registry_lock_locks[rl_kept]}" != "$rl_lock" ] || return 0
  _registry_lock_known_of_many
}

# _registry_lock_known_of_many: the same, whatever it has. Refuses a place inside a lock, too, which
# no slot of its own is beside.
_registry_lock_known_of_many() {
  rl_kept=
  _registry_lock_refuse_twice || return $?
  _registry_lock_kept_slot "$rl_lock" || {
    _registry_lock_refuse_inside
    return $?
  }
  rl_kept=$rl_index
}

# _registry_lock_refuse_twice: this very process holds rl_lock already, by this or another name of
# the path: waiting would be for ever. What it lost is no hindrance.
_registry_lock_refuse_twice() {
  local rl_stranger rl_place
  _registry_lock_find || return 0
  if [[ -e $rl_lock/holder.${_registry_lock_tokens[rl_index]} ]]; then
    _registry_lock_plain rl_place "$rl_lock"
    _registry_lock_usage \
      "$rl_place is held by this very process (pid $rl_pid) already; release it first"
    return $?
  fi
  rl_stranger=''
  _registry_lock_say_lost "$rl_lock"
  _registry_lock_end "$rl_index"
}

# _registry_lock_refuse_inside: rl_dir is a lock itself, whose release would take rl_lock along
# (I1).
_registry_lock_refuse_inside() {
  local rl_kind rl_hpid rl_hid rl_token rl_place
  builtin set -- "$rl_dir"/holder.*
  [[ -f $1 ]] && _registry_lock_entry_split "${1##*/}" || return 0
  _registry_lock_plain rl_place "$rl_dir"
  _registry_lock_usage "$rl_place is a lock itself: no lock can be made inside it"
}

# _registry_lock_begin: records an acquisition before anything on disk shows it, so that leaving the
# shell at any point finds it, and lays the EXIT trap. rl_kept is the number of the last one of the
# same lock, where its slot was kept.
_registry_lock_begin() {
  rl_number=$((_registry_lock_count += 1))
  rl_mine=$rl_pid.$rl_id.$rl_number
  rl_slot=$rl_lock.slot.$rl_pid.$rl_id
  _registry_lock_record pending
  if [[ -z ${rl_kept-} ]]; then
    _registry_lock_arm
  else
    _registry_lock_unset "$rl_kept"
    _registry_lock_arm_again "$rl_slot/$rl_name.trap"
  fi
}

# _registry_lock_record STATE: what there is to be released.
_registry_lock_record() {
  _registry_lock_locks[rl_number]=$rl_lock _registry_lock_slots[rl_number]=$rl_slot
  _registry_lock_tokens[rl_number]=$rl_mine _registry_lock_states[rl_number]=$1
}

# _registry_lock_carry TOKEN: what this process starts from now on carries TOKEN in its environment.
_registry_lock_carry() {
  builtin export REGISTRY_LOCK_TOKENS="${REGISTRY_LOCK_TOKENS:+$REGISTRY_LOCK_TOKENS }$1"
}

# _registry_lock_carry_no_more TOKEN: the opposite; what was there before stays.
_registry_lock_carry_no_more() {
  if builtin [ "${REGISTRY_LOCK_TOKENS-}" = "$1" ]; then
    builtin unset REGISTRY_LOCK_TOKENS
  else
    _registry_lock_carry_others "$1"
  fi
}

# _registry_lock_carry_others TOKEN: the same, where it is not the only one.
_registry_lock_carry_others() {
  local rl_tokens
  rl_tokens=" ${REGISTRY_LOCK_TOKENS-} "
  [[ $rl_tokens == *" $1 "* ]] || return 0
  rl_tokens=${rl_tokens/" $1 "/ } rl_tokens=${rl_tokens# }
  REGISTRY_LOCK_TOKENS=${rl_tokens% }
}

# _registry_lock_end NUMBER [SHOWN]: forgets an acquisition. SHOWN is as in _registry_lock_disarm.
_registry_lock_end() {
  _registry_lock_carry_no_more "${_registry_lock_tokens[$1]}"
  _registry_lock_unset "$1"
  _registry_lock_disarm "${2-}"
}

# _registry_lock_unset NUMBER: its record, and nothing else.
_registry_lock_unset() {
  builtin unset "_registry_lock_locks[$1]" "_registry_lock_slots[$1]" \
    "_registry_lock_tokens[$1]" "_registry_lock_states[$1]"
}

# _registry_lock_take: places the lock and records it as held, or ends with the status of acquire.
# The slot comes first: a place that can't be written to is no contention and is said at once.
_registry_lock_take() {
  local rl_behind=''
  _registry_lock_make || return $?
  _registry_lock_gives_way || [[ -e $rl_lock ]] ||
    ! _registry_lock_place "$rl_slot" "$rl_name" "$rl_dir" "holder.$rl_mine" ||
    [[ ${_registry_lock_states[rl_number]-} != pending ]] || {
    _registry_lock_states[rl_number]=held
    return 0
  }
  _registry_lock_take_in_turn
}

# _registry_lock_take_in_turn: the same, where somebody has it. After a wait the record is made
# again, and the EXIT trap laid: a trap of the caller's may have released everything, and set
# another.
_registry_lock_take_in_turn() {
  _registry_lock_bytes _registry_lock_contend || return $?
  _registry_lock_queue_leave "$rl_slot/$rl_name"
  _registry_lock_record held
  _registry_lock_arm_again "$rl_slot/$rl_name.trap"
}

# _registry_lock_make: prepares what is to be placed; 73 where that can't be.
_registry_lock_make() {
  local rl_utc rl_text
  _registry_lock_utc
  [[ -n ${rl_kept-} ]] &&
    _registry_lock_renew "$rl_slot" "$rl_name" "holder.$rl_mine" "$rl_utc" ||
    _registry_lock_prepare "$rl_slot" "$rl_name" "holder.$rl_mine" "$rl_utc" ||
    _registry_lock_refuse
}

# _registry_lock_refuse: says why the lock can't be made or removed here, and who has it if somebody
# does; status 73.
_registry_lock_refuse() {
  local rl_refusal=$rl_error
  _registry_lock_owner_of "$rl_dir"
  rl_error=$rl_refusal
  _registry_lock_say_refused "$rl_lock" "${rl_dir:-/}"
  _registry_lock_look "$rl_lock"
  [[ $rl_state == free || $rl_state == blocked ]] && return 73
  _registry_lock_tell
  _registry_lock_held_text "$rl_lock"
  _registry_lock_say "$rl_text"
  return 73
}

# _registry_lock_blocked: a file or a link has the lock's name.
_registry_lock_blocked() {
  rl_error='a file or a link has that name, and no lock does'
  _registry_lock_refuse
}

# _registry_lock_torn: what was to be placed has left the slot, and an empty directory has its name.
# It is assumed to be the same one, and removed while it is empty.
_registry_lock_torn() {
  _registry_lock_remove_empty "$rl_lock"
  rl_error="this file system loses what is in a directory that is renamed; it can hold no lock"
  _registry_lock_refuse
}

# _registry_lock_missed: the path was free, and placing did nothing. Somebody was quicker, or the
# slot is gone, or the system refuses: that, when it happened ten times with the path still free.
_registry_lock_missed() {
  local rl_refusal=$rl_error
  _registry_lock_look "$rl_lock"
  [[ -d $rl_slot/$rl_name ]] || _registry_lock_make || return $?
  if [[ $rl_state != free ]]; then
    rl_misses=0
  elif (((rl_misses += 1) < 10)); then
    _registry_lock_nap
  else
    rl_error=$rl_refusal
    _registry_lock_refuse
  fi
}
