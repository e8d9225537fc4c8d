# shellcheck shell=bash
# remove.sh: the steps by which the lock of a gone process, or a slot, goes. See store.sh.

# _registry_lock_remove_empty DIR: removes DIR if nothing is in it.
_registry_lock_remove_empty() { _registry_lock_child rmdir -- "$1"; }

# _registry_lock_claim LOCK ENTRY CLAIM: renames the judged ENTRY to CLAIM (I4); one process
# succeeds.
_registry_lock_claim() {
  _registry_lock_child mv -- "$1/$2" "$1/$3"
  _registry_lock_exists "$1/$3"
}

# _registry_lock_move FROM DIR: moves FROM into DIR by renaming, or not at all (I2): an mv that has
# to copy, as from the lower layer of an overlay, can't write a byte. After a copy it would remove
# FROM file by file, and needs no slot for that (I5).
_registry_lock_move() {
  rl_error=$(_registry_lock_write_nothing && builtin exec mv -- "$1" "$2/." </dev/null 2>&1)
}

# _registry_lock_write_nothing: from here on this process writes no byte to a file, nor traces.
_registry_lock_write_nothing() {
  _registry_lock_untraced
  builtin trap '' XFSZ
  builtin ulimit -S -f 0 2>/dev/null || builtin :
}

# _registry_lock_remove_in_place LOCK CLAIM: for a lock that can't be renamed. Killed in between, it
# leaves an empty directory.
_registry_lock_remove_in_place() {
  _registry_lock_child rm -f -- "$1/$2" && _registry_lock_child rmdir -- "$1"
  ! _registry_lock_exists "$1/$2"
}

# _registry_lock_remove SLOT NAME DIR CLAIM: moves DIR/NAME, which carries CLAIM, out of the way:
# into SLOT, beside the lock that waits there to be placed, if there is one.
_registry_lock_remove() {
  local rl_dead=$1
  rl_stranger=
  ! _registry_lock_exists "$1/$2" || _registry_lock_new_dead "$1" "$2" || return 1
  _registry_lock_exists "$3/$2/$4" || return 1
  _registry_lock_busy=$1
  _registry_lock_move "$3/$2" "$rl_dead"
  _registry_lock_busy=
  if _registry_lock_exists "$3/$2/$4"; then
    [[ $rl_error == *'File too large'* ]] && _registry_lock_remove_in_place "$3/$2" "$4"
    return $?
  fi
  ! _registry_lock_exists "$rl_dead/$2/$4" || return 0
  ! _registry_lock_exists "$rl_dead/$2" || _registry_lock_put_back "$rl_dead/$2" "$3"
  return 1
}

# _registry_lock_revoke SLOT MINE NAME: destroys the slot of a gone process, so that an mv which it
# left under way has nowhere to land (I5). It must be gone, not renamed: mv may have it open, or
# an empty directory in it. Without rm the rest of its content goes to my slot, MINE.
_registry_lock_revoke() {
  local rl_dead
  _registry_lock_exists "$1" || return 0
  _registry_lock_child rm -rf -- "$1" || _registry_lock_child rm -rf -- "$1" ||
    _registry_lock_child rmdir -- "$1"
  _registry_lock_exists "$1" || return 0
  _registry_lock_child rmdir -- "$1"/*/
  _registry_lock_new_dead "$2" "$3" || return 1
  _registry_lock_child mv -- "$1"/* "$rl_dead/."
  _registry_lock_child rmdir -- "$1"
}

# _registry_lock_discard SLOT: removes the slot of this process, where no mv of its own is under
# way. Again where it is still there: a waiter may just have put its word in (queue.sh).
_registry_lock_discard() {
  local rl_try
  for ((rl_try = 0; rl_try < 3; rl_try++)); do
    _registry_lock_exists "$1" || return 0
    _registry_lock_child rm -rf -- "$1" || _registry_lock_child rmdir -- "$1" || builtin :
  done
}

# _registry_lock_set_aside SLOT PATH: moves PATH, which lies in SLOT, where no mv looks for it.
_registry_lock_set_aside() {
  local rl_dead
  _registry_lock_new_dead "$1" "${2##*/}" || return 1
  _registry_lock_child mv -- "$2" "$rl_dead/."
}

# _registry_lock_new_dead SLOT NAME: rl_dead = a new directory in SLOT for what is to be removed.
_registry_lock_new_dead() {
  local rl_number=1
  while _registry_lock_exists "$1/$2.dead.$rl_number"; do ((rl_number += 1)); done
  rl_dead=$1/$2.dead.$rl_number
  _registry_lock_make_dir "$rl_dead"
}
