#!/usr/bin/env bats
# namespaces.bats: holders in containers, on renamed and cloned machines, behind a hidden /proc. What
# can't be asked from here is never gone.

# shellcheck disable=SC2016,SC2154 # code for drivers, and variables of the helper
load helper

other_container=(unshare -p -f --kill-child --mount-proc)
other_clock=(unshare -T --boottime 100000 -f --kill-child)

# holds: the code of a driver that takes the lock, tells, and waits for a word.
holds='registry_lock_acquire "$LOCK" 20 && tell held; hear; registry_lock_release "$LOCK"'

# seen_from WORD...: `run` of an acquire without waiting, in a shell that WORDs start.
seen_from() { run "$@" bash -c ". '$library'; registry_lock_acquire '$LOCK' 0"; }

# stands TEXT: the lock was left alone, and TEXT was said.
stands() { status_is 75 && lacks "$output" removed && says "$1, so whether it lives can't be asked from here"; }

container_text='it is recorded in another container (another pid namespace)'
clock_text='it is recorded in another container (another time namespace)'

# named HOST CODE: `run` of CODE in a driver on a machine that is called HOST.
named() {
  need_root
  need_unshare -u
  run unshare -u bash -c "hostname '$1' && HOSTNAME='$1' && LOCK='$LOCK' && . '$library' && $2"
}

# of_boot ID: ID, but of another boot.
of_boot() { printf '%s\n' "${1:0:11}0123456789${1:21}"; }

# Case 34.
@test "a container does not take the lock of a live holder outside" {
  need_unshare -p -f --mount-proc
  hold other
  seen_from "${other_container[@]}"
  stands "$container_text"
  alive "$other_pid"
  held_by "$other_pid"
}

@test "nobody outside takes the lock of a live holder in a container" {
  need_unshare -p -f --mount-proc
  start other "$holds" "${other_container[@]}"
  expect other held
  seen_from
  stands "$container_text"
  held_by 1
  send other go
  ended other
  no_litter
}

@test "a container whose /proc is the outer one takes nobody's lock" {
  need_unshare -p -f --mount-proc
  hold other
  seen_from unshare -p -f --kill-child
  status_is 75
  lacks "$output" removed
  alive "$other_pid"
  held_by "$other_pid"
}

# Case 36.
@test "two live containers with one name, both process 1, are never both in" {
  need_unshare -p -f --mount-proc
  local try='registry_lock_acquire "$LOCK" 0; tell "$? $$ $HOSTNAME"; hear'
  start a "$try; registry_lock_release; tell out; hear; $try" "${other_container[@]}"
  expect a "0 1 $HOSTNAME"
  start b "$try; $try; registry_lock_release" "${other_container[@]}"
  expect b "75 1 $HOSTNAME"
  contains "$(err_of b)" "$container_text"
  send a release
  expect a out
  send b 'try again'
  expect b "0 1 $HOSTNAME"
  send a 'try again'
  expect a "75 1 $HOSTNAME"
  contains "$(err_of a)" "$container_text"
}

@test "a container does not take the lock of a killed one, which looks like a live neighbour" {
  need_unshare -p -f --mount-proc
  start other "$holds" "${other_container[@]}"
  expect other held
  slay other
  seen_from "${other_container[@]}"
  stands "$container_text"
  held_by 1
}

@test "the lock of a killed holder in the same container is broken" {
  need_unshare -p -f --mount-proc
  run "${other_container[@]}" bash -c ". '$library'
    bash -c '. \"\$0\"; registry_lock_acquire \"\$1\" 0; kill -KILL \$\$' '$library' '$LOCK'
    registry_lock_acquire '$LOCK' 0 && echo 'got in'"
  says 'that process is gone: it is not running'
  says 'got in'
}

# Case 38.
@test "a reader whose clock is shifted does not take a live holder for a recycled number" {
  need_unshare -T --boottime 100000 -f
  hold other
  seen_from "${other_clock[@]}"
  stands "$clock_text"
  alive "$other_pid"
  held_by "$other_pid"
}

@test "nor is a live holder whose clock is shifted taken for one from outside" {
  need_unshare -T --boottime 100000 -f
  start other "$holds" "${other_clock[@]}"
  expect other held
  seen_from
  stands "$clock_text"
  send other go
  ended other
  no_litter
}

# Case 40.
@test "a machine that is called localhost proves no earlier boot" {
  in_initial_namespaces
  local forge='mkdir "$LOCK" && id=$(procid $$) && : >"$LOCK/holder.$$.${id:0:11}0123456789${id:21}.1"'
  named localhost "$forge && registry_lock_acquire \"\$LOCK\" 0"
  stands "it is recorded on another machine, or in an earlier boot that can't be proven to be this one's"
  rm -r "$LOCK"
  named one-of-a-kind "$forge && registry_lock_acquire \"\$LOCK\" 0"
  status_is 0
  says 'it belongs to an earlier boot of this machine'
}

@test "a machine that was renamed since still breaks its own dead locks" {
  killed_holder other
  named renamed 'registry_lock_acquire "$LOCK" 0'
  status_is 0
  says "removed the lock of process $other_pid"
  says "on $HOSTNAME"
  says 'it is not running'
}

@test "a machine that was renamed since knows its own live holders" {
  hold other
  named renamed 'registry_lock_acquire "$LOCK" 0'
  status_is 75
  says 'it is running'
  alive "$other_pid"
  held_by "$other_pid"
}

@test "another boot of a clone, which has the machine id but another name, proves nothing" {
  named clone 'procid $$'
  forge "$LOCK" "holder.$$.$(of_boot "$output").1"
  seen_from
  stands 'it is recorded on another machine'
}

@test "a lock that was copied from another machine is not judged" {
  local id
  id=$(identity $$)
  forge "$LOCK" "holder.$$.l00000000000123456789${id:21}.1"
  seen_from
  stands 'it is recorded on another machine'
  is_taken
}

# Case 2. A fresh mount: a remount would hide the processes of the whole machine.
@test "a holder that hidepid hides is not gone" {
  hold other
  chmod 777 "$DIR" "$LOCK"
  need_root
  need_unshare -m
  as_nobody "[ ! -e /proc/$other_pid ] || exit 3; procid $other_pid; registry_lock_acquire '$LOCK' 0" \
    unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc && exec "$@"' -
  contains "$output" $'unknown\n'
  stands 'it is hidden from this user'
  alive "$other_pid"
  held_by "$other_pid"
}

@test "where there is no /proc nobody is gone" {
  need_root
  need_unshare -m
  hold other
  seen_from unshare -m sh -c 'umount -l /proc && exec "$@"' -
  status_is 75
  lacks "$output" removed
  alive "$other_pid"
  held_by "$other_pid"
}
