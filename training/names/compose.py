"""Sentences with persons and addresses marked, put together from `sentences.txt`: what the name finder learns from.

Two fifths of the names are made from the halves of two real ones, so that the model learns from form and context too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from training.names import words
from training.names.lists import Lists, lists

PERSON, ADDRESS, PLACE, COMPANY, PHONE = "PERSON", "ADDRESS", "PLACE", "COMPANY", "PHONE"
_SLOT: Final = re.compile(r"\{(\w)\}")
COMMON_STREETS: Final = ["First", "Second", "Third", "Fifth", "5th", "42nd", "Main", "High", "Church", "Park"]
BOXES: Final = ["Unit", "PSC", "CMR", "PO Box", "P.O. Box", "Postfach", "Box", "Postbox"]
TOWNS_BEGIN: Final = ["San", "Saint", "St", "Bad", "New", "Port", "Villa", "El", "La", "North", "South"]
INVENTED: Final = 0.4
OF_ANY_SCRIPT: Final = 0.2
OF_PLAIN_WORDS: Final = 0.04
CARDS: Final = 0.1
LATIN_MAX: Final = 0x250


@dataclass(frozen=True, kw_only=True)
class Marked:
    """`spans`: (start, end, what it is)."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def _choices(text: str) -> list[str]:
    return [one.strip() for one in text.replace("\n", " ").split("|")]


JOBS, COUNTRIES = _choices(words.JOBS), _choices(words.COUNTRIES)
ADJECTIVES_OF_COUNTRIES = _choices(words.ADJECTIVES_OF_COUNTRIES)
STREET_ENDS, STREET_BEFORE = _choices(words.STREET_ENDS), _choices(words.STREET_BEFORE)
PHONES: Final = (
    "###-###-####|(###) ###-####|(###)###-####|###.###.####|+1-###-###-####|001-###-###-####|###-###-####x###|+1-###"
    "-###-####x####"
    "|1-###-###-####|(##) ###-###|(##) ####-####|0### ## ## ##|0## ### ## ##|+## ## ### ## ##|+## # ## ## ## ##|####"
    "######|## ## ## ##"
    "|##-##-##-##|### ####|### ### ###|## ######|#### ####|## ### ####|##.##.##.##.##|0#.##.##.##.##|0### ######|0##"
    "## ######|07### ######"
    "|0#### ### ###|+44#### ### ###|+## (0)## ### ## ##|0## #######|0###-#######|0##/#######|### ## ###|###-####|###"
    "####|########|+###########"
    "|###.###.####x####|## #### ####|(0##) ### ####|0#-####-####"
).split("|")
STREET_TAILS, PLACES = _choices(words.STREET_TAILS), _choices(words.PLACES)


class Composer:
    def __init__(self, seed: int, english: Sequence[str]) -> None:
        """`english`: plain words that are nobody's name, in small letters."""
        self._english = english
        self._random = random.Random(seed)  # noqa: S311 (sentences, not secrets)
        self._lists: Lists = lists()
        self._first = sorted(self._lists.first)
        self._last = sorted(self._lists.last)
        both = (one for one in self._first if one in self._lists.last)
        self._latin = [one for one in both if ord(max(self._lists.first[one][0])) < LATIN_MAX]
        path = Path(__file__).with_name("sentences.txt")
        lines = path.read_text(encoding="utf-8").splitlines()
        self._templates = [line.replace("\\n", "\n") for line in lines if line and not line.startswith("# ")]
        self._templates += [line[2:] for line in lines if line.startswith("# {")]

    def sentence(self) -> Marked:
        r = self._random
        if r.random() < CARDS:
            return self._case(self._filled(self._card()))
        template = r.choice(self._templates)
        if r.random() < 0.12:
            template = f"{template}{r.choice([' ', '  ', chr(10), chr(10) * 2])}{r.choice(self._templates)}"
        if r.random() < 0.06:
            template = (
                f"{r.choice(['Hi, ', 'Hello! ', 'FYI: ', '- ', '* ', '> ', 'user: ', 'bot: ', 'Also, '])}{template}"
            )
        return self._case(self._filled(template))

    def _card(self) -> str:
        """Lines about somebody, as in a signature, a form or a quoted letter."""
        r = self._random
        mark = r.choice(("", "", "", "", "> ", ">", "* ", "- ", "??? ", "    ", "| "))
        said = r.choice(("{B}", "{A}", "{A}", "{A}", "{S}"))
        lines = [r.choice(("{N}", "{N}", "{T} {N}", "Name: {N}")), said]
        if r.random() < 0.6:
            lines.insert(1, "{O}")
        if r.random() < 0.3:
            lines.insert(1, "{J}")
        if r.random() < 0.25:
            lines.insert(r.randint(1, len(lines)), "{N}")
        for label in r.sample(
            ("Mobile: ", "Desk: ", "Fax: ", "Tel. ", "Phone: ", "Cell ", "", "T: ", "Office: "),
            r.choice((0, 0, 1, 2, 3)),
        ):
            lines.append(label + "{H}" + r.choice(("", "", "", " office", " fax", " mobile", "-Fax")))
        if r.random() < 0.3:
            lines.append(r.choice(("{M}", "E-mail: {M}", "Email:\n{M}")))
        return "\n".join(mark + line for line in lines)

    def _case(self, marked: Marked) -> Marked:
        roll = self._random.random()
        changed = marked.text.lower() if roll < 0.09 else marked.text.upper() if roll < 0.11 else marked.text
        return Marked(text=changed, spans=marked.spans) if len(changed) == len(marked.text) else marked

    def _filled(self, template: str) -> Marked:
        parts: list[str] = []
        spans: list[tuple[int, int, str]] = []
        length = at = 0
        for slot in _SLOT.finditer(template):
            literal = template[at : slot.start()]
            parts.append(literal)
            length += len(literal)
            for value, kind in self._slot(slot.group(1)):
                if kind:
                    spans.append((length, length + len(value), kind))
                parts.append(value)
                length += len(value)
            at = slot.end()
        parts.append(template[at:])
        return Marked(text="".join(parts), spans=tuple(spans))

    def _slot(self, slot: str) -> list[tuple[str, str]]:
        r = self._random
        if slot in "PNFL":
            return self._person(slot)
        if slot == "A":
            return [(self._address(), ADDRESS)]
        if slot == "B":
            return [(", ".join((self._street(), self._town(), *r.choice(((), (r.choice(COUNTRIES),))))), ADDRESS)]
        if slot == "I":
            return [(self._crossing(), ADDRESS)]
        if slot == "S":
            return [(self._street(), ADDRESS)]
        if slot == "z":
            return [(self._zip(), ADDRESS)]
        if slot == "C":
            return [(self._town(), PLACE)]
        if slot == "K":
            return [(r.choice(COUNTRIES), PLACE)]
        if slot == "O":
            return [(self._company(), COMPANY)]
        if slot == "H":
            return [(self._phone(), PHONE)]
        plain = {
            "W": lambda: r.choice(ADJECTIVES_OF_COUNTRIES),
            "J": lambda: r.choice(JOBS),
            "T": lambda: r.choice(words.TITLES),
            "M": self._mail,
            "D": self._date,
            "d": lambda: r.choice(words.WEEKDAYS),
            "n": lambda: str(r.choice((r.randint(1, 60), r.randint(1, 9999)))),
            "X": self._thing,
            "r": self._number,
            "k": self._code,
            "v": lambda: self._word(words.VERBS),
            "b": lambda: self._word(words.NOUNS),
            "a": lambda: self._word(words.ADJECTIVES),
            "q": self._title,
        }
        return [(plain[slot](), "")]

    def _person(self, slot: str) -> list[tuple[str, str]]:
        r = self._random
        first, last = self.first(), self.last()
        if slot == "P":
            slot = r.choice("FFFNNNNLT")
        if slot == "F":
            return [(first, PERSON)]
        if slot == "L":
            return [(last, PERSON)]
        if slot == "T":
            return [(r.choice(words.TITLES) + " ", ""), (last if r.random() < 0.6 else f"{first} {last}", PERSON)]
        form = r.random()
        letter = r.choice("ABCDEFGHIJKLMNOPRSTVWZ")
        if form < 0.6:
            full = f"{first} {last}"
        elif form < 0.82:
            full = f"{first} {letter}{r.choice(['.', '.', ''])} {last}"
        elif form < 0.86:
            full = f"{first} {self.first()} {last}"
        elif form < 0.9:
            full = f"{first} {last}{r.choice(['-', ' '])}{self.last()}"
        elif form < 0.93:
            full = f"{first} {r.choice(['van', 'de', 'von', 'van der', 'da', 'del', 'bin', 'al', 'Mc', 'O’'])} {last}"
        elif form < 0.95:
            full = f"{letter}. {last}"
        elif form < 0.97:
            full = f"{first} {last} {r.choice(['Jr.', 'II', 'III', 'Sr.'])}"
        else:
            full = f"{last}, {first}"
        return [(full, PERSON)]

    def _word(self, usual: Sequence[str]) -> str:
        r = self._random
        if r.random() < 0.5:
            return r.choice(usual)
        return r.choice(self._english) + r.choice(("", "", "", "s", "ing", "ed", "er"))

    def _title(self) -> str:
        r = self._random
        count = r.choice((1, 1, 2, 2, 3, 4))
        return " ".join(self._word(words.TITLE_WORDS).title() for _ in range(count))

    def _number(self) -> str:
        r = self._random
        return "".join(str(r.randint(0, 9)) for _ in range(r.choice((4, 5, 6, 7, 8, 9, 10, 12))))

    def first(self) -> str:
        return self._name(self._lists.first, self._first)

    def last(self) -> str:
        return self._name(self._lists.last, self._last)

    def _name(self, of: dict[str, list[str]], locales: list[str]) -> str:
        r = self._random
        if r.random() < OF_PLAIN_WORDS:
            return r.choice(self._english).title()
        known = of[r.choice(locales if r.random() < OF_ANY_SCRIPT else self._latin)]
        name = r.choice(known)
        if r.random() < INVENTED and len(name) > 3:
            other = r.choice(known)
            if len(other) > 3 and other[0].isascii() == name[0].isascii():
                name = name[: r.randint(2, len(name) - 1)] + other[-r.randint(2, len(other) - 1) :].lower()
        return name.title() if name.islower() or name.isupper() else name

    def _street(self) -> str:
        r = self._random
        name = r.choice((r.choice(self._lists.streets), self.last(), self._town(), f"{self.first()} {self.last()}"))
        form = r.random()
        if form < 0.2:
            street = f"{name} {r.choice(STREET_ENDS)}"
        elif form < 0.4:
            street = f"{r.choice(STREET_BEFORE)} {name}"
        elif form < 0.55:
            street = f"{name.split()[-1]}{r.choice(STREET_TAILS)}"
        elif form < 0.65:
            street = f"{name} {r.choice(STREET_TAILS)}"
        elif form < 0.72:
            street = f"{r.choice(COMMON_STREETS)} {r.choice(STREET_ENDS)}"
        elif form < 0.77:
            box = f"{r.choice(BOXES)} {self._digits()}"
            return box + r.choice(["", f", Box {self._digits()}", f" Box {self._digits()}"])
        else:
            street = name
        number = r.choice((str(r.randint(1, 300)), self._digits(), f"{r.randint(1, 90)}{r.choice('abcABC')}"))
        shape = r.random()
        if shape < 0.3:
            return f"{number} {street}"
        if shape < 0.6:
            return f"{street} {number}"
        if shape < 0.85:
            return f"{self._digits()} {street} {number}"
        if shape < 0.93:
            return f"{self._digits()} {number} {street}"
        return f"{street}"

    def _address(self) -> str:
        """One of many orders of street, place in the house, town, region, country and code."""
        r = self._random
        if r.random() < 0.06:
            return self._crossing()
        if r.random() < 0.06:
            ship = r.choice(
                (
                    f"Unit {self._digits()} Box {self._digits()}",
                    f"PSC {self._digits()}, Box {self._digits()}",
                    f"USS {self.last()}",
                    f"USNS {self.last()}",
                    f"CMR {self._digits()}",
                )
            )
            line = f"{ship}{r.choice([chr(10), ', '])}{r.choice(['APO', 'FPO', 'DPO'])} "
            return line + f"{r.choice(['AA', 'AE', 'AP'])} {r.randint(0, 99999):05d}"
        street = self._street()
        if r.random() < 0.12:
            return street
        gap = r.choice((", ", ", ", "\n", "\n", "\n ", "\n    ", " "))
        parts = [street]
        if r.random() < 0.35:
            place = f"{r.choice(PLACES)} {r.randint(1, 999)}"
            if r.random() < 0.5:
                parts.append(place)
            else:
                parts[0] = f"{street} {place}"
        town, code = self._town(), self._zip()
        region = r.choice(
            ("ON", "QC", "BC", "SK", "NY", "CA", "TX", "WA", "GU", "MP", "AP", "AE", "RS", "SP", "Victoria", "NSW")
        )
        tail = r.random()
        country = r.choice(COUNTRIES)
        gap = gap + ", " if gap == "\n" and r.random() < 0.1 else gap
        if tail < 0.15:
            parts += [f"{code} {town}"]
        elif tail < 0.3:
            parts += [f"{code} {town}", country]
        elif tail < 0.45:
            parts += [town, region + " " + code]
        elif tail < 0.55:
            parts += [f"{town}, {region} {code}"]
        elif tail < 0.65:
            parts += [town, f"{country} {code}"]
        elif tail < 0.72:
            parts += [town, region, f"{country} {code}"]
        elif tail < 0.78:
            parts += [f"{town} {region} {code}"]
        elif tail < 0.84:
            parts += [town]
        elif tail < 0.9:
            parts += [town, country]
        elif tail < 0.95:
            parts += [town, region, code]
        else:
            parts += [f"{town}{gap}{country}", code]
        return gap.join(parts)

    def _crossing(self) -> str:
        r = self._random
        crossed = f"{self._street()} {r.choice(['and', '&', 'and', 'at'])} {self._street()}"
        return r.choice(("the corner of ", "the corner of ", "corner of ", "Corner ", "the intersection of ")) + crossed

    def _town(self) -> str:
        r = self._random
        roll = r.random()
        town = r.choice(self._lists.towns)
        if roll < 0.25:
            town = self.last() + r.choice(
                ("", "ville", "burg", " City", "ton", "stad", "by", "heim", "ovo", "wil", " am See")
            )
        elif roll < 0.3:
            town = f"{r.choice(TOWNS_BEGIN)} {self.last()}"
        return town.upper() if r.random() < 0.15 else town

    def _zip(self) -> str:
        r = self._random
        form = r.random()
        if form < 0.6:
            return f"{r.randint(1000, 99999):05d}" if r.random() < 0.8 else str(r.randint(1000, 9999))
        if form < 0.7:
            return f"{r.randint(10000, 99999)}-{r.randint(1000, 9999)}"
        if form < 0.8:
            first = f"{r.choice('ABCEGHKLMN')}{r.randint(1, 9)}{r.choice('ABCEGHKLMN')}"
            return f"{first} {r.randint(1, 9)}{r.choice('ABCEGHKLMN')}{r.randint(1, 9)}"
        if form < 0.9:
            first = f"{r.choice(['SW', 'N', 'E', 'M', 'LS', 'EC', 'B'])}{r.randint(1, 20)}"
            return f"{first} {r.randint(1, 9)}{r.choice('ABDEFGHJ')}{r.choice('ABDEFGHJ')}"
        return f"{r.randint(100, 999)} {r.randint(10, 99)}"

    def _company(self) -> str:
        r = self._random
        roll = r.random()
        if roll < 0.3:
            return f"{r.choice(words.COMPANY_WORDS)} {r.choice(words.COMPANY_WORDS)}"
        if roll < 0.55:
            joined = f"{r.choice(words.COMPANY_WORDS)}{r.choice(words.COMPANY_WORDS).lower()}"
            return f"{joined} {r.choice(words.COMPANY_ENDS)}" if r.random() < 0.5 else joined
        if roll < 0.7:
            return f"{self.last()} {r.choice(words.COMPANY_ENDS)}"
        if roll < 0.78:
            return f"{self.last()}-{self.last()}"
        if roll < 0.86:
            return f"{self.last()}, {self.last()} and {self.last()}"
        return f"{r.choice(words.COMPANY_WORDS)} {r.choice(words.COMPANY_WORDS)} {r.choice(words.COMPANY_ENDS)}"

    def _thing(self) -> str:
        r = self._random
        return " ".join(self._product() for _ in range(r.choice((1, 1, 1, 2))))

    def _product(self) -> str:
        """One that there is, or a name made up of words as makers do."""
        r = self._random
        if r.random() < 0.5:
            return r.choice(words.THINGS)
        one, two = r.choice(self._english), r.choice(self._english)
        return r.choice(
            (one.title(), (one[:5] + two[-5:]).title(), one.title() + two.title(), one.title() + two, self._letters())
        )

    def _letters(self) -> str:
        r = self._random
        return "".join(r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(r.choice((2, 3, 3, 3, 4, 4, 5))))

    def _code(self) -> str:
        """As in messages, versions and lists of defects."""
        r = self._random
        letters, number = self._letters(), self._number()
        return r.choice(
            (
                f"{letters}{number[:5]}",
                f"{letters}{number[:4]}{r.choice('EWIN')}",
                f"{letters}-{number}",
                f"{letters}-{r.randint(1999, 2030)}-{number[:5]}",
                f"V{r.randint(1, 15)}",
                f"v{r.randint(0, 20)}.{r.randint(0, 30)}",
                f"{r.randint(0, 20)}.{r.randint(0, 20)}.{r.randint(0, 99)}",
                f"{r.randint(0, 20)}.{r.randint(0, 20)}.{r.randint(0, 99)}.{r.randint(0, 99)}",
                f"{letters.lower()}{r.randint(1, 512)}",
                f"0x{r.getrandbits(32):08x}",
                f"{r.getrandbits(48):012x}",
                letters,
            )
        )

    def _mail(self) -> str:
        host = self._random.choice(("example.com", "mail.net", "web.de", "corp.io"))
        return f"{self.first()}.{self.last()}@{host}".replace(" ", "").lower()

    def _digits(self) -> str:
        r = self._random
        return str(
            r.choice((r.randint(1, 99), r.randint(100, 9999), r.randint(10000, 99999), f"0{r.randint(10, 999)}"))
        )

    def _phone(self) -> str:
        r = self._random
        form = r.choice(PHONES)
        return "".join(str(r.randint(0, 9)) if sign == "#" else sign for sign in form)

    def _date(self) -> str:
        r = self._random
        y, m, d = r.randint(1935, 2030), r.randint(1, 12), r.randint(1, 28)
        month = r.choice(words.WEEKDAYS[7:19])
        return r.choice(
            (
                f"{m}/{d}/{y}",
                f"{y}-{m:02d}-{d:02d}",
                f"{d} {month} {y}",
                f"{month} {d}, {y}",
                f"{y}",
                f"{d}.{m}.{y}",
                f"{y}-{m:02d}-{d:02d} {r.randint(0, 23):02d}:{r.randint(0, 59):02d}:00",
            )
        )
