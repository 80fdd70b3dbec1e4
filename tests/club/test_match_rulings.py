"""Rulings on words that hold in one match alone: its players are told, and read them among what was agreed; but nothing
that gives away a rack."""

import re
from pathlib import Path

import pytest

from tests.club.club import Club, copied, text
from tests.club.steps import answer_word, asked, begin, code_of, dealt, led, make_referee_club, run, run_well

WORD = "HUASA"
COUNTS, COUNTS_NOT = f"Das Wort {WORD} zählt", f"Das Wort {WORD} zählt nicht"


def told(club: Club, *names: str) -> list[str]:
    """What each of them reads now, all its mails in one line."""
    club.tick()
    return [" ".join(" ".join(map(text, club.mails(name))).split()) for name in names]


def rule(club: Club, code: str, *more: str) -> None:
    run_well(club, "words", "rule", WORD, *more, "--scope", code)


def test_its_players_are_told_and_find_it_in_the_rules_of_their_match(club: Club) -> None:
    code, other = begin(club, game="topwords"), begin(club, game="topwords")
    club.skip_mails()
    rule(club, code, "allow", "--reason", "Atlas")
    anna, bert = told(club, "anna", "bert")
    assert f"In dieser Partie zählt das Wort {WORD}. Seine Begründung: Atlas" in anna
    assert f"in this match the word {WORD} counts. The reason: Atlas" in bert
    for command in ("REGELN", "STAND"):
        for match, stands in ((code, True), (other, False)):
            club.hand_in("Anna", match, 0, command)
            assert (f"{COUNTS}: Atlas" in text(club.mail("anna"))) == stands
    assert f"The word {WORD} counts: Atlas" in run_well(club, "match", "show", code)
    with club.at(code) as (work, match):
        live = work.cache.load_match(work.session, match)
        assert work.cache.build_context(live).words.judge(WORD).ruling == "accept"

    rule(club, code, "deny")
    anna, bert = told(club, "anna", "bert")
    assert f"zählt das Wort {WORD} nicht." in anna
    assert f"the word {WORD} does not count." in bert
    club.hand_in("Anna", code, 0, "REGELN")
    assert COUNTS_NOT in text(club.mail("anna"))
    rule(club, code, "withdraw")
    anna, bert = told(club, "anna", "bert")
    assert "gilt nicht mehr" in anna
    assert "no longer holds" in bert
    club.hand_in("Anna", code, 0, "REGELN")
    assert WORD not in text(club.mail("anna"))


def test_of_a_later_ruling_for_all_only_what_holds_is_said(club: Club) -> None:
    code = begin(club, game="topwords")
    rule(club, code, "allow")
    run_well(club, "words", "rule", WORD, "deny")
    told(club, "anna")
    club.hand_in("Anna", code, 0, "REGELN")
    assert WORD not in text(club.mail("anna"))


def test_a_match_that_has_not_begun_tells_it_in_its_opening_mail(club: Club) -> None:
    club.players("Dora")
    made = run_well(club, "match", "add", "topwords", "Anna", "Dora", "--name", "Neu")
    code = re.findall(r"\b[A-Z0-9]{4}\b", made)[0]
    rule(club, code, "allow")
    assert told(club, "dora") == [""]
    run_well(club, "match", "start", code)
    assert all(COUNTS in mail for mail in told(club, "anna", "dora"))


def test_there_must_be_such_a_match(club: Club) -> None:
    refused = run(club, "words", "rule", WORD, "allow", "--scope", "Q9Q9")
    assert "There is no match 'Q9Q9'" in str(refused.exception)
    assert not club.config.resolve_path(club.config.words.house).exists()


@pytest.fixture(scope="module")
def led_by_karl(tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = make_referee_club(tmp_path_factory.mktemp("karls") / "club", kept=True)
    dealt(club)
    led(club, code_of(club), "Karl")
    return club


@pytest.mark.parametrize(("answer", "lies"), [("ERLAUBT", True), ("UNGÜLTIG", False)])
def test_a_word_that_somebody_asked_for_is_told_when_it_lies(
    led_by_karl: Club, tmp_path: Path, answer: str, lies: bool
) -> None:
    club = copied(led_by_karl, tmp_path / "club")
    code = code_of(club)
    word = asked(club, code)
    (mail,) = club.mails("karl")
    answer_word(club, mail, "karl@ref.example", answer)
    (others,) = told(club, "bert")
    assert (word in others) == lies
    club.hand_in("Bert", code, 1, "REGELN")
    assert (word in text(club.mail("bert"))) == lies
