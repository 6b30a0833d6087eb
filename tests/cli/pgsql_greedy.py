#!/usr/bin/env python3
"""A PostgreSQL server without TLS that wants the password, or has none.

usage: pgsql_greedy.py PLACE KIND SEEN

Appends every byte that it receives to the file SEEN.  PLACE is as for
sessions.serve_all().  KIND is

  plain   asks for the password in plain text
  ahead   the same, before the client has begun its login
  pieces  the same, byte by byte
  early   begins SCRAM, and is content with the client's first message
  late    the same with the second one, and proves nothing
"""
import struct
import sys

from pgsql_pieces import GREETING, message
from pgsql_hostile import answer_statements, packet
from sessions import Seen, read, serve_all

PLAIN = message(b"R", struct.pack("!i", 3))
SASL = message(b"R", struct.pack("!i", 10) + b"SCRAM-SHA-256\0\0")
NO_TLS = b"N"


def begin(session, answer):
    """The client's first message; a request for encryption gets an answer."""
    while True:
        size, code = struct.unpack("!ii", read(session, 8))
        read(session, size - 8)
        if code == 3 << 16:
            return
        session.sendall(answer)


def continued(session, step):
    nonce = packet(session)[1].split(b",r=")[1]
    if step == "late":
        session.sendall(message(b"R", struct.pack("!i", 11) + b"r=" + nonce +
                                b"server,s=c2FsdHNhbHQ=,i=4096"))
        packet(session)


def serve(session):
    session, kind = Seen(session, sys.argv[3]), sys.argv[2]
    begin(session, NO_TLS + PLAIN if kind == "ahead" else NO_TLS)
    if kind in ("early", "late"):
        session.sendall(SASL)
        continued(session, kind)
    elif kind == "pieces":
        for byte in PLAIN:
            session.sendall(bytes([byte]))
        packet(session)
    else:
        if kind == "plain":
            session.sendall(PLAIN)
        packet(session)
    session.sendall(GREETING)
    answer_statements(session)


serve_all(sys.argv[1], serve)
