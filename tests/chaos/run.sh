#!/usr/bin/env bash
# run.sh [SECONDS]: the chaos, for so long (60), over three file systems.
# SEED=N       the random choices begin with N
# MUTANT=NAME  on a library that tests/mutants/NAME.sed has broken: the checks must see it
set -euo pipefail
unset CDPATH BASH_ENV ENV MAKEFLAGS MFLAGS MAKELEVEL "${!REGISTRY_LOCK_@}"
cd -- "${BASH_SOURCE[0]%/*}/../.."

unshare -m -p -f --mount-proc true 2>/dev/null || {
  echo 'chaos: skipped: it needs to make mount and pid namespaces: Linux, and root'
  exit
}

work=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-chaos-build.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
"${GO:-go}" test -count=1 ./tests/chaos
"${GO:-go}" build -o "$work/chaos" ./tests/chaos
cp -R bin lib "$work/"
if [[ -n ${MUTANT-} ]]; then
  file=$(sed -n 's/^# file: //p' "tests/mutants/$MUTANT.sed")
  sed -f "tests/mutants/$MUTANT.sed" "$file" >"$work/$file"
  ! cmp -s "$file" "$work/$file" || { echo "chaos: $MUTANT changes nothing" && exit 1; }
fi
"$work/chaos" -home "$work" -seconds "${1:-60}" ${SEED:+-seed "$SEED"}
