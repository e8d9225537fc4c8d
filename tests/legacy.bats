#!/usr/bin/env bats
# legacy.bats: locks of older scripts on the same path: alive they are waited for, dead they are
# broken, and where it can't be told they are left; in both roles, under load and under kills.

# shellcheck disable=SC1010,SC2016,SC2030,SC2031,SC2034,SC2154,SC2248,SC2317 # code for drivers, words, and what the
# library uses and calls
load helper

# records PID: sets the array records to each form in which older scripts named PID.
records() {
  records=("pid $1" "pid $1"$'\n'"host $HOSTNAME" "host $HOSTNAME"$'\n'"pid $1" "$1" "graff-owner 1 pid=$1"
    "graff-owner 1 pid=$1 start=12345")
}

# inside NAME RECORD: LOCK in the form mkdir, then write into it.
inside() { mkdir "$LOCK" && printf '%s\n' "$2" >"$LOCK/$1"; }

# beside RECORD: LOCK in the form mkdir, then write beside it.
beside() { mkdir "$LOCK" && printf '%s\n' "$1" >"$LOCK.holder"; }

# is_left WORD: an acquire does not get in, says WORD, and changes nothing.
is_left() {
  local before
  before=$(listing "$LOCK" && ls "$DIR")
  run registry_lock_acquire "$LOCK" 0
  status_is 75 && says "$1" && lacks "$output" removed && same "$(listing "$LOCK" && ls "$DIR")" "$before"
}

# is_broken: an acquire gets in at once, and says whose record was removed and why.
is_broken() {
  run registry_lock_acquire "$LOCK" 0
  status_is 0 && says "removed the lock of process $dead_pid" && says 'it is not running' && no_litter
}

# fleet RECORD RELEASE...: for each of four pairs an old worker, which does that after its mkdir and in the
# end, and a new one; each counts 25 times and looks whether it is alone.
fleet() {
  local work n
  work="mkdir in || echo overlap >>bad; read -r n <count; echo \$((n + 1)) >count; rmdir in"
  echo 0 >count
  for n in 1 2 3 4; do
    start "new$n" "cd '$DIR'; for i in {1..25}; do registry_lock_acquire \"\$LOCK\" 100 || exit
      $work; registry_lock_release \"\$LOCK\" || exit; done"
    start "old$n" "cd '$DIR'; for i in {1..25}; do until mkdir \"\$LOCK\" 2>/dev/null; do sleep 0.01; done
      $1; $work; $2; done"
    shift 2
  done
  for n in 1 2 3 4; do ended "new$n" && ended "old$n" || return; done
  [ ! -e bad ] || fail "two at a time, $(grep -c . bad) times"
  same "$(cat count)" 200
}

need_gnu_mv() { mv --version 2>/dev/null | grep -q GNU || skip 'needs an mv that asks the kernel not to replace'; }

@test "a live holder is waited for, in whatever form an older script named him inside the directory" {
  local record name
  stranger
  records "$stranger_pid"
  for record in "${records[@]}"; do
    for name in holder pid; do
      inside $name "$record"
      is_left "held by process $stranger_pid on $HOSTNAME, as an older script recorded; it is running"
      run registry_lock_status "$LOCK"
      says "holder   process $stranger_pid"
      rm -r "$LOCK"
    done
  done
  alive "$stranger_pid"
}

@test "a dead holder's directory is broken, in whatever form an older script named him inside" {
  local record name
  corpse
  records "$dead_pid"
  for record in "${records[@]}"; do
    for name in holder pid; do
      inside $name "$record"
      is_broken
    done
  done
}

@test "a live holder is waited for, in whatever form he is named beside the directory" {
  local record
  stranger
  records "$stranger_pid"
  for record in "${records[@]}"; do
    beside "$record"
    is_left "held by process $stranger_pid on $HOSTNAME, as an older script recorded; it is running"
    rm -r "$LOCK" "$LOCK.holder"
  done
  alive "$stranger_pid"
}

@test "a dead holder's directory is broken, in whatever form he is named beside it" {
  local record
  corpse
  records "$dead_pid"
  for record in "${records[@]}"; do
    beside "$record"
    is_broken
  done
}

@test "a live holder of another user is no dead one" {
  stranger
  inside holder "pid $stranger_pid"
  as_nobody '! kill -0 '"$stranger_pid"' || exit 3; registry_lock_status "$LOCK"'
  status_is 1
  says 'verdict  alive: it is running'
  alive "$stranger_pid"
}

@test "a holder on another host is left, dead or alive by number" {
  corpse
  inside holder "pid $dead_pid"$'\nhost elsewhere'
  is_left "on elsewhere, as an older script recorded; it is recorded on another machine"
  rm -r "$LOCK"
  beside "host elsewhere"$'\n'"pid $dead_pid"
  is_left "it is recorded on another machine, so whether it lives can't be asked from here"
}

@test "a record that names no usable process, or is not sure whom, is left" {
  local record
  corpse
  for record in '' pid 'pid ' 'pid 0' "pid -$dead_pid" "pid +$dead_pid" "pid 0$dead_pid" 'pid 2147483648' "pid $dead_pid x" \
    "pid $dead_pid"$'\n'"pid $dead_pid" "$dead_pid"$'\n1' "$dead_pid"$'\r' "pid=$dead_pid" "graff-owner 2 pid=$dead_pid" \
    "pid $dead_pid"$'\nhost \n' "pid $dead_pid"$'\n'"host $HOSTNAME"$'\n'"host $HOSTNAME" "$(printf '%4090s\npid %s' x "$dead_pid")"; do
    inside holder "$record"
    is_left 'Gave up after 0 s'
    rm -r "$LOCK"
    beside "$record"
    is_left 'Gave up after 0 s'
    rm -r "$LOCK" "$LOCK.holder"
  done
}

@test "a directory with other things in it is no older script's lock, whatever lies beside it" {
  corpse
  mkdir "$LOCK" && touch "$LOCK/a" "$LOCK/b"
  echo "$dead_pid" >"$LOCK.holder"
  is_left 'is not a lock of this library'
}

@test "a recycled number of an older script's holder is honoured: it names no more than a number" {
  stranger
  inside pid "graff-owner 1 pid=$stranger_pid start=1"
  is_left 'it is running'
  alive "$stranger_pid"
}

@test "a number that is in use again by the time its record is taken is no refusal of the system" {
  corpse
  stranger
  export REGISTRY_LOCK_PROCID=$BATS_TEST_TMPDIR/procid.reused
  printf '#!/bin/sh\n[ "$*" != %s ] || mkdir "%s" 2>/dev/null || set %s\nexec "%s" "$@"\n' "$dead_pid" \
    "$BATS_TEST_TMPDIR/asked" "$stranger_pid" "$root/bin/procid" >"$REGISTRY_LOCK_PROCID"
  chmod +x "$REGISTRY_LOCK_PROCID"
  beside "$dead_pid"
  run registry_lock_break "$LOCK"
  status_is 75
  says 'not removed, it changed hands just then'
  lacks "$output" "can't be made or removed"
  same "$(cat "$LOCK.holder")" "$dead_pid"
  alive "$stranger_pid"
}

# rival_mv RECORD: the first mv of RECORD finds that another process has taken it, and put it back
# as soon as it has failed.
rival_mv() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cat >"$BATS_TEST_TMPDIR/bin/mv" <<MV
#!/bin/sh
case "\$*" in *" $1 "*) mkdir '$BATS_TEST_TMPDIR/bin/used' 2>/dev/null ;; *) false ;; esac || exec $(command -v mv) "\$@"
$(command -v mv) '$1' '$DIR/away'
$(command -v mv) "\$@"
status=\$?
$(command -v mv) '$DIR/away' '$1'
exit "\$status"
MV
  chmod +x "$BATS_TEST_TMPDIR/bin/mv"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# no_refusal COMMAND...: COMMAND, whose mv finds a rival, ends with 75.
no_refusal() {
  rm -rf "$BATS_TEST_TMPDIR/bin/used"
  run "$@"
  [ -d "$BATS_TEST_TMPDIR/bin/used" ] || fail 'nobody came between' || return
  status_is 75
}

@test "a record that another process had in hand is no refusal where mv speaks another language" {
  corpse
  inside pid "$dead_pid"
  rival_mv "$LOCK/pid"
  sed -i.old 's/^status=/[ "$LC_ALL" = C ] || echo "mv: Datei oder Verzeichnis nicht gefunden" >\&2; &/
    s|^\(.*mv "$@"\)$|\1 2>"$0.err"; [ "$LC_ALL" != C ] \|\| cat "$0.err" >\&2|' "$BATS_TEST_TMPDIR/bin/mv"
  unset LC_ALL
  no_refusal registry_lock_break "$LOCK"
  says 'not removed, something came between; try again'
}

@test "a record that another process had in hand for a moment is no refusal of the system" {
  corpse
  inside pid "$dead_pid"
  rival_mv "$LOCK/pid"
  no_refusal registry_lock_break "$LOCK"
  lacks "$output" "No such file"
  says 'not removed, something came between; try again'
  no_refusal registry_lock_acquire "$LOCK" 0
  lacks "$output" "No such file"
  registry_lock_acquire "$LOCK" 0
  held_by $$
}

@test "an entry that another process had in hand for a moment is no refusal of the system" {
  local entry
  dead_lock_at "$LOCK"
  entry=$LOCK/$(entry_of "$LOCK")
  rival_mv "$entry"
  no_refusal registry_lock_break "$LOCK"
  lacks "$output" "No such file"
  says 'not removed, something came between; try again'
  no_refusal registry_lock_break --force "$LOCK" "$dead_pid.$dead_id.1"
  lacks "$output" "No such file"
  registry_lock_break "$LOCK"
  is_free
}

@test "a record beside that is older than the directory is an earlier holder's, and proves nothing" {
  corpse
  beside "$dead_pid"
  touch -t 200001010000 "$LOCK.holder"
  is_left 'has no holder recorded'
}

@test "an earlier holder's record is no hindrance where the holder's own is in a dead taker's hands" {
  corpse
  echo "pid $dead_pid" >"$LOCK.holder"
  touch -t 200001010000 "$LOCK.holder"
  mkdir "$LOCK"
  echo "pid $dead_pid" >"$LOCK.trial.$dead_pid.$dead_id.1"
  registry_lock_acquire "$LOCK" 10
  held_by $$
  registry_lock_release "$LOCK"
  is_free
}

@test "an empty directory without a record is left" {
  mkdir "$LOCK"
  is_left 'not made by this library or made by an older script; it is left alone'
}

@test "an entry without an identity is honoured both ways" {
  stranger
  corpse
  forge "$LOCK" "holder.$stranger_pid..1" 'registry-lock 1' "pid $stranger_pid" "host $HOSTNAME"
  is_left "held by process $stranger_pid on $HOSTNAME; it is running"
  rm -r "$LOCK"
  forge "$LOCK" "holder.$dead_pid..1" 'registry-lock 1' "pid $dead_pid" "host $HOSTNAME"
  is_broken
  alive "$stranger_pid"
}

@test "a directory with a record and something else in it is left" {
  corpse
  inside holder "$dead_pid"
  touch "$LOCK/data"
  is_left 'is not a lock of this library'
}

@test "a record is taken first and judged then: one that names a live holder by now is put back" {
  local layout
  corpse
  stranger
  for layout in 'inside holder' beside; do
    rm -rf "$LOCK" "$LOCK.holder"
    $layout "$dead_pid"
    start "c${#layout}" 'stop_at _registry_lock_rename; registry_lock_acquire "$LOCK" 0'
    expect "c${#layout}" 'at _registry_lock_rename'
    rm -r "$LOCK" && rm -f "$LOCK.holder" && $layout "$stranger_pid"
    send "c${#layout}" go
    ended "c${#layout}" 75
    same "$(cat "$LOCK.holder" 2>/dev/null || cat "$LOCK/holder")" "$stranger_pid"
    is_left 'it is running'
  done
  alive "$stranger_pid"
}

@test "a breaker without an identity that is killed on the way is gone for the next one, by its host" {
  local at n=0
  mkdir "$BATS_TEST_TMPDIR/bin"
  # The slot is found before what else is of its process.
  printf '#!/bin/sh\n%s "$@" | sort -z\n' "$(command -v find)" >"$BATS_TEST_TMPDIR/bin/find"
  chmod +x "$BATS_TEST_TMPDIR/bin/find"
  corpse
  for at in _registry_lock_old_remove _registry_lock_remove_empty _registry_lock_set_aside _registry_lock_remove; do
    case $((n += 1)) in
      1) inside holder "$dead_pid" ;;
      4) forge "$LOCK" "holder.$dead_pid..1" 'registry-lock 1' "pid $dead_pid" "host $HOSTNAME" ;;
      *) beside "$dead_pid" ;;
    esac
    start "b$n" "stop_at $at; REGISTRY_LOCK_PROCID=/none registry_lock_acquire \"\$LOCK\" 0"
    expect "b$n" "at $at"
    slay "b$n"
    run registry_lock_acquire "$LOCK" 0
    status_is 0
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run registry_lock_doctor --fix "$DIR"
    status_is 0
    no_litter
  done
}

@test "a breaker without an identity that has left no word of its host is left" {
  local taken entry
  corpse
  beside "$dead_pid"
  start b 'stop_at _registry_lock_old_remove; REGISTRY_LOCK_PROCID=/none registry_lock_acquire "$LOCK" 0'
  expect b 'at _registry_lock_old_remove'
  slay b
  entry=$(echo "$LOCK.slot.$b_pid."/lock/*)
  printf 'registry-lock 1\npid %s\nstart \nhost elsewhere\n' "$b_pid" >"$entry"
  is_left 'recorded on another machine'
  rm -r "$LOCK.slot.$b_pid."
  is_left 'its record names neither an identity nor a machine'
  taken=$(echo "$LOCK".trial.*)
  run registry_lock_doctor --fix "$DIR"
  [ -e "$taken" ] || fail 'doctor removed it'
}

@test "a directory that is no longer empty, or was made anew, keeps its record" {
  corpse
  beside "$dead_pid"
  start c 'stop_at _registry_lock_remove_empty; registry_lock_acquire "$LOCK" 0'
  expect c 'at _registry_lock_remove_empty'
  touch "$LOCK/work"
  send c go
  ended c 75
  same "$(ls "$LOCK")" work
  same "$(cat "$LOCK.holder")" "$dead_pid"
  rm -r "$LOCK" "$LOCK.holder"
  beside "$dead_pid"
  start d 'stop_at _registry_lock_old_remove; registry_lock_acquire "$LOCK" 0'
  expect d 'at _registry_lock_old_remove'
  rmdir "$LOCK" && mkdir "$LOCK" && echo "$$" >"$LOCK.holder"
  send d go
  ended d 75
  is_left "held by process $$"
}

@test "of eight waiters on a dead older lock one at a time gets in" {
  local layout n
  corpse
  for layout in 'inside pid' beside; do
    rm -f bad
    $layout "$dead_pid"
    for n in 1 2 3 4 5 6 7 8; do
      start "w$n${#layout}" "registry_lock_acquire \"\$LOCK\" 60 || exit
        mkdir '$DIR/in' || echo overlap >>'$DIR/bad'; rmdir '$DIR/in'; registry_lock_release"
    done
    for n in 1 2 3 4 5 6 7 8; do ended "w$n${#layout}"; done
    no_litter
  done
}

@test "a breaker killed before any step of breaking an older lock wedges nobody" {
  local layout step n=0
  corpse
  for layout in 'inside holder' 'inside pid' beside; do
    for step in rename old_read old_remove remove new_dead remove_empty set_aside say_broke place_loud; do
      case $layout/$step in beside/remove | inside*/remove_empty | inside*/set_aside) continue ;; esac
      $layout "$dead_pid"
      n=$((n + 1))
      start "c$n" "stop_at _registry_lock_$step; registry_lock_acquire \"\$LOCK\" 0"
      expect "c$n" "at _registry_lock_$step"
      slay "c$n"
      run registry_lock_acquire "$LOCK" 0
      status_is 0
      is_free
    done
  done
  run registry-lock doctor --fix
  status_is 0
  no_litter
}

@test "a record in the hands of a killed process: the next one judges it, and a live holder has it back" {
  corpse
  stranger
  mkdir "$LOCK" && echo "$stranger_pid" >"$LOCK.trial.$dead_pid.$dead_id.1"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  same "$(ls)$(cat lock.holder)" $'lock\nlock.holder'"$stranger_pid"
  is_left "held by process $stranger_pid"
  rm -r "$LOCK" "$LOCK.holder"
  forge "$LOCK" "trial.$dead_pid.$dead_id.1" "pid $stranger_pid"
  run registry_lock_acquire "$LOCK" 0
  status_is 75
  same "$(cat "$LOCK"/*)" "pid $stranger_pid"
  is_left "held by process $stranger_pid"
  alive "$stranger_pid"
}

@test "a record in the hands of a live process is waited for, and the message says what that does" {
  corpse
  beside "$dead_pid"
  start c 'stop_at _registry_lock_old_remove; registry_lock_acquire "$LOCK" 0 && hear'
  expect c 'at _registry_lock_old_remove'
  is_left "process $c_pid is judging the record of an older script; it is running"
  run registry-lock status --json "$LOCK"
  says '"reason":"judging"'
  alive "$c_pid"
}

@test "an older script waits for a holder of this library, and gets in after him" {
  hold new
  start old 'mkdir "$LOCK" 2>/dev/null; tell "$?"; hear; mkdir "$LOCK"; tell "$?"; hear'
  expect old 1
  alive "$new_pid"
  send new go
  ended new
  send old go
  expect old 0
  is_left 'has no holder recorded'
}

@test "an older script that is between mkdir and its record is not robbed" {
  start old 'mkdir "$LOCK"; tell made; hear; echo "pid $$" >"$LOCK/holder"; tell done; hear
    rm "$LOCK/holder"; tell unnamed; hear; rmdir "$LOCK"; tell free; hear'
  expect old made
  is_left 'has no holder recorded'
  send old go
  expect old done
  is_left 'it is running'
  send old go
  expect old unnamed
  is_left 'has no holder recorded'
  send old go
  expect old free
  run registry_lock_acquire "$LOCK" 0
  status_is 0
}

@test "old and new workers on one path lose no update and rob nobody" {
  need_gnu_mv
  local beside='printf "pid %s\nhost %s\n" "$$" "$HOSTNAME" >"$LOCK.holder"'
  fleet 'echo "pid $$" >"$LOCK/holder"' 'rm "$LOCK/holder"; rmdir "$LOCK"' \
    'echo "graff-owner 1 pid=$$" >"$LOCK/pid"' 'rm -rf "$LOCK"' \
    "$beside" 'rm -f "$LOCK.holder"; rmdir "$LOCK"' 'echo "$$" >"$LOCK.holder"' 'rm "$LOCK.holder"; rm -r "$LOCK"'
  same "$(ls)" count
}

@test "old workers that are killed while they hold the lock stop nobody for longer than it takes to ask" {
  need_gnu_mv
  local n layout
  for n in 1 2 3; do start "w$n" 'for i in 1 2 3 4 5 6; do registry_lock_acquire "$LOCK" 60 || exit; registry_lock_release; done'; done
  for n in 1 2 3 4; do
    layout='$LOCK/holder'
    ((n % 2)) || layout='$LOCK.holder'
    start "old$n" "until mkdir \"\$LOCK\" 2>/dev/null; do :; done; echo \$\$ >\"$layout\"; tell in; hear"
    expect "old$n" in
    slay "old$n"
  done
  for n in 1 2 3; do ended "w$n"; done
  run registry_lock_acquire "$LOCK" 5
  status_is 0
  no_litter
}

# looked WANT: so the library sees LOCK.
looked() {
  local rl_state rl_entry rl_record rl_kind=old rl_hpid=1 rl_hid=old rl_token=old rl_host rl_since rl_command
  _registry_lock_look "$LOCK"
  case $rl_state in
    empty | foreign) same "$rl_state $rl_entry" "$1" ;;
    *) same "$rl_state $rl_entry ${rl_record#"$DIR/"} $rl_kind $rl_hpid/$rl_hid/$rl_token" "$1" ;;
  esac
}

@test "a record inside, beside or in somebody's hands is seen with what it says, and no other is" {
  mkdir "$LOCK"
  looked 'empty '
  echo 7 >"$LOCK/holder"
  looked 'inside holder lock/holder holder 7//7'
  mv "$LOCK/holder" "$LOCK/pid"
  looked 'inside pid lock/pid holder 7//7'
  echo x >"$LOCK/pid"
  looked 'foreign pid'
  mv "$LOCK/pid" "$LOCK/work"
  echo 8 >"$LOCK.holder"
  looked 'foreign work'
  rm -r "$LOCK" "$LOCK.holder" && mkdir "$LOCK" && echo x >"$LOCK.holder"
  looked 'empty '
  echo 8 >"$LOCK.holder"
  looked 'beside lock.holder lock.holder holder 8//8'
  touch -t 200001010000 "$LOCK.holder"
  looked 'empty '
  echo 8 >"$LOCK.trial.9.y.1"
  looked 'beside lock.trial.9.y.1 lock.trial.9.y.1 trial 9/y/9.y.1'
  touch -t 200001010000 "$LOCK.trial.9.y.1"
  looked 'empty '
}

@test "a record says one process and at most one host, among what else it says, and is short" {
  local want text rl_hpid rl_host rl_since rl_command line
  printf -v line '%05000d' 0
  HOSTNAME=here
  while read -r want text; do
    printf '%b' "${text/LINE/x$line}" >record
    rl_hpid=old rl_host=old rl_since=old rl_command=old status=0
    _registry_lock_old_read "$DIR/record" || status=$?
    same "$status:$rl_hpid:$rl_host:$rl_since$rl_command" "$want:" || fail "of: $text"
  done <<'TABLE'
0:7:here 7
0:7:here pid 7\n
0:7:there host there\npid 7
0:7:here graff-owner 1 pid=7 start=8\n
0:7:here what\n\nelse 5\n7\n5 x
1:7:here 7\n7
1:7:there host there\npid 7\nhost there
1:0:here 0
1::here what
1::there host there
1:: pid 7\nLINE
TABLE
}

# breaks WANT [VARIABLE=VALUE...]: so the record of a dead process 7, beside LOCK, is removed by 9.y.1, with
# these: its status, what was done, and how the record is called now.
breaks() {
  local rl_lock=$LOCK rl_slot=slot rl_name=lock rl_mine=9.y.1 rl_state=beside rl_kind=holder rl_hpid=7 rl_hid=''
  local record=lock.holder verdict=gone removes=0 revokes=0 did='' rl_verdict='' rl_record rl_error rl_host=''
  [ -z "${2-}" ] || local "${@:2}"
  rl_record=$DIR/$record
  mkdir -p "$LOCK" && echo "${content-7}" >"$record"
  _registry_lock_judge() { did+=" judge:$1:$2" rl_verdict=$verdict; }
  _registry_lock_revoke() { did+=" revoke:${1##*/}" && return "$revokes"; }
  _registry_lock_note_stuck() { did+=' stuck'; }
  _registry_lock_old_remove() { did+=" remove:${1##*/}" && return "$removes"; }
  _registry_lock_say_broke() { did+=" say:$rl_kind:$rl_hpid:$rl_hid"; }
  status=0
  _registry_lock_old_break || status=$?
  same "$status$did $(ls -d lock.* lock/* 2>/dev/null)" "$1" || fail "with ${*:2}"
  rm -r lock*
}

@test "a record is taken, judged, and goes with its lock, or has its place again" {
  local own=(rl_kind=trial rl_hpid=9 rl_hid=y record=lock.trial.9.y.1)
  local other=(rl_kind=trial rl_hpid=8 rl_hid=z record=lock.trial.8.z.1)
  breaks '0 judge:7: remove:lock.trial.9.y.1 say:holder:7: lock.trial.9.y.1'
  breaks '1 judge:7: lock.holder' verdict=alive
  breaks '1 judge:7: lock.holder' verdict=unknown
  breaks '1 judge:7: remove:lock.trial.9.y.1 stuck lock.holder' removes=1
  breaks '0 judge:7: remove:lock.trial.9.y.1 say:holder:7: lock.trial.9.y.1' "${own[@]}"
  breaks '1 judge:7: lock.holder' "${own[@]}" verdict=alive
  breaks '0 revoke:lock.slot.8.z judge:7: remove:lock.trial.9.y.1 say:holder:7: lock.trial.9.y.1' "${other[@]}"
  breaks '1 revoke:lock.slot.8.z judge:7: lock.holder' "${other[@]}" verdict=alive
  breaks '1 revoke:lock.slot.8.z lock.trial.8.z.1' "${other[@]}" revokes=1
  breaks '1 lock.holder' content=x
  breaks '0 judge:7: remove:trial.9.y.1 say:holder:7: lock/trial.9.y.1' rl_state=inside record=lock/holder
  breaks '1 judge:7: lock/pid' rl_state=inside record=lock/pid verdict=alive
  breaks '1 revoke:lock.slot.8.z judge:7: lock/holder' "${other[@]}" rl_state=inside record=lock/trial.8.z.1 verdict=alive
}

# goes WANT [TIME-OF-LOCK [TIME-OF-HOLDER]]: so LOCK goes, whose record was taken in 2003 from beside it; these
# years are those of LOCK and of another record beside it.
goes() {
  local rl_lock=$LOCK rl_slot=slot rl_name=lock rl_dir=$DIR rl_state=${rl_state-beside} did=''
  mkdir "$LOCK" && touch "$LOCK.trial.9.y.1"
  [ -z "${3-}" ] || touch -t "${3}01010000" "$LOCK.holder"
  touch -t 200301010000 "$LOCK.trial.9.y.1"
  touch -t "${2}01010000" "$LOCK"
  _registry_lock_remove() { did+=" remove:$*" && return 9; }
  _registry_lock_set_aside() { did+=" aside:$1:${2##*/}"; }
  status=0
  _registry_lock_old_remove "$LOCK.trial.9.y.1" || status=$?
  [ -e "$LOCK" ] || did+=' gone'
  same "$status$did" "$1" || fail "with ${*:2}"
  rm -rf lock*
}

@test "a lock beside which its record lay goes where it is no younger, and no other record is as young" {
  goes '0 aside:slot:lock.trial.9.y.1 gone' 2002
  goes '0 aside:slot:lock.trial.9.y.1 gone' 2003
  goes 1 2004
  goes 1 2002 2002
  goes 1 2002 2003
  goes '0 aside:slot:lock.trial.9.y.1 gone' 2002 2001
  rl_state=inside goes "9 remove:slot lock $DIR lock.trial.9.y.1" 2004
}
