# shellcheck shell=bash
# entry.sh: names and contents of entries, made and read. Strings only: nothing here touches a
# file or a process. What is read came from a disk and is untrusted.

# _registry_lock_pid_valid WORD: a plain decimal 1..2147483647 without sign or leading zero.
_registry_lock_pid_valid() {
  case $1 in '' | 0* | *[!0123456789]*) return 1 ;; esac
  ((${#1} < 11 && $1 <= 2147483647))
}

# _registry_lock_id_valid WORD: one word of at most 48 characters out of a-z 0-9 _ -
_registry_lock_id_valid() {
  case $1 in '' | *[!abcdefghijklmnopqrstuvwxyz0123456789_-]*) return 1 ;; esac
  ((${#1} <= 48))
}

# _registry_lock_tenant: REGISTRY_LOCK_TENANT is unset, empty or a name that may be; else status 64.
_registry_lock_tenant() {
  local rl_name=${REGISTRY_LOCK_TENANT-} rl_letters=abcdefghijklmnopqrstuvwxyz0123456789
  rl_letters+=ABCDEFGHIJKLMNOPQRSTUVWXYZ._-
  [[ ${#rl_name} -gt 64 || $rl_name == *[!$rl_letters]* ]] || return 0
  _registry_lock_plain rl_name "$rl_name"
  rl_name="REGISTRY_LOCK_TENANT is '$rl_name', which is no name of a tenant: that has 1 to 64"
  _registry_lock_usage "$rl_name characters out of A-Z a-z 0-9 . _ -"
}

# _registry_lock_entry_split NAME: KIND.PID.ID.N into rl_kind (holder, claim, trial), rl_hpid,
# rl_hid and rl_token; ID may be empty. Status 1 where NAME is no such name.
_registry_lock_entry_split() {
  local rl_count=${1##*.}
  rl_kind=${1%%.*} rl_token=${1#*.} rl_hid=${1%.*}
  rl_hpid=${rl_token%%.*} rl_hid=${rl_hid#*.*.}
  [[ $rl_kind == holder || $rl_kind == claim || $rl_kind == trial ]] || return 1
  [[ $rl_token == "$rl_hpid.$rl_hid.$rl_count" ]] || return 1
  case $rl_hpid.$rl_count in 0* | .* | *.0* | *. | *[!.0123456789]*) return 1 ;; esac
  case $rl_hid in *[!abcdefghijklmnopqrstuvwxyz0123456789_-]*) return 1 ;; esac
  ((${#rl_hpid} < 11 && ${#rl_count} < 11 && ${#rl_hid} <= 48)) &&
    ((rl_hpid <= 2147483647 && rl_count <= 2147483647))
}

# _registry_lock_entry_text SINCE: rl_text = the content of this process's entry; rl_named is the
# command that it is about to become. What only this process changes is put together once.
_registry_lock_entry_text() {
  builtin [ "$rl_pid/${HOSTNAME-}/${rl_named-}/$0" = "${_registry_lock_text_of-}" ] ||
    _registry_lock_bytes _registry_lock_entry_frame
  rl_text=$_registry_lock_text_head$1$_registry_lock_text_tail
}

# _registry_lock_entry_frame: what stands before and behind the time in this process's entries.
_registry_lock_entry_frame() {
  local rl_command rl_plain_host
  _registry_lock_text_of=$rl_pid/${HOSTNAME-}/${rl_named-}/$0
  _registry_lock_plain rl_command "${rl_named:-${0##*/}}"
  _registry_lock_plain rl_plain_host "${HOSTNAME-}${_registry_lock_own_space-}"
  builtin printf -v _registry_lock_text_head 'registry-lock 1\npid %s\nstart %s\nhost %s\nsince ' \
    "$rl_pid" "$rl_id" "$rl_plain_host"
  _registry_lock_text_tail=$'\n'"command $rl_command"$'\n'
}

# _registry_lock_entry_parse TEXT: what TEXT says for people: rl_host, rl_since, rl_command, each
# ready to be shown. A key that stands twice makes the whole text one that nobody may believe:
# status 1.
_registry_lock_entry_parse() {
  local rl_rest=$1 rl_line rl_seen=' '
  rl_host='' rl_since='' rl_command=''
  ! _registry_lock_entry_usual "$1" || return 0
  while [[ -n $rl_rest ]]; do
    rl_line=${rl_rest%%$'\n'*} rl_rest=${rl_rest#"$rl_line"} rl_rest=${rl_rest#$'\n'}
    [[ $rl_seen != *" ${rl_line%% *} "* ]] || return 1
    rl_seen+="${rl_line%% *} "
    case $rl_line in
      'host '*) _registry_lock_plain rl_host "${rl_line#host }" ;;
      'since '*) _registry_lock_plain rl_since "${rl_line#since }" ;;
      'command '*) _registry_lock_plain rl_command "${rl_line#command }" ;;
    esac
  done
}

# _registry_lock_entry_usual TEXT: the same for a TEXT with just the lines that this version writes
# and nothing odd in them, in a fraction of the time; else status 1.
_registry_lock_entry_usual() {
  local IFS=$'\n'
  ((${#1} < 200)) || return 1
  builtin set -f
  # shellcheck disable=SC2086 # the lines
  builtin set -- $1
  builtin set +f
  [[ $# == 6 && $1 == 'registry-lock 1' && $2 == 'pid '* && $3 == 'start '* && $4 == 'host '* &&
    $5 == 'since '* && $6 == 'command '* ]] || return 1
  rl_host=${4#host } rl_since=${5#since } rl_command=${6#command }
  [[ $rl_host$rl_since$rl_command != *[![:print:]]* ]]
}

# _registry_lock_plain VAR TEXT: VAR = TEXT without anything that a terminal would obey: control
# characters (C0, DEL, and C1 as UTF-8 has them) become "?"; at most 200 bytes.
_registry_lock_plain() {
  local rl_plain=$2
  if [[ ${#2} -le 200 && $2 != *[![:print:]]* ]]; then
    builtin printf -v "$1" '%s' "$2"
    return 0
  fi
  rl_plain=${2:0:200} rl_plain=${rl_plain//[[:cntrl:]]/?}
  rl_plain=${rl_plain//$'\xc2'[$'\x80'-$'\x9f']/?}
  builtin printf -v "$1" '%s' "$rl_plain"
}

# _registry_lock_quote VAR TEXT: VAR = TEXT as a word to paste into a shell. In single quotes where
# they do; with control characters in bash's $'...'.
_registry_lock_quote() {
  local rl_quoted=$2 rl_apostrophe="'\\''"
  case $2 in
    '' | *[![:alnum:]_./@%+=:,-]*) rl_quoted="'${2//\'/$rl_apostrophe}'" ;;
  esac
  [[ $2 != *[[:cntrl:]]* && $2 != *$'\xc2'[$'\x80'-$'\x9f']* ]] ||
    builtin printf -v rl_quoted '%q' "$2"
  builtin printf -v "$1" '%s' "$rl_quoted"
}
