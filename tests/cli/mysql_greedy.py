#!/usr/bin/env python3
"""A MariaDB server without TLS that wants the password.

usage: mysql_greedy.py PLACE PLUGIN SEEN [KEY | fast]

Names PLUGIN in its greeting, reads on for ever, and appends every byte to the file
SEEN.  With KEY, it switches to PLUGIN after the greeting.  caching_sha2_password
goes on to the full authentication, but with `fast` it is content with the proof.
Whoever asks for a public key gets the file KEY; other answers end the login, and
statements are answered as by mysql_strange.py.  PLACE is as for
sessions.serve_all().
"""
import sys

from mysql_strange import GREETING, OK, send, serve_statements, take
from sessions import Seen, serve_all

PLUGIN = sys.argv[2].encode()
KEY = sys.argv[4] if len(sys.argv) > 4 else None
SHA2 = PLUGIN == b"caching_sha2_password"
ASKS = b"\2" if SHA2 else b"\1"


def serve(session):
    session = Seen(session, sys.argv[3])
    if KEY is None:
        send(session, 0, GREETING.replace(b"mysql_native_password", PLUGIN))
        while take(session):
            pass
    send(session, 0, GREETING)
    take(session)
    send(session, 2, b"\xfe" + PLUGIN + b"\0saltsaltsaltsaltsalt\0")
    reply, number = take(session), 4
    if SHA2:
        send(session, number, b"\1" + (b"\3" if KEY == "fast" else b"\4"))
        number += 1
    if SHA2 and KEY != "fast":
        reply, number = take(session), number + 1
    if reply == ASKS:
        with open(KEY, "rb") as key:
            send(session, number, b"\1" + key.read())
        take(session)
        number += 2
    send(session, number, OK)
    serve_statements(session)


serve_all(sys.argv[1], serve)
