# shellcheck shell=bash
# words.sh: what a careless program stumbles over, in lists.
# shellcheck disable=SC2034,SC2016,SC1003 # the cases use them; they are not to be expanded

numbers=('' 0 00 01 -1 +1 ' 1' '1 ' 1.5 .5 5. . .. '1,5' 1.2.3 1e3 0x10 1_000 08 09 007 2147483647 2147483648
  999999999 9999999999 99999999999999999999 18446744073709551616 NaN inf -0 1s '1 2' '1;touch ran' '$(touch ran)'
  '`touch ran`' 'a[$(touch ran)]' '$((1/0))' '*' '?' '~' -- -n --help $'1\n' $'1\r' $'1\t' $'\e[31m1' $'\xc2\x85' '١' '½')
words=('two words' "it's" '"' '$(touch ran)' '`touch ran`;x' 'a[$(touch ran)]' 'back\slash' '\' $'new\nline' $'tab\t'
  $'esc\e[31m\a' $'del\x7f' $'cr\r' $'nel\xc2\x85' $'csi\xc2\x9b31m' $'no\xffutf\xfe8' $'\xc2' $'\x9b31m' 'grün €'
  '*' '?' '[a-z]' '-n' '--' '--json' '-rf' '#no' '~' '~root' '!!' '&' '|' ';' '<x' '>x' '(' ')' '{a,b}' '%s%n%d' '=' '@'
  ' ' '  lead' 'trail ' $'end\n' ... .hidden '‮left' 'İ' 'ﬀ' '😀')
# What starts, ends or fills a name that this library gives a meaning to.
own_names=(holder pid claim trial slot holder.1.x.1 claim.1.x.1 lock.slot.1.x lock.slot.1. lock.holder lock.trial.1.x.1
  x.lock.slot x.slot.1.x.slot.1.x .slot.1.x a.write.1 lock.dead.1 lock.wake lock.slot.99999999999.x lock.slot.1.X)
