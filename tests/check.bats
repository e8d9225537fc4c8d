#!/usr/bin/env bats
# check.bats: whether a lock is still this process's.

# shellcheck disable=SC2154 # code for drivers, and variables of the helper
load helper

@test "a held lock checks, by any name of its path, and after a cd" {
  mkdir teams && ln -s teams alias
  registry_lock_acquire teams/lock
  local name
  for name in teams/lock teams/lock/ ./teams/lock alias/lock "$DIR//teams/lock"; do
    here registry_lock_check "$name"
    status_is 0
    same "$output" ''
  done
  cd /
  registry_lock_check "$DIR/teams/lock"
}

@test "a lock that was never taken doesn't check, and nothing is said" {
  hold other
  here registry_lock_check "$LOCK"
  status_is 76
  same "$output" ''
  here registry_lock_check "$DIR/free"
  status_is 76
  same "$output" ''
  alive "$other_pid"
}

@test "a released lock doesn't check" {
  registry_lock_acquire "$LOCK"
  registry_lock_release "$LOCK"
  here registry_lock_check "$LOCK"
  status_is 76
  same "$output" ''
}

@test "a lock that was removed by hand doesn't check, and that is said" {
  registry_lock_acquire "$LOCK"
  rm -r "$LOCK"
  here registry_lock_check "$LOCK"
  status_is 76
  says "$LOCK was taken from this process (pid $(my_pid))"
  says "registry-lock status $LOCK"
  is_free
}

@test "a lock that another process has taken since doesn't check, and stays the other's" {
  registry_lock_acquire "$LOCK"
  rm -r "$LOCK"
  hold other
  here registry_lock_check "$LOCK"
  status_is 76
  says 'was taken from this process'
  held_by "$other_pid"
  alive "$other_pid"
}

@test "a claimed lock doesn't check" {
  registry_lock_acquire "$LOCK"
  mv "$LOCK"/holder.* "$LOCK/claim.1.x.1"
  here registry_lock_check "$LOCK"
  status_is 76
  says 'was taken from this process'
}

@test "a check changes nothing" {
  registry_lock_acquire "$LOCK"
  local before
  before=$(ls -laR "$DIR")
  registry_lock_check "$LOCK"
  here registry_lock_check "$DIR/free"
  same "$(ls -laR "$DIR")" "$before"
}

@test "names that begin alike and nested paths are told apart" {
  mkdir -p sub/lock.d
  registry_lock_acquire lock && registry_lock_acquire sub/lock.d/lock
  local name
  for name in loc lock2 sub/lock sub/lock.d lock.slot; do
    here registry_lock_check "$name"
    status_is 76
  done
  registry_lock_check lock
  registry_lock_check sub/lock.d/lock
}

@test "neither a subshell nor a child program holds what its parent holds" {
  registry_lock_acquire "$LOCK"
  run registry_lock_check "$LOCK"
  status_is 76
  same "$output" ''
  run bash -c ". '$library'; registry_lock_check '$LOCK'"
  status_is 76
  registry_lock_check "$LOCK"
}

@test "a subshell holds what it took itself" {
  run eval 'registry_lock_acquire "$LOCK" && registry_lock_check "$LOCK" && echo mine'
  status_is 0
  same "$output" mine
  is_free
}

@test "a wrong number of arguments and a path that ends in no name are usage errors" {
  here registry_lock_check
  status_is 64
  says 'usage: registry_lock_check LOCK'
  here registry_lock_check "$LOCK" "$LOCK"
  status_is 64
  here registry_lock_check ..
  status_is 64
}
