"""The AWS CLI called again and again, a program each time, which knows what that costs: it calls two
operations in turn, so many times each in a row, with hooks at the programs' sockets. What a call
costs is the time from the first bytes of an answer to the beginning of the next program's request,
by the clock that processes share. The medians in ns go to a file, as JSON."""

import json
import socket
import statistics
import subprocess
import sys
import time


def call():
    """One call of the CLI, of the arguments of this program, whose times are its last line."""
    from awscli.clidriver import main

    times = {}
    sendall, recv_into = socket.socket.sendall, socket.socket.recv_into

    def hooked_sendall(self, *args):
        times.setdefault("sent", time.monotonic_ns())
        return sendall(self, *args)

    def hooked_recv_into(self, *args):
        n = recv_into(self, *args)
        times.setdefault("received", time.monotonic_ns())
        return n

    socket.socket.sendall, socket.socket.recv_into = hooked_sendall, hooked_recv_into
    status = main()
    print()
    print(json.dumps(times))
    return status


def loop(calls, file):
    item = '{"id": {"S": "x"}}'
    medians = {}
    for name, args in (
        ("GetItem", ["get-item", "--table-name", "t", "--key", item]),
        ("PutItem", ["put-item", "--table-name", "t", "--item", item]),
    ):
        program = [sys.executable, __file__, "dynamodb", *args]
        said = [subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout for _ in range(calls)]
        times = [json.loads(text.splitlines()[-1]) for text in said]
        costs = [after["sent"] - before["received"] for before, after in zip(times, times[1:])]
        medians[name] = statistics.median(costs)
    with open(file, "w") as f:
        json.dump(medians, f)


if sys.argv[1] == "dynamodb":
    sys.exit(call())
loop(int(sys.argv[1]), sys.argv[2])
