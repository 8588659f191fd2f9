"""llama.cpp's own HTTP server on a GGUF file, in a process of its own: `python -m firstline.models.local_server`.

The order comes as one line of JSON on standard input: file, context (tokens), threads, key. Once the model is loaded
the address goes to standard output; when standard input ends, because whoever started it is gone, so does this.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def main() -> None:
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    llama: Any = importlib.import_module("xllamacpp")  # it has no types
    parameters: Any = llama.CommonParams()
    parameters.model.path = order["file"]
    parameters.n_ctx = order["context"]
    parameters.n_parallel = order["at_once"]
    parameters.kv_unified = True
    parameters.cpuparams.n_threads = order["threads"]
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.api_keys = [order["key"]]
    parameters.warmup = False
    # Nobody looks at its pages, and nothing of a prompt is to be read there.
    parameters.ui = parameters.endpoint_slots = parameters.endpoint_metrics = parameters.endpoint_props = False
    server: Any = llama.Server(parameters)
    print(json.dumps({"url": f"{server.listening_address}/v1"}), flush=True)
    sys.stdin.read()
    # Without the teardown of a library that may be in the middle of a token.
    os._exit(0)


if __name__ == "__main__":
    main()
