# shellcheck shell=bash
# legacy.sh: the layouts of older writers, honoured and never upgraded in place. Their records have
# no identity, so the pid-only rule judges them, and their names bind to nothing: a record is
# taken first, as trial.PID.ID.N of the taker, judged then, and put back unless it reads as gone.

# _registry_lock_old_look LOCK: after _registry_lock_look found a directory that isn't in this
# library's form: rl_state = inside (a holder or pid file in it) or beside (the agmsg layout, an
# empty directory with its record in LOCK.holder), rl_record and what it records; else as it was.
# A record older than its directory is one of an earlier holder and tells nothing.
_registry_lock_old_look() {
  local rl_found=$rl_state
  if [[ $rl_state == foreign && ($rl_entry == holder || $rl_entry == pid) ]]; then
    rl_found=inside rl_record=$1/$rl_entry
  elif [[ $rl_state == empty && -e $1.holder && ! $1 -nt $1.holder ]]; then
    rl_found=beside rl_record=$1.holder
  elif [[ $rl_state == empty ]]; then
    _registry_lock_old_trial "$1" || return 0
    rl_state=beside
    return 0
  fi
  [[ $rl_found != "$rl_state" ]] && _registry_lock_old_read "$rl_record" || return 0
  rl_state=$rl_found rl_kind=holder rl_entry=${rl_record##*/} rl_hid='' rl_token=$rl_hpid
}

# _registry_lock_old_trial LOCK: rl_record = a record beside LOCK that some process has taken to
# judge, rl_hpid, rl_hid and rl_kind of that process. One older than LOCK was left behind.
_registry_lock_old_trial() {
  local rl_path
  for rl_path in "$1".trial.*; do
    if _registry_lock_exists "$rl_path" && [[ ! $1 -nt $rl_path ]] &&
      _registry_lock_entry_split "${rl_path#"$1".}"; then
      rl_record=$rl_path rl_entry=${rl_path##*/}
      return 0
    fi
  done
  return 1
}

# _registry_lock_old_read FILE: rl_hpid and rl_host as an older writer recorded them: lines `pid N`
# and `host H`, a bare number, or `graff-owner 1 pid=N [start=S]`. Status 1 where no usable
# process is named, or a key stands twice, or the record is longer than what was read of it. No host
# means this one.
_registry_lock_old_read() {
  local rl_text rl_line rl_pids=0 rl_hosts=0
  rl_hpid='' rl_host='' rl_since='' rl_command=''
  _registry_lock_content "$1"
  ((${#rl_text} < 4096)) || return 1
  while [[ -n $rl_text ]]; do
    rl_line=${rl_text%%$'\n'*} rl_text=${rl_text#"$rl_line"} rl_text=${rl_text#$'\n'}
    case $rl_line in
      'pid '*) rl_hpid=${rl_line#pid } ;;
      'graff-owner 1 pid='*) rl_hpid=${rl_line#*pid=} rl_hpid=${rl_hpid%% *} ;;
      'host '*)
        _registry_lock_plain rl_host "${rl_line#host }"
        ((rl_hosts += 1))
        continue
        ;;
      *[!0123456789]* | '') continue ;;
      *) rl_hpid=$rl_line ;;
    esac
    ((rl_pids += 1))
  done
  ((rl_hosts)) || rl_host=${HOSTNAME-}
  ((rl_pids == 1 && rl_hosts <= 1)) && _registry_lock_pid_valid "$rl_hpid"
}

# _registry_lock_old_break: removes the lock of an older writer whose record, rl_record, was judged
# gone. Status 0: the path is free.
_registry_lock_old_break() {
  local rl_taken=$rl_lock/trial.$rl_mine rl_back=$rl_record
  [[ $rl_state != beside ]] || rl_taken=$rl_lock.trial.$rl_mine
  if [[ $rl_kind == trial ]]; then
    [[ $rl_record == "$rl_taken" ]] ||
      _registry_lock_revoke "$rl_lock.slot.$rl_hpid.$rl_hid" "$rl_slot" "$rl_name" || return 1
    rl_back=$rl_lock/holder
    [[ $rl_state != beside ]] || rl_back=$rl_lock.holder
  fi
  _registry_lock_rename "$rl_record" "$rl_taken" || {
    ! _registry_lock_exists "$rl_record" || _registry_lock_note_stuck
    return 1
  }
  rl_kind=holder rl_hid=''
  if _registry_lock_old_read "$rl_taken" &&
    _registry_lock_judge "$rl_hpid" '' "$rl_host" && [[ $rl_verdict == gone ]] &&
    _registry_lock_old_remove "$rl_taken"; then
    _registry_lock_say_broke "$rl_lock"
    return 0
  fi
  [[ $rl_verdict != gone ]] || _registry_lock_note_stuck
  _registry_lock_rename "$rl_taken" "$rl_back"
  return 1
}

# _registry_lock_old_remove TAKEN: the directory goes; where its record lay beside, only while it is
# empty, no younger than that record, and no other record has come that is as young as it.
_registry_lock_old_remove() {
  if [[ $rl_state != beside ]]; then
    _registry_lock_remove "$rl_slot" "$rl_name" "$rl_dir" "${1##*/}"
    return $?
  fi
  [[ ! $rl_lock -nt $1 ]] || return 1
  ! _registry_lock_exists "$rl_lock.holder" || [[ $rl_lock -nt $rl_lock.holder ]] || return 1
  _registry_lock_remove_empty "$rl_lock" || return 1
  _registry_lock_set_aside "$rl_slot" "$1"
}
