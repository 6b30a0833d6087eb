#!/usr/bin/env python3
"""A PostgreSQL server that announces something more: passes on what a real one and its
clients say, and adds a parameter to the end of each login.

usage: announce.py HOST PORT NAME VALUE    prints its own port, serves until stdin ends
"""
import socket
import sys
import threading


def parameter(name, value):
    body = name.encode() + b"\0" + value.encode() + b"\0"
    return b"S" + (len(body) + 4).to_bytes(4, "big") + body


def exactly(sock, n):
    data = b""
    while len(data) < n:
        more = sock.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    try:
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client, server, extra):
    threading.Thread(target=copy, args=(client, server), daemon=True).start()
    try:
        while True:  # the login, up to "ready for query"
            head = exactly(server, 5)
            body = exactly(server, int.from_bytes(head[1:], "big") - 4)
            client.sendall((extra if head[:1] == b"Z" else b"") + head + body)
            if head[:1] == b"Z":
                break
    except (EOFError, OSError):
        client.close()
        return
    copy(server, client)


def main():
    host, port, name, value = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection((host, int(port)))
            threading.Thread(target=serve, args=(client, server, parameter(name, value)), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
