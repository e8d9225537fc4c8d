#!/usr/bin/env bats
# entry.bats: which names and words are believed, and how what is shown is made harmless. No disk.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # odd words; what the library uses
load helper

# takes FUNCTION WORD... / refuses FUNCTION WORD...: for each WORD the status of FUNCTION.
takes() {
  local word
  for word in "${@:2}"; do
    here "$1" "$word"
    [ "$status" = 0 ] || fail "refused: '$word'" || return
  done
}
refuses() {
  local word
  for word in "${@:2}"; do
    here "$1" "$word"
    [ "$status" = 1 ] || fail "taken: '$word'" || return
  done
}

# Of the numbers that are too large the last ones are small again in arithmetic of 32 and 64 bits.
too_large=(2147483648 9999999999 10000000000 4294967297 18446744073709551617)

@test "a number of a process is a plain one that fits" {
  takes _registry_lock_pid_valid 1 9 10 2147483647
  refuses _registry_lock_pid_valid '' 0 01 -1 +1 a 1a ' 1' '1 ' 1.0 $'1\n' \
    "${too_large[@]}"
}

@test "an identity is one word of at most 48 letters" {
  local most
  most=$(printf '%048d' 0)
  takes _registry_lock_id_valid a 0 - _ abcdefghijklmnopqrstuvwxyz0123456789_- "$most"
  refuses _registry_lock_id_valid '' A a.b 'a b' ' a' $'a\n' é / '*' "${most}0"
}

@test "a tenant is a name of at most 64 letters, and another is told without what terminals obey" {
  local REGISTRY_LOCK_TENANT most rule='characters out of A-Z a-z 0-9 . _ -'
  most=$(printf '%064d' 0)
  for REGISTRY_LOCK_TENANT in '' a abcdefghijklmnopqrstuvwxyz0123456789 \
    ABCDEFGHIJKLMNOPQRSTUVWXYZ._- "$most"; do
    here _registry_lock_tenant
    status_is 0
    same "$output" ''
  done
  for REGISTRY_LOCK_TENANT in ' ' 'no name' é / "${most}0" $'a\ab'; do
    here _registry_lock_tenant
    status_is 64
    says "REGISTRY_LOCK_TENANT is '${REGISTRY_LOCK_TENANT/$'\a'/?}', which is no name of a tenant"
    says "that has 1 to 64 $rule"
  done
}

# splits NAME KIND PID ID N: so NAME is understood.
splits() {
  here _registry_lock_entry_split "$1"
  status_is 0
  same "$rl_kind $rl_hpid $rl_hid $rl_token" "$2 $3 $4 $3.$4.$5"
}

@test "an entry's name has four good parts, and no other name is one" {
  local rl_kind rl_hpid rl_hid rl_token most number
  most=$(printf '%048d' 0)
  splits holder.7.x.1 holder 7 x 1
  splits claim.2147483647.a-b_0.2147483647 claim 2147483647 a-b_0 2147483647
  splits trial.7..10 trial 7 '' 10
  splits "holder.10.$most.9" holder 10 "$most" 9
  refuses _registry_lock_entry_split '' holder holder.7 holder.7.1 holder.7.x other.7.x.1 .7.x.1 \
    Holder.7.x.1 holder.7.x.y.1 holder..x.1 holder.7.x. holder.0.x.1 holder.07.x.1 holder.7.x.0 \
    holder.7.x.01 holder.7a.x.1 holder.-7.x.1 holder.7.x.1a holder.7.X.1 'holder.7.x y.1' \
    "holder.7.${most}0.1"
  for number in "${too_large[@]}"; do
    refuses _registry_lock_entry_split "holder.$number.x.1" "holder.7.x.$number"
  done
}

# parses STATUS WANTED LINE...: an entry with those LINEs tells that host, time and command.
parses() {
  local rl_host=a rl_since=b rl_command=c text
  text=$(printf '%s\n' "${@:3}")
  here _registry_lock_entry_parse "$text"$'\n'
  same "$status:$rl_host,$rl_since,$rl_command" "$1:$2"
}

@test "what an entry tells is read by its keys, each of which stands once" {
  local LC_ALL=C place lines long
  local all=('registry-lock 1' 'pid 7' 'start x' 'host h' 'since s' 'command c d')
  long=$(printf '%0300d' 0)
  parses 0 'h,s,c d' "${all[@]}"
  parses 0 ,, ''
  parses 0 ,,c 'command c'
  parses 0 'h,s,c d' "${all[5]}" "${all[3]}" "${all[4]}" "${all[0]}" "${all[2]}" "${all[1]}"
  parses 0 "h,s,${long:0:200}" "${all[@]:0:5}" "command $long"
  parses 0 'h?,s,c d' "${all[@]:0:3}" $'host h\a' "${all[@]:4}"
  touch 'command x'
  parses 0 'h,s,*' "${all[@]:0:5}" 'command *'
  parses 0 'h,s,c d' "${all[@]}" 'more x'
  for place in 0 1 2 3 4 5; do
    lines=("${all[@]}")
    lines[place]=${all[(place + 1) % 6]}
    here _registry_lock_entry_parse "$(printf '%s\n' "${lines[@]}")"
    status_is 1
  done
  here _registry_lock_entry_parse "$(printf '%s\n' "${all[@]}" "${all[4]}")"
  status_is 1
}

@test "what is shown has nothing that a terminal obeys, and is no longer than 200 letters" {
  local LC_ALL=C word shown long
  long=$(printf '%0300d' 0)
  for word in '' 'a b' "it's" $'a\tb/a?b' $'\e[31m/?[31m' $'\x7f/?' $'a\xc2\x85b/a?b' \
    $'\xc2\x9f/?' "$long/${long:0:200}"; do
    _registry_lock_plain shown "${word%%/*}"
    same "$shown" "${word##*/}"
  done
}

@test "what is to be pasted is the word itself, without what a terminal obeys" {
  local LC_ALL=C word quoted back
  for word in '' a 'a b' /a/b.c "it's" '$(touch ran)' '~' '*' $'a\nb' $'\e[m' \
    $'a\xc2\x85b' '!' '#'; do
    _registry_lock_quote quoted "$word"
    eval "back=$quoted"
    same "$back" "$word"
    [[ $quoted != *[[:cntrl:]]* && $quoted != *$'\xc2\x85'* ]] || fail "in quotes: $quoted"
  done
  [ ! -e ran ]
  _registry_lock_quote quoted /a/b.c
  same "$quoted" /a/b.c
}
