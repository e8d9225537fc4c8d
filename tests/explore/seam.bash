# shellcheck shell=bash
# seam.bash LIBRARY: the processes of an exploration. Reads lines "TALK DIR PID" and for each makes a
# place where they run, one after the other: it reads lines "ROLE ROUNDS SECONDS" from the FIFO
# TALK.hears (descriptor 4), and for each runs ROLE in a subshell, which is a process of its own. That stops
# where the table at the end says, tells the FIFO TALK.says (3) what it is about to do and with what result
# its last step ended, and goes on by the word that it reads. It works in DIR, and believes to have the
# pid PID, or its own where that is missing.

# shellcheck disable=SC2154,SC2034,SC2317,SC2329 # the library's variables; it calls what is here
# shellcheck disable=SC2016 # code for eval
unset "${!REGISTRY_LOCK_@}"
# shellcheck source=/dev/null
. "$1" || exit 98

# explore_ask WHAT ARG...: stops. explore_answer = the controller's word; at the word "die" a child
# of the process kills it.
explore_ask() {
  local whose=process
  [[ $BASHPID == "$explore_pid" ]] || whose=child
  builtin printf 'stop %s %s|%s\n' "$whose" "$explore_saw" "$*" >&3
  explore_saw=
  IFS= builtin read -r explore_answer <&4 || builtin exit 97
  [[ $explore_answer != die ]] || { builtin kill -KILL "$explore_pid" && builtin exit 97; }
}

# The umask, and the limit of a file's size.
explore_limits=$'0022\nunlimited'

# explore_keep FUNCTION: FUNCTION is also explore_real_FUNCTION from now on.
explore_keep() {
  builtin declare -F "$1" >/dev/null || {
    builtin printf 'error the library has no function %s\n' "$1"
    builtin exit 98
  }
  builtin eval "explore_real_$(builtin declare -f "$1")"
}

# explore_stop_before WHAT FUNCTION [CODE]: stops before each call, and tells what came of it. CODE runs
# before.
explore_stop_before() {
  explore_keep "$2"
  builtin eval "$2() {
    [[ \$BASHPID == \"\$explore_pid\" ]] || { explore_real_$2 \"\$@\"; return \$?; }
    ${3-}
    explore_ask $1 \"\$@\"
    explore_real_$2 \"\$@\"
    builtin set -- \"\$?\"
    explore_saw+=\"\$1,\${rl_state-},\${rl_entry-} \"
    return \$1
  }"
}

# explore_instead FUNCTION BODY: BODY runs in its place; the word "go" makes explore_real_FUNCTION
# run.
explore_instead() {
  explore_keep "$1"
  builtin eval "$1() { $2
  }"
}

# explore_do COMMAND ARG...: COMMAND as the controller does it: rl_error = its output. The word "go"
# makes it run here.
explore_do() {
  explore_ask change "$@"
  [[ $explore_answer != go ]] || return 99
  rl_error=${explore_answer#* }
  return "${explore_answer%% *}"
}

# command COMMAND ARG...: what the library starts by that name; the commands on files are steps.
command() {
  case ${explore_pid:+$1} in
    mv | mkdir | rm | rmdir | mkfifo) explore_do "$@" ;;
    *) builtin command "$@" && return 0 || return "$?" ;;
  esac
  case $? in
    99) PATH=$explore_path builtin command "$@" ;;
    0) ;;
    *) builtin printf '%s\n' "$rl_error" >&2 && return 1 ;;
  esac
}

# explore_tell_all: says all that the process holds where it stands. What it does from here follows from
# that, however it came here: no list of a `for` may be under way, and a variable that another of its name
# hides must always have the same value, as those that a guard empties (caller.sh).
explore_tell_all() {
  explore_saw='' explore_answer=''
  builtin printf 'holds\n%s\n' "$- ${FUNCNAME[*]} ${BASH_LINENO[*]}" >&3
  { builtin trap -p && builtin declare -p; } >&3
  builtin printf '\nholds that\n' >&3
}

# explore_outside: the same, where the process is in no function of the library.
explore_outside() {
  explore_tell_all
  builtin printf 'outside\n' >&3
}

explore_note() { builtin printf 'note %s\n' "$*" >&3; }

# explore_user ROUNDS SECONDS: takes the lock and gives it back.
explore_user() {
  local rounds=$1 seconds=$2 round status
  for ((round = 0; round < rounds; round++)); do
    registry_lock_acquire "$LOCK" "$seconds"
    status=$?
    explore_note acquired "$status"
    explore_outside
    ((status == 0)) || continue
    registry_lock_release "$LOCK"
    status=$?
    explore_note released "$status"
    explore_outside
  done
}

# explore_older ROUNDS SECONDS: an older script, whose lock is a directory without an entry.
explore_older() {
  command mkdir -- "$LOCK" || return 0
  explore_note acquired 0
  command rmdir -- "$LOCK"
  explore_note released "$?"
}

# What others can see, one line a step; so are the commands on files, above and in tool.sh.
# A function that the library has no more is an error.
explore_stop_before look _registry_lock_look 'case ${FUNCNAME[1]} in
      _registry_lock_contend) explore_tell_all ;;
    esac'
explore_stop_before list _registry_lock_list
explore_stop_before exists _registry_lock_exists
explore_stop_before check _registry_lock_take_back
explore_stop_before want _registry_lock_want
explore_stop_before wake _registry_lock_wake
explore_stop_before waiting _registry_lock_is_waiting
explore_instead _registry_lock_child '
  [[ $BASHPID == "$explore_pid" ]] || { explore_real__registry_lock_child "$@"; return $?; }
  explore_do "$@"
  builtin set -- "$?" "$@"
  (($1 == 99)) || return "$1"
  PATH=$explore_path explore_real__registry_lock_child "${@:2}"'
# The same without the subshells that only set an umask, or a limit, for one command.
explore_instead _registry_lock_make_dir '
  explore_do mkdir -- "$1"
  builtin set -- "$?" "$1"
  (($1 == 99)) || return "$1"
  PATH=$explore_path explore_real__registry_lock_make_dir "$2"'
explore_instead _registry_lock_make_dirs '
  explore_do mkdir -- "$@"
  builtin set -- "$?" "$@"
  (($1)) || rl_error=$explore_limits
  (($1 == 99)) || return "$1"
  PATH=$explore_path explore_real__registry_lock_make_dirs "${@:2}"'
explore_instead _registry_lock_move '
  explore_do mv -- "$1" "$2/."
  builtin set -- "$?" "$@"
  (($1 == 99)) || return "$1"
  PATH=$explore_path explore_real__registry_lock_move "$2" "$3"'
explore_instead _registry_lock_ask '
  explore_ask probe "$@"
  rl_answer=$explore_answer
  [[ $rl_answer != go ]] || explore_real__registry_lock_ask "$@"
  explore_saw+="$rl_answer "'
explore_instead _registry_lock_orphans '
  explore_ask carriers "$@"
  rl_orphans="" rl_orphan="" rl_blind=1
  [[ $explore_answer != go ]] || explore_real__registry_lock_orphans "$@"'
explore_instead _registry_lock_may_live '
  explore_ask signal "$1"
  [[ $explore_answer != go ]] || explore_answer=explore_real__registry_lock_may_live
  "$explore_answer" "$1"'
explore_instead _registry_lock_answers '[[ $1 == "$explore_pid" ]] || _registry_lock_may_live "$1"'
explore_instead _registry_lock_explain '
  explore_ask why "$@"
  [[ $explore_answer != go ]] || explore_real__registry_lock_explain "$@"'

explore_instead _registry_lock_shell_pid 'rl_pid=${explore_as:-$BASHPID}'

# Time is the controller's. A wait ends with what it is to be taken for: 0 the lock is to be tried,
# 1 there is something to look at.
explore_instead _registry_lock_watch 'explore_ask wait && return "$explore_answer"'
explore_instead _registry_lock_nap 'explore_ask wait'
explore_instead _registry_lock_tick 'explore_ask time && rl_now=$explore_answer'
explore_instead _registry_lock_wall 'explore_ask time && rl_wall=$explore_answer'
explore_instead _registry_lock_utc 'rl_utc=2026-01-01T00:00:00Z'

# The traps as the library lays them where the caller has none, without the processes that look.
explore_instead _registry_lock_arm 'builtin trap "$_registry_lock_trap" EXIT'
explore_instead _registry_lock_disarm '((${#_registry_lock_locks[@]})) || builtin trap - EXIT'

# explore_sit: the processes of one place, one after the other.
explore_sit() {
  local explore_role explore_rounds explore_seconds
  while read -r explore_role explore_rounds explore_seconds <&4; do
    [[ -n $explore_role ]] || continue
    (
      export explore_pid=$BASHPID
      explore_saw=''
      LOCK=$explore_dir/lock
      builtin printf 'pid %s\n' "$BASHPID" >&3
      "explore_$explore_role" "$explore_rounds" "$explore_seconds"
    ) </dev/null
    builtin printf 'ended %s\n' "$?" >&3
  done
}

builtin printf 'ready\n'
while read -r explore_talk explore_dir explore_as; do
  explore_sit 3>"$explore_talk.says" 4<"$explore_talk.hears" </dev/null >/dev/null &
done
