#!/usr/bin/env python3
"""A PostgreSQL server whose messages come in pieces.

usage: pgsql_pieces.py FOLDER

Serves one session after the other on a socket in FOLDER (port 5432), until its
standard input ends.  LISTEN and UNLISTEN succeed, statements are prepared and
executed and have changed a row, ENDLESS has rows without an end, MANY has 40 MB of
them, and other texts are errors.  Behind each answer
to Parse comes a notification, whose second half is sent when the client has read
the first one.
"""
import fcntl
import os
import struct
import sys
import termios
import time

from sessions import read, serve_all


def message(kind, body=b""):
    return kind + struct.pack("!i", 4 + len(body)) + body


READY = message(b"Z", b"I")
GREETING = (message(b"R", struct.pack("!i", 0)) +
            message(b"S", b"server_version\x0015.0\0") +
            message(b"S", b"client_encoding\0UTF8\0") +
            message(b"S", b"standard_conforming_strings\0on\0") +
            message(b"K", struct.pack("!ii", 1, 1)) + READY)
REFUSED = message(b"E", b"SERROR\0C42601\0Mnot understood\0\0") + READY
NOTIFICATION = message(b"A", struct.pack("!i", 1) + b"news\0" + b"x" * 7000 + b"\0")


def await_reader(session):
    """Until the client has taken everything, or is gone."""
    unread = struct.pack("i", 1)
    while struct.unpack("i", unread)[0] > 0:
        time.sleep(0.001)
        unread = fcntl.ioctl(session, termios.TIOCOUTQ, unread)


ROW = message(b"D", struct.pack("!hi", 1, 16000) + b"x" * 16000)
COLUMN = message(b"T", struct.pack("!h", 1) + b"c\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, 0))


def send_rows(session, count):
    session.sendall(COLUMN)
    while count is None or count > 0:
        session.sendall(ROW)
        count = None if count is None else count - 1
    session.sendall(message(b"C", b"SELECT 1\0") + READY)


def serve(session):
    read(session, struct.unpack("!i", read(session, 4))[0] - 4)
    session.sendall(GREETING)
    answer, pieces = b"", False
    while True:
        kind, size = struct.unpack("!ci", read(session, 5))
        body = read(session, size - 4)
        if kind == b"X":
            return
        if kind == b"Q":
            word = body.rstrip(b"\0").split()[0]
            if word in (b"ENDLESS", b"MANY"):
                send_rows(session, 2500 if word == b"MANY" else None)
                continue
            heard = word in (b"LISTEN", b"UNLISTEN")
            session.sendall(message(b"C", word + b"\0") + READY if heard else REFUSED)
        elif kind == b"P":
            answer, pieces = message(b"1"), True
        elif kind == b"B":
            answer += message(b"2")
        elif kind == b"D":
            answer += message(b"n")
        elif kind == b"E":
            answer += message(b"C", b"UPDATE 1\0")
        elif kind == b"S":
            session.sendall(answer + READY + (NOTIFICATION[:3000] if pieces else b""))
            if pieces:
                await_reader(session)
                session.sendall(NOTIFICATION[3000:])
            answer, pieces = b"", False


if __name__ == "__main__":
    serve_all(os.path.join(sys.argv[1], ".s.PGSQL.5432"), serve)
