# shellcheck shell=bash
# report.sh: every sentence that a user reads, from what others found out. All of it goes to
# standard error; nothing here asks or changes anything but "who may write there".

# _registry_lock_say TEXT: one message.
_registry_lock_say() {
  builtin printf 'registry-lock: %s\n' "$1" >&2
}

# _registry_lock_usage TEXT: a usage error; status 64.
_registry_lock_usage() {
  _registry_lock_say "$1"
  return 64
}

# _registry_lock_who: rl_who = the process of the entry in rl_hpid, rl_command, rl_host, rl_since.
_registry_lock_who() {
  rl_who="process $rl_hpid${rl_command:+ ($rl_command)}${rl_host:+ on $rl_host}${rl_since:+ since $rl_since}"
}

# _registry_lock_because: rl_because = what rl_verdict and rl_why mean for who waits.
_registry_lock_because() {
  case $rl_verdict/$rl_why in
    alive/stopped) rl_because="it is stopped; kill -CONT $rl_hpid lets it go on" ;;
    alive/*) rl_because='it is running, so this is contention' ;;
    gone/recycled) rl_because='that process is gone: its number was recycled, another process has it now' ;;
    gone/zombie) rl_because='that process has ended; its parent has not asked for its status yet' ;;
    gone/thread) rl_because="that process is gone: the number is only a thread's now" ;;
    gone/earlier-boot) rl_because='that process is gone: it belongs to an earlier boot of this machine' ;;
    gone/*) rl_because='that process is gone: it is not running' ;;
    *) _registry_lock_because_unknown ;;
  esac
}

# _registry_lock_because_unknown: rl_because, where it can't be told whether the holder lives.
_registry_lock_because_unknown() {
  local rl_where
  case $rl_why in
    other-pid-namespace) rl_where='it is recorded in another container (another pid namespace)' ;;
    other-time-namespace) rl_where='it is recorded in another container (another time namespace)' ;;
    other-machine) rl_where='it is recorded on another machine' ;;
    other-boot) rl_where='it is recorded on another machine, or in an earlier boot that can not be proven to be' ;;
    not-permitted | no-proc) rl_where='it is hidden from this user' ;;
    other-source | bad-id) rl_where='its identity is of a kind that is not known here' ;;
    *) _registry_lock_where_unknown ;;
  esac
  rl_because="$rl_where, so whether it lives can't be asked from here"
}

# _registry_lock_where_unknown: rl_where, where procid gave no reason.
_registry_lock_where_unknown() {
  if [[ -z $rl_id && -n $rl_hid ]]; then
    rl_where='there is no working procid on PATH'
  elif [[ -z $rl_hid && $rl_host != "${HOSTNAME-}" ]]; then
    rl_where='it is recorded on another machine'
  else
    rl_where='procid gives no answer about it'
  fi
}

# _registry_lock_held_text LOCK: rl_text = LOCK's state as _registry_lock_look and _registry_lock_judge
# found it, in one sentence.
_registry_lock_held_text() {
  local rl_who rl_because rl_place
  _registry_lock_plain rl_place "$1"
  _registry_lock_who
  _registry_lock_because
  case $rl_state/$rl_kind in
    entry/claim) rl_text="$rl_place: $rl_who is removing a dead holder's lock; $rl_because" ;;
    entry/*) rl_text="$rl_place is held by $rl_who; $rl_because" ;;
    empty/*) rl_text="$rl_place has no holder recorded: an empty directory, not made by this library or made by an older script; it is left alone" ;;
    foreign/*) rl_text="$rl_place is not a lock of this library: its record names no usable process; it is left alone" ;;
    closed/*) rl_text="$rl_place can't be looked into by uid $EUID; it is left alone" ;;
    *) rl_text="$rl_place is taken" ;;
  esac
}

# _registry_lock_next LOCK: rl_next = the command that shows more.
_registry_lock_next() {
  _registry_lock_quote rl_next "$1"
  rl_next="registry-lock status $rl_next"
}

# _registry_lock_say_gave_up LOCK MILLISECONDS: the time was up.
_registry_lock_say_gave_up() {
  local rl_text rl_next rl_seconds
  _registry_lock_held_text "$1"
  _registry_lock_next "$1"
  builtin printf -v rl_seconds '%d.%03d' $(($2 / 1000)) $(($2 % 1000))
  while [[ $rl_seconds == *.*0 ]]; do rl_seconds=${rl_seconds%0}; done
  _registry_lock_say "$rl_text. Gave up after ${rl_seconds%.} s. To look: $rl_next"
}

# _registry_lock_say_waiting LOCK: the one line while waiting.
_registry_lock_say_waiting() {
  local rl_text
  [[ ${REGISTRY_LOCK_QUIET-} != 1 ]] || return 0
  _registry_lock_held_text "$1"
  _registry_lock_say "waiting: $rl_text"
}

# _registry_lock_say_broke LOCK: whose entry was removed, and what proved it.
_registry_lock_say_broke() {
  local rl_who rl_because rl_place
  _registry_lock_plain rl_place "$1"
  _registry_lock_who
  _registry_lock_because
  _registry_lock_say "$rl_place: removed the ${rl_kind/#holder/lock} of $rl_who; $rl_because"
}

# _registry_lock_say_lost LOCK: the caller no longer owns what it took. rl_stranger is where somebody
# else's lock is that was moved and put back.
_registry_lock_say_lost() {
  local rl_place rl_next rl_found
  _registry_lock_plain rl_place "$1"
  _registry_lock_next "$1"
  _registry_lock_say "$rl_place was taken from this process (pid $rl_pid): it is not its lock any more; nothing was touched. To look: $rl_next"
  [[ -n ${rl_stranger-} ]] || return 0
  _registry_lock_plain rl_found "$rl_stranger"
  _registry_lock_say "$rl_place was removed by hand just then; the lock of another process was moved and is now at $rl_found. Use registry-lock break, never rm -r"
}

# _registry_lock_say_refused LOCK DIR: the system does not let LOCK be made or moved (rl_error), and
# who may write in DIR.
_registry_lock_say_refused() {
  local rl_place rl_parent rl_reason
  _registry_lock_plain rl_place "$1"
  _registry_lock_plain rl_parent "$2"
  _registry_lock_plain rl_reason "${rl_error##*: }"
  _registry_lock_say "$rl_place can't be made or removed here: ${rl_reason:-the system gives no reason} (the directory $rl_parent is ${rl_owner:-not there}; I am uid $EUID)"
}
