"""A match by mail from deal to archive, with all that happens in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moderator.conformance.club import Club, Mail, opened
from moderator.conformance.subject import Subject, moves_of
from moderator.errors import PlayerError
from moderator.match.contract import view_for
from moderator.match.robot import choose

RUBBISH = "Unsinn@@"
TURNS = {True: 3, False: 12}
"""Moves that are mailed."""


@dataclass(frozen=True)
class Season:
    """One match, played and published."""

    pace: str
    mails: tuple[Mail, ...]
    done: tuple[str, ...]
    """Each thing after which somebody has to hear something."""
    site: Mapping[str, bytes]
    """Path -> what stands there."""


def seasons(subject: Subject) -> tuple[Season, ...]:
    """One for each pace, and for each table that it takes until somebody has played in each language; kept with the
    subject, also that it could not be played. Raises whatever kept it from that."""
    if "_seasons" not in vars(subject):
        try:
            vars(subject)["_seasons"] = tuple(
                _season(subject, pace, languages) for pace in subject.game.paces for languages in _tables(subject)
            )
        except Exception as error:
            vars(subject)["_seasons"] = error
    kept: tuple[Season, ...] | Exception = vars(subject)["_seasons"]
    if isinstance(kept, Exception):
        raise kept
    return kept


def _season(subject: Subject, pace: str, languages: Sequence[str]) -> Season:
    with opened(subject, pace, languages) as club:
        for _ in range(2):  # so that each language has been in each place once
            played(club)
        ended(club)
        return Season(pace, tuple(club.mails), tuple(club.done), published(club))


def _tables(subject: Subject) -> list[Sequence[str]]:
    """The languages at one table; of a quick look there is only one."""
    spoken, seats = subject.languages, subject.game.min_seats
    return [spoken[at:] + spoken[:at] for at in range(0, 1 if subject.quick else len(spoken), seats)]


def played(club: Club) -> None:
    """Rubbish, a move that is refused, moves, an order ahead, a question, a reminder, a missed turn."""
    with club.match() as (_, _, live):
        if live.table.state.over:
            return
        seat, others = live.table.state.to_move[0], live.table.state.seats
    club.order(seat, RUBBISH, "a line that is no move")
    if wrong := refused(club, seat):
        club.order(seat, wrong, f"a move that is refused ({wrong})")
    for _ in range(TURNS[club.subject.quick]):
        turn(club)
    club.order(0, "STATUS", "a question")
    ahead = next((s for s in range(others) if s not in to_move(club)), None)
    if ahead is not None and (move := robots_move(club, ahead)):
        club.order(ahead, move, f"an order ahead ({move})")
    until(club, "remind_at", "the day before the deadline")
    until(club, "final", "a missed deadline")


def until(club: Club, moment: str, doing: str) -> None:
    """Let the time come, if somebody is missing then."""
    with club.match() as (_, row, live):
        at = getattr(row, moment) if live.missing else None
    if at is not None:
        club.wait(seconds=max(0, (at - club.now).total_seconds()) + 7200)
        club.tick(doing)


def to_move(club: Club) -> tuple[int, ...]:
    with club.match() as (_, _, live):
        return tuple(live.awaited)


def robots_move(club: Club, seat: int) -> str:
    """What a robot would do there now; "" where there is nothing."""
    with club.match() as (desk, _, live):
        state = live.table.state
        if state.over:
            return ""
        state = state if seat in state.to_move else replace(state, to_move=(seat,))
        return choose(live.game, state, seat, desk.cache.context(live))


def refused(club: Club, seat: int) -> str:
    """A move that can be read and not be played now; "" where none was found."""
    with club.match() as (desk, _, live):
        state, game, ctx = live.table.state, live.game, desk.cache.context(live)
        for match, _, other in club.subject.positions():
            for _, move, _ in moves_of(match, other, 20):
                line = game.format(move)
                try:
                    game.apply(state, seat, game.parse(line, view_for(state, seat)), ctx)
                except PlayerError as error:
                    if error.code != "words-undecided":
                        return line
    return ""


def turn(club: Club) -> None:
    """Each seat that is awaited sends what a robot would, or nothing where there is nothing to do; where all are
    evaluated together, the deadline comes."""
    awaited = to_move(club)
    for seat in awaited:
        if move := robots_move(club, seat):
            club.order(seat, move, f"a move ({move})")
    with club.match() as (_, row, live):
        at = row.final if live.table.together and not live.missing else None
    if at is not None:
        club.wait(seconds=(at - club.now).total_seconds() + 7200)
        club.tick("the deadline of a round")


def ended(club: Club) -> None:
    """All but one resign."""
    with club.match() as (_, row, live):
        code, seats = row.code, live.table.state.seats
    for seat in range(1, seats):
        with club.match() as (_, _, live):
            if live.table.state.over:
                return
        club.order(seat, f"RESIGN {code}", f"seat {seat} has resigned")


def published(club: Club) -> dict[str, bytes]:
    """The pages of the match, as the site has them."""
    from moderator.site.run import bring_up

    folder = club.config.file.parent / "site"
    bring_up(club.config, club.now, folder)
    return {str(file.relative_to(folder)): file.read_bytes() for file in _files(folder)}


def _files(folder: Path) -> Iterator[Path]:
    yield from (file for file in sorted(folder.rglob("*")) if file.is_file() and "matches" in file.parts)
