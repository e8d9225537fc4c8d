# shellcheck shell=bash
# queue.sh: those who wait for a lock, and whom its release wakes. It is only ever a hint: who owns
# the lock is decided by the one rename. It lies in the slots of those who wait, beside SLOT/NAME:
#   SLOT/NAME.wake     a FIFO, which its process reads while it waits; "." wakes it
#   SLOT/NAME.waits    not empty while it waits; as old as the wait. Whoever wakes it empties it
#   SLOT/NAME.wanted   there when others were seen to wait: its process wakes one when it releases
# A lost byte, a dead waiter and a killed holder are found by looking, fourteen times a second, or
# four times where procid watches the holder: it writes to the FIFO when that has ended.

# _registry_lock_queue SLOT/NAME: this process waits, and the holder knows. Status 1 where there are
# no FIFOs.
_registry_lock_queue() {
  _registry_lock_fifo "$1" || return 1
  [[ -s $1.waits ]] || { builtin printf '.\n' >"$1.waits"; } 2>/dev/null || return 1
  [[ $rl_state != entry ]] || _registry_lock_want "$rl_hpid.$rl_hid"
}

# _registry_lock_queue_leave SLOT/NAME: it waits no more.
_registry_lock_queue_leave() {
  [[ ! -s $1.waits ]] || { builtin : >"$1.waits"; } 2>/dev/null
  return 0
}

# _registry_lock_want PID.ID: the process that has rl_lock learns that others wait. Only in a slot
# of the same user, which nobody else can put anything in.
_registry_lock_want() {
  local rl_slot_of=$rl_lock.slot.$1
  [[ -O $rl_slot_of && ! -L $rl_slot_of && ! -e $rl_slot_of/$rl_name.wanted ]] || return 0
  builtin set -C
  { builtin : >"$rl_slot_of/$rl_name.wanted"; } 2>/dev/null
  builtin set +C
}

# _registry_lock_fifo SLOT/NAME: there is a FIFO, made at the first call in its slot; not tried
# again where none can be made, or small files can't be written.
_registry_lock_fifo() {
  [[ ! -p $1.wake || -L $1.wake ]] || return 0
  [[ -z $rl_no_fifo && -n $_registry_lock_unlimited ]] || return 1
  rl_error=$(_registry_lock_fifo_in_subshell "$1" 2>&1) && [[ -p $1.wake ]] && return 0
  rl_no_fifo=1
  return 1
}

# _registry_lock_fifo_in_subshell SLOT/NAME: its work, whatever the umask.
_registry_lock_fifo_in_subshell() {
  builtin umask u=rwx
  builtin : >"$1.waits" && builtin : >"$1.wanted" && \command mkfifo -m 600 -- "$1.wake"
}

# _registry_lock_await SLOT/NAME: waits to be woken, in a subshell (see _registry_lock_nap) that
# then becomes the mv that places the lock; one whose shell was killed ends at its next look. That
# the process of the entry has ended is a reason to ask.
_registry_lock_await() {
  local rl_parent
  ((BASH_VERSINFO[0] < 4)) || rl_parent=$BASHPID
  rl_parent=${rl_parent:-$rl_pid} rl_paused=$rl_left
  _registry_lock_busy=$rl_slot
  rl_error=$(_registry_lock_woken "$1" && builtin exec mv -n -- "$1" "$rl_dir/." 2>&1) ||
    (($? != 3)) || rl_ended=1 rl_asked=$((rl_now - rl_again))
  _registry_lock_busy=
}

# _registry_lock_woken SLOT/NAME: waits; status 0 where the lock is to be tried, which is still this
# acquisition's, of a process that still lives; 3 where the process of the entry has ended.
_registry_lock_woken() {
  local rl_watcher='' rl_heard=0 REPLY=''
  _registry_lock_untraced
  {
    _registry_lock_watch "$1" <>"$1.wake"
    _registry_lock_unwatch "$?" && [[ -e $1/holder.$rl_mine ]] &&
      _registry_lock_answers "$rl_parent"
  } 2>/dev/null
}

# _registry_lock_watch_end SLOT/NAME: procid watches the process of the entry, which was alive, and
# writes to the FIFO. Where it said that it has ended, and the lock is still here, it is not started
# again.
_registry_lock_watch_end() {
  [[ $rl_verdict == alive && -n $rl_hid && -z $rl_ended ]] && ((rl_left > 200)) || return 0
  _registry_lock_watcher "$rl_hpid" "$rl_hid" "$1.wake"
}

# _registry_lock_heard: takes what procid wrote: the ID when it watches, and beats are rare where
# the holder knows that others wait; then "gone" when that process has ended, status 1. What an
# earlier watch has left in the FIFO is passed over; one that goes on and on is ended.
_registry_lock_heard() {
  local rl_slot_of=$rl_lock.slot.$rl_hpid.$rl_hid
  case $REPLY in
    gone) ((rl_heard == 0)) || return 1 ;;
    "$rl_hid") [[ ! -e $rl_slot_of/$rl_name.wanted ]] || rl_beat=250 rl_every=1 ;;
  esac
  ((rl_left += rl_beat_of, (rl_heard += 1) < 5)) || _registry_lock_unwatch
  REPLY=''
}

# _registry_lock_watch SLOT/NAME: status 0 when the lock is to be tried: this process was woken, or
# the path was seen free four times (once, before others were seen to get in). 1 when there is
# something to look at, or rl_left milliseconds are over; 3 when procid says that the process of the
# entry has ended. Whether its own shell lives, and whether a process that answers is a zombie, is
# looked at in every fourth beat, and in each long one.
_registry_lock_watch() {
  local rl_beat=70 rl_free=0 rl_beats=0 rl_every=4 rl_stayed=0 rl_seconds rl_beat_of=0
  [[ -s $1.waits ]] || return 0
  [[ -n $rl_behind ]] || _registry_lock_exists "$rl_lock" || ((rl_patience > 50)) || return 0
  _registry_lock_watch_end "$1"
  while ((rl_left > 0)); do
    if _registry_lock_beat || [[ -n $REPLY ]]; then
      [[ -n ${REPLY#.} ]] || return 0
      _registry_lock_heard || return 3
    fi
    (((rl_beats += 1) % rl_every)) || _registry_lock_answers "$rl_parent" || return 1
    if [[ ! -e $rl_record ]]; then
      _registry_lock_watch_next && return 0
      continue
    fi
    {
      [[ $rl_signal == yes ]] && ((rl_beats % rl_every)) &&
        _registry_lock_answers "${rl_watched:-$rl_hpid}"
    } || _registry_lock_watch_same || return 1
    [[ -n $rl_verdict ]] || (((rl_stayed += rl_beat) < rl_patience)) || return 1
  done
  return 1
}

# _registry_lock_watch_same: status 1 where something changed about the process of the entry.
_registry_lock_watch_same() {
  local rl_before=$rl_signal
  _registry_lock_signal
  [[ $rl_signal == "$rl_before" ]]
}

# _registry_lock_watch_next: the entry has gone: status 0 where the path is free for the fourth
# time. Where the lock has changed hands, or shows no entry, that one is watched from now on. Where
# it does so all the time, somebody else will be woken, and a look is rare.
_registry_lock_watch_next() {
  if ! _registry_lock_exists "$rl_lock"; then
    rl_beat=$((10 << rl_free))
    (((rl_free += 1) > 3))
    return $?
  fi
  _registry_lock_unwatch
  rl_free=0 rl_verdict='' rl_watched='' rl_signal=yes rl_stayed=0 rl_patience=1000
  ((rl_every > 1)) || rl_beat=0
  rl_every=4
  ((rl_beat = rl_beat < 70 ? 70 : rl_beat < 200 ? rl_beat * 2 : 400))
  builtin set -- "$rl_lock"/holder.*
  rl_record=$1 rl_entry=${1##*/}
  if [[ -e $1 ]] && _registry_lock_entry_split "$rl_entry"; then
    _registry_lock_want "$rl_hpid.$rl_hid"
  else
    rl_beat=100
  fi
  return 1
}

# _registry_lock_beat: waits rl_beat milliseconds, whole seconds before bash 4; status 0 and REPLY
# when a word came. A byte that comes just at the end of that time bash reads, and says that none
# came (so bash 5.2): therefore a word is never empty, and REPLY counts whatever the status.
_registry_lock_beat() {
  ((rl_beat <= rl_left)) || rl_beat=$rl_left
  ((rl_beat == rl_beat_of)) || _registry_lock_beat_seconds
  ((rl_left -= rl_beat))
  ((BASH_VERSINFO[0] >= 4)) || rl_seconds=1
  builtin read -r -t "$rl_seconds"
}

# _registry_lock_beat_seconds: rl_seconds = rl_beat, as read -t takes it.
_registry_lock_beat_seconds() {
  ((BASH_VERSINFO[0] >= 4)) || rl_beat=1000
  builtin printf -v rl_seconds '%d.%03d' "$((rl_beat / 1000))" "$((rl_beat % 1000))"
  rl_beat_of=$rl_beat
}

# _registry_lock_wake SLOT LOCK NAME: the process of SLOT has freed LOCK, and wakes the waiter that
# has waited longest, if it is of the same user.
_registry_lock_wake() {
  _registry_lock_woke=
  [[ ! -e $1/$3.wanted ]] || _registry_lock_wake_first "$2" "$3"
}

# _registry_lock_wake_first LOCK NAME: its work.
_registry_lock_wake_first() {
  local rl_path rl_first='' rl_wall
  for rl_path in "$1".slot.*/"$2".waits; do
    [[ -s $rl_path && (-z $rl_first || $rl_path -ot $rl_first) ]] || continue
    _registry_lock_is_waiting "$rl_path" "${rl_path#"$1".slot.}" && rl_first=$rl_path
  done
  [[ -n $rl_first ]] || return 0
  { builtin printf '.\n' 1<>"${rl_first%.waits}.wake" && builtin : >"$rl_first"; } 2>/dev/null
  _registry_lock_wall
  _registry_lock_woke=$1 _registry_lock_woke_at=$rl_wall
}

# _registry_lock_is_waiting PATH PID.REST: PATH is in a slot that only this user can write to,
# beside a FIFO, and its process may live.
_registry_lock_is_waiting() {
  local rl_slot_of=${1%/*} rl_fifo=${1%.waits}.wake
  [[ -O $rl_slot_of && ! -L $rl_slot_of && ! -L $1 && -p $rl_fifo && ! -L $rl_fifo ]] || return 1
  _registry_lock_pid_valid "${2%%.*}" && _registry_lock_answers "${2%%.*}" 2>/dev/null
}
