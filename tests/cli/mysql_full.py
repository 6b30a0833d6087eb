#!/usr/bin/env python3
"""A MariaDB server that is full, and looks how many clients come at once.

usage: mysql_full.py SOCKET AT_ONCE SURE ALL

Keeps clients waiting until AT_ONCE of them are there, or no further one has
come for half a second, though SURE of them are there or all have come (ten
seconds, if not: they should have come); then it refuses the first of them: every third with
"host is blocked", the others with "too many connections".  When its standard
input ends, the file "most" says how many clients were there at once at most.
"""
import select
import socket
import struct
import sys
import threading

PATH = sys.argv[1]
AT_ONCE, SURE, ALL = map(int, sys.argv[2:])
FULL = b"\xff" + struct.pack("<H", 1040) + b"#08004Too many connections"
BLOCKED = b"\xff" + struct.pack("<H", 1129) + b"#HY000Host is blocked"


def main():
    server = socket.socket(socket.AF_UNIX)
    server.bind(PATH)
    server.listen(100)
    over = threading.Event()

    def end():
        sys.stdin.read()
        over.set()

    threading.Thread(target=end, daemon=True).start()
    print("ready", flush=True)
    waiting, most, refused = [], 0, 0
    while not over.is_set() or waiting:
        missing = len(waiting) < SURE and refused + len(waiting) < ALL
        if select.select([server], [], [], 10 if missing else 0.5)[0] and len(waiting) < AT_ONCE:
            waiting.append(server.accept()[0])
            most = max(most, len(waiting))
            if len(waiting) < AT_ONCE:
                continue
        if waiting:
            client = waiting.pop(0)
            text = BLOCKED if refused % 3 == 2 else FULL
            refused += 1
            client.sendall(struct.pack("<I", len(text))[:3] + b"\0" + text)
            client.close()
    with open("most", "w", encoding="ascii") as file:
        file.write(f"{most}\n")


main()
