#!/usr/bin/env bats
# hostile_callers.bats: callers with odd options, traps, functions, aliases and variables, and odd
# names of locks. Each row runs the whole cycle in a process of its own (hostile-caller.sh).

# shellcheck disable=SC2015,SC2016,SC2153,SC2154 # conditions, code and variables as the helper has them
load helper

forms=(bare if or subst pipe back)
statuses='75 0 0 64 0 0 0 76 0 76 0 '

# Two processes for all rows of a test: one that lives, one that was killed.
a_live_and_a_dead_process() {
  hold keeper "$DIR/keeper"
  hold killed "$DIR/killed"
  live_entry=holder.$keeper_pid.$(identity "$keeper_pid").1
  dead_entry=holder.$killed_pid.$(identity "$killed_pid").1
  slay killed
  rows=0 turn=0 bad=$BATS_TEST_TMPDIR/bad usual_umask=$(umask)
  form='' when=before name=lock as='' path=$PATH tree=$library caller=$root/tests/fixtures quiet=''
}

# row CODE [WHAT]: the cycle by a caller who has run CODE. Set before: form (else they take turns), when,
# name (of the locks), at (their directory), as (words that start the caller), path (his PATH), quiet
# (his messages don't reach this test). A row that fails is noted in $bad.
row() {
  local form=${form:-${forms[++turn % 6]}} wrong
  rows=$((rows + 1))
  (
    trap - DEBUG ERR
    set +eETf
    run_row "$1" "$BATS_TEST_TMPDIR/row$rows" >"$bad.$rows" 2>&1 || {
      slurp wrong "$bad.$rows"
      printf "The row '%s' (%s sourcing, %s): %s\n" "${2-$1}" "$when" "$form" "$wrong" >>"$bad"
    }
  )
}

# There are a hundred rows: what looks at one starts no process, unless it fails.
run_row() {
  local here=$2 file status=0
  umask 0
  mkdir -- "$here" "$here/live" "$here/dead" "$here/free" "$here"/{live,dead,free}/neighbour \
    "$here/live/$name" "$here/dead/$name" && mkfifo -- "$here/never" && cd -- "$here" || return
  for file in before after begun ended got "live/$name/$live_entry" "dead/$name/$dead_entry"; do : >"$file"; done
  printf 'some\nnew text' >new
  umask "$usual_umask"
  # shellcheck disable=SC2086 # words
  PATH=$path $as "$BASH" "$caller/hostile-caller.sh" "$tree" "$form" "$when" "$1" \
    "$here" "${at-$here/}live/$name" "${at-$here/}dead/$name" "${at-$here/}free/$name" \
    >"$here/out" 2>"$here/err" </dev/null 3>&- || status=$?
  : <>"$here/never" # ends the job of a caller who didn't get to it
  row_is_right "$here" "$status" && row_says "$here" || fail "its standard error: $(head -n 5 "$here/err")"
}

row_is_right() {
  local got data new entries=("$1/live/$name"/*)
  slurp got "$1/got" && slurp data "$1/data" && slurp new "$1/new" || return
  same "$got" "$statuses" && same "$2" 7 && same "$data" "$new" &&
    same_file "$1/before" "$1/after" && same_file "$1/begun" "$1/ended" && only_lines "$1/out" TRAP &&
    is_free "$1/free/$name" && is_free "$1/dead/$name" && same "${entries[*]}" "$1/live/$name/$live_entry" &&
    [ -s "$1/before" ] && [ -s "$1/begun" ] && [ ! -e "$1/x" ]
}

row_says() {
  local told
  [ -z "$quiet" ] || return 0
  slurp told "$1/err"
  contains "$told" 'it is running' && contains "$told" 'removed the lock of' &&
    only_lines "$1/err" 'registry-lock: *' TRAP && pasted "$1" "$told"
}

# slurp VARIABLE FILE
slurp() { IFS= read -r -d '' "$1" <"$2" || [ -e "$2" ]; }

same_file() {
  local one other
  slurp one "$1" && slurp other "$2" || return
  [ "$one" = "$other" ] || fail "$(diff "$1" "$2")"
}

# only_lines FILE PATTERN...: each of its lines is like one of the PATTERNs.
only_lines() {
  local line pattern
  while IFS= read -r line || [ -n "$line" ]; do
    # shellcheck disable=SC2053 # a pattern
    for pattern in "${@:2}"; do [[ $line != $pattern ]] || continue 2; done
    fail "in ${1##*/}: $line" || return
  done <"$1"
}

# pasted DIR MESSAGES: the command in them, typed into a shell, names the very lock.
pasted() {
  local told=$2 lock=$1/live/$name
  cd -- "$1" || return
  told=${told#*To look: registry-lock status }
  told=${told%%$'\nregistry-lock: '*}
  eval "set -- $told"
  [ "$#" = 1 ] && [ "$1" -ef "$lock" ] || fail "not $lock, but: $told"
}

all_rows_are_right() {
  alive "$keeper_pid" && gone "$killed_pid" && [ "$rows" -gt 0 ] || return
  [ ! -e "$bad" ] || fail "$(cat "$bad")"
}

@test "with no oddity, in every form of a call" {
  a_live_and_a_dead_process
  for form in "${forms[@]}"; do row 'builtin true'; done
  all_rows_are_right
}

@test "with all strict options at once, in every form of a call" {
  a_live_and_a_dead_process
  for form in "${forms[@]}"; do
    row 'set -euCfTEab -o pipefail; shopt -s nullglob failglob nocasematch nocaseglob dotglob extglob'
  done
  all_rows_are_right
}

@test "in posix mode, in every form of a call" {
  a_live_and_a_dead_process
  for form in "${forms[@]}"; do row 'set -o posix; set -eu'; done
  all_rows_are_right
}

@test "under each option of set" {
  local option
  a_live_and_a_dead_process
  for option in -e -u -C -f -T -E -a -k -m '-bh +B' '-o pipefail' '-o posix'; do row "set $option"; done
  quiet=1
  row 'set -x'
  all_rows_are_right
}

@test "under each option of shopt" {
  local option
  a_live_and_a_dead_process
  for option in nullglob failglob nocasematch nocaseglob dotglob extglob globstar lastpipe xpg_echo \
    localvar_inherit extdebug compat31 compat42; do
    ! (shopt -s "$option") 2>/dev/null || row "shopt -s $option"
  done
  ! (shopt -s inherit_errexit) 2>/dev/null || row 'set -e; shopt -s inherit_errexit'
  ! (shopt -u patsub_replacement) 2>/dev/null || row 'shopt -u patsub_replacement'
  all_rows_are_right
}

@test "with an odd IFS" {
  local value
  a_live_and_a_dead_process
  for value in '' 0123456789 . / abcdefghijklmnopqrstuvwxyz '-_' '*?['; do row "IFS='$value'"; done
  row 'unset IFS'
  row 'export IFS=/'
  all_rows_are_right
}

@test "with odd variables" {
  local code
  a_live_and_a_dead_process
  for code in 'CDPATH=/:/usr' 'export CDPATH=.:..' "GLOBIGNORE='*'" 'export GLOBIGNORE=holder*:claim*' \
    "GLOBIGNORE='*.o'; shopt -u dotglob" 'export TMOUT=1' 'unset PWD OLDPWD' 'PWD=/' \
    'set -u; unset HOSTNAME HOME' 'export LC_ALL=C.UTF-8' 'LANG=tr_TR.UTF-8 TZ=Asia/Tokyo' \
    'EPOCHREALTIME=x SECONDS=-5 REPLY=mine' 'unset RANDOM SECONDS EPOCHREALTIME' \
    'set -f; export SHELLOPTS BASH_ENV=/nowhere'; do
    row "$code"
  done
  all_rows_are_right
}

@test "with readonly variables of common names" {
  a_live_and_a_dead_process
  row 'readonly a b c d e f i j k n p s t x cmd command count dest dir entry err error fd file files \
    from host id index key kind label line lock lockdir locks message mode name now number old out \
    output owner parent path pid pids pidfile prefix reason result retry root rest seconds slot start \
    state stat status suffix target temp text timeout tmp to token tries url user value verdict \
    version wait where why DIR LOCK LOCKDIR NAME PID STATUS TMP TIMEOUT HOST VERSION TMPDIR'
  row 'readonly TMOUT=900'
  row 'readonly LC_ALL=C.UTF-8'
  row 'readonly TZ=Asia/Tokyo; set -e'
  all_rows_are_right
}

# What the library calls, and what stands next to it. Without `builtin`, `command`, `local` and
# `return` there is no way to write a function, for the library or for anybody.
tools='mv mkdir rmdir rm sleep ps procid cat cp date ls mkfifo chmod chown ln touch stat id hostname'
builtins='kill cd printf read echo test [ true false umask shopt pwd type hash wait let alias declare
  unset set shift exec exit eval trap . source'

shadow() { printf '%s() { builtin echo SHADOW; return 99; }\n' "$@"; }

@test "with functions named like the tools and builtins it uses" {
  a_live_and_a_dead_process
  set -f # for the function [
  for when in before after; do
    # shellcheck disable=SC2086 # words
    row "$(shadow $tools)" 'functions named like tools'
    # shellcheck disable=SC2086 # words
    row "$(shadow $builtins)" 'functions named like builtins'
    row "$(shadow :)"
  done
  all_rows_are_right
}

@test "with aliases named like the words it uses" {
  local word aliases='shopt -s expand_aliases;'
  a_live_and_a_dead_process
  for word in $tools $builtins local return; do
    case $word in '[' | .) ;; *) aliases="$aliases alias $word='echo ALIAS; false';" ;; esac
  done
  for when in before after; do row "$aliases" aliases; done
  all_rows_are_right
}

@test "with traps that print" {
  local signals
  a_live_and_a_dead_process
  for signals in DEBUG ERR RETURN 'DEBUG ERR RETURN EXIT' 'INT TERM HUP' EXIT 'USR1 WINCH URG IO'; do
    row "set -TE; trap 'builtin echo TRAP' $signals"
  done
  row "trap 'builtin echo TRAP' DEBUG ERR RETURN EXIT"
  row "trap '' INT TERM HUP PIPE URG"
  row "shopt -s extdebug; trap 'builtin echo TRAP' DEBUG"
  all_rows_are_right
}

@test "with any umask, whoever calls" {
  local mask
  a_live_and_a_dead_process
  for mask in 0777 077 0 0400; do row "umask $mask"; done
  an_ordinary_user
  for mask in 0777 077 022 0400; do row "umask $mask; : nobody"; done
  all_rows_are_right
}

# The caller is an unprivileged user from here on. What he runs must be open to him.
an_ordinary_user() {
  local dir=$BATS_TEST_TMPDIR
  need_root
  command -v setpriv >/dev/null || skip 'needs setpriv'
  caller=$dir/open tree=$dir/open/lib/${library##*/} path=$dir/open:$PATH
  mkdir "$caller" && cp -R -- "${library%/*}" "$root/bin/procid" "$root"/tests/fixtures/*.sh "$caller"
  chmod -R a+rX "$caller"
  while [[ $dir == "$BATS_RUN_TMPDIR"* ]]; do chmod a+x "$dir" && dir=${dir%/*}; done
  as='setpriv --reuid=65534 --regid=65534 --clear-groups'
  $as test -r "$tree" || skip 'the temporary directory is closed to other users'
}

@test "with little on PATH: bash, mkdir, rmdir, mv and procid" {
  local tool
  a_live_and_a_dead_process
  path=$BATS_TEST_TMPDIR/few
  mkdir "$path"
  for tool in bash mkdir rmdir mv procid; do ln -s "$(command -v "$tool")" "$path/$tool"; done
  row 'builtin true'
  row 'set -euo pipefail'
  all_rows_are_right
}

@test "with standard input, output or error closed or full" {
  a_live_and_a_dead_process
  quiet=1
  row 'exec <&-'
  row 'exec >&-'
  row 'exec 2>&-'
  row 'exec <&- >&- 2>&-'
  [ ! -c /dev/full ] || row 'exec 2>/dev/full'
  all_rows_are_right
}

@test "locks may have any name that a directory may have" {
  local odd="say \"it's\""' $(touch x) `touch x` $HOME ${x} %s%n \n & ; | < > ( { # ~ ! ^ ='
  a_live_and_a_dead_process
  for name in ' ' "$odd" $'two\nlines' $'\n' '*' '?' '[' '[a]' '{a,b}' '~' -rf -- - ... 'back\slash' end\\ \
    .hidden $'\t\x01\x7f' slash/ über 日本 $'caf\xe9' dead wake holder.1.x.1 claim.1.x.1 x.slot.1.x \
    lock.dead.1 lock.wake; do
    row "export LC_ALL=C${locale-}"
    locale=${locale:-.UTF-8} && [ $((rows % 2)) = 0 ] || locale=
  done
  all_rows_are_right
}

@test "locks may be given by a relative path, and by one that begins with a dash" {
  a_live_and_a_dead_process
  at=''
  row 'builtin true'
  row 'PWD=/'
  row 'unset PWD; set -u'
  at=./
  row 'CDPATH=/'
  at=../row5/
  row 'CDPATH=/:..'
  all_rows_are_right
}

@test "a bare call that fails ends a shell under set -e with its status, and nothing else does" {
  hold other
  run bash -c "set -euo pipefail; . '$library'; registry_lock_acquire '$LOCK' 0; echo went on"
  status_is 75
  lacks "$output" 'went on'
  run bash -c "set -euo pipefail; . '$library'; registry_lock_release '$LOCK'; echo went on"
  status_is 76
  run bash -c "set -euo pipefail; . '$library'; registry_lock_acquire '$LOCK' 0 || echo went on"
  says 'went on'
  held_by "$other_pid"
}

@test "sourced again while a lock is held, it still holds it and releases it" {
  run bash -euc "
    . '$library'
    registry_lock_acquire '$LOCK'
    . '$library'
    registry_lock_check '$LOCK'
    registry_lock_acquire '$DIR/second' && registry_lock_release '$DIR/second'
    registry_lock_check '$LOCK'
    . '$library'
    registry_lock_release '$LOCK'
    trap -p"
  status_is 0
  same "$output" ''
  no_litter
}

@test "sourced inside a function, it works outside" {
  run bash -euc "
    load() { local IFS=. dir; . '$library'; }
    load
    registry_lock_acquire '$LOCK'
    registry_lock_release
    registry_lock_acquire '$LOCK'"
  status_is 0
  same "$output" ''
  no_litter
}

@test "sourced by a bare file name or a relative path, it finds its parts, also after a cd" {
  local how
  for how in "cd '${library%/*}' && . ./${library##*/}" "cd '${library%/*}/..' && . lib/${library##*/}" \
    "cd '${library%/*}' && . ${library##*/}"; do
    run bash -euc "export CDPATH=/; $how; cd /; registry_lock_acquire '$LOCK' && registry_lock_status '$LOCK' ||
      echo \"status \$?\""
    says 'status 1'
    no_litter
  done
}

@test "its parts are read once, whatever the environment says, and one that is missing is told" {
  [ -d "${library%.sh}" ] || skip 'the bundle has no parts'
  local loaded
  loaded=$(cd "${library%.sh}" && echo *.sh)
  run env "_registry_lock_loaded= ${loaded//.sh/} " bash -c ". '$library'
    shopt -s expand_aliases; alias local='echo ALIAS; local' builtin='echo ALIAS; builtin'
    registry_lock_status '$LOCK' >out || echo \"status \$?\"; shopt expand_aliases; grep ALIAS out
    _registry_lock_status_command() { echo mine; }; registry_lock_status '$LOCK'"
  same "$output" $'expand_aliases \ton\nmine'
  cp -R "${library%/*}" copy && rm copy/registry-lock/status.sh
  run bash -c ". copy/registry-lock.sh || exit 1; registry_lock_status '$LOCK'"
  status_is 73
  rm copy/registry-lock/store.sh
  run bash -c ". copy/registry-lock.sh || echo \"status \$?\""
  says 'status 1'
}

@test "a state in the environment, from a shell that exports everything, is nobody's lock" {
  run bash -ac ". '$library'; registry_lock_acquire '$LOCK' &&
    exec bash -c '. \"$library\"; registry_lock_check \"$LOCK\" || echo \"status \$?\"
      registry_lock_acquire \"$DIR/other\" && registry_lock_release && echo done'"
  says 'status 76'
  says 'done'
}

@test "the time in an entry is UTC where TZ is the caller's for good" {
  local before since
  before=$(date -u +%FT%TZ)
  since=$(bash -c "readonly TZ=Asia/Tokyo; . '$library'; registry_lock_acquire '$LOCK'
    sed -n 's/^since //p' '$LOCK'/*")
  [[ ! $since < $before && ! $since > $(date -u +%FT%TZ) ]] || fail "$since"
}

@test "what the environment has of the library's names is neither run nor believed" {
  local value name vars names
  names=$(cat "${library%.sh}"/*.sh "$library" | grep -o '_registry_lock_[a-z_]*=' | sort -u)
  mkdir victim
  hold other "$DIR/held"
  for value in 'a[$(touch ran)]' BASHPID "$DIR/victim"; do
    vars=(_registry_lock_sourced=1)
    for name in $names; do vars+=("$name$value"); done
    run env "${vars[@]}" bash -c ". '$library'; _registry_lock_fifo() { return 1; }
      registry_lock_acquire '$DIR/held' 0.02 2>/dev/null || registry_lock_acquire '$LOCK' && ls '$LOCK'
      registry_lock_release && trap -p EXIT && echo free; set -e; trap false EXIT; registry_lock_acquire '$LOCK'"
    status_is 1
    same "${output#holder.*.*.2$'\n'}" free
    [ ! -e ran ] && [ -d victim ] || fail "something in the environment was run or removed: $(ls)"
  done
}

@test "what the library's functions tell one another, the environment can't tell them" {
  hold other
  local id vars
  id=$(identity "$other_pid")
  vars=("rl_known_question=$other_pid $id" rl_known_answer=gone rl_silent=1 rl_all=1 rl_alone=1 rl_named=odd
    rl_shown='trap -- _registry_lock_leave "$?"')
  run env "${vars[@]}" bash -c ". '$library'; trap 'echo mine' EXIT
    registry_lock_acquire '$LOCK' 0; echo \$?
    registry_lock_acquire '$LOCK.own' && grep '^command' '$LOCK.own'/*
    trap 'echo other' EXIT; registry_lock_release '$LOCK.own'"
  same "${output#*$'\n'75$'\n'}" $'command bash\nother'
  held_by "$other_pid"
  run env "${vars[@]}" bash -c ". '$library'; trap 'echo mine' EXIT; registry_lock_acquire '$LOCK.own'"
  same "$output" mine
}

@test "no variable of the library's is taken from the environment" {
  local value name vars names usual=''
  names=$(cat "${library%.sh}"/*.sh "$library" | grep -o 'rl_[a-z_]*' | sort -u)
  hold other
  for value in '' 'a[$(touch ran)]' 1; do
    vars=(LC_ALL=C)
    [ -z "$value" ] || for name in $names; do vars+=("$name=$value"); done
    dead_lock_at dead
    run env "${vars[@]}" bash -c ". '$library'; registry_lock_acquire own
      registry_lock_break '$LOCK'; registry_lock_break dead; registry_lock_doctor --fix .
      registry_lock_check own; echo \"check \$?\"; registry_lock_run run true; echo \"run \$?\"
      registry_lock_release; echo \"release \$?\"; registry_lease_bracket owner sh -c 'cat owner'; ls"
    status_is 0
    says $'check 0\nrun 0\nrelease 0\n'
    output=$(sed -E 's/(start|token|since|pid|--force) .*//; s/(process|slot)[ .0-9]+.*//' <<<"$output")
    same "$output" "${usual:=$output}"
  done
  alive "$other_pid"
}
