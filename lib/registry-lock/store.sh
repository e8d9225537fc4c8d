# shellcheck shell=bash
# store.sh: with remove.sh the only file that makes, renames or removes anything beside a lock's
# path. Each function makes one step and reads back what it did; none decides whether it should.

# _registry_lock_child COMMAND ARG...: COMMAND as one child, never a function or an alias; rl_error
# = what it printed, without a trace. SIGINT ends the shell while it waits here, as it doesn't
# during a plain child.
_registry_lock_child() {
  rl_error=$(_registry_lock_untraced && builtin exec "$@" </dev/null 2>&1)
}

# _registry_lock_untraced: from here on this subshell traces nothing, and what it starts has its
# LC_ALL: what mv and rm say is compared in _registry_lock_bytes.
_registry_lock_untraced() {
  { builtin set +x; } 2>/dev/null
  builtin export LC_ALL
}

# _registry_lock_patiently COMMAND [ARG...]: COMMAND; again and again in windows.sh.
_registry_lock_patiently() { "$@"; }

# _registry_lock_exists PATH: something has that name, be it a dangling link.
_registry_lock_exists() { [[ -e $1 || -L $1 ]]; }

# _registry_lock_look LOCK: rl_state = free, entry, empty, foreign (other names in it), closed
# (can't be listed by this user), blocked (no directory) or what _registry_lock_old_look finds;
# rl_entry = the name of a lone entry, rl_record its path, and what its name says. A rename during
# the look can make "empty", "foreign" or "closed" of a lock that is neither, so that counts only
# when it was seen five times running (or 30 looks saw one or the other).
_registry_lock_look() {
  local rl_look rl_same=0 rl_last=
  for ((rl_look = 0; rl_look < 30 && rl_same < 5; rl_look++)); do
    _registry_lock_look_once "$1"
    case $rl_state in empty | foreign | closed) ;; *) return 0 ;; esac
    [[ $rl_state == "$rl_last" ]] || rl_same=0 rl_last=$rl_state
    ((rl_same += 1))
  done
}

# _registry_lock_look_once LOCK: one look of it.
_registry_lock_look_once() {
  rl_entry='' rl_record='' rl_state=free
  if [[ -L $1 || -f $1 || -p $1 || -S $1 || -b $1 || -c $1 ]]; then
    rl_state=blocked # by one look: between two the lock may come and go
  elif [[ -d $1 ]]; then
    rl_state=closed
    [[ -r $1 && -x $1 ]] || return 0
    _registry_lock_list "$1"
    [[ $rl_state == entry ]] || _registry_lock_old_look "$1"
  fi
}

# _registry_lock_list LOCK: its part of _registry_lock_look for a directory that can be listed.
_registry_lock_list() {
  builtin set -- "$1" "$1"/*
  rl_state=empty
  _registry_lock_exists "$2" || return 0
  rl_state=foreign
  (($# == 2)) || return 0
  rl_entry=${2##*/}
  _registry_lock_entry_split "$rl_entry" || return 0
  rl_state=entry rl_record=$2
}

# _registry_lock_content FILE: rl_text = at most 4 KiB of FILE, up to a NUL; empty where FILE is no
# plain file, so that a FIFO, a device or a link is never opened.
_registry_lock_content() {
  rl_text=
  [[ -f $1 && ! -L $1 && -r $1 ]] || return 0
  { IFS= builtin read -r -d '' -n 4096 rl_text <"$1"; } 2>/dev/null
  return 0
}

# _registry_lock_prepare SLOT NAME ENTRY SINCE: makes SLOT/NAME with ENTRY in it, complete and read
# back (I1). Status 1 with the system's words in rl_error. _registry_lock_unlimited = whether a
# small file may be written without a signal from now on.
_registry_lock_prepare() {
  local rl_text rl_wanted rl_limits
  _registry_lock_entry_text "$4"
  rl_wanted=$rl_text
  _registry_lock_prepare_dir "$1" "$2" || return 1
  _registry_lock_unlimited=
  [[ $rl_limits != *$'\n'??* ]] || _registry_lock_unlimited=1
  _registry_lock_write_entry "$1/$2/$3" || return 1
  _registry_lock_content "$1/$2/$3"
  rl_error='the entry reads back otherwise than it was written'
  [[ $rl_text == "$rl_wanted" ]]
}

# _registry_lock_prepare_dir SLOT NAME: makes SLOT/NAME, empty; rl_limits = the umask and the limit
# of a file's size, a line each.
_registry_lock_prepare_dir() {
  if [[ ! -d $1 || -L $1 ]]; then
    _registry_lock_make_dirs "$1" "$1/$2" && rl_limits=$rl_error && return 0
  else
    ! _registry_lock_exists "$1/$2" || _registry_lock_set_aside "$1" "$1/$2" || return 1
    _registry_lock_make_dirs "$1/$2" && rl_limits=$rl_error && return 0
  fi
  [[ $rl_error == *$'\n'*$'\n'* ]] || rl_error=
  rl_error=${rl_error#*$'\n'*$'\n'}
  rl_error=${rl_error%%$'\n'*} # what mkdir says of SLOT/NAME only follows from SLOT
  return 1
}

# _registry_lock_make_dirs DIR...: makes each DIR, which its owner may always enter, whatever the
# umask. rl_error = two lines, the umask and the limit of a file's size, and what mkdir printed.
_registry_lock_make_dirs() {
  rl_error=$(_registry_lock_limits && builtin exec mkdir -- "$@" </dev/null 2>&1)
}

# _registry_lock_limits: prints the two lines; the owner may enter what this process makes then.
_registry_lock_limits() { builtin umask && builtin umask u=rwx && builtin ulimit -f; }

# _registry_lock_write_entry FILE: writes rl_text to FILE, which its owner may read, whatever the
# umask; a file-size limit is an error like a full disk.
_registry_lock_write_entry() {
  [[ -n $_registry_lock_unlimited && $rl_limits == 00* ]] &&
    { builtin printf '%s' "$rl_text" >"$1"; } 2>/dev/null && return 0
  rl_error=$({ builtin umask u=rwx && builtin trap '' XFSZ &&
    _registry_lock_patiently _registry_lock_write_text "$1"; } 2>&1)
}

# _registry_lock_write_text FILE: rl_text to FILE, and its words where that fails.
_registry_lock_write_text() { builtin printf '%s' "$rl_text" >"$1"; }

# _registry_lock_renew SLOT NAME ENTRY SINCE: the same where an earlier lock of this process waits
# in SLOT, emptied by _registry_lock_take_back. Status 1 where it doesn't, or nothing can be
# written.
_registry_lock_renew() {
  [[ -n $_registry_lock_unlimited && -d $1/$2 && ! -L $1 ]] || return 1
  _registry_lock_entry_text "$4"
  { builtin printf '%s' "$rl_text" >"$1/$2/$3"; } 2>/dev/null && [[ -s $1/$2/$3 && -r $1/$2/$3 ]]
}

# _registry_lock_make_dir DIR: makes DIR, which its owner may always enter, whatever the umask.
_registry_lock_make_dir() {
  rl_error=$(builtin umask u=rwx && builtin exec mkdir -- "$1" </dev/null 2>&1)
}

# _registry_lock_place SLOT NAME DIR ENTRY: puts SLOT/NAME in place. The status of mv never tells
# who won; DIR/. is a directory, so nothing nests, and a non-empty one replaces no other (I2).
_registry_lock_place() {
  _registry_lock_busy=$1
  \command mv -n -- "$1/$2" "$3/." 2>/dev/null
  _registry_lock_busy=
  [[ -e $3/$2/$4 && ! -e $1/$2 ]]
}

# _registry_lock_place_loud SLOT NAME DIR ENTRY: the same; rl_error = what mv printed, for a pipe
# more.
_registry_lock_place_loud() {
  _registry_lock_busy=$1
  _registry_lock_child mv -n -- "$1/$2" "$3/."
  _registry_lock_busy=
  [[ -e $3/$2/$4 && ! -e $1/$2 ]]
}

# _registry_lock_take_back SLOT NAME DIR ENTRY: frees the path in one rename, if ENTRY is there.
# Status 0, and the same mv has taken ENTRY out of SLOT/NAME, which is ready to be used again; 73
# the system refused; 76 ENTRY is not there (rl_stranger is set where somebody else's lock had to be
# put back). _registry_lock_busy is the slot until the caller has noted that.
_registry_lock_take_back() {
  rl_stranger='' rl_error=
  [[ -e $3/$2/$4 ]] || return 76
  [[ -d $1 ]] || _registry_lock_make_dir "$1" || return 73
  _registry_lock_busy=$1
  # shellcheck disable=SC2217 # mv may ask
  \command mv -- "$3/$2" "$1/$2/$4" "$1/." </dev/null 2>/dev/null
  [[ -e $1/$4 || -e $1/$2/$4 ]] || _registry_lock_take_back_loud "$@"
}

# _registry_lock_take_into SLOT NAME DIR ENTRY: the same for a gone process, whose SLOT it is; its
# status and rl_stranger are of the same kind. SLOT is never made.
_registry_lock_take_into() {
  rl_stranger='' rl_error=
  [[ -e $3/$2/$4 ]] || return 76
  # shellcheck disable=SC2217 # mv may ask
  \command mv -- "$3/$2" "$1/." </dev/null 2>/dev/null
  [[ -e $1/$2/$4 ]] || _registry_lock_take_back_loud "$@"
}

# _registry_lock_take_back_loud SLOT NAME DIR ENTRY: the same, where a first try came to nothing.
_registry_lock_take_back_loud() {
  [[ ! -e $3/$2/$4 ]] || _registry_lock_child mv -- "$3/$2" "$1/."
  [[ ! -e $1/$2/$4 ]] || return 0
  [[ ! -e $3/$2/$4 ]] || return 73
  ! _registry_lock_exists "$1/$2" || _registry_lock_put_back "$1/$2" "$3"
  return 76
}

# _registry_lock_put_back MOVED DIR: puts a directory that was not ours to move back into DIR.
_registry_lock_put_back() {
  rl_stranger=$2/${1##*/}
  _registry_lock_child mv -n -- "$1" "$2/."
  ! _registry_lock_exists "$1" || rl_stranger=$1
}

# _registry_lock_rename FROM TO: FROM is TO now, which had not been there.
_registry_lock_rename() {
  _registry_lock_child mv -n -- "$1" "$2"
  [[ -e $2 && ! -e $1 || $1 == "$2" ]]
}

# _registry_lock_note_trap FILE: rl_shown = the first line that trap -p prints of the EXIT trap, by
# way of FILE.
_registry_lock_note_trap() {
  { builtin trap -p EXIT >"$1" && IFS= builtin read -r rl_shown <"$1"; } 2>/dev/null
}

# _registry_lock_owner_of DIR: rl_owner = DIR's mode, owner and group, as ls shows them.
_registry_lock_owner_of() {
  rl_owner=
  _registry_lock_child ls -ld -- "$1/." || return 0
  # shellcheck disable=SC2086 # the columns
  builtin set -- $rl_error
  rl_owner="$1 $3 $4"
}
