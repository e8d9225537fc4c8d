# shellcheck shell=bash
# lease-record.sh: the record of a lease: read, judged, written and removed. A change is one rename,
# out of this process's slot or into it: the slot of a killed process goes before its lock does, so
# an mv that outlives it finds nothing to move, or nowhere to move it to (I5).

# _registry_lock_lease_read: rl_found = free, lease, old (an older writer's), damaged (no usable
# process is named), odd (no plain file) or closed (can't be seen), and what the record says.
# rl_token is what releases it: the recorded one, the pid of an old one, or "damaged".
_registry_lock_lease_read() {
  _registry_lock_lease_look
  [[ $rl_found != damaged ]] || _registry_lock_lease_look # a rename may have passed by
}

# _registry_lock_lease_look: its work.
_registry_lock_lease_look() {
  local rl_text rl_dir=${rl_file%/*} rl_lock=$rl_file
  _registry_lock_lease_nothing free
  if ! _registry_lock_exists "$rl_file"; then
    ! _registry_lock_hidden || rl_found=closed
    return 0
  fi
  rl_found=odd
  [[ -f $rl_file && ! -L $rl_file ]] || return 0
  _registry_lock_content "$rl_file"
  case $rl_text in
    'registry-lease 1'$'\n'*) _registry_lock_lease_parse "$rl_text" && rl_found=lease ;;
    'registry-lease '*) ;;
    *) _registry_lock_old_read "$rl_file" && rl_found=old rl_token=$rl_hpid ;;
  esac
  [[ $rl_found == odd ]] || return 0
  _registry_lock_lease_nothing damaged
  rl_token=damaged
}

# _registry_lock_lease_nothing FOUND: rl_found is FOUND, and nothing is recorded.
_registry_lock_lease_nothing() {
  rl_found=$1 rl_hpid='' rl_hid='' rl_host='' rl_token='' rl_session='' rl_identity='' rl_since=''
  rl_command=''
}

# _registry_lock_lease_parse TEXT: what the record TEXT says. Status 1 where it is none to believe:
# a key twice, no usable process or token, or longer than what was read of it.
_registry_lock_lease_parse() {
  local rl_rest=${1#*$'\n'} rl_line rl_seen=' '
  ((${#1} < 4096)) || return 1
  while [[ -n $rl_rest ]]; do
    rl_line=${rl_rest%%$'\n'*} rl_rest=${rl_rest#"$rl_line"} rl_rest=${rl_rest#$'\n'}
    [[ $rl_seen != *" ${rl_line%% *} "* ]] || return 1
    rl_seen+="${rl_line%% *} "
    case $rl_line in
      'pid '*) rl_hpid=${rl_line#pid } ;;
      'start '*) rl_hid=${rl_line#start } ;;
      'token '*) rl_token=${rl_line#token } ;;
      'session '*) rl_session=${rl_line#session } ;;
      'identity '*) rl_identity=${rl_line#identity } ;;
      'host '*) _registry_lock_plain rl_host "${rl_line#host }" ;;
      'since '*) _registry_lock_plain rl_since "${rl_line#since }" ;;
      'command '*) _registry_lock_plain rl_command "${rl_line#command }" ;;
    esac
  done
  [[ $rl_seen == *' start '* && $rl_seen == *' host '* ]] && _registry_lock_pid_valid "$rl_hpid" &&
    _registry_lock_lease_token_valid "$rl_token" || return 1
  [[ -z $rl_hid ]] || _registry_lock_id_valid "$rl_hid"
}

# _registry_lock_lease_token_valid WORD: a word that this library could have made.
_registry_lock_lease_token_valid() {
  case $1 in
    [!0123456789]* | '' | *[!abcdefghijklmnopqrstuvwxyz0123456789._-]*) return 1 ;;
  esac
  ((${#1} <= 80))
}

# _registry_lock_lease_judge: rl_verdict = alive, gone or unknown of the recorded process, and
# rl_why; rl_word, the verdict on the lease.
_registry_lock_lease_judge() {
  rl_verdict=unknown rl_why=damaged
  case $rl_found in
    lease | old) _registry_lock_judge "$rl_hpid" "$rl_hid" "$rl_host" ;;
    closed) rl_why=not-permitted ;;
    free)
      rl_word=free
      return 0
      ;;
  esac
  _registry_lock_lease_verdict_of "$rl_hpid" "$rl_hid" "$rl_identity" \
    "$rl_apid" "$rl_aid" "$rl_worktree" "$rl_verdict"
}

# _registry_lock_lease_verdict_of PID ID IDENTITY MY-PID MY-ID MY-IDENTITY PROBE: rl_word, the
# verdict on a record of PID, ID and IDENTITY, by who asks and by what the probe says: alive, gone
# or unknown. It depends on nothing else.
_registry_lock_lease_verdict_of() {
  case $7 in
    alive) rl_word=live_foreign ;;
    gone) rl_word=stale_dead ;;
    *) rl_word=live_unverified ;;
  esac
  [[ $7 != alive || -n $2 ]] || rl_word=stale_unverifiable
  [[ -z $3 || -z $6 || $3 == "$6" ]] || rl_word=other
  [[ $7 != alive || -z $4 || $1.$2 != "$4.$5" ]] || rl_word=self
}

# _registry_lock_lease_text TOKEN SESSION IDENTITY SINCE: rl_text = a record of rl_apid and rl_aid.
_registry_lock_lease_text() {
  local rl_here rl_named
  _registry_lock_plain rl_here "${HOSTNAME-}${_registry_lock_own_space-}"
  rl_named=$(\command ps -o comm= -p "$rl_apid" 2>/dev/null) || rl_named=
  _registry_lock_plain rl_named "${rl_named##*/}"
  builtin printf -v rl_text 'registry-lease 1\npid %s\nstart %s\nhost %s\ntoken %s\n' \
    "$rl_apid" "$rl_aid" "$rl_here" "$1"
  [[ -z $2 ]] || rl_text+="session $2"$'\n'
  [[ -z $3 ]] || rl_text+="identity $3"$'\n'
  rl_text+="since $4"$'\n'"command $rl_named"$'\n'
}

# _registry_lock_lease_put: FILE is rl_text, which is whole and read back before FILE changes.
_registry_lock_lease_put() {
  local rl_wanted=$rl_text rl_new=$rl_slot/record
  rl_outcome=refused
  rl_error=$(_registry_lock_lease_put_in_subshell 2>&1 </dev/null) || return 0
  _registry_lock_content "$rl_new"
  rl_error='the record reads back otherwise than it was written'
  [[ $rl_text == "$rl_wanted" ]] || return 0
  _registry_lock_lease_move "$rl_new" "$rl_file"
  _registry_lock_content "$rl_file"
  [[ $rl_text != "$rl_wanted" ]] || rl_outcome='done'
}

# _registry_lock_lease_put_in_subshell: rl_text goes to rl_new; umask and traps end with it.
_registry_lock_lease_put_in_subshell() {
  builtin umask u=rwx
  builtin trap '' XFSZ
  [[ -d $rl_slot && ! -L $rl_slot ]] || \command mkdir -- "$rl_slot" || return $?
  builtin set -C
  builtin printf '%s' "$rl_text" >"$rl_new"
}

# _registry_lock_lease_drop: FILE is no more.
_registry_lock_lease_drop() {
  rl_outcome=refused
  [[ -d $rl_slot && ! -L $rl_slot ]] || _registry_lock_make_dir "$rl_slot" || return 0
  _registry_lock_lease_move "$rl_file" "$rl_slot/."
  _registry_lock_exists "$rl_file" || rl_outcome='done'
}

# _registry_lock_lease_move FROM TO: one mv, if the lock is still held.
_registry_lock_lease_move() {
  [[ -e $rl_lock/holder.${_registry_lock_tokens[_registry_lock_count]-} ]] || return 0
  _registry_lock_busy=$rl_slot
  _registry_lock_child mv -f -- "$1" "$2"
  _registry_lock_busy=
}
