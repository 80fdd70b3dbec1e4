"""The best of each game: highest move, longest word, most points, and so on, of matches that have ended, by people; and
what was remarkable in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from moderator.common.enums import LogEntryKind
from moderator.rules.ending import iter_seat_holders
from moderator.rules.log import EngineResult, PlayedMove
from moderator.rules.replay import LogEntry
from moderator.rules.time.calendar import to_local_day
from moderator.site.layout import ListedMatch, SeatHolder, SiteContent
from moderator.site.tree import SiteFile
from moderator.store import matches_log


@dataclass(frozen=True)
class BestResult:
    """One record of the club."""

    kind: str
    """Message ``site.best-…``."""
    value: int
    text: str
    """The move or the word; "" for what a whole match has achieved."""
    player: SeatHolder | None
    match: ListedMatch
    moment: int | None = None


@dataclass(frozen=True)
class GameBests:
    """The records of one game."""

    game: str
    matches: int
    best: tuple[BestResult, ...]


def iter_record_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``records.html`` in each language."""
    counted = [match for match in site.matches if is_record_match(match)]
    key = site.compute_key("records", counted)
    for language in site.languages:
        yield SiteFile(
            site.get_page_path("records.html", language), key, partial(_render_record_page, site, counted, language)
        )


def is_record_match(match: ListedMatch) -> bool:
    """Return whether the match counts and somebody who is no robot sits in it."""
    return match.counts and match.ending is not None and any(not seat.robot for seat in match.seats)


def _render_record_page(site: SiteContent, counted: Sequence[ListedMatch], language: str) -> bytes:
    return site.render_page("records.html.j2", "records.html", language, chapters=list_game_bests(site, counted))


def list_game_bests(site: SiteContent, counted: Sequence[ListedMatch]) -> tuple[GameBests, ...]:
    """Return the records by game, the game with the most matches first."""
    by_game: dict[str, list[ListedMatch]] = {}
    for match in counted:
        by_game.setdefault(match.game, []).append(match)
    feats = load_highlights(site, counted)
    zone = site.config.club.zone
    made = (
        GameBests(game, len(rows), tuple(_iter_best_results(site, rows, feats, zone))) for game, rows in by_game.items()
    )
    return tuple(sorted(made, key=lambda one: (-one.matches, one.game)))


def _iter_best_results(
    site: SiteContent, matches: Sequence[ListedMatch], feats: Mapping[int, Highlights], zone: str
) -> Iterator[BestResult]:
    """Yield the records of one game; of equals the older one: a record is held by the first who reached it."""
    found = (
        _find_best_feat(
            site, "move", ((feat, match) for match in matches for feat in feats[match.id].best), _get_points_rank
        ),
        _find_best_feat(
            site, "word", ((feat, match) for match in matches for feat in feats[match.id].words), _get_letters_rank
        ),
        _find_highest(_iter_scores(site, matches)),
        _find_highest(_iter_leads(site, matches)),
        _find_highest(_iter_move_counts(matches)),
        _find_by_duration("longest", matches, zone, 1),
        _find_by_duration("shortest", matches, zone, -1),
    )
    yield from (one for one in found if one is not None and one.value > 0)


def _get_points_rank(feat: Feat) -> tuple[int, ...]:
    return (feat.points,)


def _get_letters_rank(feat: Feat) -> tuple[int, ...]:
    return len(feat.text), feat.points


def _find_best_feat(
    site: SiteContent, kind: str, feats: Iterable[tuple[Feat, ListedMatch]], rank: Callable[[Feat], tuple[int, ...]]
) -> BestResult | None:
    people = site.people
    known = [(feat, m) for feat, m in feats if feat.player in people and not people[feat.player].robot]
    if not known:
        return None
    feat, match = max(known, key=lambda one: (rank(one[0]), -one[1].id))
    value = feat.points if kind == "move" else len(feat.text)
    return BestResult(kind, value, feat.text, people[feat.player], match, feat.moment)


def _iter_scores(site: SiteContent, matches: Iterable[ListedMatch]) -> Iterator[BestResult]:
    for match in matches:
        assert match.ending is not None
        for seat in match.seats:
            if not seat.robot and seat.number not in {*match.ending.out, *site.get_borrowed_seats(match)}:
                yield BestResult("score", match.ending.scores[seat.number], "", seat, match)


def _iter_leads(site: SiteContent, matches: Iterable[ListedMatch]) -> Iterator[BestResult]:
    """Yield the wins with the distance of the second; without matches in which a player dropped out before the end."""
    for match in matches:
        assert match.ending is not None
        if match.ending.out or len(match.ending.sums) < 2:
            continue
        first, second = sorted(match.ending.sums, reverse=True)[:2]
        winner = match.seats[match.ending.sums.index(first)]
        own = winner.number not in site.get_borrowed_seats(match)
        if match.ending.places[winner.number] == 1 and own and not winner.robot:
            yield BestResult("lead", first - second, "", winner, match)


def _iter_move_counts(matches: Iterable[ListedMatch]) -> Iterator[BestResult]:
    for match in matches:
        assert match.ending is not None
        yield BestResult("moves-made", sum(match.ending.moves), "", None, match)


def _find_highest(found: Iterable[BestResult]) -> BestResult | None:
    return max(found, key=lambda best: (best.value, -best.match.id), default=None)


def _find_by_duration(kind: str, matches: Iterable[ListedMatch], zone: str, sign: int) -> BestResult | None:
    """Return the longest or shortest match by days from deal to end, both counted; only of those that were played to
    the end, where there are several."""
    found = [
        BestResult(kind, (to_local_day(m.finished, zone) - to_local_day(m.started, zone)).days + 1, "", None, m)
        for m in matches
        if m.started is not None and m.finished is not None and m.ending is not None and not m.ending.out
    ]
    return max(found, key=lambda best: (sign * best.value, -best.match.id)) if len(found) > 1 else None


# ---- what was remarkable in matches that have ended: each player's best move, the longest word ----


AT_ONCE = 400
"""Matches that are read by one question."""


@dataclass(frozen=True)
class Feat:
    """A move, or a word of it."""

    player: int
    """Primary key of who had the seat then."""
    points: int
    text: str
    """The move as the list of moves has it, or the word."""
    moment: int
    """Of the match's page."""


@dataclass(frozen=True)
class Highlights:
    best: tuple[Feat, ...] = ()
    """The best move of each player who scored with one."""
    words: tuple[Feat, ...] = ()
    """The longest word of each player; of words of one length the one with more points."""


def load_highlights(site: SiteContent, matches: Sequence[ListedMatch]) -> Mapping[int, Highlights]:
    """Return the highlights of finished ``matches`` by primary key; only matches that have changed since the last run
    are read."""
    keys = {match.id: f"{match.entries} {[seat.player for seat in match.seats]}" for match in matches}
    by_id = {match.id: match for match in matches}
    missing = [number for number, key in keys.items() if not site.values.has_value("feats", number, key)]
    for first in range(0, len(missing), AT_ONCE):
        for number, entries in matches_log.iter_match_logs(site.work.session, missing[first : first + AT_ONCE]):
            made = extract_highlights(entries, [seat.player for seat in by_id[number].seats])
            site.values.store_value(
                "feats", number, keys[number], [[vars(f) for f in made.best], [vars(f) for f in made.words]]
            )
    return {number: _decode_highlights(site.values.find_value("feats", number, key)) for number, key in keys.items()}


def _decode_highlights(value: Any) -> Highlights:
    best, words = value or ((), ())
    return Highlights(tuple(Feat(**one) for one in best), tuple(Feat(**one) for one in words))


def extract_highlights(entries: Sequence[LogEntry], players: Sequence[int]) -> Highlights:
    """Extract the highlights from a log. ``players``: who has each seat at the end. Undone moves do not count, nor do
    moves of players who have left the seat and whom the log does not name."""
    best: dict[int, Feat] = {}
    words: dict[int, Feat] = {}
    moment = 0
    for entry, here in iter_seat_holders(entries, players):
        turns = _list_visible_turns(entry)
        taken = entry.kind == LogEntryKind.HAND_OVER and entry.text.isdecimal()
        if not (turns or taken or entry.kind in (LogEntryKind.RETIRE, LogEntryKind.STOP)):
            continue
        moment += 1
        for turn in turns:
            player = here[turn.seat]
            if player is not None and turn.alternative:
                _update_highlights(best, words, player, turn, moment)
    return Highlights(tuple(best.values()), tuple(words.values()))


def _list_visible_turns(entry: LogEntry) -> tuple[PlayedMove, ...]:
    """Return the turns that the list of moves shows (views/history.py)."""
    moves: Iterable[PlayedMove] = EngineResult.from_json(entry.outcome).moves if entry.outcome.get("moves") else ()
    return tuple(move for move in moves if entry.kind != LogEntryKind.MOVE or move.alternative)


def _update_highlights(
    best: dict[int, Feat], words: dict[int, Feat], player: int, turn: PlayedMove, moment: int
) -> None:
    if turn.points > (best[player].points if player in best else 0):
        best[player] = Feat(player, turn.points, turn.public_text, moment)
    for word in turn.detail.get("words", ()):
        feat = Feat(player, word["points"], word["word"], moment)
        if player not in words or _get_word_rank(feat) > _get_word_rank(words[player]):
            words[player] = feat


def _get_word_rank(feat: Feat) -> tuple[int, int]:
    return len(feat.text), feat.points
