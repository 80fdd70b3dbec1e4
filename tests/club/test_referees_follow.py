"""Several referees, as time passes and names change: nobody in charge is left unasked, asked twice or told what is
not so, and who plays stays out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.club.live_match import LiveMatch, Suspended
from moderator.club.referees import in_charge, may, official, plays
from moderator.club.run_cache import RunCache
from moderator.play.create import find_match, find_player
from moderator.play.lifecycle import suspend
from moderator.play.refereeing import referee_called
from moderator.states import MatchStatus
from moderator.store import key_values
from moderator.store.db import Session
from moderator.store.models import Match, Matter
from moderator.store.referees import every
from moderator.words.house import read as read_house
from tests.club.club import Club, text
from tests.club.referee_club import (
    CHIEF,
    answer_word,
    asked,
    away,
    command,
    dealt,
    led,
    make_referee_club,
    protest_in,
    question,
    typed,
)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_referee_club(tmp_path / "club")


def told(club: Club, name: str) -> list[str]:
    """What somebody was mailed, each in one line."""
    return [" ".join(text(mail).split()) for mail in club.mails(name)]


# ---- what waits ----


def a_word(club: Club, code: str) -> str:
    asked(club, code)
    return "ERLAUBT"


def a_protest(club: Club, code: str) -> str:
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.order("Bert", code, 1, "protest: that is no word")
    club.tick()
    return "ABGELEHNT"


def a_fault(club: Club, code: str) -> str:
    with club.desk() as desk:
        suspend(desk, find_match(desk.session, code).number, "its log does not replay")
    club.tick()
    return "its log does not replay"


@pytest.mark.parametrize("waits", [a_word, a_protest, a_fault], ids=lambda one: one.__name__)
def test_what_waited_for_a_referee_who_is_removed_is_put_to_the_chief(
    club: Club, waits: Callable[[Club, str], str]
) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    says = waits(club, code)
    assert any(says in one for one in told(club, "karl"))
    assert told(club, "boss") == []
    typed(club, "referee", "remove", "Karl")
    club.tick()
    assert [one for one in told(club, "boss") if says in one and code in one]
    club.wait(days=1)
    club.tick()
    assert not any("Karl" in one for one in told(club, "boss"))


# ---- who plays ----


def plays_by_address(club: Club) -> str:
    """Karl has a seat under another name."""
    typed(club, "player", "add", "Zoe", "karl@ref.example")
    return "Zoe"


def plays_by_name(club: Club) -> str:
    """With another address."""
    typed(club, "player", "add", "Karl", "k@home.example")
    return "Karl"


def moves_by_mail(club: Club, player: str) -> None:
    with club.desk() as desk:
        old = find_player(desk.session, player).address
    assert old is not None
    vouched = f"mx.club.example; dmarc=pass header.from={old.rpartition('@')[2]}"
    club.write(old, "Adresse new@else.example", Authentication_Results=vouched)
    club.tick()
    for mail in [*club.mails(old), *club.mails("new@else")]:
        if "games+ADDR" in str(mail["Reply-To"]):
            club.write(old, "JA", to=str(mail["Reply-To"]))
    club.tick()
    with club.desk() as desk:
        assert find_player(desk.session, player).address == "new@else.example"


def player_set_address(club: Club, player: str) -> None:
    typed(club, "player", "set", player, "--address", "new@else.example")


def player_set_name(club: Club, player: str) -> None:
    typed(club, "player", "set", player, "--name", "Quirin")


def referee_set_address(club: Club, player: str) -> None:
    typed(club, "referee", "set", "Karl", "--address", "new@else.example", fails=player != "Karl")


def referee_set_name(club: Club, player: str) -> None:
    typed(club, "referee", "set", "Karl", "--name", "Quirin", fails=player == "Karl")


def both_of_the_referee(club: Club, player: str) -> None:
    typed(club, "referee", "set", "Karl", "--name", "Quirin", "--address", "new@else.example", fails=True)


CHANGES = (moves_by_mail, player_set_address, player_set_name, referee_set_address, referee_set_name)


@pytest.mark.parametrize("change", [*CHANGES, both_of_the_referee], ids=lambda one: one.__name__)
@pytest.mark.parametrize("seat", [plays_by_address, plays_by_name], ids=lambda one: one.__name__)
def test_no_new_address_or_name_lets_a_referee_see_the_own_match(
    club: Club, seat: Callable[[Club], str], change: Callable[[Club, str], None]
) -> None:
    code = dealt(club)
    led(club, code, "Karl")
    player = seat(club)
    typed(club, "match", "replace", code, "Bert", player)
    club.tick()
    club.mails()
    change(club, player)
    with club.desk() as desk:
        (karl,) = [row for row in every(desk.session) if row.name != "Lea"]
        match = find_match(desk.session, code)
        assert plays(desk, match, official(karl))
        assert not may(desk, official(karl), match)
        assert in_charge(desk, match).chief


def test_a_player_takes_no_other_referees_address_or_name_along(club: Club) -> None:
    player = plays_by_address(club)
    typed(club, "player", "set", player, "--address", "lea@ref.example", fails=True)
    typed(club, "player", "add", "Karl", "k@home.example")
    typed(club, "player", "set", "Karl", "--name", "Lea", fails=True)
    club.tick()
    club.mails()
    club.write(
        "karl@ref.example",
        "Adresse lea@ref.example",
        Authentication_Results="mx.club.example; dmarc=pass header.from=ref.example",
    )
    club.tick()
    assert any("lea@ref.example" in one for one in told(club, "karl"))
    with club.desk() as desk:
        assert {row.name: row.address for row in every(desk.session)} == {
            "Karl": "karl@ref.example",
            "Lea": "lea@ref.example",
        }
    assert told(club, "lea") == []


# ---- who is asked when ----


@pytest.mark.slow
def test_who_comes_back_from_leave_has_their_time_to_answer(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    away(club, "Karl", 1, 10)
    asked(club, code)
    club.mails()
    seen = []
    for day in range(1, 18):
        club.wait(days=1)
        club.tick()
        for one in told(club, "boss"):
            if "ERLAUBT" in one:
                seen.append((day, "seit 3 Tagen nicht geantwortet" in one))
    assert seen == [(1, False), (14, True)]


def test_a_match_that_fails_keeps_no_other_from_being_followed(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = dealt(club), dealt(club, "Anna", "Cici")
    for code in (bad, good):
        protest_in(club, code)
        protest_in(club, code)
        led(club, code, "Karl")
    live = RunCache.live

    def broken(self: RunCache, session: Session, match: Match) -> LiveMatch:
        if match.code == bad:
            raise Suspended(match, "its log does not replay")
        return live(self, session, match)

    monkeypatch.setattr(RunCache, "live", broken)
    typed(club, "referee", "remove", "Karl")
    assert club.row(bad).status == MatchStatus.SUSPENDED
    assert club.row(good).status == MatchStatus.RUNNING
    club.tick()
    mails = told(club, "boss")
    assert sum("its log does not replay" in one for one in mails) == 1
    assert sum("STATTGEGEBEN" in one and good in one for one in mails) == 2


# ---- what is decided, and by whom ----


def test_a_ruling_of_the_chief_is_not_undone_by_an_older_question(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    asked(club, code)
    (to_chief,) = club.mails("boss")
    led(club, code, "Karl")
    with club.desk() as desk:
        key = desk.session.exec(select(Matter.token).where(Matter.token != "")).one()
    answer_word(club, to_chief, CHIEF, "UNGÜLTIG")
    club.mails()
    club.write("karl@ref.example", "ERLAUBT", to=f"games+WORD-{key}@club.example")
    club.tick()
    (answer,) = told(club, "karl")
    assert "schon entschieden: Es ist nicht erlaubt." in answer
    assert question(club).ruling == "deny"
    assert [one.ruling for one in read_house(club.config.path(club.config.words.house))] == ["deny"]


def test_new_tokens_close_the_addresses_of_questions_too(club: Club) -> None:
    code = dealt(club, unknown_words="ask")
    led(club, code, "Karl")
    asked(club, code)
    (old,) = club.mails("karl")
    typed(club, "referee", "set", "Karl", "--renew")
    club.tick()
    (new,) = [mail for mail in club.mails("karl") if "WORD-" in str(mail["Reply-To"])]
    answer_word(club, old, "karl@ref.example")
    assert question(club).ruling == ""
    answer_word(club, new, "karl@ref.example")
    assert question(club).ruling == "allow"


def test_who_is_in_charge_takes_no_seat_by_mail(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Karl")
    typed(club, "player", "add", "Zoe", "karl@ref.example")
    assert "nicht selbst setzen" in command(club, "Karl", f"Ersetzen {code} Anna durch Zoe")
    with club.desk() as desk:
        assert [one.name for one in desk.players(find_match(desk.session, code))] == ["Anna", "Bert"]
    assert "spielt in der Partie" in command(club, "Karl", f"Ersetzen {code} Anna durch Cici")


def test_a_leave_the_wrong_way_round_is_refused_in_german(club: Club) -> None:
    assert "liegt vor dem ersten" in command(club, "Karl", "Urlaub 2027-01-09 bis 2027-01-02")


def test_a_match_of_a_tournament_is_not_taken_back_alone(club: Club) -> None:
    code = dealt(club)
    typed(club, "cup", "new", "Herbst", "--game", "topwords", "--format", "robin")
    with club.desk() as desk:
        match = find_match(desk.session, code)
        match.tournament_id = 1
        desk.session.add(match)
    typed(club, "cup", "referee", "T1", "Karl")
    said = str(typed(club, "match", "referee", code, "chief", fails=True).exception)
    assert "moderator cup referee T1 chief" in said
    led(club, code, "Lea")
    assert "is Karl" in typed(club, "match", "referee", code, "chief").output


def test_who_gives_a_match_back_or_is_removed_leaves_nobody_in_the_dark(club: Club) -> None:
    code = dealt(club)
    led(club, code, "Karl")
    command(club, "Karl", f"Leitung {code} an Spielleiter")
    assert any("Karl leitet die Partie" in one and "jetzt entscheidest du" in one for one in told(club, "boss"))
    typed(club, "referee", "remove", "Karl")
    club.tick()
    assert any("leitest du keine Partien mehr" in one for one in told(club, "karl"))


@pytest.mark.parametrize("word", ["chief", "Spielleiter", "Niemand"])
def test_no_referee_is_called_as_the_chief_is(club: Club, word: str) -> None:
    typed(club, "referee", "add", word, "x@ref.example", fails=True)
    typed(club, "referee", "set", "Karl", "--name", word, fails=True)


def test_nothing_that_a_removed_referee_was_told_is_left(club: Club) -> None:
    with club.desk() as desk:
        number = referee_called(desk, "Karl").number
        key_values.write(desk.session, key_values.told_to(number), "{}")
    typed(club, "referee", "remove", "Karl")
    with club.desk() as desk:
        assert key_values.read(desk.session, key_values.told_to(number)) is None
