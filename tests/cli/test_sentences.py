"""What the command line says is said in German, too, where it has a file of it; the rest stays English."""

import ast
import re
from pathlib import Path

import pytest

from moderator.cli.texts import HOLE, load_translations, translate_text
from moderator.cli.texts import SPOKEN as SPOKEN_LANGUAGE
from moderator.common.disk import LANGUAGES
from moderator.common.text import count_noun
from tests.cli.running import commands, refuse_command, run_command
from tests.cli.sentences import MODERATOR, format_template, get_called_name, list_sentences
from tests.club.club import Club, club_of

SPOKEN = [language for language in LANGUAGES if load_translations(language)]
"""But English."""


@pytest.fixture(scope="module")
def code() -> list[ast.AST]:
    return [
        node
        for file in sorted(MODERATOR.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("language", SPOKEN)
def test_each_sentence_is_said_in_the_language_and_none_that_nobody_says(language: str, code: list[ast.AST]) -> None:
    """``python -m tests.cli.sentences`` names what is missing."""
    known, said = load_translations(language), list_sentences()
    words = {format_template(node).strip() for node in code if isinstance(node, ast.Constant | ast.JoinedStr)}
    assert sorted(said - known.keys()) == []
    assert sorted(known.keys() - said - words) == [], "said by nobody any more"
    holes = re.compile(r"\{[^{}]*\}|%\(\w+\)s")
    unlike = [(english, told) for english, told in known.items() if {*holes.findall(english)} ^ {*holes.findall(told)}]
    assert unlike == []


@pytest.mark.parametrize("language", SPOKEN)
def test_each_sentence_with_values_is_said_with_them(language: str) -> None:
    """Also where a value stands in it twice."""

    def fill(text: str) -> str:
        return HOLE.sub(lambda hole: "12" if hole[1] == "number" else "K7Q2", text)

    before = SPOKEN_LANGUAGE.set(language)
    try:
        said = {fill(told): translate_text(fill(english)) for english, told in load_translations(language).items()}
    finally:
        SPOKEN_LANGUAGE.reset(before)
    assert {told: line for told, line in said.items() if told != line and "\n" not in told} == {}


@pytest.mark.slow
def test_what_is_counted_is_never_one_of_several(code: list[ast.AST]) -> None:
    """``1 mails``: a noun that is counted anywhere stands behind no number but that of ``count_noun``."""
    calls = [one for one in code if isinstance(one, ast.Call) and get_called_name(one) == "count_noun"]
    nouns = {str(one.args[1].value).split()[-1] for one in calls if isinstance(one.args[1], ast.Constant)}
    several = {count_noun(2, noun).split()[-1] for noun in nouns}
    assert several > {"mails", "matches", "entries", "games"}
    counted = re.compile(rf"(?<!number)\}} (?:{'|'.join(sorted(several))})\b(?! (?:are called|in the mailbox|no ))")
    texts = {format_template(node) for node in code if isinstance(node, ast.JoinedStr)} & list_sentences()
    assert sorted(text for text in texts if counted.search(text)) == []


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Club:
    monkeypatch.setenv("LANGUAGE", "C")
    return club_of(tmp_path / "club two", "Anna", "Bert")


@pytest.mark.slow
def test_no_help_of_a_german_club_has_an_english_sentence(german: Club) -> None:
    told = load_translations("de")
    english = [one for one in told if one.count(" ") > 1 and not HOLE.search(one) and one not in told.values()]
    for words, _ in [((), None), *commands()]:
        shown = " ".join(run_command(german, *words, "--help").output.split())
        assert [one for one in english if one in shown] == [], words


def test_a_german_club_is_refused_in_german(german: Club) -> None:
    for words, said in (
        ("match show Zzz", "Die Partie 'Zzz' gibt es nicht."),
        ("match shw", "Den Befehl 'shw' gibt es nicht. Meintest du 'show'?"),
        ("match extend", "Fehler: Es fehlt das Argument 'CODE'."),
        ("match add dominos Anna Brt", "Den Spieler 'Brt' gibt es nicht. Meintest du 'Bert'?"),
        ("quarantine drop x", "'x' nennt keine Mails; schreib 17 oder 33-40."),
    ):
        assert said in refuse_command(german, *words.split())
    assert "Zustände: quarantine" in run_command(german, "quarantine", "list", "--help").output
