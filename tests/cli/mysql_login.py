#!/usr/bin/env python3
"""A MariaDB server that asks for the password by another plug-in.

usage: mysql_login.py SOCKET PLUGIN SEEN [CERTIFICATE KEY]

Has TLS if there is a certificate, switches each login to PLUGIN (mysql_clear_password or dialog), and
appends the answer to the file SEEN.  The rest is as in mysql_strange.py.  Serves
until its standard input ends.
"""
import ssl
import struct
import sys

from mysql_strange import GREETING, OK, TLS_FLAG, send, serve_statements, take, with_tls
from sessions import serve_all

QUESTION = b"\x05Password: " if sys.argv[2] == "dialog" else b""


def serve(session):
    first = 2
    send(session, 0, with_tls(GREETING) if len(sys.argv) > 4 else GREETING)
    request = take(session)
    if len(sys.argv) > 4 and struct.unpack("<H", request[:2])[0] & TLS_FLAG:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[4], sys.argv[5])
        session = context.wrap_socket(session, server_side=True)
        take(session)
        first = 3
    send(session, first, b"\xfe" + sys.argv[2].encode() + b"\0" + QUESTION)
    answer = take(session)
    with open(sys.argv[3], "ab") as seen:
        seen.write(answer + b"\n")
    send(session, first + 2, OK)
    serve_statements(session)


serve_all(sys.argv[1], serve)
