#!/usr/bin/env bash
# tests/lint.sh [LINTER]...   Runs the named linters, or all; goes on after one that complains.
# tests/lint.sh --fix         Formats the shell and Go sources.
set -euo pipefail
unset CDPATH
cd -- "${BASH_SOURCE[0]%/*}/.."

linters=(shellcheck shfmt gofmt vet staticcheck actionlint)
vet_targets="linux/amd64 linux/arm64 linux/386 darwin/amd64 darwin/arm64
  freebsd/amd64 openbsd/amd64 windows/amd64"
staticcheck_systems="darwin freebsd windows"
go=${GO:-go}
# Optional checks of shellcheck for bin and lib, besides those in .shellcheckrc.
strict=require-double-brackets,check-unassigned-uppercase

say() { printf '%s\n' "$@" >&2; }

need_go() {
  command -v "$go" >/dev/null && return
  say "Go is not installed here. Install Go $(sed -n 's/^go //p' tests/tools/go.mod) or newer:" \
    "  https://go.dev/doc/install, or: brew install go"
  return 1
}

# The pinned tools of tests/tools, built for this machine whatever GOOS says.
tool() { # NAME
  GOOS='' GOARCH='' "$go" -C tests/tools tool -n "$1"
}

# A clean clone may lack bin.
files_below() { # FOLDER...
  local folder found=
  for folder; do
    if [[ -d $folder ]]; then found="$found $folder"; fi
  done
  [[ -n $found ]] || return 0
  # shellcheck disable=SC2086 # names without spaces
  find $found \( -name node_modules -o -name .bash-under-test \) -prune \
    -o -type f -print | LC_ALL=C sort
}

# By ending, or by first line where there is none.
shell_files() { # FOLDER...
  local file first
  files_below "$@" | while IFS= read -r file; do
    case ${file##*/} in
      *.sh | *.bash | *.bats) printf '%s\n' "$file" ;;
      *.*) ;;
      *)
        IFS= read -r first <"$file" || :
        [[ $first != '#!'*sh ]] || printf '%s\n' "$file"
        ;;
    esac
  done
}

go_files() { files_below .ci cmd tests | sed -n '/\.go$/p'; }

# Runs COMMAND with the names of standard input, one a line; not at all where there is none.
each() { # COMMAND...
  local names
  names=$(cat)
  [[ -z $names ]] || printf '%s\n' "$names" | tr '\n' '\0' | xargs -0 "$@"
}

# A script that sources the whole library: its files use each other's variables.
library_as_one() {
  local file
  echo '#!/usr/bin/env bash'
  for file in lib/registry-lock/*.sh lib/registry-lock.sh; do
    printf '# shellcheck source=%s\n. "%s"\n' "$file" "$file"
  done
}

lint_shellcheck() {
  local status=0
  command -v shellcheck >/dev/null || {
    say "shellcheck is not installed here. Install it, then run this again:" \
      "  Debian, Ubuntu:  apt-get install shellcheck" \
      "  macOS:           brew install shellcheck"
    return 1
  }
  library_as_one | shellcheck --check-sourced --source-path=. --enable="$strict" - || status=1
  shell_files bin | each shellcheck --enable="$strict" || status=1
  .ci/bundle | shellcheck --enable="$strict" - || status=1
  shell_files .ci tests | sed '/\.ba[a-z]*$/d' | each shellcheck || status=1
  # In a suite `load` isn't followed: what a helper sets or reads looks unset or unused. So does what
  # a completion tells bash.
  shell_files lib/share tests | sed -n '/\.ba[a-z]*$/p' | each shellcheck --exclude=SC2034,SC2154 ||
    status=1
  return "$status"
}

# The style is in .editorconfig.
lint_shfmt() {
  local shfmt
  need_go && shfmt=$(tool shfmt) || return 1
  shell_files .ci bin lib tests | each "$shfmt" -d
}

lint_gofmt() {
  local unformatted
  need_go && unformatted=$(go_files | each gofmt -l) || return 1
  [[ -z $unformatted ]] || {
    printf '%s\n' "$unformatted" | each gofmt -d || :
    return 1
  }
}

lint_vet() {
  local target status=0
  need_go || return 1
  for target in $vet_targets; do
    CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} "$go" vet ./... || {
      say "go vet: $target"
      status=1
    }
  done
  "$go" -C .ci vet ./... || status=1
  "$go" -C tests/tools vet ./... || status=1
  return "$status"
}

lint_staticcheck() {
  local staticcheck system status=0
  need_go && staticcheck=$(tool staticcheck) || return 1
  "$staticcheck" ./... || status=1
  (cd .ci && "$staticcheck" ./...) || status=1
  (cd tests/tools && "$staticcheck" ./...) || status=1
  for system in $staticcheck_systems; do
    CGO_ENABLED=0 GOOS=$system "$staticcheck" ./... || {
      say "staticcheck: $system"
      status=1
    }
  done
  return "$status"
}

# The workflows; with shellcheck, where that is installed, for the commands in them.
lint_actionlint() {
  local actionlint
  need_go && actionlint=$(tool actionlint) || return 1
  "$actionlint"
}

fix() {
  local shfmt
  need_go && shfmt=$(tool shfmt)
  shell_files .ci bin lib tests | each "$shfmt" -l -w
  go_files | each gofmt -l -w
}

if [[ ${1-} = --fix ]]; then
  fix
  exit
fi

if (($# > 0)); then linters=("$@"); fi
bad=
for linter in "${linters[@]}"; do
  started=$SECONDS
  if ! declare -F "lint_$linter" >/dev/null; then
    say "$linter: no such linter; there are: shellcheck shfmt gofmt vet staticcheck actionlint"
    exit 2
  elif "lint_$linter"; then
    printf 'lint: %-12s ok (%d s)\n' "$linter" "$((SECONDS - started))"
  else
    printf 'lint: %-12s FAILED\n' "$linter"
    bad="$bad $linter"
  fi
done
[[ -z $bad ]] || {
  say "lint: failed:$bad"
  exit 1
}
