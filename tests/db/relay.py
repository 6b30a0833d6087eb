"""relay.py PORT DELAY_S: listens on a free port of 127.0.0.1, prints its number,
and passes bytes on to that port, each way DELAY_S later."""
import asyncio
import sys


async def pump(reader, writer, delay):
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()

    async def send():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                writer.close()
                return
            writer.write(data)

    sender = asyncio.ensure_future(send())
    try:
        while True:
            data = await reader.read(65536)
            queue.put_nowait((loop.time() + delay, data))
            if not data:
                break
    except OSError:
        queue.put_nowait((loop.time(), b""))
    await sender


async def main(port, delay):
    async def serve(reader, writer):
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, to_writer, delay),
                             pump(to_reader, writer, delay))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
