"""The cases of the Autobahn test suite, by kosoku's runner: client URL, or server. Prints a line of JSON for each case.

PLIMSOLL_AUTOBAHN=full has cases 12 and 13 exchange as many messages as the suite has it, 1,000 a case; else it is 10.
"""
import asyncio
import hashlib
import json
import os
import sys

try:
    from kosoku import FailureError, _caseindex, run_fuzzingclient, run_fuzzingserver
except ImportError:
    print("missing", flush=True)
    sys.exit(0)

_caseindex.initialize_shims()
import case12_x_x  # noqa: E402


def as_bytes(data):
    """Empty messages are text to kosoku, as they were to Python 2, for which the cases were written."""
    return data.encode("latin-1") if isinstance(data, str) else data


class Sha1:
    def __init__(self):
        self.of = hashlib.sha1()

    def update(self, data):
        self.of.update(as_bytes(data))

    def digest(self):
        return self.of.digest()


class Hashes:
    sha1 = Sha1


def with_bytes(then):
    return lambda self, message, binary: then(self, as_bytes(message), binary)


case12_x_x.hashlib = Hashes
for case in case12_x_x.Case12_X_X + case12_x_x.Case13_X_X:
    case.onMessage = with_bytes(case.onMessage)
    if os.environ.get("PLIMSOLL_AUTOBAHN") != "full":
        case.COUNT = 10


async def main():
    try:
        if sys.argv[1] == "server":
            async with run_fuzzingserver(port=0) as server:
                print(f"ws://{server.address}:{server.port}", flush=True)
                results = await server.get_result()
        else:
            results = await run_fuzzingclient(sys.argv[2], concurrency=8)
    except FailureError as failure:
        results = failure.results
    for r in results:
        print(json.dumps({"case": r.case_id, "passed": r.passed, "behavior": r.behavior.value,
                          "close": r.behavior_close.value, "why": f"{r.result} {r.result_close}"}))


asyncio.run(main())
