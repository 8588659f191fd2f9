"""What a message becomes before anybody reads it."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.domain import readable_message
from firstline.errors import InvalidInput


def readable(text: str) -> str:
    return readable_message(text, chars_max=10_000)


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        ("&quot;ImagePullBackOff&quot; isn&#39;t clear", '"ImagePullBackOff" isn\'t clear'),
        ("a &lt;b&gt; &amp; c&#x27;s&nbsp;d", "a <b> & c's\xa0d"),
        ("&amp;lt; is decoded once", "&lt; is decoded once"),
        ("what does `&amp;` mean, and ``&lt;``?", "what does `&amp;` mean, and ``&lt;``?"),
        ("```\n&quot;\n``` &quot;", '```\n&quot;\n``` "'),
        ("an open ` mark &quot;", 'an open ` mark "'),
        ("?a=1&lt=2&copy;&quot", "?a=1&lt=2&copy;&quot"),
        ("&#0;&#xD800;&#x110000;&#9999999;", "\ufffd\ufffd\ufffd\ufffd"),
        ("&#13;&#7;x", "x"),
        ("a\x9b2Jb\x7fc\x85d", "a 2Jb c d"),
        ("run \u202efdp.exe\u2066 &#x202e;now", "run fdp.exe now"),
    ],
)
def test_entities_are_decoded_once_and_not_in_code(sent: str, understood: str) -> None:
    assert readable(sent) == understood


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60))
def test_what_a_form_escaped_is_understood_as_it_was_typed(typed: str) -> None:
    if "`" in typed or not typed.strip() or "&" in typed:
        return
    assert readable(html.escape(typed)) == readable(typed)


@given(st.text(st.sampled_from("&#;xquotamplg39` \n0"), max_size=80))
def test_it_never_grows(sent: str) -> None:
    if sent.strip():
        try:
            assert len(readable(sent)) <= len(sent)
        except InvalidInput:
            assert "&" in sent


def test_the_limit_counts_what_is_understood() -> None:
    assert readable_message("&quot;" * 4, chars_max=4) == '""""'
    with pytest.raises(InvalidInput):
        readable_message("&quot;" * 5, chars_max=4)
