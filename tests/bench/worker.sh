#!/usr/bin/env bash
# worker.sh KIND MODE LOCK ...: one process that uses a lock of KIND: ours, flock or mkdir.
#   cycles LOCK N      takes and releases LOCK 1 + N times; prints the microseconds of the first, and
#                      of one of the N
#   tries LOCK N       the same for trying, in vain, to take LOCK, which is held
#   count LOCK M DIR   M increments of DIR/counter under LOCK, of one start with the other workers
#   hold LOCK DIR      takes LOCK, and releases it when told
#   wait LOCK DIR      takes LOCK
#   give-up LOCK SECONDS   waits that long in vain
#   cut-off LOCK       takes and releases LOCK, and is killed
#   nothing LOCK       ends
# DIR/says and DIR/hears are FIFOs; a byte in the latter is the word to go on.
# BENCH_LIBRARY names the library; BENCH_PAD makes our entry longer by that many bytes.
set -u
kind=$1 mode=$2 lock=$3
shift 3

us() { printf -v "$1" '%s' "${EPOCHREALTIME/[.,]/}"; }

case $kind in
  ours)
    # shellcheck source=lib/registry-lock.sh
    . "$BENCH_LIBRARY" || exit
    take() { registry_lock_acquire "$lock" "${1:-60}"; }
    give() { registry_lock_release "$lock"; }
    if [[ -n ${BENCH_PAD-} ]]; then
      printf -v pad '%*s' "$((BENCH_PAD / 2))" ''
      HOSTNAME=${pad// /h} BASH_ARGV0=${pad// /c}
    fi
    ;;
  flock)
    take() { exec {fd}>>"$lock" && flock ${1:+-w "$1"} "$fd"; }
    give() { exec {fd}>&-; }
    ;;
  mkdir)
    take() {
      local end now
      us end
      ((end += ${1:-60} * 1000000))
      until mkdir "$lock" 2>/dev/null; do
        us now
        ((now < end)) || return 1
        sleep 0.01
      done
    }
    give() { rmdir "$lock"; }
    ;;
esac

# Prints the times of the first and, on average, of the other N of COMMAND.
timed() { # N COMMAND
  local t0 t1 t2 i
  us t0
  "$2"
  us t1
  for ((i = 0; i < $1; i++)); do "$2"; done
  us t2
  printf '%d %d\n' "$((t1 - t0))" "$(($1 > 0 ? (t2 - t1) / $1 : 0))"
}
cycle() {
  take || exit
  give || exit
}
try() { ! take 0 2>/dev/null || exit; }

say() { printf '%s\n' "$1" >"$dir/says"; }
hear() { read -r -N 1 _ <"$dir/hears"; }

# One increment, with one program started under the lock, as most work does. A worker that is not
# done at the deadline stops.
increments() { # M
  local i t0 t1 n
  for ((i = 0; i < $1; i++)); do
    us t0
    ((t0 < deadline)) || break
    take || break
    us t1
    read -r n <"$dir/counter"
    /bin/true
    printf '%d\n' "$((n + 1))" >"$dir/counter"
    give || break
    printf 'wait %d\n' "$((t1 - t0))"
  done
  us t1
  printf 'end %d %d\n' "$t1" "$i"
}

case $mode in
  cycles) timed "$1" cycle ;;
  tries) timed "$1" try ;;
  count)
    dir=$2
    say ready
    hear
    us deadline
    ((deadline += 8000000))
    increments "$1"
    say end
    ;;
  hold)
    dir=$1
    take || exit
    say held
    hear
    us now
    give
    say "hold $now"
    ;;
  wait)
    dir=$1
    take || exit
    us now
    say "wait $now"
    ;;
  cut-off) cycle && kill -KILL "$$" ;;
  give-up) ! take "$1" 2>/dev/null ;;
esac
