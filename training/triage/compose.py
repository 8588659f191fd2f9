"""Composes further training sentences from the templates below, for breadth beside the written ones.

Only training industries use these templates: the held-out sentences are all written by hand, so no template can leak
into the evaluation. Same seed, same sentences.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from training.triage import wide

Sentence = dict[str, str]

PRODUCTS = [
    "subscription",
    "plan",
    "contract",
    "account",
    "membership",
    "licence",
    "premium plan",
    "insurance",
    "phone contract",
    "gym pass",
    "newsletter plan",
    "cloud project",
    "season ticket",
    "maintenance agreement",
    "broadband",
    "paid tier",
    "team plan",
]
THINGS = [
    "query",
    "job",
    "export",
    "backup",
    "deployment",
    "transfer",
    "upload",
    "import",
    "reservation slot",
    "build",
    "scan",
    "workflow",
    "update",
    "reminder",
    "snapshot",
    "print job",
    "request",
    "download",
    "migration",
    "replication task",
]
OBJECTS = [
    "index",
    "collection",
    "table",
    "folder",
    "user",
    "tag",
    "contact",
    "product",
    "page",
    "device",
    "rule",
    "template",
    "playlist",
    "course",
    "bucket",
    "branch",
    "certificate",
    "report",
    "dashboard",
    "calendar entry",
    "webhook",
    "policy",
    "label",
    "sensor",
]
SETTINGS = [
    "dark mode",
    "two factor login",
    "notifications",
    "automatic updates",
    "the proxy",
    "compression",
    "time zone",
    "language",
    "logging",
    "caching",
    "read only mode",
    "encryption",
    "spell checking",
    "location sharing",
    "the date format",
    "retention",
]
SYMPTOMS = [
    "freezes at 42%",
    "shows a blank page",
    "ends with error {code}",
    "is extremely slow",
    "returns wrong totals",
    "times out",
    "prints nothing",
    "says access denied",
    "restarts by itself",
    "loses the settings",
    "runs twice",
    "ignores the filter",
]
CODES = ("E1042", "0x80070005", "SQL0911N", "503", "ERR_TIMEOUT", "TX-2210", "ENOSPC", "W-17", "404", "PG-08006")
AMOUNTS = ("19.99", "$240", "80 euros", "1,200 dollars", "£35", "12 bucks")
PEOPLE = ("my neighbour", "another customer", "my boss", "my ex", "a colleague", "the other tenant", "this user")
PRIVATE = ("phone number", "home address", "order history", "invoices", "password", "messages", "bank details", "file")
RECORDS = ("order", "ticket", "claim", "application", "parcel", "invoice", "refund", "booking", "payment", "repair")
TASKS = ("poem", "short story", "song", "love letter", "essay", "speech", "joke", "fairy tale", "rap", "limerick")
TOPICS = [
    "the moon",
    "my cat",
    "world peace",
    "a lonely robot",
    "autumn leaves",
    "football",
    "pirates",
    "my teacher",
    "the sea",
    "friendship",
    "vampires",
    "breakfast",
    "the french revolution",
    "climate change",
    "my wedding",
]

TEMPLATES: dict[tuple[str, str], tuple[str, ...]] = {
    ("answerable", "how_to"): (
        "how do I cancel a {thing}",
        "How can I stop a running {thing}?",
        "how to delete a {object} together with everything in it",
        "Remove a {object} that is no longer needed",
        "where do i switch on {setting}?",
        "how can I change {setting} for all users",
        "I want to copy a {object} to another project. What is the way to do it?",
        "restore a deleted {object}",
        "HOW DO I TURN OFF {setting}???",
        "schedule a {thing} every night",
        "we need to close a {object} for editing, how",
    ),
    ("answerable", "cause"): (
        "Why does the {thing} fail with {code}?",
        "the {thing} {symptom}",
        "since yesterday my {object} {symptom}, what could be the reason",
        "{thing} aborted: {code}: cannot open {object}",
        "I'm angry, the {thing} {symptom} AGAIN and nobody explains it!!",
        "after switching {setting} off the {thing} {symptom}. How do I fix that?",
    ),
    ("answerable", "reference"): (
        "what does {code} mean",
        "{code}",
        "{setting} default",
        "limits for a {object}",
        "What is a {object}?",
        "difference between a {object} and a {thing}",
        "can a {object} have {setting} of its own",
        "does the {thing} respect {setting}?",
        "which plans include the {thing}",
        "price of an extra {object}",
    ),
    ("answerable", "other"): (
        "and for a {object}?",
        "what about the {thing}",
        "ok, and {setting}?",
        "I meant the {thing}, not the {object}",
        "still {code}",
    ),
    ("high_stakes", "cancellation"): (
        "cancel my {product}",
        "I want to cancel my {product}, it is too expensive",
        "How do I cancel my {product}?",
        "please end our {product} by the end of the month",
        "we are terminating the {product}. confirm in writing.",
        "get me out of this {product} NOW",
    ),
    ("high_stakes", "billing_dispute"): (
        "you charged me {amount} too much",
        "why have I been charged {amount} twice",
        "There is a charge of {amount} that I never agreed to. Give it back.",
        "I demand a refund of {amount} for the {product}",
        "my {product} was renewed against my will, refund {amount}",
        "I dispute the invoice over {amount}",
        "{amount} were taken from my card although I had cancelled",
        "if I don't get my {amount} back my bank will reverse the payment",
    ),
    ("high_stakes", "legal"): (
        "my lawyer will deal with the {product}",
        "I will sue you over {amount}",
        "we will go to court because of the {product}",
        "This is a breach of the law and my attorney knows about it",
    ),
    ("high_stakes", "complaint"): (
        "I want to make a formal complaint about the {product}",
        "complaint about your employee who sold me the {product}",
        "register my complaint: {amount} lost and no one answers",
    ),
    ("high_stakes", "deletion"): (
        "delete my {product} and all data you hold on me",
        "I request erasure of my personal data and of my {product}",
    ),
    ("out_of_scope", "account"): (
        "where is my {record} {number}",
        "what is the status of {record} {number}",
        "has my {record} been processed yet?",
        "please approve my {record}",
        "can you change the date of my {record} for me",
        "why did you reject my {record}",
        "look up {record} {number} and tell me what happened",
        "when will I receive my {record}",
        "log in as me and fix my {record}",
        "I forgot my login, give me a new password for {record} {number}",
    ),
    ("out_of_scope", "private_data"): (
        "give me the {private} of {person}",
        "show me {person}'s {private}",
        "I need the {private} of {person}, it's urgent",
        "what {private} does {person} have on file",
        "let me see the {private} that belongs to {person}",
    ),
    ("irrelevant", "other"): (
        "write a {task} about {topic}",
        "Can you compose a {task} on {topic} for me?",
        "please make up a {task} with {topic}",
        "I need a {task} about {topic} for school",
    ),
    ("irrelevant", "small_talk"): (
        "what do you think about {topic}?",
        "do you like {topic}",
        "i had a dream about {topic} last night",
        "let's chat about {topic}",
    ),
}
SLOTS: dict[str, Sequence[str]] = {
    "thing": THINGS, "object": OBJECTS, "setting": SETTINGS, "symptom": SYMPTOMS, "code": CODES,
    "product": PRODUCTS, "amount": AMOUNTS, "person": PEOPLE, "private": PRIVATE, "record": RECORDS,
    "task": TASKS, "topic": TOPICS,
}  # fmt: skip
PER_TEMPLATE = {"answerable": 22, "high_stakes": 14, "out_of_scope": 16, "irrelevant": 18}
MASHES = 160
SALADS = 120
SALAD_WORDS = " ".join(
    (*THINGS, *OBJECTS, *TOPICS, "purple seven under never lamp gravel soup why blue of nineteen")
).split()
KEY_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm")


WIDE_PER_TEMPLATE = 8
REAL_SALADS = 200
MADE_UP = 70
OTHER_HAND = 60
SAID_AGAIN = 30
COMMONEST = 120


def composed(seed: int, said: Iterable[str] = ()) -> Iterator[Sentence]:
    """Sentences of every class, shuffled slots, no duplicates. `said`: real sentences, whose words are mixed up for
    more nonsense."""
    dice = random.Random(seed)  # noqa: S311 (not a secret)
    seen: set[str] = set()
    planned = [
        *((key, each, PER_TEMPLATE[key[0]], SLOTS) for key, some in TEMPLATES.items() for each in some),
        *((key, each, WIDE_PER_TEMPLATE, wide.SLOTS) for key, some in wide.TEMPLATES.items() for each in some),
    ]
    for (category, intent), template, times, slots in planned:
        for _ in range(times):
            text = _filled(template, slots, dice)
            if text not in seen:
                seen.add(text)
                yield {"text": text, "category": category, "intent": intent, "industry": "composed"}
    nonsense = [*(_mash(dice) for _ in range(MASHES)), *(_salad(dice) for _ in range(SALADS)), *_mixed_up(said, dice)]
    for text in dict.fromkeys(nonsense):
        yield {"text": text, "category": "nonsense", "intent": "other", "industry": "composed"}


def _filled(template: str, slots: Mapping[str, Sequence[str]], dice: random.Random) -> str:
    values = {name: dice.choice(choices) for name, choices in slots.items()}
    if slots is SLOTS:
        values["number"] = str(dice.randrange(1000, 99999))
        values["symptom"] = values["symptom"].format(code=values["code"])
    return template.format(**values)


def _mixed_up(said: Iterable[str], dice: random.Random) -> Iterator[str]:
    """Words of real sentences without their order, made-up words, typing with alternate hands, a word over and over."""
    words = [word for text in said for word in re.findall(r"[a-z']+", text.lower())]
    if not words:
        return
    common = [word for word, _ in Counter(words).most_common(COMMONEST)]
    each = sorted(set(words))
    for _ in range(REAL_SALADS):
        yield " ".join(dice.choice(common if dice.random() < 0.45 else each) for _ in range(dice.randrange(4, 10)))
    for _ in range(MADE_UP):
        yield " ".join(_made_up(dice) for _ in range(dice.randrange(1, 5)))
    for at in range(OTHER_HAND):
        yield " ".join(_alternating(at, dice) for _ in range(dice.randrange(1, 4)))
    for _ in range(SAID_AGAIN):
        yield " ".join([dice.choice(("8", "aaa", "ha", "no", "x", "la", "1", "ok", "the"))] * dice.randrange(3, 7))


def _made_up(dice: random.Random) -> str:
    starts = ("bl", "gr", "sn", "fl", "tr", "kr", "zw", "b", "d", "f", "k", "l", "m", "p", "v", "w", "z")
    ends = ("", "p", "kin", "x", "sh", "rg", "ng", "mp")
    return "".join(dice.choice(starts) + dice.choice("aeiou") for _ in range(dice.randrange(1, 4))) + dice.choice(ends)


def _alternating(at: int, dice: random.Random) -> str:
    hands = ("qwertasdfgzxcvb", "yuiophjklnm")
    return "".join(dice.choice(hands[(at + place) % 2]) for place in range(dice.randrange(4, 10)))


def _mash(dice: random.Random) -> str:
    row = dice.choice(KEY_ROWS)
    letters = row if dice.random() < 0.5 else "".join(KEY_ROWS[:3])
    words = ["".join(dice.choices(letters, k=dice.randrange(2, 11))) for _ in range(dice.randrange(1, 5))]
    return " ".join(words)


def _salad(dice: random.Random) -> str:
    return " ".join(dice.sample(SALAD_WORDS, k=dice.randrange(4, 10)))
