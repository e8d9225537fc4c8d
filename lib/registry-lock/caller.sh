# shellcheck shell=bash
# caller.sh: what stands between a caller's shell and the library: options are set aside for
# the length of a call, and the EXIT trap that releases is laid in front of nobody's.

# The trap's text is fixed, so that it can be told from a caller's. The caller's own code runs
# first, at the top level, with the status it would have seen, while the locks are still held.
# shellcheck disable=SC2016 # for the trap to expand
_registry_lock_trap='if _registry_lock_leave "$?" "$(builtin trap -p ERR)"
then builtin eval "$_registry_lock_exit"
else builtin eval "$_registry_lock_exit"; fi; _registry_lock_left || builtin :'
_registry_lock_harmless=x _registry_lock_trap_head="trap -- '${_registry_lock_trap%%$'\n'*}"

# _registry_lock_call FUNCTION [ARG...]: runs FUNCTION the same way under any options and in any
# locale of the caller; they are as before when it returns. Its status is FUNCTION's.
# Every variable of the library begins with rl_ or _registry_lock_, since a caller may have
# made a common name readonly. IFS, LC_ALL and TMOUT are local: they end with the call; one that
# is readonly stays. Under set -k local would not see what is assigned.
_registry_lock_call() { _registry_lock_guard_options _registry_lock_bytes "$@"; }

# _registry_lock_bytes FUNCTION [ARG...]: runs FUNCTION where a character is a byte. To set a locale
# costs as much as half the rest of an acquire, so what is done each time goes without.
_registry_lock_bytes() {
  local rl_lc_all
  rl_lc_all=${LC_ALL-}
  local LC_ALL=C 2>/dev/null
  "$@"
}

# What a function may find set by the one that called it is empty to begin with: whatever the
# environment holds, and in a trap that strikes in another call, it is none of this call's.

# Bash copies the body of a function at each call, so what every acquire and release passes through
# is short, and what is rare is in functions of its own.

# _registry_lock_guard FUNCTION [ARG...]: _registry_lock_call in the caller's locale. Options that
# were seen to need nothing are not looked at again.
_registry_lock_guard() {
  # shellcheck disable=SC2053 # no pattern; in quotes it costs twice as much
  [[ $-$SHELLOPTS${BASHOPTS-}${GLOBIGNORE-}${TMOUT-} == $_registry_lock_harmless ]] || {
    _registry_lock_guard_options "$@"
    return "$?" # IFS may hold digits here
  }
  local IFS=$' \t\n' 2>/dev/null
  local rl_again='' rl_all='' rl_alone='' rl_kept='' rl_known_answer='' rl_named='' rl_silent=''
  "$@"
}

# _registry_lock_guard_options FUNCTION [ARG...]: its work under any options. Bash 3.2 has no
# BASHOPTS, so there every one is asked for.
_registry_lock_guard_options() {
  local rl_flags rl_options rl_shopts rl_status rl_ignore rl_tmout
  rl_flags=$- rl_options=:${SHELLOPTS-}: rl_shopts='' rl_ignore=${GLOBIGNORE-} rl_tmout=${TMOUT-}
  [[ $rl_flags != *[euCfTEak]* && $rl_options != *:pipefail:* ]] ||
    builtin set +euCfTEak +o pipefail
  local IFS=$' \t\n' TMOUT='' 2>/dev/null
  local rl_again='' rl_all='' rl_alone='' rl_kept='' rl_known_answer='' rl_named='' rl_silent=''
  case :${BASHOPTS-}:${BASH_VERSINFO[0]}:$rl_ignore in
    *:nullglob:* | *:failglob:* | *:nocase* | *:dotglob:* | *:3:* | *:[0-9]:?*)
      _registry_lock_shopts
      ;;
  esac
  if [[ $rl_flags != *[aCfkuETe]* && $rl_options != *:pipefail:* && -z $rl_shopts$rl_ignore ]]; then
    [[ -n $rl_tmout ]] || _registry_lock_harmless=$rl_flags$SHELLOPTS${BASHOPTS-}
    "$@"
    return $?
  fi
  "$@"
  rl_status=$?
  [[ -z $rl_ignore ]] || GLOBIGNORE=$rl_ignore
  _registry_lock_options_back
  return "$rl_status"
}

# _registry_lock_shopts: rl_shopts = the options about patterns that are set; they are unset, and
# what patterns are to leave out.
_registry_lock_shopts() {
  for rl_status in nullglob failglob nocasematch nocaseglob dotglob; do
    builtin shopt -q "$rl_status" && rl_shopts+=" $rl_status"
  done
  builtin shopt -u nullglob failglob nocasematch nocaseglob dotglob
  [[ -z $rl_ignore ]] || GLOBIGNORE=
}

# _registry_lock_options_back: sets what _registry_lock_guard noted in rl_flags, rl_options,
# rl_shopts; the letters first, since e is not E as long as nocasematch is off.
_registry_lock_options_back() {
  local rl_flag
  [[ -z $rl_ignore ]] || builtin shopt -u dotglob # GLOBIGNORE sets it
  [[ $rl_options != *:pipefail:* ]] || builtin set -o pipefail
  for rl_flag in a C f k u E T e; do
    [[ $rl_flags != *"$rl_flag"* ]] || builtin set "-$rl_flag"
  done
  for rl_flag in nullglob failglob nocasematch nocaseglob dotglob; do
    [[ $rl_shopts != *" $rl_flag"* ]] || builtin shopt -s "$rl_flag"
  done
}

# _registry_lock_arm: lays the EXIT trap, keeping the caller's. A subshell shows its parent's traps
# until it sets one itself, so there a trap that isn't set is unset first. One that the library
# started itself (rl_alone) has no trap.
_registry_lock_arm() {
  local rl_signal rl_shown
  [[ -z ${rl_alone-} ]] || {
    rl_alone=
    # shellcheck disable=SC2064 # a fixed text
    builtin trap "$_registry_lock_trap" EXIT
    return 0
  }
  if ((BASH_SUBSHELL)); then
    for rl_signal in URG WINCH IO; do
      _registry_lock_show_trap "$rl_signal"
      [[ -n $rl_shown ]] || break
    done
    builtin trap - "$rl_signal"
  fi
  _registry_lock_arm_over
}

# _registry_lock_arm_over: the same where a trap was laid before.
_registry_lock_arm_over() {
  local rl_shown
  _registry_lock_show_trap EXIT
  _registry_lock_is_ours "$rl_shown" && return 0
  _registry_lock_kept=$rl_shown _registry_lock_exit=
  [[ -z $rl_shown ]] || builtin eval "_registry_lock_exit=${rl_shown:8:${#rl_shown}-13}"
  # shellcheck disable=SC2064 # a fixed text
  builtin trap "$_registry_lock_trap" EXIT
}

# _registry_lock_arm_again FILE: the same, where that is most likely still there. FILE is in the
# slot: a look by way of it costs no process.
_registry_lock_arm_again() {
  local rl_shown=''
  _registry_lock_note_trap "$1"
  builtin [ "$rl_shown" = "$_registry_lock_trap_head" ] || _registry_lock_arm_over
}

# _registry_lock_disarm [SHOWN]: when nothing is held or waited for any more, the caller's EXIT trap
# is back, unless he has set another since. SHOWN is what _registry_lock_note_trap has just seen.
_registry_lock_disarm() {
  ((${#_registry_lock_locks[@]} == 0)) || return 0
  [[ -z $_registry_lock_leaving$_registry_lock_temp ]] || return 0
  _registry_lock_is_ours "${1-}" || _registry_lock_is_ours "$(builtin trap -p EXIT)" ||
    return 0
  if [[ -n $_registry_lock_kept ]]; then
    builtin eval "$_registry_lock_kept"
  else
    builtin trap - EXIT
  fi
}

# _registry_lock_show_trap SIGNAL: rl_shown = what trap -p prints of its trap; nothing where none is
# set, of which posix mode prints "trap -- - SIGNAL".
_registry_lock_show_trap() {
  rl_shown=$(builtin trap -p "$1")
  [[ $rl_shown != 'trap -- - '* ]] || rl_shown=
}

# _registry_lock_is_ours SHOWN: whether SHOWN, printed by trap -p, is the trap of
# _registry_lock_arm.
_registry_lock_is_ours() {
  [[ $1 == *'_registry_lock_leave "$?"'* ]]
}

# _registry_lock_leave STATUS ERR: the shell is leaving: returns the STATUS it leaves with. An exit
# in the caller's own code must not pass the release by, nor a command that fails under set -e; in
# posix mode an exit can't be caught, so there the release comes first.
_registry_lock_leave() {
  _registry_lock_leaving=1
  if [[ :${SHELLOPTS-}: == *:posix:* ]]; then
    _registry_lock_left
  elif [[ -n $_registry_lock_exit ]]; then
    builtin eval 'exit() {
      if _registry_lock_left; then builtin exit "$@"; else builtin exit "$@"; fi
    }'
    [[ $- != *e* ]] || _registry_lock_leave_on_error "$2"
  fi
  return "$1"
}

# _registry_lock_leave_on_error SHOWN: where set -e is about to end the shell, the ERR trap runs
# first: it releases, after the caller's own code for ERR, which only the top level can show.
_registry_lock_leave_on_error() {
  [[ $1 != 'trap -- '[!-]* ]] || builtin eval "_registry_lock_error=${1:8:${#1}-12}"
  builtin trap 'builtin eval "$_registry_lock_error"; _registry_lock_left || builtin :' ERR
  builtin set -E
}

# _registry_lock_left: releases what the process still holds, as the last thing it does. The status
# before it stays, for an exit that follows.
_registry_lock_left() {
  # shellcheck disable=SC2319 # the status that the shell leaves with
  builtin set -- "$?"
  _registry_lock_call _registry_lock_release_all
  return "$1"
}
