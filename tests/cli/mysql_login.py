#!/usr/bin/env python3
"""A MariaDB server that asks for the password by another plug-in.

usage: mysql_login.py SOCKET PLUGIN SEEN

Has no TLS, switches each login to PLUGIN (mysql_clear_password or dialog), and
appends the answer to the file SEEN.  The rest is as in mysql_strange.py.  Serves
until its standard input ends.
"""
import sys

from mysql_strange import GREETING, OK, send, serve_statements, take
from sessions import serve_all

QUESTION = b"\x05Password: " if sys.argv[2] == "dialog" else b""


def serve(session):
    send(session, 0, GREETING)
    take(session)
    send(session, 2, b"\xfe" + sys.argv[2].encode() + b"\0" + QUESTION)
    answer = take(session)
    with open(sys.argv[3], "ab") as seen:
        seen.write(answer + b"\n")
    send(session, 4, OK)
    serve_statements(session)


serve_all(sys.argv[1], serve)
