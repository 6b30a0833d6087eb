#!/usr/bin/env python3
"""Runs the command lines of a table, one after the other, in one folder.

usage: seed_commands.py PROGRAM TABLE [NAME=VALUE]...

Of a row the columns are: number, command line for a shell, options that are put
where it says @more, a pattern for what is printed.  `@NAME` in the options is the
VALUE of the arguments; `sysbench` and `bench` are PROGRAM.  It has to succeed, to
say nothing fatal, and to print what the pattern says.  A number that ends in d
needs direct I/O.  Prints TAP.
"""
import os
import re
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 600  # for a hang, never for a slow machine


def main():
    program, table = sys.argv[1:3]
    values = dict(item.split("=", 1) for item in sys.argv[3:])
    failed = 0
    rows = [line.rstrip("\n").split("\t") for line in open(table, encoding="utf-8")
            if not line.startswith("#")]
    print(f"1..{len(rows)}")
    with tempfile.TemporaryDirectory(prefix="conformance.") as folder:
        for name in ("bench", "sysbench"):
            os.symlink(program, os.path.join(folder, name))
        env = dict(os.environ, LC_ALL="C", PATH=f"{folder}:{os.environ['PATH']}")
        direct = subprocess.run(["dd", "if=/dev/zero", "of=direct", "bs=4096", "count=1",
                                 "oflag=direct"], cwd=folder,
                                stderr=subprocess.DEVNULL).returncode == 0
        for number, (name, command, more, pattern) in enumerate(rows, 1):
            if name.endswith("d") and not direct:
                print(f"ok {number} - {name} # skip no direct I/O in {folder}")
                continue
            more = re.sub(r"@(\w+)", lambda m: values[m[1]], more)
            line = command.replace("@more", "" if more == "-" else more)
            done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], cwd=folder, env=env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS)
            text = done.stdout.decode("utf-8", "replace")
            good = (done.returncode == 0 and "FATAL" not in text and
                    re.search(pattern, text, re.M))
            print(f"{'ok' if good else 'not ok'} {number} - {name}: {line}")
            if not good:
                failed += 1
                print(f"# exit status {done.returncode}, expected {pattern!r} in:")
                for said in text.splitlines()[-40:]:
                    print(f"#   {said}")
    sys.exit(failed > 0)


main()
