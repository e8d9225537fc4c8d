#!/usr/bin/env bats
# windows.bats: Git Bash, played here: a shell that takes itself to be one, with a /proc that tells it a
# Windows number, and a procid that knows such numbers.

# shellcheck disable=SC2016 # code for drivers
load helper

# on_windows CODE...: `run` of CODE in a driver that takes itself to be in Git Bash and has sourced the
# library; Windows calls it 4711, or what WINPID says; without WINPID it isn't told.
on_windows() {
  printf '#!/bin/sh\n[ "${1%%%%.*}" = --why ] && shift\ncase $1 in 471?) echo "w$1" ;; *) echo gone ;; esac\n' \
    >"$BATS_TEST_TMPDIR/procid"
  chmod +x "$BATS_TEST_TMPDIR/procid"
  run env OSTYPE=msys REGISTRY_LOCK_PROCID="$BATS_TEST_TMPDIR/procid" LOCK="$LOCK" library="$library" \
    bash -c '. "$library" || exit; _registry_lock_proc=$PWD/../proc
      told() { command -p mkdir -p "$_registry_lock_proc/$BASHPID"; hash -r; echo "$1" >"$_registry_lock_proc/$BASHPID/winpid"; }
      '"[ -z '${WINPID=4711}' ] || told '$WINPID'; $1"
}

@test "only there its functions are in the place of the others" {
  run bash -c ". '$library'; declare -f _registry_lock_self_pid"
  lacks "$output" windows
  on_windows 'declare -f _registry_lock_self_pid'
  says windows
}

@test "the holder's number is the one of Windows, and is asked for only once" {
  on_windows 'registry_lock_acquire "$LOCK" && ls "$LOCK" && rm -r "$_registry_lock_proc"
    registry_lock_check "$LOCK" && registry_lock_release "$LOCK" && echo released'
  same "$output" $'holder.4711.w4711.1\nreleased'
  no_litter
}

@test "a subshell has a number of its own" {
  on_windows 'registry_lock_acquire "$LOCK"; (told 4712; registry_lock_check "$LOCK"; echo "$?"; _registry_lock_self; echo "$rl_pid")'
  same "$output" $'76\n4712'
}

@test "where Windows doesn't tell the number nothing is asked about it" {
  WINPID='' on_windows 'echo "#!/bin/sh
    echo wrong" >"$REGISTRY_LOCK_PROCID"; registry_lock_acquire "$LOCK" && ls "$LOCK" | sed "s/$$/PID/"'
  same "${output%..*}" 'holder.PID'
}

@test "a recorded number without an identity is of nobody knows whom: it waits, there and on Linux" {
  corpse
  forge "$LOCK" holder "pid $dead_pid" "host $HOSTNAME"
  on_windows 'registry_lock_acquire "$LOCK" 0'
  status_is 75
  says "can't be asked from here"
  is_taken
  rm -r "$LOCK"
  WINPID='' on_windows 'registry_lock_acquire "$LOCK"; kill -9 $$'
  here registry_lock_acquire "$LOCK" 0
  status_is 75
  says "on another machine"
}

# refusing TOOL TIMES WORDS: a TOOL first on PATH that refuses TIMES with WORDS, then works.
refusing() {
  mkdir "$BATS_TEST_TMPDIR/refusing"
  cat >"$BATS_TEST_TMPDIR/refusing/$1" <<TOOL
#!/bin/sh
echo >>'$BATS_TEST_TMPDIR/calls'
[ "\$(wc -l <'$BATS_TEST_TMPDIR/calls')" -gt $2 ] && exec $(command -v "$1") "\$@"
echo "$1: cannot do it: $3" >&2
exit 1
TOOL
  chmod +x "$BATS_TEST_TMPDIR/refusing/$1"
  PATH=$BATS_TEST_TMPDIR/refusing:$PATH
}

@test "a deletion that is pending is waited for, with mkdir and mv" {
  local words
  for words in 'Permission denied' 'Operation not permitted' 'Device or resource busy'; do
    refusing mkdir 1 "$words"
    on_windows 'registry_lock_acquire "$LOCK" 0 && registry_lock_release "$LOCK"'
    status_is 0
    same "$output" ''
    rm -r "$BATS_TEST_TMPDIR"/{refusing,calls,proc}
    refusing mv 2 "$words"
    on_windows 'PATH=${PATH#*:}; registry_lock_acquire "$LOCK" 0
      PATH=$BATS_TEST_TMPDIR/refusing:$PATH; registry_lock_release "$LOCK"'
    status_is 0
    same "$output" ''
    rm -r "$BATS_TEST_TMPDIR"/{refusing,calls,proc}
  done
  no_litter
}

@test "it isn't waited for elsewhere, nor where the refusal is another" {
  refusing mkdir 3 'Permission denied'
  run bash -c ". '$library'; registry_lock_acquire '$LOCK' 0"
  status_is 73
  rm -r "$BATS_TEST_TMPDIR"/{refusing,calls}
  refusing mkdir 3 'No space left on device'
  on_windows 'registry_lock_acquire "$LOCK" 0'
  status_is 73
  says 'No space left on device'
}

@test "run keeps the shell that holds the lock, since an exec changes the number" {
  on_windows 'registry_lock_run "$LOCK" sh -c "echo \"\$PPID\"; ls \"\$LOCK\"; exit 5"'
  status_is 5
  contains "${output#*$'\n'}" "holder.${output%%$'\n'*}.."
  is_free
}

@test "a lease is of the process that a shell's number means" {
  on_windows 'token=$(told 4712; registry_lease_claim owner $$) && grep -E "^(pid|start)" owner'
  status_is 0
  same "$output" $'pid 4711\nstart w4711'
  on_windows 'registry_lease_claim other 4712'
  status_is 64
}
