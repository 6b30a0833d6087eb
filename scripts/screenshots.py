#!/usr/bin/env python3
"""screenshots.py - makes the pictures of pages in docs/, with chromium.

usage: screenshots.py [PROGRAM]    ./build/bench by default; takes a minute
Each picture is of a run that is made here, wide and on a phone, light and dark.
"""
import json
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
    ("", 1400, 1000, False), ("-dark", 1400, 1000, True),
    ("-phone", 400, 1000, False), ("-phone-dark", 400, 1000, True),
]


def take(page, url, name, sizes, heading):
    """Pictures that begin with a heading: with the charts."""
    for ending, width, height, dark in sizes:
        page.screen(width, 900, dark)
        page.open(url)
        top = page.js("""[...document.querySelectorAll('h2')].find(h => h.textContent === %s)
          .getBoundingClientRect().top + scrollY - 16""" % json.dumps(heading))
        page.picture(os.path.join(DOCS, f"{name}{ending}.png"), height, top)


def main():
    bench = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/bench")
    if not find():
        sys.exit("screenshots.py: chromium is not installed (scripts/deps.sh browser)")
    with tempfile.TemporaryDirectory() as folder, Browser() as page:
        os.chdir(folder)
        sql = ["oltp_read_write", "--db-driver=sqlite", "--sqlite-db=t.db", "--tables=1",
               "--table-size=10000"]

        def run(*words):
            subprocess.run([bench, *words], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

        run(*sql, "prepare")
        run(*sql, "--threads=2", "--time=30", "--json=r.json", "run")
        run("report", "r.json", "-o", "r.html")
        take(page, f"file://{folder}/r.html", "report", SIZES, "Over time")

        run("memory", "--sweep=threads:1,2,3,4,6,8", "--time=2", "--json=s.json", "run")
        run("report", "s.json", "-o", "s.html")
        take(page, f"file://{folder}/s.html", "sweep", SIZES[:1], "Sweep")

        for _ in range(20):
            port = random.randrange(20000, 32000)
            with subprocess.Popen([bench, *sql, "--time=600", f"--live={port}", "run"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as live:
                if not any(b"Threads started" in line for line in live.stdout):
                    continue # the port is taken
                page.open(f"http://127.0.0.1:{port}/")
                page.until("document.querySelector('path.line').getAttribute('d').split('L').length > 15")
                for ending, width, height, dark in SIZES:
                    page.screen(width, 900, dark)
                    page.picture(os.path.join(DOCS, f"live{ending}.png"), height)
                live.send_signal(signal.SIGINT)
                live.stdout.read()
                break


main()
