"""Which words are English, whatever the documents are about? Read from the shipped tokenizer's own words."""

from __future__ import annotations

import json
from typing import Any, Final, cast

from firstline.errors import Broken
from firstline.models.embedder import REINSTALL, shipped_tokenizer

LETTERS_MIN: Final = 4


def open_english() -> frozenset[str]:
    """About 20,000 words in lower case (tens of milliseconds; blocking). Broken when the file is missing or damaged.

    The commonest words of English text, names among them. Rarer words are missing: use it to leave words alone.
    """
    path = shipped_tokenizer()
    try:
        words = cast("dict[str, Any]", json.loads(path.read_bytes()))["model"]["vocab"]
        return frozenset(
            word for word in map(str, words) if len(word) >= LETTERS_MIN and word.isascii() and word.isalpha()
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Broken(f"The tokenizer {path} cannot be read.", remedy=REINSTALL) from error
