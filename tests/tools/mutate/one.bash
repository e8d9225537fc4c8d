#!/usr/bin/env bash
# one.bash FOLDER [SUITE NAME]...: runs these tests up to the first that fails, and prints TAP, for a
# fifth of what it costs with bats: each in a process that reads its suite, runs it and ends. What
# they write is in FOLDER.

# shellcheck disable=SC1090 # what is read is an argument

# run_all [SUITE NAME]...
run_all() {
  local number=0
  while (($# > 0)); do
    number=$((number + 1))
    mkdir -p "$top/test/$number"
    bash "$0" --one "$top" "$number" "$1" "$2" >"$top/test/$number.out" 2>&1 3>&1 </dev/null
    case $(cat "$top/test/$number.ended" 2>/dev/null) in
      passed) echo "ok $number $2" ;;
      skipped) echo "ok $number $2 # skip" ;;
      *)
        echo "not ok $number $2"
        sed 's/^/# /' "$top/test/$number.out"
        return 1
        ;;
    esac
    shift 2
  done
}

# What bats has for a suite.
load() { . "$BATS_TEST_DIRNAME/$1.bash"; }
bats_require_minimum_version() { :; }
skip() {
  echo skipped >"$BATS_TEST_TMPDIR.ended"
  exit 0
}
run() {
  [[ $1 != -[0-9]* ]] || shift
  set +eET
  output=$("$@" 2>&1)
  status=$?
  IFS=$'\n' read -r -d '' -a lines <<<"$output"
  set -eET
}

# run_one NUMBER SUITE NAME: says at the end that it came there.
run_one() {
  export BATS_RUN_TMPDIR=$top BATS_TEST_TMPDIR=$top/test/$1 BATS_TEST_FILENAME=$PWD/$2
  export BATS_TEST_DIRNAME=$PWD/${2%/*} BATS_TEST_DESCRIPTION=$3
  awk '/^@test "/ {
      at = index($0, "\" {")
      name = substr($0, 8, at - 8)
      $0 = (name == ENVIRON["BATS_TEST_DESCRIPTION"] ? "wanted" : "unwanted") "() {" substr($0, at + 3)
    }
    { print }' "$2" >"$BATS_TEST_TMPDIR.bash"
  set -eET
  . "$BATS_TEST_TMPDIR.bash"
  trap teardown EXIT
  setup
  wanted
  echo passed >"$BATS_TEST_TMPDIR.ended"
}

if [[ $1 == --one ]]; then
  top=$2
  run_one "${@:3}"
else
  top=$1
  run_all "${@:2}"
fi
