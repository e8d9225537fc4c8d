# shellcheck shell=bash
# contend.sh: what is done about a lock that somebody has: judge, remove, wait.

# _registry_lock_consider: judges the entry when that is due, and removes it if its process is gone.
# Status 0: look again at once.
_registry_lock_consider() {
  local rl_before=$rl_signal
  [[ $rl_state == entry || $rl_state == inside || $rl_state == beside ]] || return 1
  [[ $rl_entry != *".$rl_mine" ]] || { _registry_lock_break && return $?; }
  if [[ $rl_entry.$rl_hpid != "$rl_seen" ]]; then
    rl_seen=$rl_entry.$rl_hpid rl_since_when=$rl_now rl_verdict='' rl_before='' rl_watched=''
    ((rl_nap < 8 || (rl_nap /= 2)))
  fi
  builtin kill -0 "${rl_watched:-$rl_hpid}" 2>/dev/null && rl_signal=yes || rl_signal=no
  _registry_lock_due || return 1
  rl_asked=$rl_now
  [[ -n $rl_hid || $rl_state != entry ]] || _registry_lock_describe
  _registry_lock_judge_entry
  rl_watched=$rl_hpid
  [[ $rl_verdict != orphaned ]] || rl_watched=$rl_orphan
  [[ $rl_verdict == gone ]] && _registry_lock_break
}

# _registry_lock_due: whether procid is to be asked now: about an entry that has stayed for a while
# (in a hand-over none does) or whose number nothing has, when that changes, at the last look, and
# then each second.
_registry_lock_due() {
  if [[ -z $rl_verdict ]]; then
    [[ $rl_signal == no ]] || ((rl_over || rl_now - rl_since_when >= 50))
    return $?
  fi
  ((rl_over || rl_now - rl_asked >= 1000)) || [[ -n $rl_before && $rl_signal != "$rl_before" ]]
}

# _registry_lock_describe: what the entry's content says, where it is of the process in its name.
_registry_lock_describe() {
  local rl_text
  [[ $rl_state == entry ]] || return 0
  _registry_lock_content "$rl_record"
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
    _registry_lock_plain rl_stuck "${rl_error##*: }"
    return 1
  fi
  rl_record=$rl_lock/$rl_claim
  [[ -n ${rl_silent-} ]] || _registry_lock_tell
  if _registry_lock_remove "$rl_slot" "$rl_name" "$rl_dir" "$rl_claim"; then
    _registry_lock_say_broke "$rl_lock"
    return 0
  fi
  _registry_lock_plain rl_stuck "${rl_error##*: }"
  _registry_lock_claim "$rl_lock" "$rl_claim" "$rl_entry"
  return 1
}

# _registry_lock_wait: a pause; or status 75 with the reason when the time is up, 64 when it would
# be a wait for a process that this one was started by, whose token is in the environment.
_registry_lock_wait() {
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
  ((rl_nap <= rl_budget - (rl_now - rl_start))) || rl_nap=$((rl_budget - (rl_now - rl_start)))
  _registry_lock_pause "$rl_slot" "$rl_name"
}

# _registry_lock_tell: gathers what a message about the entry says, and the verdict where the last
# one is of another entry.
_registry_lock_tell() {
  [[ $rl_state == entry || $rl_state == inside || $rl_state == beside ]] || return 0
  _registry_lock_describe
  if [[ -z $rl_verdict || $rl_entry.$rl_hpid != "$rl_seen" ]]; then
    _registry_lock_judge_entry
  fi
  _registry_lock_explain "$rl_hpid" "$rl_hid"
}
