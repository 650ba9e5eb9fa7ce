#!/usr/bin/env python3
"""An HTTP server on loopback that answers as badly as the network can.

Prints its port. The path of a request says what the server does with it; see the functions `answer_…`. GET /requests?KEY returns the
requests of the key KEY so far as JSON. The server ends when its standard input does.
"""

import http.server
import json
import sys
import threading
import time
import zlib

requests, counts, lock = [], {}, threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def reply(self, body, status=200, length=None, headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def close(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(2)

    def do_GET(self):
        key = self.path.split("?")[1]
        with lock:
            self.reply(json.dumps([request for name, request in requests if name == key]).encode())

    def do_POST(self):
        """The path is /KEY/ANSWER[/ANSWER…]. The n-th request of a key gets the n-th answer, and later ones the last."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _, key, *answers = self.path.split("/")
        with lock:
            requests.append((key, {"path": self.path, "body": body.decode(), "type": self.headers["Content-Type"],
                                   "encoding": self.headers["Accept-Encoding"]}))
            counts[self.path] = counts.get(self.path, 0) + 1
            answer = answers[min(counts[self.path], len(answers)) - 1]
        name, _, argument = answer.partition("=")
        getattr(self, "answer_" + name)(argument)

    def answer_status(self, status):
        self.reply(b'{"status":%s}' % status.encode())

    def answer_final(self, status):
        self.reply(b'{"status":%s,"is_retryable":false,"environment":"Production"}' % status.encode())

    def answer_retryable(self, status):
        self.reply(b'{"status":%s,"is_retryable":true,"environment":"Production"}' % status.encode())

    def answer_http(self, status):
        self.reply(b'{"status":0}', int(status))

    def answer_password(self, scheme):
        self.reply(b"", 401, headers=[("WWW-Authenticate", scheme + ' realm="x", nonce="a", qop="auth"')])

    def answer_redirect(self, status):
        self.reply(b"", int(status), headers=[("Location", f"http://{self.headers['Host']}/stolen/status=0")])

    def answer_stall(self, _):
        time.sleep(20)
        self.close()

    def answer_drip(self, _):
        """Sends a byte every tenth of a second, so that no pause is long."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        try:
            for _ in range(200):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            pass
        self.close_connection = True

    def answer_truncate(self, _):
        self.reply(b'{"status":0,"receipt":{"bundle', length=5000)
        self.close()

    def answer_short(self, _):
        """A length that ends before the JSON does."""
        self.reply(b'{"status":0,"environment":"Production"}', length=12)
        self.close()

    def answer_drop(self, _):
        self.close()

    def answer_garbage(self, _):
        self.wfile.write(b"\x00\xff this is not HTTP\r\n\r\n")
        self.close()

    def answer_body(self, text):
        self.reply(bytes.fromhex(text))

    def answer_gzip(self, count):
        """A number of MiB of spaces, compressed, whether or not the request allows that. Zero sends an object."""
        compressor = zlib.compressobj(9, wbits=31)
        body = b'{"status":0}'
        if int(count):
            parts = [compressor.compress(b" " * (1 << 20)) for _ in range(int(count))]
        else:
            parts = [compressor.compress(body)]
        self.reply(b"".join(parts) + compressor.flush(), headers=[("Content-Encoding", "gzip")])

    def answer_huge(self, count):
        """An endless answer, in chunks, up to a number of MiB."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        chunk = b" " * (1 << 20)
        try:
            for _ in range(int(count)):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # The default, 5, resets connections when all tests run at once.
    request_queue_size = 256

    def handle_error(self, request, address):
        pass


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
