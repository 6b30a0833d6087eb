#!/usr/bin/env bash
# emulated.sh - runs a command where the kernel starts programs of 64-bit ARM by
# qemu, whoever starts them, and names the counter of such a machine as the source of
# its clock.  Only the command and what it starts see that.
#
# usage: emulated.sh [--own-clock] QEMU COMMAND...
#        emulated.sh --check QEMU
#
# --own-clock: the kernel names the source of this machine.  QEMU_LD_PREFIX is the
# folder with the libraries of programs that are not static.  Kernels before 6.7
# cannot do it: --check says so there, and ends with 77.
set -euo pipefail

if [[ ${1-} == --check ]]; then
  "$0" "$2" true 2>/dev/null && exit
  echo 'what is emulated cannot be started by the kernel: that needs Linux 6.7 and user namespaces'
  exit 77
fi

clock=arch_sys_counter
if [[ ${1-} == --own-clock ]]; then
  clock=''
  shift
fi
(($# >= 2)) || { echo 'usage: emulated.sh [--own-clock] QEMU COMMAND...' >&2; exit 1; }

# shellcheck disable=SC2016 # it is for the other shell
exec unshare --user --map-root-user --mount bash -c '
  set -e
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  elf="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
  any="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
  printf %s ":arm:M::$elf:$any:$2:F" >/proc/sys/fs/binfmt_misc/register
  if [[ -n $1 ]]; then
    # The file goes at once; what was mounted is there as long as the namespace.
    file=$(mktemp)
    echo "$1" >"$file"
    mount --bind "$file" /sys/devices/system/clocksource/clocksource0/current_clocksource
    rm "$file"
  fi
  shift 2
  exec "$@"' - "$clock" "$@"
