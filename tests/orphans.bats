#!/usr/bin/env bats
# orphans.bats: a lock whose holder is gone is held as long as what was started under it runs.

# shellcheck disable=SC2016,SC2030,SC2031 # code for other processes; a test is a subshell
load helper

# orphaned NAME: NAME took LOCK, started a program that works, and was killed with -9. $worker is the
# program's pid, $worker_id its identity; `send work go` ends it.
orphaned() {
  channel work && : >"$BATS_TEST_TMPDIR/talk/work.err"
  start "$1" "registry_lock_acquire \"\$LOCK\" || exit; bash '$BATS_TEST_TMPDIR/worker.sh'"
  cat >"$BATS_TEST_TMPDIR/worker.sh" <<WORKER
echo \$\$ >'$BATS_TEST_TMPDIR/talk/work.says'
read -r _ <'$BATS_TEST_TMPDIR/talk/work.hears'
WORKER
  worker=$(listen work)
  worker_id=$(identity "$worker")
  pids="$pids $worker"
  slay "$1" && alive "$worker" "$worker_id" && is_taken
}

# until_gone PID ID: blocks until the probe says so.
until_gone() {
  until [ "$(procid "$1" "$2")" = gone ]; do :; done
}

@test "while a killed driver's program runs, its lock is held, and the message names the program" {
  orphaned driver
  run registry_lock_acquire "$LOCK" 0.1
  status_is 75
  says 'the holder is gone, but what was started under this lock still runs'
  says "$worker (bash)"
  held_by "$driver_pid"
  alive "$worker" "$worker_id"
}

@test "when the program has ended the next caller gets in" {
  orphaned driver
  start next 'tell ready; registry_lock_acquire "$LOCK" 30; tell $?'
  expect next ready
  send work go
  until_gone "$worker" "$worker_id"
  expect next 0
  ended next
  contains "$(err_of next)" "removed the lock of process $driver_pid"
}

@test "status and doctor call it held, and name what runs" {
  orphaned driver
  run registry-lock status "$LOCK"
  status_is 1
  says "$worker (bash)"
  run registry-lock doctor --fix "$DIR"
  status_is 0
  says 'still runs'
  held_by "$driver_pid"
  command -v jq >/dev/null || skip 'needs jq'
  run registry-lock status --json "$LOCK"
  same "$(jq -r '.state + .verdict + .reason' <<<"$output")" heldorphanedorphans
}

@test "doctor calls it held without --fix too, whatever the lock's name" {
  LOCK=$DIR/plain
  orphaned driver
  rm -r "$LOCK".slot.*
  run registry-lock doctor "$DIR"
  status_is 0
  says 'still runs'
}

@test "what a live holder has started makes no orphan" {
  local talk=$BATS_TEST_TMPDIR/talk/driver
  start driver "registry_lock_acquire \"\$LOCK\" || exit
    bash -c 'echo works >\$0.says; read -r _ <\$0.hears' '$talk'; true"
  expect driver works
  run registry_lock_status "$LOCK"
  says 'alive: it is running'
}

@test "the first of those that run is watched, and none that was watched before" {
  orphaned driver
  local rl_orphan=1 rl_orphans='' rl_blind='' token
  token=$(entry_of "$LOCK")
  _registry_lock_orphans "${token#holder.}"
  same "$rl_orphan" "$worker"
  _registry_lock_self
  _registry_lock_look "$LOCK"
  here _registry_lock_judge_entry
  same "$rl_verdict $rl_orphans" "orphaned $worker (bash)"
}

@test "break refuses, and with --force and the token removes" {
  orphaned driver
  local token
  token=$(entry_of "$LOCK")
  run registry-lock break "$LOCK"
  status_is 75
  run registry-lock break --force "$LOCK" "${token#holder.}"
  status_is 0
  is_free
  alive "$worker" "$worker_id"
}

@test "a program started without the token does not count" {
  start driver "registry_lock_acquire \"\$LOCK\" || exit
    env -u REGISTRY_LOCK_TOKENS sleep 300 & tell \$!; hear"
  local daemon
  daemon=$(listen driver)
  pids="$pids $daemon"
  slay driver
  alive "$daemon"
  run registry_lock_acquire "$LOCK" 0
  status_is 0
}

@test "a program that takes its dead driver's lock again is refused, and not left waiting" {
  channel work && : >"$BATS_TEST_TMPDIR/talk/work.err"
  printf '%s\n' "echo \$\$ >'$BATS_TEST_TMPDIR/talk/work.says'" \
    "read -r _ <'$BATS_TEST_TMPDIR/talk/work.hears'" ". '$library'" \
    "registry_lock_acquire '$LOCK' 3600; echo \$? >'$BATS_TEST_TMPDIR/talk/work.says'" \
    >"$BATS_TEST_TMPDIR/worker.sh"
  start driver "registry_lock_acquire \"\$LOCK\" || exit; bash '$BATS_TEST_TMPDIR/worker.sh'"
  pids="$pids $(listen work)"
  slay driver
  send work go
  expect work 64
}

@test "where a system can't look, the lock is removed and the line says so" {
  killed_holder other
  printf '%s\n' '#!/usr/bin/env bash' 'case $* in --why\ *.*.*) echo gone not-running unknown ;;' \
    "*) exec '$(command -v procid)' \"\$@\" ;; esac" >"$BATS_TEST_TMPDIR/blind"
  chmod +x "$BATS_TEST_TMPDIR/blind"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/blind run registry_lock_acquire "$LOCK" 0
  status_is 0
  says "can't be seen here"
}

@test "a run whose wrapper and command are dead is held by what the command left running" {
  start wrapper 'sleep 300 & tell $!; hear' registry-lock run "$LOCK" --
  local left command
  left=$(listen wrapper)
  pids="$pids $left"
  command=$(entry_of "$LOCK")
  command=${command#holder.} command=${command%%.*}
  slay wrapper
  kill -KILL "$command"
  run registry_lock_acquire "$LOCK" 0.1
  status_is 75
  says "$left (sleep)"
}
