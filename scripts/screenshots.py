#!/usr/bin/env python3
"""screenshots.py - makes the pictures of pages in docs/, with chromium.

usage: screenshots.py [PROGRAM]    ./build/bench by default; takes two minutes
Each picture is of a run that is made here on a PostgreSQL server of its own, wide and on a phone, light and dark.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SRC, "tests/cli"))
from browser import Browser, find  # noqa: E402

DOCS = os.path.join(SRC, "docs")
SIZES = [  # ending of the name, width, height of the picture at most, dark
    ("", 1400, 1000, False), ("-dark", 1400, 1000, True), ("-phone", 400, 1000, False),
]
SERVERS = os.path.join(SRC, "tests/db/servers.sh")


def take(page, url, name, sizes):
    """Pictures of the top of a page."""
    for ending, width, height, dark in sizes:
        page.screen(width, 900, dark)
        page.open(url)
        page.until("[...document.querySelectorAll('details[open] figure')].every(f => f.querySelector('.cursor'))")
        page.picture(os.path.join(DOCS, f"{name}{ending}.png"), height)


def server(folder):
    """Options for a PostgreSQL server of its own, which ends with this program."""
    owner = f"--owner={os.getpid()}"
    subprocess.run(["bash", SERVERS, owner, "start", "pgsql", f"{folder}/pg"], check=True)
    env = subprocess.run(["bash", SERVERS, owner, "env", f"{folder}/pg"], check=True, capture_output=True, text=True).stdout
    at = dict(line.split("=", 1) for line in env.splitlines())
    return ["--db-driver=pgsql", f"--pgsql-host={at['PG_SOCKET_DIR']}", f"--pgsql-port={at['PG_PORT']}",
            "--pgsql-user=sbtest", "--pgsql-db=sbtest"]


def main():
    bench = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/bench")
    if not find():
        sys.exit("screenshots.py: chromium is not installed (scripts/deps.sh browser)")
    with tempfile.TemporaryDirectory() as folder, Browser() as page:
        os.chdir(folder)
        options = [*server(folder), "--tables=2", "--table-size=20000"]
        sql = ["oltp_read_write", *options]

        def run(*words):
            subprocess.run([bench, *words], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

        run(*sql, "prepare")
        run(*sql, "--threads=4", "--time=30", "--report-interval=1", "--server-stats=on", "--json=r.json", "run")
        run("report", "r.json", "-o", "r.html")
        take(page, f"file://{folder}/r.html", "report", SIZES)

        run("oltp_read_only", *options, "--sweep=threads:1..64*2", "--time=3", "--json=s.json", "run")
        run("report", "s.json", "-o", "s.html")
        take(page, f"file://{folder}/s.html", "sweep", SIZES[:1])

        for _ in range(20):
            port = random.randrange(20000, 32000)
            with subprocess.Popen([bench, *sql, "--threads=4", "--time=600", f"--live={port}", "run"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as live:
                if not any(b"Threads started" in line for line in live.stdout):
                    continue # the port is taken
                page.open(f"http://127.0.0.1:{port}/")
                page.until("document.querySelector('figure g path.line').getAttribute('d').split('L').length > 15")
                for ending, width, height, dark in SIZES:
                    page.screen(width, 900, dark)
                    page.picture(os.path.join(DOCS, f"live{ending}.png"), height)
                live.send_signal(signal.SIGINT)
                live.stdout.read()
                break


main()
