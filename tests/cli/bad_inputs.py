#!/usr/bin/env python3
"""Feeds the program the inputs of a table, none of which it may take.

usage: bad_inputs.py [--show | --accept] PROGRAM TABLE

A row of TABLE is: kind, content, arguments, exit status, what stderr says.
The kind says what the content is: that of `t.lua` (script), `t.cnf` (config),
`t.json` (result) or standard input (stdin); a shell command that comes before
(folder); or values, separated by `|`, each of which takes the place of `@VALUE` in the
arguments and in what is said (options; mysql, pgsql and sqlite: of that driver).
`\\n` stands for a line break, `@FOLDER` for the folder, which is empty but for
`good.json`, a result, and `dir`, a folder.  Arguments with ` || ` between them are
several inputs with one answer.

A row `message NAME TEXT` has the words of a kind of message; `{}` stands for what
differs.  `{NAME|ONE|OTHER}` in other rows is that message with ONE and OTHER in
it, so that new words change one row.

Each input has its message, word for word, and its exit status; nothing is left
behind, nothing was measured (scripts may fail late), and nothing hangs.  Prints TAP.
--show prints each input with what is said instead; --accept writes that into the
table, for the rows where it differs: read the difference before you commit it.
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
DRIVERS = ("mysql", "pgsql", "sqlite")
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


def fill(text, messages):
    """The text with each `{NAME|...}` replaced by that message."""
    def one(found):
        name, *parts = found.group(1).split("|")
        if name not in messages:
            return found.group(0)
        if messages[name].count("{}") != len(parts):
            sys.exit(f"message {name} has other parts than {found.group(0)}")
        return re.sub(r"\{\}", lambda _: parts.pop(0), messages[name])
    while (filled := re.sub(r"\{([a-z]+(?:\|[^{}|]*)*)\}", one, text)) != text:
        text = filled
    return text


def shorten(text, messages):
    """The text with the messages that are in it as `{NAME|...}`."""
    part = r"((?:[^{}|]|\{[^{}]*\})*?)"
    for name, words in messages.items():
        pattern = part.join(map(re.escape, words.split("{}")))
        if words.endswith("{}"):
            pattern = pattern[:-len(part)] + r"([^{}|()\\]*)"
        text = re.sub(pattern, lambda m, n=name: "{" + "|".join((n,) + m.groups()) + "}", text)
    return text


def read_table(path):
    """The messages, and the rows as they are, each with its inputs."""
    messages, rows = {}, []
    for line in open(path, encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if fields[0] == "message" and len(fields) == 3:
            messages[fields[1]] = fields[2]
        elif len(fields) != 5:
            sys.exit(f"{path}: {len(fields)} columns instead of 5: {line}")
        rows.append((fields, list(inputs(fields, messages))))
    return messages, rows


def inputs(fields, messages):
    """The inputs that a row stands for: rows of their own, and their values."""
    if fields[0] == "message":
        return
    kind, content, arguments, status, said = fields
    said = fill(said, messages)
    for words in arguments.split(" || "):
        if "@VALUE" not in words:
            yield [kind, content, words, status, said], None
            continue
        for value in content.split("|"):
            yield [kind, "", words.replace("@VALUE", shlex.quote(value)), status,
                   said.replace("@VALUE", value)], value


def accepted(fields, answers, messages):
    """The row, with what was seen in place of what was expected."""
    seen = set()
    for (_, value), (status, said, _, _) in answers:
        said = said.rstrip("\n").replace("\n", "\\n")
        if value is not None:
            said = said.replace(f"'{value}'", "'@VALUE'")
        seen.add((str(status), shorten(said, messages)))
    if len(seen) != 1:
        print("answers differ, so the row stays: " + "\t".join(fields[:3]), file=sys.stderr)
        return fields
    return fields[:3] + list(*seen)


def main():
    modes = {"--show", "--accept"} & set(sys.argv)
    program, path = [x for x in sys.argv[1:] if x not in modes]
    messages, rows = read_table(path)
    drivers = subprocess.run([program, "--db-driver=help"], check=True,
                             stdout=subprocess.PIPE).stdout.decode()
    table = [x for fields, of in rows for x in of
             if fields[0] not in DRIVERS or f"  {fields[0]} - " in drivers]
    with tempfile.TemporaryDirectory(prefix="bad.") as folder:
        good = os.path.join(folder, "good.json")
        subprocess.run([program, "cpu", "--events=1", f"--json={good}", "run"],
                       check=True, stdout=subprocess.DEVNULL, env=environment(),
                       stderr=subprocess.DEVNULL)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(zip(table, pool.map(lambda x: feed(program, x[0], good), table)))
    if "--show" in modes:
        for (row, _), seen in answers:
            said = seen[1].rstrip("\n").replace("\n", "\\n")
            print("\t".join(row[:3] + [str(seen[0]), said]))
    elif "--accept" in modes:
        with open(path, "w", encoding="utf-8") as file:
            for fields, of in rows:
                of = [x for x in answers if any(x[0] is y for y in of)]
                if any(wrong(row, seen) for (row, _), seen in of):
                    fields = accepted(fields, of, messages)
                print("\t".join(fields), file=file)
    else:
        sys.exit(judge(answers))


def judge(answers):
    """Prints TAP; True if an input is not answered as it should be."""
    failed = False
    print(f"1..{len(answers)}")
    for number, ((row, _), seen) in enumerate(answers, 1):
        faults = wrong(row, seen)
        print(f"{'not ok' if faults else 'ok'} {number} - {row[0]}: {row[2]} {row[1][:60]}")
        for fault in faults:
            print(f"# {fault}")
        failed |= bool(faults)
    return failed


main()
