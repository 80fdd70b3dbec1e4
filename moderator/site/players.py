"""The players: a list with the ratings of each game, and a page for everybody who sits in a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

from moderator.site.board import render_rating_curve
from moderator.site.layout import ListedMatch, PageView, SeatHolder, SiteContent
from moderator.site.listed import ListedEntrant, ListedTournament
from moderator.site.records import Feat, Highlights, load_highlights
from moderator.site.standing import get_match_standing
from moderator.site.tree import SiteFile
from moderator.tournaments.ratings import (
    NEWCOMER,
    RankedPlayer,
    Rating,
    RatingEntry,
    build_rating_list,
    compute_rating_histories,
    get_initial_ratings,
)
from moderator.views import ratings

LATEST = 50
"""Finished matches on a player's page; more are found by year."""
FORM = 5
"""Of them so many make the player's form."""
LEAST_CURVE = 4
"""Rated matches from which a curve says more than its two ends."""


@dataclass(frozen=True)
class RatingRow:
    """A line of a rating list."""

    place: int | None
    player: SeatHolder
    rating: int
    games: int


@dataclass(frozen=True)
class PlayerListRow:
    """A line of the list of players."""

    player: SeatHolder
    form: list[tuple[Result, ListedMatch]]
    finished: int
    running: int
    won: int


def iter_player_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``players.html`` and ``players/7.html`` in each language; names stand in no address."""
    careers = PlayerCareers(site)
    rated = sorted(careers.sources.items())
    seated = tuple((match.id, match.status, match.seats) for match in site.matches)
    others = [one for player, one in site.people.items() if not careers.matches[player]]
    key = site.compute_key("players", rated, seated, *([others] if others else ()))
    for language in site.languages:
        make = partial(_render_player_list, careers, "players.html", language)
        yield SiteFile(site.get_page_path("players.html", language), key, make)
    for player in site.people:
        matches, elsewhere = careers.matches[player], careers.list_imported_entries(player)
        games = {match.game for match in matches} | {entry.family for entry in elsewhere}
        sources = [careers.sources.get((game, player), "") for game in sorted(games)]
        names = [site.people[int(one)].name for entry in elsewhere for one in entry.players]
        key = site.compute_key(
            "player", matches, sources, careers.tournaments.get(player, ()), *([names] if names else ())
        )
        for language in site.languages:
            page = f"players/{player}.html"
            yield SiteFile(
                site.get_page_path(page, language), key, partial(_render_player_page, careers, player, page, language)
            )


def _render_player_list(careers: PlayerCareers, page: str, language: str) -> bytes:
    site = careers.site
    lists = {game: _list_rating_rows(careers, game) for game in careers.games}
    return site.render_page(
        "players.html.j2",
        page,
        language,
        players=sorted((_build_player_row(careers, player) for player in site.people), key=_get_name_key),
        lists={game: rated for game, rated in lists.items() if rated},
        begun=any(entry.begins for entry in site.imported_entries),
        elsewhere=any(not entry.begins for entry in site.imported_entries),
    )


def _get_name_key(one: PlayerListRow) -> str:
    return one.player.name.casefold()


def _build_player_row(careers: PlayerCareers, player: int) -> PlayerListRow:
    records = careers.list_records(player)
    return PlayerListRow(
        careers.site.people[player],
        careers.list_form(player),
        careers.count_finished(player),
        sum(one.running for one in records),
        sum(one.won for one in records),
    )


def _list_rating_rows(careers: PlayerCareers, game: str) -> tuple[RatingRow, ...]:
    people = careers.site.people
    return tuple(
        RatingRow(one.place, people[int(one.player)], one.rating.rounded, one.rating.games)
        for one in careers.rank_players(game)
    )


def _render_player_page(careers: PlayerCareers, player: int, page: str, language: str) -> bytes:
    site = careers.site
    records = careers.list_records(player)
    view = PageView(site, page, language)
    over = [match for match in careers.matches[player] if match.over]
    best = sorted((one.best for one in records if one.best), key=lambda one: -one[0].points)
    return site.render_page(
        "player.html.j2",
        page,
        language,
        player=site.people[player],
        records=records,
        against=careers.list_opponents(player),
        curves=tuple((one, curve) for one in records if (curve := _render_curve(one, view))),
        best=best,
        tournaments=careers.tournaments.get(player, ()),
        finished_count=careers.count_finished(player),
        form=careers.list_form(player),
        running=[(match, get_match_standing(site, match)) for match in careers.matches[player] if not match.over],
        finished=_sort_newest_first(over)[:LATEST],
        more=max(0, len(over) - LATEST),
    )


def _sort_newest_first(matches: list[ListedMatch]) -> list[ListedMatch]:
    return sorted(matches, key=lambda match: (match.finished is None, match.finished, match.id), reverse=True)


def _render_curve(record: GameRecord, view: PageView) -> str:
    """Draw the player's rating in a game, with the days of the first and the last match below it."""
    if len(record.course) < LEAST_CURVE:
        return ""
    begin, end = (view.day(record.course[at][0].finished_at) for at in (0, -1))
    shown = [record.begun.rounded, *(rating.rounded for _, rating in record.course)]
    spoken = view.t(
        "site.rating-says", game=view.game(record.game), count=len(record.course), first=shown[0], last=shown[-1]
    )
    return render_rating_curve(shown, begin, end, spoken)


# ---- careers ----
#
# What a player has played: matches won and lost, ratings over time, best moves, places in tournaments.


Course = list[tuple[RatingEntry, Rating]]
Result = Literal["won", "shared", "lost"]


@dataclass(frozen=True)
class GameRecord:
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
    best: tuple[Feat, ListedMatch] | None

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
        """The change of the rating by the last rated match."""
        before = self.course[-2][1] if len(self.course) > 1 else self.begun
        return self.rating.rounded - before.rounded


@dataclass(frozen=True)
class EndedGame:
    """The end of a game, here or elsewhere."""

    game: str
    players: tuple[int, ...]
    places: tuple[int, ...]
    """Beside ``players``, from 1."""
    aside: frozenset[int] = frozenset()
    """Players of whom it says nothing: most moves of their seats were somebody else's."""

    def get_result(self, player: int) -> Result:
        """Return the result for one of the players."""
        if self.places[self.players.index(player)] > 1:
            return "lost"
        return "won" if self.places.count(1) == 1 else "shared"


@dataclass(frozen=True)
class OpponentRecord:
    """A player's finished matches with one other: in those of several seats the better place has won."""

    player: SeatHolder
    """The other one."""
    won: int
    shared: int
    """Both on the same place."""
    lost: int

    @property
    def played(self) -> int:
        return self.won + self.shared + self.lost


class PlayerCareers:
    """The careers of all players, read from the site once."""

    def __init__(self, site: SiteContent) -> None:
        self.site = site

    @cached_property
    def matches(self) -> Mapping[int, list[ListedMatch]]:
        """The matches by player, the newest first."""
        found: dict[int, list[ListedMatch]] = {player: [] for player in self.site.people}
        for match in self.site.matches:
            for player in dict.fromkeys(seat.player for seat in match.seats):
                found[player].append(match)
        return found

    @cached_property
    def _imported_by_player(self) -> Mapping[int, list[RatingEntry]]:
        found: dict[int, list[RatingEntry]] = {}
        for entry in self.site.imported_entries:
            for player in entry.players:
                found.setdefault(int(player), []).append(entry)
        return found

    def list_imported_entries(self, player: int) -> Sequence[RatingEntry]:
        """Return the results and ratings that the player has brought along."""
        return self._imported_by_player.get(player, ())

    def list_imported_ends(self, player: int) -> list[EndedGame]:
        """Return the ends of the games that the player finished elsewhere."""
        return [
            EndedGame(entry.family, tuple(map(int, entry.players)), entry.places)
            for entry in self.list_imported_entries(player)
            if entry.begins is None
        ]

    def list_ends(self, player: int) -> list[EndedGame]:
        """Return the ends of the player's games, here and elsewhere; without those that do not count yet (the moderator
        has to decide), and without those in which the player only stood in for somebody."""
        here = [self._build_end(match) for match in self.matches[player] if match.counts and match.ending is not None]
        return [one for one in here if player not in one.aside] + self.list_imported_ends(player)

    def _build_end(self, match: ListedMatch) -> EndedGame:
        players = tuple(seat.player for seat in match.seats)
        places = match.ending.places if match.ending else ()
        return EndedGame(match.game, players, places, self._collect_stand_ins(match))

    def list_form(self, player: int) -> list[tuple[Result, ListedMatch]]:
        """Return how the player's latest matches ended, the oldest first."""
        over = [
            match
            for match in self.matches[player]
            if match.counts and match.ending is not None and player not in self._collect_stand_ins(match)
        ]
        newest = reversed(_sort_newest_first(over)[:FORM])
        return [(self._build_end(match).get_result(player), match) for match in newest]

    def count_finished(self, player: int) -> int:
        """Count the matches that the player has played to their ends, here and elsewhere, also such as had no
        winner."""
        here = [
            match for match in self.matches[player] if match.counts and player not in self._collect_stand_ins(match)
        ]
        return len(here) + len(self.list_imported_ends(player))

    def _collect_stand_ins(self, match: ListedMatch) -> frozenset[int]:
        """Return the players for whom the result does not count: most moves of their seats were somebody else's."""
        return frozenset(match.seats[seat].player for seat in self.site.get_borrowed_seats(match))

    @cached_property
    def tournaments(self) -> Mapping[int, list[tuple[ListedTournament, ListedEntrant]]]:
        """The tournaments by player, the newest first."""
        found: dict[int, list[tuple[ListedTournament, ListedEntrant]]] = {}
        for tournament in self.site.tournaments:
            for one in tournament.taking_part:
                found.setdefault(one.player, []).append((tournament, one))
        return found

    @cached_property
    def sources(self) -> Mapping[tuple[str, int], str]:
        """By game and player, a digest of all that the player's rating is computed from: the matches up to the player's
        own last one. Cheap, unlike the ratings, and unchanged by what others play later."""
        rows: list[tuple[tuple[Any, ...], str, list[int], tuple[Any, ...]]] = []
        for match in self.site.matches:
            if match.counts and match.finished is not None and match.ending is not None:
                players = [seat.player for seat in match.seats]
                row = (match.id, match.finished, players, match.ending)
                rows.append(((True, match.finished, f"{match.id:012}"), match.game, players, row))
        for one in self.site.imported_entries:
            order = (one.begins is None, one.finished_at, one.id)
            rows.append((order, one.family, [int(player) for player in one.players], (one,)))
        found: dict[tuple[str, int], str] = {}
        ledgers: dict[str, str] = {}
        for _, game, players, row in sorted(rows, key=lambda one: one[0]):
            ledgers[game] = self.site.compute_key((ledgers.get(game), *row))
            found |= {(game, player): ledgers[game] for player in players}
        return found

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The games that somebody has played, the most played first."""
        counts: dict[str, int] = {}
        for match in self.site.matches:
            counts[match.game] = counts.get(match.game, 0) + (not match.training)
        for entry in self.site.imported_entries:
            counts[entry.family] = counts.get(entry.family, 0) + (entry.begins is None)
        return tuple(sorted(counts, key=lambda game: (-counts[game], game)))

    @cached_property
    def rating_histories(self) -> Mapping[str, Mapping[str, Course]]:
        """The ratings after each match, by game and player: the ledger is replayed once for the whole site."""
        ledger = ratings.load_rating_ledger(self.site.work.session)
        return {game: compute_rating_histories(ledger, game) for game in self.games}

    def get_ratings(self, game: str) -> Mapping[str, Rating]:
        """Return the rating of everybody who has one, by player."""
        return get_initial_ratings(self.site.imported_entries, game) | {
            player: course[-1][1] for player, course in self.rating_histories[game].items()
        }

    @cached_property
    def feats(self) -> Mapping[int, Highlights]:
        return load_highlights(self.site, [match for match in self.site.matches if match.counts])

    def rank_players(self, game: str) -> list[RankedPlayer]:
        """Return the rating list of a game; equal numbers by name."""
        names = {f"{one.name.casefold()}\0{player}": str(player) for player, one in self.site.people.items()}
        known = self.get_ratings(game)
        rated = {name: known[key] for name, key in names.items() if key in known}
        return [RankedPlayer(one.place, names[one.player], one.rating) for one in build_rating_list(rated)]

    def list_records(self, player: int) -> tuple[GameRecord, ...]:
        """Return the player's record in each game, the favourite game first."""
        by_game: dict[str, list[ListedMatch]] = {}
        for match in self.matches[player]:
            if not match.training:
                by_game.setdefault(match.game, []).append(match)
        for entry in self.list_imported_entries(player):
            by_game.setdefault(entry.family, [])
        ends = self.list_ends(player)
        made = (self._build_record(player, game, matches, ends) for game, matches in by_game.items())
        return tuple(sorted(made, key=lambda one: (-one.played - one.running, one.game)))

    def list_opponents(self, player: int) -> tuple[OpponentRecord, ...]:
        """Return the records against each opponent, the one met most often first."""
        found: dict[int, list[int]] = {}
        for one in self.list_ends(player):
            places = dict(zip(one.players, one.places, strict=True))
            for other, place in places.items():
                if other != player and other not in one.aside:
                    found.setdefault(other, []).append((places[player] > place) - (places[player] < place))
        people = self.site.people
        made = (
            OpponentRecord(people[one], ends.count(-1), ends.count(0), ends.count(1)) for one, ends in found.items()
        )
        return tuple(sorted(made, key=lambda one: (-one.played, one.player.name.casefold(), one.player.player)))

    def _build_record(
        self, player: int, game: str, matches: list[ListedMatch], ended: Sequence[EndedGame]
    ) -> GameRecord:
        ends = [one.get_result(player) for one in ended if one.game == game]
        feats = [
            (feat, match)
            for match in matches
            if match.counts
            for feat in self.feats[match.id].best
            if feat.player == player
        ]
        return GameRecord(
            game,
            ends.count("won"),
            ends.count("shared"),
            ends.count("lost"),
            sum(not match.over for match in matches),
            get_initial_ratings(self.list_imported_entries(player), game).get(str(player), NEWCOMER),
            self.rating_histories[game].get(str(player), []),
            max(feats, key=lambda one: (one[0].points, one[1].id), default=None),
        )
