#!/usr/bin/env python3
"""A MariaDB server that wants to harm its clients.

usage: mysql_hostile.py SOCKET KIND

Serves sessions beside each other, until its standard input ends.  KIND is

  drip     the greeting comes byte by byte, and never ends in time
  switches asks for another plug-in of authentication, again and again
  flood    the same without waiting for answers
  stuck    the first session logs in, and a statement with the word "sleep" is
           not answered; the others get `switches`, so nothing can be cancelled
  twice    statements with the word "twice" have two answers
  skips    statements with the word "skip" have packets that are not numbered
           one after the other
  colour   statements with the word "bad" fail with a text that has control
           characters
  silent   lets everybody in, and answers no statement
"""
import select
import socket
import struct
import sys
import threading

from mysql_strange import COLUMN, END, GREETING, OK, REFUSED, numbered, send, take

SWITCH = b"\xfemysql_native_password\0" + b"saltsaltsaltsaltsalt\0"
ROW = [b"\1", COLUMN, END, b"\x011", END]
COLOUR = (b"\xff" + struct.pack("<H", 1064) + b"#42000"
          b"red \x1b[31m tab\t bell\x07 c1 \xc2\x9b2J bidi \xe2\x80\xae end\r\nFATAL: forged")
ended = threading.Event()
first = threading.Lock()


def drip(session):
    for byte in numbered(0, GREETING * 100):
        session.sendall(bytes([byte]))
        if ended.wait(0.05):
            return


def switches(session):
    send(session, 0, GREETING)
    number = take(session) and 2
    while True:
        send(session, number, SWITCH)
        take(session)
        number = number + 2 & 255


def flood(session):
    def read_all():
        try:
            while session.recv(65536):
                pass
        except OSError:
            pass

    send(session, 0, GREETING)
    take(session)
    threading.Thread(target=read_all, daemon=True).start()
    many = b"".join(numbered(n, SWITCH) for n in [*range(2, 256, 2), 0]) * 100
    while True:
        session.sendall(many)


def log_in(session):
    send(session, 0, GREETING)
    take(session)
    send(session, 2, OK)


def stuck(session):
    if not first.acquire(blocking=False):
        switches(session)
    statements(session)


def answer(session, text):
    rows = text.lstrip()[:4].upper() in (b"SELE", b"SHOW")
    if b"bad" in text:
        send(session, 1, COLOUR)
    elif b"sleep" in text:
        ended.wait()
    elif b"twice" in text:
        session.sendall((numbered(1, *ROW) if rows else numbered(1, OK)) * 2)
    elif b"skip" in text and rows:
        session.sendall(numbered(1, *ROW[:3]) + numbered(5, *ROW[3:]))
    elif b"skip" in text:
        send(session, 2, OK)
    else:
        send(session, 1, *(ROW if rows else [OK]))


def statements(session):
    log_in(session)
    while True:
        packet = take(session)
        if packet[0] == 1:
            return
        if packet[0] == 22:
            send(session, 1, REFUSED)
        else:
            answer(session, packet[1:])


def silent(session):
    log_in(session)
    while take(session)[0] != 1:
        pass


KINDS = {"drip": drip, "silent": silent, "switches": switches, "flood": flood, "stuck": stuck}


def serve(session, kind):
    with session:
        try:
            KINDS.get(kind, statements)(session)
        except (EOFError, OSError):
            pass


def main():
    path, kind = sys.argv[1:]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                ended.set()
                return
            session, _ = listener.accept()
            threading.Thread(target=serve, args=(session, kind), daemon=True).start()


main()
