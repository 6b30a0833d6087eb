#!/usr/bin/env bash
# release.sh - two releases from the same sources, in different folders, have the
# same bytes; every file is named by checksum and by SBOM, runs in a new root, and
# satisfies the checkers of packages.  Prints TAP.  `make check-release`; takes many minutes.
#
# usage: release.sh [FOLDER]
#
# FOLDER has a first release, by scripts/release.sh; without it, both are made.
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
first=${1:-$work/first}
second=$work/a-folder-with-a-longer-name

count=0 failed=0
# result STATUS WHAT
result() {
  count=$((count + 1))
  if (($1 == 0)); then
    printf 'ok %d - %s\n' "$count" "$2"
  else
    printf 'not ok %d - %s\n' "$count" "$2"
    failed=1
  fi
}

# release FOLDER
release() {
  local status=0
  "$here/scripts/release.sh" "$1" >"$work/said" 2>&1 || status=1
  ((status == 0)) || sed 's/^/# /' "$work/said"
  result $status "a release in ${1##*/}"
}

[[ -e $first/SHA256SUMS ]] || release "$first"
# Another time of day, another mask and other names must not show.
(umask 077 && sleep 1 && release "$second")
names() {
  find "$1" -maxdepth 1 -type f -printf '%f\n' | LC_ALL=C sort
}
for name in $(names "$first"); do
  status=0
  cmp -- "$first/$name" "$second/$name" || status=1
  result $status "$name: the same bytes"
done
status=0
diff <(names "$first") <(names "$second") || status=1
result $status 'the same files'

cd "$second"
status=0
sha256sum --quiet -c SHA256SUMS || status=1
diff <(cut -c67- SHA256SUMS | LC_ALL=C sort) <(names . | grep -v SHA256SUMS) || status=1
result $status 'SHA256SUMS has every file'
status=0
"$here/scripts/sbom.py" --check ./*.spdx.json || status=1
python3 - <<'PY' || status=1
import glob, json
doc = json.load(open(glob.glob("*.spdx.json")[0]))
linked = [r for r in doc["relationships"] if r["relationshipType"] == "STATIC_LINK"]
assert len(linked) >= 8, "libraries of the static program are missing"
PY
result $status 'the SBOM has every file and library'
status=0
python3 - <<'PY' || status=1
import glob, json, re, tarfile
doc = json.load(open(glob.glob("*.spdx.json")[0]))
packages = {p["SPDXID"]: p for p in doc["packages"]}
static = [p for p in packages.values() if "-linux-" in p.get("packageFileName", "")]
assert static, "there is no static program"
for package in static:
    path = package["packageFileName"]
    assert package["licenseDeclared"] == "GPL-3.0-or-later", path
    linked = {packages[r["relatedSpdxElement"]]["name"] for r in doc["relationships"]
              if r["relationshipType"] == "STATIC_LINK" and r["spdxElementId"] == package["SPDXID"]}
    with tarfile.open(path) as tar:
        top = path[:-len(".tar.xz")] + "/"
        names = tar.getnames()
        for name in ("COPYING", "THIRD-PARTY", "completions/bench", "completions/_bench",
                     "completions/bench.fish"):
            assert top + name in names, f"{path} has no {name}"
        text = tar.extractfile(top + "THIRD-PARTY").read().decode()
    # The text before the first heading, then each heading and what follows it.
    parts = re.split(r"^==== (library \S+|licence \S+)(?: \S+)?$", text, flags=re.M)
    notices = dict(zip(parts[1::2], parts[2::2]))
    said = {heading.split()[1] for heading in notices if heading.startswith("library ")}
    assert said == linked, f"{path}: THIRD-PARTY and the SBOM differ in {sorted(said ^ linked)}"
    for heading, notice in notices.items():
        assert notice.strip(), f"{path}: nothing is said of {heading}"
    for name in ("Apache-2.0", "GPL-3", "LGPL-2.1"):
        assert "licence " + name in notices, f"{path}: the text of {name} is missing"
PY
result $status 'every static program comes with the notices of its libraries'

status=0
"$here/tests/packages/roots.sh" "$second" >"$work/roots" 2>&1 || status=1
sed 's/^/# /' "$work/roots"
result $status 'every file runs in a new root'
status=0
"$here/tests/packages/lint.sh" "$second" >"$work/lint" 2>&1 || status=1
sed 's/^/# /' "$work/lint"
result $status 'checkers of packages find no error'
printf '1..%d\n' "$count"
exit "$failed"
