"""Trains the name finder that ships: `python -m training.names.train` (needs the `train` extra).

A network of two convolutions over the words of a sentence, in numpy. It learns from composed sentences with persons and
addresses marked, and from prose without: the docstrings of Python's standard library, our own pages and our own support
messages. Same inputs, same file.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse

from firstline.models.english import open_english
from firstline.models.name_features import WORD, hashed, rows_of
from training.names.compose import ADDRESS, COMPANY, PERSON, PHONE, PLACE, Composer, Marked
from training.names.lists import lists

ROOT: Final = Path(__file__).parents[2]
TARGET: Final = ROOT / "src" / "firstline" / "models" / "names.npz"
LABELS: Final = ("", PERSON, ADDRESS, PLACE, COMPANY, PHONE)
ROWS, WIDTH, HIDDEN, HIDDEN_2 = 1 << 14, 32, 80, 40
NEAR, NEAR_2 = 3, 2
"""Words to each side that a convolution sees."""
GAP: Final = NEAR + NEAR_2
SEED: Final = 7
MESSAGES: Final = ("field_dev", "held_out", "train", "written")
"""Files of our own messages to a support desk (training/triage/sentences)."""
Floats = npt.NDArray[np.float32]


def prose() -> list[str]:
    """Paragraphs in which nobody is named, as far as can be told without reading them."""
    found: list[str] = []
    for path in sorted((ROOT / "demo").rglob("*.md")) + sorted((ROOT / "docs").rglob("*.md")):
        found += re.split(r"\n{2,}", path.read_text(encoding="utf-8"))
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py")):
        if not {"site-packages", "test", "tests", "idlelib", "lib2to3"} & set(path.parts):
            found += _docstrings(path)
    return [
        one.strip()
        for one in found
        if 20 < len(one) < 700 and not re.search(r"(?i)\b(?:by|copyright|thanks|author|van)\b", one)
    ]


def _docstrings(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield from re.split(r"\n\s*\n", ast.get_docstring(node) or "")


def messages() -> list[str]:
    """Our own sentences to a support desk; those with a word that is only a first name are left out."""
    folder = ROOT / "training" / "triage" / "sentences"
    found = [
        json.loads(line)["text"]
        for path in (folder / f"{name}.jsonl" for name in MESSAGES)
        for line in path.read_text(encoding="utf-8").splitlines()
        if line
    ]
    names = _words_of(lists().first) - plain_words()
    return [
        one
        for one in found
        if not any(word.lower() in names and word[0].isupper() for word in re.findall(r"[^\W\d_]+", one))
    ]


def _words_of(names: Any) -> set[str]:
    held = [one for some in names.values() for one in some] if isinstance(names, dict) else names
    return {word.lower() for one in held for word in WORD.findall(one) if word[0].isalpha() and len(word) > 1}


@cache
def plain_words() -> frozenset[str]:
    """English words: common in prose in lower case, or known to the tokenizer and no name."""
    seen = Counter(word for text in prose() for word in re.findall(r"(?<![\w.])[a-z]{2,}\b", text))
    names = _words_of(lists().first) | _words_of(lists().last)
    return frozenset(
        {word for word, times in seen.items() if times >= 2} | {word for word in open_english() if word not in names}
    )


def hash_lists() -> list[npt.NDArray[np.uint32]]:
    entries = (_words_of(lists().first), _words_of(lists().last), _words_of(lists().towns), set(plain_words()))
    return [np.array(sorted({hashed(word) for word in each}), dtype=np.uint32) for each in entries]


class Batch:
    """Sentences one behind the other, with gaps between, as rows of the words in them."""

    def __init__(self, some: list[Marked], vocabulary: dict[str, int]) -> None:
        ids: list[int] = [0] * GAP
        labels: list[int] = [-1] * GAP
        for one in some:
            for match in WORD.finditer(one.text):
                ids.append(vocabulary.setdefault(match.group(), len(vocabulary)))
                labels.append(next((LABELS.index(kind) for a, b, kind in one.spans if a <= match.start() < b), 0))
            ids += [0] * GAP
            labels += [-1] * GAP
        self.ids = np.array(ids)
        self.labels = np.array(labels)


def windows(rows: Floats, near: int) -> Floats:
    padded = np.pad(rows, ((near, near), (0, 0)))
    return np.concatenate([padded[at : at + len(rows)] for at in range(2 * near + 1)], axis=1)


def unwindowed(grad: Floats, near: int, width: int) -> Floats:
    rows = len(grad)
    padded = np.zeros((rows + 2 * near, width), dtype=np.float32)
    for at in range(2 * near + 1):
        padded[at : at + rows] += grad[:, at * width : (at + 1) * width]
    return padded[near : near + rows]


class Network:
    def __init__(self) -> None:
        r = np.random.default_rng(SEED)

        def start(*shape: int) -> Floats:
            return (r.standard_normal(shape) * np.sqrt(2.0 / shape[0])).astype(np.float32)

        self.p: dict[str, Floats] = {
            "table": (r.standard_normal((ROWS, WIDTH)) * 0.1).astype(np.float32),
            "w1": start((2 * NEAR + 1) * WIDTH, HIDDEN),
            "b1": np.zeros(HIDDEN, dtype=np.float32),
            "w2": start((2 * NEAR_2 + 1) * HIDDEN, HIDDEN_2),
            "b2": np.zeros(HIDDEN_2, dtype=np.float32),
            "w3": start(HIDDEN_2, len(LABELS)),
            "b3": np.zeros(len(LABELS), dtype=np.float32),
        }
        self._m = {key: np.zeros_like(value) for key, value in self.p.items()}
        self._v = {key: np.zeros_like(value) for key, value in self.p.items()}
        self._t = 0
        self._random = r

    def step(self, matrix: sparse.csr_matrix, batch: Batch, rate: float) -> float:
        p = self.p
        words, inverse = np.unique(batch.ids, return_inverse=True)
        chosen = matrix[words]
        held = (chosen @ p["table"]).astype(np.float32)
        x = held[inverse]
        x[batch.labels < 0] = 0
        drop = (self._random.random(x.shape) > 0.1).astype(np.float32) / np.float32(0.9)
        x = x * drop
        wide = windows(x, NEAR)
        h1 = np.maximum(wide @ p["w1"] + p["b1"], 0)
        inside = (batch.labels >= 0)[:, None]
        h1 = h1 * inside
        wide_2 = windows(h1, NEAR_2)
        h2 = np.maximum(wide_2 @ p["w2"] + p["b2"], 0)
        drop_2 = (self._random.random(h2.shape) > 0.1).astype(np.float32) / np.float32(0.9)
        h2 = h2 * drop_2
        logits = h2 @ p["w3"] + p["b3"]
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        mask = batch.labels >= 0
        count = int(mask.sum())
        grad = chances.copy()
        grad[np.arange(len(grad)), np.maximum(batch.labels, 0)] -= 1
        grad[~mask] = 0
        grad /= count
        g: dict[str, Floats] = {"w3": h2.T @ grad, "b3": grad.sum(0)}
        back = (grad @ p["w3"].T) * (h2 > 0) * drop_2
        g["w2"], g["b2"] = wide_2.T @ back, back.sum(0)
        back = unwindowed(back @ p["w2"].T, NEAR_2, HIDDEN) * (h1 > 0) * inside
        g["w1"], g["b1"] = wide.T @ back, back.sum(0)
        back = unwindowed(back @ p["w1"].T, NEAR, WIDTH) * drop
        back[batch.labels < 0] = 0
        per_word = np.asarray(
            sparse.csr_matrix(
                (np.ones(len(inverse), dtype=np.float32), (inverse, np.arange(len(inverse)))),
                shape=(len(words), len(inverse)),
            )
            @ back
        )
        g["table"] = np.asarray(chosen.T @ per_word, dtype=np.float32)
        self._adam(g, rate)
        return float(-np.log(chances[mask, batch.labels[mask]] + 1e-9).mean())

    def _adam(self, grads: dict[str, Floats], rate: float) -> None:
        self._t += 1
        fix = np.sqrt(1 - 0.999**self._t) / (1 - 0.9**self._t)
        for key, grad in grads.items():
            m, v = self._m[key], self._v[key]
            m += 0.1 * (grad - m)
            v += 0.001 * (grad * grad - v)
            self.p[key] -= (rate * fix) * m / (np.sqrt(v) + 1e-8)


def rounds(count: int) -> Iterator[list[Marked]]:
    r = random.Random(SEED)  # noqa: S311 (sentences, not secrets)
    composer = Composer(SEED, sorted(word for word in open_english() if word in plain_words() and len(word) > 3))
    plain, own = prose(), messages()
    print(f"{len(plain)} paragraphs, {len(own)} messages", file=sys.stderr)
    for _ in range(count):
        some = [composer.sentence() for _ in range(170)]
        some += [_plain(r.choice(plain), r) for _ in range(20)]
        some += [_plain(r.choice(own), r) for _ in range(30)]
        r.shuffle(some)
        yield some


def _plain(text: str, r: random.Random) -> Marked:
    changed = text.lower() if r.random() < 0.08 else text
    return Marked(text=changed if len(changed) == len(text) else text, spans=())


def train(count: int) -> dict[str, Any]:
    held_lists = hash_lists()
    vocabulary: dict[str, int] = {"": 0}
    known = 1
    data: list[list[int]] = [[]]
    network = Network()
    loss, began = 0.0, time.monotonic()
    pending: list[Batch] = []
    at = 0
    for some in rounds(count):
        pending.append(Batch(some, vocabulary))
        if len(pending) < 50:
            continue
        words = list(vocabulary)
        data += [rows_of(word, lists=held_lists, rows=ROWS) for word in words[known:]]
        known = len(words)
        matrix = _matrix(data)
        for batch in pending:
            at += 1
            rate = 0.003 * min(1.0, at / 100) * max(0.02, 1 - at / count)
            loss += 0.02 * (network.step(matrix, batch, rate) - loss)
        pending.clear()
        print(f"{at}/{count}: loss {loss:.4f}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return {"lists": held_lists, **network.p}


def _matrix(data: list[list[int]]) -> sparse.csr_matrix:
    ends = np.cumsum([0] + [len(rows) for rows in data])
    flat = np.fromiter((row for rows in data for row in rows), dtype=np.int64, count=int(ends[-1]))
    weights = np.repeat([1 / np.sqrt(max(len(rows), 1)) for rows in data], np.diff(ends)).astype(np.float32)
    return sparse.csr_matrix((weights, flat, ends), shape=(len(data), ROWS))


def save(model: dict[str, Any], path: Path) -> None:
    """The table in bytes, each row with a scale of its own; weights in half precision."""
    table = model["table"]
    scale = np.maximum(np.abs(table).max(axis=1), 1e-6) / 127
    first, last, town, plain = model["lists"]
    np.savez_compressed(
        path,
        labels=np.array(LABELS),
        table=np.round(table / scale[:, None]).astype(np.int8),
        scale=scale.astype(np.float16),
        near=np.array([NEAR, NEAR_2]),
        first=first,
        last=last,
        town=town,
        plain=plain,
        **{key: model[key].astype(np.float16) for key in ("w1", "b1", "w2", "b2", "w3", "b3")},
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.names.train")
    parser.add_argument("--batches", type=int, default=2300)
    parser.add_argument("--to", type=Path, default=TARGET)
    given = parser.parse_args()
    save(train(given.batches), given.to)
    print(f"{given.to}: {given.to.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
