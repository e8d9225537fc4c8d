# shellcheck shell=bash
# wait.sh: time and waiting, without a process where a builtin does it.

# _registry_lock_tick: brings rl_now, a count of milliseconds, forward. Linux's uptime is no wall
# clock. Elsewhere the wall clock's steps are added up, and one that went back, or on by more than
# two seconds since the last look, was the clock being set: it counts as the last pause.
_registry_lock_tick() {
  local rl_uptime='' rl_wall rl_step
  if { builtin read -r rl_uptime _ <"${_registry_lock_uptime-/proc/uptime}"; } 2>/dev/null &&
    [[ ${rl_uptime/./} != *[!0123456789]* && $rl_uptime == *.?? ]]; then
    rl_now=$((10#${rl_uptime/./}0))
    return 0
  fi
  _registry_lock_wall
  rl_step=$((rl_wall - ${rl_wall_before:-$rl_wall}))
  ((rl_step >= 0 && rl_step <= 2000)) || rl_step=$rl_paused
  rl_wall_before=$rl_wall
  ((rl_now += rl_step))
  return 0
}

# _registry_lock_wall: rl_wall = the wall clock in milliseconds; whole seconds before bash 5.
_registry_lock_wall() {
  rl_wall=${EPOCHREALTIME-}
  case $rl_wall in
    [0-9]*[.,][0-9][0-9][0-9]*) rl_wall=${rl_wall/[.,]/} rl_wall=${rl_wall%???} ;;
    *) rl_wall=$((${SECONDS:-0} * 1000)) ;;
  esac
}

# _registry_lock_utc: rl_utc = now, as RFC 3339 in UTC; empty where nothing tells it.
_registry_lock_utc() {
  local TZ=UTC0 2>/dev/null && builtin printf -v rl_utc '%(%Y-%m-%dT%H:%M:%SZ)T' -1 2>/dev/null ||
    rl_utc=$(\command date -u +%Y-%m-%dT%H:%M:%SZ 2>/dev/null) || rl_utc=
}

# _registry_lock_pause: waits until the lock may be had, and tries that at once, or until there is
# something to look at: at most rl_left milliseconds, when the next thing is due. Where the clock
# can be set it is never long.
_registry_lock_pause() {
  local rl_left=$((rl_budget - (rl_now - rl_start)))
  [[ -n $rl_told ]] || _registry_lock_at_most $((1000 - (rl_now - rl_start)))
  [[ -z $rl_verdict ]] || _registry_lock_at_most $((rl_asked + rl_again - rl_now))
  [[ -z $rl_wall_before ]] || _registry_lock_at_most 1000
  if _registry_lock_queue "$rl_slot/$rl_name"; then
    _registry_lock_await "$rl_slot/$rl_name"
  else
    _registry_lock_nap
  fi
}

# _registry_lock_at_most MILLISECONDS: rl_left is no more than that, and no less than one.
_registry_lock_at_most() {
  ((rl_left <= $1)) || rl_left=$1
  ((rl_left > 0)) || rl_left=1
}

# _registry_lock_nap: waits rl_nap milliseconds, more or less a quarter so that waiters don't stay in
# step, and makes the next nap longer, up to a tenth of a second. Without sleep a read of a pipe does
# it, in a subshell: a trap that is struck inside read -t, or the EXIT trap, runs with the timer of
# read still set, which then jumps into a frame that is gone.
_registry_lock_nap() {
  local rl_seconds rl_left=$((rl_budget - (rl_now - rl_start)))
  rl_paused=$((rl_nap < rl_left ? rl_nap : rl_left))
  _registry_lock_seed=$(((_registry_lock_seed * 1103515245 + 12345) % 2147483648))
  builtin printf -v rl_seconds '0.%03d' \
    $((rl_paused * (75 + _registry_lock_seed / 65536 % 51) / 100))
  _registry_lock_child sleep "$rl_seconds" ||
    rl_seconds=$(builtin eval 'builtin read -r -t 1 <> <(builtin :)')
  ((rl_nap = rl_nap * 3 / 2 < 100 ? rl_nap * 3 / 2 : 100))
  return 0
}

# THE QUEUE of those who wait for DIR/NAME is in their slots, beside SLOT/NAME; it is only ever a
# hint, and who owns the lock is decided by the one rename:
#   SLOT/NAME.wake     a FIFO, which its process reads while it waits
#   SLOT/NAME.waits    not empty while it waits; as old as the wait. Whoever wakes it empties it
#   SLOT/NAME.wanted   there when others were seen to wait: its process wakes one when it releases
# A lost byte, a dead waiter and a killed holder are found by looking, twenty times a second.

# _registry_lock_queue SLOT/NAME: this process waits, and the holder knows. Status 1 where there are
# no FIFOs.
_registry_lock_queue() {
  _registry_lock_fifo "$1" || return 1
  [[ -s $1.waits ]] || { builtin printf '.\n' >"$1.waits"; } 2>/dev/null || return 1
  [[ $rl_state != entry ]] || _registry_lock_want "$rl_hpid.$rl_hid"
}

# _registry_lock_queue_leave SLOT/NAME: it waits no more.
_registry_lock_queue_leave() {
  [[ ! -s $1.waits ]] || { : >"$1.waits"; } 2>/dev/null
  return 0
}

# _registry_lock_want PID.ID: the process that has rl_lock learns that others wait. Only in a slot of
# the same user, which nobody else can put anything in.
_registry_lock_want() {
  local rl_slot_of=$rl_lock.slot.$1
  [[ -O $rl_slot_of && ! -L $rl_slot_of && ! -e $rl_slot_of/$rl_name.wanted ]] || return 0
  builtin set -C
  { : >"$rl_slot_of/$rl_name.wanted"; } 2>/dev/null
  builtin set +C
}

# _registry_lock_fifo SLOT/NAME: there is a FIFO, made at the first call in its slot; not tried again
# where none can be made. It needs "read -t" and small files that may be written.
_registry_lock_fifo() {
  [[ ! -p $1.wake || -L $1.wake ]] || return 0
  [[ -z $rl_no_fifo && -n $_registry_lock_unlimited ]] || return 1
  rl_error=$({ builtin set +x; } 2>/dev/null
    builtin umask u=rwx
    : >"$1.waits" && : >"$1.wanted" && builtin exec mkfifo -m 600 -- "$1.wake" 2>&1) &&
    [[ -p $1.wake ]] && return 0
  rl_no_fifo=1
  return 1
}

# _registry_lock_await SLOT/NAME: waits to be woken, in a subshell (see _registry_lock_nap) that then
# becomes the mv that places the lock; one whose shell was killed ends at its next look.
_registry_lock_await() {
  local rl_parent=${BASHPID:-$rl_pid}
  rl_paused=$rl_left
  _registry_lock_busy=$rl_slot
  rl_error=$({ builtin set +x; } 2>/dev/null
    _registry_lock_watch "$1" <>"$1.wake" && [[ -e $1/holder.$rl_mine ]] &&
      builtin kill -0 "$rl_parent" && builtin exec mv -n -- "$1" "$rl_dir/." 2>&1)
  _registry_lock_busy=
}

# _registry_lock_watch SLOT/NAME: status 0 when the lock is to be tried: this process was woken, or
# the path was seen free three times. 1 when there is something to look at: the entry stays
# and was not judged yet, something changed about its process, or rl_left milliseconds are over.
# Where the lock changes hands all the time, somebody else will be woken, and a look is rare.
_registry_lock_watch() {
  local rl_beat=50 rl_free=0
  [[ -s $1.waits ]] || return 0
  [[ -n $rl_behind ]] || _registry_lock_exists "$rl_lock" || return 0
  while ((rl_left > 0)); do
    _registry_lock_beat && return 0
    builtin kill -0 "$rl_parent" 2>/dev/null || return 1
    if ! _registry_lock_exists "$rl_lock"; then
      (((rl_free += 1) < 3)) || return 0
      rl_beat=10
    elif [[ ! -e $rl_record ]]; then
      _registry_lock_watch_next
    else
      _registry_lock_watch_same || return 1
    fi
  done
  return 1
}

# _registry_lock_watch_same: status 1 where the entry that stays is to be looked at.
_registry_lock_watch_same() {
  local rl_before=$rl_signal
  rl_free=0 rl_beat=50
  [[ -n $rl_verdict ]] || return 1
  _registry_lock_signal
  [[ $rl_signal == "$rl_before" ]]
}

# _registry_lock_watch_next: the lock has changed hands, or shows no entry: that one is watched from
# now on.
_registry_lock_watch_next() {
  rl_free=0 rl_verdict=''
  ((rl_beat = rl_beat < 200 ? rl_beat * 2 : 400))
  builtin set -- "$rl_lock"/holder.*
  rl_record=$1 rl_entry=${1##*/}
  if [[ -e $1 ]] && _registry_lock_entry_split "$rl_entry"; then
    _registry_lock_want "$rl_hpid.$rl_hid"
  else
    rl_beat=100
  fi
}

# _registry_lock_beat: waits rl_beat milliseconds, whole seconds before bash 4; status 0 when woken.
_registry_lock_beat() {
  local rl_seconds
  ((BASH_VERSINFO[0] >= 4)) || rl_beat=1000
  ((rl_beat <= rl_left)) || rl_beat=$rl_left
  ((rl_left -= rl_beat))
  builtin printf -v rl_seconds '0.%03d' "$rl_beat"
  ((BASH_VERSINFO[0] >= 4)) || rl_seconds=1
  builtin read -r -t "$rl_seconds" rl_seconds
}

# _registry_lock_wake SLOT LOCK NAME: the process of SLOT has freed LOCK, and wakes the waiter that
# has waited longest, if it is of the same user.
_registry_lock_wake() {
  local rl_path rl_first='' rl_wall
  _registry_lock_woke=
  [[ -e $1/$3.wanted ]] || return 0
  for rl_path in "$2".slot.*/"$3".waits; do
    [[ -s $rl_path && ( -z $rl_first || $rl_path -ot $rl_first ) ]] || continue
    _registry_lock_is_waiting "$rl_path" "${rl_path#"$2".slot.}" && rl_first=$rl_path
  done
  [[ -n $rl_first ]] || return 0
  { : >"$rl_first" && builtin printf '\n' 1<>"${rl_first%.waits}.wake"; } 2>/dev/null
  _registry_lock_wall
  _registry_lock_woke=$2 _registry_lock_woke_at=$rl_wall
}

# _registry_lock_is_waiting PATH PID...: PATH is in a slot that only this user can write to, beside a
# FIFO, and its process may live.
_registry_lock_is_waiting() {
  local rl_slot_of=${1%/*} rl_fifo=${1%.waits}.wake
  [[ -O $rl_slot_of && ! -L $rl_slot_of && ! -L $1 && -p $rl_fifo && ! -L $rl_fifo ]] || return 1
  _registry_lock_pid_valid "${2%%.*}" && builtin kill -0 "${2%%.*}" 2>/dev/null
}
