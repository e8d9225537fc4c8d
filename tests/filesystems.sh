#!/usr/bin/env bash
# tests/filesystems.sh [FILESYSTEM]...   Runs the suites of acquire, release and break on locks that
# lie on other file systems, each mounted where only this process sees it: ext4, tmpfs, overlay and,
# through FUSE, ntfs (ntfs-3g), exfat, fat (fusefat), sshfs (to an own sshd) and bindfs.
# SUITES="tests/acquire.bats ..."        Other suites.
# Needs Linux and root. Installs nothing: a file system whose tool is missing is skipped.
# The last line is `N passed, N failed, N skipped`.
set -euo pipefail
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL
cd -- "${BASH_SOURCE[0]%/*}/.."

(($# > 0)) || set -- ext4 tmpfs overlay ntfs exfat fat sshfs bindfs

# In namespaces of their own the mounts are nobody else's, and no FUSE daemon outlives its test.
if [[ ${1-} != --inside ]]; then
  tmp=$(mktemp -d "${TMPDIR:-/tmp}/registry-lock-filesystems.XXXXXX")
  trap 'rm -rf -- "$tmp"' EXIT
  trap 'kill "$!"; wait "$!"; exit 143' INT TERM
  inside=(unshare -m -p --fork --kill-child --mount-proc)
  if ! "${inside[@]}" true 2>/dev/null; then
    printf 'skip  all of them: needs Linux, and root\n\n0 passed, 0 failed, %d skipped\n' "$#"
    exit 0
  fi
  "${inside[@]}" bash tests/filesystems.sh --inside "$tmp" "$@" </dev/null &
  wait "$!"
  exit
fi

tmp=$2
shift 2
mounted=$tmp/mounted
suites=${SUITES:-tests/acquire.bats tests/release.bats tests/break.bats}
passed=0 failed=0 skipped=0
chmod a+x "$tmp"
mount -t tmpfs none /run

need() { # TOOL PACKAGE
  command -v "$1" >/dev/null || {
    printf 'needs %s (Debian: %s)\n' "$1" "$2"
    return 1
  }
}

image() {
  rm -f -- "$tmp/image"
  truncate -s 64M "$tmp/image"
}

mount_ext4() {
  need mkfs.ext4 e2fsprogs || return
  image && mkfs.ext4 -qF "$tmp/image" && mount -o loop "$tmp/image" "$mounted"
}

mount_tmpfs() { mount -t tmpfs none "$mounted"; }

mount_overlay() {
  mkdir -p "$tmp/layers" && mount -t tmpfs none "$tmp/layers" &&
    mkdir "$tmp"/layers/{lower,upper,work} &&
    mount -t overlay -o "lowerdir=$tmp/layers/lower,upperdir=$tmp/layers/upper,workdir=$tmp/layers/work" \
      none "$mounted"
}

mount_ntfs() {
  need ntfs-3g ntfs-3g || return
  image && mkntfs -qF "$tmp/image" && ntfs-3g "$tmp/image" "$mounted"
}

mount_exfat() {
  need mount.exfat-fuse exfat-fuse && need mkfs.exfat exfatprogs || return
  image && mkfs.exfat "$tmp/image" && loop=$(losetup -f --show "$tmp/image") || return
  # Once it is mounted, the device ends with the mount.
  mount.exfat-fuse "$loop" "$mounted" && losetup -d "$loop"
}

mount_fat() {
  need fusefat fusefat && need mkfs.vfat dosfstools || return
  image && mkfs.vfat "$tmp/image" && fusefat -o rw+ -o allow_other "$tmp/image" "$mounted"
}

mount_bindfs() {
  need bindfs bindfs || return
  mkdir -p "$tmp/bound" && bindfs "$tmp/bound" "$mounted"
}

# sshd serves one connection, on its standard input.
mount_sshfs() {
  need sshfs sshfs && need sshd openssh-server || return
  mkdir -p /run/sshd "$tmp/far" "$tmp/key"
  ssh-keygen -q -t ed25519 -N '' -f "$tmp/key/host" && ssh-keygen -q -t ed25519 -N '' -f "$tmp/key/me"
  printf '%s\n' "HostKey $tmp/key/host" "AuthorizedKeysFile $tmp/key/me.pub" 'StrictModes no' \
    'PermitRootLogin yes' 'UsePAM no' 'PidFile none' 'Subsystem sftp internal-sftp' >"$tmp/key/sshd"
  printf '%s\n' 'Host *' "IdentityFile $tmp/key/me" 'IdentitiesOnly yes' 'StrictHostKeyChecking no' \
    'UserKnownHostsFile /dev/null' 'LogLevel ERROR' \
    "ProxyCommand $(command -v sshd) -i -f $tmp/key/sshd" >"$tmp/key/ssh"
  sshfs -o allow_other,default_permissions -F "$tmp/key/ssh" "root@own:$tmp/far" "$mounted"
}

# Runs the suites on the file system at $mounted, and counts.
run_suites() {
  local good=0 bad=1 left=0
  # shellcheck disable=SC2086 # several words
  FILESYSTEM_UNDER_TEST=$mounted tests/run-tests.sh $suites \
    2>&1 | tee "$tmp/log" | grep -vE '^(ok|==) ' || :
  read -r good bad left <<<"$(sed -nE \
    's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p' "$tmp/log")" || :
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + ${left:-0}))
}

# fusefat loses what is in a directory that is renamed: nothing else can be tested on it.
refuse_fat() {
  local said status=0
  said=$(bash -c '. lib/registry-lock.sh && registry_lock_acquire "$1" 60' - "$mounted/lock" 2>&1) ||
    status=$?
  if [[ $status == 73 && $said == *'this file system loses'* && ! -e $mounted/lock ]]; then
    passed=$((passed + 1))
    printf 'ok    refused: %s\n' "$said"
  else
    failed=$((failed + 1))
    printf 'FAIL  not refused (%d): %s\n' "$status" "$said"
  fi
}

unmount_all() {
  local place
  awk -v tmp="$tmp/" 'index($2, tmp) == 1 { print $2 }' /proc/mounts | sort -r |
    while read -r place; do umount -l "$place"; done
}

for name; do
  declare -F "mount_$name" >/dev/null || {
    printf 'no such file system here: %s\n' "$name" >&2
    exit 2
  }
  printf '\n== %s\n' "$name"
  mkdir -p "$mounted"
  if "mount_$name" >"$tmp/log" 2>&1 </dev/null; then
    if [[ $name == fat ]]; then refuse_fat; else run_suites; fi
  else
    skipped=$((skipped + 1))
    printf 'skip  %s: %s\n' "$name" "$(tail -n 1 "$tmp/log")"
  fi
  unmount_all
done
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
((failed == 0))
