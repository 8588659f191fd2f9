"""The shipped embedder: the vectors it promises, whatever they are batched with."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from firstline.errors import Broken, InvalidInput
from firstline.models import embedder as opening
from firstline.models.embedder import open_embedder, shipped_files
from firstline.models.embedder_local import TOKENS_MAX, LocalEmbedder, _batches

TEXTS = (
    "How do I restore a backup?",
    "",
    "Error 1062: duplicate entry 'a' for key 'PRIMARY' " * 12,
    "バックアップを復元するには",
    "x" * 900,
    "a\ud800b",
    "The replica lags behind the primary because its disk is slow. " * 40,
)


@pytest.fixture(scope="module")
def shipped() -> LocalEmbedder:
    embedder = open_embedder(name="", model="", api_key="", threads=2)
    assert isinstance(embedder, LocalEmbedder)
    return embedder


async def test_vectors_have_the_promised_shape_and_length(shipped: LocalEmbedder) -> None:
    vectors = await shipped.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384) == (len(TEXTS), shipped.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


async def test_no_texts_give_no_rows(shipped: LocalEmbedder) -> None:
    assert (await shipped.embed([])).shape == (0, 384)


async def test_company_in_the_batch_does_not_change_a_vector(shipped: LocalEmbedder) -> None:
    together = await shipped.embed([*TEXTS, *(f"filler {n} " * (n % 60) for n in range(150))])
    alone = [(await shipped.embed([text]))[0] for text in TEXTS]
    for row, vector in enumerate(alone):
        assert float(together[row] @ vector) > 0.999, TEXTS[row][:40]


async def test_order_is_kept_and_meaning_is_near(shipped: LocalEmbedder) -> None:
    asked, near, far = await shipped.embed(
        ["restore a database backup", "How can I recover from a dump file?", "The weather was lovely in the mountains."]
    )
    assert float(asked @ near) > float(asked @ far) + 0.2


async def test_concurrent_calls_get_their_own_vectors(shipped: LocalEmbedder) -> None:
    texts = [f"question number {number} about topic {number % 7}" for number in range(60)]
    expected = await shipped.embed(texts)
    bulk = shipped.embed(texts * 4)
    found = await asyncio.gather(bulk, *(shipped.embed([text]) for text in texts))
    assert np.allclose(np.sum(np.tile(expected, (4, 1)) * found[0], axis=1), 1.0, atol=1e-3)
    for row, vectors in enumerate(found[1:]):
        assert float(expected[row] @ vectors[0]) > 0.999


async def test_a_line_of_two_megabytes_is_cut_before_it_costs_anything(shipped: LocalEmbedder) -> None:
    spent: list[float] = []
    vectors = np.zeros((0, 0))
    for _ in range(3):  # one of them without a neighbour on the machine
        start = time.perf_counter()
        vectors = await shipped.embed(["word " * 400_000, "word " * 300])
        spent.append(time.perf_counter() - start)
    assert min(spent) < 2.0
    assert float(vectors[0] @ vectors[1]) > 0.999


def test_tokens_are_counted_without_markers_and_beyond_the_window(shipped: LocalEmbedder) -> None:
    assert shipped.count_tokens("") == 0
    assert shipped.count_tokens("restore a backup") == 3
    assert shipped.count_tokens("word " * 1000) == 1000 > TOKENS_MAX
    assert shipped.count_tokens("word " * 100_000) == pytest.approx(100_000, rel=0.01)


def test_a_batch_is_bounded_by_its_padded_tokens() -> None:
    ids = [[0] * length for length in (256, 256, 256, 256, 256, 100, 100, 2)]
    batches = list(_batches(range(len(ids)), ids))
    assert [len(batch) for batch in batches] == [4, 4]
    assert sorted(row for batch in batches for row in batch) == list(range(len(ids)))


def test_importing_does_not_load_the_runtime() -> None:
    code = "import sys, firstline.models.embedder; print('openvino' in sys.modules, 'tokenizers' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]


async def test_a_folder_with_the_same_files_gives_the_same_vectors(shipped: LocalEmbedder, tmp_path: Path) -> None:
    files = shipped_files()
    shutil.copy(files.model, tmp_path / "model.onnx")
    shutil.copy(files.tokenizer, tmp_path / "tokenizer.json")
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 16}', encoding="utf-8")
    other = open_embedder(name=str(tmp_path), model="", api_key="", threads=1)
    assert other.model_id != shipped.model_id
    short, cut, longer = await other.embed(["restore a backup", "word " * 14, "word " * 90])
    assert float(short @ (await shipped.embed(["restore a backup"]))[0]) > 0.999
    assert float(cut @ longer) > 0.999


def test_missing_and_damaged_files_name_their_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="neither a folder nor"):
        open_embedder(name=str(tmp_path / "absent"), model="", api_key="", threads=0)
    with pytest.raises(Broken, match=r"model\.onnx cannot be read"):
        open_embedder(name=str(tmp_path), model="", api_key="", threads=0)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(Broken, match="tokenizer"):
        open_embedder(name=str(tmp_path), model="", api_key="", threads=0)
    shutil.copy(shipped_files().tokenizer, tmp_path / "tokenizer.json")
    with pytest.raises(Broken, match=r"model .* cannot be loaded"):
        open_embedder(name=str(tmp_path), model="", api_key="", threads=0)
    monkeypatch.setattr(opening, "MODEL_SHA256", "0" * 64)
    with pytest.raises(Broken, match="Reinstall with"):
        open_embedder(name="", model="", api_key="", threads=0)
    monkeypatch.setattr(opening, "MODEL_PACKAGE", "no_such_package_at_all")
    with pytest.raises(Broken, match="not installed"):
        open_embedder(name="", model="", api_key="", threads=0)
