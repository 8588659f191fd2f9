"""How does a message stand to what was said before: does it press, come in passing, or take a subject back?"""

from __future__ import annotations

import re
from typing import Final

CHARS_MAX: Final = 2_000
_FLAGS: Final = re.IGNORECASE | re.VERBOSE

_PRESSES: Final = re.compile(
    r"""\b(?:please|pls|plz|hurry(?:\s+up)?|not|no\s+rush|quick(?:ly)?|fast|asap|urgent(?:ly)?|it\s+is|it's|this\s+is|very|so|really
       |as\s+soon\s+as\s+possible|right\s+now|now|help(?:\s+(?:me|us))?|any\s+(?:news|update|ideas?|one|body)|are\s+you\s+there
       |still\s+(?:there|waiting)|(?:i|we)(?:\s+am|\s+are|'m|'re)\s+(?:still\s+)?waiting|hello|hey|bitte|schnell|dringend
       |es\s+ist|hilfe|beeil\w*|vite|urgent|c'est|aide[zr]?|por\s+favor|r[aá]pido|urgente|es|ayuda|svp|s'il\s+vous\s+pla[iî]t)\b
    | 至急 | 急いで(?:ください)? | お願いします | 助けて(?:ください)? | \W""",
    _FLAGS,
)
_ASIDE: Final = re.compile(
    r"\b(?:by\s+the\s+way|btw|on\s+a\s+side\s+note|side\s+(?:note|question)|unrelated|übrigens|nebenbei|au\s+fait|por\s+cierto)\b"
    r"|ところで|ちなみに",
    re.IGNORECASE,
)
_WITHDRAWS: Final = re.compile(
    r"""\b(?:forget|never\s*mind|nevermind|scratch|ignore|skip|leave|drop)\s+(?:about\s+)?(?:that|it|this
       |(?:the|my|our|all)\s+(?:\w+\s+){0,2}?\w+|\w+ing)\b(?=\W*$|\s*[,.;:!-]|\s+(?:for\s+now|then|please|we|i)\b)
    | \b(?:we|i)(?:'ve|\s+have)?\s+(?:changed\s+(?:our|my)\s+minds?|decided\s+against)\b
    | \b(?:not|no\s+longer)\s+(?:needed|relevant|interested|important)\s+(?:any\s*more|now)\b
    | \b(?:is|has)\s+(?:already\s+)?(?:solved|sorted|settled)\s+(?:itself|by\s+itself|meanwhile)\b
    | \b(?:vergessen\s+sie|vergiss)\s+(?:das|die|den|es)\b | \boubliez\b | \bolv[ií]d(?:e|a|en)\s+(?:eso|lo|el|la)\b""",
    _FLAGS,
)


_OF_US: Final = re.compile(
    r"""^\W*(?:(?:ok|okay|so|and|but|great|wow|well|please|seriously)\W+)*(?:(?:nobody|no\s+one|none\s+of\s+you)\s+(?:there|knows?|here|can\s+help|answers?
       |replies|cares?)\b|(?:does\s+)?(?:any(?:one|body))\s+(?:there|here|read|know|awake|human|real|alive|at\s+your\s+\w+)\b|is\s+any(?:one|body)\s+at\s+your\b|are\s+you\s+(?:serious|kidding|joking|there|a\s+\w+)\b)
    | \b(?:you(?:r)?|this|that|it|bot|chat\w*|answers?|service|support)\s+(?:\w+\s+)?(?:is|are)\s+(?:(?:so|just
       |completely|totally|a)\s+)*(?:useless|ridiculous|joke|shame
       |disgrace|terrible|awful|horrible|pathetic|worthless|stupid|nonsense|rubbish)\b
    | \b(?:esto\s+es\s+una\s+vergüenza|das\s+ist\s+(?:doch\s+)?(?:ein\s+witz|lächerlich|unverschämt)
       |c'est\s+(?:une\s+honte|nul|inadmissible))\b""",
    re.IGNORECASE | re.VERBOSE,
)


def presses(message: str) -> bool:
    """ "Please hurry!" and nothing else."""
    text = message[:CHARS_MAX]
    return not re.sub(r"\s+", "", _PRESSES.sub(" ", text))


def in_passing(message: str) -> bool:
    """ "By the way, is there a dark mode?" """
    return _ASIDE.search(message[:CHARS_MAX]) is not None


def withdraws(message: str) -> bool:
    """What was asked before is not wanted any more: "forget the sharding"."""
    return _WITHDRAWS.search(message[:CHARS_MAX]) is not None


def of_us(text: str) -> bool:
    """It speaks of the support alone: "nobody knows?", "your answers are useless"."""
    return _OF_US.search(text[:CHARS_MAX]) is not None
