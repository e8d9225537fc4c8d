# shellcheck shell=bash
# registry-lock.bash: completion for registry-lock(1) in bash 3.2 or newer. Source it; it needs
# nothing else.

# _complete_registry_lock: COMPREPLY = what the word at the cursor can be. `operands` has a letter
# for each operand: lock, file, dir, token, command; the last one stands for all that follow.
_complete_registry_lock() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} at=2
  local options='' operands='' valued='' count=0 first=''
  COMPREPLY=()
  if [[ $command == lease ]] && ((COMP_CWORD > 2)); then
    command="lease ${COMP_WORDS[2]}" at=3
  fi
  if ((COMP_CWORD == 1)); then
    options='run status break doctor lease --help --version' operands=w
  else
    _complete_registry_lock_command
    _complete_registry_lock_before
  fi
  case $valued in
    '') _complete_registry_lock_operand ;;
    -p | --pid) _complete_registry_lock_words "$(command ps -A -o pid= 2>/dev/null)" ;;
    --worktree) _complete_registry_lock_paths -d ;;
  esac
}

# _complete_registry_lock_command: options and operands of `command`.
_complete_registry_lock_command() {
  case $command in
    run)
      options='-n --nonblock -w --wait -E --conflict-exit-code -v --verbose -q --quiet'
      operands=lc
      ;;
    status) options='-j --json' operands=l ;;
    break) options='-f --force' operands=lt ;;
    doctor)
      options='-F --fix -e --empty -g --grace -d --depth -j --json' operands=d
      ;;
    lease) options='claim release refresh show list bracket' operands=w ;;
    'lease claim') options='-p --pid -s --session --worktree' operands=f ;;
    'lease release') operands=ft ;;
    'lease refresh') options='-p --pid' operands=ft ;;
    'lease show') options='-p --pid --worktree' operands=f ;;
    'lease list') options='-p --pid --worktree' operands=d ;;
    'lease bracket') options='-s --session --worktree' operands=fc ;;
  esac
}

# _complete_registry_lock_before: what stands before the cursor: `count` operands, the `first` of
# them, and the option whose value the cursor is at. From bash 4 on "=" is a word of its own.
_complete_registry_lock_before() {
  local index before ended=''
  for ((index = at; index < COMP_CWORD; index++)); do
    before=${COMP_WORDS[index]}
    if [[ -n $valued && $before != = ]]; then
      valued=
    elif [[ -z $ended && ($count == 0 || $operands != *c) ]]; then
      case $before in
        --) ended=1 ;;
        -[wEdgsp] | --wait | --conflict-exit-code | --depth | --grace | --session | --pid)
          valued=$before
          ;;
        --worktree) [[ ${COMP_WORDS[index + 1]} != = ]] || valued=$before ;;
        -* | =) ;;
        *) ((count += 1)) && first=${first:-$before} ;;
      esac
    elif [[ $before != -- ]]; then
      ((count += 1))
      first=${first:-$before}
    fi
  done
  [[ $word != = || -z $valued ]] || word=
  [[ -z $ended && ($count == 0 || $operands != *c) ]] || options=
  [[ $command/$count != run/1 ]] || options='-c --command'
}

# _complete_registry_lock_operand: options, or the operand number `count`.
_complete_registry_lock_operand() {
  local kind=${operands:count:1}
  if [[ $word == -* ]]; then
    _complete_registry_lock_words "$options"
    return 0
  fi
  case ${kind:-${operands#"${operands%?}"}} in
    w) _complete_registry_lock_words "$options" ;;
    l | d) _complete_registry_lock_paths -d ;;
    t) _complete_registry_lock_token ;;
    c)
      ((count > 1)) || _complete_registry_lock_words "$(compgen -c -- "$word")"
      _complete_registry_lock_paths -f
      ;;
    f) _complete_registry_lock_paths -f ;;
  esac
}

# _complete_registry_lock_words WORDS: those that begin as the word does.
_complete_registry_lock_words() {
  local IFS=$' \t\n' found
  while IFS= read -r found; do
    COMPREPLY[${#COMPREPLY[@]}]=$found
  done < <(compgen -W "$1" -- "$word")
}

# _complete_registry_lock_paths -d|-f: directories (a lock is one) or files; no slots.
_complete_registry_lock_paths() {
  local found bare=${word%/}
  if [[ $word == */ && -n $(compgen -G "$bare/holder.*") ]]; then
    COMPREPLY=("$bare") # a lock: nothing in it is to be named
    return 0
  fi
  while IFS= read -r found; do
    [[ ${found##*/} != *.slot.* ]] || continue
    type compopt >/dev/null 2>&1 || printf -v found %q "$found"
    COMPREPLY[${#COMPREPLY[@]}]=$found
  done < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null || :
}

# _complete_registry_lock_token: what is needed to take the `first` operand away.
_complete_registry_lock_token() {
  local entry
  if [[ -f $first ]]; then
    _complete_registry_lock_words "$(sed -n 's/^token //p' <"$first")"
    return 0
  fi
  for entry in "$first"/holder.* "$first"/claim.*; do
    entry=${entry##*/}
    [[ $entry == *'*' ]] || _complete_registry_lock_words "${entry#*.}"
  done
}

complete -F _complete_registry_lock registry-lock
