"""What has nobody said that an answer would need? By the kind of matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firstline.questions.card.matters import BILLED
from firstline.questions.card.running_version import running_version
from firstline.questions.card.said import Sentence
from firstline.questions.card.telling_words import CHANGED, PLACE
from firstline.questions.card.urgent_words import DATA_LOST

_GROWS: Final = re.compile(
    r"\b(?:grow\w*|slow\w*|lags?|latency|memory|space|too\s+(?:much|many|long)|costs?|langsam|dauert"
    r"|takes\s+\w+|lent\w*|lento)\b",
    re.I,
)
# A server that is not up, or a set without a leader, says why in its own log alone.
_NOT_UP: Final = re.compile(
    r"\b(?:won't|wont|doesn't|doesnt|does\s+not|cannot|can't|will\s+not)\s+(?:come\s+up|start|boot)\b|CrashLoop\w*"
    r"|\b(?:nobody|no\s+one|none|no\s+\w+)\s+(?:\w+\s+)?(?:be|is|becomes?)\s+(?:the\s+)?primary|\b(?:no"
    r"|without\s+a?)\s*primary\b"
    r"|\ball\s+(?:\w+\s+){0,2}are\s+secondar(?:y|ies)\b|\bstartet\s+nicht\b|\bne\s+démarre\s+(?:pas"
    r"|plus)\b|\bno\s+arranca\b|起動しません|起動しない",
    re.I,
)
_LOG_GIVEN: Final = re.compile(
    r"\d\d:\d\d:\d\d.{0,40}?\b(?:FATAL|ERROR|WARN\w*|INFO)\b|\b(?:FATAL|ERROR)\b.{0,30}:", re.S
)
# Nothing loud happens: there is no message to ask for.
_QUIET: Final = re.compile(
    r"\b(?:does|do|did)(?:es)?\s+nothing\b|\b(?:does|do|did)(?:n't|\s+not)\s+(?:delete|remove|expire"
    r"|show|change|update)\b|\bstill\s+there\b"
    r"|\bno\s+(?:error|message)s?\b|\bwrong\s+(?:results?|order|values?|numbers?)\b|\bas\s+(?:doubles|strings|text)\b",
    re.I,
)
_RESTORE: Final = re.compile(
    r"\b(?:restore[sd]?|restoring|point\s+in\s+time|wiederherstell\w*|restaur\w*)\b|復元", re.I
)
_MOMENT: Final = re.compile(
    r"\b\d{1,2}:\d\d\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\s?(?:am|pm|uhr)\b|\b\w+(?:day|tag)\b", re.I
)
_BACKUP: Final = re.compile(
    r"\b(?:backups?|snapshots?|dump|sauvegarde\w*|copia\s+de\s+seguridad|sicherung)\b|バックアップ", re.I
)
_NUMBERED: Final = re.compile(r"\b(?:id|number|invoice\s+\S*\d|account\s+\S*\d)\b|\b[A-Z]+-\d")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """`fails`: something does not work; `error`: an error was given; `commercial`: it is about money or a contract;
    `account`: about who may get in."""

    fails: bool
    error: bool
    commercial: bool = False
    account: bool = False


def missing_of(stating: Sequence[Sentence], messages: Sequence[str], *, kind: Kind) -> tuple[str, ...]:
    if not stating:
        return ("what it is about",)
    said = " \n".join(one.text for one in stating)
    if kind.commercial or kind.account:
        numbered = not kind.commercial or not BILLED.search(said) or _NUMBERED.search(said)
        return () if numbered else ("the invoice or account number",)
    absent = _of_failure(said, kind)
    if running_version(messages) is None:
        absent.append("the version")
    if kind.fails and not PLACE.search(said):
        absent.append("the platform it runs on")
    if kind.fails and not any(CHANGED.search(one.text) for one in stating):
        absent.append("what changed before it began")
    return tuple(absent)


def _of_failure(said: str, kind: Kind) -> list[str]:
    absent: list[str] = []
    lost = DATA_LOST.search(said) is not None
    if _NOT_UP.search(said) and not _LOG_GIVEN.search(said):
        absent.append("the server log")
    elif kind.fails and not kind.error and not lost and not _QUIET.search(said):
        absent.append("what the log says" if _GROWS.search(said) else "the exact error message")
    if lost and _RESTORE.search(said):
        if not _MOMENT.search(said):
            absent.append("what to restore, and to which moment")
    elif lost and not _BACKUP.search(said):
        absent.append("whether there is a backup (and its time)")
    return absent
