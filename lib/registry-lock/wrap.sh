# shellcheck shell=bash
# wrap.sh: a wrapper: a process that waits for a child of its own and hands on what signals it is
# sent.

# _registry_lock_wrap FUNCTION [ARG...]: FUNCTION runs as a child, with the signals that this
# process was called with, and becomes a command; this process waits for it: rl_child and rl_status.
_registry_lock_wrap() {
  local rl_signal rl_interrupted
  rl_child='' _registry_lock_got='' _registry_lock_handing=''
  for rl_signal in INT TERM HUP QUIT USR1 USR2; do
    # shellcheck disable=SC2064 # the signal's name
    builtin trap "_registry_lock_hand_on $rl_signal" "$rl_signal"
  done
  _registry_lock_sentinel
  {
    rl_alone=1
    builtin trap - INT TERM HUP QUIT USR1 USR2
    "$@"
  } <&0 187>&- &
  rl_child=$!
  _registry_lock_run_wait
  _registry_lock_sentinel_end
}

# _registry_lock_run_wait: rl_status = how rl_child ended, 128+n by a signal. A status that bash has
# forgotten is that of the signal during which it was forgotten.
_registry_lock_run_wait() {
  local rl_before=0
  # shellcheck disable=SC2119 # what came before
  _registry_lock_hand_on
  while :; do
    rl_interrupted=
    _registry_lock_wait_child
    rl_status=$?
    [[ -n $rl_interrupted && $rl_status -gt 128 ]] || break
    ! _registry_lock_forgotten "$rl_child" || break
    rl_before=$rl_status
  done
  _registry_lock_handing=1
  # In posix mode a status is told once.
  [[ :${SHELLOPTS-}: != *:posix:* ]] || ((rl_status != 127 || ! rl_before)) || rl_status=$rl_before
}

# _registry_lock_hand_on [SIGNAL]: the wrapper's traps: what it is sent the child gets, once; also
# what comes meanwhile, and what came before there was a child. A trap that only noted it for the
# loop around wait would come too late where the signal comes just before wait.
# shellcheck disable=SC2120 # the traps give one
_registry_lock_hand_on() {
  local rl_signal
  _registry_lock_got+=${1:+ $1} rl_interrupted=1
  [[ -n $rl_child && -z $_registry_lock_handing ]] || return 0
  while [[ -n $_registry_lock_got ]]; do
    _registry_lock_handing=1
    for rl_signal in $_registry_lock_got; do
      _registry_lock_got=${_registry_lock_got/" $rl_signal"/}
      _registry_lock_group_got "$rl_signal" || builtin kill -s "$rl_signal" "$rl_child" 2>/dev/null
    done
    _registry_lock_handing=
  done
  return 0
}

# _registry_lock_wait_child: status of rl_child; more than 128 also when a trap has run meanwhile.
_registry_lock_wait_child() { builtin wait "$rl_child" 2>/dev/null; }

# _registry_lock_forgotten PID: bash takes PID for a child that runs, and there is none: a trap that
# interrupts wait in the instant in which that has reaped PID makes bash forget it (trap.c,
# trap_handler), and to wait for it would be for ever. One that may not be signalled, as of another
# user, is there. A signal may end the look for it.
_registry_lock_forgotten() {
  local rl_running
  ! builtin kill -0 "$1" 2>/dev/null && _registry_lock_no_such_process "$1" || return 1
  until rl_running=$(builtin jobs -rp); do :; done
  [[ $'\n'$rl_running$'\n' == *$'\n'"$1"$'\n'* ]]
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

# _registry_lock_sentinel_end: it is no longer needed, and ends by itself.
_registry_lock_sentinel_end() {
  [[ -z $_registry_lock_watch ]] || exec 187>&-
}

# _registry_lock_group_got SIGNAL: the whole group got SIGNAL. The sentinel is sent another signal
# now and dies of that only if SIGNAL had not come first: Linux settles a death when the fatal
# signal is posted (kernel/signal.c, complete_signal), and of those that dump core takes the lowest.
# A wait that the next signal has interrupted tells nothing, and if bash has forgotten the sentinel
# then, SIGNAL is handed on.
_registry_lock_group_got() {
  local rl_probe=9 rl_death=0 rl_before=$_registry_lock_got # KILL
  [[ -n $_registry_lock_watch ]] || return 1
  [[ $1 != QUIT ]] || rl_probe=6 # ABRT
  if _registry_lock_my_child "$_registry_lock_watch" &&
    builtin kill "-$rl_probe" "$_registry_lock_watch" 2>/dev/null; then
    until
      rl_before=$_registry_lock_got
      { builtin wait "$_registry_lock_watch"; } 2>/dev/null
      rl_death=$?
      [[ $rl_before == "$_registry_lock_got" ]] ||
        ! builtin kill -0 "$_registry_lock_watch" 2>/dev/null
    do :; done
  else
    _registry_lock_died_of "$1" || rl_death=$((128 + rl_probe))
  fi
  exec 187>&-
  _registry_lock_sentinel
  [[ $rl_before == "$_registry_lock_got" ]] && ((rl_death != 128 + rl_probe))
}

# _registry_lock_died_of SIGNAL: the sentinel, which is not there any more, died of SIGNAL. Where
# its number is in use that isn't asked: wait could be for ever.
_registry_lock_died_of() {
  ! builtin kill -0 "$_registry_lock_watch" 2>/dev/null || return 1
  { builtin wait "$_registry_lock_watch"; } 2>/dev/null
  [[ $(builtin kill -l "$?" 2>/dev/null) == "$1" ]]
}
