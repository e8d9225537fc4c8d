#!/usr/bin/env bats
# acquire.bats: taking a free lock, and a held one.

load helper

@test "a free lock is taken, and its entry names this very process" {
  registry_lock_acquire "$LOCK"
  local me=$BASHPID
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
