"""A service with a login: POST /login with a form, then GET /items and /items/ID with its token and its cookie."""
import http.server
import json
import sys
import threading
import urllib.parse

USERS = {"ann": "a&b=c ü", "bob": 'quoted ", and comma'}
counts, sessions, lock = {}, {}, threading.Lock()


def count(what):
    with lock:
        counts[what] = counts.get(what, 0) + 1


class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, what, status, body, **headers):
        if what:
            count("%s %d" % (what, status))
        text = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        user = form.get("user")
        if user not in USERS or USERS[user] != form.get("password"):
            return self.answer("login", 403, {"error": "wrong user or password"})
        with lock:
            session = "s%d" % len(sessions)
            sessions[session] = user
        self.answer("login", 200, {"token": "token of %s" % session}, Set_Cookie="session=%s; HttpOnly" % session)

    def do_GET(self):
        if self.path == "/counts":
            return self.answer(None, 200, counts)
        cookie = (self.headers.get("Cookie") or "").removeprefix("session=")
        if cookie not in sessions or self.headers.get("Authorization") != "Bearer token of %s" % cookie:
            return self.answer("refused", 401, {"error": "log in first"})
        path = self.path.split("?")[0].strip("/").split("/")
        if len(path) == 1:
            return self.answer("items", 200, {"items": [{"id": "%s-item 1/ü" % cookie}]})
        if urllib.parse.unquote(path[1]) == "%s-item 1/ü" % cookie:
            count("own items")
        self.answer("item", 200, {"owner": sessions[cookie]})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
server.daemon_threads = True
print("http://127.0.0.1:%d" % server.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown())).start()
server.serve_forever()
