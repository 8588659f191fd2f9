"""Opens the reranker that the settings name: a folder with an ONNX cross-encoder, or a rerank endpoint.

None is shipped: no package of the registry carries a cross-encoder. Without one the fused order stands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from firstline.errors import InvalidInput
from firstline.models.endpoint_address import checked_address
from firstline.models.reranker_endpoint import EndpointReranker
from firstline.models.reranker_local import CrossEncoder

REMEDY: Final = (
    "Set FIRSTLINE_RERANKER to a folder that holds model.onnx and tokenizer.json or to the http(s) URL of a rerank "
    "endpoint, or unset it."
)


def open_reranker(*, name: str, model: str, api_key: str, threads: int) -> CrossEncoder | EndpointReranker | None:
    """None when `name` is empty. Blocking: a local model is read and compiled here.

    InvalidInput when `name` is neither a folder nor an http(s) URL, Broken when its files are missing or damaged.
    """
    if not name:
        return None
    if name.startswith(("http://", "https://")):
        return EndpointReranker(url=checked_address(name, setting="reranker"), model=model, api_key=api_key)
    folder = Path(name)
    if not folder.is_dir():
        raise InvalidInput(f"The reranker {name!r} is neither a folder nor an http(s) URL.", remedy=REMEDY)
    return CrossEncoder.open(folder, threads=threads, remedy=REMEDY)
