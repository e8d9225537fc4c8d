#!/usr/bin/env bats
# process.bats: who this process is, which words of procid count, and that a new process begins with nothing.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # code; what the library uses and calls
load helper

# asks SAID: what the library makes of it where procid, asked about 7 and x, SAID that; what was asked
# goes to $asked, by whom to $by.
asks() {
  prints=$1 asked='' by=''
  _registry_lock_ask_bounded() { printf '%s' "$prints"; }
  _registry_lock_ask_alone() { by=alone asked=$* rl_said=$prints; }
  rl_answer=before
  _registry_lock_ask 7 x
}

@test "one valid word of a procid that ended with 0 is an answer, and nothing else" {
  local said long
  long=$(printf '%048d' 0)
  for said in gone unknown x "$long"; do
    asks "$said"$'\n 0'
    same "$rl_answer" "$said"
  done
  for said in '' ' 0' $'\n 0' "gone 0" $'gone\n 1' $'gone\n 64' $'gone\n' $'gone\ngone\n 0' $'Gone\n 0' $'a b\n 0' "${long}0"$'\n 0' \
    $'gone\n 0 long' $'gone\n  long' $'gone\n  hung'; do
    asks "$said"
    same "$said: $rl_answer" "$said: unknown"
  done
}

@test "a procid that hung three times is not asked again" {
  rl_alone=1 _registry_lock_hung=0
  asks '  hung'
  same "$_registry_lock_hung $asked $by" '1 7 x alone'
  asks $'gone\n 0'
  same "$_registry_lock_hung $rl_answer" '1 gone'
  asks '  hung'
  asks $'gone\n  hung'
  same "$_registry_lock_hung $asked" '3 7 x'
  asks $'gone\n 0'
  same "$_registry_lock_hung $asked $rl_answer" '3  unknown'
}

@test "who is not alone asks by way of a process between" {
  rl_alone=''
  asks $'gone\n 0'
  same "$rl_answer.$by" gone.
}

@test "what was asked in bulk is not asked again, and another question is" {
  local rl_known_question='7 x' rl_known_answer='gone not-running'
  rl_alone=1
  asks $'unknown\n 0'
  same "$rl_answer.$by" gone.
  rl_known_answer='gone! not-running'
  asks $'gone\n 0'
  same "$rl_answer.$by" unknown.
  rl_known_answer='gone not-running' rl_known_question='8 x'
  asks $'unknown\n 0'
  same "$rl_answer.$by" unknown.alone
  rl_known_answer='' rl_known_question='7 x'
  asks $'gone\n 0'
  same "$rl_answer.$by" gone.alone
}

# procid_that CODE: a procid that runs CODE.
procid_that() {
  printf '#!/bin/sh\n%s\n' "$1" >"$BATS_TEST_TMPDIR/procid"
  chmod +x "$BATS_TEST_TMPDIR/procid"
  REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/procid
}

# said WANTED: what comes of asking procid about 7 and x, with and without a process between; each
# hundred zeros left out.
said() {
  local zeros
  printf -v zeros '%0100d' 0
  run _registry_lock_ask_bounded 7 x
  same "${output//$zeros/}" "$1"
  run alone
  same "alone: ${output//$zeros/}" "alone: $1"
}
alone() { _registry_lock_ask_alone 7 x && printf '%s' "$rl_said"; }

# as_before_4_4: from here on procid is asked as those shells ask.
as_before_4_4() {
  eval "$(declare -f _registry_lock_ask_bounded _registry_lock_ask_alone |
    sed 's/BASH_VERSINFO\[0\] . 100 . BASH_VERSINFO\[1\] ..* 404/0/')"
}

@test "procid's words and its status are had in both ways, with the caller's tenant" {
  REGISTRY_LOCK_TENANT=builds
  procid_that 'echo "$* $REGISTRY_LOCK_TENANT $GOMAXPROCS"; exit 3'
  said $'7 x builds 1\n 3'
  as_before_4_4
  said $'7 x builds 1\n 3'
}

@test "a procid that says too much, or does not end, is known by that in both ways" {
  local pid hangs="echo \$\$ >>'$BATS_TEST_TMPDIR/hung'; echo gone; exec sleep 60 3>&-"
  eval "$(declare -f _registry_lock_ask_bounded _registry_lock_ask_and_wait | sed 's/-t 5/-t 1/')"
  procid_that 'printf "%09000d" 0'
  said '  long'
  procid_that "$hangs"
  said $'gone\n  hung'
  as_before_4_4
  said $'gone\n hung'
  procid_that 'printf "%09000d" 0'
  said ' long'
  while read -r pid; do pids+=" $pid"; done <"$BATS_TEST_TMPDIR/hung"
}

@test "a process is a child by what the system says, and by ps where it shows no processes" {
  local kind pid=2147483647 rl_pid
  _registry_lock_shell_pid
  mkdir "$BATS_TEST_TMPDIR/bin"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  for kind in "$rl_pid" "1$rl_pid" ''; do
    printf '#!/bin/sh\n[ "$*" != "-o ppid= -p %s" ] || echo "  %s"\n' "$pid" "$kind" \
      >"$BATS_TEST_TMPDIR/bin/ps"
    chmod +x "$BATS_TEST_TMPDIR/bin/ps"
    here _registry_lock_my_child "$pid"
    if [ "$kind" = "$rl_pid" ]; then status_is 0; else status_is 1; fi
  done
  [ -r /proc/self/stat ] || skip 'needs /proc'
  stranger
  _registry_lock_my_child "$stranger_pid"
  here _registry_lock_my_child 1
  status_is 1
}

@test "a watcher gets the tenant and no token, and is none where no process has the number" {
  local line rl_watcher=''
  [ -r /proc/self/stat ] || skip 'needs /proc'
  mkfifo fifo
  eval "exec $next_fd<>fifo"
  exec() { builtin echo SHADOW; }
  export REGISTRY_LOCK_TOKENS=7.x.1
  REGISTRY_LOCK_TENANT=builds
  procid_that 'echo "$* $REGISTRY_LOCK_TENANT $GOMAXPROCS $REGISTRY_LOCK_TOKENS."
    exec sleep 60 3>&-'
  here _registry_lock_watcher 2147483647 x fifo
  status_is 0
  same "$rl_watcher" ''
  _registry_lock_watcher "$$" x fifo
  pids+=" $rl_watcher"
  read -r -t "$patience" line <&"$next_fd"
  same "$line" "--wait $$ x builds 1 ."
  _registry_lock_my_child "$rl_watcher"
  line="$rl_watcher $rl_watcher" waited=$rl_watcher
  builtin() {
    [ "$1" != wait ] || waited+=" $2"
    command builtin "$@"
  }
  here _registry_lock_unwatch 5
  unset -f builtin
  status_is 5
  same "$waited.$rl_watcher" "$line."
}

@test "a process that is told gone or unknown of itself has no identity, and counts from the time" {
  local word
  _registry_lock_wall() { rl_wall=1234567890123456; }
  for word in gone unknown; do
    _registry_lock_own_id='' _registry_lock_count=0
    _registry_lock_self_is "$word"
    same "$_registry_lock_own_id.$_registry_lock_count" .567890123
  done
  _registry_lock_count=0
  _registry_lock_self_is x
  same "$_registry_lock_own_id.$_registry_lock_count" x.0
}

@test "a process that begins holds nothing, and remembers nothing of its parent" {
  local name list numbers='count hung woke_at now_at'
  local words='shell own_id kept exit error leaving busy woke unlimited budget budget_of temp' lists='locks tokens slots states recent'
  for name in owner seed $numbers $words; do eval "_registry_lock_$name=5"; done
  for list in $lists; do eval "_registry_lock_$list=(a b)"; done
  _registry_lock_forget 77
  for name in owner seed; do eval "same \"$name \$_registry_lock_$name\" '$name 77'"; done
  for name in $numbers; do eval "same \"$name \$_registry_lock_$name\" '$name 0'"; done
  for name in $words; do eval "same \"$name \$_registry_lock_$name\" '$name '"; done
  for list in $lists; do eval "same \"$list \${#_registry_lock_${list}[@]}\" '$list 0'"; done
}

@test "who this is is asked once in a shell, and again in a subshell" {
  local calls=''
  _registry_lock_self_id() { calls+="$1;" _registry_lock_owner=$BASHPID _registry_lock_own_id=x; }
  _registry_lock_bytes() { "$@" asked; }
  _registry_lock_owner='' _registry_lock_shell=''
  _registry_lock_self
  same "$calls.$rl_pid.$rl_id" "asked;.$BASHPID.x"
  _registry_lock_self
  same "$calls" 'asked;'
  same "$(_registry_lock_self && echo "$calls")" 'asked;asked;'
}
