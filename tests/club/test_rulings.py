"""Rulings of the moderator: on protests (until when, who is asked, what a ruling leads to), and on words, where a
ruling is a row first and a line of the house list after the commit; nothing that happens in between loses it. Of a
ruling that holds in one match its players are told, but nothing that gives away a rack."""

import errno
import re
import sqlite3
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sqlmodel import select

from moderator import games
from moderator.commands.moderator import rulings
from moderator.common.mails import Line
from moderator.rules import replay
from moderator.service.word_rulings import parse_protest_ruling
from moderator.store import due_work
from moderator.store.tables import MatchRow, Protest
from moderator.views.match_cache import load_unwritten_rulings
from moderator.words import house_rulings
from tests.cli.running import type_command
from tests.club.club import Club, copied, taken_once, text
from tests.club.steps import (
    NAMES,
    answer_word,
    ask,
    asked,
    begin,
    code_of,
    dealt,
    led,
    make_referee_club,
    play,
    run,
    run_well,
)
from tests.club.test_trouble import ask_club


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match in which Anna has moved."""
    code = begin(club, *NAMES, game="topwords")
    play(club, code, 0)
    club.skip_mails()
    return code


def row(club: Club) -> Protest:
    with club.work() as work:
        return work.session.exec(select(Protest)).one()


def answer(club: Club, body: str, token: str = "") -> None:
    club.say("boss@club.example", body, to=f"games+PROT-{token or row(club).token}@club.example")


def test_protest_and_ruling_stand_in_the_log_and_change_nothing_in_the_match_and_a_ruling_stands(
    club: Club, code: str
) -> None:
    before = club.live(code).table.state
    ask(club, code, 1, "protest: that is no word")
    answer(club, "denied", "0000000000")
    assert row(club).answered_at is None, "a wrong token rules on nothing"
    answer(club, "upheld: right")
    entries = club.log(code)
    said = [(entry.kind, entry.seat, entry.text) for entry in entries[1:]]
    assert said == [("protest", 1, "that is no word"), ("ruling", 1, "upheld: right")]
    assert len(replay.drop_undone(entries)) == 3
    assert club.live(code).table.state == before
    club.skip_mails()
    answer(club, "ABGELEHNT")
    (mail,) = club.mails()
    assert "schon entschieden" in text(mail)
    assert row(club).upheld


def test_a_protest_counts_until_the_next_zat(club: Club, code: str) -> None:
    club.wait(days=7, hours=9)
    told = ask(club, code, 0, "Einspruch: zu spät")
    assert "bis Freitag, 27. November" in told
    assert "Richtig wäre" not in told, "no other words would come in time"
    assert not club.stored(Protest)


def test_after_the_end_for_as_long_as_a_turn_takes(club: Club, code: str) -> None:
    ask(club, code, 1, f"resign {code} YES")
    ask(club, code, 2, f"aufgeben {code} JA")
    club.wait(days=6)
    told = ask(club, code, 0, "Einspruch: Abrechnung")
    assert "Der Spielleiter weiß es" in told
    assert "Die Partie ist zu Ende" in told
    assert "geht die Partie weiter" not in told
    answer(club, "DENIED")
    club.skip_mails()
    club.wait(days=2)
    assert "Gegen den letzten Bericht konntest du dich bis" in ask(club, code, 0, "Einspruch: noch einmal")
    assert len(club.stored(Protest)) == 1


def test_a_protest_upheld_after_the_end_names_a_command_that_plays_it_again(club: Club, code: str) -> None:
    ask(club, code, 1, f"resign {code} YES")
    ask(club, code, 2, f"aufgeben {code} JA")
    ask(club, code, 0, "Einspruch: Abrechnung")
    club.skip_mails()
    answer(club, "STATTGEGEBEN")
    mails = [text(mail) for mail in club.mails()]
    (command,) = {command for mail in mails for command in re.findall(r"[»“]moderator (match [^»«“”]*)[«”]", mail)}
    assert all("Ergebnis" in mail or "result stands" in mail for mail in mails)
    type_command(club, *command.split())
    assert club.row(code).status == "running"


@pytest.mark.parametrize(
    ("lines", "ruling"),
    [
        (["STATTGEGEBEN"], (True, "")),
        (["stattgegeben: HAUS liegt frei."], (True, "HAUS liegt frei.")),
        (["Ich gebe statt."], (True, "")),
        (["Einspruch 12: abgelehnt, weil es im Duden steht"], (False, "weil es im Duden steht")),
        (["Der Einspruch wird zurückgewiesen"], (False, "")),
        (["Hallo,", "UPHELD", "the word is wrong"], (True, "the word is wrong")),
        (["denied - no such rule"], (False, "no such rule")),
        (["Mal sehen"], None),
        (["Neinsager gibt es immer"], None),
    ],
)
def test_an_answer_upholds_denies_or_is_none(lines: list[str], ruling: tuple[bool, str] | None) -> None:
    assert parse_protest_ruling([Line(n, line) for n, line in enumerate(lines, 1)]) == ruling


def test_the_command_line_lists_protests_and_rules_on_them(club: Club, code: str) -> None:
    ask(club, code, 1, "protest: that is no word")

    assert "Bert    that is no word" in run_well(club, "match", "protests")
    run_well(club, "match", "rule-protest", "1", "uphold", "--reason", "Stimmt.")
    club.tick()
    assert len([mail for mail in club.mails() if "Stimmt." in text(mail)]) == 3
    assert run_well(club, "match", "protests", "--json") == ""
    assert "upheld: Stimmt." in run_well(club, "match", "protests", "--all")
    for ruled_or_unknown in ("1", "9"):
        assert run(club, "match", "rule-protest", ruled_or_unknown, "deny").exit_code != 0


@pytest.fixture
@taken_once
def word(club: Club) -> str:
    """One that the club was asked about; its moderator's answer, that it counts, lies in the mailbox."""
    code, word = ask_club(club)
    club.hand_in("Anna", code, 0, f"E5 w {word}")
    (question,) = club.mails("boss")
    club.write("boss@club.example", f"{word} erlaubt", to=str(question["Reply-To"]))
    return word


def lists(club: Club) -> tuple[list[str], list[str]]:
    """The words in the house list, and those that wait to be written there."""
    written = [
        ruling.word for ruling in house_rulings.read_house_list(club.config.resolve_path(club.config.words.house))
    ]
    with club.work() as work:
        return written, [ruling.word for ruling in load_unwritten_rulings(work.session)]


def is_full(*_more: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.sqlite
def test_a_ruling_is_listed_only_after_the_commit(club: Club, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    append, seen = house_rulings.append_ruling, []

    def committed(path: Any, ruling: Any) -> bool:
        with sqlite3.connect(f"file:{club.config.database}?mode=ro", uri=True) as reader:
            seen.append(reader.execute("SELECT count(*) FROM question WHERE ruling = 'allow'").fetchone()[0])
        return append(path, ruling)

    monkeypatch.setattr(house_rulings, "append_ruling", committed)
    club.tick()
    assert seen == [1]
    assert lists(club) == ([word], [])


@pytest.mark.sqlite
def test_after_a_crash_the_next_run_writes_the_list(club: Club, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(house_rulings, "append_ruling", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            club.tick()
    assert lists(club) == ([], [word])
    assert due_work.check_idle(club.config.database, club.now, club.config.guard.settling_time, club.now).due
    assert club.tick().troubles == []
    assert lists(club) == ([word], [])


@pytest.mark.sqlite
def test_a_full_disk_is_told_and_the_ruling_counts(club: Club, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = club.config.resolve_path(club.config.words.house)
    with monkeypatch.context() as patch:
        patch.setattr(house_rulings, "_append_line", is_full)
        for _ in range(2):
            summary = club.tick()
            assert any(str(place) in line for line in summary.troubles), summary
            assert summary.quarantined == []
        with club.work() as work:
            options = games.load_game("topwords").options()
            assert work.cache.get_dictionary(options).judge(word).ruling == "accept"
            assert not any(match.held for match in work.session.exec(select(MatchRow)))
    assert lists(club) == ([], [word])
    assert club.tick().troubles == []
    assert lists(club) == ([word], [])


@pytest.mark.sqlite
def test_rulings_are_written_in_the_order_in_which_they_were_made(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(house_rulings, "_append_line", is_full)
        for word, ruling in (("QUARK", "allow"), ("ZIRKUS", "deny"), ("QUARK", "deny")):
            with club.work() as work:
                rulings.rule_on_word_by_staff(work, word, ruling)
    assert lists(club) == ([], ["QUARK", "ZIRKUS", "QUARK"])
    run_well(club, "words", "rule", "ZIRKUS", "allow")
    found = house_rulings.read_house_list(club.config.resolve_path(club.config.words.house))
    assert [(one.word, one.ruling) for one in found] == [
        ("QUARK", "allow"), ("ZIRKUS", "deny"), ("QUARK", "deny"), ("ZIRKUS", "allow"),
    ]  # fmt: skip


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
