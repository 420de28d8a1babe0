"""moto's SNS and SQS on a free port of loopback, until standard input ends. It prints its URL."""

import logging
import sys

logging.getLogger("werkzeug").setLevel(logging.CRITICAL)

from moto.server import ThreadedMotoServer  # noqa: E402

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print("http://%s:%d" % (host, port), flush=True)
sys.stdin.read()
server.stop()
