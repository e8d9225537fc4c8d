# shellcheck shell=bash
# lease-tell.sh: what is said of leases, one by one and in lists.

# _registry_lock_lease_who: rl_who = the anchor that the record names, and what it is for;
# rl_because = whether it lives; rl_next = what removes the record.
_registry_lock_lease_who() {
  local rl_age='' rl_shown
  _registry_lock_explain "$rl_hpid" "$rl_hid"
  _registry_lock_because
  _registry_lock_age "$rl_since"
  _registry_lock_who
  [[ -n $rl_hpid ]] || rl_who='nobody that could be asked'
  rl_who+=${rl_age:+ ($rl_age ago)}
  _registry_lock_plain rl_shown "$rl_session"
  rl_who+=${rl_shown:+, session $rl_shown}
  _registry_lock_plain rl_shown "$rl_identity"
  rl_who+=${rl_shown:+, worktree $rl_shown}
  _registry_lock_quote rl_next "$rl_file"
  _registry_lock_quote rl_shown "$rl_token"
  if [[ -n $rl_token ]]; then
    rl_next="registry-lock lease release $rl_next $rl_shown"
  else
    rl_next="ls -ld $rl_next"
  fi
}

# _registry_lock_lease_say_done: nothing but that a gone anchor's lease was taken over.
_registry_lock_lease_say_done() {
  local rl_who rl_because rl_next rl_place
  [[ -n ${rl_mine-} && $rl_found != free ]] || return 0
  _registry_lock_plain rl_place "$rl_file"
  _registry_lock_lease_who
  _registry_lock_say "$rl_place: took over the lease of $rl_who; $rl_because"
}

# _registry_lock_lease_say_held: another has it; status 75.
_registry_lock_lease_say_held() {
  local rl_who rl_because rl_next rl_place rl_end='To look: '
  _registry_lock_plain rl_place "$rl_file"
  _registry_lock_lease_who
  [[ -z $rl_token ]] || rl_end='The way out, if you know that nobody works under it: '
  [[ $rl_verdict != alive ]] || rl_end="The way out: let process $rl_hpid end, or, ${rl_end#*, }"
  case $rl_word in
    self) rl_because='that is this very anchor: refresh and release need its token' ;;
    other) rl_because+="; it is another worktree's" ;;
    stale_unverifiable) rl_because="its number is in use, and no identity is recorded" ;;
  esac
  _registry_lock_say "$rl_place is leased by $rl_who; $rl_because. $rl_end$rl_next"
  return 75
}

# _registry_lock_lease_say_differs: the token is not the recorded one; status 76.
_registry_lock_lease_say_differs() {
  local rl_place rl_recorded rl_offered
  _registry_lock_plain rl_place "$rl_file"
  _registry_lock_plain rl_recorded "${rl_token:-nothing}"
  _registry_lock_plain rl_offered "${rl_operands[1]}"
  if [[ -n $rl_token && $rl_token == "${rl_operands[1]}" ]]; then
    _registry_lock_say "$rl_place: an older script's record can't be refreshed; release it, then\
 claim"
  else
    _registry_lock_say "$rl_place: not yours, nothing was touched: recorded $rl_recorded, offered\
 $rl_offered"
  fi
  return 76
}

# _registry_lock_lease_say_refused: the system did not let FILE be changed; status 73.
_registry_lock_lease_say_refused() {
  local rl_place rl_reason
  _registry_lock_plain rl_place "$rl_file"
  _registry_lock_plain rl_reason "${rl_error##*: }"
  _registry_lock_say "$rl_place can't be changed and is as it was:\
 ${rl_reason:-the system gives no reason}"
  return 73
}

# _registry_lock_lease_show: FILE. Its lease for people. Status 0 free, 1 of a live anchor or one
# that can't be asked, 2 stale.
_registry_lock_lease_show() {
  local rl_who rl_place rl_next rl_because rl_age='' rl_shown
  _registry_lock_lease_mine
  _registry_lock_lease_read
  _registry_lock_lease_judge
  _registry_lock_plain rl_place "$rl_file"
  builtin printf '%s: %s\n' "$rl_place" "$rl_word"
  [[ $rl_word != free ]] || return 0
  _registry_lock_lease_who
  _registry_lock_age "$rl_since"
  [[ -z $rl_hpid ]] || builtin printf '  anchor   process %s%s%s%s\n' "$rl_hpid" \
    "${rl_command:+ ($rl_command)}" "${rl_host:+, on $rl_host}" \
    "${rl_since:+, since $rl_since}${rl_age:+ ($rl_age ago)}"
  _registry_lock_plain rl_shown "$rl_session"
  [[ -z $rl_shown ]] || builtin printf '  session  %s\n' "$rl_shown"
  _registry_lock_plain rl_shown "$rl_identity"
  [[ -z $rl_shown ]] || builtin printf '  worktree %s\n' "$rl_shown"
  builtin printf '  verdict  %s: %s\n' "$rl_verdict" "${rl_because#that process is gone: }"
  [[ -z $rl_token ]] || builtin printf '  token    %s\n' "$rl_token"
  builtin printf '  next     %s\n' "$rl_next"
  [[ $rl_verdict == gone ]] || return 1
  return 2
}

# _registry_lock_lease_list: DIR. A line for each lease below it: verdict, pid, token, file. All
# that procid is asked, who this process is too, it is asked in one start.
_registry_lock_lease_list() {
  local rl_work rl_answers rl_shown rl_myself
  if [[ ! -d $rl_file/. ]]; then
    _registry_lock_plain rl_shown "$rl_file"
    _registry_lock_usage "$rl_shown is not a directory"
    return $?
  fi
  _registry_lock_self_later
  rl_work=$(\command mktemp -d "${TMPDIR:-/tmp}/registry-lock.XXXXXX" 2>&1) || {
    _registry_lock_plain rl_error "${rl_work##*: }"
    _registry_lock_say "a list needs a folder for its work, and mktemp made none: $rl_error"
    return 73
  }
  _registry_lock_temp=$rl_work
  _registry_lock_arm
  _registry_lock_lease_files
  _registry_lock_lease_find <"$rl_work/found" >"$rl_work/list" 3>"$rl_work/questions"
  _registry_lock_answers_to_all
  _registry_lock_lease_tell_all <"$rl_work/list" 3<"$rl_answers"
  _registry_lock_discard "$rl_work"
  _registry_lock_temp=
  _registry_lock_disarm
}

# _registry_lock_lease_files: the small files below DIR, but those in slots.
_registry_lock_lease_files() {
  local rl_line rl_shown
  LC_ALL=C \command find -H "$rl_file" -type d -name '*.slot.*' -prune \
    -o -type f -size -9 -print0 >"$rl_work/found" 2>"$rl_work/errors" && return 0
  while IFS= builtin read -r rl_line; do
    [[ $rl_line != *': No such file or directory' ]] || continue
    _registry_lock_plain rl_shown "$rl_line"
    _registry_lock_say "the list is not complete: $rl_shown"
    return 0
  done <"$rl_work/errors"
}

# _registry_lock_lease_find: lists those of the files that hold a lease, and what procid is to be
# asked: first who this process and its anchor are. A bare number, or a line
# "pid N", is a lease where the file is called so.
_registry_lock_lease_find() {
  local rl_file rl_first
  _registry_lock_system_pid rl_apid "$rl_opt_pid"
  _registry_lock_pid_valid "$rl_apid" || rl_apid=$rl_pid
  builtin printf '%s\n' ${rl_myself:+"$rl_myself"} "$rl_apid" >&3
  while IFS= builtin read -r -d '' rl_file; do
    rl_first=
    { IFS= builtin read -r -n 64 rl_first <"$rl_file"; } 2>/dev/null
    case $rl_first/${rl_file##*/} in
      'registry-lease '* | 'graff-owner '* | \
        [0-9]*/*owner* | [0-9]*/*lease* | 'pid '*/*owner* | 'pid '*/*lease*) ;;
      *) continue ;;
    esac
    _registry_lock_lease_read
    builtin printf '%s\0%s\0' "$rl_file" "$rl_hpid${rl_hid:+ $rl_hid}"
    [[ -n $rl_hpid ]] || continue
    builtin printf '%s\n' "$rl_hpid${rl_hid:+ $rl_hid}" >&3
  done
}

# _registry_lock_lease_tell_all: reads the list and, from descriptor 3, the answers.
_registry_lock_lease_tell_all() {
  local rl_file rl_known_question=$rl_apid rl_known_answer=''
  [[ -z $rl_myself ]] || IFS= builtin read -r rl_known_answer <&3
  IFS= builtin read -r rl_known_answer <&3
  _registry_lock_lease_mine
  while IFS= builtin read -r -d '' rl_file && IFS= builtin read -r -d '' rl_known_question; do
    rl_known_answer=
    [[ -z $rl_known_question ]] || IFS= builtin read -r rl_known_answer <&3
    _registry_lock_lease_tell
  done
}

# _registry_lock_lease_tell: the line of rl_file, if it is there still.
_registry_lock_lease_tell() {
  local rl_shown
  _registry_lock_lease_read
  _registry_lock_lease_judge
  [[ $rl_word != free ]] || return 0
  _registry_lock_quote rl_shown "$rl_file"
  builtin printf '%-18s %10s %s %s\n' "$rl_word" "${rl_hpid:--}" "$rl_token" "$rl_shown"
}
