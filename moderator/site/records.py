"""The best of each game: highest move, longest word, most points, and so on, of matches that have ended, by people; and
what was remarkable in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from moderator.match.outcome import holders
from moderator.match.replay import Entry
from moderator.match.result import Played, Result
from moderator.match.time.calendar import local_day
from moderator.site.site import Listed, Site, Sitting
from moderator.site.tree import File
from moderator.states import EntryKind
from moderator.store import events


@dataclass(frozen=True)
class Best:
    """One record."""

    kind: str
    """Message ``site.best-…``."""
    value: int
    text: str
    """The move or the word; "" for what a whole match has achieved."""
    player: Sitting | None
    match: Listed
    moment: int | None = None


@dataclass(frozen=True)
class Chapter:
    """A game."""

    game: str
    matches: int
    best: tuple[Best, ...]


def files(site: Site) -> Iterator[File]:
    """``records.html`` in each language."""
    counted = [match for match in site.matches if recorded(match)]
    key = site.key("records", counted)
    for language in site.languages:
        yield File(site.path("records.html", language), key, partial(_page, site, counted, language))


def recorded(match: Listed) -> bool:
    """Matches that count and in which somebody sits who is no robot."""
    return match.counts and match.ending is not None and any(not seat.robot for seat in match.seats)


def _page(site: Site, counted: Sequence[Listed], language: str) -> bytes:
    return site.render("records.html.j2", "records.html", language, chapters=chapters(site, counted))


def chapters(site: Site, counted: Sequence[Listed]) -> tuple[Chapter, ...]:
    """The game with the most matches first."""
    by_game: dict[str, list[Listed]] = {}
    for match in counted:
        by_game.setdefault(match.game, []).append(match)
    feats = highlights(site, counted)
    zone = site.config.club.zone
    made = (Chapter(game, len(rows), tuple(_best(site, rows, feats, zone))) for game, rows in by_game.items())
    return tuple(sorted(made, key=lambda one: (-one.matches, one.game)))


def _best(site: Site, matches: Sequence[Listed], feats: Mapping[int, Highlights], zone: str) -> Iterator[Best]:
    """Of equals the older one: a record is held by whoever had it first."""
    found = (
        _feat(site, "move", ((feat, match) for match in matches for feat in feats[match.id].best), _points),
        _feat(site, "word", ((feat, match) for match in matches for feat in feats[match.id].words), _letters),
        _most(_scores(site, matches)),
        _most(_leads(site, matches)),
        _most(_moves(matches)),
        _days("longest", matches, zone, 1),
        _days("shortest", matches, zone, -1),
    )
    yield from (one for one in found if one is not None and one.value > 0)


def _points(feat: Feat) -> tuple[int, ...]:
    return (feat.points,)


def _letters(feat: Feat) -> tuple[int, ...]:
    return len(feat.text), feat.points


def _feat(
    site: Site, kind: str, feats: Iterable[tuple[Feat, Listed]], rank: Callable[[Feat], tuple[int, ...]]
) -> Best | None:
    people = site.people
    known = [(feat, m) for feat, m in feats if feat.player in people and not people[feat.player].robot]
    if not known:
        return None
    feat, match = max(known, key=lambda one: (rank(one[0]), -one[1].id))
    value = feat.points if kind == "move" else len(feat.text)
    return Best(kind, value, feat.text, people[feat.player], match, feat.moment)


def _scores(site: Site, matches: Iterable[Listed]) -> Iterator[Best]:
    for match in matches:
        assert match.ending is not None
        for seat in match.seats:
            if not seat.robot and seat.number not in {*match.ending.out, *site.borrowed(match)}:
                yield Best("score", match.ending.scores[seat.number], "", seat, match)


def _leads(site: Site, matches: Iterable[Listed]) -> Iterator[Best]:
    """Wins with how far the second one was behind; who had no chance to the end is not beaten."""
    for match in matches:
        assert match.ending is not None
        if match.ending.out or len(match.ending.sums) < 2:
            continue
        first, second = sorted(match.ending.sums, reverse=True)[:2]
        winner = match.seats[match.ending.sums.index(first)]
        own = winner.number not in site.borrowed(match)
        if match.ending.places[winner.number] == 1 and own and not winner.robot:
            yield Best("lead", first - second, "", winner, match)


def _moves(matches: Iterable[Listed]) -> Iterator[Best]:
    for match in matches:
        assert match.ending is not None
        yield Best("moves-made", sum(match.ending.moves), "", None, match)


def _most(found: Iterable[Best]) -> Best | None:
    return max(found, key=lambda best: (best.value, -best.match.id), default=None)


def _days(kind: str, matches: Iterable[Listed], zone: str, sign: int) -> Best | None:
    """By days from deal to end, both counted; only of those that were played to the end, where there are several."""
    found = [
        Best(kind, (local_day(m.finished, zone) - local_day(m.started, zone)).days + 1, "", None, m)
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


def highlights(site: Site, matches: Sequence[Listed]) -> Mapping[int, Highlights]:
    """Of finished ``matches`` by primary key; only those that have changed since the last run are read."""
    keys = {match.id: f"{match.entries} {[seat.player for seat in match.seats]}" for match in matches}
    by_id = {match.id: match for match in matches}
    missing = [number for number, key in keys.items() if not site.values.has("feats", number, key)]
    for first in range(0, len(missing), AT_ONCE):
        for number, entries in events.logs(site.desk.session, missing[first : first + AT_ONCE]):
            made = of_log(entries, [seat.player for seat in by_id[number].seats])
            site.values.put(
                "feats", number, keys[number], [[vars(f) for f in made.best], [vars(f) for f in made.words]]
            )
    return {number: _read(site.values.get("feats", number, key)) for number, key in keys.items()}


def _read(value: Any) -> Highlights:
    best, words = value or ((), ())
    return Highlights(tuple(Feat(**one) for one in best), tuple(Feat(**one) for one in words))


def of_log(entries: Sequence[Entry], players: Sequence[int]) -> Highlights:
    """``players``: who has each seat at the end. What was undone does not count, nor do moves of players who have left
    the seat and of whom the log does not say who they were."""
    best: dict[int, Feat] = {}
    words: dict[int, Feat] = {}
    moment = 0
    for entry, here in holders(entries, players):
        turns = _turns(entry)
        taken = entry.kind == EntryKind.HAND_OVER and entry.text.isdecimal()
        if not (turns or taken or entry.kind in (EntryKind.RETIRE, EntryKind.STOP)):
            continue
        moment += 1
        for turn in turns:
            player = here[turn.seat]
            if player is not None and turn.alternative:
                _note(best, words, player, turn, moment)
    return Highlights(tuple(best.values()), tuple(words.values()))


def _turns(entry: Entry) -> tuple[Played, ...]:
    """Those that the list of moves shows (outbox/asked.py)."""
    moves: Iterable[Played] = Result.from_json(entry.outcome).moves if entry.outcome.get("moves") else ()
    return tuple(move for move in moves if entry.kind != EntryKind.MOVE or move.alternative)


def _note(best: dict[int, Feat], words: dict[int, Feat], player: int, turn: Played, moment: int) -> None:
    if turn.points > (best[player].points if player in best else 0):
        best[player] = Feat(player, turn.points, turn.told, moment)
    for word in turn.detail.get("words", ()):
        feat = Feat(player, word["points"], word["word"], moment)
        if player not in words or _length(feat) > _length(words[player]):
            words[player] = feat


def _length(feat: Feat) -> tuple[int, int]:
    return len(feat.text), feat.points
