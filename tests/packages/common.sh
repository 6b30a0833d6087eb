# shellcheck shell=bash disable=SC2034,SC2154
# common.sh - what the tests of packages share; they source it.  They set `work`, a
# folder of their own.

count=0 failed=0

# part WHAT COMMAND...: the command prints TAP, or only fails; with 77 its last
# line says what it lacks.
part() {
  local what=$1 status
  shift
  count=$((count + 1))
  set +e # a condition around the subshell would make it go on after errors
  (set -e; "$@") >"$work/said" 2>&1 </dev/null
  status=$?
  set -e
  sed 's/^/# /' "$work/said"
  if ((status == 77)); then
    printf 'ok %d - %s # SKIP %s\n' "$count" "$what" "$(tail -n 1 "$work/said")"
  elif ((status == 0)); then
    printf 'ok %d - %s\n' "$count" "$what"
  else
    printf 'not ok %d - %s\n' "$count" "$what"
    failed=1
  fi
}

# new_system FOLDER [PACKAGES [SUITE]]: a small Debian (or Ubuntu) like this one, or that
# release of it, with these packages; nothing if it is there.
new_system() {
  local suite uri
  [[ ! -d $1 ]] || return 0
  # shellcheck disable=SC2016 # apt-get replaces it
  read -r uri suite < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
    'Created-By: Packages' | grep -vE 'security|updates|backports' | head -n 1)
  rm -rf --one-file-system "$1.new"
  debootstrap --variant=minbase ${2:+"--include=$2"} "${3:-$suite}" "$1.new" "$uri"
  mv "$1.new" "$1"
}

# sources_of FOLDER: the source tarball of a release.  Those of static programs are named
# after a machine, too.
sources_of() {
  printf '%s\n' "$1"/bench-*.tar.xz | grep -E '/bench-[0-9.]+\.tar\.xz$'
}

# in_system ROOT COMMAND...: with /proc, and processes of its own that end with it.
in_system() {
  # shellcheck disable=SC2016 # it is for the other shell
  unshare --mount --pid --fork --kill-child env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root TMPDIR=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$@"
}

# in_root ROOT COMMAND...: with nothing of our environment.
in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/tmp chroot "$@"
}
