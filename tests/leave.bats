#!/usr/bin/env bats
# leave.bats: leaving the shell gives locks back, the caller's traps stay his, and an mv that is
# under way when the shell goes robs nobody and leaves no lock without an entry.

# shellcheck disable=SC2016,SC2154 # code for drivers, and variables of the helper
load helper

# start_group NAME CODE: like start, in a process group of its own, where SIGINT isn't ignored.
start_group() {
  set -m
  start "$@"
  set +m
}

# holding NAME CODE: a process that runs CODE, takes LOCK, tells "held", hears, and tells "on".
holding() {
  start_group "$1" "$2
    registry_lock_acquire \"\$LOCK\" 10 || exit; tell held; hear; tell on; hear" && expect "$1" held
}

@test "INT, TERM and HUP release, and the shell dies of them" {
  local pair
  for pair in INT:130 TERM:143 HUP:129; do
    holding "on${pair%:*}" ''
    eval "kill -${pair%:*} \$on${pair%:*}_pid"
    ended "on${pair%:*}" "${pair#*:}"
    no_litter
  done
}

@test "every way to the end of a script releases, with the status that it has without a lock" {
  local code with without
  for code in 'exit 3' ':' 'set -e; false; echo on' 'set -u; echo $nope; echo on' \
    'echo ${nope:?gone}' 'f() { exit 4; }; f' 'eval "if"' 'kill -TERM $$' \
    'set -e; f() { false; echo on; }; f' 'exec false'; do
    here bash -c "$code"
    without=$status
    here bash -c ". '$library'; registry_lock_acquire lock && registry_lock_acquire lock2; $code"
    with=$status
    same "$code: $with" "$code: $without"
    [ "$code" != 'exec false' ] || rm -r lock*
    no_litter
  done
}

@test "Ctrl-C while a child runs ends both and releases" {
  start_group driver 'registry_lock_acquire "$LOCK"; export -f tell hear
    bash -c "tell \$\$; hear"; tell on'
  local child
  child=$(listen driver)
  held_by "$driver_pid"
  kill -INT -- "-$driver_pid"
  ended driver 130
  gone "$child"
  no_litter
}

@test "what SIGKILL leaves is the next caller's" {
  killed_holder other
  hold next
  contains "$(err_of next)" "removed the lock of process $other_pid"
  held_by "$next_pid"
}

@test "the caller's own EXIT code runs first, once, with his status and the locks still held" {
  start driver 'trap "tell status \$?; registry_lock_check \"\$LOCK\"; tell check \$?; hear" EXIT
    registry_lock_acquire "$LOCK"; exit 5'
  expect driver 'status 5'
  expect driver 'check 0'
  held_by "$driver_pid"
  send driver go
  ended driver 5
  no_litter
}

@test "the caller's own EXIT code runs once when a signal ends the shell" {
  local signal
  for signal in INT TERM HUP; do
    holding "on$signal" 'trap "echo bye >>\"\$0.said\"" EXIT'
    eval "kill -$signal \$on${signal}_pid"
    ended "on$signal" "$((128 + $(kill -l "$signal")))"
    same "$(cat "$BATS_TEST_TMPDIR/talk/on$signal.sh.said")" bye
    no_litter
  done
}

@test "a caller's own INT, TERM and HUP traps run once, and their exit releases" {
  local pair
  for pair in INT:130 TERM:143 HUP:9; do
    holding "on${pair%:*}" "trap 'echo handled >>\"\$0.said\"; exit ${pair#*:}' ${pair%:*}
      trap 'echo bye >>\"\$0.said\"' EXIT"
    eval "kill -${pair%:*} \$on${pair%:*}_pid"
    ended "on${pair%:*}" "${pair#*:}"
    same "$(cat "$BATS_TEST_TMPDIR/talk/on${pair%:*}.sh.said")" $'handled\nbye'
    no_litter
  done
}

@test "a handler that resets its signal and kills the shell with it releases" {
  holding driver "trap 'echo handled >>\"\$0.said\"; trap - INT; kill -INT \$\$' INT"
  kill -INT "$driver_pid"
  ended driver 130
  same "$(cat "$BATS_TEST_TMPDIR/talk/driver.sh.said")" handled
  no_litter
}

@test "a caller's own trap that doesn't exit leaves the lock with him" {
  holding driver "trap 'tell handled' TERM"
  kill -TERM "$driver_pid"
  expect driver handled
  alive "$driver_pid"
  held_by "$driver_pid"
}

@test "a signal that the caller ignores stays ignored" {
  holding driver "trap '' INT TERM HUP"
  kill -INT "$driver_pid" && kill -TERM "$driver_pid" && kill -HUP "$driver_pid"
  send driver go
  expect driver on
  held_by "$driver_pid"
}

@test "EXIT code of any kind gives the status and the output that it gives without a lock" {
  local mode code expected
  for mode in : 'set -e' 'set -o posix' 'set -eE; trap "echo err" ERR'; do
    for code in 'exit 7' 'false; exit' '(exit 4); echo on' 'false || exit 5' 'f() { exit 6; }; f' \
      'f() { false; echo on; }; f; echo more' '(false; exit); exit $?' 'echo $?'; do
      run bash -c "$mode; trap '$code' EXIT; (exit 3); exit"
      expected="$mode; $code: $status $output"
      run bash -c "$mode; . '$library'; trap '$code' EXIT
        registry_lock_acquire lock; (exit 3); exit"
      same "$mode; $code: $status $output" "$expected"
      no_litter
    done
  done
}

@test "under set -e a failure in the EXIT code runs the caller's own ERR code, and releases" {
  run bash -c ". '$library'; set -e; trap 'echo \"err \$?\"' ERR; trap 'false; echo on' EXIT
    registry_lock_acquire lock; exit 3"
  status_is 1
  same "$output" 'err 1'
  no_litter
}

@test "in posix mode the release comes before the caller's own EXIT code" {
  run bash -c "set -o posix; . '$library'
    trap 'ls; registry_lock_check lock; echo \$?; exit 7' EXIT; registry_lock_acquire lock; exit 3"
  status_is 7
  same "$output" 76
  no_litter
}

@test "EXIT code that waits for a child keeps the locks until the child has ended" {
  start driver '(tell working; hear) & worker=$!
    trap "tell waiting; wait \$worker; tell waited; hear" EXIT
    registry_lock_acquire "$LOCK"; exit 0'
  expect driver working
  expect driver waiting
  held_by "$driver_pid"
  send driver go
  expect driver waited
  held_by "$driver_pid"
  send driver go
  ended driver
  no_litter
}

@test "any set of traps, set, ignored or unset, is byte for byte the same after a release" {
  run bash -c ". '$library'; set -T
    lay() { case \$1 in set) trap \"echo 'it is '\\\"\\\$1\\\"
      : \$2\" \"\$2\" ;; ignored) trap '' \"\$2\" ;; *) trap - \"\$2\" ;; esac; }
    for e in unset set ignored; do for i in unset set ignored; do for t in unset set ignored; do
      lay \$e EXIT; lay \$i INT; lay \$t TERM; lay \$i HUP
      before=\$(trap -p) signals=\$(trap -p INT TERM HUP)
      registry_lock_acquire lock\$e\$i\$t 0
      [ \"\$signals\" = \"\$(trap -p INT TERM HUP)\" ] || echo \"held: \$e \$i \$t\"
      registry_lock_release lock\$e\$i\$t
      [ \"\$before\" = \"\$(trap -p)\" ] || echo \"released: \$e \$i \$t\"
    done; done; done; trap - EXIT; echo done"
  same "$output" 'done'
}

@test "the traps are the same after an acquire that failed, and after a write" {
  hold other
  run bash -c ". '$library'; trap 'echo bye' EXIT; trap : TERM; trap '' HUP; before=\$(trap -p)
    registry_lock_acquire '$LOCK' 0; registry_lock_acquire absent/lock; registry_lock_acquire ''
    registry_lock_acquire '$LOCK' soon; echo new | registry_lock_write file
    registry_lock_write . <file; registry_lock_write file2 <file
    [ \"\$before\" = \"\$(trap -p)\" ] && echo same" 2>/dev/null
  contains "$output" $'same\nbye'
}

@test "DEBUG, ERR and RETURN traps stay, and nothing is added to them" {
  run bash -c ". '$library'; trap : DEBUG; trap : RETURN; trap : ERR; before=\$(trap -p)
    registry_lock_acquire lock; registry_lock_release lock
    [ \"\$before\" = \"\$(trap -p)\" ] && echo same"
  same "$output" same
}

@test "a subshell's own traps stay, of whatever signal" {
  run bash -c ". '$library'; (trap : URG; trap : IO; before=\$(trap -p)
    registry_lock_acquire lock; registry_lock_release lock
    [ \"\$before\" = \"\$(trap -p)\" ] && echo same)"
  same "$output" same
}

@test "EXIT code that the caller has taken back is not run" {
  run bash -c ". '$library'; trap 'echo mine' EXIT; registry_lock_acquire lock
    registry_lock_release lock; trap - EXIT; registry_lock_acquire lock"
  status_is 0
  same "$output" ''
  no_litter
}

@test "the caller's EXIT trap is back when nothing is left to do, and not before" {
  run bash -c ". '$library'; trap 'echo mine' EXIT; mine=\$(trap -p EXIT)
    _registry_lock_arm_over && _registry_lock_arm_over || echo \"laid: \$?\"
    disarm() {
      _registry_lock_disarm || echo \"\$1: \$?\"
      [ \"\$(trap -p EXIT)\" = \"\$mine\" ] && echo \"back: \$1\"
    }
    _registry_lock_locks[1]=lock; disarm lock; unset '_registry_lock_locks[1]'
    _registry_lock_leaving=1; disarm leaving; _registry_lock_leaving=
    _registry_lock_temp=file; disarm file; _registry_lock_temp=
    disarm nothing; trap 'echo other' EXIT; disarm other"
  same "$output" $'back: nothing\nother'
}

@test "a child of the library's own lays the trap without a look, and is one like others then" {
  run bash -c ". '$library'; trap 'echo mine' EXIT
    (rl_alone=1; _registry_lock_show_trap() { echo looked; }
    _registry_lock_arm; echo \"alone: '\$rl_alone'\"
    case \$(trap -p EXIT) in *mine*) echo not laid ;; esac)"
  same "$output" $'alone: \'\'\nmine'
}

@test "an EXIT trap that the caller sets while he holds a lock stays his" {
  run bash -c ". '$library'; registry_lock_acquire lock; trap 'echo mine' EXIT
    registry_lock_release lock; trap -p EXIT"
  same "$output" $'trap -- \'echo mine\' EXIT\nmine'
  run bash -c ". '$library'; registry_lock_acquire lock; trap 'echo mine' EXIT
    registry_lock_acquire lock2; exit 4"
  status_is 4
  same "$output" mine
  no_litter
}

@test "an EXIT trap that replaces the release leaves the lock to the next caller" {
  run bash -c ". '$library'; registry_lock_acquire lock; trap 'echo mine' EXIT"
  same "$output" mine
  is_taken
  run registry_lock_acquire "$LOCK" 0
  status_is 0
  says 'not running'
}

@test "a subshell that ends gives back what it took, and nothing of its parent's" {
  registry_lock_acquire "$LOCK"
  (registry_lock_acquire other && exit 3) || same "$?" 3
  is_free other
  contains "$(registry_lock_acquire other && ls other)" holder.
  is_free other
  registry_lock_check "$LOCK"
  held_by "$(my_pid)"
}

@test "a background subshell that is killed by TERM gives back its own lock only" {
  mkfifo "$BATS_TEST_TMPDIR/never"
  start parent "registry_lock_acquire \"\$LOCK\"
    (registry_lock_acquire other || exit; tell held; read -r _ <>'$BATS_TEST_TMPDIR/never') &
    child=\$!; hear; kill -TERM \$child; wait \$child; tell \"ended \$?\"; hear"
  expect parent held
  is_taken other
  send parent go
  expect parent 'ended 143'
  is_free other
  held_by "$parent_pid"
}

@test "in a trap the functions end with the status that they have elsewhere" {
  hold other
  local code='registry_lock_check free; echo $?; registry_lock_release free; echo $?
    registry_lock_acquire lock 0; echo $?; registry_lock_acquire absent/lock 0; echo $?
    registry_lock_acquire mine 0; echo $?; registry_lock_check mine; echo $?
    registry_lock_release; echo $?; registry_lock_write absent/file </dev/null; echo $?
    registry_lock_acquire ""; echo $?; registry_lock_acquire x soon; echo $?'
  local before
  for before in 0 3; do
    run bash -c ". '$library'; trap '$code' EXIT; exit $before" 2>/dev/null
    same "$(printf '%s\n' "$output" | grep -v '^registry-lock' | tr '\n' ' ')" \
      '76 76 75 73 0 0 0 73 64 64 '
  done
}

@test "TERM while the mv that places a lock is under way: it places nothing later on" {
  gate_mv '-n*'
  start taker 'registry_lock_acquire "$LOCK" 30'
  expect gate at
  kill -TERM "$taker_pid"
  ended taker 143
  no_litter
  hold next
  send gate go
  expect gate "done"
  held_by "$next_pid"
}

@test "TERM while the mv that places a lock is under way: it places no half of what goes" {
  local talk=$BATS_TEST_TMPDIR/talk/cleaner rm
  rm=$(command -v rm)
  gate_mv '-n*'
  channel cleaner && : >"$talk.err"
  mkdir cleaner
  printf '#!/usr/bin/env bash\nslot=${*: -1}\n%s -f "$slot"/lock/*\n' "$rm" >cleaner/rm
  printf 'echo half >"%s"\nread -r -t 60 <"%s"\nexec %s "$@"\n' \
    "$talk.says" "$talk.hears" "$rm" >>cleaner/rm
  chmod +x cleaner/rm
  start taker 'registry_lock_acquire "$LOCK" 30' env "PATH=$DIR/cleaner:$PATH"
  expect gate at
  kill -TERM "$taker_pid"
  expect cleaner half
  send gate go
  expect gate "done"
  send cleaner go
  ended taker 143
  same "$(ls)" cleaner
}

@test "Ctrl-C while the mv that places a lock is under way ends the shell, and gives back" {
  gate_mv '-n*'
  start_group taker 'registry_lock_acquire "$LOCK" 30; tell held'
  expect gate at
  kill -INT -- "-$taker_pid"
  ended taker 130
  no_litter
}

@test "TERM when the lock is placed and its mv has not ended yet: the lock is given back" {
  gate_mv '-n*' after
  start taker 'registry_lock_acquire "$LOCK" 30'
  expect gate at
  held_by "$taker_pid"
  kill -TERM "$taker_pid"
  ended taker 143
  no_litter
  send gate go
  expect gate "done"
  no_litter
}

@test "a lock that a trap of the caller's gave back as soon as it was placed is taken again" {
  eval "real$(declare -f _registry_lock_place)"
  _registry_lock_place() { real_registry_lock_place "$@" && registry_lock_release; }
  registry_lock_acquire "$LOCK" 5
  held_by "$$"
  registry_lock_release "$LOCK"
  no_litter
}

@test "TERM while the mv of a release is under way: it robs no later owner" {
  gate_mv '--\ *'
  start owner 'registry_lock_acquire "$LOCK" 30; registry_lock_release "$LOCK"'
  expect gate at
  kill -TERM "$owner_pid"
  ended owner 143
  gone "$owner_pid"
  held_by "$owner_pid"
  hold next
  contains "$(err_of next)" "removed the lock of process $owner_pid"
  send gate go
  expect gate "done"
  held_by "$next_pid"
}

@test "while the mv of a killed process's release is seen to run, the lock is held" {
  [ -r /proc/self/environ ] || skip "needs a /proc that shows environments"
  gate_mv '--\ *'
  sed -i.bak '/^\[ -z/d' "$BATS_TEST_TMPDIR/gate/mv"
  start owner 'registry_lock_acquire "$LOCK" 30; registry_lock_release "$LOCK"'
  expect gate at
  slay owner
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says 'the holder is gone, but what was started under this lock still runs'
  send gate go
  expect gate "done"
  hold next
}

@test "TERM when the release has renamed and its mv has not ended yet: nothing is left" {
  gate_mv '--\ *' after
  start owner 'registry_lock_acquire "$LOCK" 30; registry_lock_release "$LOCK"'
  expect gate at
  is_free
  kill -TERM "$owner_pid"
  ended owner 143
  no_litter
  send gate go
  expect gate "done"
  no_litter
}

@test "SIGKILL while the mv of a release is under way: it robs no later owner" {
  gate_mv '--\ *'
  start owner 'registry_lock_acquire "$LOCK" 30; registry_lock_release "$LOCK"'
  expect gate at
  slay owner
  hold next
  send gate go
  expect gate "done"
  held_by "$next_pid"
}

@test "SIGKILL while the mv that places a lock is under way: what it places is a gone process's" {
  gate_mv '-n*'
  start taker 'registry_lock_acquire "$LOCK" 30'
  expect gate at
  slay taker
  send gate go
  expect gate "done"
  held_by "$taker_pid"
  hold next
  held_by "$next_pid"
}

@test "TERM while the mv that claims a dead holder's entry is under way: it robs no later owner" {
  killed_holder dead
  gate_mv '*lock/claim.*'
  start breaker 'registry_lock_acquire "$LOCK" 30'
  expect gate at
  kill -TERM "$breaker_pid"
  ended breaker 143
  held_by "$dead_pid"
  hold next
  send gate go
  expect gate "done"
  held_by "$next_pid"
}

@test "TERM while the mv that removes a claimed lock is under way: it robs no later owner" {
  killed_holder dead
  gate_mv '*dead*'
  start breaker 'registry_lock_acquire "$LOCK" 30'
  expect gate at
  kill -TERM "$breaker_pid"
  ended breaker 143
  gone "$breaker_pid"
  hold next
  send gate go
  expect gate "done"
  held_by "$next_pid"
}

@test "a caller's own TERM trap that exits waits for the mv, and the lock is free after it" {
  gate_mv '-n*'
  start taker 'trap "exit 7" TERM; registry_lock_acquire "$LOCK" 30; tell held'
  expect gate at
  kill -TERM "$taker_pid"
  send gate go
  expect gate "done"
  ended taker 7
  no_litter
}

@test "TERM between the end of a release and its last step is no loss of the lock" {
  start driver 'registry_lock_acquire "$LOCK"; stop_at _registry_lock_discard
    registry_lock_release "$LOCK"'
  expect driver 'at _registry_lock_discard'
  is_free
  hold successor
  kill -TERM "$driver_pid"
  ended driver 143
  same "$(err_of driver)" ''
  held_by "$successor_pid"
  send successor go
  ended successor
  no_litter
}
