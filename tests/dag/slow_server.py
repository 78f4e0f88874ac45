"""A real, slow decision server for tests: answers `/v1/systemone` with the first option, and writes down each request.

Usage: python slow_server.py PORT BILL DELAY        DELAY: a file with seconds, read once at the start
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT, BILL, DELAY_S = int(sys.argv[1]), Path(sys.argv[2]), float(Path(sys.argv[3]).read_text())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._send({"status": "ok"})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with BILL.open("a") as bill:
            bill.write(request["state"] + "\n")
        time.sleep(DELAY_S)
        options = list(request["questions"]["decision"]["criteria"])
        share = {o: (0.5 if i == 0 else 0.5 / (len(options) - 1)) for i, o in enumerate(options)}
        answer = {"type": "choice", "choice": options[0], "confidence": 0.5, "probabilities": share}
        self._send(
            {
                "model": request["model"],
                "answers": {"decision": answer},
                "usage": {"input_tokens": 9, "output_tokens": 1},
            }
        )

    def _send(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
