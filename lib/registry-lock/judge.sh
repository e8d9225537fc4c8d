# shellcheck shell=bash
# judge.sh: the one verdict about a recorded process. procid answers for entries with an identity;
# entries without one fall under the pid-only rule.

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
  [[ $rl_verdict == gone && $rl_kind == holder && -n $rl_hid ]] || return 0
  if ! _registry_lock_orphans "$rl_token"; then
    rl_verdict=unknown rl_why=no-answer
  elif [[ -n $rl_orphans ]]; then
    rl_verdict=orphaned rl_why=orphans
  fi
}

# _registry_lock_orphans TOKEN: of a gone holder's TOKEN, rl_orphans = the live processes that have
# it in their environment, as "PID (NAME), ...", rl_orphan = the first one's pid; rl_blind = 1 where
# that can't be seen here; rl_why. Status 1 where procid gave no answer, which is no proof that
# there are none.
_registry_lock_orphans() {
  local rl_said
  rl_orphan=
  rl_said=$(_registry_lock_ask_bounded --why "$1")
  [[ $rl_said == 'gone '*' '*$'\n 0' ]] || return 1
  rl_said=${rl_said%$'\n 0'} rl_said=${rl_said#gone }
  _registry_lock_explained "gone ${rl_said%% *}"$'\n 0'
  rl_said=${rl_said#* }
  _registry_lock_carriers "$rl_said"
  [[ -z $rl_blind || $rl_said == unknown ]]
}

# _registry_lock_carriers TEXT: its part, from "PID NAME ... end N".
_registry_lock_carriers() {
  local rl_rest=$1 rl_program
  rl_blind=1
  while [[ $rl_rest == *' '*' '* ]] && _registry_lock_pid_valid "${rl_rest%% *}"; do
    rl_orphan=${rl_orphan:-${rl_rest%% *}} rl_program=${rl_rest#* }
    _registry_lock_plain rl_program "${rl_rest%% *} (${rl_program%% *})"
    rl_orphans+=${rl_orphans:+, }$rl_program rl_rest=${rl_rest#* * }
  done
  [[ $rl_rest != 'end '*[0123456789] ]] || rl_blind=
}

# _registry_lock_judge_pid PID HOST: rl_verdict under the pid-only rule: on this host, gone only if
# nothing has PID.
_registry_lock_judge_pid() {
  rl_why=no-host
  [[ -n $2 ]] || return 0
  rl_why=other-host
  [[ $2 == "${HOSTNAME-}" ]] || return 0
  rl_verdict=alive rl_why=running
  ! builtin kill -0 "$1" 2>/dev/null || return 0
  if [[ -n $rl_id ]]; then
    _registry_lock_ask "$1"
    rl_answer=${rl_answer/#unknown/}
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

# _registry_lock_explain PID ID: rl_why = why procid says what it says of that process, one word for
# messages; nothing is decided on it. It stays where procid has no word, and where the holder is
# gone, since _registry_lock_orphans was told.
_registry_lock_explain() {
  local rl_said
  [[ -n $rl_id && -n $2 && $rl_verdict/${rl_kind-} != gone/holder ]] || return 0
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
