"""`moderator cup show` and `standings`: how a tournament stands. Nothing changes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import click

from moderator.cli import club_names
from moderator.cli.group import print_rows, with_json_option
from moderator.cli.printed_tournaments import (
    ChallengeLine,
    EntrantLine,
    MeetingLine,
    OpenGame,
    SettingLine,
    StandingsLine,
    TableRow,
    TournamentLine,
    TournamentStep,
    TournamentWhole,
)
from moderator.cli.session import format_club_time, open_club
from moderator.cli.texts import SPOKEN, say_lines
from moderator.commands.moderator_call import render_sentences
from moderator.common.disk import LANGUAGES
from moderator.common.enums import EntryState, GameKind, TournamentStatus
from moderator.common.errors import MistypedError, OperatorError
from moderator.common.text import to_escaped_json
from moderator.language.messages import load_sentences
from moderator.render.mails.match_sections import select_unusual_options
from moderator.render.mails.tournament import HOLD, WIDTH, render_crosstable_text, render_tie_break_legend
from moderator.store import tournaments
from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import REGISTRY, get_format, load_format
from moderator.tournaments.formats.contract import Bracket, Meeting, Rungs
from moderator.tournaments.standings import (
    build_crosstable,
    compute_place_ranges,
    compute_standings,
    format_fraction,
    rewind_to_round,
)
from moderator.views import tournament_rows
from moderator.views.tournament_rows import (
    StoredTournament,
    find_replay_note,
    get_game_options,
    get_tournament,
    list_setting_fields,
)
from moderator.views.unit_of_work import UnitOfWork

TROUBLES = {
    "cup-too-few": "too few entrants: `cup open {code} --until DATE` prolongs, `cup start {code} --anyway` begins",
    "cup-no-pairing": "no legal pairing: `cup pair {code}` with --rematches, --bye PLAYER or --end",
}


class PrintedTournament(StoredTournament):
    """A tournament as the command line prints it."""

    def __init__(self, work: UnitOfWork, row: Tournament) -> None:
        super().__init__(work.session, row)
        self.work, self.config = work, work.config

    def describe_phase(self) -> str:
        """Return what a tournament is at, or waits for, in a few words."""
        if self.row.trouble:
            return "WAITS FOR YOU, " + TROUBLES.get(self.row.trouble, self.row.trouble).format(code=self.row.code)
        if self.row.status == TournamentStatus.PLANNED:
            return f"opens {format_club_time(self.row.opens_at, self.config)}" if self.row.opens_at else "not opened"
        if self.row.status == TournamentStatus.OPEN:
            return (
                f"until {format_club_time(self.row.closes_at, self.config)}"
                if self.row.closes_at
                else f"until `cup start {self.row.code}`"
            )
        if self.row.status != TournamentStatus.RUNNING:
            return format_club_time(self.row.finished_at, self.config)
        still = tournament_rows.filter_open_games(self.list_begun_pairings())
        ends = max((game.ends_at for game in still if game.ends_at), default=None)
        until = f", latest end {format_club_time(ends, self.config)}" if ends else ""
        rounds = 0 if self.is_played_at_once else self.build_tournament_state().rounds
        part = f"round {self.row.round} of {rounds}, " if rounds else ""
        return f"{part}games open: {len(still)}{until}"

    def build_values(self) -> TournamentLine:
        row = self.row
        return {
            "tournament": row.code,
            "format": row.format,
            "game": row.game,
            "name": row.name,
            "status": row.status,
            "entrants": self.count_taken_places(),
            "round": row.round,
            "phase": self.describe_phase(),
            "trouble": row.trouble or None,
        }

    def build_cells(self) -> tuple[str, ...]:
        """Build the line of a list."""
        row, count = self.row, str(self.count_taken_places())
        return row.code, row.format, row.game, row.name, row.status, count, self.describe_phase()

    def iter_setting_lines(self) -> Iterator[str]:
        options = select_unusual_options(self.row.game, get_game_options(self.row))
        for title, values in (("Settings", self.row.settings), ("Options", options), ("Terms", self.row.terms)):
            if values:
                texts = {
                    name: " ".join(map(str, one)) if isinstance(one, list) else one for name, one in values.items()
                }
                yield f"{title}: " + ", ".join(f"{name} = {text}" for name, text in texts.items())
        yield f"Seed of all lots: {self.row.seed}"

    def iter_entrant_lines(self) -> Iterator[str]:
        every = self.list_entered()
        several = self.format.divisions and any(entry.division > 1 for entry, _ in every)
        shown = 0
        for entry, player in every:
            if several and entry.number and entry.division != shown:
                shown = entry.division
                yield f"Division {shown}"
            yield _format_entrant(entry, player)

    def iter_open_game_lines(self) -> Iterator[str]:
        still = list(self.iter_open_games())
        if still:
            yield f"Open games: {len(still)}"
        for game in still:
            place = f"{game['division']}/" if self.format.divisions else ""
            place += f"{game['round']}.{game['board']}"
            state = f"{game['status'] or 'no match'} {game['trouble'] or ''}".rstrip()
            due = f"  deadline {format_club_time(game['deadline'], self.config)}" if game["deadline"] else ""
            yield f"{place:>7}  {game['match'] or '':<6} {' - '.join(game['players'])}: {state}{due}"

    def iter_bye_lines(self) -> Iterator[str]:
        """Yield the entrants who have no opponent in the round that is played; where all rounds are played at once, in
        each of them."""
        if self.row.status != TournamentStatus.RUNNING:
            return
        for game in self.list_all_pairings():
            if game.kind == GameKind.BYE and (self.is_played_at_once or game.round == self.row.round):
                who = self.load_numbered_players(game.division)
                yield f"Bye in round {game.round}: {', '.join(who[number].name for number in game.seats)}"

    def iter_replayed_game_lines(self) -> Iterator[str]:
        """Yield the games that are played again although something was built on how they ended, and what they are
        worth."""
        for match in tournaments.load_tournament_matches(self.session, self.row).values():
            if note := find_replay_note(self.session, match):
                names = " - ".join(player.name for player in self.work.list_players(match))
                said = render_sentences(self.config, self.work.now, [note], SPOKEN.get())[0]
                yield f"Played again: {match.code} {names}. {said}"

    def iter_corrected_lines(self) -> Iterator[str]:
        """Yield the games that had another result first."""
        for code, game in self.list_corrected_games():
            now, first = self.format_game_result(game), self.format_game_result(game, first=True)
            yield f"Corrected: {code} {now}; first {first}"

    def iter_table_lines(self, t: TournamentState, now: bool, left: Mapping[int, Fraction] | None) -> Iterator[str]:
        names = {one.number: one.name for one in t.entrants}
        over = now and self.row.status == TournamentStatus.FINISHED
        match get_format(t).build_standing(t, self.row.state, self.row.round, over):
            case Rungs(order):
                for rung, number in enumerate(order, 1):
                    yield f"{rung:>3}  {names[number]}"
            case Bracket(meetings, places):
                yield from _iter_bracket_lines(t, names, meetings)
                yield from (f"{place:>3}  {names[number]}" for place, number in places)
            case _:
                ranges = compute_place_ranges(t) if now and self.row.status == TournamentStatus.RUNNING else None
                cross = build_crosstable(t, ranges, left)
                yield from render_crosstable_text(cross, SPOKEN.get()).replace(HOLD, " ").splitlines()
                yield from textwrap.wrap(render_tie_break_legend(cross, SPOKEN.get()), WIDTH)

    # ---- A tournament as values, for ``moderator cup show --json`` and ``standings --json``.

    def build_tournament_values(self, log: bool) -> TournamentWhole:
        """Return a tournament as values. ``log``: with the steps that were done."""
        again = [
            match.code
            for match in tournaments.load_tournament_matches(self.session, self.row).values()
            if find_replay_note(self.session, match)
        ]
        steps: list[TournamentStep] = [
            {"at": one.at, "step": one.step} for one in tournaments.list_tournament_steps(self.session, self.row)
        ]
        return {
            **self.build_values(),
            "settings": self.row.settings,
            "options": get_game_options(self.row),
            "terms": self.row.terms,
            "seed": self.row.seed,
            "entered": [_build_entrant_line(entry, player) for entry, player in self.list_entered()],
            "games": list(self.iter_open_games()),
            "challenges": list(self.iter_challenges()),
            "played_again": again,
            "corrected": [code for code, _ in self.list_corrected_games()],
            "steps": steps if log else None,
        }

    def iter_open_games(self) -> Iterator[OpenGame]:
        if self.row.status != TournamentStatus.RUNNING:
            return
        matches = tournaments.load_tournament_matches(self.session, self.row)
        still = self.list_open_pairings()
        divisions = {game.division for game in still}
        who = {number: self.load_numbered_players(number) for number in divisions}
        for game in still:
            match = matches.get(game.match_id or 0)
            yield {
                "division": game.division,
                "round": game.round,
                "board": game.board,
                "players": [who[game.division][number].name for number in game.seats],
                "match": match.code if match else None,
                "status": match.status if match else None,
                "trouble": match.trouble or None if match else None,
                "deadline": match.deadline if match else None,
            }

    def iter_challenges(self) -> Iterator[ChallengeLine]:
        if self.row.status != TournamentStatus.RUNNING:
            return
        waiting = [one for one in self.format.list_challenges(self.row.state) if not one.accepted]
        who = self.load_numbered_players(1) if waiting else {}
        for one in waiting:
            challenger, challenged = who[one.challenger].name, who[one.challenged].name
            yield {"challenger": challenger, "challenged": challenged, "until": one.until}

    # ---- tables ----

    def build_standings_values(self, division: int, t: TournamentState, rounds: int | None) -> StandingsLine:
        """Return the standings as values. ``t``: of the division, after so many rounds; None = now."""
        names = {one.number: one.name for one in t.entrants}
        now = rounds is None
        over = now and self.row.status == TournamentStatus.FINISHED
        found: StandingsLine = {"tournament": self.row.code, "division": division, "rounds": rounds}
        match get_format(t).build_standing(t, self.row.state, self.row.round, over):
            case Rungs(order):
                found["rungs"] = [names[number] for number in order]
            case Bracket(meetings, places):
                found["meetings"] = [_build_meeting_line(one, names) for one in meetings]
                found["places"] = [{"place": place, "name": names[number]} for place, number in places]
            case _:
                found["ties"], found["table"] = _build_table_lines(
                    t, now and self.row.status == TournamentStatus.RUNNING
                )
        return found


@click.command("show")
@click.argument("code", type=club_names.TOURNAMENT)
@click.option("--log", is_flag=True, help="Include the steps that were done.")
@with_json_option("tournament-whole")
@click.pass_obj
def show_named_tournament(config_file: Path | None, code: str, log: bool, as_json: bool) -> None:
    """Show a tournament: status, settings, entrants, open games."""
    with open_club(config_file) as work:
        printed = PrintedTournament(work, get_tournament(work.session, code))
        row = printed.row
        if as_json:
            click.echo(to_escaped_json(printed.build_tournament_values(log)))
            return
        say_lines(f"{row.code} {row.name}: {row.format}, {row.game}, {row.status}")
        if found := printed.describe_phase():
            say_lines(found)
        for line in (
            *printed.iter_setting_lines(),
            *printed.iter_entrant_lines(),
            *printed.iter_open_game_lines(),
            *printed.iter_bye_lines(),
            *printed.iter_replayed_game_lines(),
            *printed.iter_corrected_lines(),
        ):
            say_lines(line)
        for one in printed.iter_challenges():
            say_lines(f"{one['challenger']} challenges {one['challenged']}: answer until {one['until']}")
        if log:
            say_lines("Steps done:")
            for step in tournaments.list_tournament_steps(work.session, row):
                say_lines(f"  {format_club_time(step.at, work.config)}  {step.step}")


def _format_entrant(entry: TournamentEntry, player: PlayerRow) -> str:
    number = str(entry.number) if entry.number else "-"
    state = "" if entry.state == EntryState.IN else entry.state.value
    if entry.left is not None:
        state = f"left in round {entry.left - 1}"
    rating = f"{entry.rating:.0f}" if entry.rating else ""
    place = f"place {entry.place}" if entry.place is not None else ""
    after = f"rating after it {entry.rated:.0f}" if entry.rated is not None else ""
    return f"{number:>3}  {player.name:<24} {rating:>5}  {place}  {state}  {after}".rstrip()


@click.command("standings")
@click.argument("code", type=club_names.TOURNAMENT)
@click.option("--rounds", type=int, default=None, help="Show it as it was after this many rounds.")
@with_json_option("standings", lines=True)
@click.pass_obj
def show_named_standings(config_file: Path | None, code: str, rounds: int | None, as_json: bool) -> None:
    """Show the table (knock-out: the bracket; ladder: the rungs)."""
    with open_club(config_file) as work:
        printed = PrintedTournament(work, get_tournament(work.session, code))
        row = printed.row
        found = printed.build_division_states()
        if rounds is not None and rounds < 1:
            raise MistypedError(f"There is no round {rounds}.", "Rounds count from 1.")
        if rounds is not None and not get_format(row).in_rounds:
            raise OperatorError(f"There are no rounds in {row.code}.", "Leave out --rounds.")
        for division, whole in found.items():
            t = whole if rounds is None else rewind_to_round(whole, rounds)
            if as_json:
                print_rows([(printed.build_standings_values(division, t, rounds), "")], as_json)
                continue
            if len(found) > 1:
                say_lines(f"Division {division}")
            left = printed.compute_points_left(division) if rounds is None else None
            for line in printed.iter_table_lines(t, rounds is None, left):
                say_lines(line)
        for line in () if as_json else printed.iter_corrected_lines():
            say_lines(line)


def _iter_bracket_lines(t: TournamentState, names: dict[int, str], meetings: Sequence[Meeting]) -> Iterator[str]:
    won = {(one.round, frozenset(one.numbers)): one.through for one in meetings}
    for round in sorted({game.round for game in t.games}):
        yield f"Round {round}"
        pairs: dict[frozenset[int], list[Game]] = {}
        for game in t.games:
            if game.round == round:
                pairs.setdefault(frozenset(game.seats), []).append(game)
        for games in pairs.values():
            one = games[0].seats[0]
            if len(games[0].seats) == 1:
                yield f"  {names[one]} goes through (bye)"
                continue
            other = games[0].seats[1]
            winner = won.get((round, frozenset((one, other))))
            end = "" if winner is None else f"; {names[winner]} wins"
            yield f"  {names[one]} - {names[other]}: {', '.join(_format_game_score(game, one) for game in games)}{end}"


def _format_game_score(game: Game, one: int) -> str:
    """Return the score as seen from entrant ``one``."""
    if game.result is None:
        return "open"
    seats = sorted(range(2), key=lambda seat: game.seats[seat] != one)
    points = ":".join(format_fraction(game.result.points[seat]) for seat in seats)
    if game.kind == GameKind.FORFEIT or game.result.forfeits:
        return f"{points} without play" if game.kind == GameKind.FORFEIT else f"{points}, given up"
    scores = [game.result.scores[seat] for seat in seats]
    return f"{points} ({scores[0]}:{scores[1]})" if any(scores) else points


@click.command("formats")
@click.argument("form", metavar="[FORMAT]", required=False)
@click.option("--language", type=click.Choice(LANGUAGES), help="Language of the descriptions.")
@with_json_option("setting", lines=True)
def print_tournament_formats(form: str | None, language: str | None, as_json: bool) -> None:
    """List the formats and their settings; with FORMAT, all settings of that one."""
    for key in [form] if form else REGISTRY:
        found = load_format(key)
        said = load_sentences(language or SPOKEN.get())
        if not as_json:
            say_lines(f"{key}: {said[f'word.cups-{found.words}']}")
        own = {one.name for one in fields(found.options)}
        for one in list_setting_fields(key).values():
            if one.name in own or form:
                meaning = said[f"cup-option-{key}-{one.name}"] if one.name in own else ""
                values: SettingLine = {
                    "format": key,
                    "setting": one.name,
                    "default": _format_setting_value(one.default),
                    "own": one.name in own,
                    "text": meaning,
                }
                print_rows(
                    [(values, f"  {one.name}={_format_setting_value(one.default)}  {meaning}".rstrip())], as_json
                )


def _format_setting_value(value: object) -> str:
    """Return a value as it is written behind --set."""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _build_entrant_line(entry: TournamentEntry, player: PlayerRow) -> EntrantLine:
    return {
        "number": entry.number or None,
        "name": player.name,
        "division": entry.division,
        "state": entry.state,
        "left": None if entry.left is None else entry.left - 1,
        "rating": entry.rating or None,
        "rated": entry.rated,
        "place": entry.place,
    }


def _build_meeting_line(one: Meeting, names: dict[int, str]) -> MeetingLine:
    return {
        "round": one.round,
        "players": [names[number] for number in one.numbers],
        "points": [str(points) for points in one.points],
        "winner": None if one.through is None else names[one.through],
        "third": one.third,
    }


def _build_table_lines(t: TournamentState, with_places: bool) -> tuple[list[str], list[TableRow]]:
    """Return the codes of the tie-breaks and the lines; ``with_places``: the places that are still possible, too."""
    table = compute_standings(t)
    ranges = compute_place_ranges(t) if with_places else {}
    lines: list[TableRow] = []
    for row in table.rows:
        line: TableRow = {
            "place": row.place,
            "number": row.entrant.number,
            "name": row.entrant.name,
            "played": row.played,
            "points": str(row.points),
            "ties": [" ".join(map(str, value)) for value in row.ties],
            "left": row.entrant.left is not None,
        }
        if row.entrant.number in ranges:
            line["best"], line["worst"] = ranges[row.entrant.number]
        lines.append(line)
    return list(table.columns), lines
