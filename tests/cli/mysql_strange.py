#!/usr/bin/env python3
"""A MariaDB server whose results have not the form that was asked for.

usage: mysql_strange.py SOCKET

Serves one session after the other, until its standard input ends.  Statements
with the word "bad" have a row of 2 bytes that claims to be of 5, those with "ok"
no result set, "many" 40 MB of rows, and "endless" rows without an end; for the user
"empty" there are no tables; all others
that begin with SELECT or SHOW have one column and one row, "1", or NULL for
max_allowed_packet; the rest succeeds.  Nothing can be prepared.
"""
import struct
import sys

from sessions import read, serve_all

OK = b"\0\0\0\2\0\0\0"
END = b"\xfe\0\0\2\0"
REFUSED = b"\xff" + struct.pack("<H", 1295) + b"#HY000not understood"
COLUMN = (b"\3def\0\0\0\1c\0\x0c" +
          struct.pack("<HIBHB", 33, 30, 0xfd, 0, 0) + b"\0\0")
#         4.1 protocol, transactions, 4.1 passwords, plug-ins
CAPABILITIES = 0x0200 | 0x2000 | 0x8000 | 0x80000 | 0xf
GREETING = (b"\x0a5.5.5-10.11.0-MariaDB\0" + struct.pack("<I", 1) + b"saltsalt\0" +
            struct.pack("<HBHH", CAPABILITIES & 0xffff, 33, 2, CAPABILITIES >> 16) +
            b"\x15" + b"\0" * 10 + b"saltsaltsalt\0mysql_native_password\0")

TLS_FLAG = 0x0800


def with_tls(greeting):
    low = CAPABILITIES & 0xffff
    return greeting.replace(struct.pack("<H", low), struct.pack("<H", low | TLS_FLAG), 1)


def take(session):
    head = read(session, 4)
    return read(session, int.from_bytes(head[:3], "little"))


def numbered(first, *packets):
    """The bytes of packets with numbers from `first` on."""
    return b"".join(len(p).to_bytes(3, "little") + bytes([first + i & 255]) + p
                    for i, p in enumerate(packets))


def send(session, first, *packets):
    session.sendall(numbered(first, *packets))


ROW = b"\xfd" + (16000).to_bytes(3, "little") + b"x" * 16000


def send_rows(session, count):
    """A result set of so many rows, of 16 kB each; None: of all that are taken."""
    send(session, 1, b"\1", COLUMN, END)
    sent = 0
    while count is None or sent < count:
        send(session, (4 + sent) & 255, ROW)
        sent += 1
    send(session, (4 + sent) & 255, END)


def serve(session):
    send(session, 0, GREETING)
    is_empty = b"empty\0" in take(session)
    send(session, 2, OK)
    serve_statements(session, is_empty)


def serve_statements(session, is_empty=False):
    while True:
        packet = take(session)
        kind, text = packet[0], packet[1:]
        if kind == 1:
            return
        if kind == 22:
            send(session, 1, REFUSED)
        elif kind == 3 and b"bad" in text:
            send(session, 1, b"\1", COLUMN, END, b"\5ab", END)
        elif kind == 3 and b"ok" in text:
            send(session, 1, OK)
        elif kind == 3 and b"many" in text:
            send_rows(session, 2500)
        elif kind == 3 and b"endless" in text:
            send_rows(session, None)
        elif kind == 3 and b"@@local_infile" in text:
            send(session, 1, b"\2", COLUMN, COLUMN, END, b"\x011\xfb", END)
        elif kind == 3 and is_empty and b"information_schema.tables" in text:
            send(session, 1, b"\1", COLUMN, END, b"\x010", END)
        elif kind == 3 and text.lstrip()[:4].upper() in (b"SELE", b"SHOW"):
            send(session, 1, b"\1", COLUMN, END, b"\x011", END)
        else:
            send(session, 1, OK)


if __name__ == "__main__":
    serve_all(sys.argv[1], serve)
