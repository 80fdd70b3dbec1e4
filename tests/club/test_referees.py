"""Several referees: what goes to whom, who is named, and that who plays in a match learns nothing of it as its
referee."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.club import referees as charge
from moderator.club import tokens
from moderator.club.referees import chief, in_charge
from moderator.commands.declaration import Reach
from moderator.play.create import find_match
from moderator.play.lifecycle import suspend
from moderator.states import MatchStatus
from moderator.store.models import Match, Matter, Protest, Referee
from moderator.words.house import read as read_house
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.referee_club import (
    CHIEF,
    COMMANDS,
    answer_word,
    asked,
    away,
    command,
    dealt,
    every_line,
    led,
    make_referee_club,
    protest_in,
    question,
    token,
    typed,
)
from tests.club.test_boss import rows


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_referee_club(tmp_path / "club")


# ---- by mail ----


def test_a_referee_commands_in_the_own_language_and_the_audit_names_them(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Lea")
    deadline = club.row(code).deadline
    answer = command(club, "Lea", f"Extend {code} 3: holidays")
    assert "has 3 days more" in answer
    assert club.row(code).deadline == deadline + timedelta(days=3)
    (deed,) = [
        one
        for one in map(json.loads, typed(club, "audit", "--since", "2026-01-01", "--json").output.splitlines())
        if one["what"].startswith("extend")
    ]
    assert (deed["who"], deed["about"]) == ("referee Lea", code)
    entries = list(map(json.loads, typed(club, "match", "log", code, "--json").output.splitlines()))
    assert [one["by"] for one in entries if one["what"].startswith("clock")] == ["referee Lea"]
    assert "(by referee Lea)" in typed(club, "match", "log", code).output


def test_the_chief_is_named_as_the_moderator_and_the_machine_by_its_user(club: Club) -> None:
    code = dealt(club)
    with club.desk() as desk:
        key = charge.token_of(desk, chief(desk))
    club.write(CHIEF, f"Verlängern {code} 3", to=f"games+BOSS-{key}@club.example")
    club.tick()
    typed(club, "match", "extend", code, "2")
    entries = list(map(json.loads, typed(club, "match", "log", code, "--json").output.splitlines()))
    by = [one["by"] for one in entries if one["what"].startswith("clock")]
    assert by[0] == "moderator"
    assert by[1].startswith("cli ")


def test_the_address_alone_is_not_enough(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Karl")
    before = rows(club)[-1]
    club.write("karl@ref.example", f"Verlängern {code} 3")
    club.tick()
    (answer,) = club.mails("karl")
    assert "das Kennwort" in text(answer)
    assert f"BOSS-{token(club, 'Karl')}" in str(answer["Reply-To"])
    assert "Spielleiter" not in text(answer)
    assert rows(club)[-1] == before


def test_a_new_token_and_a_removed_referee_open_nothing_any_more(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Karl")
    old = token(club, "Karl")
    typed(club, "referee", "set", "Karl", "--renew")
    before = rows(club)[-1]
    club.tick()
    (told,) = club.mails("karl")
    assert token(club, "Karl") in str(told["Reply-To"])
    club.write("karl@ref.example", f"Verlängern {code} 3", to=f"games+BOSS-{old}@club.example")
    club.tick()
    key = token(club, "Karl")
    assert f"({code})" not in typed(club, "referee", "remove", "Karl").output
    club.write("karl@ref.example", f"Verlängern {code} 3", to=f"games+BOSS-{key}@club.example")
    club.tick()
    after = rows(club)[-1]
    assert [{**row, "referee_id": None} for row in before] == after  # type: ignore[union-attr,attr-defined]
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).chief


def test_help_names_what_a_referee_may_command(club: Club) -> None:
    answer = command(club, "Karl", "Hilfe")
    for one in COMMANDS:
        text_of = " ".join(one.text("de").help.split())
        assert (text_of in answer) == (one.reach is not Reach.CLUB), one.name


def test_leave_by_mail(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Karl", "--deputy", "Lea")
    answer = command(club, "Karl", "Urlaub 24.12. bis 2.1.")
    assert "von Donnerstag, 24. Dezember bis Samstag, 2. Januar 2027" in answer
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).name == "Karl"
    club.wait(days=40)
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).name == "Lea"
    command(club, "Karl", "Urlaub löschen")
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).name == "Karl"


# ---- tournaments ----


def test_the_matches_of_a_tournament_have_its_referee(club: Club) -> None:
    code = dealt(club)
    typed(club, "cup", "new", "Herbst", "--game", "topwords", "--format", "robin")
    with club.desk() as desk:
        match = find_match(desk.session, code)
        match.tournament_id = 1
        desk.session.add(match)
    typed(club, "cup", "referee", "T1", "Karl", "--deputy", "Lea")
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).name == "Karl"
    typed(club, "match", "referee", code, "Lea")
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).name == "Lea"
    assert "referee chief" in typed(club, "cup", "referee", "T1", "chief").output


# ---- what goes to whom ----


def test_a_word_is_asked_of_the_referee_who_rules_for_that_match(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    asked(club, code)
    (mail,) = club.mails("karl")
    assert club.mails("boss") == []
    assert "leitest" in text(mail)
    answer_word(club, mail, "karl@ref.example")
    assert question(club).ruling == "allow"
    (ruling,) = read_house(club.config.path(club.config.words.house))
    assert ruling.scope == code
    assert f"in der Partie {code} jetzt erlaubt" in " ".join(text(club.mail("karl")).split())


def test_after_a_hand_over_the_new_one_is_asked_and_the_old_ones_answer_counts_no_more(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    asked(club, code)
    (old,) = club.mails("karl")
    typed(club, "match", "referee", code, "Lea")
    club.tick()
    told, new = club.mails("lea")
    assert "You are the referee of match" in text(told)
    answer_word(club, old, "karl@ref.example")
    assert question(club).ruling == ""
    assert "leitet gerade Lea" in " ".join(text(club.mails("karl")[-1]).split())
    answer_word(club, new, "lea@ref.example", "INVALID")
    assert question(club).ruling == "deny"


@pytest.mark.slow
def test_what_waits_for_three_days_goes_to_the_chief_once_and_the_referee_knows(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    asked(club, code)
    club.mails()
    seen: list[tuple[int, str]] = []
    for day in range(1, 9):
        club.wait(days=1)
        club.tick()
        for mail in club.mails("boss"):
            if "Karl" in text(mail) and "ERLAUBT" in text(mail):
                assert "seit 3 Tagen nicht geantwortet" in " ".join(text(mail).split())
                seen.append((day, "chief"))
                to_chief = mail
        for mail in club.mails("karl"):
            if "Jetzt weiß auch der Spielleiter" in " ".join(text(mail).split()):
                seen.append((day, "karl"))
    assert seen == [(3, "chief"), (3, "karl")]
    answer_word(club, to_chief, CHIEF)
    assert question(club).ruling == "allow"


def test_leave_that_begins_brings_what_waits_to_the_deputy(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl", "--deputy", "Lea")
    away(club, "Karl", 1, 9)
    word = asked(club, code)
    assert len(club.mails("karl")) == 1
    club.wait(days=1)
    club.tick()
    found = [mail for mail in club.mails("lea") if "ALLOWED" in text(mail)]
    assert len(found) == 1
    assert word.partition(" ")[0]


def test_protests_letters_and_faults_go_to_the_one_in_charge(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Karl")
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.order("Bert", code, 1, "protest: that is no word")
    club.tick()
    (protest,) = club.mails("karl")
    club.order("Bert", code, 1, "Presse an die Leitung: wie lange noch?")
    club.tick()
    (letter,) = club.mails("karl")
    assert "wie lange noch?" in text(letter)
    assert "an die Leitung" in " ".join(text(letter).split()) or "die Leitung" in text(letter)
    club.write("karl@ref.example", "ABGELEHNT: es ist eins", to=str(protest["Reply-To"]))
    club.tick()
    with club.desk() as desk:
        row = desk.session.exec(select(Protest)).one()
        assert (row.upheld, row.answer) == (False, "es ist eins")
    club.mails()
    with club.desk() as desk:
        suspend(desk, find_match(desk.session, code).number, "its log does not replay")
    club.tick()
    (fault,) = club.mails("karl")
    assert f"»Weiter {code}«" in " ".join(text(fault).split())
    assert club.mails("boss") == []
    assert "läuft wieder" in command(club, "Karl", f"Weiter {code}")
    assert club.row(code).status == MatchStatus.RUNNING
    with club.desk() as desk:
        assert [row for row in desk.session.exec(select(Matter)) if row.kind == "suspended"] == []


def test_the_first_mail_says_who_referees(club: Club) -> None:
    typed(club, "match", "new", "topwords", "Anna", "Bert", "--name", "Arratia")
    with club.desk() as desk:
        code = desk.session.exec(select(Match.code)).one()
    typed(club, "match", "referee", code, "Karl")
    typed(club, "match", "start", code)
    club.tick()
    for name in ("Anna", "Bert"):
        (mail,) = club.mails(f"{name.lower()}@")
        assert " ".join(text(mail).split()).count("Die Leitung dieser Partie hat Karl") == 1


def test_today_shows_each_what_is_theirs_and_the_chief_all(club: Club) -> None:
    code, other = dealt(club, unknown_words="ask"), dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    word = {one: asked(club, one) for one in (code, other)}
    assert len(word) == 2
    club.mails()
    answer = command(club, "Karl", "Heute")
    assert code in answer
    assert other not in answer
    assert re.search(rf"Wort \w+ in {code} erlaubt", answer)
    with club.desk() as desk:
        key = charge.token_of(desk, chief(desk))
    club.write(CHIEF, "Heute", to=f"games+BOSS-{key}@club.example")
    club.tick()
    whole = " ".join(text(club.mail("boss")).split())
    assert code in whole
    assert other in whole
    assert "Die Leitung hat Karl." in whole
    found = [json.loads(line) for line in typed(club, "today", "--json").output.splitlines()]
    assert {(one.get("match"), one.get("referee")) for one in found} >= {(code, "Karl"), (other, None)}


# ---- who plays knows nothing ----


def world(folder: Path, seed: int) -> list[str]:
    """All that Karl reads as the referee of a match in which he sits at the second place."""
    club = make_club(folder, 'subaddress = "+"')
    club.players("Anna", "Karl")
    plain_boards(club)
    typed(club, "referee", "add", "Karl", "k@ref.example")
    code = club.match("Anna", "Karl", game="dominos", seed=lambda match: seed.to_bytes(32, "big"))
    club.tick()
    with club.desk() as desk:
        row = desk.session.exec(select(Match)).one()
        row.referee_id = desk.session.exec(select(Referee)).one().number
        desk.session.add(row)
    club.tick()
    club.mails()
    protest = protest_in(club, code)
    key = token(club, "Karl")
    club.write("k@ref.example", every_line(code, protest), to=f"games+BOSS-{key}@club.example")
    club.write("k@ref.example", "Heute\nWer fehlt\nHilfe", to=f"games+BOSS-{key}@club.example")
    club.tick()
    club.wait(days=30)
    club.tick()
    return [text(mail).replace(key, "…") for mail in club.mails("k@ref")]


def test_what_a_referee_who_plays_is_answered_depends_on_no_tile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    for seed in (1, 2, 3):
        monkeypatch.setattr(tokens, "new_code", lambda long=False: "K7Q2")
        told.append(world(tmp_path / str(seed), seed))
    assert len(told[0]) >= 2
    assert told[0] == told[1] == told[2]


# ---- the command line ----


def test_referees_on_the_command_line(club: Club) -> None:
    code = dealt(club, "Anna", "Bert")
    typed(club, "match", "referee", code, "Karl", "--deputy", "lea")
    listed = [json.loads(line) for line in typed(club, "referee", "list", "--json").output.splitlines()]
    assert [(one["name"], one["address"], one["language"], one["matches"]) for one in listed] == [
        ("Karl", "karl@ref.example", "de", [code]),
        ("Lea", "lea@ref.example", "en", [code]),
    ]
    assert "The referee of match" in typed(club, "match", "referee", code).output
    typed(club, "referee", "set", "Karl", "--address", "karl@elsewhere.example", "--name", "Karla")
    with club.desk() as desk:
        assert in_charge(desk, find_match(desk.session, code)).address == "karl@elsewhere.example"
    typed(club, "referee", "add", "Karla", "x@ref.example", fails=True)
    typed(club, "referee", "add", "Max", "lea@ref.example", fails=True)
    typed(club, "referee", "add", "Max", CHIEF, fails=True)
    typed(club, "referee", "remove", "Otto", fails=True)
    typed(club, "referee", "add", "Bert", "bert@home.example")
    assert "cannot be in charge" in str(typed(club, "match", "referee", code, "Bert", fails=True).exception)
    assert "is no referee any more" in typed(club, "referee", "remove", "Karla").output


def test_no_mail_to_a_referee_calls_them_moderator_or_names_the_command_line(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    club.mails()
    typed(club, "match", "referee", code, "Karl")
    asked(club, code)
    command_line = re.compile(r"moderator (match|words|quarantine|player|cup|doctor|today|referee)")
    club.wait(days=4)
    club.tick()
    told = [" ".join(text(mail).split()) for mail in club.mails("karl")]
    told.append(command(club, "Karl", f"Heute\nStand {code}\nWer fehlt\nUnsinn"))
    assert len(told) > 2
    for one in told:
        assert not command_line.search(one), one
        assert "als Spielleiter" not in one
        assert "weil du bei Testrunde Partien leitest" in one
