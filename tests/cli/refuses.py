#!/usr/bin/env python3
"""A server that refuses each login.

usage: refuses.py mysql PLACE CODE TEXT [PLUGIN]
       refuses.py pgsql PLACE CODE TEXT CERTIFICATE KEY

PLACE is as for sessions.serve_all().  With PLUGIN, the server asks for a login by
this one first.  The PostgreSQL server has TLS.
"""
import ssl
import struct
import sys

from mysql_strange import GREETING, send, take
from pgsql_pieces import message
from sessions import read, serve_all

CODE, TEXT = sys.argv[3], sys.argv[4].encode()


def mysql(session):
    number = 2
    send(session, 0, GREETING)
    take(session)
    if len(sys.argv) > 5:
        send(session, number, b"\xfe" + sys.argv[5].encode() + b"\0saltsaltsaltsaltsalt\0")
        take(session)
        number += 2
    send(session, number, b"\xff" + struct.pack("<H", int(CODE)) + b"#28000" + TEXT)


def pgsql(session):
    while True:
        size, code = struct.unpack("!ii", read(session, 8))
        read(session, size - 8)
        if code == 3 << 16:
            break
        if code == 80877103:
            session.sendall(b"S")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[5], sys.argv[6])
            session = context.wrap_socket(session, server_side=True)
        else:
            session.sendall(b"N")
    session.sendall(message(b"E", b"SFATAL\0C" + CODE.encode() + b"\0M" + TEXT + b"\0\0"))
    session.close()


serve_all(sys.argv[2], {"mysql": mysql, "pgsql": pgsql}[sys.argv[1]])
