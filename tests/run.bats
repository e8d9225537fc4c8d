#!/usr/bin/env bats
# run.bats: a command that is itself the holder.

# shellcheck disable=SC2016,SC2030,SC2031 # code for other processes; a test is a subshell
load helper

# plainly WORD...: WORDs with INT and QUIT as a terminal's programs have them: a job in the
# background of a shell is started with both ignored.
plainly() {
  trap - INT QUIT
  exec "$@"
}

# run_worker NAME CODE [WORD...]: CODE runs as the command of `registry-lock run`; it tells its pid
# first. NAME_pid is the wrapper.
run_worker() {
  start "$1" "tell \$\$; $2" plainly registry-lock run ${3+"${@:3}"} "$LOCK" --
}

@test "the command's streams, environment and status are its own" {
  run registry-lock run "$LOCK" -- bash -c 'read -r x; echo "out $x"; echo err >&2; exit 7' <<<in
  status_is 7
  says 'out in'
  says err
  no_litter
  run registry-lock run "$LOCK" sh -c 'kill -KILL $$'
  status_is 137
  no_litter
}

@test "the process that becomes the command is the holder, and the entry names the command" {
  run_worker worker 'hear'
  local command
  command=$(listen worker)
  held_by "$command"
  contains "$(cat "$LOCK"/*)" "command bash"
  [ "$command" != "$worker_pid" ]
  send worker go
  ended worker
  no_litter
}

@test "a wrapper killed with -9 leaves its command the holder, until it ends" {
  run_worker worker 'hear'
  local command id
  command=$(listen worker)
  id=$(identity "$command")
  slay worker
  alive "$command" "$id"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "is held by process $command (bash)"
  kill -KILL "$command"
  run registry_lock_acquire "$LOCK" 10
  status_is 0
  gone "$command" "$id"
  says "removed the lock of process $command"
}

@test "what kills the command frees the lock before the wrapper ends" {
  run_worker worker 'hear'
  local command
  command=$(listen worker)
  kill -KILL "$command"
  ended worker 137
  no_litter
}

@test "a signal to the wrapper reaches the command once, and the lock stays until it has ended" {
  local signal command
  for signal in INT TERM HUP QUIT USR1 USR2; do
    run_worker "w$signal" "count=0; trap 'count=\$((count + 1)); tell got' $signal; tell ready
      hear; hear; tell \$count; exit 5"
    eval "command=\$(listen w$signal)"
    expect "w$signal" ready
    eval "kill -$signal \$w${signal}_pid"
    expect "w$signal" got
    held_by "$command"
    send "w$signal" one
    send "w$signal" two
    expect "w$signal" 1
    ended "w$signal" 5
    is_free
  done
}

@test "a signal to the whole group reaches the command once" {
  local signal
  command -v setsid >/dev/null || skip 'needs setsid'
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || skip 'before bash 4.4 each signal is handed on'
  for signal in INT TERM HUP QUIT USR1 USR2; do
    start "g$signal" "count=0; trap 'count=\$((count + 1)); tell got' $signal; tell ready
      hear; hear; tell \$count; exit 5" plainly setsid registry-lock run "$LOCK" --
    expect "g$signal" ready
    eval "kill -$signal -- -\$g${signal}_pid"
    expect "g$signal" got
    send "g$signal" one
    send "g$signal" two
    expect "g$signal" 1
    ended "g$signal" 5
    is_free
  done
}

@test "a wrapper that waits ends by a signal, and leaves nothing" {
  hold other
  local signal
  for signal in INT TERM HUP; do
    start "w$signal" 'tell never' plainly registry-lock run -w 3600 "$LOCK" --
    until_slot_of_a_waiter
    eval "kill -$signal \$w${signal}_pid"
    ended "w$signal" $((128 + $(kill -l "$signal")))
  done
  held_by "$other_pid"
  send other go
  ended other
  no_litter
}

# until_slot_of_a_waiter: a process is waiting for LOCK, in its slot.
until_slot_of_a_waiter() {
  until compgen -G "$LOCK.slot.*/lock" >/dev/null; do :; done
}

@test "statuses are as shells have them: 126, 127, 128+n" {
  printf 'no program\n' >"$DIR/text"
  run registry-lock run "$LOCK" "$DIR/text"
  status_is 126
  status=0
  output=$(registry-lock run "$LOCK" -- no-such-command 2>&1) || status=$?
  status_is 127
  says 'no-such-command: command not found'
  run registry-lock run "$LOCK" sh -c 'kill -TERM $$'
  status_is 143
  rm "$DIR/text"
  no_litter
}

@test "-n fails at once, -w waits, and -E gives the status of a lock that was not to be had" {
  hold other
  run registry-lock run -n "$LOCK" true
  status_is 75
  run registry-lock run -nE 0 "$LOCK" false
  status_is 0
  run registry-lock run -w 0.05 --conflict-exit-code=255 "$LOCK" true
  status_is 255
  for number in 256 -1 x '' 1000; do
    run registry-lock run -E "$number" "$LOCK" true
    status_is 64
  done
  send other go
  ended other
  run registry-lock run -E 9 "$LOCK" sh -c 'exit 75'
  status_is 75
}

@test "-c runs a string with the shell, -v says when, and wrong words are usage errors" {
  run registry-lock run -v "$LOCK" -c 'echo "$0 $((1 + 1))"'
  status_is 0
  says 'took'
  says ' 2'
  run registry-lock run "$LOCK"
  status_is 64
  run registry-lock run
  status_is 64
  run registry-lock run --nonsense "$LOCK" true
  status_is 64
  run registry-lock run "$LOCK" -c one two
  status_is 64
}

@test "a run inside a run of the same lock is refused at once, by any name of the path" {
  ln -s "$DIR" "$BATS_TEST_TMPDIR/alias"
  run registry-lock run "$LOCK" registry-lock run -w 3600 "$BATS_TEST_TMPDIR/alias/lock" echo inner
  status_is 64
  says 'started under that very lock'
  lacks "$output" inner
  run registry-lock run "$LOCK" registry-lock run "$LOCK.other" echo inner
  status_is 0
  says inner
}

@test "a token of a lock that was released, or of another, changes nothing" {
  hold other
  export REGISTRY_LOCK_TOKENS="1.x.1 $$.abc.2"
  run registry-lock run -n "$LOCK" true
  status_is 75
  send other go
  ended other
  run registry-lock run "$LOCK" true
  status_is 0
}

@test "descriptors and ignored signals are passed on as they are" {
  run registry-lock run "$LOCK" sh -c 'echo nine >&9; echo eight >&8' 8>"$DIR/8" 9>"$DIR/9"
  status_is 0
  same "$(cat "$DIR/8" "$DIR/9")" $'eight\nnine'
  trap '' HUP USR1
  run registry-lock run "$LOCK" bash -c 'kill -HUP $$; kill -USR1 $$; echo lives'
  trap - HUP USR1
  says lives
}

@test "as a function it leaves the driver's traps and jobs alone" {
  start driver 'look() { set -- /proc/$$/fd/*; seen="$(trap -p; jobs -p) $* $!"; }
    trap "echo bye" EXIT; trap "echo int" INT; sleep 300 & look; before=$seen
    registry_lock_run "$LOCK" sh -c "exit 3"; tell $?
    look; [ "$before" = "$seen" ] && tell same; kill $!'
  expect driver 3
  expect driver same
  ended driver
  no_litter
}
