#!/usr/bin/env bash
# images.sh - the container images, built by buildah from the tarball of a release, and
# tried.  Prints TAP.  No registry is asked: a system that debootstrap makes takes
# the place of Debian's image.
#
# usage: images.sh FOLDER [FILE...]
#
# FOLDER is that of scripts/release.sh, FILE is Containerfile, Containerfile.clients or
# Containerfile.mpi of packaging/container, or all.  It has to be root, and needs Debian's archive;
# `deps.sh release` installs what it uses, but for buildah.  Takes many minutes; with
# BENCH_STATIC_LIBS (scripts/static-libs.sh), libraries in that folder are not built
# again.
# shellcheck disable=SC2317 # functions are called by part()
set -euo pipefail

if ((EUID == 0)) && [[ -z ${BENCH_IMAGES_PRIVATE-} ]] && unshare --mount true; then
  BENCH_IMAGES_PRIVATE=yes exec unshare --mount "$0" "$@"
fi
here=$(cd "$(dirname "$0")/../.." && pwd)
(($# > 0)) || { echo 'usage: images.sh FOLDER [FILE...]' >&2; exit 1; }
made=$(cd "$1" && pwd)
shift
(($# > 0)) || set -- Containerfile Containerfile.clients Containerfile.mpi
if ((EUID != 0)) || ! command -v debootstrap >/dev/null || ! command -v buildah >/dev/null; then
  echo '1..0 # SKIP needs root, debootstrap and buildah'
  exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-images.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
# shellcheck source=tests/packages/common.sh
. "$here/tests/packages/common.sh"

# Images of this test alone, and steps in roots instead of containers.
store() {
  buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"
}
export BUILDAH_ISOLATION=chroot

debian_image() {
  local container
  new_system "$work/debian"
  rm -rf "$work"/debian/var/{cache/apt/archives,lib/apt/lists}/*
  container=$(store from scratch)
  store add -q "$container" "$work/debian" /
  store commit -q "$container" docker.io/library/debian:bookworm-slim
  store rm "$container"
  rm -rf --one-file-system "$work/debian"
}

# image FILE: is the image FILE, in small letters.
image() {
  local libs=()
  [[ -z ${BENCH_STATIC_LIBS-} ]] ||
    libs=(--volume "$BENCH_STATIC_LIBS:$BENCH_STATIC_LIBS" --env "BENCH_STATIC_LIBS=$BENCH_STATIC_LIBS")
  store build -q "${libs[@]}" --pull-never -t "localhost/${1,,}" -f "$work/src/packaging/container/$1" "$work/src"
}

try_Containerfile() {
  local container root
  container=$(store from --pull-never localhost/containerfile)
  root=$(store mount "$container")
  diff <(ls -A "$root") <(printf '%s\n' COPYING THIRD-PARTY bench tmp work | LC_ALL=C sort)
  [[ $(store inspect --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.WorkingDir}}' "$container") == '[/bench] /work' ]]
  "$here/tests/static/check.sh" "$root/bench"
  store rm "$container"
}

try_Containerfile.clients() {
  local container program
  container=$(store from --pull-never localhost/containerfile.clients)
  for program in mariadb psql sqlite3; do
    store run "$container" "$program" --version
  done
  store copy -q "$container" "$here/tests/packages/try.sh" /tmp/
  store run "$container" /tmp/try.sh bench
  store rm "$container"
}

# ssh into the container itself, as mpirun does on each machine.
try_Containerfile.mpi() {
  local container
  container=$(store from --pull-never localhost/containerfile.mpi)
  store copy -q "$container" "$here/tests/packages/try.sh" /tmp/
  store run "$container" /tmp/try.sh bench
  store run "$container" sh -ec '! ls /etc/ssh/ssh_host_* 2>/dev/null
    ssh-keygen -q -A && ssh-keygen -q -t ed25519 -N "" -f ~/.ssh/id_ed25519
    cp ~/.ssh/id_ed25519.pub ~/.ssh/authorized_keys && /usr/sbin/sshd -p 2222
    printf "#!/bin/sh\nexec ssh -p 2222 \"\$@\"\n" >/tmp/agent && chmod +x /tmp/agent
    /tmp/agent 127.0.0.1 true
    mpirun --mca plm_rsh_agent /tmp/agent --host 127.0.0.1:2 -n 2 --bind-to none \
      bench cpu --cpu-max-prime=100 --events=10 --time=0 run >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
    grep "^cluster: 2 processes on 1 host " /tmp/said
    kill $(cat /run/sshd.pid)'
  store rm "$container"
}

mkdir "$work/src"
sources=$(sources_of "$made")
tar -xf "$sources" -C "$work/src" --strip-components=1
# What a configure in place makes stops a build that copies it: .dockerignore.
for file in Makefile config.h config.status libtool stamp-h1 src/base/strbuf.o; do
  echo '#error "a build in place"' >"$work/src/$file"
done
part 'a system in the place of Debian'\''s image' debian_image
for file; do
  part "$file" image "$file"
  part "$file: it works" "try_$file"
done
printf '1..%d\n' "$count"
exit "$failed"
