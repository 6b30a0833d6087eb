#!/usr/bin/env python3
"""commit_proxy.py ANSWER|COMMIT EVERY PORT: stands before a server on the loopback
address, and prints the port on which it listens.  Of each EVERY transactions it
swallows one COMMIT, or the answer to it, and breaks the connection.  Statements
have to be text (--db-ps-mode=disable), without TLS.  It ends with its standard
input."""
import socket
import sys
import threading

what, every, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lock = threading.Lock()
commits = 0


def is_due(data):
    """Is this the COMMIT that is chosen?"""
    global commits
    if b"COMMIT" not in data:
        return False
    with lock:
        commits += 1
        return commits % every == 0


def end(*sockets):
    for s in sockets:
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def relay(client):
    server = socket.create_connection(("127.0.0.1", port))
    swallow = threading.Event()  # the next answer

    def answers():
        try:
            while data := server.recv(65536):
                if swallow.is_set():
                    break
                client.sendall(data)
        except OSError:
            pass
        end(client, server)

    threading.Thread(target=answers, daemon=True).start()
    try:
        while data := client.recv(65536):
            if is_due(data):
                if what == "commit":
                    break
                swallow.set()
            server.sendall(data)
    except OSError:
        pass
    if not swallow.is_set():
        end(client, server)


def accept():
    with socket.create_server(("127.0.0.1", 0)) as s:
        print(s.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=relay, args=(s.accept()[0],), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
