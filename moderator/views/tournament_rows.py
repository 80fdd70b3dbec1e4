"""Between the rows of a tournament and the values of moderator/tournaments, which do all the thinking.

The settings (what its format needs, when its rounds end, who may join) are kept as JSON in the tournament's row. A
league has one ``TournamentState`` per division, every other format one in all (division 1). Where all games start at
once there is only one round in the calendar. What a format keeps beside its games (the rungs of a ladder and the
challenges between them) stands in the tournament's row."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Literal
from zoneinfo import ZoneInfo

from moderator import games
from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import ConfigError, MistypedError, OperatorError
from moderator.common.text import suggest
from moderator.common.typed import build_dataclass
from moderator.rules.game import Note, read_options
from moderator.rules.time.calendar import resolve_local_hour, to_local_day
from moderator.settings import Config
from moderator.store import matches, reviews, tournaments
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments import formats
from moderator.tournaments.field import Entrant, Game, Result, TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Bracket, Format, NoOptions, Rungs
from moderator.tournaments.standings import format_fraction
from moderator.tournaments.tiebreaks import COLUMNS
from moderator.views.people import list_named_alike
from moderator.views.unit_of_work import UnitOfWork

# ---- its settings ----


@dataclass(frozen=True)
class TournamentSettings:
    """The settings that all formats have: who may join, who is seeded where, when a round ends."""

    seeding: Literal["rating", "lot", "order"] = "rating"
    """Numbers in the table by rating, by lot from the recorded seed, or in the order of joining."""
    least: int = 2
    """With fewer entrants it does not begin."""
    most: int = 0
    """More wait on the standby list; 0 = no limit."""
    invite: bool = True
    """When the registration opens, all players of the club get a mail."""
    round_days: int = 0
    """Days until the latest end of a round, which is published with the pairings; 0 = by format."""
    warn_days: int = 7
    """So many days before it those whose games are open are warned; 0 = not."""
    adjudicate: Literal["score", "moderator"] = "score"
    """Unfinished games at that end: by score less what is on the racks, or by the moderator's word."""
    early: bool = False
    """Matches evaluate a round as soon as all orders are in."""
    tiebreaks: tuple[str, ...] = ()
    """In the order applied; () = by format."""
    spread_cap: int = 100
    """So much of a game's difference of scores counts at most."""
    own: Any = field(default_factory=NoOptions)
    """What the format has of its own, see ``Format.options``."""

    def get_own_setting(self, name: str, usual: Any) -> Any:
        """Return a setting of the format's own; ``usual`` where the format has no such setting."""
        return getattr(self.own, name, usual)

    def compute_round_days(self, format_key: str) -> int:
        """Compute the days from the start of a round to its latest end."""
        return self.round_days or formats.load_format(format_key).days

    def check_values(self, where: str) -> None:
        """Check the values. Raises ConfigError for values that cannot be."""
        for name, lowest, highest in (
            ("least", 2, 1000),
            ("most", 0, 1000),
            ("round_days", 0, 3660),
            ("warn_days", 0, 366),
            ("spread_cap", 1, 100_000),
        ):
            _check_bounds(where, name, getattr(self, name), lowest, highest)
        for one in dataclasses.fields(self.own):
            _check_bounds(where, one.name, getattr(self.own, one.name), *one.metadata.get("bounds", (None, None)))
        if self.most and self.most < self.least:
            raise ConfigError(f"{where}: most = {self.most} is less than least = {self.least}.", "Raise it.")
        for code in self.tiebreaks:
            if code not in COLUMNS:
                raise ConfigError(f"{where}: there is no tie-break {code!r}.", f"Known: {', '.join(COLUMNS)}.")


def _check_bounds(where: str, name: str, value: Any, lowest: int | None, highest: int | None) -> None:
    if (lowest is not None and value < lowest) or (highest is not None and value > highest):
        raise ConfigError(f"{where}: {name} = {value} cannot be.", f"Possible: {lowest} to {highest}.")


def list_setting_fields(format_key: str) -> dict[str, dataclasses.Field[Any]]:
    """List all settings of the format by name: those that it has of its own, then those that all have."""
    common = [one for one in dataclasses.fields(TournamentSettings) if one.name != "own"]
    return {one.name: one for one in (*dataclasses.fields(formats.load_format(format_key).options), *common)}


def get_tournament_settings(tournament: Tournament) -> TournamentSettings:
    """Return the tournament's settings. Raises ConfigError for values that cannot be."""
    return parse_tournament_settings(
        drop_foreign_settings(tournament.settings, tournament.format),
        tournament.format,
        f"tournament {tournament.code}",
    )


def drop_foreign_settings(values: Mapping[str, Any], format_key: str) -> dict[str, Any]:
    """Drop what only other formats of ours have: up to 0.2 any of them could be set, and was ignored."""
    known = list_setting_fields(format_key)
    elsewhere = {name for other in formats.OWN for name in list_setting_fields(other)}
    return {name: value for name, value in values.items() if name in known or name not in elsewhere}


def parse_tournament_settings(
    values: Mapping[str, Any], format_key: str, where: str = "The tournament"
) -> TournamentSettings:
    """Parse settings from plain values. Raises ConfigError, also for a format that does not exist, or a setting that
    this one does not have."""
    if format_key not in formats.REGISTRY:
        raise ConfigError(f"There is no format {format_key!r}.", suggest(format_key, formats.REGISTRY))
    options, known = formats.load_format(format_key).options, list_setting_fields(format_key)
    for name in values:
        if name not in known:
            raise ConfigError(f"{where}: format {format_key} has no setting {name!r}.", suggest(name, sorted(known)))
    own = {one.name for one in dataclasses.fields(options)}
    common = build_dataclass(
        TournamentSettings, {name: value for name, value in values.items() if name not in own}, where
    )
    found = replace(common, own=build_dataclass(options, {name: values[name] for name in values if name in own}, where))
    found.check_values(where)
    return found


def encode_tournament_settings(settings: TournamentSettings) -> dict[str, Any]:
    """Encode the settings as JSON values, only those that are not the usual ones."""
    found: dict[str, Any] = {}
    for values in (settings, settings.own):
        usual = type(values)()
        for one in dataclasses.fields(values):
            value = getattr(values, one.name)
            if one.name != "own" and value != getattr(usual, one.name):
                found[one.name] = list(value) if isinstance(value, tuple) else value
    return found


def get_tournament(session: Session, code: str) -> Tournament:
    """Return the tournament of a code, or of a name that only one has. Raises OperatorError."""
    wanted = code.strip().casefold()
    every = tournaments.list_all_tournaments(session)
    found = [tournament for tournament in every if tournament.code.casefold() == wanted]
    found = found or list_named_alike(code, every)
    if not found:
        known = [name for tournament in every for name in (tournament.code, tournament.name)]
        raise MistypedError(f"There is no tournament {code!r}.", suggest(code, known, "See `moderator cup list`."))
    if len(found) > 1:
        codes = ", ".join(tournament.code for tournament in found)
        raise MistypedError(f"{len(found)} tournaments are called {code!r}: {codes}.", "Name one by its code.")
    return found[0]


def get_game_options(tournament: Tournament) -> dict[str, Any]:
    """Return the options of the tournament's games, by name: all of them, also of one that was set up before there was
    such an option."""
    return dataclasses.asdict(read_options(games.load_game(tournament.game), tournament.options))


def as_game(row: TournamentGame) -> Game:
    result = None if row.result is None else Result.from_json(row.result)
    return Game(row.round, row.board, tuple(row.seats), result, row.kind)


_USUAL: Mapping[str, Any] = {"allow_rematch": False, "late_points": "0", "legs": 2, "third": False}
"""What stands in every tournament's file, whether its format has such a setting or not."""


def build_state_options(settings: TournamentSettings) -> dict[str, Any]:
    """Build the options that moderator/tournaments reads from ``TournamentState.options``."""
    found = {name: settings.get_own_setting(name, usual) for name, usual in _USUAL.items()}
    return (
        {"spread_cap": settings.spread_cap} | found | ({"tiebreaks": settings.tiebreaks} if settings.tiebreaks else {})
    )


def find_game_match(session: Session, row: TournamentGame) -> MatchRow | None:
    """Find the match in which a pairing is played."""
    return session.get(MatchRow, row.match_id) if row.match_id else None


def filter_open_games(rows: Sequence[TournamentGame]) -> list[TournamentGame]:
    """Return those that have no result yet."""
    return [row for row in rows if row.result is None]


def list_latest_ends(rows: Iterable[TournamentGame]) -> list[datetime]:
    """List the latest ends of those that have one."""
    return [row.ends_at for row in rows if row.ends_at is not None]


# ---- the result of a game, and what was built on it ----


FIRST, AGAIN, REPLACED = "first", "again", "replaced"
"""Keys in ``TournamentGame.result``: what a corrected game had first; what a match had that is being played again; what
was replaced, until its tournament has followed. Each is the result with its kind and ruling."""


def find_tournament_game(session: Session, match: MatchRow) -> TournamentGame | None:
    """Find the pairing that ``match`` was made for."""
    if match.tournament_id is None:
        return None
    return tournaments.find_pairing_of_match(session, match.number)


def is_played_again(row: TournamentGame) -> bool:
    """Return whether the game's result only holds until the match is over for the second time."""
    return row.result is not None and AGAIN in row.result


def is_corrected(row: TournamentGame) -> bool:
    """Return whether the game had another result first."""
    return row.result is not None and FIRST in row.result


@dataclass(frozen=True)
class ResultConsequences:
    """The things built on a result: ``built`` says what they are, ``worth`` what a match that is played again means
    there."""

    built: Note
    worth: Note

    @property
    def worth_if_replayed(self) -> Note:
        """``worth``, before it is decided that it is played again."""
        return Note(f"if-{self.worth.code}", self.worth.params)


class StoredTournament:
    """A tournament as it is stored, and how it stands: each question is answered by the rows as they are now."""

    def __init__(self, session: Session, row: Tournament) -> None:
        self.session, self.row = session, row

    @property
    def format(self) -> Format:
        return get_format(self.row)

    @property
    def settings(self) -> TournamentSettings:
        return get_tournament_settings(self.row)

    # ---- its entrants and games ----

    def list_entered(self, division: int | None = None) -> list[tuple[TournamentEntry, PlayerRow]]:
        """List everybody in it, those who wait or have left included."""
        return tournaments.list_entries_with_players(self.session, self.row, division)

    def find_entry(self, player: PlayerRow) -> TournamentEntry | None:
        """Find the player's entry, also one that was withdrawn."""
        return tournaments.find_tournament_entry(self.session, self.row, player)

    def list_own_divisions(self) -> list[int]:
        """List the divisions, from 1 = highest; [] before the start."""
        return tournaments.list_divisions(self.session, self.row)

    def list_all_pairings(self, division: int | None = None) -> list[TournamentGame]:
        """List all pairings, by division, round and board."""
        return tournaments.list_pairings(self.session, self.row, division)

    def list_open_pairings(self, division: int | None = None) -> list[TournamentGame]:
        """List the pairings that have no result yet."""
        return filter_open_games(self.list_all_pairings(division))

    def load_stamps(self) -> set[str]:
        """Load the stamps of the steps that are done."""
        return tournaments.load_done_steps(self.session, self.row)

    def count_taken_places(self) -> int:
        """Count the places that are taken."""
        return sum(entry.state == EntryState.IN for entry, _ in self.list_entered())

    def list_standby_entries(self) -> list[tuple[TournamentEntry, PlayerRow]]:
        """List those who wait for a place, the first one first."""
        waiting = [one for one in self.list_entered() if one[0].state == EntryState.STANDBY]
        return sorted(waiting, key=lambda one: (one[0].at, one[0].id))

    def load_numbered_players(self, division: int) -> dict[int, PlayerRow]:
        """Load the players of a division by their number in its table."""
        return {entry.number: player for entry, player in self.list_entered(division) if entry.number}

    def build_tournament_state(self, division: int = 1) -> TournamentState:
        """Build the tournament, or one division of it, as it stands."""
        settings = self.settings
        entrants = tuple(
            Entrant(entry.number, player.name, entry.rating, entry.joined, entry.left)
            for entry, player in self.list_entered(division)
            if entry.number
        )
        played = tuple(as_game(row) for row in self.list_all_pairings(division))
        found = TournamentState(
            self.format.get_division_format(settings),
            entrants,
            played,
            0,
            int(self.row.seed),
            build_state_options(settings),
        )
        return replace(found, rounds=get_format(found).count_rounds(found, settings))

    def count_seasons(self) -> int:
        """Count the seasons of a league up to this one; 0 where there was none before it."""
        before, number = self.row.previous_id, 1
        while before is not None:
            before, number = self.session.get_one(Tournament, before).previous_id, number + 1
        return number if number > 1 else 0

    # ---- its rounds, as the calendar has them ----

    @property
    def is_played_at_once(self) -> bool:
        """True where all games start together; their round numbers are only information."""
        return self.format.is_at_once(self.settings)

    def list_round_pairings(self) -> list[TournamentGame]:
        """List the pairings of the round that is being played, or was last; without rounds those that are open."""
        format, settings, every = self.format, self.settings, self.list_all_pairings()
        return [row for row in every if format.is_paired_in(settings, row.round, row.result is None, self.row.round)]

    def list_begun_pairings(self) -> list[TournamentGame]:
        """List the pairings of all rounds up to the current one: a game of an earlier one is open again when its end
        was taken back."""
        format, settings, every = self.format, self.settings, self.list_all_pairings()
        return [row for row in every if format.has_begun(settings, row.round, self.row.round)]

    def is_last_round(self) -> bool:
        """Return whether nothing comes after this round."""
        if self.is_played_at_once:
            return self.row.round >= 1
        return self.row.round >= self.build_tournament_state().rounds

    def compute_latest_end(self, config: Config, now: datetime) -> datetime:
        """Compute when a round that begins now ends at the latest: at the hour of the club's ZAT, so many days
        later."""
        day = to_local_day(now, config.club.zone) + timedelta(days=self.settings.compute_round_days(self.row.format))
        hour = int(self.row.terms.get("hour", config.deadlines.hour))
        return resolve_local_hour(day, hour, ZoneInfo(config.club.zone))

    # ---- how it stands, beside its games ----

    def find_bracket_or_rungs(self) -> Bracket | Rungs | None:
        """Find the bracket or the rungs as they are now; None = it has a table."""
        return self.format.build_standing(self.build_tournament_state(), self.row.state, self.row.round)

    def list_challengeable_today(self, work: UnitOfWork, number: int) -> list[int]:
        """List the numbers that ``number`` may challenge today."""
        found = self.format.list_challengeable(self.row.state, number, work.today)
        away = self.find_numbers_on_leave(work) if found else set()
        return [one for one in found if one not in away]

    def find_numbers_on_leave(self, work: UnitOfWork) -> set[int]:
        """Find the numbers of those who are on leave today."""
        day = work.today
        return {
            number
            for number, player in self.load_numbered_players(1).items()
            if any(one.first <= day <= one.last for one in work.cache.list_player_leaves(work.session, player.number))
        }

    def compute_points_left(self, division: int) -> Mapping[int, Fraction]:
        """Compute the points per move that each entrant has left, by number in the table of that division; an entrant
        who has moved in no match that was reviewed is left out. Empty for what is no league, and for a game whose turns
        bring no points."""
        if not self.format.divisions:
            return {}
        pairings = self.list_all_pairings(division)
        found = reviews.load_complete_reviews(
            self.session, {row.match_id for row in pairings if row.match_id is not None}
        )
        left, moves = defaultdict[int, Fraction](Fraction), Counter[int]()
        for row in pairings:
            one = found.get(row.match_id or 0)
            if one is None or one["unit"] != "points":
                continue
            for seat, number in enumerate(row.seats):
                left[number] += Fraction(one["loss"][seat])
                moves[number] += one["moves"][seat]
        return {number: left[number] / count for number, count in moves.items() if count}

    def compute_standby_place(self, entry: TournamentEntry) -> int:
        """Compute the place on the standby list, from 1."""
        return 1 + [other.id for other, _ in self.list_standby_entries()].index(entry.id)

    def get_admission(self) -> str:
        """Return what joining would lead to: ``now`` (a place, or one on the standby list before the start), ``maybe``
        (the standby list of a running one, from which the moderator may take somebody), ``no``."""
        if self.row.status == TournamentStatus.OPEN:
            return "now"
        if self.row.status != TournamentStatus.RUNNING:
            return "no"
        if self.format.round_robin:
            return "maybe"
        settings = self.settings
        full = bool(settings.most) and self.count_taken_places() >= settings.most
        rounds = self.build_tournament_state().rounds
        return "now" if not full and self.format.is_open_in(settings, self.row.round, rounds) else "no"

    def list_final_tables(self) -> list[list[int]]:
        """List the player ids of a finished season by place, the highest division first; who did not count comes
        last."""
        order = sorted(
            tournaments.list_numbered_entries(self.session, self.row),
            key=lambda e: (e.division, e.place is None, e.place or 0, e.number),
        )
        last = max((entry.division for entry in order), default=0)
        return [[e.player_id for e in order if e.division == division] for division in range(1, last + 1)]

    def build_division_states(self) -> dict[int, TournamentState]:
        """Build the tournament by division; every format but a league has one. Raises OperatorError before the
        start."""
        found = {division: self.build_tournament_state(division) for division in self.list_own_divisions()}
        if not found:
            raise OperatorError(f"Tournament {self.row.code} has not begun.", "There is nothing to write yet.")
        return found

    def list_corrected_games(self) -> list[tuple[str, TournamentGame]]:
        """List the games that had another result first, with the codes of their matches."""
        found = [row for row in self.list_all_pairings() if is_corrected(row)]
        return [(match.code, row) for row in found if (match := find_game_match(self.session, row))]

    # ---- the result of a game, and what was built on it ----

    def find_consequences(self, row: TournamentGame) -> ResultConsequences | None:
        """Find what was built on the result of a game; None where nothing is, or where it has none."""
        facts: dict[str, object] = {"cup": self.row.name, "tournament": self.row.code, "round": self.row.round}
        facts["results"] = self.format_game_points(row)
        if row.result is not None and self.row.status == TournamentStatus.FINISHED:
            return ResultConsequences(Note("hangs-final", facts), Note("again-final", facts))
        # Where all is played at once there is no round after it, and no report.
        if self.row.status != TournamentStatus.RUNNING or self.is_played_at_once:
            return None
        done = self.load_stamps()
        taken, reported = f"rungs:{row.number}" in done, f"report:{row.round}" in done
        built = self.format.find_dependants(row.round, self.row.round, taken=taken, reported=reported)
        name = self._find_winner_name(row) if built == "winner" else ""
        if built is None or (built == "winner" and not name):
            return None
        facts |= {"round": row.round} if built == "report" else {}
        told = facts | ({"name": name} if name else {})
        return ResultConsequences(Note(f"hangs-{built}", told), Note(f"again-{built}", facts))

    def _find_winner_name(self, row: TournamentGame) -> str:
        """Find the name of the entrant who went on by the meeting that a game is of; "" where nobody did."""
        t = self.build_tournament_state(row.division)
        stands = self.format.build_standing(t, self.row.state, row.round)
        meetings = stands.meetings if isinstance(stands, Bracket) else ()
        own = (one for one in meetings if one.round == row.round and set(one.numbers) == set(row.seats))
        through = next((one.through for one in own), None)
        return t.get_entrant(through).name if through is not None else ""

    def format_game_points(self, row: TournamentGame) -> str:
        """Format ``Anna 1, Bert 0``; "" while there is none."""
        if row.result is None:
            return ""
        points = map(format_fraction, Result.from_json(row.result).points)
        return ", ".join(f"{name} {own}" for name, own in zip(self._list_game_names(row), points, strict=True))

    def format_game_result(self, row: TournamentGame, result: Result | None = None, first: bool = False) -> str:
        """Format ``Anna 1 (310), Bert 0 (250)``, without play ``Anna +, Bert –``: of a game that is over, or
        ``result`` of it. ``first``: the very first one."""
        assert row.result is not None
        found = result or Result.from_json(row.result[FIRST]["result"] if first else row.result)
        points = ["–" if seat in found.forfeits else format_fraction(own) for seat, own in enumerate(found.points)]
        if found.forfeits and len(points) == 2:
            points = [own.replace("1", "+") for own in points]
        behind = [f" ({score})" if any(found.scores) else "" for score in found.scores]
        named = zip(self._list_game_names(row), points, behind, strict=True)
        return ", ".join(f"{name} {own}{more}" for name, own, more in named)

    def _list_game_names(self, row: TournamentGame) -> list[str]:
        who = self.load_numbered_players(row.division)
        return [who[number].name for number in row.seats]


def find_consequences(session: Session, match: MatchRow) -> ResultConsequences | None:
    """Find what was built on the result of ``match``; None where nothing is, or where it has none. Also for a match
    that is being played again."""
    row = find_tournament_game(session, match)
    if row is None:
        return None
    return StoredTournament(session, session.get_one(Tournament, row.tournament_id)).find_consequences(row)


def find_replay_note(session: Session, match: MatchRow) -> Note | None:
    """Find the note that says what a match that is running is worth in its tournament, where something hangs on how it
    ended before; None for one that is played for the first time."""
    if match.tournament_id is None or match.status not in matches.GOING:
        return None
    found = find_consequences(session, match)
    return found.worth if found else None
