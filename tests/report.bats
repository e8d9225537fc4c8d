#!/usr/bin/env bats
# report.bats: what is told of each thing that can be found, in a sentence and by status, row by row.

# shellcheck disable=SC2030,SC2031,SC2034,SC2153,SC2154,SC2317 # what the library sets, uses and calls
load helper

# found STATE KIND VERDICT WHY: that was found out of the lock /d/l and process 7.
found() {
  rl_lock=/d/l rl_state=$1 rl_kind=$2 rl_verdict=$3 rl_why=$4 rl_hpid=7 rl_hid=x rl_token=7.x.1
  rl_host='' rl_since='' rl_command='' rl_orphans='8 (sh)' rl_orphan=8 rl_entry=holder.7.x.1
  rl_stuck='' rl_blind='' rl_silent='' rl_dir=/d rl_name=l rl_pid=9
}

@test "what is found of the holder is told in words" {
  local asked=", so whether it lives can't be asked from here" alone='; it is left alone' verdict why text
  local tenant='; a container knows its own locks from before a restart if REGISTRY_LOCK_TENANT=NAME is set in it'
  while IFS='|' read -r verdict why text; do
    found entry holder "$verdict" "$why"
    _registry_lock_because
    text=${text/ASKED/$asked} text=${text/ALONE/$alone} text=${text/TENANT/$tenant}
    same "$verdict/$why: $rl_because" "$verdict/$why: $text"
  done <<'END'
alive|running|it is running
alive|any|it is running
alive|stopped|it is stopped; kill -CONT 7 lets it go on
orphaned|orphans|the holder is gone, but what was started under this lock still runs: 8 (sh)
gone|not-running|that process is gone: it is not running
gone|stopped|that process is gone: it is not running
gone|recycled|that process is gone: its number was recycled, another process has it now
gone|zombie|that process has ended; its parent has not asked for its status yet
gone|thread|that process is gone: the number is only a thread's now
gone|earlier-boot|that process is gone: it belongs to an earlier boot of this machine
gone|earlier-container|that process is gone: it belongs to an earlier container of this tenant
unknown|other-pid-namespace|it is recorded in another container (another pid namespace)ASKEDTENANT
unknown|other-time-namespace|it is recorded in another container (another time namespace)ASKED
unknown|other-machine|it is recorded on another machineASKEDTENANT
unknown|other-host|it is recorded on another machineASKED
unknown|no-host|its record names neither an identity nor a machineASKED
unknown|other-boot|it is recorded on another machine, or in an earlier boot that can't be proven to be this one'sASKEDTENANT
unknown|not-permitted|it is hidden from this userASKED
unknown|no-proc|it is hidden from this userASKED
unknown|other-source|its identity is of a kind that is not known hereASKED
unknown|bad-id|its identity is of a kind that is not known hereASKED
unknown|no-procid|there is no working procid on PATHASKED
unknown|no-answer|procid gives no answer about itASKED
unknown|stopped|procid gives no answer about itASKED
unknown|no-record|no holder is recordedALONE
unknown|damaged|the record names no usable processALONE
unknown|not-a-lock|a file or a link has that name, and no lock doesALONE
END
}

@test "a process is named with what its record has, and nothing else" {
  found entry holder alive running
  _registry_lock_who
  same "$rl_who" 'process 7'
  rl_command=c
  _registry_lock_who
  same "$rl_who" 'process 7 (c)'
  rl_command='' rl_host=h
  _registry_lock_who
  same "$rl_who" 'process 7 on h'
  rl_host='' rl_since=s
  _registry_lock_who
  same "$rl_who" 'process 7 since s'
}

@test "who gives up says what is there, for how long it waited, and what can be typed" {
  local state kind verdict why text look='To look: registry-lock status /d/l'
  local force='; to remove it, if you know that nobody holds it: registry-lock break --force /d/l'
  while IFS='|' read -r state kind verdict why text; do
    found "$state" "$kind" "$verdict" "$why"
    here _registry_lock_say_gave_up /d/l 1500
    text=${text/GAVE_UP/. Gave up after 1.5 s. $look} text=${text/FORCE/$force}
    same "$state/$kind: $output" "$state/$kind: registry-lock: $text"
  done <<'END'
entry|holder|alive|running|/d/l is held by process 7; it is running, so this is contentionGAVE_UP
entry|holder|alive|stopped|/d/l is held by process 7; it is stopped; kill -CONT 7 lets it go onGAVE_UP
entry|holder|unknown|no-answer|/d/l is held by process 7; procid gives no answer about it, so whether it lives can't be asked from hereGAVE_UPFORCE 7.x.1
entry|trial|alive|running|/d/l: process 7 is judging the record of an older script; it is runningGAVE_UP
entry|claim|alive|running|/d/l: process 7 is removing a dead holder's lock; it is runningGAVE_UP
inside|holder|alive|running|/d/l is held by process 7, as an older script recorded; it is running, so this is contentionGAVE_UP
inside|holder|unknown|other-host|/d/l is held by process 7, as an older script recorded; it is recorded on another machine, so whether it lives can't be asked from hereGAVE_UPFORCE 7.x.1
beside|holder|unknown|other-host|/d/l is held by process 7, as an older script recorded; it is recorded on another machine, so whether it lives can't be asked from hereGAVE_UPFORCE 7.x.1
empty||unknown|no-record|/d/l has no holder recorded: an empty directory, not made by this library or made by an older script; it is left aloneGAVE_UPFORCE
foreign||unknown|damaged|/d/l is not a lock of this library, or damaged: the record names no usable process; it is left aloneGAVE_UP
blocked||unknown|not-a-lock|/d/l: a file or a link has that name, and no lock doesGAVE_UP
END
  found closed '' unknown not-permitted
  here _registry_lock_say_gave_up /d/l 0
  same "$output" "registry-lock: /d/l can't be looked into by uid $EUID; it is left alone. Gave up after 0 s. $look"
}

@test "a time is told in seconds, with as many places as it needs" {
  local time text
  found entry holder alive running
  while read -r time text; do
    here _registry_lock_say_gave_up /d/l "$time"
    says ". Gave up after $text s. "
  done <<'END'
0 0
5 0.005
50 0.05
10000 10
100100 100.1
1234 1.234
END
}

@test "what can't be removed says so where its holder is gone" {
  local stuck=", but it can't be removed by uid $EUID (why)"
  found entry holder gone not-running
  _registry_lock_held_text /d/l
  same "$rl_text" '/d/l is held by process 7; that process is gone: it is not running'
  rl_stuck=why
  _registry_lock_held_text /d/l
  same "$rl_text" "/d/l is held by process 7; that process is gone: it is not running$stuck"
  rl_verdict=alive
  _registry_lock_held_text /d/l
  same "$rl_text" '/d/l is held by process 7; it is running'
}

@test "the command that removes a lock names it and what is in it, as words to paste" {
  local lock state token text
  while IFS='|' read -r lock state token text; do
    found "$state" holder unknown no-answer
    rl_lock=$lock rl_token=$token
    _registry_lock_force_command
    same "$rl_next" "registry-lock break --force $text"
  done <<'END'
/d/l|entry|7.x.1|/d/l 7.x.1
/d/l|entry||/d/l
/d/l|empty|7.x.1|/d/l
/d l|foreign|a b|'/d l' 'a b'
/d/l|foreign|-a|-- /d/l -a
/d/l|empty|-a|/d/l
END
}

@test "whose lock was removed is told once, unless nobody wants to know" {
  found entry holder gone not-running
  rl_broke=''
  here _registry_lock_say_broke /d/l
  same "$rl_broke $output" '1 registry-lock: /d/l: removed the lock of process 7; that process is gone: it is not running'
  rl_blind=1 rl_kind=claim
  here _registry_lock_say_broke /d/l
  same "$output" "registry-lock: /d/l: removed the claim of process 7; that process is gone: it is not running; whether \
programs that it started still run can't be seen here"
  rl_silent=1 rl_broke=''
  here _registry_lock_say_broke /d/l
  same "$rl_broke $output" '1 '
}

@test "a line tells that is waited, unless it is to be quiet" {
  found entry holder alive running
  here _registry_lock_say_waiting /d/l
  same "$output" 'registry-lock: waiting: /d/l is held by process 7; it is running'
  REGISTRY_LOCK_QUIET=1
  here _registry_lock_say_waiting /d/l
  status_is 0
  same "$output" ''
}

@test "who would wait for the lock that it was started under learns that, and what to do" {
  found entry holder alive running
  here _registry_lock_say_ancestor /d/l
  same "$output" "registry-lock: /d/l is held by process 7; it is running. This program was started under that very \
lock and would wait for itself; release it there first, or start this one with: env -u REGISTRY_LOCK_TOKENS"
}

@test "where nothing can be written a message is no failure" {
  _registry_lock_say text 2>&-
  run _registry_lock_say text
  same "$output" 'registry-lock: text'
  run _registry_lock_usage text
  status_is 64
}

@test "who is refused or has lost a lock learns where, why and what is there" {
  found entry holder alive running
  rl_stranger='' rl_error='mkdir: x: No way' rl_owner='drwx a b'
  here _registry_lock_say_refused /d/l /d
  same "$output" "registry-lock: /d/l can't be made or removed here: No way (the directory /d is drwx a b; I am uid $EUID)"
  rl_error='' rl_owner=''
  here _registry_lock_say_refused $'/d/\e' $'/\e'
  says "/d/? can't be made or removed here: the system gives no reason (the directory /? is not there; I"
  here _registry_lock_say_lost /d/l
  same "$output" "registry-lock: /d/l was taken from this process (pid 9): it is not its lock any more; nothing was \
touched. To look: registry-lock status /d/l"
  status_is 0
  rl_stranger=$'/s/\e'
  here _registry_lock_say_lost /d/l
  same "${output#*$'\n'}" "registry-lock: /d/l was removed by hand just then; the lock of another process was moved \
and is now at /s/?. Use registry-lock break, never rm -r"
}

@test "a state and a verdict have a public word and the command to type next" {
  local state verdict why public next hpid token
  _registry_lock_load status
  while IFS='|' read -r state verdict why public next hpid token; do
    found "$state" holder "$verdict" "$why"
    rl_host=h rl_public=before rl_next=before
    _registry_lock_classify
    same "$state/$verdict/$why: $rl_public|$rl_next|$rl_hpid|$rl_token" "$state/$verdict/$why: $public|$next|$hpid|$token"
    [ -n "$hpid" ] || same "$rl_hid$rl_host" ''
  done <<'END'
entry|alive|running|held|ps -fp 7|7|7.x.1
entry|alive|removing|held|ps -fp 7|7|7.x.1
entry|alive|stopped|held|kill -CONT 7|7|7.x.1
entry|orphaned|orphans|held|ps -fp 8|7|7.x.1
entry|gone|zombie|stale|registry-lock break /d/l|7|7.x.1
inside|gone|zombie|stale|registry-lock break /d/l|7|7.x.1
beside|alive|running|held|ps -fp 7|7|7.x.1
entry|unknown|no-answer|unknown|registry-lock break --force /d/l 7.x.1|7|7.x.1
free|||free|||
empty|unknown|no-record|unknown|registry-lock break --force /d/l||
foreign|unknown|damaged|unknown|registry-lock break --force /d/l holder.7.x.1||holder.7.x.1
blocked|unknown|not-a-lock|unknown|ls -ld /d/l||
closed|unknown|not-permitted|unknown|ls -ld /d/l||
END
  found foreign '' unknown damaged
  rl_entry=''
  _registry_lock_classify
  same "$rl_next" 'ls -la /d/l'
}

@test "where a holder lives or lived is one word, and some" {
  local verdict why scope place
  _registry_lock_load status
  while IFS='|' read -r verdict why scope place; do
    found entry holder "$verdict" "$why"
    _registry_lock_scope
    same "$verdict/$why: $rl_scope|$rl_place_of" "$verdict/$why: $scope|$place"
  done <<'END'
alive|running|here|this machine and pid namespace
orphaned|orphans|here|this machine and pid namespace
gone|zombie|here|this machine and pid namespace
gone|earlier-boot|earlier-boot|an earlier boot of this machine
gone|earlier-container|earlier-container|an earlier container of this tenant
unknown|other-pid-namespace|other-pid-namespace|another container (pid namespace) of this machine
unknown|other-time-namespace|other-time-namespace|another container (time namespace)
unknown|other-machine|other-machine|another machine
unknown|other-host|other-host|another machine
unknown|other-boot|other-boot|another boot, of this machine or another
unknown|other-source|other-source|another operating system
unknown|no-answer||
END
}

@test "a slot's name tells whose it is, whatever the lock's name holds" {
  local name pid id
  _registry_lock_load status
  while read -r name pid id; do
    _registry_lock_slot_split "/d/$name" || fail "$name is a slot's name"
    same "$rl_wpid.$rl_wid" "$pid.$id"
  done <<'END'
l.slot.7.x 7 x
l.slot.7. 7
l.slot.1.y.slot.7.x 7 x
END
  for name in l.slot.7 l.slot.07.x l.slot.0.x l.slot.7.X l.slut.7.x 7.x "l.slot.7.$(printf '%049d' 0)"; do
    ! _registry_lock_slot_split "/d/$name" || fail "$name is no slot's name"
  done
}

@test "an age is of a time in UTC that has been, and has its two largest units" {
  local since age
  _registry_lock_load status
  _registry_lock_utc() { rl_utc=2024-03-01T12:00:00Z; }
  while IFS='|' read -r since age; do
    rl_age=before
    _registry_lock_age "$since"
    same "$since: $rl_age" "$since: $age"
  done <<'END'
2024-03-01T12:00:00Z|0 min 0 s
2024-03-01T11:59:01Z|0 min 59 s
2024-03-01T11:00:01Z|59 min 59 s
2024-03-01T11:00:00Z|1 h 0 min
2024-02-29T12:00:01Z|23 h 59 min
2024-02-29T12:00:00Z|1 d 0 h
2024-02-28T11:00:00Z|2 d 1 h
2023-03-01T12:00:00Z|366 d 0 h
2024-03-01T12:00:01Z|
2024-03-01T11:59:01|
2024-03-01 11:59:01Z|
2024-03-0xT11:59:01Z|
END
}

@test "the seconds of a time are those since 1970" {
  local time seconds got
  _registry_lock_load status
  while read -r time seconds; do
    _registry_lock_epoch got "$time"
    same "$time: $got" "$time: $seconds"
  done <<'END'
1970-01-01T00:00:00Z 0
1970-03-01T00:00:00Z 5097600
1999-12-31T23:59:59Z 946684799
2000-02-29T00:00:00Z 951782400
2000-03-01T00:00:00Z 951868800
2024-08-09T08:09:08Z 1723190948
2100-02-28T00:00:00Z 4107456000
2100-03-01T00:00:00Z 4107542400
END
}

# inspected STATE [KIND [WHY]]: LOCK is looked at, and found so.
inspected() {
  found before before before before
  rl_host=before rl_since=before rl_command=before rl_lock=$LOCK calls='' look=$1 entry=${2-} reason=${3-}
  _registry_lock_look() { calls+='look,' rl_state=$look; }
  _registry_lock_hidden() { calls+='hidden,' && [ "$hidden" = yes ]; }
  _registry_lock_describe() { calls+="describe$rl_host$rl_since$rl_command," rl_kind=$entry; }
  _registry_lock_judge_entry() { calls+="judge$rl_why," rl_verdict=alive rl_why=$reason; }
  _registry_lock_explain() { calls+="explain $*,"; }
  _registry_lock_classify() { calls+="classify"; }
  _registry_lock_inspect
}

@test "a lock is looked at, once more where a rename may have passed by, and judged where it has an entry" {
  local state kind reason hidden verdict why expected
  _registry_lock_load status
  while IFS='|' read -r state kind reason hidden verdict why expected; do
    inspected "$state" "$kind" "$reason"
    same "$state/$kind/$reason/$hidden: $rl_verdict|$rl_why|$calls" \
      "$state/$kind/$reason/$hidden: $verdict|$why|${expected/JUDGE/describe,judge,explain 7 x}"
    [ -n "$kind" ] || same "$rl_host$rl_since$rl_command$rl_kind$rl_token" ''
  done <<'END'
entry|holder|running||alive|running|look,JUDGE,classify
entry|claim|running||alive|removing|look,JUDGE,classify
entry|trial|running||alive|judging|look,JUDGE,classify
entry|claim|stopped||alive|stopped|look,JUDGE,classify
inside|holder|running||alive|running|look,JUDGE,classify
beside|holder|running||alive|running|look,JUDGE,classify
free|||no|||look,hidden,classify
free|||yes|unknown|not-permitted|look,hidden,classify
empty||||unknown|no-record|look,look,classify
foreign||||unknown|damaged|look,look,classify
closed||||unknown|not-permitted|look,classify
blocked||||unknown|not-a-lock|look,classify
END
}

@test "a place is hidden only by a folder that is there and closed" {
  local rl_dir
  _registry_lock_load status
  : >"$DIR/file"
  for rl_dir in "$DIR" "$DIR/none/none" "$DIR/file/none" /registry-lock-none/none ''; do
    ! _registry_lock_hidden || fail "$rl_dir is hidden"
  done
}

@test "the status of several locks is the worst, and a wrong word is said once" {
  local one
  _registry_lock_load status options
  _registry_lock_self() { :; }
  _registry_lock_status_one() { return "$1"; }
  for one in 0:0 1:1 2:2 '0 1 2:2' '2 1 0:2' '1 64 2:64' '1 1:1'; do
    # shellcheck disable=SC2086 # words
    here _registry_lock_status_command ${one%:*}
    same "$one $status" "$one ${one#*:}"
  done
  here _registry_lock_status_command --none
  status_is 64
  lacks "$output" $'\n'
  here _registry_lock_status_command
  same "$status $output" '64 registry-lock: usage: registry-lock status [--json] LOCK...'
}

@test "who waits for a lock is who has it in his slot and is alive" {
  local rl_lock=$LOCK rl_name=lock rl_waiters=(before) HOSTNAME=here
  _registry_lock_load status
  _registry_lock_judge() { same "$2 $3" 'x here' && case $1 in 7 | 6) rl_verdict=alive ;; *) rl_verdict=gone ;; esac }
  _registry_lock_waiters
  same "${#rl_waiters[@]}" 0
  mkdir -p "$LOCK".slot.{7.x,6.x,8.x,bad,7.x.y.}/lock "$LOCK.slot.07.x/lock" "$LOCK.slot.7.x1" "$LOCK.slot.6.x2/other"
  _registry_lock_waiters
  same "${rl_waiters[*]}" '6 7'
}

@test "the status of a lock is looked up, shown as text or JSON, and told by the exit status" {
  local public rl_opt_json wanted calls
  _registry_lock_load status
  _registry_lock_path() { calls+="path $*," && [ "$1" = l ] || return 64; }
  _registry_lock_inspect() { calls+='inspect,' rl_public=$public; }
  _registry_lock_waiters() { calls+='waiters,'; }
  _registry_lock_json_status() { calls+='json'; }
  _registry_lock_text_status() { calls+='text'; }
  for rl_opt_json in '' 1; do
    while read -r public wanted; do
      calls=''
      here _registry_lock_status_one l
      same "$public $status $calls" "$public $wanted path l,inspect,waiters,$([ -n "$rl_opt_json" ] && echo json || echo text)"
    done <<'END'
free 0
held 1
stale 2
unknown 1
END
  done
  calls=''
  here _registry_lock_status_one ''
  same "$status $calls" '64 path ,'
}
