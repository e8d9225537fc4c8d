#!/usr/bin/env bats
# completions.bats: each shell is asked what it offers, and offers what registry-lock --help shows.

# shellcheck disable=SC2016 # code for other shells
load helper

completions=$root/lib/share/completions

# A folder with locks, a slot, a lease and a folder that is none of these.
scene() {
  forge a.lock holder.12.lx.1 && forge 'b c.lock' claim.34.lx.2 && mkdir a.lock.slot.12.lx sub || return
  printf 'registry-lease 1\ntoken 56.lx.3\n' >owner
}

# ask SHELL LINE...: answers = "[LINE]" and what SHELL offers behind each "registry-lock LINE".
ask() {
  command -v "$1" >/dev/null || skip "needs $1"
  answers=$("ask_$1" "${@:2}" 2>&1) || return
  [ "${answers:0:1}" = '[' ] || fail "an error while it was loaded: ${answers%%'['*}"
}

ask_bash() {
  "$BASH" --norc -uc '. "$0" || exit
    compopt() { :; } # only a real completion may call it
    for line; do
      read -ra COMP_WORDS <<<"registry-lock ${line}."
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      COMP_WORDS[COMP_CWORD]=${COMP_WORDS[COMP_CWORD]%.}
      _complete_registry_lock
      printf "[%s]\n" "$line"
      ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
    done' "$completions/registry-lock.bash" "$@"
}

ask_zsh() { zsh -f "$root/tests/fixtures/completions.zsh" "$completions" "$@"; }

ask_fish() {
  fish --no-config -c 'source $argv[1]
    for line in $argv[2..]
      printf "[%s]\n" $line
      complete -C "registry-lock $line" | string replace -r "\t.*" ""
    end; true' "$completions/registry-lock.fish" "$@"
}

# offered LINE...: what the answers to LINEs hold, sorted; a path without what is put behind or before
# its letters.
offered() {
  local line
  for line; do
    printf '%s\n' "$answers" | awk -v line="[$line]" '/^\[.*\]$/ { own = $0 == line; next } own'
  done | sed -e 's,/$,,' -e 's,\\,,g' -e '/^$/d' | LC_ALL=C sort -u
}

# offers LINE WORD...: just these words are offered.
offers() {
  local line=$1
  shift
  same "$(offered "$line")" "$(printf '%s\n' "$@")" || fail "behind 'registry-lock $line'"
}

# completes SHELL: SHELL offers what there is, the options that --help shows, and no other.
completes() {
  scene
  ask "$1" '' - -- st 'lease ' 'nonsense ' 'run -' 'run --' 'run a.lock -' 'status -' 'break -' 'doctor -' \
    'lease claim -' 'lease release -' 'lease refresh -' 'lease show -' 'lease list -' 'lease bracket -' \
    'status ' 'status a.lock s' 'break b' 'run -w 3 s' 'doctor --depth 3 s' 'doctor --depth ' \
    'lease claim ow' 'lease claim --session x ow' 'lease list s' 'run a.lock cat ow' \
    'run a.lock whoam' 'run a.lock -- whoam' 'lease bracket owner whoam' \
    'break a.lock ' 'break a.lock -f ' 'lease release owner ' 'lease refresh owner '
  same "$(offered '' - --)" "$(printf '%s\n' --help --version break doctor lease run status)"
  offers st status
  offers 'lease ' bracket claim list refresh release show
  offers 'nonsense '
  offers_options
  offers 'status ' a.lock 'b c.lock' sub
  offers 'break b' 'b c.lock'
  offers_each sub 'status a.lock s' 'run -w 3 s' 'doctor --depth 3 s' 'lease list s'
  offers 'doctor --depth '
  offers_each owner 'lease claim ow' 'lease claim --session x ow' 'run a.lock cat ow'
  offers_each whoami 'run a.lock whoam' 'run a.lock -- whoam' 'lease bracket owner whoam'
  offers_each 12.lx.1 'break a.lock ' 'break a.lock -f '
  offers_each 56.lx.3 'lease release owner ' 'lease refresh owner '
}

# offers_each WORD LINE...
offers_each() {
  local line
  for line in "${@:2}"; do offers "$line" "$1" || return; done
}

# offers_options: of each command those that --help shows; -c of run behind the lock.
offers_options() {
  local word
  same "$(offered 'run -' 'run a.lock -')" "$(options_of run)" || return
  offers 'run a.lock -' --command -c || return
  for word in status break doctor; do
    same "$(offered "$word -")" "$(options_of "$word")" || fail "of $word" || return
  done
  same "$(offered 'lease claim -')" "$(options_of lease)" || return
  for word in claim release refresh show list bracket; do
    same "$(offered "lease $word -" | grep ^--)" "$(options_of_lease "$word")" || fail "of lease $word" || return
  done
}

# options_of_lease VERB: the long options in its line of the usage.
options_of_lease() {
  grep "registry-lock lease $1 " "$BATS_TEST_TMPDIR/help" | grep -oE -- '--[a-z]+' | LC_ALL=C sort
}

@test "bash offers commands, the options of --help, paths, locks and tokens" { completes bash; }
@test "zsh offers commands, the options of --help, paths, locks and tokens" { completes zsh; }
@test "fish offers commands, the options of --help, paths, locks and tokens" { completes fish; }

@test "in bash a tab types the rest" {
  scene
  printf '%s\n' ". '$completions/registry-lock.bash'" 'set -u' 'registry-lock() { printf "<%s>" "$@"; echo .; }' \
    $'registry-lock sta\tb\t' $'registry-lock break a\t 1\t' exit >typed
  run env INPUTRC=/dev/null TERM=dumb "$BASH" --norc -i <typed
  output=${output//\/>/>} # bash 4 puts a slash behind a folder
  says '<status><b c.lock>.'
  says '<break><a.lock><12.lx.1>.'
  lacks "$output" unbound
}
