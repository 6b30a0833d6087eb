"""live.py - a viewer of --live without a browser, and crowds of them.

usage: live.py follow PORT PID      print the events as JSON; the run is ended after two looks
       live.py find PORT WORD       print the events up to one with WORD
       live.py mark PORT TEXT       mark with the token of the page, then without: the two statuses
       live.py crowd PORT           many viewers, one that reads nothing, many requests
"""
import json
import os
import signal
import socket
import sys
import threading
import urllib.error
import urllib.request


def events(port, timeout=100):
    """The events of the stream: pairs of name and value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/events", timeout=timeout) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        name = None
        for line in stream:
            line = line.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])


def follow(port, pid):
    seen = []
    for name, value in events(port):
        seen.append([name, value])
        if name == "look" and [n for n, _ in seen].count("look") == 2:
            os.kill(int(pid), signal.SIGINT)
    json.dump(seen, sys.stdout)


def find(port, word):
    seen = []
    for name, value in events(port):
        seen.append([name, value])
        if word in json.dumps(value):
            break
    json.dump(seen, sys.stdout)


def mark(port, coded):
    run = next(events(port))[1]
    for token in run.get("mark", ""), "0" * 32:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/mark/{coded}", method="POST",
                                         headers={"X-Bench-Token": token})
        try:
            with urllib.request.urlopen(request, timeout=100) as answer:
                print(answer.status)
        except urllib.error.HTTPError as e:
            print(e.code)


def crowd(port):
    ends, here = [], threading.Semaphore(0)

    def view():
        names = []
        for name, _ in events(port):
            names.append(name)
            if len(names) == 1:
                here.release()
        ends.append((names[0], names[-1], names.count("look")))

    viewers = [threading.Thread(target=view) for _ in range(32)]
    for v in viewers:
        v.start()
    # One asks for the events and never reads them.
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", int(port)))
    deaf.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    sizes = set()
    for _ in range(int(os.environ.get("LIVE_REQUESTS", 1000))):
        with socket.create_connection(("127.0.0.1", int(port))) as s:
            s.sendall(b"GET / HTTP/1.0\r\n\r\n")
            size = 0
            while True:
                data = s.recv(1 << 16)
                if not data:
                    break
                size += len(data)
            sizes.add(size)
    assert len(sizes) == 1 and sizes.pop() > 5000, sizes
    # None of them comes when the run is over.
    for _ in viewers:
        here.acquire()
    print("asked", flush=True)
    for v in viewers:
        v.join()
    assert len(ends) == 32, len(ends)
    assert all(e[0] == "run" and e[1] == "report" and e[2] > 0 for e in ends), ends
    deaf.close()


{"follow": follow, "find": find, "mark": mark, "crowd": crowd}[sys.argv[1]](*sys.argv[2:])
