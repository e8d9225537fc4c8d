#!/usr/bin/env bash
# tests/mutants-go.sh [GREMLINS-OPTION]...   Breaks procid in bulk, and lists what no test notices.
# gremlins looks for package main beside go.mod, so it gets a copy whose only package procid is;
# and it takes a mutant that does not compile for a killed one, unless go ends with 2. The tests that
# take seconds run where all others passed.
set -euo pipefail
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL GOFLAGS
cd -- "${BASH_SOURCE[0]%/*}/.."

go=$(command -v "${GO:-go}")
gremlins=$("$go" -C tests/tools tool -n gremlins)
work=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-mutants.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/bin" "$work/tree"
cp -R go.mod go.sum cmd "$work/tree/"
slow='TestAProcessWhoseThreadCallsExecIsNeverGone|TestACarrierInTheMidstOfExecIsNotMissed'
cat >"$work/bin/go" <<GO
#!/usr/bin/env bash
status=0
[[ \$1 != test ]] || output=\$("$go" test -failfast -skip '$slow' "\${@:2}") || status=\$?
((status)) || output=\$("$go" "\$@") || status=\$?
printf '%s\n' "\$output"
[[ \$output != *'[build failed]'* ]] || status=2
exit "\$status"
GO
chmod +x "$work/bin/go"
cd -- "$work/tree"
PATH=$work/bin:$PATH "$gremlins" unleash --integration --timeout-coefficient 10 --invert-assignments \
  --invert-bitwise --invert-logical --invert-loopctrl "$@" .
