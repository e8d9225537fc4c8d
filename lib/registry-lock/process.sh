# shellcheck shell=bash
# process.sh: who this process is, and what can be asked about another one.

# _registry_lock_self: rl_pid and rl_id = this very process, a subshell being one of its own. What a
# parent holds is not held here (I6). rl_id is empty where no usable procid tells it.
_registry_lock_self() {
  [[ ${BASH_VERSINFO[0]} -ge 4 && $BASHPID == "$_registry_lock_shell" ]] || _registry_lock_self_anew
  rl_pid=$_registry_lock_owner rl_id=$_registry_lock_own_id
}

# _registry_lock_self_anew: its work, where this shell has not asked before.
_registry_lock_self_anew() {
  _registry_lock_self_pid
  ((_registry_lock_owner == rl_pid)) || _registry_lock_bytes _registry_lock_self_id
  ((BASH_VERSINFO[0] < 4)) || _registry_lock_shell=$BASHPID
}

# _registry_lock_self_id: this process begins, holding nothing. One that the library started itself
# (rl_alone) asks without a process between: its $! is nobody's, and no trap can strike in read -t.
_registry_lock_self_id() {
  local rl_answer=unknown
  _registry_lock_forget "$rl_pid"
  ! _registry_lock_self_pid || _registry_lock_ask "$rl_pid"
  _registry_lock_self_is "$rl_answer"
}

# _registry_lock_self_is ANSWER: procid said that of this process.
_registry_lock_self_is() {
  [[ $1 == gone || $1 == unknown ]] || _registry_lock_own_id=$1
  [[ -n $_registry_lock_own_id ]] || _registry_lock_count_from
}

# _registry_lock_count_from: without an identity the count of acquisitions begins with the time, so
# that a token of a number's earlier process does not come again.
_registry_lock_count_from() {
  local rl_wall
  _registry_lock_wall
  _registry_lock_count=$((rl_wall / 1000 % 1000000000))
}

# _registry_lock_self_pid: rl_pid = the process that runs this, as the system numbers it; status 1
# where only the shell's number is known. windows.sh has another.
_registry_lock_self_pid() { _registry_lock_shell_pid; }

# _registry_lock_system_pid VAR PID: VAR = the system's number of what a shell calls PID; empty
# where that isn't known. windows.sh has another.
_registry_lock_system_pid() { builtin printf -v "$1" %s "$2"; }

# _registry_lock_shell_pid: rl_pid = the process that runs this; before bash 4 a child's parent.
_registry_lock_shell_pid() {
  if ((BASH_VERSINFO[0] >= 4)); then
    rl_pid=$BASHPID # bash 3.2 takes the other branch
  else
    # shellcheck disable=SC2016 # for the child to expand
    rl_pid=$(BASH_ENV='' builtin exec "$BASH" -c 'builtin echo "$PPID"')
  fi
}

# _registry_lock_forget PID: the state of a process that holds nothing, and is PID.
_registry_lock_forget() {
  _registry_lock_owner=$1 _registry_lock_shell='' _registry_lock_own_id=''
  _registry_lock_count=0 _registry_lock_hung=0
  _registry_lock_locks=() _registry_lock_tokens=() _registry_lock_slots=() _registry_lock_states=()
  _registry_lock_kept='' _registry_lock_exit='' _registry_lock_error='' _registry_lock_leaving=''
  _registry_lock_busy='' _registry_lock_woke='' _registry_lock_woke_at=0 _registry_lock_recent=()
  _registry_lock_unlimited='' _registry_lock_budget='' _registry_lock_budget_of=''
  _registry_lock_now_at=0
  _registry_lock_temp='' _registry_lock_seed=$1
}

# _registry_lock_ask ARG...: rl_answer = procid's word on ARG..., or "unknown": an answer counts
# only when procid ended with 0 within 5 seconds and printed exactly one valid word. One that hung
# three times is not asked again. What was asked in bulk is in rl_known_question and
# rl_known_answer.
_registry_lock_ask() {
  local rl_said
  rl_answer=unknown
  if [[ -n ${rl_known_answer-} && $rl_known_question == "$*" ]]; then
    ! _registry_lock_id_valid "${rl_known_answer% *}" || rl_answer=${rl_known_answer% *}
    return 0
  fi
  ((_registry_lock_hung < 3)) || return 0
  if [[ -n ${rl_alone-} ]]; then
    _registry_lock_ask_alone "$@"
  else
    rl_said=$(_registry_lock_ask_bounded "$@")
  fi
  if [[ $rl_said == *' hung' ]]; then
    ((_registry_lock_hung += 1))
  elif [[ $rl_said == *$'\n 0' ]] && _registry_lock_id_valid "${rl_said%$'\n 0'}"; then
    rl_answer=${rl_said%$'\n 0'}
  fi
}

# _registry_lock_ask_bounded ARG...: prints what procid prints, a blank and its status; "hung" or
# "long" behind it where that is not all. One that hangs keeps no standard stream of the caller
# open. Only for $(…): a process substitution sets $!, which is the caller's. The eval keeps one
# from the parser, since posix mode knows none before bash 5.1. Its status can be had by wait from
# bash 4.4 on; before, one process more prints it.
_registry_lock_ask_bounded() {
  local rl_output=''
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    _registry_lock_ask_and_wait "$@"
    builtin printf '%s' "$rl_output"
    return 0
  fi
  builtin eval 'IFS= builtin read -r -d "" -n 8000 -t 5 rl_output < <(
    builtin unset -f exec
    \exec 2>/dev/null </dev/null
    builtin export REGISTRY_LOCK_TENANT GOMAXPROCS=1
    \command "${REGISTRY_LOCK_PROCID:-procid}" "$@"
    builtin printf " %s" "$?")'
  case $? in
    0) rl_output+=' long' ;;
    1) ;;
    *) rl_output+=' hung' ;;
  esac
  builtin printf '%s' "$rl_output"
}

# _registry_lock_ask_alone ARG...: the same for a process whose $! is nobody's: rl_said = what would
# be printed.
_registry_lock_ask_alone() {
  local rl_output=''
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    _registry_lock_ask_and_wait "$@"
    rl_said=$rl_output
  else
    rl_said=$(_registry_lock_ask_bounded "$@")
  fi
}

# _registry_lock_ask_and_wait ARG...: its work from bash 4.4 on, in rl_output. Where bash has lost
# the status it is asked again, three times in all.
_registry_lock_ask_and_wait() {
  local rl_try
  for ((rl_try = 0; rl_try < 3; rl_try++)); do
    builtin eval 'IFS= builtin read -r -d "" -n 8000 -t 5 rl_output < <(
      builtin unset -f exec
      \exec 2>/dev/null </dev/null
      builtin export REGISTRY_LOCK_TENANT GOMAXPROCS=1
      \exec "${REGISTRY_LOCK_PROCID:-procid}" "$@")'
    case $? in
      0) rl_output+='  long' ;;
      1) _registry_lock_ask_status "$!" ;;
      *) rl_output+='  hung' ;;
    esac
    case $rl_output in *' -1' | *$'\n 127') ;; *) return 0 ;; esac
  done
}

# _registry_lock_ask_status PID: its status, behind what it printed. Bash may lose that of a process
# that ends before it is in a list of bash's (subst.c, process_substitute); wait ends with -1 then,
# or with 127, as for one that is no child (jobs.c, wait_for).
_registry_lock_ask_status() {
  builtin wait "$1"
  rl_output+=" $?"
}

# _registry_lock_watcher PID ID FIFO: rl_watcher = a procid of this process that writes to FIFO what
# it says of that process, and "gone" when that has ended; none where its end can't be told. It
# carries no token, and ends when nobody has FIFO open.
_registry_lock_watcher() {
  [[ -r /proc/$1/stat ]] || return 0
  (
    builtin unset -f exec
    builtin export -n REGISTRY_LOCK_TOKENS
    builtin export REGISTRY_LOCK_TENANT "GOMAXPROCS=1"
    \exec "${REGISTRY_LOCK_PROCID:-procid}" --wait "$1" "$2" </dev/null >"$3"
  ) &
  rl_watcher=$!
}

# _registry_lock_unwatch [STATUS]: ends rl_watcher, and waits for that. Status STATUS.
_registry_lock_unwatch() {
  if [[ -n $rl_watcher ]]; then
    ! _registry_lock_my_child "$rl_watcher" || builtin kill -KILL "$rl_watcher"
    builtin wait "$rl_watcher"
    rl_watcher=''
  fi
  return "${1-0}"
}

# _registry_lock_answers PID: something answers to that number; else the shell says why not.
_registry_lock_answers() { builtin kill -0 "$1"; }

# _registry_lock_may_live PID: something answers to that number, and Linux does not show it as a
# zombie. Evidence of nothing.
_registry_lock_may_live() {
  local rl_line
  if { builtin read -r rl_line </proc/"$1"/stat; } 2>/dev/null; then
    [[ $rl_line != *') Z '* ]]
  else
    builtin kill -0 "$1" 2>/dev/null
  fi
}

# _registry_lock_my_child PID: PID is a child of this process, alive or a zombie. bash reaps one at
# once, and then its number may be anybody's.
_registry_lock_my_child() {
  local rl_stat='' rl_pid
  _registry_lock_shell_pid
  if { builtin read -r rl_stat <"/proc/$1/stat"; } 2>/dev/null; then
    [[ ${rl_stat##*) } == ?" $rl_pid "* ]]
  else
    rl_stat=$(\command ps -o ppid= -p "$1" 2>/dev/null)
    [[ ${rl_stat//[!0123456789]/} == "$rl_pid" ]]
  fi
}
