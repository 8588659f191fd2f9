"""Which words show that a sentence tells of a failure, an error, an attempt, a change or a place where something runs?

Shared vocabulary of the summary for persons; it calls nothing.
"""

from __future__ import annotations

import re
from typing import Final

_FLAGS: Final = re.IGNORECASE | re.VERBOSE

# A code as it is written: two letters and figures in one word, or parts joined by underscores, or an exception's name.
# Edges are ASCII alone: Japanese has no blanks around them.
CODE: Final = re.compile(
    r"(?a:\b0x[0-9A-Fa-f]{3,16}\b|(?<![\w.-])(?!(?:AES|SHA|RSA|MD|UTF|ISO|RFC|TLS|SSL|FIPS|CVE)[-_]?\d)"
    r"[A-Z]{1,10}[-_]?\d{2,6}[A-Z]?(?![\w-]|\.\w)|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b\w+(?:Error|Exception)\b)"
)
LOUD_ERROR: Final = re.compile(
    r"""\b\w*(?:Error|Exception|Fault|Failure)\b\s*[:(] | \b(?:error|fatal|panic|caused\s+by
       |traceback)\b\s*(?:code\s*)?[:\[(]
    | \bexit(?:s|ed)?\s+(?:with\s+)?(?:code\s+|status\s+)?\d+ | \bsignal\s+\d+
    | \b(?:HTTP\s+|status\s+(?:code\s+)?)[45]\d\d\b | (?-i:\b[45]\d\d\s+[A-Z][a-z]+) | (?-i:\b(?:FATAL|ERROR|PANIC
       |SEVERE|CRITICAL)\b\s+\S)
    | ^\W*(?:status|reason|state|detail|message|result|cause|meldung|erreur|error)\s*:\s*\S""",
    _FLAGS,
)
# Somebody or something says it, and then its words: in quotes, or behind a colon.
SAID_ERROR: Final = re.compile(
    r"""\b(?:sa(?:ys?|id)|message|error|throws?|shows?|shown|reports?|gets?|getting|got|gives?|gave|writes?|wrote|prints?
       |printed|returns?|returned|answers?|displays?|tells?|reads?|logs?|ends?\s+with|ended\s+with|meldet|sagt|schreibt
       |fehler(?:meldung)?|erreur|dit|affiche|mensaje|dice|muestra)\b
       (?:.{0,40}?["“„«`](?=\S.{4,})|.{0,40}?(?<!\w)['‘](?=\S.{4,})|[^:.?]{0,25}:\s+(?=\S.{6,}))
    | \b(?:timed?\s*out|refused|permission\s+denied|access\s+denied|not\s+found|unable\s+to
       |(?<!shows\s)(?<!has\s)no\s+such|out\s+of\s+memory
       |connection\s+reset|conflict|mismatch|exceeded|exhausted|overrun|invalid|unexpected
       |not\s+(?:available|allowed|permitted|supported|eligible))\b""",
    _FLAGS,
)
FAILS: Final = re.compile(
    r"""\b(?:error|(?<!about\san\s)(?<!make\san\s)exception|fail\w*|(?:wo|ca|do|does|did|is|are|was|has|have)nt|blocks|instead\s+of\s+\d|crash\w*|broken?|broke|stuck|hangs?|freez\w+|wrong|problem|slow|slowly|lost|loses?|missing
       |dead|dies|died|(?:is|are|was|were|went|goes|going|be|been|completely|all|everything|shuts?)\s+(?:\w+\s+)?down|gone|grown|sluggish\w*|laggy|unresponsive|incorrect\w*|zero|fills?|over\s+the\s+limit|exceeds?|steps?\s+down|pending|unavailable|unreachable|outage|rejected|denied|refused|blocked|blocking|locked\s+out
       |aborts?|aborted
       |restarts|grows|leaks?|lags?|disappear\w*|vanish\w*|corrupt\w*|duplicated?|weird|strange|odd
       |(?:stored|charged|shown?|sent|runs|appears?|delivered|counted|billed|shows)\s+(?:\S+\s+){0,4}?(?:twice
       |two\s+times|double)
       |stop(?:s|ped)|(?:does|do|did|will|is|are|was|has|have)(?:n't|\s+not)|won't|can't|cannot|unable|timed?\s*out
       |(?:shows?|returns?|gives?|finds?|gets?)\s+(?:nothing|zero|0|no\s+(?!such|pattern)\w+)|still\s+(?:goes?|gets?|comes?|shows?|says?|sends?|charged|there)|empty|nothing\s+(?:happens?|happened|comes
       |arrives)|(?:alarms?|alerts?)\s+(?:though|although)|too\s+(?:much|many|long|high)
       |drops?|dropped|never\s+\w+|blank|suspended|offline|takes\s+(?:\w+\s+){0,2}(?:hours|minutes|seconds|ages)
       |vac[ií][oa]s?
       |kaputt|nichts|dauert|leer|fehler\w*|fehlt|fehlen|abgelehnt|(?:geht|funktioniert|startet|läuft|kommt)\s+nicht|nicht\s+mehr
       |kein(?:e|en|er)?\b.{0,40}?\bmehr
       |bricht\b.{0,40}?\bab|doppelt|deux\s+fois|dos\s+veces|de\s+más|schlägt\b.{0,40}?\bfehl|stürzt\s+ab|hängt|langsam
       |erreurs?|échou\w+|plante\w*|impossible|refusé\w*|bloqué\w*|ne\s+\w+\s+(?:pas|plus)|n'\w+\s+(?:pas|plus)
       |falla\w*|error(?:es)?|no\s+(?:puedo|podemos|funciona\w*|arranca|responde|conecta)|rechaza\w*|bloquead[oa])\b
    | 失敗|(?<!す)(?<!くださ)[りしきちいえけせれめべ]ません|できません
       |できない|動きません|動かない|つながりません|繋がりません
       |エラー|止まり|落ち(?:ます|る|ました)|遅[いくれ]|困って|おかしい|壊れ|消え""",
    _FLAGS,
)
UNHELPED: Final = re.compile(
    r"""\b(?:(?:did|does|do|has|is|have)(?:n't|\s+not)\s+(?:really\s+)?(?:help\w*|fix\w*|solve\w*|answer\w*|work\w*)|no\s+(?:help|use)
       |not\s+(?:helpful|what\s+i|the\s+problem|my\s+problem|our\s+problem)|useless|wrong\s+(?:page|answer)
       |(?:same|still)\s+(?:the\s+)?(?:same\b|error|problem|result|issue|thing)|but\s+same|no\s+(?:difference|change
       |effect|luck)
       |without\s+(?:any\s+)?(?:effect|success)|in\s+vain|to\s+no\s+avail|still\s+(?:fails?|dies|broken|there|not|no
       |happens|grows|lags?
       |slow|stuck|down)|again|you\s+(?:answered|said|told|sent)\s+(?:\w+\s+){0,3}(?:before|already)
       |nicht\s+geholfen|nichts\s+(?:geändert|gebracht|genützt|geholfen)|ne\s+(?:règle|résout|change)\s+(?:pas|rien)
       |hilft\s+nicht|ohne\s+erfolg|immer\s+noch|sans\s+succès|n'aide\s+pas|toujours|no\s+(?:me\s+)?ayuda
       |sin\s+éxito|sigue)\b
    | 改善しません|変わりません|直りません|解決しません|だめでした|同じです""",
    _FLAGS,
)
REACTION: Final = re.compile(
    r"""^\W*(?:no\s*[.,!]|(?:that|this|your|the)\s+(?:\w+\s+)?(?:page|answer|article
       |link|documentation|docs)\b|that\s+is\s+not\s+(?:true|right|correct)|you\s+(?:answered|said|sent|told)
       |sorry\s+(?:for\s+)?my\s+english|(?:second|third|fourth|\d\w\w)\s+time\s+(?:i|we)\s+(?:write|ask|call|mail)
       |(?:ok|okay|thanks|great|perfect|haha|lol)\W*$)
    | \b(?:nobody|no\s+one)\s+(?:answers|replies|responds|reacts|cares)\b | \bno\s+(?:answer|reply
       |response)\s+from\s+you
    | \b(?:disgrace|what\s+do\s+you\s+intend)\b""",
    _FLAGS,
)
# It announces what is to come.
OPENS_ONLY: Final = re.compile(
    r"""\b(?:(?:two|three|several|a\s+few|some)\s+(?:things|questions|problems|issues|topics)(?:\s+today)?\W*$
       |(?:have|got|there\s+is|it\s+is|is)\s+(?:a|an|another|one)?\s*(?:quick\s+|short\s+|small\s+)?(?:question
       |problem|issue)
       \s+(?:about|on|with|regarding|concerning)|quick\s+(?:one|question)|shows?\s+(?:me\s+)?(?:this|the\s+following)\b
       |(?:what|this\s+is\s+what)\s+(?:i|we)\s+(?:did|have\s+done|tried)\s+so\s+far|do\s+not\s+know\s+what\s+to\s+do)
    | ^\W*(?:\w+\W+){0,2}?(?:j'ai|nous\s+avons|j’ai|tengo|tenemos|ich\s+(?:habe|hätte)|wir\s+haben|(?:i\s+)?(?:have
       |got))?\s*
       (?:un|une|una|eine?|a|mal)?\s*(?:\w+\s+)?(?:question|souci|problème|duda|pregunta|consulta|problema|frage
       |problem)
       \s+(?:sur|de|avec|à|con|sobre|acerca|zu|zur|zum|mit|bei|about|on|with|regarding)\b[^.:,;\d]{0,40}\W*$
    | 質問があります | お聞きしたい""",
    _FLAGS,
)

_ACT: Final = r"""(?:restart\w*|reboot\w*|re-?install\w*|re-?creat\w*|check\w*|verif\w*|follow\w*|clear\w*|delet\w*
       |remov\w*
    |increas\w*|rais\w*|lower\w*|reduc\w*|disabl\w*|enabl\w*|roll\w*\s+back|downgrad\w*|reset|rebuil[dt]\w*
       |re-?[rt]\w*n|ran|replac\w*
    |confirm\w*|look\w*|set|stopp\w*|start\w*|mov\w*|doubl\w*|halv\w*|split\w*|format\w*|typ(?:ed|ing)|wrote|written
       |press\w*|click\w*
    |paus\w*|resum\w*|mut\w*|un-?\w+ed|drain\w*|call\w*|chang\w*|download\w*|upload\w*|open\w*|clos\w*|ping\w*
       |reload\w*|refresh\w*
    |relaunch\w*|used\s+up|enter\w*|cop(?:y|ied)|switch\w*|turn\w*|unplug\w*|swap\w*|test\w*|compar\w*|updat\w*
       |upgrad\w*|add\w*
    |creat\w*|kill\w*|clean\w*|empt(?:y|ied)|rotat\w*|restor\w*|revert\w*|put\s+(?:away|back|in)|took\s+(?:out|away)
       |taken\s+out
    |comment\w*\s+out|ask\w*(?!\s+for\b)|contact\w*|mail\w*|search\w*|read|wait\w*|log(?:ged)?\s+(?:in|out)|login
       |scal\w*|extend\w*|drop\w*|sent
    |measur\w*|rename\w*|repair\w*|sync\w*|convert\w*)"""
_DID: Final = r"(?:\b(?!(?:is|are|was|the|a)\b)(?=\w+(?:ed|en|ut|an|et|ot|ad|old|ote|ook|t)\b))"
TRIED: Final = re.compile(
    rf"""\b(?:tried|trying|attempted|versucht|probiert|ausprobiert|essayé|intentado|probado)\b
    | \b(?:i|we)(?:'ve|\s+have|\s+had|\s+did)?\s+(?:(?:also|already|just|then|even|now|both|have|all)\s+)*{_DID}{_ACT}\b
       (?!\s+(?:up\s+a|this\s+error))
    | \b(?:i|we)\s+did\s+(?:\w+\s+)?{_ACT}\b | \bi\s+have\s+(?:make|put|do|take)\b
    | ^\W*(?:and\s+|yes\s+)*{_DID}{_ACT}\b(?=\W+\w)
    | \b(?:checked|verified|tested|confirmed)\s+(?:it\s+)?(?:in|with|by|on|again)\b
    | \b(?:that|this|it|which)\s+(?:did|does|has)(?:n't|\s+not)\s+(?:help|change|fix|solve|make\s+a\s+difference)\w*\b
    | \b(?:made|makes)\s+no\s+difference\b | \bno\s+luck\b | \bto\s+no\s+avail\b | \bin\s+vain\b
       | \bbut\s+(?:the\s+)?same\b
    | \b(?:i|we)\s+can\s+(?:ping|reach|telnet|curl|connect)\b | \b(?:i|we)(?:\s+have)?\s+passed\b
    | \b(?:i|we)(?:'ve|\s+have|\s+did|\s+tried|\s+already)\s*:\s+\w+
    | \b(?:like|as)\s+(?:your|the)\s+(?:docs?|documentation|page|manual)\s+sa(?:y|id)s?\b
    | \bso\s+(?:it|that|this)\s+(?:is\s+not|isn't|is|can't\s+be|cannot\s+be)\s+(?:not\s+)?(?:the
       |a)\b.{{0,30}}?\b(?:bug|cause|reason)\b
    | \bwithout\s+(?:any\s+)?(?:effect|success)\b | \bsame\s+(?:error|problem|result|issue|thing)\b
    | \b(?:schon|bereits)\s+(?:\w+\s+){{0,3}}?\w+(?:t|en)\b | \bnicht\s+geholfen\b | \bohne\s+erfolg\b
    | \bdéjà\s+\w+ | \bsans\s+succès\b | \bya\s+(?:he\s+|hemos\s+|lo\s+)?\w+(?:é|í|ó|amos|imos|ado|ido)\b
       | \bsin\s+éxito\b
    | \b\w{{3,}}[éí]\s+(?:el|la|los|las|un|una|todo)\b | \by\s+nada\b | \bnot\s+help\w*\b
    | ましたが|てみました|試しました|再起動しました|改善しません|変わりません""",
    _FLAGS,
)
LISTS_TRIED: Final = re.compile(
    r"""\b(?:what\s+(?:i|we)(?:'ve|\s+have)?\s+(?:did|done|tried)|(?:tried|done|did|checked)\s+(?:already|so\s+far)|already\s+(?:tried
       |done|checked)|^\W*(?:so\s+far\s+)?(?:i|we)\s+(?:have|did|tried)|steps\s+(?:taken|so\s+far)
       |bisher\s+(?:versucht|gemacht)|déjà\s+(?:essayé|fait)|ya\s+(?:he\s+)?probado)
       [^\n:]{0,30}:\s*$""",
    _FLAGS,
)
"""The lines behind it are what was tried."""
ITEM: Final = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")

_WHEN: Final = (
    r"(?:yesterday|today|tonight|this\s+(?:morning|week|month)|last\s+(?:week\w*|night|month|year)"
    r"|(?:on\s+)?(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|recently|a\s+(?:week|month)\s+ago|\w+\s+days\s+ago)"
)
_ALTERED_DE: Final = (
    r"(?:umgezogen|umgestellt|aktualisiert|gewechselt|erneuert|installiert|migriert|hochgezogen|ausgetauscht|verschoben"
    r"|eingespielt|angehoben|umbenannt|hochgestuft|umgebaut)"
)
_WHEN_DE: Final = (
    r"(?:gestern|heute|letzte\w*\s+\w+|am\s+\w+tag|seit\s+\w+tag|vor\s+\w+\s+(?:tag|woche)\w*|vorgestern|neulich)"
)
_ALTERED_FR: Final = (
    r"(?:renouvel|mis|migr|chang|remplac|déplac|modifi|install|pass|bascul|mont)(?:é|e|es|ée|és|ées|is)?\b"
)
_WHEN_FR: Final = (
    r"(?:hier|ce\s+matin|aujourd'hui|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)|(?:la\s+semaine"
    r"|le\s+mois)\s+derni\w+)"
)
_ALTERED_ES: Final = (
    r"(?:renov|actualiz|migr|cambi|mov|reemplaz|sub|instal|traslad)\w*(?:ó|aron|ieron|amos|imos|ado|ido|é|í)\b"
)
_WHEN_ES: Final = (
    r"(?:ayer|hoy|esta\s+mañana|anoche|el\s+(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)"
    r"|(?:la\s+semana|el\s+mes)\s+pasad\w)"
)
_ALTER: Final = (
    r"(?:upgrad\w*|updat\w*|migrat\w*|mov\w*|chang\w*|switch\w*|install\w*|deploy\w*|renam\w*|enabl\w*"
    r"|disabl\w*|replac\w*"
    r"|scal\w*|resiz\w*|extend\w*|rotat\w*|renew\w*|add\w*|roll\w*\s+out|introduc\w*|release\w*"
    r"|mise\s+à\s+jour|actualiza\w*|migraci\w*|aktualisier\w*|umgestellt|umstellung)"
)
CHANGED: Final = re.compile(
    rf"""\b(?:since|after)\s+(?:we|i|you)\s+\w+ed\b | \bsince\s+(?:version\s+|release\s+)?v?\d+\.\d
    | \b(?:upgrade|update|migration|release|patch)\s+(?:broke|killed|destroyed|ruined)\b
    | \b(?:since|ever\s+since|after)\s+(?:(?:the|we|i|an?|our|last|you)\s+)*(?:\w+\s+)?{_ALTER}
    | \b(?:we|i)\s+(?:(?:just|recently|also|have|did|had)\s+)*{_ALTER}\b.{{0,60}}?\b{_WHEN}
    | \b{_WHEN}.{{0,40}}?\b(?:we|i)\s+(?:(?:just|also|have|did|had)\s+)*{_ALTER}
    | \b(?:we|i)\s+(?:(?:just|recently)\s+)?(?:upgraded|updated|migrated|went\s+from|came\s+from
       |did\s+(?:the\s+)?upgrade
       |did\s+(?:the\s+)?(?:update|migration)|have\s+ma[kd]e\s+(?:the|an?)\s+(?:upgrade|update|change|migration)
       |moved\s+to|switched\s+(?:to|from))
    | \b(?:upgrade|update|migration|deployment|rollout|failover|release)\s+{_WHEN} | \bafter\s+the\s+\w+
    | \b(?:nothing(?:\s+else)?|no(?:body|thing)?)\s+(?:was\s+|has\s+been\s+|has\s+)?changed\b | \bno\s+(?:deployments?
       |changes|updates?)\b
    | \bseit\s+(?:dem|der|unserem|unserer)\s+\w*(?:update|upgrade|umstellung|umzug|wechsel|aktualisierung)
    | \bnach\s+(?:dem|der)\s+\w*(?:update|upgrade|umstellung|umzug|wechsel|aktualisierung)
    | \b(?:depuis|après)\s+(?:la|le|notre|l')\s*(?:mise\s+à\s+jour|migration|passage) | \bdesde\s+(?:la|el
       |que)\s+\w*(?:actualiz|migr|cambi)
    | \b(?:a\s+colleague|somebody|someone|they|he|she|(?:our|the)\s+\w+(?:\s+\w+)?)\s+(?:(?:has|have|was|were
       |had)\s+)?(?:been\s+)?{_ALTER}\b
       .{{0,60}}?\b{_WHEN} | \bused\s+to\s+run\s+(?:on|in)\b
    | \b(?:hat|haben|wurden?|ist|sind|worden)\b.{{0,90}}?\b{_ALTERED_DE}\b | \b{_WHEN_DE}\b.{{0,60}}?\b{_ALTERED_DE}\b
    | \b(?:a|ont)\s+été\s+{_ALTERED_FR} | \b{_ALTERED_FR}.{{0,60}}?\b{_WHEN_FR}\b | \b{_WHEN_FR}\b.{{0,40}}?\b(?:a
       |ai|ont|avons)\s+{_ALTERED_FR}
    | \b(?:desde|después)\s+(?:de\s+)?que\s+\w*{_ALTERED_ES} | \b{_ALTERED_ES}.{{0,60}}?\b{_WHEN_ES}
       | \b{_WHEN_ES}.{{0,60}}?{_ALTERED_ES}
    | (?:更新|アップグレード|移行|変更)(?:後|してから|した後|以降|しました)
    | (?:に|を)(?:上げ|変え|変更し|移行し
       |更新し|切り替え|入れ替え)て(?:から|以降)
    | (?:昨日|今朝|今日|先週|先月|週末).{{0,30}}?(?:上げ|変更|更新|移行|アップグレード|交換|切り替え)""",
    _FLAGS,
)
BEGAN: Final = re.compile(
    rf"""\bsince\s+{_WHEN} | \b(?:suddenly|all\s+of\s+a\s+sudden|used\s+to\s+work|worked\s+(?:fine|before|until|well
       |yesterday)|stopped\s+working)\b | \bseit\s+(?:gestern|heute|montag|dienstag|mittwoch|donnerstag|freitag
       |\w+\s+tagen)
    | \bdepuis\s+(?:hier|ce\s+matin|\w+\s+jours) | \bdesde\s+(?:ayer|hoy|hace) | (?:昨日|今朝|今日|先週)から""",
    _FLAGS,
)

_UNIT: Final = (
    r"(?:members?|nodes?|replicas?|pods?|shards?|workers?|servers?|hosts?|machines?|sites?|seats?|users"
    r"|databases|collections"
    r"|cores?|cpus?|clusters?|regions?|devices?|instances?|[gtmk]i?b\b|voting)"
)
_COUNT: Final = r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|a\s+few|several)"
SYSTEM: Final = (
    r"(?:windows|linux|ubuntu|debian|red\s?hat|rhel|centos|fedora|suse|sles|opensuse|alpine"
    r"|alma(?:\s?linux)?|rocky(?:\s?linux)?"
    r"|oracle\s+linux|amazon\s+linux|arch|mint|freebsd|openbsd|solaris|aix|mac\s?os|macos|android|ios"
    r"|ipad\w*|iphone|raspberry\s+pi)"
)
PLATFORM: Final = re.compile(
    rf"""(?a:\b(?:{SYSTEM}|chrome|firefox|safari|edge|docker|kubernetes|k8s|openshift|podman|helm|aws|azure|gcp|vmware|hyper-?v|proxmox
       |python|java|node\.js|golang|ruby|php|(?<!\w)\.net|rust|typescript|x86(?:_64)?|arm64|aarch64|on-?prem\w*
       |self-?hosted|managed
       |gke|eks|aks|bare\s+metal|cloud|nfs|zfs|xfs|ext4|s3)\b)""",
    _FLAGS,
)
ENVIRONMENT: Final = re.compile(
    rf"""{PLATFORM.pattern}
    | \b(?:driver|client|sdk|version|release|edition|tier|region|data\s*cent(?:er|re))\b.{{0,30}}?\d
    | \b(?:plan|region|tier|edition)\s+(?!is\b|was\b|fee|shows)[A-Z]?\w+ | \b\w+\s+(?:plan|edition|tier)\b(?!\s+fee)
    | \b(?:cluster|project|instance|tenant|server|host)\s+(?:name\s+(?:is\s+)?)?\w+(?:-\w+)+
    | \b(?:organi[sz]ation|org|customer|account|project|tenant|contract)\s*(?:id|number|no\.?)\b
    | \b{_COUNT}\s+(?:\w+\s+)?{_UNIT}\b
    | \b(?:we|i)(?:'re|'m|\s+are|\s+am)?\s+(?:use|using|run|running|on)\s+(?!it\b|this\b|that\b|them\b|to\b
       |the\s+same)\S
    | \b(?:wir\s+nutzen|wir\s+verwenden|nous\s+(?:utilisons|sommes\s+sous)|usamos|utilizamos)\b
    | (?a:\bv\d+(?:\.\d+)+ | (?<![\w.:])\d+\.\d+(?:\.\d+)*(?![\w:])) | \b\d\d:\d\d\s+(?:to|until|-|–)\s+\d\d:\d\d""",
    _FLAGS,
)
PLACE: Final = re.compile(
    rf"""{PLATFORM.pattern} | \b(?:region|pods?|plan|gestionad[oa]|gehostet|hébergé\w*|マネージド)\b""", _FLAGS
)
STATE: Final = re.compile(r"\b(?:is|are|as|status|state|says?|shows?)\s+[:'\"]?[A-Z]{4,}\b")
ORDINAL: Final = re.compile(
    r"^\W*(?:(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|1[.)]|2[.)]|3[.)])\s*[:,.]?\s"
    r"|(?:and\s+)?(?:(?:yet\s+)?another|one\s+more|a\s+second|the\s+other|second|next|noch|autre|otra)\s*"
    r"(?:thing|question|problem|issue|point|etwas|frage|chose|cosa)?\s*[:,]\s)",
    re.IGNORECASE,
)
"""Several things are told one by one."""
ATTACHED: Final = re.compile(
    r"\b(?:attach(?:ed|ment|ments|ing)?|enclosed|screenshot|screen\s+shot|see\s+(?:the\s+)?(?:file"
    r"|picture|image)|anhang|angehängt"
    r"|pièce\s+jointe|adjunt[oa]|(?:sent|mailed|e-mailed)\s+(?:you\s+)?(?:the|a|our|my)\s+(?:\w+\s+)?(?:logs?|files?|dump|trace|report))\b|添付",
    re.IGNORECASE,
)
SECRET_REDACTED: Final = re.compile(r"\[(?:SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL)\w*\]")
GREETING: Final = re.compile(
    r"^(?:(?:hi|hello|hey|dear\s+\w+|good\s+(?:morning|afternoon|evening)|hallo|guten\s+(?:tag|morgen"
    r"|abend)|bonjour|buon\s?giorno|buona\s?sera|salve|ciao|bom\s+dia|boa\s+(?:tarde|noite)|ol[áa]|hola|buenos"
    r"\s+d[ií]as)(?:\s+(?:there|all|team|everyone|folks))?\s*[,!.:]*(?:\s+|$)"
    r"|(?:こんにちは|こんばんは|おはようございます|はじめまして|お世話になっております|すみません)[、。!！\s]*)",
    re.IGNORECASE,
)


_ID_OF: Final = re.compile(
    r"\b(?:id|number|no\.?|plan|model|order|ticket|serial|invoices?|customer|contract|file|receipt|statement|rechnung|facture|factura)\b\W*(?:is\W+)?$",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(r"\[\w+_\d+\]")


def _letters(code: str) -> str:
    return code.rstrip("0123456789-_").upper() if code[-1:].isdigit() else ""


def without_numbers_of(text: str) -> str:
    """Without the number of a customer, an invoice or the like, and placeholders for what was redacted."""
    read = _PLACEHOLDER.sub(" ", text)
    found = list(CODE.finditer(read))
    numbers = [one for one in found if _ID_OF.search(read[: one.start()])]
    # "Invoices INV-20931 and INV-20932": the second is of the same kind.
    kinds = {_letters(one.group()) for one in numbers} - {""}
    for one in reversed(found):
        if one in numbers or _letters(one.group()) in kinds:
            read = f"{read[: one.start()]} {read[one.end() :]}"
    return read


def has_code(text: str) -> bool:
    """It gives an error's code."""
    return CODE.search(without_numbers_of(text)) is not None
