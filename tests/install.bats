#!/usr/bin/env bats
# install.bats: make install, make uninstall and make bundle; and what they make works where it lies.

# shellcheck disable=SC2016 # code for drivers
load helper

# makes WORD...: make WORD... as in a clean shell. The procid that is there is the one to install.
makes() {
  env -i PATH="$PATH" HOME="$HOME" "$(command -v gmake || command -v make)" -C "$root" -o bin/procid "$@" >&2
}

# inst: where things are installed; a blank in a name harms nothing.
inst="$BATS_TEST_TMPDIR/in st"

# installed: inst is a tree that was installed once for the tests that only use it.
installed() {
  inst="$BATS_FILE_TMPDIR/in st"
  [ -d "$inst" ] || makes install PREFIX="$inst"
}

# found DIR: the files below DIR, a name a line.
found() { (cd -- "$1" && find . ! -type d | LC_ALL=C sort); }

# below FOLDER FILE...: the FILEs, as found lists them, when they are installed into FOLDER.
below() {
  local folder=$1 file
  shift
  for file; do printf './%s/%s\n' "$folder" "${file##*/}"; done
}

# answers COMMAND...: it is registry-lock, and has its library.
answers() {
  run "$@" status "$LOCK"
  same "$output" "$LOCK: free"
}

@test "install puts each file in its place, readable for all, whatever the umask" {
  cd "$root"
  (umask 077 && makes install DESTDIR="$inst" PREFIX=/usr)
  same "$(found "$inst")" "$({
    below usr/bin registry-lock procid
    below usr/lib/registry-lock lib/registry-lock.sh
    below usr/lib/registry-lock/registry-lock lib/registry-lock/*.sh
    below usr/share/man/man1 lib/share/man/*.1
    below usr/share/man/man3 lib/share/man/*.3
    below usr/share/bash-completion/completions registry-lock
    below usr/share/zsh/site-functions _registry-lock
    below usr/share/fish/vendor_completions.d registry-lock.fish
  } | LC_ALL=C sort)"
  same "$(find "$inst" -type d ! -perm 755)" ''
  same "$(find "$inst" -type f ! -perm 644)" "$(find "$inst/usr/bin" -type f -perm 755)"
  same "$(grep -rl -- "$inst" "$inst")" ''
}

@test "uninstall removes what install put there, and nothing else" {
  mkdir -p "$inst/usr/lib/registry-lock" "$inst/usr/bin"
  touch "$inst/usr/lib/registry-lock/theirs.sh" "$inst/usr/bin/procid2"
  makes install DESTDIR="$inst" PREFIX=/usr
  makes uninstall DESTDIR="$inst" PREFIX=/usr
  same "$(found "$inst")" $'./usr/bin/procid2\n./usr/lib/registry-lock/theirs.sh'
  rm "$inst/usr/lib/registry-lock/theirs.sh"
  makes uninstall DESTDIR="$inst" PREFIX=/usr
  [ ! -e "$inst/usr/lib/registry-lock" ]
}

@test "the installed command finds its library and procid from anywhere, through links of links" {
  installed
  PATH=${PATH#"$root/bin:"}
  cd /
  answers "$inst/bin/registry-lock"
  mkdir -p "$DIR/a/b" "$DIR/bin"
  ln -s "$inst/bin/registry-lock" "$DIR/a/absolute"
  ln -s ../absolute "$DIR/a/b/relative"
  ln -s a/b "$DIR/folder"
  ln -s ../folder/relative "$DIR/bin/registry-lock"
  answers "$DIR/bin/registry-lock"
  cd "$DIR/bin"
  answers ./registry-lock
  answers bash registry-lock
  PATH=.:$PATH answers registry-lock
  hold other
  run ./registry-lock status "$LOCK"
  says 'verdict  alive: it is running'
}

@test "an installed tree works where it is moved to, and beside a folder lib of others" {
  makes install DESTDIR="$inst" PREFIX=/nowhere
  mv "$inst/nowhere" "$inst/moved"
  echo 'echo "a library of others"; exit 9' >"$inst/moved/lib/registry-lock.sh"
  answers "$inst/moved/bin/registry-lock"
}

@test "the command finds a library that is not beside it: libdir elsewhere, or bin a link" {
  makes install PREFIX="$inst" libdir="$inst/else where/lib"
  answers "$inst/bin/registry-lock"
  rm -r "$inst"
  mkdir -p "$DIR/disk/bin" "$inst"
  ln -s "$DIR/disk/bin" "$inst/bin"
  makes install PREFIX="$inst"
  [ -f "$DIR/disk/bin/registry-lock" ]
  answers "$inst/bin/registry-lock"
}

@test "a driver sources the installed library by one path, and all of it is there" {
  installed
  cd "$inst"
  run env -i PATH="$inst/bin:/usr/bin:/bin" bash -c 'set -eu; . lib/registry-lock/registry-lock.sh; cd /
    registry_lock_acquire "$1"; registry_lock_status "$1" || [ "$?" = 1 ]; registry_lock_release "$1"
    registry_lease_verdict "$1.lease"' - "$LOCK"
  status_is 0
  says 'verdict  alive'
  says free
}

@test "a program that is running keeps the file that it runs when another is installed over it" {
  installed
  exec 9<"$inst/bin/registry-lock"
  makes install PREFIX="$inst"
  [ ! /dev/fd/9 -ef "$inst/bin/registry-lock" ]
  diff - "$inst/bin/registry-lock" <&9
}

# The bundle.

bundle() {
  makes -s bundle && mkdir "$inst" && cp "$root/build/registry-lock.sh" "$inst/lock.sh"
}

@test "the bundle has version and licence in its head, and every function of the library as it is" {
  bundle
  head -n 2 "$inst/lock.sh" | grep -qF "registry-lock $_registry_lock_version"
  sed -n '/^# MIT License/,/^# SOFTWARE/s/^# \{0,1\}//p' "$inst/lock.sh" | diff - "$root/LICENSE"
  bash -c '. "$1"; unset -f _registry_lock_load; declare -f' - "$inst/lock.sh" >"$DIR/bundle"
  bash -c '. "$1"; for part in "${1%.sh}"/*.sh; do part=${part##*/}; _registry_lock_load "${part%.sh}"; done
    unset -f _registry_lock_load; declare -f' - "$root/lib/registry-lock.sh" >"$DIR/library"
  diff "$DIR/library" "$DIR/bundle"
}

@test "the bundle is all that a driver needs: no other file of the library is read" {
  bundle
  run env -i PATH="$root/bin:/usr/bin:/bin" bash -c 'set -eu; cd "$1"; . ./lock.sh; cd /
    registry_lock_acquire "$2"; registry_lock_status "$2" || [ "$?" = 1 ]; registry_lock_release
    registry_lock_doctor "${2%/*}"; registry_lock_run "$2" true; registry_lease_verdict "$2.lease"' - "$inst" "$LOCK"
  status_is 0
  says 'verdict  alive'
  run env -i PATH=/usr/bin:/bin bash -c '. "$1/lock.sh"; registry_lock_run "$2" echo done' - "$inst" "$LOCK"
  same "$output" 'done'
}

@test "sourcing the bundle prints nothing and changes no option, trap or name of others" {
  bundle
  run bash -c 'shopt -s expand_aliases nullglob; set -u; trap "echo bye" EXIT
    look() { set +o; shopt; trap; pwd; umask; compgen -v | grep -vE "^(_?registry_lock_|BASH_|PIPESTATUS|_$)"; }
    look >"$2/1"; . "$1"; look >"$2/2"' - "$inst/lock.sh" "$DIR"
  same "$output" bye
  diff "$DIR/1" "$DIR/2"
}
