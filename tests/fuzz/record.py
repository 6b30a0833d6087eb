#!/usr/bin/env python3
"""Record a corpus: a proxy that keeps what a server answers.

usage: record.py mysql|pgsql LISTEN_PORT SERVER_PORT FOLDER

Every plain connection to 127.0.0.1:LISTEN_PORT goes to SERVER_PORT.  The
answers to direct and prepared statements (mysql) or to executions and direct
statements (pgsql) become files of FOLDER in the form that the fuzz targets read; equal and large
ones are left out.  Ends when its standard input does.
"""
import hashlib
import os
import socket
import sys
import threading

NO_EOF, ATTRIBUTES, PREPARED = 1, 2, 4
DIRECT = 8
MAX_BYTES = 3000
PIECES = 12  # 4096 bytes at once


def keep(folder, flags, answer):
    data = bytes([flags, PIECES]) + answer
    if answer and len(data) <= MAX_BYTES:
        name = hashlib.sha1(data).hexdigest()[:16]
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


class Mysql:
    def __init__(self, folder):
        self.folder = folder
        self.flags = None
        self.server = b""
        self.command = None
        self.prepared = None

    def finish(self):
        answer, self.server = self.server, b""
        if self.command == 0x03:
            keep(self.folder, self.flags, answer)
        elif self.command == 0x16:
            self.prepared = answer
            if answer[4:5] == b"\xff":
                keep(self.folder, self.flags | PREPARED, answer)
        elif self.command == 0x17 and self.prepared:
            keep(self.folder, self.flags | PREPARED, self.prepared + answer)

    def from_client(self, data):
        if self.flags is None:  # the login
            if len(data) >= 8:
                client = int.from_bytes(data[4:8], "little")
                both = client & self.capabilities()
                self.flags = (NO_EOF if both & 1 << 24 else 0) | (
                    ATTRIBUTES if both & 1 << 27 else 0)
                self.server = b""
            return
        self.finish()
        # A statement may be closed in front of the next one.
        while data[4:5] == b"\x19" and len(data) > 9:
            data = data[9:]
        self.command = data[4] if len(data) > 4 and data[3] == 0 else None

    def capabilities(self):
        after = self.server.index(b"\0", 5) + 1 + 4 + 8 + 1
        low = int.from_bytes(self.server[after:after + 2], "little")
        high = int.from_bytes(self.server[after + 5:after + 7], "little")
        return low | high << 16

    def from_server(self, data):
        self.server += data


class Pgsql:
    def __init__(self, folder):
        self.folder = folder
        self.flags = 0
        self.server = None

    def finish(self):
        if self.server:
            keep(self.folder, self.flags, self.server)

    def from_client(self, data):
        if data[:1] == b"f":  # a COPY is refused: the answer goes on
            return
        self.finish()
        self.flags = DIRECT if data[:1] == b"Q" else 0
        self.server = b"" if data[:1] in (b"B", b"Q") else None

    def from_server(self, data):
        if self.server is not None:
            self.server += data


def pump(source, to, note):
    while True:
        try:
            data = source.recv(1 << 20)
        except OSError:
            data = b""
        if not data:
            break
        note(data)
        to.sendall(data)
    for s in (source, to):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client, port, recorder):
    server = socket.create_connection(("127.0.0.1", port))
    back = threading.Thread(
        target=pump, args=(server, client, recorder.from_server))
    back.start()
    pump(client, server, recorder.from_client)
    back.join()
    recorder.finish()


def main():
    kind, listen, port, folder = sys.argv[1:]
    make = {"mysql": Mysql, "pgsql": Pgsql}[kind]
    os.makedirs(folder, exist_ok=True)
    door = socket.create_server(("127.0.0.1", int(listen)))

    def accept():
        while True:
            client, _ = door.accept()
            threading.Thread(
                target=serve, args=(client, int(port), make(folder)),
                daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
