"""What has nobody said that an answer would need? By the kind of matter, and nothing that was told in other words.

Whoever wants a call is asked for a number; who may get in, or what was paid, for the account; a failure for what an
engineer looks at first. When in doubt nothing is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firstline.questions.card.matters import BILLED
from firstline.questions.card.running_version import running_version
from firstline.questions.card.said import Sentence
from firstline.questions.card.telling_words import BEGAN, CHANGED, PLACE, has_code
from firstline.questions.card.urgent_words import DATA_LOST

MISSING_MAX: Final = 3
_FLAGS: Final = re.IGNORECASE | re.VERBOSE

_SLOW: Final = re.compile(
    r"""\b(?:slow\w*|sluggish\w*|latency|lags|lagging|takes?\s+(?:\w+\s+){0,2}?(?:hours?|minutes?|seconds?|ages|long\w*)|hangs?|langsam|dauert
       |lent\w*|lento)\b""",
    _FLAGS,
)
_GROWS: Final = re.compile(
    r"\b(?:grow\w*|grown|memory|fills?|too\s+(?:much|many)|costs?\s+(?:more|too)|leaks?)\b", re.IGNORECASE
)
_AT_TIMES: Final = re.compile(
    r"""\b(?:every|each)\s+(?:\w+\s+)?(?:night|morning|evening|day|hour|week|month|minutes?|monday|tuesday|wednesday|thursday|friday|saturday
       |sunday)s?\b | \b(?:now\s+and\s+then|sometimes|randomly|at\s+random|intermittent\w*|sporadic\w*|occasionally
       |from\s+time\s+to\s+time|(?:once|twice|\w+\s+times)\s+(?:a|per|an)\s+(?:day|week|hour|night)|at\s+night
       |in\s+the\s+(?:night|morning|evening|afternoon)|no\s+pattern)\b
    | \b(?:jede[nrs]?\s+(?:tag|nacht|morgen)|manchmal|toutes\s+les|chaque|parfois|tod[ao]s?\s+(?:las|os
       |as)?\s*(?:noches|dias|noites)
       |toda\s+noite|a\s+veces|ogni\s+\w+)\b | 毎 | 時々""",
    _FLAGS,
)
# A server that is not up, or a set without a leader, says why in its own log alone.
_NOT_UP: Final = re.compile(
    r"\b(?:won't|wont|doesn't|doesnt|does\s+not|cannot|can't|will\s+not)\s+(?:come\s+up|start|boot)\b|CrashLoop\w*|\bcrash(?:es|ed|ing)?\b"
    r"|\b(?:nobody|no\s+one|none|no\s+\w+)\s+(?:\w+\s+)?(?:be|is|becomes?)\s+(?:the\s+)?primary|\b(?:no"
    r"|without\s+a?)\s*primary\b|\b(?:stays|stuck|remains|back)\s+(?:\w+\s+){0,2}?(?-i:[A-Z]{5,})\b"
    r"|\ball\s+(?:\w+\s+){0,2}are\s+secondar(?:y|ies)\b|\bstartet\s+nicht\b|\bne\s+démarre\s+(?:pas"
    r"|plus)\b|\bno\s+arranca\b|\bnon\s+(?:parte|si\s+avvia)\b|起動しません|起動しない",
    re.I,
)
_LOG_GIVEN: Final = re.compile(
    r"\d\d:\d\d:\d\d.{0,40}?\b(?:FATAL|ERROR|WARN\w*|INFO|[EFW])\b|\b(?:FATAL|ERROR)\b.{0,30}:|\blogs?\s+(?:\w+\s+){0,3}?(?:says?|ends?|shows?)\b"
    r"|\bin\s+the\s+(?:\w+\s+)?log\b",
    re.S | re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"['\"“„«`‘][^'\"”“»`’\n]{6,}['\"”“»`’]|\b(?:error|message|fehler|erreur|errore)\s*:\s*\S")
"""The words of a message, as they were shown."""
# Nothing loud happens: there is no message to ask for.
_QUIET: Final = re.compile(
    r"\b(?:does|do|did|shows?|returns?|gives?)(?:es)?\s+(?:nothing|zero|0|no\s+\w+)\b|\bempty\b|\b(?:does|do|did)(?:n't|\s+not)\s+(?:delete|remove|expire"
    r"|show|change|update|come|rename)\b|\bstill\s+there\b|\b(?:stays?|still)\s+open\b|\bfills?\b|\bstuck\b"
    r"|\bno\s+(?:error|message)s?\b|\bwrong\s+\w+|\bas\s+(?:doubles|strings|text)\b|\b(?:stores?|gives?|shows?)\s+(?:\w+\s+)?(?:strings|text)\b"
    r"|\b(?:twice|double|duplicates?)\b|\bnever\s+finish\w*",
    re.I,
)
_RESTORE: Final = re.compile(
    r"\b(?:restore[sd]?|restoring|point\s+in\s+time|get\s+(?:it|them)\s+back|wiederherstell\w*|restaur\w*)\b|復元", re.I
)
_MOMENT: Final = re.compile(
    r"\b\d{1,2}:\d\d\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\s?(?:am|pm|uhr)\b|\b\w+(?:day|tag)\b|\bago\b", re.I
)
_BACKUP: Final = re.compile(
    r"\b(?:backups?|snapshots?|dump|sauvegarde\w*|copia\s+de\s+seguridad|sicherung)\b|バックアップ", re.I
)
_NUMBERED: Final = re.compile(
    r"\b(?:id|number|no\.)\W{0,3}(?:is\W{1,2})?\S*\d|\b(?:invoice\s+\S*\d|account\s+\S*\d|(?:organi[sz]ation|org|customer|contract)\s+(?:\w+\s+){0,2}?\S*\d)"
    r"|\b[A-Z]+-\d|\[ID_\d+\]|\b(?:nummer|numéro|número)\b",
    re.I,
)
_CALL: Final = re.compile(
    r"""\b(?:(?:give|gets?|have|want|like|need|wish)\b.{0,25}?\ba\s+(?:phone\s+)?call\b(?!\s+(?:to|of)\b)
       |(?:please|can|could|would|will|must|should|somebody|someone|and)\b(?:(?!customers|clients|users|people|they).){0,40}?\b(?:call|phone|ring)\s+(?:me|us)\b|callback|call\s+back
       |(?:ruft?|rufen\s+sie)\b.{0,30}?\ban\b|rückruf|anrufen|(?:me|nous)\s+(?:r?appel\w+)|r?appeler|llam(?:en|ar|enme|arme|ada)\b|ligar|liguem|chiam\w+)\b
    | 電話""",
    _FLAGS,
)
_PHONE: Final = re.compile(r"\[PHONE_\d+\]|\+?\d[\d\s/-]{6,}\d")
_NEW_THING: Final = re.compile(
    r"\b(?:new|neue[rsnm]?|nouve\w+|nuev[oa]s?|nov[oa]s?|nuov[oaie])\s+(?!index\b|one\b|question\b|problem\b|error\b|disk\b|install\b)\w{4,}"
    r"|\b\w+\s+(?:nueva|nuevo|nuove?|nuovo|nova|novo)\b|\bdopo\s+l'aggiornamento\b|\b(?:upgrade|update|migration|failover|restart|renewal|install)\b"
    r"|\b(?:since|after|seit|depuis|desde|dopo|após)\b(?!\s+(?:\w+day|\w+tag|yesterday|gestern|hier|ayer|ieri|ontem|this|last|a|about|exactly|\d))",
    re.IGNORECASE,
)
"""They told what was different when it began."""
_MANAGED: Final = re.compile(r"\b(?:managed|gestionad[oa]|verwaltet\w*|géré\w*)\b|マネージド", re.IGNORECASE)
_PLAN: Final = re.compile(r"\b(?:business|team|starter|enterprise|free|pro)\s+plan\b|\bplan\s+\w+", re.IGNORECASE)
_CLUSTER: Final = re.compile(
    r"\b(?:cluster|project|instance|tenant)\s+(?:is\s+|named?\s+|called\s+)?(?=\S*[-_\d])[\w-]{2,}", re.IGNORECASE
)
_DRIVER: Final = re.compile(
    r"\b(?:driver|client|sdk|gem|crate|library|connector|treiber|pilote)\b|\b\w+-(?:py|js|node|go|java|net|php|rb)\b",
    re.IGNORECASE,
)
_SOME_VERSION: Final = re.compile(r"(?<![\w.])v?\d+(?:\.\d+)+")
_OUT: Final = re.compile(
    r"\b(?:slow\w*|connect\w*|time[sd]?\s*out|no\s+(?:me\s+)?(?:puedo|podemos)|delet\w+|erase\w*|remove|down|unavailable|unreachable|offline|outage|status|refused|held|suspended)\b",
    re.I,
)
_REFUND: Final = re.compile(r"\b(?:refund\w*|credit|pay\s+back|money\s+back)\b", re.IGNORECASE)
_AWAY: Final = re.compile(r"\b(?:outage|unavailable|unreachable|down|offline)\b", re.IGNORECASE)
_UPGRADED: Final = re.compile(
    r"\b(?:upgrad\w+|migrat\w+|updat(?:e|ed|ing)|aktualisier\w*|mise\s+à\s+jour|actualiz\w*|aggiornament\w*|atualiz\w*)\s+(?:\w+\s+){0,2}?(?:to|auf|vers|a|alla|para)\s+v?\d",
    re.IGNORECASE,
)
_FROM_VERSION: Final = re.compile(
    r"\b(?:from|before|was|previously|earlier|old|von|vorher|depuis|de|da|desde)\s+(?:\w+\s+){0,3}?v?\d+\.\d",
    re.IGNORECASE,
)
_BARE_END: Final = re.compile(r"\b(?:exit(?:s|ed)?\s+(?:with\s+)?(?:code|status)|signal)\s*\d+", re.IGNORECASE)
_POLICY: Final = re.compile(
    r"""\b(?:who\s+(?:\w+\s+){0,3}?(?:decides?|signs?|approves?|allows?|confirms?|is\s+responsible)|allowed\s+to|permitted|exception|approv(?:al|e)
       |(?:maximum|minimum)\s+\w+|certif(?:ied|icate\s+of)|complian\w+|licen[cs]e\w*|policy|statement|agreement|guarantee\w*|can\s+it\s+be\s+raised)\b""",
    _FLAGS,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """`fails`: something does not work; `error`: an error was given; `commercial`: it is about money or a contract;
    `account`: about who may get in; `held`: something of theirs is held or suspended."""

    fails: bool
    error: bool
    commercial: bool = False
    account: bool = False
    held: bool = False


def missing_of(stating: Sequence[Sentence], messages: Sequence[str], *, kind: Kind) -> tuple[str, ...]:
    """`stating`: without wishes for a person; those are read in `messages`."""
    if not stating:
        return ("what it is about",)
    said = " \n".join(one.text for one in stating)
    absent = _of_person("\n".join(messages))
    if kind.commercial or kind.account or kind.held:
        absent += _of_account(said, kind)
    else:
        absent += _of_matter(said, messages, kind)
    return tuple(dict.fromkeys(absent))[:MISSING_MAX]


def _of_person(said: str) -> list[str]:
    return ["a phone number and a time"] if _CALL.search(said) and not _PHONE.search(said) else []


def _of_account(said: str, kind: Kind) -> list[str]:
    if kind.commercial and _REFUND.search(said) and _AWAY.search(said) and not _CLUSTER.search(said):
        return ["which cluster, and on which days"]
    if _NUMBERED.search(said) or _CLUSTER.search(said):
        return []
    return [
        "the invoice or account number" if kind.commercial and BILLED.search(said) else "the organisation or account"
    ]


def _of_matter(said: str, messages: Sequence[str], kind: Kind) -> list[str]:
    absent = _of_failure(said, kind)
    managed = _MANAGED.search(said) is not None or _PLAN.search(said) is not None
    if managed and not _CLUSTER.search(said) and (_OUT.search(said) or _POLICY.search(said)):
        absent.append("the cluster's name and organisation")
    if _POLICY.search(said) and not kind.error:
        return absent
    if running_version(messages) is None and not managed:
        driver = _DRIVER.search(said) is not None and _SOME_VERSION.search(said) is not None
        absent.append("the version of the server (only the driver's was given)" if driver else "the version")
    upgraded = kind.fails and _UPGRADED.search(said) is not None
    several = len({one for part in messages if not _DRIVER.search(part) for one in _SOME_VERSION.findall(part)}) > 1
    if upgraded and not several and not _FROM_VERSION.search(said) and running_version(messages) is not None:
        absent.append("the version before the upgrade")
    if kind.fails and not PLACE.search(said) and not managed:
        absent.append("the platform it runs on")
    began = any(BEGAN.search(one.text) for one in stating_of(messages))
    told = CHANGED.search(said) is not None or _NEW_THING.search(said) is not None
    if kind.fails and began and not told and not DATA_LOST.search(said):
        absent.append("what changed before it began")
    return absent


def stating_of(messages: Sequence[str]) -> list[Sentence]:
    return [Sentence(text=message, message=at) for at, message in enumerate(messages)]


def _of_failure(said: str, kind: Kind) -> list[str]:
    absent: list[str] = []
    lost = DATA_LOST.search(said) is not None
    logged = _LOG_GIVEN.search(said) is not None
    given = logged or kind.error or _QUOTED.search(said) is not None
    if kind.error and _BARE_END.search(said) and not has_code(said) and not _QUOTED.search(said):
        absent.append("what it prints before it ends")
    elif _NOT_UP.search(said) and not (logged or _QUOTED.search(said)):
        absent.append("the server log")
    elif kind.fails and _AT_TIMES.search(said) and not lost:
        absent += ["what runs at that time", *([] if logged else ["the server log"])]
    elif kind.fails and _SLOW.search(said) and not lost and not logged:
        absent += ["what runs meanwhile", "the server log"]
    elif kind.fails and not given and not lost and not _QUIET.search(said):
        absent.append("what the log says" if _GROWS.search(said) else "the exact error message")
    if lost and _RESTORE.search(said):
        if not _MOMENT.search(said):
            absent.append("what to restore, and to which moment")
    elif lost and not _BACKUP.search(said):
        absent.append("whether there is a backup (and its time)")
    return absent
