"""A chat server that shares no code with Plimsoll, made of the websockets library.

server.py MODE [CERT KEY]

It prints its address as one line and serves until its standard input ends. The modes:
plain      answers each message
fragments  answers in fragments of three characters
bytes      answers in binary messages
nonsense   answers what is not JSON
picky      accepts only a certain header, origin and subprotocol
rude       closes each connection with 1011 after its 20th message
"""

import asyncio
import json
import ssl
import sys
from http import HTTPStatus

from websockets.asyncio.server import serve

MODE = sys.argv[1]


def reply(text):
    message = json.loads(text)
    return json.dumps({
        "messageId": message["messageId"],
        "status": "success",
        "originalMessage": message,
    })


async def handle(connection):
    count = 0
    async for text in connection:
        count += 1
        answer = reply(text)
        if MODE == "nonsense":
            await connection.send("not JSON")
        elif MODE == "fragments":
            await connection.send([answer[i:i + 3] for i in range(0, len(answer), 3)])
        elif MODE == "bytes":
            await connection.send(answer.encode())
        else:
            await connection.send(answer)
        if MODE == "rude" and count == 20:
            await connection.close(1011, "enough")


def check(connection, request):
    if MODE == "picky" and request.headers.get("X-Token") != "open sesame":
        return connection.respond(HTTPStatus.UNAUTHORIZED, "no token\n")
    return None


async def main():
    context = None
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    picky = MODE == "picky"
    async with serve(
        handle, "127.0.0.1", 0, ssl=context, process_request=check,
        origins=["https://example.org"] if picky else None,
        subprotocols=["chat.v1"] if picky else None,
    ) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"{'wss' if context else 'ws'}://127.0.0.1:{port}/chat", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
