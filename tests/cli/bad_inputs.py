#!/usr/bin/env python3
"""Feeds the program the inputs of a table, none of which it may take.

usage: bad_inputs.py [--show] PROGRAM TABLE

A row of TABLE is: kind, content, arguments, exit status, what stderr says.
The kind says what the content is: that of `t.lua` (script), `t.cnf` (config),
`t.json` (result) or standard input (stdin); a shell command that comes before
(folder); or there is none (options; mysql, pgsql and sqlite: of that driver).  `\\n` stands for a line break, `@FOLDER` for the
folder, which is empty but for `good.json`, a result, and `dir`, a folder.

Each input has its message, word for word, and its exit status; nothing is left
behind, nothing was measured (scripts may fail late), and nothing hangs.
--show prints the table with what is said instead.  Prints TAP.
"""
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 300  # a hang; a slow machine has time
FILES = {"script": "t.lua", "config": "t.cnf", "result": "t.json"}


def listing(folder):
    found = []
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            seen = os.lstat(os.path.join(path, name))
            found.append((os.path.join(path, name), seen.st_size, seen.st_mode))
    return sorted(found)


def environment():
    env = dict(os.environ, LC_ALL="C")
    for name in ("BENCH_COMPAT", "LUA_PATH", "LUA_CPATH", "BENCH_MYSQL_PASSWORD",
                 "BENCH_PGSQL_PASSWORD"):
        env.pop(name, None)
    return env


def feed(program, row, good):
    kind, content, arguments = row[0], row[1].replace("\\n", "\n"), row[2]
    env = environment()
    with tempfile.TemporaryDirectory(prefix="bad.") as folder:
        shutil.copy(good, os.path.join(folder, "good.json"))
        os.mkdir(os.path.join(folder, "dir"))
        if kind in FILES:
            with open(os.path.join(folder, FILES[kind]), "wb") as file:
                file.write(content.encode().replace(b"\\0", b"\0"))
        elif kind == "folder":
            subprocess.run(content, shell=True, cwd=folder, check=True)
        words = shlex.split(arguments.replace("@FOLDER", folder))
        while words and re.match(r"[A-Z_]+=", words[0]):
            name, value = words.pop(0).split("=", 1)
            env[name] = value
        before = listing(folder)
        try:
            done = subprocess.run([program] + words, cwd=folder, env=env,
                                  input=content.encode() if kind == "stdin" else b"",
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"hangs for {LIMIT_SECONDS} seconds", "", []
        left = [x[0] for x in set(listing(folder)) ^ set(before)]
        said = done.stderr.decode("utf-8", "replace").replace(folder, "@FOLDER")
        # Bundled scripts are somewhere, and their lines move.
        said = re.sub(r"[^ ]*/(\w+\.lua):\d+", r"\1:N", said)
        # musl has other words for some errors.
        said = re.sub(r"(: |\()I/O error\)$", r"\1Input/output error)", said, flags=re.M)
        said = re.sub(r"(: |\()Symbolic link loop(\)?)$", r"\1Too many levels of symbolic links\2",
                      said, flags=re.M)
        # A remark about the machine: emulated clocks are slow.
        said = re.sub(r"^WARNING: reading the clock takes .*\n", "", said, flags=re.M)
        # So are the folders that were searched for a test.
        said = re.sub(r"\nsearched: .*", "", said)
        # So does the list of drivers, from build to build.
        said = re.sub(r"(expected one of: )[a-z, ]*null\)", r"\1DRIVERS)", said)
        return done.returncode, said, done.stdout.decode("utf-8", "replace"), left


def wrong(row, seen):
    """What is wrong with what was seen; an empty list if nothing is."""
    status, said, printed, left = seen
    faults = []
    if status != int(row[3]):
        faults.append(f"exit status {status} instead of {row[3]}")
    if said.rstrip("\n") != row[4].replace("\\n", "\n"):
        faults.append(f"said: {said!r}")
        faults.append(f"must: {row[4]!r}")
    refused = re.search(r"^(FATAL: Invalid value|invalid option)", said, re.M)
    if refused and not re.fullmatch(r"(bench \d\S* \(using \w+ LuaJIT .*\)\n\n)?", printed):
        faults.append(f"on stdout: {printed[:300]!r}")
    if row[0] not in ("script", "stdin") and "total number of events" in printed:
        faults.append(f"it was measured: {printed!r}")
    if left:
        faults.append(f"left behind or changed: {left}")
    return faults


def read_table(path):
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 5:
                sys.exit(f"{path}: {len(fields)} columns instead of 5: {line}")
            yield fields


def main():
    show = "--show" in sys.argv
    program, path = [x for x in sys.argv[1:] if x != "--show"]
    table = list(read_table(path))
    failed = 0
    drivers = subprocess.run([program, "--db-driver=help"], check=True,
                             stdout=subprocess.PIPE).stdout.decode()
    table = [row for row in table if row[0] not in ("mysql", "pgsql", "sqlite")
             or f"  {row[0]} - " in drivers]
    with tempfile.TemporaryDirectory(prefix="bad.") as folder:
        good = os.path.join(folder, "good.json")
        subprocess.run([program, "cpu", "--events=1", f"--json={good}", "run"],
                       check=True, stdout=subprocess.DEVNULL, env=environment(),
                       stderr=subprocess.DEVNULL)
        if not show:
            print(f"1..{len(table)}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = pool.map(lambda row: feed(program, row, good), table)
            for number, (row, seen) in enumerate(zip(table, answers), 1):
                if show:
                    said = seen[1].rstrip("\n").replace("\n", "\\n")
                    print("\t".join(row[:3] + [str(seen[0]), said]))
                    continue
                faults = wrong(row, seen)
                print(f"{'not ok' if faults else 'ok'} {number} - {row[0]}: {row[2]} {row[1][:60]}")
                for fault in faults:
                    print(f"# {fault}")
                failed += bool(faults)
    sys.exit(failed > 0)


main()
