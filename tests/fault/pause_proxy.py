#!/usr/bin/env python3
"""pause_proxy.py PORT: stands before a server on the loopback address, and prints
the port on which it listens.  A line with a number on its standard input closes
it for so many seconds: nothing passes, and no connection breaks.  Then it prints
for how long it was closed.  It ends with its standard input."""
import socket
import sys
import threading
import time

port = int(sys.argv[1])
is_open = threading.Event()
is_open.set()


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            is_open.wait()
            target.sendall(data)
    except OSError:
        pass
    for s in (source, target):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(listener):
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for pair in ((client, server), (server, client)):
            for s in pair:
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=pass_on, args=pair, daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0), backlog=128)
print(listener.getsockname()[1], flush=True)
threading.Thread(target=serve, args=(listener,), daemon=True).start()
for line in sys.stdin:
    is_open.clear()
    begin = time.monotonic()
    time.sleep(float(line))
    is_open.set()
    print(f"{time.monotonic() - begin:.6f}", flush=True)
