#!/usr/bin/env bash
# tests/old-bash.sh [FILE.bats]...   Runs suites against a copy of the library in which each look at
# the version of bash finds one that is too old, and the clock of bash 5 is missing: what bash 3.2
# would run, where only a newer one is to be had. It does not show that bash 3.2 can read it.
set -euo pipefail
unset CDPATH
cd -- "${BASH_SOURCE[0]%/*}/.."
BATS=$(tests/bats.sh --path)
export BATS
(($# > 0)) || set -- tests/{acquire,release,break,wait,leave}.bats

copy=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-old-bash.XXXXXX")
trap 'rm -rf -- "$copy"' EXIT
cp -R bin lib tests "$copy"
cd "$copy"
for file in lib/registry-lock/*.sh; do
  sed -E -e 's/\(\(BASH_VERSINFO[^)]* >= [0-9]+\)\)/((0))/' -e 's/\(\(BASH_VERSINFO[^)]* < [0-9]+\)\)/((1))/' \
    -e 's/[$][{]BASH_VERSINFO\[0\][}]/3/' -e 's/[$][{]EPOCHREALTIME-[}]//' "$file" >new
  cmp -s "$file" new || printf '%s: as in an old bash\n' "$file"
  cat new >"$file"
done
if grep -nE '^[^#]*(BASH_VERSINFO|EPOCHREALTIME)' lib/registry-lock/*.sh; then
  printf 'The lines above look for the version in a way that %s does not know.\n' "$0" >&2
  exit 1
fi
OLD_BASH_UNDER_TEST=1 tests/run-tests.sh "$@"
