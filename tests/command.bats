#!/usr/bin/env bats
# command.bats: bin/registry-lock: its words and options, and that it is found and works anywhere.

# shellcheck disable=SC2016,SC2086,SC2248 # words
load helper

command=$root/bin/registry-lock

# refused TEXT WORD...: registry-lock WORD... is a usage error that says TEXT, on standard error alone.
refused() {
  local text=$1
  shift
  apart registry-lock "$@"
  status_is 64 && same "$output" '' && contains "$complaint" "$text" && contains "$complaint" 'registry-lock: '
}

# installed: a copy of the command in a folder of its own, without procid.
installed() {
  mkdir -p "$BATS_TEST_TMPDIR/inst/bin" && cp "$command" "$BATS_TEST_TMPDIR/inst/bin/" &&
    cp -R "${library%/*}" "$BATS_TEST_TMPDIR/inst/"
}

# own_path TOOL...: own_path = a PATH on which there are these and nothing else.
own_path() {
  own_path=$BATS_TEST_TMPDIR/own
  rm -rf "$own_path" && mkdir "$own_path" || return
  local tool
  for tool; do ln -s "$(command -v "$tool")" "$own_path/$tool" || return; done
}

@test "--help tells all commands, their options and exit statuses, on standard output" {
  local word
  apart registry-lock --help
  status_is 0
  same "$complaint" ''
  for word in ' status ' ' break ' ' doctor ' ' run ' --json --force --fix --empty --grace --depth '-j,' '-f,' '-F,' '-d,' \
    'exit status: 0 free, 1 held' REGISTRY_LOCK_PROCID '64' '"--" ends the options'; do
    says "$word"
  done
  same "$(printf '%s\n' "$output" | awk 'length > 100')" ''
}

@test "help is had in any of the usual ways" {
  local by_option words
  by_option=$(registry-lock --help)
  for words in -h help 'status --help' 'break -h' 'doctor --help' '-- --help'; do
    run registry-lock $words
    status_is 0
    same "$output" "$by_option"
  done
}

@test "every option that --help names is one" {
  run registry-lock status -j "$LOCK"
  status_is 0
  run registry-lock break -f "$LOCK"
  status_is 0
  run registry-lock doctor -F -e -g 0 -d 1 -j
  status_is 0
  run registry-lock doctor --fix --empty --grace 0 --depth 1 --json
  status_is 0
}

@test "--version is that of the library" {
  local words
  for words in --version -V; do
    run registry-lock $words
    status_is 0
    same "$output" "registry-lock $_registry_lock_version"
    [[ $output == *' '[0-9]*.[0-9]* ]] || fail "no version: $output"
  done
}

@test "without a word the usage goes to standard error" {
  apart registry-lock
  status_is 64
  same "$output" ''
  contains "$complaint" 'usage: registry-lock'
}

@test "an unknown command is a usage error, shown without control characters" {
  refused 'no such command: stauts' stauts "$LOCK"
  refused 'no such command: --json' --json status
  odd_names
  local name
  for name in "${odd_names[@]}"; do
    [ "$name" != -- ] || continue
    refused 'no such command: ' "$name"
    same "$(printf '%s' "$complaint" | LC_ALL=C tr -d '[:print:]\200-\377')" ''
  done
}

@test "an unknown option of any command is a usage error, and nothing is done" {
  local verb option
  dead_lock_at "$LOCK"
  for verb in status break doctor; do
    for option in --nonsense --jsonn --j -x -J --json=1 --=x -fx --fix=1 --force=1 $'-\e' '--_' '--json '; do
      apart registry-lock $verb "$option" "$LOCK"
      status_is 64
      same "$output" ''
      contains "$complaint" 'registry-lock: '
      lacks "$complaint" $'\e'
    done
  done
  is_taken
}

@test "short options cluster, the last of them may have its value behind it or as the next word" {
  local words
  for words in '-Fej' '-Fejg0' '-Fejg 0' '-Fed1 -g0' '-F -e -j -g 0' '-jd 1' '-d1j'; do
    [ "$words" != -Fej ] || mkdir "$BATS_TEST_TMPDIR/empty"
    run registry-lock doctor $words "$BATS_TEST_TMPDIR/empty"
    case $words in -d1j) status_is 64 ;; *) status_is 0 ;; esac
  done
  dead_lock_at "$LOCK"
  run registry-lock doctor -Fj
  says '"state":"removed"'
  refused "no such option: -jX" doctor -jX
}

@test "a long option has its value behind = or as the next word, and a switch has none" {
  local words
  for words in --depth=1 '--depth 1'; do
    run registry-lock doctor $words
    status_is 0
  done
  refused '--depth needs a value' doctor --depth
  refused '-g needs a value' doctor -g
  refused '--json takes no value' status --json=yes "$LOCK"
}

@test "-- ends the options, and a mere - is a name" {
  mkdir -- -f --json
  run registry-lock status -- -f --json -
  status_is 1
  says "$DIR/-f: unknown"
  says "$DIR/--json: unknown"
  says "$DIR/-: free"
  run registry-lock break --force -- -f
  status_is 0
  run registry-lock doctor -- --json
  status_is 0
  same "$(ls)" --json
}

@test "options may come after the names" {
  run registry-lock status "$LOCK" --json
  says '"state":"free"'
  mkdir "$LOCK"
  run registry-lock break "$LOCK" -f
  status_is 0
  run registry-lock -- status "$LOCK"
  same "$output" "$LOCK: free"
}

# parsed WANT [WORD...]: so these WORDs are parsed: status, options, operands; or the complaint.
parsed() {
  local want=$1 got rl_opt_json='' rl_opt_fix='' rl_opt_depth='' rl_opt_depth_of='' status=0
  local rl_operands=(old) rl_taken=9
  shift
  _registry_lock_options "json:j fix:F depth:d= depth-of:= g:g= ${ends-}" "$@" \
    2>"$BATS_TEST_TMPDIR/complaint" || status=$?
  got=$rl_opt_json/$rl_opt_fix/$rl_opt_depth/$rl_opt_depth_of
  case $status in
    0) same "$got$(printf ' <%s>' ${rl_operands[@]+"${rl_operands[@]}"})" "$want" ;;
    *) contains "$status $(cat "$BATS_TEST_TMPDIR/complaint")" "64 registry-lock: $want" ;;
  esac || fail "of: $*"
}

@test "words are options as the list of them says, and nothing else is" {
  registry_lock_status none >/dev/null # reads what is tested
  parsed '/// <>'
  parsed '/// <a> <b c> <>' a 'b c' ''
  parsed '1/1// <a> <-b>' a --json -F -- -b
  parsed '1/1/7/ <a> <->' -jFd7 a -
  parsed '/1/j/ <a>' -Fdj a
  parsed '1//-F/ <a>' -jd -F a
  parsed '//7/8=9 <a>' --depth=7 --depth-of=8=9 a
  parsed '//--json/ <a>' --depth --json a
  parsed '1/// <-x>' --json -- -x
  parsed '--json takes no value' --json=1
  parsed '--depth needs a value' a --depth
  parsed '-d needs a value' -jd
  local word
  for word in --no --jso --jsonn '--json:j fix' '--json:j' '--j*' '--?' --=1 --JSON --of -x -jx '-=' '-d:' '-*' '- ' -J -f; do
    [ "$word" != -d: ] || { parsed '//:/ <a>' -d: a && continue; }
    parsed "no such option: $word" "$word"
  done
  ends=+
  parsed '1/// <a> <--fix> <--> <b>' --json a --fix -- b
  parsed '1/// <-a> <--fix>' --json -- -a --fix
}

@test "it finds its library through links, absolute and relative, and odd folders" {
  odd_names
  local at="$BATS_TEST_TMPDIR/far/it's \"a\" \$(place)"
  mkdir -p "$at/sub"
  ln -s "$command" "$at/abs"
  ln -s ../abs "$at/sub/rel"
  ln -s sub/rel "$at/registry-lock"
  ln -s "$at" "$BATS_TEST_TMPDIR/-link"
  local name
  for name in "$at/abs" "$at/sub/rel" "$at/registry-lock" "$BATS_TEST_TMPDIR/-link/registry-lock"; do
    run "$name" status "$LOCK"
    same "$output" "$LOCK: free"
  done
  cd "$at/sub"
  run ./rel status "$LOCK"
  same "$output" "$LOCK: free"
  run ../registry-lock status "$LOCK"
  same "$output" "$LOCK: free"
}

@test "it is found by PATH, with relative folders on it, and by a bare name given to bash" {
  cd "$root/bin"
  PATH=.:$PATH run registry-lock status "$LOCK"
  same "$output" "$LOCK: free"
  cd "$root"
  PATH=bin:$PATH run registry-lock status "$LOCK"
  same "$output" "$LOCK: free"
  cd bin
  run bash registry-lock status "$LOCK"
  same "$output" "$LOCK: free"
}

@test "it works from any working directory, CDPATH or not, even one that was removed" {
  cd /
  run registry-lock status "$LOCK"
  same "$output" "$LOCK: free"
  mkdir "$DIR/gone" && cd "$DIR/gone" && rmdir "$DIR/gone"
  run registry-lock status "$LOCK"
  says "$LOCK: free"
  run registry-lock status lock
  [ "$status" != 0 ]
  says 'give an absolute path'
  cd "$root"
  CDPATH=/:$BATS_TEST_TMPDIR run bin/registry-lock status "$LOCK"
  same "$output" "$LOCK: free"
}

@test "a lock in a relative folder is one, from wherever it is named" {
  mkdir sub
  hold other "$DIR/sub/lock"
  cd sub
  run registry-lock status lock
  says "$DIR/sub/lock: held"
  run registry-lock status ../sub/./lock
  says 'held'
  alive "$other_pid"
}

@test "with no environment it asks the procid that lies beside it" {
  hold other
  run env -i "$command" status "$LOCK"
  status_is 1
  says 'verdict  alive: it is running'
  slay other
  run env -i PATH=/usr/bin:/bin "$command" status "$LOCK"
  status_is 2
}

@test "a PATH of bash alone is enough to look" {
  hold other
  own_path bash
  run env -i PATH="$own_path" "$command" status "$LOCK"
  status_is 1
  says "process $other_pid (other.sh), on"
  says 'verdict  alive: it is running'
}

@test "a PATH of bash, mkdir, mv and rmdir is enough to break" {
  dead_lock_at "$LOCK"
  own_path bash mkdir mv rmdir
  run env -i PATH="$own_path" "$command" break "$LOCK"
  status_is 0
  says 'removed the lock'
  is_free
}

@test "the procid on PATH goes before the one beside it, and REGISTRY_LOCK_PROCID before both" {
  local name
  for name in path named; do
    mkdir "$BATS_TEST_TMPDIR/$name"
    printf '#!/bin/sh\necho %s >>"%s"\n' "$name" "$BATS_TEST_TMPDIR/asked" >"$BATS_TEST_TMPDIR/$name/procid"
    chmod +x "$BATS_TEST_TMPDIR/$name/procid"
  done
  run env PATH="$BATS_TEST_TMPDIR/path:$PATH" "$command" status "$LOCK"
  same "$(sort -u "$BATS_TEST_TMPDIR/asked")" path
  rm "$BATS_TEST_TMPDIR/asked"
  run env PATH="$BATS_TEST_TMPDIR/path:$PATH" REGISTRY_LOCK_PROCID="$BATS_TEST_TMPDIR/named/procid" "$command" status "$LOCK"
  same "$(sort -u "$BATS_TEST_TMPDIR/asked")" named
}

@test "without any procid it says so, and calls nobody dead" {
  installed
  killed_holder other
  run env -i PATH=/usr/bin:/bin "$BATS_TEST_TMPDIR/inst/bin/registry-lock" status "$LOCK"
  status_is 1
  says 'there is no working procid on PATH'
}

@test "without its library it ends, and says what it missed" {
  mkdir -p "$BATS_TEST_TMPDIR/alone/bin"
  cp "$command" "$BATS_TEST_TMPDIR/alone/bin/"
  run "$BATS_TEST_TMPDIR/alone/bin/registry-lock" status "$LOCK"
  status_is 70
  says 'registry-lock.sh'
}

@test "odd settings of the environment change nothing" {
  hold other
  local by_default words
  by_default=$(registry-lock status --json "$LOCK") || :
  for words in POSIXLY_CORRECT=1 LC_ALL=C LC_ALL=tr_TR.UTF-8 IFS=0123456789 SHELLOPTS=noglob:nounset:errexit \
    SHELLOPTS=posix:noclobber BASHOPTS=nullglob:failglob:dotglob GLOBIGNORE='*' TMOUT=1 TZ=Asia/Tokyo; do
    apart env "$words" "$command" status --json "$LOCK"
    status_is 1
    same "$output" "$by_default"
  done
  alive "$other_pid"
}

@test "nothing is read from standard input, and a closed one or closed outputs do no harm" {
  dead_lock_at "$LOCK"
  run bash -c "printf 'one\ntwo\n' | { registry-lock status '$LOCK' >/dev/null; registry-lock doctor --fix >/dev/null; cat; }"
  same "$output" $'one\ntwo'
  is_free
  run bash -c "registry-lock status '$LOCK' <&-; registry-lock status '$LOCK' >&- 2>&-; registry-lock break '$LOCK' 2>&-"
  status_is 0
  says "$LOCK: free"
}
