# shellcheck shell=bash
# contend.sh: what is done about a lock that somebody has: judge, remove, wait.

# _registry_lock_contend: places the lock, or ends with the status of acquire.
_registry_lock_contend() {
  # shellcheck disable=SC2034 # queue.sh uses it
  local rl_now=0 rl_nap=2 rl_paused=2 rl_wall_before='' rl_no_fifo='' rl_start rl_over rl_told=''
  local rl_misses=0 rl_state rl_entry rl_record rl_kind rl_hpid rl_hid rl_token rl_stuck=''
  local rl_stranger rl_host='' rl_since='' rl_command='' rl_text rl_owner rl_broke='' rl_seen=''
  local rl_verdict='' rl_why='' rl_orphans='' rl_orphan='' rl_blind='' rl_ended=''
  local rl_since_when=0 rl_asked=0 rl_again=1000 rl_signal='' rl_watched='' rl_patience=50
  _registry_lock_tick
  rl_start=$rl_now
  while ((1)); do
    ((rl_over = rl_now - rl_start >= rl_budget))
    _registry_lock_look "$rl_lock"
    case $rl_state in
      free) _registry_lock_turn || return $? ;;
      blocked) _registry_lock_blocked || return $? ;;
      *) _registry_lock_consider || _registry_lock_wait || return $? ;;
    esac
    [[ ! -e $rl_lock/holder.$rl_mine || -e $rl_slot/$rl_name ]] || return 0
    _registry_lock_tick
  done
}

# _registry_lock_gives_way: this process has just woken a waiter of rl_lock, which goes first.
_registry_lock_gives_way() {
  local rl_wall
  builtin [ "$_registry_lock_woke" = "$rl_lock" ] && ((rl_budget)) || return 1
  _registry_lock_woke=
  _registry_lock_wall
  ((rl_wall - _registry_lock_woke_at < 30 && rl_wall >= _registry_lock_woke_at)) || return 1
  rl_behind=1
}

# _registry_lock_turn: the path is free: places the lock, or waits for the waiter that goes first.
_registry_lock_turn() {
  if [[ -n $rl_behind ]]; then
    rl_verdict='' rl_record=''
    _registry_lock_pause
    rl_behind=''
  elif ! _registry_lock_place_loud "$rl_slot" "$rl_name" "$rl_dir" "holder.$rl_mine"; then
    _registry_lock_missed
  fi
}

# _registry_lock_consider: judges the entry when that is due, and removes it if its process is gone.
# Status 0: look again at once.
_registry_lock_consider() {
  local rl_before=$rl_signal
  [[ $rl_state == entry || $rl_state == inside || $rl_state == beside ]] || return 1
  [[ $rl_entry != *".$rl_mine" ]] || { _registry_lock_break && return 0; }
  if [[ $rl_entry.$rl_hpid != "$rl_seen" ]]; then
    [[ -z $rl_seen ]] || rl_patience=1000
    rl_seen=$rl_entry.$rl_hpid rl_since_when=$rl_now rl_verdict='' rl_watched=''
    rl_again=1000 rl_ended=''
    ((rl_nap < 8 || (rl_nap /= 2)))
  fi
  _registry_lock_signal
  _registry_lock_due || return 1
  [[ -n $rl_hid ]] || _registry_lock_describe
  _registry_lock_judge_now
  [[ $rl_verdict == gone ]] && _registry_lock_break
}

# _registry_lock_judge_now: the verdict, and when it is to be asked for again: late where what was
# alive is watched from now on.
_registry_lock_judge_now() {
  rl_asked=${rl_now-0} rl_again=$((${rl_again:-1000} < 8000 ? ${rl_again:-1000} * 2 : 8000))
  _registry_lock_judge_entry
  [[ $rl_verdict != alive ]] || rl_again=8000
  rl_watched=$rl_hpid
  [[ $rl_verdict != orphaned ]] || rl_watched=$rl_orphan
}

# _registry_lock_signal: rl_signal = yes where something answers to the number that is watched and
# is not known to be dead. It is evidence of nothing: only its change is a reason to ask procid.
_registry_lock_signal() {
  rl_signal=no
  ! _registry_lock_may_live "${rl_watched:-$rl_hpid}" || rl_signal=yes
}

# _registry_lock_due: whether procid is to be asked now: about an entry that has stayed for
# rl_patience milliseconds (a second where the lock was seen to change hands) or whose number
# nothing has, when that changes, at the last look, and then at times that grow further apart.
_registry_lock_due() {
  if [[ -z $rl_verdict ]]; then
    [[ $rl_signal == no ]] || ((rl_over || rl_now - rl_since_when >= rl_patience))
    return $?
  fi
  ((rl_over || rl_now - rl_asked >= rl_again)) || [[ $rl_signal != "$rl_before" ]]
}

# _registry_lock_describe: what the process in the entry's name has written of itself. In a claim or
# a trial are another's words; without an identity its process is judged by its host, which the
# entry tells that waits in its slot.
_registry_lock_describe() {
  if [[ $rl_kind != holder && -z $rl_hid ]]; then
    _registry_lock_describe_by "$rl_lock.slot.$rl_hpid./${rl_lock##*/}/holder.$rl_token"
  elif [[ $rl_state == entry ]]; then
    _registry_lock_describe_by "$rl_record"
  fi
}

# _registry_lock_describe_by FILE: what FILE says, where it is of the process rl_hpid.
_registry_lock_describe_by() {
  local rl_text
  _registry_lock_content "$1"
  [[ $rl_text == *$'\npid '"$rl_hpid"$'\n'* ]] || rl_text=
  _registry_lock_entry_parse "$rl_text" && return 0
  rl_host='' rl_since='' rl_command=''
}

# _registry_lock_break: removes the lock whose entry was judged gone (I4, I5). Status 0: look again
# at once, the path is free or the lock has changed hands. A claim that comes to nothing is undone:
# this process may live long, and its claim would as long stop everybody.
_registry_lock_break() {
  local rl_claim=claim.$rl_mine
  rl_stuck=
  if [[ $rl_state != entry || $rl_kind == trial ]]; then
    _registry_lock_old_break
    return $?
  fi
  if [[ $rl_entry != "$rl_claim" ]]; then
    _registry_lock_revoke "$rl_lock.slot.$rl_hpid.$rl_hid" "$rl_slot" "$rl_name" &&
      _registry_lock_claim "$rl_lock" "$rl_entry" "$rl_claim"
  fi
  if ! _registry_lock_exists "$rl_lock/$rl_claim"; then
    _registry_lock_exists "$rl_record" || return 0
    _registry_lock_note_stuck
    return 1
  fi
  rl_record=$rl_lock/$rl_claim
  [[ -n ${rl_silent-} ]] || _registry_lock_tell
  if _registry_lock_remove "$rl_slot" "$rl_name" "$rl_dir" "$rl_claim"; then
    _registry_lock_say_broke "$rl_lock"
    return 0
  fi
  _registry_lock_note_stuck
  _registry_lock_claim "$rl_lock" "$rl_claim" "$rl_entry"
  return 1
}

# _registry_lock_note_stuck: rl_stuck = why the system refused to remove the lock, from rl_error.
# That something is not there is no refusal: another process has it in hand.
_registry_lock_note_stuck() {
  [[ $rl_error == *'No such file or directory'* ]] ||
    _registry_lock_plain rl_stuck "${rl_error##*: }"
}

# _registry_lock_wait: a pause; or status 75 with the reason when the time is up, 64 when it would
# be a wait for a process that this one was started by, whose token is in the environment.
_registry_lock_wait() {
  if [[ $rl_state == empty && -d $rl_slot && ! -e $rl_slot/$rl_name ]]; then
    _registry_lock_torn
    return $?
  fi
  if [[ $rl_state == entry && " ${REGISTRY_LOCK_TOKENS-} " == *" $rl_token "* ]]; then
    _registry_lock_tell
    _registry_lock_say_ancestor "$rl_lock"
    return 64
  fi
  if ((rl_over)); then
    _registry_lock_tell
    _registry_lock_say_gave_up "$rl_lock" "$rl_budget"
    return 75
  fi
  if [[ -z $rl_told ]] && ((rl_now - rl_start >= 1000)); then
    rl_told=1
    _registry_lock_tell
    _registry_lock_say_waiting "$rl_lock"
  fi
  _registry_lock_pause
}

# _registry_lock_tell: gathers what a message about the entry says, and the verdict where the last
# one is of another entry.
_registry_lock_tell() {
  [[ $rl_state == entry || $rl_state == inside || $rl_state == beside ]] || return 0
  _registry_lock_describe
  if [[ -z $rl_verdict || $rl_entry.$rl_hpid != "$rl_seen" ]]; then
    _registry_lock_judge_now
  fi
  _registry_lock_explain "$rl_hpid" "$rl_hid"
}
