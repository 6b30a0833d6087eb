# shellcheck shell=bash
# common.sh - what the scripts of this folder share; they source it.

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# unpack SOURCE FOLDER: a tarball, or a folder, as the contents of FOLDER.  Most
# tarballs have one folder in which all the rest is.
unpack() {
  local entries
  mkdir -p "$2"
  if [[ -d $1 ]]; then
    cp -R "$1/." "$2/"
  elif [[ -f $1 ]]; then
    tar -xf "$1" -C "$2"
    entries=("$2"/*)
    if ((${#entries[@]} == 1)) && [[ -d ${entries[0]} ]]; then
      mv "${entries[0]}" "$2.top"
      rm -rf "$2"
      mv "$2.top" "$2"
    fi
  else
    die "'$1' is neither a tarball nor a folder"
  fi
}

# absolute FOLDER: makes it if need be.
absolute() {
  mkdir -p "$1"
  (cd "$1" && pwd)
}

processors() {
  getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}
