"""Two statements of one mail that cannot both be so are found: false sentences that strangers have read, put back."""

from pathlib import Path

import pytest

from tests.outside.line import Letter
from tests.outside.statements import (
    BETWEEN,
    compare,
    count_contradictions,
    find_contradictions,
    read_statements,
    to_letter,
)

GOLDEN = Path(__file__).parent.parent / "golden"
ABOUT = {
    "de": (": Topwords „Arratia“", ", Runde 2"),
    "en": (": Topwords “Arratia”", ", round 2"),
    "fr": (" : Topwords « Arratia »", ", manche 2"),
}
CASES = Path(__file__).parent / "false_sentences.txt"


def _cases() -> list[tuple[str, str, str]]:
    """The kinds, the language, and what is said in it."""
    found, kinds = [], ""
    for line in CASES.read_text(encoding="utf-8").splitlines():
        language, _, rest = line.partition(" ")
        if language in ABOUT:
            found.append((kinds, language, rest))
        kinds = kinds if language in ABOUT else line
    return found


def make_letter(language: str, news: str, *says: str) -> Letter:
    title, number = ABOUT[language]
    text = " ".join(one.strip(" ") for one in says if one.strip()).replace("$", "\n")
    return to_letter(f"To: bert@home.example\nSubject: {news}{title}{number} [K7Q2-ABC]\n\n{news}{title}. {text}\n")


@pytest.mark.parametrize(("kinds", "language", "said"), _cases())
def test_a_false_sentence_is_found(kinds: str, language: str, said: str) -> None:
    news, true, false = (part.strip(" ") for part in said.split("|"))
    assert not find_contradictions(make_letter(language, news, true))
    found = find_contradictions(make_letter(language, news, true, false))
    assert found, read_statements(make_letter(language, news, true, false))
    assert kinds.endswith(found[0].kinds)


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_real_mails_are_read(language: str) -> None:
    """They say what they state in these sentences today."""
    kinds = {"turn": {"wanted", "deadline"}, "dominos-end": {"lost"}}
    for name, known in (kinds | {"cup-report-swiss": {"place"}, "recht-refused": {"wanted", "deadline"}}).items():
        head, _, body = (GOLDEN / language / f"{name}.txt").read_text(encoding="utf-8").partition("\n\n")
        letter = to_letter(f"To: joerg@home.example\n{head.splitlines()[0]}\n\n{body}")
        assert known <= {one.kind for one in read_statements(letter)}, name


def test_a_pairing_and_its_match_agree_on_who_begins() -> None:
    pairing = make_letter("de", "Es geht los", "$- Gegen Holger, du fängst an (K7Q2)")
    match = make_letter("de", "Die Partie beginnt", "$- Holger: Eröffnet mit 3ǀ3.")
    assert not find_contradictions(pairing)
    (found,) = compare([*read_statements(pairing), *read_statements(match)])
    assert found.kinds == "starts"


def test_what_players_write_states_nothing() -> None:
    assert not find_contradictions(make_letter("de", "Die Partie ist zu Ende", "$¦ Bis dahin läuft die Partie weiter."))


def test_a_folder_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true, false = (make_letter("en", "The match is over", more) for more in ("", "Until then the match goes on."))
    texts = (f"To: {one.reader}\nSubject: {one.subject} [K7Q2-ABC]\n\n{one.body}\n{BETWEEN}\n" for one in (true, false))
    (tmp_path / "test.txt").write_text("".join(texts), encoding="utf-8")
    assert count_contradictions(tmp_path) == {"over / runs": 1}
    assert "2 mails, 5 statements, 1 contradictions" in capsys.readouterr().out
