"""The players: a list with the ratings of each game, and a page for everybody who sits in a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from moderator.club import ratings
from moderator.site.board import rating_curves
from moderator.site.records import Feat, Highlights, highlights
from moderator.site.site import Listed, Site, Sitting, View
from moderator.site.tournament_list import Entered, ListedTournament
from moderator.site.tree import File
from moderator.tournaments.rating import NEWCOMER, Entry, Ranked, Rating, courses, ranking

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
    key = site.key("players", rated, tuple((match.id, match.status, match.seats) for match in site.matches))
    for language in site.languages:
        make = partial(_list, careers, "players.html", language)
        yield File(site.path("players.html", language), key, make)
    for player in site.people:
        matches = careers.matches[player]
        sources = [careers.sources.get((game, player), "") for game in sorted({match.game for match in matches})]
        key = site.key("player", matches, sources, careers.tournaments.get(player, ()))
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
    )


def _by_name(one: Counted) -> str:
    return one.player.name.casefold()


def _counted(careers: Careers, player: int) -> Counted:
    records = careers.records(player)
    return Counted(
        careers.site.people[player],
        sum(match.over for match in careers.matches[player]),
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
    shown = [NEWCOMER.shown, *(rating.shown for _, rating in record.course)]
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
    """A player's matches of one game."""

    game: str
    won: int
    shared: int
    """First places that were shared."""
    lost: int
    running: int
    course: Course
    best: tuple[Feat, Listed] | None

    @property
    def played(self) -> int:
        return self.won + self.shared + self.lost

    @property
    def rating(self) -> Rating:
        return self.course[-1][1] if self.course else NEWCOMER

    @property
    def change(self) -> int:
        """By the last rated match."""
        before = self.course[-2][1] if len(self.course) > 1 else NEWCOMER
        return self.rating.shown - before.shown


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
        found: dict[int, list[Listed]] = {}
        for match in self.site.matches:
            for player in dict.fromkeys(seat.player for seat in match.seats):
                found.setdefault(player, []).append(match)
        return found

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
        ruled = {match: result for tournament in self.site.tournaments for match, result in tournament.ruled}
        over = [match for match in self.site.matches if match.finished is not None and match.outcome is not None]
        found: dict[tuple[str, int], str] = {}
        ledgers: dict[str, str] = {}
        for match in sorted(over, key=lambda match: (match.finished, match.id)):
            players = [seat.player for seat in match.seats]
            row = (ledgers.get(match.game), match.id, match.finished, players, match.outcome, ruled.get(match.id))
            ledgers[match.game] = self.site.key(row)
            found |= {(match.game, player): ledgers[match.game] for player in players}
        return found

    @cached_property
    def games(self) -> tuple[str, ...]:
        """Those that somebody has played, the most played first."""
        counts: dict[str, int] = {}
        for match in self.site.matches:
            counts[match.game] = counts.get(match.game, 0) + 1
        return tuple(sorted(counts, key=lambda game: (-counts[game], game)))

    @cached_property
    def courses(self) -> Mapping[str, Mapping[str, Course]]:
        """By game and player: the ledger is replayed once for the whole site."""
        ledger = ratings.ledger(self.site.desk.session)
        return {game: courses(ledger, game) for game in self.games}

    @cached_property
    def feats(self) -> Mapping[int, Highlights]:
        return highlights(self.site, [match for match in self.site.matches if match.over])

    def ranking(self, game: str) -> list[Ranked]:
        """The rating list of a game; equal numbers by name."""
        names = {f"{one.name.casefold()}\0{player}": str(player) for player, one in self.site.people.items()}
        rated = {name: self.courses[game][key][-1][1] for name, key in names.items() if key in self.courses[game]}
        return [Ranked(one.place, names[one.player], one.rating) for one in ranking(rated)]

    def records(self, player: int) -> tuple[Record, ...]:
        """By game, the favourite one first."""
        by_game: dict[str, list[Listed]] = {}
        for match in self.matches[player]:
            by_game.setdefault(match.game, []).append(match)
        made = (self._record(player, game, matches) for game, matches in by_game.items())
        return tuple(sorted(made, key=lambda one: (-one.played - one.running, one.game)))

    def against(self, player: int) -> tuple[Against, ...]:
        """By opponent, the one met most often first."""
        found: dict[int, list[int]] = {}
        for match in self.matches[player]:
            if match.over and match.outcome and match.outcome.places:
                places = {seat.player: place for seat, place in zip(match.seats, match.outcome.places, strict=True)}
                for other, place in places.items():
                    if other != player:
                        found.setdefault(other, []).append((places[player] > place) - (places[player] < place))
        people = self.site.people
        made = (Against(people[one], ends.count(-1), ends.count(0), ends.count(1)) for one, ends in found.items())
        return tuple(sorted(made, key=lambda one: (-one.played, one.player.name.casefold(), one.player.player)))

    def _record(self, player: int, game: str, matches: list[Listed]) -> Record:
        ends = [end for match in matches if match.over for end in _ends(match, player)]
        feats = [
            (feat, match)
            for match in matches
            if match.over
            for feat in self.feats[match.id].best
            if feat.player == player
        ]
        return Record(
            game,
            ends.count("won"),
            ends.count("shared"),
            ends.count("lost"),
            sum(not match.over for match in matches),
            self.courses[game].get(str(player), []),
            max(feats, key=lambda one: (one[0].points, one[1].id), default=None),
        )


def _ends(match: Listed, player: int) -> Iterator[str]:
    """How it ended for the player: nothing where the moderator has not said yet."""
    if match.outcome is None or not match.outcome.places:
        return
    places = match.outcome.places
    seat = next(seat.number for seat in match.seats if seat.player == player)
    first = [number for number, place in enumerate(places) if place == 1]
    yield "lost" if seat not in first else "won" if len(first) == 1 else "shared"
