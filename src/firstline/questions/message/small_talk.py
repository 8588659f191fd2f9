"""Is a whole message small talk, and of which kind? Thanks, greetings and the like, and not one word besides.

A message is taken apart into known phrases, the longest first. One word that belongs to none of them ("thanks, but it
still fails", "ok, the second one") carries content, and the message is no small talk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from firstline.domain import Talk
from firstline.questions.message.small_talk_words import ELSEWHERE, FILLERS_ELSEWHERE, JAPANESE, JAPANESE_FILLERS

WORDS_MAX: Final = 16
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DRAWN_OUT: Final = re.compile(r"(.)\1{2,}")

_THANKS: Final = """
    thanks|thank|thank you|thx|thnx|tnx|ty|tysm|cheers|many thanks|no thanks|no thank you|much appreciated
    |appreciated|i appreciate it|thanks for your help|thanks for the help|thanks for helping|thank you for your help
    |thank you for the help|thank you for helping|thanks for that|thank you for that
    |danke|danke schon|danke dir|danke sehr|vielen dank|dankeschon|besten dank|merci|merci beaucoup|merci bien
    |gracias|muchas gracias|mil gracias|obrigado|obrigada|muito obrigado|muito obrigada|grazie|grazie mille
    |tante grazie|bedankt|dank je|dank u|dank je wel|tak|tack|takk|dziekuje|kiitos
"""
_GREETINGS: Final = """
    hi|hello|hey|heya|hiya|yo|howdy|greetings|hola|hallo|bonjour|salut|ciao|moin|servus|ola|good morning
    |good afternoon|good evening|good day|guten tag|guten morgen|guten abend|buenos dias|buenas tardes|buongiorno
    |bom dia|how are you|how are you doing|how is it going|how's it going|what's up|whats up|sup|are you there
    |anyone there|anybody there|is anyone there|is anybody there|nice to meet you
"""
_FAREWELLS: Final = """
    bye|bye bye|goodbye|good bye|see you|see you later|see ya|cya|good night|have a nice day|have a good day
    |have a great day|have a good one|have a nice weekend|have a good weekend|have a nice evening|take care
    |tschuss|tschuss dann|auf wiedersehen|au revoir|adios|hasta luego|arrivederci|tchau|ate logo|that is all|that's all
    |that will be all
"""
_NODS: Final = """
    ok|okay|okey|okey dokey|kk|alright|all right|sure|yes|yep|yeah|yup|fine|good|great|cool|nice|perfect
    |awesome|excellent|amazing|wonderful|brilliant|super|lovely|sweet|wow|lol|haha|hahaha|hehe|hm|hmm|hmmm|mhm
    |ah|aha|oh|i see|got it|gotcha|understood|makes sense|that makes sense|noted|will do|good to know|i understand
    |never mind|nevermind|no problem|no worries|you are the best|you're the best|you rock|good bot|well done|good job
    |great job|very helpful|that was helpful|that is helpful|that's helpful|so helpful|helpful|all good
    |that's great|that is great|that's good|that is good|that's perfect|that is perfect|ja|oui|genau|klasse
    |d'accord|vale|va bene|entendido|capito|verstanden
"""
_SOLVED: Final = """
    solved|fixed|problem solved|issue solved|problem fixed|issue fixed|it is solved|it's solved|it is fixed
    |it's fixed|the problem is solved|the issue is solved|the problem is fixed|my problem is solved
    |my issue is solved|works|worked|it now works|that now works|working now|it is working|it's working
    |it is working now|it's working now|that did it|that did the trick|did the trick|that solved it
    |that solved my problem|that solved the problem|that fixed it|this fixed it|this solved it|that fixed my problem
    |you solved it|that solves it|that fixes it|it helped|that helped|this helped|that helps|this helps|helped
    |it worked|that worked|this worked|it works|that works|this works|it all works|everything works|all works
    |that was it|i solved it|i fixed it|i got it working|got it working|works for me|it works for me|worked for me
    |that worked for me|hat funktioniert|es funktioniert|das hat geholfen|das hat funktioniert|ca marche|funciona
    |funziona
"""
_ABOUT_ME: Final = " ".join(
    f"|are you {what}|am i talking to {what}|am i talking with {what}|am i speaking to {what}|am i chatting with {what}"
    f"|is this {what}"
    for what in (
        *("a bot", "a robot", "a chatbot", "a machine", "a computer", "a human", "a human being", "a person", "an ai"),
        *("a real person", "a real human", "human", "real", "ai", "a program", "an assistant"),
    )
) + ("|who are you|what are you|what is your name|what's your name|what can you do|what do you do|who am i talking to")
# What may stand beside small talk, and says nothing alone.
_FILLERS: Final = """
    you|so|so much|very|very much|a lot|much|a ton|again|everyone|everybody|all|and|then|mate|bot|there|today|now|guys
    |team|folks|really|indeed|just|perfectly|well|great|right|finally|like a charm|a bunch|a million|dear|friend
    |my friend|sir|or|for your help|for the help|for helping|for helping me
"""
_MAY_CHOOSE: Final = frozenset({"all", "everyone", "everybody", "team", "today", "again"})
"""Beside a mere "yes" these choose: "yes, everyone"."""
_ASKS: Final = re.compile("[?？]")
_SHY_OF_QUESTIONS: Final = frozenset({Talk.SOLVED, Talk.NOD, Talk.THANKS})
_RANKED: Final = (Talk.ABOUT_ME, Talk.THANKS, Talk.SOLVED, Talk.FAREWELL, Talk.GREETING, Talk.NOD)
"""The kind that decides when a message is of several."""


def _plain(text: str) -> tuple[str, ...]:
    """Words in lower case without accents, drawn-out letters shortened: "Mercii!!" and "hmmmmm" come out alike."""
    bare = "".join(
        letter for letter in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(letter)
    )
    return tuple(_WORD.findall(_DRAWN_OUT.sub(r"\1\1", bare.replace("’", "'"))))


def _phrases(kinds: Iterable[tuple[Talk | None, str]]) -> Mapping[tuple[str, ...], Talk | None]:
    found: dict[tuple[str, ...], Talk | None] = {}
    for kind, listed in kinds:
        for phrase in listed.split("|"):
            words = _plain(phrase)
            if words:
                found.setdefault(words, kind)
    return found


_PHRASES: Final = _phrases(
    (
        (Talk.ABOUT_ME, _ABOUT_ME),
        (Talk.THANKS, _THANKS),
        (Talk.GREETING, _GREETINGS),
        (Talk.FAREWELL, _FAREWELLS),
        (Talk.NOD, _NODS),
        (Talk.SOLVED, _SOLVED),
        *ELSEWHERE.items(),
        (None, _FILLERS),
        (None, FILLERS_ELSEWHERE),
    )
)
# A language without blanks is taken apart letter by letter.
_RUNS: Final = {
    phrase: kind
    for kind, listed in (*JAPANESE.items(), (None, JAPANESE_FILLERS))
    for phrase in ("".join(_plain(one)) for one in listed.split("|"))
    if phrase
}
_RUN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_RUN_LONGEST: Final = max(map(len, _RUNS))
_LONGEST: Final = max(map(len, _PHRASES))


def small_talk(text: str) -> Talk | None:
    """The kind of small talk that the whole message is, or None when it says anything else."""
    words = _plain(text[:400])
    if not words or len(words) > WORDS_MAX or len(text) > 400:
        return None
    kinds: set[Talk] = set()
    beside: set[str] = set()
    at = 0
    while at < len(words):
        length = next((n for n in range(_LONGEST, 0, -1) if words[at : at + n] in _PHRASES), 0)
        if length:
            kind = _PHRASES[words[at : at + length]]
            if kind is None:
                beside.update(words[at : at + length])
            else:
                kinds.add(kind)
        else:
            length, run = 1, _kinds_of_run(words[at])
            if run is None:
                return None
            kinds |= run
        at += length
    # "that worked?" asks.
    if not kinds or (_ASKS.search(text) and kinds <= _SHY_OF_QUESTIONS):
        return None
    if kinds == {Talk.NOD} and beside & _MAY_CHOOSE:
        return None
    return next(kind for kind in _RANKED if kind in kinds)


def _kinds_of_run(word: str) -> set[Talk] | None:
    """The kinds of the phrases that a word of a script without blanks is made of; None when it says anything else."""
    if not _RUN.search(word):
        return None
    kinds: set[Talk] = set()
    at = 0
    while at < len(word):
        length = next((n for n in range(_RUN_LONGEST, 0, -1) if word[at : at + n] in _RUNS), 0)
        if not length:
            return None
        kind = _RUNS[word[at : at + length]]
        if kind is not None:
            kinds.add(kind)
        at += length
    return kinds
