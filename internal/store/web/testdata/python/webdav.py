"""A WebDAV server (WsgiDAV) on a directory, for the tests. It prints its URL and ends with its
input."""

import sys
import threading

from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp

directory, user, password = sys.argv[1:4]
accounts = {user: {"password": password}} if user else True
app = WsgiDAVApp({
    "provider_mapping": {"/": directory},
    "simple_dc": {"user_mapping": {"*": accounts}},
    "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
    "verbose": 0,
    "logging": {"enable": False},
})
server = wsgi.Server(("127.0.0.1", 0), app, numthreads=8)
server.prepare()
print("http://127.0.0.1:%d" % server.bind_addr[1], flush=True)
threading.Thread(target=server.serve, daemon=True).start()
sys.stdin.read()
server.stop()
