#!/usr/bin/env python3
"""tcp_proxy.py - stands between clients and a server and makes the network as bad as
a test wants it, by commands; tests/db/README.md has them.

usage: tcp_proxy.py --control=PATH --owner=PID PORT     prints its own port
       tcp_proxy.py --send=PATH COMMAND
"""
import asyncio
import os
import socket
import struct
import sys

HARD = struct.pack("ii", 1, 0)


def reset(sockets):
    for one in sockets:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, HARD)
        one.close()


class Proxy:
    def __init__(self, port):
        self.target = "127.0.0.1", port
        self.rate = 0
        self.relays = set()
        self.passing = asyncio.Event()
        self.passing.set()
        self.ended = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    async def flow(self, source, sink):
        while data := await self.loop.sock_recv(source, 4096 if self.rate else 65536):
            if self.rate:
                await asyncio.sleep(len(data) / self.rate)
            await self.passing.wait()
            await self.loop.sock_sendall(sink, data)
        await self.passing.wait()
        sink.shutdown(socket.SHUT_WR)

    async def relay(self, client):
        server = socket.socket()
        server.setblocking(False)
        flows = []
        try:
            await self.passing.wait()
            await self.loop.sock_connect(server, self.target)
            flows = [asyncio.ensure_future(self.flow(client, server)),
                     asyncio.ensure_future(self.flow(server, client))]
            await asyncio.gather(*flows)
            client.close()
            server.close()
        except (OSError, asyncio.CancelledError):
            for one in flows:
                one.cancel()
            await asyncio.gather(*flows, return_exceptions=True)
            reset([client, server])

    async def accept(self, listener):
        while True:
            client, _ = await self.loop.sock_accept(listener)
            client.setblocking(False)
            task = asyncio.ensure_future(self.relay(client))
            self.relays.add(task)
            task.add_done_callback(self.relays.discard)

    async def cut(self):
        relays = list(self.relays)
        for task in relays:
            task.cancel()
        await asyncio.gather(*relays, return_exceptions=True)

    async def command(self, reader, writer):
        words = (await reader.readline()).decode().split()
        if words == ["cut"]:
            await self.cut()
        elif words == ["blackhole"]:
            self.passing.clear()
        elif words == ["pass"]:
            self.passing.set()
        elif words[:1] == ["rate"] and len(words) == 2:
            self.rate = int(words[1])
        elif words == ["quit"]:
            self.ended.set()
        else:
            words = None
        writer.write(b"ok\n" if words else b"error: unknown command\n")
        await writer.drain()
        writer.close()

    async def owner_ends(self, owner):
        while os.path.exists(f"/proc/{owner}"):
            await asyncio.sleep(0.5)
        self.ended.set()


async def serve(control, owner, port):
    proxy = Proxy(port)
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    listener.setblocking(False)
    await asyncio.start_unix_server(proxy.command, control)
    print(listener.getsockname()[1], flush=True)
    others = [asyncio.ensure_future(proxy.accept(listener)),
              asyncio.ensure_future(proxy.owner_ends(owner))]
    await proxy.ended.wait()
    for one in others:
        one.cancel()
    await proxy.cut()
    os.unlink(control)


def send(path, command):
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(path)
        control.sendall(command.encode() + b"\n")
        answer = control.makefile().read()
    print(answer, end="")
    return answer != "ok\n"


if __name__ == "__main__":
    options = dict(a.split("=", 1) for a in sys.argv[1:-1])
    if "--send" in options:
        sys.exit(send(options["--send"], sys.argv[-1]))
    asyncio.run(serve(options["--control"], int(options["--owner"]), int(sys.argv[-1])))
