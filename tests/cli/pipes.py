#!/usr/bin/env python3
"""A server that is told several statements at a time.

usage: pipes.py FOLDER mysql|pgsql

Serves sessions beside each other, on FOLDER/server or FOLDER/.s.PGSQL.5432,
until its standard input ends.  It reads one statement after the other, as servers
do, and nothing while it writes.  By a word in a statement, the answer is

  drip   a row, byte by byte
  long   a row of 300 kB
  bad    an error
  gone   the end of the session
  done   a row was changed

and otherwise a row with the length of the statement.  Nothing can be prepared by
the protocol of MySQL; statements of PostgreSQL that are prepared have no
parameters.
"""
import os
import select
import socket
import struct
import sys
import threading

import mysql_strange as my
from pgsql_pieces import GREETING, READY, message
from sessions import read

LONG = 300000


def drip(session, data):
    for i in range(len(data)):
        session.sendall(data[i:i + 1])


def value_of(text):
    return b"x" * LONG if b"long" in text else str(len(text)).encode()


# ---- MySQL ----

def length(n):
    return bytes([n]) if n < 251 else b"\xfd" + n.to_bytes(3, "little")


def answer_mysql(session, text):
    if b"gone" in text:
        raise EOFError
    if b"bad" in text:
        my.send(session, 1, b"\xff" + struct.pack("<H", 1064) + b"#42000bad words")
    elif b"done" in text:
        my.send(session, 1, b"\0\1\0\2\0\0\0")
    elif text[:4].upper() in (b"SELE", b"SHOW"):
        value = value_of(text)
        data = my.numbered(1, b"\1", my.COLUMN, my.END, length(len(value)) + value, my.END)
        if b"drip" in text:
            drip(session, data)
        else:
            session.sendall(data)
    else:
        my.send(session, 1, my.OK)


def serve_mysql(session):
    my.send(session, 0, my.GREETING)
    my.take(session)
    my.send(session, 2, my.OK)
    while True:
        packet = my.take(session)
        if packet[0] == 1:
            return
        if packet[0] == 22:
            my.send(session, 1, my.REFUSED)
        else:
            answer_mysql(session, packet[1:])


# ---- PostgreSQL ----

ERROR = message(b"E", b"SERROR\0C42601\0Mbad words\0\0")


class Session:
    """Keeps answers back until a Sync or a Flush, unless there are many."""

    def __init__(self, session):
        self.session, self.kept, self.texts, self.text = session, b"", {}, b""
        self.failed = False

    def say(self, data, dripping=False):
        self.kept += data
        if len(self.kept) > 8192:
            self.flush()
        elif dripping:
            self.flush(drip)

    def flush(self, how=socket.socket.sendall):
        how(self.session, self.kept)
        self.kept = b""

    def execute(self, text):
        if b"gone" in text:
            raise EOFError
        if b"bad" in text:
            self.failed = True
            self.say(ERROR)
        elif b"done" in text or text[:4].upper() not in (b"SELE", b"SHOW"):
            self.say(message(b"C", b"UPDATE 1\0"))
        else:
            value = value_of(text)
            self.say(message(b"D", struct.pack("!hi", 1, len(value)) + value) +
                     message(b"C", b"SELECT 1\0"), b"drip" in text)

    def describe(self):
        rows = self.text[:4].upper() in (b"SELE", b"SHOW") and b"done" not in self.text
        self.say(message(b"T", struct.pack("!h", 1) + b"c\0" +
                         struct.pack("!ihihih", 0, 0, 25, -1, -1, 0)) if rows else message(b"n"))

    def hear(self, kind, body):
        if kind == b"S":
            self.failed = False
            self.say(READY)
            self.flush()
        elif self.failed:
            return
        elif kind == b"P":
            name, text = body.split(b"\0")[:2]
            self.texts[name] = text
            self.say(message(b"1"))
        elif kind == b"B":
            self.text = self.texts[body.split(b"\0")[1]]
            self.say(message(b"2"))
        elif kind == b"D":
            self.describe()
        elif kind == b"E":
            self.execute(self.text)
        elif kind == b"H":
            self.flush()
        elif kind == b"Q":
            self.text = body.rstrip(b"\0")
            self.describe()
            self.execute(self.text)
            self.failed = False
            self.say(READY)
            self.flush()


def serve_pgsql(session):
    read(session, struct.unpack("!i", read(session, 4))[0] - 4)
    session.sendall(GREETING)
    server = Session(session)
    while True:
        kind, size = struct.unpack("!ci", read(session, 5))
        body = read(session, size - 4)
        if kind == b"X":
            return
        server.hear(kind, body)


def serve(session, how):
    with session:
        try:
            how(session)
        except (EOFError, OSError):
            pass


def main():
    folder, kind = sys.argv[1:]
    name, how = {"mysql": ("server", serve_mysql), "pgsql": (".s.PGSQL.5432", serve_pgsql)}[kind]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.join(folder, name))
        listener.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            session, _ = listener.accept()
            threading.Thread(target=serve, args=(session, how), daemon=True).start()


main()
