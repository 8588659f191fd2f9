"""Why was a piece of evidence not enough? In words that a support engineer can check at a glance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.domain import Evidence
from firstline.questions.message.language import language_of
from firstline.questions.message.terms import FUNCTION_WORDS, TOKEN, all_stems, identifiers, stem
from firstline.questions.page.versions import Stated

WORDS_SHOWN_MAX: Final = 3
CODES_SHOWN_MAX: Final = 3
WORD_CHARS_MIN: Final = 4
SAYS_NOTHING: Final = frozenset(
    """
    rather every each still now again already today
    yesterday since always never often sometimes too also even again soon later somehow
    something anything everything someone anyone please thanks okay yes maybe well right thing things way
    """.split()
)
"""Words that no page needs to have."""
NAMES: Final = "names "
BUT_NOT: Final = ", but not "
NO_PASSAGE: Final = "has the words of the question, but no passage that answers it"
NOT_USED: Final = "was found, and not used: this needs a person whatever it says"


_PLACEHOLDER: Final = re.compile(r"\[[A-Z]+(?:_[A-Z]+)*_\d+\]")
"""What stands for a redacted value is no name that a page could have."""


def closeness(text: str, wanted: str) -> float:
    """The share of the words of `wanted` that the text has, 0 to 1."""
    words = set(all_stems(_PLACEHOLDER.sub(" ", wanted))) - FUNCTION_WORDS - SAYS_NOTHING
    return len(words & all_stems(text)) / len(words) if words else 0.0


def not_enough(piece: Evidence, *, sought: str, asked: Stated | None, versions: Sequence[Stated] = ()) -> str:
    """What the passage lacks, measured against the question in full (`sought`) and the version `asked` about.
    `versions` are those that its document is about."""
    text = " ".join((piece.chunk.title, *piece.chunk.section_path, piece.lead_text, piece.text))
    sought = _PLACEHOLDER.sub(" ", sought)
    reasons = [reason for reason in (_other_version(versions, asked), _lacks(sought, text)) if reason]
    return "; ".join(reasons) or NO_PASSAGE


def named_by(why_not: str) -> str:
    """The part of such a reason that tells which names of the question the page has; "" when it has none."""
    return next((part.partition(BUT_NOT)[0] for part in why_not.split("; ") if part.startswith(NAMES)), "")


def _other_version(versions: Sequence[Stated], asked: Stated | None) -> str:
    numbers = asked.low or asked.high if asked is not None else None
    if not numbers or not versions or any(stated.covers(numbers) for stated in versions):
        return ""
    return f"is about version {versions[0]}, asked: {asked}"


def _lacks(sought: str, text: str) -> str:
    folded, held = text.casefold(), all_stems(text)
    codes = [code for code in identifiers(sought) if not code[:1].isdigit()]
    absent = [code for code in codes if code.casefold() not in folded]
    named = [code for code in codes if code not in absent]
    # Of another language a page has no word, whatever it is about.
    words = _absent_words(sought, held, but=codes) if language_of(sought) == language_of(text) else []
    if absent:
        return f"does not mention {_listed(absent[:CODES_SHOWN_MAX])}"
    if named and words:
        return f"{NAMES}{_listed(named[:CODES_SHOWN_MAX])}{BUT_NOT}{_quoted(words)}"
    return f"does not mention {_quoted(words)}" if words else ""


def _absent_words(sought: str, held: frozenset[str], *, but: Sequence[str]) -> list[str]:
    """The longest say most."""
    joined = {code.casefold() for code in but}
    absent: dict[str, str] = {}
    for word in TOKEN.findall(sought):
        folded = word.casefold()
        says_much = (
            len(word) >= WORD_CHARS_MIN and folded not in FUNCTION_WORDS | SAYS_NOTHING and not folded.endswith("ly")
        )
        if says_much and not folded[0].isdigit() and folded not in joined and stem(folded) not in held:
            absent.setdefault(stem(folded), word)
    telling = sorted(absent.values(), key=len, reverse=True)[:WORDS_SHOWN_MAX]
    return [word for word in absent.values() if word in telling]


def _quoted(words: Sequence[str]) -> str:
    return _listed([f"“{word}”" for word in words])


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
