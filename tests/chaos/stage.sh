#!/usr/bin/env bash
# stage.sh FILE-SYSTEM OUT COMMAND...: mounts that file system at OUT/mnt and becomes COMMAND. In mount
# and pid namespaces of its own. Status 77 where it can't be mounted.
fs=$1 out=$2
shift 2
mkdir -p "$out/mnt" "$out/disk" || exit

case $fs in
  ext4)
    truncate -s 64M "$out/disk/image" && mkfs.ext4 -q -F "$out/disk/image" &&
      mount -o loop "$out/disk/image" "$out/mnt"
    ;;
  tmpfs) mount -t tmpfs none "$out/mnt" ;;
  overlayfs)
    mount -t tmpfs none "$out/disk" && mkdir "$out"/disk/{lower,upper,work} &&
      mount -t overlay -o "lowerdir=$out/disk/lower,upperdir=$out/disk/upper,workdir=$out/disk/work" \
        overlay "$out/mnt"
    ;;
esac || exit 77

# Since Linux 6.14 this is the limit of this pid namespace; before, of the whole machine.
if printf '%s\n' 6.14 "$(uname -r)" | sort -VC; then
  echo "$CHAOS_PIDS" >/proc/sys/kernel/pid_max || exit 77
  export CHAOS_CELL_PIDS=$CHAOS_PIDS
fi

# Where every worker can learn by which number the conductor knows it.
mkdir "$out/proc" && mount --bind /proc "$out/proc" || exit
exec "$@"
