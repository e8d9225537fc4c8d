#!/usr/bin/env bats
# manual.bats: the manual pages say what the programs do, no more and no less, and their examples run.

# shellcheck disable=SC2016,SC2154 # text for awk, and variables of the helper
load helper

man=$root/lib/share/man

# section PAGE NAME: the lines of PAGE under the heading NAME.
section() { awk -v name="$2" '/^\.S[hs] /{ own = substr($0, 5) == name; next } own' "$man/$1"; }

# words MACRO: of the list items on standard input, the words that MACRO marks, sorted.
words() {
  awk -v macro="$1" '/^\.It / { for (i = 2; i <= NF; i++)
      if ($i ~ /^[A-Z][a-z]$/) own = $i == macro
      else if (own && $i != ",") print (macro == "Fl" ? "-" : "") $i }' | LC_ALL=C sort -u
}

# options_in PAGE NAME: the options that are explained there.
options_in() { section "$1" "$2" | words Fl; }

# blocks PAGE: the marked blocks of PAGE as files NUMBER.WORD; their first line is the marker.
blocks() {
  mkdir "$BATS_TEST_TMPDIR/blocks" && awk -v dir="$BATS_TEST_TMPDIR/blocks" '
    /^\.Sh / { inside = $2 == "EXAMPLES" }
    /^\.\\" (example|prints)/ { if ($2 == "example") n++; file = dir "/" n "." $2; how = $0; next }
    inside && /^\.Bd/ { if (file == "") { print "an unmarked block: line " NR; exit }
      print how >file; next }
    /^\.Ed/ { file = "" }
    inside && file != "" { sub(/^\\&/, ""); gsub(/\\e/, "\\"); print >file }' "$man/$1"
}

# setting LINE WORD: the value of WORD=... in LINE.
setting() {
  local word
  for word in $1; do [ "${word%%=*}" != "$2" ] || printf '%s\n' "${word#*=}"; done
}

# plain: standard input with what differs from run to run made the same.
plain() {
  sed -E -e "s#$PWD#/srv/app#g" -e 's/process [0-9]+ \([^)]*\)/process N/' -e 's/, user [^,]+/, user U/' \
    -e 's/, on [^,]+,/, on H,/' -e 's/(ps -fp|^end) [0-9]+/\1 N/' -e 's/^[0-9]+ /N /' \
    -e 's/([0-9]+\.)?[a-z][0-9a-v]{20}(_[0-9a-z]+){3}(\.[0-9]+)?/ID/g'
}

# matches GOT WANTED: line by line the same; ... stands for anything.
matches() {
  local got wanted
  while IFS= read -r wanted <&4; do
    IFS= read -r got <&3 || got='(nothing more)'
    case $wanted in
      *...*) [[ $got == "${wanted%%...*}"*"${wanted#*...}" ]] || fail "'$got' is not '$wanted'" || return ;;
      *) same "$got" "$wanted" || return ;;
    esac
  done 3<"$1" 4<"$2"
  ! IFS= read -r got < <(tail -n +"$(($(wc -l <"$2") + 1))" "$1") || fail "it prints more: $got"
}

# example FILE: runs it in a folder of its own, under the conditions that its first line names, and
# compares what it prints.
example() {
  local how name status=0 number=${1##*/} place
  number=${number%.*} place=$BATS_TEST_TMPDIR/place$number
  read -r how <"$1"
  mkdir "$place" && ln -s "$root/lib" "$place/lib" && cd -- "$place" || return
  name=$(setting "$how" held) && [ -z "$name" ] || hold "holder$number" "$PWD/$name" || return
  name=$(setting "$how" stale) && [ -z "$name" ] || killed_holder "corpse$number" "$PWD/$name" || return
  tail -n +2 "$1" >"$place.code"
  bash "$place.code" >"$place.out" 2>&1 </dev/null || status=$?
  name=$(setting "$how" status)
  same "$status" "${name:-0}" || fail "$(cat "$place.code" "$place.out")" || return
  : >"$place.wanted"
  [ ! -e "${1%.*}.prints" ] || tail -n +2 "${1%.*}.prints" | plain >"$place.wanted"
  plain <"$place.out" >"$place.got"
  matches "$place.got" "$place.wanted" || fail "of: $(cat "$place.code")"
}

# examples PAGE COUNT: the examples of PAGE do as it says, and there are COUNT or more.
examples() {
  local file found=0
  same "$(blocks "$1")" '' || return
  for file in "$BATS_TEST_TMPDIR"/blocks/*.example; do
    example "$file" || return
    ((found += 1))
  done
  ((found >= $2)) || fail "only $found examples in $1"
}

@test "the examples of registry-lock(1) print what the page says" {
  need_jq
  examples registry-lock.1 7
}

@test "the examples of registry-lock(3) print what the page says" {
  examples registry-lock.3 6
}

@test "the examples of procid(1) print what the page says" {
  [ -d /proc/self ] || skip 'needs a system that shows environments'
  examples procid.1 4
}

@test "the page has the options that --help shows, and no other" {
  local command all
  for command in run status break doctor lease; do
    same "$(options_in registry-lock.1 "$command")" "$(options_of "$command")" || fail "of $command" || return
    all="$all$(options_of "$command")"$'\n'
  done
  same "$(printf '%s' "$all--help"$'\n'--version | LC_ALL=C sort -u)" "$(options_of)"
  contains "$(section registry-lock.1 SYNOPSIS)" '.Fl -help | -version'
}

@test "the page of procid has the options that --help shows, and no other" {
  same "$(options_in procid.1 DESCRIPTION)" \
    "$(procid --help | grep -oE -- '--[a-z]+' | grep -vE 'help|version' | sort -u)"
  contains "$(section procid.1 SYNOPSIS)" '.Fl -help | -version'
}

@test "the page of the functions has all public functions, and no other" {
  local public
  public=$(sed -n 's/^\(registry_[a-z_]*\)() {.*/\1/p' "$root/lib/registry-lock.sh" | sort)
  [ -n "$public" ]
  same "$(section registry-lock.3 NAME | sed -n 's/^\.Nm \([a-z_]*\).*/\1/p' | sort)" "$public"
  same "$(section registry-lock.3 SYNOPSIS | sed -n 's/^\.Nm \([a-z_]*\).*/\1/p' | sort)" "$public"
}

@test "the page has the environment variables that the sources read, and no other" {
  same "$(section registry-lock.1 ENVIRONMENT | words Ev | grep ^REGISTRY)" \
    "$({
      echo REGISTRY_LOCK_TENANT # procid's
      find "$root/lib" -name '*.sh' -exec grep -ohE 'REGISTRY_LOCK_[A-Z]+' {} +
      grep -ohE 'REGISTRY_LOCK_[A-Z]+' "$root/bin/registry-lock"
    } | sort -u)"
}

@test "the page has the keys that --json prints, and no other" {
  local found
  killed_holder other
  found=$(registry-lock status --json "$LOCK") || :
  found=$found$(registry-lock doctor --json "$DIR") || :
  same "$(section registry-lock.1 JSON | words Sy)" \
    "$(printf '%s\n' "$found" | grep -oE '"[a-z]+":' | tr -d '":' | sort -u)"
}

@test "the pages have the reasons that procid and the library give, and no other" {
  local procids others
  procids=$(sed -n 's/^\twhy[A-Za-z]* *= "\([a-z-]*\)"/\1/p' "$root/cmd/procid/verdict.go" | LC_ALL=C sort)
  same "$(section procid.1 REASONS | words Sy)" "$procids"
  others=$(find "$root/lib" -name '*.sh' -exec grep -ohE 'rl_why=[a-z]+(-[a-z]+)*' {} + | sed 's/.*=//' | LC_ALL=C sort -u)
  same "$(section registry-lock.1 Reasons | words Sy)" \
    "$(LC_ALL=C comm -13 <(printf '%s\n' "$procids") <(printf '%s\n' "$others"))"
}

@test "mandoc finds nothing wrong with the pages" {
  command -v mandoc >/dev/null || skip 'needs mandoc'
  # which other manuals there are is the machine's matter
  run bash -c 'mandoc -T lint -W style "$@" 2>&1 | grep -vE "referenced manual not found|mandoc.db"' - "$man"/*.[13]
  same "$output" ''
}
