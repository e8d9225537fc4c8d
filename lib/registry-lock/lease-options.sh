# shellcheck shell=bash
# lease-options.sh: what a caller gives: options, the anchor, the worktree.

# _registry_lock_lease_options LEAST MOST OPERANDS SPEC ARG...: rl_operands and the options of SPEC;
# rl_file = the first operand, absolute; rl_worktree = the identity that --worktree asks for.
_registry_lock_lease_options() {
  local rl_lock rl_name rl_dir rl_args rl_spec=$4
  _registry_lock_lease_worktree_option "${@:5}"
  # an empty array is unset to set -u before bash 4.4, which is off here
  _registry_lock_options "$rl_spec" "${rl_args[@]}" || return $?
  [[ ${rl_operands[1]-} != -- || $rl_spec != *+ ]] ||
    rl_operands=("${rl_operands[0]}" "${rl_operands[@]:2}")
  ((${#rl_operands[@]} >= $1 && ${#rl_operands[@]} <= $2)) || {
    _registry_lock_usage "usage: registry-lock lease ... $3 (registry-lock --help tells more)"
    return $?
  }
  if [[ $3 == DIR ]]; then
    _registry_lock_absolute "${rl_operands[0]:-/}" || return $?
  else
    _registry_lock_path "${rl_operands[0]}" || return $?
  fi
  rl_file=${rl_lock%/.}
  [[ $rl_opt_worktree_of == $'\n' ]] ||
    _registry_lock_lease_worktree "$rl_opt_worktree_of" || return $?
  _registry_lock_lease_encode rl_opt_session "$rl_opt_session"
  ((${#rl_opt_session} + ${#rl_worktree} <= 3000)) ||
    _registry_lock_usage 'session and worktree are too long for a record'
}

# _registry_lock_lease_worktree_option ARG...: rl_args = ARG... with --worktree, --worktree=DIR and
# --worktree DIR as --worktree-of DIR. The next word is its DIR if that is a directory and another
# word is left for the operand.
_registry_lock_lease_worktree_option() {
  local rl_operand=0
  rl_args=()
  while (($#)); do
    case $1 in
      --worktree=*) rl_args+=(--worktree-of "${1#*=}") ;;
      --worktree)
        rl_args+=(--worktree-of .)
        if [[ -d ${2-} ]] && (($# + rl_operand > 2)); then
          rl_args[${#rl_args[@]} - 1]=$2
          builtin shift
        fi
        ;;
      --pid | --session | -p | -s)
        rl_args+=("${@:1:2}")
        (($# < 2)) || builtin shift
        ;;
      --) break ;;
      -?*) rl_args+=("$1") ;;
      *)
        [[ $rl_spec != *+ ]] || break
        rl_args+=("$1") rl_operand=1
        ;;
    esac
    builtin shift
  done
  rl_args+=("$@")
}

# _registry_lock_lease_worktree DIR: rl_worktree = what names the git worktree that DIR lies in, its
# own git directory; outside git DIR itself. Links are resolved. Whose it is does not matter.
_registry_lock_lease_worktree() {
  local rl_top
  rl_top=$(
    builtin unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR
    \command git -c 'safe.directory=*' -C "$1" rev-parse --absolute-git-dir 2>/dev/null &&
      builtin printf x
  )
  rl_top=$(_registry_lock_lease_canonical "${rl_top%$'\nx'}" "$1") || {
    _registry_lock_plain rl_top "$1"
    _registry_lock_usage "$rl_top is not a directory that can be entered"
    return $?
  }
  _registry_lock_lease_encode rl_worktree "${rl_top%$'\nx'}"
}

# _registry_lock_lease_canonical TOP DIR: prints TOP, or where it is empty DIR, without links, and a
# line "x". For $(...): it changes the directory.
_registry_lock_lease_canonical() {
  [[ -d $2 ]] && builtin cd -P -- "${1:-$2}" 2>/dev/null && builtin pwd -P && builtin printf x
}

# _registry_lock_lease_encode VAR TEXT: VAR = TEXT in one line: control characters and % as %XX.
_registry_lock_lease_encode() {
  local rl_rest=$2 rl_encoded='' rl_part
  while [[ $rl_rest == *[[:cntrl:]%]* ]]; do
    rl_part=${rl_rest%%[[:cntrl:]%]*}
    rl_rest=${rl_rest#"$rl_part"}
    builtin printf -v rl_part '%s%%%02X' "$rl_part" "'${rl_rest:0:1}"
    rl_encoded+=$rl_part rl_rest=${rl_rest:1}
  done
  builtin printf -v "$1" '%s' "$rl_encoded$rl_rest"
}

# _registry_lock_lease_anchor PID: rl_apid and rl_aid = the process PID, which must be alive.
_registry_lock_lease_anchor() {
  local rl_answer=unknown rl_verdict rl_why rl_shown
  _registry_lock_plain rl_shown "$1"
  _registry_lock_pid_valid "$1" ||
    _registry_lock_usage "'$rl_shown' is not a process number" || return $?
  rl_aid=$rl_id
  _registry_lock_system_pid rl_apid "$1"
  [[ $rl_apid != "$rl_pid" ]] || return 0
  if [[ -z $rl_id ]]; then
    _registry_lock_judge_pid "$rl_apid" "${HOSTNAME-}"
    [[ $rl_verdict != alive ]] || return 0
    rl_answer=$rl_verdict
  else
    [[ -z $rl_apid ]] || _registry_lock_ask "$rl_apid"
    rl_aid=$rl_answer
    [[ $rl_answer == gone || $rl_answer == unknown ]] || return 0
  fi
  _registry_lock_usage "process $1 is not known to be running ($rl_answer): a lease needs a living\
 anchor; give one with --pid"
}

# _registry_lock_lease_mine: rl_apid and rl_aid = the anchor that asks; rl_aid is empty where
# nothing tells it.
_registry_lock_lease_mine() {
  local rl_answer=unknown
  rl_aid=
  _registry_lock_system_pid rl_apid "$rl_opt_pid"
  _registry_lock_pid_valid "$rl_apid" || rl_apid=
  [[ -z $rl_id || -z $rl_apid ]] || _registry_lock_ask "$rl_apid"
  [[ $rl_answer == gone || $rl_answer == unknown ]] || rl_aid=$rl_answer
}
