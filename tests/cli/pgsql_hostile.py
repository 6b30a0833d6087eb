#!/usr/bin/env python3
"""A PostgreSQL server that wants to harm its clients.

usage: pgsql_hostile.py FOLDER KIND

Serves one session after the other on a socket in FOLDER (port 5432), until its
standard input ends.  KIND is

  drip     the login comes byte by byte, and never ends in time
  hashes   asks for two thousand million hashes of the password
  pieces   the same, in two pieces
  answers  statements with the word "twice" have two answers, the second one
           later; those with the word "bad" fail with a text that has control
           characters; the file FOLDER/updates tells how many UPDATEs have been
           answered in full; the names of prepared statements are taken
  silent   lets everybody in, and answers no statement
"""
import os
import struct
import sys

from pgsql_pieces import GREETING, READY, await_reader, message
from sessions import read, serve_all

ROW = (message(b"T", struct.pack("!h", 1) + b"c\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, 0)) +
       message(b"D", struct.pack("!hi", 1, 1) + b"1") + message(b"C", b"SELECT 1\0") + READY)
DONE = message(b"C", b"UPDATE 1\0") + READY
TAKEN = message(b"E", b"SERROR\0C42P05\0Mprepared statement already exists\0\0")
COLOUR = (message(b"E", b"SERROR\0C42601\0Mred \x1b[31m tab\t c1 \xc2\x9b2J bidi \xe2\x80\xae "
                        b"end\r\nFATAL: forged\0\0") + READY)


def begin(session):
    read(session, struct.unpack("!i", read(session, 4))[0] - 4)


def packet(session):
    kind, size = struct.unpack("!ci", read(session, 5))
    return kind, read(session, size - 4)


def drip(session):
    begin(session)
    for byte in message(b"R", struct.pack("!i", 10) + b"SCRAM-SHA-256\0" * 100 + b"\0"):
        session.sendall(bytes([byte]))
        session.settimeout(0.05)
        try:
            if not session.recv(1):
                return
        except TimeoutError:
            pass


def hashes(session, pieces=False):
    begin(session)
    session.sendall(message(b"R", struct.pack("!i", 10) + b"SCRAM-SHA-256\0\0"))
    nonce = packet(session)[1].split(b",r=")[1]
    bytes_ = message(b"R", struct.pack("!i", 11) + b"r=" + nonce +
                     b"server,s=c2FsdHNhbHQ=,i=2000000000")
    if pieces:
        session.sendall(bytes_[:12])
        await_reader(session)
        bytes_ = bytes_[12:]
    session.sendall(bytes_)
    read(session, 1)


def answers(session):
    begin(session)
    session.sendall(GREETING)
    answer_statements(session)


def answer_statements(session):
    updates = 0
    while True:
        kind, body = packet(session)
        if kind == b"X":
            return
        if kind == b"P":
            session.sendall(TAKEN)
        if kind == b"S":
            session.sendall(READY)
        if kind != b"Q":
            continue
        answer = ROW if body.lstrip()[:4].upper() in (b"SELE", b"SHOW") else DONE
        session.sendall(COLOUR if b"bad" in body else answer)
        if b"twice" in body:
            await_reader(session)
            session.sendall(answer)
        if body.startswith(b"UPDATE"):
            updates += 1
            with open(os.path.join(sys.argv[1], "updates"), "w") as told:
                print(updates, file=told)


def silent(session):
    begin(session)
    session.sendall(GREETING)
    while packet(session)[0] != b"X":
        pass


if __name__ == "__main__":
    KINDS = {"drip": drip, "silent": silent, "hashes": hashes, "pieces": lambda s: hashes(s, True),
             "answers": answers}
    serve_all(os.path.join(sys.argv[1], ".s.PGSQL.5432"), KINDS[sys.argv[2]])
