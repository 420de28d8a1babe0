"""moto's S3 server on a free port of loopback, until standard input ends.

It prints its URL. An argument is the number of requests that are let through before moto
begins to check the access key and the rights of its owner.
"""

import logging
import os
import sys

if len(sys.argv) > 1:
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = sys.argv[1]
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "1"
logging.getLogger("werkzeug").setLevel(logging.CRITICAL)

from moto.server import ThreadedMotoServer  # noqa: E402

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print("http://%s:%d" % (host, port), flush=True)
sys.stdin.read()
server.stop()
