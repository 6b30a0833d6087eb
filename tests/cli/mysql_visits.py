#!/usr/bin/env python3
"""A MySQL server for logins without the client library, which judges its clients.

usage: mysql_visits.py PLACE KIND [CERTIFICATE KEY]

Serves one session after the other, until its standard input ends.  Each session
that has ended with a farewell is a line in the file "log".  The user is "me", the
password "secret".  KIND is

  native    asks for a proof by mysql_native_password
  sha2      ... by caching_sha2_password, and knows the user
  bytes     sha2, byte by byte
  whole     sha2, but asks for the whole password, which is noted in "got"
  switch    greets with the one, and asks for the other
  plain     sha2, and has no end between columns and rows
  ed25519   asks for a proof of another kind
  clear     asks for the password in plain text; "got" has what came then
  every2    closes every other session at once
  closes    closes each one when the client wants to log in
  silent    never answers
  length    greets with a packet of sixteen million bytes
  version   speaks another version of the protocol
  http      greets as another kind of server does
  full      refuses each session: too many connections
  blocked   ... the host has made too many errors
  shuts     ends the session when a statement comes, and says why
  table     knows no table, and goes on
"""
import hashlib
import ssl
import struct
import sys

from mysql_strange import COLUMN, END, GREETING, OK, TLS_FLAG, numbered, send, take, with_tls
from sessions import read, serve_all

KIND = sys.argv[2]
SALT = b"saltsaltsaltsaltsalt"
NATIVE, SHA2 = b"mysql_native_password", b"caching_sha2_password"
HELLO = GREETING if KIND in ("native", "switch", "ed25519", "clear", "every2", "closes", "shuts", "table") \
    else GREETING.replace(NATIVE, SHA2)
TLS = len(sys.argv) > 3
if TLS:
    CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    CONTEXT.load_cert_chain(sys.argv[3], sys.argv[4])
    HELLO = with_tls(HELLO)
served = 0


def say(session, first, *packets):
    data = numbered(first, *packets)
    if KIND != "bytes":
        session.sendall(data)
        return
    for byte in data:
        session.sendall(bytes([byte]))


def covered(once, cover):
    return bytes(a ^ b for a, b in zip(once, cover))


def native(password):
    once = hashlib.sha1(password).digest()
    return covered(once, hashlib.sha1(SALT + hashlib.sha1(once).digest()).digest())


def sha2(password):
    once = hashlib.sha256(password).digest()
    return covered(once, hashlib.sha256(hashlib.sha256(once).digest() + SALT).digest())


def error(code, state, text):
    return b"\xff" + struct.pack("<H", code) + state + text


def refuse(session, number):
    send(session, number, error(1045, b"#28000", b"Access denied for user 'me'@'localhost'"))
    raise EOFError


def log_in(session):
    say(session, 0, HELLO.replace(b"\x08\0\x15", b"\x08\1\x15") if KIND == "plain" else HELLO)
    answer, number = take(session), 2
    if int.from_bytes(answer[:4], "little") & TLS_FLAG:
        assert len(answer) == 32, answer
        session = CONTEXT.wrap_socket(session, server_side=True)
        answer, number = take(session), 3
    assert answer[32:35] == b"me\0", answer
    if KIND == "closes":
        raise EOFError
    proof, rest = answer[36:36 + answer[35]], answer[36 + answer[35]:]
    plugin = rest.split(b"\0")[1]
    assert rest.startswith(b"sbtest\0"), rest
    assert KIND != "plain" or answer[3] == 1, answer
    if KIND in ("switch", "ed25519", "clear"):
        other = {"switch": SHA2, "ed25519": b"client_ed25519", "clear": b"mysql_clear_password"}[KIND]
        say(session, number, b"\xfe" + other + b"\0" + SALT + b"\0")
        proof, plugin, number = take(session), other, number + 2
    if KIND == "clear":
        with open("got", "wb") as got:
            got.write(proof)
        send(session, number, OK)
        return session
    if proof != (sha2 if plugin == SHA2 else native)(b"secret"):
        refuse(session, number)
    if KIND == "whole":
        say(session, number, b"\1\4")
        with open("got", "wb") as got:
            got.write(take(session))
        number += 2
    elif plugin == SHA2:
        say(session, number, b"\1\3")
        number += 1
    say(session, number, OK)
    return session


def serve(session):
    global served
    served += 1
    if KIND == "every2" and served % 2:
        return
    if KIND == "silent":
        read(session, 1)
    if KIND == "length":
        session.sendall(b"\xff\xff\xff\0\x0a8.0.30\0")
    if KIND == "version":
        send(session, 0, b"\x093.20.0\0" + b"x" * 20)
    if KIND == "http":
        session.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    if KIND == "full":
        send(session, 0, error(1040, b"#08004", b"Too many connections"))
    if KIND == "blocked":
        send(session, 0, error(1129, b"", b"Host 'me' is blocked because of many connection errors"))
    if KIND in ("length", "version", "http", "full", "blocked"):
        read(session, 1)
    session = log_in(session)
    while True:
        packet = take(session)
        if packet == b"\1":
            break
        if packet != b"\3SELECT 1":  # of a login by the library
            send(session, 1, OK)
        elif KIND == "shuts":
            send(session, 1, error(1053, b"#08S01", b"Server shutdown in progress"))
            return
        elif KIND == "table":
            send(session, 1, error(1146, b"#42S02", b"Table 'x' doesn't exist"))
        elif KIND == "plain":
            say(session, 1, b"\1", COLUMN, b"\x011", b"\xfe\0\0\2\0\0\0")
        else:
            say(session, 1, b"\1", COLUMN, END, b"\x011", END)
    with open("log", "a", encoding="ascii") as log:
        print("served", file=log)


serve_all(sys.argv[1], serve)
