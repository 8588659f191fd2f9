"""The comparison with other libraries, without any of them: what is asked, what is kept, what the table says."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers.corpus import KnowledgeBase, read_cases, read_knowledge, visible
from benchmarks.peers.costs import Costs, load_costs, quantile, save_costs
from benchmarks.peers.embedding import BlockingEmbedder, PeerEmbedder, Phase
from benchmarks.peers.entrants import ENTRANTS, OURS, Entrant
from benchmarks.peers.folder import costs_path, results_path
from benchmarks.peers.measure import TIMED_CASES, ask_everything
from benchmarks.peers.memory import wait_and_watch
from benchmarks.peers.open_entrant import Ready, open_entrant
from benchmarks.peers.peer import PeerDocument, best_documents, word_chunks
from benchmarks.peers.table import (
    MACRO,
    MARK,
    Run,
    ahead_table,
    cost_table,
    difference_table,
    full_table,
    means,
    quality_table,
    with_tables,
)
from benchmarks.peers.wording import Wording, differing, merged, worded

from firstline.domain import EVERYONE, Level
from firstline.evals.cases import Case
from firstline.evals.evaluate import Ranked
from firstline.evals.results import Results, load, save
from firstline.evals.scorers import ranking_scores
from firstline.ports import Vectors

TALK = Case(case_id="talk", turns=("Which ports?", "And on Windows?"), docs=("a",), set_name="one")
SINGLE = Case(case_id="single", turns=("Which ports?",), docs=("b",), set_name="two")
PAGE = PeerDocument(doc_id="page", title="Ports", text="one two three four five")


class CountingEmbedder:
    """Implements `ports.Embedder`: the length of a text as a vector, and every text it was asked for."""

    model_id = "counting"
    dimensions = 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


class TitlePeer:
    """Finds the documents whose title is in the question."""

    def __init__(self) -> None:
        self._documents: Sequence[PeerDocument] = ()

    def index(self, documents: Sequence[PeerDocument]) -> int:
        self._documents = documents
        return len(documents)

    def search(self, question: str, k: int) -> list[str]:
        return [one.doc_id for one in self._documents if one.title in question][:k]


def ranked(case: Case, *found: str, duration_ms: float = 1.0) -> Ranked:
    return Ranked(
        key=case.key,
        set_name=case.set_name,
        question=case.question,
        gold=case.docs,
        ranked=found,
        scores=ranking_scores(found, case.docs),
        duration_ms=duration_ms,
    )


def run_of(name: str, *found: Ranked) -> Run:
    costs = Costs(
        chunks=1200, index_s=2.5, live_ms=(1.0, 9.0), search_ms=(0.5, 4.0), memory_mb=80.0, memory_peak_mb=99.6
    )
    return Run(label=name, results=Results(name=name, about={"split": "dev"}, ranked=found), costs=costs)


# --- what is asked --------------------------------------------------------------------------------------------------


def test_a_conversation_is_worded_in_two_ways_and_a_single_question_in_one() -> None:
    assert worded(TALK, Wording.LAST) == "And on Windows?"
    assert worded(TALK, Wording.ALL) == "Which ports?\nAnd on Windows?"
    assert worded(SINGLE, Wording.ALL) == worded(SINGLE, Wording.LAST) == "Which ports?"
    assert differing([TALK, SINGLE]) == [TALK]


def test_a_second_wording_replaces_only_what_it_asked_again() -> None:
    first = [ranked(TALK, "x", "a"), ranked(SINGLE, "b")]
    both = merged(first, [ranked(TALK, "a")])
    assert [one.ranked for one in both] == [("a",), ("b",)]


async def test_every_case_is_asked_with_and_without_embedding_and_conversations_twice() -> None:
    asked: list[tuple[str, Wording, Phase]] = []
    embedder = PeerEmbedder(CountingEmbedder(), Path("unused"))

    async def rank(case: Case, wording: Wording) -> Sequence[str]:
        asked.append((case.case_id, wording, embedder.phase))
        return ["a"] if wording is Wording.ALL else ["b"]

    entrant = Entrant(label="any", packages=(), open_peer=None)
    found = await ask_everything(entrant, Ready(rank=rank, chunks=1, index_s=0.0), embedder, [TALK, SINGLE])
    assert asked == [
        (case, wording, phase)
        for wording, cases in ((Wording.LAST, ("talk", "single")), (Wording.ALL, ("talk",)))
        for phase in (Phase.LIVE, Phase.REMEMBERED)
        for case in cases
    ]
    assert [one.scores["hit1"] for one in found[Wording.LAST].live] == [0.0, 1.0]
    assert [one.scores["hit1"] for one in found[Wording.ALL].search] == [1.0, 1.0]


async def test_latency_without_embedding_is_of_one_sample_for_everybody(tmp_path: Path) -> None:
    cases = [replace(SINGLE, case_id=str(number)) for number in range(TIMED_CASES + 50)]

    async def rank(case: Case, wording: Wording) -> Sequence[str]:
        return ["b"]

    async def timed(label: str) -> list[str]:
        embedder = PeerEmbedder(CountingEmbedder(), tmp_path / "vectors.sqlite")
        entrant = Entrant(label=label, packages=(), open_peer=None, wordings=(Wording.LAST,))
        found = await ask_everything(entrant, Ready(rank=rank, chunks=1, index_s=0.0), embedder, cases)
        assert len(found[Wording.LAST].live) == len(cases)
        return [one.key for one in found[Wording.LAST].search]

    assert await timed("one") == await timed("another")
    assert len(await timed("one")) == TIMED_CASES


# --- what is found --------------------------------------------------------------------------------------------------


def test_chunks_become_documents_at_their_best_place() -> None:
    assert best_documents(["a", "b", "a", "c"], 2) == ["a", "b"]
    assert best_documents([], 2) == []


def test_word_chunks_carry_the_title_and_lose_no_word() -> None:
    assert word_chunks(PAGE, words=2) == ["Ports\nPorts\n\none two", "Ports\nthree four", "Ports\nfive"]
    assert word_chunks(replace(PAGE, text="")) == ["Ports\nPorts"]
    assert word_chunks(replace(PAGE, text="one two   "), words=2) == ["Ports\nPorts\n\none two"]


def test_what_the_asker_may_not_see_costs_no_place() -> None:
    everyone = frozenset({EVERYONE})
    knowledge = KnowledgeBase(
        documents=(),
        access={"a": (everyone, Level.PUBLIC), "b": (everyone, Level.INTERNAL), "c": (frozenset(), Level.PUBLIC)},
    )
    assert visible(["c", "b", "a"], TALK, knowledge) == ["a"]
    assert visible(["c", "b", "a"], replace(TALK, level=Level.INTERNAL), knowledge) == ["b", "a"]


async def test_the_demo_is_read_as_its_golden_questions_name_it() -> None:
    knowledge = (await read_knowledge(None))["demo"]
    ids = [document.doc_id for document in knowledge.documents]
    assert len(ids) == len(set(ids)) == len(knowledge.access)
    cases = read_cases(None)
    assert cases
    assert {doc for case in cases for doc in case.docs} <= set(ids)
    assert not [document.doc_id for document in knowledge.documents if document.text.startswith("---")]


async def test_a_peer_is_opened_once_for_each_knowledge_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.peers.open_entrant.FOLDER", tmp_path)
    access = {"b": (frozenset({EVERYONE}), Level.PUBLIC)}
    shown = KnowledgeBase(documents=(replace(PAGE, doc_id="b", title="Which"),), access=access)
    entrant = Entrant(label="any", packages=(), open_peer=lambda embedder, folder: TitlePeer())
    embedder = PeerEmbedder(CountingEmbedder(), tmp_path / "vectors.sqlite")
    knowledge = {"data": shown, "demo": KnowledgeBase(documents=(), access={})}
    async with open_entrant(entrant, embedder=embedder, data=None, knowledge=knowledge) as ready:
        assert ready.chunks == 1
        assert await ready.rank(SINGLE, Wording.LAST) == ["b"]
        assert await ready.rank(replace(SINGLE, set_name="demo"), Wording.LAST) == []
        assert list(tmp_path.glob("index-*"))
    assert not list(tmp_path.glob("index-*"))


# --- the embedder ---------------------------------------------------------------------------------------------------


async def test_vectors_of_documents_are_computed_once_and_kept(tmp_path: Path) -> None:
    inner, path = CountingEmbedder(), tmp_path / "vectors.sqlite"
    first = PeerEmbedder(inner, path)
    rows = await first.embed(["one", "three", "one"])
    assert (inner.texts, first.computed) == (["one", "three"], 2)
    second = PeerEmbedder(inner, path)
    assert np.array_equal(await second.embed(["three", "one"]), rows[[1, 0]])
    assert (inner.texts, second.computed) == (["one", "three"], 0)
    assert (await second.embed([])).shape == (0, 2)


async def test_a_question_is_computed_when_live_and_given_again_when_remembered(tmp_path: Path) -> None:
    inner = CountingEmbedder()
    embedder = PeerEmbedder(inner, tmp_path / "vectors.sqlite")
    await embedder.embed(["why?"])
    embedder.phase = Phase.LIVE
    live = await embedder.embed(["why?"])
    assert inner.texts == ["why?", "why?"]
    embedder.phase = Phase.REMEMBERED
    assert np.array_equal(await embedder.embed(["why?"]), live)
    assert inner.texts == ["why?", "why?"]


async def test_a_library_may_embed_synchronously_inside_a_running_loop() -> None:
    blocking = BlockingEmbedder(CountingEmbedder())
    assert blocking.embed_one("four") == [4.0, 1.0]
    assert (await asyncio.to_thread(blocking.embed, ["a", "bb"])).tolist() == [[1.0, 1.0], [2.0, 1.0]]
    blocking.close()


# --- what is kept and shown -----------------------------------------------------------------------------------------


def test_runs_and_costs_come_back_as_they_were(tmp_path: Path) -> None:
    run = run_of("any", ranked(TALK, "a"))
    save(run.results, tmp_path / "results.json")
    save_costs(run.costs, tmp_path / "costs.json")
    assert load(tmp_path / "results.json") == run.results
    assert load_costs(tmp_path / "costs.json") == run.costs


def test_every_run_has_files_of_its_own() -> None:
    pairs = [(name, wording) for name, entrant in ENTRANTS.items() for wording in entrant.wordings]
    assert len({path(*pair) for pair in pairs for path in (results_path, costs_path)}) == 2 * len(pairs)
    assert Wording.OWN in ENTRANTS[OURS].wordings


def test_quantiles_are_values_that_were_measured() -> None:
    values = [5.0, 1.0, 3.0, 2.0, 4.0]
    assert (quantile(values, 0.5), quantile(values, 0.95), quantile([7.0], 0.5)) == (3.0, 5.0, 7.0)


def test_the_average_counts_sets_not_questions() -> None:
    again = replace(TALK, case_id="again")
    run = run_of("any", ranked(TALK, "a"), ranked(again, "a"), ranked(SINGLE, "x"))
    assert means(run.results, "one")["hit1"] == 1.0
    assert means(run.results, MACRO)["hit1"] == 0.5


def test_the_table_says_where_another_one_is_ahead() -> None:
    ours = run_of("ours", ranked(TALK, "a"), ranked(SINGLE, "x", "b"))
    other = run_of("other", ranked(TALK, "x", "a"), ranked(SINGLE, "b"))
    ahead = ahead_table(ours.results, [other])
    assert "| two | other | hit@1 -1.000" in ahead
    assert "| one |" not in ahead
    assert ahead_table(ours.results, [ours]) == "Nowhere."
    assert difference_table(ours.results, [other.results]).splitlines()[-1].startswith("| other | +0.000 (")


def test_wordings_share_a_line_where_they_found_the_same() -> None:
    last = run_of("any, last turn", ranked(TALK, "x"), ranked(SINGLE, "b"))
    every = run_of("any, all user turns", ranked(TALK, "a"), ranked(SINGLE, "b"))
    runs = [replace(one, label="any") for one in (last, every)]
    assert [line.split(" | ")[0] for line in quality_table(runs, "two").splitlines()[2:]] == ["| any"]
    names = ["| any, last turn", "| any, all user turns"]
    assert [line.split(" | ")[0] for line in quality_table(runs, "one").splitlines()[2:]] == names
    assert [line.split(" | ")[0] for line in quality_table(runs, MACRO).splitlines()[2:]] == names


def test_the_whole_page_is_markdown_with_the_best_in_bold() -> None:
    ours = run_of("ours", ranked(TALK, "a"), ranked(SINGLE, "b"))
    other = run_of("other", ranked(TALK, "x"), ranked(SINGLE, "b"))
    page = full_table([ours, other], ours.results)
    assert "### Average over sets" in page
    assert "### two, 1 questions" in page
    assert "| other | 0.500 | 0.500" in page
    assert "| ours | **1.000** |" in page
    assert "| 1.0 | 9.0 | 0.5 | 4.0 | 2.5 | 1,200 | 80 | 100 |" in cost_table([ours])
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in rows)


def test_new_tables_replace_the_old_ones_and_nothing_else() -> None:
    page = with_tables(f"# Page\n\n{MARK}\n\nold\n", "new")
    assert page == f"# Page\n\n{MARK}\n\nnew\n"
    assert with_tables(page, "new") == page
    with pytest.raises(ValueError, match="lacks"):
        with_tables("# Page\n", "new")
    assert MARK in (Path(__file__).parents[2] / "docs" / "peers.md").read_text(encoding="utf-8")


def test_a_process_that_does_not_end_is_stopped() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stderr=subprocess.DEVNULL)
    with pytest.raises(TimeoutError):
        wait_and_watch(process, wait_s_max=0.2)
    assert process.poll() is not None


def test_the_pins_name_no_address_and_cover_what_is_required() -> None:
    folder = Path(__file__).parents[2] / "benchmarks" / "peers"
    pins = (folder / "constraints.txt").read_text().split()
    assert all(pin.count("==") == 1 and "/" not in pin and "@" not in pin for pin in pins)
    names = {pin.partition("==")[0].lower() for pin in pins}
    assert set((folder / "requirements.txt").read_text().split()) <= names
    assert "torch" not in names
