#!/usr/bin/env bats
# store.bats: what each step on the disk makes of what it finds (store.sh, remove.sh), also with tools
# that fail, and what it says of that.

# shellcheck disable=SC2012,SC2016,SC2030,SC2031,SC2034,SC2154,SC2317 # what the library sets, uses and calls
load helper

# tool NAME CODE: a program NAME, first on PATH, that runs CODE; real_NAME in it is the system's.
tool() {
  local real
  real=$(PATH=${PATH//"$BATS_TEST_TMPDIR/bin:"/} && command -v "$1")
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\nreal_%s() { %s "$@"; }\n%s\n' "$1" "$real" "$2" >"$BATS_TEST_TMPDIR/bin/$1"
  chmod +x "$BATS_TEST_TMPDIR/bin/$1"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  hash -r
}

# names [DIR]: all that is below DIR, a line, sorted.
names() { (cd "${1-.}" && find . ! -name . | LC_ALL=C sort | tr '\n' ' '); }

# lock_with ENTRY [DIR]: DIR/l with ENTRY in it.
lock_with() {
  mkdir -p "${2-.}/l"
  echo "$1" >"${2-.}/l/$1"
}

# ends STATUS COMMAND...: in this shell, with that status.
ends() {
  local wanted=$1 got=0
  shift
  "$@" || got=$?
  same "$*: $got" "$*: $wanted"
}

# Removal.

@test "a lock is moved by a rename, and an mv that has to copy writes nothing and says why" {
  lock_with a
  mkdir d
  ends 0 _registry_lock_move l d
  same "$(names) $rl_error" './d ./d/l ./d/l/a  '
  lock_with b
  # shellcheck disable=SC2016
  tool mv 'mkdir "$3/l2" && cat "$2/b" >"$3/l2/b" && rm -r "$2"'
  (
    exec 2>"$BATS_TEST_TMPDIR/trace"
    set -x
    _registry_lock_move l d
    { set +x; } 2>/dev/null
    [[ $rl_error == *'File too large' && $rl_error != *'+ '* ]] || fail "$rl_error"
    lacks "$(cat "$BATS_TEST_TMPDIR/trace")" XFSZ
  ) || fail "$(grep -v '^+' "$BATS_TEST_TMPDIR/trace")"
  same "$(cat l/b)" b
}

@test "a lock with the claim goes into the slot, or beside the one that waits there" {
  mkdir slot
  lock_with claim
  rl_stranger=before
  _registry_lock_move() { same "$_registry_lock_busy" slot && mv "$1" "$2/."; }
  ends 0 _registry_lock_remove slot l . claim
  same "$(names) $rl_stranger" './slot ./slot/l ./slot/l/claim  '
  lock_with claim
  ends 0 _registry_lock_remove slot l . claim
  same "$(names slot)" './l ./l.dead.1 ./l.dead.1/l ./l.dead.1/l/claim ./l/claim '
  same "$_registry_lock_busy" ''
}

@test "a lock without the claim is not moved, and one that lost it meanwhile is put back" {
  mkdir slot
  lock_with other
  _registry_lock_move() { fail 'moved' || exit; }
  ends 1 _registry_lock_remove slot l . claim
  same "$(names)" './l ./l/other ./slot '
  rm -r l
  lock_with claim
  _registry_lock_move() { mv l/claim l/new && mv "$1" "$2/."; }
  ends 1 _registry_lock_remove slot l . claim
  same "$(names) $rl_stranger" './l ./l/new ./slot  ./l'
}

@test "a lock that no rename can move goes where it is, and only where an mv would have copied" {
  mkdir slot
  lock_with claim
  _registry_lock_move() { rl_error="mv: cannot move: Input/output error"; }
  ends 1 _registry_lock_remove slot l . claim
  is_taken l
  _registry_lock_move() { rl_error="mv: error writing: File too large"; }
  ends 0 _registry_lock_remove slot l . claim
  same "$(names)" './slot '
}

@test "the slot of a gone process goes with all that is in it, also where rm fails once" {
  mkdir mine
  _registry_lock_child() { fail "ran $*" || exit; }
  ends 0 _registry_lock_revoke slot mine l
  unset -f _registry_lock_child
  # shellcheck source=lib/registry-lock.sh
  . "$library"
  lock_with holder slot
  ends 0 _registry_lock_revoke slot mine l
  same "$(names)" './mine '
  lock_with holder slot
  tool rm "mkdir '$BATS_TEST_TMPDIR/used' 2>/dev/null && exit 1; real_rm \"\$@\""
  ends 0 _registry_lock_revoke slot mine l
  same "$(names)" './mine '
}

@test "without rm what is in the slot of a gone process is moved away, and empty folders go" {
  mkdir mine
  lock_with holder slot
  mkdir slot/empty
  : >slot/file
  tool rm 'exit 1'
  ends 0 _registry_lock_revoke slot mine l
  same "$(names)" './mine ./mine/l.dead.1 ./mine/l.dead.1/file ./mine/l.dead.1/l ./mine/l.dead.1/l/holder '
  mkdir slot
  ends 0 _registry_lock_revoke slot mine l
  [ ! -e slot ] || fail 'it is there'
  lock_with holder slot
  ends 1 _registry_lock_revoke slot none l
  same "$(names slot)" './l ./l/holder '
}

@test "a slot is discarded, again where something has come into it, and where there is no rm but rmdir" {
  lock_with holder slot
  tool rm "real_rm \"\$@\"; mkdir '$BATS_TEST_TMPDIR/used' 2>/dev/null && mkdir -p slot/new; :"
  ends 0 _registry_lock_discard slot
  same "$(names)" ''
  tool rm 'exit 1'
  mkdir slot
  ends 0 _registry_lock_discard slot
  same "$(names)" ''
}

@test "what is set aside lies in a folder of its own" {
  lock_with a slot
  ends 0 _registry_lock_set_aside slot slot/l
  lock_with b slot
  ends 0 _registry_lock_set_aside slot slot/l
  same "$(names slot)" './l.dead.1 ./l.dead.1/l ./l.dead.1/l/a ./l.dead.2 ./l.dead.2/l ./l.dead.2/l/b '
  lock_with c none
  ends 1 _registry_lock_set_aside other none/l
  same "$(names none)" './l ./l/c '
}

# Looking.

# looks STATE [ENTRY]: what l is.
looks() {
  _registry_lock_look l
  same "$rl_state $rl_entry" "$1 ${2-}"
  [ "$rl_state" = entry ] || same "$rl_record" ''
}

@test "a lock is free, or is what is in its place or in it" {
  looks free
  lock_with holder.7.x.1
  looks entry holder.7.x.1
  same "$rl_record" l/holder.7.x.1
  : >l/more
  looks foreign
  rm l/*7*
  looks foreign more
  rm l/more
  looks empty
  rmdir l
  : >l
  looks blocked
  rm l
  need_links
  ln -s nowhere l
  looks blocked
  rm l
  mkfifo l
  looks blocked
  rm l
  mkdir l
  ln -s nowhere l/holder.7.x.1
  looks entry holder.7.x.1
}

# special: a socket and a block device, where they can be made.
special() {
  perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1)' ||
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' || :
  mknod block b 7 0 || :
} 2>/dev/null

@test "a device or a socket is in the way, too" {
  local file
  special
  for file in /dev/null socket block; do
    [ -e "$file" ] || continue
    _registry_lock_look "$file"
    same "$file $rl_state" "$file blocked"
  done
}

@test "what may not be listed and entered is closed" {
  local mode
  for mode in 700 711 744 755; do
    mkdir "$LOCK.$mode"
    : >"$LOCK.$mode/holder.7.x.1"
    chmod "$mode" "$LOCK.$mode"
  done
  as_nobody 'for mode in 700 711 744 755; do _registry_lock_look "$LOCK.$mode"; echo "$mode $rl_state"; done'
  same "$output" $'700 closed\n711 closed\n744 closed\n755 entry'
}

@test "an older script's record is looked for where there is no entry" {
  local calls=''
  _registry_lock_old_look() { calls+="old $*,"; }
  lock_with holder.7.x.1
  looks entry holder.7.x.1
  same "$calls" ''
  mv l/* l/other
  _registry_lock_look_once l
  same "$calls" 'old l,'
}

@test "what isn't clear counts when it was seen five times running, or by the thirtieth look" {
  local seen
  # Each look finds the next word of $seen.
  _registry_lock_look_once() { looked=$((looked + 1)) rl_state=${seen%% *} seen=${seen#* }; }
  for seen in 'entry ' 'free ' 'blocked '; do
    looked=0
    _registry_lock_look l
    same "$looked" 1
  done
  looked=0 seen='empty empty empty empty empty entry '
  _registry_lock_look l
  same "$looked $rl_state" '5 empty'
  looked=0 seen='empty empty empty empty closed foreign foreign foreign foreign foreign entry '
  _registry_lock_look l
  same "$looked $rl_state" '10 foreign'
  looked=0 seen='empty empty empty empty entry '
  _registry_lock_look l
  same "$looked $rl_state" '5 entry'
  looked=0 seen=$(printf 'empty closed %.0s' 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0)
  _registry_lock_look l
  same "$looked $rl_state" '30 closed'
}

@test "of an entry at most 4096 bytes are read, and of what is no plain file nothing" {
  local long
  printf 'a\nb\n\n' >file
  ends 0 _registry_lock_content file
  same "$rl_text." $'a\nb\n\n.'
  long=$(printf '%05000d' 0)
  printf %s "$long" >file
  ends 0 _registry_lock_content file
  same "${#rl_text}" 4096
  printf 'a\0b' >file
  ends 0 _registry_lock_content file
  same "$rl_text" a
  for file in none .; do
    rl_text=before
    ends 0 _registry_lock_content "$file"
    same "$rl_text" ''
  done
  need_links
  ln -s file link
  _registry_lock_content link
  same "$rl_text" ''
}

# Placing and taking back.

@test "a lock is placed where none is, and only that which is there is believed" {
  local way
  for way in place place_loud; do
    rm -rf slot dir
    mkdir dir
    lock_with a slot
    ends 0 "_registry_lock_$way" slot l dir a
    same "$(names)" './dir ./dir/l ./dir/l/a ./slot '
    lock_with b slot
    ends 1 "_registry_lock_$way" slot l dir b
    same "$(names) $_registry_lock_busy" './dir ./dir/l ./dir/l/a ./slot ./slot/l ./slot/l/b  '
    lock_with a slot
    ends 1 "_registry_lock_$way" slot l dir a
  done
  tool mv 'echo word; exit 1'
  ends 1 _registry_lock_place_loud slot l dir b
  same "$rl_error" word
}

@test "while an mv may be under way its slot is noted" {
  mkdir dir
  lock_with a slot
  _registry_lock_busy=before
  _registry_lock_child() { same "$_registry_lock_busy" slot && mv slot/l dir/.; }
  ends 0 _registry_lock_place_loud slot l dir a
  same "$_registry_lock_busy" ''
}

@test "a lock that is taken back leaves an empty one in the slot, which is made where it is missing" {
  mkdir dir
  lock_with a dir
  rl_stranger=before rl_error=before _registry_lock_busy=''
  ends 0 _registry_lock_take_back slot l dir a
  same "$(names) $rl_stranger$rl_error" './dir ./slot ./slot/a ./slot/l  '
  same "$_registry_lock_busy" slot
  rl_stranger=before
  ends 76 _registry_lock_take_back slot l dir a
  same "$rl_stranger" ''
  lock_with b dir
  ends 76 _registry_lock_take_back slot l dir a
  same "$(names)" './dir ./dir/l ./dir/l/b ./slot ./slot/a ./slot/l '
  ends 73 _registry_lock_take_back none/slot l dir b
  contains "$rl_error" mkdir
  is_taken dir/l
  ends 76 _registry_lock_take_back none/slot l dir a
  same "$rl_error" ''
}

@test "a lock is taken into the slot of a gone process, whole, and no slot is made" {
  mkdir dir slot
  lock_with a dir
  rl_stranger=before rl_error=before
  ends 0 _registry_lock_take_into slot l dir a
  same "$(names) $rl_stranger$rl_error" './dir ./slot ./slot/l ./slot/l/a  '
  ends 76 _registry_lock_take_into slot l dir a
  lock_with b dir
  ends 73 _registry_lock_take_into none l dir b
  same "$(names dir)" './l ./l/b '
  [ -n "$rl_error" ] || fail 'no word why'
}

@test "a stranger's lock that was moved is put back, or stays where it is said" {
  local way
  for way in take_back take_into; do
    rm -rf dir slot
    mkdir dir slot
    lock_with a dir
    tool mv "mkdir '$BATS_TEST_TMPDIR/$way' 2>/dev/null && { rm dir/l/a; : >dir/l/b; }; real_mv \"\$@\""
    ends 76 "_registry_lock_$way" slot l dir a
    same "$(names) $rl_stranger" './dir ./dir/l ./dir/l/b ./slot  dir/l'
  done
  mkdir slot/l
  ends 0 _registry_lock_put_back slot/l dir
  same "$rl_stranger" slot/l
}

@test "a rename is done where the one is there and the other is not" {
  : >a
  ends 0 _registry_lock_rename a b
  same "$(names)" './b '
  : >a
  ends 1 _registry_lock_rename a b
  ends 0 _registry_lock_rename a a
  ends 1 _registry_lock_rename none c
}

# Making.

# prepared SLOT: SLOT/l with the entry e in it, made by this process, or status 1.
prepared() {
  rl_pid=7 rl_id=x _registry_lock_text_of=''
  _registry_lock_prepare "$1" l e now
}

@test "a lock is made with its whole entry, and what was in the slot is set aside" {
  ends 0 prepared slot
  same "$(names)" './slot ./slot/l ./slot/l/e '
  same "$(sed -n 2,3p slot/l/e | tr '\n' ' ')" 'pid 7 start x '
  ends 0 prepared slot
  same "$(names slot)" './l ./l.dead.1 ./l.dead.1/l ./l.dead.1/l/e ./l/e '
}

@test "a lock that can't be made, or whose entry reads otherwise, says why" {
  ends 1 prepared none/slot
  contains "$rl_error" 'none/slot'
  lacks "$rl_error" $'\n'
  _registry_lock_content() { rl_text=other; }
  ends 1 prepared slot
  same "$rl_error" 'the entry reads back otherwise than it was written'
}

@test "an entry that can't be written under a limit on file sizes is an error, and no signal" {
  (
    ulimit -S -f 0
    status=0
    prepared slot || status=$?
    [ "$status.$_registry_lock_unlimited" = 1. ]
    contains "$rl_error" 'File too large'
  ) || fail "it ended with $?"
}

@test "a lock that is unlimited is renewed where its slot is, and else not" {
  rl_pid=7 rl_id=x
  prepared slot && rm slot/l/e
  same "$_registry_lock_unlimited" 1
  ends 0 _registry_lock_renew slot l e now
  [ -s slot/l/e ] || fail 'nothing was written'
  _registry_lock_unlimited=''
  ends 1 _registry_lock_renew slot l e2 now
  _registry_lock_unlimited=1
  ends 1 _registry_lock_renew none l e2 now
  same "$(names slot)" './l ./l/e '
  need_links
  ln -s slot link
  ends 1 _registry_lock_renew link l e2 now
  same "$(names slot)" './l ./l/e '
}

@test "its owner may enter and read what is made, whatever the umask" {
  umask 777
  ends 0 prepared slot
  _registry_lock_make_dir dir
  umask 022
  same "$(ls -ld dir slot slot/l slot/l/e | cut -c 2-4 | tr '\n' ' ')" 'rwx rwx rwx rw- '
}

@test "what a command prints is had without a trace, and a folder's owner as ls shows him" {
  (
    exec 2>"$BATS_TEST_TMPDIR/trace"
    set -x
    _registry_lock_child sh -c 'echo a; echo b >&2'
    { set +x; } 2>/dev/null
    [ "$rl_error" = $'a\nb' ]
  )
  lacks "$(cat "$BATS_TEST_TMPDIR/trace")" 'builtin exec'
  mkdir dir
  _registry_lock_owner_of dir
  same "$rl_owner" "$(ls -ld dir | awk '{ print $1, $3, $4 }')"
  _registry_lock_owner_of none
  same "$rl_owner" ''
}

@test "a FIFO is not read, whatever is in it" {
  need_links
  exec 9<>../fifo
  printf 'text\0' >&9
  _registry_lock_content ../fifo
  exec 9>&-
  same "$rl_text" ''
}

@test "the steps of making a lock end at the first that fails, with its words" {
  local made=0 wrote=0 calls='' limits rl_limits rl_text=''
  _registry_lock_prepare_dir() { calls+="dir $*," rl_error=dir rl_limits=$limits && return "$made"; }
  _registry_lock_entry_text() { calls+="text $*," rl_text=text; }
  _registry_lock_write_entry() { calls+="write $*," rl_error=write && return "$wrote"; }
  _registry_lock_content() { calls+="content $*"; }
  while IFS='|' read -r made wrote wanted expected word; do
    calls=''
    ends "$wanted" _registry_lock_prepare slot l e now
    same "$calls $rl_error" "text now,dir slot l,$expected $word"
  done <<'END'
1|0|1||dir
0|1|1|write slot/l/e,|write
0|0|0|write slot/l/e,content slot/l/e|the entry reads back otherwise than it was written
END
  made=0 wrote=0
  for limits in $'022\nunlimited:1' $'022\n10:1' $'022\n9:' $'022\n0:'; do
    _registry_lock_unlimited=before expected=${limits#*:} limits=${limits%:*}
    ends 0 _registry_lock_prepare slot l e now
    same "$limits $_registry_lock_unlimited" "$limits $expected"
  done
}

@test "a slot is made with the lock, or the lock in a slot that is there and no link, and mkdir's first word counts" {
  local makes=0 sets=0 said=limits rl_limits='' rl_error='' calls=''
  _registry_lock_make_dirs() { calls+="make $*," rl_error=$said && return "$makes"; }
  _registry_lock_set_aside() { calls+="aside $*," && return "$sets"; }
  ends 0 _registry_lock_prepare_dir slot l
  same "$calls $rl_limits" 'make slot slot/l, limits'
  mkdir slot
  calls='' rl_limits=''
  ends 0 _registry_lock_prepare_dir slot l
  same "$calls $rl_limits" 'make slot/l, limits'
  mkdir slot/l
  calls=''
  ends 0 _registry_lock_prepare_dir slot l
  same "$calls" 'aside slot slot/l,make slot/l,'
  calls='' sets=1
  ends 1 _registry_lock_prepare_dir slot l
  same "$calls" 'aside slot slot/l,'
  sets=0 makes=1
  ends 1 _registry_lock_prepare_dir slot l
  same "$rl_error" ''
  said=$'022\nunlimited\nmkdir: a\nmkdir: b'
  ends 1 _registry_lock_prepare_dir slot l
  same "$rl_error" 'mkdir: a'
  ends 1 _registry_lock_prepare_dir new l
  same "$rl_error" 'mkdir: a'
  need_links
  ln -s slot link
  calls=''
  ends 1 _registry_lock_prepare_dir link l
  same "$calls" 'make link link/l,'
}

@test "a lock that is not where it was to be is not placed, and its slot is noted meanwhile" {
  local way seen=''
  mkdir dir
  trap 'seen=$_registry_lock_busy' USR1
  tool mv 'rm -r "$3"; kill -USR1 "$PPID"'
  lock_with a slot
  ends 1 _registry_lock_place slot l dir a
  same "$seen.$_registry_lock_busy" slot.
  lock_with a slot
  tool mv 'rm -r "$3"'
  ends 1 _registry_lock_place_loud slot l dir a
}

@test "a lock is taken where the first mv comes to nothing and the second doesn't" {
  local way
  for way in take_back take_into; do
    rm -rf dir slot
    mkdir slot
    lock_with a dir
    tool mv "mkdir '$BATS_TEST_TMPDIR/$way' 2>/dev/null && exit 1; real_mv \"\$@\""
    ends 0 "_registry_lock_$way" slot l dir a
    same "$(names) $rl_stranger" './dir ./slot ./slot/l ./slot/l/a  '
  done
}

@test "the EXIT trap is noted by its first line" {
  local rl_shown=''
  (
    trap $'echo a\necho b' EXIT
    _registry_lock_note_trap file
    trap - EXIT
    same "$rl_shown" "trap -- 'echo a"
  )
}

@test "a renewed entry that is empty or can't be read is none" {
  mkdir -p slot/l
  chmod 777 . slot slot/l
  as_nobody 'rl_pid=7 rl_id=x _registry_lock_unlimited=1; umask 077
    _registry_lock_renew slot l a now; echo $?
    umask 777; _registry_lock_renew slot l b now; echo $?
    umask 077; _registry_lock_entry_text() { rl_text=; }; _registry_lock_renew slot l c now; echo $?'
  same "$output" $'0\n1\n1'
}
