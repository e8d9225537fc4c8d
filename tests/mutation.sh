#!/usr/bin/env bash
# tests/mutation.sh [NAME...]   Breaks the library on purpose and sees a test fail each time.
# A mutant is tests/mutants/NAME.sed, a sed script with four lines on top:
#   # file: the file that it edits        # test: SUITE: the one test that must fail
#   # why: what is wrong with it          # says: what that test's failure says
# It is killed when it applies, parses, and its test, which passes on an unchanged copy of the
# tree, fails on the mutated one by an assertion that says so. Anything else is a survivor.
# The last line is `mutation: N killed, M survived`; nothing run counts as a survivor.
set -euo pipefail
unset CDPATH BASH_ENV ENV MAKEFLAGS MFLAGS MAKELEVEL "${!REGISTRY_LOCK_@}"
cd -- "${BASH_SOURCE[0]%/*}/.."
root=$PWD lanes=2
BATS=$(tests/bats.sh --path)
export BATS
bounded=$(command -v timeout || command -v gtimeout || :)
work=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-mutants.XXXXXX")
lane_pids=

clean_up() {
  # shellcheck disable=SC2086 # a list
  [[ -z $lane_pids ]] || kill $lane_pids 2>/dev/null || :
  rm -rf -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What the header of a mutant says: sets file, why, suite, name and says.
read_header() { # MUTANT
  local line key value
  file='' why='' suite='' name='' says=''
  while IFS= read -r line && [[ $line == '# '*': '* ]]; do
    line=${line#'# '} key=${line%%: *} value=${line#*: }
    case $key in
      file) file=$value ;;
      why) why=$value ;;
      test) suite=${value%%: *} name=${value#*: } ;;
      says) says=$value ;;
    esac
  done <"$1"
  [[ -n $file && -n $why && -n $suite && -n $name && -n $says && -f $root/$file ]]
}

# A copy of the tree: what the suites use.
copy_tree() { # DIR
  mkdir -p "$1/tests"
  cp -R bin lib "$1/"
  cp -R tests/*.bats tests/*.bash tests/*.sh tests/fixtures "$1/tests/"
}

# Runs the named test in a tree; TAP goes to OUT. Status 2 where it isn't exactly one test.
run_case() { # TREE OUT
  local regex status=0
  regex=$(sed 's/[][\.*^$+?(){}|/]/\\&/g' <<<"$name")
  (cd -- "$1" && ${bounded:+"$bounded" -k 5 60} tests/bats.sh --formatter tap -f "^$regex\$" "tests/$suite") \
    </dev/null >"$2" 2>&1 || status=$?
  grep -q '^1\.\.1$' "$2" || return 2
  return "$status"
}

# Says nothing where the mutant is killed, else why it isn't.
survives() { # MUTANT TREE
  local mutated=$2/mutated status=0
  read_header "$1" || { echo 'its header is not complete' && return; }
  rm -rf -- "$2" && copy_tree "$2"
  run_case "$2" "$2/out" || status=$?
  ((status != 2)) || { echo "there is not exactly one such test: $suite: $name" && return; }
  ((status == 0)) || { echo "its test fails without it: $suite: $name" && return; }
  ! grep -q '# skip' "$2/out" || { echo "its test is skipped here: $suite: $name" && return; }
  sed -f "$1" "$2/$file" >"$mutated" || { echo 'sed refuses it' && return; }
  ! cmp -s "$mutated" "$2/$file" || { echo "it changes nothing in $file" && return; }
  bash -n "$mutated" 2>/dev/null || { echo 'it does not parse' && return; }
  cat "$mutated" >"$2/$file"
  status=0 && run_case "$2" "$2/out" || status=$?
  ((status != 0)) || { echo "its test passes: $suite: $name" && return; }
  ((status < 124)) || { echo "its test does not end: $suite: $name" && return; }
  grep -qF -- "$says" "$2/out" ||
    { echo "its test fails otherwise: $suite: $name" && sed 's/^/    /' "$2/out" | head -n 20; }
}

lane() { # NUMBER MUTANT...
  local number=$1 mutant verdict
  shift
  for mutant; do
    verdict=$(survives "$mutant" "$work/lane.$number")
    mutant=${mutant##*/}
    if [[ -z $verdict ]]; then
      read_header "$root/tests/mutants/$mutant"
      printf 'killed    %-20s %s\n' "${mutant%.sed}" "$why" | tee -a "$work/killed"
    else
      printf 'SURVIVED  %-20s %s\n' "${mutant%.sed}" "$verdict"
    fi
  done
}

if (($# > 0)); then
  mutants=("${@/#/tests/mutants/}") mutants=("${mutants[@]/%/.sed}")
else
  mutants=(tests/mutants/*.sed)
fi
: >"$work/killed"
for ((number = 0; number < lanes; number++)); do
  share=()
  for ((i = number; i < ${#mutants[@]}; i += lanes)); do share+=("${mutants[i]}"); done
  ((${#share[@]} > 0)) || continue
  lane "$number" "${share[@]}" &
  lane_pids="$lane_pids $!"
done
# shellcheck disable=SC2086 # a list
wait $lane_pids || :
lane_pids=

killed=$(wc -l <"$work/killed")
printf 'mutation: %d killed, %d survived\n' "$killed" "$((${#mutants[@]} - killed))"
((killed == ${#mutants[@]}))
