"""Ratings: a pure function of the ledger, forfeits before a minimum of moves unrated, places only when settled."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from moderator.tournaments.ratings import (
    NEWCOMER,
    Rating,
    RatingEntry,
    build_rating_list,
    compute_rating_histories,
    compute_ratings,
    compute_ratings_by_family,
    estimate_rating,
    list_rated_seats,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("anna", "bert", "cleo", "dora", "emil", "fritz")


def entry(number: int, players: tuple[str, ...], places: tuple[int, ...], **more: object) -> RatingEntry:
    return RatingEntry(START + timedelta(hours=number // 3), f"K{number:04}", players, places, **more)  # type: ignore[arg-type]


def ledger(count: int = 120) -> list[RatingEntry]:
    """Tables of two to six; whoever stands earlier in NAMES mostly wins."""
    dice = random.Random(3)
    entries = []
    for number in range(count):
        players = tuple(dice.sample(NAMES, 2 + number % 5))
        strength = [NAMES.index(player) + dice.randrange(4) for player in players]
        places = tuple(1 + sum(other < own for other in strength) for own in strength)
        entries.append(entry(number, players, places, family="topwords" if number % 2 else "dominos"))
    return entries


def test_bits_of_a_small_ledger() -> None:
    """Any change of the library, or of the order, shows here."""
    first, last = entry(1, ("anna", "bert"), (1, 2)), entry(7, ("cleo", "anna"), (1, 1))
    found = compute_ratings([first, entry(4, ("bert", "cleo", "anna"), (1, 2, 2)), last])
    assert {player: (rating.mu.hex(), rating.sigma.hex()) for player, rating in found.items()} == {
        "anna": ("0x1.9aa03c7d21624p+4", "0x1.e4c5e5891470fp+2"),
        "bert": ("0x1.9519a3788987cp+4", "0x1.fd5ccdad1ba50p+2"),
        "cleo": ("0x1.7f32d937a16a4p+4", "0x1.f241ffaee7ae7p+2"),
    }
    assert [found[name].games for name in ("anna", "bert", "cleo")] == [3, 2, 2]


def test_the_course_of_a_rating_ends_at_the_rating_whatever_the_order_of_the_ledger() -> None:
    entries = ledger()
    found = compute_rating_histories(entries)
    assert {player: course[-1][1] for player, course in found.items()} == compute_ratings(entries)
    for player, course in found.items():
        assert [rating.games for _, rating in course] == list(range(1, len(course) + 1))
        early = [entry for entry, _ in course[:3]]
        until = [entry for entry in entries if (entry.finished_at, entry.id) <= (early[-1].finished_at, early[-1].id)]
        assert course[2][1] == compute_ratings(until)[player]
    mixed = random.Random(1).sample(entries, len(entries))
    assert compute_ratings(mixed) == compute_ratings(entries) == compute_ratings(iter(entries))
    turned = [replace(e, finished_at=START - (e.finished_at - START)) for e in entries]
    assert compute_ratings(turned) != compute_ratings(entries)


@pytest.mark.parametrize(("seats", "points"), [((1, 2), (1, -1)), ((1, 1), (0, 0)), ((2, 1), (-1, 1))])
def test_a_newcomer_stands_at_1000(seats: tuple[int, int], points: tuple[int, int]) -> None:
    found = compute_ratings([entry(1, ("anna", "bert"), seats)])
    assert NEWCOMER.rounded == 1000
    moved = [found[name].rounded - 1000 for name in ("anna", "bert")]
    assert [(one > 0) - (one < 0) for one in moved] == list(points)


def test_early_forfeits_are_unrated_and_at_a_larger_table_the_others_are_rated() -> None:
    early = entry(1, ("anna", "bert"), (1, 2), forfeits=frozenset({1}), moves=(3, 2))
    assert list_rated_seats(early) == ()
    assert compute_ratings([early]) == {}
    assert set(compute_ratings([replace(early, moves=(5, 4))])) == {"anna", "bert"}
    assert set(compute_ratings([replace(early, moves=())])) == {"anna", "bert"}
    game = entry(1, ("anna", "bert", "cleo"), (1, 3, 2), forfeits=frozenset({1}), moves=(9, 1, 9))
    rest = entry(1, ("anna", "cleo"), (1, 2))
    assert compute_ratings([game]) == compute_ratings([rest])


def test_the_place_is_hidden_until_the_rating_settles_and_each_kind_of_game_has_its_own() -> None:
    rated = {"new": Rating(40.0, 4.0, 3), "a": Rating(26, 3.9, 20), "b": Rating(26, 1.5, 90), "c": Rating(25, 2.0, 50)}
    lines = [(line.place, line.player) for line in build_rating_list(rated)]
    assert lines == [(1, "a"), (1, "b"), (3, "c"), (None, "new")]
    entries = ledger(60)
    families = compute_ratings_by_family(entries)
    assert set(families) == {"topwords", "dominos"}
    assert families["topwords"] == compute_ratings(entries, family="topwords") != compute_ratings(entries)
    assert compute_ratings(entries, family="unknown") == {}


def test_a_damaged_ledger_is_refused() -> None:
    one = entry(1, ("anna", "bert"), (1, 2))
    with pytest.raises(ValueError, match="twice"):
        compute_ratings([one, one])
    with pytest.raises(ValueError, match="2 players, 3 places"):
        compute_ratings([replace(one, places=(1, 2, 3))])
    with pytest.raises(ValueError, match="K0001"):
        compute_ratings([replace(one, players=("anna", "anna"))])


def test_who_was_rated_elsewhere_begins_with_that() -> None:
    """Wherever the entry stands; the others begin as ever, and other kinds of games are not touched."""
    old = RatingEntry(
        START + timedelta(days=999), "R1", ("anna",), (1,), family="dominos", begins=Rating(30.0, 5.0, 20)
    )
    games = ledger()
    with_it = compute_ratings([*games, old], "dominos")
    assert compute_ratings([old, *reversed(games)], "dominos") == with_it
    assert compute_ratings([*games, old], "topwords") == compute_ratings(games, "topwords")
    without = compute_ratings(games, "dominos")
    assert with_it["anna"].games == without["anna"].games + 20
    assert with_it["anna"].sigma < without["anna"].sigma
    assert compute_ratings([old]) == {"anna": Rating(30.0, 5.0, 20)}
    course = compute_rating_histories([*games, old], "dominos")["anna"]
    assert (course[0][1].games, course[-1][1]) == (21, with_it["anna"])
    assert estimate_rating(1000) == NEWCOMER
    assert (estimate_rating(1240, 7).rounded, estimate_rating(1240, 7).games) == (1240, 7)
    assert (estimate_rating(900, 45).is_settled, estimate_rating(900, 46).is_settled) == (False, True)
