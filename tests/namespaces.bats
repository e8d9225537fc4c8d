#!/usr/bin/env bats
# namespaces.bats: holders in containers, on renamed and cloned machines, behind a hidden /proc. What
# can't be asked from here is never gone.

# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # code for drivers, and variables of the helper
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

# of_tenant NAME WORD...: `run` of an acquire without waiting by tenant NAME, in a shell that WORDs
# start.
of_tenant() { REGISTRY_LOCK_TENANT=$1 seen_from "${@:2}"; }

# killed_in_container NAME: a container of tenant NAME took LOCK, and was killed. It was the last
# whose pid namespace had that number: a later one may have it again.
killed_in_container() {
  REGISTRY_LOCK_TENANT=$1 start other "$holds" "${other_container[@]}"
  expect other held
  slay other
  held_by 1
}

@test "a restarted container's own old lock is unknown, and the message names the way out" {
  need_unshare -p -f --mount-proc
  killed_in_container ''
  start neighbour 'hear' "${other_container[@]}" # has the number that has become free
  seen_from "${other_container[@]}"
  stands "$container_text"
  says 'REGISTRY_LOCK_TENANT=NAME'
  held_by 1
}

@test "a container of the same tenant takes the lock that its predecessor left" {
  need_unshare -p -f --mount-proc
  killed_in_container builds
  of_tenant builds unshare -u "${other_container[@]}" sh -c 'hostname another && exec "$@"' -
  status_is 0
  says 'removed the lock of process 1'
  says 'that process is gone'
}

@test "a lock of the same tenant's other pid namespace is gone, whoever has its number now" {
  need_unshare -p -f --mount-proc
  hold outsider "$DIR/outside"
  start tenant "$holds" "${other_container[@]}"
  expect tenant held
  REGISTRY_LOCK_TENANT=builds start other 'LOCK=${LOCK%/*}/other; registry_lock_acquire "$LOCK" 0
    tell held; hear' "${other_container[@]}"
  expect other held
  LOCK=$DIR/other of_tenant builds
  status_is 0
  says 'that process is gone: it belongs to an earlier container of this tenant'
  of_tenant builds
  stands "$container_text"
  held_by 1
}

@test "another tenant, and none, take nothing of a tenant's" {
  need_unshare -p -f --mount-proc
  REGISTRY_LOCK_TENANT=builds start other "$holds" "${other_container[@]}"
  expect other held
  local name
  for name in others '' Builds builds2; do
    of_tenant "$name" "${other_container[@]}"
    stands "$container_text"
    of_tenant "$name"
    stands "$container_text"
  done
  held_by 1
}

@test "a tenant takes nothing of nobody's in another container" {
  need_unshare -p -f --mount-proc
  start other "$holds" "${other_container[@]}"
  expect other held
  of_tenant builds "${other_container[@]}"
  stands "$container_text"
  held_by 1
}

@test "in one pid namespace a tenant's holder is judged as any other" {
  REGISTRY_LOCK_TENANT=builds hold other
  local name
  for name in builds others ''; do
    of_tenant "$name"
    status_is 75
    says 'it is running'
    alive "$other_pid"
  done
  slay other
  of_tenant ''
  status_is 0
  says 'that process is gone: it is not running'
}

@test "a tenant's lock outlives neither its machine's name nor the boot" {
  in_initial_namespaces
  local id
  id=$(REGISTRY_LOCK_TENANT=builds procid $$)
  corpse
  forge "$LOCK" "holder.$dead_pid.$(of_boot "${id%_*}_1").1"
  seen_from
  stands "it is recorded on another machine, or in an earlier boot that can't be proven to be this one's"
  says 'REGISTRY_LOCK_TENANT=NAME'
  REGISTRY_LOCK_TENANT=builds named elsewhere 'registry_lock_acquire "$LOCK" 0'
  status_is 0
  says 'that process is gone'
}

@test "a tenant need not be exported" {
  need_unshare -p -f --mount-proc
  killed_in_container builds
  run bash -c "readonly REGISTRY_LOCK_TENANT=builds; . '$library'; registry_lock_acquire '$LOCK' 0"
  status_is 0
  says 'that process is gone'
}

@test "what is no name of a tenant is a usage error, and nothing is asked or made" {
  local name
  for name in ' ' 'a b' a/b $'a\n' $'\e[2J' "$(printf 'x%.0s' {1..65})"; do
    export REGISTRY_LOCK_TENANT=$name
    run registry_lock_acquire "$LOCK" 0
    status_is 64
    says 'is no name of a tenant: that has 1 to 64 characters out of A-Z a-z 0-9 . _ -'
    lacks "$output" $'\e'
    run registry-lock status "$LOCK"
    status_is 64
    run registry-lock doctor
    status_is 64
  done
  no_litter
}

@test "a lock is given back whatever the tenant has become" {
  registry_lock_acquire "$LOCK"
  REGISTRY_LOCK_TENANT='no name'
  registry_lock_check "$LOCK"
  registry_lock_release "$LOCK"
  no_litter
}

@test "status and doctor say in which scope the holder lives" {
  need_unshare -p -f --mount-proc
  command -v jq >/dev/null || skip 'needs jq'
  REGISTRY_LOCK_TENANT=builds start other "$holds" "${other_container[@]}"
  expect other held
  run registry-lock status "$LOCK"
  status_is 1
  says '  scope    another container (pid namespace) of this machine'
  run registry-lock status --json "$LOCK"
  same "$(jq -r '.state + " " + .reason + " " + .scope' <<<"$output")" \
    'unknown other-pid-namespace other-pid-namespace'
  export REGISTRY_LOCK_TENANT=builds
  run registry-lock status "$LOCK"
  status_is 2
  says '  scope    an earlier container of this tenant'
  run registry-lock status --json "$LOCK"
  same "$(jq -r '.state + " " + .reason + " " + .scope' <<<"$output")" \
    'stale earlier-container earlier-container'
  run registry-lock doctor --json
  same "$(jq -r .reason <<<"$output" | sort -u)" earlier-container
  hold here "$DIR/here"
  run registry-lock status "$DIR/here"
  says '  scope    this machine and pid namespace'
  mkdir "$DIR/empty"
  run registry-lock status --json "$DIR/here" "$DIR/empty" "$DIR/none"
  same "$(jq -c .scope <<<"$output")" $'"here"\nnull\nnull'
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
