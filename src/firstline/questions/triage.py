"""What kind of message is this? Rules that read the words, weighed with the classifier that reads the meaning.

A wrong deflection costs more than a retrieval in vain: what only the classifier takes for off-topic is not settled, and
the knowledge base has the last word on it (out_of_scope.py). The classifier was trained on English: a message in
another language is read by the signs of its own (tongues.py), and without one it is looked up. Thresholds:
training/triage, on industries left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from firstline.domain import Category, Intent, Mood, Triage
from firstline.questions.message.language import DEFAULT
from firstline.questions.message.manner import HOW_FIRST, INTENTS, entities, upset
from firstline.questions.message.own_customers import of_their_own_customers
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.product_things import ends_a_thing
from firstline.questions.message.signs import (
    ACCOUNT,
    ASKS,
    ENDS_IT,
    HIGH_STRONG,
    HIGH_WEAK,
    MINE,
    OFF_TASK,
    ON_YOUR_SIDE,
    OTHERS,
    POLICY,
    PRIVATE,
    first_sign,
)
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import codes
from firstline.questions.message.tongue import tongue_of
from firstline.questions.message.tongue_reading import made_of_known_words, read_as, stakes_of
from firstline.questions.message.tongues import (
    asks_for_private_data,
    asks_for_rules,
    fold,
    has_signs,
    high_stakes_sign,
    kind_of_question,
    needs_account,
    off_task,
    says_upset,
)
from firstline.questions.page.outright import codes_alone

DEFLECT_MIN: Final = 0.5
DEFLECT_WITH_SIGN_MIN: Final = 0.3
DEFLECT_IN_CONVERSATION_MIN: Final = 0.9
PRIVATE_MIN: Final = 0.25
OUT_OF_SCOPE_MIN: Final = 0.5
ACCOUNT_WITH_SIGN_MIN: Final = 0.5
HIGH_WITH_STRONG_MIN: Final = 0.01
HIGH_WITH_WEAK_MIN: Final = 0.35
HIGH_ALONE_MIN: Final = 0.6
HIGH_COMMAND_MIN: Final = 0.8
"""A command of a few words ("delete a collection") names a thing of the product's."""
COMMAND_WORDS_MAX: Final = 3
BARE_WORDS_MAX: Final = 6
HOW_FIRST_MIN: Final = 0.85
"""Somebody who asks how something is done in general seldom has a case of their own."""
BESIDE_MAX: Final = 0.3
"""A share that small says: whatever else it is, it is no question to look up."""
LIKELIEST_MIN: Final = 0.4
HIGH_READ_MIN: Final = 0.5
HIGH_ASKED_MIN: Final = 0.6
RULES_READ_MIN: Final = 0.85
ACCOUNT_READ_MIN: Final = 0.5
"""In other languages than English, read by the pieces of words."""
ENTITIES_MAX: Final = 12
CHARS_MAX: Final = 2_000
"""Rules read the start of a message: what somebody wants stands there, logs follow."""
SHORT_WORDS_MAX: Final = 40
"""Requests for a person, another's data or a poem are short; a longer message describes a problem."""
WITHOUT_CLASSIFIER: Final[Mapping[Category, float]] = MappingProxyType(
    {
        Category.ANSWERABLE: 1.0 - HIGH_WITH_STRONG_MIN,
        Category.HIGH_STAKES: HIGH_WITH_STRONG_MIN,
        Category.OUT_OF_SCOPE: 0.0,
        Category.IRRELEVANT: 0.0,
        Category.NONSENSE: 0.0,
    }
)
"""When the embedder is down: the words alone decide, and what they leave open is looked up."""
ENDINGS: Final = frozenset({Intent.CANCELLATION, Intent.DELETION, None})
"""Readings that a message about a thing of the product's gives without meaning them."""
LOOKED_UP: Final = "a question to look up"
SURE_BY_SIGN: Final = 0.9
BY_CLASSIFIER: Final = "nothing that a knowledge base of a product is asked"
BY_CLASSIFIER_ACCOUNT: Final = "reads like a look into an account"
BY_CLASSIFIER_HIGH: Final = "the classifier reads a dispute or a farewell"
UNSETTLED: Final = frozenset({BY_CLASSIFIER, BY_CLASSIFIER_ACCOUNT})
OFF_TASK_REASON: Final = "a task or talk, not a question about the knowledge"
LEANS: Final = re.compile(r"\W*(?:and|ok(?:ay)?\W+and|what\s+about|how\s+about|or)\b", re.IGNORECASE)
"""A message that leans on something said before, even when it comes first."""
WORD: Final = re.compile(r"[^\W_]+")
VOWELS: Final = frozenset("aeiouyäöüáàâéèêëíìîóòôúùûåæøœ")
CONSONANTS: Final = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}|^[bcdfghjklmnpqrstvwxz]{3,}$")
SALAD_WORDS_MIN: Final = 4
SAID_OVER_MAX: Final = 2
SAID_OVER_LETTERS_MIN: Final = 5
SHORT_NONSENSE_MIN: Final = 0.9
"""A single noun or two can be a search; only longer strings without a question can be word salad."""
KEY_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm")


def triage(
    question: str,
    *,
    history: Sequence[str],
    probabilities: Mapping[Category, float],
    deflect_min: float = DEFLECT_MIN,
    out_of_scope_min: float = OUT_OF_SCOPE_MIN,
    high_stakes_min: float = HIGH_WITH_WEAK_MIN,
) -> Triage:
    """Sort one message. `history` holds the asker's earlier messages, oldest first; `probabilities` sum to 1.

    A wish for a person is answerable with intent `person`; other people's data and secrets are out of scope with
    intent `private_data`. A short message takes well under a
    millisecond, one of 2,000 characters up to twenty.
    """
    text = _visible(question)[:CHARS_MAX]
    named = entities(text, entities_max=ENTITIES_MAX, chars_max=CHARS_MAX)
    language = tongue_of(text)
    english = language in ("", DEFAULT)
    # Signs of other languages share words with English, "chargeback" among them.
    read = "" if language == DEFAULT or (not language and of_their_own_customers(text)) else fold(text)
    category, intent, confidence, reason = (
        _unreadable(text)
        or _small_talk(text, probabilities)
        or _grave_by_sign(read, language)
        or (None if has_signs(language) else _high_stakes(text, bool(history), probabilities, high_stakes_min))
        or _asks_for_person_or_secret(text)
        or _mashed(text)
        or _code_alone(text, probabilities)
        or _beside_by_sign(read, language)
        or _by_reading(read, language)
        or (_off_topic(text, bool(history), bool(named), probabilities, deflect_min) if english else None)
        or (_out_of_scope(text, bool(history), probabilities, out_of_scope_min) if english else None)
        or (
            _anything_but(text, bool(history or named), probabilities)
            if english and deflect_min <= DEFLECT_MIN and out_of_scope_min <= OUT_OF_SCOPE_MIN
            else None
        )
        or (Category.ANSWERABLE, _intent(text, read, language), probabilities[Category.ANSWERABLE], LOOKED_UP)
    )
    return Triage(
        category=category,
        confidence=round(confidence, 4),
        intent=intent,
        entities=named,
        language=language or DEFAULT,
        mood=Mood.UPSET if upset(text, history) or _says_upset(read, language, history) else Mood.NEUTRAL,
        reason=reason,
        settled=reason not in UNSETTLED,
    )


Verdict = tuple[Category, Intent, float, str]


def _visible(question: str) -> str:
    """Without control and formatting characters; every kind of white space becomes a blank."""
    kept = (
        " " if letter.isspace() else letter
        for letter in question[: 2 * CHARS_MAX]
        if letter.isspace() or unicodedata.category(letter)[0] != "C"
    )
    return "".join(kept).strip()


def _unreadable(text: str) -> Verdict | None:
    if any(letter.isalnum() for letter in text):
        return None
    return Category.NONSENSE, Intent.OTHER, 1.0, "no letter or digit" if text else "empty"


def _small_talk(text: str, probabilities: Mapping[Category, float]) -> Verdict | None:
    if small_talk(text) is None:
        return None
    return Category.IRRELEVANT, Intent.SMALL_TALK, max(probabilities[Category.IRRELEVANT], 0.9), "small talk"


def _high_stakes(
    text: str, in_conversation: bool, probabilities: Mapping[Category, float], weak_min: float
) -> Verdict | None:
    share = probabilities[Category.HIGH_STAKES]
    asks_of_rules = POLICY.search(text) is not None or of_their_own_customers(text)
    if share >= (HOW_FIRST_MIN if asks_of_rules else HIGH_WITH_STRONG_MIN):
        strong = first_sign(HIGH_STRONG, text)
        if strong is not None:
            return Category.HIGH_STAKES, strong, max(share, 0.9), f"says {strong.value} outright"
    if in_conversation and len(WORD.findall(text)) <= BARE_WORDS_MAX and ENDS_IT.search(text):
        # "And cancel it": had it been a contract, it would stand named here (said_before.py).
        return None
    general = asks_of_rules or HOW_FIRST.match(text) is not None
    weak = first_sign(HIGH_WEAK, text)
    if weak in ENDINGS and ends_a_thing(text):
        return None
    if weak is not None and MINE.search(text) and share >= (HOW_FIRST_MIN if general else weak_min):
        return Category.HIGH_STAKES, weak, share, f"words and meaning of {weak.value}"
    alone_min = HOW_FIRST_MIN if general else HIGH_ALONE_MIN
    if not general and len(WORD.findall(text)) <= COMMAND_WORDS_MAX:
        alone_min = HIGH_COMMAND_MIN
    if share >= alone_min and share == max(probabilities.values()):
        return Category.HIGH_STAKES, weak or Intent.COMPLAINT, share, BY_CLASSIFIER_HIGH
    return None


def _grave_by_sign(read: str, language: str) -> Verdict | None:
    """In another language than English; `read` is empty for English."""
    sign = high_stakes_sign(read, language) if read else None
    if sign is not None:
        return Category.HIGH_STAKES, sign, SURE_BY_SIGN, f"says {sign.value} outright"
    if read and asks_for_private_data(read, language):
        return Category.OUT_OF_SCOPE, Intent.PRIVATE_DATA, SURE_BY_SIGN, "asks for private data or secrets"
    return None


def _beside_by_sign(read: str, language: str) -> Verdict | None:
    if read and off_task(read, language):
        return Category.IRRELEVANT, Intent.OTHER, SURE_BY_SIGN, OFF_TASK_REASON
    if read and needs_account(read, language):
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, SURE_BY_SIGN, "needs an account or a decision"
    return None


def _by_reading(read: str, language: str) -> Verdict | None:
    """Where no sign speaks, in a language that the reading was fitted on, or with the words of one."""
    if not read or not (has_signs(language) or made_of_known_words(read)):
        return None
    shares = read_as(read)
    high, account = shares[Category.HIGH_STAKES], shares[Category.OUT_OF_SCOPE]
    high_min = HIGH_READ_MIN if kind_of_question(read, language) is None else HIGH_ASKED_MIN
    if high >= (RULES_READ_MIN if asks_for_rules(read, language) else high_min):
        return Category.HIGH_STAKES, stakes_of(read), high, "sounds like a dispute or a farewell"
    if account >= ACCOUNT_READ_MIN and kind_of_question(read, language) is not Intent.HOW_TO:
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, account, "sounds like a look into an account"
    return None


def _asks_for_person_or_secret(text: str) -> Verdict | None:
    read = _last_sentence(text) if len(WORD.findall(text)) > SHORT_WORDS_MAX else text
    if PRIVATE.search(read):
        return Category.OUT_OF_SCOPE, Intent.PRIVATE_DATA, 0.9, "asks for private data or secrets"
    if wants_person(text):
        return Category.ANSWERABLE, Intent.PERSON, 0.9, "asked for a person"
    return None


def _last_sentence(text: str) -> str:
    """Where a long message says what it wants."""
    return re.split(r"[.!?\n]\s+", text.rstrip(" .!?"))[-1]


def _code_alone(text: str, probabilities: Mapping[Category, float]) -> Verdict | None:
    """An error code by itself, in any case, is a question about it: a classifier sees nothing in it."""
    if not codes_alone(text):
        return None
    return Category.ANSWERABLE, Intent.REFERENCE, max(probabilities[Category.ANSWERABLE], 0.9), LOOKED_UP


def _mashed(text: str) -> Verdict | None:
    words = WORD.findall(text.casefold())
    # "MongoDB 4.4.4" has four words as well, and a status or a port may be told over and over.
    alphabetic = all(map(str.isalpha, words))
    if alphabetic and len(words) >= SALAD_WORDS_MIN and len(set(words)) <= SAID_OVER_MAX:
        return Category.NONSENSE, Intent.OTHER, 0.95, "the same words over and over"
    if not words or not all(_is_mash(word) for word in words):
        return None
    return Category.NONSENSE, Intent.OTHER, 0.95, "keyboard mash"


def _is_mash(word: str) -> bool:
    """Letters no language puts together: one letter over and over, a stretch of a keyboard row, no vowel at length."""
    if not word.isalpha():
        return False
    if not word.isascii():
        return len(word) >= SAID_OVER_LETTERS_MIN and len(set(word)) == 1
    if len(word) >= 4 and len(set(word)) <= 2:
        return True
    if len(word) >= 4 and any(word in row or word[::-1] in row for row in KEY_ROWS):
        return True
    return len(word) >= 6 and not VOWELS.intersection(word)


def _off_topic(
    text: str, in_conversation: bool, technical: bool, probabilities: Mapping[Category, float], deflect_min: float
) -> Verdict | None:
    irrelevant, nonsense = probabilities[Category.IRRELEVANT], probabilities[Category.NONSENSE]
    words = len(WORD.findall(text))
    if words <= SHORT_WORDS_MAX and OFF_TASK.search(text) and irrelevant >= DEFLECT_WITH_SIGN_MIN:
        return Category.IRRELEVANT, Intent.OTHER, irrelevant, OFF_TASK_REASON
    if technical:
        return None
    if in_conversation:
        # A follow-up says little by itself: only what no follow-up would say is turned away.
        sure = irrelevant >= DEFLECT_IN_CONVERSATION_MIN and words >= SALAD_WORDS_MIN and not LEANS.match(text)
        return (Category.IRRELEVANT, Intent.OTHER, irrelevant, BY_CLASSIFIER) if sure else None
    if irrelevant + nonsense < deflect_min or LEANS.match(text):
        return None
    if irrelevant >= nonsense:
        return Category.IRRELEVANT, Intent.OTHER, irrelevant, BY_CLASSIFIER
    if not ASKS.search(text) and (words >= SALAD_WORDS_MIN or _half_mashed(text) or nonsense >= SHORT_NONSENSE_MIN):
        return Category.NONSENSE, Intent.OTHER, nonsense, BY_CLASSIFIER
    return None


def _half_mashed(text: str) -> bool:
    return any(CONSONANTS.search(word) for word in WORD.findall(text.casefold()))


def _out_of_scope(
    text: str, in_conversation: bool, probabilities: Mapping[Category, float], share_min: float
) -> Verdict | None:
    share = probabilities[Category.OUT_OF_SCOPE]
    if ON_YOUR_SIDE.search(text):
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, max(share, 0.9), "wants something looked at on our side"
    if HOW_FIRST.match(text):
        return None
    # A follow-up is personal in tone and seldom a request: more certainty is asked for.
    caution = (1 - share_min) / 2 if in_conversation else 0.0
    if share >= PRIVATE_MIN + caution and OTHERS.search(text):
        return Category.OUT_OF_SCOPE, Intent.PRIVATE_DATA, share, "words and meaning of other people's data"
    if share >= ACCOUNT_WITH_SIGN_MIN + caution and ACCOUNT.search(text):
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, share, "needs an account or a decision"
    # Who names an error code is answered from its page, however personal the tone.
    if share >= share_min + caution and not codes(text):
        return Category.OUT_OF_SCOPE, Intent.ACCOUNT, share, BY_CLASSIFIER_ACCOUNT
    return None


def _anything_but(text: str, leans: bool, probabilities: Mapping[Category, float]) -> Verdict | None:
    """No reading is sure of itself, but a question is the least likely of all: the likeliest of the others. Not for
    whoever has set a limit to be surer."""
    if leans or probabilities[Category.ANSWERABLE] > BESIDE_MAX or HOW_FIRST.match(text) or LEANS.match(text):
        return None
    if ends_a_thing(text) or of_their_own_customers(text) or codes(text):
        return None
    likeliest = max(probabilities, key=lambda category: probabilities[category])
    share = probabilities[likeliest]
    if share < LIKELIEST_MIN:
        return None
    if likeliest is Category.HIGH_STAKES and MINE.search(text) and not POLICY.search(text):
        return likeliest, first_sign(HIGH_WEAK, text) or Intent.COMPLAINT, share, BY_CLASSIFIER_HIGH
    if likeliest is Category.OUT_OF_SCOPE:
        return likeliest, Intent.ACCOUNT, share, BY_CLASSIFIER_ACCOUNT
    if likeliest is Category.IRRELEVANT or (likeliest is Category.NONSENSE and not ASKS.search(text)):
        return likeliest, Intent.OTHER, share, BY_CLASSIFIER
    return None


def _intent(text: str, read: str, language: str) -> Intent:
    if HOW_FIRST.match(text):
        return Intent.HOW_TO
    told = kind_of_question(read, language) if has_signs(language) else None
    return told or first_sign(INTENTS, text) or Intent.OTHER


def _says_upset(read: str, language: str, history: Sequence[str]) -> bool:
    before = fold(history[-1]) if history and tongue_of(history[-1]) == language != DEFAULT else ""
    return any(turn and says_upset(turn, language) for turn in (read, before))
