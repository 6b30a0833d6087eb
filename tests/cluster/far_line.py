"""far_line.py NAMESPACE ADDRESS NAMESPACE ADDRESS DELAY_MS - a line between two
network namespaces on which packets are on their way for so long.

Each end is a tun device named "far" with the address given (with /LENGTH).
Prints "ready" when packets can be sent, and ends when its input does.
"""
import ctypes
import fcntl
import heapq
import os
import selectors
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def enter(path):
    fd = os.open(path, os.O_RDONLY)
    if libc.setns(fd, CLONE_NEWNET) < 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


def end_of_line(namespace, address):
    """The namespace's end: what is read from it was sent by the host there."""
    enter("/run/netns/" + namespace)
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", b"far", IFF_TUN | IFF_NO_PI))
    for command in (("addr", "add", address, "dev", "far"), ("link", "set", "far", "up")):
        subprocess.run(("ip",) + command, check=True)
    return fd


def carry(a, b, delay):
    waiting, number = [], 0  # (moment, number, to, packet)
    events = selectors.DefaultSelector()
    for fd in (a, b, sys.stdin.fileno()):
        events.register(fd, selectors.EVENT_READ)
    while True:
        wait = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for key, _ in events.select(wait):
            if key.fd not in (a, b):
                return
            try:
                packet = os.read(key.fd, 65536)
            except BlockingIOError:
                continue
            number += 1
            to = b if key.fd == a else a
            heapq.heappush(waiting, (time.monotonic() + delay, number, to, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(waiting)
            os.write(to, packet)


def main():
    a, address_a, b, address_b, delay = sys.argv[1:]
    ends = end_of_line(a, address_a), end_of_line(b, address_b)
    print("ready", flush=True)
    carry(*ends, float(delay) / 1000)


main()
