#!/usr/bin/env bats
# messages.bats: each situation has its sentence, and what a record holds does no harm.

# shellcheck disable=SC2001,SC2012,SC2016,SC2030,SC2031,SC2086,SC2154,SC2248 # code for drivers, and words
load helper

# The table: what a waiter saw | what it says.
table() {
  cat <<'TABLE'
alive | LOCK is held by process PID (other.sh) on HOST since TIME; it is running, so this is contention. Gave up after 0 s. To look: registry-lock status LOCK
stopped | LOCK is held by process PID (other.sh) on HOST since TIME; it is stopped; kill -CONT PID lets it go on. Gave up after 0 s. To look: registry-lock status LOCK
container | LOCK is held by process PID on HOST; it is recorded in another container (another pid namespace), so whether it lives can't be asked from here; a container knows its own locks from before a restart if REGISTRY_LOCK_TENANT=NAME is set in it. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
clock | LOCK is held by process PID on HOST; it is recorded in another container (another time namespace), so whether it lives can't be asked from here. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
machine | LOCK is held by process PID on elsewhere; it is recorded on another machine, so whether it lives can't be asked from here; a container knows its own locks from before a restart if REGISTRY_LOCK_TENANT=NAME is set in it. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
boot | LOCK is held by process PID on HOST; it is recorded on another machine, or in an earlier boot that can't be proven to be this one's, so whether it lives can't be asked from here; a container knows its own locks from before a restart if REGISTRY_LOCK_TENANT=NAME is set in it. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
kind | LOCK is held by process PID on HOST; its identity is of a kind that is not known here, so whether it lives can't be asked from here. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
procid | LOCK is held by process PID on HOST; there is no working procid on PATH, so whether it lives can't be asked from here. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
host | LOCK is held by process PID on elsewhere; it is recorded on another machine, so whether it lives can't be asked from here. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK TOKEN
damaged | LOCK is not a lock of this library, or damaged: the record names no usable process; it is left alone. Gave up after 0 s. To look: registry-lock status LOCK
empty | LOCK has no holder recorded: an empty directory, not made by this library or made by an older script; it is left alone. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK
older | LOCK is held by process PID on HOST, as an older script recorded; it is running, so this is contention. Gave up after 0 s. To look: registry-lock status LOCK
older-host | LOCK is held by process PID on elsewhere, as an older script recorded; it is recorded on another machine, so whether it lives can't be asked from here. Gave up after 0 s. To look: registry-lock status LOCK; to remove it, if you know that nobody holds it: registry-lock break --force LOCK PID
removing | LOCK: process PID is removing a dead holder's lock; it is running. Gave up after 0 s. To look: registry-lock status LOCK
judging | LOCK: process PID is judging the record of an older script; it is running. Gave up after 0 s. To look: registry-lock status LOCK
denied | LOCK can't be made or removed here: Permission denied (the directory DIR is dr-xr-xr-x root root; I am uid 65534)
absent | LOCK can't be made or removed here: No such file or directory (the directory DIR is not there; I am uid UID)
read-only | LOCK can't be made or removed here: Read-only file system (the directory DIR is drwxr-xr-x root root; I am uid 0)
full | LOCK can't be made or removed here: No space left on device (the directory DIR is drwxrwxrwt root root; I am uid 0)
file-above | LOCK can't be made or removed here: Not a directory (the directory DIR is not there; I am uid UID)
in-the-way | LOCK can't be made or removed here: a file or a link has that name, and no lock does (the directory DIR is MODE; I am uid UID)
not-running | LOCK: removed the lock of process PID (other.sh) on HOST since TIME; that process is gone: it is not running
recycled | LOCK: removed the lock of process PID on HOST; that process is gone: its number was recycled, another process has it now
zombie | LOCK: removed the lock of process PID on HOST; that process has ended; its parent has not asked for its status yet
earlier-boot | LOCK: removed the lock of process PID on HOST; that process is gone: it belongs to an earlier boot of this machine
dead-remover | LOCK: removed the claim of process PID; that process is gone: it is not running
older-dead | LOCK: removed the lock of process PID on HOST; that process is gone: it is not running
lost | LOCK was taken from this process (pid PID): it is not its lock any more; nothing was touched. To look: registry-lock status LOCK
twice | LOCK is held by this very process (pid PID) already; release it first
inside | LOCK is a lock itself: no lock can be made inside it
TABLE
}

# gives ROW PID [LOCK]: the output is just that row of the table, with these values.
gives() {
  local row lock=${3-$LOCK} mode
  row=$(table | sed -n "s/^$1 | //p")
  [ -n "$row" ] || fail "no row $1" || return
  row=${row//REGISTRY_LOCK_/REGISTRY_} # a variable's name, no place for LOCK
  row=${row//LOCK/$lock} row=${row//REGISTRY_/REGISTRY_LOCK_} row=${row//PID/$2} row=${row//HOST/$HOSTNAME} row=${row//DIR/${lock%/*}}
  mode=$(ls -ld "${lock%/*}" 2>/dev/null | awk '{ print $1, $3, $4 }')
  row=${row//TOKEN/${token-}} row=${row//UID/$EUID} row=${row//MODE/$mode}
  same "$(printf '%s\n' "$output" | sed 's/since [0-9-]*T[0-9:]*Z/since TIME/')" "registry-lock: $row"
}

# recorded PID ID [HOST]: LOCK is held as recorded; token is the token.
recorded() {
  token=$1.$2.1
  forge "$LOCK" "holder.$token" 'registry-lock 1' "pid $1" "host ${3-$HOSTNAME}"
}

# tries: one try for LOCK.
tries() { run registry_lock_acquire "$LOCK" 0; }

@test "every row of the table has its test" {
  local row
  for row in $(table | cut -d' ' -f1); do
    grep -q "gives $row " "$BATS_TEST_FILENAME" || fail "no test of $row"
  done
}

@test "no sentence calls anything a time-out" {
  local words
  words=$(find "$root/lib" "$root/bin/registry-lock" -type f -exec cat {} + && table)
  lacks "$words" 'timed out'
  lacks "$words" 'time-out'
  lacks "$words" 'timeout'
}

@test "a holder that is running, and one that is stopped" {
  hold other
  tries
  gives alive "$other_pid"
  kill -STOP "$other_pid"
  tries
  gives stopped "$other_pid"
}

@test "a holder in another container" {
  corpse
  in_initial_namespaces
  recorded "$dead_pid" "${dead_id%_*_*_*}_5_0_7"
  tries
  gives container "$dead_pid"
  rm -r "$LOCK"
  recorded "$dead_pid" "${dead_id%_*_*_*}_0_5_7"
  tries
  gives clock "$dead_pid"
}

@test "a holder on another machine, or in a boot that may be another machine's" {
  corpse
  in_initial_namespaces
  recorded "$dead_pid" "${dead_id:0:1}01234567890123456789_0_0_7" elsewhere
  tries
  gives machine "$dead_pid"
  rm -r "$LOCK"
  recorded "$dead_pid" "${dead_id:0:11}0123456789_5_0_7"
  tries
  gives boot "$dead_pid"
  rm -r "$LOCK"
  recorded "$dead_pid" '' elsewhere
  tries
  gives host "$dead_pid"
}

@test "a holder with an identity of an unknown kind, and one that there is no procid for" {
  corpse
  recorded "$dead_pid" x
  tries
  gives kind "$dead_pid"
  REGISTRY_LOCK_PROCID=/none tries
  gives procid "$dead_pid"
}

@test "a damaged record, and none" {
  forge "$LOCK" 'holder.0.x.1'
  tries
  gives damaged 0
  rm "$LOCK"/*
  tries
  gives empty 0
}

@test "holders that older scripts recorded" {
  stranger
  corpse
  forge "$LOCK" holder "pid $stranger_pid"
  tries
  gives older "$stranger_pid"
  printf 'pid %s\nhost elsewhere\n' "$stranger_pid" >"$LOCK/holder"
  tries
  gives older-host "$stranger_pid"
  alive "$stranger_pid"
}

@test "a process that removes a dead holder's lock, or judges an older script's record" {
  stranger
  forge "$LOCK" "claim.$stranger_pid.$stranger_id.1"
  tries
  gives removing "$stranger_pid"
  mv "$LOCK"/* "$LOCK/trial.$stranger_pid.$stranger_id.1"
  tries
  gives judging "$stranger_pid"
  alive "$stranger_pid"
}

# Case 27.
@test "a folder that is closed to me" {
  chmod 555 "$DIR"
  as_nobody 'registry_lock_acquire "$LOCK" 60'
  gives denied 0
}

@test "a tool that fails without a word" {
  mkdir bin
  printf '#!/bin/sh\nkill -KILL $$\n' >bin/mkdir
  chmod +x bin/mkdir
  PATH=$DIR/bin:$PATH tries
  status_is 73
  says "can't be made or removed here: the system gives no reason (the directory $DIR is d"
}

@test "a folder that isn't there, one that is a file, and a file in the way" {
  never_pauses
  run registry_lock_acquire "$DIR/none/lock" 60
  gives absent 0 "$DIR/none/lock"
  touch file
  run registry_lock_acquire "$DIR/file/lock" 60
  gives file-above 0 "$DIR/file/lock"
  ln -s nowhere lock
  for name in file lock; do
    run registry_lock_acquire "$name" 60
    gives in-the-way 0 "$DIR/$name"
  done
}

@test "a read-only file system and a full one" {
  on_tmpfs mode=755 'mount -o remount,ro . && cd "$PWD" && registry_lock_acquire "$LOCK" 60'
  gives read-only 0
  on_tmpfs size=4k 'head -c 4096 /dev/zero >full; registry_lock_acquire "$LOCK" 60'
  gives full 0
}

@test "what proved that the holder is gone: he is not running, or his number was recycled" {
  killed_holder other
  tries
  gives not-running "$other_pid"
  stranger
  recorded "$stranger_pid" "${stranger_id%_*}_1"
  tries
  gives recycled "$stranger_pid"
}

@test "what proved that the holder is gone: nobody has asked for his status, or the machine was restarted" {
  in_initial_namespaces
  start parent 'sleep 60 & tell $!; hear'
  local child id
  child=$(listen parent) && pids="$pids $child"
  id=$(identity "$child")
  kill -STOP "$parent_pid"
  kill -KILL "$child"
  until [ "$(procid "$child" "$id")" = gone ]; do :; done
  recorded "$child" "$id"
  tries
  gives zombie "$child"
  recorded "$child" "${id:0:11}0123456789${id:21}"
  tries
  gives earlier-boot "$child"
}

@test "whose lock was removed where a remover or an older script's holder is gone" {
  corpse
  forge "$LOCK" "claim.$dead_pid.$dead_id.1"
  tries
  gives dead-remover "$dead_pid"
  forge "$LOCK" pid "$dead_pid"
  tries
  gives older-dead "$dead_pid"
}

@test "a lock that was taken away, one that I hold already, and one that is to be made in another" {
  registry_lock_acquire "$LOCK"
  here registry_lock_acquire "$LOCK" 60
  gives twice "$(my_pid)"
  run registry_lock_acquire "$LOCK/in" 60
  gives inside 0
  rm -r "$LOCK"
  here registry_lock_check "$LOCK"
  gives lost "$(my_pid)"
}

@test "every message is one line on standard error that begins with registry-lock, for every odd path" {
  odd_names
  stranger
  local name
  for name in "${odd_names[@]}"; do
    forge "$DIR/$name" "holder.$stranger_pid.$stranger_id.1" 'registry-lock 1' "pid $stranger_pid" "command $name"
    apart registry_lock_acquire "$DIR/$name" 0
    same "$status$output" 75
    contains "$complaint" 'registry-lock: '
    lacks "$complaint" $'\n'
    same "$(printf '%s' "$complaint" | LC_ALL=C tr -d '[:print:]\200-\377')" ''
    lacks "$complaint" $'\xc2\x85'
  done
  for name in 'break --force' 'break --nonsense' 'status --nonsense' 'doctor --nonsense' $'x\e[31m'; do
    apart registry-lock $name "${odd_names[6]}"
    same "$(sed 's/^registry-lock: .*//' <<<"$complaint" | tr -d '\n')$output" ''
  done
}

# Hostile records.

# hostile FILE: the array of commands that make FILE a trap each.
hostile() {
  echo 'command SECRET' >"$BATS_TEST_TMPDIR/secret"
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  local q
  printf -v q %q "$1"
  hostile=("printf 'registry-lock 1\npid $pid\ncommand \e]0;x\a\e[2J\nhost \x9b31m\n' >$q"
    "printf 'registry-lock 1\npid $pid\npid 1\ncommand forged\n' >$q" "printf 'pid 1\nregistry-lock 1\npid $pid\n' >$q"
    "head -c 1048576 /dev/zero | tr '\0' x >$q" "printf 'registry-lock 1\npid $pid\ncommand a\0b\n\0' >$q"
    "head -c 100000 /dev/urandom >$q" "mkfifo $q" "ln -s '$BATS_TEST_TMPDIR/secret' $q" "ln -s /nowhere $q"
    "ln -s '$BATS_TEST_TMPDIR/fifo' $q" "ln -s /dev/zero $q" "ln -s . $q" "ln -s ${1##*/} $q" "mkdir $q"
    "printf '\$(touch ran)\n\`touch ran\`\npid \$(touch ran)\n' >$q" ": >$q; chmod 000 $q")
  [ "$EUID" != 0 ] || hostile+=("mknod $q c 1 5" "mknod $q b 7 200")
}

# harmless VERB...: registry_lock_VERB of lock ends with the statuses in ends, and shows no control
# character, nothing forged and nothing followed. VERBs are words such as "acquire lock 0".
harmless() {
  local bound='' verb
  ! command -v timeout >/dev/null || bound='timeout 60'
  run $bound bash -c '. "$0"; for verb; do registry_lock_$verb </dev/null; echo "ended: $?"; done' "$library" "$@"
  [ "$status" = 0 ] || fail "$* hangs or dies" || return
  ends=$(printf '%s\n' "$output" | sed -n 's/^ended: //p' | tr '\n' ' ')
  same "$(printf '%s' "$output" | LC_ALL=C tr -d '\n[:print:]\200-\377')" '' && lacks "$output" SECRET &&
    lacks "$output" forged && [ ! -e ran ]
}

@test "a hostile record of a live holder is shown safely by all, and protects him" {
  local make
  stranger
  pid=$stranger_pid
  hostile "$LOCK/holder.$stranger_pid.$stranger_id.1"
  for make in "${hostile[@]}"; do
    mkdir "$LOCK" && eval "$make"
    harmless 'status lock free' 'doctor --fix --empty --grace 0' 'break lock' 'acquire lock 0'
    same "$ends" '1 0 75 75 '
    says "process $stranger_pid"
    held_by "$stranger_pid" || fail "after $make"
    rm -rf "$LOCK"
  done
  alive "$stranger_pid"
}

@test "a hostile record of a dead holder is removed, and nothing that it points to" {
  local make
  corpse
  pid=$dead_pid
  hostile "$LOCK/holder.$dead_pid.$dead_id.1"
  for make in "${hostile[@]}"; do
    mkdir "$LOCK" && eval "$make"
    harmless 'status lock' 'acquire lock 0' release
    same "$ends" '2 0 0 '
    says "removed the lock of process $dead_pid"
    no_litter
    case $make in printf* | head* | :*) continue ;; esac
    mkdir "$LOCK" && eval "$make"
    harmless 'break lock'
    same "$ends" '0 '
    no_litter
  done
  same "$(cat "$BATS_TEST_TMPDIR/secret")" 'command SECRET'
}

@test "a hostile record in an older script's place is followed nowhere and proves nothing" {
  local make file
  corpse
  pid=$dead_pid
  for file in lock/holder lock.holder; do
    rm -f "$BATS_TEST_TMPDIR/fifo"
    hostile "$DIR/$file"
    for make in "${hostile[@]:5}"; do
      mkdir "$LOCK" && eval "$make"
      harmless 'status lock' 'doctor --fix' 'acquire lock 0'
      same "$ends" '1 1 75 '
      [ -e "$file" ] || [ -L "$file" ] || fail "after $make"
      rm -rf "$LOCK" "$file"
    done
  done
}

@test "a hostile thing in the lock's own place, or in a slot's, is followed nowhere" {
  local make
  pid=1
  hostile "$LOCK"
  for make in "${hostile[@]}"; do
    [ "$make" != "mkdir $LOCK" ] || continue
    eval "$make"
    harmless 'status lock' 'doctor --fix' 'break --force lock' 'acquire lock 60'
    same "$ends" '1 0 73 73 '
    rm "$LOCK"
  done
}
