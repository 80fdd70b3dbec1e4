"""A club with something on every page: names that bite, matches over and running, a tournament of each format."""

from pathlib import Path

import pytest
from sqlmodel import col, select

from moderator.service.create import add_player, get_player
from moderator.site.build import publish_site
from moderator.site.index import iter_index_files as index_files
from moderator.site.layout import SiteContent
from moderator.site.players import iter_player_files as player_files
from moderator.site.records import iter_record_files as record_files
from moderator.site.rules import iter_rule_files as rule_files
from moderator.site.rules import iter_word_files as ruling_files
from moderator.site.tournaments import iter_tournament_files as tournament_files
from moderator.site.tree import SiteUpdate, update_site_folder
from moderator.store.tables import MatchRow, Tournament
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling
from tests.club.club import Club, club_of, plain_boards
from tests.club.tournament_club import Table, fixed, found, store_open

PARTS = (index_files, player_files, tournament_files, record_files, rule_files, ruling_files)
TRAP, WAY, ADDRESS = "<img onerror=x>", "../../x", "eve@spy.example"
ROBOTS = tuple(f"R2 {name}" for name in ("Ada", "Bob", "Cleo", "Dora", "Emil", "Fred", "Gabi"))
RULINGS = (
    HouseRuling("QUARKS", "allow", reason="steht im <b>Duden</b>", date="2026-11-02"),
    HouseRuling("XI", "deny", reason="frag boss@club.example", date="2026-11-05"),
    HouseRuling("ZZZ", "deny", date="2026-11-05", scope="topwords"),
    HouseRuling("ALT", "allow"),
)


def build(folder: Path) -> Club:
    """In the club ``Anna``, ``Bert``, three whose names bite, one who never plays, and robots."""
    club = club_of(folder, "Anna", "Bert", "Nieda", *ROBOTS)
    with club.work() as work:
        for number, name in enumerate((TRAP, WAY, ADDRESS)):
            add_player(work.session, name, f"bites{number}@home.example", club.now)
    plain_boards(club)
    with store_open(), pytest.MonkeyPatch.context() as patched:
        fixed(patched)
        _play(club)
    for ruling in RULINGS:
        house_rulings.append_ruling(club.config.resolve_path(club.config.words.house), ruling)
    return club


def _play(club: Club) -> None:
    club.match("Anna", "Bert", game="dominos", seed=lambda match: bytes([3]) * 32, target=30)
    club.match(TRAP, WAY, ADDRESS, game="tridom", seed=lambda match: bytes([4]) * 32, target=60)
    club.match("Anna", "Bert", game="kreuzwort", seed=lambda match: bytes([1]) * 32)
    table = Table(club)
    for real, written in (("bites0", TRAP), ("bites1", WAY), ("bites2", ADDRESS)):
        _as(club, written, f"{real}@home.example")
    _tournaments(club)
    table.days(40, lambda: not _running(club) and len(_open_tournaments(club)) <= 2)
    club.match("Anna", WAY, game="topwords")
    club.match(TRAP, "Bert", game="dominos")
    table.day()


def _as(club: Club, name: str, address: str) -> None:
    """Mails of ``name`` come from ``address``."""
    write = club.write

    def from_there(sender: str, body: str, **more: str) -> bytes:
        return write(address if sender == name else sender, body, **more)

    club.write = from_there  # type: ignore[method-assign]


def _tournaments(club: Club) -> None:
    """T1 to T7; the ladder and the last one go on."""
    found(club, "robin", ("Anna", "Bert", *ROBOTS[:2]), game="dominos", name="Herbst <i>")
    found(club, "swiss", ROBOTS[:5], game="dominos", name="Schweiz")
    found(club, "knockout", ROBOTS[:5], game="dominos", name="Pokal", third=True)
    found(club, "tables", ROBOTS[:6], game="tridom", name="Tische", seats=3)
    found(club, "league", ROBOTS[:7], game="dominos", name="Liga", division=4)
    found(club, "ladder", ("Anna", "Bert", ROBOTS[0]), game="dominos", name="Leiter")
    found(club, "double", ROBOTS[:3], game="dominos", name="Doppelt", days=300)
    with club.work() as work:
        season = work.session.exec(select(Tournament).where(Tournament.code == "T7")).one()
        season.previous_id = work.session.exec(select(Tournament.id).where(Tournament.code == "T5")).one()


def _running(club: Club) -> list[str]:
    query = select(MatchRow.code).where(MatchRow.status == "running", col(MatchRow.tournament_id).is_(None))
    return club.stored(query)


def _open_tournaments(club: Club) -> list[str]:
    return club.stored(select(Tournament.code).where(Tournament.status != "finished"))


def whole(club: Club, folder: Path) -> SiteUpdate:
    """The site with all its parts."""
    with club.work() as work:
        return publish_site(SiteContent(work, folder), folder)


def mine(club: Club, folder: Path) -> SiteUpdate:
    """Only lists, players, tournaments, records, rules and words."""
    with club.work() as work:
        site = SiteContent(work, folder)
        done = update_site_folder(folder, (file for part in PARTS for file in part(site)))
        site.values.save_values({match.id for match in site.matches})
        return done


def player_page(club: Club, name: str) -> str:
    with club.work() as work:
        return f"players/{get_player(work.session, name).number}.html"
