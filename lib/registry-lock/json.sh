# shellcheck shell=bash
# json.sh: one object a line, valid JSON whatever bytes a path or a record has, without a raw
# control character.

# _registry_lock_json_status: the lock as _registry_lock_inspect and _registry_lock_waiters found
# it. Keys: lock, state, verdict, reason, pid, id, token, host, command, since, scope, waiters,
# next; a string, or null where there is nothing to say; pid a number, waiters an array of numbers.
_registry_lock_json_status() {
  local rl_line rl_list rl_scope rl_place_of IFS=,
  rl_list="${rl_waiters[*]}"
  _registry_lock_scope
  rl_scope=${rl_scope:+\"$rl_scope\"}
  _registry_lock_json_fields ",\"scope\":${rl_scope:-null},\"waiters\":[$rl_list]"
  builtin printf '{%s}\n' "$rl_line"
}

# _registry_lock_json_finding KIND: the same for the doctor, without waiters, with kind (lock or
# slot) and state "removed" where it did that.
_registry_lock_json_finding() {
  local rl_line
  _registry_lock_json_fields
  builtin printf '{"kind":"%s",%s}\n' "$1" "$rl_line"
}

# _registry_lock_json_fields [MEMBERS]: rl_line = the members that both have, MEMBERS before the
# last.
_registry_lock_json_fields() {
  local rl_key rl_value IFS=$' \t\n'
  ! _registry_lock_json_usual "${1-}" || return 0
  for rl_key in lock=rl_lock state=rl_public verdict=rl_verdict reason=rl_why pid=rl_hpid \
    id=rl_hid token=rl_token host=rl_host command=rl_command since=rl_since next=rl_next; do
    rl_value=${rl_key#*=}
    if [[ -z ${!rl_value} ]]; then
      rl_value=null
    elif [[ $rl_value == rl_hpid ]]; then
      rl_value=$rl_hpid
    else
      _registry_lock_json_string rl_value "${!rl_value}"
    fi
    [[ $rl_key != next=* ]] || rl_line+=${1-}
    rl_line+="${rl_line:+,}\"${rl_key%%=*}\":$rl_value"
  done
}

# _registry_lock_json_usual [MEMBERS]: the same where each has something to say, without anything to
# escape, in a fraction of the time; else status 1.
_registry_lock_json_usual() {
  [[ -n $rl_hpid && -n $rl_hid && -n $rl_host && -n $rl_command && -n $rl_since && -n $rl_next ]] ||
    return 1
  rl_line=$rl_lock$rl_host$rl_command$rl_since$rl_next
  if [[ $rl_line == *[![:print:]]* || $rl_line == *[\\\"]* ]]; then
    rl_line=
    return 1
  fi
  rl_line="\"lock\":\"$rl_lock\",\"state\":\"$rl_public\",\"verdict\":\"$rl_verdict\""
  rl_line+=",\"reason\":\"$rl_why\",\"pid\":$rl_hpid,\"id\":\"$rl_hid\",\"token\":\"$rl_token\""
  rl_line+=",\"host\":\"$rl_host\",\"command\":\"$rl_command\",\"since\":\"$rl_since\""
  rl_line+="${1-},\"next\":\"$rl_next\""
}

# _registry_lock_json_string VAR TEXT: VAR = TEXT as a JSON string. Bytes that are no UTF-8 become
# U+FFFD.
_registry_lock_json_string() {
  local rl_in=$2 rl_out='' rl_char
  if [[ $rl_in != *[$'\x01'-$'\x1f'$'\x7f'-$'\xff']* ]]; then
    rl_in=${rl_in//\\/\\\\}
    builtin printf -v "$1" '"%s"' "${rl_in//\"/\\\"}"
    return 0
  fi
  while [[ -n $rl_in ]]; do
    _registry_lock_json_char
    rl_out+=$rl_char
  done
  builtin printf -v "$1" '"%s"' "$rl_out"
}

# _registry_lock_json_char: takes the first character off rl_in; rl_char = it, as JSON wants it.
_registry_lock_json_char() {
  local rl_length=1
  rl_char=${rl_in:0:1}
  case $rl_char in
    [$'\x80'-$'\xff'])
      _registry_lock_utf8_length "$rl_in"
      rl_char=${rl_in:0:rl_length}
      ((rl_length)) || rl_char='\ufffd' rl_length=1
      [[ $rl_char != $'\xc2'[$'\x80'-$'\x9f'] ]] || _registry_lock_json_escape "${rl_char:1}"
      ;;
    [$'\x01'-$'\x1f'$'\x7f']) _registry_lock_json_escape "$rl_char" ;;
    \\ | \") rl_char="\\$rl_char" ;;
  esac
  rl_in=${rl_in:rl_length}
}

# _registry_lock_json_escape BYTE: rl_char = the control character of that code.
_registry_lock_json_escape() {
  local rl_code
  builtin printf -v rl_code '%d' "'$1"
  builtin printf -v rl_char '\\u%04x' $((rl_code & 255))
}

# _registry_lock_utf8_length TEXT: rl_length = the bytes of the character that TEXT begins with, 0
# where it is none (RFC 3629, section 4).
_registry_lock_utf8_length() {
  local rl_tail=[$'\x80'-$'\xbf']
  # shellcheck disable=SC2254 # patterns
  case $1 in
    [$'\xc2'-$'\xdf']$rl_tail*) rl_length=2 ;;
    $'\xe0'[$'\xa0'-$'\xbf']$rl_tail* | $'\xed'[$'\x80'-$'\x9f']$rl_tail*) rl_length=3 ;;
    [$'\xe1'-$'\xec'$'\xee'$'\xef']$rl_tail$rl_tail*) rl_length=3 ;;
    $'\xf0'[$'\x90'-$'\xbf']$rl_tail$rl_tail*) rl_length=4 ;;
    $'\xf4'[$'\x80'-$'\x8f']$rl_tail$rl_tail*) rl_length=4 ;;
    [$'\xf1'-$'\xf3']$rl_tail$rl_tail$rl_tail*) rl_length=4 ;;
    *) rl_length=0 ;;
  esac
}
