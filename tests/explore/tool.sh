#!/bin/sh
# tool.sh: what a shell of the exploration starts as mv, mkdir and so on: a stop like those of seam.bash.
# shellcheck disable=SC2154 # seam.bash exports them
printf 'stop child |change %s\n' "${0##*/} $*" >&3
IFS= read -r word <&4 || exit 97
case $word in
  go) PATH=$explore_path exec "${0##*/}" "$@" ;;
  die) kill -KILL "$explore_pid" && exit 97 ;;
esac
[ -z "${word#* }" ] || printf '%s\n' "${word#* }" >&2
exit "${word%% *}"
