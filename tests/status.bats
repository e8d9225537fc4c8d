#!/usr/bin/env bats
# status.bats: what is said of a lock, and that it is true.

# shellcheck disable=SC1003,SC2001,SC2016,SC2030,SC2031,SC2059,SC2086 # code for drivers, and words
load helper

# shows STATE VERDICT REASON STATUS [LOCK]: so says the status of LOCK, as JSON and as text.
shows() {
  need_jq
  run registry-lock status --json "${5-$LOCK}"
  status_is "$4" && same "$(json '[.state, .verdict, .reason] | map(. // "-") | join(" ")')" "$1 $2 $3" &&
    json=$output || return
  run registry-lock status "${5-$LOCK}"
  status_is "$4" && says "${5-$LOCK}: $1"
}

# hold_elsewhere: `other` holds LOCK in a pid namespace of its own.
hold_elsewhere() {
  need_root
  need_unshare -p -f --mount-proc --kill-child
  start other 'registry_lock_acquire "$LOCK" 5 || exit; tell held; hear; registry_lock_release' \
    unshare -p -f --mount-proc --kill-child
  expect other held
}

@test "a free lock is free, and there is nothing to type" {
  shows free - - 0
  same "$output" "$LOCK: free"
  same "$(jq -c '[.pid, .id, .token, .host, .command, .since, .next, .waiters]' <<<"$json")" \
    '[null,null,null,null,null,null,null,[]]'
}

@test "a lock in a folder that isn't there is free" {
  shows free - - 0 "$DIR/none/lock"
}

@test "in JSON a key that the record lacks is null" {
  stranger
  local key
  for key in host since command; do
    forge "$LOCK" "holder.$stranger_pid.$stranger_id.1" 'registry-lock 1' "pid $stranger_pid" \
      "$(printf '%s\n' 'host h' 'since s' 'command c' | grep -v "^$key")"
    shows held alive running 1
    same "$(jq -c '[.host, .since, .command]' <<<"$json" | tr -d '"hsc[],')" null
    rm -r "$LOCK"
  done
  alive "$stranger_pid"
}

# reads HOST/SINCE/COMMAND LINE...: that is read in an entry of the stranger's with those LINEs.
reads() {
  local wanted=$1
  shift
  forge "$LOCK" "holder.$stranger_pid.$stranger_id.1" "$@"
  run registry_lock_status --json "$LOCK"
  rm -r "$LOCK"
  same "$(json '[.host, .since, .command] | join("/")')" "$wanted"
}

@test "a record is read by its keys in any order, and nothing of one in which a key stands twice" {
  need_jq
  stranger
  local n line lines usual=('registry-lock 1' "pid $stranger_pid" 'start x' 'host h' 'since s' 'command c')
  reads h/s/c 'command c' x 'since s' "pid $stranger_pid" '' 'host h'
  for n in 0 2 3 4 5; do
    for line in 'host h' 'since s' 'command c'; do
      lines=("${usual[@]}") && lines[n]=$line
      [ "${usual[n]}" = "$line" ] || reads // "${lines[@]}"
    done
  done
  reads // "${usual[@]}" 'host h'
  printf -v line %300s x
  reads "h/s/${line:0:200}" "${usual[@]:0:5}" "command $line"
  usual[3]=$'host h\001'
  reads 'h?/s/c' "${usual[@]}"
}

@test "a held lock is shown with its holder, his user, host and time, and that he is running" {
  hold other
  shows held alive running 1
  says "  holder   process $other_pid (other.sh), user $(id -un), on $HOSTNAME, since 2"
  says 'Z (0 min '
  says '  verdict  alive: it is running'
  says "  token    $other_pid.$(identity "$other_pid").1"
  same "$(next_command)" "ps -fp $other_pid"
  alive "$other_pid"
}

@test "the user of a live holder is his own, whoever asks" {
  need_root
  command -v setpriv >/dev/null || skip 'needs setpriv'
  setpriv --reuid=65534 --regid=65534 --clear-groups sleep 60 3>&- &
  pids="$pids $!"
  until [ "$(ps -o uid= -p $! | tr -d ' ')" = 65534 ]; do :; done
  forge "$LOCK" "holder.$!.$(identity $!).1"
  run registry-lock status "$LOCK"
  says "process $!, user $(id -un 65534)"
}

@test "a ps that fails names no user" {
  hold other
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\necho somebody\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/ps"
  chmod +x "$BATS_TEST_TMPDIR/bin/ps"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run registry_lock_status "$LOCK"
  status_is 1
  lacks "$output" ', user '
}

@test "a stopped holder is held, and the command printed lets him go on" {
  hold other
  kill -STOP "$other_pid"
  shows held alive stopped 1
  says "verdict  alive: it is stopped; kill -CONT $other_pid lets it go on"
  run bash -c "$(next_command)"
  send other go
  ended other
}

@test "the lock of a killed holder is stale: not running" {
  killed_holder other
  shows stale gone not-running 2
  says "  holder   process $other_pid (other.sh), on $HOSTNAME, since 2"
  says '  verdict  gone: it is not running'
  same "$(next_command)" "registry-lock break $LOCK"
}

@test "the lock of a holder whose number another process has now is stale: recycled" {
  stranger
  forge "$LOCK" "holder.$stranger_pid.${stranger_id%_*}_1.1"
  shows stale gone recycled 2
  says 'verdict  gone: its number was recycled, another process has it now'
  lacks "$output" 'user '
  alive "$stranger_pid" "$stranger_id"
}

@test "the lock of a holder that nobody has reaped is stale: a zombie" {
  start parent 'sleep 60 & tell $!; hear'
  local child id
  child=$(listen parent) && pids="$pids $child"
  id=$(identity "$child")
  kill -STOP "$parent_pid"
  kill -KILL "$child"
  until [ "$(procid "$child" "$id")" = gone ]; do :; done
  kill -0 "$child"
  forge "$LOCK" "holder.$child.$id.1"
  shows stale gone zombie 2
  says 'its parent has not asked for its status yet'
}

@test "the lock of an earlier boot is stale" {
  in_initial_namespaces
  stranger
  forge "$LOCK" "holder.$stranger_pid.${stranger_id:0:11}0123456789${stranger_id:21}.1"
  shows stale gone earlier-boot 2
  says 'verdict  gone: it belongs to an earlier boot of this machine'
}

@test "a holder in another pid namespace can't be asked, dead or alive" {
  hold_elsewhere
  shows unknown unknown other-pid-namespace 1
  says "recorded in another container (another pid namespace), so whether it lives can't be asked from here"
  slay other
  shows unknown unknown other-pid-namespace 1
  same "$(next_command)" "registry-lock break --force $LOCK $(jq -r .token <<<"$json")"
}

@test "from a pid namespace a holder outside can't be asked" {
  hold other
  need_root
  need_unshare -p -f --mount-proc
  run unshare -p -f --mount-proc registry-lock status "$LOCK"
  status_is 1
  says "process $other_pid"
  says 'another pid namespace'
  alive "$other_pid"
}

# Case 36.
@test "two containers with one host name, each with its process 1, don't take each other for dead" {
  need_root
  need_unshare -p -u -f --mount-proc --kill-child
  start other 'registry_lock_acquire "$LOCK" 5 || exit; tell "held by $BASHPID"; hear' \
    unshare -p -u -f --mount-proc --kill-child bash -c 'hostname box; exec "$0" "$@"'
  expect other 'held by 1'
  run unshare -p -u -f --mount-proc bash -c 'hostname box
    exec bash -c "$0" 1 2' "HOSTNAME=box; . '$library'; echo \"\$BASHPID\"; registry_lock_acquire '$LOCK' 0"
  status_is 75
  says 'another pid namespace'
  held_by 1
}

# Case 40.
@test "a record of another machine or another boot that isn't surely this machine's is unknown" {
  corpse
  local machine=${dead_id:0:11}
  forge "$LOCK" "holder.$dead_pid.${machine:0:1}01234567890123456789_0_0_7.1" "pid $dead_pid" 'host localhost'
  shows unknown unknown other-machine 1
  says 'recorded on another machine'
  rm -r "$LOCK"
  forge "$LOCK" "holder.$dead_pid.${machine}0123456789_5_0_7.1" "pid $dead_pid" "host $HOSTNAME"
  shows unknown unknown other-boot 1
  says "or in an earlier boot that can't be proven to be this one's"
}

@test "a dead holder is dead under any host name: that is only a label" {
  corpse
  forge "$LOCK" "holder.$dead_pid.$dead_id.1" "pid $dead_pid" 'host renamed-by-dhcp'
  run registry_lock_acquire "$LOCK" 0
  status_is 0
}

@test "an entry without an identity is judged on its own host alone" {
  corpse
  forge "$LOCK" "holder.$dead_pid..1" 'registry-lock 1' "pid $dead_pid" "host elsewhere"
  shows unknown unknown other-host 1
  says "holder   process $dead_pid, on elsewhere"
  rm -r "$LOCK"
  forge "$LOCK" "holder.$dead_pid..1" 'registry-lock 1' "pid $dead_pid" "host $HOSTNAME"
  shows stale gone not-running 2
}

@test "without a procid nobody is called dead" {
  killed_holder other
  REGISTRY_LOCK_PROCID=/none shows unknown unknown no-procid 1
  says 'there is no working procid on PATH'
}

@test "a directory without a record is unknown, and left alone" {
  mkdir "$LOCK"
  shows unknown unknown no-record 1
  says 'verdict  unknown: no holder is recorded; it is left alone'
  same "$(next_command)" "registry-lock break --force $LOCK"
}

@test "a damaged record is unknown, and the only name in it is the token" {
  forge "$LOCK" 'holder.0.x.1'
  shows unknown unknown damaged 1
  says 'the record names no usable process'
  same "$(next_command)" "registry-lock break --force $LOCK holder.0.x.1"
  same "$(jq -c '[.pid, .id, .token]' <<<"$json")" '[null,null,"holder.0.x.1"]'
  touch "$LOCK/more"
  shows unknown unknown damaged 1
  same "$(next_command)" "ls -la $LOCK"
}

@test "a file or a link in the way is no lock" {
  touch file && ln -s nowhere link && mkdir dir && ln -s dir dirlink
  local name
  for name in file link dirlink; do
    shows unknown unknown not-a-lock 1 "$DIR/$name"
    same "$(next_command)" "ls -ld $DIR/$name"
  done
}

@test "what a user may not look into he is told, not that it is free" {
  mkdir -m 700 "$LOCK" closed closed/in
  chmod 700 closed
  as_nobody "registry_lock_status '$LOCK'"
  status_is 1
  says "unknown: it is hidden from this user, so whether it lives can't be asked from here"
  as_nobody "registry_lock_status '$DIR/closed/lock' '$DIR/closed/in/deep/lock'"
  status_is 1
  says "$DIR/closed/lock: unknown"
  says "$DIR/closed/in/deep/lock: unknown"
  lacks "$output" free
}

# Case 2.
@test "a lock that goes in the middle of a look is free, not closed" {
  _registry_lock_load status json
  mkdir "$LOCK"
  eval "$(declare -f _registry_lock_look_once | sed 's/rl_state=closed;*/&\nrm -rf -- "$1";/')"
  run registry_lock_status "$LOCK"
  status_is 0
  same "$output" "$LOCK: free"
}

@test "a directory that was seen empty, and goes in the middle of a look, is free, not closed" {
  _registry_lock_load status json
  mkdir "$LOCK"
  eval "$(declare -f _registry_lock_look_once | sed 's/rl_state=closed;*/&\n((++looks < 5)) || rm -rf -- "$1";/')"
  looks=0
  run registry_lock_status "$LOCK"
  status_is 0
  same "$output" "$LOCK: free"
}

@test "a holder that /proc hides from a user is not called dead" {
  hold other
  need_unshare -m
  chmod 777 "$DIR" "$LOCK"
  as_nobody 'true'
  run unshare -m bash -c "mount -t proc -o hidepid=2 none /proc || exit 99
    exec setpriv --reuid=65534 --regid=65534 --clear-groups bash -c \"
      PATH='$BATS_TEST_TMPDIR/public':\\\$PATH; . '$BATS_TEST_TMPDIR/public/lib/${library##*/}'
      registry_lock_status --json '$LOCK'\""
  [ "$status" != 99 ] || skip 'needs to mount a proc with hidepid'
  status_is 1
  says '"verdict":"unknown"'
  alive "$other_pid"
}

@test "a lock that a live process is removing says who that is" {
  killed_holder other
  start c 'stop_at _registry_lock_remove; registry_lock_acquire "$LOCK" 0'
  expect c 'at _registry_lock_remove'
  shows held alive removing 1
  says "  remover  process $c_pid"
  same "$(jq .pid <<<"$json")" "$c_pid"
  alive "$c_pid"
  slay c
  shows stale gone not-running 2
  says "  remover  process $c_pid"
  rm -r "$LOCK"
  stranger
  forge "$LOCK" "trial.$stranger_pid.$stranger_id.1"
  shows held alive judging 1
}

@test "those who wait are listed, the killed and the holder are not" {
  hold other
  start one 'registry_lock_acquire "$LOCK" 30 && hear'
  start two 'registry_lock_acquire "$LOCK" 30 && hear'
  start three 'registry_lock_acquire "$LOCK" 30 && hear'
  for pid in $one_pid $two_pid $three_pid; do
    until [ -d "$LOCK.slot.$pid.$(identity "$pid")/lock" ]; do :; done
  done
  slay two
  shows held alive running 1
  same "$(jq -c '.waiters | sort' <<<"$json")" "$(printf '%s\n' $one_pid $three_pid | sort -n | jq -sc .)"
  says '  waiters  '
  says "$one_pid"
  lacks "$output" "$two_pid"
}

@test "a waiter of a lock whose name begins alike is not this lock's" {
  hold other "$DIR/lock.slot"
  start one 'registry_lock_acquire "$LOCK.slot" 30'
  until [ -d "$LOCK.slot.slot.$one_pid.$(identity "$one_pid")/lock.slot" ]; do :; done
  shows free - - 0
  same "$(jq -c .waiters <<<"$json")" '[]'
}

@test "of several locks each is shown, and the status is the worst" {
  hold other "$DIR/held"
  killed_holder dead "$DIR/stale"
  run registry-lock status free held
  status_is 1
  run registry-lock status stale free held
  status_is 2
  says "$DIR/stale: stale"
  says "$DIR/free: free"
  says "$DIR/held: held"
  need_jq
  run registry-lock status -j stale free held
  same "$(json .state | tr '\n' ' ')" 'stale free held '
}

@test "JSON has the documented keys, in one line, each with its type" {
  need_jq
  hold other
  run registry-lock status --json "$LOCK" "$DIR/free"
  same "$(jq -c keys_unsorted <<<"${lines[0]}")" \
    '["lock","state","verdict","reason","pid","id","token","host","command","since","scope","waiters","next"]'
  same "$(jq -c keys_unsorted <<<"${lines[1]}")" "$(jq -c keys_unsorted <<<"${lines[0]}")"
  same "$(jq -c 'map_values(type)' <<<"${lines[0]}" | tr -d '"{}' | tr , '\n' | grep -v string)" \
    $'pid:number\nwaiters:array'
  same "${#lines[@]}" 2
}

@test "JSON is valid for every odd path, and gives it back" {
  need_jq
  odd_names
  run registry-lock status --json -- "${odd_names[@]/#/$DIR/}"
  status_is 0
  same "${#lines[@]}" "${#odd_names[@]}"
  local n wanted
  for n in "${!odd_names[@]}"; do
    wanted=$(printf '%s.' "$DIR/${odd_names[n]}" | jq -Rs .)
    same "$(jq '.lock + "."' <<<"${lines[n]}")" "$wanted"
  done
}

@test "JSON has no control character of a path as such, neither C0 nor C1" {
  run registry-lock status --json $'a\x1f\x7f\xc2\x80\xc2\x9f\xc2\xa0z'
  contains "$output" $'/a\\u001f\\u007f\\u0080\\u009f\xc2\xa0z"'
}

@test "JSON is valid for every odd record, and no control character is in it" {
  need_jq
  odd_names
  stranger
  local n
  for n in "${!odd_names[@]}"; do
    forge "$DIR/$n" "holder.$stranger_pid.$stranger_id.1" 'registry-lock 1' "pid $stranger_pid" \
      "command ${odd_names[n]}" "host ${odd_names[n]}" "since ${odd_names[n]}"
  done
  run registry-lock status --json "${!odd_names[@]}"
  status_is 1
  same "${#lines[@]}" "${#odd_names[@]}"
  same "$(json .state | sort -u)" held
  same "$(json '(.command, .host, .since) // empty' | tr -d '\n' | tr -d '[:print:]\200-\377')" ''
  alive "$stranger_pid"
}

@test "each byte of a path is as JSON wants it" {
  need_jq
  local n all='' byte
  for n in $(seq 1 255); do
    [ "$n" != 47 ] || continue
    printf -v byte '\\x%02x' "$n"
    printf -v byte "$byte"
    all+=$byte
  done
  run registry-lock status -j -- "$DIR/$all"
  status_is 0
  printf '%s' "$output" | jq -e . >/dev/null
  local ascii=$((${#DIR} + 127))
  same "$(json .lock | head -c "$ascii")" "$(printf '%s' "$DIR/$all" | head -c "$ascii")"
}

@test "UTF-8 stays, and what is no UTF-8 is replaced byte by byte" {
  need_jq
  local word
  for word in 'é' '€' '𝄞' $'\xed\x9f\xbf' $'\xf4\x8f\xbf\xbf'; do
    run registry-lock status -j "$DIR/$word"
    same "$(json .lock)" "$DIR/$word"
  done
  for word in $'\xc0\x80' $'\xed\xa0' $'\xf5\x80' $'\xe2\x82' $'\x80\xff'; do
    run registry-lock status -j "$DIR/$word."
    same "$(json .lock)" "$DIR/$(printf '\xef\xbf\xbd\xef\xbf\xbd')."
  done
}

@test "in text a path has no control characters, and the command is one to paste" {
  odd_names
  local name
  for name in "${odd_names[@]}"; do dead_lock_at "$DIR/$name"; done
  run registry-lock status -- "${odd_names[@]}"
  status_is 2
  same "$(printf '%s' "$output" | LC_ALL=C tr -d '\n[:print:]\200-\377')" ''
  paste "$(next_command)"
  status_is 0
  no_litter
}

@test "the age is told in its two largest units, and only of a time that can be" {
  local since
  stranger
  for since in 2001-01-01T00:00:00Z:' d ' 9999-01-01T00:00:00Z:'' soon:'' 2001-01-01T00:00:0xZ:'' 2001-99-99T99:99:99Z:; do
    rm -rf "$LOCK"
    forge "$LOCK" "holder.$stranger_pid.$stranger_id.1" 'registry-lock 1' "pid $stranger_pid" "since ${since%:*}"
    run registry-lock status "$LOCK"
    status_is 1
    says "since ${since%:*}"
  done
  rm -rf "$LOCK"
  forge "$LOCK" "holder.$stranger_pid.$stranger_id.1" x "pid $stranger_pid" 'since 2001-01-01T00:00:00Z'
  local days=$((($(date +%s) - 978307200) / 86400))
  run registry-lock status "$LOCK"
  says "($days d "
}

@test "looking changes nothing" {
  local before
  killed_holder dead "$DIR/stale"
  hold other
  mkdir empty && forge "$DIR/old" holder 'pid 4'
  before=$(listing .)
  run registry-lock status lock stale empty old free
  run registry-lock status --json lock stale empty old free
  same "$(listing .)" "$before"
}

@test "the function says the same as the command" {
  local name
  hold other
  killed_holder dead "$DIR/stale"
  for name in lock stale free; do
    run registry-lock status -j "$name"
    local by_command=$status$output
    run registry_lock_status -j "$name"
    same "$status$output" "$by_command"
  done
  here registry_lock_status stale
  status_is 2
  says "$DIR/stale: stale"
}

@test "no lock, a wrong option and an empty name are usage errors" {
  run registry-lock status
  status_is 64
  says 'usage: registry-lock status [--json] LOCK...'
  run registry-lock status --jason "$LOCK"
  status_is 64
  says 'no such option: --jason'
  run registry-lock status ''
  status_is 64
}

# members FUNCTION [VARIABLE=VALUE...]: status and rl_line after it, for a lock of process 7 with these.
members() {
  local rl_public=held rl_verdict=alive rl_why=running rl_hpid=7 rl_hid=x rl_token=7.x.1 rl_host=h LC_ALL=C
  local rl_lock=/l rl_command=c rl_since=s rl_next=n function=$1
  [ -z "${2-}" ] || local "${@:2}"
  rl_line='' status=0
  "$function" ',"more":1' || status=$?
}

@test "JSON is the same by the short way and the long one, and the short one is not taken to anything odd" {
  local name key char all
  all='"lock":"/l","state":"held","verdict":"alive","reason":"running","pid":7,"id":"x","token":"7.x.1"'
  all+=',"host":"h","command":"c","since":"s","more":1,"next":"n"'
  registry_lock_status none >/dev/null # reads what is tested
  members _registry_lock_json_usual
  same "$status$rl_line" "0$all"
  for name in hpid=pid hid=id host=host command=command since=since next=next; do
    key=${name#*=} name=rl_${name%=*}
    members _registry_lock_json_usual "$name="
    same "$status$rl_line" 1
    members _registry_lock_json_fields "$name="
    same "$rl_line" "$(sed "s/\"$key\":[^,]*/\"$key\":null/" <<<"$all")"
    [ "$key" != pid ] && [ "$key" != id ] || continue
    for char in '\' '"' $'\t' $'\x7f' $'\xc3\xa4'; do
      members _registry_lock_json_usual "$name=a${char}b"
      same "$status$rl_line" 1
    done
    members _registry_lock_json_fields "$name=a\\b\"c\\\\"
    contains "$rl_line" "\"$key\":\"a\\\\b\\\"c\\\\\\\\\""
  done
  members _registry_lock_json_fields
  same "$rl_line" "$all"
  _registry_lock_json_usual() { return 1; }
  members _registry_lock_json_fields
  same "$rl_line" "$all"
}

@test "a character has the length that its first byte says, and only if its others are there" {
  local LC_ALL=C rl_length length text
  registry_lock_status none >/dev/null # reads what is tested
  while read -r length text; do
    printf -v text '%b' "$text"
    rl_length=''
    _registry_lock_utf8_length "$text"
    same "$rl_length" "$length" || fail "$(printf '%s' "$text" | od -An -tx1)"
  done <<'TABLE'
2 \xc2\x80
2 \xdf\xbfx
3 \xe0\xa0\x80
3 \xe0\xbf\xbf
3 \xe1\x80\xbf
3 \xec\xbf\x80
3 \xed\x9f\xbf
3 \xee\x80\x80x
3 \xef\xbf\xbf
4 \xf0\x90\x80\x80
4 \xf0\xbf\xbf\xbf
4 \xf1\x80\xbf\x80
4 \xf2\x80\x80\xbfx
4 \xf3\xbf\x80\x80
4 \xf4\x80\x80\x80
4 \xf4\x8f\xbf\xbf
0 \x80
0 \xbf\x80
0 \xc0\x80
0 \xc1\xbf
0 \xc2
0 \xc2\x7f
0 \xc2\xc0
0 \xe0\x9f\xbf
0 \xe0\xa0
0 \xe1\x80
0 \xe1\x80\xc0
0 \xed\xa0\x80
0 \xef\x7f\x80
0 \xf0\x8f\xbf\xbf
0 \xf0\x90\x80
0 \xf1\x80\x80
0 \xf2\x80\xc0\x80
0 \xf3\x80\x80\x7f
0 \xf4\x90\x80\x80
0 \xf4\x80\x80
0 \xf5\x80\x80\x80
0 \xff
TABLE
}
