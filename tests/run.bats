#!/usr/bin/env bats
# run.bats: a command that is itself the holder.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # code for other processes; a test is a subshell
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

@test "what a killed command left running keeps the lock, and the wrapper says so and ends" {
  local left
  run_worker worker 'sleep 1000 & tell $!; hear'
  local command
  command=$(listen worker)
  left=$(listen worker)
  pids="$pids $left"
  kill -KILL "$command"
  ended worker 137
  alive "$left"
  run registry_lock_acquire "$LOCK" 0.1
  status_is 75
  says "what was started under this lock still runs: $left (sleep)"
  [[ $(err_of worker) == *"$left (sleep)" ]] || fail "it said: $(err_of worker)"
  kill -KILL "$left"
  gone "$left"
  registry_lock_acquire "$LOCK" 10
  registry_lock_release "$LOCK"
  no_litter
}

@test "what a command that ended by itself left running keeps no lock" {
  local left
  run registry-lock run "$LOCK" bash -c 'sleep 1000 >&- 2>&- 3>&- & echo $!; exit 3'
  status_is 3
  left=$output
  pids="$pids $left"
  alive "$left"
  no_litter
}

@test "what a killed command left running and ends soon is waited for, without a word" {
  start worker '_registry_lock_load options run wrap
    stop_at _registry_lock_nap
    export -f tell hear
    (registry_lock_run "$LOCK" bash -c "(read -r _ <\"\$0\") & tell \$\$; kill -KILL \$\$" '"'$BATS_TEST_TMPDIR/talk/left'); tell \$?"
  mkfifo "$BATS_TEST_TMPDIR/talk/left"
  listen worker >/dev/null
  expect worker 'at _registry_lock_nap'
  echo >"$BATS_TEST_TMPDIR/talk/left"
  send worker go
  expect worker 137
  ! grep -q registry-lock: "$BATS_TEST_TMPDIR/talk/worker.err" || fail "it said: $(err_of worker)"
  no_litter
}

@test "the mv by which a killed wrapper gives back comes late, and takes nobody's lock" {
  gate_mv "'-- $LOCK $LOCK.slot.'*"
  run_worker worker 'hear'
  local command id
  command=$(listen worker)
  id=$(identity "$command")
  send worker go
  expect gate at
  gone "$command" "$id"
  slay worker
  hold other
  send gate go
  expect gate 'done'
  held_by "$other_pid"
  send other go
  ended other
  no_litter
}

@test "a lock is given back where its holder's slot is gone, or it has no identity" {
  run registry-lock run "$LOCK" sh -c 'rm -r "$0".slot.*' "$LOCK"
  status_is 0
  no_litter
  REGISTRY_LOCK_PROCID=none run registry-lock run "$LOCK" true
  status_is 0
  no_litter
}

@test "a lock that its command lost is left to its new owner" {
  run_worker worker 'rm -r "$LOCK"; tell lost; hear'
  listen worker >/dev/null
  expect worker lost
  hold other
  send worker go
  ended worker
  held_by "$other_pid"
  send other go
  ended other
  is_free
}

@test "a live holder that has the child's number in another container is left" {
  need_unshare -pf --mount-proc
  local talk=$BATS_TEST_TMPDIR/talk entry
  start one "registry-lock run \"\$LOCK\" bash -c 'echo \$\$ >first; echo held >$talk/one.says; read -r _ <$talk/one.hears'" \
    unshare -pf --mount-proc
  expect one held
  entry=$(entry_of "$LOCK")
  start two 'registry-lock run -w 0 -E 9 "$LOCK" true' unshare -pf --mount-proc
  ended two 9
  start three 'registry-lock run "$LOCK.free" bash -c "echo \$\$ >third"' unshare -pf --mount-proc
  ended three
  same "$(cat third)" "$(cat first)"
  same "$(entry_of "$LOCK")" "$entry"
  send one go
  ended one
  rm first third
  no_litter
}

@test "a number that was the sentinel's and is another process's now gets no signal" {
  local number
  start parent 'sleep 1000 & tell $!; hear; kill $!'
  number=$(listen parent)
  _registry_lock_load wrap
  (
    _registry_lock_watch=$number _registry_lock_got=''
    exec 187>/dev/null
    _registry_lock_group_got TERM || :
    exec 187>&-
    _registry_lock_watch=$number
    exec 187>/dev/null
    _registry_lock_sentinel_end
  )
  alive "$number"
  [[ $(ps -o stat= -p "$number") != *Z* ]] || fail 'it was killed'
  send parent go
  ended parent 0
}

@test "a stranger's lock that can't be put back stays where the message says" {
  local slot
  stranger_in_the_way
  run registry-lock run "$LOCK" sh -c 'exit 5'
  status_is 5
  slot=$(echo "$LOCK".slot.*)
  says "is now at $slot/lock"
  same "$(ls "$slot/lock")" holder.1.x.1
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

@test "a signal reaches the command although the sentinel was killed before" {
  local signal
  command -v pgrep >/dev/null || skip 'needs pgrep'
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || skip 'before bash 4.4 there is no sentinel'
  for signal in TERM QUIT; do
    run_worker "s$signal" "trap 'tell got; exit 5' $signal; tell ready; while hear; do :; done"
    listen "s$signal" >/dev/null
    expect "s$signal" ready
    eval "pkill -KILL -P \$s${signal}_pid -x cat"
    while eval "pgrep -P \$s${signal}_pid -x cat"; do :; done
    eval "kill -$signal \$s${signal}_pid"
    send "s$signal" on
    expect "s$signal" got
    ended "s$signal" 5
  done
}

@test "a signal that comes just before the wrapper waits reaches the command" {
  mkfifo "$BATS_TEST_TMPDIR/never"
  start driver '_registry_lock_load run wrap
    stop_at _registry_lock_wait_child
    export -f tell
    (registry_lock_run "$LOCK" bash -c "trap \"tell got; exit 3\" USR1; tell \$PPID; until read -r -t 1 x <>\"\$0\"; do :; done" '"'$BATS_TEST_TMPDIR/never')"
  local first second
  first=$(listen driver)
  second=$(listen driver)
  kill -USR1 $((${first//[!0-9]/}${second//[!0-9]/}))
  send driver go
  expect driver got
  ended driver 3
  no_litter
}

@test "a command that ends as its wrapper is signalled leaves no wrapper behind" {
  local round status
  for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    status=0
    timeout -k 5 60 registry-lock run "$LOCK" bash -c 'trap "" USR1; kill -USR1 $PPID; exec 2>&- 1>&-; kill -USR1 $PPID; exit 3' ||
      status=$?
    [ "$status" = 3 ] || [ "$status" = $((128 + $(kill -l USR1))) ] || fail "round $round: status $status"
  done
  no_litter
}

@test "a wrapper that may not signal its command waits for it" {
  need_root
  command -v setpriv >/dev/null || skip 'needs setpriv'
  local public=$BATS_TEST_TMPDIR/public dir=$BATS_TEST_TMPDIR command sentinel
  mkdir "$public" && cp -R "$root/bin" "$root/lib" "$(command -v setpriv)" "$public"
  chmod -R a+rX "$public" && chmod u+s "$public/setpriv" && chmod 777 "$DIR"
  while [[ $dir == "$BATS_RUN_TMPDIR"* ]]; do chmod a+x "$dir" && dir=${dir%/*}; done
  start worker 'tell $BASHPID; hear; exit 5' setpriv --reuid=65534 --clear-groups \
    "$public/bin/registry-lock" run "$LOCK" -- "$public/setpriv" --reuid=0
  command=$(listen worker)
  sentinel=$(pgrep -P "$worker_pid" cat)
  kill -USR1 "$worker_pid"
  until ! kill -0 "$sentinel" 2>/dev/null; do :; done
  held_by "$command"
  send worker go
  ended worker 5
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

# The steps by themselves. What they call is noted in $calls.

# options WORD...: what `run` makes of WORDs.
options() {
  local rl_opt_nonblock='' rl_opt_wait='' rl_opt_quiet='' rl_opt_verbose=''
  local rl_opt_conflict_exit_code=none rl_operands status=0
  _registry_lock_run_options "$@" 2>"$BATS_TEST_TMPDIR/said" || status=$?
  [ "$status" = 0 ] || { echo "$status $(cat "$BATS_TEST_TMPDIR/said")" && return; }
  echo "0 w=$rl_opt_wait E=$rl_opt_conflict_exit_code $rl_opt_verbose$rl_opt_quiet ${rl_operands[*]}"
}

@test "the options and operands are read as they are documented" {
  local words expected usage='registry-lock: usage: registry-lock run [-n]'
  _registry_lock_load run options
  SHELL=/bin/shell
  while IFS='|' read -r words expected; do
    # shellcheck disable=SC2086 # the words
    contains "$words: $(options $words)." "$words: $expected"
  done <<END
l c|0 w=10 E=75  l c.
l -- c a|0 w=10 E=75  l c a.
l c -- a|0 w=10 E=75  l c -- a.
l -c s|0 w=10 E=75  l /bin/shell -c s.
l --command s|0 w=10 E=75  l /bin/shell -c s.
-n l c|0 w=0 E=75  l c.
-w 3 l c|0 w=3 E=75  l c.
-w 3 -n l c|0 w=0 E=75  l c.
-E 0 l c|0 w=10 E=0  l c.
-E 08 l c|0 w=10 E=8  l c.
-E 255 l c|0 w=10 E=255  l c.
-E 256 l c|64 registry-lock: -E takes a status from 0 to 255
-E 0255 l c|64 registry-lock: -E takes a status from 0 to 255
-E x l c|64 registry-lock: -E takes a status from 0 to 255
-v l c|0 w=10 E=75 1 l c.
l -c|64 registry-lock: -c takes one string
l -c s t|64 registry-lock: -c takes one string
l|64 $usage
l --|64 $usage
|64 $usage
END
  lacks "$(options --none l c)" $'\n'
  contains "$(options --none l c)" '64 registry-lock: '
  REGISTRY_LOCK_SECONDS=4
  same "$(options l c)" '0 w=4 E=75  l c'
  same "$(options -w 3 l c)" '0 w=3 E=75  l c'
  same "$(unset SHELL && options l -c s)" '0 w=4 E=75  l /bin/sh -c s'
}

@test "what can't be understood ends a run before it begins" {
  local calls fails
  _registry_lock_load run
  _registry_lock_run_options() { calls+=options, && rl_operands=(l c) && [ "$fails" != options ] || return 64; }
  _registry_lock_path() { calls+=path, && [ "$fails" != path ] || return 65; }
  _registry_lock_milliseconds() { calls+=time, && [ "$fails" != 'time' ] || return 66; }
  _registry_lock_wrap() { calls+="wrap $*,"; }
  _registry_lock_run_after() { calls+=after && return 3; }
  while IFS='|' read -r fails wanted expected; do
    calls='' status=0
    _registry_lock_run_here_command || status=$?
    same "$status $calls" "$wanted $expected"
  done <<'END'
options|64|options,
path|65|options,path,
time|66|options,path,time,
none|3|options,path,time,wrap _registry_lock_run_child c,after
END
}

@test "-q silences what is said about waiting, in the wrapper and in the child, and else nothing does" {
  local rl_opt_quiet rl_opt_verbose='' rl_opt_wait=0 rl_lock=l
  _registry_lock_load run
  _registry_lock_run_options() { rl_opt_quiet=$quiet rl_operands=(l c); }
  _registry_lock_path() { :; }
  _registry_lock_milliseconds() { :; }
  _registry_lock_wrap() { quietly=${REGISTRY_LOCK_QUIET-}; }
  _registry_lock_run_after() { :; }
  _registry_lock_acquire() { quietly="${REGISTRY_LOCK_QUIET-} $*"; }
  _registry_lock_become() { quietly+=" $*"; }
  for quiet in '' 1; do
    unset REGISTRY_LOCK_QUIET
    _registry_lock_run_here_command
    same "$quietly" "$quiet"
    unset REGISTRY_LOCK_QUIET
    rl_opt_quiet=$quiet
    _registry_lock_run_child c a
    same "$quietly" "$quiet l 0 c a"
  done
  rl_opt_verbose=1
  here _registry_lock_run_child c a
  same "$output" 'registry-lock: took l; running c'
}

@test "a command gets the caller's options and variables back, and one that can't be run is said" {
  local rl_lc_all=C rl_tmout=5 name expected
  _registry_lock_load run
  export LC_ALL=POSIX TMOUT=''
  _registry_lock_options_back() { echo back; }
  run _registry_lock_become sh -c 'echo "$LC_ALL $TMOUT"'
  same "$output" $'back\nC 5'
  mkdir folder
  echo text >text
  while read -r wanted name expected; do
    status=0
    output=$(_registry_lock_become "${name%:}" 2>&1) || status=$?
    same "$status $output" "$wanted "$'back\n'"registry-lock: $name $expected"
  done <<'END'
126 ./text can't be run
126 ./folder can't be run
127 ./none: command not found
127 text: command not found
127 none: command not found
END
  output=$(_registry_lock_become $'no\e' 2>&1) || :
  says 'registry-lock: no?: command not found'
  _registry_lock_no_exec=1
  run _registry_lock_become sh -c 'exit 3'
  same "$status $output" '3 back'
}

# ran STATE KIND PID ID STATUS: so the lock was found after the child, 7, had ended with STATUS.
ran() {
  found_state=$1 found_kind=$2 found_pid=$3 found_id=$4 rl_status=$5 rl_child=7 rl_opt_conflict_exit_code=9
  rl_lock=$LOCK rl_name=lock rl_dir=$DIR rl_entry=holder.7.x.1 rl_stranger='' calls='' verdicts=gone
  _registry_lock_look() { rl_state=$found_state rl_kind=$found_kind rl_hpid=$found_pid rl_hid=$found_id; }
  _registry_lock_describe() { calls+='describe,' && rl_host=there; }
  _registry_lock_judge() { calls+="judge $*," && rl_verdict=$answer; }
  _registry_lock_judge_entry() { calls+='judge_entry,' rl_verdict=${verdicts%% *} verdicts=${verdicts#* }; }
  _registry_lock_self_pid() { calls+='self,'; }
  _registry_lock_tick() { rl_now=$((rl_now > 0 ? rl_now + 1000 : 5000)); }
  _registry_lock_nap() { calls+='nap,'; }
  _registry_lock_held_text() { rl_text=held; }
  _registry_lock_say() { calls+="say $*,"; }
}

@test "what the child took is given back if the child is gone, and else nothing is touched" {
  local state kind pid id before answer after expected back
  _registry_lock_load run
  while IFS='|' read -r state kind pid id before answer back after expected; do
    ran "$state" "$kind" "$pid" "$id" "$before"
    _registry_lock_run_back() { calls+="back $*," && [ "$back" = yes ]; }
    _registry_lock_run_break() { calls+='break,'; }
    here _registry_lock_run_after
    same "$status $calls" "$after ${expected//LOCK/$LOCK}"
  done <<'END'
entry|holder|7|x|3|gone|yes|3|self,judge 7 x ,back LOCK.slot.7.x,
entry|holder|7|x|75|gone|yes|75|self,judge 7 x ,back LOCK.slot.7.x,
entry|holder|7|x|3|gone|no|3|self,judge 7 x ,back LOCK.slot.7.x,break,
entry|holder|7||3|gone|yes|3|self,describe,judge 7  there,back LOCK.slot.7.,
entry|holder|7|x|3|alive|yes|3|self,judge 7 x ,
entry|holder|7|x|75|unknown|yes|9|self,judge 7 x ,
entry|holder|8|x|3|gone|yes|3|
entry|claim|7|x|3|gone|yes|3|
inside|holder|7|x|3|gone|yes|3|
free||||75|gone|yes|9|
free||||3|gone|yes|3|
entry|holder|7|x|128|gone|yes|128|self,judge 7 x ,back LOCK.slot.7.x,
entry|holder|7|x|129|gone|yes|129|self,judge 7 x ,judge_entry,back LOCK.slot.7.x,
entry|holder|7||129|gone|yes|129|self,describe,judge 7  there,back LOCK.slot.7.,
END
}

@test "what a killed command has started is waited for two seconds, and then it is said" {
  _registry_lock_load run
  ran entry holder 7 x 137
  rl_hid=x verdicts='orphaned orphaned gone '
  here _registry_lock_run_is_over
  same "$status $calls" '0 judge_entry,nap,judge_entry,nap,judge_entry,'
  verdicts='orphaned orphaned orphaned orphaned gone ' calls=''
  here _registry_lock_run_is_over
  same "$status $calls" '1 judge_entry,nap,judge_entry,nap,judge_entry,describe,say held,'
  verdicts='unknown ' calls=''
  here _registry_lock_run_is_over
  same "$status $calls" '1 judge_entry,describe,say held,'
  answer=gone verdicts='unknown ' calls=''
  _registry_lock_run_back() { calls+='back,'; }
  here _registry_lock_run_after
  same "$status $calls" '137 self,judge 7 x ,judge_entry,describe,say held,'
}

@test "a lock goes back by way of the child's slot, and what comes of it is told" {
  local took
  _registry_lock_load run
  ran entry holder 7 x 3
  rl_hid=x
  _registry_lock_take_into() { calls+="take $*," rl_stranger=$stranger && return "$took"; }
  _registry_lock_wake() { calls+='wake,'; }
  _registry_lock_discard() { calls+='discard,'; }
  _registry_lock_say_lost() { calls+="lost $* $rl_pid,"; }
  here _registry_lock_run_back "$DIR/slot"
  same "$status $calls" '1 '
  mkdir slot
  while IFS='|' read -r took stranger after expected; do
    calls=''
    here _registry_lock_run_back "$DIR/slot"
    same "$status $calls" "$after take $DIR/slot lock $DIR holder.7.x.1,${expected//LOCK/$LOCK}"
  done <<END
0||0|wake,discard,
73||1|
76||0|discard,
76|$LOCK|0|discard,
76|$DIR/slot/lock|0|lost LOCK 7,
END
  rl_hid='' calls=''
  here _registry_lock_run_back "$DIR/slot"
  same "$status $calls" '1 '
  rl_hid=x
  need_links
  ln -s slot link
  here _registry_lock_run_back "$DIR/link"
  same "$status $calls" '1 '
}

@test "a lock that doesn't go back is broken without a word, and who waits for it is woken" {
  local made broken wanted
  _registry_lock_load run
  ran entry holder 7 x 3
  rl_hpid=7 rl_hid=x _registry_lock_count=5
  _registry_lock_self() { rl_pid=9 rl_id=me; }
  _registry_lock_make_dir() { calls+="make $*," && return "$made"; }
  _registry_lock_break() { calls+="break $rl_mine $rl_slot $rl_verdict $rl_silent," && return "$broken"; }
  _registry_lock_wake_first() { calls+="wake $*,"; }
  _registry_lock_discard() { calls+="discard $*"; }
  mkdir "$LOCK.slot.7.x"
  while read -r made broken wanted expected; do
    calls='' _registry_lock_count=5
    rm -f "$LOCK.slot.7.x/lock.wanted"
    [ "$wanted" = - ] || : >"$LOCK.slot.7.x/lock.wanted"
    here _registry_lock_run_break
    same "$calls" "$(printf 'make %s,%sdiscard %s' "$LOCK.slot.9.me" "$expected" "$LOCK.slot.9.me")"
  done <<END
0 0 - break 9.me.6 $LOCK.slot.9.me gone 1,
0 0 wanted break 9.me.6 $LOCK.slot.9.me gone 1,wake $LOCK lock,
0 1 wanted break 9.me.6 $LOCK.slot.9.me gone 1,
1 0 wanted
END
}

@test "a signal is kept until there is a child, and each is handed on once, to it or with the group" {
  local rl_child='' rl_interrupted='' group=0 calls=''
  _registry_lock_load wrap
  _registry_lock_got='' _registry_lock_handing=''
  _registry_lock_group_got() {
    calls+="$1 $_registry_lock_handing${_registry_lock_got:+ and$_registry_lock_got},"
    [ -z "$meanwhile" ] || { meanwhile='' && _registry_lock_hand_on HUP; }
    return "$group"
  }
  start child 'tell up; hear'
  expect child up
  _registry_lock_hand_on INT
  _registry_lock_hand_on TERM
  same "$_registry_lock_got $rl_interrupted $calls" ' INT TERM 1 '
  rl_child=$child_pid meanwhile=1
  _registry_lock_hand_on
  same "$calls$_registry_lock_got$_registry_lock_handing" 'INT 1 and TERM,TERM 1 and HUP,HUP 1,'
  _registry_lock_handing=1 calls=''
  _registry_lock_hand_on INT
  same "$calls$_registry_lock_got" ' INT'
  alive "$child_pid"
  _registry_lock_handing='' _registry_lock_got='' group=1
  _registry_lock_hand_on TERM
  ended child 143
  rl_interrupted=''
  here _registry_lock_hand_on TERM
  same "$rl_interrupted $status" '1 0'
}

@test "a wait for the child goes on after each signal, until it has ended or is forgotten" {
  local rl_child=7 rl_status rl_interrupted interrupted forgotten waits=0
  _registry_lock_load wrap
  # Each wait ends as the next word says: STATUS:INTERRUPTED:FORGOTTEN.
  _registry_lock_wait_child() {
    waits=$((waits + 1))
    IFS=: read -r status interrupted forgotten <<<"${words%% *}"
    words=${words#* }
    [ -z "$interrupted" ] || rl_interrupted=1
    return "$status"
  }
  _registry_lock_forgotten() { same "$1" 7 && [ -n "$forgotten" ]; }
  _registry_lock_hand_on() { calls=hand_on; }
  while IFS='|' read -r words expected; do
    calls='' waits=0
    _registry_lock_run_wait || fail "status $?"
    same "$rl_status $waits $calls $_registry_lock_handing" "$expected hand_on 1"
  done <<'END'
0:: |0 1
3:: |3 1
137:: |137 1
128:1: |128 1
3:1: |3 1
143:1: 5:: |5 2
143:1: 137:: 0:: |137 2
143:1: 129:1: 0:: |0 3
143:1:yes |143 1
127:: |127 1
143:1: 127:: |127 2
END
  # In posix mode a status is told once.
  while IFS='|' read -r words expected; do
    same "$words$(set -o posix && _registry_lock_run_wait && echo "$rl_status")" "$words$expected"
  done <<'END'
127:: |127
5:: |5
143:1: 127:: |143
143:1: 5:: |5
END
}

@test "the sentinel died of the signal that its status tells, if its number is nobody's" {
  _registry_lock_load wrap
  local signal
  for signal in USR1 TERM; do
    bash -c 'kill -USR1 $$' 3>&- &
    _registry_lock_watch=$!
    while kill -0 "$_registry_lock_watch" 2>/dev/null; do :; done
    here _registry_lock_died_of "$signal"
    same "$signal $status" "$signal $([ "$signal" != USR1 ] && echo 1 || echo 0)"
  done
  start other 'tell up; hear'
  expect other up
  _registry_lock_watch=$other_pid
  ! _registry_lock_died_of TERM || fail 'it is alive'
}
