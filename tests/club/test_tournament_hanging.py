"""A result that a tournament has built on is taken back on purpose only, and all are told what it is worth then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator.cli.run import cli
from moderator.club.tokens import moderator_token
from moderator.club.tournaments import results
from moderator.commands.moderator import clockwork, rollback
from moderator.errors import Misused, OperatorError
from moderator.play import create
from moderator.play.announce import announce
from moderator.play.tournaments import challenges
from moderator.store.models import Match, TournamentGame
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.test_tournament_undo import PEOPLE, first_finished, of
from tests.club.tournament_club import (
    MailLog,
    Table,
    at,
    done,
    fixed,
    found,
    judge,
    logged_instead,
    open_games,
    store_open,
    tournament_of,
)


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    fixed(monkeypatch)
    made = make_club(tmp_path)
    with store_open():
        made.players(*PEOPLE)
        plain_boards(made)
        yield made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> MailLog:
    return logged_instead(monkeypatch)


def played(club: Club, format: str, then: Callable[[Club], None], **settings: object) -> TournamentGame:
    """The first game of a tournament, played to its end, and what came of it."""
    found(club, format, PEOPLE, seeding="order", game="dominos", terms={"days": 200}, **settings)
    club.wait(days=2)
    club.tick()
    if format == "ladder":
        with at(club, "T1") as (desk, tournament):
            challenges.challenge(desk, tournament, 3, 2)
            challenges.accept(desk, tournament, 2)
        club.tick()
    row = first_finished(club, Table(club))
    then(club)
    return of(club, row)


def gone_on(club: Club) -> None:
    for other in open_games(club):
        if other.round == 1:
            judge(club, "T1", other, "1-0")
    club.tick()


def finished(club: Club) -> None:
    gone_on(club)
    for _ in range(20):
        for other in open_games(club):
            judge(club, "T1", other, "1-0")
        club.tick()
    assert tournament_of(club).status == "finished"


def reported(club: Club) -> None:
    """Between the report of a round and the next pairings."""
    from moderator.play.tournaments import steps

    for other in open_games(club):
        judge(club, "T1", other, "1-0")
    while "report:1" not in done(club):
        with at(club, "T1") as (desk, tournament):
            assert steps.advance(desk, tournament.number)


SCENES: dict[str, tuple[str, Callable[[Club], None], dict[str, object], str, str]] = {
    "a winner has gone on": ("knockout", gone_on, {"legs": 1}, "hangs-winner", "again-stays"),
    "a knock-out is over": ("knockout", finished, {"legs": 1}, "hangs-final", "again-stays"),
    "a Swiss round is paired": ("swiss", gone_on, {"rounds": 2}, "hangs-paired", "again-paired"),
    "a Swiss is over": ("swiss", finished, {"rounds": 2}, "hangs-final", "again-stays"),
    "a report was sent": ("swiss", reported, {"rounds": 3}, "hangs-report", "again-report"),
    "rungs were climbed": ("ladder", lambda club: (club.tick(), None)[1], {}, "hangs-rungs", "again-rungs"),
    "a league is over": ("league", finished, {}, "hangs-final", "again-stays"),
    "everybody has played everybody": ("robin", finished, {}, "hangs-final", "again-stays"),
    "a table of a later round": ("tables", finished, {"seats": 2, "rounds": 1}, "hangs-final", "again-stays"),
}


def code_of(club: Club, row: TournamentGame) -> str:
    with club.desk() as desk:
        return desk.session.get_one(Match, row.match_id).code


def by_mail(club: Club, line: str) -> str:
    with club.desk() as desk:
        place = f"games+BOSS-{moderator_token(desk.session)}@club.example"
    club.write("boss@club.example", line, to=place)
    club.tick()
    return text(club.mails("boss@club.example")[-1])


def by_command(club: Club, code: str, *more: str) -> str:
    done = CliRunner().invoke(
        cli, ["--config", str(club.config.file), "match", "rollback", code, "--round", "1", *more]
    )
    if done.exit_code:
        assert isinstance(done.exception, OperatorError), done.exception
        return f"REFUSED {done.exception}"
    return done.output


@pytest.mark.matrix("club")
@pytest.mark.parametrize("scene", SCENES)
def test_what_hangs_on_it_is_named_refused_and_with_force_told_to_all(club: Club, told: MailLog, scene: str) -> None:
    format, then, settings, built, worth = SCENES[scene]
    row = played(club, format, then, **settings)
    code = code_of(club, row)
    with club.desk() as desk:
        hung = results.hanging(desk, create.find_match(desk.session, code))
        assert hung is not None
        assert (hung.built.code, hung.worth.code) == (built, worth)
    club.mails()
    before = (of(club, row).model_dump(), club.row(code).model_dump())
    assert "--force" in (refusal := by_command(club, code))
    assert refusal.startswith("REFUSED")
    assert "bleibt, wie sie ausgegangen ist" in by_mail(club, f"Zurück {code} R1: falsch gelesen")
    with club.desk() as desk, pytest.raises(Misused, match="undo-hangs"):
        rollback.rollback(desk, create.find_match(desk.session, code), 1)
    after = (of(club, row).model_dump(), club.row(code).model_dump())
    assert before == after, "a refusal changes nothing"
    club.mails()
    answer = by_mail(club, f"Zurück {code} R1!: falsch gelesen")
    assert "ist wieder in Runde 1" in answer
    assert "Diese Partie wird noch einmal gespielt" in answer
    with club.desk() as desk:
        names = [p.name for p in desk.players(create.find_match(desk.session, code))]
    for name in names:
        mine = [text(mail) for mail in club.mails(name)]
        assert any("Diese Partie wird noch einmal gespielt" in mail for mail in mine), (name, mine)
    shown = CliRunner().invoke(cli, ["--config", str(club.config.file), "cup", "show", "T1"]).output
    assert f"Played again: {code} {names[0]} - {names[1]}. This match is played again." in shown
    if worth == "again-stays":
        assert of(club, row).result == row.result


@pytest.mark.matrix("club")
def test_a_tie_that_is_played_again_says_at_its_end_that_it_counts_for_nothing(club: Club, told: MailLog) -> None:
    row = played(club, "knockout", gone_on, legs=1)
    code = code_of(club, row)
    assert "again" in by_command(club, code, "--force")
    table = Table(club, only={row.match_id or 0})
    club.mails()
    table.days(60, lambda: club.row(code).status == "finished")
    ends = [text(mail) for mail in club.mails() if "noch einmal" in text(mail)]
    assert len([mail for mail in ends if "wurde noch einmal gespielt" in mail]) == 2
    assert len([mail for mail in ends if "wird noch einmal gespielt" in mail]) > 2, "and so does every mail on the way"
    assert of(club, row).result == row.result
    assert (
        "Played again" not in CliRunner().invoke(cli, ["--config", str(club.config.file), "cup", "show", "T1"]).output
    )


@pytest.mark.slow
def test_nothing_hangs_on_a_game_of_a_round_that_is_played(club: Club, told: MailLog) -> None:
    row = played(club, "knockout", lambda club: None, legs=2)
    code = code_of(club, row)
    assert "again" in by_command(club, code)
    assert of(club, row).result is None
    assert all("noch einmal gespielt" not in text(mail) for mail in club.mails())


@pytest.mark.parametrize("way", ["rollback", "undo by consent"])
def test_an_extension_outlives_what_takes_moves_back(club: Club, way: str) -> None:
    code = club.match("Anna", "Bert", game="dominos", seed=lambda match: bytes([3]) * 32)
    club.tick()
    first = club.live(code).table.state.to_move[0]
    name = PEOPLE[first]
    with club.desk() as desk:
        clockwork.extend(desk, create.find_match(desk.session, code), 9)
    promised = club.row(code).deadline
    assert promised is not None
    club.order(name, code, first, club.moves(code, first)[0])
    club.tick()
    if way == "rollback":
        with club.desk() as desk:
            rollback.rollback(desk, create.find_match(desk.session, code), None, 2)
            announce(desk)
    else:
        club.order(name, code, first, "Rücknahme")
        club.tick()
        club.order(PEOPLE[1 - first], code, 1 - first, "einverstanden")
    club.mails()
    club.tick()
    assert club.row(code).deadline == promised
    assert club.row(code).entries > 3
    with club.desk() as desk:
        row = desk.session.exec(select(Match).where(Match.code == code)).one()
        assert row.final is not None
        assert row.final >= promised
