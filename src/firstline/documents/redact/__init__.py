"""How does personal data leave a text? `PatternRedactor` finds it and puts numbered placeholders instead.

Redaction runs BEFORE chunking: a chunk edge could cut an identifier in two and hide both halves.

- PRIVATE_KEY: PEM and PGP private-key blocks. Certificates and public keys stay.
- SECRET: passwords in assignments, connection strings, URLs and headers; access tokens of known and of generic form;
  cookies; signatures and tokens in addresses. `<your password>`, `$TOKEN`, `****` and prose about passwords stay.
- EMAIL: addresses. `git@host:` remotes, names of SSH algorithms and `name@2x.png` stay.
- IBAN: by country, length and checksum.
- CARD: by issuer, length and checksum.
- NATIONAL_ID: numbers of persons in eighteen countries by form and checksum; passports and driving licences by what is
said
  before them.
- IP: IPv4 and IPv6. Loopback, unspecified, link-local, multicast and documentation ranges, netmasks, networks
  (`10.0.0.0/8`) and versions (`8.5.5.12`, `version 10.1.0.2`) stay.
- MAC: hardware addresses; those of groups and of examples stay.
- PLATE: number plates, by what is said before them.
- PHONE: international, North American, local with a leading 0, and any form after a word such as "phone".
  Versions, times, codes and hashes stay.
- ADDRESS and PERSON: as the name finder sees them, where the policy asks for it (`policy`); never in code.
- the operator's own patterns, by the names they were given (`own`). They come first.

Every pattern is bounded: time is linear in the length of the text, whatever it holds. Those of the operator share a
limit of time per document; one that it ends before it is through is named (`wholly`).
"""

from __future__ import annotations

from firstline.documents.redact.own import OwnPattern, own_pattern, wholly
from firstline.documents.redact.redactor import PatternRedactor
from firstline.documents.redact.spans import Span

__all__ = ["OwnPattern", "PatternRedactor", "Span", "own_pattern", "wholly"]
