# shellcheck shell=bash
# options.sh: the options of the operators' functions, parsed by the ecosystem's conventions.

# _registry_lock_options SPEC ARG...: SPEC is words such as json:j (a switch) or depth:d= (takes a
# value); with + the first operand ends them. Sets rl_opt_NAME (1 or the value) and the array
# rl_operands. Short options cluster, "--" ends them, a long one takes its value after "=" or as the
# next word. Status 64 on any other.
_registry_lock_options() {
  local rl_spec=" $1 "
  builtin shift
  rl_operands=()
  while (($#)); do
    case $1 in
      --) rl_operands+=("${@:2}") && return 0 ;;
      --?*) _registry_lock_long_option "$@" || return $? ;;
      -?*) _registry_lock_short_options "$@" || return $? ;;
      *)
        rl_operands+=("$1") rl_taken=1
        [[ $rl_spec != *' + '* ]] || { rl_operands+=("${@:2}") && return 0; }
        ;;
    esac
    builtin shift "$rl_taken"
  done
}

# _registry_lock_long_option ARG...: the option in the first ARG; rl_taken = how many it took.
_registry_lock_long_option() {
  local rl_name=${1#--} rl_rest
  rl_name=${rl_name%%=*} rl_taken=1
  case $rl_name in *[!abcdefghijklmnopqrstuvwxyz-]*) rl_name='?' ;; esac
  [[ $rl_spec == *" $rl_name:"* ]] || {
    _registry_lock_no_option "$1"
    return $?
  }
  rl_rest=${rl_spec#*" $rl_name:"} rl_rest=${rl_rest%% *}
  if [[ $rl_rest != *= ]]; then
    [[ $1 != *=* ]] || _registry_lock_usage "--$rl_name takes no value" || return $?
    builtin printf -v "rl_opt_${rl_name//-/_}" 1
  elif [[ $1 == *=* ]]; then
    builtin printf -v "rl_opt_${rl_name//-/_}" '%s' "${1#*=}"
  else
    (($# >= 2)) || _registry_lock_usage "--$rl_name needs a value" || return $?
    builtin printf -v "rl_opt_${rl_name//-/_}" '%s' "$2"
    rl_taken=2
  fi
}

# _registry_lock_short_options ARG...: the cluster in the first ARG; rl_taken = how many it took.
_registry_lock_short_options() {
  local rl_cluster=${1#-} rl_letter rl_before
  rl_taken=1
  while [[ -n $rl_cluster ]]; do
    rl_letter=${rl_cluster:0:1} rl_cluster=${rl_cluster:1}
    case $rl_letter in [!abcdefghijklmnopqrstuvwxyzEF]) rl_letter='?' ;; esac
    rl_before=${rl_spec%%":$rl_letter"[ =]*}
    [[ $rl_before != "$rl_spec" ]] || {
      _registry_lock_no_option "$1"
      return $?
    }
    rl_before=${rl_before##* }
    if [[ $rl_spec != *":$rl_letter= "* ]]; then
      builtin printf -v "rl_opt_${rl_before//-/_}" 1
    elif [[ -n $rl_cluster ]]; then
      builtin printf -v "rl_opt_${rl_before//-/_}" '%s' "$rl_cluster"
      return 0
    else
      (($# >= 2)) || _registry_lock_usage "-$rl_letter needs a value" || return $?
      builtin printf -v "rl_opt_${rl_before//-/_}" '%s' "$2"
      rl_taken=2
    fi
  done
}

# _registry_lock_no_option WORD: a usage error.
_registry_lock_no_option() {
  local rl_word
  _registry_lock_plain rl_word "$1"
  _registry_lock_usage "no such option: $rl_word (registry-lock --help lists them)"
}
