"""The players: a list with the ratings of each game, and a page for everybody who sits in a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

from moderator.club import ratings
from moderator.site.board import rating_curves
from moderator.site.records import Feat, Highlights, highlights
from moderator.site.site import Listed, Site, Sitting, View
from moderator.site.tournament_list import Entered, ListedTournament
from moderator.site.tree import File
from moderator.tournaments.rating import NEWCOMER, Entry, Ranked, Rating, begun_with, courses, ranking

LATEST = 50
"""Finished matches on a player's page; more are found by year."""


@dataclass(frozen=True)
class Rated:
    """A line of a rating list."""

    place: int | None
    player: Sitting
    rating: int
    games: int


@dataclass(frozen=True)
class Counted:
    """A line of the list of players."""

    player: Sitting
    finished: int
    running: int
    won: int


def files(site: Site) -> Iterator[File]:
    """``players.html`` and ``players/7.html`` in each language; names stand in no address."""
    careers = Careers(site)
    rated = sorted(careers.sources.items())
    seated = tuple((match.id, match.status, match.seats) for match in site.matches)
    others = [one for player, one in site.people.items() if not careers.matches[player]]
    key = site.key("players", rated, seated, *([others] if others else ()))
    for language in site.languages:
        make = partial(_list, careers, "players.html", language)
        yield File(site.path("players.html", language), key, make)
    for player in site.people:
        matches, elsewhere = careers.matches[player], careers.elsewhere(player)
        games = {match.game for match in matches} | {entry.family for entry in elsewhere}
        sources = [careers.sources.get((game, player), "") for game in sorted(games)]
        names = [site.people[int(one)].name for entry in elsewhere for one in entry.players]
        key = site.key("player", matches, sources, careers.tournaments.get(player, ()), *([names] if names else ()))
        for language in site.languages:
            page = f"players/{player}.html"
            yield File(site.path(page, language), key, partial(_page, careers, player, page, language))


def _list(careers: Careers, page: str, language: str) -> bytes:
    site = careers.site
    lists = {game: _rated(careers, game) for game in careers.games}
    return site.render(
        "players.html.j2",
        page,
        language,
        players=sorted((_counted(careers, player) for player in site.people), key=_by_name),
        lists={game: rated for game, rated in lists.items() if rated},
        begun=any(entry.begins for entry in site.brought),
        elsewhere=any(not entry.begins for entry in site.brought),
    )


def _by_name(one: Counted) -> str:
    return one.player.name.casefold()


def _counted(careers: Careers, player: int) -> Counted:
    records = careers.records(player)
    return Counted(
        careers.site.people[player],
        careers.finished(player),
        sum(one.running for one in records),
        sum(one.won for one in records),
    )


def _rated(careers: Careers, game: str) -> tuple[Rated, ...]:
    people = careers.site.people
    return tuple(
        Rated(one.place, people[int(one.player)], one.rating.shown, one.rating.games) for one in careers.ranking(game)
    )


def _page(careers: Careers, player: int, page: str, language: str) -> bytes:
    site = careers.site
    records = careers.records(player)
    view = View(site, page, language)
    over = [match for match in careers.matches[player] if match.over]
    best = sorted((one.best for one in records if one.best), key=lambda one: -one[0].points)
    return site.render(
        "player.html.j2",
        page,
        language,
        player=site.people[player],
        records=records,
        against=careers.against(player),
        curves=tuple((one, curve) for one in records if (curve := _curve(one, view))),
        best=best,
        tournaments=careers.tournaments.get(player, ()),
        running=[match for match in careers.matches[player] if not match.over],
        finished=_newest_first(over)[:LATEST],
        more=max(0, len(over) - LATEST),
    )


def _newest_first(matches: list[Listed]) -> list[Listed]:
    return sorted(matches, key=lambda match: (match.finished is None, match.finished, match.id), reverse=True)


def _curve(record: Record, view: View) -> str:
    """With the days of the first and the last match below it."""
    if not record.course:
        return ""
    begin, end = (view.day(record.course[at][0].finished_at) for at in (0, -1))
    shown = [record.begun.shown, *(rating.shown for _, rating in record.course)]
    spoken = view.t(
        "site.rating-says", game=view.game(record.game), count=len(record.course), first=shown[0], last=shown[-1]
    )
    return rating_curves(shown, begin, end, spoken)


# ---- careers ----
#
# What a player has played: matches won and lost, ratings over time, best moves, places in tournaments.


Course = list[tuple[Entry, Rating]]


@dataclass(frozen=True)
class Record:
    """A player's matches of one game, and games that were finished elsewhere."""

    game: str
    won: int
    shared: int
    """First places that were shared."""
    lost: int
    running: int
    begun: Rating
    """With which the player began here."""
    course: Course
    best: tuple[Feat, Listed] | None

    @property
    def played(self) -> int:
        return self.won + self.shared + self.lost

    @property
    def rating(self) -> Rating:
        return self.course[-1][1] if self.course else self.begun

    @property
    def rated(self) -> bool:
        return bool(self.course) or self.begun != NEWCOMER

    @property
    def change(self) -> int:
        """By the last rated match."""
        before = self.course[-2][1] if len(self.course) > 1 else self.begun
        return self.rating.shown - before.shown


@dataclass(frozen=True)
class Ended:
    """How a game ended, here or elsewhere."""

    game: str
    players: tuple[int, ...]
    places: tuple[int, ...]
    """Beside ``players``, from 1."""
    aside: frozenset[int] = frozenset()
    """Players of whom it says nothing: most moves of their seats were somebody else's."""

    def of(self, player: int) -> Literal["won", "shared", "lost"]:
        """For one of them."""
        if self.places[self.players.index(player)] > 1:
            return "lost"
        return "won" if self.places.count(1) == 1 else "shared"


@dataclass(frozen=True)
class Against:
    """A player's finished matches with one other: in those of several seats the better place has won."""

    player: Sitting
    """The other one."""
    won: int
    shared: int
    """Both on the same place."""
    lost: int

    @property
    def played(self) -> int:
        return self.won + self.shared + self.lost


class Careers:
    """Everybody's, read from the site once."""

    def __init__(self, site: Site) -> None:
        self.site = site

    @cached_property
    def matches(self) -> Mapping[int, list[Listed]]:
        """By player, the newest first."""
        found: dict[int, list[Listed]] = {player: [] for player in self.site.people}
        for match in self.site.matches:
            for player in dict.fromkeys(seat.player for seat in match.seats):
                found[player].append(match)
        return found

    @cached_property
    def _elsewhere(self) -> Mapping[int, list[Entry]]:
        found: dict[int, list[Entry]] = {}
        for entry in self.site.brought:
            for player in entry.players:
                found.setdefault(int(player), []).append(entry)
        return found

    def elsewhere(self, player: int) -> Sequence[Entry]:
        """What the player has brought along."""
        return self._elsewhere.get(player, ())

    def ends_elsewhere(self, player: int) -> list[Ended]:
        """How games ended that the player finished elsewhere."""
        return [
            Ended(entry.family, tuple(map(int, entry.players)), entry.places)
            for entry in self.elsewhere(player)
            if entry.begins is None
        ]

    def ends(self, player: int) -> list[Ended]:
        """How the player's games ended, here and elsewhere; none of which the moderator has not said it yet, and none
        in which the player only came in for somebody."""
        here = [
            Ended(match.game, tuple(seat.player for seat in match.seats), match.ending.places, self._aside(match))
            for match in self.matches[player]
            if match.counts and match.ending is not None
        ]
        return [one for one in here if player not in one.aside] + self.ends_elsewhere(player)

    def finished(self, player: int) -> int:
        """How many matches the player has played to their ends, here and elsewhere, also such as had no winner."""
        here = [match for match in self.matches[player] if match.counts and player not in self._aside(match)]
        return len(here) + len(self.ends_elsewhere(player))

    def _aside(self, match: Listed) -> frozenset[int]:
        """Players of whom the result says nothing."""
        return frozenset(match.seats[seat].player for seat in self.site.borrowed(match))

    @cached_property
    def tournaments(self) -> Mapping[int, list[tuple[ListedTournament, Entered]]]:
        """By player, the newest first."""
        found: dict[int, list[tuple[ListedTournament, Entered]]] = {}
        for tournament in self.site.tournaments:
            for one in tournament.taking_part:
                found.setdefault(one.player, []).append((tournament, one))
        return found

    @cached_property
    def sources(self) -> Mapping[tuple[str, int], str]:
        """By game and player, a digest of all that the player's rating comes from: the matches up to the last one of
        its own. Cheap, unlike the ratings, and what others play later does not change it."""
        rows: list[tuple[tuple[Any, ...], str, list[int], tuple[Any, ...]]] = []
        for match in self.site.matches:
            if match.counts and match.finished is not None and match.ending is not None:
                players = [seat.player for seat in match.seats]
                row = (match.id, match.finished, players, match.ending)
                rows.append(((True, match.finished, f"{match.id:012}"), match.game, players, row))
        for one in self.site.brought:
            order = (one.begins is None, one.finished_at, one.id)
            rows.append((order, one.family, [int(player) for player in one.players], (one,)))
        found: dict[tuple[str, int], str] = {}
        ledgers: dict[str, str] = {}
        for _, game, players, row in sorted(rows, key=lambda one: one[0]):
            ledgers[game] = self.site.key((ledgers.get(game), *row))
            found |= {(game, player): ledgers[game] for player in players}
        return found

    @cached_property
    def games(self) -> tuple[str, ...]:
        """Those that somebody has played, the most played first."""
        counts: dict[str, int] = {}
        for match in self.site.matches:
            counts[match.game] = counts.get(match.game, 0) + (not match.training)
        for entry in self.site.brought:
            counts[entry.family] = counts.get(entry.family, 0) + (entry.begins is None)
        return tuple(sorted(counts, key=lambda game: (-counts[game], game)))

    @cached_property
    def courses(self) -> Mapping[str, Mapping[str, Course]]:
        """By game and player: the ledger is replayed once for the whole site."""
        ledger = ratings.ledger(self.site.desk.session)
        return {game: courses(ledger, game) for game in self.games}

    def rated(self, game: str) -> Mapping[str, Rating]:
        """The rating of everybody who has one, by player."""
        return begun_with(self.site.brought, game) | {
            player: course[-1][1] for player, course in self.courses[game].items()
        }

    @cached_property
    def feats(self) -> Mapping[int, Highlights]:
        return highlights(self.site, [match for match in self.site.matches if match.counts])

    def ranking(self, game: str) -> list[Ranked]:
        """The rating list of a game; equal numbers by name."""
        names = {f"{one.name.casefold()}\0{player}": str(player) for player, one in self.site.people.items()}
        known = self.rated(game)
        rated = {name: known[key] for name, key in names.items() if key in known}
        return [Ranked(one.place, names[one.player], one.rating) for one in ranking(rated)]

    def records(self, player: int) -> tuple[Record, ...]:
        """By game, the favourite one first."""
        by_game: dict[str, list[Listed]] = {}
        for match in self.matches[player]:
            if not match.training:
                by_game.setdefault(match.game, []).append(match)
        for entry in self.elsewhere(player):
            by_game.setdefault(entry.family, [])
        ends = self.ends(player)
        made = (self._record(player, game, matches, ends) for game, matches in by_game.items())
        return tuple(sorted(made, key=lambda one: (-one.played - one.running, one.game)))

    def against(self, player: int) -> tuple[Against, ...]:
        """By opponent, the one met most often first."""
        found: dict[int, list[int]] = {}
        for one in self.ends(player):
            places = dict(zip(one.players, one.places, strict=True))
            for other, place in places.items():
                if other != player and other not in one.aside:
                    found.setdefault(other, []).append((places[player] > place) - (places[player] < place))
        people = self.site.people
        made = (Against(people[one], ends.count(-1), ends.count(0), ends.count(1)) for one, ends in found.items())
        return tuple(sorted(made, key=lambda one: (-one.played, one.player.name.casefold(), one.player.player)))

    def _record(self, player: int, game: str, matches: list[Listed], ended: Sequence[Ended]) -> Record:
        ends = [one.of(player) for one in ended if one.game == game]
        feats = [
            (feat, match)
            for match in matches
            if match.counts
            for feat in self.feats[match.id].best
            if feat.player == player
        ]
        return Record(
            game,
            ends.count("won"),
            ends.count("shared"),
            ends.count("lost"),
            sum(not match.over for match in matches),
            begun_with(self.elsewhere(player), game).get(str(player), NEWCOMER),
            self.courses[game].get(str(player), []),
            max(feats, key=lambda one: (one[0].points, one[1].id), default=None),
        )
