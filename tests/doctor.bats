#!/usr/bin/env bats
# doctor.bats: what is left behind is found; what is proven is removed, and nothing else.

# shellcheck disable=SC1010,SC2010,SC2012,SC2016,SC2086 # ls for inodes, code for drivers, and words
load helper

# tree: below DIR one of each: a held lock with a waiter, a dead one, a dead remover's claim, a dead
# slot, older layouts dead and alive, an empty directory and a damaged one.
tree() {
  mkdir -p a/b && corpse && stranger || return
  hold holder "$DIR/a/held"
  dead_lock_at "$DIR/a/b/stale"
  forge "$DIR/claim" "claim.$dead_pid.$dead_id.1"
  mkdir -p "a/x.slot.$dead_pid.$dead_id/x"
  forge "$DIR/old-dead" holder "pid $dead_pid"
  forge "$DIR/old-lock" pid "$stranger_pid"
  mkdir beside && echo "$dead_pid" >beside.holder
  mkdir empty.lock
  forge "$DIR/damaged" holder.0.x.1
}

# found: what JSON output says of each lock, sorted.
found() { json '"\(.lock | ltrimstr("'"$DIR"'/")) \(.state)"' | sed "s/$dead_pid.$dead_id/DEAD/" | sort; }

# in_grace CODE: during the grace, which is no time, CODE runs; what sleep was asked for is in asked.
in_grace() {
  mkdir -p "$BATS_TEST_TMPDIR/grace"
  printf '#!/usr/bin/env bash\necho "$*" >"%s"\n%s\n' "$BATS_TEST_TMPDIR/asked" "$1" >"$BATS_TEST_TMPDIR/grace/sleep"
  chmod +x "$BATS_TEST_TMPDIR/grace/sleep"
  PATH=$BATS_TEST_TMPDIR/grace:$PATH
}

# procid_that CODE: a procid that notes each start and then runs CODE, where "me" answers who asks in bulk.
procid_that() {
  export REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/procid.noted
  printf '#!/usr/bin/env bash\nme() { read -r pid; "%s" --why "$pid"; }\necho "$*" >>"%s"\n%s\nexec "%s" "$@"\n' \
    "$root/bin/procid" "$BATS_TEST_TMPDIR/starts" "$1" "$root/bin/procid" >"$REGISTRY_LOCK_PROCID"
  chmod +x "$REGISTRY_LOCK_PROCID"
}

# many N: N locks of one live process in one folder.
many() {
  stranger || return
  local n
  eval "mkdir many many/{1..$1}"
  for ((n = 1; n <= $1; n++)); do : >"many/$n/holder.$stranger_pid.$stranger_id.$n"; done
}

@test "locks, claims, slots and the older layouts are found, each with its verdict" {
  need_jq
  tree
  run registry-lock doctor --json
  status_is 2
  same "$(found)" 'a/b/stale stale
a/held held
a/held.slot.'"$holder_pid.$(identity "$holder_pid")"' held
a/x.slot.DEAD stale
beside stale
claim stale
damaged unknown
empty.lock unknown
old-dead stale
old-lock held'
}

@test "people read a line on each, what to type, and a sum" {
  tree
  run registry-lock doctor
  status_is 2
  says "held     $DIR/a/held is held by process $holder_pid (holder.sh)"
  says "stale    $DIR/a/b/stale is held by process $dead_pid on $HOSTNAME; that process is gone: it is not running
         registry-lock break $DIR/a/b/stale"
  says "unknown  $DIR/empty.lock has no holder recorded"
  says "         registry-lock break --force $DIR/empty.lock"
  says "$DIR/claim: process $dead_pid is removing a dead holder's lock; that process is gone"
  says "looked at 10: 3 held by live processes, 5 stale, 2 that can not be told, 0 removed"
  lacks "$output" "$DIR/a/held.slot"
}

@test "without --fix nothing is changed, not even a time" {
  tree
  kill -STOP "$holder_pid"
  local before
  before=$(listing .)
  run registry-lock doctor
  run registry-lock doctor --json --depth 5 . a
  status_is 2
  same "$(listing .)" "$before"
  contains "$before" "$dead_pid"
}

@test "--fix removes what is proven, reports each, and leaves the rest as it is" {
  need_jq
  tree
  local before
  before=$(ls -ldi a/held a/held/* old-lock old-lock/* empty.lock damaged damaged/*)
  run registry-lock doctor --fix --json
  status_is 1
  same "$(found | grep removed)" $'a/b/stale removed\na/x.slot.DEAD removed\nbeside removed\nclaim removed\nold-dead removed'
  same "$(json 'select(.state == "removed") | .next' | sort -u)" null
  same "$(ls -ldi a/held a/held/* old-lock old-lock/* empty.lock damaged damaged/*)" "$before"
  same "$(ls a a/b | tr '\n' ' ')" "a: b held held.slot.$holder_pid.$(identity "$holder_pid")  a/b: "
  send holder go
  ended holder
}

@test "the status is 0 where all is well, 2 where something is stale, 1 where something can't be told" {
  hold other
  run registry-lock doctor
  status_is 0
  dead_lock_at "$DIR/dead"
  run registry-lock doctor
  status_is 2
  run registry-lock doctor --fix
  status_is 0
  says "removed  $DIR/dead is held by process $dead_pid"
  says 'looked at 3: 2 held by live processes, 0 stale, 0 that can not be told, 1 removed'
  same "${#lines[@]}" 3
  mkdir lock.d
  run registry-lock doctor --fix
  status_is 1
  alive "$other_pid"
}

@test "a dead holder's lock and his slot go together, the slots of killed waiters too" {
  killed_holder dead
  forge "$DIR/x" "holder.$$.$(identity $$).1"
  start w 'registry_lock_acquire "$LOCK" 30'
  start live 'registry_lock_acquire "${LOCK%/*}/x" 30'
  start w 'registry_lock_acquire "${LOCK%/*}/x" 30' 2>/dev/null || :
  until [ -d "$DIR/x.slot.$live_pid.$(identity "$live_pid")/x" ]; do :; done
  slay w
  run registry-lock doctor --fix
  status_is 0
  same "$(ls)" "x
x.slot.$live_pid.$(identity "$live_pid")"
  alive "$live_pid"
}

@test "what a live remover has claimed is left to him" {
  killed_holder dead
  start c 'stop_at _registry_lock_remove; registry_lock_break "$LOCK"'
  expect c 'at _registry_lock_remove'
  run registry-lock doctor --fix
  says "held     $LOCK: process $c_pid is removing a dead holder's lock; it is running"
  alive "$c_pid"
  send c go
  ended c
  no_litter
}

@test "a lock that changes hands before it is removed is left alone, and the new holder is shown" {
  dead_lock_at "$LOCK"
  start doctor 'stop_at _registry_lock_claim; registry_lock_doctor --fix "${LOCK%/*}" >&2'
  expect doctor 'at _registry_lock_claim'
  hold b
  local before
  before=$(ls -ldi "$LOCK" "$LOCK"/*)
  send doctor go
  ended doctor
  contains "$(err_of doctor)" "held     $LOCK is held by process $b_pid"
  same "$(ls -ldi "$LOCK" "$LOCK"/*)" "$before"
}

@test "what the system does not let go is left, counted, and the reason given" {
  dead_lock_at "$LOCK"
  as_nobody "registry_lock_doctor --fix '$DIR'"
  status_is 2
  says "but it can't be removed by uid 65534 (Permission denied)"
  says '1 stale'
  held_by "$dead_pid"
}

@test "an older record left in the hands of a killed process is removed once its lock is gone" {
  corpse
  echo 1 >"lock.trial.$dead_pid.$dead_id.1"
  run registry-lock doctor
  status_is 2
  says "is an older script's record in the hands of process $dead_pid"
  run registry-lock doctor --json
  says "\"pid\":$dead_pid,"
  says '"token":null,'
  run registry-lock doctor --fix
  status_is 0
  no_litter
}

@test "a record left beside a lock that another holds by now is told of for itself" {
  corpse
  hold other
  echo 1 >"lock.trial.$dead_pid.$dead_id.1"
  run registry-lock doctor
  status_is 2
  says "looked at 3: 2 held by live processes, 1 stale, " # its slot is one
  alive "$other_pid"
}

@test "a lock that is released while it is asked about is not told of" {
  stranger
  forge "$DIR/a" "holder.$stranger_pid.$stranger_id.1"
  procid_that "case \$* in '--why -') rm -r '$DIR/a' ;; esac"
  run registry-lock doctor
  status_is 0
  says 'looked at 0'
  is_free "$DIR/a"
}

@test "the slot of a process without an identity goes last, that of another waits for nothing" {
  corpse
  forge "$DIR/a" "trial.$dead_pid..1" "$dead_pid" && touch a/work
  mkdir "a.slot.$dead_pid."
  forge "a.slot.$dead_pid./a" "holder.$dead_pid..1" 'registry-lock 1' "pid $dead_pid" 'start ' "host $HOSTNAME"
  mkdir "b.slot.$dead_pid.$dead_id" && echo 1 >"b.trial.$dead_pid..1"
  run registry-lock doctor --fix
  says "stale    $DIR/a.slot.$dead_pid. is the slot of"
  says "removed  $DIR/b.slot.$dead_pid.$dead_id is the slot of"
  same "$(echo *)" "a a.slot.$dead_pid. b.trial.$dead_pid..1"
  rm a/work
  run registry-lock doctor --fix
  same "$(echo *)" "b.trial.$dead_pid..1"
}

@test "an empty directory stays without --empty, and after the grace goes with it" {
  mkdir lock old.lock
  run registry-lock doctor --fix
  status_is 1
  in_grace :
  run registry-lock doctor --fix --empty
  status_is 0
  same "$(cat "$BATS_TEST_TMPDIR/asked")" 2
  says "removed  $DIR/lock has no holder recorded"
  says '2 removed'
  no_litter
}

@test "the grace is what was asked for" {
  mkdir lock
  in_grace :
  run registry-lock doctor -Fe -g0.5
  same "$(cat "$BATS_TEST_TMPDIR/asked")" 0.5
  run registry-lock doctor --fix --empty --grace=soon
  status_is 64
  says "'soon' is not a number of seconds"
}

@test "an empty directory with which something happens during the grace stays" {
  local code
  for code in 'echo 1 >lock/holder' 'echo x >lock.holder' "mkdir new; rmdir lock; mv new lock; touch -t 200001010000 lock" \
    'touch ref; until [ lock -nt ref ]; do touch lock/x; rm lock/x; done; rm ref'; do
    rm -rf ./* && mkdir lock
    in_grace "$code"
    run registry-lock doctor --fix --empty
    lacks "$output" 'removed  '
    is_taken
  done
}

@test "a lock that somebody takes in an empty directory's place during the grace is shown as held" {
  mkdir lock
  stranger
  in_grace "echo 'pid $stranger_pid' >lock/holder"
  run registry-lock doctor --fix --empty
  status_is 0
  says "held     $LOCK is held by process $stranger_pid on $HOSTNAME, as an older script recorded; it is running"
}

@test "an empty directory with an older script's record beside it stays, whatever that says" {
  in_grace :
  stranger
  mkdir lock && echo "$stranger_pid" >lock.holder
  mkdir b.lock && echo 'nobody' >b.lock.holder
  run registry-lock doctor --fix --empty
  status_is 1
  same "$(echo *)" 'b.lock b.lock.holder lock lock.holder'
  alive "$stranger_pid"
}

@test "nothing is touched that isn't ours" {
  corpse
  in_grace :
  mkdir clock clock/face blocks BLOCKED 'wall clock' daemon unlocked unlocked/x app holder.jpg photos
  touch clock/hand unlocked/y app/holder app/data photos/holder.2024.jpg
  echo "$dead_pid" | tee daemon/pid unlocked/pid app/pid >/dev/null
  mkdir "x.slot.no.y" "y.slot.$dead_pid." "y.slot.0$dead_pid.$dead_id" slot "z.slot"
  touch "file.slot.$dead_pid.$dead_id" "holder.slot.$dead_pid.$dead_id" notes.holder lock.holder.txt
  forge "$DIR/two" "holder.$dead_pid.$dead_id.1" && touch two/more
  local before
  before=$(listing .)
  run registry-lock doctor --fix --empty
  same "$(listing .)" "$before"
  says '0 removed'
  says "unknown  $DIR/two is not a lock"
}

@test "what is only called like something of ours is not told of" {
  mkdir a.lock && touch a.lock/a.lock notes notes.holder
  run registry-lock doctor
  status_is 0
  says 'looked at 0'
  mkdir notes.slot.lock
  run registry-lock doctor
  says "unknown  $DIR/notes.slot.lock has no holder recorded"
  rmdir notes.slot.lock
  mkdir -p notes.slot.x/notes.slot.x
  run registry-lock doctor
  status_is 0
  says 'looked at 0'
}

@test "what lies in a slot is the slot's, and a name that only looks like a slot's hides nothing" {
  corpse
  local slot="$DIR/s.slot.$dead_pid.$dead_id" other="$DIR/notes.slot.x"
  killed_holder late
  mkdir -p "$slot/s.dead.1" "$other/deep"
  mv "$LOCK" "$slot/s"
  rm -rf "$LOCK".slot.*
  dead_lock_at "$slot/s.dead.1/lock"
  dead_lock_at "$other/deep/lock"
  run registry-lock doctor
  says 'looked at 2: 0 held by live processes, 2 stale, '
  says "stale    $slot is the slot of process $dead_pid; that process is gone: it is not running"
  says "stale    $other/deep/lock is held"
}

@test "an empty lock whose record another process judges is told as one lock" {
  corpse
  mkdir old && echo "$dead_pid" >"old.trial.$dead_pid.$dead_id.1"
  run registry-lock doctor
  says "stale    $DIR/old: process $dead_pid"
  says 'looked at 1: '
}

@test "links are not followed, but a DIR that is one is" {
  mkdir "$BATS_TEST_TMPDIR/out"
  dead_lock_at "$BATS_TEST_TMPDIR/out/lock"
  ln -s "$BATS_TEST_TMPDIR/out" link
  ln -s "$BATS_TEST_TMPDIR/out/lock" lock
  ln -s "$BATS_TEST_TMPDIR/out" "x.slot.$dead_pid.$dead_id"
  run registry-lock doctor --fix
  status_is 0
  says 'looked at 0'
  held_by "$dead_pid" "$BATS_TEST_TMPDIR/out/lock"
  run registry-lock doctor link
  status_is 2
  cd link
  run registry-lock doctor
  status_is 2
  says "$PWD/lock"
  cd "$DIR"
  stranger
  forge "$BATS_TEST_TMPDIR/real" "holder.$stranger_pid.$stranger_id.1" 'registry-lock 1' "pid $stranger_pid" \
    "start $stranger_id" 'host x' 'since y' 'command z'
  run registry-lock doctor --fix "x.slot.$dead_pid.$dead_id"
  says 'looked at 0'
  [ -L "x.slot.$dead_pid.$dead_id" ] || fail 'the link is gone'
  ln -s "$BATS_TEST_TMPDIR/real" really
  run registry-lock doctor really
  status_is 1
  says "really: a file or a link has that name"
}

@test "--depth limits how deep is looked: for locks, slots and empty directories alike" {
  need_jq
  corpse
  mkdir -p 1/2/3
  local at
  for at in . 1 1/2 1/2/3; do
    dead_lock_at "$DIR/$at/a"
    mkdir "$at/lock" "$at/s.slot.$dead_pid.$dead_id"
  done
  run registry-lock doctor --json --depth 1
  same "$(found)" $'a stale\nlock unknown\ns.slot.DEAD stale'
  run registry-lock doctor --json -d 03
  same "$(found | grep -c .)" 9
  run registry-lock doctor --json
  same "$(found | grep -c .)" 12
  run registry-lock doctor --json --depth 0 a
  same "$(found)" 'a stale'
}

@test "one start of procid answers for all locks" {
  many 300
  corpse
  procid_that :
  run registry-lock doctor --json many
  status_is 0
  same "${#lines[@]}" 300
  same "$(cat "$BATS_TEST_TMPDIR/starts")" '--why -'
  alive "$stranger_pid" "$stranger_id"
  dead_lock_at "$DIR/many/dead"
  : >"$BATS_TEST_TMPDIR/starts"
  run registry-lock doctor --fix many
  says '1 removed'
  same "$(cat "$BATS_TEST_TMPDIR/starts")" \
    $'--why -\n'"$dead_pid $dead_id"$'\n'"--why $dead_pid.$dead_id.1"
}

@test "an entry beside another makes no lock, and one that is no file is not read" {
  stranger
  forge "$DIR/two" "holder.$stranger_pid.$stranger_id.1" 'registry-lock 1' "pid $stranger_pid" \
    "start $stranger_id" 'host x' 'since y' 'command z' && touch two/more
  mkdir pipe link && mkfifo "pipe/holder.$stranger_pid.$stranger_id.2"
  ln -s ../two/"holder.$stranger_pid.$stranger_id.1" "link/holder.$stranger_pid.$stranger_id.3"
  run registry-lock doctor
  status_is 1
  says "unknown  $DIR/two is not a lock of this library, or damaged"
  says "held     $DIR/pipe is held by process $stranger_pid; it is running"
  says "held     $DIR/link is held by process $stranger_pid; it is running"
  alive "$stranger_pid"
}

@test "among many answers that of a slot has its reason too" {
  [ -r /proc/self/stat ] || skip 'needs /proc'
  need_jq
  hold other
  kill -STOP "$other_pid"
  run registry-lock doctor --json
  status_is 0
  same "$(json 'select(.kind == "slot").reason')" stopped
}

@test "what is to be removed is asked about once more, by itself" {
  stranger
  forge "$DIR/a" "holder.$stranger_pid.$stranger_id.1"
  mkdir "$DIR/a.slot.$stranger_pid.$stranger_id"
  procid_that "case \$* in '--why -') me; sed 's/.*[.].*/gone not-running end 0/;t;s/.*/gone not-running/'; exit 0 ;; esac"
  run registry-lock doctor --fix
  status_is 0
  says "held     $DIR/a"
  is_taken "$DIR/a"
  [ -d "$DIR/a.slot.$stranger_pid.$stranger_id" ] || fail 'the slot is gone'
  alive "$stranger_pid"
}

@test "answers in bulk count only if procid ended with 0 and gave one for each question" {
  stranger
  corpse
  forge "$DIR/a" "holder.$stranger_pid.$stranger_id.1"
  dead_lock_at "$DIR/b"
  local code
  for code in 'me; yes "gone not-running end 0" | head -n 2; exit 1' 'me; echo gone not-running end 0; exit 0' 'exit 0' \
    'me; yes "gone not-running end 0" | head -n 3; exit 0' 'me; yes "gone not-running end 0" | head -n 2; kill -KILL $$'; do
    procid_that "case \$* in '--why -') $code ;; esac"
    run registry-lock doctor
    status_is 2
    says "held     $DIR/a"
    says "stale    $DIR/b"
  done
  alive "$stranger_pid"
}

@test "of answers of which the first does not know who asks none counts" {
  stranger
  forge "$DIR/a" "holder.$stranger_pid.$stranger_id.1"
  local first
  for first in 'gone not-running' 'unknown no-proc' 'X y' ''; do
    procid_that "case \$* in '--why -') echo '$first'; echo gone not-running end 0; exit 0 ;; esac"
    run registry-lock doctor
    status_is 0
    says "held     $DIR/a"
  done
  procid_that "case \$* in '--why -') me; echo gone not-running end 0; exit 0 ;; esac"
  run registry-lock doctor
  status_is 2
  alive "$stranger_pid"
}

@test "an answer that is no word of procid's is unknown" {
  stranger
  forge "$DIR/a" "holder.$stranger_pid.$stranger_id.1"
  local word
  for word in GONE 'gone  not-running' 'gone not running' $'gone\tx' 'gone NOT end 1' ''; do
    procid_that "case \$* in '--why -') me; echo '$word'; exit 0 ;; --why*) exit 1 ;; esac"
    run registry-lock doctor --fix
    lacks "$output" 'removed  '
    is_taken "$DIR/a"
    run registry-lock doctor
    lacks "$output" 'stale   '
  done
  alive "$stranger_pid"
}

@test "without procid nothing is proven but by number" {
  corpse
  dead_lock_at "$DIR/b"
  forge "$DIR/old-lock" pid "$dead_pid"
  REGISTRY_LOCK_PROCID=/none run registry-lock doctor --fix
  status_is 1
  says "unknown  $DIR/b is held by process $dead_pid on $HOSTNAME; there is no working procid on PATH"
  says "removed  $DIR/old-lock"
  procid_that :
  REGISTRY_LOCK_PROCID=/none here registry_lock_acquire "$LOCK"
  here registry_lock_doctor
  status_is 1
  says "unknown  $DIR/b is held"
  [ ! -e "$BATS_TEST_TMPDIR/starts" ] || fail 'who began without it asks it'
}

@test "without a folder for its lists it says why there is none" {
  TMPDIR=/none run registry-lock doctor
  status_is 73
  says 'doctor needs a folder for its lists, and mktemp made none: No such file or directory'
}

@test "how far it is stands on a terminal only" {
  many 500
  apart registry-lock doctor many
  status_is 0
  same "$complaint" ''
  script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'needs script of util-linux'
  run script -qec 'registry-lock doctor many >/dev/null' /dev/null
  says $'\rregistry-lock: looked at 500 '
  says $'\r\e[K'
}

@test "every odd name is found, and the command printed on it removes it" {
  need_jq
  odd_names
  local name
  for name in "${odd_names[@]}"; do dead_lock_at "$DIR/$name"; done
  name=$'it\'s "$(touch ran)"\n\e[31m \xff'
  mkdir -- "$name" "$name/$name.slot.$dead_pid.$dead_id"
  run registry-lock doctor --json
  same "${#lines[@]}" $((${#odd_names[@]} + 1))
  same "$(json .state | sort -u)" stale
  apart registry-lock doctor
  same "$(printf '%s' "$output" | LC_ALL=C tr -d '\n[:print:]\200-\377')" ''
  paste "$(printf '%s\n' "$output" | grep -a '^         registry-lock ')"
  status_is 0
  run registry-lock doctor
  status_is 0
  says 'looked at 0'
}

@test "where it could not look it says so, and tells what it saw elsewhere" {
  dead_lock_at "$LOCK"
  mkdir -m 700 closed closed/in
  as_nobody "registry_lock_doctor '$DIR' 2>&1 >/dev/null"
  says "registry-lock: doctor could not look everywhere (complaints: 1): find: "
  says 'Permission denied'
  as_nobody "registry_lock_doctor '$DIR'"
  status_is 2
  says "stale    $LOCK"
  rm -r "$LOCK"
  as_nobody "registry_lock_doctor '$DIR'"
  status_is 1
}

@test "what went away while it looked is no complaint, and any other word of find's is one" {
  mkdir bin
  printf '#!/bin/sh\n%s "$@"\necho "find: x: No such file or directory" >&2\n[ ! -e more ] || cat more >&2\nexit 1\n' \
    "$(command -v find)" >bin/find
  chmod +x bin/find
  PATH=$DIR/bin:$PATH
  run registry-lock doctor
  status_is 0
  lacks "$output" 'could not look'
  printf '%s\n' 'find: y: Input/output error' 'find: z: odd' >./more
  mkdir a.lock
  run registry-lock doctor
  status_is 1
  says 'could not look everywhere (complaints: 2): find: y: Input/output error'
}

@test "several folders are looked at, the working directory where none is given" {
  mkdir one two
  dead_lock_at "$DIR/one/lock"
  dead_lock_at "$DIR/two/lock"
  run registry-lock doctor one two
  says '2 stale'
  cd two
  run registry-lock doctor
  says '1 stale'
  run registry-lock doctor -- "$DIR/one/" /none
  status_is 64
  says '/none is not a directory'
}

@test "JSON is an object a line with documented keys, and nothing else" {
  need_jq
  tree
  apart registry-lock doctor -j
  same "$(printf '%s\n' "$output" | jq -c keys_unsorted | sort -u)" \
    '["kind","lock","state","verdict","reason","pid","id","token","host","command","since","next"]'
  same "$(json .kind | sort | uniq -c | tr -d ' \n')" 8lock2slot
  same "$(printf '%s\n' "$output" | grep -c .)" 10
  same "$complaint" ''
}

@test "the function says the same as the command" {
  tree
  run registry-lock doctor
  local by_command=$status$output
  run registry_lock_doctor
  same "$status$output" "$by_command"
}

@test "a doctor that is interrupted leaves nothing of its own" {
  mkdir "$BATS_TEST_TMPDIR/tmp"
  many 1
  TMPDIR=$BATS_TEST_TMPDIR/tmp start doctor '_registry_lock_load doctor-ask
    stop_at _registry_lock_ask_all; registry_lock_doctor "${LOCK%/*}"'
  expect doctor 'at _registry_lock_ask_all'
  [ -n "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
  kill -TERM "$doctor_pid"
  wait "$doctor_pid" || same $? 143
  no_litter "$BATS_TEST_TMPDIR/tmp"
}

@test "the function leaves no folder, and the EXIT trap as it was" {
  local trap
  mkdir "$BATS_TEST_TMPDIR/tmp"
  for trap in '' 'echo bye'; do
    dead_lock_at "$LOCK"
    TMPDIR=$BATS_TEST_TMPDIR/tmp run bash -c "$(printf '. %q; trap %q EXIT; trap -p EXIT' "$library" "$trap") >before
      registry_lock_doctor --fix . >said; trap -p EXIT | diff before - || exit"
    status_is 0
    same "$output" "${trap#echo }"
    contains "$(cat said)" '1 removed'
    rm before said
    no_litter "$BATS_TEST_TMPDIR/tmp"
  done
}

@test "the doctor of a driver that holds a lock leaves it that lock, and pauses for none that is full" {
  stranger
  registry_lock_acquire "$LOCK"
  forge "$DIR/old" holder "pid $stranger_pid"
  in_grace :
  here registry_lock_doctor --fix --empty
  [ ! -e "$BATS_TEST_TMPDIR/asked" ] || fail 'it paused'
  status_is 0
  says "held     $LOCK"
  says "held     $DIR/old"
  registry_lock_release "$LOCK"
  same "$(echo *)" old
  alive "$stranger_pid"
}

@test "wrong options and values are usage errors" {
  local words
  for words in --empty '--depth x' '--depth' '--depth=' '-d -1' '--depth 99999999999' '--fix --grace -1' '-g' \
    --fixx -x '--json=1' "''" lock; do
    eval "run registry-lock doctor $words"
    status_is 64
    says 'registry-lock: '
  done
  run registry-lock doctor $'no\e[31m'
  same "$output" 'registry-lock: no?[31m is not a directory'
  no_litter
}

@test "a doctor that gets no folder for its lists looks at nothing" {
  dead_lock_at "$LOCK"
  TMPDIR=$DIR/none run registry-lock doctor --fix
  status_is 73
  contains "${lines[${#lines[@]} - 1]}" \
    'registry-lock: doctor needs a folder for its lists, and mktemp made none'
  held_by "$dead_pid"
}

@test "in a working directory that was removed only absolute folders are looked at" {
  mkdir "$BATS_TEST_TMPDIR/away" && cd "$BATS_TEST_TMPDIR/away"
  rmdir "$BATS_TEST_TMPDIR/away" || skip 'this system keeps the directory'
  dead_lock_at "$LOCK"
  here registry_lock_doctor .
  status_is 73
  says 'the working directory is not there any more'
  here registry_lock_doctor "$DIR"
  status_is 2
}

# usual [VARIABLE=VALUE...]: the short way, with these, to LOCK, which was found and asked about; status,
# and in output what it tells.
usual() {
  local rl_path=$LOCK/holder.7.x.1 rl_known_question=7.x.1 rl_known_answer='x running' rl_opt_depth=999999999
  local rl_kind='' rl_state='' rl_hpid=9 rl_hid=y rl_orphans='9 (y)' rl_opt_fix='' rl_opt_json='' rl_host='' rl_since=''
  local rl_lock rl_entry rl_token rl_blind rl_verdict rl_why rl_public rl_text rl_next rl_because rl_command=''
  [ -z "${1-}" ] || local "$@"
  here _registry_lock_tell_usual
}

# written LINE...: what the entry holds.
written() { printf '%s\n' "$@" >"$LOCK/holder.7.x.1"; }

@test "an entry that is in order is told of the short way, and nothing is told so of any other" {
  local word
  registry_lock_doctor >/dev/null # reads what is tested
  _registry_lock_finding() { echo "$1 $rl_public $rl_hpid $rl_hid $rl_token ${rl_lock##*/} $rl_text"; }
  forge "$LOCK" holder.7.x.1
  for word in '' rl_opt_fix=1; do
    written 'registry-lock 1' 'pid 7' 'start x' 'host h' 'since s' 'command c'
    usual "$word"
    status_is 0
    same "$output" "lock held 7 x 7.x.1 lock $LOCK is held by process 7 (c) on h since s; it is running"
  done
  for word in 'end 0' unknown; do
    usual rl_known_answer="gone not-running $word"
    status_is 0
    contains "$output" 'lock stale 7 x 7.x.1 lock'
  done
  for word in 'gone not-running 8 sh end 1' 'unknown other-boot' 'y running'; do
    usual rl_known_answer="$word"
    same "$status$output" 1
  done
  usual rl_known_answer='gone not-running end 0' rl_opt_fix=1
  same "$status$output" 1
  usual rl_opt_depth=3
  same "$status$output" 1
  for word in 'pid 8' 'pid 9' 'pid '; do
    written 'registry-lock 1' "$word" 'start x' 'host h' 'since s' 'command c'
    usual
    same "$status$output" 1
  done
  written 'registry-lock 1' 'pid 7' 'start x' 'host h' 'since s' 'command c' 'more'
  usual
  same "$status$output" 1
  written 'registry-lock 1' 'pid 7' 'start x' 'host h' 'since s' 'command c'
  ln -s "$LOCK" link
  usual rl_path="$DIR/link/holder.7.x.1"
  same "$status$output" 1
  mv "$LOCK/holder.7.x.1" "$LOCK/holder.7.x.2"
  usual
  same "$status$output" 1
}

@test "an answer of many tells the verdict, the reason and who still has the token" {
  local rl_hid=x rl_known_answer rl_verdict rl_why rl_orphan rl_orphans rl_blind before want
  registry_lock_doctor >/dev/null # reads what is tested
  while IFS=: read -r rl_known_answer want; do
    for before in alive gone unknown; do
      rl_verdict=$before rl_why=old rl_orphan=9 rl_orphans='' rl_blind=''
      _registry_lock_judge_known
      same "$rl_verdict $rl_why:$rl_orphan:$rl_orphans:$rl_blind" "$want" || fail "of '$rl_known_answer', after $before"
    done
  done <<'TABLE'
x running:alive running:::
x stopped:alive stopped:::
y running:unknown no-answer:::
unknown other-boot:unknown other-boot:::
unknown:unknown no-answer:::
gone not-running end 0:gone not-running:::
gone not-running unknown:gone not-running:::1
gone recycled 5 sh 6 cat end 2:orphaned orphans:5:5 (sh), 6 (cat):
gone not-running 5 sh unknown:orphaned orphans:5:5 (sh):1
gone not-running:unknown no-answer:::
gone not-running what:unknown no-answer:::1
gone not-running end x:unknown no-answer:::1
gone NOT end 0:unknown no-answer:::
gone  end 0:unknown no-answer:::
x :unknown no-answer:::
X y:unknown no-answer:::
TABLE
}

@test "what is found twice in a row is told of once, and nothing below the depth" {
  local rl_noted='' rl_root=/r rl_opt_depth=999999999 told=''
  registry_lock_doctor >/dev/null # reads what is tested
  _registry_lock_tell_lock() { told+=" $1"; }
  _registry_lock_tell_slot() { told+=" slot:$1"; }
  for word in /r/a /r/a '' /r/b /r/c/d; do _registry_lock_note lock "$word"; done
  _registry_lock_note slot /r/c/d
  same "$told" ' /r/a /r/b /r/c/d slot:/r/c/d'
  rl_noted='' rl_opt_depth=01 told=''
  for word in /r/a /r/b/c /r/d; do _registry_lock_note lock "$word"; done
  same "$told" ' /r/a /r/d'
}
