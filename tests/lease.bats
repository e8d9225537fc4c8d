#!/usr/bin/env bats
# lease.bats: ownership that outlives a call. LEASE_ROUNDS=N: rounds of the race of 16 claimers.

# shellcheck disable=SC1010,SC2016,SC2030,SC2031,SC2034,SC2059,SC2086,SC2154,SC2248,SC2317 # code for drivers, and variables and
# functions of helper and library
bats_require_minimum_version 1.5.0
load helper

# session NAME: a live process to anchor leases in; NAME_pid, NAME_id.
session() {
  start "$1" 'tell up; while hear && [ "$REPLY" != end ]; do eval "$REPLY"; tell "did $?"; done' && expect "$1" up &&
    eval "$1_id=\$(identity \"\$$1_pid\")"
}

# does NAME CODE [STATUS]: the session NAME runs CODE, which ends with STATUS (0).
does() { send "$1" "$2" && expect "$1" "did ${3-0}"; }

# lease WORD...: `run` of the command.
lease() { run registry-lock lease "$@"; }

# claims NAME [WORD...]: FILE is claimed for the session NAME; token.
claims() {
  local pid=$1_pid
  token=$(registry-lock lease claim --pid "${!pid}" "${@:2}" "$DIR/owner")
}

# verdict_is WORD [WORD...]: of FILE, asked with the options WORD....
verdict_is() { same "$(registry_lease_verdict "${@:2}" "$DIR/owner")" "$1"; }

# recorded KEY: the value that FILE records.
recorded() { sed -n "s/^$1 //p" "$DIR/owner"; }

# record PID [ID] [LINE...]: FILE as if a lease of PID and ID stood in it.
record() {
  local pid=$1 id=${2-}
  shift $(($# > 1 ? 2 : 1))
  printf '%s\n' 'registry-lease 1' "pid $pid" "start $id" "host $HOSTNAME" 'token 7.x.7' "$@" >"$DIR/owner"
}

# taken_over NAME / kept NAME: a claim for the session NAME succeeds / is refused and changes nothing.
taken_over() {
  local pid=$1_pid
  lease claim --pid "${!pid}" "$DIR/owner"
  status_is 0 && same "$(recorded pid)" "${!pid}"
}

kept() {
  local pid=$1_pid before
  before=$(cat "$DIR/owner")
  lease claim --pid "${!pid}" "$DIR/owner"
  status_is 75 && same "$(cat "$DIR/owner")" "$before"
}

only_the_record() { same "$(ls -A "$DIR")" owner; }

@test "claim prints the token, and the record says who, when and what for" {
  session one
  claims one --session 'red team' --worktree="$DIR"
  [[ $token =~ ^[1-9][0-9]*\.$(identity $$ | cut -c1-21)[a-z0-9_]*\.1$ ]] || fail "the token is $token"
  same "$(recorded pid) $(recorded start) $(recorded host)" "$one_pid $one_id $HOSTNAME"
  same "$(recorded token) $(recorded session) $(recorded identity)" "$token red team $DIR"
  same "$(recorded command)" bash
  contains "$(recorded since)" "$(date -u +%Y-)"
  only_the_record
  lease release owner "$token"
  status_is 0
  same "$output" ''
  no_litter
}

@test "a sweep right after a claim by a command that has ended finds the anchor alive" {
  session one
  does one 'token=$(registry-lock lease claim owner) && [ -n "$token" ]'
  lease list .
  says "live_foreign"
  says "$one_pid $(recorded token) $DIR/owner"
  same "$(recorded pid)" "$one_pid"
  alive "$one_pid" "$one_id"
  does one 'registry-lock lease list . >said'
  contains "$(cat said)" 'self '
  slay one
  lease list .
  says "stale_dead"
}

@test "the function names the shell that runs the script, also in a substitution, or the process given" {
  session one
  does one 'token=$(registry_lease_claim owner) && [ "$(registry_lease_verdict owner)" = self ]'
  same "$(recorded pid)" "$one_pid"
  does one 'registry_lease_release owner "$token"'
  does one 'registry_lease_claim owner >out && registry_lease_verdict owner >>out'
  same "$(recorded pid) $(recorded start)" "$one_pid $one_id"
  same "$(cat out)" "$(recorded token)"$'\nself'
  does one 'registry_lease_release owner "$(head -n 1 out)"'
  session two
  does one "token=\$(registry_lease_claim owner $two_pid)"
  same "$(recorded pid) $(recorded start)" "$two_pid $two_id"
  verdict_is live_foreign
}

@test "a process that is not alive is no anchor" {
  local pid
  session one
  slay one
  for pid in "$one_pid" 0 -1 007 x '' 2147483648 '1 2'; do
    lease claim "--pid=$pid" owner
    status_is 64
    no_litter
  done
  session two
  claims two
  lease refresh --pid "$one_pid" owner "$token"
  status_is 64
  says 'gone'
  same "$(recorded pid)" "$two_pid"
}

@test "who comes second is told pid, session, age and the way out, and touches nothing" {
  session one
  session two
  claims one --session red
  verdict_is live_foreign
  lease show owner
  status_is 1
  kept two
  says "is leased by process $one_pid (bash) on $HOSTNAME since 2"
  says 'Z (0 min '
  says 'session red; it is running. The way out: '
  says "registry-lock lease release $DIR/owner $token"
  alive "$one_pid" "$one_id"
  run bash -c "registry-lock ${output##*: registry-lock }"
  status_is 0
  taken_over two
}

@test "the same anchor does not get a second lease: the token is the ownership" {
  session one
  claims one
  verdict_is self --pid "$one_pid"
  kept one
  says 'that is this very anchor'
}

@test "the lease of a killed anchor is taken over, with a line that says so" {
  session one
  session two
  claims one --session red
  slay one
  verdict_is stale_dead
  lease show owner
  status_is 2
  taken_over two
  says "took over the lease of process $one_pid (bash)"
  says 'session red; that process is gone: it is not running'
  only_the_record
}

@test "a forged record that names a live process with a wrong identity is taken over, and the process untouched" {
  session two
  sleep 300 3>&- &
  local id
  pids="$pids $!" id=$(identity $!)
  record $! "${id%_*}_1"
  verdict_is stale_dead
  taken_over two
  says 'its number was recycled'
  alive $! "$id"
  record $! "$id"
  verdict_is live_foreign
  kept two
  alive $! "$id"
}

@test "a record of another container can not be told, and is held" {
  need_root
  need_unshare -p -f --mount-proc --kill-child
  session two
  start other 'tell "$(procid $$)"; hear' unshare -p -f --mount-proc --kill-child
  record 1 "$(listen other)"
  verdict_is live_unverified
  kept two
  says 'recorded in another container'
}

@test "a record without an identity is held while its number is in use, and only a warning otherwise" {
  local form
  session one
  session two
  session dead
  slay dead
  for form in '%s\n' '%s' 'graff-owner 1 pid=%s\n' 'graff-owner 1 pid=%s start=12345\n' 'pid %s\n' \
    "pid %s\nhost $HOSTNAME\n"; do
    printf "$form" "$one_pid" >owner
    verdict_is stale_unverifiable
    kept two
    says 'no identity is recorded'
    lease list .
    says "stale_unverifiable"
    lease refresh --pid "$one_pid" owner "$one_pid"
    status_is 76
    lease release owner "$one_pid"
    status_is 0
    no_litter
    printf "$form" "$dead_pid" >owner
    verdict_is stale_dead
    taken_over two
    rm owner
  done
  alive "$one_pid" "$one_id"
  record "$one_pid" ''
  verdict_is stale_unverifiable
  kept two
  printf 'pid %s\nhost elsewhere.invalid\n' "$dead_pid" >owner
  verdict_is live_unverified
  kept two
}

@test "what names no usable process is never taken over, and the word to release it is damaged" {
  local text
  session two
  session dead
  slay dead
  for text in '' x 0 -1 007 "$dead_pid $dead_pid" "graff-owner 2 pid=$dead_pid" 'registry-lease 1' \
    "$(printf 'registry-lease 2\npid %s\nstart %s\nhost %s\ntoken 1.x.1' "$dead_pid" "$dead_id" "$HOSTNAME")" $'registry-lease 1\npid 1\nstart \nhost h' \
    $'registry-lease 1\npid 1\nstart X\nhost h\ntoken 1.x.1' $'registry-lease 1\npid 1\nstart x\nhost h\ntoken -x' \
    $'registry-lease 1\npid 01\nstart x\nhost h\ntoken 1.x.1' \
    "$(printf 'registry-lease 1\npid %s\npid %s\nstart %s\nhost h\ntoken 1.x.1\n' "$dead_pid" "$dead_pid" "$dead_id")" \
    "$(printf 'registry-lease 1\npid %s\nstart %s\nhost h\ntoken 1.x.1\nsession %04090d\n' "$dead_pid" "$dead_id" 0)"; do
    printf '%s' "$text" >owner
    verdict_is live_unverified || fail "of: $text"
    kept two || fail "of: $text"
    says 'is leased by nobody that could be asked; '
  done
  says 'the record names no usable process; it is left alone'
  lease release owner damaged
  status_is 0
  no_litter
}

@test "what is no plain file is neither opened, nor replaced, nor removed" {
  session two
  mkdir owner
  mkfifo fifo
  ln -s nowhere link
  for FILE in owner fifo link; do
    lease claim --pid "$two_pid" "$FILE"
    status_is 75
    for token in damaged ''; do
      lease release "$FILE" "$token"
      status_is 76
    done
  done
  same "$(ls -A)" "$(printf '%s\n' fifo link owner)"
}

@test "release and refresh need the token, and print recorded against offered" {
  local offered
  session one
  claims one
  cp owner "$BATS_TEST_TMPDIR/before"
  for offered in "${token}1" "${token%?}" x '' "$one_pid" damaged $'x\e[2J'; do
    for verb in release refresh; do
      if [ "$verb" = refresh ]; then set -- --pid "$one_pid"; else set --; fi
      lease "$verb" "$@" owner "$offered"
      status_is 76
      says "recorded $token, offered ${offered//$'\e'/?}"
      cmp owner "$BATS_TEST_TMPDIR/before"
    done
  done
  lease release -- owner --
  status_is 76
  says 'offered --'
  alive "$one_pid" "$one_id"
  registry_lease_release owner "$token"
  lease release owner "$token"
  status_is 76
  says "recorded nothing, offered $token"
  no_litter
}

@test "refresh moves the lease to another anchor, and nothing else" {
  session one
  session two
  claims one --session red --worktree=.
  local before
  before=$(grep -v -e '^pid ' -e '^start ' owner)
  registry_lease_refresh owner "$token" "$two_pid"
  same "$(recorded pid) $(recorded start)" "$two_pid $two_id"
  same "$(grep -v -e '^pid ' -e '^start ' owner)" "$before"
  slay one
  kept one || :
  session three
  kept three
  alive "$two_pid" "$two_id"
  slay two
  registry_lease_refresh owner "$token" "$three_pid" # its owner comes back
  session four
  kept four
}

@test "no time ends a lease" {
  session one
  session two
  record "$one_pid" "$one_id" 'since 2001-01-01T00:00:00Z'
  touch -t 200101010000 owner
  kept two
  verdict_is live_foreign
  alive "$one_pid" "$one_id"
}

# identity_of DIR: what claim records for --worktree DIR.
identity_of() {
  registry-lock lease claim --pid "$one_pid" --worktree "$1" "$DIR/owner" >/dev/null || return
  recorded identity
  rm "$DIR/owner"
}

@test "a subdirectory and a link of a worktree agree, two worktrees of one repository differ" {
  command -v git >/dev/null || skip 'needs git'
  session one
  git init -q repo && cd repo || return
  git -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty -m x
  mkdir -p sub/deep && ln -s repo/sub/deep ../link && git worktree add -q ../second 2>/dev/null
  local first
  first=$(identity_of .)
  same "$first" "$DIR/repo/.git"
  same "$(identity_of sub/deep)" "$first"
  same "$(identity_of ../link)" "$first"
  same "$(GIT_DIR=$DIR/second/.git identity_of .)" "$first"
  same "$(identity_of ../second)" "$DIR/repo/.git/worktrees/second"
  mkdir ../plain && ln -s plain ../to_plain
  same "$(identity_of ../plain)" "$DIR/plain"
  same "$(identity_of ../to_plain)" "$DIR/plain"
  lease claim --pid "$one_pid" --worktree=none owner
  status_is 64
}

@test "two sessions in one checkout see each other; another worktree's record is the other's" {
  session one
  session two
  mkdir red blue $'od\nd%'
  claims one --session first --worktree red
  verdict_is live_foreign --worktree=red
  verdict_is other --worktree=blue
  kept two
  lease claim --worktree blue --pid "$two_pid" owner
  status_is 75
  says "session first, worktree $DIR/red"
  says "another worktree's"
  slay one
  verdict_is other --worktree=blue
  claims two --worktree $'od\nd%'
  same "$(recorded identity)" "$DIR/od%0Ad%25"
  verdict_is live_foreign --worktree=$'od\nd%'
  verdict_is self --worktree=$'od\nd%' --pid "$two_pid"
}

@test "the verdict is a function of the record, who asks and the probe" {
  registry_lease_verdict none >/dev/null
  local want pid id identity my_pid my_id mine probe
  while read -r want pid id identity my_pid my_id mine probe; do
    _registry_lock_lease_verdict_of "${pid#-}" "${id#-}" "${identity#-}" "${my_pid#-}" "${my_id#-}" "${mine#-}" "$probe"
    same "$rl_word" "$want" || fail "for $pid $id $identity, $my_pid $my_id $mine, $probe"
  done <<'TABLE'
self               5 a - 5 a - alive
self               5 a w 5 a v alive
self               5 - - 5 - - alive
live_foreign       5 a - 6 a - alive
live_foreign       5 a - 5 b - alive
live_foreign       5 a w 6 b w alive
live_foreign       5 a w 6 b - alive
live_foreign       5 a - 6 b w alive
live_foreign       5 a - - - - alive
other              5 a w 6 b v alive
other              5 a w 6 b v unknown
other              5 a w 6 b v gone
live_unverified    5 a - 6 b - unknown
live_unverified    5 - - 6 b - unknown
live_unverified    5 a - 5 a - unknown
stale_dead         5 a - 6 b - gone
stale_dead         5 - - 6 b - gone
stale_dead         5 a - 5 a - gone
stale_unverifiable 5 - - 6 b - alive
stale_unverifiable 5 - - 5 b - alive
other              5 - w 6 b v alive
stale_unverifiable - - - - - - alive
TABLE
}

@test "show tells anchor, session, worktree, verdict, token and what to type, and nothing that is not there" {
  session one
  record "$one_pid" "$one_id" "since 2001-01-01T00:00:00Z" 'command bash' 'session red' 'identity /w'
  lease show owner
  status_is 1
  same "$(printf '%s\n' "$output" | sed 's/ ([0-9]* d [0-9]* h ago)/ (AGO)/')" "$DIR/owner: live_foreign
  anchor   process $one_pid (bash), on $HOSTNAME, since 2001-01-01T00:00:00Z (AGO)
  session  red
  worktree /w
  verdict  alive: it is running
  token    7.x.7
  next     registry-lock lease release $DIR/owner 7.x.7"
  alive "$one_pid" "$one_id"
  lease show none
  status_is 0
  same "$output" "$DIR/none: free"
  mkfifo odd
  lease show odd
  status_is 1
  same "$output" "$DIR/odd: live_unverified
  verdict  unknown: the record names no usable process; it is left alone
  next     ls -ld $DIR/odd"
}

@test "a record that names no process takes no answer from the others in a list" {
  session one
  record "$one_pid" "$one_id"
  mkdir a b c
  for name in a b c; do cp owner "$name/owner" && echo x >"$name.lease" && echo 'registry-lease 9' >"$name/lease"; done
  lease list "$DIR"
  status_is 0
  same "$(cut -c1-15 <<<"$output" | sort | uniq -c | tr -d ' \n')" 4live_foreign3live_unverified
  local all=$output
  printf '#!/bin/sh\n[ "$*" != "--why -" ] || exit 1\nexec %s "$@"\n' "$(command -v procid)" >"$BATS_TEST_TMPDIR/p"
  chmod +x "$BATS_TEST_TMPDIR/p"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/p lease list "$DIR" # not in bulk
  same "$status$output" "0$all"
}

@test "a lease is released where the slot of its lock was taken away" {
  session one
  claims one
  start releaser "_registry_lock_load options status json doctor-find run lease lease-options lease-record lease-tell
    stop_at _registry_lock_lease_drop; registry_lease_release '$DIR/owner' $token"
  expect releaser 'at _registry_lock_lease_drop'
  rm -r "$DIR"/owner.lock.slot.*
  send releaser go
  ended releaser
  is_free "$DIR/owner"
}

# stops NAME FUNCTION CODE: a process NAME that runs CODE and stops at FUNCTION.
stops() {
  start "$1" "_registry_lock_load options status json doctor-find doctor-ask run wrap lease lease-options lease-record lease-tell
    stop_at $2; $3" && expect "$1" "at $2"
}

@test "who loses the lock of a lease on the way is told so, and changes nothing" {
  local step before token=''
  session one
  session two
  for step in claim refresh release; do
    [ "$step" = claim ] || claims one
    before=$(cat owner 2>/dev/null || :)
    case $step in
      claim) set -- owner "$two_pid" ;;
      refresh) set -- owner "$token" "$two_pid" ;;
      release) set -- owner "$token" ;;
    esac
    stops "$step" "_registry_lock_lease_${step}_inside" "registry_lease_$step $*"
    registry_lock_break --force owner.lock "$(entry_of owner.lock | cut -d. -f2-)"
    send "$step" go
    ended "$step" 76
    contains "$(err_of "$step")" 'owner.lock was taken from this process'
    same "$(cat "$BATS_TEST_TMPDIR/talk/$step.out")" ''
    same "$(cat owner 2>/dev/null || :)" "$before"
    rm -f owner
  done
}

@test "a lease that is taken over while another is about to do that is not taken over twice" {
  session one
  session two
  session dead
  slay dead
  record "$dead_pid" "$dead_id"
  stops late _registry_lock_lease_locked "registry_lease_claim owner $two_pid"
  taken_over one
  send late go
  ended late 75
  same "$(recorded pid)" "$one_pid"
  contains "$(err_of late)" "is leased by process $one_pid"
  only_the_record
}

@test "what the command of a bracket has put in the record's place stays" {
  session dead
  slay dead
  record "$dead_pid" "$dead_id"
  mv owner other
  run registry-lock lease bracket owner cp other owner
  status_is 0
  cmp owner other
  rm owner
  printf '%s\n' 'registry-lease 1' 'pid PID' 'start ' 'host elsewhere' 'token 7.x.7' >other
  run registry-lock lease bracket owner sh -c 'sed "s/PID/$$/" other >owner'
  status_is 0
  same "$(recorded host)" elsewhere
}

@test "list asks for all of them with one start of procid, whatever they are called" {
  local name
  session one
  session dead
  slay dead
  odd_names
  for name in "${odd_names[@]}"; do
    case $name in */*) continue ;; esac
    record "$one_pid" "$one_id" && mkdir -- "x$name" && mv owner "x$name/$name"
  done
  record "$dead_pid" "$dead_id" && mv owner a.lease
  printf '%s\n' "$dead_pid" | tee owner >note
  mkdir l.slot.1.x && printf 'graff-owner 1 pid=%s\n' "$dead_pid" | tee g >l.slot.1.x/g
  printf '#!/bin/sh\necho >>%s/starts\nexec %s "$@"\n' "$BATS_TEST_TMPDIR" "$(command -v procid)" >"$BATS_TEST_TMPDIR/p"
  chmod +x "$BATS_TEST_TMPDIR/p"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/p lease list "$DIR"
  status_is 0
  same "$(wc -l <"$BATS_TEST_TMPDIR/starts" | tr -d ' ')" 1
  same "$(grep -c '^live_foreign' <<<"$output")" "${#odd_names[@]}"
  same "$(grep -c '^stale_dead' <<<"$output")" 3
  lacks "$output" note
  says "stale_dead         $(printf %10s "$dead_pid") 7.x.7 $DIR/a.lease"
}

@test "without procid the pid-only rule holds: alive is held, gone is taken over" {
  session one
  session two
  PATH=${PATH#"$root/bin:"}
  ln -s "$root/bin/registry-lock" "$BATS_TEST_TMPDIR/registry-lock"
  REGISTRY_LOCK_PROCID=$DIR/none
  export REGISTRY_LOCK_PROCID
  run registry_lease_claim owner "$one_pid"
  status_is 0
  [[ $output =~ ^[0-9]+\.\.[0-9]+$ ]] || fail "the token is $output"
  same "$(recorded start)" ''
  run registry_lease_claim owner "$two_pid"
  status_is 75
  kill -KILL "$one_pid"
  wait "$one_pid" || :
  run registry_lease_claim owner "$one_pid"
  status_is 64
  run registry_lease_claim owner "$two_pid"
  status_is 0
}

@test "a place that can not be written to is said, and a lease in it is as it was" {
  session one
  mkdir closed && claims one && mv owner closed/ && chmod 555 closed && chmod 755 "$DIR"
  as_nobody "registry_lease_release '$DIR/closed/owner' $token; echo \$?
    registry_lease_claim '$DIR/closed/new' \$\$; echo \$?; registry_lease_claim '$DIR/closed/owner' \$\$; echo \$?"
  says $'\n73\n'
  same "${output##*$'\n'}" 75
  same "$(ls -A closed)" owner
  chmod 700 closed
  as_nobody "registry_lease_verdict '$DIR/closed/none'"
  same "$output" live_unverified
}

@test "a full disk fails the claim, and what was recorded stays" {
  on_tmpfs size=64k "token=\$(registry_lease_claim owner) || exit; cp owner before; printf %04096d 0 >page
    cat /dev/zero >fill; rm page # just the lock's entry fits
    registry_lease_refresh owner \"\$token\" \$\$; echo \$?
    rm fill; cmp owner before && registry_lease_release owner \"\$token\"; echo \$?"
  says $'owner can\'t be changed and is as it was: No space left on device\n73\n'
  same "${output##*$'\n'}" 0
}

@test "the functions do the same for callers with odd options, functions, aliases and variables" {
  local code
  while IFS= read -r code; do
    cat >"$BATS_TEST_TMPDIR/odd.sh" <<ODD
$code
. '$library'
builtin set +o >| '$BATS_TEST_TMPDIR/before'
T=\$(registry_lease_claim --session 'a b' --worktree=. owner) || builtin exit 1
registry_lease_refresh owner "\$T" "\$\$" || builtin exit 2
case \$(registry_lease_verdict owner) in self) ;; *) builtin exit 3 ;; esac
if registry_lease_claim owner; then builtin exit 4; fi
registry_lease_release owner "\$T" || builtin exit 5
registry_lease_bracket owner sh -c 'exit 7' || builtin test "\$?" = 7 || builtin exit 6
builtin set +o | cmp - '$BATS_TEST_TMPDIR/before' || builtin exit 8
ODD
    run bash "$BATS_TEST_TMPDIR/odd.sh"
    status_is 0 || fail "after: $code"
    no_litter || return
  done <<'ODDITIES'
set -euo pipefail; IFS=0123456789; readonly file pid token slot status session identity host word
set -Cfk; shopt -s nullglob failglob nocasematch dotglob 2>/dev/null; export LC_ALL=C.UTF-8
set -o posix; CDPATH=/; GLOBIGNORE='*'; GIT_DIR=/none; export GIT_DIR
shopt -s expand_aliases; alias printf=false read=false mv=false exec=false local=false; trap 'builtin :' DEBUG ERR; set -ET
for f in printf read mv cd ps git find umask shift unset; do eval "$f() { exit 9; }"; done
ODDITIES
}

@test "usage errors" {
  local words
  session one
  while read -r words; do
    # shellcheck disable=SC2086 # words
    lease $words
    status_is 64 || fail "of: $words"
    [ -n "$output" ] || fail "nothing is said of: $words"
  done <<'WORDS'

claim
claim a b c
claim --pid
claim --what f
claim f --what
claim /
claim d/..
release f
release --pid 1 f t
refresh f
refresh f t x
refresh --session s f t
show
show a b
list
list none
bracket f
bracket
sweep f
WORDS
  lease claim --session "$(printf '%04000d' 0)" owner
  status_is 64
  lease claim --pid $'1\e[31m' owner
  same "$output" "registry-lock: '1?[31m' is not a process number"
  no_litter
}

# worktree_words WANT [WORD...]: so the option --worktree is told from the words around it.
worktree_words() {
  local rl_args=(old) rl_spec=$spec
  _registry_lock_lease_worktree_option "${@:2}"
  same "$(printf '<%s>' ${rl_args[@]+"${rl_args[@]}"})" "$(printf '<%s>' $1)" || fail "of: ${*:2}"
}

@test "the word behind --worktree is its folder if it is one, and another is left to be the file" {
  local spec=x of=--worktree-of word
  mkdir d
  registry_lease_verdict none >/dev/null # reads what is tested
  worktree_words ''
  worktree_words "$of x f" --worktree=x f
  worktree_words "$of . f" --worktree f
  worktree_words "$of . x f" --worktree x f
  worktree_words "$of d f" --worktree d f
  worktree_words "$of . d" --worktree d
  worktree_words "$of . --pid 5 d" --worktree --pid 5 d
  worktree_words "f $of d" f --worktree d
  worktree_words "f $of d x" f --worktree d x
  worktree_words "- $of d" - --worktree d
  worktree_words "f $of ." f --worktree
  worktree_words "-x $of d f" -x --worktree d f
  worktree_words "-x $of . d" -x --worktree d
  worktree_words "$of d $of d f" --worktree d --worktree d f
  for word in --pid --session -p -s; do
    worktree_words "$word --worktree $of d f" $word --worktree --worktree d f
    worktree_words "$of . $word" --worktree $word
    worktree_words "$word 5" $word 5
    worktree_words "$word" $word
  done
  worktree_words '-- --worktree d f' -- --worktree d f
  spec='x +'
  worktree_words "$of d f --worktree d" --worktree d f --worktree d
  worktree_words "$of . d" --worktree d
  worktree_words "-x $of d f" -x --worktree d f
}

@test "session and worktree have 3000 bytes together as they are recorded, and one line each" {
  local length session
  mkdir d
  session one
  claims one --session $'a\nb%\x7f'
  same "$(recorded session)" 'a%0Ab%25%7F'
  rm owner
  length=$((${#DIR} + 2))
  for length in "$length:--worktree=d" 0:; do
    printf -v session "%0$((3000 - ${length%%:*}))d" 0
    claims one --session "$session" ${length#*:}
    same "$(recorded session)" "$session"
    rm owner
    lease claim --pid "$one_pid" --session "0$session" ${length#*:} owner
    status_is 64
    says 'session and worktree are too long for a record'
  done
  same "$(ls -A)" d
}

@test "in a working directory that was removed a list of it is refused" {
  mkdir gone && cd gone && rmdir ../gone || skip 'this system keeps the directory'
  here registry_lock_main lease list .
  cd "$DIR"
  status_is 73
  same "$output" 'registry-lock: the working directory is not there any more; give an absolute path'
}

# anchored WANT [VARIABLE=VALUE...]: so process 7 is taken for an anchor by process 5, me, with these: status and
# anchor, what was asked, and what is said.
anchored() {
  local word=7 answer=x verdict=alive rl_pid=5 rl_id=me rl_apid=old rl_aid=old asked='' rl_opt_pid
  [ -z "${2-}" ] || local "${@:2}"
  rl_opt_pid=$word
  _registry_lock_ask() { asked+=" ask:$*" rl_answer=$answer; }
  _registry_lock_judge_pid() { asked+=" judge:$1:${2:+here}" rl_verdict=$verdict; }
  here "${how-_registry_lock_lease_anchor}" "$word"
  same "$status $rl_apid/$rl_aid$asked${output:+ ${output#registry-lock: }}" "$1" || fail "with ${*:2}"
}

@test "who is not known to be running is no anchor, and this process needs no question" {
  local no='process 7 is not known to be running' way='a lease needs a living anchor; give one with --pid'
  registry_lease_verdict none >/dev/null # reads what is tested
  anchored '0 7/x ask:7'
  anchored '0 5/me' word=5
  anchored "64 7/gone ask:7 $no (gone): $way" answer=gone
  anchored "64 7/unknown ask:7 $no (unknown): $way" answer=unknown
  anchored "0 7/ judge:7:here" rl_id=
  anchored "0 5/" rl_id= word=5
  anchored "64 7/ judge:7:here $no (gone): $way" rl_id= verdict=gone
  anchored "64 7/ judge:7:here $no (unknown): $way" rl_id= verdict=unknown
  anchored "64 old/old '07' is not a process number" word=07
  anchored "64 old/old '?' is not a process number" word=$'\e'
  how=_registry_lock_lease_mine
  anchored '0 7/x ask:7'
  anchored '0 7/ ask:7' answer=gone
  anchored '0 7/ ask:7' answer=unknown
  anchored '0 7/' rl_id=
  anchored '0 /' word=x
  _registry_lock_system_pid() { printf -v "$1" ''; } # of what is no process of the system's
  anchored '0 /'
  how=_registry_lock_lease_anchor
  anchored "64 /unknown $no (unknown): $way"
}

# as_worktree WANT DIR: so DIR is recorded; git says what $top says, with its status.
as_worktree() {
  local rl_worktree=old
  here _registry_lock_lease_worktree "$2"
  same "$status $rl_worktree${output:+ ${output#registry-lock: }}" "$1" || fail "of $2"
}

@test "a worktree is called after what git says of it, else after itself, without links, whatever its name" {
  registry_lease_verdict none >/dev/null # reads what is tested
  mkdir bin real $'new\n' $'new\n/\n' && ln -s real link && : >file
  printf '#!/bin/sh\necho "[$GIT_DIR$GIT_WORK_TREE$GIT_COMMON_DIR] $*" >>"%s"\n[ -n "$top" ] && printf "%%s\\n" "$top"\n' \
    "$DIR/asked" >bin/git
  chmod +x bin/git
  PATH=$DIR/bin:$PATH
  export GIT_DIR=a GIT_WORK_TREE=b GIT_COMMON_DIR=c top=
  as_worktree "0 $DIR/real" link
  same "$(cat asked)" '[] -c safe.directory=* -C link rev-parse --absolute-git-dir'
  same "$GIT_DIR$GIT_WORK_TREE$GIT_COMMON_DIR" abc
  as_worktree "0 $DIR/new%0A" $'new\n'
  as_worktree "64 old none is not a directory that can be entered" none
  as_worktree "64 old file is not a directory that can be entered" file
  as_worktree "64 old ?x is not a directory that can be entered" $'\tx'
  top=$DIR/link
  as_worktree "0 $DIR/real" .
  top=$DIR/$'new\n/\n'
  as_worktree "0 $DIR/new%0A/%0A" .
  as_worktree "64 old none is not a directory that can be entered" none
  top=$DIR/none
  as_worktree "64 old real is not a directory that can be entered" real
  same "$PWD" "$DIR"
}

# read_as WANT: so FILE is read.
read_as() {
  local rl_file=$DIR/owner rl_found=old rl_hpid=old rl_hid=old rl_host=old rl_token=old rl_session=old
  local rl_identity=old rl_since=old rl_command=old
  _registry_lock_lease_read
  same "$rl_found $rl_hpid/$rl_hid/$rl_token/$rl_host/$rl_session/$rl_identity/$rl_since/$rl_command" "$1"
}

@test "a record is whole, and says all of it, or is damaged and says nothing" {
  local HOSTNAME=here want text line token
  registry_lease_verdict none >/dev/null # reads what is tested
  printf -v line '%05000d' 0
  printf -v token '%080d' 0
  while read -r want text; do
    text=${text//ALL/registry-lease 1\\npid 7\\nstart x\\nhost h\\ntoken 7.x.7\\n}
    text=${text/LINE/$line} text=${text/LONG/$token}
    printf '%b' "$text" >owner
    want=${want//_/ }
    read_as "${want/LONG/$token}" || fail "of: $text"
  done <<'TABLE'
lease_7/x/7.x.7/h//// ALL
lease_7/x/7.x.7/h/s_t//w/2/c_d ALLsession s t\nidentity /w\nsince 2\ncommand c d\n
lease_7/x/7.x.7/h///2/ ALLmore 1\n\nsince 2
lease_7/x/7.x.7/h///2?/c? ALLsince 2\a\ncommand c\e
lease_7//7..7/h//// registry-lease 1\ntoken 7..7\nhost h\nstart \npid 7\n
lease_7//LONG/h//// registry-lease 1\ntoken LONG\nhost h\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\ntoken LONG0\nhost h\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\ntoken A\nhost h\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\ntoken x1\nhost h\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\ntoken \nhost h\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\nhost h\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\ntoken 7\nstart \npid 7\n
damaged_//damaged///// registry-lease 1\ntoken 7\nhost h\npid 7\n
damaged_//damaged///// registry-lease 1\ntoken 7\nhost h\nstart \n
damaged_//damaged///// registry-lease 1\ntoken 7\nhost h\nstart X\npid 7\n
damaged_//damaged///// registry-lease 1\ntoken 7\nhost h\nstart x\npid 07\n
damaged_//damaged///// ALLpid 7\n
damaged_//damaged///// ALLmore 1\nmore 2\n
damaged_//damaged///// ALLsession LINE
damaged_//damaged///// registry-lease 2\ntoken 7\nhost h\nstart x\npid 7\n
damaged_//damaged///// registry-lease 1
damaged_//damaged///// what
old_7//7/here//// 7
old_7//7/there//// pid 7\nhost there
damaged_//damaged///// pid 7\npid 8\n
damaged_//damaged///// pid 7\nLINE
TABLE
}
@test "what is no plain file, or can not be seen, is no record, and a damaged one is read once more" {
  registry_lease_verdict none >/dev/null # reads what is tested
  need_links
  read_as 'free ///////'
  mkdir owner
  read_as 'odd ///////'
  rmdir owner && echo 7 >other && ln -s other owner
  read_as 'odd ///////'
  rm owner && ln -s nowhere owner
  read_as 'odd ///////'
  rm owner
  local looks=0
  _registry_lock_content() { ((looks += 1)) && rl_text=$'7\n' && ((looks > 2)) || rl_text=x; }
  echo >owner
  read_as "old 7//7/$HOSTNAME////"
  same "$looks" 4 # an old one is read again for what it says
  rm owner
  _registry_lock_hidden() { :; }
  read_as 'closed ///////'
}

@test "what is recorded is judged by its own kind" {
  local rl_verdict rl_why rl_word rl_hpid=7 rl_hid=x rl_host=h rl_identity='' rl_apid=5 rl_aid=y rl_worktree='' asked
  registry_lease_verdict none >/dev/null # reads what is tested
  _registry_lock_judge() { asked="$*" rl_verdict=gone rl_why=recycled; }
  while read -r rl_found want; do
    asked='' rl_verdict=old rl_why=old rl_word=old
    _registry_lock_lease_judge
    same "$rl_verdict $rl_why $rl_word${asked:+ $asked}" "$want" || fail "of $rl_found"
  done <<'TABLE'
lease gone recycled stale_dead 7 x h
old gone recycled stale_dead 7 x h
closed unknown not-permitted live_unverified
odd unknown damaged live_unverified
damaged unknown damaged live_unverified
free unknown damaged free
TABLE
}

@test "a record is written as it is read" {
  local rl_text rl_apid=$$ rl_aid=x HOSTNAME=$'h\eh' _registry_lock_own_space=@1 name
  registry_lease_verdict none >/dev/null # reads what is tested
  name=$(ps -o comm= -p $$ 2>/dev/null) || name=
  _registry_lock_lease_text 7.x.7 '' '' now
  same "$rl_text" "$(printf '%s\n' 'registry-lease 1' "pid $$" 'start x' 'host h?h@1' 'token 7.x.7' \
    'since now' "command ${name##*/}")"$'\n'
  corpse
  rl_apid=$dead_pid
  _registry_lock_lease_text t 'a b' /w now
  same "$rl_text" "$(printf '%s\n' 'registry-lease 1' "pid $dead_pid" 'start x' 'host h?h@1' 'token t' \
    'session a b' 'identity /w' 'since now' 'command ')"$'\n'
  mkdir bin && printf '#!/bin/sh\nprintf "/bin/a\\tb\\n"\n' >bin/ps && chmod +x bin/ps
  PATH=$DIR/bin:$PATH
  _registry_lock_lease_text t '' '' now
  contains "$rl_text" $'\ncommand a?b\n'
}

# changes WANT: so FILE, under a lock whose slot is slot, is changed by $how: the outcome, what FILE holds then, and
# the last word of what is said.
changes() {
  local rl_file=$DIR/owner rl_lock=$DIR/owner.lock rl_slot=$DIR/slot rl_text=new rl_outcome=old rl_error='' status=0
  local _registry_lock_count=1 _registry_lock_tokens=(x 7.x.7) _registry_lock_busy=''
  "$how" || status=$?
  same "$status $rl_outcome $(cat owner 2>/dev/null || echo none) ${rl_error##*: }$_registry_lock_busy" "$1"
}

@test "a record is put and dropped in one rename while the lock is held, or is as it was" {
  local how=_registry_lock_lease_put file
  registry_lease_verdict none >/dev/null # reads what is tested
  mkdir owner.lock && : >owner.lock/holder.7.x.7
  (umask 777 && changes '0 done new ')
  [[ $(ls -l owner) == -rw-------* && $(ls -ld slot) == drwx------* ]] || fail "$(ls -l)"
  echo old >owner
  : >slot/record
  changes '0 refused old cannot overwrite existing file'
  rm -r slot && ln -s . slot
  changes '0 refused old File exists'
  rm slot
  mv owner.lock free
  changes '0 refused old the record reads back otherwise than it was written' # which nobody is told
  rm -r slot && mv free owner.lock
  _registry_lock_lease_put_in_subshell() { mkdir -p slot && echo other >slot/record; }
  changes '0 refused old the record reads back otherwise than it was written'
  rm -r slot && unset -f _registry_lock_lease_put_in_subshell
  . "$root/lib/registry-lock/lease-record.sh"
  how=_registry_lock_lease_drop
  changes '0 done none '
  same "$(cat slot/owner)" old
  echo old >owner && rm -r slot && : >slot
  changes '0 refused old File exists'
  rm slot && ln -s . slot
  changes '0 refused old File exists'
  rm slot && mv owner.lock free
  changes '0 refused old '
  mv free owner.lock
  failing_mv
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  changes '0 refused old Input/output error'
  how=_registry_lock_lease_put
  changes '0 refused old Input/output error'
  (ulimit -f 0 && rm slot/record && changes '0 refused old File too large')
}

@test "while a record is moved its slot is known to be busy" {
  registry_lease_verdict none >/dev/null # reads what is tested
  local rl_lock=$DIR/owner.lock rl_slot=$DIR/slot said=''
  local _registry_lock_count=0 _registry_lock_tokens=(7.x.7) _registry_lock_busy=''
  mkdir owner.lock && : >owner.lock/holder.7.x.7
  _registry_lock_child() { said="$_registry_lock_busy $*"; }
  _registry_lock_lease_move -a b
  same "$said.$_registry_lock_busy" "$DIR/slot mv -f -- -a b."
}

# says_of WANT FUNCTION [VARIABLE=VALUE...]: so FUNCTION speaks of a lease of process 7, with these.
says_of() {
  local rl_file=/f rl_id='' rl_hpid=7 rl_hid=x rl_host=h rl_token=7.x.7 rl_session='' rl_identity='' rl_since=s rl_command=c
  local rl_found=lease rl_verdict=alive rl_why=running rl_word=live_foreign rl_mine='' rl_error='' rl_operands=(/f "${offered-}")
  local rl_apid=5 rl_aid=me rl_worktree='' rl_opt_pid=5
  [ -z "${3-}" ] || local "${@:3}"
  here "$2"
  same "$status ${output#registry-lock: }" "$1" || fail "with ${*:3}"
}

@test "each sentence on a lease says whose it is, for what, whether that lives, and what to type" {
  local release='registry-lock lease release /f 7.x.7' who='process 7 (c) on h since s'
  local known='if you know that nobody works under it: '
  local rl_who rl_because rl_next hidden=", so whether it lives can't be asked from here"
  local out=". The way out: let process 7 end, or, $known$release"
  registry_lease_verdict none >/dev/null # reads what is tested
  who() { _registry_lock_lease_who && echo "$rl_who|$rl_because|$rl_next"; }
  says_of "0 $who|it is running|$release" who
  says_of "0 $who, session r?d, worktree /?w|it is running|$release" who rl_session=$'r\ed' rl_identity=$'/\ew'
  says_of "0 nobody that could be asked|procid gives no answer about it$hidden|ls -ld /f" \
    who rl_hpid= rl_token= rl_verdict=unknown rl_why=x
  says_of "0 process 7|that process is gone: it is not running|registry-lock lease release '/f o' '7 7'" \
    who rl_host= rl_command= rl_since= rl_verdict=gone rl_file='/f o' rl_token='7 7'
  says_of '0 ' _registry_lock_lease_say_done
  says_of '0 ' _registry_lock_lease_say_done rl_mine=5 rl_found=free
  says_of "0 /?: took over the lease of $who; that process is gone: it is not running" \
    _registry_lock_lease_say_done rl_mine=5 rl_verdict=gone rl_file=$'/\e'
  set -- _registry_lock_lease_say_held
  says_of "75 /f is leased by $who; it is running$out" "$@"
  says_of "75 /f is leased by $who; it is recorded on another machine$hidden. The way out, $known$release" \
    "$@" rl_verdict=unknown rl_why=other-host
  says_of "75 /? is leased by nobody that could be asked; it is hidden from this user$hidden. To look: ls -ld $'/\\E'" "$@" \
    rl_verdict=unknown rl_why=not-permitted rl_hpid= rl_token= rl_host= rl_since= rl_command= rl_file=$'/\e'
  says_of "75 /f is leased by $who; that is this very anchor: refresh and release need its token$out" "$@" rl_word=self
  says_of "75 /f is leased by $who; it is running; it is another worktree's$out" "$@" rl_word=other
  says_of "75 /f is leased by $who; its number is in use, and no identity is recorded$out" "$@" rl_word=stale_unverifiable
  offered=$'x\e'
  set -- _registry_lock_lease_say_differs
  says_of '76 /f: not yours, nothing was touched: recorded 7.x.7, offered x?' "$@"
  says_of '76 /f: not yours, nothing was touched: recorded nothing, offered x?' "$@" rl_token=
  offered=7.x.7
  says_of "76 /?: an older script's record can't be refreshed; release it, then claim" "$@" rl_file=$'/\e'
  offered=''
  says_of '76 /f: not yours, nothing was touched: recorded nothing, offered ' "$@" rl_token=
  set -- _registry_lock_lease_say_refused
  says_of "73 /? can't be changed and is as it was: no ?" "$@" rl_error=$'mv: a: no \e' rl_file=$'/\e'
  says_of "73 /f can't be changed and is as it was: the system gives no reason" "$@"
}

@test "a list leaves no folder, and the EXIT trap as it was; without a folder it says why there is none" {
  local trap
  session one
  claims one
  mkdir "$BATS_TEST_TMPDIR/tmp"
  for trap in '' 'echo bye'; do
    TMPDIR=$BATS_TEST_TMPDIR/tmp run bash -c "$(printf '. %q; trap %q EXIT; trap -p EXIT' "$library" "$trap") >before
      registry_lock_main lease list . >said; trap -p EXIT | diff before - || exit"
    status_is 0
    same "$output" "${trap#echo }"
    contains "$(cat said)" live_foreign
    rm before said
    no_litter "$BATS_TEST_TMPDIR/tmp"
  done
  TMPDIR=$BATS_TEST_TMPDIR/tmp stops list _registry_lock_answers_to_all 'registry_lock_main lease list .'
  [ -n "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
  kill -TERM "$list_pid"
  ended list 143
  no_litter "$BATS_TEST_TMPDIR/tmp"
  TMPDIR=/none lease list .
  status_is 73
  same "$output" 'registry-lock: a list needs a folder for its work, and mktemp made none: No such file or directory'
  lease list $'no\e'
  status_is 64
  same "$output" "registry-lock: $DIR/no? is not a directory"
  alive "$one_pid"
}

@test "a list that is not complete says so once, and of what went away it says nothing" {
  mkdir bin && : >bin/more
  printf '#!/bin/sh\n%s "$@"\necho "find: x: No such file or directory" >&2\ncat bin/more >&2\nexit 1\n' \
    "$(command -v find)" >bin/find
  chmod +x bin/find
  PATH=$DIR/bin:$PATH lease list .
  same "$status$output" 0
  printf '%s\n' $'find: y\e: Input/output error' 'find: z: odd' >bin/more
  PATH=$DIR/bin:$PATH lease list .
  same "$status$output" '0registry-lock: the list is not complete: find: y?: Input/output error'
  printf '#!/bin/sh\ncase $* in "--why -") rm -f "%s" ;; esac\nexec %s "$@"\n' "$DIR/owner" "$(command -v procid)" >bin/p
  chmod +x bin/p
  record 7 x
  REGISTRY_LOCK_PROCID=$DIR/bin/p lease list .
  same "$status$output" 0
  is_free owner
}

@test "what may be a lease is asked about if it names a process, and nothing else is" {
  local rl_myself rl_pid=5 rl_opt_pid=6 name
  registry_lease_verdict none >/dev/null # reads what is tested
  record 7 x && mv owner a
  record 7 && mv owner b
  echo 'registry-lease 1' >c
  for name in owner lease x; do echo 8 >"d.$name" && echo 'pid 9' >"e.$name" && echo 'graff-owner 1 pid=9' >"f.$name"; done
  echo x8 >owner
  for rl_myself in '' 4; do
    printf '%s\0' a none b none c d.* e.* f.* owner | { _registry_lock_lease_find 3>questions || :; } | tr '\0' : >list
    same "$(cat list)" 'a:7 x:b:7:c::d.lease:8:d.owner:8:e.lease:9:e.owner:9:f.lease:9:f.owner:9:f.x:9:'
    same "$(tr '\n' : <questions)" "${rl_myself:+4:}6:7 x:7:8:8:9:9:9:9:9:"
  done
  rl_opt_pid=x
  printf '' | { _registry_lock_lease_find 3>questions || :; }
  same "$(cat questions)" $'4\n5'
}

# claimer: claims in each of N rounds, when told.
claimer='while hear && [ "$REPLY" != end ]; do : <"$BARRIER"
  registry_lease_claim "owner.$REPLY" >"token.$$" 2>/dev/null; status=$?
  echo "$REPLY $status $$ $(<"token.$$")" >>results; tell done; done'

@test "of 16 claimers at a barrier exactly one wins, each time" {
  local n round rounds=${LEASE_ROUNDS:-3}
  export BARRIER=$DIR/barrier
  mkfifo barrier
  for ((n = 1; n <= 16; n++)); do start "c$n" "$claimer"; done
  for ((round = 1; round <= rounds; round++)); do
    for ((n = 1; n <= 16; n++)); do send "c$n" "$round"; done
    exec 9>barrier
    for ((n = 1; n <= 16; n++)); do expect "c$n" done; done
    exec 9>&-
  done
  same "$(wc -l <results | tr -d ' ')" "$((16 * rounds))"
  same "$(awk '$2 == 0 { won[$1]++ } $2 != 0 && $2 != 75 { odd++ }
    END { for (r in won) { n++; if (won[r] != 1) odd++ } print n + 0, odd + 0 }' results)" "$rounds 0"
  for ((round = 1; round <= rounds; round++)); do
    same "$(awk -v r="$round" '$1 == r && $2 == 0 { print $3, $4 }' results)" \
      "$(awk '$1 == "pid" || $1 == "token" { printf "%s%s", s, $2; s = " " }' "owner.$round")"
  done
  for ((n = 1; n <= 16; n++)); do eval "alive \$c${n}_pid"; done
}

# steps: from the line `count` on, each call of a command in a `stepper` is a step.
steps() {
  local command dir=$BATS_TEST_TMPDIR/steps
  mkdir -p "$dir"
  for command in mv cp mkdir rm rmdir mkfifo ps; do
    cat >"$dir/$command" <<STEP
#!/usr/bin/env bash
ulimit -S -f "\$(ulimit -H -f)" # it writes
read -r n <"\$COUNT"
printf '%s\n' "\$((n + 1))" >"\$COUNT"
PATH=\${PATH#*:}
[ "\$n" = "\$STEP" ] || exec $command "\$@"
[ "\$MODE" != late ] || { kill -KILL "\$VICTIM"; exec env -u REGISTRY_LOCK_TOKENS "\$0.late" "\$@"; }
$command "\$@"
kill -KILL "\$VICTIM"
STEP
    cat >"$dir/$command.late" <<LATE
#!/usr/bin/env bash
exec 2>/dev/null
echo "at $command" >"\$SAYS"
read -r -t 60 _ <"\$HEARS"
$command "\$@"
echo "did $command" >"\$SAYS"
LATE
    chmod +x "$dir/$command" "$dir/$command.late"
  done
}

# stepper NAME MODE N CODE: a driver that runs CODE and is killed at step N: when its command is done
# (after), or before, and the command outlives it and waits for a word (late). What it tells is
# "at COMMAND", or "through" where there are fewer steps.
stepper() {
  local talk=$BATS_TEST_TMPDIR/talk
  start "$1" "export MODE=$2 STEP=$3 VICTIM=\$BASHPID COUNT='$talk/$1.count'
    export SAYS='$talk/$1.says' HEARS='$talk/$1.hears'; echo 1 >\"\$COUNT\"
    PATH='$BATS_TEST_TMPDIR/steps':\$PATH
    $4 >/dev/null || exit
    PATH=\${PATH#*:}; tell through"
}

# whole: FILE is not there, or is a whole record with the token in token.
whole() {
  [ ! -e owner ] || {
    same "$(recorded token)" "$token" && same "$(tail -n 1 owner)" 'command bash'
  }
}

# works_on NAME: the owner can release, another can claim, and what comes late from NAME, killed, changes
# nothing.
works_on() {
  local before said
  [ ! -e owner ] || token=$(recorded token)
  whole || return
  [ ! -e owner ] || registry_lease_release owner "$token" || fail 'it can not be released' || return
  claims three 2>/dev/null || fail 'it can not be claimed' || return
  before=$(cat owner)
  if [ -n "${late-}" ]; then
    send "$1" go && said=$(listen "$1") && contains "$said" did || return
  fi
  same "$(cat owner)" "$before" || return
  registry_lease_release owner "$token"
}

# killed_at_each_step LEAST MODE CODE [PREPARATION]: CODE is killed at each of its steps, LEAST at least.
killed_at_each_step() {
  local n said='' late='' status
  [ "$2" != late ] || late=1
  for ((n = 1; n < 40; n++)); do
    ${4-:} || return
    stepper "$2$n" "$2" "$n" "$3"
    if [ -n "$late" ]; then
      said=$(listen "$2$n")
      [ "$said" != through ] || break
    fi
    status=0
    eval "wait \$$2${n}_pid 2>/dev/null" || status=$?
    [ "$status" != 0 ] || break
    same "$status" 137 && works_on "$2$n" || fail "at step $n, $said" || return
  done
  ((n > $1)) || fail "only $n steps"
}

# sessions: those of the tests below, whose anchors live all the time.
sessions() { session one && session two && session three && steps; }
leased() { rm -f owner && claims one; }
the_token='"$(sed -n "s/^token //p" owner)"'

@test "killed at any step of a claim, it has claimed or has not, and what is late changes nothing" {
  sessions
  killed_at_each_step 5 after "registry_lease_claim owner $one_pid" 'rm -f owner'
  killed_at_each_step 5 late "registry_lease_claim owner $one_pid" 'rm -f owner'
  alive "$one_pid" "$one_id"
}

@test "killed at any step of a refresh, the lease is its owner's, and what is late changes nothing" {
  sessions
  killed_at_each_step 5 after "registry_lease_refresh owner $the_token $two_pid" leased
  killed_at_each_step 5 late "registry_lease_refresh owner $the_token $two_pid" leased
  alive "$two_pid" "$two_id"
}

@test "killed at any step of a release, the lease is its owner's or free, and what is late changes nothing" {
  sessions
  killed_at_each_step 4 after "registry_lease_release owner $the_token" leased
  killed_at_each_step 4 late "registry_lease_release owner $the_token" leased
}

@test "what a shell that a signal ends in the midst of a claim leaves under way moves nothing" {
  session two
  gate_mv '*/record*/owner'
  start one 'registry_lease_claim owner'
  expect gate at
  kill -TERM "$one_pid"
  ended one 143
  taken_over two
  send gate go
  expect gate "done"
  same "$(recorded pid)" "$two_pid"
  only_the_record
}

@test "killed with all its processes at any step of a bracket, the next claim takes over" {
  local n left=137
  session three
  steps
  for ((n = 1; left == 137; n++)); do
    start "b$n" "export MODE=after STEP=$n VICTIM=0 COUNT='$BATS_TEST_TMPDIR/count'; echo 1 >\"\$COUNT\"
      PATH='$BATS_TEST_TMPDIR/steps':\$PATH; set -m
      registry-lock lease bracket owner true & wait \$!"
    left=0
    eval "wait \$b${n}_pid" || left=$?
    [ "$left" = 137 ] || continue
    taken_over three 2>/dev/null || fail "at step $n: $output"
    registry_lease_release owner "$(recorded token)"
    only_slots_of_the_dead
  done
  same "$left" 0
  ((n > 8)) || fail "only $n steps"
}

only_slots_of_the_dead() { same "$(find . -mindepth 1 -maxdepth 1 ! -name 'owner.lock.slot.*')" ''; }

# bracket_worker NAME CODE: CODE runs in a bracket of owner; it tells its pid first.
bracket_worker() {
  start "$1" "tell \$\$; $2" plainly registry-lock lease bracket "$DIR/owner" --
}
plainly() {
  trap - INT QUIT
  exec "$@"
}

@test "a bracket has the streams, environment and status of its command, and leaves nothing" {
  run registry-lock lease bracket owner -- bash -c 'read -r x; echo "out $x"; echo err >&2; exit 7' <<<in
  status_is 7
  says 'out in'
  says err
  run registry-lock lease bracket owner echo --worktree . --pid
  same "$output" '--worktree . --pid'
  run registry-lock lease bracket owner sh -c 'kill -KILL $$'
  status_is 137
  run registry-lock lease bracket owner sh -c 'echo $$ >owner'
  status_is 0
  rm owner # was not the bracket's any more
  run registry_lease_bracket owner env
  status_is 0
  lacks "$output" REGISTRY_LOCK_TOKENS
  run -127 registry_lease_bracket owner ./none
  : >none
  run -126 registry_lease_bracket owner ./none
  rm none
  no_litter
}

@test "the command of a bracket is the anchor; killed, its wrapper gives the lease back" {
  session two
  bracket_worker worker hear
  local command
  command=$(listen worker)
  same "$(recorded pid) $(recorded start)" "$command $(identity "$command")"
  kept two
  verdict_is live_foreign
  kill -KILL "$command"
  ended worker 137
  no_litter
}

@test "a wrapper killed with -9 leaves the lease to its command, until that ends" {
  session two
  bracket_worker worker hear
  local command id
  command=$(listen worker)
  id=$(identity "$command")
  slay worker
  alive "$command" "$id"
  kept two
  kill -KILL "$command"
  until [ "$(procid "$command" "$id")" = gone ]; do :; done
  verdict_is stale_dead
  taken_over two
}

@test "a bracket in a bracket of the same file is refused at once, and the outer one goes on" {
  run registry-lock lease bracket owner -- \
    sh -c 'registry-lock lease bracket owner true; echo "inner $?"; registry-lock lease show owner; exit 3'
  status_is 3
  says 'inner 75'
  says "owner: self"
  no_litter
}

@test "a command is not run where another has the lease" {
  session one
  claims one
  run registry_lease_bracket owner touch ran
  status_is 75
  says "is leased by process $one_pid"
  [ ! -e ran ] || fail 'it was run'
  only_the_record
}

@test "a signal to the wrapper of a bracket reaches the command once, and the lease stays until it ends" {
  bracket_worker worker 'count=0; trap "count=\$((count + 1)); tell got" TERM; tell ready; hear; hear; tell $count; exit 5'
  local command
  command=$(listen worker)
  expect worker ready
  kill -TERM "$worker_pid"
  expect worker got
  same "$(recorded pid)" "$command"
  send worker go
  send worker go
  expect worker 1
  ended worker 5
  no_litter
}
