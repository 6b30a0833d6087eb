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


def serve_all(path, serve):
    """Calls serve(session) for each, until the standard input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
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
