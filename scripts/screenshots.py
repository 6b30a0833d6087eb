#!/usr/bin/env python3
"""screenshots.py - makes the pictures of pages in docs/, with chromium.

usage: screenshots.py [PROGRAM]    ./build/bench by default; takes two minutes
Each picture is of a run that is made here on a PostgreSQL server of its own, wide and on a phone, light and dark.
"""
import base64
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import zlib

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SRC, "tests/cli"))
from browser import Browser, find  # noqa: E402

DOCS = os.path.join(SRC, "docs")
SIZES = [  # ending of the name, width, height of the picture at most, dark
    ("", 1400, 1000, False), ("-dark", 1400, 1000, True), ("-phone", 400, 1000, False),
]
SERVERS = os.path.join(SRC, "tests/db/servers.sh")


# The pixels of a picture as numbers of 256 different colours that are frequent, in base64, and these colours.
PALETTE = """(async () => {
  const image = new Image();
  image.src = 'data:image/png;base64,%s';
  await image.decode();
  const {width, height} = image, canvas = new OffscreenCanvas(width, height).getContext('2d'), counts = new Map();
  canvas.drawImage(image, 0, 0);
  const pixels = new Uint32Array(canvas.getImageData(0, 0, width, height).data.buffer);
  for (const p of pixels) counts.set(p, (counts.get(p) || 0) + 1);
  const parts = p => [p & 255, p >> 8 & 255, p >> 16 & 255];
  const far = (a, b) => a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0), of = new Map();
  const colours = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).map(parts).reduce((list, c) =>
    list.length < 256 && list.every(o => far(o, c) > 40) ? [...list, c] : list, []);
  for (const p of counts.keys())
    of.set(p, colours.reduce((best, c, i) => far(c, parts(p)) < far(colours[best], parts(p)) ? i : best, 0));
  let text = '';
  for (const p of pixels) text += String.fromCharCode(of.get(p));
  return [width, height, colours, btoa(text)];
})()"""


def shrink(page, path):
    """Give a picture a palette: a third of the size."""
    with open(path, "rb") as f:
        width, height, colours, pixels = page.js(PALETTE % base64.b64encode(f.read()).decode())
    pixels = base64.b64decode(pixels)
    rows = b"".join(b"\0" + pixels[i:i + width] for i in range(0, width * height, width))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
             (b"PLTE", bytes(v for c in colours for v in c)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + name + data +
                struct.pack(">I", zlib.crc32(name + data)) for name, data in parts))


def picture(page, name, height):
    path = os.path.join(DOCS, name + ".png")
    page.picture(path, height)
    shrink(page, path)


def take(page, url, name, sizes):
    """Pictures of the top of a page."""
    for ending, width, height, dark in sizes:
        page.screen(width, 900, dark)
        page.open(url)
        page.until("[...document.querySelectorAll('details[open] figure')].every(f => f.querySelector('.cursor'))")
        picture(page, f"{name}{ending}", height)


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
                    picture(page, f"live{ending}", height)
                live.send_signal(signal.SIGINT)
                live.stdout.read()
                break
        subprocess.run(["bash", SERVERS, "stop", f"{folder}/pg"], check=True)


main()
