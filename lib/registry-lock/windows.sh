# shellcheck shell=bash
# windows.sh: what is otherwise under Git Bash, MSYS2 and Cygwin; loaded there only. A process has
# two numbers there: the one of this layer, which kill takes, and the one of Windows, which the
# layer tells of its own processes and procid understands. A recorded number is the one of Windows.

# _registry_lock_windows: puts the functions below in the place of those of other systems.
# shellcheck disable=SC2317 # the library calls them
_registry_lock_windows() {
  _registry_lock_own_space=' (Git Bash)' _registry_lock_winpid='' _registry_lock_no_exec=1
  _registry_lock_self_pid() { _registry_lock_windows_pid; }
  _registry_lock_system_pid() { _registry_lock_winpid_of "$@"; }
  _registry_lock_judge_pid() { rl_verdict=unknown rl_why=no-identity; }
  _registry_lock_patiently() { _registry_lock_windows_patiently "$@"; }
  _registry_lock_move() { _registry_lock_child mv -- "$1" "$2/."; }
  _registry_lock_fifo() { return 1; }
  _registry_lock_child() {
    rl_error=$(
      _registry_lock_untraced
      _registry_lock_patiently builtin command "$@" </dev/null 2>&1
    )
  }
  _registry_lock_make_dirs() {
    rl_error=$(_registry_lock_limits && _registry_lock_patiently builtin command mkdir -- "$@" 2>&1)
  }
  _registry_lock_make_dir() {
    rl_error=$(builtin umask u=rwx && _registry_lock_patiently builtin command mkdir -- "$1" 2>&1)
  }
}

# _registry_lock_windows_pid: rl_pid = the number that Windows has for this process, as it was told
# at the first call; status 1 where it isn't told, and rl_pid is the layer's own number, of which
# nothing may be asked. An exec would change it: nothing that holds a lock may call exec.
_registry_lock_windows_pid() {
  local rl_told
  _registry_lock_shell_pid
  if [[ ${_registry_lock_winpid%% *} != "$rl_pid" ]]; then
    _registry_lock_winpid_of rl_told "$rl_pid"
    _registry_lock_winpid="$rl_pid $rl_told"
  fi
  rl_told=${_registry_lock_winpid#* }
  [[ -n $rl_told ]] && rl_pid=$rl_told
}

# _registry_lock_winpid_of VAR PID: VAR = what Windows calls the process PID of this layer; empty
# where that isn't told.
_registry_lock_winpid_of() {
  local rl_number=
  { builtin read -r rl_number <"${_registry_lock_proc-/proc}/$2/winpid"; } 2>/dev/null
  _registry_lock_pid_valid "$rl_number" || rl_number=
  builtin printf -v "$1" %s "$rl_number"
}

# _registry_lock_windows_patiently COMMAND [ARG...]: COMMAND, again for about a second as long as it
# is refused in the words that Windows has for a file that somebody still has open, or that is being
# deleted. Prints what it printed at last.
_registry_lock_windows_patiently() {
  local rl_left=10 rl_said rl_status
  while ((1)); do
    rl_said=$("$@" 2>&1)
    rl_status=$?
    case $rl_status/$rl_left/$rl_said in
      0/* | */0/*) break ;;
      *'Permission denied'* | *'Operation not permitted'* | *'Device or resource busy'*) ;;
      *) break ;;
    esac
    ((rl_left -= 1))
    \command sleep 0.1
  done
  [[ -z $rl_said ]] || builtin printf '%s\n' "$rl_said"
  return "$rl_status"
}
