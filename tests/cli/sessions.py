"""What the made-up servers of tests share: one session after the other."""
import select
import socket
import sys


def read(session, count):
    data = b""
    while len(data) < count:
        more = session.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


class Seen:
    """A session whose bytes are appended to a file."""
    def __init__(self, session, path):
        self.session, self.path = session, path

    def recv(self, count):
        data = self.session.recv(count)
        with open(self.path, "ab") as seen:
            seen.write(data)
        return data

    def sendall(self, data):
        self.session.sendall(data)


def listen(place):
    """Listens on a Unix socket; "tcp": on a port, which the file "port" names."""
    if place != "tcp":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
    else:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        with open("port", "w", encoding="ascii") as file:
            print(listener.getsockname()[1], file=file)
    listener.listen()
    return listener


def serve_all(place, serve):
    """Calls serve(session) for each, until the standard input ends."""
    with listen(place) as listener:
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            session, _ = listener.accept()
            with session:
                try:
                    serve(session)
                except (EOFError, OSError):
                    pass
