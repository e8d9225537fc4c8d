#!/usr/bin/env bats
# judge.bats: the one verdict about a recorded process, from each thing that may be found out.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # what the library uses and calls
load helper

nobody=2147483646 # no system has so many

# judged WANTED FUNCTION WORD... [-- VARIABLE=VALUE...]: what FUNCTION finds, and what it asked.
judged() {
  local wanted=$1 words=() rl_id=me rl_verdict=unknown rl_why=before rl_answer='' answer='' asked=''
  shift
  while (($# > 0)) && [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  (($# < 2)) || local "${@:2}"
  _registry_lock_ask() { asked+="ask $*;" rl_answer=$answer; }
  here "${words[@]}"
  status_is 0
  same "$rl_verdict $rl_why $asked" "$wanted"
}

@test "who has an identity is alive or gone where procid says just that" {
  _registry_lock_judge_pid() { asked+="pid $*;"; }
  judged 'unknown damaged ' _registry_lock_judge 0 x h
  judged 'unknown damaged pid 7 h;' _registry_lock_judge 7 '' h
  judged 'unknown no-procid ' _registry_lock_judge 7 x h -- rl_id=
  judged 'gone not-running ask 7 x;' _registry_lock_judge 7 x h -- answer=gone
  judged 'alive running ask 7 x;' _registry_lock_judge 7 x h -- answer=x
  judged 'unknown no-answer ask 7 x;' _registry_lock_judge 7 x h -- answer=unknown
  judged 'unknown no-answer ask 7 x;' _registry_lock_judge 7 x h -- answer=y
}

@test "who has none is judged by his number, on this host alone" {
  local HOSTNAME=h
  _registry_lock_no_such_process() { asked+="no $*;" && [[ $answer == *none* ]]; }
  _registry_lock_unlisted() { asked+="list $*;" && [[ $answer == *unlisted* ]]; }
  judged 'unknown no-host ' _registry_lock_judge_pid 7 ''
  judged 'unknown other-host ' _registry_lock_judge_pid 7 i
  judged 'alive running ' _registry_lock_judge_pid "$$" h
  judged "gone not-running ask $nobody;" _registry_lock_judge_pid "$nobody" h -- answer=gone
  judged "unknown no-answer ask $nobody;" _registry_lock_judge_pid "$nobody" h -- answer=unknown
  judged "alive running ask $nobody;" _registry_lock_judge_pid "$nobody" h -- answer=x
  local no="no $nobody;" both="no $nobody;list $nobody;"
  judge() { judged "$1" _registry_lock_judge_pid "$nobody" h -- rl_id= "answer=$2"; }
  judge "gone not-running $both" 'none unlisted'
  judge "unknown no-answer $both" none
  judge "unknown no-answer $no" unlisted
}

# entry WANTED [VARIABLE=VALUE...]: the verdict about an entry.
entry() {
  local rl_kind=holder rl_hpid=7 rl_hid=x rl_token=7.x.1 rl_host=h rl_orphans=before rl_blind=before
  local rl_known_answer='' rl_known_question=7.x.1 verdict=gone found='' wanted=$1
  judged "$wanted" _registry_lock_judge_entry -- "${@:2}"
}

@test "a gone holder's programs make an entry orphaned, and what was told in bulk is not asked" {
  _registry_lock_judge_known() { asked+='known;'; }
  _registry_lock_judge() {
    asked+="judge $*.$rl_orphans$rl_blind;" rl_verdict=$verdict rl_why=judged
  }
  _registry_lock_orphans() {
    asked+="orphans $1;" rl_orphans=$found
    [ "$found" != none ]
  }
  local judge='judge 7 x h.;' none='judge 7  h.;'
  entry "gone judged ${judge}orphans 7.x.1;"
  entry "orphaned orphans ${judge}orphans 7.x.1;" found='8 (sh)'
  entry "unknown no-answer ${judge}orphans 7.x.1;" found=none
  entry "alive judged $judge" verdict=alive
  entry "gone judged $judge" rl_kind=claim
  entry "gone judged $none" rl_hid=
  entry 'unknown before known;' rl_known_answer=gone
  entry "gone judged ${judge}orphans 7.x.1;" rl_known_answer=gone rl_known_question=7.x.2
  entry "gone judged $judge" rl_known_answer=gone rl_kind=claim
}

@test "what was started under a gone holder's lock is known by a whole answer" {
  local said wanted rl_orphans rl_orphan rl_blind rl_why rl_verdict=gone
  _registry_lock_ask_bounded() { printf '%s' "$said"; }
  while IFS=: read -r said wanted; do
    said=${said/END/$'\n 0'} rl_orphans='' rl_orphan=before rl_blind='' rl_why=before
    here _registry_lock_orphans 7.x.1
    same "$said: $status,$rl_orphan,$rl_orphans,$rl_blind,$rl_why" "$said: $wanted"
  done <<'ANSWERS'
gone not-running end 0END:0,,,,not-running
gone zombie 5 a 6 b end 2END:0,5,5 (a), 6 (b),,zombie
gone not-running unknownEND:0,,,1,not-running
gone not-running 5 aEND:1,,,1,not-running
gone not-running 5 a endEND:1,5,5 (a),1,not-running
gone not-running end 0:1,,,,before
gone not-runningEND:1,,,,before
x running end 0END:1,,,,before
ANSWERS
}

@test "ps lists a number or not, where it lists this very process and does not fail" {
  local rl_pid=70 code wanted
  mkdir "$BATS_TEST_TMPDIR/bin"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  while read -r wanted code; do
    printf '#!/bin/sh\n%s\n' "$code" >"$BATS_TEST_TMPDIR/bin/ps"
    chmod +x "$BATS_TEST_TMPDIR/bin/ps"
    here _registry_lock_unlisted 7
    same "$code: $status" "$code: $wanted"
  done <<'LISTS'
0 echo PID; echo '   1'; echo '  70'; echo ' 170'
1 echo PID; echo '   1'; echo '   7'; echo '  70'
1 echo PID; echo '   1'; echo '   8'
1 echo PID; echo '   1'; echo '  70'; exit 1
1 :
LISTS
}

# explained WANTED [VARIABLE=VALUE...]: whether the reason is asked for, and what is made of it.
explained() {
  judged "$1" _registry_lock_explain 7 "${hid-x}" -- rl_verdict=alive rl_kind=holder \
    rl_known_answer= rl_known_question= "${@:2}"
}

@test "a reason is asked for where procid has one that is not known" {
  _registry_lock_ask_bounded() { builtin printf '%s' "asked $*"; }
  _registry_lock_explained() { asked+="$1;"; }
  local question='alive before asked --why 7 x;'
  explained "$question"
  explained "gone${question#alive}" rl_verdict=gone rl_kind=claim
  explained 'gone before ' rl_verdict=gone
  explained 'alive before ' rl_id=
  hid='' explained 'alive before '
  explained 'alive before ' rl_known_answer='x running' rl_known_question=7.x.1
  explained "$question" rl_known_question=7.x.1
  explained $'alive before x running\n 0;' rl_known_answer='x running' rl_known_question='7 x'
  explained "$question" rl_known_question='7 x'
  explained "$question" rl_known_answer='x running' rl_known_question='8 x'
}

@test "a reason is one good word behind the verdict that was given" {
  local verdict said wanted rl_hid=x rl_why rl_verdict
  while IFS=: read -r rl_verdict said wanted; do
    said=${said/END/$'\n 0'} rl_why=before
    here _registry_lock_explained "$said"
    same "$rl_verdict, $said: $status $rl_why" "$rl_verdict, $said: 0 $wanted"
  done <<'WORDS'
gone:gone zombieEND:zombie
alive:x runningEND:running
unknown:unknown other-scopeEND:other-scope
gone:gone END:before
gone:gone two wordsEND:before
gone:gone Odd!END:before
gone:gone zombie:before
gone:unknown otherEND:before
gone:x runningEND:before
alive:y runningEND:before
WORDS
}

@test "the user of a process is a word that can be shown, or none" {
  local rl_user code wanted
  mkdir "$BATS_TEST_TMPDIR/bin"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  while IFS=: read -r code wanted; do
    printf '#!/bin/sh\n%s\n' "$code" >"$BATS_TEST_TMPDIR/bin/ps"
    chmod +x "$BATS_TEST_TMPDIR/bin/ps"
    _registry_lock_user_of 7
    same "$code: $rl_user" "$code: $wanted"
  done <<'USERS'
[ "$*" = "-o user= -p 7" ] && echo " root ":root
printf "o\033dd":o?dd
echo root; exit 1:
USERS
}
