"""A knowledge base asked with another embedder than the one that made its vectors."""

import pytest
from tests.journeys.world import KB, ToyEmbedder, World, asker, page

from firstline.errors import InvalidInput


class OtherEmbedder(ToyEmbedder):
    model_id = "another of the same size"


async def test_questions_are_refused_and_the_remedy_is_named():
    world = World()
    await world.ingest(page("a", "# Drivers\n\nUpgrade the driver to end the error."))
    world.embedder = OtherEmbedder()
    questions = world.questions()
    with pytest.raises(InvalidInput, match=r"made by toy.*another of the same size") as refused:
        await questions.ask(session=await world.session(), principal=asker(), question="Which driver ends the error?")
    assert "Set `embedder` back" in refused.value.remedy
    with pytest.raises(InvalidInput, match="made by toy"):
        await questions.rank(principal=asker(), kb=KB, question="Which driver ends the error?")


async def test_an_empty_knowledge_base_takes_any_embedder():
    world = World()
    world.embedder = OtherEmbedder()
    assert await world.questions().rank(principal=asker(), kb=KB, question="Which driver ends the error?") == ()
