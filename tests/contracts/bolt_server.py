"""A server that speaks Bolt and Cypher, for the contract of the graph: run as a program of its own, because its Java
runtime stays in a process to the end. Ends when its input is closed.

    python bolt_server.py FOLDER BOLT_PORT HTTP_PORT PASSWORD
"""

from __future__ import annotations

import sys

import arcadedb_embedded

DATABASE = "firstline"


def main() -> None:
    folder, bolt, http, password = sys.argv[1:]
    server = arcadedb_embedded.create_server(
        folder,
        root_password=password,
        config={
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": int(bolt),
            "http_port": int(http),
            "host": "127.0.0.1",
        },
    )
    server.start()
    server.create_database(DATABASE)
    print("READY", flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
