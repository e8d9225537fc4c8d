# shellcheck shell=bash
# wait.sh: time and waiting, without a process where a builtin does it.

# _registry_lock_tick: brings rl_now, a count of milliseconds, forward. Linux's uptime is no wall
# clock. Elsewhere the wall clock's steps are added up, and one that went back, or on by more than
# two seconds since the last look, was the clock being set: it counts as rl_nap, the last pause.
_registry_lock_tick() {
  local rl_uptime='' rl_wall rl_step
  if { builtin read -r rl_uptime _ <"${_registry_lock_uptime-/proc/uptime}"; } 2>/dev/null &&
    [[ ${rl_uptime/./} != *[!0123456789]* && $rl_uptime == *.?? ]]; then
    rl_now=$((10#${rl_uptime/./}0))
    return 0
  fi
  _registry_lock_wall
  rl_step=$((rl_wall - ${rl_wall_before:-$rl_wall}))
  ((rl_step >= 0 && rl_step <= 2000)) || rl_step=$rl_nap
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

# _registry_lock_pause SLOT NAME: waits rl_nap milliseconds, more or less a quarter so that waiters
# don't stay in step, and makes the next nap longer, up to a tenth of a second. A read of a
# FIFO that nobody writes needs no program; without FIFOs sleep does it, and without sleep a read
# of a pipe. The read is in a subshell: a trap that is struck inside read -t, or the EXIT trap,
# runs with the timer of read still set, which then jumps into a frame that is gone.
_registry_lock_pause() {
  local rl_fifo=$1/$2.wake rl_seconds
  _registry_lock_seed=$(((_registry_lock_seed * 1103515245 + 12345) % 2147483648))
  builtin printf -v rl_seconds '0.%03d' \
    $((rl_nap * (75 + _registry_lock_seed / 65536 % 51) / 100))
  if ((BASH_VERSINFO[0] >= 4)) && _registry_lock_fifo "$rl_fifo"; then
    rl_seconds=$(builtin read -r -t "$rl_seconds" <>"$rl_fifo")
  else
    _registry_lock_child sleep "$rl_seconds" ||
      rl_seconds=$(builtin eval 'builtin read -r -t 1 <> <(builtin :)')
  fi
  ((rl_nap = rl_nap * 3 / 2 < 100 ? rl_nap * 3 / 2 : 100))
  return 0
}

# _registry_lock_fifo PATH: PATH is a FIFO, made at the first call in its slot; not tried again
# where none can be made.
_registry_lock_fifo() {
  [[ ! -p $1 || -L $1 ]] || return 0
  [[ -z $rl_no_fifo ]] || return 1
  _registry_lock_child mkfifo -m 600 -- "$1" && [[ -p $1 ]] && return 0
  rl_no_fifo=1
  return 1
}
