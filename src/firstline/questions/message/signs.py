"""What words give a message away? Patterns that triage weighs together with the classifier."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from firstline.domain import Intent
from firstline.questions.message.product_things import FED

Signs = tuple[tuple[Intent, re.Pattern[str]], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tongue:
    """The signs of one language: strong wordings only, since no classifier reads it. `high` counts unless `policy` says
    that the message asks about rules; `intents` holds the kinds of question, the first that is found decides."""

    high: Signs
    policy: re.Pattern[str]
    private: re.Pattern[str]
    account: re.Pattern[str]
    intents: Signs
    upset: re.Pattern[str]
    off_task: re.Pattern[str]


def pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE | re.VERBOSE)


def signs(*pairs: tuple[Intent, str]) -> Signs:
    return tuple((intent, pattern(words)) for intent, words in pairs)


def first_sign(signs: Signs, text: str) -> Intent | None:
    return next((intent for intent, sign in signs if sign.search(text)), None)


# Words between a verb and what it is done to; bounded, so that every pattern runs in linear time.
_GAP: Final = r"(?:\W+[\w'’-]+){0,4}?\W+"

_SOMEONE: Final = (
    r"(?:another|other|some(?:one|body)(?:\s+else)?|any(?:one|body)\s+else|all|your|the\s+other)\s*(?:'s\s*)?"
    r"(?:customers?|users?|clients?|tenants?|compan(?:y|ies)|patients?|students?|employees?|guests?|passengers?"
    r"|account)"
)
_RELATION: Final = (
    r"(?:(?:my|our)\s+(?:neighbou?r|boss|manager|ex|wife|husband|girlfriend|boyfriend|colleague|competitor|roommate|friend"
    r"|daughter|son|brother|sister|landlord)s?)"
)
PRIVATE: Final = re.compile(
    rf"""
    \b(?:give|show|send|tell|list|export|print|read|open|see|access|share|dump|reveal|hand|copy|let\s+me|need|want
        |get|what)\b
       {_GAP}(?:{_SOMEONE})(?:'s|s')?\W+(?:\w+\W+){{0,2}}?(?:data|details?|e-?mails?|addresses|address|phone|numbers?
        |orders?|invoices?
       |tickets?|passwords?|messages|conversations?|files?|tables?|contracts?|salar(?:y|ies)|names?|lists?|records?
        |history)\b
  | \b(?:give|show|send|tell|list|print|read|open|let\s+me\s+(?:see|read)|need|want)\b{_GAP}{_RELATION}(?:'s)?\b
       {_GAP}(?:messages|mails?|inbox|address|phone|number|orders?|salary|transactions|file|invoices?|password)\b
  | \b(?:give|show|send|tell|list|need|let\s+me\s+(?:see|read))\b{_GAP}(?:password|messages|inbox|mails?|e-?mails?
        |address|phone\s+number
       |phone|salary|transactions|bank\s+details|order\s+history|invoices|file|camera|data)\s+(?:of|behind|from
        |that\s+belongs?\s+to)\s+
       (?:{_RELATION}|{_SOMEONE}|this\s+(?:user|seller|person|customer)|the\s+(?:person|user|customer|seller|ceo)\b)
  | \b(?:show|print|reveal|give|tell|read|share|what)\b{_GAP}(?:internal|confidential|secret
        |hidden(?!\s+(?:documents?|files?|tools?|comments?)\b))\s+(?:notes?|documents?
       |instructions?|prompts?|roadmap|tools?|files?|comments?)\b(?!\s+(?:feature|type|field|api|setting|page))
  | \b(?:show|print|reveal|give|tell|repeat|output|disclose|leak|recite|read|share|what(?:'s|\s+is|\s+are))\b{_GAP}?
       \W*your\s+(?:\w+\s+)?(?:system\s+)?(?:prompts?|instructions)\b(?!\s+(?:on|for|about|to)\b)
  | \brepeat\s+(?:the|all|everything)\s+(?:\w+\s+)?above\b
  | (?:^|[.!?,:;]\s*|\band\s+|\bplease\s+|\byou\s+)(?:show|print|reveal|give|tell|repeat|output|disclose|leak
       |share)\s+(?:me\s+)?
       (?:the|its)\s+system\s+prompt\b
  | \b(?:give|send|tell|show|list|print|what(?:'s|\s+is|\s+are))\b(?:\s+\w+){{0,3}}?\s+(?:root
        |admin(?:istrator)?(?:'s)?|master|ceo'?s?)
       \s+(?:password|credentials|login|access\s+keys?)\b(?!\s+(?:default|policy|requirements?|file|length))
  | \bwhat\s+(?:is|was)\s+the\s+password\s+of\b
  | ^\W*(?:(?:please|can\s+you|could\s+you|hi|hello)\W+)*(?:give|send|tell|show)\s+(?:me
       |us)\b{_GAP}(?:addresses|numbers|names)
       \s+of\s+{_SOMEONE}
  | \b(?:list|print|dump|show)\s+(?:me\s+)?(?:all\s+)?(?:the\s+|your\s+)?(?:api\s+keys|secrets|database)\s+(?:you
        |of)\b
  | \bdump\s+your\s+database\b
  | \bwho\s+(?:sits|is\s+sitting)\s+next\s+to\s+me\b | \bwho\s+lives\s+(?:at|in)\s+this\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

# Somebody else is in it: private when the classifier agrees.
OTHERS: Final = re.compile(
    rf"""\b(?:{_SOMEONE}|{_RELATION}|the\s+other\s+\w+|which\s+(?:customers?|users?|clients?|people)|real\s+name
        |who\s+else)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_HELD: Final = (
    r"(?:subscriptions?|memberships?|contracts?|accounts?|polic(?:y|ies)|licen[cs]es?|insurance|agreement|tariff"
    r"|(?:premium|paid|annual|yearly|monthly|team|support|season|travel|business|family|hosted|cloud|phone|gas"
    r"|lounge)"
    r"\s+(?:\w+\s+)?(?:plan|pass|subscription|contract|membership)|(?:season\s+)?pass|broadband|plan)"
)
_NOT_FED: Final = rf"(?!{FED})"
# "child" alone is a node or a process.
_CHILD: Final = (
    r"(?:my|our)\s+(?:[\w-]+\s+){0,2}?(?:son|daughter|kid|child|boy|girl)(?:'s)?|(?:a|of)\s+minors?|under-?age\w*"
)
# Nearly always what they say, whatever stands around them.
HIGH_STRONG: Final = signs(
    (
        Intent.LEGAL,
        r"""\b(?:my|our|an?)\s+(?:lawyers?|attorneys?|solicitors?|counsel|law\s+firm|legal\s+(?:team
        |department))\W+(?:\w+\W+){0,3}?
        (?:will|is|are|has|have|knows?|requests?|demands?|says?|informed|contact)\b
        | \b(?:i|we)(?:\s+will|'ll|\s+am\s+going\s+to|\s+are\s+going\s+to|\s+want\s+to|'m\s+going\s+to)\s+sue\b
        | \bsu(?:e|ing)\s+(?:you|them|the\s+(?:company|clinic|city))\b | \b(?:take|taking)\s+(?:you|this
        |it)\s+to\s+(?:\w+\s+)?(?:claims\s+)?court\b
        | \b(?:see\s+you|go(?:ing)?\s+to|meet)\s+(?:in\s+)?court\b | \b(?:take|taking
        |consider\w*)\s+legal\s+(?:action|steps)\b
        | \blegal\s+(?:notice\b(?!\s+(?:page|template))|action\s+against) | \bcease\s+and\s+desist\b
        | \bpress\s+charges\b
        | \b(?:file|filing|preparing)\s+(?:a\s+)?(?:law)?suit\b | \bdmca\s+(?:notice|takedown)\b
        | \b(?:hold|held)\s+you\s+(?:legally\s+)?(?:liable|responsible)\b | \bhear\s+from\s+(?:my|our)\s+(?:lawyer
        |attorney)
        | \bhearing\s+from\s+(?:my|our)\s+(?:lawyer|attorney)
        | \b(?:we|i)(?:'ll|\s+will|\s+shall)\s+(?:litigate|(?:claim|seek)\s+(?:damages|compensation))\b
        | \b(?:expect|threaten(?:ing)?\s+with|prepar(?:e|ing))\s+(?:a|an|the)\s+(?:\w+\s+)?(?:lawsuit|claim)\b
        | \b(?:will|shall|am|are)\s+(?:fight|going\s+to\s+fight)\s+(?:this|it)\s+in\s+court\b""",
    ),
    (
        Intent.DELETION,
        rf"""\b(?:delete|erase|remove|wipe|purge|destroy|close\s+and\s+erase)\s+(?:(?:all|any
        |every)\s+(?:of\s+)?)?(?:my|our)\s+
        (?:\w+\s+){{0,2}}?(?:account|profile|personal\s+data|data|information|records?|org
        |customer\s+data)\b(?!\s+(?:pipelines?|sources?|sets?|bases?|volumes?|lakes?|frames?|types?|models?|director(?:y|ies)|keys?)\b)
        (?!['’]s\s+(?!data|information|records?|profile))(?!\s*(?:from|in)\s+the\s+(?:table|index|cache))
        | \b(?:delete|erase|purge|remove|wipe)\b{_GAP}(?:data|information|records?
        |everything)\s+(?:\w+\s+){{0,2}}?(?:about|on|of|concerning)\s+(?:me|us|our\s+company|our\s+organi[sz]ation)\b
        | \b(?:gdpr|right\s+to\s+(?:be\s+forgotten|erasure)|article\s+17)\b{_GAP}(?:request|erasure|delet\w+|applies
        |now)\b
        | \b(?:i|we)\s+(?:demand|request|invoke|want)\b{_GAP}(?:deletion|erasure|article\s+17)\b
        | \bforget\s+(?:me|us)\s*(?::|$|and\b)
        | \b(?:gdpr|dsgvo)\b.{{0,60}}\b(?:delet\w+|eras\w+|gone|remov\w+|must\s+go)\b
        | \b(?:delet\w+|eras\w+|gone|remov\w+)\b.{{0,40}}\bgdpr\b
        | \b(?:{_CHILD})\b.{{0,120}}\b(?:delet\w+|eras\w+|remov\w+|wip\w+|get\s+rid|take\s+(?:it|them|down))\b
        | \b(?:delete|erase|remove|wipe)\b.{{0,60}}\b(?:{_CHILD})\b
        | \bdelete\s+me\s+from\b""",
    ),
    (
        Intent.BILLING_DISPUTE,
        r"""\b(?:chargeback|charged\s+back)\b(?!\s+(?:api|webhook|object|report|settings?|field))
        | \b(?:charged|billed|debited)\s+(?:me\s+|us\s+|my\s+card\s+)?(?:\w+\s+){0,3}?(?:twice|two\s+times|double)\b
        | \b(?:charged|billed|debited)\s+(?:me|us|my\s+card)\s+(?:\w+\s+){0,3}?again\b
        | \bdouble\s+charge[ds]?\b | \b(?:i\s+want|give\s+me|get)\s+(?:my|our|the)\s+money\s+back\b | \bmoney\s+back\b
        | \b(?:i|we)\s+(?:hereby\s+)?(?:dispute|contest)\b | \bovercharged\b | \boverbilled\b
        | \b(?:demand|want|need|expect|where(?:'s|\s+is))\s+(?:a\s+|an?\s+immediate\s+|my\s+
        |the\s+)?(?:full\s+)?refund\b
        | \brefund\s+(?:me|us)\b | ^\W*(?:(?:i\s+want\s+(?:a\s+)?)?refund)(?:\s+(?:now|please|me))*\W*$
        | \b(?:un)?authori[sz]ed\s+charges?\b | \bfraudulent\s+(?:charge|payment)
        | \bcharge\s+(?:is\s+)?(?:not\s+mine|i\s+(?:did\s+not|never))
        | \b(?:refuse\s+to|will\s+not|won't)\s+pay\b
        | \b(?:charge|payment|amount|debit|position)\b.{0,80}\b(?:(?:not|don't|do\s+not)\s+recogni[sz]e|never\s+agreed
        |know\s+nothing)\b
        | \b(?:my|our|the)\s+(?:card|bank|card\s+(?:issuer|company))\b.{0,40}\b(?:revers\w+|chargeback|as\s+fraud)\b
        | \b(?:revers\w+|disput\w+)\s+(?:this|the|that|your)\s+(?:charge|payment|debit|invoice|bill|fine|fee)\b
        | \bpromised\b.{0,30}\b(?:deposit|refund|money|credit)\b
        | \bnever\s+(?:gave|got|came|received|returned)\b.{0,30}\bback\b
        | \b(?:refund|credit)\s+(?:it|that|the\s+(?:rest|difference|amount))\b(?!\s+to\s+(?:a|the)\s+customer)
        | \b(?:pay|give)\s+(?:me|us|it|one)\s+back\b | \b(?:want|expect)\b.{0,30}\b(?:refunded|money\s+returned)\b""",
    ),
    (
        Intent.COMPLAINT,
        r"""\b(?:formal|official)\s+(?:complaint|grievance)\b | \b(?:file|lodge|raise|make|register
        |submit)\s+(?:an?\s+|my\s+)?complaint\b(?!\s+(?:with|form|procedure|ticket|page))
        | \b(?:lodging|filing|raising|making)\s+a\s+complaint\b | \bcomplaint\s+(?:about|against|to)\s+(?:your|the|a
        |you|a\s+\w+)\b
        | \b(?:want|like|wish|going)\s+to\s+(?:formally\s+|officially\s+)?complain\b
        | ^\W*complaint\b(?!\s+(?:api|webhooks?|endpoint|object|event|field|table|index)\b)""",
    ),
    (
        Intent.CANCELLATION,
        rf"""\b(?:cancel|terminate|discontinue|quit)\s+(?:all\s+(?:of\s+)?)?(?:my
        |our)\s+(?:[\w-]+\s+){{0,3}}?{_HELD}\b{_NOT_FED}
        | \b(?:close|end)\s+(?:my|our)\s+(?:[\w-]+\s+){{0,2}}?(?:account|subscription|membership|contract|policy)\b
        {_NOT_FED}
        | \b(?:cancel|terminate|end)\s+(?:the|this|your)\s+(?:[\w-]+\s+){{0,1}}?(?:subscription|membership|contract)\b
        {_NOT_FED}
        | \b(?:cancel|terminate|end|quit|stop)\s+(?:the|this|my|our|your)\s+(?:[\w-]+\s+){{0,3}}?{_HELD}\s+
        (?:that\s+)?(?:i|we)\s+(?:pay|have)\b
        | \b(?:get|let)\s+(?:me\s+|us\s+)?out\s+of\s+(?:my|our|the|this)\s+(?:[\w-]+\s+){{0,3}}?{_HELD}\b
        | \b(?:stop|end|quit)\s+(?:my|our)\s+(?:[\w-]+\s+){{0,3}}?{_HELD}\b{_NOT_FED}
        | \bgive\s+notice\s+to\s+cancel\b | ^\W*i\s+(?:want|would\s+like|wish)\s+to\s+cancel\W*$
        | \bdisdire\s+il\s+mio\b
        | \bcancelar\s+(?:a\s+)?minha\b""",
    ),
)
# Said of other things too: they count only where the classifier agrees.
HIGH_WEAK: Final = signs(
    (
        Intent.LEGAL,
        r"\b(?:sue|suing|lawyers?|attorneys?|solicitors?|court|lawsuit|illegal|legal|police|ombudsman|liable|breach"
        r"|law)\b",
    ),
    (Intent.COMPLAINT, r"""\bcomplain(?:t|ts|ed|ing)?\b|\bgrievance\b|\bapology\b|\bdisgrace|\bdisgust"""),
    (
        Intent.BILLING_DISPUTE,
        r"""\b(?:refund(?:ed|s)?|charged?|charges|billed|invoiced?|bill|debited|deducted|paid|payment|money|fees?
        |overcharge|dispute)\b""",
    ),
    (
        Intent.DELETION,
        rf"""\b(?:delet(?:e|ed|ion)|erase|erasure|wiped?|remove|purge)\b{_GAP}
        (?:accounts?|profile|data|records?|me|us|user|everything|every|all|photos|information|it\s+all)\b""",
    ),
    (
        Intent.CANCELLATION,
        r"\b(?:cancel(?:l?ed|l?ation|l?ing)?|terminat(?:e|ed|ion|ing)|end|close|stop|notice|leav(?:e|ing)|quit"
        r"|renew(?:al)?|unsubscribe|out\s+of)\b",
    ),
)

MINE: Final = re.compile(r"\b(?:i|i'm|i've|my|our|me|mine|us|we|you|your)\b", re.IGNORECASE)
_RECORD: Final = (
    r"(?:orders?|parcel|package|shipment|suitcase|delivery|refund|application|claim|request|tickets?|case|balance"
    r"|bill"
    r"|invoice|payment|transfer|account|booking|reservation|appointment|repair|replacement|results?|grades?|marks?"
    r"|salary|payslip|puk|pin|user\s?name|password|plan|contract|loan|limit|trial|points|miles|credits?|subscription"
    r"|profile|site|post|licen[cs]e|documents?|quota|complaint|card|repo(?:sitory)?|certificate|device|machine"
    r"|operation"
    r"|customer\s+number|damage|identity|mailbox|medication|tariff|next\s+\w+|last\s+\w+)"
)
_ACT: Final = (
    r"(?:unlock|unban|reset|restore|recover|approve|confirm|reschedule|rebook|move|change|update|increase|raise|lift"
    r"|extend|(?:de)?activate|disable|verify|waive|resend|send|give|add|put|grant|release|look|check|log|fix|book"
    r"|sign"
    r"|decide|make|let|refuse|deliver|print|set|restart|file|prescribe|get|tell|show|exempt|do)"
)
# A look into the asker's own records, or something done or decided for the asker.
ACCOUNT: Final = re.compile(
    rf"""
    \b(?:where(?:'s)?|when|what(?:'s)?|which|why|has|have|is|was|did|does|will|how\s+(?:many
        |much))\b(?:\W+[\w'’-]+){{0,5}}?
       \W+(?:my|our)\W+(?:[\w-]+\W+){{0,2}}?{_RECORD}\b
  | \b(?:order|ticket|claim|parcel|booking|invoice|tracking|case|application|serial|tag)\s*(?:number|no\.?
        |id)?\s*[:#]?\s*\d{{3,}}
  | ^\W*(?:(?:please|can\s+you|could\s+you|would\s+you|i\s+need\s+you\s+to|someone|you\s+should)\W+)*{_ACT}\b
       {_GAP}(?:me|my|our|us|mine)\b
  | ^\W*(?:please|can\s+you|could\s+you)\W+{_ACT}\b
  | \b{_RECORD}\s+of\s+(?:my|our)\b | \bwhy\s+(?:am|was|were|is|has|have|did|are)\s+(?:i|my|our|we|you)\b
  | \b(?:am|was)\s+i\s+(?:banned|blocked|admitted|eligible|still|allowed|charged|accepted|on|going)\b
  | \b(?:how\s+(?:many|much)|what|which|when)\b{_GAP}(?:do|did|have|will|would)\s+(?:i|we|you)\s+(?:still\s+)?
       (?:have|owe|get|got|order|pay|receive|earn|find|left)\b
  | \b(?:how\s+much|when|what)\s+will\s+(?:i|you)\s+(?:pay|get|receive|be\s+paid)\b
  | \bshould\s+i\b{_GAP}(?:pills?|tablets?|medic\w+|doses?)\b | \bprescribe\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
ON_YOUR_SIDE: Final = re.compile(
    r"\b(?:can|could|would|will)\s+(?:you|somebody|someone|your\s+team)\b.{0,80}\b(?:on|at|from)\s+your\s+(?:side|end)\b",
    re.IGNORECASE,
)
# It asks what would happen, or for the form of it.
POLICY: Final = re.compile(
    r"\b(?:when|if|after|before|once)\s+(?:i|we|you|one)\s+(?:delete|cancel|close|terminate|end|leave|quit)\b"
    r"|\b(?:complaints?|cancellation|refund)\s+(?:fees?|forms?|procedures?|rates?|terms|loop)\b"
    r"|\b(?:polic(?:y|ies)|rules|procedure|template|(?<!in )process|what\s+is\s+an?|meaning\s+of)\b",
    re.IGNORECASE,
)
OFF_TASK: Final = re.compile(
    r"""\b(?:write|compose|draft|make\s+up|invent|tell|give|sing|create|recite|need|want|finish|continue|do
        |help)\b(?:\W+[\w'’]+){0,5}?\W+
       (?:poems?|jokes?|stor(?:y|ies)|songs?|essays?|haikus?|limericks?|sonnets?|lyrics|raps?|speech(?:es)?
        |fairy\s+tales?|riddles?|homework
       |love\s+letter|horoscope|recipes?|cover\s+letter|toast|vows|tongue\s+twister|bedtime\s+story)\b
    | \bweather\b.{0,30}\b(?:today|tomorrow|tonight|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday
        |like|outside)\b
    | \bwill\s+it\s+(?:rain|snow)\b | \b(?:act|talk|role\s?play)\s+(?:like|as)\s+an?\b | \bpretend\s+(?:you|to\s+be)\b
    | \brecipe\s+for\b | \b(?:film|movie|series|book|novel)\b.{0,20}\b(?:should|can)\s+i\s+(?:watch|read)\b
    | \bwho\s+(?:won|wins|will\s+win)\s+the\s+(?:\w+\s+){0,2}?(?:match|game|election)\b.{0,20}
       \b(?:last\s+night|yesterday|tonight|today|next)\b
    | ^\W*are\s+you\s+(?:a\s+|an\s+)?(?:married|single|human|robot|bot|real|alive|ai|person)\b
    | \blottery\s+numbers\b | \bhoroscope\b | \bmarry\s+me\b | \bi\s+love\s+you\b | \bmake\s+me\s+laugh\b""",
    re.IGNORECASE | re.VERBOSE,
)
ASKS: Final = re.compile(
    r"""\?|\b(?:how|why|what|which|who|whom|whose|when|where|can|could|does|did|is\s+(?:it|there|the|this)
        |are\s+(?:the|there)
    |do\s+(?:i|you|we|they)|should|would|explain|describe|difference|list\s+of|tell\s+me\s+(?:more\s+)?about|error
        |fail(?:s|ed|ure)?|not\s+working)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# It ends something that an earlier message names.
ENDS_IT: Final = re.compile(
    r"(?P<verb>\b(?:cancel|terminate|end|quit|close|delete|erase|remove|wipe|get\s+rid\s+of|stop)(?:l?ing)?)\s+"
    r"(?P<what>it|that|this|them|those|these|the\s+(?:whole\s+)?thing|everything|all\s+of\s+(?:it|them))\b",
    re.IGNORECASE,
)
