"""Pace ``common``: with the report of a round it is told what the rack would have brought, and who had it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.club.club import Club, make_club, plain_boards, text


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path)
    plain_boards(made)
    made.players("Anna", "Bert", "Cici", Cici="en")
    return made


def report(club: Club, code: str, *moves: str) -> str:
    """What Anna reads when all have sent; Cici's English mail is looked at beside it."""
    for seat, (name, move) in enumerate(zip(("Anna", "Bert", "Cici"), moves, strict=True)):
        club.order(name, code, seat, move)
    club.tick()
    return " ".join(text(club.mails("Anna")[-1]).split())


def best(club: Club, code: str) -> tuple[str, int, str]:
    """The best move, its points, and one that is worth less."""
    from dataclasses import replace

    from moderator.match.robot import ranked

    live = club.live(code)
    context = replace(live.context, words=club.dictionary(live.options, live.code))
    found = ranked(live.game, live.table.state, 0, context)
    return *found[0], next(move for move, points in found if points < found[0][1])


def test_who_had_the_most_is_named(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici", pace="common", early=True)
    move, points, less = best(club, code)
    assert f"Möglich waren {points} Punkte (»{move}«); so viele hat: Bert." in report(club, code, less, move, "passe")


def test_what_nobody_has_found_is_told_of_the_board_that_was(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici", pace="common", early=True)
    _, _, less = best(club, code)
    report(club, code, less, less, less)
    move, points, less = best(club, code)
    told = report(club, code, less, "passe", "passe")
    assert f"Möglich waren {points} Punkte (»{move}«); gefunden von niemandem." in told
    english = " ".join(text(club.mails("Cici")[-1]).split())
    assert f"Possible: {points} points (“" in english
    assert "found by nobody." in english


def test_of_racks_that_are_secret_nothing_is_told(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici", pace="rounds", early=True)
    told = report(club, code, *(club.moves(code, seat)[0] for seat in range(3)))
    assert "Möglich waren" not in told


def test_nothing_is_told_before_the_round_is_over(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici", pace="common", early=True)
    move, _, less = best(club, code)
    club.order("Anna", code, 0, less)
    club.order("Bert", code, 1, less)
    club.tick()
    assert not any("Möglich waren" in text(mail) or move in text(mail) for mail in club.mails())


def test_a_round_in_which_nobody_played_is_over_like_any_other(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici", pace="common", common_end=False)
    move, points, _ = best(club, code)
    club.tick()
    club.wait(days=9)
    assert not club.tick().troubles
    told = " ".join(text(club.mails("Anna")[-1]).split())
    assert f"Möglich waren {points} Punkte (»{move}«); gefunden von niemandem." in told
