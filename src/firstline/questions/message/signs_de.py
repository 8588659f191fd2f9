"""The signs of German. Read folded (`tongues.fold`): lower case, no accents, umlauts as one letter or with an e."""

from __future__ import annotations

from typing import Final

from firstline.domain import Intent
from firstline.questions.message.signs import Tongue, pattern, signs

_MINE: Final = r"(?:mein|unser)(?:e[nmrs]?)?"
_HELD: Final = (
    r"[\w-]*(?:abos?|abonnements?|vertrag(?:e?s)?|mitgliedschaft(?:en)?|tarif|versicherung|lizenz|premium-?zugang)"
)
_ACCOUNT: Final = r"(?:[\w-]*konto|[\w-]*account|[\w-]*profil|zugang)"
_DATA: Final = r"(?:[\w-]*daten|informationen)"
_DELETE: Final = r"(?:ge)?loe?sch(?:e|en|t|st|ung)?|entfern(?:e|en|t)|vernichte\w*"
_CHILD: Final = rf"{_MINE}\s+(?:\w+\s+){{0,2}}?(?:sohn\w*|tochter|kind(?:e[srn]*)?)|minderjae?hrig\w*"
_NOT_THERE: Final = r"(?!.{0,40}\b(?:tabellen?|index|cache|datenbank|sammlung|ordner|bucket)\b)"
_CHARGE: Final = r"(?:rechnung|abbuchung|lastschrift|belastung|betrag|forderung)"
_CHARGED: Final = r"(?:abgebucht|belastet|berechnet|bezahlt|eingezogen|in\s+rechnung\s+gestellt|kassiert)"
_RECORD: Final = (
    r"(?:bestellung|paket|lieferung|sendung|ware|rechnung|konto|account|zugang|ticket|antrag|buchung|guthaben"
    r"|rue?ckerstattung|erstattung|retoure|vertrag|zahlung|ue?berweisung|gutschrift|punktestand|passwort|kennwort"
    r"|limit"
    r"|adresse|reparatur|termin)"
)

GERMAN: Final = Tongue(
    high=signs(
        (
            Intent.LEGAL,
            rf"""\b{_MINE}\s+(?:rechts)?anwae?lt\w* | \b(?:schalte|nehme|beauftrage|konsultiere
            |hole)\w*\b.{{0,30}}anwae?lt
            | anwae?lt(?:in)?\b.{{0,20}}(?:einschalten|beauftragen|nehmen) | \bverklage\w*\b
            | \bklage\s+(?:ein\w*|erheben|gegen) | \b(?:vor|vors|ans)\s+gericht\b | \bstrafanzeige
            | \banzeige\s+(?:erstatten|gegen)
            | \b(?:rechtliche|juristische)\s+schritte | \brechtsweg\b | \bschadens?ersatz | \bverbraucherzentrale
            | \bauskunft\b.{{0,60}}(?:dsgvo|\bart\w*\.?\s*15|gespeichert\w*|personenbezogen\w*|meine\s+daten)
            | \bdsgvo\b.{{0,40}}(?:auskunft|antrag|verstoss|beschwerde)
            | \bwelche\s+(?:\w+\s+)?daten\b.{{0,40}}\b(?:ue?ber|von)\s+(?:mich|mir|uns)\b
            | \bmelde\b.{{0,30}}\b(?:datenschutz\w*|beho?e?rde) | \bdatenschutz(?:verstoss|beschwerde|verletzung
            |beho?e?rde)
            | \b(?:{_CHILD})\b.{{0,80}}(?:ohne\s+(?:meine|unsere)\s+(?:zustimmung|einwilligung|erlaubnis)
            |gespeichert)""",
        ),
        (
            Intent.DELETION,
            rf"""\b{_MINE}\s+(?:\w+\s+){{0,2}}?(?:{_ACCOUNT}|{_DATA})\b.{{0,40}}\b(?:{_DELETE})\b{_NOT_THERE}
            | \b(?:{_DELETE})\b(?:\W+\w+){{0,3}}?\W+{_MINE}\s+(?:\w+\s+){{0,1}}?(?:{_ACCOUNT}|{_DATA})\b{_NOT_THERE}
            | \b{_DATA}\s+(?:ue?ber|von)\s+(?:mich|mir|uns)\b.{{0,40}}\b(?:{_DELETE})\b
            | ^\W*(?:bitte\s+)?(?:kunden)?(?:konto|account)\s+(?:bitte\s+)?loe?schen(?:\s+bitte)?\W*$
            | \b(?:dsgvo|gdpr)\b.{{0,60}}\b(?:{_DELETE}) | \b(?:{_DELETE})\b.{{0,60}}\b(?:dsgvo|gdpr)\b
            | \b(?:angaben|daten|informationen|alles)\b.{{0,15}}\b(?:zu\s+meiner\s+person|was\s+(?:sie
            |ihr)\s+ue?ber\s+mich)\b.{{0,30}}\b(?:{_DELETE})\b
            | \b(?:{_DELETE})\b.{{0,40}}\bue?ber\s+(?:mich|uns)\b
            | \brecht\s+auf\s+(?:vergessen|loe?schung)
            | \b(?:{_CHILD})\b.{{0,120}}\b(?:{_DELETE})\b | \b(?:{_DELETE})\b.{{0,60}}\b(?:{_CHILD})\b""",
        ),
        (
            Intent.BILLING_DISPUTE,
            rf"""\bgeld\b.{{0,20}}\b(?:zurue?ck|wieder(?:\s*haben)?)\b
            | \b(?:will|mo?e?chte|verlange|fordere|brauche|erwarte|wollen|bitte\s+um)\b.{{0,30}}
              \b(?:rue?ck)?(?:erstattung|zahlung|erstattet)\b
            | \berstatte(?:n\s+sie|t?\s+(?:mir|uns)) | \b(?:mir|uns)\b.{{0,30}}\berstatten\b
            | \b(?:zweimal|doppelt|2\s*x|2\s+mal|zwei\s+mal|mehrfach|zu\s+viel|zuviel)\b.{{0,40}}\b{_CHARGED}
            | \b(?:falsche|unberechtigte|unautorisierte|fehlerhafte|betrue?gerische)\w?\s+(?:\w+\s+)?{_CHARGE}
            | \b{_CHARGE}\b.{{0,40}}\b(?:ist\s+falsch|falsch\b|stimmt\s+nicht|zu\s+hoch|unberechtigt
              |(?:nie|nicht)\s+(?:autorisiert|genehmigt|bestellt))
            | \bzahle?n?\s+(?:ich\s+|wir\s+)?(?:das|die|diese)\s+(?:rechnung\s+)?nicht\b
            | \bwiderspreche\b.{{0,20}}\b{_CHARGE} | \b(?:nie|nichts|ohne)\b.{{0,60}}\babgebucht\b
            | \babgebucht\b.{{0,40}}\bohne\s+(?:meine|unsere)\b
            | \bdoppelte\s+abbuchung
            | \bgutschrift\b.{{0,30}}\b(?:falsche|zu\s+hohe|doppelte)\w?\b | \bchargeback\b""",
        ),
        (
            Intent.COMPLAINT,
            r"""\b(?:mich|uns)\b.{0,30}\bbeschweren\b | \bbeschwere\s+(?:ich\s+)?mich\b
            | \b(?:formelle|offizielle|foe?rmliche)\w?\s+beschwerde\b
            | \bbeschwerde\s+(?:einreichen|einlegen|ein\b|ue?ber|gegen)
            | \b(?:reiche|lege)\b.{0,30}\bbeschwerde\b | ^\W*beschwerde\b""",
        ),
        (
            Intent.CANCELLATION,
            rf"""\bkue?ndig(?:e|en|t|st)?\b(?!.{{0,80}}\ban\W*$) |
            \b{_HELD}\b.{{0,25}}\bnicht\s+mehr\b.{{0,30}}\b(?:beenden|stornieren) | \bwiderruf(?:e
            |en)?\b.{{0,30}}\b(?:{_HELD}|kauf|bestellung)\b | \b(?:habe|haben|hatte)\b.{{0,50}}\bgekue?ndigt\b
            | \b(?:raus|heraus)\s+aus\s+(?:dem|meinem|der|meiner|diesem)\s+{_HELD}\b | ^\W*kue?ndigung\W*$
            | \bkue?ndigung\s+(?:{_MINE}|des|der|vom)\s+(?:\w+\s+){{0,1}}?{_HELD}\b
            | \bhiermit\b.{{0,40}}\bkue?ndigung\b | \bkue?ndigung\s+(?:einreichen|bestae?tigen)
            | \b(?:{_MINE}|den|das|die|diesen?)\s+(?:[\w-]+\s+){{0,2}}?{_HELD}\s+(?:\w+\s+){{0,2}}?
              (?:beenden|aufzu?loe?sen|aufloe?sen|stornieren)\b
            | \b(?:beende[nt]?|storniere
            |stornieren)\s+(?:sie\s+)?(?:bitte\s+)?{_MINE}\s+(?:[\w-]+\s+){{0,2}}?{_HELD}\b
            | \b{_MINE}\s+(?:\w+\s+){{0,1}}?{_ACCOUNT}\s+(?:\w+\s+){{0,1}}?schliessen\b
            | ^\W*{_HELD}\s+(?:bitte\s+)?(?:beenden|stornieren|aufloe?sen)\b""",
        ),
    ),
    policy=pattern(
        r"""\b(?:wenn|falls|sobald|nachdem|bevor)\s+(?:ich|wir|man|jemand)\b.{0,60}(?:kue?ndig|loe?sch|beende|stornier)
        | \b(?:richtlinien?|bedingungen|regeln|vorlage|muster)\b"""
    ),
    private=pattern(
        rf"""\b(?:gib|geben|zeig\w*|nenn\w*|schick\w*|send\w*|sag\w*|verrat\w*|brauche|will|mo?e?chte|lies|lesen
        |welche\w?
          |wie\s+lautet|hat)\b(?:.{{0,60}}?\b(?:daten|e-?mail\w*|adress\w*|telefon\w*|bestellung\w*|rechnung\w*|pass\w*
          |nachricht\w*|vertra?e?g\w*|namen)\b)?.{{0,30}}?\b(?:andere[nrms]?|fremde[nrms]?)\s+(?:kund|nutzer
          |benutzer|mandant
          |patient|mieter|teilnehmer|mitglied)\w*(?:\W+\w+){{0,3}}
        | \b(?:gib|zeig\w*|nenn\w*|sag\w*|welche\w?|wie\s+lautet|was\s+ist|lesen|lies|will|mo?e?chte)\b.{{0,40}}?
          \b(?:pass\w*|kennwort|nachrichten|e?-?mails|adresse|gehalt|postfach
          |telefonnummer)\s+(?:\w+\s+){{0,2}}?{_MINE}s?
          \s+(?:chef|frau|mann|ex|nachbar|freund|kolleg|mitarbeiter|sohn|tochter)\w*
        | \bwelches\s+(?:passwort|kennwort)\s+hat\b
        | \b(?:wie\s+(?:lautet|ist)|gib|geben|zeig\w*|nenn\w*|sag\w*|verrat\w*)\b.{{0,30}}\b(?:admin\w*|root
        |master)[-\s]*
          (?:passwort|kennwort|zugangsdaten)
        | \b(?:zeig\w*|gib|geben|nenn\w*|verrat\w*|wie\s+lautet)\b.{{0,20}}\b(?:dein|ihr|euer)\w*\s+(?:\w+\s+)?
          (?:system-?\s?prompt|anweisungen|instruktionen)\b
        | \b(?:zeig\w*|gib|geben|verrat\w*)\b.{{0,20}}\b(?:interne|vertrauliche|geheime)n?\s+(?:notizen|dokumente
        |unterlagen)"""
    ),
    account=pattern(
        rf"""\bwo\s+(?:ist|bleibt|sind|bleiben|steckt)\s+(?:denn\s+)?{_MINE}\s+(?:\w+\s+)?{_RECORD}
        | \bwann\s+(?:kommt|kommen|wird|erhalte|bekomme|trifft)\b.{{0,20}}\b{_MINE}\s+(?:\w+\s+)?{_RECORD}
        | \b(?:warum|wieso|weshalb)\s+(?:ist|wurde|sind)\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\b.{{0,40}}
          (?:gesperrt|deaktiviert|blockiert|abgelehnt|storniert|verspae?tet|nicht\s+(?:da|angekommen))
        | \b{_MINE}\s+(?:konto|account|zugang|benutzer\w*)\s+(?:ist|wurde)\b.{{0,20}}\b(?:gesperrt|blockiert
        |deaktiviert)
        | \bwie\s+(?:hoch|viel)\s+(?:ist|sind)\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}
        | \b(?:bitte|ko?e?nn(?:en|t|ten)\s+(?:sie|ihr)|kannst\s+du|ko?e?nntest\s+du)\b.{{0,30}}\b{_MINE}\s+(?:\w+\s+)?
          {_RECORD}\b.{{0,20}}\b(?:entsperren|zurue?ck\w*|freischalten|ae?ndern|aktivieren|verlae?ngern|erhoe?hen
          |prue?fen
          |nachsehen)
        | \b(?:setz(?:e|en|t)?|entsperr(?:e|en|t)?|schalt(?:e|en|t)?|aktivier(?:e|en
        |t)?)\s+(?:sie\s+)?(?:bitte\s+)?{_MINE}
          \s+(?:\w+\s+)?{_RECORD}
        | \b(?:bestell|auftrags?|ticket|kunden|rechnungs|vorgangs|sendungs)-?(?:nummer|nr\.?)\W*\d{{3,}}"""
    ),
    intents=signs(
        (
            Intent.HOW_TO,
            r"^\W*(?:\w+\W+){0,3}?wie\s+(?:kann|ko?e?nnen|soll|muss|geht|(?!ist\b|lautet\b)\w+\s+(?:ich|wir|man))\b",
        ),
        (
            Intent.CAUSE,
            r"""\b(?:warum|wieso|weshalb|woran\s+liegt|ursachen?|aus\s+welchem\s+grund)\b
            | \b(?:fehler\w*|fehlgeschlagen|schlae?gt\b.{0,40}\bfehl|stue?rzt|abgestue?rzt|hae?ngt|kaputt)\b
            | \b(?:geht|gehen|funktioniert|startet|lae?uft|klappt|kann)\b.{0,40}\bnicht\b | \bgeht\s+nichts\b""",
        ),
        (Intent.HOW_TO, r"\bwie\s+(?:kann|ko?e?nnen|soll)\b | \b(?:anleitung|schritte)\b"),
        (Intent.WHICH, r"\b(?:welche\w?|unterschied|wer|wann)\b"),
        (Intent.YES_NO, r"^\W*(?:ist|sind|kann|ko?e?nnen|gibt\s+es|hat|darf|muss|unterstue?tzt)\b"),
        (Intent.REFERENCE, r"\b(?:was|bedeutet|bedeutung|liste|standardwert|kostet)\b"),
    ),
    upset=pattern(
        r"""\b(?:unverscha?e?mt\w*|frechheit|wue?tend|stinksauer|sauer|inakzeptabel|lae?cherlich|mist|scheiss\w*
        |katastroph\w*|nerv(?:t|ig)|nase\s+voll|abzocke|saftladen|entta?e?uscht|unfassbar|zum\s+kotzen
        |unmoe?glich\s+von)\b"""
    ),
    off_task=pattern(
        r"""\b(?:schreib\w*|erza?e?hl\w*|dichte|sing\w*|erfind\w*)\b(?:\W+\w+){0,4}?\W+
        (?:gedicht|witze?|geschichte|lied|ma?e?rchen|aufsatz|ra?e?tsel|hausaufgaben)\b
        | \bwie\s+(?:wird|ist)\s+das\s+wetter\b | \bich\s+liebe\s+dich\b"""
    ),
)
