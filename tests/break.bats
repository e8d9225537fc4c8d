#!/usr/bin/env bats
# break.bats: removing the lock of a holder that is gone, and whatever is killed, stopped or late
# on the way.

# shellcheck disable=SC1010,SC2016,SC2030,SC2031,SC2154 # "done" as a word, code for drivers, and variables of the helper
load helper

# steps [COMMAND...]: from the line `count` on, each call of a COMMAND in a `stepper` is a step.
steps() {
  local command dir=$BATS_TEST_TMPDIR/steps
  (($# > 0)) || set -- mv mkdir rm rmdir mkfifo
  mkdir -p "$dir"
  for command; do
    cat >"$dir/$command" <<STEP
#!/usr/bin/env bash
ulimit -S -f "\$(ulimit -H -f)" # it writes
read -r n <"\$COUNT"
printf '%s\n' "\$((n + 1))" >"\$COUNT"
PATH=\${PATH#*:}
[ "\$n" = "\$STEP" ] || exec $command "\$@"
case \$MODE in
  after) $command "\$@"; kill -KILL "\$VICTIM"; exit ;;
  before) kill -KILL "\$VICTIM"; exec 2>/dev/null ;;
  open)
    exec 9<"\${!#}"
    set -- "\${@:1:\$# - 1}" /proc/self/fd/9/.
    kill -KILL "\$VICTIM"
    exec 2>/dev/null
    ;;
esac
printf 'at $command\n' >"\$SAYS"
read -r -t 60 _ <"\$HEARS"
$command "\$@"
status=\$?
printf 'did %s\n' "\$status" >"\$SAYS"
exit "\$status"
STEP
    chmod +x "$dir/$command"
  done
}

# stepper NAME MODE N CODE: a driver to which this happens at step N:
#   wait    it tells "at COMMAND", waits for a word, then the COMMAND runs and it tells "did STATUS"
#   before  it is killed first; what it tells comes from the COMMAND, which outlives it
#   after   it is killed when the COMMAND is done
#   open    as before, but the COMMAND, an mv, has opened its target already
stepper() {
  local talk=$BATS_TEST_TMPDIR/talk
  start "$1" "export MODE=$2 STEP=$3 VICTIM=\$BASHPID COUNT='$talk/$1.count'
    export SAYS='$talk/$1.says' HEARS='$talk/$1.hears'
    count() { echo 1 >\"\$COUNT\"; PATH='$BATS_TEST_TMPDIR/steps':\$PATH; }
    through() { s=\$?; PATH=\${PATH#*:}; tell through; exit \$s; }
    $4"
}

# dead_lock [N]: LOCK as a killed process left it; the same process for each N.
dead_lock() {
  [ -n "${dead-}" ] || {
    hold dead_one && slay dead_one || return
    dead=$(entry_of "$LOCK") dead=${dead%.*}
    rm -r "$LOCK"
  }
  forge "$LOCK" "$dead.${1:-1}"
}

# gets_in: the next one takes LOCK at once.
gets_in() {
  run registry_lock_acquire "$LOCK" 5
  status_is 0
}

# outlived VICTIM NEXT: VICTIM was killed before its command ran. NEXT gets in, the command runs, and
# NEXT still owns what it took.
outlived() {
  local pid=$1_pid
  wait "${!pid}" 2>/dev/null || :
  gone "${!pid}" && hold "$2" || return
  send "$1" go
  did=$(listen "$1")
  pid=$2_pid
  held_by "${!pid}" && send "$2" go && ended "$2"
}

# stop_and_go VICTIM: VICTIM is stopped at its step, and an impatient one gets in or doesn't. VICTIM
# goes on and gets through, and the next one gets in. Status 1 where VICTIM had no such step.
stop_and_go() {
  local pid=$1_pid
  said=$(listen "$1")
  [ "$said" != through ] || {
    ended "$1"
    return 1
  }
  kill -STOP "${!pid}"
  run registry_lock_acquire "$LOCK" 0
  [ "$status" = 75 ] || status_is 0
  kill -CONT "${!pid}"
  send "$1" go
  listen "$1" >/dev/null && expect "$1" through && ended "$1" && gets_in
}

# few_tools: FEW = a PATH without rm, sleep and mkfifo.
few_tools() {
  local tool
  export FEW=$BATS_TEST_TMPDIR/few
  mkdir "$FEW"
  for tool in bash mkdir rmdir mv procid; do ln -s "$(command -v "$tool")" "$FEW/"; done
}

# The code of a driver that breaks in, and of one that releases: what outlives that one does not look
# like work that goes on under the lock, which would be waited for.
breaks='count; registry_lock_acquire "$LOCK" 20; through'
releases='registry_lock_acquire "$LOCK"; export -n REGISTRY_LOCK_TOKENS; count
  registry_lock_release "$LOCK"; through'

@test "the lock of a killed holder is broken at once, even with no time to wait" {
  killed_holder other
  run registry_lock_acquire "$LOCK" 0
  status_is 0
  is_free
}

@test "the line says whose entry was removed, since when it was held and what proved it" {
  killed_holder other
  run registry_lock_acquire "$LOCK" 0
  says "$LOCK: removed the lock of process $other_pid (other.sh) on $HOSTNAME since 2"
  says "; that process is gone: it is not running"
  lacks "$output" $'\n'
}

@test "breaking is silent about nothing: a free lock is taken without a word" {
  run registry_lock_acquire "$LOCK" 0
  status_is 0
  same "$output" ""
}

@test "the lock of a live holder is never broken" {
  hold other
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  lacks "$output" removed
  alive "$other_pid"
  held_by "$other_pid"
}

@test "the slot of the dead holder is destroyed with its lock" {
  killed_holder other
  [ "$(echo "$LOCK.slot.$other_pid."*)" != "$LOCK.slot.$other_pid.*" ] || fail 'no slot'
  gets_in
  no_litter
}

@test "of eight waiters on one dead lock exactly one gets in at a time" {
  local n round log=$BATS_TEST_TMPDIR/log
  for n in 1 2 3 4 5 6 7 8; do
    start "w$n" "while hear && [ \$REPLY = go ]; do
      registry_lock_acquire \"\$LOCK\" 25 || exit
      printf 'in %s\n' \$\$ >>'$log'; printf 'out %s\n' \$\$ >>'$log'
      registry_lock_release || exit; tell done; done"
  done
  for round in 1 2 3 4; do
    dead_lock "$round"
    for n in 1 2 3 4 5 6 7 8; do send "w$n" go; done
    for n in 1 2 3 4 5 6 7 8; do expect "w$n" done; done
  done
  same "$(awk '$1 == "in" { n++; who = $2; getline; if ($1 != "out" || $2 != who) bad++ }
    END { print n + 0, bad + 0 }' "$log")" "32 0"
  same "$(cat "$BATS_TEST_TMPDIR"/talk/w*.err | grep -c 'removed the lock')" 4
  no_litter
}

# Case 22. C judges the holder as gone and stops; B breaks and acquires; C goes on.
@test "a breaker that stopped between its verdict and its claim moves nothing of the new owner's" {
  dead_lock
  start c 'stop_at _registry_lock_revoke; registry_lock_acquire "$LOCK" 0'
  expect c 'at _registry_lock_revoke'
  hold b
  local before
  before=$(ls -di "$LOCK" "$LOCK"/*)
  send c go
  ended c 75
  held_by "$b_pid"
  same "$(ls -di "$LOCK" "$LOCK"/*)" "$before"
  contains "$(err_of c)" "held by process $b_pid"
  send b go
  ended b
}

@test "nor when the new owner's lock is polled by others while the breaker goes on" {
  dead_lock
  start c 'stop_at _registry_lock_claim; registry_lock_acquire "$LOCK" 20 && tell in'
  expect c 'at _registry_lock_claim'
  hold b
  start d 'registry_lock_acquire "$LOCK" 20 && tell in && hear; registry_lock_check "$LOCK"'
  send c go
  run registry_lock_acquire "$LOCK" 0
  says "held by process $b_pid"
  send b go
  ended b
  send d go
  expect c in
  expect d in
  ended c
  ended d
}

@test "nobody gets past a breaker that stopped between its claim and the removal" {
  dead_lock
  start c 'stop_at _registry_lock_remove; registry_lock_acquire "$LOCK" 20 && tell in; hear'
  expect c 'at _registry_lock_remove'
  kill -STOP "$c_pid"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "process $c_pid is removing a dead holder's lock; it is stopped; kill -CONT $c_pid"
  kill -CONT "$c_pid"
  send c go
  expect c in
  held_by "$c_pid"
  send c go
  ended c
}

@test "the claim of a live claimer is waited for" {
  dead_lock
  start c 'stop_at _registry_lock_remove; registry_lock_acquire "$LOCK" 0'
  expect c 'at _registry_lock_remove'
  alive "$c_pid"
  run registry_lock_acquire "$LOCK" 0.2
  status_is 75
  says "process $c_pid is removing a dead holder's lock; it is running"
  contains "$(entry_of "$LOCK")" "claim.$c_pid."
  send c go
  ended c
}

@test "the claim of a dead claimer is taken over" {
  dead_lock
  start c 'stop_at _registry_lock_remove; registry_lock_acquire "$LOCK" 0'
  expect c 'at _registry_lock_remove'
  slay c
  gets_in
  says "removed the claim of process $c_pid; that process is gone: it is not running"
  no_litter
}

# Case 23.
@test "a process killed after any step of acquiring a free lock wedges nobody" {
  local n left=137
  steps
  for ((n = 1; left == 137; n++)); do
    left=0
    stepper "v$n" after "$n" "$breaks"
    eval "wait \$v${n}_pid 2>/dev/null" || left=$?
    gets_in
    registry_lock_acquire "$LOCK" 0
    registry_lock_release
  done
  same "$left" 0
  ((n > 3)) || fail "only $n steps"
}

@test "a breaker killed after any step of breaking wedges nobody" {
  local n left=137
  steps
  for ((n = 1; left == 137; n++)); do
    left=0
    dead_lock "$n"
    stepper "v$n" after "$n" "$breaks"
    eval "wait \$v${n}_pid 2>/dev/null" || left=$?
    gets_in
  done
  same "$left" 0
  ((n > 6)) || fail "only $n steps"
}

@test "a holder killed after any step of its release wedges nobody" {
  local n left=137
  steps
  for ((n = 1; left == 137; n++)); do
    left=0
    stepper "v$n" after "$n" "$releases"
    eval "wait \$v${n}_pid 2>/dev/null" || left=$?
    gets_in
  done
  same "$left" 0
  ((n > 2)) || fail "only $n steps"
}

# Each step's command is let go only when the next owner is in (I5).
@test "no command that outlives its killed breaker touches the next owner" {
  local n said
  steps
  for n in 1 2 3 4 5 6 7 8 9; do
    [ -d "$LOCK" ] || dead_lock "$n"
    stepper "v$n" before "$n" "$breaks"
    said=$(listen "v$n")
    [ "$said" != through ] || { ended "v$n" && break; }
    outlived "v$n" "w$n"
  done
  same "$said" through
  ((n > 5)) || fail "only $n steps"
}

@test "no command that outlives its killed holder's release touches the next owner" {
  local n said
  steps
  for n in 1 2 3 4; do
    stepper "v$n" before "$n" "$releases"
    said=$(listen "v$n")
    [ "$said" != through ] || { ended "v$n" && break; }
    outlived "v$n" "w$n"
  done
  same "$said" through
}

@test "a breaker stopped at any step, and continued, gets in, and the next one after it" {
  local n said
  steps
  for n in 1 2 3 4 5 6 7 8 9; do
    [ -d "$LOCK" ] || dead_lock "$n"
    stepper "v$n" wait "$n" "$breaks"
    stop_and_go "v$n" || break
  done
  same "$said" through
  ((n > 5)) || fail "only $n steps"
  no_litter
}

@test "a holder stopped at any step of its release, and continued, hands over to the next one" {
  local n said
  steps
  for n in 1 2 3 4; do
    stepper "v$n" wait "$n" "$releases"
    stop_and_go "v$n" || break
  done
  same "$said" through
  no_litter
}

# I5 by hand, with the step that matters.
@test "the mv of a release that outlives its killed holder takes nobody's lock" {
  steps mv
  stepper v before 1 "$releases"
  expect v 'at mv'
  outlived v new
  same "$did" 'did 1'
  contains "$(err_of new)" "removed the lock of process $v_pid"
}

@test "that mv would take the next owner's lock, were the dead holder's slot still there" {
  steps mv
  stepper v before 1 "$releases"
  expect v 'at mv'
  start new '_registry_lock_revoke() { :; }; registry_lock_acquire "$LOCK" 10; tell held; hear
    registry_lock_release "$LOCK"'
  expect new held
  held_by "$new_pid"
  send v go
  expect v 'did 1' # its own entry is not there to be taken out
  is_free
  send new go
  ended new 76
}

@test "the removal of a breaker that outlives its killed shell takes nobody's lock" {
  steps mv
  dead_lock
  stepper v before 2 "$breaks"
  expect v 'at mv'
  contains "$(entry_of "$LOCK")" "claim.$v_pid."
  outlived v new
  same "$did" 'did 1'
  contains "$(err_of new)" "removed the claim of process $v_pid"
}

@test "nor does one that has its target open already, where there is no rm" {
  [ -d /proc/self/fd ] || skip 'needs /proc/self/fd'
  steps mv
  dead_lock
  stepper v open 2 "$breaks"
  expect v 'at mv'
  few_tools
  start new 'PATH=$FEW; registry_lock_acquire "$LOCK" 10; tell held; hear; registry_lock_check "$LOCK"'
  expect new held
  send v go
  expect v 'did 1'
  held_by "$new_pid"
  send new go
  ended new
}

@test "a placing mv that outlives its killed shell replaces nobody's lock" {
  steps mv
  stepper v before 1 "$breaks"
  expect v 'at mv'
  outlived v new
  gets_in
}

@test "an empty directory that appears just before the lock is placed is not replaced" {
  start other 'stop_at _registry_lock_place; registry_lock_acquire "$LOCK" 0'
  expect other 'at _registry_lock_place'
  mkdir "$LOCK"
  send other go
  ended other 75
  is_taken
  same "$(ls -A "$LOCK")" ""
}

@test "a lock that was removed by hand is lost to its holder, who touches nothing" {
  hold a
  rm -r "$LOCK"
  hold b
  local before
  before=$(ls -di "$LOCK" "$LOCK"/*)
  send a go
  ended a 76
  contains "$(err_of a)" "$LOCK was taken from this process (pid $a_pid)"
  lacks "$(err_of a)" 'moved'
  same "$(ls -di "$LOCK" "$LOCK"/*)" "$before"
  send b go
  ended b
}

@test "a live breaker that can't remove the lock leaves no claim of its own" {
  dead_lock
  start c '_registry_lock_new_dead() { rl_error="mkdir: full"; return 1; }
    registry_lock_acquire "$LOCK" 0; tell "$?"; hear'
  expect c 75
  alive "$c_pid"
  same "$(entry_of "$LOCK")" "$dead.1"
  contains "$(err_of c)" 'not running, but it can'
  gets_in
}

# no_rename: an mv that moves no directory, as from the lower layer of an overlay.
no_rename() {
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '%s\n' '#!/bin/sh' 'case $* in */.) echo "mv: File too large" >&2; exit 1 ;; esac' \
    "exec $(command -v mv) \"\$@\"" >"$BATS_TEST_TMPDIR/bin/mv"
  chmod +x "$BATS_TEST_TMPDIR/bin/mv"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

@test "a lock that can't be renamed is removed where it is, and one that can't be removed stays" {
  dead_lock
  no_rename
  run registry_lock_break "$LOCK"
  status_is 0
  is_free
  dead_lock_at "$LOCK"
  mkdir "$BATS_TEST_TMPDIR/no"
  printf '#!/bin/sh\necho "rm: no" >&2\nexit 1\n' >"$BATS_TEST_TMPDIR/no/rm"
  chmod +x "$BATS_TEST_TMPDIR/no/rm"
  PATH=$BATS_TEST_TMPDIR/no:$PATH run registry_lock_break "$LOCK"
  status_is 73
  says "but it can't be removed"
  is_taken
}

@test "a breaker whose claim can't be undone goes on with it" {
  dead_lock
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '%s\n' '#!/bin/sh' 'case $* in *"/claim."*" "*"/holder."*) exit 1 ;;' \
    "  */.) ! mkdir '$BATS_TEST_TMPDIR/once' 2>/dev/null || exit 1 ;; esac" \
    "exec $(command -v mv) \"\$@\"" >"$BATS_TEST_TMPDIR/bin/mv"
  chmod +x "$BATS_TEST_TMPDIR/bin/mv"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  start c '_registry_lock_pause() { :; }; registry_lock_acquire "$LOCK" 3; tell "$?"; hear'
  expect c 0
  held_by "$c_pid"
}

@test "an empty slot is removed without rm too" {
  few_tools
  mkdir slot
  PATH=$FEW _registry_lock_discard "$DIR/slot"
  [ ! -e slot ] || fail 'it is still there'
}

@test "a breaker gets in with standard error closed" {
  dead_lock
  start c 'registry_lock_acquire "$LOCK" 0 2>&-; tell "$?"'
  expect c 0
}

@test "a breaker whose PATH has no rm gets in, and the dead holder's slot is gone" {
  local slot
  killed_holder other
  slot=$(echo "$LOCK.slot.$other_pid."*)
  mkdir -p "$slot/lock.dead.1/lock"
  few_tools
  start c 'PATH=$FEW; registry_lock_acquire "$LOCK" 0; tell "$?"; hear'
  expect c 0
  held_by "$c_pid"
  [ ! -e "$slot" ] || fail "$slot is still there"
}

@test "clean runs leave nothing behind: taken and released, waited for, given up, broken" {
  killed_holder other
  hold b
  start c 'registry_lock_acquire "$LOCK" 0; tell "$?"; registry_lock_acquire "$LOCK" 20; tell "$?"'
  expect c 75
  send b go
  ended b
  expect c 0
  ended c
  no_litter
}

# in_overlay CODE: `run` of CODE where DIR is the lower layer of an overlay, which is the working directory.
in_overlay() {
  need_root
  need_unshare -m
  local top=$BATS_TEST_TMPDIR/top
  mkdir -p "$top"
  run unshare -m bash -c "{ mount -t tmpfs none '$top' && mkdir '$top'/{upper,work,all} &&
    mount -t overlay -o 'lowerdir=$DIR,upperdir=$top/upper,workdir=$top/work' none '$top/all'; } || exit 99
    cd '$top/all'; . '$library'; $1"
  [ "$status" != 99 ] || skip 'needs to mount an overlay'
}

# tool_in_bin NAME CODE: a NAME in $BATS_TEST_TMPDIR/bin that does CODE.
tool_in_bin() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
  chmod +x "$BATS_TEST_TMPDIR/bin/$1"
}

@test "a stale lock in the lower layer of an overlay, which no rename can move, is removed" {
  dead_lock_at "$LOCK"
  dead_lock_at "$DIR/other"
  local code='registry_lock_acquire lock 0 && registry_lock_release lock && registry_lock_break other; ls -A'
  in_overlay "$code"
  status_is 0
  says "removed the lock of process $dead_pid"
  same "${output##*not running}" ''
  command -v busybox >/dev/null || skip 'needs busybox, whose mv copies'
  tool_in_bin mv 'exec busybox mv "$@"'
  PATH=$BATS_TEST_TMPDIR/bin:$PATH in_overlay "$code"
  status_is 0
  same "${output##*not running}" ''
}

@test "it is never copied, for such an mv could take a later owner's lock apart" {
  command -v busybox >/dev/null || skip 'needs busybox, whose mv copies'
  dead_lock_at "$LOCK"
  tool_in_bin mv 'exec busybox mv "$@"'
  tool_in_bin rm 'echo "rm: not here" >&2; exit 1'
  in_overlay "before=\$(ls lock); PATH='$BATS_TEST_TMPDIR/bin':\$PATH; registry_lock_break lock; echo status \$?
    [[ \$(ls lock) == \"\$before\" ]] && echo whole"
  contains "$output" 'status 73'
  contains "$output" whole
}
