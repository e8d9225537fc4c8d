#!/usr/bin/env bats
# acquire.bats: taking a free lock, a held one, and a place where none can be made.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # code for drivers, what others use
load helper

# refused_at_once LOCK WORD: acquire of LOCK ends with 73 without any waiting, and says WORD.
refused_at_once() {
  never_pauses
  run registry_lock_acquire "$1" 60
  status_is 73
  says "$2"
  lacks "$output" 'Gave up'
  lacks "$output" 'timed out'
}

@test "a free lock is taken, and its entry names this very process" {
  registry_lock_acquire "$LOCK"
  local me
  me=$(my_pid)
  held_by "$me"
  same "$(entry_of "$LOCK")" "holder.$me.$(identity "$me").1"
}

@test "a lock held by a live process is waited for, and not taken" {
  hold other
  run registry_lock_acquire "$LOCK" 0.2
  status_is 75
  says "is held by process $other_pid (other.sh)"
  says "it is running, so this is contention"
  alive "$other_pid"
  held_by "$other_pid"
}

@test "the lock of a killed holder is taken, and the line says whose it was and why" {
  killed_holder other
  run registry_lock_acquire "$LOCK" 0
  status_is 0
  says "removed the lock of process $other_pid"
  says "not running"
}

@test "taking a free lock says nothing" {
  run registry_lock_acquire "$LOCK"
  status_is 0
  same "$output" ''
}

@test "an entry says in plain words who holds the lock, where and since when" {
  hold other
  local text
  text=$(cat "$LOCK"/holder.*)
  same "${text%%$'\n'*}" 'registry-lock 1'
  contains "$text" $'\n'"pid $other_pid"$'\n'
  contains "$text" $'\n'"start $(identity "$other_pid")"$'\n'
  contains "$text" $'\n'"host $HOSTNAME"$'\n'
  contains "$text" $'\n'"since $(date -u +%Y-)"
  contains "$text" $'\ncommand other.sh'
}

@test "a lock is complete before anybody can see it" {
  gate_mv '-n*'
  start other 'registry_lock_acquire "$LOCK" && tell held; hear'
  expect gate at
  is_free
  local text
  text=$(cat "$LOCK".slot.*/lock/holder.*)
  contains "$text" "pid $other_pid"
  contains "$text" 'command other.sh'
  send gate go
  expect gate "done"
  expect other held
  same "$(cat "$LOCK"/*)" "$text"
}

@test "a relative lock is made absolute at once: a later cd changes nothing" {
  mkdir elsewhere
  cd elsewhere
  registry_lock_acquire ../lock
  cd /
  registry_lock_check "$LOCK"
  held_by "$(my_pid)"
  registry_lock_release "$LOCK"
  is_free
}

@test "a relative lock is released from a trap that runs after a cd" {
  run bash -c ". '$library'; trap 'registry_lock_release; echo \"released: \$?\"' EXIT
    registry_lock_acquire lock && cd / && exit 3"
  status_is 3
  same "$output" 'released: 0'
  no_litter
}

@test "in a working directory that was removed a relative lock is refused" {
  mkdir gone && cd gone && rmdir ../gone
  run registry_lock_acquire lock.of.nowhere 0
  cd "$DIR"
  status_is 73
  same "$output" 'registry-lock: the working directory is not there any more; give an absolute path'
  is_free /lock.of.nowhere
}

@test "a lock that this very process holds is refused at once, by any name of its path" {
  need_links
  mkdir teams && ln -s teams alias
  registry_lock_acquire teams/lock
  never_pauses
  local name
  for name in teams/lock ./teams/lock "$DIR//teams///lock" alias/lock teams/../teams/lock \
    teams/lock/; do
    here registry_lock_acquire "$name" 60
    status_is 64
    says "held by this very process (pid $(my_pid)) already"
  done
  held_by "$(my_pid)" teams/lock
}

@test "a process holds several locks, in nested paths and under names that begin alike" {
  local name names='lock lock2 loc lock.2 sub/lock sub/lock2'
  mkdir sub
  for name in $names; do registry_lock_acquire "$name" 0; done
  for name in $names; do held_by "$(my_pid)" "$name"; done
  registry_lock_release lock
  is_free lock
  for name in ${names#lock }; do registry_lock_check "$name"; done
}

@test "names that begin alike are different locks to different processes" {
  hold one "$DIR/lock"
  hold two "$DIR/lock2"
  hold three "$DIR/loc"
  killed_holder four "$DIR/lock.4"
  run registry_lock_acquire "$DIR/lock.4" 0
  status_is 0
  held_by "$one_pid" lock
  held_by "$two_pid" lock2
  held_by "$three_pid" loc
}

@test "no lock is made inside a lock, whose release would take it along" {
  hold other
  never_pauses
  run registry_lock_acquire "$LOCK/inner" 60
  status_is 64
  says 'is a lock itself'
  held_by "$other_pid"
}

@test "what only looks like an entry makes no lock of a directory" {
  mkdir -p file "dir/holder.$$.x.1"
  touch file/holder.x
  registry_lock_acquire file/inner 0
  registry_lock_acquire dir/inner 0
}

@test "with 0 seconds a held lock is tried once" {
  hold other
  never_pauses
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says 'Gave up after 0 s'
  alive "$other_pid"
}

@test "a try that loses the race tells the truth about the winner" {
  gate_mv '-n*'
  start late 'registry_lock_acquire "$LOCK" 0'
  expect gate at
  hold winner
  send gate go
  expect gate "done"
  ended late 75
  contains "$(err_of late)" "held by process $winner_pid"
  contains "$(err_of late)" 'it is running, so this is contention'
  held_by "$winner_pid"
}

@test "a winner that is gone again before the loser looks is no refusal of the system" {
  hold first
  start late 'stop_at _registry_lock_contend; stop_at _registry_lock_place_loud
    stop_at _registry_lock_missed; registry_lock_acquire "$LOCK" 30; tell "taken $?"; hear'
  expect late 'at _registry_lock_contend'
  send first go
  ended first
  send late go
  expect late 'at _registry_lock_place_loud'
  hold winner
  send late go
  expect late 'at _registry_lock_missed'
  send winner go
  ended winner
  send late go
  expect late 'taken 0'
  held_by "$late_pid"
}

@test "fractions of seconds are accepted" {
  local word
  for word in 0 .5 1. 08.25 0.0001 999999999; do
    run registry_lock_acquire "$LOCK" "$word"
    status_is 0
    same "$output" ''
  done
}

@test "what is no number of seconds is a usage error, and is shown" {
  local word
  for word in '' . 1e3 -1 +1 ' 1' '1 ' 1.2.3 0x10 ten 1,5 '1;x' '$(date)' \
    'a[$(date >ran)]' 1234567890; do
    run registry_lock_acquire "$LOCK" "$word"
    status_is 64
    says "'$word' is not a number of seconds"
  done
  no_litter
}

@test "seconds are milliseconds to the third digit, and the same again when they are the same" {
  local seconds want rl_budget rl_lock rl_name rl_dir
  while read -r seconds want; do
    for _ in 1 2; do
      rl_budget=''
      _registry_lock_asked "$LOCK" "$seconds"
      same "$rl_budget" "$want" || fail "for $seconds"
    done
  done <<'TABLE'
0 0
7 7000
08.25 8250
.5 500
1. 1000
1.08 1080
1.0019 1001
999999999 999999999000
0.5 500
TABLE
}

@test "a path is absolute by the working directory as the shell has it, if that is still its name" {
  local path want rl_lock link=$BATS_TEST_TMPDIR/link
  ln -s "$DIR" "$link" && mkdir -p sub
  cd "$link"
  while read -r path want; do
    _registry_lock_absolute "$path"
    same "$rl_lock" "${want/LINK/$link}" || fail "for $path"
  done <<'TABLE'
a LINK/a
a// LINK/a
a/b/ LINK/a/b
./a LINK/a
.///a LINK/a
././/a LINK/a
. LINK/.
../a LINK/../a
.a LINK/.a
/a /a
/a/./b// /a/./b
/ /
// /
TABLE
  for PWD in . sub "$DIR/sub" /none ''; do
    _registry_lock_absolute a
    same "$rl_lock" "$(pwd -P)/a"
  done
}

@test "without SECONDS the environment says how long, and an argument goes before it" {
  hold other
  REGISTRY_LOCK_SECONDS=0 run registry_lock_acquire "$LOCK"
  status_is 75
  says 'Gave up after 0 s'
  REGISTRY_LOCK_SECONDS=60 run registry_lock_acquire "$LOCK" 0.01
  says 'Gave up after 0.01 s'
  REGISTRY_LOCK_SECONDS=soon run registry_lock_acquire "$LOCK"
  status_is 64
  says "'soon' is not a number of seconds"
}

@test "the time to wait is 10 seconds where nothing else is said" {
  _registry_lock_take() { echo "budget $rl_budget"; }
  run registry_lock_acquire "$LOCK"
  says 'budget 10000'
  REGISTRY_LOCK_SECONDS='' run registry_lock_acquire "$LOCK"
  says 'budget 10000'
}

@test "a wrong number of arguments and a path that ends in no name are usage errors" {
  run registry_lock_acquire
  status_is 64
  says 'usage: registry_lock_acquire LOCK [SECONDS]'
  run registry_lock_acquire "$LOCK" 1 2
  status_is 64
  local name
  for name in '' / // . .. "$DIR/." "$DIR/.."; do
    run registry_lock_acquire "$name"
    status_is 64
    says 'must end in a name'
  done
  no_litter
}

@test "a subshell is a process of its own: it doesn't hold what its parent holds" {
  registry_lock_acquire "$LOCK"
  run registry_lock_release "$LOCK"
  status_is 76
  run env -u REGISTRY_LOCK_TOKENS bash -c ". '$library'; registry_lock_acquire '$LOCK' 0"
  status_is 75
  registry_lock_check "$LOCK"
}

@test "a child of the holder is refused at once: it would wait for its own ancestor" {
  registry_lock_acquire "$LOCK"
  run registry_lock_acquire "$LOCK" 3600
  status_is 64
  says "held by process $(my_pid)"
  says 'started under that very lock'
  ln -s "$DIR" "$BATS_TEST_TMPDIR/alias"
  run bash -c ". '$library'; registry_lock_acquire '$BATS_TEST_TMPDIR/alias/lock' 3600"
  status_is 64
  registry_lock_check "$LOCK"
}

@test "the token of a lock is in the environment while it is held, and no longer" {
  export REGISTRY_LOCK_TOKENS=7.x.1
  registry_lock_acquire "$LOCK"
  registry_lock_acquire "$LOCK.2"
  local mine
  mine=$(my_pid)
  mine=$mine.$(identity "$mine")
  same "$(env | grep ^REGISTRY_LOCK_TOKENS=)" "REGISTRY_LOCK_TOKENS=7.x.1 $mine.1 $mine.2"
  registry_lock_release "$LOCK"
  same "$REGISTRY_LOCK_TOKENS" "7.x.1 $mine.2"
  registry_lock_release
  same "$REGISTRY_LOCK_TOKENS" 7.x.1
}

@test "a lock taken in a background subshell is the subshell's, when its parent has ended" {
  start parent '(hear; registry_lock_acquire "$LOCK" || exit; tell held; hear) & tell "$!"'
  local child
  child=$(listen parent)
  ended parent
  gone "$parent_pid"
  send parent go
  expect parent held
  held_by "$child"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says "held by process $child"
  alive "$child"
  send parent go
  registry_lock_acquire "$LOCK" 30
  held_by "$(my_pid)"
}

@test "a lock that was taken after a wait is released with the shell, whatever a trap did" {
  mkdir "$LOCK"
  run bash -c ". '$library'; _registry_lock_contend() {
      trap - EXIT
      rmdir '$LOCK' && _registry_lock_place \"\$rl_slot\" lock '$DIR' \"holder.\$rl_mine\"
    }
    registry_lock_acquire '$LOCK' 5 && ls '$LOCK'"
  status_is 0
  says holder.
  no_litter
}

@test "a bare directory is not broken: the message says that no holder is recorded" {
  mkdir "$LOCK"
  run registry_lock_acquire "$LOCK" 0.05
  status_is 75
  says 'has no holder recorded'
  says 'it is left alone'
  says "registry-lock status $LOCK"
  says "registry-lock break --force $LOCK"
  lacks "$output" 'contention'
  same "$(ls -A "$DIR")" lock
  same "$(ls -A "$LOCK")" ''
}

@test "a directory of something else is left alone, with all that is in it" {
  mkdir "$LOCK" && touch "$LOCK/data" "$LOCK/holder.x"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  says 'is not a lock of this library'
  same "$(ls -A "$LOCK")" $'data\nholder.x'
}

@test "a full disk fails the acquire before there is a lock" {
  on_tmpfs size=4k 'head -c 4096 /dev/zero >full
    registry_lock_acquire "$LOCK" 60; echo "status $?"; ls -A'
  says 'No space left on device'
  says $'status 73\nfull'
  lacks "${output#*status 73}" lock
}

@test "a disk out of inodes fails the acquire before there is a lock, wherever it runs out" {
  local inodes
  for inodes in 2 3; do
    on_tmpfs "nr_inodes=$inodes" 'registry_lock_acquire "$LOCK" 60; echo "status $?"; ls -A'
    says 'No space left on device'
    same "${output##*status }" 73
  done
  on_tmpfs nr_inodes=4 'registry_lock_acquire "$LOCK" 0'
  status_is 0
}

@test "a limit on file sizes fails the acquire, and the shell goes on" {
  run bash -c "ulimit -f 0; . '$library'; registry_lock_acquire '$LOCK' 60; echo \"status \$?\""
  says 'File too large'
  same "${output##*$'\n'}" 'status 73'
  no_litter
}

@test "an entry that reads back short fails the acquire" {
  eval "whole$(declare -f _registry_lock_content)"
  _registry_lock_content() {
    whole_registry_lock_content "$@"
    rl_text=${rl_text%???}
  }
  refused_at_once "$LOCK" 'the entry reads back otherwise than it was written'
  no_litter
}

@test "a closed parent of another user is said at once, with its owner, its mode and who I am" {
  need_root
  chmod 555 "$DIR"
  as_nobody '_registry_lock_pause() { echo PAUSED; }; registry_lock_acquire "$LOCK" 60'
  status_is 73
  says "$LOCK can't be made or removed here: Permission denied"
  says "the directory $DIR is dr-xr-xr-x root root; I am uid 65534"
  lacks "$output" PAUSED
  lacks "$output" 'Gave up'
  no_litter
}

@test "a held lock in a closed parent: both are said, at once" {
  need_root
  hold other
  chmod 555 "$DIR"
  as_nobody '_registry_lock_pause() { echo PAUSED; }; registry_lock_acquire "$LOCK" 60'
  status_is 73
  says "Permission denied"
  says "held by process $other_pid"
  lacks "$output" PAUSED
  alive "$other_pid"
}

@test "a lock directory that this user may not look into is left alone" {
  mkdir -m 700 "$LOCK"
  chmod 777 "$DIR"
  as_nobody 'registry_lock_acquire "$LOCK" 0'
  status_is 75
  says "can't be looked into by uid 65534"
  same "$(ls -A "$DIR")" lock
}

@test "a parent that isn't there, or is a file, is said at once" {
  refused_at_once "$DIR/absent/lock" 'No such file or directory'
  says "the directory $DIR/absent is not there"
  touch file
  refused_at_once "$DIR/file/lock" 'Not a directory'
}

@test "a read-only mount is said at once, and who holds the lock that lies there" {
  need_root
  need_unshare -m
  hold other
  local mount="mount --bind '$DIR' '$DIR' && mount -o remount,ro,bind '$DIR' && cd '$DIR'"
  run unshare -m bash -c "$mount || exit 99; . '$library'; _registry_lock_pause() { echo PAUSED; }
    registry_lock_acquire free 60; echo \"first \$?\"; registry_lock_acquire lock 60"
  [ "$status" != 99 ] || skip 'needs to mount read-only'
  status_is 73
  says "$DIR/free can't be made or removed here: Read-only file system"
  lacks "${output%%first*}" 'held by'
  says 'first 73'
  says "$LOCK can't be made or removed here: Read-only file system"
  says "held by process $other_pid"
  says 'it is running'
  lacks "$output" PAUSED
  alive "$other_pid"
}

@test "a name that is too long and a loop of links are said at once" {
  need_links
  refused_at_once "$DIR/$(printf '%0250d' 1)" 'File name too long'
  ln -s loop2 loop1 && ln -s loop1 loop2
  refused_at_once "$DIR/loop1/lock" 'Too many levels of symbolic links'
}

@test "a directory that takes no new names, though it looks writable, is said at once" {
  need_root
  chattr +i "$DIR" 2>/dev/null || skip 'needs a file system with chattr +i'
  never_pauses
  run registry_lock_acquire "$LOCK" 60
  chattr -i "$DIR"
  status_is 73
  says 'Operation not permitted'
}

@test "a file, a dangling link or a link to a directory in the way is said at once, and stays" {
  local before
  need_links
  touch file && mkdir dir && ln -s nowhere dangling && ln -s dir link && mkfifo fifo
  before=$(ls -lR)
  local name
  for name in file dangling link fifo; do
    refused_at_once "$DIR/$name" 'a file or a link has that name'
  done
  same "$(ls -lR)" "$before"
}

@test "where the rename is refused again and again the system's reason is said" {
  failing_mv
  printf '#!/bin/sh\necho "$*" >>"%s"\n' "$BATS_TEST_TMPDIR/naps" >"$BATS_TEST_TMPDIR/bin/sleep"
  chmod +x "$BATS_TEST_TMPDIR/bin/sleep"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run registry_lock_acquire "$LOCK" 60
  status_is 73
  says 'Input/output error'
  same "$(grep -c ^0.0 "$BATS_TEST_TMPDIR/naps")" 9
  no_litter
}

# missed WANTED: so it ends where placing did nothing, for "reason"; the path is $state then.
missed() {
  rl_error=reason rl_state=before done_=''
  here _registry_lock_missed
  same "$status $rl_misses $done_" "$1"
}

@test "the tenth miss of a path that is free is a refusal, one that somebody took is none" {
  local state=free made=0 done_ rl_lock=$LOCK rl_slot=$DIR/slot rl_name=lock
  local rl_misses=8 rl_state rl_error
  mkdir -p slot/lock
  _registry_lock_look() { rl_state=$state rl_error=look; }
  _registry_lock_nap() { done_+='nap;'; }
  _registry_lock_make() {
    done_+='make;' rl_error=make
    return "$made"
  }
  _registry_lock_refuse() {
    done_+="refuse $rl_error;"
    return 73
  }
  missed '0 9 nap;'
  missed '73 10 refuse reason;'
  state=entry
  missed '0 0 '
  rm -r slot
  missed '0 0 make;'
  state=free
  missed '0 1 make;nap;'
  rl_misses=9
  missed '73 10 make;refuse reason;'
  made=73
  missed '73 10 make;'
}

@test "where a rename loses what is in the directory that is said at once, and nothing stays" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\n%s "$@"; rm "%s"/*\n' "$(command -v mv)" "$LOCK" >"$BATS_TEST_TMPDIR/bin/mv"
  chmod +x "$BATS_TEST_TMPDIR/bin/mv"
  never_pauses
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run registry_lock_acquire "$LOCK" 60
  status_is 73
  says 'this file system loses what is in a directory'
  no_litter
}

@test "closed standard streams make no difference" {
  killed_holder other
  run bash -c ". '$library'; exec <&- 2>&-; registry_lock_acquire '$LOCK' 0 && echo taken
    registry_lock_check '$LOCK' && registry_lock_release '$LOCK' && echo released"
  same "$output" $'taken\nreleased'
  run bash -c ". '$library'; exec <&- >&- 2>&-
    registry_lock_acquire '$LOCK' 0 && registry_lock_release"
  status_is 0
  is_free
}
