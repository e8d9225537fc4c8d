#!/usr/bin/env bats
# write.bats: replacing a file in one step.

# shellcheck disable=SC2012,SC2016,SC2030,SC2031,SC2034,SC2123,SC2154,SC2317 # ls for modes, code for drivers, the helper's variables
load helper

# mode_of FILE: its permissions, as ls shows them.
mode_of() { ls -ld -- "$1" | cut -c1-10; }

# put DEST TEXT: registry_lock_write of TEXT in this very shell, seen as `here` does.
put() {
  printf '%s' "$2" >"$BATS_TEST_TMPDIR/new"
  here write_new "$1"
}
write_new() { registry_lock_write "$1" <"$BATS_TEST_TMPDIR/new"; }

# gate_cat: a cat first on the PATH of what is started that stops after one line: `expect gate at`;
# `send gate go`.
gate_cat() {
  local talk=$BATS_TEST_TMPDIR/talk/gate bin=$BATS_TEST_TMPDIR/bin
  mkdir "$bin" && channel gate && : >"$talk.err"
  printf '#!/usr/bin/env bash\nread -r line\nprintf "%%s\\n" "$line"\n' >"$bin/cat"
  printf 'echo at >"%s"\nread -r -t 60 _ <"%s"\nexec %s\n' \
    "$talk.says" "$talk.hears" "$(command -v cat)" >>"$bin/cat"
  chmod +x "$bin/cat"
  cat() { command -p cat "$@"; }
  PATH=$bin:$PATH
}

# unwritten WORD: the last put failed with 73, said WORD and left $DIR/file with "old", and only it.
unwritten() {
  status_is 73
  says 'was not written and is as it was: '
  says "$1"
  same "$(cat "$DIR/file")" old
  same "$(ls -A "$DIR")" "${2:-file}"
}

@test "a new file holds standard input, says nothing and is its owner's alone" {
  local mask
  for mask in 000 022 077 777; do
    umask "$mask"
    put file "text $mask"
    umask 022
    status_is 0
    same "$output" ''
    same "$(cat file)" "text $mask"
    same "$(mode_of file)" -rw-------
    rm file
  done
  no_litter
}

@test "a file that is there is replaced, and keeps its mode" {
  local mode
  for mode in 600 644 750 666; do
    echo old >file && chmod "$mode" file
    local before
    before=$(mode_of file)
    put file new
    status_is 0
    same "$(cat file)" new
    same "$(mode_of file)" "$before"
  done
  same "$(ls -A)" file
}

@test "a read-only file of the caller's is replaced, and stays read-only" {
  chmod 777 "$DIR"
  as_nobody 'umask 022; echo old >file; chmod 444 file
    echo new | registry_lock_write file; echo $?; cat file; ls -l file; ls -A'
  same "${output%%-*}" $'0\nnew\n'
  contains "$output" -r--r--r--
  same "${output##*$'\n'}" file
}

@test "what is written is byte for byte what came: NULs, no last newline, nothing, a lot" {
  local text
  for text in 'a\0b\0\0c\n\n' 'no newline' '' '\0' '\n' '\377\001\0'; do
    # shellcheck disable=SC2059 # the text is a format
    printf "$text" >"$BATS_TEST_TMPDIR/new"
    registry_lock_write file <"$BATS_TEST_TMPDIR/new"
    cmp file "$BATS_TEST_TMPDIR/new"
  done
  head -c 1000000 /dev/zero | tr '\0' 'x' >"$BATS_TEST_TMPDIR/new"
  registry_lock_write file <"$BATS_TEST_TMPDIR/new"
  cmp file "$BATS_TEST_TMPDIR/new"
}

@test "without cat it is byte for byte the same" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  local tool
  for tool in bash mv cp rm chmod procid; do
    ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
  done
  printf 'a\0b\0\0c\n\n' >"$BATS_TEST_TMPDIR/new"
  PATH=$BATS_TEST_TMPDIR/bin here write_new file
  status_is 0
  cmp file "$BATS_TEST_TMPDIR/new"
}

@test "a reader sees the old file or the new one, whole" {
  echo old >file
  exec 9<file
  gate_mv '-f*'
  start writer 'echo new | registry_lock_write "$LOCK/../file"; tell "wrote $?"'
  mkdir "$LOCK"
  expect gate at
  same "$(cat file)" old
  send gate go
  expect gate "done"
  expect writer 'wrote 0'
  same "$(cat file)" new
  same "$(cat <&9)" old
  exec 9<&-
}

@test "a file that takes long to come is private while it comes, and the old one stays till then" {
  echo old >file && chmod 600 file
  gate_cat
  start writer 'printf "one\ntwo\n" | registry_lock_write "${LOCK%/*}/file"; tell "wrote $?"'
  expect gate at
  same "$(cat file)" old
  same "$(cat .file.write.*) $(mode_of .file.write.*)" 'one -rw-------'
  send gate go
  expect writer 'wrote 0'
  same "$(cat file)" $'one\ntwo'
  same "$(ls -A)" file
}

@test "a relative name, a leading dash, blanks and a trailing slash name what they say" {
  local name
  mkdir sub && cd sub
  for name in file -f 'a b' $'new\nline' '*' ./dot; do
    put "$name" "$name"
    status_is 0
    same "$(cat "./$name")" "$name"
  done
  put slash/ text
  same "$(cat slash)" text
  same "$(echo .*.write.*)" '.*.write.*'
}

@test "a lock needn't be held, and one that is held stays" {
  put file one
  registry_lock_acquire "$LOCK"
  put file two
  status_is 0
  registry_lock_check "$LOCK"
  registry_lock_release
  same "$(cat file) $(ls -A)" 'two file'
}

@test "a directory, a FIFO and a symbolic link are not replaced" {
  echo old >file
  mkdir dir && mkfifo fifo && ln -s file link && ln -s nowhere dangling
  local name before
  before=$(ls -lR)
  for name in dir fifo; do
    put "$name" new
    status_is 73
    says "$DIR/$name was not written and is as it was: it is not a plain file"
  done
  for name in link dangling; do
    put "$name" new
    status_is 73
    says 'it is a symbolic link; give the file that it names'
  done
  same "$(ls -lR)" "$before"
}

@test "a directory that isn't there is said" {
  put absent/file new
  status_is 73
  says "$DIR/absent/file was not written and is as it was: No such file or directory"
  no_litter
}

@test "a directory that is closed is said, and the file stays" {
  echo old >file
  as_nobody 'echo new | registry_lock_write file'
  unwritten 'Permission denied'
}

@test "a full disk leaves the file as it was" {
  on_tmpfs size=8k 'echo old >file; head -c 4096 /dev/zero >full
    head -c 9000 /dev/zero | registry_lock_write file; echo "status $?"; cat file; ls -A'
  says 'No space left on device'
  says $'status 73\nold\nfile\nfull'
}

@test "a limit on file sizes leaves the file as it was, and the shell goes on" {
  echo old >file
  run bash -c ". '$library'; ulimit -f 1
    head -c 100000 /dev/zero | registry_lock_write file; echo \"status \$?\""
  says 'status 73'
  status=73 unwritten 'File too large'
}

@test "a closed standard input leaves the file as it was" {
  echo old >file
  here eval 'registry_lock_write file <&-'
  unwritten 'standard input is closed'
}

@test "an mv that fails leaves the file as it was" {
  echo old >file
  failing_mv
  PATH=$BATS_TEST_TMPDIR/bin:$PATH put file new
  unwritten 'Input/output error'
}

@test "a cat that ends early, and an mv whose word and deed differ, leave the file as it was" {
  local tool code bin=$BATS_TEST_TMPDIR/bin
  mkdir "$bin"
  while read -r tool code; do
    echo old >file
    printf '#!/bin/sh\n%s\n' "$code" >"$bin/$tool"
    chmod +x "$bin/$tool"
    PATH=$bin:$PATH put file new
    rm "$bin/$tool"
    unwritten 'the system gives no reason'
  done <<'CODE'
cat read -r line; exit 1
mv exit 0
mv for file; do case $file in */.file.write*) rm "$file" ;; esac; done; exit 1
CODE
}

@test "a name that a killed writer left, or that was laid as a trap, is not written through" {
  local me kind
  me=$(my_pid)
  for kind in link file; do
    echo precious >victim
    [ "$kind" = file ] || ln -s victim ".new.write.$me"
    [ "$kind" = link ] || { echo long long rest >".new.write.$me" && chmod 666 ".new.write.$me"; }
    put new text
    status_is 0
    same "$(cat new) $(mode_of new)" 'text -rw-------'
    same "$(cat victim)" precious
    rm new
  done
  same "$(ls -A)" victim
}

@test "TERM in the middle of a write leaves the file as it was and nothing beside it" {
  echo old >file
  gate_cat
  local name with
  for name in without with; do
    [ "$name" = without ] || with='registry_lock_acquire "$LOCK"'
    start "$name" "${with-}"'
      registry_lock_write "${LOCK%/*}/file" <"$0"'
    expect gate at
    lacks "$(echo .file.write.*)" '*'
    eval "kill -TERM \$${name}_pid"
    ended "$name" 143
    send gate go
    same "$(cat file)" old
    same "$(ls -A)" file
  done
}

@test "a subshell in a trap of the writer's removes nothing of what is being written" {
  gate_cat
  start writer 'trap "(registry_lock_release); tell trapped" USR1
    registry_lock_write "${LOCK%/*}/file" <"$0"; tell $?'
  expect gate at
  kill -USR1 "$writer_pid"
  send gate go
  expect writer trapped
  expect writer 0
  [ -s file ] || fail 'nothing was written'
}

# The writer ends by SIGNAL while its mv waits; the next owner writes, then the mv goes on.
outlive() { # SIGNAL CODE
  echo old >file
  gate_mv '-f*'
  start writer "$2"'; echo late | { cat; } >"$0.new"; registry_lock_write "${LOCK%/*}/file" <"$0.new"'
  expect gate at
  kill "-$1" "$writer_pid"
  wait "$writer_pid" || :
  gone "$writer_pid"
  hold next
  put file next
  send gate go
  expect gate "done"
  same "$(cat file)" next
  held_by "$next_pid"
}

@test "an mv that outlives its writer doesn't land on a later owner's file" {
  outlive TERM 'registry_lock_acquire "$LOCK"'
}

@test "the mv of a killed writer doesn't land on a later owner's file" {
  outlive KILL 'registry_lock_acquire "$LOCK"; registry_lock_acquire "$LOCK.other"'
}

@test "a wrong number of arguments and a path that ends in no name are usage errors" {
  here registry_lock_write </dev/null
  status_is 64
  says 'usage: registry_lock_write DEST <NEW'
  here registry_lock_write a b </dev/null
  status_is 64
  here registry_lock_write '' </dev/null
  status_is 64
  no_litter
}

# The steps by themselves.

@test "what is being written has its name noted and the trap laid while it may be left behind" {
  local wrote=0 over=0 calls=''
  _registry_lock_arm() { calls+="arm $_registry_lock_temp,"; }
  _registry_lock_disarm() { calls+="disarm $_registry_lock_temp,"; }
  _registry_lock_write_temp() { calls+='temp,' && return "$wrote"; }
  _registry_lock_write_over() { calls+="over $rl_temp," && return "$over"; }
  _registry_lock_write_failed() { calls+='failed,'; }
  _registry_lock_self() { rl_pid=7; }
  local name=$DIR/.file.write.7
  here _registry_lock_write "$DIR/file"
  same "$status $calls" "0 arm $name,temp,over $name,disarm ,"
  calls='' over=1
  here _registry_lock_write "$DIR/file"
  same "$status $calls" "73 arm $name,temp,over $name,failed,disarm ,"
  calls='' wrote=1
  here _registry_lock_write "$DIR/file"
  same "$status $calls" "73 arm $name,temp,failed,disarm ,"
}

@test "a failed write says the system's last words, or that there are none, and removes what it began" {
  local rl_lock=$'/d/\e' rl_temp=$DIR/temp rl_error
  while IFS='|' read -r rl_error expected; do
    : >temp
    here _registry_lock_write_failed
    status_is 0
    same "$output" "registry-lock: /d/? was not written and is as it was: $expected"
    no_litter
  done <<'END'
cat: x: No way|No way
no words of a tool|no words of a tool
|the system gives no reason
END
  here _registry_lock_write_failed
  status_is 0
}

@test "the way of a write leads through the slots of the locks that are held, and no others" {
  local rl_way='' rl_temp=$DIR/temp up=/../../../../../../../..
  up+=$up$up$up
  : >temp
  mkdir one two
  _registry_lock_slots=([1]=$DIR/one [2]=$DIR/two [3]=$DIR/none)
  _registry_lock_states=([1]=held [2]=released [3]=held)
  _registry_lock_write_way
  same "$rl_way" "$DIR/one$up"
  rl_way=''
  _registry_lock_states[2]=held
  _registry_lock_write_way
  same "$rl_way" "$DIR/one$up$DIR/two$up"
  rl_way='' rl_temp=temp
  _registry_lock_write_way
  same "$rl_way" ''
}

@test "a write is over where mv says so and nothing is left of what it moved" {
  local rl_temp=$DIR/temp rl_lock=$DIR/file moved=0
  _registry_lock_write_way() { rl_way=$DIR/..; }
  _registry_lock_child() { same "$*" "mv -f -- $DIR/..$rl_temp $rl_lock" && return "$moved"; }
  _registry_lock_write_over
  moved=1
  ! _registry_lock_write_over || fail 'mv failed'
  moved=0
  : >temp
  ! _registry_lock_write_over || fail 'it is there'
}

# refusing TOOL: a TOOL first on PATH that only complains.
refusing() {
  mkdir -p "$BATS_TEST_TMPDIR/refusing"
  printf '#!/bin/sh\necho "%s: No way" >&2\nexit 1\n' "$1" >"$BATS_TEST_TMPDIR/refusing/$1"
  chmod +x "$BATS_TEST_TMPDIR/refusing/$1"
  PATH=$BATS_TEST_TMPDIR/refusing:$PATH
  hash -r
}

@test "where what is in the way can't be removed, or the old file not be copied, nothing is written" {
  local rl_temp=$DIR/temp rl_lock=$DIR/file rl_error path=$PATH
  : >temp
  refusing rm
  ! _registry_lock_write_temp <<<new || fail 'it went on without rm'
  same "$rl_error$(cat temp)" 'rm: No way'
  PATH=$path
  rm temp
  echo old >file
  refusing cp
  ! _registry_lock_write_temp <<<new || fail 'it went on without cp'
  same "$rl_error" 'cp: No way'
  [ ! -e temp ] || fail 'something was written'
}

@test "what appears where the new file is to be is not opened" {
  need_links
  ln -s victim temp
  ! (_registry_lock_write_in_subshell temp <<<new) 2>/dev/null || fail 'it was'
  [ ! -e victim ] || fail 'it was written through'
}

@test "a copy that can't be made writable is not written" {
  chmod 777 .
  as_nobody 'cd "${LOCK%/*}" && echo old >temp && chmod 400 temp && mkdir bin
    printf "#!/bin/sh\nexit 1\n" >bin/chmod && chmod +x bin/chmod && PATH=$PWD/bin:$PATH
    (_registry_lock_write_in_subshell temp </dev/null) || echo "refused, $(cat temp)"'
  same "$output" 'refused, old'
}

@test "without cat a part that can't be written is an error, also where nothing comes after it" {
  [ -c /dev/full ] || skip 'needs /dev/full'
  printf 'a\0' >../part
  ! (PATH=$DIR/none && hash -r && _registry_lock_copy <../part >/dev/full) 2>/dev/null || fail 'it was written'
}
