"""Fusing hits into documents."""

from firstline.ports import Hit
from firstline.questions.retrieve import FusionWeights, fuse

WEIGHTS = FusionWeights(words=1.0, dense=2.0, document=1.0)


def hit(chunk: str, doc: str, *, dense: float = 0.0, words: float = 0.0, document: float = 0.0) -> Hit:
    return Hit(chunk_id=chunk, doc_id=doc, dense=dense, words=words, document=document)


def test_fusion_weighs_words_against_the_best_and_ranks_documents_by_their_best_chunks():
    ranked = fuse(
        [
            hit("a1", "a", dense=0.6, words=0.0, document=0.5),
            hit("a2", "a", dense=0.2, words=10.0, document=0.5),
            hit("b1", "b", dense=0.7, words=5.0, document=0.1),
        ],
        WEIGHTS,
    )
    assert [document.doc_id for document in ranked] == ["a", "b"]
    assert abs(ranked[0].score - (1.0 + 1.2 + 0.5)) < 1e-9
    assert abs(ranked[1].score - (0.5 + 1.4 + 0.1)) < 1e-9
    assert ranked[0].hits[0][0] == "a2"


def test_no_word_matches_is_not_a_division_by_zero():
    assert fuse([hit("a", "a", dense=0.3)], WEIGHTS)[0].score == 0.6
    assert fuse([], WEIGHTS) == []
