#!/usr/bin/env bats
# contend.bats: when a waiter asks about the holder, and what it forgets when that is another one.
# The clock is rl_now.

# shellcheck disable=SC2030,SC2031,SC2034,SC2154,SC2317 # what the library uses and calls
load helper

# waiting: this shell waits for LOCK since 1000, and nothing has been seen yet. What it calls is noted in
# $calls; the process of the entry answers as $answers says.
waiting() {
  rl_lock=$LOCK rl_state=entry rl_mine=9.y.1 rl_seen='' rl_now=1500 rl_start=1000 rl_over=0 calls=''
  rl_entry=holder.7.x.1 rl_kind=holder rl_hpid=7 rl_hid=x rl_token=7.x.1 rl_nap=8 rl_patience=50
  rl_since_when=0 rl_verdict='' rl_watched='' rl_again=8000 rl_asked=0 rl_ended=1 rl_signal='' answers=yes
  _registry_lock_may_live() { calls+="may_live $1;" && [ "$answers" = yes ]; }
  _registry_lock_describe() { calls+='describe;'; }
  _registry_lock_break() { calls+='break;'; }
}

# considers STATUS CALLS: so the look at the entry ends.
considers() {
  calls=''
  here _registry_lock_consider
  status_is "$1" && same "$calls" "$2"
}

@test "an entry that is new begins its own times, and the first one soon has a verdict" {
  waiting
  considers 1 'may_live 7;'
  same "$rl_seen $rl_since_when $rl_patience $rl_nap" 'holder.7.x.1.7 1500 50 4'
  same "$rl_verdict.$rl_watched.$rl_again.$rl_ended.$rl_signal" '..1000..yes'
  rl_verdict=alive rl_watched=5 rl_again=4000 rl_ended=1 rl_asked=1500 rl_now=1600
  considers 1 'may_live 5;'
  same "$rl_since_when $rl_patience $rl_nap" '1500 50 4'
  same "$rl_verdict.$rl_watched.$rl_again.$rl_ended" 'alive.5.4000.1'
  rl_entry=holder.8.x.1 rl_hpid=8 rl_nap=100
  considers 1 'may_live 8;'
  same "$rl_seen $rl_since_when $rl_patience $rl_nap" 'holder.8.x.1.8 1600 1000 50'
  same "$rl_verdict.$rl_watched.$rl_again.$rl_ended" '..1000.'
  rl_hpid=9 rl_nap=7
  considers 1 'may_live 9;'
  same "$rl_seen $rl_nap" 'holder.8.x.1.9 7'
}

@test "what shows no entry is not considered, and one of this process is removed" {
  waiting
  rl_state=foreign
  considers 1 ''
  same "$rl_seen" ''
  for rl_state in entry inside beside; do
    rl_seen=''
    considers 1 'may_live 7;'
  done
  rl_entry=claim.9.y.1
  considers 0 'break;'
}

@test "an entry that is due has a verdict, and is removed if that is gone" {
  local verdict
  waiting
  _registry_lock_due() { :; }
  _registry_lock_judge_now() { calls+='judge;' rl_verdict=$verdict; }
  verdict=alive
  considers 1 'may_live 7;judge;'
  verdict=gone
  considers 0 'may_live 7;judge;break;'
  rl_hid=''
  considers 0 'may_live 7;describe;judge;break;'
  _registry_lock_break() { return 1; }
  considers 1 'may_live 7;describe;judge;'
}

# due YES|NO [VARIABLE=VALUE...]: with these a verdict is due, or not.
due() {
  local rl_verdict='' rl_signal=yes rl_before=yes rl_over=0 rl_now=2000 rl_since_when=1000 rl_asked=1000 rl_again=2000 rl_patience=2000
  local word=no
  [ -z "${2-}" ] || local "${@:2}"
  ! _registry_lock_due || word=yes
  same "$word" "$1" || fail "${*:2}"
}

@test "a verdict is due when the entry has stayed, or nothing has its number" {
  due no
  due yes rl_patience=1000
  due no rl_patience=1001
  due yes rl_over=1
  due yes rl_signal=no rl_before=no
}

@test "another verdict is due after a time, at the end, and when what answers changes" {
  due no rl_verdict=alive
  due no rl_verdict=alive rl_again=1001
  due yes rl_verdict=alive rl_again=1000
  due yes rl_verdict=alive rl_over=1
  due yes rl_verdict=alive rl_signal=no
  due yes rl_verdict=unknown rl_before=no
  due no rl_verdict=unknown rl_signal=no rl_before=no
}

# judged VERDICT AGAIN: what is to be known after a verdict, with the time that was between the last ones.
judged() {
  waiting
  rl_again=$2
  _registry_lock_judge_entry() { rl_verdict=$verdict rl_orphan=77; }
  verdict=$1
  _registry_lock_judge_now
  printf '%s %s %s' "$rl_asked" "$rl_again" "$rl_watched"
}

@test "the time to the next question doubles up to eight seconds, and is that at once where it lives" {
  same "$(judged unknown 1000)" '1500 2000 7'
  same "$(judged unknown 4000)" '1500 8000 7'
  same "$(judged unknown 8000)" '1500 8000 7'
  same "$(judged gone 1000)" '1500 2000 7'
  same "$(judged alive 1000)" '1500 8000 7'
  same "$(judged orphaned 1000)" '1500 2000 77'
}

@test "who has woken a waiter gives way to it once" {
  local rl_budget=1 rl_behind=''
  rl_lock=$LOCK _registry_lock_woke=$LOCK _registry_lock_woke_at=1000 wall=1000
  _registry_lock_wall() { rl_wall=$wall; }
  _registry_lock_gives_way
  same "$rl_behind" 1
  here _registry_lock_gives_way
  status_is 1
}
