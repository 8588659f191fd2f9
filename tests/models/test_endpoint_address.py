"""An endpoint's address is looked at when it is opened, and never repeated in a message."""

import pytest

from firstline.errors import InvalidInput
from firstline.models.embedder import open_embedder
from firstline.models.reranker import open_reranker

WRONG = [
    ("http://user:secret@127.0.0.1:99999/x", "names port 99999"),
    ("http://:8080/secret", "names no host"),
    ("https:///secret", "names no host"),
    ("http://[secret", "names no host"),
    ("http://127.0.0.1:secret/", "is not an http"),
]


@pytest.mark.parametrize(("address", "said"), WRONG)
@pytest.mark.parametrize(("opened", "setting"), [(open_reranker, "reranker"), (open_embedder, "embedder")])
def test_an_address_that_cannot_be_called_is_refused(opened, setting, address, said):
    with pytest.raises(InvalidInput) as refused:
        opened(name=address, model="", api_key="", threads=1)
    assert said in refused.value.message and f"`{setting}`" in refused.value.message
    assert f"FIRSTLINE_{setting.upper()}" in refused.value.remedy
    assert "secret" not in refused.value.message + refused.value.remedy


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8080/rerank", "https://rerank.example/v1?key=x", "http://[::1]:9/"]
)
def test_an_address_that_can_be_called_is_taken(address):
    assert open_reranker(name=address, model="", api_key="", threads=1) is not None
