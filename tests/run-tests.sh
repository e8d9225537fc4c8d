#!/usr/bin/env bash
# tests/run-tests.sh                        All bats suites, and the Go tests beside them.
# tests/run-tests.sh FILE.bats...           Those suites.
# tests/run-tests.sh -f REGEX [FILE.bats]   Some bats tests: the arguments go to bats.
# JOBS=N                                    Suites at a time, 2.
# BASH_UNDER_TEST=/path/to/bash             The bash that is tested.
# USERLAND_UNDER_TEST=/path/to/busybox      Whose mv, mkdir and so on are used.
# The last line is `N passed, N failed` (`, N skipped`); nothing run counts as failed.
unset CDPATH BASH_ENV ENV MAKEFLAGS MFLAGS MAKELEVEL "${!REGISTRY_LOCK_@}"
set -euo pipefail
# A signal that is ignored from the start, as under nohup, would be so in every test.
if [[ -n $(trap -p HUP INT QUIT PIPE XFSZ) ]] && env --default-signal=HUP,INT,QUIT,PIPE,XFSZ true 2>/dev/null; then
  exec env --default-signal=HUP,INT,QUIT,PIPE,XFSZ bash "$0" "$@"
fi
cd -- "${BASH_SOURCE[0]%/*}/.."

slow_ms=3000 JOBS=${JOBS:-2}
passed=0 failed=0 skipped=0
in_failure=no
go_pid=
tmp=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-tests.XXXXXX")

clean_up() {
  if [[ -n $go_pid ]]; then kill "$go_pid" 2>/dev/null || :; fi
  rm -rf -- "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

seconds() { # MILLISECONDS
  printf '%d.%d' "$(($1 / 1000))" "$(($1 % 1000 / 100))"
}

fail() { # NAME
  failed=$((failed + 1)) in_failure=yes
  printf 'FAIL  %s\n' "$1" | tee -a "$tmp/failed"
}

# Reads TAP with times, prints one line a test, counts.
report() {
  local line name ms
  local ok='^ok [0-9]+ (.*) in ([0-9]+)ms( # skip ?(.*))?$'
  local not_ok='^not ok [0-9]+ (.*)$' time=' in [0-9]+ms$'
  while IFS= read -r line; do
    if [[ $line =~ $ok ]]; then
      in_failure=no name=${BASH_REMATCH[1]} ms=${BASH_REMATCH[2]}
      if [[ -n ${BASH_REMATCH[3]-} ]]; then
        skipped=$((skipped + 1))
        printf 'skip  %s: %s\n' "$name" "${BASH_REMATCH[4]:-no reason given}" | tee -a "$tmp/skipped"
        continue
      fi
      passed=$((passed + 1))
      printf 'ok    %s\n' "$name"
      if ((ms >= slow_ms)); then printf '%s s  %s\n' "$(seconds "$ms")" "$name" >>"$tmp/slow"; fi
    elif [[ $line =~ $not_ok ]]; then
      name=${BASH_REMATCH[1]}
      [[ ! $name =~ $time ]] || name=${name%"${BASH_REMATCH[0]}"}
      fail "$name"
    elif [[ $line =~ ^1\.\.[0-9]+$ ]]; then
      :
    elif [[ $in_failure = yes && $line = '#'* ]]; then
      printf '      %s\n' "${line#\# }" | tee -a "$tmp/failed"
    else
      printf '%s\n' "$line"
    fi
  done
}

# A suite that broke off, or ran nothing, is a failure of its own.
check_end() { # WHAT STATUS PASSED-BEFORE FAILED-BEFORE SKIPPED-BEFORE
  if (($2 != 0 && failed == $4)); then
    fail "$1 ended with exit status $2, and no test of it failed"
  elif ((passed + failed == $3 + $4)); then
    fail "$1 ran no test (skipped: $((skipped - $5)))"
  fi
}

bash_version() {
  # shellcheck disable=SC2016 # that bash expands it
  "${BASH_UNDER_TEST:-bash}" -c 'printf %s "$BASH_VERSION"'
}

header() {
  printf '== %s, bash %s, %s at a time\n' "$(tests/bats.sh --version)" "$(bash_version)" "$1"
}

# One bats, with its arguments, for some tests of some suites.
run_bats() { # BATS-ARGUMENT...
  local status before=("$passed" "$failed" "$skipped")
  header 1
  report < <(
    status=0
    tests/bats.sh --formatter tap --timing "$@" 2>&1 </dev/null || status=$?
    echo "$status" >"$tmp/bats.status"
  )
  status=$(cat "$tmp/bats.status")
  check_end bats "$status" "${before[@]}"
}

# The suites, JOBS lanes that each take the next one; each is reported when it has ended.
run_suites() { # SUITE...
  local path lane suite status before suites=()
  # The longest first, so that the lanes end together.
  for path in tests/{lease,hostile_callers,stress,legacy,messages,status,doctor}.bats "$@"; do
    [[ " $* " != *" $path "* || " ${suites[*]-} " = *" $path "* ]] || suites+=("$path")
  done
  set -- "${suites[@]}"
  header "$JOBS"
  mkfifo "$tmp/ended"
  exec 8<>"$tmp/ended"
  for ((lane = 0; lane < JOBS; lane++)); do run_lane "$@" & done
  for suite; do
    read -r suite <&8
    before=("$passed" "$failed" "$skipped")
    printf -- '-- %s\n' "$suite"
    report <"$tmp/$suite.tap"
    status=$(cat "$tmp/$suite.status")
    check_end "$suite" "$status" "${before[@]}"
  done
}

run_lane() { # SUITE...
  local path suite status
  for path; do
    suite=${path##*/}
    mkdir "$tmp/$suite.taken" 2>/dev/null || continue
    status=0
    tests/bats.sh --formatter tap --timing "$path" >"$tmp/$suite.tap" 2>&1 </dev/null 8>&- || status=$?
    echo "$status" >"$tmp/$suite.status"
    echo "$suite" >&8
  done
}

start_go() {
  {
    status=0
    "${GO:-go}" test -count=1 -v ./... >"$tmp/go.log" 2>&1 </dev/null || status=$?
    echo "$status" >"$tmp/go.status"
  } &
  go_pid=$!
}

finish_go() {
  local status before=("$passed" "$failed" "$skipped")
  wait "$go_pid" || :
  go_pid=
  printf '\n== go test ./...\n'
  report < <(awk -f tests/go-test-tap.awk "$tmp/go.log")
  status=$(cat "$tmp/go.status")
  if ((status != 0 && failed == before[1])); then tail -n 60 "$tmp/go.log"; fi
  check_end "go test" "$status" "${before[@]}"
}

section() { # TITLE FILE
  if [[ -s $2 ]]; then
    printf '\n%s\n' "$1"
    cat -- "$2"
  fi
}

BATS=$(tests/bats.sh --path)
export BATS
if (($# > 1)) && [[ $1 != -* ]]; then
  run_suites "$@"
elif (($# > 0)); then
  case ${*: -1} in
    *.bats) ;;
    *) set -- "$@" tests/*.bats ;;
  esac
  run_bats "$@"
else
  start_go
  run_suites tests/*.bats
  finish_go
fi

if [[ -s $tmp/slow ]]; then sort -rn -o "$tmp/slow" "$tmp/slow"; fi
section "Slow:" "$tmp/slow"
section "Skipped:" "$tmp/skipped"
section "Failed:" "$tmp/failed"

printf '\n%d passed, %d failed' "$passed" "$failed"
if ((skipped > 0)); then printf ', %d skipped' "$skipped"; fi
printf '\n'
((failed == 0))
