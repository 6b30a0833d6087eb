#!/usr/bin/env python3
"""A MariaDB and a PostgreSQL server that fall silent.

usage: silent.py FOLDER PATTERN

They listen on the sockets `mysql` and `.s.PGSQL.5432` in FOLDER, serve sessions
beside each other, and let everybody in.  Statements are answered with a row or
with success, until one of a session has the regular expression PATTERN: from then
on the session gets no answer.  Nothing can be prepared: MariaDB refuses it, and
PostgreSQL says nothing.  With the PATTERN "login N" they fall silent after N
messages of the login.  They end with their standard input.
"""
import os
import re
import socket
import struct
import sys
import threading

from mysql_strange import COLUMN, END, GREETING, OK, REFUSED, send, take
from pgsql_hostile import DONE, ROW, begin, packet
from pgsql_pieces import GREETING as WELCOME, message

FOLDER, PATTERN = sys.argv[1], re.compile(sys.argv[2].encode(), re.IGNORECASE | re.DOTALL)
LOGIN = int(sys.argv[2][6:]) if sys.argv[2].startswith("login ") else None
COPY = message(b"G", struct.pack("!bh", 0, 0))


def be_silent(session):
    while session.recv(65536):
        pass


def pgsql_login(session):
    begin(session)
    if LOGIN >= 1:
        session.sendall(message(b"R", struct.pack("!i", 10) + b"SCRAM-SHA-256\0\0"))
        first = packet(session)[1]
    if LOGIN >= 2:
        nonce = first.split(b"r=")[1] + b"more"
        session.sendall(message(b"R", struct.pack("!i", 11) + b"r=" + nonce + b",s=c2FsdA==,i=4096"))
    be_silent(session)


def mysql_login(session):
    if LOGIN >= 1:
        send(session, 0, GREETING)
        take(session)
    if LOGIN >= 2:
        send(session, 2, b"\xfemysql_native_password\0" + b"s" * 20 + b"\0")
    be_silent(session)


def is_question(text):
    return text.lstrip()[:4].upper() in (b"SELE", b"SHOW")


def pgsql(session):
    if LOGIN is not None:
        pgsql_login(session)
    begin(session)
    session.sendall(WELCOME)
    while True:
        kind, body = packet(session)
        if kind == b"P" or PATTERN.search(body):
            be_silent(session)
        elif kind == b"X":
            return
        elif kind == b"Q" and body.lstrip()[:4].upper() == b"COPY":
            session.sendall(COPY)
        elif kind in (b"Q", b"c"):
            session.sendall(ROW if is_question(body) else DONE)


def mysql(session):
    if LOGIN is not None:
        mysql_login(session)
    send(session, 0, GREETING)
    take(session)
    send(session, 2, OK)
    while True:
        body = take(session)
        if PATTERN.search(body[1:]):
            be_silent(session)
        elif body[0] == 1:
            return
        elif body[0] == 22:
            send(session, 1, REFUSED)
        elif is_question(body[1:]):
            send(session, 1, b"\1", COLUMN, END, b"\x011", END)
        else:
            send(session, 1, OK)


def serve(session, kind):
    with session:
        try:
            kind(session)
        except (EOFError, OSError, struct.error):
            pass


def listen(name, kind):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(FOLDER, name))
    listener.listen(100)

    def accept():
        while True:
            session, _ = listener.accept()
            threading.Thread(target=serve, args=(session, kind), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


listen("mysql", mysql)
listen(".s.PGSQL.5432", pgsql)
print("ready", flush=True)
sys.stdin.read()
