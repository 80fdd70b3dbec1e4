"""What a player cannot see leaves no trace in what they read: neither tiles of another hand or of the stock nor orders
that were not played. That holds for each game of whole matches by mail, too: moderator/conformance/worlds_by_mail.py.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.common import tokens
from moderator.rules.robots.choose import rank_moves
from moderator.rules.table import MatchState, preview_order
from moderator.store.club_tables import MatchReview, TurnReview
from tests.club.club import Club, make_club, text
from tests.club.memory import MemoryClub
from tests.club.steps import NAMES, begin, play
from tests.club.test_reviews import PLENTY, with_seconds
from tests.games.matches import a_match
from tests.helpers import looks_alike

CODE = "K7Q2"
WRONG: dict[str, Callable[[str], str]] = {
    "dominos": lambda tile: f"{tile}@L",
    "tridom": lambda tile: f"{tile}@2",
    "supertridom": lambda tile: f"{tile}@2",
    "domijongg": lambda tile: f"1: {tile}",
}
"""How a tile is laid that the reader does not hold; a new game adds its own."""


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it before each world: codes, tokens and Message-IDs come out the same."""

    def begin() -> None:
        numbers = itertools.count(1)
        monkeypatch.setattr(tokens, "generate_match_code", lambda long=False: CODE)
        monkeypatch.setattr(tokens, "generate_token", lambda: f"{next(numbers):010d}")
        monkeypatch.setattr("moderator.delivery.compose.secrets.token_hex", lambda size: f"{next(numbers):016d}")

    return begin


@pytest.mark.slow
@pytest.mark.parametrize("game", WRONG)
def test_an_order_with_a_tile_one_does_not_hold_is_refused_alike_wherever_that_tile_is(game: str) -> None:
    played, dice = a_match(game, "sequential", 1), random.Random(game)
    assert not played.states[0].over
    for state in [state for state in played.states if not state.over]:
        seat = state.to_move[0]
        unseen = {*state.stock, *(tile for other, hand in enumerate(state.hands) if other != seat for tile in hand)}
        said = [
            [
                preview_order(played.game, MatchState(world, "sequential", 0), seat, WRONG[game](tile), played.ctx)
                for tile in sorted(unseen)
            ]
            for world in (state, looks_alike(state, seat, dice))
        ]
        assert said[0] == said[1]


ANNA_LAYS = bytes(31) + b"\x03"
"""With this seed she has something to lay."""


def one_word(moves: list[str]) -> list[str]:
    """An order that he changes, a line that is no move, and an alternative to the pass."""
    return [moves[-1], "E5 w QXQ", f"passe\nsonst {moves[0]}"]


def another_word(moves: list[str]) -> list[str]:
    """The same with other words in all places."""
    return [moves[-2], "E5 w XQX", f"passe\nsonst {moves[1]}"]


def reports(club: Club, pace: str, bert: Callable[[list[str]], list[str]]) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """The mails to Anna, and to Dora who watches in English, of three rounds in which Anna lays once, each with what
    was hidden from them. ``bert``: of his legal moves, what he sends before and besides the pass that is played."""
    club.players("Anna", "Bert", "Dora", Dora="en")
    code = club.match("Anna", "Bert", early=True, pace=pace, seed=lambda match: ANNA_LAYS)
    club.say("Dora", f"watch {code}", Authentication_Results="mx.club.example; dkim=pass header.d=home.example")
    said = 0
    for number in range(3):
        moves, his = club.moves(code, 0), club.moves(code, 1)
        sent = bert(his) if len(his) > 3 else ["passe"]
        state = club.live(code).table.state
        secret = (*(state.stock if pace == "common" else state.hand(1)), *sent)
        for name, seat, body in (
            *(("Bert", 1, body) for body in sent),
            ("Anna", 0, "Stand"),  # while what Bert has sent is stored
            ("Anna", 0, moves[0] if moves else "passe"),
        ):
            club.hand_in(name, code, seat, body, subject=f"Runde {number + 1}")
        found = [mail for reader in ("Anna@", "Dora@") for mail in club.mails(reader)]
        assert len({str(mail["To"]) for mail in found}) == 2
        for mail in found:
            yield mail.as_bytes(), secret
        said += any("Möglich war" in text(mail) for mail in found)
        club.skip_mails()
    assert (said > 1) is (pace == "common")


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["common", "rounds"])
def test_no_byte_depends_on_orders_that_were_not_played(tmp_path: Path, fixed: Callable[[], None], pace: str) -> None:
    """Nor on hidden tiles: moderator/conformance/worlds_by_mail.py asks that of every game in every pace."""
    fixed()
    ours = list(reports(make_club(tmp_path / "ours"), pace, one_word))
    fixed()
    theirs = list(reports(make_club(tmp_path / "theirs"), pace, another_word))
    assert len(ours) >= 9
    assert [mail for mail, _ in ours] == [mail for mail, _ in theirs]
    assert sum(mine != yours for (_, mine), (_, yours) in zip(ours, theirs, strict=True)) >= 2


def test_nothing_is_worked_out_of_a_running_match(club: MemoryClub) -> None:
    code = begin(club)
    club.order("Anna", code, 0, f"REVIEW {code}")
    for _ in range(2):
        with_seconds(club, PLENTY).tick()
    with club.work() as work:
        assert work.session.exec(select(MatchReview)).all() == work.session.exec(select(TurnReview)).all() == []


def report(club: Club, code: str, *moves: str) -> str:
    """What Anna reads when all have sent."""
    for seat, move in enumerate(moves):
        club.order(NAMES[seat], code, seat, move)
    club.tick()
    return " ".join(text(club.mails("Anna")[-1]).split())


def best(club: Club, code: str) -> tuple[str, int, str]:
    """The best move, its points, and one that is worth less."""
    live = club.live(code)
    context = replace(live.context, words=club.dictionary(live.options, live.code))
    found = rank_moves(live.game, live.table.state, 0, context)
    return *found[0], next(move for move, points in found if points < found[0][1])


@pytest.mark.slow
def test_what_was_possible_is_told_when_the_round_is_over_with_who_has_found_it(club: Club) -> None:
    code = begin(club, *NAMES, game="topwords", pace="common", early=True)
    move, points, less = best(club, code)
    for seat in (0, 1):
        play(club, code, seat, less)
    assert not any("Möglich waren" in text(mail) or move in text(mail) for mail in club.mails())
    assert f"Möglich waren {points} Punkte (»{move}«), gefunden von Bert." in report(club, code, less, move, "passe")
    club.wait(minutes=11)
    move, points, less = best(club, code)
    told = report(club, code, less, "passe", "passe")
    assert f"Möglich waren {points} Punkte (»{move}«); das hat niemand gefunden." in told, "of the board that was"
    english = " ".join(text(club.mails("Bert")[-1]).split())
    assert f"The most possible was {points} points (“" in english
    assert "nobody found it." in english


def test_of_racks_that_are_secret_nothing_is_told(club: Club) -> None:
    code = begin(club, *NAMES, game="topwords", pace="rounds", early=True)
    assert "Möglich waren" not in report(club, code, *(club.moves(code, seat)[0] for seat in range(3)))


def test_a_round_in_which_nobody_played_is_over_like_any_other(club: Club) -> None:
    code = begin(club, *NAMES, game="topwords", pace="common", common_end=False)
    move, points, _ = best(club, code)
    assert not club.let_pass(days=9).troubles
    told = " ".join(text(club.mails("Anna")[-1]).split())
    assert f"Möglich waren {points} Punkte (»{move}«); das hat niemand gefunden." in told
