#!/usr/bin/env python3
"""A PostgreSQL server for logins without libpq, which judges its clients.

usage: visits.py FOLDER KIND

Serves one session after the other on a socket in FOLDER (port 5432), until its
standard input ends.  Each session that has ended with a farewell is a line in
FOLDER/log.  The user is "me", the password "secret".  KIND is

  trust     lets everybody in
  md5       asks for the password, with md5
  scram     asks for it with SCRAM-SHA-256; proofs are computed here as well
  bytes     scram, byte by byte
  signature scram, with a signature of another password
  unsigned  scram, without a signature
  every2    closes every other session at once
  closes    closes each one when the client wants to log in
  silent    never answers
  drip      sends one byte of a long message at a time
  length    sends a message of two thousand million bytes
  mysql     greets as another kind of server does
  plain     asks for the password as it is; FOLDER/got has what came then
  fork      cannot even start a process for the session
  full      refuses each login: too many connections
  shuts     ends the session when a statement comes, and says why
  table     knows no table, and goes on
"""
import base64
import hashlib
import hmac
import os
import struct
import sys

from pgsql_pieces import COLUMN, READY, message
from sessions import read, serve_all

FOLDER, KIND = sys.argv[1], sys.argv[2]
OK = message(b"R", struct.pack("!i", 0))
SETTINGS = message(b"S", b"server_version\x0015.0\0") + message(b"K", struct.pack("!ii", 1, 1)) + READY
ANSWER = COLUMN + message(b"D", struct.pack("!hi", 1, 1) + b"1") + message(b"C", b"SELECT 1\0") + READY
served = 0


def send(session, data):
    if KIND != "bytes":
        session.sendall(data)
        return
    for byte in data:
        session.sendall(bytes([byte]))


def ask(session, kind, body=b""):
    send(session, message(b"R", struct.pack("!i", kind) + body))


def packet(session):
    kind, size = struct.unpack("!ci", read(session, 5))
    return kind, read(session, size - 4)


def mac(key, text):
    return hmac.new(key, text, "sha256").digest()


def scram(session):
    ask(session, 10, b"SCRAM-SHA-256\0\0")
    kind, body = packet(session)
    mechanism, rest = body.split(b"\0", 1)
    first = rest[4:]
    assert (kind, mechanism, first[:3]) == (b"p", b"SCRAM-SHA-256", b"n,,"), body
    challenge = first.split(b"r=")[1] + b"more"
    said = b"r=" + challenge + b",s=" + base64.b64encode(b"some salt") + b",i=4096"
    ask(session, 11, said)
    kind, body = packet(session)
    without, proof = body.split(b",p=")
    assert (kind, without) == (b"p", b"c=biws,r=" + challenge), body
    salted = hashlib.pbkdf2_hmac("sha256", b"secret", b"some salt", 4096)
    stored = hashlib.sha256(mac(salted, b"Client Key")).digest()
    everything = first[3:] + b"," + said + b"," + without
    proved = bytes(a ^ b for a, b in zip(base64.b64decode(proof), mac(stored, everything)))
    if hashlib.sha256(proved).digest() != stored:
        send(session, message(b"E", b"SFATAL\0C28P01\0Mpassword authentication failed for user \"me\"\0\0"))
        raise EOFError
    if KIND == "signature":
        salted = b"another password"
    if KIND != "unsigned":
        ask(session, 12, b"v=" + base64.b64encode(mac(mac(salted, b"Server Key"), everything)))


def md5(session):
    ask(session, 5, b"salt")
    inner = hashlib.md5(b"secretme").hexdigest().encode()
    assert packet(session) == (b"p", b"md5" + hashlib.md5(inner + b"salt").hexdigest().encode() + b"\0")


def serve(session):
    global served
    served += 1
    if KIND == "every2" and served % 2:
        return
    if KIND == "fork":  # it does not listen
        session.sendall(b"Ecould not fork new process for connection: Cannot allocate memory\n\0")
        return
    begin = read(session, struct.unpack("!i", read(session, 4))[0] - 4)
    assert begin.startswith(b"\0\3\0\0user\0me\0database\0sbtest\0"), begin
    if KIND == "closes":
        return
    if KIND == "silent":
        read(session, 1)
    if KIND == "drip":
        session.settimeout(0.05)
        for byte in message(b"N", b"x" * 60000):
            session.sendall(bytes([byte]))
            try:
                if not session.recv(1):
                    return
            except TimeoutError:
                pass
    if KIND == "length":
        session.sendall(b"R\x77\0\0\0")
    if KIND == "mysql":
        session.sendall(b"J\0\0\0\x0a8.0.30\0")
    if KIND == "full":
        session.sendall(message(b"E", b"SFATAL\0C53300\0Msorry, too many clients already\0\0"))
        return
    if KIND == "plain":
        ask(session, 3)
        with open(os.path.join(FOLDER, "got"), "wb") as got:
            got.write(session.recv(100))
        return
    if KIND == "md5":
        md5(session)
    elif KIND in ("scram", "bytes", "signature", "unsigned"):
        scram(session)
    send(session, OK + SETTINGS)
    while True:
        kind, body = packet(session)
        if kind == b"X":
            break
        if KIND in ("every2", "shuts", "table") and body != b"SELECT 1\0":  # of a login by the library
            session.sendall(message(b"E", b"SERROR\0C42601\0Mnot understood\0\0") + READY)
            continue
        assert (kind, body) == (b"Q", b"SELECT 1\0"), body
        if KIND == "shuts":
            session.sendall(message(b"E", b"SFATAL\0C57P01\0Mterminating connection\0\0"))
            return
        if KIND == "table":
            session.sendall(message(b"E", b"SERROR\0C42P01\0Mno such table\0Hlook\0\0") + READY)
            continue
        send(session, ANSWER)
    with open(os.path.join(FOLDER, "log"), "a") as log:
        print("served", file=log)


serve_all(os.path.join(FOLDER, ".s.PGSQL.5432"), serve)
