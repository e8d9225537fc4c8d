#!/usr/bin/env bash
# worker.sh KIND [LOCK]: one process of the chaos: library, program (what `registry-lock run` runs),
# older, breaker, doctor, sweep (one look of the doctor) or fresh. It may be killed or stopped anywhere, except that an older-style
# writer kills itself, since the protocol can't mend a bare mkdir without its record.
# CHAOS_OUT holds the log and each worker's own log, CHAOS_LOCKS the locks and what they guard; a worker in the
# cell leaves those of older scripts alone, whose records don't say of what container they are.
# shellcheck disable=SC1090,SC2154,SC2317 # the conductor exports CHAOS_*, and calls by kind

kind=$1 PATH=$CHAOS_BIN:$PATH RANDOM=$CHAOS_SEED
[[ $kind == older ]] || . "$CHAOS_LIBRARY" || exit
cd -- "$CHAOS_LOCKS" || exit

# stamp WORD...: one line of the log, in one write.
stamp() { printf '%s\n' "$*" >>"$CHAOS_OUT/log"; }
odd() { stamp odd "$CHAOS_WORKER" "$@"; }
chance() { ((RANDOM % $1 == 0)); }
pick() { shift $((RANDOM % $#)) && picked=$1; }
goes_on() { ((rounds-- > 0)) && [[ ! -e $CHAOS_OUT/stop ]]; }

# inside LOCK: the critical section: the count of LOCK becomes one more, which is lost where two are
# in here at once.
inside() {
  local value='' me=
  read -r me _ <"$CHAOS_OUT/proc/self/stat"
  stamp enter "$1" "$CHAOS_WORKER" "$me"
  read -r value <"$1.count"
  [[ $value == [0-9]* ]] || odd read "'$value'"
  work
  replace "$1.count" $((value + 1)) && printf '%s %d\n' "$1" $((value + 1)) >>"$CHAOS_OUT/own/$CHAOS_WORKER"
  work
  [[ $kind != library ]] || registry_lock_check "$1" || odd check $?
  stamp leave "$1" "$CHAOS_WORKER"
}

work() {
  [[ $kind != older ]] || ! chance 12 || {
    stamp kill "$CHAOS_WORKER" "$BASHPID" itself
    kill -KILL "$BASHPID"
  }
  ! chance 4 || sleep "0.0$((RANDOM % 10))"
}

# replace FILE VALUE. A holder whose identity nobody could tell is not followed by its lock after its
# death, so it changes nothing: its mv may outlive it.
replace() {
  if [[ $kind == older ]]; then
    printf '%d\n' "$2" >"$1"
    return
  fi
  [[ -n ${REGISTRY_LOCK_TOKENS-} && $REGISTRY_LOCK_TOKENS != *..* ]] || return
  registry_lock_write "$1" <<<"$2" && return
  odd write $?
  [[ $(<"$1") == "$2" ]]
}

library() {
  local status budget
  while goes_on; do
    pick 0 0.3 3 3 && budget=$picked
    # shellcheck disable=SC2086 # a list
    pick $CHAOS_NAMES
    status=0
    registry_lock_acquire "$picked" "$budget" || status=$?
    case $status in
      0) inside "$picked" ;;
      75) continue ;;
      *) odd acquire "$status" && continue ;;
    esac
    ! chance 8 || exit 0
    give_back "$picked"
  done
}

give_back() { # LOCK
  local tries=5
  until registry_lock_release "$1"; do
    odd release $?
    ((--tries)) || exit 0
  done
}

older() {
  while goes_on; do
    pick old/inside old/beside
    mkdir "$picked" 2>/dev/null || { sleep 0.02 && continue; }
    case $picked in
      old/inside) echo "$BASHPID" >"$picked/pid" && inside "$picked" && rm -rf "$picked" ;;
      *) echo "pid $BASHPID" >"$picked.holder" && inside "$picked" && rm -f "$picked.holder" && rmdir "$picked" ;;
    esac
  done
}

breaker() {
  local status
  while goes_on; do
    # shellcheck disable=SC2086 # a list
    pick $CHAOS_NAMES
    status=0
    registry_lock_break "$picked" >/dev/null || status=$?
    [[ $status == 0 || $status == 75 ]] || odd break "$status"
    status=0
    registry_lock_status --json "$picked" >/dev/null || status=$?
    ((status <= 2)) || odd status "$status"
  done
}

doctor() { while goes_on; do sweep; done; }

sweep() {
  local status=0
  registry_lock_doctor --fix ${CHAOS_CELL:+--depth 1} . >>"$CHAOS_OUT/doctor" || status=$?
  ((status <= 2)) || odd doctor "$status"
}

rounds=$((RANDOM % 20 + 3))
case $kind in
  program) inside "$2" ;;
  fresh)
    registry_lock_acquire "$2" 5 || exit
    inside "$2"
    registry_lock_release "$2" || odd release $?
    ;;
  *) "$kind" ;;
esac
exit 0
