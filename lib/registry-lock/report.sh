# shellcheck shell=bash
# report.sh: every sentence that a user reads, from what others found out. All of it goes to
# standard error; nothing here asks or changes anything but "who may write there".

# _registry_lock_say TEXT: one message; where it can't be written nothing else depends on it.
_registry_lock_say() {
  builtin printf 'registry-lock: %s\n' "$1" >&2 || builtin :
}

# _registry_lock_usage TEXT: a usage error; status 64.
_registry_lock_usage() {
  _registry_lock_say "$1"
  return 64
}

# _registry_lock_who: rl_who = the process of the entry in rl_hpid, rl_command, rl_host, rl_since.
_registry_lock_who() {
  rl_who="process $rl_hpid${rl_command:+ ($rl_command)}${rl_host:+ on $rl_host}"
  rl_who+=${rl_since:+ since $rl_since}
}

# _registry_lock_because: rl_because = what rl_verdict and rl_why mean for who waits.
_registry_lock_because() {
  rl_because='it is running'
  [[ $rl_verdict == alive && $rl_why != stopped ]] || _registry_lock_because_not_running
}

# _registry_lock_because_not_running: its part for all others.
_registry_lock_because_not_running() {
  case $rl_verdict/$rl_why in
    alive/*) rl_because="it is stopped; kill -CONT $rl_hpid lets it go on" ;;
    orphaned/*)
      rl_because='the holder is gone, but what was started under this lock still runs'
      rl_because+=": $rl_orphans"
      ;;
    gone/recycled)
      rl_because='that process is gone: its number was recycled, another process has it now'
      ;;
    gone/zombie) rl_because='that process has ended; its parent has not asked for its status yet' ;;
    gone/thread) rl_because="that process is gone: the number is only a thread's now" ;;
    gone/earlier-boot)
      rl_because='that process is gone: it belongs to an earlier boot of this machine'
      ;;
    gone/earlier-container)
      rl_because='that process is gone: it belongs to an earlier container of this tenant'
      ;;
    gone/*) rl_because='that process is gone: it is not running' ;;
    *) _registry_lock_because_unknown ;;
  esac
}

# _registry_lock_because_unknown: rl_because, where it can't be told whether the holder lives.
_registry_lock_because_unknown() {
  case $rl_why in
    other-pid-namespace) rl_because='it is recorded in another container (another pid namespace)' ;;
    other-time-namespace)
      rl_because='it is recorded in another container (another time namespace)'
      ;;
    other-machine | other-host) rl_because='it is recorded on another machine' ;;
    no-host) rl_because='its record names neither an identity nor a machine' ;;
    other-boot)
      rl_because="it is recorded on another machine, or in an earlier boot that can't be proven"
      rl_because+=" to be this one's"
      ;;
    not-permitted | no-proc) rl_because='it is hidden from this user' ;;
    other-source | bad-id) rl_because='its identity is of a kind that is not known here' ;;
    no-procid) rl_because='there is no working procid on PATH' ;;
    no-record) rl_because='no holder is recorded' ;;
    damaged) rl_because='the record names no usable process' ;;
    not-a-lock) rl_because='a file or a link has that name, and no lock does' ;;
    *) rl_because='procid gives no answer about it' ;;
  esac
  case $rl_why in
    no-record | damaged | not-a-lock) rl_because+='; it is left alone' ;;
    *) rl_because+=", so whether it lives can't be asked from here" ;;
  esac
  case $rl_why in other-pid-namespace | other-boot | other-machine) ;; *) return 0 ;; esac
  rl_because+='; a container knows its own locks from before a restart if'
  rl_because+=' REGISTRY_LOCK_TENANT=NAME is set in it'
}

# _registry_lock_held_text LOCK: rl_text = LOCK's state as _registry_lock_look and
# _registry_lock_judge found it, in one sentence. Sets rl_because too.
_registry_lock_held_text() {
  local rl_who rl_place
  _registry_lock_plain rl_place "$1"
  _registry_lock_who
  _registry_lock_because
  rl_text="$rl_place is held by $rl_who; $rl_because"
  [[ $rl_state/$rl_kind == entry/holder ]] || _registry_lock_held_text_otherwise
  [[ $rl_verdict != gone || -z ${rl_stuck-} ]] ||
    rl_text+=", but it can't be removed by uid $EUID ($rl_stuck)"
}

# _registry_lock_held_text_otherwise: its part where no holder has it by an entry.
_registry_lock_held_text_otherwise() {
  case $rl_state/$rl_kind in
    empty/*)
      rl_text="$rl_place has no holder recorded: an empty directory, not made by this library"
      rl_text+=' or made by an older script; it is left alone'
      ;;
    foreign/*)
      rl_text="$rl_place is not a lock of this library, or damaged: the record names no usable"
      rl_text+=' process; it is left alone'
      ;;
    closed/*) rl_text="$rl_place can't be looked into by uid $EUID; it is left alone" ;;
    blocked/*) rl_text="$rl_place: a file or a link has that name, and no lock does" ;;
    */trial) rl_text="$rl_place: $rl_who is judging the record of an older script; $rl_because" ;;
    */claim) rl_text="$rl_place: $rl_who is removing a dead holder's lock; $rl_because" ;;
    *) rl_text="$rl_place is held by $rl_who, as an older script recorded; $rl_because" ;;
  esac
}

# _registry_lock_next LOCK: rl_next = the command that shows more.
_registry_lock_next() {
  _registry_lock_quote rl_next "$1"
  rl_next="registry-lock status $rl_next"
}

# _registry_lock_force_command: rl_next = what removes rl_lock whoever holds it.
_registry_lock_force_command() {
  local rl_word rl_end=
  _registry_lock_quote rl_word "$rl_lock"
  [[ -z $rl_token || $rl_state == empty ]] || _registry_lock_quote rl_end "$rl_token"
  [[ -z $rl_end || $rl_token != -* ]] || rl_word="-- $rl_word"
  rl_next="registry-lock break --force $rl_word${rl_end:+ $rl_end}"
}

# _registry_lock_say_gave_up LOCK MILLISECONDS: the time was up.
_registry_lock_say_gave_up() {
  local rl_text rl_next rl_seconds rl_because=
  _registry_lock_held_text "$1"
  _registry_lock_next "$1"
  builtin printf -v rl_seconds '%d.%03d' $(($2 / 1000)) $(($2 % 1000))
  while [[ $rl_seconds == *.*0 ]]; do rl_seconds=${rl_seconds%0}; done
  [[ $rl_because != 'it is running' || $rl_kind != holder ]] || rl_text+=', so this is contention'
  rl_text+=". Gave up after ${rl_seconds%.} s. To look: $rl_next"
  case $rl_state/$rl_verdict in
    empty/* | entry/unknown | inside/unknown | beside/unknown)
      _registry_lock_force_command
      rl_text+="; to remove it, if you know that nobody holds it: $rl_next"
      ;;
  esac
  _registry_lock_say "$rl_text"
}

# _registry_lock_say_ancestor LOCK: the lock is held above this process, by who started it.
_registry_lock_say_ancestor() {
  local rl_text
  _registry_lock_held_text "$1"
  rl_text+='. This program was started under that very lock and would wait for itself; release it'
  rl_text+=' there first, or start this one with: env -u REGISTRY_LOCK_TOKENS'
  _registry_lock_say "$rl_text"
}

# _registry_lock_say_waiting LOCK: the one line while waiting.
_registry_lock_say_waiting() {
  local rl_text
  [[ ${REGISTRY_LOCK_QUIET-} != 1 ]] || return 0
  _registry_lock_held_text "$1"
  _registry_lock_say "waiting: $rl_text"
}

# _registry_lock_say_broke LOCK: whose entry was removed, and what proved it. Sets rl_broke; says
# nothing with rl_silent.
_registry_lock_say_broke() {
  local rl_who rl_because rl_place
  _registry_lock_plain rl_place "$1"
  _registry_lock_who
  _registry_lock_because
  rl_broke=1
  [[ -z ${rl_silent-} ]] || return 0
  [[ -z ${rl_blind-} ]] ||
    rl_because+="; whether programs that it started still run can't be seen here"
  _registry_lock_say "$rl_place: removed the ${rl_kind/#holder/lock} of $rl_who; $rl_because"
}

# _registry_lock_say_lost LOCK: the caller no longer owns what it took. rl_stranger is where
# somebody else's lock is that was moved and put back.
_registry_lock_say_lost() {
  local rl_place rl_next rl_found rl_text
  _registry_lock_plain rl_place "$1"
  _registry_lock_next "$1"
  rl_text="$rl_place was taken from this process (pid $rl_pid): it is not its lock any more"
  _registry_lock_say "$rl_text; nothing was touched. To look: $rl_next"
  [[ -n ${rl_stranger-} ]] || return 0
  _registry_lock_plain rl_found "$rl_stranger"
  rl_text="$rl_place was removed by hand just then; the lock of another process was moved and is"
  _registry_lock_say "$rl_text now at $rl_found. Use registry-lock break, never rm -r"
}

# _registry_lock_say_refused LOCK DIR: the system does not let LOCK be made or moved (rl_error), and
# who may write in DIR.
_registry_lock_say_refused() {
  local rl_place rl_parent rl_reason rl_text
  _registry_lock_plain rl_place "$1"
  _registry_lock_plain rl_parent "$2"
  _registry_lock_plain rl_reason "${rl_error##*: }"
  rl_text="$rl_place can't be made or removed here: ${rl_reason:-the system gives no reason}"
  rl_text+=" (the directory $rl_parent is ${rl_owner:-not there}; I am uid $EUID)"
  _registry_lock_say "$rl_text"
}
