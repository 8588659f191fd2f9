"""A cross-encoder small enough to write out: an ONNX graph that multiplies the question's and the passage's sums of
token vectors. Tokens that both share make the score. The file is written byte by byte, because nothing that is
installed writes ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

FLOAT, INT64 = 1, 7
DIMENSIONS = 64


def write_cross_encoder(folder: Path, words: Sequence[str], *, logits: int = 1) -> Path:
    """A folder as FIRSTLINE_RERANKER names it. `logits` 2: (irrelevant, relevant) instead of one score."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {"[UNK]": 0, **{word: number for number, word in enumerate(words, start=1)}}
    tokenizer: Any = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="$A:0", pair="$A:0 $B:1", special_tokens=[])
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(7).standard_normal((len(vocabulary), DIMENSIONS)).astype(np.float32)
    table[0] = 0
    (folder / "model.onnx").write_bytes(_model(table, logits))
    return folder


def _model(table: npt.NDArray[np.float32], logits: int) -> bytes:
    spread = np.array([[1.0]] if logits == 1 else [[-0.5, 0.5]], dtype=np.float32)
    initializers = [
        _tensor("table", table),
        _tensor("last", np.array([2], dtype=np.int64)),
        _tensor("tokens", np.array([1], dtype=np.int64)),
        _tensor("spread", spread),
    ]
    nodes = [
        _node("Gather", ["table", "input_ids"], "vectors"),
        _node("Cast", ["attention_mask"], "mask", _integer("to", FLOAT)),
        _node("Cast", ["token_type_ids"], "type", _integer("to", FLOAT)),
        _node("Mul", ["mask", "type"], "second"),
        _node("Sub", ["mask", "second"], "first"),
    ]
    for part in ("first", "second"):
        nodes += [
            _node("Unsqueeze", [part, "last"], f"{part}_wide"),
            _node("Mul", ["vectors", f"{part}_wide"], f"{part}_vectors"),
            _node("ReduceSum", [f"{part}_vectors", "tokens"], f"{part}_sum", _integer("keepdims", 0)),
        ]
    nodes += [
        _node("Mul", ["first_sum", "second_sum"], "shared"),
        _node("ReduceSum", ["shared", "tokens"], "score", _integer("keepdims", 1)),
        _node("MatMul", ["score", "spread"], "logits"),
    ]
    inputs = [_value(name, INT64, ("batch", "length")) for name in ("input_ids", "attention_mask", "token_type_ids")]
    graph = b"".join(
        (
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            *(_field(5, one) for one in initializers),
            *(_field(11, one) for one in inputs),
            _field(12, _value("logits", FLOAT, ("batch", logits))),
        )
    )
    return _number(1, 8) + _field(8, _field(1, b"") + _number(2, 13)) + _field(7, graph)


def _node(operator: str, inputs: Sequence[str], output: str, attribute: bytes = b"") -> bytes:
    named = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    return named + _field(4, operator.encode()) + (_field(5, attribute) if attribute else b"")


def _integer(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _tensor(name: str, array: npt.NDArray[Any]) -> bytes:
    kind = FLOAT if array.dtype == np.float32 else INT64
    sizes = b"".join(_number(1, size) for size in array.shape)
    return sizes + _number(2, kind) + _field(8, name.encode()) + _field(9, array.tobytes())


def _value(name: str, kind: int, sizes: Sequence[str | int]) -> bytes:
    shape = b"".join(
        _field(1, _field(2, size.encode()) if isinstance(size, str) else _number(1, size)) for size in sizes
    )
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
