"""The catalogue of texts: complete in every language, and safe for what is put into it."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from firstline.domain import Asks, DocumentKind, Reason, Talk
from firstline.errors import InvalidInput
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.spoken import spoken
from firstline.questions.prefer import CALLED
from firstline.questions.wording.catalogue import problem_of, read_catalogue
from firstline.questions.wording.text_keys import KEYS, LANGUAGES, TONES
from firstline.questions.wording.voice import open_wording, plain, shipped

TEXTS = {language: read_catalogue(language) for language in LANGUAGES}
STATIC = Path(__file__).parents[2] / "src/firstline/api/static"
ADDRESS = {"de": "sie", "fr": "vous", "es": "usted"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_its_placeholders_and_forms(language: str) -> None:
    assert TEXTS[language].keys() == KEYS.keys()
    for key, forms in TEXTS[language].items():
        assert forms.keys() == TEXTS["en"][key].keys(), key
        assert set(forms) in ({""}, {"one", "other"}, set(TONES)), key
        for form, text in forms.items():
            assert problem_of(key, form, text) == "", (key, form)
            assert text == text.strip() and "  " not in text, (key, form)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_language_is_one_of_its_own(language: str) -> None:
    """A text that was left in English would be found here."""
    for key, forms in TEXTS[language].items():
        for form, text in forms.items():
            if len(text) > 24:
                assert text != TEXTS["en"][key][form], key
    whole = " ".join(text for forms in TEXTS[language].values() for text in forms.values())
    assert (
        re.search(r"\b(?:du|dein|dir|tu|toi|tes|tú|tus|vosotros)\b", whole, re.IGNORECASE) is None or language == "ja"
    )


def test_the_journey_has_a_text_for_all_that_it_can_come_to() -> None:
    wanted = {f"escalated.{reason}" for reason in Reason} | {f"talk.{talk}" for talk in Talk}
    wanted |= {f"clarify.{asks}" for asks in Asks}
    wanted |= {f"answered.version_{CALLED.get(kind, 'page')}" for kind in DocumentKind}
    wanted |= {f"page.kind_{kind}" for kind in DocumentKind}
    assert wanted <= KEYS.keys()


def test_the_page_says_what_is_in_the_catalogue() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in STATIC.iterdir() if path.suffix in (".js", ".html"))
    named = set(re.findall(r'say\("(\w+)"', sources)) | set(re.findall(r'data-(?:text|label|hint)="(\w+)"', sources))
    assert named <= set(shipped().voice("en").page), "a label that is not in the catalogue"
    built = re.findall(r"say\(`(\w+)_\$", sources)
    kept = {key for key in shipped().voice("en").page if key not in named and not key.startswith(tuple(built))}
    assert kept == set(), "a text that nothing shows"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_wish_for_a_person_is_understood(language: str) -> None:
    said = shipped().voice(language).page["person_wanted"]
    assert wants_person(said)
    assert spoken(said) == language


@pytest.mark.parametrize(
    ("language", "two", "three"),
    [
        ("en", "A or B", "A, B or C"),
        ("de", "A oder B", "A, B oder C"),
        ("fr", "A ou B", "A, B ou C"),
        ("es", "A o B", "A, B o C"),
        ("ja", "A、またはB", "A、B、またはC"),
    ],
)
def test_lists_are_joined_as_the_language_does(language: str, two: str, three: str) -> None:
    voice = shipped().voice(language)
    assert "{" not in voice.say("clarify.which", names=("A",))
    assert two in voice.say("clarify.which", names=("A", "B"))
    assert three in voice.say("clarify.which", names=("A", "B", "C"))


def test_spanish_joints_give_way_to_the_sound_behind_them() -> None:
    voice = shipped().voice("es")
    assert "Linux u otros" in voice.say("clarify.which", names=("Linux", "otros"))
    assert "redes e impresoras" in voice.say("deflected.topics", topics=("redes", "impresoras"))
    assert "Linux y hielo" in voice.say("deflected.topics", topics=("Linux", "hielo"))


@pytest.mark.parametrize(
    ("language", "quoted"),
    [("en", "“a” and “b”"), ("de", "„a“ und „b“"), ("fr", "«\u00a0a\u00a0» et «\u00a0b\u00a0»"), ("es", "«a» y «b»")],
)
def test_quotes_are_those_of_the_language(language: str, quoted: str) -> None:
    assert quoted in shipped().voice(language).say("answered.part", parts=("a", "b"))
    assert "「a」、「b」" in shipped().voice("ja").say("answered.part", parts=("a", "b"))


def test_number_chooses_the_form() -> None:
    voice = shipped().voice("en")
    one = voice.say("answered.version_page", versions=("4.1–",), asked="4.0")
    several = voice.say("answered.version_page", versions=("–3.9", "4.1–4.3"), asked="4.0")
    assert one == "This page is about version 4.1 and later; you asked about 4.0."
    assert several == "This page is about versions 3.9 and earlier and 4.1 to 4.3; you asked about 4.0."
    assert "1 vez" in shipped().voice("es").say("handover.reopened", times=1)
    assert "3 veces" in shipped().voice("es").say("handover.reopened", times=3)


def test_a_tone_changes_what_it_has_words_for_and_nothing_else() -> None:
    neutral, warm = (open_wording(tone=tone).voice("de") for tone in ("neutral", "warm"))
    assert neutral.say("silent.person") != warm.say("silent.person")
    assert neutral.say("escalated.user_asked") == warm.say("escalated.user_asked")


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                *("<img src=x onerror=alert(1)>", "[a](javascript:1)", "**b**", "`", "``", "_i_", "\n# H", "\n- l"),
                *(
                    "![x](y)",
                    "{names}",
                    "{asked}",
                    "&lt;",
                    "<!--",
                    "\\",
                    "~~s~~",
                    "\u202e",
                    "a_b",
                    "]",
                    "|",
                    "\r\n\r\n",
                ),
            ]
        ),
        max_size=6,
    ).map("".join),
)


@given(HOSTILE, st.sampled_from(LANGUAGES))
def test_no_value_becomes_markup_or_a_placeholder(value: str, language: str) -> None:
    said = shipped().voice(language).say("clarify.which", names=(value, "B"))
    assert "\n" not in said and "\u202e" not in said
    tokens = MarkdownIt("commonmark", {"html": True}).enable("strikethrough").parse(said)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    inside = {child.type for token in tokens for child in token.children or ()}
    assert inside <= {"text", "code_inline", "text_special"}, said


@given(HOSTILE)
def test_a_value_without_markup_is_shown_to_the_letter(value: str) -> None:
    shown = plain(value)
    assert shown and len(shown) <= 300
    if not re.search(r"[^\w .,:/-]", value) and "_" not in value:
        assert shown == (" ".join(value.split()) or "…")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            '[en.answered]\nunsure = "Hm."\n\n[de.answered]\nunsur = "Hm."\n',
            "line 5: there is no text 'answered.unsur'",
        ),
        ('[en]\n"clarify.which" = "Which?"\n', "line 2: the text 'clarify.which' lacks its placeholder {names}"),
        (
            '[en.clarify]\n# which\nwhich = "{names} or {title}?"\n',
            "line 3: the text 'clarify.which' has no placeholder",
        ),
        ('[en.clarify]\nwhich = "{names"\n', "line 2: the text 'clarify.which' has a brace"),
        ('[en.talk]\nnod = " "\n', "line 2: the text 'talk.nod' is empty"),
        ("[en.talk]\nnod = 5\n", "line 2: the text 'talk.nod' is empty or no text"),
        ('[en.talk.nod]\none = "x"\n', "line 2: the text 'talk.nod' has no form 'one'"),
        ('[nl.talk]\nnod = "Goed."\n', "line 2: 'nl' is no language of the texts"),
        ('nod = "x"\n', "line 1: 'nod' is no language"),
        ("[en\n", "is not valid TOML"),
    ],
)
def test_what_is_wrong_in_an_own_file_is_said_with_its_line(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "texts.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        open_wording(own=path)
    assert says in caught.value.message and caught.value.remedy


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        open_wording(own=tmp_path / "none.toml")


def test_own_texts_take_the_place_of_single_ones(tmp_path: Path) -> None:
    path = tmp_path / "texts.toml"
    path.write_text(
        '[de]\n"talk.greeting" = "Moin."\n\n[de.high_stakes]\noffer = "Zwei Monate gratis?"\n\n'
        '[en.silent.person]\nwarm = "A colleague is on it."\n\n[en.handover.reopened]\none = "Back once."\n',
        encoding="utf-8",
    )
    warm = open_wording(own=path, tone="warm")
    assert warm.voice("de").say("talk.greeting") == "Moin."
    assert warm.voice("de").say("high_stakes.offer", offer="Two months free?") == "Zwei Monate gratis?"
    assert warm.voice("en").say("silent.person") == "A colleague is on it."
    assert warm.voice("en").say("handover.reopened", times=1) == "Back once."
    assert "4 times" in warm.voice("en").say("handover.reopened", times=4)
    plainly = open_wording(own=path).voice("en")
    assert plainly.say("silent.person") == shipped().voice("en").say("silent.person")
    assert plainly.say("talk.greeting") == "Hello."


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("Wie rotiere ich die Logs?", "de"),
        ("Danke!", "de"),
        ("Hallo, ich bekomme diesen Fehler:\nERROR the file is not found in the path", "de"),
        ("ERROR: could not find the file in this path\nWas bedeutet das?", "de"),
        ("Ich will kündigen!", "de"),
        ("Comment puis-je faire tourner les logs ?", "fr"),
        ("Pourquoi cette erreur ?", "fr"),
        ("¿Qué significa este error?", "es"),
        ("hola", "es"),
        ("エラー LK1234 が出ます", "ja"),
        ("Come posso ruotare i log?", "it"),
        ("What does LK1234 mean and how do I fix it?", "en"),
        ("I want a refund now", "en"),
        ("E11000 duplicate key error", ""),
        ("4.2", ""),
        ("ok", ""),
        ("kubectl get pods", ""),
        ("SELECT name FROM users WHERE id IN (1)", ""),
        ("WIE KANN ICH DAS KONTO LÖSCHEN", "de"),
        ("", ""),
    ],
)
def test_which_language_a_customer_writes(message: str, language: str) -> None:
    assert spoken(message) == language


def test_placeholders_are_named_ones_only() -> None:
    for language in LANGUAGES:
        for forms in TEXTS[language].values():
            for text in forms.values():
                assert all(name is None or name.isidentifier() for _, name, _, _ in Formatter().parse(text))
