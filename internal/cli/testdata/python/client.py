"""A chat client that shares no code with Plimsoll, made of the websockets library.

client.py URL

It talks to `plimsoll serve chat` and ends with a message for the first answer that is not
what the protocol says.
"""

import json
import sys
import urllib.request

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

URL = sys.argv[1]

GOOD = {
    "userId": 17,
    "username": "user17",
    "message": "hello",
    "timestamp": "2026-11-21T20:47:00Z",
    "messageType": "TEXT",
}


def expect(what, condition, got):
    if not condition:
        sys.exit(f"{what}: got {got!r}")


def ask(connection, message):
    connection.send(message if isinstance(message, str) else json.dumps(message))
    return json.loads(connection.recv(timeout=10))


with connect(URL) as c:
    answer = ask(c, GOOD | {"messageId": "a-1"})
    expect("a valid message", answer["status"] == "success", answer)
    expect("the id", answer["messageId"] == "a-1", answer)
    expect("the echo", answer["originalMessage"]["message"] == "hello", answer)
    expect("the times", answer["serverReceiveTime"] <= answer["serverSendTime"], answer)

    answer = ask(c, GOOD | {"userId": "100000", "messageType": "leave", "message": "é" * 500, "more": [1]})
    expect("digits, any case, 500 characters, unknown fields", answer["status"] == "success", answer)

    answer = ask(c, {"userId": 0, "username": "a!", "message": "", "timestamp": "now", "messageType": "SHOUT"})
    expect("an invalid message", answer["status"] == "error", answer)
    expect("each broken rule", len(answer["errors"]) == 5, answer)

    answer = ask(c, "not JSON")
    expect("what is not JSON", answer["status"] == "error" and answer["errors"], answer)

    c.send([json.dumps(GOOD)[:10], json.dumps(GOOD)[10:20], json.dumps(GOOD)[20:]])
    answer = json.loads(c.recv(timeout=10))
    expect("a message in fragments", answer["status"] == "success", answer)

    expect("a ping", c.ping().wait(10), "no pong")

    c.send("x" * 200_000)
    try:
        got = c.recv(timeout=10)
        sys.exit(f"a message that is too long: got {got!r}")
    except ConnectionClosed as e:
        expect("a message that is too long", e.rcvd is not None and e.rcvd.code == 1009, e)

with connect(URL.replace("/chat/", "/chat-server/chat/")) as c:
    answer = ask(c, GOOD)
    expect("the other path", answer["status"] == "success", answer)

root = URL.replace("ws://", "http://").split("/chat/")[0]
for path in ("/health", "/chat-server/health"):
    with urllib.request.urlopen(root + path, timeout=10) as response:
        health = json.load(response)
        expect(path, health["status"] == "UP" and health["timestamp"], health)
with urllib.request.urlopen(root + "/metrics", timeout=10) as response:
    metrics = response.read().decode()
    expect("/metrics", "# TYPE" in metrics, metrics[:200])
print("ok")
