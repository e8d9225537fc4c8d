#!/usr/bin/env bats
# source_rules.bats: what the sources of the library may not hold, and why. Each rule is first shown a
# line that breaks it.

# shellcheck disable=SC2016,SC2154 # samples of code, and variables of the helper
load helper

setup() {
  root=$(cd -- "$BATS_TEST_DIRNAME/.." && pwd -P)
  cd -- "$root" || return
  sources=(lib/registry-lock.sh lib/registry-lock/*.sh)
  command=(bin/registry-lock)
  broken=
}

# code [FILE...]: the code in them, a line as FILE:NUMBER:TEXT, without comments, continued lines as one.
code() {
  awk '/^[ \t]*#/ { next }
    { sub(/[ \t]+# .*/, "") }
    /\\$/ { sub(/\\$/, ""); held = held $0; next }
    { print FILENAME ":" FNR ":" held $0; held = "" }' "$@"
}

# bare [FILE...]: the same without what stands in quotes.
bare() {
  code "$@" | sed -e "s/[\$]'[^']*'/Q/g" -e "s/'[^']*'/Q/g" -e 's/"[^"]*"/Q/g'
}

# never WHY REGEX LINE [VIEW [FILE...]]: no line of the FILEs (all), as VIEW (code) shows them, has REGEX;
# LINE would. Rules that are broken are gathered in broken.
never() {
  local why=$1 regex=$2 sample=$3 view=${4-code} found
  shift 3
  (($# == 0)) || shift
  (($# > 0)) || set -- "${sources[@]}" "${command[@]}"
  printf '%s\n' "$sample" | "$view" | grep -qE -- "$regex" || fail "the rule '$why' does not find: $sample" || return
  found=$("$view" "$@" | grep -E -- "$regex") || return 0
  broken="$broken$why:"$'\n'"$found"$'\n'
}

# each_file WHY JUDGE TEXT [FILE...]: JUDGE, given a file, prints what is wrong with it: nothing for the
# FILEs (all), something for a file that holds TEXT.
each_file() {
  local why=$1 judge=$2 found file
  finds "$2" "$3" || return
  shift 3
  (($# > 0)) || set -- "${sources[@]}" "${command[@]}"
  for file in "$@"; do
    found=$("$judge" "$file" 2>&1) || :
    [ -z "$found" ] || broken="$broken$why: $file:"$'\n'"$found"$'\n'
  done
}

# finds JUDGE TEXT: it says something about a file that holds TEXT.
finds() {
  printf '%s\n' "$2" >"$BATS_TEST_TMPDIR/sample.sh"
  [ -n "$("$1" "$BATS_TEST_TMPDIR/sample.sh" 2>&1)" ] || fail "$1 finds nothing wrong with: $2"
}

all_kept() { [ -z "$broken" ] || fail "$broken"; }

# A command begins here: at the start of a line, behind an operator or a reserved word.
begins='(^[^:]*:[0-9]+:|&&|\|\||[;({!|]|[[:space:]](if|then|else|while|until|do)[[:space:]])[[:space:]]*'
begins="$begins((if|then|else|while|until|do|!)[[:space:]]+)*"
# And may stand behind one of these.
by='((!|builtin|\\?command|exec|_registry_lock_child)[[:space:]]+)*'
files='mkdir|mv|rm|rmdir|mkfifo|ln|cp|touch|chmod'

# calls REGEX: a line with a command REGEX.
calls() { printf '%s%s(%s)( |$)' "$begins" "$by" "$1"; }

@test "nothing that bash 3.2 does not have" {
  never 'associative arrays and namerefs are of bash 4' '(declare|local|typeset) +-[a-zA-Z]*[An]' 'local -A seen'
  never 'so are other kinds of variables' '(declare|local|typeset) +(-[a-zA-Z]*[glu]|-( |$))' 'local -'
  never 'mapfile is of bash 4' '(mapfile|readarray)' 'mapfile -t lines <file'
  never 'case conversion is of bash 4' '\$\{[A-Za-z_0-9]+(\[[^]]*\])?(\^|,)' 'x=${x,,}'
  never 'so is |&' '\|&' 'make |& cat'
  never 'so is &>>' '&>>' 'make &>>log'
  never 'so are coproc, and ;& in a case' '(^|[ :])coproc |;&' ';;& esac'
  never 'so are steps and zeros in braces' '\{(0[0-9]+\.\.|-?[0-9]+\.\.[^}]*\.\.)' 'for x in {1..9..2}'
  never 'so is read of just N bytes' 'read .*-[a-z]*N' 'read -r -N 1 x'
  never 'a case in $(...) ends it early before bash 4' '\$\([^)]*case .* in' 'x=$(case $1 in a) ;; esac)'
  never 'a place from the end is of bash 4.2' '\[-[0-9]+\]' 'x=${list[-1]}'
  never 'so are characters by number' "[$]'[^']*\\\\[uU]" "x=\$'\\u20ac'"
  never 'so is a date by printf, unless something stands in' '%\([^|]*$' "printf -v x '%(%s)T' -1"
  never 'wait -n is of bash 4.3' 'wait +-n' 'wait -n'
  never 'printf -v into an element is of bash 4.1' 'printf -v +.?[a-z_]+\[' "printf -v 'a[1]' x"
  never 'a descriptor by variable is of bash 4.1' '\{[a-z_]+\}[<>]' 'exec {fd}>file'
  never '[[ -v ]] is of bash 4.2' '\[\[ +(! +)?-v ' 'if [[ -v name ]]; then'
  never 'transformations are of bash 4.4' '\$\{[^}]*@[QEPAaKkUuL]\}' 'echo ${x@Q}'
  never 'negative lengths are of bash 4.2' '\$\{[a-z_]+:[0-9][^}:]*: ?-' 'x=${x:1:-1}'
  never 'bash 5 alone has the clock without a fork' 'EPOCH(REALTIME|SECONDS)($|[^A-Z-])' 'now=$EPOCHREALTIME'
  each_file 'only behind a look at the version' unguarded $'now\nread -r -t "$seconds" line'
  finds unguarded 'pid=$BASHPID'
  finds unguarded 'read -t 0.05 x'
  all_kept
}

# unguarded FILE: uses of BASHPID and of a fraction as time limit, without BASH_VERSINFO a line before.
unguarded() {
  awk '!/^[ \t]*#/ && !/BASH_VERSINFO/ && before !~ /BASH_VERSINFO/ &&
    (/[$][{]?BASHPID/ || /read .*-t +("?[$]|[0-9]*[.])/) { print FNR ": " $0 } { before = $0 }' "$1"
}

@test "no tool or flag that only some systems have" {
  never "stat's options differ from system to system" "$(calls stat)" 'stat -c %i x'
  never 'readlink -f and realpath are of GNU' '(readlink +-f|realpath)' 'readlink -f x'
  never 'date +%N is of GNU' 'date.*%N' 'date +%s%N'
  never 'what echo makes of options differs' 'echo +-[neE]' 'echo -e x'
  never "sed -i wants an argument on the BSDs" 'sed +-[a-z]*i' 'sed -i s/a/b/ x'
  never 'grep -P is of GNU' 'grep +-[a-zA-Z]*P' 'grep -P x'
  each_file 'a tool is called as every system knows it' odd_calls '  [[ -e $1 ]] && ! \command mv -T -- a b'
  local odd
  for odd in 'cp -a -- a b' 'rm -rfv -- a' 'mv --no-clobber -- a b' 'mv -n a b' 'mkdir -pv -- a' 'ls -l --full-time -- a' \
    'chmod u+w -- a' 'date -d x +%s' 'date -u --iso-8601' 'ps -p 1' 'ps -o lstart= -p 1' 'x=$(\command ps -ef)' 'sleep -h'; do
    finds odd_calls "$odd"
  done
  all_kept
}

# The forms of a call that GNU, busybox, the BSDs and macOS know. "--" comes first: behind an operand, such
# as the mode of chmod, it is a file's name on the BSDs.
forms='mv( -[nf])? -- |rm -r?f -- |rmdir -- |mkdir -- |mkfifo -m [0-7]+ -- |cp -p -- |chmod -- |ls -(ld|di) -- '
forms="$forms|date -u [+]|ps (-A -o pid|-o (user|comm|ppid)= -p) |find -H |mktemp -d |sleep [^-]|cat *($|[^ -])"
tools='mv|rm|rmdir|mkdir|mkfifo|cp|chmod|ls|date|ps|find|sleep|mktemp|cat|ln|touch|install'

# odd_calls FILE: calls of a tool in another form, a call a line.
odd_calls() {
  code "$1" | sed -e 's/^[^:]*:[0-9]*://' -e 's/&&/;/g' -e 's/||/;/g' -e 's/[$]*(/;/g' | tr ';' '\n' |
    sed -nE "s/^[ {!]*((if|then|else|while|until|do) )?[ !]*$by(($tools)( .*|\$))/\\5/p" | grep -vE "^($forms)"
}

@test "nothing that hides a failure or changes the caller's shell" {
  never 'local has its own status' '(local|declare) [a-zA-Z_]+=("?\$\(|`)' 'local x=$(false)'
  # shellcheck disable=SC2046 # names of files without blanks
  never 'a cd changes the caller' "$(calls cd)" 'cd /tmp' bare $(lock_but)
  never 'set -e is for the caller to choose' 'set +(-[a-zA-Z]*e|-o errexit)' 'set -e' code "${sources[@]}"
  never 'what stands in an entry is never run' "$begins${by}(source|\.) +.*(rl_text|rl_record)" '. "$rl_record"'
  # shellcheck disable=SC2046 # names of files without blanks
  each_file 'an exec replaces the caller, but in $(...) and <(...)' loose_exec 'builtin exec mv -- a b' $(lock_but)
  never 'a single bracket may be a function of the caller' "${begins}\[ " 'if [ -e x ]; then' bare "${sources[@]}"
  never 'a caller may have a function of that name: say builtin' \
    "$begins(set|unset|shift|eval|trap|read|printf|echo|kill|umask|shopt|pwd|type|hash|wait|exec [^0-9][^ ]*|exit|test|true|false|:)( |\$)" \
    'printf x' bare "${sources[@]}"
  never 'a caller may have a function of that name: say command' \
    "$begins(mv|mkdir|rmdir|rm|mkfifo|cp|cat|chmod|date|ls|ps|procid|sleep|find|sed|awk|grep|sort)( |\$)" \
    'x=$(date -u)' bare "${sources[@]}"
  all_kept
}

@test "every name in the caller's shell is the library's own" {
  each_file 'a local variable is rl_...' foreign_locals $'f() {\n  local rl_a=$x IFS=, name\n}' "${sources[@]}"
  finds foreign_locals "f() { local rl_a='b c' status=0; }"
  each_file 'a variable is rl_... or _registry_lock_...' foreign_variables 'for name in a b; do' "${sources[@]}"
  finds foreign_variables '  [[ -z $1 ]] || found=1'
  finds foreign_variables 'builtin printf -v text x'
  each_file 'a function is registry_lock_..., registry_lease_... or _registry_lock_...' foreign_functions $'die() {\n}' "${sources[@]}"
  all_kept
}

own='^(_registry_lock_|rl_)[a-z_]+$|^REGISTRY_LOCK_[A-Z]+$|^(IFS|LC_ALL|TMOUT|TZ|GLOBIGNORE|BASH_ENV|REPLY|_)$'

# The words of local, those that are assigned, and the functions, that are not the library's own.
foreign_locals() {
  bare "$1" | sed -n 's/.*[^a-z_]local \(.*\)/\1/p' | sed -e 's/[;&|].*//' -e 's/[0-9]*>.*//' -e 's/\${[^}]*}/V/g' \
    -e 's/\$([^)]*)/V/g' | tr ' ' '\n' | sed -e '/^$/d' -e '/^-/d' -e 's/[+=[].*//' | grep -vE "$own"
}

foreign_variables() {
  {
    bare "$1" | grep -oE "${begins}[A-Za-z_][A-Za-z_0-9]*(\[[^]]*\])?\+?=" |
      sed -E -e 's/(\[[^]]*\])?\+?=$//' -e 's/.*[^A-Za-z_0-9]//'
    bare "$1" | grep -oE 'for [A-Za-z_]+ in' | sed -e 's/for //' -e 's/ in//'
    code "$1" | grep -oE 'printf -v +[A-Za-z_]+' | sed 's/.* //'
  } | grep -vE "$own"
}

foreign_functions() {
  sed -nE 's/^[ ]*([A-Za-z_.:-]+) ?\(\).*/\1/p' "$1" | grep -vE '^_?registry_lock_|^registry_lease_'
}

# lock_but NAME...: the files of the lock itself but NAMEs; those of the operator's commands are left out.
lock_but() {
  local name
  for name in caller operands entry process judge store remove legacy wait queue report acquire contend release write windows; do
    case " $* " in *" $name "*) ;; *) printf 'lib/registry-lock/%s.sh\n' "$name" ;; esac
  done
}

loose_exec() {
  code "$1" | awk '/< <\(|^[^:]*:[0-9]+: *\($/ { inside = NR } { at = index($0, "exec ") }
    at && !index(substr($0, 1, at), "$(") && !(inside && NR - inside < 5)'
}

# Lines that print where the caller's standard output is, by function.
printing_functions() {
  awk '/^[a-z_]+\(\)/ { name = $1 } /^[ \t]*#/ { next }
    /(printf|echo) / && !/printf -v/ && !/>&2/ && !/>"\$/ && !/\$\(.*(printf|echo)/ { print name }' "$@" | sort -u
}

# shellcheck disable=SC2046 # names of files without blanks
@test "each file keeps to its part" {
  never 'only store.sh and write.sh change files, and queue.sh makes a FIFO' "$(calls "$files")" \
    '_registry_lock_child mv -- a b' bare $(lock_but store remove write queue windows)
  never 'queue.sh makes a FIFO, becomes the mv that places the lock, and no more' \
    "$(calls 'mkdir|rm|rmdir|ln|cp|touch|chmod')|mv -[^n]" 'mv -- a b' bare lib/registry-lock/queue.sh
  never 'only process.sh and judge.sh ask about processes' "$(calls 'kill|ps|procid')|REGISTRY_LOCK_PROCID" \
    'x=$(\command ps -A)' bare $(lock_but process judge acquire)
  never 'only wait.sh sleeps' "$(calls sleep)" '_registry_lock_child sleep 1' bare $(lock_but wait windows)
  never 'store.sh does not know about processes' '_registry_lock_(judge|ask|self|explain)' '_registry_lock_judge x' \
    code lib/registry-lock/store.sh lib/registry-lock/remove.sh
  never 'process.sh does not know about locks' 'rl_(lock|slot|dir|name|entry)([^a-z_]|$)' 'x=$rl_lock' \
    code lib/registry-lock/process.sh lib/registry-lock/judge.sh
  never 'entry.sh and report.sh ask and change nothing' \
    '\$\([^(]|_registry_lock_child|\\command |\[\[ (! )?-[^nz] ' '[[ ! -e $1 ]]' \
    bare lib/registry-lock/entry.sh lib/registry-lock/report.sh
  never 'the command calls the public functions, and no file, ps or kill' \
    "_registry_lock_[a-z]|$(calls "$files|ps|kill")" '_registry_lock_judge 1' bare "${command[@]}"
  never 'a driver calls the public functions' '_registry_lock_' '_registry_lock_take' \
    code tests/fixtures/roster-sync-driver.sh
  all_kept
}

# shellcheck disable=SC2046 # names of files without blanks
@test "nothing of the lock prints on standard output, but for a caller inside" {
  printf 'f() {\n  builtin printf x\n}\n' >"$BATS_TEST_TMPDIR/sample.sh"
  same "$(printing_functions "$BATS_TEST_TMPDIR/sample.sh")" 'f()'
  same "$(printing_functions $(lock_but))" $'_registry_lock_ask_bounded()\n_registry_lock_copy()\n_registry_lock_windows_patiently()'
}

# Sizes.
long_functions() { awk -v most=30 '/^[a-z_]+\(\) \{/ { name = $1; at = FNR }
  /^}/ && name != "" { if (FNR - at >= most) print name " has " FNR - at + 1 " lines"; name = "" }' "$1"; }
long_file() { awk -v most=220 'END { if (FNR > most) print FNR " lines" }' "$1"; }
long_lines() { awk -v most=100 'length($0) > most { print FNR ": " length($0) " columns" }' "$1"; }
long_head() { awk -v most=45 '!/^#/ { exit } { n++ } END { if (n > most) print n " lines" }' "$1"; }
no_purpose() {
  awk 'NR == 2 && $0 ~ "^# [a-z-]+([.]sh)?: [A-Za-z]" { found = 1 } END { if (!found) print "says nothing" }' "$1"
}
unparsable() { bash --posix -n "$1" && bash -O extglob -n "$1" && bash -n "$1"; }

# lines N WORD: N lines.
lines() { for ((i = 0; i < $1; i++)); do printf '%s\n' "$2"; done; }

@test "functions, files and lines are short, and say what they are for" {
  each_file 'a function has at most 30 lines' long_functions "$(printf 'f() {\n%s\n}' "$(lines 29 x)")"
  each_file 'a file has at most 220 lines' long_file "$(lines 221 x)"
  each_file 'a line has at most 100 columns' long_lines "$(printf '%0101d' 0)"
  each_file 'a file says in its second line what it is for' no_purpose "$(lines 3 '# x')"
  each_file 'the specification has at most 45 lines' long_head "$(lines 46 '# x')" lib/registry-lock.sh
  each_file 'posix mode, extglob and bash read it' unparsable 'if then'
  all_kept
}
