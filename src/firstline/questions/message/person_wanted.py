"""Does a message ask for a person? In any wording, short or at the end of a long complaint, in a few languages.

A request that is missed leaves somebody alone with a machine, and a false one costs a hand-over that nobody needed.
"agent", "operator" and "support" name software too: they count beside a verb that is done with people, alone, or with
a word that only people carry (real, live, human).
"""

from __future__ import annotations

import re
from typing import Final

from firstline.questions.message.person_declined import without_declined

CHARS_MAX: Final = 2_000
SHORT_WORDS_MAX: Final = 40
"""A request for a person is short; of a longer message its last sentence is read."""
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE_END: Final = re.compile(r"[.!?\n]\s+")

# People whatever stands beside them, and words that mean people only where the verb or the article says so.
_PEOPLE: Final = (
    r"(?:humans?(?:\s+being)?|persons?|people|someone|somebody|anyone|anybody)"
    r"(?!(?:\s+else)?'s\b|\s+(?:readable|friendly|id\b|resource|table|schema|record|entity|object|class|collection|index))"
)
_STAFF: Final = (
    r"(?:agents?|representatives?|reps?|operators?|managers?|supervisors?|staff|advis[eo]rs?|nurse|technicians?|techs?"
    r"|specialists?|engineers?|experts?|developers?|consultants?|team|support|help\s*desk|service\s+desk"
    r"|customer\s+(?:service|support|care)|office|employees?|colleagues?)"
)
_NOT_SOFTWARE: Final = (
    r"(?!\s*(?:node|process|pod|daemon|api|endpoint|url|host|service\s+account|config\w*|log\w*|table|port|string"
    r"|header|pool|role|version|bundle|matrix|package|ticket\s+api|channel\s+api|over|via|through\s+the|portal|role\b|state|server"
    r"|database|key|object|id\b|record|field|account|that\s+(?:runs|collects|reads|role))\b)"
)
_KIND: Final = (
    r"(?:(?:a|an|the|my|your|some|any|one\s+of\s+your|real|live|actual|human|physical|support|service|customer|study"
    r"|sales|technical|tech|senior|qualified|competent|flesh\s+and\s+blood)\s+)*"
)
_MEET: Final = (
    r"(?:speak(?:ing)?|talk(?:ing)?|chat(?:ting)?|connect(?:ed)?(?:\s+me)?|transfer(?:red)?(?:\s+me)?|put\s+me\s+through"
    r"|put\s+me\s+in\s+touch|get\s+me\s+through|get\s+in\s+touch|switch(?:\s+me)?(?:\s+over)?"
    r"|escalate(?:d)?(?:\s+(?:me|this|it))?|forward\s+(?:me|this)|redirect(?:\s+me)?|route\s+me|refer\s+me"
    r"|hand\s+(?:me|this)\s+(?:over|off)|pass\s+(?:me|this)\s+(?:on|over)|hook\s+me\s+up|patch\s+me\s+through|write)"
)
# Nouns that are people and no software, whatever stands beside them.
_EXPERTS: Final = (
    r"(?:(?:(?:real|live|actual|senior|competent|qualified|support|human|technical|service)\s+)*(?:engineers?|technicians?"
    r"|specialists?|experts?|colleagues?|consultants?|employees?|supervisors?|representatives?|advis[eo]rs?|humans?"
    r"|persons?|people)|someone|somebody|any(?:one|body)|one\s+of\s+(?:you|your\s+\w+|them))"
)
_END: Final = r"(?:\W+(?:please|now|pls|plz|asap|immediately|today|thanks|thank\s+you|here|already|right\s+now))*\W*$"

_END_OR_MORE: Final = r"(?=\W*$|\s*[,.;!]\s)"

_ENGLISH: Final = re.compile(
    rf"""
    \b{_MEET}\s+(?:directly\s+)?(?:to|with)\s+{_KIND}(?:{_PEOPLE}|{_STAFF}\b{_NOT_SOFTWARE})
       (?!\s+(?:with(?:in|out)\s+the|from\s+(?:a|the)\s+(?:script|pipeline|shell)))
  | \b(?:real|live|actual)\s+(?:human|person|agent|people)\b(?!\s*(?:migration|data|table|name|upgrade|record|ids?)\b)
  | (?:^\W*|[.!?]\s[^\w.!?]*)(?:please\W+|pls\W+|i\s+said\W+|no\W+)*(?:a\s+|the\s+)?(?:(?:live|real
       |human)\s+)?(?:human(?:\s+being)?
       |agent|operator
       |representative|rep|person|live\s+(?:chat|support)|customer\s+(?:service|support|care)|support\s+(?:agent
       |team|person)
       |supervisor|manager|somebody\s+real|someone\s+real|human\s+help){_END}
  | \b(?:give|gimme|get|send|find|need|want|wanna|is\s+there|have|prefer|rather\s+have|demand|request(?:ing)?
       |bring(?:\s+in)?|fetch|call|like|looking\s+for|ask(?:ing)?\s+for)\s*(?:me\s+|for\s+)?(?:a|an|some|your
       |the)\s+(?:real\s+|live\s+
       |actual\s+|support\s+|human\s+|customer\s+service\s+)*(?:human(?:\s+being|\s+agent|\s+help)?|agent|operator
       |person|supervisor
       |representative|support\s+(?:agent|engineer|person)){_END}
  | \b(?:need|want|wanna|get|give)\s+(?:me\s+)?(?:human|live|personal)\s+(?:help|support|assistance|agent|chat
       |contact){_END}
  | \b(?:get|give|find|send|need|want)\s+(?:me\s+)?(?:a\s+|an\s+)?(?:human(?:\s+being)?|person|someone
       |somebody)\s+(?:to\s+(?:help|look|call|talk|speak
       |answer|reply|handle|take)|who\s+(?:can|knows|understands|actually))\b
  | \b(?:is|are|isn't|aren't|can)\s+(?:there\s+)?(?:a|any|an)?\s*(?:human|real\s+person|person|people|agent|one
       |body|someone|somebody|anyone|anybody)\s+
       (?:there|here|around|available|real|on\s+the\s+line|i\s+can\s+(?:talk|speak|chat|write)|to\s+(?:talk|speak
       |chat)\s+(?:to|with)|help\s+me\s+in\s+person)
       \b(?!\s+in\s+the)
  | \b(?:can|could|may|let|want|like|need|how\s+(?:do|can))\b(?:\W+\w+){{0,4}}?\W+(?:speak|talk
       |chat)(?:ing)?\s+(?:to|with)\s+(?:one\s+of\s+)?
       (?:you\s+guys|your\s+(?:boss|people|colleagues?)|(?:a|some|any)(?:\s?one|\s?body)
       |who(?:ever)?\s+is\s+in\s+charge)\b
  | \b(?:someone|somebody|a\s+person|a\s+human|an\s+agent|your\s+team)\s+(?:(?:from|of
       |in)\s+(?:\w+\s+){{1,3}})?(?:please\s+)?(?:can\s+|should\s+|needs?\s+to\s+
       |must\s+)?(?:call|phone|ring|contact|reply\s+to|get\s+back\s+to|reach\s+out\s+to)(?:s|ed)?\s+me\b
  | \b(?:a\s+(?:human|(?:real\s+)?person)|an\s+agent|your\s+team)\s+(?:please\s+)?(?:can\s+|should\s+)?(?:help
       |answer)\s+me\b
  | \b(?:call|phone|ring)\s+me\s+back\b | \bgive\s+me\s+a\s+(?:call|ring)\b
  | \b(?:have|ask|get)\s+(?:someone|somebody|an?\s+(?:human|person|agent|colleague|technician|engineer
       |representative))\s+(?:to\s+)?(?:call|phone|contact|help)\s+me\b
  | \b(?:can|could|would|will)\s+(?:someone|somebody|a\s+(?:human|person)
       |an\s+agent)\s+(?:please\s+)?(?:take\s+over|look\s+(?:at|into)\s+(?:this|it|my|our|both|that|these|them
       |the\s+(?:case|ticket|problem|issue|matter))
       |step\s+in|join|handle\s+this)\b
  | \b(?:can|could|would|will)\s+(?:a\s+(?:human|(?:real\s+)?person)|an\s+agent)\s+(?:please\s+)?(?:help|assist)\b
  | \b(?:need|want|wanna|prefer|serve)\s+(?:a\s+)?(?:human|(?:real\s+)?person){_END}
  | (?:^\W*|[.!?,;]\s*)(?:human|(?:real\s+)?person|someone\s+real)\s+(?:please|pls|plz){_END_OR_MORE}
  | \b(?:being|soul|one|body|someone|somebody|anyone|anybody|human|person)\b(?:\W+\w+){{0,4}}?\W+(?:i|we)\s+(?:can
       |could|may|might)\s+(?:chat|talk|speak|write)\s+(?:to|with)\b
  | \b(?:not|stop|enough|done|tired|sick|fed\s+up|instead\s+of|no\s+more)\s+(?:of\s+|with\s+
       |to\s+)*(?:talking\s+(?:to|with)\s+|want\s+to\s+(?:chat|talk)\s+(?:to
       |with)\s+|chatting\s+with\s+)?(?:a|the|this|these|your)?\s*(?:stupid\s+|useless\s+|damn\s+)?(?:bots?|robots?
       |machines?|chat\s*bots?|ai)\b{_END}
  | \b(?:don't|do\s+not|dont)\s+want\s+(?:to\s+(?:talk|chat|speak)\s+(?:to|with)\s+)?(?:a|the|this)\s+(?:bot|robot
       |machine|chat\s*bot|computer|ai)\b
  | \bnot\s+a\s+(?:bot|robot|chat\s*bot)\b{_END}
  | (?:^\W*|[.!?]\s[^\w.!?]*)(?:please\W+|and\W+)?(?:not|no)\s+(?:an?\s+|more\s+)?
       (?:bots?|robots?|chat\s*bots?)\s*[.!,;]
  | \b(?:get|give|find|send|bring)\s+(?:me|us)\s+(?:{_EXPERTS}|a\s+{_EXPERTS}|an\s+{_EXPERTS}){_END}
  | \b(?:have|get|put|need|want|assign)\s+(?:an?\s+|your\s+|some\s+)?(?!people|any){_EXPERTS}\s+(?:on|for
       |to)\s+(?:this|it|that|me|us
       |my\s+case|our\s+case|the\s+case|(?:look|check|help\s+(?:me|us)|handle|call\s+(?:me|us)|take|see))\b
  | \b(?:let|have)\s+(?:an?\s+|your\s+|some\s+)?{_EXPERTS}\s+(?:please\s+)?(?:look|check|handle|see|read|decide|answer
       |reply|call|take|deal|contact|help)\b
  | \b(?:can|could|would|will|may|should)\s+(?:an?\s+|your\s+)?{_EXPERTS}(?:\s+of\s+(?:yours|your\s+team))?\s+
       (?:please\s+|still\s+|maybe\s+)?(?:(?:call|phone|ring|contact)\s+(?:me|us)|take\s+over|take\s+this|look\s+(?:at|into)\s+(?:this|it
       |my|our|both|that|these|them)|get\s+(?:back|in\s+touch)|give\s+(?:me|us)\s+a\s+call)\b
  | \b(?:let|want|like|need|may|can|could)\b(?:\W+\w+){{0,4}}?\W+(?:speak|talk|chat)(?:ing)?\s+(?:to|with)\s+
       (?:one|some|any)\s+of\s+(?:them|you|your|those)\b
  | \b(?:pass|send|put|bring|direct|move|transfer|connect|forward|hand|switch|refer|get)\s+(?:me|us)\s+
       (?:on\s+|over\s+|through\s+|along\s+|straight\s+)*to\s+{_KIND}(?:{_PEOPLE}|{_STAFF}\b{_NOT_SOFTWARE})
  | \b(?:is|are|isn't|aren't)\s+(?:there\s+)?(?:an?\s+|some\s+|any\s+)?{_EXPERTS}\s+(?:on\s+(?:duty|call|shift)|awake
       |reading|listening|in\s+the\s+office|behind\s+this)\b
  | \bgive\s+us\s+a\s+(?:call|ring)\b | \b(?:call|phone|ring)\s+us\s+back\b
  | \b(?:help|assistance|support)\s+from\s+(?:an?|one\s+of\s+your)\s+{_EXPERTS}{_END}
  | \bwho\s+can\s+(?:i|we)\s+(?:call|phone|ring|speak\s+to|talk\s+to|speak\s+with|talk\s+with){_END}
  | \b(?:put|let|have)\s+(?:a|an|some)?\s*(?:human|person|someone|somebody|real\s+\w+)\s+(?:on\b|handle|look
       |take\s+over|help|answer
       |reply|deal|decide|check)
  | \b(?:like|want|need|request(?:ing)?|arrange|schedule|get)\s+(?:me\s+)?a\s+call\s?-?back\b{_END}
  | \bget\s+hold\s+of\s+(?:a\s+)?(?:human|person|someone|somebody|anyone|anybody)\b
  | \b(?:get|give|bring|fetch)\s+me\s+(?:your|a|the)\s+(?:boss|manager|supervisor|superior){_END}
  | \bhuman\s+(?:intervention|attention|contact|assistance|support)\s+(?:is\s+)?(?:needed|required|please|wanted)\b
  | \bconnect\s+me{_END} | ^\W*customer\s+(?:service|support)\s+(?:rep|representative|agent){_END}
  | \b(?:human|live|real)\s+(?:agent|operator|representative|support|assistance)\s+(?:please|now|pls|asap)\b
  | ^\W*(?:please\s+)?escalate{_END}
  | \b(?:escalate|hand)\s+(?:this|it|me)(?:\s+(?:over|off))?{_END}
  | \b(?:contact|reach|call|message|email)\s+(?:a\s+)?(?:human|person|real\s+person|support\s+(?:agent|person|team)
       |your\s+(?:support\s+team|support|team)|customer\s+(?:service|support)){_END}
    """,
    re.IGNORECASE | re.VERBOSE,
)

_OTHERS: Final = re.compile(
    r"""
    \bmit\s+(?:einem|einer|einen|eurem|ihrem|ihrer|’nem|'nem|dem|der)\s+(?:echten\s+|richtigen\s+|realen\s+|anderen\s+
       |menschlichen\s+|zuständigen\s+)?(?:menschen?|mitarbeiter\w*|berater\w*|person|support|kundendienst|kundenservice
       |ansprechpartner\w*|techniker\w*|kolleg\w+|ingenieur\w*|experten?)\b
       (?:.{0,40}?(?:reden|sprechen|verbinden|verbunden|chatten|schreiben|telefonieren)|(?:\W+bitte)?\W*$)
  | \bmit\s+jemande[mn]?\b.{0,40}?(?:reden|sprechen|verbinden|verbunden|chatten|schreiben|telefonieren)
  | \b(?:kann|könnte|könnten|können|soll|sollte)\b.{0,40}?\b(?:mich|uns)\b.{0,25}?(?:anrufen|zurückrufen|kontaktieren
       |(?<!an)melden)\b
  | \b(?:kann|könnte|soll|sollte)\s+(?:sich\s+)?(?:das\s+|es\s+)?(?:bitte\s+)?(?:mal\s+)?(?:jemand|einer\s+von\s+euch
       |ein\s+(?:techniker|mitarbeiter|kollege|mensch|ingenieur))\b.{0,30}?(?:ansehen|anschauen|übernehmen|draufschauen)
  | \b(?:echte[nr]?|richtige[nr]?|reale[nr]?|menschliche[nr]?)\s+(?:menschen?|person|mitarbeiter\w*
       |ansprechpartner\w*|support)\b
  | ^\W*(?:bitte\W+)?(?:ein(?:en)?\s+)?(?:mensch(?:en)?|mitarbeiter|berater|ansprechpartner)(?:\W+bitte)?\W*$
  | \b(?:brauche|möchte|moechte|will|gib\w*\s+mir|geben\s+sie\s+mir|hole?n?\s+sie)\s+(?:bitte\s+)?(?:einen?
       |eine)\s+(?:menschen?|mitarbeiter\w*|berater\w*|ansprechpartner\w*|person)\b
  | \b(?:rufen\s+sie|ruft|ruf)\s+mich\s+(?:bitte\s+)?(?:zurück|an)\b | \bjemand\w*\s+(?:sprechen|reden)\b
       | \bkein(?:en)?\s+bot\b
  | \bverbinden\s+sie\s+mich\b
  | \b(?:brauche|bräuchte|möchte|will|hätte\s+gern\w*|suche)\s+(?:\w+\s+){0,2}?jemande[nm]\b(?:\W+(?:bitte
       |am\s+telefon|vom\s+support|aus\s+(?:dem|eurem)\s+\w+|von\s+euch|der\s+(?:hilft|sich\s+auskennt)|zum\s+\w+))*\W*$
  | \b(?:serve|voglio|vorrei|ho\s+bisogno\s+di)\s+(?:\w+\s+){0,1}?(?:una\s+persona|un\s+operatore|qualcuno)\b
       | \b(?:quero|preciso|gostaria\s+de)\s+(?:falar\s+com\s+(?:um|uma|algu[eé]m)|(?:de\s+)?uma\s+pessoa)\b
  | \bparler\s+(?:à|a|avec)\s+(?:un|une|quelqu|votre|le\s+(?:support|service)|qqn)\b | \b(?:un|une)\s+(?:vrai
       |vraie)\s+(?:humain|personne|conseill\w+|agent)\b
  | ^\W*(?:un\s+|une\s+)?(?:humain|conseiller|conseillère|opérateur|vraie\s+personne)(?:\W+(?:svp|s'il\s+(?:vous
       |te)\s+pla[iî]t))?\W*$
  | \b(?:mettez|passez|mets)[\s-]+moi\s+(?:en\s+(?:relation|contact)|(?:avec\s+)?(?:un|quelqu))
  | \b(?:être|etre)\s+mis\s+en\s+(?:relation|contact)\b | \bbesoin\s+d['’]?\s*(?:un\s+|une\s+)?(?:humain
       |conseill\w+|vraie\s+personne)\b
  | \bquelqu'?\s?un\b.{0,40}?\b(?:m'|me\s+|nous\s+)(?:r?appel|contact|recontact|rejoind)\w*
  | \b(?:pouvez|pourriez|peux|peut)\S*\s+(?:\S+\s+){0,3}?(?:m'|me\s+|nous\s+)(?:rappeler|appeler|recontacter
       |passer\s+quelqu)
  | \b(?:rappelez|appelez)[\s-]+moi\b | \bjoindre\s+(?:un|quelqu)\S*\s*(?:humain|conseill\w+|un)?\b
  | \bhablar\s+con\s+(?:un|una|alguien|el\s+(?:soporte|servicio))\b | \b(?:persona|agente|operador)\s+(?:real
       |humano|humana)\b
  | ^\W*(?:un\s+|una\s+)?(?:humano|agente|operador|operadora|persona|asesor)(?:\W+por\s+favor)?\W*$
  | \b(?:p[oó]ngame|p[aá]same|p[aá]seme|com[uú]n[ií]quen?me|con[eé]ct[ae]me
       |transfi[eé]r[ae]n?me)\s+(?:en\s+contacto\s+)?con\b
  | \b(?:quiero|necesito)\s+(?:a\s+)?(?:un|una)\s+(?:humano|persona|agente|asesor|operador)\b | \bll[aá]m(?:e|a
       |en)me\b | \b(?:puede|pueden|podría|podrían)\s+(?:\w+\s+){0,3}?(?:llamar|contactar)(?:me|nos)\b
       | \balguien\b.{0,30}?\b(?:llamar|contactar)(?:me|nos)\b | \batenci[oó]n\s+humana\b
  | \bnecesito\s+(?:la\s+)?ayuda\s+de\s+(?:un|una)\s+(?:persona|humano|agente|t[eé]cnico)\b
  | \b(?:parlare\s+con\s+(?:un|una|qualcuno)|falar\s+com\s+(?:um|uma|alguém)|met\s+een\s+(?:mens|medewerker))
  | (?:人間|オペレーター?|担当者|担当の方|スタッフ|有人(?:対応|チャット)?|サポートの人|人)(?:の方)?(?:と|に)(?:直接)?
       (?:話|はな|繋|つな|代わ|かわ|替わ|連絡|チャット|相談|お?電話)
  | (?:オペレーター|担当者|人間|有人(?:対応|チャット)?|スタッフ)(?:を)?(?:呼んで|出して|お願い|に(?:して|お願い)|希望)
  | ^\W*(?:オペレーター|担当者|人間)\W*$ | (?:電話|折り返し)(?:して|を)(?:ください|お願い|下さい)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def wants_person(text: str) -> bool:
    """Linear in what is read: at most CHARS_MAX."""
    read = text[:CHARS_MAX].replace("’", "'")
    if len(_WORD.findall(read)) > SHORT_WORDS_MAX:
        read = _SENTENCE_END.split(text[-CHARS_MAX:].replace("’", "'").rstrip(" .!?"))[-1]
    read = without_declined(read)
    return _ENGLISH.search(read) is not None or _OTHERS.search(read) is not None


def without_wish(text: str) -> str:
    """What is left of a sentence beside the wish for a person, and of one that has none all of it."""
    return _OTHERS.sub(" ", _ENGLISH.sub(" ", text[:CHARS_MAX].replace("’", "'")))
