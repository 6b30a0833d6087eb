#!/usr/bin/env python3
"""Runs each command line of a table with two programs and compares what the
database server saw of them, what was counted, and the tables that are there.

usage: same_statements.py KIND LOG COMMANDS DIFFERENCES TABLES THEIRS OURS TO

KIND is mysql or pgsql, LOG the server's log of statements, TABLES a shell
command that describes all tables, TO the options that lead to the server.
A row of COMMANDS is: name, command lines before it, command line, words about
what differs on purpose ('-' for nothing):
  lazily    OURS prepares a statement when it is first used, and none that is not
  rows      OURS fills tables in another way, in transactions: what both do
            for this is left out
  sum       how many statements hit a row is luck: write and other as a sum
Literals are masked, blanks are collapsed, names of prepared statements are
left out.  DIFFERENCES is a table as same_text.py has it, for statements.

Prints TAP.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 600  # for a hang, never for a slow machine


def rows(path, columns):
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            fields = re.split(r"\t+", line)
            if len(fields) != columns:
                sys.exit(f"{path}: {len(fields)} columns instead of {columns}: {line}")
            yield fields


def mask(text):
    text = re.sub(r"'(?:[^'\\]|\\.|'')*'", "S", text)
    text = re.sub(r"(?<![\w$])-?\d+(\.\d+)?\b", "N", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"^(INSERT .*?VALUES ?)\(.*\)$", r"\1(...)", text)


def mysql_statements(text):
    """Entries of a general log: kind and argument, which may have lines."""
    entry = re.compile(r"^(?:\d{6}\s+\d+:\d\d:\d\d|\t)\s*\d+ (\w+(?: \w+)?)\t(.*)$")
    found = []
    for line in text.split("\n"):
        match = entry.match(line)
        if match:
            found.append([match[1], match[2]])
        elif found:
            found[-1][1] += "\n" + line
    return [(kind, mask(what)) for kind, what in found
            if kind not in ("Quit", "Close stmt", "Reset stmt", "Connect")]


def pgsql_statements(text):
    found = []
    for line in text.split("\n"):
        match = re.match(r"^\d{4}-.*? LOG:  (?:statement|execute [^:]*): (.*)$", line)
        if match:
            found.append(match[1])
        elif line.startswith("\t") and found:
            found[-1] += "\n" + line[1:]
    return [("Query", mask(what)) for what in found]


def counts(text):
    """read, write, other, total, and transactions of a report."""
    names = ("read", "write", "other", "total", "transactions")
    found = [re.search(rf"^ +{name}: +(\d+)", text, re.M) for name in names]
    return [int(match[1]) for match in found if match]


class Server:
    def __init__(self, kind, log, tables, to):
        self.read = {"mysql": mysql_statements, "pgsql": pgsql_statements}[kind]
        self.log, self.tables, self.to = log, tables, to

    def run(self, program, line):
        with tempfile.TemporaryDirectory(prefix="conformance.") as folder:
            done = subprocess.run([program] + shlex.split(line.replace("@to", self.to)),
                                  cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=LIMIT_SECONDS)
        return done.stdout.decode("utf-8", "replace")

    def observe(self, program, before, command):
        for line in before.split(";") if before != "-" else []:
            self.run(program, line)
        start = os.path.getsize(self.log)
        text = self.run(program, command)
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(start)
            statements = self.read(log.read())
        described = ""
        if not command.endswith(" run"):
            described = subprocess.run(self.tables, shell=True, check=True,
                                       stdout=subprocess.PIPE).stdout.decode()
        # Numbers that are reserved for rows to come depend on how rows came.
        described = re.sub(r" AUTO_INCREMENT=\d+", "", described)
        return statements, counts(text), described, text


def reduced(statements, words, differences, side):
    lines = [what if kind in ("Query", "Execute") else f"{kind}: {what}"
             for kind, what in statements]
    if "rows" in words:
        lines = [x for x in lines if not re.match(r"INSERT|LOAD DATA|COPY|(BEGIN|COMMIT)$", x)]
    text = "".join(f"{line}\n" for line in lines)
    for row in differences:
        text = row.apply(side, text)
    lines = text.splitlines()
    if "lazily" in words:
        lines.sort(key=lambda x: (0, x) if x.startswith("Prepare: ") else (1, ""))
    return lines


class Difference:
    def __init__(self, kind, side, pattern, instead, _reason, _quirk):
        self.text = f"{side}, {kind}: {pattern}"
        self.kind, self.side, self.hits = kind, side, 0
        self.pattern = re.compile(pattern, re.M)
        self.instead = "" if instead == "-" else instead

    def apply(self, side, text):
        if side != self.side:
            return text
        text, hits = self.pattern.subn(self.instead, text)
        self.hits += hits
        return text


def compared(found, words):
    if len(found) == 5 and "sum" in words:
        found = [found[0], found[1] + found[2]] + found[3:]
    return found


def difference(one, other):
    import difflib
    return list(difflib.unified_diff(one, other, "sysbench", "bench", lineterm="", n=2))[:40]


def main():
    kind, log, commands, known, tables, theirs, ours, to = sys.argv[1:]
    server = Server(kind, log, tables, to)
    known = [row for row in (Difference(*x) for x in rows(known, 6))
             if re.fullmatch(row.kind, kind)]
    number = failed = 0

    def tell(wrong, what):
        nonlocal number, failed
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
        for text in wrong or []:
            for line in text.splitlines():
                print(f"# {line}")

    for name, before, command, words in rows(commands, 4):
        if name.startswith("mysql.") and kind != "mysql":
            continue
        words = words.split(",")
        a = server.observe(theirs, before, command)
        b = server.observe(ours, before, command)
        one = reduced(a[0], words, known, "theirs")
        other = reduced(b[0], words, known, "ours")
        if "lazily" in words:
            one = [x for x in one if not x.startswith("Prepare: ") or x in other]
        if not one:
            tell([f"nothing was seen; sysbench said: {a[3]!r}"], f"{name}: statements")
            continue
        tell(one != other and difference(one, other), f"{name}: {len(one)} statements")
        if command.endswith(" run"):
            x, y = compared(a[1], words), compared(b[1], words)
            wrong = x != y or not x
            tell(wrong and [f"sysbench {x}, bench {y}", a[3], b[3]], f"{name}: counts {x}")
        else:
            wrong = a[2] != b[2] and difference(a[2].split("\n"), b[2].split("\n"))
            tell(wrong, f"{name}: tables ({len(a[2])} bytes of description)")
    for row in known:
        tell(not row.hits and ["it is not there"], f"a difference that is still there: {row.text}")
    print(f"1..{number}")
    sys.exit(failed > 0)


main()
