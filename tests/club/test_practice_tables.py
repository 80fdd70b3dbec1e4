"""Tables for training: begun by mail against a robot of the level that is wanted, never rated, few at a time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.club import ratings
from moderator.play import practice
from moderator.states import Level, MatchStatus
from moderator.store.models import Match, Player
from tests.club.club import Club, make_club, text
from tests.club.pair_scenes import writes


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    return made


def wants(club: Club, line: str, name: str = "Anna") -> str:
    """What the mails say that come back."""
    writes(club, name, line)
    return "\n".join(text(mail) for mail in club.mails(name))


def tables(club: Club) -> list[tuple[str, str, bool]]:
    with club.desk() as desk:
        return [(match.code, match.game, match.training) for match in desk.session.exec(select(Match))]


def robots(club: Club) -> list[tuple[str, Level]]:
    with club.desk() as desk:
        return [(one.name, one.level) for one in desk.session.exec(select(Player).where(Player.robot))]


def test_a_table_begins_at_once(club: Club) -> None:
    said = wants(club, "Üben Dominos stark")
    ((code, game, training),) = tables(club)
    assert (game, training) == ("dominos", True)
    assert "Die Partie beginnt" in said
    assert "Dominos „Übung ohne Wertung“" in said
    assert code in said
    assert robots(club) == [("Robot strong", Level.STRONG)]
    with club.desk() as desk:
        assert desk.session.exec(select(Match)).one().status == MatchStatus.RUNNING


def test_the_same_robot_sits_at_all_tables_of_its_level(club: Club) -> None:
    wants(club, "Üben Dominos Anfänger")
    wants(club, "practise tridom against a beginner", "Bert")
    wants(club, "practice dominos", "Bert")
    assert robots(club) == [("Robot beginner", Level.BEGINNER), ("Robot club", Level.CLUB)]


def test_no_more_than_a_few_at_once(club: Club) -> None:
    for _ in range(practice.MOST):
        wants(club, "Üben Dominos")
        club.wait(minutes=11)  # the same mail within ten minutes would be asked about
    assert "mehr geht nicht zugleich" in " ".join(wants(club, "Üben Tridom").split())
    assert len(tables(club)) == practice.MOST


def test_what_is_missing_is_asked_for(club: Club) -> None:
    for line in ("Üben", "Üben Schach", "Üben Dominos stark Anfänger"):
        assert "Welches Spiel, und wie stark?" in wants(club, line)
        club.wait(minutes=11)
    assert tables(club) == []


def test_it_is_never_rated(club: Club) -> None:
    wants(club, "Üben Dominos Anfänger")
    ((code, _, _),) = tables(club)
    from moderator.play import create, lifecycle

    with club.desk() as desk:
        match = create.find_match(desk.session, code)
        lifecycle.stop(desk, match, desk.cache.live(desk.session, match))
    with club.desk() as desk:
        match = create.find_match(desk.session, code)
        assert match.status == MatchStatus.FINISHED
        assert match.result
        assert ratings.ledger(desk.session, "dominos") == []
        assert ratings.rated_games(desk.session) == set()
        match.training = False
        desk.session.add(match)
        desk.session.flush()
        assert len(ratings.ledger(desk.session, "dominos")) == 1


def test_a_robot_holds_a_seat_until_somebody_takes_it(club: Club) -> None:
    """And the other way round: `match replace` hands a seat to a robot and to a person again."""
    from click.testing import CliRunner

    from moderator.cli import cli

    def typed(*words: str) -> str:
        done = CliRunner().invoke(cli, ["--config", str(club.folder / "moderator.toml"), *words])
        assert done.exit_code == 0, (words, done.output, done.exception)
        return done.output

    club.players("Cici")
    code = club.match("Anna", "Bert", game="dominos")
    typed("player", "add", "Ada", "--robot")
    typed("match", "replace", code, "Bert", "Ada")
    club.tick()
    typed("match", "replace", code, "Ada", "Cici")
    assert re.search(r"Anna.*\n.*Cici|Cici", typed("match", "show", code))
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        assert [player.name for player in desk.players(match)] == ["Anna", "Cici"]
