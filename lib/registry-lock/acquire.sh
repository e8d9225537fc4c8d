# shellcheck shell=bash
# acquire.sh: taking a lock: what is asked for, what is recorded, and the way to the place.

# _registry_lock_acquire LOCK [SECONDS]: see registry_lock_acquire.
_registry_lock_acquire() {
  local rl_lock rl_dir rl_name rl_pid rl_id rl_budget rl_number rl_slot rl_mine rl_status rl_error
  local rl_kept='' rl_index
  (($# == 1 || $# == 2)) || {
    _registry_lock_usage 'usage: registry_lock_acquire LOCK [SECONDS]'
    return $?
  }
  _registry_lock_path "$1" || return $?
  _registry_lock_milliseconds "${2-${REGISTRY_LOCK_SECONDS:-10}}" || return $?
  _registry_lock_self
  _registry_lock_refuse_twice && _registry_lock_refuse_inside || return $?
  _registry_lock_begin
  _registry_lock_take
  rl_status=$?
  if ((rl_status == 0)); then
    rl_kept=$rl_slot/$rl_name.trap
    _registry_lock_record held
    _registry_lock_carry "$rl_mine"
  else
    _registry_lock_discard "$rl_slot"
    _registry_lock_end "$rl_number"
  fi
  return "$rl_status"
}

# _registry_lock_path LOCK: rl_lock = LOCK made absolute, rl_dir and rl_name its two parts. A later
# cd changes nothing. Status 64 where LOCK names nothing that could be a directory entry.
_registry_lock_path() {
  rl_lock=/
  [[ -z $1 ]] || _registry_lock_absolute "$1" || return $?
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
# milliseconds.
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
}

# _registry_lock_refuse_twice: this very process holds rl_lock already, by this or another name of
# the path: waiting would be for ever. What it lost is no hindrance.
_registry_lock_refuse_twice() {
  local rl_index rl_stranger='' rl_place
  _registry_lock_find || return 0
  if [[ -e $rl_lock/holder.${_registry_lock_tokens[rl_index]} ]]; then
    _registry_lock_plain rl_place "$rl_lock"
    _registry_lock_usage \
      "$rl_place is held by this very process (pid $rl_pid) already; release it first"
    return $?
  fi
  _registry_lock_say_lost "$rl_lock"
  _registry_lock_end "$rl_index"
}

# _registry_lock_refuse_inside: rl_dir is a lock itself, whose release would take rl_lock along
# (I1). A slot that was kept shows that it is none.
_registry_lock_refuse_inside() {
  local rl_kind rl_hpid rl_hid rl_token rl_place
  ! _registry_lock_kept_slot "$rl_lock" || return 0
  builtin set -- "$rl_dir"/holder.*
  [[ -f $1 ]] && _registry_lock_entry_split "${1##*/}" || return 0
  _registry_lock_plain rl_place "$rl_dir"
  _registry_lock_usage "$rl_place is a lock itself: no lock can be made inside it"
}

# _registry_lock_begin: records an acquisition before anything on disk shows it, so that leaving the
# shell at any point finds it, and lays the EXIT trap. The slot of the last acquisition of rl_lock
# is this one's: rl_kept is set where it was kept.
_registry_lock_begin() {
  rl_number=$((_registry_lock_count += 1))
  rl_mine=$rl_pid.$rl_id.$rl_number
  rl_slot=$rl_lock.slot.$rl_pid.$rl_id
  rl_kept=
  _registry_lock_kept_slot "$rl_lock" && {
    rl_kept=$rl_slot/$rl_name.trap
    _registry_lock_unset "$rl_index"
  }
  _registry_lock_record pending
}

# _registry_lock_record STATE: what _registry_lock_begin and _registry_lock_acquire record; a trap
# of the caller's may have released everything meanwhile.
_registry_lock_record() {
  _registry_lock_locks[rl_number]=$rl_lock _registry_lock_slots[rl_number]=$rl_slot
  _registry_lock_tokens[rl_number]=$rl_mine _registry_lock_states[rl_number]=$1
  _registry_lock_arm "$rl_kept"
}

# _registry_lock_carry TOKEN: what this process starts from now on carries TOKEN in its environment.
_registry_lock_carry() {
  builtin export REGISTRY_LOCK_TOKENS="${REGISTRY_LOCK_TOKENS:+$REGISTRY_LOCK_TOKENS }$1"
}

# _registry_lock_carry_no_more TOKEN: the opposite; what was there before stays.
_registry_lock_carry_no_more() {
  local rl_tokens=" ${REGISTRY_LOCK_TOKENS-} "
  [[ $rl_tokens == *" $1 "* ]] || return 0
  rl_tokens=${rl_tokens/" $1 "/ } rl_tokens=${rl_tokens# }
  REGISTRY_LOCK_TOKENS=${rl_tokens% }
  [[ -n $REGISTRY_LOCK_TOKENS ]] || builtin unset REGISTRY_LOCK_TOKENS
}

# _registry_lock_end NUMBER: forgets an acquisition.
_registry_lock_end() {
  _registry_lock_carry_no_more "${_registry_lock_tokens[$1]}"
  _registry_lock_unset "$1"
  _registry_lock_disarm
}

# _registry_lock_unset NUMBER: its record, and nothing else.
_registry_lock_unset() {
  builtin unset "_registry_lock_locks[$1]" "_registry_lock_slots[$1]" \
    "_registry_lock_tokens[$1]" "_registry_lock_states[$1]"
}

# _registry_lock_take: places the lock, or ends with the status of acquire. The slot comes first: a
# place that can't be written to is no contention and is said at once.
_registry_lock_take() {
  local rl_behind=''
  _registry_lock_make || return $?
  _registry_lock_gives_way || _registry_lock_exists "$rl_lock" ||
    ! _registry_lock_place "$rl_slot" "$rl_name" "$rl_dir" "holder.$rl_mine" || return 0
  _registry_lock_contend || return $?
  _registry_lock_queue_leave "$rl_slot/$rl_name"
}

# _registry_lock_make: prepares what is to be placed; 73 where that can't be.
_registry_lock_make() {
  local rl_utc
  _registry_lock_utc
  set -- "$rl_slot" "$rl_name" "holder.$rl_mine" "$rl_utc"
  [[ -z $rl_kept ]] || ! _registry_lock_renew "$@" || return 0
  _registry_lock_prepare "$@" || _registry_lock_refuse
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
