"""What gives an instruction to an assistant away? Signs with weights; none of them is proof, two beside each other are.

A document about prompt injection, a chat template or a support procedure holds one of them now and then. What an
instruction needs is more: somebody it is meant for, something to leave aside, something to say or to do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_BOT: Final = (
    r"(?:(?:virtual|digital|automated|automatic|ai|chat|support|smart)[ -]?(?:assistant|agent|bot|support|helper)s?"
    r"|answering (?:engine|machine|system|software)s?|ai (?:readers?|systems?|agents?)|(?:support|help ?desk)"
    r" automation|robots?"
    r"|chat ?bots?|chat assistants?|(?:large )?language models?|ai models?|llms?|\w{0,12}gpts?|claude|copilot|gemini)"
)
_ANY_BOT: Final = rf"(?:{_BOT}|assistants?|the bot|bots?|an? ai|the ai|any ai|whichever ai|ais?|the model)"
_PERSON: Final = (
    r"(?:users?|customers?|readers?|visitors?|callers?|clients?|people|everyone|everybody|them|askers?|persons?)"
)
_SOON: Final = r"[^.!?\n]{0,80}?"
_EARLIER: Final = (
    r"(?:previous(?:ly)?|prior|earlier|preceding|above|former|foregoing|past|old|original|initial|existing|system"
    r"|safety|given)"
)
_RULES: Final = (
    r"(?:instructions?|prompts?|directives?|guidance|guidelines|rules|orders|commands|context|messages?|training"
    r"|programming|brief(?:ing)?s?|limits|constraints|restrictions|guardrails|polic(?:y|ies))"
)
_LEAVE: Final = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|neglect|discard|drop|skip|set aside|put aside|cast aside"
    r"|do not follow|don't follow|stop following|pay no attention to|do not obey|disobey|abandon)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sign:
    """`needs` are words one of which stands in every match: looking for them is quicker. `says` is for people."""

    says: str
    weight: float
    pattern: re.Pattern[str]
    needs: tuple[str, ...]


def _sign(says: str, weight: float, needs: str, *patterns: str) -> Sign:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return Sign(says=says, weight=weight, pattern=re.compile(joined), needs=tuple(needs.split(",")))


SIGNS: Final[tuple[Sign, ...]] = (
    _sign(
        "tells to leave earlier instructions aside",
        2.0,
        "your ,"
        "new system,no longer,never again,ignor,disregard,forget,overr,bypass,neglect,discard,drop,skip,aside,follow"
        ",attention,obey,abandon,void",
        rf"\b{_LEAVE}\s+(?:(?:all|any|every|each|of|the|your|my|our|these|those|whatever)\s+){{0,4}}"
        rf"{_EARLIER}\s+(?:\w+\s+){{0,2}}?{_RULES}\b(?!\s+(?:if|when|on|in|for|unless|from|page|section)\b)",
        rf"\b{_LEAVE}\s+(?:(?:all|any|of|whatever)\s+){{0,3}}(?:your|my)\s+(?:\w+\s+){{0,2}}?{_RULES}\b",
        rf"\b{_LEAVE}\s+(?:all|any|every|whatever|everything)\s+(?:\w+\s+){{0,2}}?(?:you|that you)\s+(?:\w+\s+){{0,2}}?"
        r"(?:received|given|told|read|learn\w*|saw|know)\b",
        rf"\b{_LEAVE}\s+(?:the\s+)?(?:instructions|rules|documentation|documents?|text|context|prompt"
        rf"|guidance)\s+above\b",
        rf"\byour\s+(?:\w+\s+)?{_RULES}\s+(?:are|is)\s+(?:now\s+)?(?:void|invalid|cancel\w+|obsolete|suspended"
        rf"|lifted)\b",
        r"\bnew\s+system\s+(?:prompt|message|instructions)\s*(?:begins?|starts?|follows|:)",
        r"\b(?:no longer|stop|never again|not)\s+(?:follow|obey|heed|keep to)(?:ing)?\s+your\s+(?:\w+\s+)?(?:rules"
        r"|instructions|orders)",
        r"\bignore(?:all|the|any|your|of){0,3}(?:previous|prior|earlier|above)(?:instructions|rules|prompts?)",
        r"\bdisregard(?:all|the|any|your|of){0,3}(?:previous|prior|earlier|above)(?:instructions|rules|prompts?)",
    ),
    _sign(
        "tells to leave earlier instructions aside",
        2.0,
        "siga,sigue,suivez,tus ,sus ,无视,du ,"
        "gelten nicht mehr,deine ,obéis,suis plus,sigas,obedezcas,ignor,vergiss,vergessen sie,missacht,oubli,compte"
        ",olvid,descart,"
        "無視,忘れ,忽略,忘记,игнор,забудь,dimentica,esque",
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missacht\w+)\s+(?:sie\s+)?(?:\w+\s+){0,2}?"
        r"(?:vorherig\w+|bisherig\w+|obig\w+|früher\w+|vorangegangen\w+|deine|all deine)\s+(?:\w+\s+)?"
        r"(?:anweisung\w*|regeln|vorgaben|instruktionen|befehle|richtlinien)\b",
        r"\b(?:oublie[zs]?|ignore[zsr]?|ne (?:tiens|tenez) pas compte)\s+(?:\w+\s+){0,3}?(?:instructions|consignes"
        r"|règles"
        r"|directives)\s+(?:précédentes|ci-dessus|antérieures|reçues|données)",
        r"\b(?:ignora|olvida|descarta|ignore|olvide)\s+(?:\w+\s+){0,3}?(?:instrucciones|reglas|órdenes|indicaciones)\s+"
        r"(?:anteriores|previas|recibidas)",
        r"\b(?:regeln|anweisungen|vorgaben|instruktionen)\b[^.!?\n]{0,60}\bgelten\s+nicht\s+mehr\b|\bdu\b[^.!?\n]{0"
        r",30}\bdeine\s+\w*\s*"
        r"(?:regeln|anweisungen|vorgaben)\s+(?:nicht|nie)",
        r"\btu\s+n.?obéis\s+plus\b|\bne\s+(?:suis|suivez)\s+plus\s+(?:tes|vos)\s+(?:instructions|consignes|règles)",
        r"\bno\s+(?:sigas|obedezcas|sigue|siga)\s+(?:más\s+)?(?:tus|sus)\s+(?:instrucciones|reglas)",
        r"\b(?:ignora|dimentica)\s+(?:\w+\s+){0,3}?(?:istruzioni|regole)\s+(?:precedenti|ricevute)",
        r"\b(?:ignore|esqueça|esquece)\s+(?:\w+\s+){0,3}?(?:instruções|regras)\s+(?:anteriores|prévias)",
        r"(?:指示|命令|ルール|プロンプト|指令|设定)[^。\n]{0,8}(?:無視|忘れ|忽略|忘记)",
        r"(?:忽略|忘记|无视|無視)[^。\n]{0,10}(?:指令|指示|说明|提示|规则|規則)",
        r"(?:игнорируй\w*|забудь\w*)\s+(?:\w+\s+){0,3}?(?:инструкци\w+|указани\w+|правил\w+)",
    ),
    _sign(
        "speaks to an assistant",
        1.0,
        "answers,replies,responds,talks,speaks,agent,assistant,automat,support,helper,bot,answering "
        ",ai reader,ai system,ai is ,ai are ,"
        "ai policy,ai rule,ai instr,ai reading,ai process,ai pars,ai summ,ai that,ai which,ai who,ais ,"
        "any ai,the ai,an ai,every ai,each ai,all ai,model,llm,gpt,claude,copilot,gemini,ai curr,ai ,"
        "read by,generated,assistant,automat,virtual,answering ,robot,asistente,assistent,アシスタント,助手,"
        "bot:, bot,chatbot,chat bot,ai:,\nai, model,gpt,llm,"
        " ai, agent,claude,copilot,gemini",
        rf"(?:^|[.!?\n\"'(>*-]\s*)(?:dear|hey|hi|hello|attention|listen|psst)?,?\s*{_ANY_BOT}\s*[,:]\s",
        rf"\b(?:note|message|notice|memo|attention|important|instruction|rule|policy|hint|info(?:rmation)?)s?\s+"
        rf"(?:\w+\s+)?(?:to|for)\s+(?:the\s+|all\s+|any\s+|our\s+|your\s+)?(?:\w+\s+)?{_ANY_BOT}\b",
        rf"\bif you(?:'re| are)\s+(?:an?|the)\s+(?:\w+\s+)?{_ANY_BOT}\b",
        rf"\b(?:as|you are)\s+(?:an?|the|this|our)\s+(?:\w+\s+)?(?:{_BOT}|assistant|ai)\s+(?:you\b|and\b|,)",
        rf"\bto\s+(?:whichever|any|every|each|all|the)\s+(?:ai|{_BOT})\b",
        rf"\b{_ANY_BOT}\s+(?:that |which |who )?(?:is |are )?(?:currently )?(?:reading|processing|parsing"
        rf"|summari[sz]ing)\s+this\b",
        r"\b(?:whichever|whatever|any|every|each)\s+(?:software|program|system|machine)\s+(?:that\s+|which\s+)?"
        r"(?:answers|replies|responds|talks|speaks)\b",
        r"\bread\s+by\s+(?:an?|the)\s+(?:machine|ai|bot|program|robot)\b|\b(?:every|each|any"
        r"|all)\s+generated\s+(?:repl|answer|response)",
        r"\bthe (?:bot|assistant|chatbot|ai)\s+(?:answers|replies|says)\s*:",
        rf"\bthe (?:{_BOT}|ai|assistant)\s+(?:is reading|reads) this\b",
        rf"\b{_BOT}\s+(?:policy|rule|instruction)s?\s+(?:update|change)\b",
        r"(?:assistent|assistant|asistente|アシスタント|助手)[^.。\n]{0,40}(?:du bist|tu es|eres|あなたは|你是)"
        r"|(?:du bist|tu es|eres|あなたは|你)[^.。\n]{0,12}(?:jetzt|maintenant|ahora|今から|现在)[^.。\n]{0,30}"
        r"(?:assistent|assistant|asistente|アシスタント|助手)",
    ),
    _sign(
        "says what an assistant must do",
        1.0,
        "agent,assistant,automat,support,helper,bot,answering ,ai reader,ai system,ai is ,ai are ,"
        "ai policy,ai rule,ai instr,ai reading,ai process,ai pars,ai summ,ai that,ai which,ai who,ais ,"
        "any ai,the ai,an ai,every ai,each ai,all ai,model,llm,gpt,claude,copilot,gemini,ai curr,ai must,"
        "ai should,ai shall,ai ha,ai need,ai will,ai here,for ai,every ai,"
        "assistant, bot,chatbot,chat bot, model,gpt,llm, ai , agent",
        rf"\b{_ANY_BOT}\s+(?:reading this\s+|here\s+)?(?:\w+ly\s+)?(?:must|should|shall|has to|have to|needs? to|is"
        rf" required to"
        r"|are required to|will|is to|are to)\s+(?:not\s+|never\s+|always\s+|now\s+)?(?:say|state|show|tell|render"
        r"|advise"
        r"|recommend|include|offer|answer|reply|respond|direct|ask|instruct|mention|claim|urge|inform|repeat|output"
        r"|display"
        r"|present|cite|quote|send|hand|escalate|refuse|print|write|pretend|add|append|deny|give|claim|the user)\b",
        r"\b(?:mandatory|required|binding|compulsory)\s+for\s+(?:the\s+|every\s+|any\s+)?(?:assistant|ai|bot|chatbot"
        r"|model)",
    ),
    _sign(
        "dictates what is answered",
        1.0,
        "repl,respond,répond,answer,output,say,print,write,return,declare,claim,tell,permitted,allowed,"
        "you may,you can,you should,you must,quote,copy,repeat,schreib,contest,respond,のみ,だけ,"
        "reply,replies,respond,answer,output ,say ,print ,write ,return only,response,antwort,réponds,responde"
        ",contest,schreib,tu dois,"
        "debes,message you,quoted,you only,you are permitted,you are allowed,state ,confirm,announce,state that"
        ",claim that,declare that,declared,返答,答え,返し,must say,say so,nothing else,tell"
        " the user,tell user,"
        "repeat,verbatim,回答",
        r"\b(?:reply|respond|answer|output|say|print|write|return)\s+(?:only|solely|just|exclusively|nothing but)\b"
        r"(?!\s+(?:to|from|if|when|after|once|the (?:first|last)|one)\b)",
        r"\band\s+nothing\s+else\b",
        r"\b(?:begin|start|open|end|close|finish|prefix)\s+(?:each|every|your|all(?: your)?)\s+(?:\w+\s+)?"
        r"(?:answer|repl(?:y|ies)|response)s?\s+(?:with|by)\b",
        r"\bevery\s+(?:message|answer|reply|response)\s+you\s+(?:write|give|send)\b",
        r"\b(?:your|the|each|every|any)\s+(?:answer|reply|response)\s+(?:has to|must|should|needs to)\s+(?:\w+\s+)?"
        r"(?:contain|include|send|point|direct|begin|start|end|say|link)\b[^.\n]{0,40}(?:user|reader|customer"
        r"|visitor|markdown"
        r"|image|link|https?:)",
        r"\b(?:say|state|claim|declare|reply|answer|respond)\s+that\s+(?:the\s+)?(?:customer|user|product|support|no"
        r" person"
        r"|nobody|everything|matter|issue|request)\b",
        r"\b(?:you must|you have to|you should|must)\s+say\s+so\b|[.!?,:]\s+say so\b",
        r"\b(?:include|add|append|put|insert)\s+(?:this|the following)\s+(?:link|image|text|sentence|line"
        r"|notice)\s+(?:in|to|into)\s+"
        r"(?:its|your|the|each|every|all)\s+(?:answer|repl|response)",
        r"\brespond\s+with\s+\S+\s+to\s+(?:any|every|all)\b",
        r"\b(?:the only thing|all|nothing)\s+(?:that\s+)?you\s+are\s+(?:permitted|allowed)\b",
        r"\b(?:state|say|tell|confirm|announce|declare|claim)\s+(?:\w+ly\s+)?(?:to\s+the\s+(?:asker|user|customer"
        r"|person|reader)\s+)that\b"
        r"|\bstate\s+(?:plainly|clearly|openly)\s+that\b",
        r"\bmust be quoted\b|\byou only (?:speak|answer|reply|write)\b",
        r"\b(?:every|each|all)\s+(?:generated\s+|\w+\s+)?(?:repl(?:y|ies)|answers?|responses?)\s+(?:shall|must"
        r"|should|has to|have to)\b"
        r"[^.\n]{0,30}(?:advertis|mention|recommend|promot|link|https?:)",
        r"\b(?:the only thing|all)\s+you\s+(?:may|can|should|must|will)\s+(?:output|say|write|answer|reply)\b",
        r"\b(?:and|then|to|you will|you must|must|shall|now)\s+(?:say|print|write|output|answer|reply|tell (?:the"
        r" )?user)\s+"
        r"[\"'`]?[a-z0-9]+-[a-z0-9-]+",
        r"\b(?:repeat|quote|copy)\s+(?:it|this|that)\s+(?:to\s+the\s+\w+\s+)?(?:verbatim|word for word)",
        r"\bantworte\w*\s+(?:nur|immer|ausschließlich)|\bréponds?\s+(?:uniquement|seulement|toujours)"
        r"|\b(?:responde|contesta)\w*\s+(?:solamente|solo|únicamente|siempre)|\bdebes\s+(?:contestar|responder|decir)"
        r"|\btu dois (?:dire|répondre)|\bschreibst (?:immer|nur)"
        r"|(?:だけ|のみ)[^。\n]{0,4}(?:答え|返答|返し)|返答しなさい|只回答",
    ),
    _sign(
        "has people told to pay, call, visit or run something",
        1.0,
        "user,customer,reader,visitor,caller,client,people,everyone,everybody,them,asker,person,"
        "javascript,data:text,onerror,onclick,"
        "tell,instruct,ask,inform,urg,advis,render,present,display,direct,send,have the,let the,make the,get the"
        ",recommend,request,show,demand,persuad",
        rf"\b(?:tell|instruct|ask|urge|advise|direct|have|let|make|get|persuade|encourage|require"
        rf"|request)\s+(?:\w+\s+){{0,2}}?"
        rf"{_PERSON}\s+(?:\w+\s+){{0,2}}?(?:to\s+|that\s+they\s+(?:should\s+|must\s+)?|should\s+"
        rf"|must\s+)?(?:\w+\s+){{0,2}}?"
        r"(?:visit|call|dial|phone|pay|log ?in|sign in|download|install|run|execute|buy|purchase|settle|transfer"
        r"|click|press|open"
        r"|go|confirm|verify|enter|give|read|migrate|switch|send|provide|share|disclose|text|wire)\b",
        rf"\b(?:tell|inform|notify|assure)\s+(?:\w+\s+){{0,2}}?{_PERSON}\s+that\s+(?:an?|the|their|they|no|all)\b",
        rf"\b(?:send|direct|point|lead|forward|redirect)\s+(?:\w+\s+){{0,2}}?{_PERSON}\s+to\s+\S*(?:https?:|www\."
        rf"|\w+\.\w+/)",
        rf"\brecommend\s+\S+\s+to\s+(?:\w+\s+){{0,2}}?{_PERSON}\b",
        rf"\bshow\s+(?:this|the|it)\s+(?:\w+\s+){{0,3}}?(?:to\s+)?(?:the\s+)?{_PERSON}\b",
        rf"\b(?:show|render|display|present)\b{_SOON}(?:javascript:|data:text|onerror|onclick)",
    ),
    _sign(
        "asks for secrets or money",
        1.5,
        "security code,pins,btc,bc1,bill,secret,e-mail addr,"
        "card,pin,one-time,gift,wallet,maiden,seed phrase,cvv,bank,password,verification code,bitcoin,invoice,api"
        " key,fee",
        rf"\b(?:ask|request|demand|obtain|collect|have|tell|instruct|get)\b{_SOON}(?:card number|credit card"
        rf"|\bpins?\b|one-time code"
        r"|one-time password|gift cards?|seed phrase|maiden name|cvv|verification code|security code|bank details"
        r"|wallet)",
        rf"\b(?:pay|send|transfer|wire|settle)\b{_SOON}\b(?:wallet|bitcoin|btc|bc1\w+|gift cards?)\b",
        r"\b(?:settle|pay)\s+(?:the|your|an|their)\s+(?:\w+\s+)?(?:invoice|fee|bill)\s+(?:at|on|via"
        r"|to)\s+\S*\w+\.\w{2,}",
        rf"\b(?:fetch|list|write|give|send|include|dump|export)\b{_SOON}\b(?:passwords?|api keys?|e-mail addresses)\b"
        rf"{_SOON}\b(?:of all|all (?:accounts|customers|users)|your repl|your answer|in(?:to)? it|customers)",
        r"\b(?:include|add|append|print)\s+any\s+(?:api keys?|passwords?|secrets?)\b",
    ),
    _sign(
        "has people give away secrets",
        2.0,
        "card,pin,one-time,gift,maiden,seed phrase,cvv,verification code,security code",
        r"\b(?:ask|request|demand|obtain|collect|get|have)\b[^.!?\n]{0,40}\b(?:user|customer|visitor|caller|reader"
        r"|them|their)\b"
        r"[^.!?\n]{0,60}\b(?:card number|pins?\b|one-time (?:code|password)|gift cards?|seed phrase|maiden name|cvv"
        r"|security code)",
    ),
    _sign(
        "gives an assistant another role",
        1.0,
        "you will,you must,you shall,mode,new order,new polic,god,i am your,called dan,du bist,"
        "you are now,you're now,no longer,pretend,act as,the role,persona,mode you,enabled ,from now on,i am your"
        ",i'm your,do anything now,du bist,tu es,a partir de ahora,"
        "从现在,あなたは今,new task,new rule,new directive,new instruction,never break,unrestricted,dan",
        r"\byou(?:'re| are)\s+(?:now|no longer)\s+(?:an?\s+|the\s+|called\s+|known as\s+)?(?:\w{0,20}gpt|dan"
        r"|unrestricted|jailbroken"
        r"|free of|bound by|another|different|evil|in \w+ mode|\w+bot|assistant)\b",
        r"\bpretend\s+(?:to be|that you are|you are|you're)\b",
        r"\bact\s+as\s+(?:an?\s+)?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|different|new|\w+ assistant)\b",
        r"\byou\s+(?:will|must|shall)\s+(?:now\s+)?(?:play|take on|assume|adopt)\s+(?:the\s+)?(?:role|persona|part"
        r"|character)\b",
        r"\bin\s+(?:debug|developer|god|admin|dan|jailbreak|maintenance)\s+mode\s+you\b|\benabled\s+\S*(?:admin|god"
        r"|debug|root)-?\s?mode",
        r"\bfrom now on,?\s+(?:you\b|tell|say|answer|reply|respond|always|never|every|and)|\bfrom now on\s+and\s+start",
        r"\bnew\s+(?:task|rule|directive|instruction|order|policy)s?\s*(?:is\b|are\b|:|for the\b)",
        r"\bi am your\s+(?:\w+\s+)?(?:developer|creator|administrator|owner|maker|operator|admin)\b",
        r"\bdu bist jetzt\b|\btu es maintenant\b|\ba partir de ahora\b|あなたは今から|从现在开始",
        r"\bcalled dan\b|\bdo anything now\b",
    ),
    _sign(
        "lifts an assistant's safeguards",
        2.0,
        "citation,follow,your,without verif,obey,comply with,checks are off,citations are not"
        ",its limits,its rules,its restrictions,its filter,its safeguards,its guardrails",
        r"\b(?:model|assistant|bot|chatbot|ai)\s+(?:\w+\s+){0,8}?(?:drops?|loses?|gives? up|abandons?|suspends?|lifts?"
        r"|leaves? aside|ignores?)\s+(?:all\s+)?(?:of\s+)?its\s+(?:limits|rules|restrictions|filters?|safeguards"
        r"|guardrails)\b",
        r"\b(?:override|bypass|disable|turn off|switch off|deactivate|remove|lift|break"
        r"|ignore)\s+(?:all\s+(?:of\s+)?)?your\s+"
        r"(?:\w+\s+)?(?:rules|guardrails|restrictions|filters?|safeguards|limits|limitations|policies|guidelines"
        r"|safety)\b",
        r"\b(?:obey|follow)\s+(?:all\s+)?(?:of\s+)?my\s+(?:\w+\s+)?(?:commands|orders|instructions)\b",
        r"\bcomply\s+with\s+(?:any|every|all)\s+(?:request|command|order)s?\b",
        r"\bcitations?\s+(?:are|is)\s+not\s+(?:needed|required|necessary)\s+for\s+this\b",
    ),
    _sign(
        "asks an assistant for its instructions",
        2.0,
        "above,rules,notes,prompt,you have,you were,you are,"
        "you told,told you,you been told,prompt,instructions,text above,internal note,were given,you have access",
        r"\b(?:print|reveal|disclose|repeat|show|output|leak|tell|write|expose|dump|recite)\b[^.!?\n]{0,60}?"
        r"\byour\s+(?:\w+\s+){0,2}?(?:system\s+|initial\s+|hidden\s+|secret\s+|original\s+)?(?:prompts?"
        r"|instructions)\b",
        r"\b(?:print|reveal|disclose|repeat|output|leak|recite)\b[^.!?\n]{0,60}?\b(?:instructions|rules"
        r"|notes?)\s+(?:that\s+)?you\s+"
        r"(?:were|have been|are|have)\s+(?:given|told|access)",
        r"\brepeat\s+(?:the|all)\s+(?:text|words|lines?|everything)\s+above\b",
        r"\bwhat\s+(?:were|have)\s+you\s+(?:been\s+)?told\b|\btold\s+you\s+to\s+keep\b",
        r"\binternal\s+notes?\s+(?:that\s+)?you\s+have\s+access\b",
    ),
    _sign(
        "has the conversation sent elsewhere",
        2.0,
        "chat,user,summari,conversation,messages,question,history,summary,http,what the ,what they ,image,picture,![",
        r"\b(?:forward|send|pass|post|append|attach)\b[^.!?\n]{0,20}\bwhat\s+(?:the\s+(?:customer|user|person|visitor"
        r"|reader)|they)\s+(?:typed|wrote|said|asked|entered|told)\b",
        r"\b(?:finish|end|close|conclude|embed|append|add|put|place|insert|include)\b[^.!?\n]{0,80}?\byou\s+(?:tell|say"
        r"|send|write|answer|reply)\b[^!?\n]{0,60}(?:!\[|\bpicture\b|\bimage\b)",
        r"!\[[^\n]{0,140}?\binto\s+(?:whatever|everything|all|anything|what)\s+you\s+(?:tell|say|send|write|answer"
        r"|reply)\b",
        r"\b(?:put|encode|append|send|include|embed|add|attach|write|place|forward|post)\b[^.!?\n]{0"
        r",80}?\b(?:conversation|chat history"
        r"|user'?s?\s+(?:question|messages?|data|input)|chat log)\b[^!?\n]{0,80}?(?:\burl\b|\blink\b|\bimage\b"
        r"|https?:)",
        r"https?://[^\s)\]\"']{1,200}=(?:conversation|summary|question|user_input|chat_history)\b",
        r"https?://[^\s)\]\"']{1,200}[?&=][^\s)\]\"']{0,60}\{\w{0,20}(?:question|conversation|history|messages?"
        r"|user_input|chat)\w{0,20}\}",
        r"\bsummari[sz]e\s+(?:the\s+)?(?:user|conversation|chat)\b[^.\n]{0,60}\blink\b",
    ),
    _sign(
        "keeps people from a person",
        1.0,
        "deny,denies,transfer,offer,involv,connect,inform,mention,agent,staff,colleague,operator,anyone,whatever,"
        "every,each,all ,help,anything,question,nobody,conversation,closed,one is avail,available,"
        "no further,pass every,pass each,pass all,hand,escalat,human,person,employee,staff,resolved,solved,answer",
        r"\b(?:never|do not|don't|must not|may not|cannot|should not|stop|without)\s+(?:\w+\s+){0,3}?(?:hand(?:ing)?"
        r"|escalat(?:e|ing)"
        r"(?!\s+(?:privileg|permission|right))|transfer(?:ring)?|offer(?:ing)?|involv(?:e|ing)|connect(?:ing)?"
        r"|inform(?:ing)?|mention(?:ing)?)"
        r"\b[^.!?\n]{0,60}\b(?:person|human|employee|agent|staff|colleague|operator|anyone|whatever)",
        r"\b(?:escalate|hand|forward|send|transfer)\s+(?:over\s+)?(?:every|each|all)\s+(?:\w+\s+){0,2}?(?:questions?"
        r"|requests?|of them"
        r"|conversations?)\b",
        r"\b(?:never|do not|don't|stop)\s+(?:\w+\s+)?(?:answer|answering|help|helping)\s+(?:\w+\s+)?(?:anything"
        r"|questions|anyone|anybody)\b",
        r"\bno\s+(?:person|human|agent|one|employee)\s+(?:is|are)\s+available\b|\bclose\s+the\s+conversation\b"
        r"|\boffer\s+no\s+further\s+contact\b|\bpass\s+(?:every|each|all)\s+(?:request|question)s?\s+on\b",
        r"\b(?:declared?|mark(?:ed)?|considered?|said to be)\s+(?:as\s+)?(?:resolved|solved|closed)\b"
        r"|\balready\s+solved\b",
        r"\bdo not escalate\b,?\s+whatever",
        r"\b(?:deny|denies)\s+that\b[^.!?\n]{0,30}\b(?:one|any|humans?|persons?|agents?|staff|employees?)\b",
    ),
    _sign(
        "pretends to be part of a chat's protocol",
        1.0,
        "inst],system,<sys,/sys,assistant,instruct,response,human,developer,tool_,tool,role,user:,user :,"
        "user\n,user\\t,"
        '[system,[/system,[end system,<|,[inst],<<sys,### inst,### resp,"role",'
        "<system,tool_call,function_call,system:,developer message,human:,<assistant,"
        "<instructions",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id)\|?>?|\[/?inst\]|<</?sys>>",
        r"^#{2,4}\s*(?:instruction|response|system|human|assistant)s?\s*:",
        r"\"role\"\s*:\s*\"(?:system|developer)\"",
        r"</?(?:system|assistant|instructions|sys|developer)(?:[ _-]?(?:prompt|message|note|rules|policy"
        r"|instructions))?>",
        r"\[/?(?:end )?system(?: \w+)?\]",
        r"</?tool_?(?:call|use|code)>|\"?function_call\"?\s*:",
        r"(?:^|\n)[ \t>*-]*(?:system|developer message|system message|system prompt|developer)\s*:\s+(?=\w+\s+\w+)",
        r"(?:^|\n)\s*(?:human|user)\s*:[^\n]{0,300}\n+\s*assistant\s*:",
    ),
    _sign(
        "holds a link that runs something",
        1.5,
        "javascript,vbscript,javascript:,vbscript:,data:text",
        r"[\])]\(\s*<?\s*(?:javascript|vbscript|data:text/html)\b|href\s*=\s*[\"']?\s*(?:javascript|vbscript):",
    ),
    _sign(
        "calls a tool",
        2.0,
        'function,tool,action,"tool","action",<tool,tool_call,"name", tool, function',
        r"<tool_?(?:call|use|code)>\s*\{",
        r"\{\s*\"(?:tool|action|function)\"\s*:\s*\"\w{0,30}(?:shell|exec|send|mail|transfer|delete|pay|wire|refund"
        r"|grant)\w{0,30}\"",
        r"\"name\"\s*:\s*\"\w{0,30}(?:send|transfer|delete|pay|exec|mail|wire|refund|shell|grant|drop|export)\w{0"
        r",30}\"",
        r"\b(?:you must|must|use|invoke|call)\s+(?:call\s+|use\s+)?(?:the|your)\s+(?:\w+\s+)?(?:tool"
        r"|function)s?\b[^.\n]{0,60}"
        r"\b(?:all|every|each|passwords?|customers|accounts)\b",
    ),
    _sign(
        "claims to be proof",
        1.5,
        "source,correct,true,proven,authoritative,valid,trusted,page,document,(1,[1,certified,quote,cite,"
        "treat,use ,take,"
        "citation,source [,cite,certified,verified,reliable,other document,confidence,sole",
        r"\b(?:cite|quote|treat|use|take)\s+(?:it|this|that|the)\b[^.!?\n]{0,60}\b(?:citation|source)\s*[\[(]\d{1"
        r",3}[\])]",
        r"\b(?:treat|take|regard)\s+this\b[^.!?\n]{0,40}\b(?:certified|verified|correct|true|proven|authoritative)\b",
        r"\bverified\s+by\s+the\s+vendor\b",
        r"\b(?:sole|only|single)\s+(?:reliable|valid|true|correct|trusted)\s+(?:page|source|document)\b",
        r"\b(?:do not|don't|never)\s+use\s+any\s+other\s+(?:document|page|source)s?\b",
        r"\bthe\s+correct\s+answer\s+is\s+that\b",
    ),
    _sign(
        "has a command from the net run",
        1.0,
        "curl,wget,iwr",
        r"\b(?:curl|wget|iwr)\b[^\n|&;]{1,200}(?:\|\s*(?:(?:sudo\s+)?(?:ba|z)?sh|iex)\b|&&\s*(?:sudo\s+)?(?:ba"
        r"|z)?sh\b)",
    ),
    _sign(
        "wants to be obeyed whatever people say",
        1.0,
        "whatever",
        r"\bwhatever\s+(?:the\s+)?(?:user|customer|they)\s+(?:say|want|ask)s?\b",
    ),
    _sign(
        "presses",
        0.5,
        "answer,always,must,at once,right now,every answer,all answers,mandatory",
        r"\bmust\s+(?:always|never|not|say)\b|\bat once\b|\bright now\b|\bin (?:all|every) answers?\b|\bis mandatory\b",
    ),
)

MENTION: Final = re.compile(
    r"\b(?:prompt[ -]injections?|injections?|jail ?breaks?|attack(?:er|ers|s)?|such as|for example|e\.g\.|phrases?"
    r"|guards?|guardrails?"
    r"|detects?|detection|classifier|labels?|malicious|adversarial|untrusted|red team\w*|called)\b"
)
"""Words of somebody who speaks about instructions of this kind, rather than giving one."""

REPORTED: Final = re.compile(
    r"\b(?:attack(?:er|ers|s)?|injections?|attempts?|jail ?breaks?|classifiers?|detectors?|filters?|guards?"
    r"|guardrails)\s+"
    r"(?:(?:that|which|who|may|might|can|will|often|usually|sometimes|also|then)\s+){0,2}"
    r"(?:to|asks?|asking|tr(?:y|ies|ying)|tells?|detects?|finds?|flags?|blocks?|recogni[sz]es?|look|looks|decides?"
    r"|checks?|classif(?:y|ies)|labels?|reports?|say|says|write|writes)\b"
    r"[^.!?\n,:;]{0,80}$"
)
"""What stands before the sign when it is told of, in one breath with it: "guards detect attempts to override the system
prompt"."""
ADDRESSES: Final = frozenset({"speaks to an assistant", "says what an assistant must do"})
