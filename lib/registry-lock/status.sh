# shellcheck shell=bash
# status.sh: what is known of a lock, for people and as JSON.

# _registry_lock_status_command [--json] LOCK...: see registry_lock_status.
_registry_lock_status_command() {
  local rl_opt_json='' rl_operands rl_taken rl_pid rl_id rl_one rl_status=0
  _registry_lock_options 'json:j' "$@" || return $?
  ((${#rl_operands[@]})) || {
    _registry_lock_usage 'usage: registry-lock status [--json] LOCK...'
    return $?
  }
  _registry_lock_self
  for rl_taken in "${rl_operands[@]}"; do
    _registry_lock_status_one "$rl_taken"
    rl_one=$?
    ((rl_one <= rl_status)) || rl_status=$rl_one
  done
  return "$rl_status"
}

# _registry_lock_status_one LOCK: status 0 free, 1 held by a live or unknown holder, 2 stale, 64.
_registry_lock_status_one() {
  local rl_lock rl_dir rl_name rl_state rl_entry rl_record rl_kind rl_hpid rl_hid rl_token rl_public
  local rl_host rl_since rl_command rl_verdict rl_why rl_text rl_error rl_next rl_waiters
  local rl_orphans rl_orphan rl_blind
  _registry_lock_path "$1" || return $?
  _registry_lock_inspect
  _registry_lock_waiters
  if [[ -n $rl_opt_json ]]; then
    _registry_lock_json_status
  else
    _registry_lock_text_status
  fi
  case $rl_public in
    free) return 0 ;;
    stale) return 2 ;;
  esac
  return 1
}

# _registry_lock_inspect: everything about rl_lock: rl_state and what hangs on it, rl_verdict,
# rl_why, rl_public (free, held, stale, unknown) and rl_next, the command to type next.
_registry_lock_inspect() {
  rl_host='' rl_since='' rl_command='' rl_verdict=unknown rl_why='' rl_kind='' rl_token=''
  _registry_lock_look "$rl_lock"
  case $rl_state in
    empty | foreign) _registry_lock_look "$rl_lock" ;; # a rename may have passed by
    free) ! _registry_lock_hidden || rl_state=closed ;;
  esac
  case $rl_state in
    entry | inside | beside)
      _registry_lock_describe
      _registry_lock_judge_entry
      _registry_lock_explain "$rl_hpid" "$rl_hid"
      [[ $rl_why/$rl_kind != running/claim ]] || rl_why=removing
      [[ $rl_why/$rl_kind != running/trial ]] || rl_why=judging
      ;;
    free) rl_verdict='' ;;
    empty) rl_why=no-record ;;
    foreign) rl_why=damaged ;;
    closed) rl_why=not-permitted ;;
    *) rl_why=not-a-lock ;;
  esac
  _registry_lock_classify
}

# _registry_lock_next_of_unknown: rl_next, where it can't be told what becomes of rl_lock.
_registry_lock_next_of_unknown() {
  local rl_word
  _registry_lock_quote rl_word "$rl_lock"
  _registry_lock_force_command
  case $rl_state/$rl_token in
    blocked/* | closed/*) rl_next="ls -ld $rl_word" ;;
    foreign/) rl_next="ls -la $rl_word" ;;
  esac
}

# _registry_lock_hidden: a folder on the way to rl_lock is closed to this user: what is not seen
# there is not known to be free.
_registry_lock_hidden() {
  local rl_path=$rl_dir
  until [[ -z $rl_path || -e $rl_path ]]; do rl_path=${rl_path%/*}; done
  [[ -d ${rl_path:-/} && ! -x ${rl_path:-/} ]]
}

# _registry_lock_classify: rl_public and rl_next from rl_state, rl_verdict and rl_why.
_registry_lock_classify() {
  rl_public=held rl_next="ps -fp $rl_hpid"
  [[ $rl_state/$rl_verdict/$rl_why == entry/alive/running ]] || _registry_lock_classify_otherwise
}

# _registry_lock_classify_otherwise: its part where no running process holds it by an entry.
_registry_lock_classify_otherwise() {
  local rl_word
  case $rl_verdict in
    '') rl_public=free ;;
    alive | orphaned) ;;
    gone) rl_public=stale ;;
    *) rl_public=unknown ;;
  esac
  case $rl_state in
    entry | inside | beside) ;;
    foreign) rl_hpid='' rl_hid='' rl_host='' rl_token=$rl_entry ;;
    *) rl_hpid='' rl_hid='' rl_host='' rl_token='' ;;
  esac
  case $rl_public/$rl_why in
    free/*) rl_next='' ;;
    held/orphans) rl_next="ps -fp $rl_orphan" ;;
    held/stopped) rl_next="kill -CONT $rl_hpid" ;;
    held/*) ;;
    stale/*)
      _registry_lock_quote rl_word "$rl_lock"
      rl_next="registry-lock break $rl_word"
      ;;
    *) _registry_lock_next_of_unknown ;;
  esac
}

# _registry_lock_waiters: rl_waiters = the pids of the live processes that wait for rl_lock.
_registry_lock_waiters() {
  local rl_slot rl_wpid rl_wid rl_verdict rl_why
  rl_waiters=()
  for rl_slot in "$rl_lock".slot.*; do
    if _registry_lock_slot_split "$rl_slot" && [[ -d $rl_slot/$rl_name ]]; then
      _registry_lock_judge "$rl_wpid" "$rl_wid" "${HOSTNAME-}"
      [[ $rl_verdict != alive ]] || rl_waiters+=("$rl_wpid")
    fi
  done
}

# _registry_lock_slot_split PATH: a slot's PID and ID into rl_wpid and rl_wid; the lock's name may
# hold anything.
_registry_lock_slot_split() {
  rl_wid=${1##*.} rl_wpid=${1%.*} rl_wpid=${rl_wpid##*.}
  [[ $1 == *".slot.$rl_wpid.$rl_wid" ]] && _registry_lock_pid_valid "$rl_wpid" || return 1
  [[ -z $rl_wid ]] || _registry_lock_id_valid "$rl_wid"
}

# _registry_lock_scope: rl_scope = where the process in the entry lives or lived, one word, and
# rl_place_of = in words; empty where that isn't known.
_registry_lock_scope() {
  rl_scope=$rl_why rl_place_of=
  case $rl_verdict/$rl_why in
    gone/earlier-boot) rl_place_of='an earlier boot of this machine' ;;
    gone/earlier-container) rl_place_of='an earlier container of this tenant' ;;
    unknown/other-pid-namespace) rl_place_of='another container (pid namespace) of this machine' ;;
    unknown/other-time-namespace) rl_place_of='another container (time namespace)' ;;
    unknown/other-machine | unknown/other-host) rl_place_of='another machine' ;;
    unknown/other-boot) rl_place_of='another boot, of this machine or another' ;;
    unknown/other-source) rl_place_of='another operating system' ;;
    alive/* | orphaned/* | gone/*) rl_scope=here rl_place_of='this machine and pid namespace' ;;
    *) rl_scope= ;;
  esac
}

# _registry_lock_text_status: the lock for people, on standard output.
_registry_lock_text_status() {
  local rl_place rl_age='' rl_user='' rl_because rl_word rl_scope rl_place_of
  _registry_lock_plain rl_place "$rl_lock"
  if [[ $rl_public == free ]]; then
    builtin printf '%s: free\n' "$rl_place"
  else
    builtin printf '%s: %s\n' "$rl_place" "$rl_public"
    _registry_lock_because
    [[ -z $rl_hpid ]] || _registry_lock_text_holder
    _registry_lock_scope
    [[ -z $rl_scope ]] || builtin printf '  scope    %s\n' "$rl_place_of"
    builtin printf '  verdict  %s: %s\n' "$rl_verdict" "${rl_because#that process is gone: }"
    _registry_lock_quote rl_word "$rl_token"
    [[ -z $rl_token ]] || builtin printf '  token    %s\n' "$rl_word"
  fi
  ((${#rl_waiters[@]} == 0)) || builtin printf '  waiters  %s\n' "${rl_waiters[*]}"
  [[ -z $rl_next ]] || builtin printf '  next     %s\n' "$rl_next"
}

# _registry_lock_text_holder: its line of _registry_lock_text_status.
_registry_lock_text_holder() {
  local rl_what=holder
  [[ $rl_kind == holder ]] || rl_what=remover
  [[ $rl_verdict != alive ]] || _registry_lock_user_of "$rl_hpid"
  _registry_lock_age "$rl_since"
  builtin printf '  %-8s process %s%s%s%s%s\n' "$rl_what" "$rl_hpid" \
    "${rl_command:+ ($rl_command)}" "${rl_user:+, user $rl_user}" \
    "${rl_host:+, on $rl_host}" "${rl_since:+, since $rl_since}${rl_age:+ ($rl_age ago)}"
}

# _registry_lock_age SINCE: rl_age = how long ago that was, in its two largest units; empty where
# SINCE isn't RFC 3339 in UTC, or lies ahead.
_registry_lock_age() {
  local rl_utc rl_then rl_span
  rl_age=
  _registry_lock_utc
  _registry_lock_epoch rl_then "$1" && _registry_lock_epoch rl_span "$rl_utc" || return 0
  ((rl_span -= rl_then)) || builtin :
  if ((rl_span < 0)); then
    return 0
  elif ((rl_span < 3600)); then
    rl_age="$((rl_span / 60)) min $((rl_span % 60)) s"
  elif ((rl_span < 86400)); then
    rl_age="$((rl_span / 3600)) h $((rl_span / 60 % 60)) min"
  else
    rl_age="$((rl_span / 86400)) d $((rl_span / 3600 % 24)) h"
  fi
}

# _registry_lock_epoch VAR TIME: VAR = the seconds since 1970 of an RFC 3339 TIME in UTC, status 1
# where it is none. The days are counted in years that begin in March.
_registry_lock_epoch() {
  local rl_year rl_month rl_day
  [[ ${#2} == 20 && $2 == ????-??-??T??:??:??Z ]] || return 1
  [[ ${2//[-T:Z]/} != *[!0123456789]* ]] || return 1
  rl_year=$((10#${2:0:4})) rl_month=$((10#${2:5:2})) rl_day=$((10#${2:8:2}))
  ((rl_month > 2)) || ((rl_year -= 1, rl_month += 12))
  ((rl_day += (153 * rl_month - 457) / 5 - 719469)) || builtin :
  ((rl_day += 365 * rl_year + rl_year / 4 - rl_year / 100 + rl_year / 400)) || builtin :
  builtin printf -v "$1" '%d' \
    $((rl_day * 86400 + 10#${2:11:2} * 3600 + 10#${2:14:2} * 60 + 10#${2:17:2}))
}
