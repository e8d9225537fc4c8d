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

# _registry_lock_wrap FUNCTION [ARG...]: FUNCTION runs as a child, with the signals that this
# process was called with, and becomes a command; this process waits for it: rl_child and rl_status.
_registry_lock_wrap() {
  local rl_signal
  _registry_lock_got=
  for rl_signal in INT TERM HUP QUIT USR1 USR2; do
    # shellcheck disable=SC2064 # the signal's name
    builtin trap "_registry_lock_got+=' $rl_signal'" "$rl_signal"
  done
  _registry_lock_sentinel
  {
    builtin trap - INT TERM HUP QUIT USR1 USR2
    "$@"
  } <&0 187>&- &
  rl_child=$!
  _registry_lock_run_wait
  _registry_lock_sentinel_end
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

# _registry_lock_run_wait: rl_status = how rl_child ended, 128+n by a signal. What the wrapper is
# sent meanwhile the child gets, once.
_registry_lock_run_wait() {
  local rl_signal
  while :; do
    builtin wait "$rl_child" 2>/dev/null
    rl_status=$?
    [[ -n $_registry_lock_got ]] || return 0
    for rl_signal in $_registry_lock_got; do
      _registry_lock_got=${_registry_lock_got/" $rl_signal"/}
      _registry_lock_group_got "$rl_signal" || builtin kill -s "$rl_signal" "$rl_child" 2>/dev/null
    done
  done
}

# _registry_lock_sentinel: a process of the wrapper's group that does nothing. It tells whether a
# signal was sent to the whole group, as a terminal does, and so to the child too. It ends when the
# wrapper does. Before bash 4.4 its pid can't be known, and every signal is handed on. A redirection
# stays only with exec itself, not with "builtin exec".
_registry_lock_sentinel() {
  _registry_lock_watch=
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || return 0
  builtin eval 'exec 187> >(
    builtin trap - INT TERM HUP QUIT USR1 USR2
    builtin ulimit -c 0
    builtin exec cat >/dev/null 2>&1)'
  _registry_lock_watch=$!
}

# _registry_lock_sentinel_end: it is no longer needed.
_registry_lock_sentinel_end() {
  [[ -n $_registry_lock_watch ]] || return 0
  exec 187>&-
  builtin kill -KILL "$_registry_lock_watch" 2>/dev/null
  { builtin wait "$_registry_lock_watch"; } 2>/dev/null
  return 0
}

# _registry_lock_group_got SIGNAL: the whole group got SIGNAL. The sentinel is sent another signal
# now and dies of that only if SIGNAL had not come first: Linux settles a death when the fatal
# signal is posted (kernel/signal.c, complete_signal), and of those that dump core takes the lowest.
_registry_lock_group_got() {
  local rl_probe=KILL rl_death
  [[ -n $_registry_lock_watch ]] || return 1
  [[ $1 != QUIT ]] || rl_probe=ABRT
  builtin kill -s "$rl_probe" "$_registry_lock_watch" 2>/dev/null
  { builtin wait "$_registry_lock_watch"; } 2>/dev/null
  rl_death=$?
  exec 187>&-
  _registry_lock_sentinel
  [[ $(builtin kill -l "$rl_death" 2>/dev/null) != "$rl_probe" ]]
}

# _registry_lock_run_after: gives back what the child took. It was this process's child and has been
# waited for, so it is gone; its lock is removed as a gone holder's is, without a word. Ends
# with the child's status, or the one for "not taken" if it never got the lock. The signals that end
# a shell are all caught here, so no EXIT trap is needed.
_registry_lock_run_after() {
  local rl_pid rl_id rl_mine rl_slot rl_wanted rl_state rl_entry rl_record rl_kind rl_hpid='' rl_hid
  local rl_token rl_host rl_since rl_command rl_verdict=gone rl_why rl_text rl_error rl_stuck
  local rl_stranger rl_silent=1 rl_broke
  _registry_lock_look "$rl_lock"
  if [[ $rl_state == entry && $rl_kind == holder && $rl_hpid == "$rl_child" ]]; then
    _registry_lock_self
    rl_mine=$rl_pid.$rl_id.$((_registry_lock_count += 1)) rl_slot=$rl_lock.slot.$rl_pid.$rl_id
    [[ -e $rl_lock.slot.$rl_hpid.$rl_hid/$rl_name.wanted ]] && rl_wanted=1 || rl_wanted=
    _registry_lock_make_dir "$rl_slot" && _registry_lock_break && [[ -n $rl_wanted ]] &&
      _registry_lock_wake_first "$rl_lock" "$rl_name"
    _registry_lock_discard "$rl_slot"
  elif ((rl_status == 75)); then
    rl_status=$rl_opt_conflict_exit_code
  fi
  return "$rl_status"
}
