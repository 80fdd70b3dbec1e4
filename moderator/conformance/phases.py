"""A match by mail from deal to archive, with all that happens in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moderator.common.errors import PlayerError
from moderator.conformance.subject import GameSubject, iter_sample_moves
from moderator.rules.game import view_for
from moderator.rules.robots.choose import choose_robot_move
from moderator.testing.club import SampleClub, SentMail, open_sample_club

RUBBISH = "Unsinn@@"
TURNS = {True: 3, False: 12}
"""Moves that are mailed."""


@dataclass(frozen=True)
class MailedMatch:
    """One match, played and published."""

    pace: str
    mails: tuple[SentMail, ...]
    done: tuple[str, ...]
    """Each thing after which somebody has to hear something."""
    site: Mapping[str, bytes]
    """Path -> what stands there."""


def get_mailed_matches(subject: GameSubject) -> tuple[MailedMatch, ...]:
    """Return one match for each pace, and for each table that it takes until somebody has played in each language;
    stored with the subject, also that it could not be played. Raises the exception that prevented that."""
    if "_seasons" not in vars(subject):
        try:
            vars(subject)["_seasons"] = tuple(
                _play_mailed_match(subject, pace, languages)
                for pace in subject.game.paces
                for languages in _list_language_tables(subject)
            )
        except Exception as error:
            vars(subject)["_seasons"] = error
    kept: tuple[MailedMatch, ...] | Exception = vars(subject)["_seasons"]
    if isinstance(kept, Exception):
        raise kept
    return kept


def _play_mailed_match(subject: GameSubject, pace: str, languages: Sequence[str]) -> MailedMatch:
    with open_sample_club(subject, pace, languages) as club:
        for _ in range(2):  # so that each language has been in each place once
            play_phases(club)
        end_by_resigning(club)
        return MailedMatch(pace, tuple(club.mails), tuple(club.done), publish_match_pages(club))


def _list_language_tables(subject: GameSubject) -> list[Sequence[str]]:
    """Return the languages at one table; of a quick look there is only one."""
    spoken, seats = subject.languages, subject.game.min_seats
    return [spoken[at:] + spoken[:at] for at in range(0, 1 if subject.quick else len(spoken), seats)]


def play_phases(club: SampleClub) -> None:
    """Play rubbish, a move that is refused, moves, an order ahead, a question, a reminder, a missed turn."""
    with club.open_match() as (_, _, live):
        if live.table.state.over:
            return
        seat, others = live.table.state.to_move[0], live.table.state.seats
    club.deliver_and_run(seat, RUBBISH, "a line that is no move")
    if wrong := find_refused_move(club, seat):
        club.deliver_and_run(seat, wrong, f"a move that is refused ({wrong})")
    for _ in range(TURNS[club.subject.quick]):
        play_club_turn(club)
    club.deliver_and_run(0, "STATUS", "a question")
    ahead = next((s for s in range(others) if s not in list_awaited_seats(club)), None)
    if ahead is not None and (move := find_robot_move(club, ahead)):
        club.deliver_and_run(ahead, move, f"an order ahead ({move})")
    advance_club_to(club, "remind_at", "the day before the deadline")
    advance_club_to(club, "final", "a missed deadline")


def advance_club_to(club: SampleClub, moment: str, doing: str) -> None:
    """Let the time come, if somebody is missing then."""
    with club.open_match() as (_, row, live):
        at = getattr(row, moment) if live.seats_wanted else None
    if at is not None:
        club.pass_time(seconds=max(0, (at - club.now).total_seconds()) + 7200)
        club.run_and_collect(doing)


def list_awaited_seats(club: SampleClub) -> tuple[int, ...]:
    with club.open_match() as (_, _, live):
        return tuple(live.seats_to_act)


def find_robot_move(club: SampleClub, seat: int) -> str:
    """Return the move of a robot there now; "" where there is nothing."""
    with club.open_match() as (desk, _, live):
        state = live.table.state
        if state.over:
            return ""
        state = state if seat in state.to_move else replace(state, to_move=(seat,))
        return choose_robot_move(live.game, state, seat, desk.cache.build_context(live))


def find_refused_move(club: SampleClub, seat: int) -> str:
    """Return a move that can be read and not be played now; "" where none was found."""
    with club.open_match() as (desk, _, live):
        state, game, ctx = live.table.state, live.game, desk.cache.build_context(live)
        for match, _, other in club.subject.iter_positions():
            for _, move, _ in iter_sample_moves(match, other, 20):
                line = game.format(move)
                try:
                    game.apply(state, seat, game.parse(line, view_for(state, seat)), ctx)
                except PlayerError as error:
                    if error.code != "words-undecided":
                        return line
    return ""


def play_club_turn(club: SampleClub) -> None:
    """Let each seat that is awaited send the move of a robot, or nothing where there is nothing to do; where all are
    evaluated together, the deadline comes."""
    awaited = list_awaited_seats(club)
    for seat in awaited:
        if move := find_robot_move(club, seat):
            club.deliver_and_run(seat, move, f"a move ({move})")
    with club.open_match() as (_, row, live):
        at = row.final if live.table.is_simultaneous and not live.seats_wanted else None
    if at is not None:
        club.pass_time(seconds=(at - club.now).total_seconds() + 7200)
        club.run_and_collect("the deadline of a round")


def end_by_resigning(club: SampleClub) -> None:
    """Let all but one resign."""
    with club.open_match() as (_, row, live):
        code, seats = row.code, live.table.state.seats
    for seat in range(1, seats):
        with club.open_match() as (_, _, live):
            if live.table.state.over:
                return
        club.deliver_and_run(seat, f"RESIGN {code}", f"seat {seat} has resigned")


def publish_match_pages(club: SampleClub) -> dict[str, bytes]:
    """Publish the site and return the pages of the match."""
    from moderator.site.build import update_site

    folder = club.config.file.parent / "site"
    update_site(club.config, club.now, folder)
    return {str(file.relative_to(folder)): file.read_bytes() for file in _iter_match_files(folder)}


def _iter_match_files(folder: Path) -> Iterator[Path]:
    yield from (file for file in sorted(folder.rglob("*")) if file.is_file() and "matches" in file.parts)
