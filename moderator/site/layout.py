"""What all pages of the site have in common: its matches at one glance, its languages and addresses, its templates.

Pages stand under the club's language at the top and under the other one in a folder of its name; ``static/`` is
shared. All links are relative, so that the site works from any folder, also from a stick.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any

from moderator import __version__
from moderator.common.enums import MatchStatus
from moderator.language import dates, spelling
from moderator.language.messages import PACKAGE, render_label, render_note, render_tile_name, translate_move
from moderator.render import theme
from moderator.render.mail import get_template_environment, require_template_folder
from moderator.render.mails import task, tournament
from moderator.rules.ending import Ending
from moderator.rules.game import Note
from moderator.site import listed, tree
from moderator.site.listed import ListedTournament, RulingView, list_public_rulings
from moderator.store import matches, players, questions, reviews, tournaments
from moderator.tournaments.ratings import RatingEntry
from moderator.views import links, ratings
from moderator.views.loaded_match import build_stored_ending
from moderator.views.people import Plays, get_play_style
from moderator.views.unit_of_work import UnitOfWork

# ---- what may be said ----
#
# What people wrote, as the whole world may read it: without mail addresses, and without what XML cannot hold.


_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
"""With a dot behind the sign, which tells it from a move such as 64@L."""
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def mask_addresses(text: str, club: str = "") -> str:
    """Return the text with "…" for each mail address but the club's own, and without what XML cannot hold."""
    fit = _UNFIT.sub("", text)
    if "@" not in fit:  # most pages have none, and a letter is megabytes
        return fit
    return _ADDRESS.sub(lambda found: found[0] if found[0] == club else "…", fit)


_MINUS = re.compile(r"(?<![^\s(:])-(?=\d)")


def write_minus_signs(text: str) -> str:
    """Return the sentence with true minus signs before numbers."""
    return _MINUS.sub("−", text) if "-" in text else text


# ---- what is kept from one run to the next ----
#
# Values that cost a look at a whole match, kept beside the pages from one run to the next.
#
# The file holds nothing that is not on some page. Without it everything is worked out anew.


VALUES = ".moderator-site-values.json"
BOARDS = ".moderator-site-boards.json"
"""Apart, because boards are large and only round letters and feeds need them."""


class ValueCache:
    """Values of matches by kind and primary key, each with the key that it was made for."""

    def __init__(self, folder: Path | None, name: str = VALUES) -> None:
        self._file = folder / name if folder else None
        self._changed = False

    @cached_property
    def _stored_values(self) -> dict[str, list[Any]]:
        if self._file is None or not self._file.is_file():
            return {}
        try:
            read = json.loads(self._file.read_text(encoding="utf-8"))
            return dict(read["values"]) if read["version"] == __version__ else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}  # damaged: everything is worked out anew

    def get_or_make(self, kind: str, match: int, key: str, make: Callable[[], Any]) -> Any:
        """Return the plain value for ``compute_key``; it is made if there is none or it was made for another key."""
        if not self.has_value(kind, match, key):
            self.store_value(kind, match, key, make())
        return self.find_value(kind, match, key)

    def has_value(self, kind: str, match: int, key: str) -> bool:
        known = self._stored_values.get(f"{kind}/{match}")
        return known is not None and known[0] == key

    def find_value(self, kind: str, match: int, key: str) -> Any:
        """Return the value; None if there is none."""
        return self._stored_values[f"{kind}/{match}"][1] if self.has_value(kind, match, key) else None

    def store_value(self, kind: str, match: int, key: str, value: Any) -> None:
        self._stored_values[f"{kind}/{match}"] = [key, value]
        self._changed = True

    def save_values(self, matches: Collection[int]) -> None:
        """Save the values that were made; of matches that exist no more nothing is stored."""
        if self._file is None or not self._changed:
            return
        values = {name: one for name, one in self._stored_values.items() if int(name.rpartition("/")[2]) in matches}
        new = self._file.with_name(f"{self._file.name}.new")
        with suppress(OSError):  # next time everything is worked out anew
            new.write_text(json.dumps({"version": __version__, "values": values}), encoding="utf-8")
            new.replace(self._file)
            self._changed = False


# ---- the site ----


MENU: tuple[str, ...] = ("matches", "tournaments", "players", "letter", "records", "rules", "words")
"""Pages that every page leads to, besides the first one: four at once, the others by one more touch."""
PUZZLES = "puzzles"
"""One more in a club that has set a puzzle of the week, in the fourth place."""


@dataclass(frozen=True)
class SeatHolder:
    """A seat of a match, with the player who holds it."""

    number: int
    player: int
    """Primary key, which names the player's page."""
    name: str
    plays: Plays
    """How a robot plays now; "" = a person."""

    @property
    def robot(self) -> bool:
        return bool(self.plays)

    @property
    def colour(self) -> str:
        return f"seat-{self.number % len(theme.PLAYERS) + 1}"

    @property
    def shape(self) -> str:
        return theme.get_player_style(self.number + 1)[1]


@dataclass(frozen=True, repr=False)
class ListedMatch:
    """A match as lists show it."""

    id: int
    code: str
    title: str
    game: str
    status: MatchStatus
    entries: int
    tournament: int | None
    started: datetime | None
    finished: datetime | None
    deadline: datetime | None
    training: bool
    """A table for training: it has its page and stands in the lists of matches, and is told nowhere else."""
    counts: bool
    """How it ended is said of its players, see store/matches.py."""
    seats: tuple[SeatHolder, ...]
    ending: Ending | None
    letters: int
    """How many press letters were delivered."""

    @property
    def over(self) -> bool:
        return self.status == MatchStatus.FINISHED

    @cached_property
    def _cached_repr(self) -> str:
        return f"Listed{tuple(getattr(self, one.name) for one in fields(self))}"

    def __repr__(self) -> str:
        """Return the fields, formatted once: the keys of many pages hold the same matches."""
        return self._cached_repr


class SiteContent:
    """The site as it is to be now, read once for all its pages."""

    def __init__(self, work: UnitOfWork, folder: Path | None = None) -> None:
        self.work, self.config = work, work.config
        self.values, self.boards = ValueCache(folder), ValueCache(folder, BOARDS)
        self.home = work.config.club.language
        puzzled = reviews.find_last_puzzle(work.session) is not None
        self.menu = (*MENU[:3], PUZZLES, *MENU[3:]) if puzzled else MENU
        self.languages = links.list_site_languages(self.config)

    @cached_property
    def stamp(self) -> str:
        """A digest of the program, its templates and the club's settings: when it changes, every page is made anew."""
        digest = hashlib.sha256(repr((__version__, self.config.club, self.config.site, self.menu)).encode())
        for file in (
            *sorted((require_template_folder() / "site").iterdir()),
            require_template_folder() / "shared" / "tokens.css",
            *sorted(PACKAGE.rglob("*messages.*.toml")),
        ):
            digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    def compute_key(self, *parts: object) -> str:
        """Return the key of a page made from ``parts``."""
        return tree.compute_file_key(self.stamp, *parts)

    def get_page_path(self, page: str, language: str) -> str:
        """Return the path of a page: ``matches/K7Q2.html``, ``en/matches/K7Q2.html``."""
        return f"{language}/{page}" if language in self.languages[1:] else page

    def build_page_file(self, page: str, language: str, key: str, make: Callable[[str, str], bytes]) -> tree.SiteFile:
        """Return a page of the site; ``make`` is called with its name and language when its key has changed."""
        return tree.SiteFile(self.get_page_path(page, language), key, partial(make, page, language))

    @cached_property
    def matches(self) -> tuple[ListedMatch, ...]:
        """The matches that have begun, the newest first."""
        session = self.work.session
        counts, sitting, said = (
            questions.count_letters_by_match(session),
            self._load_seat_holders(),
            tournaments.load_decided_results(session),
        )
        return tuple(
            ListedMatch(
                *row[:-1],
                tuple(sitting.get(row.id, ())),
                build_stored_ending(row.result, said.get(row.id)),
                counts.get(row.id, 0),
            )
            for row in matches.list_match_summaries(session, links.MATCHES)
        )

    @cached_property
    def finished(self) -> list[ListedMatch]:
        """The finished matches, the latest first."""
        over = [match for match in self.matches if match.over]
        return sorted(over, key=lambda match: (match.finished or match.started, match.id), reverse=True)

    @cached_property
    def sign(self) -> str:
        """The file in ``static/`` that is the club's picture; the program's own sign without one."""
        return f"club{Path(self.config.site.picture).suffix}" if self.config.site.picture else "tile.svg"

    @cached_property
    def reviews(self) -> Mapping[int, dict[str, Any]]:
        """The totals of the complete reviews of finished matches, by primary key of the match."""
        return reviews.load_complete_reviews(self.work.session, [match.id for match in self.matches if match.over])

    @cached_property
    def people(self) -> Mapping[int, SeatHolder]:
        """The people who have a page, by primary key: everybody who sits in a match, in the order of the newest one,
        then those who have only brought results along."""
        found: dict[int, SeatHolder] = {}
        for match in self.matches:
            for seat in match.seats:
                found.setdefault(seat.player, seat)
        known = (
            {one.number: one for one in players.list_all_players(self.work.session)} if self.imported_entries else {}
        )
        for number in sorted(
            {int(player) for entry in self.imported_entries for player in entry.players} - found.keys()
        ):
            found[number] = SeatHolder(
                0, number, mask_addresses(known[number].name), get_play_style(self.config, known[number])
            )
        return found

    @cached_property
    def imported_entries(self) -> Sequence[RatingEntry]:
        """The results and ratings from elsewhere, as the ratings count them."""
        return ratings.load_brought_entries(self.work.session)

    def get_borrowed_seats(self, match: ListedMatch) -> frozenset[int]:
        """Return the seats of a finished match whose result counts for nobody: their last holders made too few of the
        moves."""
        return self._borrowed_by_match.get(match.id, frozenset())

    @cached_property
    def _borrowed_by_match(self) -> Mapping[int, frozenset[int]]:
        """The borrowed seats by match, read only for pages that are made anew."""
        return ratings.load_borrowed_seats(self.work.session)

    @cached_property
    def rulings(self) -> tuple[RulingView, ...]:
        """The club's rulings on words that may be read, the newest first."""
        return list_public_rulings(
            self.work.session, self.work.config, {match.code for match in self.matches if not match.over}
        )

    @cached_property
    def tournaments(self) -> tuple[ListedTournament, ...]:
        """The tournaments, the newest first."""
        return listed.load_listed_tournaments(self.work.session)

    def _load_seat_holders(self) -> Mapping[int, list[SeatHolder]]:
        people = {one.number: one for one in players.list_all_players(self.work.session)}
        names = {number: mask_addresses(one.name) for number, one in people.items()}
        plays = {number: get_play_style(self.config, one) for number, one in people.items()}
        found: dict[int, list[SeatHolder]] = {}
        for match, number, player in matches.list_all_seats(self.work.session):
            found.setdefault(match, []).append(SeatHolder(number, player, names[player], plays[player]))
        return found

    def render_page(self, template: str, page: str, language: str, **values: Any) -> bytes:
        """Render ``templates/site/<template>`` as the page ``page``, without mail addresses that somebody wrote; see
        ``PageView`` for what templates may ask."""
        view = PageView(self, page, language)
        made: str = get_template_environment().get_template(f"site/{template}").render(site=self, v=view, **values)
        return mask_addresses(made, self.config.mail.address).encode()


class PageView:
    """One page in one language, as its template asks."""

    def __init__(self, site: SiteContent, page: str, language: str) -> None:
        self.site, self.page, self.lang = site, page, language

    def t(self, code: str, **params: Any) -> str:
        """Return a text of the site (language/site*.messages.*.toml) or of the mails."""
        return write_minus_signs(render_label(code, self.lang, **params))

    def say(self, note: Note, game: str | None = None, names: tuple[str, ...] = ()) -> str:
        """Return a note of a game as a sentence."""
        return write_minus_signs(render_note(note, self.lang, game, names))

    def score(self, points: object) -> str:
        return write_minus_signs(str(points))

    def result(self, match: ListedMatch) -> str:
        """Return how a match ended, the best first: ``Cici schlägt Anna 70 : 0``."""
        ended, names = match.ending, [mask_addresses(seat.name) for seat in match.seats]
        if ended is None:
            return ", ".join(names)
        best = sorted(range(len(names)), key=lambda seat: (ended.places[seat], seat))
        points = [self.score(ended.get_final_points(seat)) for seat in best]
        if len(names) == 2:
            values = {"one": names[best[0]], "other": names[best[1]], "points": points[0], "others": points[1]}
            return self.t("site.level" if ended.level or not ended.winners else "site.beats", **values)
        return ", ".join(f"{names[seat]} {scored}" for seat, scored in zip(best, points, strict=True))

    def ended(self, match: ListedMatch) -> tuple[str, ...]:
        """Return the end of a match, in sentences; nothing while it runs."""
        names = [mask_addresses(seat.name) for seat in match.seats]
        return task.render_full_ending(match.ending, names, self.lang) if match.ending else ()

    def write_move(self, played: str, game: str) -> str:
        """Return a move in canonical form as a reader of this language writes it; for an empty one a text that nothing
        was played."""
        return translate_move(played, self.lang, game) if played else self.t("site.no-move")

    def game(self, key: str) -> str:
        return spelling.get_game_name(key, self.lang)

    def moment(self, when: datetime) -> str:
        club = self.site.config.club
        return dates.format_moment(when, self.site.work.now, self.lang, club.zone, club.zone)

    def day(self, when: datetime) -> str:
        """Return ``21.11.2026``, ``21 Nov 2026``: short, and the same next year."""
        return self.date(when.astimezone(dates.get_time_zone(self.site.config.club.zone)).date())

    def date(self, here: date) -> str:
        """Return a day of the calendar in the same form."""
        return dates.format_short_date(here, self.lang)

    def number(self, value: str) -> str:
        """Return points of a tournament as the language writes them."""
        return tournament.format_decimal(value, self.lang)

    def link(self, page: str) -> str:
        """Return the relative address of another page in the same language."""
        return self._to_relative(self.site.get_page_path(page, self.lang))

    def static(self, name: str) -> str:
        return self.file(f"static/{name}")

    def address(self, file: str) -> str:
        """Return the absolute address of a file of the folder; only for a site that is on the web."""
        return links.build_site_address(self.site.config, file)

    @property
    def here(self) -> str:
        """The absolute address of this page."""
        return self.address(self.site.get_page_path(self.page, self.lang))

    def file(self, path: str) -> str:
        """Return the relative address of a file that is the same in all languages."""
        return self._to_relative(path)

    def tile(self, name: str, game: str) -> str:
        """Return a tile as texts name it."""
        return render_tile_name(name, self.lang, game)

    @property
    def others(self) -> tuple[tuple[str, str, str], ...]:
        """(language, what it calls itself, relative address of this page in it) of the other languages."""
        return tuple(
            (
                language,
                render_label("site.language", language),
                self._to_relative(self.site.get_page_path(self.page, language)),
            )
            for language in self.site.languages
            if language != self.lang
        )

    def _to_relative(self, path: str) -> str:
        here = PurePosixPath(self.site.get_page_path(self.page, self.lang)).parent
        return "../" * len(here.parts) + path
