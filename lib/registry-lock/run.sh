# shellcheck shell=bash
# run.sh: a command that is itself the holder. The process that becomes the command takes the lock;
# the one that was called, the wrapper, waits for it, hands signals on, and gives the lock back.

# _registry_lock_run_command [OPTION...] LOCK [--] COMMAND [ARG...]: see registry_lock_run. In a
# subshell of the caller, whose traps and descriptors stay his.
_registry_lock_run_command() {
  (_registry_lock_run_here_command "$@")
}

# _registry_lock_run_here_command ...: the same in this very process, which is a wrapper from then
# on.
_registry_lock_run_here_command() {
  local rl_opt_nonblock='' rl_opt_wait='' rl_opt_quiet='' rl_opt_verbose=''
  local rl_opt_conflict_exit_code=none rl_operands rl_taken rl_lock rl_dir rl_name rl_budget
  local rl_child rl_status
  _registry_lock_run_options "$@" || return $?
  _registry_lock_path "${rl_operands[0]}" || return $?
  _registry_lock_milliseconds "$rl_opt_wait" || return $?
  [[ -z $rl_opt_quiet ]] || REGISTRY_LOCK_QUIET=1
  _registry_lock_wrap _registry_lock_run_child "${rl_operands[@]:1}"
  _registry_lock_run_after
}

# _registry_lock_become COMMAND [ARG...]: execs COMMAND in the caller's environment; where it can't
# be started the shell ends, and gives back what it took on the way out. Where an exec changes the
# number of a process (windows.sh), the shell stays, as the holder.
_registry_lock_become() {
  _registry_lock_options_back
  LC_ALL=$rl_lc_all TMOUT=$rl_tmout
  _registry_lock_can_run "$1" || builtin exit
  [[ -z $_registry_lock_no_exec ]] || {
    (builtin exec -- "$@")
    builtin exit
  }
  builtin exec -- "$@"
}

# _registry_lock_run_options ARG...: rl_operands = LOCK COMMAND [ARG...], and the options before
# them.
_registry_lock_run_options() {
  _registry_lock_options 'nonblock:n wait:w= conflict-exit-code:E= verbose:v quiet:q +' "$@" ||
    return $?
  case ${rl_operands[1]-} in
    --) rl_operands=("${rl_operands[0]}" "${rl_operands[@]:2}") ;;
    -c | --command)
      ((${#rl_operands[@]} == 3)) || _registry_lock_usage '-c takes one string' || return $?
      rl_operands=("${rl_operands[0]}" "${SHELL:-/bin/sh}" -c "${rl_operands[2]}")
      ;;
  esac
  ((${#rl_operands[@]} >= 2)) || {
    _registry_lock_usage \
      'usage: registry-lock run [-n] [-w SECONDS] [-E STATUS] [-v|-q] LOCK [--] COMMAND [ARG...]'
    return $?
  }
  case $rl_opt_conflict_exit_code in
    none) rl_opt_conflict_exit_code=75 ;;
    '' | *[!0123456789]* | ????*) rl_opt_conflict_exit_code=256 ;;
  esac
  rl_opt_conflict_exit_code=$((10#$rl_opt_conflict_exit_code))
  ((rl_opt_conflict_exit_code <= 255)) ||
    _registry_lock_usage '-E takes a status from 0 to 255' || return $?
  [[ -z $rl_opt_nonblock ]] || rl_opt_wait=0
  rl_opt_wait=${rl_opt_wait:-${REGISTRY_LOCK_SECONDS:-10}}
}

# _registry_lock_run_child COMMAND [ARG...]: takes the lock and becomes COMMAND.
_registry_lock_run_child() {
  local rl_named=${1##*/}
  [[ -z $rl_opt_quiet ]] || REGISTRY_LOCK_QUIET=1
  _registry_lock_acquire "$rl_lock" "$rl_opt_wait" || builtin exit
  [[ -z $rl_opt_verbose ]] || _registry_lock_say "took $rl_lock; running $1"
  _registry_lock_become "$@"
}

# _registry_lock_can_run COMMAND: says why COMMAND can't be started: 126 it is no program, 127 there
# is none.
_registry_lock_can_run() {
  local rl_place
  ! builtin type -P -- "$1" >/dev/null 2>&1 || return 0
  _registry_lock_plain rl_place "$1"
  if [[ $1 == */* && -e $1 ]]; then
    _registry_lock_say "$rl_place can't be run"
    return 126
  fi
  _registry_lock_say "$rl_place: command not found"
  return 127
}

# _registry_lock_run_after: gives back what the child took. It has been waited for, and has no mv
# under way any more: it placed the lock. Ends with the child's status, or the one for "not taken"
# if it never got the lock. The signals that end a shell are all caught here, so no EXIT trap is
# needed.
_registry_lock_run_after() {
  local rl_state rl_entry rl_record rl_kind rl_hpid='' rl_hid rl_token rl_error rl_stranger
  _registry_lock_look "$rl_lock"
  if _registry_lock_run_is_gone; then
    _registry_lock_run_is_over || return "$rl_status"
    _registry_lock_run_back "$rl_lock.slot.$rl_hpid.$rl_hid" || _registry_lock_run_break
  elif ((rl_status == 75)); then
    rl_status=$rl_opt_conflict_exit_code
  fi
  return "$rl_status"
}

# _registry_lock_run_is_gone: the entry is of a process with the child's number that is gone. With
# that number alone it may be a live one's: of another container, or a later one's here.
_registry_lock_run_is_gone() {
  local rl_id=$rl_hid rl_pid rl_verdict='' rl_why rl_host='' rl_since rl_command
  [[ $rl_state == entry && $rl_kind == holder && $rl_hpid == "$rl_child" ]] || return 1
  _registry_lock_self_pid
  [[ -n $rl_hid ]] || _registry_lock_describe
  _registry_lock_judge "$rl_hpid" "$rl_hid" "$rl_host"
  [[ $rl_verdict == gone ]]
}

# _registry_lock_run_is_over: where a signal has ended the command, what it started ends too, within
# 2 seconds; as after Ctrl-C, and as an mv of its own. Status 1, with a sentence, where that still
# runs: the lock is held until it has ended.
_registry_lock_run_is_over() {
  local rl_id=$rl_hid rl_pid=$rl_child rl_now=0 rl_start rl_budget=2000 rl_nap=10 rl_paused
  local rl_verdict rl_why rl_orphans rl_orphan rl_blind rl_host='' rl_since rl_command rl_because
  local rl_wall_before='' rl_text
  [[ $rl_status -gt 128 && -n $rl_hid ]] || return 0
  _registry_lock_tick
  rl_start=$rl_now
  while
    _registry_lock_judge_entry
    [[ $rl_verdict == orphaned ]]
  do
    ((rl_now - rl_start < rl_budget)) || break
    _registry_lock_nap
    _registry_lock_tick
  done
  [[ $rl_verdict != gone ]] || return 0
  _registry_lock_describe
  _registry_lock_held_text "$rl_lock"
  _registry_lock_say "$rl_text"
  return 1
}

# _registry_lock_run_back SLOT: gives the lock back as the child itself would have, into its SLOT,
# which is not made here: whoever else finds the child gone destroys SLOT before it claims (I5), so
# that this mv can't land on a later owner's lock. Without an identity SLOT may be a later process's
# of the same number. Status 1 where nothing came of it.
_registry_lock_run_back() {
  [[ -n $rl_hid && -d $1 && ! -L $1 ]] || return 1
  _registry_lock_take_into "$1" "$rl_name" "$rl_dir" "$rl_entry"
  case $? in
    0) _registry_lock_wake "$1" "$rl_lock" "$rl_name" ;;
    73) return 1 ;;
  esac
  [[ $rl_stranger == "$1"/* ]] || {
    _registry_lock_discard "$1"
    return 0
  }
  _registry_lock_run_lost
}

# _registry_lock_run_lost: says that a stranger's lock lies in SLOT, since it could not be put back.
_registry_lock_run_lost() {
  local rl_pid=$rl_child
  _registry_lock_say_lost "$rl_lock"
}

# _registry_lock_run_break: removes the lock as that of a gone holder, without a word.
_registry_lock_run_break() {
  local rl_pid rl_id rl_mine rl_slot rl_wanted=$rl_lock.slot.$rl_hpid.$rl_hid/$rl_name.wanted
  local rl_host rl_since rl_command rl_verdict=gone rl_why rl_text rl_stuck rl_silent=1 rl_broke
  _registry_lock_self
  rl_mine=$rl_pid.$rl_id.$((_registry_lock_count += 1)) rl_slot=$rl_lock.slot.$rl_pid.$rl_id
  [[ -e $rl_wanted ]] || rl_wanted=
  _registry_lock_make_dir "$rl_slot" && _registry_lock_break && [[ -n $rl_wanted ]] &&
    _registry_lock_wake_first "$rl_lock" "$rl_name"
  _registry_lock_discard "$rl_slot"
}
