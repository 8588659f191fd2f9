"""The signs of French. Read folded (`tongues.fold`): lower case, without accents."""

from __future__ import annotations

from typing import Final

from firstline.domain import Intent
from firstline.questions.message.signs import Tongue, pattern, signs

_MINE: Final = r"(?:mon|ma|mes|notre|nos)"
_HELD: Final = r"(?:abonnements?|contrats?|adhesion|forfait|souscription|assurance|formule|licence)"
_DATA: Final = r"(?:compte|profil|donnees|informations)"
_DELETE: Final = r"(?:supprim|effac|detrui)\w*|suppression|retirez"
_CHILD: Final = rf"{_MINE}\s+(?:\w+\s+){{0,2}}?(?:fils|fille|enfants?)|mineure?s?"
_NOT_THERE: Final = r"(?!.{0,40}\b(?:tables?|index|cache|base|collection|dossier)\b)"
_CHARGE: Final = r"(?:facture|prelevement|debit|montant|paiement)"
_CHARGED: Final = r"(?:debite|facture|preleve|paye|encaisse)\w*"
_WANT: Final = r"(?:veux|voudrais|voulons|exige|exigeons|demande|demandons|souhaite|attends|reclame|aimerais)"
_RECORD: Final = (
    r"(?:commande|colis|livraison|facture|compte|acces|ticket|dossier|demande|reservation|solde|remboursement|retour"
    r"|contrat|paiement|virement|mot\s+de\s+passe|limite|adresse|reparation|rendez-vous|points)"
)
_TELL: Final = r"(?:donn\w+|montr\w+|affich\w+|envo[iy]\w+|dis|dites|lis\w*|lire|voir|quels?|quelles?|besoin)"

FRENCH: Final = Tongue(
    high=signs(
        (
            Intent.LEGAL,
            rf"""\b{_MINE}\s+avocate?s?\b | \b(?:prendre|pris|prends|consulter|engager|d')\s*une?\s+avocate?\b
            | \bporte[rz]?\s+plainte\b | \bsaisi\w*\s+(?:le|la|un|les)\s+(?:tribuna|justice|cnil|mediateur|prud)\w*
            | \b(?:en|devant\s+la)\s+justice\b | \b(?:devant\s+(?:le|les|un)|au|aux)\s+tribuna\w+ | \bcnil\b
            | \bvous\s+poursuivre\b
            | \bpoursuites\s+judiciaires\b | \bmise\s+en\s+demeure\b | \bdommages\s+et\s+interets\b
            | \bacces\s+a\s+(?:mes|nos|toutes\s+mes)\s+donnees\s+personnelles\b
            | \bquelles?\s+(?:donnees|informations)\b.{{0,50}}\bsur\s+(?:moi|nous)\b
            | \brgpd\b.{{0,40}}(?:plainte|violation|demande\s+d'acces) | \bdemande\s+d'acces\b.{{0,30}}\brgpd\b
            | \b(?:{_CHILD})\b.{{0,80}}\bsans\s+(?:mon|notre)\s+(?:autorisation|consentement|accord)\b""",
        ),
        (
            Intent.DELETION,
            rf"""\b(?:{_DELETE})(?:\W+\w+){{0,3}}?\W+{_MINE}\s+(?:\w+\s+){{0,1}}?{_DATA}\b{_NOT_THERE}
            | \b(?:mes|nos)\s+donnees\b.{{0,60}}\b(?:{_DELETE}){_NOT_THERE}
            | \b{_MINE}\s+compte\b.{{0,30}}\b(?:supprime|efface)
            | \beffacement\s+de\s+(?:toutes\s+)?{_MINE}\s+{_DATA}
            | \brgpd\b.{{0,60}}\b(?:{_DELETE}|effacement) | \b(?:{_DELETE}|effacement)\b.{{0,60}}\brgpd\b
            | \b(?:{_DELETE})\b.{{0,40}}\b(?:sur|de|a\s+propos\s+de)\s+(?:moi|nous)\b
            | \bdroit\s+a\s+l'(?:oubli|effacement)
            | \b(?:{_CHILD})\b.{{0,120}}\b(?:{_DELETE}) | \b(?:{_DELETE})\b.{{0,60}}\b(?:{_CHILD})\b""",
        ),
        (
            Intent.BILLING_DISPUTE,
            rf"""\b{_WANT}\b.{{0,40}}\brembours\w* | \brembourse[rz]?[\s-]+(?:moi|nous)\b
            | \bme\s+rembourse[rz]?\b
            | \b(?:deux|2|plusieurs)\s+fois\b.{{0,40}}\b{_CHARGED} | \b{_CHARGED}\b.{{0,30}}\b(?:deux|2
            |plusieurs)\s+fois\b
            | \b{_CHARGED}\b.{{0,25}}\b(?:en\s+(?:trop|double)|sans\s+(?:mon|notre)\s+(?:accord|autorisation))\b
            | \bchargeback\b
            | \bdouble\s+(?:prelevement|debit|facturation|paiement)\b
            | \b(?:rend\w*|recuperer)\b.{{0,15}}\b(?:mon|notre|l')\s*argent\b
            | \bconteste(?:r|ons)?\s+(?:ce|cette|le|la|ma|votre|un)\b
            | \b{_CHARGE}\b.{{0,40}}\b(?:est\s+fau(?:x|sse)|erronee?|est\s+incorrecte?|frauduleu\w+|injustifiee?
              |(?:pas|jamais|non)\s+autorisee?)
            | \bne\s+(?:la\s+)?(?:paierai|payerai|paierons|paie)\s+pas\b | \b(?:refuse|refusons)\s+de\s+payer\b
            | \b(?:pas|jamais)\s+autorise\b.{{0,30}}{_CHARGE}""",
        ),
        (
            Intent.COMPLAINT,
            r"""\b(?:depose[rz]?|faire|fais|formule[rz]?|adresse[rz]?|introduire)\s+(?:une|ma|cette)\s+(?:\w+\s+)?
            (?:reclamation|plainte)\b | \b(?:reclamation|plainte)\s+(?:officielle|formelle)\b
            | \b(?:me|nous)\s+plaindre\b | ^\W*(?:reclamation|plainte)\b""",
        ),
        (
            Intent.CANCELLATION,
            rf"""\bresili(?:er|e|ez|ons)\b(?!\s+(?:une?|des)\s+(?!{_HELD})) | \bplus\s+besoin\b.{{0,15}}\b{_HELD}\b
            | \bdroit\s+de\s+retractation\b | \b(?:demande|lettre)\s+de\s+resiliation\b
            | \bresiliation\s+de\s+{_MINE}\b
            | \b(?:annul(?:er|e|ez|ons)|arrete[rz]?|cloture[rz]?|stopp(?:er|ez|e)|rompre|(?:mettre|mettez
            |mets)\s+fin\s+a|termine[rz]?)
              \s+(?:{_MINE}|cet|votre)\s+(?:\w+\s+){{0,1}}?{_HELD}\b
            | \b(?:mettre|mettez|mets)\s+fin\s+(?:au|a\s+l')\s*{_HELD}\b
            | \b(?:ferme[rz]?|cloture[rz]?)\s+{_MINE}\s+compte\b | \b(?:me|nous)\s+desabonn\w+
            | \bdesabonne[rz]?[\s-]+moi\b""",
        ),
    ),
    policy=pattern(
        r"""\b(?:si|quand|lorsque|apres\s+que|avant\s+que)\s+(?:je|j'|on|nous)\b.{0,40}(?:resili|supprim|annul)
        | \b(?:politique|conditions|regles|modele|delai|frais)\s+(?:de|d')"""
    ),
    private=pattern(
        rf"""\bautres\s+(?:client|utilisateur|abonne)s?\b.{{0,40}}\b(?:donn\w+|montr\w+|dis
        |dites)\b.{{0,15}}\b(?:noms?|adresses?|e-?mails)\b
        | \b{_TELL}\b.{{0,60}}\b(?:d'une?\s+autre|d'autres|des\s+autres|aux?\s+autres?)\s+(?:client|utilisat
        |abonne|patient
          |locataire|membre)\w*
        | \b{_TELL}\b.{{0,30}}\b(?:mot\s+de\s+passe|messages|mails?|e-mails|adresse|salaire|telephone|numero)\s+
          (?:de\s+|d'|du\s+)(?:mon|ma|mes|notre)\s+(?:chef|patron|femme|mari|ex|voisin|ami|collegue|copain|copine
          |fils|fille)\w*
        | \b(?:quel\s+est|donn\w+|montr\w+|affich\w+|dis|dites)\b.{{0,20}}\b(?:mot\s+de\s+passe
        |identifiants)\s+(?:de\s+l'|du\s+|d')?
          \s*(?:admin\w*|root|maitre)\b
        | \b(?:affich\w+|montr\w+|donn\w+|revel\w+|repet\w+)\b.{{0,20}}\b(?:ton|ta|tes|votre|vos)\s+(?:prompt
        |instructions
          |consignes)\b
        | \b(?:affich\w+|montr\w+|donn\w+)\b.{{0,20}}\b(?:notes|documents)\s+(?:internes|confidentiels
        |confidentielles)\b"""
    ),
    account=pattern(
        rf"""\bou\s+(?:est|en\s+est|sont|reste)\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\b(?!\s+(?:de\s+)?(?:journal
        |configuration))
        | \bquand\b.{{0,30}}\b{_MINE}\s+(?:\w+\s+)?(?:commande|colis|livraison|remboursement|dossier|reparation)\b
        | \bpourquoi\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\b.{{0,30}}\b(?:bloque|suspendu|desactive|refuse|annule
        |en\s+retard|ferme)
        | \b(?:pouvez|pourriez|peux|pourrais)[\s-]+(?:vous|tu)\b.{{0,15}}\b(?:reinitialis|debloqu|activ|modifi
        |chang|verifi
          |augment|prolong)\w*\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}
        | (?:^|[.!,]\s{{0,4}})\W{{0,8}}(?:svp\s+|merci\s+de\s+|veuillez\s+)?
        (?:reinitialis|debloqu|activ|modifi|verifi)(?:ez
        |e|er)\s+{_MINE}
          \s+(?:\w+\s+)?{_RECORD}\b(?=.{{0,40}}(?:$|[.!]))
        | \b{_MINE}\s+(?:compte|acces)\s+(?:est|a\s+ete)\s+(?:bloque|suspendu|desactive|ferme)
        | \bquel\s+est\s+(?:le\s+(?:solde|statut|montant)\s+de\s+)?{_MINE}\s+(?:solde|commande|compte|facture)\b
        | \b(?:commande|ticket|dossier|facture|client|colis)\s+(?:numero|n[o°]\.?|num\.?|\#)?\s*\#?\d{{3,}}"""
    ),
    intents=signs(
        (Intent.HOW_TO, r"^\W*(?:\w+\W+){0,3}?comment\s+(?!ca\b|se\s+fait)"),
        (
            Intent.CAUSE,
            r"""\b(?:pourquoi|raison|cause|d'ou\s+vient)\b | \b(?:erreur|echoue|echec|plante|bloque|en\s+panne)\b
            | \bne\b.{0,30}\b(?:demarre|marche|fonctionne|repond|s'ouvre|veut|peut)\w*\s+(?:plus|pas)\b
            | \b(?:marche|fonctionne)\s+pas\b | \brien\s+ne\b""",
        ),
        (Intent.HOW_TO, r"\bcomment\b | \b(?:etapes|procedure|facon\s+de)\b"),
        (Intent.WHICH, r"\b(?:quels?|quelles?|difference|qui|quand)\b"),
        (Intent.YES_NO, r"^\W*(?:est-ce|peut-on|puis-je|y\s+a-t-il|faut-il)\b"),
        (Intent.REFERENCE, r"\b(?:signifie|veut\s+dire|qu'est-ce|liste|combien|coute)\b"),
    ),
    upset=pattern(
        r"""\b(?:inadmissible|inacceptable|scandaleux|honteux|honte|furieux|furieuse|ridicule|marre|ras\s+le\s+bol|nul
        |nulle|arnaque|merde|deplorable|colere|lamentable|catastroph\w+)\b"""
    ),
    off_task=pattern(
        r"""\b(?:ecri\w+|racont\w+|chant\w+|invent\w+)\b(?:\W+\w+){0,4}?\W+(?:poeme|blague|histoire|chanson|conte
        |devoirs
        |devinette)\b | \bquel\s+temps\s+(?:fait|fera)\b | \bje\s+t'aime\b"""
    ),
)
