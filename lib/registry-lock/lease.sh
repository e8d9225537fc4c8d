# shellcheck shell=bash
# lease.sh: ownership that outlives a call: a small record in FILE, of an anchor process that the
# caller names. FILE is read, judged and changed as one critical section under the lock FILE.lock.
# No time ever ends a lease: its record is anybody's to take once the anchor is gone.

# _registry_lock_lease_command DEFAULT VERB ARG...: registry_lease_VERB; DEFAULT is the anchor where
# none is given.
_registry_lock_lease_command() {
  local rl_opt_pid=$1 rl_opt_session='' rl_opt_worktree_of=$'\n' rl_operands rl_taken
  local rl_file rl_pid rl_id rl_apid='' rl_aid='' rl_worktree='' rl_error=''
  local rl_found rl_hpid rl_hid rl_host rl_token rl_session rl_identity rl_since rl_command
  local rl_verdict rl_why rl_word rl_outcome=''
  case ${2-} in
    claim)
      _registry_lock_lease_options 1 2 'FILE [PID]' 'pid:p= session:s= worktree-of:=' "${@:3}"
      ;;
    release) _registry_lock_lease_options 2 2 'FILE TOKEN' '' "${@:3}" ;;
    refresh) _registry_lock_lease_options 2 3 'FILE TOKEN [PID]' 'pid:p=' "${@:3}" ;;
    verdict | show) _registry_lock_lease_options 1 1 FILE 'pid:p= worktree-of:=' "${@:3}" ;;
    list) _registry_lock_lease_options 1 1 DIR 'pid:p= worktree-of:=' "${@:3}" ;;
    bracket)
      _registry_lock_lease_options 2 999999 'FILE [--] COMMAND [ARG...]' \
        'session:s= worktree-of:= +' "${@:3}"
      ;;
    *) _registry_lock_usage 'usage: registry-lock lease claim|release|refresh|show|list|bracket' ;;
  esac || return $?
  [[ $2 == list ]] || _registry_lock_self
  "_registry_lock_lease_$2"
}

# _registry_lock_lease_apart_command ...: the same in a subshell, whose traps are its own.
_registry_lock_lease_apart_command() {
  (_registry_lock_lease_command "$@")
}

# _registry_lock_lease_locked STEP: _registry_lock_lease_STEP_inside with the record read, in one
# critical section; then says how it went (rl_outcome). Status as registry_lease_claim's.
_registry_lock_lease_locked() {
  local rl_slot rl_lock=$rl_file.lock rl_lost=0
  rl_outcome=
  _registry_lock_acquire "$rl_lock" || return $?
  rl_slot=${_registry_lock_slots[_registry_lock_count]-}
  _registry_lock_lease_read
  "_registry_lock_lease_$1_inside"
  _registry_lock_release "$rl_lock" || rl_lost=$?
  ((rl_lost != 76)) || return 76
  "_registry_lock_lease_say_$rl_outcome"
}

# _registry_lock_lease_claim: FILE [PID]. Prints the token, or says who has it. One that is held is
# refused without the lock: that needs no right to write.
_registry_lock_lease_claim() {
  local rl_mine=''
  _registry_lock_lease_anchor "${rl_operands[1]-$rl_opt_pid}" || return $?
  _registry_lock_lease_read
  _registry_lock_lease_judge
  if _registry_lock_lease_held; then
    _registry_lock_lease_say_held
    return $?
  fi
  _registry_lock_lease_locked claim || return $?
  builtin printf '%s\n' "$rl_mine"
}

# _registry_lock_lease_held: nobody else may claim. A record without an identity is under the
# pid-only rule: alive is held.
_registry_lock_lease_held() {
  [[ $rl_found != free && $rl_verdict != gone ]]
}

# _registry_lock_lease_claim_inside: the record is of rl_apid and rl_aid now, its token is rl_mine.
_registry_lock_lease_claim_inside() {
  local rl_utc rl_text
  _registry_lock_lease_judge
  rl_outcome=held
  ! _registry_lock_lease_held || return 0
  _registry_lock_utc
  rl_mine=${_registry_lock_tokens[_registry_lock_count]-}
  _registry_lock_lease_text "$rl_mine" "$rl_opt_session" "$rl_worktree" "$rl_utc"
  _registry_lock_lease_put
}

# _registry_lock_lease_release: FILE TOKEN.
_registry_lock_lease_release() { _registry_lock_lease_locked release; }

# _registry_lock_lease_release_inside: the record goes, if its token is the one that was given.
_registry_lock_lease_release_inside() {
  rl_outcome=differs
  [[ -n $rl_token && $rl_token == "${rl_operands[1]}" ]] || return 0
  _registry_lock_lease_drop
}

# _registry_lock_lease_refresh: FILE TOKEN [PID].
_registry_lock_lease_refresh() {
  _registry_lock_lease_anchor "${rl_operands[2]-$rl_opt_pid}" || return $?
  _registry_lock_lease_locked refresh
}

# _registry_lock_lease_refresh_inside: the same record, of another anchor.
_registry_lock_lease_refresh_inside() {
  local rl_text
  rl_outcome=differs
  [[ $rl_found == lease && $rl_token == "${rl_operands[1]}" ]] || return 0
  _registry_lock_lease_text "$rl_token" "$rl_session" "$rl_identity" "$rl_since"
  _registry_lock_lease_put
}

# _registry_lock_lease_verdict: FILE. One word about its record.
_registry_lock_lease_verdict() {
  _registry_lock_lease_mine
  _registry_lock_lease_read
  _registry_lock_lease_judge
  builtin printf '%s\n' "$rl_word"
}

# _registry_lock_lease_bracket: FILE COMMAND [ARG...]. COMMAND is itself the anchor: the record is
# of the process that becomes it. The one that was called waits for it, hands signals on, and takes
# the record away when it has ended. Killed, it leaves a record that holds while COMMAND runs.
_registry_lock_lease_bracket() {
  local rl_child rl_status
  _registry_lock_wrap _registry_lock_lease_bracket_child "${rl_operands[@]:1}"
  _registry_lock_lease_locked bracket 2>/dev/null
  return "$rl_status"
}

# _registry_lock_lease_bracket_child COMMAND [ARG...]: claims, and becomes COMMAND.
_registry_lock_lease_bracket_child() {
  local rl_mine=''
  _registry_lock_self
  rl_apid=$rl_pid rl_aid=$rl_id
  _registry_lock_lease_locked claim || builtin exit $?
  _registry_lock_become "$@"
}

# _registry_lock_lease_bracket_inside: rl_child's record goes, unless it is another's by now.
# rl_child has been waited for, so it is gone.
_registry_lock_lease_bracket_inside() {
  _registry_lock_lease_judge
  rl_outcome='done'
  [[ $rl_found == lease && $rl_hpid == "$rl_child" && $rl_verdict == gone ]] || return 0
  _registry_lock_lease_drop
}
