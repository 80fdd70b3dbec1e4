"""Tournaments as files: of one that is stored as TRF or CSV, and of files a finished one for the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from moderator import games
from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.rules.game import new_options
from moderator.service.tournaments import registration
from moderator.service.tournaments.steps import TournamentSteps
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
from moderator.tournaments import csv_file, formats, trf_file
from moderator.tournaments.field import TournamentState
from moderator.views.tournament_rows import StoredTournament, drop_foreign_settings
from moderator.views.unit_of_work import UnitOfWork

ENTRANTS = "entrants.csv"
GAMES = "games.csv"
DIVISION = "division-"
"""Folder of a league's division."""
SETTINGS = ("spread_cap", "allow_rematch", "late_points", "legs", "third", "tiebreaks")
"""Options of a ``Tournament`` that are settings of the stored one."""


def format_tournament_trf(stored: StoredTournament, division: int | None = None) -> str:
    """Format a tournament report. Raises OperatorError for what such a file cannot hold."""
    found = stored.build_division_states()
    if division is None and len(found) > 1:
        raise OperatorError(
            f"A TRF holds one table; {stored.row.code} has {len(found)} divisions.",
            "Name one: --division 1. Or take --csv.",
        )
    number = division or min(found)
    if number not in found:
        raise OperatorError(f"{stored.row.code} has no division {number}.", f"It has {len(found)}.")
    return trf_file.format_trf(found[number], stored.row.name if len(found) == 1 else f"{stored.row.name} - {number}")


def format_tournament_csv(stored: StoredTournament) -> dict[str, str]:
    """Format file names in a folder and what stands in them; of a league a folder for each division."""
    files = {}
    found = stored.build_division_states()
    for division, t in found.items():
        folder = f"{DIVISION}{division}/" if len(found) > 1 else ""
        files[f"{folder}{ENTRANTS}"] = csv_file.format_entrants_csv(t)
        files[f"{folder}{GAMES}"] = csv_file.format_games_csv(t)
    return files


def read_tournament_files(path: Path, format_key: str | None) -> list[TournamentState]:
    """Read the tournament of a TRF, or of a folder with our CSV files, by division. ``format_key``: where the file does
    not say it. Raises OperatorError with the file and line."""
    if path.is_dir():
        if format_key is None:
            raise OperatorError("A CSV folder does not say of which format it is.", "Name it, e.g. --format robin.")
        folders = sorted(path.glob(f"{DIVISION}*"), key=lambda one: (len(one.name), one.name)) or [path]
        return [_read_csv_folder(folder, format_key) for folder in folders]
    if not path.exists():
        raise OperatorError(f"There is no file {path}.", "Name a TRF, or a folder with entrants.csv and games.csv.")
    return [_name_file_in_errors(path, lambda: trf_file.parse_trf(_read_text(path), format_key or "swiss"))]


def _read_csv_folder(folder: Path, format_key: str) -> TournamentState:
    for name in (ENTRANTS, GAMES):
        if not (folder / name).exists():
            raise OperatorError(f"There is no {folder / name}.", f"A folder holds {ENTRANTS} and {GAMES}.")
    entrants = _name_file_in_errors(
        folder / ENTRANTS, lambda: csv_file.parse_entrants_csv(_read_text(folder / ENTRANTS))
    )
    games = _name_file_in_errors(folder / GAMES, lambda: csv_file.parse_games_csv(_read_text(folder / GAMES), entrants))
    return TournamentState(format_key, entrants, rounds=max((game.round for game in games), default=0)).with_games(
        games
    )


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # older programs write their country's letters
        return path.read_text(encoding="cp1252", errors="replace")


def _name_file_in_errors(path: Path, read: Any) -> Any:
    try:
        return read()
    except OperatorError as error:
        raise OperatorError(f"{path.name}: {error.message}", error.hint) from error


def store_finished_tournament(
    work: UnitOfWork, name: str, game: str, found: Sequence[TournamentState], ended: datetime, more: Mapping[str, Any]
) -> Tournament:
    """Store a finished tournament for the archive, ``found`` by division; ``more``: settings that the files do not say.
    It has no matches, so that ratings do not know of it. Raises OperatorError, with all names that no player has."""
    first = found[0]
    format = formats.get_division_format() if len(found) > 1 else first.format
    settings = _build_settings(first, format, found) | dict(more)
    _check_all_finished(found)
    who = _load_entrant_players(work.session, found)
    usual = new_options(games.load_game(game), {})
    tournament = registration.store_tournament(
        work, name, game, format, options=usual, settings=settings, seed=first.seed
    )
    tournament.status, tournament.finished_at = TournamentStatus.FINISHED, ended
    stored = TournamentSteps(work, tournament)
    tournament.round = 1 if stored.is_played_at_once else max((g.round for t in found for g in t.games), default=0)
    for division, t in enumerate(found, 1):
        for one in t.entrants:
            work.session.add(
                TournamentEntry(
                    tournament_id=tournament.number,
                    player_id=who[one.name.casefold()].number,
                    number=one.number,
                    division=division,
                    state=EntryState.IN if one.left is None else EntryState.WITHDRAWN,
                    rating=one.rating,
                    joined=one.joined,
                    left=one.left,
                    at=work.now,
                )
            )
        stored.save_pairings(division, t.games, None)
    stored.save_final_places()
    for step in ("import", "ratings", "again"):
        stored.stamp_step(step)
    return tournament


def _check_all_finished(found: Sequence[TournamentState]) -> None:
    for t in found:
        for game in t.games:
            if game.result is None:
                raise OperatorError(
                    f"Round {game.round}, table {game.table} has no result.", "Only a finished tournament is imported."
                )


def _load_entrant_players(session: Session, found: Sequence[TournamentState]) -> dict[str, PlayerRow]:
    """Load the players of all entrants, by name without case."""
    names = [one.name for t in found for one in t.entrants]
    known = {player.name_key: player for player in players.list_all_players(session)}
    missing = sorted({name for name in names if name.casefold() not in known})
    if missing:
        raise OperatorError(
            f"These are no players: {', '.join(missing)}.", f'`moderator player add "{missing[0]}" ADDRESS` enters one.'
        )
    twice = sorted({name for name in names if [n.casefold() for n in names].count(name.casefold()) > 1})
    if twice:
        raise OperatorError(f"{', '.join(twice)} stands there twice.", "Everybody takes part once.")
    return known


def _build_settings(first: TournamentState, format_key: str, found: Sequence[TournamentState]) -> dict[str, Any]:
    known = {name: first.options[name] for name in SETTINGS if name in first.options}
    return drop_foreign_settings(known, format_key) | formats.load_format(format_key).infer_settings(found)
