"""An OpenID Connect provider on this machine, with keys of every kind that can be changed, withdrawn and forged."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "firstline"
MAKERS: dict[str, tuple[Any, Any]] = {
    "RS256": (lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048), RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}


@dataclass(kw_only=True)
class Issuer:
    url: str
    private: dict[str, tuple[str, Any]] = field(default_factory=dict[str, tuple[str, Any]])
    published: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    discovery: dict[str, Any] = field(default_factory=dict[str, Any])
    status: int = 200
    asked: list[str] = field(default_factory=list[str])

    def new_key(self, kid: str, algorithm: str = "RS256", *, publish: bool = True, **said: Any) -> None:
        make, kind = MAKERS[algorithm]
        key = make()
        self.private[kid] = (algorithm, key)
        if publish:
            public = json.loads(kind.to_jwk(key.public_key()))
            self.published[kid] = {**public, "kid": kid, "use": "sig", "alg": algorithm, **said}

    def withdraw(self, kid: str) -> None:
        del self.published[kid]

    def token(self, kid: str = "one", *, header: dict[str, Any] | None = None, **changed: Any) -> str:
        """Signed by this key. A claim of None is left out."""
        algorithm, key = self.private[kid]
        headers = {name: value for name, value in {"kid": kid, **(header or {})}.items() if value is not None}
        return jwt.encode(self.claims(**changed), key, algorithm=algorithm, headers=headers)

    def claims(self, **changed: Any) -> dict[str, Any]:
        now = int(time.time())
        said = {"iss": self.url, "aud": AUDIENCE, "sub": "u-1", "exp": now + 300, "iat": now, "nbf": now, **changed}
        return {name: value for name, value in said.items() if value is not None}

    def public_pem(self, kid: str) -> bytes:
        key = self.private[kid][1].public_key()
        return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def answer(self, path: str) -> tuple[int, bytes]:
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            said: Any = {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **self.discovery}
        else:
            said = {"keys": list(self.published.values())}
        return self.status, json.dumps(said).encode()


@contextmanager
def issuing() -> Generator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = issuer.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(url=f"http://127.0.0.1:{server.server_port}")
    issuer.new_key("one")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
