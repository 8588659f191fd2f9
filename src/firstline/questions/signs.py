"""What words give a message away? Patterns that triage weighs together with the classifier."""

from __future__ import annotations

import re
from typing import Final

from firstline.domain import Intent

Signs = tuple[tuple[Intent, re.Pattern[str]], ...]


def signs(*pairs: tuple[Intent, str]) -> Signs:
    return tuple((intent, re.compile(pattern, re.IGNORECASE | re.VERBOSE)) for intent, pattern in pairs)


def first_sign(signs: Signs, text: str) -> Intent | None:
    return next((intent for intent, pattern in signs if pattern.search(text)), None)


# Words between a verb and what it is done to; bounded, so that every pattern runs in linear time.
_GAP: Final = r"(?:\W+[\w'’-]+){0,4}?\W+"

PERSON: Final = re.compile(
    rf"""
    \b(?:speak|talk|chat|connect(?:\s+me)?|transfer(?:\s+me)?|put\s+me\s+through|escalate(?:\s+(?:me|this))?
        |forward\s+me
       |hand\s+me\s+over|pass\s+me\s+on|write)\s+(?:directly\s+)?(?:to|with)\s+(?:(?:a|an|the|my|your|some
        |one\s+of\s+your|
       real|live|actual|human|support|service|customer|study|sales|technical)\s+)*
       (?:human|person|people|someone|somebody|agent|representative|rep|operator|manager|supervisor|staff|adviser
        |advisor
       |nurse|technician|specialist|engineer|expert|team|support|customer\s+(?:service|support|care)|office)\b
  | \b(?:real|live|actual)\s+(?:human|person|agent|people)\b
  | ^\W*(?:a\s+|the\s+)?(?:human|agent|operator|representative|live\s+(?:chat|agent|person)|real\s+person)
       (?:\W+(?:please|now|pls))*\W*$
  | \b(?:give|gimme|get|send|find|need|want|is\s+there|have)\s*(?:me\s+)?(?:a|an|some)\s+(?:real\s+|live\s+)?
       (?:human(?:\s+being)?|agent|operator|person)\b(?!{_GAP}(?:that|role|record|pool|process|object|field|account))
  | \b(?:is|are)\s+(?:a|any|there\s+(?:a|any))\s+(?:human|real\s+person)\s+(?:there|here|around|available)
  | \b(?:someone|somebody|a\s+person)\s+(?:(?:from|of|in)\s+(?:\w+\s+){{1,2}})?(?:call|phone|ring|contact)(?:s
        |ed)?\s+me\b
  | \bcall\s+me\s+back\b | \b(?:have|ask)\s+(?:someone|somebody|an?\s+\w+)\s+(?:to\s+)?(?:call|phone|contact)\s+me\b
  | \bnot\s+(?:a|with\s+a|to\s+a|want\s+to\s+chat\s+with\s+a)\s+(?:bot|robot|machine|chatbot)\b
  | \b(?:mit\s+einem\s+(?:menschen|mitarbeiter|berater)|echten\s+menschen|parler\s+(?:à|avec)\s+(?:un|une|quelqu)
       |hablar\s+con\s+(?:un|una|alguien)|parlare\s+con\s+(?:un|una|qualcuno)|falar\s+com\s+(?:um|uma|alguém)
       |met\s+een\s+(?:mens|medewerker))
    """,
    re.IGNORECASE | re.VERBOSE,
)

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
  | \b(?:show|print|reveal|give|tell|read|share|what)\b{_GAP}(?:internal|hidden|confidential|secret)\s+(?:notes?
        |documents?
       |instructions?|prompts?|roadmap|tools?|files?|comments?)\b(?!\s+(?:feature|type|field|api|setting|page))
  | \b(?:system\s+prompt|ignore\s+(?:all\s+|your\s+|the\s+|any\s+)*(?:previous\s+|prior\s+)?(?:rules|instructions)
       |reveal\s+your\s+instructions)\b
  | \b(?:give|send|tell|show|list|print|what(?:'s|\s+is|\s+are))\b(?:\s+\w+){{0,3}}?\s+(?:root
        |admin(?:istrator)?(?:'s)?|master|ceo'?s?)
       \s+(?:password|credentials|login|access\s+keys?)\b(?!\s+(?:default|policy|requirements?|file|length))
  | \bwhat\s+(?:is|was)\s+the\s+password\s+of\b
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
        | \bhearing\s+from\s+(?:my|our)\s+(?:lawyer|attorney) | \bmein\s+anwalt\b | \bmon\s+avocat\b
        | \bmi\s+abogado\b""",
    ),
    (
        Intent.DELETION,
        rf"""\b(?:delete|erase|remove|wipe|purge|destroy|close\s+and\s+erase)\s+(?:(?:all|any
        |every)\s+(?:of\s+)?)?(?:my|our)\s+
        (?:\w+\s+){{0,2}}?(?:account|profile|personal\s+data|data|information|records?|org
        |customer\s+data)\b(?!\s*(?:from|in)\s+the\s+(?:table|index|cache))
        | \b(?:delete|erase|purge|remove|wipe)\b{_GAP}(?:data|information|records?
        |everything)\s+(?:\w+\s+){{0,2}}?(?:about|on|of|concerning)\s+(?:me|us|our\s+company|our\s+organi[sz]ation)\b
        | \b(?:gdpr|right\s+to\s+(?:be\s+forgotten|erasure)|article\s+17)\b{_GAP}(?:request|erasure|delet\w+|applies
        |now)\b
        | \b(?:i|we)\s+(?:demand|request|invoke|want)\b{_GAP}(?:deletion|erasure|article\s+17)\b
        | \bdelete\s+me\s+from\b | \b(?:mein\s+konto|meine\s+daten)\s+löschen\b | \bsupprimer\s+mon\s+compte\b
        | \beliminar\s+mi\s+cuenta\b""",
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
        | \b(?:refuse\s+to|will\s+not|won't)\s+pay\b | \bgeld\s+zurück\b | \brembours(?:ez|ement)\b
        | \bdevol\w+\s+mi\s+dinero\b""",
    ),
    (
        Intent.COMPLAINT,
        r"""\b(?:formal|official)\s+(?:complaint|grievance)\b | \b(?:file|lodge|raise|make|register
        |submit)\s+(?:an?\s+|my\s+)?complaint\b(?!\s+(?:with|form|procedure|ticket|page))
        | \b(?:lodging|filing|raising|making)\s+a\s+complaint\b | \bcomplaint\s+(?:about|against|to)\s+(?:your|the|a
        |you|a\s+\w+)\b
        | \b(?:want|like|wish|going)\s+to\s+(?:formally\s+|officially\s+)?complain\b | ^\W*complaint\b""",
    ),
    (
        Intent.CANCELLATION,
        rf"""\b(?:cancel|terminate|discontinue|quit)\s+(?:all\s+(?:of\s+)?)?(?:my
        |our)\s+(?:[\w-]+\s+){{0,3}}?{_HELD}\b
        | \b(?:close|end)\s+(?:my|our)\s+(?:[\w-]+\s+){{0,2}}?(?:account|subscription|membership|contract|policy)\b
        | \b(?:cancel|terminate|end)\s+(?:the|this|your)\s+(?:[\w-]+\s+){{0,1}}?(?:subscription|membership|contract)\b
        | \bgive\s+notice\s+to\s+cancel\b | ^\W*i\s+(?:want|would\s+like|wish)\s+to\s+cancel\W*$
        | \b(?:abo|abonnement|vertrag|konto|mitgliedschaft)\s+(?:\w+\s+)?kündigen\b | \brésilier\s+(?:mon|notre)\b
        | \bcancelar\s+mi\s+(?:suscripción|cuenta|contrato)\b | \bdisdire\s+il\s+mio\b
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
POLICY: Final = re.compile(
    r"\b(?:polic(?:y|ies)|rules|procedure|template|process|what\s+is\s+an?|meaning\s+of)\b", re.IGNORECASE
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
