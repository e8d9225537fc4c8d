# registry-lock.fish: completion for registry-lock(1) in fish. Put it into a folder of
# $fish_complete_path.

# The words before the cursor that are neither options nor their values.
function __registry_lock_operands
    set -l value ''
    for word in (commandline -opc)[2..]
        switch "$value$word"
            case -w --wait -E --conflict-exit-code -d --depth -g --grace -p --pid -s --session
                set value value:
            case 'value:*'
                set value ''
            case '-*'
            case '*'
                printf '%s\n' $word
        end
    end
end

# The cursor is behind COMMAND and NUMBER operands; "any" number, or "some": one or more.
function __registry_lock_at --argument-names number command
    set -l operands (__registry_lock_operands)
    string match -q -- "$command *" "$operands "; or return
    set -l count (math (count $operands) - (count (string split ' ' $command)))
    test $number = any -o $number = $count; or test $number = some -a $count -ge 1
end

# Directories, of which a lock is one; no slots.
function __registry_lock_folders
    __fish_complete_directories (commandline -ct) | string match -v '*.slot.*'
end

# The token of the operand before.
function __registry_lock_tokens
    set -l first (__registry_lock_operands)[-1]
    if test -f "$first"
        string replace -f -r '^token ' '' <$first
    else
        for entry in $first/holder.* $first/claim.*
            string replace -r '^.*/[a-z]+\.' '' $entry
        end
    end
end

# __registry_lock_add NUMBER COMMAND ARG...: `complete` with ARG... at that place.
function __registry_lock_add --argument-names number command
    complete -c registry-lock -n "__registry_lock_at $number '$command'" $argv[3..]
end

complete -c registry-lock -f
set -l top complete -c registry-lock -n 'not __registry_lock_operands | string length -q'
$top -l help -d 'Show all options'
$top -l version -d 'Show the version'
$top -a run -d 'Run a command as the holder of a lock'
$top -a status -d 'Show who holds a lock'
$top -a break -d 'Remove a stale lock'
$top -a doctor -d 'Find what is left behind'
$top -a lease -d 'Own a thing for longer than a call'

__registry_lock_add 0 run -s n -l nonblock -d 'Fail at once'
__registry_lock_add 0 run -s w -l wait -x -d 'Seconds to wait at most'
__registry_lock_add 0 run -s E -l conflict-exit-code -x -d 'Status where it is held'
__registry_lock_add 0 run -s v -l verbose -d 'Say when it is taken'
__registry_lock_add 0 run -s q -l quiet -d 'Do not say that it waits'
__registry_lock_add 1 run -s c -l command -x -d 'A line for the shell'
__registry_lock_add any status -s j -l json -d 'Print a JSON object a line'
__registry_lock_add any break -s f -l force -d 'Whoever holds it'
__registry_lock_add any doctor -s F -l fix -d 'Remove what is proven'
__registry_lock_add any doctor -s e -l empty -d 'Empty directories too'
__registry_lock_add any doctor -s g -l grace -x -d 'Seconds before the second look'
__registry_lock_add any doctor -s d -l depth -x -d 'How deep'
__registry_lock_add any doctor -s j -l json -d 'Print a JSON object a line'

for command in run break 'lease list'
    __registry_lock_add 0 $command -a '(__registry_lock_folders)'
end
for command in status doctor
    __registry_lock_add any $command -a '(__registry_lock_folders)'
end

__registry_lock_add 0 lease -a 'claim release refresh show list bracket'
for verb in claim refresh show list
    __registry_lock_add any "lease $verb" -s p -l pid -x -a '(__fish_complete_pids)' -d Anchor
end
__registry_lock_add any 'lease claim' -s s -l session -x -d 'Text to record'
__registry_lock_add 0 'lease bracket' -s s -l session -x -d 'Text to record'
for verb in claim show list
    __registry_lock_add any "lease $verb" -l worktree -d 'Which checkout it is for'
end
__registry_lock_add 0 'lease bracket' -l worktree -d 'Which checkout it is for'
for verb in claim release refresh show bracket
    __registry_lock_add 0 "lease $verb" -F
end
for command in break 'lease release' 'lease refresh'
    __registry_lock_add 1 $command -a '(__registry_lock_tokens)' -d Token
end
for command in run 'lease bracket'
    __registry_lock_add 1 $command -a '(complete -C (commandline -ct))'
    __registry_lock_add some $command -F
end
functions -e __registry_lock_add
