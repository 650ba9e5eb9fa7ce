"""python3 chromium_runner.py ROOT TIMED FILE...: judges the files in headless Chromium.

The page and the files come from a server on the loopback interface, and the page sends back what judge.mjs prints.
"""
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = """<!DOCTYPE html><title>app-receipt</title><script type="module">
const lines = [];
try {
  const { judge } = await import("/Tests/Bindings/judge.mjs");
  const read = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  await judge(%s, read, (line) => lines.push(line));
} catch (error) { lines.push(`error\\t${error}`); }
await fetch("/", { method: "POST", body: lines.join("\\n") });
</script>"""
paths = ["/" + str(pathlib.Path(name).resolve().relative_to(ROOT)) for name in sys.argv[1:]]
answers, done = [], threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm",
                      "": "application/octet-stream"}

    def do_GET(self):
        if self.path != "/":
            return super().do_GET()
        body = (PAGE % json.dumps(paths)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        answers.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()
        done.set()

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Handler(*a, directory=str(ROOT))) as server, \
        tempfile.TemporaryDirectory() as profile:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended = done.wait(60)
    browser.terminate()
    browser.wait()
    server.shutdown()
if not ended or "error\t" in answers[0]:
    sys.exit(answers[0] if ended else "Chromium gave no answer within 60 seconds")
print(answers[0])
