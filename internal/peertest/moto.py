"""moto's server of AWS's services on a free port of loopback, until standard input ends.

It prints its URL.
"""

import logging
import sys

logging.getLogger("werkzeug").setLevel(logging.CRITICAL)

from moto.server import ThreadedMotoServer  # noqa: E402

# moto's queues do not bear that two threads work on them: a message is received twice, or lost.
# Threads take turns only where one of them waits for something.
sys.setswitchinterval(3600)

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print("http://%s:%d" % (host, port), flush=True)
sys.stdin.read()
server.stop()
