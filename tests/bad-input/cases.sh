# shellcheck shell=bash
# cases.sh: what is tried, group by group. For group.sh.
# shellcheck disable=SC2034,SC2154,SC2016 # shared with group.sh; texts that must not be expanded

# names: paths of locks.
group_names() {
  local name long deep
  printf -v long '%0255d' 0
  printf -v deep '%01000d/' 0 0 0 0 0
  : >"$dir/file" && mkfifo "$dir/fifo" && ln -s none "$dir/dangling" && ln -s live "$dir/link" && ln -s loop "$dir/loop"
  for name in "${words[@]}" "${own_names[@]}" "$long" "0$long" a/ a// ./a .//a a/.; do
    input "the name $(printf '%q' "${name:0:40}")"
    place && mkdir -p "${lock%/*}" && all_on "${lock%/*}/$name"
    cd -- "${lock%/*}" && all_here "$name"
  done
  cd -- "$dir" || return
  for name in '' . .. / // /. /.. ./ ../ none/lock file file/lock file/ fifo fifo/x dangling dangling/ dangling/x \
    link/lock link loop loop/x /dev/null /dev/null/x /dev/fd/0 /proc/self /proc/self/fd /proc/self/fd/0 /proc/1/x \
    "$long/$long" "$deep" "/$deep/x"; do
    input "the path $(printf '%q' "${name:0:40}")"
    all_on "$name"
    try registry_lock_doctor --fix "$name/none"
  done
  cd -- "$dir/place" && look_at_all "$dir/place"
}

# all_here NAME: a relative path, which may look like an option.
all_here() {
  try registry_lock_acquire "$1" 0 && { try registry_lock_release "$1" || bad 'a relative path is not given back'; }
  try registry_lock_status "$1"
  try registry_lock_break -- "$1"
  try "$root/bin/registry-lock" run -w 0 -- "$1" true
}

# entries: names of the lone entry, and what else may lie in a lock.
group_entries() {
  local word kind other=${live_id%?}x
  [[ $other != "$live_id" ]] || other=${live_id%?}y
  for kind in holder claim trial; do
    for word in '' 0 01 -1 +1 1x ' 1' '1 ' 1.5 0x10 2147483648 99999999999999999999 '*' '$$' $'1\n2' $'\e[1m' ½ "$live"; do
      named live "$kind.$word.$live_id.1"
    done
    for word in '' A ' ' '*' '.' '..' '$(touch ran)' x y- "x$live_id" "${live_id:0:20}" é $'\x01' $'\xc2\x9b' \
      "$(printf '%049d' 0)" "$(printf '%048d' 0)" unknown; do
      named live "$kind.$live.$word.1"
    done
    for word in '' 0 01 -1 1x 2147483648 '*' 1.1 $'1\n' $'\x7f' 7; do named live "$kind.$live.$live_id.$word"; done
    named gone "$kind.$gone.$gone_id.1"
    named gone "$kind.$live.$other.1"
  done
  for kind in '' Holder HOLDER hold holders ' holder' 'holder ' -holder .holder 'holder holder' $'holder\n' slot pid; do
    named live "$kind.$live.$live_id.1"
    named live "$kind"
  done
  for word in "${words[@]}" "${own_names[@]}" "$(printf 'holder.%0240d' 0)"; do named live "$word"; done
  odd_locks
  look_at_all "$dir/place"
}

# named GONE-OR-LIVE ENTRY: a lock with that entry alone.
named() {
  [[ -n $2 && $2 != . && $2 != .. ]] || return 0
  input "the entry $(printf '%q' "${2:0:60}")"
  entry "$1" "$2"
}

# odd_locks: more than an entry, or no file.
odd_locks() {
  local good=holder.$live.$live_id.1 dead=holder.$gone.$gone_id.1
  odd_lock 'two entries' "touch '$good' '$dead'"
  odd_lock 'a claim beside a holder' "touch '$good' 'claim.$gone.$gone_id.1'"
  odd_lock 'two that are gone' "touch '$dead' 'claim.$gone.$gone_id.2'"
  odd_lock 'a hidden file beside' "touch '$good' .x"
  odd_lock 'a hidden entry alone' "touch '.$good'"
  odd_lock 'an entry that is a directory' "mkdir '$good'"
  odd_lock 'an entry that is a full directory' "mkdir '$good' && touch '$good/x'"
  odd_lock 'an entry that is a FIFO' "mkfifo '$good'"
  odd_lock 'an entry that is a dangling link' "ln -s none '$good'"
  odd_lock 'an entry that is a link to a device' "ln -s /dev/zero '$good'"
  odd_lock 'a holder file that is a device' 'ln -s /dev/zero holder'
  odd_lock 'a pid file that is a FIFO' 'mkfifo pid'
  odd_lock 'a pid file that is a directory' 'mkdir pid'
  odd_lock 'a lock in it' "mkdir lock && touch 'lock/$good'"
  odd_lock 'a slot in it' "mkdir 'lock.slot.$live.$live_id'"
  odd_lock 'three hundred entries' 'for i in $(seq 300); do : >"holder.$i.x.1"; done'
  odd_lock 'nothing' ':'
}

odd_lock() { # NAME CODE
  input "a lock with $1"
  if ! place || ! mkdir "$lock" || ! (cd -- "$lock" && eval "$2"); then bad 'the case can not be made'; fi
  stays "$lock"
  all_on "$lock"
}

# contents: what stands in the entry. The name decides; the content is only shown.
group_contents() {
  local text head="registry-lock 1"$'\n'
  for text in "${words[@]}"; do
    content "host $text" "${head}pid $live"$'\n'"host $text"$'\n'
    content "command $text" "${head}pid $live"$'\n'"command $text"$'\n'
    content "$text" "$text"
  done
  for text in '' 0000-00-00T00:00:00Z 9999-99-99T99:99:99Z 2026-02-30T00:00:00Z 2026-08-09T08:09:08Z 2026-01-01T00:00:00 \
    1969-12-31T23:59:59Z 2999-01-01T00:00:00Z -001-01-01T00:00:00Z 'a[$(touch ran)]--T::Z' '99999999999' $'2026\e[1m' \
    '2026-01-01t00:00:00z' '2026-0x-01T00:00:00Z' "${numbers[@]}"; do
    content "since $text" "${head}pid $live"$'\n'"since $text"$'\n'
  done
  for text in "pid $gone" "pid $live"$'\n'"pid $gone" "start x"$'\n'"start y" "host a"$'\n'"host b" pid 'pid ' 'pid 0' "PID $live"; do
    content "$text" "$head$text"$'\n'
  done
  printf -v text '%5000s' x
  content 'a long line' "$text"
  content 'many lines' "${text// /$'\n'}"
  content 'a long command' "${head}pid $live"$'\n'"command $text"
  input 'a content of NULs' && entry live "holder.$live.$live_id.1" && head -c 9000 /dev/zero >"$lock/holder.$live.$live_id.1" && all_on "$lock"
  look_at_all "$dir/place"
}

content() { # NAME TEXT
  input "the content $(printf '%q' "${1:0:40}")"
  entry live "holder.$live.$live_id.1" "$2"
  entry_gone_too "$2"
}

# entry_gone_too TEXT: the same of a process that is gone, which is broken and shown.
entry_gone_too() {
  local lock=$lock.gone
  mkdir "$lock" && printf '%s' "$1" >"$lock/holder.$gone.$gone_id.1"
  try registry_lock_acquire "$lock" 0 || bad "the lock of a gone process was not to be had ($?)"
  try registry_lock_release "$lock" || bad 'it could not be given back'
}

# older: the records of older scripts, in the directory and beside it.
group_older() {
  local text
  for text in "${numbers[@]}" "${words[@]}" "$live" "pid $live" "pid  $live" "pid $live x" "pid=$live" "pid $live"$'\r' "+$live" \
    "0$live" "$live"$'\n'"$gone" "pid $live"$'\n'"pid $live" "pid $gone"$'\n'"host elsewhere" "pid $gone"$'\n'"host a"$'\n'"host b" \
    "host $HOSTNAME" "graff-owner 1 pid=$live" "graff-owner 2 pid=$live" "graff-owner 1 pid=" "graff-owner 1 pid=0$live" \
    "graff-owner 1 pid=$live start=x" "$(printf '%4090s\npid %s' x "$gone")" "pid $gone $(printf '%5000s' x)" "host $gone"; do
    input "an older record $(printf '%q' "${text:0:40}")"
    older holder "$text"
    older pid "$text"
    place_beside "$text"
  done
  look_at_all "$dir/place"
}

older() { # NAME TEXT
  lock=$dir/place/$inputs.$1/lock
  mkdir -p "$lock" && printf '%s\n' "$2" >"$lock/$1"
  is_pid "$2" || stays "$lock/$1"
  all_on "$lock"
}

place_beside() { # TEXT
  place && mkdir "$lock" && printf '%s\n' "$1" >"$lock.holder"
  is_pid "$1" || stays "$lock.holder"
  all_on "$lock"
}

# leases: records of a lease.
group_leases() {
  local text whole
  whole="registry-lease 1"$'\n'"pid $live"$'\n'"start $live_id"$'\n'"host $HOSTNAME"$'\n'"token 1.x.1"$'\n'
  for text in "${words[@]}"; do
    lease "$whole""session $text"$'\n'
    lease "$whole""identity $text"$'\n'
    lease "$whole""command $text"$'\n'
    lease "${whole/1.x.1/$text}"
    lease "registry-lease $text"
  done
  for text in "${numbers[@]}"; do
    is_pid "$text" || lease "${whole/pid $live/pid $text}"
    lease "$whole""since $text"$'\n'
  done
  for text in "$whole$whole" "${whole%token*}" "${whole/host/hast}" "${whole/start $live_id/start }" "${whole/start/star}" \
    "${whole/$live_id/X}" "${whole/lease 1/lease 2}" "${whole/lease 1/lease 1 }" "$whole$(printf '%4100s' x)" \
    "pid $live" "$live" "graff-owner 1 pid=$live" ''; do
    lease "$text"
  done
  try "$root/bin/registry-lock" lease list "$dir/place"
  look_at_all "$dir/place"
}

# is_pid WORD: a process may have that number; which may be none, or another than the record says.
is_pid() { [[ ${1%$'\n'} =~ ^[1-9][0-9]{0,9}$ && $1 != "$live" ]] && (($1 <= 2147483647)); }

# lease TEXT: nobody may claim, refresh or release it, but where it is damaged and "damaged" is given.
lease() {
  local file
  input "a lease $(printf '%q' "${1: -50}")"
  place && file=${lock%lock}owner && printf '%s' "$1" >"$file"
  try registry_lease_verdict "$file"
  try registry_lease_claim "$file" $$ && bad 'it was claimed'
  try registry_lease_refresh "$file" wrong $$ && bad 'it was refreshed'
  try registry_lease_release "$file" wrong && bad 'it was released'
  [[ $(cat "$file" && echo .) == "$1." ]] || bad 'the record was changed'
}

# numbers: where a number is to be given.
group_numbers() {
  local word
  for word in "${numbers[@]}" "${words[@]}"; do
    input "the number $(printf '%q' "$word")"
    place
    try registry_lock_acquire "$lock" "$word" && try registry_lock_release "$lock"
    try registry_lock_run -w "$word" "$lock" true
    try registry_lock_run -n -E "$word" "$lock" true
    try registry_lock_doctor --depth "$word" "${lock%/*}"
    try registry_lock_doctor --fix --grace "$word" "${lock%/*}"
    try registry_lock_doctor "--depth=$word" "--grace=$word" "${lock%/*}"
    try registry_lock_break --force "$dir/live/lock" "$word"
    try registry_lease_claim "${lock%lock}owner" "$word" && rm "${lock%lock}owner"
    try registry_lease_refresh "${lock%lock}owner" "$word" "$word"
    try registry_lock_status "--$word"
    try registry_lock_doctor "-$word"
  done
}

# outside WORD...: env WORD... and every command, in a shell of its own.
outside() {
  try env "$@" "$BASH" -c '. "$1/lib/registry-lock.sh" && builtin cd -- "$2" || exit 99
    for lock in "$2/live/lock" "$3"; do
      registry_lock_status "$lock"
      registry_lock_status --json "$lock"
      registry_lock_break "$lock"
      registry_lease_verdict "$lock"
      registry_lock_check "$lock"
    done
    registry_lock_doctor --fix "$2/live"
    registry_lock_acquire "$2/live/lock" 0
    if registry_lock_acquire "$3"; then registry_lock_check "$3" && registry_lock_release "$3"; fi' - "$root" "$dir" "$lock"
  ((commands += 13))
}

# environments: values of variables.
group_environments() {
  local name value
  for value in "${numbers[@]}"; do setting REGISTRY_LOCK_SECONDS "$value"; done
  for value in "${words[@]}" . 1 1.x.1 "$live.$live_id.1" "$live.$live_id.1 $live.$live_id.1" "$(printf '%0100000d' 0)"; do
    setting REGISTRY_LOCK_TOKENS "$value"
    setting HOSTNAME "${value:0:5000}"
  done
  for name in TMPDIR PATH HOME CDPATH PWD OLDPWD GLOBIGNORE IFS TZ TERM COLUMNS PS4 REGISTRY_LOCK_QUIET; do
    for value in '' / /none . '*' $'a\nb' '$(touch ran)' "$dir/file"; do setting "$name" "$value"; done
  done
  for name in _registry_lock_owner _registry_lock_own_id _registry_lock_exit _registry_lock_kept _registry_lock_temp \
    _registry_lock_loaded _registry_lock_states _registry_lock_count _registry_lock_hung rl_id rl_lock rl_pid rl_known_answer rl_status; do
    for value in '' 0 x gone 'touch ran' '$(touch ran)'; do setting "$name" "$value"; done
  done
  for value in errexit nounset posix noglob noclobber keyword errexit:nounset:pipefail physical; do
    setting SHELLOPTS "$value"
  done
  for value in nullglob failglob dotglob nocaseglob nocasematch extglob expand_aliases lastpipe xpg_echo; do setting BASHOPTS "$value"; done
  for value in C C.UTF-8 POSIX; do setting LC_ALL "$value"; done
  for value in 0 1 -1 x 99999999999; do setting TMOUT "$value"; done
  for name in mv mkdir rm rmdir ls cat ps sleep cp date kill printf read set trap unset shopt exec eval wait cd pwd type; do
    setting "BASH_FUNC_$name%%" '() { touch ran; }'
  done
}

setting() { # NAME VALUE
  input "$1=$(printf '%q' "${2:0:60}")"
  place
  outside "$1=$2"
}

# fake NAME CODE: a procid that runs CODE. With FAKE_HONEST it knows single processes.
fake() {
  local file=$dir/fake
  printf '#!/bin/sh\n[ -z "${FAKE_HONEST-}" ] || [ $# != 1 ] || exec procid "$@"\n%s\n' "$2" >"$file" && chmod +x "$file"
  input "a procid that $1"
  entry_of_gone
  FAKE_HONEST=1 REGISTRY_LOCK_PROCID=$file all_honest
  outside REGISTRY_LOCK_SECONDS=0 REGISTRY_LOCK_PROCID="$file"
}

# entry_of_gone: lock = one whose holder is gone, if somebody honest is asked.
entry_of_gone() { place && mkdir "$lock" && : >"$lock/holder.$gone.$gone_id.1"; }

all_honest() {
  export FAKE_HONEST REGISTRY_LOCK_PROCID
  all_on "$dir/live/lock"
  try registry_lock_doctor --json --fix "$dir/live" "${lock%/*}"
}

# answers: what procid may print. Who this process is, it asks the real one, before.
group_answers() {
  local answer
  registry_lock_check none
  for answer in '' ' ' '\n' '\n\n' gone 'gone ' ' gone\n' 'gone\n\n' 'gone\r\n' 'gone gone\n' 'gone\ngone\n' 'gone\nx' 'GONE\n' 'Gone\n' \
    'gone\0\n' '\0gone\n' 'gone\001\n' 'unknown\n' 'unknown unknown\n' 'alive\n' 'x\n' 'x y\n' '-\n' '.\n' '0\n' '*\n' '$(touch ran)\n' \
    '`touch ran`\n' '\033[31mgone\n' '\302\205\n' '\377\n' 'gone\t\n' "$live_id" "$live_id $live_id\\n" "$live_id\\n$live_id\\n" \
    "$gone_id\\n" "${live_id%????}0000\\n" "x${live_id#?}\\n" "${live_id}x\\n" 'end 0 0\n' 'gone not-running\n' 'end\n' \
    '1 (x)\nend 1 0\n' '1 \033[31m\nend 1 0\n' '99999999999 x\nend 1 0\n' "$(printf '%049d' 0)\\n" "$(printf '%0500d' 0)\\n" \
    'gone\nend 0 0\n'; do
    fake "prints $(printf '%q' "${answer:0:40}")" "printf '$answer'"
    [[ $answer != *gone* ]] || fake "prints $(printf '%q' "${answer:0:40}") and fails" "printf '$answer'; exit 1"
  done
}

# programs: what procid may be.
group_programs() {
  local path status
  registry_lock_check none
  for status in 1 2 64 73 75 76 126 127 130 137 255; do fake "says gone and ends with $status" "echo gone; exit $status"; done
  for path in TERM KILL SEGV ABRT PIPE STKFLT; do fake "says gone and dies of $path" "echo gone; kill -$path \$\$"; done
  fake 'prints ten megabytes' "head -c 10000000 /dev/zero | tr '\\0' g"
  fake 'prints ten megabytes of NULs' 'head -c 10000000 /dev/zero'
  fake 'prints answers without end' 'yes gone gone'
  fake 'prints one without end' 'yes gone | tr -d "\n"'
  fake 'prints to standard error' 'printf "\033[31mgone\n" >&2'
  fake 'reads all of its input' 'cat; echo gone gone'
  fake 'answers like --version' 'echo procid 0.1.0'
  : >"$dir/plain" && printf '#!/none\n' >"$dir/noint" && printf '\177ELF' >"$dir/elf" && ln -s loop "$dir/loop" && mkfifo "$dir/pipe"
  chmod +x "$dir/noint" "$dir/elf"
  for path in '' / . "$dir" "$dir/none" "$dir/plain" "$dir/noint" "$dir/elf" "$dir/loop" "$dir/pipe" /dev/null true false cat echo \
    'procid --why' '-p' '--' 'touch ran' '$(touch ran)' "${words[@]}"; do
    input "procid is $(printf '%q' "$path")"
    entry_of_gone
    outside REGISTRY_LOCK_SECONDS=0 REGISTRY_LOCK_PROCID="$path"
  done
}

# hung: a procid that does not end; each is waited for, for five seconds, a few times.
group_hung() {
  local code
  for code in 'sleep 60' 'echo gone; sleep 60' 'printf gone; exec sleep 60' 'exec >&-; exec sleep 60' 'kill -STOP $$' 'while :; do :; done'; do
    hung "$code" &
    ((inputs += 1, commands += 14))
  done
  for code in 1 2 3 4 5 6; do wait -n || bad 'a procid that hangs (see above)'; done
}

hung() { # CODE
  local pid
  inputs=hung.$BASHPID
  printf '#!/bin/sh\necho $$ >>"%s"\n%s\n' "$dir/$inputs.pids" "$1" >"$dir/$inputs" && chmod +x "$dir/$inputs"
  input=$1
  entry_of_gone
  outside REGISTRY_LOCK_SECONDS=0 REGISTRY_LOCK_PROCID="$dir/$inputs"
  [[ -e $lock ]] || bad 'a lock was broken without an answer'
  while read -r pid; do kill -KILL "$pid" 2>/dev/null; done <"$dir/$inputs.pids"
  ((failed == 0))
}
