#!/usr/bin/env python3
"""sbom.py - what the files of a release contain, as SPDX 2.3 in JSON.

usage: sbom.py NAME-VERSION LIBS FILE...
       sbom.py --check DOCUMENT...

LIBS is the folder of static-libs.sh: the static program contains these
libraries, with the versions of their source packages.  A .deb and an .rpm name
the shared libraries that they need.  The time is SOURCE_DATE_EPOCH.

With --check, documents of one folder are compared with the tarballs and packages
in it: every file is in a document, and every document names the checksums of the
files that are there.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# The licences of what is linked into the static program.
LICENSES = {
    "ck": "BSD-2-Clause",
    "jansson": "MIT",
    "liburing": "LGPL-2.1-or-later OR MIT",
    "luajit": "MIT",
    "mariadb": "LGPL-2.1-or-later",
    "musl": "MIT",
    "openssl": "Apache-2.0",
    "postgresql": "PostgreSQL",
    "sqlite3": "blessing",
    "zlib": "Zlib",
}
HOME = "https://bench.example/"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def spdx_id(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def digest(path, kind):
    return hashlib.new(kind, path.read_bytes()).hexdigest()


def distribution(path="/etc/os-release"):
    """Whose source packages apt-get fetches here: the ID of the system."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return ""
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    return fields.get("ID", "").strip("\"'")


def locator(name, version, system):
    """The package URL of a source package; a system that is not known makes none."""
    if system in ("debian", "ubuntu"):
        return f"pkg:deb/{system}/{name}@{version}?arch=source"
    return f"pkg:generic/{name}@{version}"


def library(name, version, licence, system):
    """A source package that is linked into the program."""
    return {
        "SPDXID": spdx_id("lib-" + name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": locator(name, version, system),
        }],
    }


def compiler():
    """The compiler's own library, which has what processors lack."""
    path = os.path.realpath(output("gcc", "-print-libgcc-file-name").strip())
    package = output("dpkg-query", "-S", path).split(":")[0]
    name, version = output("dpkg-query", "-W", "-f=${source:Package} ${source:Version}",
                           package).split()
    return library(name, version, "GPL-3.0-or-later WITH GCC-exception-3.1",
                   distribution())


def static_libraries(libs):
    """Of each source in `libs`, and of musl and gcc, which the compiler adds."""
    found = [compiler()]
    for name in sorted(LICENSES):
        changes = pathlib.Path(libs, "src", name, "debian", "changelog")
        release = pathlib.Path(libs, "src", name, "release")
        system = distribution()
        if name == "musl":
            version = output("dpkg-query", "-W", "-f=${source:Version}", "musl-dev")
        elif release.is_file():  # of another release of Debian
            version, system = release.read_text(), "debian"
        else:
            version = output("dpkg-parsechangelog", "-l", str(changes), "-S", "Version")
        found.append(library(name, version.strip(), LICENSES[name], system))
    return found


def needed(path):
    """What a package needs, by the names of its own kind."""
    if path.suffix == ".deb":
        names = output("dpkg-deb", "-f", str(path), "Depends").split(",")
    elif path.suffix == ".rpm":
        names = [line for line in output("rpm", "-qp", "--requires", str(path)).splitlines()
                 if not line.startswith("rpmlib(")]
    else:
        return []
    return sorted({name.strip() for name in names if name.strip()})


def is_static(path):
    return "-linux-" in path.name


def artifact(path, version):
    """A file of the release is a package of its own."""
    licence = "GPL-2.0-or-later"
    if is_static(path):  # The Apache License of OpenSSL needs version 3.
        licence = "GPL-3.0-or-later"
    package = {
        "SPDXID": spdx_id(path.name),
        "name": path.name,
        "versionInfo": version,
        "packageFileName": path.name,
        "downloadLocation": HOME + "releases/" + path.name,
        "homepage": HOME,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "Copyright 2026 the bench authors",
        "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)}
                      for kind in ("sha256", "sha512")],
    }
    libraries = needed(path)
    if libraries:
        package["comment"] = "needs " + ", ".join(libraries)
    return package


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def problems_of(documents):
    """What is wrong with documents and the files beside them, as lines."""
    named = set()
    for path in documents:
        doc = json.loads(path.read_text())
        ids = [p["SPDXID"] for p in doc["packages"]] + [doc["SPDXID"]]
        if len(ids) != len(set(ids)):
            yield f"{path}: an id is not unique"
        for r in doc["relationships"]:
            for one in (r["spdxElementId"], r["relatedSpdxElement"]):
                if one not in ids:
                    yield f"{path}: there is no {one}"
        for package in doc["packages"]:
            if "packageFileName" not in package:
                continue
            file = path.with_name(package["packageFileName"])
            named.add(file)
            if not file.is_file():
                yield f"{path}: {file.name} is missing"
                continue
            sums = {c["algorithm"].lower(): c["checksumValue"] for c in package["checksums"]}
            if "sha256" not in sums:
                yield f"{path}: {file.name} has no SHA256"
            for kind, value in sums.items():
                if value != digest(file, kind):
                    yield f"{path}: {file.name} has another {kind.upper()}"
    folder = documents[0].parent
    for pattern in ("*.tar.xz", "*.deb", "*.rpm"):
        for file in sorted(set(folder.glob(pattern)) - named):
            yield f"{file} is in no document"


def check(documents):
    problems = list(problems_of(documents))
    for line in problems:
        print("sbom.py:", line, file=sys.stderr)
    return 1 if problems else 0


def main():
    if sys.argv[1] == "--check":
        sys.exit(check([pathlib.Path(p) for p in sys.argv[2:]]))
    full, libs, paths = sys.argv[1], sys.argv[2], [pathlib.Path(p) for p in sys.argv[3:]]
    version = full.split("-", 1)[1]
    source = paths[0]
    packages = [artifact(path, version) for path in paths]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id(p.name)) for p in paths]
    relations += [relation(spdx_id(p.name), "GENERATED_FROM", spdx_id(source.name))
                  for p in paths[1:]]
    linked = [p for p in paths if is_static(p)]
    if linked:
        libraries = static_libraries(libs)
        packages += libraries
        relations += [relation(spdx_id(p.name), "STATIC_LINK", one["SPDXID"])
                      for p in linked for one in libraries]
    created = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": full,
        "documentNamespace": f"{HOME}spdx/{full}-{digest(source, 'sha256')}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created),
            "creators": ["Tool: bench-sbom.py", "Organization: the bench authors"],
        },
        "packages": packages,
        "relationships": relations,
    }, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
