#!/usr/bin/env python3
"""What people type, and what they are told.

usage: mistakes.py PROGRAM TABLE

A row of TABLE is: standard input (empty or terminal), arguments, what an
earlier version printed (for the reader), what stderr says now, exit status.
`\\n` stands for a line break.  Prints TAP.
"""
import concurrent.futures
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 300  # a hang; a slow machine has time


def answer(program, row):
    env = dict(os.environ, LC_ALL="C")
    for name in ("BENCH_COMPAT", "LUA_PATH", "LUA_CPATH"):
        env.pop(name, None)
    ends = pty.openpty() if row[0] == "terminal" else (None, subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="mistakes.") as folder:
        try:
            done = subprocess.run([program] + shlex.split(row[1]), cwd=folder, env=env,
                                  stdin=ends[1], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"hangs for {LIMIT_SECONDS} seconds"
        finally:
            for end in ends if ends[0] is not None else ():
                os.close(end)
    # How busy the machine is, is not the question.
    said = re.sub(r"^WARNING: .*\n?", "", done.stderr.decode(), flags=re.M)
    said = re.sub(r"\nsearched: .*", "", said)  # folders of this machine
    return done.returncode, said.rstrip("\n")


def main():
    program, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")
            if line.strip() and not line.startswith("#")]
    failed = 0
    print(f"1..{len(rows)}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda row: answer(program, row), rows)
        for number, (row, seen) in enumerate(zip(rows, answers), 1):
            if len(row) != 5:
                sys.exit(f"{path}: {len(row)} columns instead of 5: {row}")
            good = seen == (int(row[4]), row[3].replace("\\n", "\n"))
            print(f"{'ok' if good else 'not ok'} {number} - {row[1]}")
            if not good:
                print(f"# status {seen[0]}, said: {seen[1]!r}\n# must: {row[4]}, {row[3]!r}")
                failed += 1
    sys.exit(failed > 0)


main()
