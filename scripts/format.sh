#!/usr/bin/env bash
# format.sh - brings C sources into the project's format.
#
# usage: format.sh [--check] [FILE]...   all sources, or these; --check only
#                                        names those that would change
#        format.sh --staged              checks the lines that are staged
#
# Versions of clang-format differ in what they do; this project uses 14.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

version=14
top=$(cd "$(dirname "$0")/.." && pwd)

die() {
  printf 'format.sh: %s\n' "$*" >&2
  exit 1
}

find_formatter() {
  local name
  for name in "${CLANG_FORMAT:-}" "clang-format-$version" clang-format; do
    if [[ -n $name ]] && command -v "$name" >/dev/null &&
      [[ $("$name" --version) =~ version\ $version\. ]]; then
      command -v "$name"
      return
    fi
  done
  die "clang-format $version was not found; CLANG_FORMAT may name it"
}
formatter=$(find_formatter)

mode=-i
case ${1-} in
  --check)
    mode=--check
    shift
    ;;
  --staged)
    git_format=git-clang-format-$version
    command -v "$git_format" >/dev/null || git_format=git-clang-format
    command -v "$git_format" >/dev/null || die "$git_format was not found"
    said=$("$git_format" --binary "$formatter" --staged --diff --extensions c,h)
    case $said in
      '' | 'no modified files to format' | *'did not modify any files') exit 0 ;;
    esac
    printf '%s\n' "$said"
    exit 1
    ;;
esac

if (($# > 0)); then
  files=("$@")
else
  cd "$top"
  mapfile -t files < <(git ls-files '*.[ch]')
fi
if [[ $mode == -i ]]; then
  exec "$formatter" -i "${files[@]}"
fi
status=0
for file in "${files[@]}"; do
  if ! "$formatter" "$file" | cmp -s - "$file"; then
    printf '%s\n' "$file"
    status=1
  fi
done
exit "$status"
