#!/usr/bin/env bash
# run.sh [-q] [-w] [-t TESTS]: what our lock costs beside flock(1) and the bare mkdir idiom, in one
# interleaved run. Prints the table; a full run writes it to BENCH.md, and the curves beside this.
#   -q  quick: few rounds, for a look      -w  write whatever was run
#   -t  some tests only, of ABCDEGPLHS: see BENCH.md
# BENCH_TMPDIR is where the locks lie (default TMPDIR, /tmp): the file system that is measured.
set -u
export LC_ALL=C
unset CDPATH "${!REGISTRY_LOCK_@}"

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=${here%/*/*}
PATH=$root/bin:$PATH
export BENCH_LIBRARY=$root/lib/registry-lock.sh
all=ABCDEGPLHS tests=$all quick=1 write=''
while getopts qwt: option; do
  case $option in
    q) quick=2 ;;
    w) write=1 ;;
    t) tests=$OPTARG ;;
    *) exit 64 ;;
  esac
done
[[ -z ${tests//[$all]/} ]] || {
  printf 'bench: no such test in %s; there are: %s\n' "$tests" "$all" >&2
  exit 64
}
[[ $tests != "$all" ]] || ((quick == 2)) || write=1

tmp=$(mktemp -d "${BENCH_TMPDIR:-${TMPDIR:-/tmp}}/registry-lock-bench.XXXXXX") || exit
data=$tmp/data # lines: MEASURE KIND X ROUND VALUE
: >"$data"
# What nobody expects to be said goes to a file; 3 is for people.
exec 3>&2 2>"$tmp/errors"
clean_up() {
  stop_all
  grep -Ev ': (waiting:|line .* Killed)|: removed the lock' "$tmp/errors" | tail -n 5 >&3
  rm -rf -- "$tmp"
}
stop_all() {
  local pid
  for pid in $(jobs -rp); do kill -KILL "$pid" 2>/dev/null; done
  wait
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

us() { printf -v "$1" '%s' "${EPOCHREALTIME/[.,]/}"; }
say() { printf 'bench: %4d s  %s\n' "$SECONDS" "$*" >&3; }
put() { printf '%s\n' "$*" >>"$data"; }
rounds() { echo "${!quick}"; } # FULL QUICK: how many
worker() { bash "$here/worker.sh" "$@"; }

# A folder of its own for the next measurement: dir, with its FIFOs open as says and hears.
fresh() {
  dir=$(mktemp -d "$tmp/XXXXXX") && mkfifo "$dir/says" "$dir/hears" || exit
  exec {says}<>"$dir/says" {hears}<>"$dir/hears"
  outputs=0 failed=''
}
done_with() {
  [[ -z $failed ]] || stop_all
  wait
  exec {says}>&- {hears}>&-
  rm -rf -- "$dir"
}
start() { # KIND MODE LOCK ...
  ((outputs += 1))
  bash "$here/worker.sh" "$@" >"$dir/out.$outputs" &
}
# A worker says said, which is as PATTERN, and word behind it.
expect() { # PATTERN
  # shellcheck disable=SC2053 # a pattern
  read -r -t 60 -u "$says" said word && [[ $said = $1 ]] && return
  failed=1
  say "a worker said '${said-}' where '$1' was expected"
  return 1
}

# --- A: acquire and release in one shell
cycles() { # MEASURE X ROUND N KIND LOCK: prints nothing, puts MEASURE.first and MEASURE
  local first each
  read -r first each < <(worker "$5" cycles "$6" "$4") || return
  put "$1.first $5 $2 $3 $first"
  put "$1 $5 $2 $3 $each"
}
test_A() {
  local round kind more
  for ((round = 1; round <= $(rounds 5 2); round++)); do
    for kind in ours mkdir flock; do
      fresh
      cycles A 1 "$round" "$(rounds 300 50)" "$kind" "$dir/lock"
      done_with
    done
  done
  command -v strace >/dev/null || return 0
  for kind in ours mkdir flock; do
    for more in -1 0 4 14; do processes "$kind" "$more"; done
  done
}
# How many forks are made and programs started for 1 + MORE cycles, and for leaving. 0 is the first cycle without
# leaving, and -1 nothing but the start.
processes() { # KIND MORE
  fresh
  local work=(cycles "$dir/lock" "$2")
  (($2 != 0)) || work=(cut-off "$dir/lock")
  (($2 >= 0)) || work=(nothing "$dir/lock")
  strace -f -qq -o "$dir/trace" -e signal=none -e trace=clone,clone3,fork,vfork,execve \
    bash "$here/worker.sh" "$1" "${work[@]}" >/dev/null 2>&1
  awk -v kind="$1" -v more="$2" '
    /execve/ { programs += / = 0$/; next }
    /CLONE_THREAD/ { if (/unfinished/) thread[$1] = 1; next }
    /resumed/ && thread[$1] { delete thread[$1]; next }
    / = [0-9]+$/ { forks++ }
    END { print "A.forks", kind, more, 1, forks + 0; print "A.programs", kind, more, 1, programs }
    ' "$dir/trace" >>"$data"
  done_with
}

# --- B: the whole process
test_B() {
  local round
  fresh
  for ((round = 1; round <= $(rounds 40 8); round++)); do
    # shellcheck disable=SC2016 # for the other shell
    {
      whole mkdir bash -c 'until mkdir "$0"; do sleep 0.01; done; /bin/true; rmdir "$0"' "$dir/m"
      whole ours bash -c '. "$1" && registry_lock_acquire "$0" 60 && /bin/true
        registry_lock_release "$0"' "$dir/l" "$BENCH_LIBRARY"
      whole run registry-lock run "$dir/r" /bin/true
      whole flock flock "$dir/f" /bin/true
      whole bash bash -c '/bin/true; :'
      whole source bash -c '. "$0"; /bin/true; :' "$BENCH_LIBRARY"
      whole procid procid "$$"
    }
  done
  done_with
}
whole() { # KIND COMMAND...
  local kind=$1 t0 t1
  shift
  us t0
  "$@" >/dev/null
  us t1
  put "B $kind 1 $round $((t1 - t0))"
}

# --- C: many on one counter
test_C() {
  local round workers kind counts=(1 2 4 8 16 32 64 128)
  ((quick == 1)) || counts=(1 8 32)
  for ((round = 1; round <= $(rounds 3 1); round++)); do
    for workers in "${counts[@]}"; do
      for kind in ours flock mkdir; do
        [[ $kind = mkdir && $workers -gt 32 ]] || contest "$kind" "$workers"
      done
    done
  done
}
contest() { # KIND WORKERS
  local said word i each=$((320 / $2 > 10 ? 320 / $2 : 10)) t0 go
  fresh
  echo 0 >"$dir/counter"
  for ((i = 0; i < $2; i++)); do start "$1" count "$dir/lock" "$each" "$dir"; done
  for ((i = 0; i < $2; i++)); do expect ready || break; done
  printf -v go '%*s' "$2" ''
  us t0
  printf '%s' "$go" >&"$hears"
  for ((i = 0; i < $2; i++)); do expect end || break; done
  cat "$dir"/out.* | sort -k 1,1 -k 2,2n |
    awk -v kind="$1" -v x="$2" -v round="$round" -v t0="$t0" -v each="$each" -v counter="$(<"$dir/counter")" '
      function put(what, value) { print "C." what, kind, x, round, value }
      $1 == "end" { if (!ends++) first = $2 - t0; last = $2 - t0; sum += $3; done += $3 == each; next }
      { wait[++n] = $2 }
      END {
        put("lost", sum - counter); put("cut", x - done)
        if (!n) exit
        put("rate", sum / last * 1e6)
        if (done == x) put("last", last / first)
        put("spread", wait[n] / (wait[int((n + 1) / 2)] + 1))
      }' >>"$data"
  done_with
}

# --- D and E: to a waiter, from a holder that releases or is killed
test_D() {
  local round kind
  for ((round = 1; round <= $(rounds 20 5); round++)); do
    for kind in ours flock mkdir; do
      fresh
      hand_over D "$kind" 1 "$dir/lock"
      done_with
    done
  done
}
test_E() {
  local round kind
  for ((round = 1; round <= $(rounds 10 3); round++)); do
    for kind in ours flock; do
      fresh
      hand_over E "$kind" 1 "$dir/lock"
      done_with
    done
  done
}
# Nothing that all have in common tells that the waiter waits: it gets a third of a second for it,
# more or less a poll.
hand_over() { # MEASURE KIND X LOCK
  local said word holder t0='' t1=''
  start "$2" hold "$4" "$dir"
  holder=$!
  expect held || return
  start "$2" wait "$4" "$dir"
  sleep "0.$((300 + RANDOM % 50))"
  if [[ $1 = E ]]; then
    us t0
    kill -KILL "$holder"
  else
    printf . >&"$hears"
  fi
  while [[ -z $t0 || -z $t1 ]]; do
    expect '[hw]*' || return
    if [[ $said = hold ]]; then t0=$word; else t1=$word; fi
  done
  put "$1 $2 $3 $round $((t1 - t0))"
}

# --- G: a waiter's CPU
test_G() {
  local round kind
  for ((round = 1; round <= $(rounds 3 1); round++)); do
    for kind in ours flock mkdir; do waiting "$kind" & done
    wait
  done
}
waiting() { # KIND
  local said word short long TIMEFORMAT='%3U %3S'
  fresh
  start "$1" hold "$dir/lock" "$dir"
  if expect held; then
    short=$({ time worker "$1" give-up "$dir/lock" 1; } 2>&1)
    long=$({ time worker "$1" give-up "$dir/lock" 6; } 2>&1)
    put "G $1 1 $round $(awk -v s="$short" -v l="$long" 'BEGIN {
      split(s, a); split(l, b); print (b[1] + b[2] - a[1] - a[2]) / 5 * 100 }')"
    printf . >&"$hears"
  fi
  done_with
}

# --- P: procid and doctor
test_P() {
  local round kind nothing=$tmp/nothing i t0 t1
  echo 'int main(void) { return 0; }' |
    cc -static -O2 -x c -o "$nothing" - 2>/dev/null || nothing=
  for ((round = 1; round <= $(rounds 10 3); round++)); do
    starts procid procid "$$"
    starts true /bin/true
    [[ -z $nothing ]] || starts nothing "$nothing"
  done
  identities
  fresh
  for ((i = 0; i < 5000; i++)); do printf '%s\n' "$alive" "$gone"; done | tr . ' ' >"$dir/questions"
  say '10,000 questions'
  for ((round = 1; round <= $(rounds 5 2); round++)); do
    us t0
    procid - <"$dir/questions" >/dev/null
    us t1
    put "P.bulk procid 10000 $round $((t1 - t0))"
  done
  done_with
  examine P.doctor "$(rounds 1000 100)" "$alive"
  examine P.doctor "$(rounds 10000 1000)" "$alive"
  examine P.stale 50 "$gone"
}
starts() { # KIND COMMAND...
  local kind=$1 t0 t1 i
  shift
  us t0
  for ((i = 0; i < 20; i++)); do "$@" >/dev/null; done
  us t1
  put "P $kind 1 $round $(((t1 - t0) / 20))"
}
# alive and gone: PID.ID of this process, and of one that has ended.
identities() {
  alive=$$.$(procid "$$")
  sleep 100 &
  gone=$!.$(procid "$!")
  kill "$!" && wait "$!" 2>/dev/null
}
# doctor over LOCKS of one process; procid's starts are counted by the way to it.
examine() { # MEASURE LOCKS HOLDER
  local t0 t1 memory=(env)
  say "doctor over $2 locks"
  fresh
  fill "$dir" 1 "$2" "$3"
  [[ ! -x /usr/bin/time ]] || memory=(/usr/bin/time -f %M -o "$dir/memory")
  printf '#!/bin/sh\necho >>"%s/asked"\nexec "%s/bin/procid" "$@"\n' "$dir" "$root" >"$dir/ask"
  chmod +x "$dir/ask"
  for ((round = 1; round <= $(rounds 3 1); round++)); do
    : >"$dir/asked"
    us t0
    REGISTRY_LOCK_PROCID=$dir/ask "${memory[@]}" registry-lock doctor "$dir" >/dev/null 2>&1
    us t1
    put "$1 ours $2 $round $((t1 - t0))"
    put "$1.asked ours $2 $round $(wc -l <"$dir/asked")"
    [[ ! -s $dir/memory ]] || put "$1.memory ours $2 $round $(tail -n 1 "$dir/memory")"
  done
  done_with
}
# Locks FROM to TO in DIR, all held by HOLDER, with the entries that the library writes.
fill() { # DIR FROM TO HOLDER
  local name text
  printf -v text 'registry-lock 1\npid %s\nstart %s\nhost %s\nsince %(%Y-%m-%dT%H:%M:%SZ)T\ncommand bench\n' \
    "${4%%.*}" "${4#*.}" "$HOSTNAME" -1
  seq -f "$1/%.0f.lock" "$2" "$3" >"$tmp/names"
  xargs mkdir <"$tmp/names"
  while read -r name; do printf '%s' "$text" >"$name/holder.$4.1"; done <"$tmp/names"
}

# --- L, H, S: how the cost of a cycle grows
# With the locks in the directory.
test_L() {
  local round size before=0 kind sizes=(1 10 100 1000 10000 100000)
  ((quick == 1)) || sizes=(1 100 1000)
  identities
  mkdir "$tmp/many"
  for size in "${sizes[@]}"; do
    fill "$tmp/many" $((before + 1)) "$size" "$alive"
    say "$size locks"
    before=$size
    for ((round = 1; round <= $(rounds 7 2); round++)); do
      for kind in ours mkdir; do
        fresh
        cycles L "$size" "$round" 20 "$kind" "$tmp/many/lock-$kind"
        done_with
      done
      fresh
      hand_over L.wake ours "$size" "$tmp/many/lock-$round"
      done_with
    done
  done
  rm -rf "$tmp/many"
}
# With the folders in its path.
test_H() {
  local round depth kind path
  for ((round = 1; round <= $(rounds 7 2); round++)); do
    for depth in 1 2 4 8 16 32 64; do
      fresh
      printf -v path '%*s' "$depth" ''
      path=${path// //folder}
      mkdir -p "$dir$path"
      for kind in ours mkdir; do
        cycles H "$depth" "$round" 20 "$kind" "$dir$path/lock"
      done
      done_with
    done
  done
}
# With the bytes of its own entry, which stay below about 500, and of the holder's that is read.
test_S() {
  local round size first each
  identities
  for ((round = 1; round <= $(rounds 7 2); round++)); do
    for size in 128 256 512 1024 2048 4096; do
      fresh
      if ((size <= 512)); then
        BENCH_PAD=$((size - 112)) cycles S "$size" "$round" 20 ours "$dir/lock"
      fi
      mkdir "$dir/held"
      printf 'registry-lock 1\ncommand %*s\n' $((size - 25)) '' >"$dir/held/holder.$alive.1"
      read -r first each < <(worker ours tries "$dir/held" 10) &&
        put "S.read ours $size $round $each"
      done_with
    done
  done
}

machine() {
  local note=''
  ((quick == 1)) || note=' (a quick run, for a look only)'
  printf '%s cores, %s, bash %s, locks on %s; load %s when it began, %s tests in %s minutes%s.\n' \
    "$(getconf _NPROCESSORS_ONLN)" "$(uname -sr | cut -d - -f 1)" "${BASH_VERSION%%(*}" \
    "$(stat -f -c %T "$tmp" 2>/dev/null || echo 'an unknown file system')" "$load" \
    "${#tests}" "$(((SECONDS + 30) / 60))" "$note"
}

# Puts FILE between the two marks of BENCH.md.
fill_in() { # FILE
  awk -v results="$1" '/^<!-- end of the results/ { skip = 0 }
    !skip
    /^<!-- the results/ { skip = 1; while ((getline line <results) > 0) print line }' \
    "$root/BENCH.md" >"$tmp/BENCH.md" && cat "$tmp/BENCH.md" >"$root/BENCH.md"
}

read -r load _ </proc/loadavg
for ((i = 0; i < ${#tests}; i++)); do
  say "test ${tests:i:1}"
  "test_${tests:i:1}"
done
{
  machine
  echo
  awk -f "$here/numbers.awk" -f "$here/table.awk" "$data"
} >"$tmp/results"
cat "$tmp/results"
curves=$root/build/curves.svg
if [[ -n $write ]]; then
  curves=$here/curves.svg
  fill_in "$tmp/results"
fi
mkdir -p "$root/build"
awk -f "$here/numbers.awk" -f "$here/curves.awk" "$data" >"$curves"
say "written: ${write:+BENCH.md and }${curves#"$root"/}"
