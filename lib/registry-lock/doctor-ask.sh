# shellcheck shell=bash
# doctor-ask.sh: one start of procid for all that was found, and what its answers say.

# _registry_lock_self_later: _registry_lock_self; but where this process was not asked about yet, it
# begins here, holding nothing, and rl_myself is its number, which is asked with the others.
_registry_lock_self_later() {
  rl_myself=
  if _registry_lock_self_pid && ((_registry_lock_owner != rl_pid)); then
    _registry_lock_forget "$rl_pid"
    rl_myself=$rl_pid rl_id=
  else
    _registry_lock_self
  fi
}

# _registry_lock_self_told: who this process is, from the first of the answers. Where that names no
# living one, none of them is believed, and this process is asked about by itself.
_registry_lock_self_told() {
  local rl_answer=''
  builtin read -r rl_answer _ <"$rl_answers"
  case $rl_answer in gone | unknown) rl_answer= ;; esac
  if ! _registry_lock_id_valid "$rl_answer"; then
    rl_answers=/dev/null
    _registry_lock_ask "$rl_myself"
  fi
  _registry_lock_self_is "$rl_answer"
  rl_id=$_registry_lock_own_id
}

# _registry_lock_ask_all: asks about all that was found.
_registry_lock_ask_all() {
  builtin printf '%s' "${rl_myself:+$rl_myself$'\n'}" >"$rl_work/questions"
  rl_answers=/dev/null
  [[ -n $rl_id$rl_myself ]] || return 0
  _registry_lock_questions <"$rl_work/found" >>"$rl_work/questions"
  _registry_lock_answers_to_all
}

# _registry_lock_answers_to_all: rl_answers = a file with the answers of one procid to all
# questions, rl_myself before all others if it isn't empty. Without one to each of them, and a
# procid that ended with 0, it is empty, and each question is asked by itself.
_registry_lock_answers_to_all() {
  rl_answers=/dev/null
  if (_registry_lock_ask_in_bulk) >/dev/null 2>&1; then rl_answers=$rl_work/answers; fi
  [[ -z $rl_myself ]] || _registry_lock_self_told
}

# _registry_lock_questions: for each path of the list on standard input a line: a holder's token, or
# "PID ID" of another entry or of a slot, or an empty line. A name with a newline has none.
_registry_lock_questions() {
  local rl_pid='\([1-9][0-9]\{0,8\}\)' rl_id='\([a-z0-9_-]\{1,48\}\)'
  LC_ALL=C \command tr '\n\0' '?\n' | LC_ALL=C \command sed "
    s|.*/||
    t name
    :name
    s|^holder\.\($rl_pid\.$rl_id\.$rl_pid\)\$|\1|
    t
    s|^claim\.$rl_pid\.$rl_id\.$rl_pid\$|\1 \2|
    t
    s|^.*trial\.$rl_pid\.$rl_id\.$rl_pid\$|\1 \2|
    t
    s|^.*\.slot\.$rl_pid\.$rl_id\$|\1 \2|
    t
    s|.*||"
}

# _registry_lock_ask_in_bulk: status 0 where procid has answered all. It is given up when nothing
# has come for 5 seconds, and stopped where they would fill a disk; for a subshell, as is
# _registry_lock_ask_bounded.
_registry_lock_ask_in_bulk() {
  # shellcheck disable=SC2034 # in the eval
  local rl_ended='' rl_size rl_before=-1
  builtin eval 'until IFS= builtin read -r -t 5 rl_ended; do
    rl_size=$(\command wc -c <"$rl_work/answers")
    ((rl_size != rl_before)) || builtin break
    rl_before=$rl_size
  done < <(
    builtin export REGISTRY_LOCK_TENANT GOMAXPROCS=1
    builtin ulimit -S -f 131072
    \command "${REGISTRY_LOCK_PROCID:-procid}" --why - <"$rl_work/questions" >"$rl_work/answers"
    builtin printf "ended %s\n" "$?")'
  [[ $rl_ended == 'ended 0' ]] &&
    (($(\command wc -l <"$rl_work/answers") == $(\command wc -l <"$rl_work/questions")))
}

# _registry_lock_judge_known: the same, and rl_why, from the answer that was given in bulk to the
# token.
_registry_lock_judge_known() {
  local rl_said=${rl_known_answer#* }
  rl_verdict=unknown rl_why=${rl_said%% *} rl_orphan=
  case $rl_known_answer in
    "$rl_hid $rl_why") rl_verdict=alive ;;
    "unknown $rl_why") ;;
    "gone $rl_why end "*[0123456789]) rl_verdict=gone ;;
    "gone $rl_why "*) _registry_lock_judge_carried "${rl_said#* }" ;;
    *) rl_why=no-answer ;;
  esac
  case $rl_why in '' | *[!abcdefghijklmnopqrstuvwxyz-]*) rl_verdict=unknown rl_why=no-answer ;; esac
}

# _registry_lock_judge_carried CARRIERS: its part where there may be any.
_registry_lock_judge_carried() {
  rl_verdict=gone
  _registry_lock_carriers "$1"
  case ${rl_orphans:+orphans}/$1 in
    orphans/*) rl_verdict=orphaned rl_why=orphans ;;
    /unknown) ;;
    *) rl_verdict=unknown rl_why=no-answer ;;
  esac
}

# _registry_lock_tell_usual: tells of the lock whose holder's entry rl_path is, where all of it is
# as this library makes it and nothing is to be done: in a fraction of the time that any other
# takes. Else status 1, and nothing was told.
_registry_lock_tell_usual() {
  rl_entry=${rl_path##*/} rl_token=$rl_known_question rl_lock=${rl_path%/*}
  [[ $rl_entry == "holder.$rl_token" && $rl_lock != *.slot.* && $rl_opt_depth == 999999999 ]] ||
    return 1
  builtin set -- "$rl_lock"/*
  [[ $# == 1 && $1 == "$rl_path" && -f $1 && ! -L $1 && ! -L $rl_lock ]] || return 1
  { builtin read -r -d '' -n 200 <"$1"; } 2>/dev/null
  rl_hid=${rl_token%.*} rl_kind=holder rl_state=entry rl_orphans='' rl_blind=''
  rl_hpid=${rl_hid%%.*} rl_hid=${rl_hid#*.}
  [[ $REPLY == *$'\npid '"$rl_hpid"$'\n'* ]] && _registry_lock_entry_usual "$REPLY" || return 1
  _registry_lock_judge_known
  case $rl_verdict$rl_opt_fix in alive* | gone) ;; *) return 1 ;; esac
  _registry_lock_classify
  _registry_lock_held_text "$rl_lock"
  _registry_lock_finding lock
}
