# shellcheck shell=bash
# registry-lock: a lock for shell programs that a killed holder cannot wedge. Source this file.
#
# ON DISK, for the lock DIR/NAME
#   DIR/NAME/                       the lock: it exists = it is taken
#   DIR/NAME/holder.PID.ID.N        its only entry: who holds it; PID.ID.N is the token
#   DIR/NAME/claim.PID.ID.N         its only entry while PID removes the lock of a gone process
#   DIR/NAME.slot.PID.ID/           a process's slot: its lock directory waits in there as NAME/,
#                                   and its place in the queue of waiters (queue.sh), only a hint
# The name of the entry decides; its content is for people.
#
# INVARIANTS
#   I1  A lock directory has exactly one entry, from before it is seen until after it is gone.
#   I2  Each change of a shared name is one rename(2), made by one mv; what it did is read back.
#   I3  An entry of a live process is never moved by another. Only "gone" from the probe lets an
#       entry be claimed; "unknown" waits.
#   I4  What is claimed is what was judged: the claim renames the judged token itself.
#   I5  An mv may outlive the shell that started it. It needs its slot to land in, so the slot of
#       a gone process is destroyed before its entry is claimed, and no process starts an mv on a
#       lock while an earlier one of its own may be under way.
#   I6  A process releases only what it took itself: a subshell is a process of its own.
#
# CALLING SEQUENCE
#   registry_lock_acquire LOCK [SECONDS]    take LOCK, waiting at most SECONDS
#   registry_lock_check LOCK                still mine?
#   registry_lock_write DEST <NEW           replace the file DEST in one step
#   registry_lock_release [LOCK]            give LOCK back; all of them without LOCK
# Leaving the shell releases: on exit, and so on INT, TERM and HUP. SIGKILL leaves the lock behind;
# the next caller finds its holder gone and removes it. A process that takes a lock again and again
# keeps its slot, and the EXIT trap, from the second release on, until a release without LOCK.
#
# EXIT STATUSES
#   0 done   64 usage   73 can't be made here   75 still held when the time was up
#   76 not yours: a release or check of a lock that this process does not hold

# Aliases are expanded where a function is read, so they are off while this file is.
\builtin shopt -q expand_aliases && _registry_lock_aliases=1 || _registry_lock_aliases=
\builtin shopt -u expand_aliases

_registry_lock_version=0.1.0

# The bundle (.ci/bundle) has all parts instead of what stands from here to "end of loading".
_registry_lock_home=${BASH_SOURCE[0]%/*}
[[ $_registry_lock_home != "${BASH_SOURCE[0]}" ]] || _registry_lock_home=.
_registry_lock_loaded=''
[[ $_registry_lock_home == /* ]] || _registry_lock_home=$PWD/$_registry_lock_home

# _registry_lock_load PART...: reads those parts of the library, once; they change nothing else.
_registry_lock_load() {
  local rl_part rl_status rl_aliases
  rl_status=0 rl_aliases=-u # assigned apart, for set -k
  builtin shopt -q expand_aliases && rl_aliases=-s
  builtin shopt -u expand_aliases
  for rl_part in "$@"; do
    [[ " ${_registry_lock_loaded-} " != *" $rl_part "* ]] || continue
    # shellcheck source=/dev/null
    builtin . "$_registry_lock_home/registry-lock/$rl_part.sh" || rl_status=1
    _registry_lock_loaded="${_registry_lock_loaded-} $rl_part"
  done
  builtin shopt "$rl_aliases" expand_aliases
  return "$rl_status"
}
_registry_lock_load caller operands entry process judge store remove legacy wait queue report \
  acquire contend release write || return
# end of loading

# registry_lock_acquire LOCK [SECONDS]: takes LOCK, a path whose directory exists. Waits at most
# SECONDS (fractions count; default $REGISTRY_LOCK_SECONDS, else 10); 0 tries once. The lock of a
# process that is provably gone is removed at once, with a line on standard error.
# Status 0 taken; 64 usage, or this process holds LOCK already; 73 can't be made; 75 still held.
registry_lock_acquire() {
  _registry_lock_guard _registry_lock_acquire "$@"
}

# registry_lock_release [LOCK]: gives LOCK back; without LOCK all of this process's, last taken
# first. Status 0; 73 the system refused; 76 not held by this process: silent where it never was,
# with a sentence where it was taken away.
registry_lock_release() { _registry_lock_guard _registry_lock_release "$@"; }

# registry_lock_check LOCK: status 0 while this process holds LOCK, else 76 (with a sentence where
# it was taken away).
registry_lock_check() { _registry_lock_guard _registry_lock_check "$@"; }

# registry_lock_write DEST: replaces the file DEST by standard input in one rename, so that a
# reader without the lock sees the old file or the new one. Its mode stays; a new file is 0600.
# Status 0; 64 usage; 73 it could not be written, and DEST is as it was.
registry_lock_write() { _registry_lock_call _registry_lock_write "$@"; }

# registry_lock_status [--json] LOCK...: says on standard output what is known of each LOCK, as
# text or as a JSON object a line (its keys are in json.sh). Status 0 free, 1 held by a live holder
# or one that can't be asked, 2 stale: the highest of them; 64 usage.
registry_lock_status() { _registry_lock_call _registry_lock_more status "$@"; }

# registry_lock_break [--force] LOCK [TOKEN]: removes LOCK if its holder is provably gone, else
# shows the holder. With --force and its TOKEN, as status prints it, whoever holds it, if that token
# still does. Status 0 it is free; 64 usage; 73 can't be removed; 75 still held.
registry_lock_break() { _registry_lock_call _registry_lock_more break "$@"; }

# registry_lock_doctor [--json] [--fix [--empty] [--grace SECONDS]] [--depth N] [DIR...]: finds what
# is left behind below each DIR, and with --fix removes what is proven. Status 0 nothing wrong is
# left, 1 something that can't be told, 2 something stale; 64 usage.
registry_lock_doctor() { _registry_lock_call _registry_lock_more doctor "$@"; }

# registry_lock_run [-n] [-w SECONDS] [-E STATUS] [-v|-q] LOCK [--] COMMAND [ARG...]: COMMAND runs
# as the holder of LOCK, which is given back when it has ended. Options as for the command
# registry-lock run. Status: COMMAND's; or, if it was not run, as registry_lock_acquire's.
registry_lock_run() { _registry_lock_call _registry_lock_more run "$@"; }

# A lease is ownership that outlives the call: FILE says which process, the anchor, owns what FILE
# stands for. The anchor is PID, by default the shell that runs the script ($$, in $(...) too; from
# a background subshell give its own BASHPID). No time ends it; once the anchor is gone anybody may
# claim.
#
# registry_lease_claim [--session TEXT] [--worktree[=DIR]] FILE [PID]: prints the token, which is
# needed from then on. Status 0; 64 usage, or PID isn't running; 73 can't be made; 75 another has
# it.
registry_lease_claim() { _registry_lock_call _registry_lock_more lease "$$" claim "$@"; }

# registry_lease_release FILE TOKEN: gives it up. Status 0; 64; 73; 76 TOKEN isn't the recorded one.
registry_lease_release() { _registry_lock_call _registry_lock_more lease "$$" release "$@"; }

# registry_lease_refresh FILE TOKEN PID: PID is its anchor from now on. Status as of claim and of
# release.
registry_lease_refresh() { _registry_lock_call _registry_lock_more lease "$$" refresh "$@"; }

# registry_lease_verdict [--worktree[=DIR]] FILE: prints free; self, the caller's; other, another
# worktree's; live_foreign; live_unverified, can't be told; stale_dead; or stale_unverifiable, alive
# or not, no identity tells (nobody may claim it while its number is in use). Status 0.
registry_lease_verdict() { _registry_lock_call _registry_lock_more lease "$$" verdict "$@"; }

# registry_lease_bracket FILE COMMAND [ARG...]: COMMAND runs as the anchor of a lease of its own.
# Status: COMMAND's; or, if it was not run, as registry_lease_claim's.
registry_lease_bracket() { _registry_lock_call _registry_lock_more lease_apart "$$" bracket "$@"; }

# registry_lock_main COMMAND [ARG...]: the program registry-lock: run, status, break, doctor, lease
# or --version, in this very process. "run" takes its traps for its own, and the parent process is
# the anchor of a lease.
registry_lock_main() {
  case ${1-} in
    run) _registry_lock_call _registry_lock_more run_here "${@:2}" ;;
    lease) _registry_lock_call _registry_lock_more lease "$PPID" "${@:2}" ;;
    --version) builtin printf 'registry-lock %s\n' "$_registry_lock_version" ;;
    *) _registry_lock_call _registry_lock_more "$@" ;;
  esac
}

# _registry_lock_more NAME [ARG...]: an operator's function, read when it is first called.
_registry_lock_more() {
  case $1 in
    run*) _registry_lock_load options run wrap ;;
    lease*)
      _registry_lock_load options status json doctor-find doctor-ask run wrap &&
        _registry_lock_load lease lease-options lease-record lease-tell
      ;;
    *) _registry_lock_load options status json break doctor doctor-find doctor-ask doctor-slot ;;
  esac || return 73
  _registry_lock_tenant && "_registry_lock_$1_command" "${@:2}"
}

_registry_lock_own_space='' _registry_lock_no_exec=''
case ${OSTYPE-} in
  msys* | cygwin*) _registry_lock_load windows && _registry_lock_windows || return ;;
esac
# No environment holds an element of an array: what it has of these names is nobody's state.
[[ -n ${_registry_lock_sourced[1]-} ]] || _registry_lock_forget 0
_registry_lock_sourced[1]=1
[[ -z $_registry_lock_aliases ]] || builtin shopt -s expand_aliases
builtin unset _registry_lock_aliases
