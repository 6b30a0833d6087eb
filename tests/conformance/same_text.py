#!/usr/bin/env python3
"""Runs each command line of a table with two programs and compares texts.

usage: same_text.py [--keep=FOLDER] COMMANDS DIFFERENCES THEIRS OURS [NAME=VALUE]...

A row of COMMANDS is: name, command lines before it (separated by ';', '-' for
none), command line.  Both programs run it in a folder of their own; what they
print (both streams) and their exit status have to be equal once numbers are
masked.  `@NAME` in a command line stands for the VALUE of the arguments.

Of options in help texts, what is compared is name, form and default; OURS may
have more of them.  Lines of intervals that come again count once.

A row of DIFFERENCES is a deliberate difference: a pattern for names of
commands; `theirs` or `ours`, whose text is changed before it is compared; a
pattern; what takes its place ('-' for nothing); the reason; the row of QUIRKS.md
that tells of it, or 'words' where only the wording differs, or 'more' for what
only OURS has.  A row that changes nothing is a failure, too: it is stale, unless
it is of the kind 'machine': it depends on the machine then.

Prints TAP.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 600  # for a hang, never for a slow machine

NUMBER = re.compile(r"( *)(-?\d+(?:\.(\d+))?)( *)")


def rows(path, columns):
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        fields = re.split(r"\t+", line)
        if len(fields) != columns:
            sys.exit(f"{path}: {len(fields)} columns instead of {columns}: {line}")
        yield fields


def run(program, command, folder):
    env = dict(os.environ, LC_ALL="C")
    for name in ("BENCH_COMPAT", "LUA_PATH", "LUA_CPATH"):
        env.pop(name, None)
    done = subprocess.run([program] + shlex.split(command), cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=env,
                          timeout=LIMIT_SECONDS)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def observe(program, before, command):
    """What the command prints and returns, and which files it leaves."""
    with tempfile.TemporaryDirectory(prefix="conformance.") as folder:
        for line in before:
            run(program, line, folder)
        status, text = run(program, command, folder)
        files = []
        for name in sorted(os.listdir(folder)):
            seen = os.stat(os.path.join(folder, name))
            files.append(f"{name} {seen.st_size} {seen.st_mode & 0o777:o}")
    return f"{text}\nexit status: {status}\nfiles: {', '.join(files)}"


def collapse(text):
    """Each kind of lines of intervals, as often as it comes, counts once."""
    lines, met = [], set()
    for line in text.split("\n"):
        if line.startswith("[ ") and not line.endswith("report:"):
            key = NUMBER.sub("N", line)
            if key in met:
                continue
            met.add(key)
        else:
            met = set()
        lines.append(line)
    return lines


def options_only(theirs, ours):
    """Both texts with their option lines reduced to what has to agree."""
    names = set(re.findall(r"^  (--[\w-]+)", theirs, re.M))
    if not names:
        return theirs, ours

    def reduced(text):
        for line in text.split("\n"):
            found = re.match(r"  (--[\w-]+)(\S*)( .*)?$", line)
            if found is None:
                yield line
            elif found[1] in names:
                default = re.search(r" (\[[^][]*\])$", line)
                yield f"  {found[1]}{found[2]} {default[1] if default else ''}"

    return "\n".join(reduced(theirs)), "\n".join(reduced(ours))


def tokens(line):
    """Words, and for each number its blanks, digits and decimals."""
    found, at = [], 0
    for match in NUMBER.finditer(line):
        found.append(line[at:match.start()])
        left, number, decimals, right = match.groups()
        found.append((len(left), len(number), len(decimals or ""), len(right)))
        at = match.end()
    found.append(line[at:])
    return found


def same_line(one, other):
    """Equal but for numbers; those start or end in the same column."""
    a, b = tokens(one), tokens(other)
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if isinstance(x, str) or isinstance(y, str):
            if x != y:
                return False
            continue
        (l1, n1, d1, r1), (l2, n2, d2, r2) = x, y
        # A number too wide for its column pushes what follows to the right.
        if d1 != d2:
            return False
        if l1 != l2 and l1 + n1 != l2 + n2 and (l1 if n1 > n2 else l2) > 1:
            return False
        if r1 != r2 and n1 + r1 != n2 + r2 and (r1 if n1 > n2 else r2) > 1:
            return False
    return True


def same(theirs, ours):
    a, b = collapse(theirs), collapse(ours)
    if len(a) == len(b) and all(map(same_line, a, b)):
        return None
    import difflib
    shown = difflib.unified_diff([NUMBER.sub(" N", x) for x in a],
                                 [NUMBER.sub(" N", x) for x in b],
                                 "sysbench", "bench", lineterm="", n=1)
    return list(shown) or [f"columns differ:\n{x}\n{y}"
                           for x, y in zip(a, b) if not same_line(x, y)]


class Difference:
    """A row of the table of deliberate differences."""

    def __init__(self, where, side, pattern, instead, _reason, quirk):
        self.machine = quirk == "machine"
        self.text = f"{side}, {where}: {pattern}"
        self.where = re.compile(where)
        self.side = ("theirs", "ours").index(side)
        self.pattern = re.compile(pattern, re.M)
        self.instead = "" if instead == "-" else instead.replace("\\n", "\n")
        self.met = self.hits = 0

    def __str__(self):
        return self.text

    def apply(self, name, texts):
        texts = list(texts)
        if self.where.fullmatch(name):
            self.met += 1
            texts[self.side], hits = self.pattern.subn(self.instead, texts[self.side])
            self.hits += hits
        return texts


def main():
    arguments = sys.argv[1:]
    commands, differences, theirs, ours = arguments[:4]
    values = dict(item.split("=", 1) for item in arguments[4:])
    known = [Difference(*fields) for fields in rows(differences, 6)]
    def fill(text):
        return re.sub(r"@(\w+)", lambda m: values[m[1]], text)

    def needs(text):
        return [name for name in re.findall(r"@(\w+)", text) if name not in values]

    table = [row for row in rows(commands, 3) if not needs(row[1] + row[2])]

    def both(row):
        _, before, command = row
        lines = [] if before == "-" else [fill(x) for x in before.split(";")]
        return (observe(theirs, lines, fill(command)),
                observe(ours, lines, fill(command)))

    failed = 0
    print(f"1..{len(table) + len(known)}")
    # Servers hold the tables of one program at a time: one command line after
    # the other there, several at once elsewhere.
    alone = any("@" in row[2] for row in table)
    with concurrent.futures.ThreadPoolExecutor(1 if alone else 4) as pool:
        for number, (row, seen) in enumerate(zip(table, pool.map(both, table)), 1):
            for difference in known:
                seen = difference.apply(row[0], seen)
            wrong = same(*options_only(*seen))
            print(f"{'not ok' if wrong else 'ok'} {number} - {row[0]}: {row[2]}")
            for line in wrong or []:
                print(f"# {line}")
            failed += bool(wrong)
    for number, row in enumerate(known, len(table) + 1):
        stale = row.met and not row.hits and not row.machine
        print(f"{'not ok' if stale else 'ok'} {number} - a difference that is still there: {row}")
        failed += stale
    sys.exit(failed > 0)


main()
