"""moto's server of AWS's services on a free port of loopback, until standard input ends.

It prints its URL.
"""

import logging
import sys

logging.getLogger("werkzeug").setLevel(logging.CRITICAL)

from moto.server import ThreadedMotoServer  # noqa: E402
from werkzeug.serving import WSGIRequestHandler  # noqa: E402

# As AWS does, it keeps connections: of one that it closes with its answer, the client can lose the
# end.
WSGIRequestHandler.protocol_version = "HTTP/1.1"

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print("http://%s:%d" % (host, port), flush=True)
sys.stdin.read()
server.stop()
