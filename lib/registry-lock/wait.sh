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

# _registry_lock_utc: rl_utc = now, as RFC 3339 in UTC; empty where nothing tells it. Within one
# second it is not put together again.
_registry_lock_utc() {
  rl_utc=${_registry_lock_now-}
  ((${EPOCHSECONDS-1} == _registry_lock_now_at)) || _registry_lock_utc_now
}

# _registry_lock_utc_now: its work.
_registry_lock_utc_now() {
  local TZ=UTC0 2>/dev/null && builtin printf -v rl_utc '%(%Y-%m-%dT%H:%M:%SZ)T' -1 2>/dev/null ||
    rl_utc=$(\command date -u +%Y-%m-%dT%H:%M:%SZ 2>/dev/null) || rl_utc=
  _registry_lock_now=$rl_utc _registry_lock_now_at=${EPOCHSECONDS-0}
}

# _registry_lock_pause: waits until the lock may be had, and tries that at once, or until there is
# something to look at: at most rl_left milliseconds, when the next thing is due. Where the clock
# can be set it is never long.
_registry_lock_pause() {
  local rl_left
  rl_left=$((rl_budget - (rl_now - rl_start)))
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

# _registry_lock_nap: waits rl_nap milliseconds, more or less a quarter so that waiters don't stay
# in step, and makes the next nap longer, up to a tenth of a second. Without sleep a read of a pipe
# does it, in a subshell: a trap that is struck inside read -t, or the EXIT trap, runs with the
# timer of read still set, which then jumps into a frame that is gone.
_registry_lock_nap() {
  local rl_seconds rl_left
  rl_left=$((rl_budget - (rl_now - rl_start)))
  rl_paused=$((rl_nap < rl_left ? rl_nap : rl_left))
  _registry_lock_seed=$(((_registry_lock_seed * 1103515245 + 12345) % 2147483648))
  builtin printf -v rl_seconds '0.%03d' \
    $((rl_paused * (75 + _registry_lock_seed / 65536 % 51) / 100))
  _registry_lock_child sleep "$rl_seconds" ||
    rl_seconds=$(builtin eval 'builtin read -r -t 1 <> <(builtin :)')
  ((rl_nap = rl_nap * 3 / 2 < 100 ? rl_nap * 3 / 2 : 100))
  return 0
}
