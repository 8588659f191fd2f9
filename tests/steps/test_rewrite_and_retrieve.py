"""Rewriting from the conversation, and fusing hits into documents."""

from firstline.ports import Hit
from firstline.questions.retrieve import FusionWeights, fuse
from firstline.questions.rewrite import rewrite

WEIGHTS = FusionWeights(words=1.0, dense=2.0, document=1.0)


def hit(chunk: str, doc: str, *, dense: float = 0.0, words: float = 0.0, document: float = 0.0) -> Hit:
    return Hit(chunk_id=chunk, doc_id=doc, dense=dense, words=words, document=document)


def test_a_first_turn_stands_alone():
    plan = rewrite("How do I rotate logs?", earlier=[])
    assert plan.queries[0].text == plan.standalone == "How do I rotate logs?"
    assert plan.carried == ()


def test_a_follow_up_carries_the_problem_and_names_what_it_carried():
    plan = rewrite("It still crashes", earlier=["Duplicate key E11000 with driver 4.2", "I restarted it"])
    text = plan.queries[0].text
    assert text.count("It still crashes") == 2
    assert "E11000" in text
    assert plan.carried == ("E11000", "4.2")
    assert abs(sum(query.weight for query in plan.queries) - 1.0) < 1e-9


def test_an_announced_change_of_subject_drops_the_conversation():
    assert "E11000" not in rewrite("New question: how do I sort?", earlier=["E11000 again"]).queries[0].text


def test_only_the_last_three_turns_are_carried_and_long_ones_are_cut():
    plan = rewrite("and now?", earlier=["oldest", "second", "third", "x" * 10_000])
    assert "oldest" not in plan.queries[0].text
    assert len(plan.queries[0].text) < 2_000


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


def test_a_complete_question_without_a_shared_word_begins_a_new_subject():
    earlier = ["Inserts fail with a duplicate key"]
    fresh = "How long does an account stay locked after wrong passwords?"
    plan = rewrite(fresh, earlier=earlier)
    assert plan.standalone == plan.queries[0].text == fresh
    assert plan.queries[0].weight > plan.queries[1].weight
    for leaning in ("and for Windows?", "Does it also happen with the Java driver in version five?", "Why inserts?"):
        assert "duplicate" in rewrite(leaning, earlier=earlier).queries[0].text
