"""Whoever has played hundreds of matches costs a mail no more than somebody who has played none: what is over is only
loaded where it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Mapper

from bench.statements import counted
from moderator.outbox import digest
from moderator.play.create import find_player
from moderator.review import REVIEWER
from moderator.states import MatchStatus
from moderator.store import matches
from moderator.store.models import Match, MatchReview, Seat, TurnReview
from tests.club.club import Club, copied, make_club, plain_boards, text
from tests.club.test_reviews import with_seconds

MANY = 300
FINISHED = "M4XZ"
VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"


@contextmanager
def loaded() -> Iterator[Counter[str]]:
    """How many rows of each table become objects meanwhile."""
    found: Counter[str] = Counter()

    def note(row: object, context: object) -> None:
        found[type(row).__name__] += 1

    event.listen(Mapper, "load", note)
    try:
        yield found
    finally:
        event.remove(Mapper, "load", note)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Club, str]]:
    """A club of each sort, to be copied."""
    return {over: club_of(tmp_path_factory.mktemp("club") / "club", over) for over in (0, MANY)}


def club_of(folder: Path, over: int) -> tuple[Club, str]:
    """Anna plays in two matches of the same deal, and has played in ``over`` before them, all reviewed."""
    club = make_club(folder, kept=True)
    club.players("Anna", "Bert")
    plain_boards(club)
    with club.desk() as desk:
        players = [find_player(desk.session, name) for name in ("Anna", "Bert")]
        for number in range(over):
            code = FINISHED if number == 0 else f"Z9{number:04}"
            match = Match(
                code=code,
                name=f"Alt {number}",
                game="dominos",
                status=MatchStatus.FINISHED,
                created_at=desk.now - timedelta(days=99),
                finished_at=desk.now - timedelta(days=9),
            )
            desk.session.add(match)
            desk.session.flush()
            for seat, player in enumerate(players):
                desk.session.add(Seat(match_id=match.number, number=seat, player_id=player.number, token=f"T{number}"))
            content = {"unit": "points", "left": [1, 2], "moves": [1, 1], "find": None}
            known = {"match_id": match.number, "version": REVIEWER, "entries": 0, "due_at": None, "content": content}
            desk.session.add(MatchReview(**known))
            desk.session.add(TurnReview(match_id=match.number, number=1, content={}))
    code = club.match("Anna", "Bert")
    club.match("Anna", "Bert")
    club.tick()
    return club, code


def written(club: Club, body: str) -> str:
    """What comes back for a mail to the club's own address that is Anna's for sure."""
    club.write("Anna", body, Authentication_Results=VOUCHED)
    club.tick()
    answer = text(club.mails("Anna")[-1])
    assert "Warst du das" not in answer
    return answer


def order(club: Club, code: str) -> None:
    """By the match's own address."""
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()


def order_by_heading(club: Club, code: str) -> None:
    """To the club, with the match above the line."""
    written(club, f"{code}:\n{club.moves(code, 0)[0]}")


def ask_for_the_list(club: Club, code: str) -> None:
    written(club, "Liste")


def go_on_leave(club: Club, code: str) -> None:
    written(club, "Urlaub 24.12. bis 2.1.")


def get_the_daily_mail(club: Club, code: str) -> None:
    with club.desk() as desk:
        assert digest.send(desk, find_player(desk.session, "Anna").number)


@pytest.mark.slow
@pytest.mark.parametrize("act", [order, order_by_heading, ask_for_the_list, go_on_leave, get_the_daily_mail])
def test_a_mail_costs_the_same_whatever_its_writer_has_played(
    models: dict[int, tuple[Club, str]], tmp_path: Path, act: Callable[[Club, str], None]
) -> None:
    costs = []  # on PostgreSQL no statements are counted
    for over, (model, code) in models.items():
        club = copied(model, tmp_path / str(over))
        club.moves(code, 0)  # what a fresh process reads once
        club.mails()
        with loaded() as rows, counted() as asked:
            act(club, code)
        costs.append((dict(rows), len(asked.statements)))
    assert costs[1] == costs[0]
    assert 1 <= costs[0][0]["Match"] <= 4


@pytest.mark.slow
def test_an_idle_run_loads_no_review_and_all_are_there_when_they_are_asked_for(
    models: dict[int, tuple[Club, str]], tmp_path: Path
) -> None:
    club = copied(models[MANY][0], tmp_path / "club")
    club.wait(hours=30)
    club.tick()
    with loaded() as rows:
        assert with_seconds(club, 5).tick().quiet
    assert rows == {}
    with club.desk() as desk, loaded() as rows:
        anna = find_player(desk.session, "Anna").number
        assert len(matches.every_seat_of(desk.session, anna)) == MANY + 2
    assert rows["Match"] == rows["Seat"] == MANY + 2
    club.mails()
    assert "Alt 0" in written(club, f"{FINISHED}: 61")
