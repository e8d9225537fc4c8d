#!/usr/bin/env bash
# tests/bats.sh [BATS-ARGUMENT]...  Runs bats; gets the pinned one first where it is missing.
# tests/bats.sh --path              Prints which bats that is.
# BATS=/path/to/bats                That bats, and none is fetched.
# BASH_UNDER_TEST=/path/to/bash     That bash runs bats, the suites and what they start.
# USERLAND_UNDER_TEST=/path/to/busybox   That program is mv, mkdir and the like for all of these.
set -euo pipefail
unset CDPATH

tests=$(cd -- "${BASH_SOURCE[0]%/*}" && pwd -P)
# npm makes no node_modules/.bin/bats: its own path is the one to call.
local_bats=$tests/node_modules/bats/bin/bats
oldest=1.8

say() { printf '%s\n' "$@" >&2; }

bats_version() { # BATS
  local words
  words=$("$1" --version </dev/null 2>/dev/null) || return 1
  printf '%s\n' "${words#Bats }"
}

pinned_is_here() {
  [[ -x $local_bats ]] || return 1
  grep -q "\"bats\": \"$(bats_version "$local_bats")\"" "$tests/package.json"
}

get_from_npm() {
  command -v npm >/dev/null || return 1
  say "bats: getting the pinned one with npm ci"
  (cd -- "$tests" && npm ci --ignore-scripts --loglevel=error </dev/null >/dev/null) && pinned_is_here
}

new_enough_in_path() {
  local found version major minor
  found=$(command -v bats) && version=$(bats_version "$found") || return 1
  IFS=. read -r major minor _ <<<"$version"
  ((major * 1000 + minor >= ${oldest%.*} * 1000 + ${oldest#*.}))
}

get_from_debian() {
  command -v apt-get >/dev/null && [[ $(id -u) = 0 ]] || return 1
  say "bats: getting Debian's with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get install -y --no-install-recommends bats ||
    { apt-get update && apt-get install -y --no-install-recommends bats; }; } \
    </dev/null >/dev/null 2>&1 && hash -r && new_enough_in_path
}

use_bash_under_test() {
  local dir
  [[ -x $BASH_UNDER_TEST && ! -d $BASH_UNDER_TEST ]] || {
    say "BASH_UNDER_TEST=$BASH_UNDER_TEST: not a program"
    exit 2
  }
  dir=$(cd -- "$(dirname -- "$BASH_UNDER_TEST")" && pwd -P)
  if [[ ${BASH_UNDER_TEST##*/} != bash ]]; then
    # Scripts ask for `bash` by name; a folder holds that name alone.
    local link=$tests/.bash-under-test/${BASH_UNDER_TEST##*/}
    mkdir -p -- "$link"
    ln -sf -- "$dir/${BASH_UNDER_TEST##*/}" "$link/bash"
    dir=$link
  fi
  PATH=$dir:$PATH
}

use_userland_under_test() {
  local path tool dir=$tests/.bash-under-test/userland
  path=$(command -v "$USERLAND_UNDER_TEST") || :
  [[ $path == /* ]] || {
    say "USERLAND_UNDER_TEST=$USERLAND_UNDER_TEST: not a program"
    exit 2
  }
  mkdir -p -- "$dir"
  for tool in cat chmod cp date ls mkdir mkfifo mv ps rm rmdir sleep; do
    ln -sf -- "$path" "$dir/$tool"
  done
  PATH=$dir:$PATH
}

if [[ -n ${BASH_UNDER_TEST-} ]]; then use_bash_under_test; fi
if [[ -n ${USERLAND_UNDER_TEST-} ]]; then use_userland_under_test; fi

if [[ -n ${BATS-} ]]; then
  bats=$BATS
elif pinned_is_here || get_from_npm; then
  bats=$local_bats
elif new_enough_in_path || get_from_debian; then
  bats=$(command -v bats)
else
  say "The tests need bats $oldest or newer. Install one of these, then run this again:" \
    "  npm (with Node.js): the pinned bats is then fetched from tests/package-lock.json" \
    "  Debian, Ubuntu:     apt-get install bats" \
    "  macOS:              brew install bats-core"
  exit 1
fi

if [[ ${1-} = --path ]]; then
  printf '%s\n' "$bats"
  exit 0
fi
exec bash "$bats" ${1+"$@"}
