#!/usr/bin/env bash
# tests/foreign.sh [PART]...   Runs procid's tests as built for other processors and for Windows.
# PARTs: 386, arm64 and windows (the default), arm, riscv64. Needs Linux on amd64. Installs nothing:
# a part whose tool is missing is skipped.
# Under an emulator the processes asked about are native ones, and so is the procid that must give
# the same answers: the emulator shows a process a made-up /proc/self.
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL PROCID_TEST_PLAYERS
cd -- "${BASH_SOURCE[0]%/*}/.."

go=${GO:-go}
passed=0 failed=0 skipped=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-foreign.XXXXXX")
export WINEPREFIX=$tmp/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='

clean_up() {
  [[ ! -d $WINEPREFIX ]] || wineserver -k || :
  rm -rf -- "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

skip() { # PART REASON
  skipped=$((skipped + 1))
  printf 'skip  %s: %s\n' "$1" "$2"
}

fail() { # PART REASON
  failed=$((failed + 1))
  printf 'FAIL  %s: %s\n' "$1" "$2"
}

# Runs the tests of procid for SYSTEM and ARCH, and counts them.
run_tests() { # PART SYSTEM ARCH [GO-ARGUMENT...]
  local part=$1 system=$2 arch=$3 status=0 before=$failed good
  shift 3
  GOOS=$system GOARCH=$arch CGO_ENABLED=0 timeout -k 10 170 \
    "$go" test -count=1 -v -timeout 120s "$@" ./cmd/procid >"$tmp/log" 2>&1 </dev/null || status=$?
  awk -f tests/go-test-tap.awk "$tmp/log" >"$tmp/tap"
  sed -nE -e 's/^ok [0-9]+ (.*) in [0-9]+ms # skip (.*)/skip  \1: \2/p' \
    -e '/^(not ok|#)/p' "$tmp/tap"
  good=$(grep -cE '^ok .* in [0-9]+ms$' "$tmp/tap") || :
  passed=$((passed + good))
  skipped=$((skipped + $(grep -c ' # skip ' "$tmp/tap" || :)))
  failed=$((failed + $(grep -c '^not ok ' "$tmp/tap" || :)))
  if ((status != 0 && failed == before || good == 0)); then
    tail -n 40 "$tmp/log"
    fail "$part" "go test ended with $status, and $good tests passed"
  fi
  printf '%s: %d passed\n' "$part" "$good"
}

native_players() {
  GOOS='' GOARCH='' CGO_ENABLED=0 "$go" test -c -o "$tmp/native.test" ./cmd/procid
}

part_386() {
  GOARCH=386 CGO_ENABLED=0 "$go" build -o "$tmp/procid.386" ./cmd/procid
  "$tmp/procid.386" --version >/dev/null 2>&1 || {
    skip 386 'this kernel runs no 32-bit programs'
    return
  }
  run_tests 386 linux 386
  PROCID_TEST_PLAYERS=$tmp/native.test run_tests 386 linux 386 -run '^TestAnotherProcidSaysTheSame$'
}

part_emulated() { # ARCH EMULATOR
  command -v "$2" >/dev/null || {
    skip "$1" "needs $2 (Debian: qemu-user-static)"
    return
  }
  PROCID_TEST_PLAYERS=$tmp/native.test GOARM=7 run_tests "$1" linux "$1" -exec "$2"
}

part_windows() {
  command -v wine >/dev/null || {
    skip windows 'needs wine (Debian: wine wine64)'
    return
  }
  mkdir "$WINEPREFIX"
  wineboot -i >"$tmp/log" 2>&1 </dev/null || {
    cat "$tmp/log"
    fail windows 'wineboot could not make a prefix'
    return
  }
  random_bytes || {
    skip windows 'needs x86_64-w64-mingw32-gcc for this wine (Debian: gcc-mingw-w64-x86-64)'
    return
  }
  run_tests windows windows amd64 -exec wine
}

# Gives Wine the DLL that it may lack.
random_bytes() {
  local dll=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
  [[ ! -e $dll ]] || return 0
  command -v x86_64-w64-mingw32-gcc >/dev/null || return 1
  x86_64-w64-mingw32-gcc -shared -o "$dll" tests/fixtures/bcryptprimitives.c -ladvapi32
}

(($# > 0)) || set -- 386 arm64 windows
if [[ $(uname -s)/$(uname -m) != Linux/x86_64 ]]; then
  for part; do skip "$part" 'needs Linux on amd64'; done
else
  native_players
  for part; do
    case $part in
      386) part_386 ;;
      arm64) part_emulated arm64 qemu-aarch64-static ;;
      arm | riscv64) part_emulated "$part" "qemu-$part-static" ;;
      windows) part_windows ;;
      *) fail "$part" 'no such part' ;;
    esac
  done
fi
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
((failed == 0))
