# shellcheck shell=bash
# process.sh: who this process is, and the one verdict about a recorded one. procid answers for
# entries with an identity; entries without one fall under the pid-only rule.

# _registry_lock_self: rl_pid and rl_id = this very process, a subshell being one of its own. What a
# parent holds is not held here (I6). rl_id is empty where no usable procid tells it.
_registry_lock_self() {
  _registry_lock_self_pid
  ((_registry_lock_owner == rl_pid)) || _registry_lock_bytes _registry_lock_self_id
  rl_id=$_registry_lock_own_id
}

# _registry_lock_self_id: this process begins, holding nothing.
_registry_lock_self_id() {
  local rl_answer=unknown
  _registry_lock_forget "$rl_pid"
  ! _registry_lock_self_pid || _registry_lock_ask "$rl_pid"
  [[ $rl_answer == gone || $rl_answer == unknown ]] || _registry_lock_own_id=$rl_answer
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
  _registry_lock_owner=$1 _registry_lock_own_id='' _registry_lock_count=0 _registry_lock_hung=0
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
  rl_said=$(_registry_lock_ask_bounded "$@")
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
    return 0
  fi
  builtin eval 'IFS= builtin read -r -d "" -n 8000 -t 5 rl_output < <(
    builtin unset -f exec
    \exec 2>/dev/null </dev/null
    builtin export REGISTRY_LOCK_TENANT
    \command "${REGISTRY_LOCK_PROCID:-procid}" "$@"
    builtin printf " %s" "$?")'
  case $? in
    0) rl_output+=' long' ;;
    1) ;;
    *) rl_output+=' hung' ;;
  esac
  builtin printf '%s' "$rl_output"
}

# _registry_lock_ask_and_wait ARG...: its work from bash 4.4 on.
_registry_lock_ask_and_wait() {
  builtin eval 'IFS= builtin read -r -d "" -n 8000 -t 5 rl_output < <(
    builtin unset -f exec
    \exec 2>/dev/null </dev/null
    builtin export REGISTRY_LOCK_TENANT
    \exec "${REGISTRY_LOCK_PROCID:-procid}" "$@")'
  case $? in
    0) rl_output+='  long' ;;
    1)
      builtin wait "$!"
      rl_output+=" $?"
      ;;
    *) rl_output+='  hung' ;;
  esac
  builtin printf '%s' "$rl_output"
}

# _registry_lock_judge PID ID HOST: rl_verdict = alive, gone or unknown; rl_why = one word on it
# where that needs no question. The one verdict: everything that waits, removes or reports asks
# here. "gone" is for ever; "unknown" is evidence of nothing.
_registry_lock_judge() {
  local rl_answer
  rl_verdict=unknown rl_why=damaged
  _registry_lock_pid_valid "$1" || return 0
  if [[ -z $2 ]]; then
    _registry_lock_judge_pid "$1" "$3"
    return 0
  fi
  rl_why=no-procid
  [[ -n $rl_id ]] || return 0
  _registry_lock_ask "$1" "$2"
  rl_why=no-answer
  case $rl_answer in
    gone) rl_verdict=gone rl_why=not-running ;;
    "$2") rl_verdict=alive rl_why=running ;;
  esac
}

# _registry_lock_judge_entry: the verdict about the entry in rl_kind, rl_hpid, rl_hid, rl_token and
# rl_host: _registry_lock_judge's, or "orphaned": its holder is gone, but programs that were started
# under the lock still run.
_registry_lock_judge_entry() {
  rl_orphans='' rl_blind=''
  if [[ -n ${rl_known_answer-} && $rl_known_question == "$rl_token" && $rl_kind == holder ]]; then
    _registry_lock_judge_known
    return 0
  fi
  _registry_lock_judge "$rl_hpid" "$rl_hid" "$rl_host"
  [[ $rl_verdict == gone && $rl_kind == holder && -n $rl_hid && -n $rl_id ]] || return 0
  _registry_lock_orphans "$rl_token"
  [[ -z $rl_orphans ]] || rl_verdict=orphaned rl_why=orphans
}

# _registry_lock_orphans TOKEN: rl_orphans = the live processes that have TOKEN in their
# environment, as "PID (NAME), ...", rl_orphan = the first one's pid; rl_blind = 1 where that can't
# be seen here.
_registry_lock_orphans() {
  local rl_said
  rl_orphan=
  rl_said=$(_registry_lock_ask_bounded --carriers "$1")
  rl_said=${rl_said//$'\n'/ }
  _registry_lock_carriers "${rl_said%  0}"
  [[ $rl_said == *'  0' ]] || rl_blind=1
}

# _registry_lock_carriers TEXT: its part, from "PID NAME ... end N".
_registry_lock_carriers() {
  local rl_rest=$1 rl_name
  rl_blind=1
  while [[ $rl_rest == *' '*' '* ]] && _registry_lock_pid_valid "${rl_rest%% *}"; do
    rl_orphan=${rl_orphan:-${rl_rest%% *}} rl_name=${rl_rest#* }
    _registry_lock_plain rl_name "${rl_rest%% *} (${rl_name%% *})"
    rl_orphans+=${rl_orphans:+, }$rl_name rl_rest=${rl_rest#* * }
  done
  [[ $rl_rest != 'end '*[0123456789] ]] || rl_blind=
}

# _registry_lock_judge_pid PID HOST: rl_verdict under the pid-only rule: on this host, gone only if
# nothing has PID.
_registry_lock_judge_pid() {
  rl_why=other-host
  [[ -n $2 && $2 == "${HOSTNAME-}" ]] || return 0
  rl_verdict=alive rl_why=running
  ! builtin kill -0 "$1" 2>/dev/null || return 0
  if [[ -n $rl_id ]]; then
    _registry_lock_ask "$1"
    [[ $rl_answer == gone ]] || rl_answer=${rl_answer/#unknown/}
  elif _registry_lock_no_such_process "$1" && _registry_lock_unlisted "$1"; then
    rl_answer=gone
  fi
  case ${rl_answer-} in
    gone) rl_verdict=gone rl_why=not-running ;;
    '') rl_verdict=unknown rl_why=no-answer ;;
  esac
}

# _registry_lock_no_such_process PID: the shell's kill says ESRCH, not EPERM or anything else.
_registry_lock_no_such_process() {
  [[ $(LC_ALL=C builtin kill -0 "$1" 2>&1) == *'No such process'* ]]
}

# _registry_lock_unlisted PID: ps, which must list this very process to be believed, does not list
# PID.
_registry_lock_unlisted() {
  local rl_list
  rl_list=$(\command ps -A -o pid 2>/dev/null) || return 1
  rl_list=" ${rl_list//[!0123456789]/ } "
  [[ $rl_list == *" $rl_pid "* && $rl_list != *" $1 "* ]]
}

# _registry_lock_answers PID: something answers to that number.
_registry_lock_answers() { builtin kill -0 "$1" 2>/dev/null; }

# _registry_lock_may_live PID: something answers to that number, and Linux does not show it as a
# zombie. Evidence of nothing.
_registry_lock_may_live() {
  local rl_line=
  builtin kill -0 "$1" 2>/dev/null || return 1
  { IFS= builtin read -r -d '' rl_line </proc/"$1"/stat; } 2>/dev/null
  [[ ${rl_line##*')'} != ' Z'* ]]
}

# _registry_lock_explain PID ID: rl_why = why procid says what it says of that process, one word for
# messages; nothing is decided on it. It stays where procid has no word.
_registry_lock_explain() {
  local rl_said
  [[ -n $rl_id && -n $2 ]] || return 0
  if [[ -n ${rl_known_answer-} && $rl_known_question == "$1.$2".* ]]; then
    return 0 # _registry_lock_judge_known has done it
  elif [[ -n ${rl_known_answer-} && $rl_known_question == "$*" ]]; then
    _registry_lock_explained "$rl_known_answer"$'\n 0'
    return 0
  fi
  rl_said=$(_registry_lock_ask_bounded --why "$1" "$2")
  _registry_lock_explained "$rl_said"
}

# _registry_lock_explained TEXT: takes the reason out of procid's "VERDICT REASON", its status
# behind it, if the verdict is the one that was given.
_registry_lock_explained() {
  local rl_word=${1%$'\n 0'}
  [[ $1 == "$rl_verdict "*$'\n 0' || $rl_verdict/$1 == "alive/$rl_hid "*$'\n 0' ]] || return 0
  rl_word=${rl_word#* }
  case $rl_word in '' | *[!abcdefghijklmnopqrstuvwxyz-]*) return 0 ;; esac
  rl_why=$rl_word
}

# _registry_lock_user_of PID: rl_user = the name of its user, where ps tells it.
_registry_lock_user_of() {
  rl_user=$(\command ps -o user= -p "$1" 2>/dev/null) || rl_user=
  _registry_lock_plain rl_user "${rl_user// /}"
}
