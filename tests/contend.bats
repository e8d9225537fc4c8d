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

@test "a lock is taken once its entry is there, and no longer in the slot" {
  local rl_budget=0 rl_behind='' rl_slot=$DIR/slot rl_name=lock rl_mine=9.y.1 rl_lock=$LOCK turns=0
  mkdir -p slot/lock
  _registry_lock_look() { rl_state=free; }
  _registry_lock_turn() {
    turns=$((turns + 1))
    case $turns in
      1 | 3) rm -r slot/lock ;;
      2) mkdir slot/lock "$LOCK" && : >"$LOCK/holder.9.y.1" ;;
    esac
  }
  here _registry_lock_contend
  status_is 0
  same "$turns" 3
}

@test "who lets a waiter go first watches no entry meanwhile, and does it once" {
  local rl_behind=1 rl_verdict=alive rl_record=$LOCK/holder.7.x.1 seen=''
  _registry_lock_pause() { seen+="$rl_behind.$rl_verdict.$rl_record;"; }
  _registry_lock_place_loud() { seen+='place;'; }
  _registry_lock_turn
  _registry_lock_turn
  same "$seen" '1..;place;'
}

# described VARIABLE=VALUE...: where the words about the entry are looked for with these.
described() {
  local rl_kind=holder rl_hid=x rl_state=entry rl_token=7.x.1 rl_hpid=7 rl_record=record
  local rl_lock=$LOCK "$@"
  calls=''
  _registry_lock_describe_by() { calls+="$1"; }
  _registry_lock_describe
  printf '%s\n' "$calls"
}

@test "an entry tells of its own process, and of another that has no identity its slot" {
  local slot=$LOCK.slot.7./lock/holder
  same "$(described rl_kind=holder)" record
  same "$(described rl_hid=)" record
  same "$(described rl_kind=claim)" record
  same "$(described rl_kind=claim rl_hid= rl_token=7..1)" "$slot.7..1"
  same "$(described rl_kind=trial rl_hid= rl_token=7..2 rl_state=beside)" "$slot.7..2"
  same "$(described rl_state=inside)$(described rl_kind=trial rl_state=beside)" ''
}

@test "what an entry says counts where it is of its process, and says nothing twice" {
  local rl_hpid rl_host rl_since rl_command case file words
  printf '%s\n' 'registry-lock 1' 'pid 7' 'start x' 'host h' 'since s' 'command c' >entry
  printf '%s\n' 'registry-lock 1' 'pid 7' 'host h' 'since s' 'command c' 'host i' >twice
  for case in '7 entry h.s.c' '8 entry ..' '7 twice ..' '7 none ..'; do
    read -r rl_hpid file words <<<"$case"
    rl_host=a rl_since=b rl_command=c
    here _registry_lock_describe_by "$file"
    same "$case: $rl_host.$rl_since.$rl_command" "$case: $words"
  done
}

# breaks STATUS CALLS STUCK [VARIABLE=VALUE...]: with these the removal of a dead holder's lock ends
# so, where the steps $fails come to nothing.
breaks() {
  local rl_lock=$LOCK rl_name=lock rl_dir=$DIR rl_slot=slot rl_mine=9.y.1 rl_silent='' rl_error=why
  local rl_state=entry rl_kind=holder rl_hpid=7 rl_hid=x rl_entry=holder.7.x.1 rl_stuck=before
  local rl_record=$LOCK/holder.7.x.1 fails=none wanted=$1 words=$2 stuck=$3 calls=''
  [ -z "${4-}" ] || local "${@:4}"
  rm -rf "$LOCK"
  [[ $fails == *gone* ]] || forge "$LOCK" "$rl_entry"
  step() { calls+="$*;" && [[ $fails != *"$1"* ]]; }
  _registry_lock_old_break() { step old; }
  _registry_lock_revoke() { step revoke "${1#"$LOCK"}" "${@:2}"; }
  _registry_lock_claim() { step claim "${@:2}" && mv "$1/$2" "$1/$3"; }
  _registry_lock_tell() { step tell "${rl_record#"$LOCK/"}"; }
  _registry_lock_remove() { step remove "$1 $2 $4"; }
  _registry_lock_say_broke() { step broke; }
  here _registry_lock_break
  same "$status $calls $rl_stuck ${rl_record#"$LOCK/"}" "$wanted $words $stuck"
}

@test "a lock is removed slot first, then claimed, and a claim that comes to nothing is undone" {
  local first='revoke .slot.7.x slot lock;' claim='claim holder.7.x.1 claim.9.y.1;' mine=claim.9.y.1
  local tell="tell $mine;" remove="remove slot lock $mine;" undone="claim $mine holder.7.x.1;"
  breaks 0 "$first$claim$tell${remove}broke;" " $mine"
  breaks 0 "$first$claim${remove}broke;" " $mine" rl_silent=1
  breaks 1 "$first$claim$tell$remove$undone" "why $mine" fails=remove
  breaks 1 "$first$claim" 'why holder.7.x.1' fails=claim
  breaks 1 "$first" 'why holder.7.x.1' fails=revoke
  breaks 0 "$first" ' holder.7.x.1' 'fails=gone revoke'
  breaks 0 "$tell${remove}broke;" " $mine" "rl_entry=$mine" "rl_record=$LOCK/$mine"
}

@test "an older lock, and one that is on trial, goes by the older way" {
  breaks 0 'old;' ' holder.7.x.1' rl_state=inside
  breaks 1 'old;' ' holder.7.x.1' rl_state=beside fails=old
  breaks 1 'old;' ' holder.7.x.1' rl_kind=trial fails=old
}

# waits STATUS CALLS [VARIABLE=VALUE...]: with these a wait of 5 seconds, one after its start, ends so.
waits() {
  local rl_state=entry rl_slot=$DIR/slot rl_name=lock rl_token=7.x.1 rl_over=0 rl_told=''
  local rl_now=2000 rl_start=1000 rl_lock=$LOCK rl_budget=5000 wanted=$1 words=$2 calls=''
  local REGISTRY_LOCK_TOKENS=1.x.1
  [ -z "${3-}" ] || local "${@:3}"
  here _registry_lock_wait
  same "$status $calls" "$wanted $words"
}

@test "a wait ends where its lock is torn, in time, and for an ancestor, and is told once" {
  local word
  for word in torn tell say_ancestor say_gave_up say_waiting pause; do
    eval "_registry_lock_$word() { calls+='$word;'; }"
  done
  mkdir -p slot/lock
  waits 0 'tell;say_waiting;pause;'
  waits 0 'pause;' rl_now=1999
  waits 0 'pause;' rl_told=1
  waits 75 'tell;say_gave_up;' rl_over=1
  waits 64 'tell;say_ancestor;' REGISTRY_LOCK_TOKENS='1.x.1 7.x.1' rl_over=1
  waits 75 'tell;say_gave_up;' REGISTRY_LOCK_TOKENS='1.x.1 7.x.1' rl_over=1 rl_state=beside
  waits 0 'pause;' rl_told=1 rl_state=empty
  rmdir slot/lock
  waits 0 'torn;' rl_state=empty
  waits 0 'pause;' rl_told=1
  rmdir slot
  waits 0 'pause;' rl_told=1 rl_state=empty
}

# tells CALLS [VARIABLE=VALUE...]: with these that is done for a message about the entry.
tells() {
  local rl_state=entry rl_verdict=alive rl_entry=holder.7.x.1 rl_hpid=7 rl_hid=x
  local rl_seen=holder.7.x.1.7 words=$1 calls=''
  [ -z "${2-}" ] || local "${@:2}"
  here _registry_lock_tell
  status_is 0
  same "$calls" "$words"
}

@test "a message tells of an entry, with a verdict on that very one" {
  local word
  for word in describe judge_now explain; do eval "_registry_lock_$word() { calls+='$word;'; }"; done
  for word in entry inside beside; do tells 'describe;explain;' "rl_state=$word"; done
  for word in free empty foreign blocked; do tells '' "rl_state=$word"; done
  tells 'describe;judge_now;explain;' rl_verdict=
  tells 'describe;judge_now;explain;' rl_seen=holder.7.x.2.7
}
