# shellcheck shell=bash
# write.sh: replacing a file in one step, for data that readers look at without the lock.

# _registry_lock_write DEST: see registry_lock_write.
_registry_lock_write() {
  local rl_lock rl_dir rl_name rl_pid rl_id rl_error='' rl_temp rl_status=0
  (($# == 1)) || {
    _registry_lock_usage 'usage: registry_lock_write DEST <NEW'
    return $?
  }
  _registry_lock_path "$1" || return $?
  _registry_lock_self
  rl_temp=$rl_dir/.$rl_name.write.$rl_pid
  _registry_lock_temp=$rl_temp
  _registry_lock_arm
  if ! { _registry_lock_write_temp && _registry_lock_write_over; }; then
    _registry_lock_write_failed
    rl_status=73
  fi
  _registry_lock_temp=
  _registry_lock_disarm
  return "$rl_status"
}

# _registry_lock_write_failed: says why, and leaves nothing behind.
_registry_lock_write_failed() {
  local rl_place rl_reason
  _registry_lock_plain rl_place "$rl_lock"
  _registry_lock_plain rl_reason "${rl_error##*: }"
  rl_reason=${rl_reason:-the system gives no reason}
  _registry_lock_say "$rl_place was not written and is as it was: $rl_reason"
  ! _registry_lock_exists "$rl_temp" || _registry_lock_child rm -f -- "$rl_temp"
}

# _registry_lock_write_temp: standard input to rl_temp, which has the mode that DEST shall have.
# What has that name already was left by a killed process of this number, or laid there as a trap.
_registry_lock_write_temp() {
  rl_error='standard input is closed' # where it is, a command substitution would read from itself
  { builtin : 3<&0; } 2>/dev/null || return 1
  rl_error='it is a symbolic link; give the file that it names'
  [[ ! -L $rl_lock ]] || return 1
  ! _registry_lock_exists "$rl_temp" || _registry_lock_child rm -f -- "$rl_temp" || return $?
  if [[ -e $rl_lock ]]; then
    rl_error='it is not a plain file'
    [[ -f $rl_lock ]] || return 1
    _registry_lock_child cp -p -- "$rl_lock" "$rl_temp" || return $?
  fi
  rl_error=$(_registry_lock_write_in_subshell "$rl_temp" 2>&1)
}

# _registry_lock_write_in_subshell TEMP: its work; umask and traps end with it. The owner of a file
# that is read-only may not write the copy either, until he is let.
_registry_lock_write_in_subshell() {
  local rl_read_only=
  builtin umask 077
  builtin trap '' XFSZ
  if [[ ! -e $1 ]]; then
    builtin set -C # makes it, and opens nothing that appears meanwhile
  elif [[ ! -w $1 ]]; then
    \command chmod -- u+w "$1" && rl_read_only=1 || return $?
  fi
  _registry_lock_copy >"$1" || return $?
  [[ -z $rl_read_only ]] || \command chmod -- u-w "$1"
}

# _registry_lock_copy: standard input to standard output, NULs and all; by hand where cat is
# missing.
_registry_lock_copy() {
  local rl_chunk=
  \command cat && return 0
  (($? == 127)) || return 1
  while IFS= builtin read -r -d '' rl_chunk; do
    builtin printf '%s\0' "$rl_chunk" || return $?
  done
  builtin printf '%s' "$rl_chunk"
}

# _registry_lock_write_over: rl_temp becomes DEST.
_registry_lock_write_over() {
  local rl_way=''
  _registry_lock_write_way
  _registry_lock_child mv -f -- "$rl_way$rl_temp" "$rl_lock" && [[ ! -e $rl_temp ]]
}

# _registry_lock_write_way: rl_way = a prefix for absolute paths that leads through the slot of each
# lock that this process holds, and from there up to the root. An mv that has not begun when its
# shell is killed finds no way once a slot is destroyed, so it lands on no later owner's file (I5).
_registry_lock_write_way() {
  local rl_index rl_up=/../../../../../../../..
  rl_up+=$rl_up$rl_up$rl_up
  for rl_index in "${!_registry_lock_slots[@]}"; do
    [[ ${_registry_lock_states[rl_index]} == held && -d ${_registry_lock_slots[rl_index]} ]] &&
      rl_way+=${_registry_lock_slots[rl_index]}$rl_up
  done
  [[ $rl_way$rl_temp -ef $rl_temp ]] || rl_way=
}
