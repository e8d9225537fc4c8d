#!/usr/bin/env bash
# run.sh [GROUP...]: bad input in bulk. Made names, records, leases, environments, numbers and procid
# answers, each crossed with the commands: none crashes the shell, breaks a live lock, hangs, or
# prints a control character. The last line is `N passed, N failed`: commands.
unset CDPATH BASH_ENV ENV MAKEFLAGS MFLAGS MAKELEVEL "${!REGISTRY_LOCK_@}"
cd -- "${BASH_SOURCE[0]%/*}/../.." || exit
root=$PWD groups=(names entries contents older leases numbers environments answers programs hung)
export LC_ALL=C PATH=$root/bin:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-bad-input.XXXXXX") || exit

# group NAME: its cases, in a shell of their own that must live to its end. One that hangs is killed;
# the last case begun is in its file "now".
group() {
  local status=0
  mkdir "$work/$1" || exit
  timeout -k 5 1800 bash tests/bad-input/group.sh "$1" "$work/$1" >"$work/$1/said" 2>&1 </dev/null || status=$?
  if ((status != 0)) || [[ $(tail -n 1 "$work/$1/said") != 'end '* ]]; then
    printf 'FAIL %s: the shell ended with %d in: %s\nend 0 0 1\n' "$1" "$status" "$(cat "$work/$1/now")" \
      >>"$work/$1/said"
  fi
}

(($# == 0)) || groups=("$@")
for name in "${groups[@]}"; do group "$name" & done
wait

inputs=0 commands=0 failed=0
for name in "${groups[@]}"; do
  read -r _ a b c <<<"$(tail -n 1 "$work/$name/said")"
  sed '$d' "$work/$name/said"
  printf '%-13s %4d inputs, %5d commands, %d failed\n' "$name" "$a" "$b" "$c"
  ((inputs += a, commands += b, failed += c))
done
if ((failed == 0)); then rm -rf -- "$work"; else echo "what is left: $work"; fi
printf 'bad input: %d inputs, %d commands\n%d passed, %d failed\n' "$inputs" "$commands" $((commands - failed)) "$failed"
((failed == 0 && inputs > 0))
