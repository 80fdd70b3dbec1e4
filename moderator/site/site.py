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
from moderator.club import archive, ratings, spelling
from moderator.club.desk import Desk
from moderator.club.endings import of_stored
from moderator.club.names import Plays, plays_as
from moderator.match.contract import Note
from moderator.match.ending import Ending
from moderator.pages import dates, ending, theme, tournament_tables
from moderator.pages.mail import environment, folder
from moderator.pages.messages import PACKAGE, label, sentence, tile
from moderator.pages.notation import in_words
from moderator.site import tournament_list, tree
from moderator.site.rulings import ShownRuling, readable
from moderator.site.tournament_list import ListedTournament
from moderator.states import MatchStatus
from moderator.store import matches, players, press, puzzles, reviews, tournaments
from moderator.tournaments.rating import Entry

# ---- what may be said ----
#
# What people wrote, as the whole world may read it: without mail addresses, and without what XML cannot hold.


_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
"""With a dot behind the sign, which tells it from a move such as 64@L."""
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def masked(text: str) -> str:
    """The same text with "…" for each address."""
    fit = _UNFIT.sub("", text)
    return _ADDRESS.sub("…", fit) if "@" in fit else fit  # most pages have none, and a letter is megabytes


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
    def _values(self) -> dict[str, list[Any]]:
        if self._file is None or not self._file.is_file():
            return {}
        try:
            read = json.loads(self._file.read_text(encoding="utf-8"))
            return dict(read["values"]) if read["version"] == __version__ else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}  # damaged: everything is worked out anew

    def value(self, kind: str, match: int, key: str, make: Callable[[], Any]) -> Any:
        """The plain value for ``key``; made if there is none or it was made for another key."""
        if not self.has(kind, match, key):
            self.put(kind, match, key, make())
        return self.get(kind, match, key)

    def has(self, kind: str, match: int, key: str) -> bool:
        known = self._values.get(f"{kind}/{match}")
        return known is not None and known[0] == key

    def get(self, kind: str, match: int, key: str) -> Any:
        """None if there is none."""
        return self._values[f"{kind}/{match}"][1] if self.has(kind, match, key) else None

    def put(self, kind: str, match: int, key: str, value: Any) -> None:
        self._values[f"{kind}/{match}"] = [key, value]
        self._changed = True

    def save(self, matches: Collection[int]) -> None:
        """Write down what was made; of matches that are gone nothing is kept."""
        if self._file is None or not self._changed:
            return
        values = {name: one for name, one in self._values.items() if int(name.rpartition("/")[2]) in matches}
        new = self._file.with_name(f"{self._file.name}.new")
        with suppress(OSError):  # next time everything is worked out anew
            new.write_text(json.dumps({"version": __version__, "values": values}), encoding="utf-8")
            new.replace(self._file)
            self._changed = False


# ---- the site ----


MENU: tuple[str, ...] = ("matches", "players", "tournaments", "records", "rules", "words", "letter")
"""Pages that every page leads to, besides the first one."""
PUZZLES = "puzzles"
"""One more in a club that has set a puzzle of the week."""


@dataclass(frozen=True)
class Sitting:
    """Who sits where."""

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
        return theme.player(self.number + 1)[1]


@dataclass(frozen=True, repr=False)
class Listed:
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
    seats: tuple[Sitting, ...]
    ending: Ending | None
    letters: int
    """How many press letters were delivered."""

    @property
    def over(self) -> bool:
        return self.status == MatchStatus.FINISHED

    @cached_property
    def _whole(self) -> str:
        return f"Listed{tuple(getattr(self, one.name) for one in fields(self))}"

    def __repr__(self) -> str:
        """Made once: the keys of many pages hold the same matches."""
        return self._whole


class Site:
    """The site as it is to be now, read once for all its pages."""

    def __init__(self, desk: Desk, folder: Path | None = None) -> None:
        self.desk, self.config = desk, desk.config
        self.values, self.boards = ValueCache(folder), ValueCache(folder, BOARDS)
        self.home = desk.config.club.language
        self.menu = (*MENU, PUZZLES) if puzzles.last(desk.session) is not None else MENU
        self.languages = archive.languages(self.config)

    @cached_property
    def stamp(self) -> str:
        """Changes with the program, its templates and the club's settings: then every page is made anew."""
        digest = hashlib.sha256(repr((__version__, self.config.club, self.config.site, self.menu)).encode())
        for file in (*sorted((folder() / "site").iterdir()), *sorted(PACKAGE.rglob("*messages.*.toml"))):
            digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    def key(self, *parts: object) -> str:
        """Of a page made from ``parts``."""
        return tree.key(self.stamp, *parts)

    def path(self, page: str, language: str) -> str:
        """Where a page stands: ``matches/K7Q2.html``, ``en/matches/K7Q2.html``."""
        return archive.path(self.config, page, language)

    def file(self, page: str, language: str, key: str, make: Callable[[str, str], bytes]) -> tree.File:
        """A page of the site; ``make`` is called with its name and language when its key has changed."""
        return tree.File(self.path(page, language), key, partial(make, page, language))

    @cached_property
    def matches(self) -> tuple[Listed, ...]:
        """All that have begun, the newest first."""
        session = self.desk.session
        counts, sitting, said = press.counts(session), self._sitting(), tournaments.decided(session)
        return tuple(
            Listed(
                *row[:-1],
                tuple(sitting.get(row.id, ())),
                of_stored(row.result, said.get(row.id)),
                counts.get(row.id, 0),
            )
            for row in matches.shown(session, archive.MATCHES)
        )

    @cached_property
    def reviews(self) -> Mapping[int, dict[str, Any]]:
        """What the whole reviews of finished matches say in sum, by primary key of the match."""
        return reviews.whole(self.desk.session, [match.id for match in self.matches if match.over])

    @cached_property
    def people(self) -> Mapping[int, Sitting]:
        """Who has a page, by primary key: everybody who sits in a match, in the order of the newest one, then whoever
        has only brought something along."""
        found: dict[int, Sitting] = {}
        for match in self.matches:
            for seat in match.seats:
                found.setdefault(seat.player, seat)
        known = {one.number: one for one in players.every(self.desk.session)} if self.brought else {}
        for number in sorted({int(player) for entry in self.brought for player in entry.players} - found.keys()):
            found[number] = Sitting(0, number, masked(known[number].name), plays_as(self.config, known[number]))
        return found

    @cached_property
    def brought(self) -> Sequence[Entry]:
        """Results and ratings from elsewhere, as the ratings count them."""
        return ratings.brought(self.desk.session)

    def borrowed(self, match: Listed) -> frozenset[int]:
        """The seats of a finished match whose result is nobody's: who has them at the end made too few of their
        moves."""
        return self._borrowed.get(match.id, frozenset())

    @cached_property
    def _borrowed(self) -> Mapping[int, frozenset[int]]:
        """Read only for pages that are made anew."""
        return ratings.borrowed_seats(self.desk.session)

    @cached_property
    def rulings(self) -> tuple[ShownRuling, ...]:
        """The club's rulings on words that may be read, the newest first."""
        return readable(self.desk, {match.code for match in self.matches if not match.over})

    @cached_property
    def tournaments(self) -> tuple[ListedTournament, ...]:
        """The tournaments, the newest first."""
        return tournament_list.listed(self.desk.session)

    def _sitting(self) -> Mapping[int, list[Sitting]]:
        people = {one.number: one for one in players.every(self.desk.session)}
        names = {number: masked(one.name) for number, one in people.items()}
        plays = {number: plays_as(self.config, one) for number, one in people.items()}
        found: dict[int, list[Sitting]] = {}
        for match, number, player in matches.all_seats(self.desk.session):
            found.setdefault(match, []).append(Sitting(number, player, names[player], plays[player]))
        return found

    def render(self, template: str, page: str, language: str, **values: Any) -> bytes:
        """``templates/site/<template>`` as the page ``page``, without mail addresses that somebody wrote; see ``View``
        for what templates may ask."""
        view = View(self, page, language)
        made: str = environment().get_template(f"site/{template}").render(site=self, v=view, **values)
        return masked(made).encode()


class View:
    """One page in one language, as its template asks."""

    def __init__(self, site: Site, page: str, language: str) -> None:
        self.site, self.page, self.lang = site, page, language

    def t(self, code: str, **params: Any) -> str:
        """A text of the site (moderator/site/messages.*.toml) or of the mails."""
        return label(code, self.lang, **params)

    def say(self, note: Note, game: str | None = None, names: tuple[str, ...] = ()) -> str:
        """A note of a game as a sentence."""
        return sentence(note, self.lang, game, names)

    def ended(self, match: Listed) -> tuple[str, ...]:
        """How a match ended, in sentences; nothing while it runs."""
        names = [masked(seat.name) for seat in match.seats]
        return ending.at_length(match.ending, names, self.lang) if match.ending else ()

    def move(self, played: str, game: str) -> str:
        """A move in canonical form, as who reads this language writes it; "" = nothing was played."""
        return in_words(played, self.lang, game) if played else self.t("site.no-move")

    def game(self, key: str) -> str:
        return spelling.game_name(key, self.lang)

    def moment(self, when: datetime) -> str:
        club = self.site.config.club
        return dates.moment(when, self.site.desk.now, self.lang, club.zone, club.zone)

    def day(self, when: datetime) -> str:
        """``21.11.2026``, ``21 Nov 2026``: short, and the same next year."""
        return self.date(when.astimezone(dates.zone(self.site.config.club.zone)).date())

    def date(self, here: date) -> str:
        """The same of a day of the calendar."""
        return dates.short(here, self.lang)

    def number(self, value: str) -> str:
        """Points of a tournament as the language has them."""
        return tournament_tables.number(value, self.lang)

    def link(self, page: str) -> str:
        """Relative address of another page in the same language."""
        return self._relative(self.site.path(page, self.lang))

    def static(self, name: str) -> str:
        return self.file(f"static/{name}")

    def address(self, file: str) -> str:
        """Absolute address of a file of the folder; only for a site that is on the web."""
        return archive.address(self.site.config, file)

    @property
    def here(self) -> str:
        """That of this page."""
        return self.address(self.site.path(self.page, self.lang))

    def file(self, path: str) -> str:
        """Relative address of a file that is the same in all languages."""
        return self._relative(path)

    def tile(self, name: str, game: str) -> str:
        """A tile as texts name it."""
        return tile(name, self.lang, game)

    @property
    def others(self) -> tuple[tuple[str, str, str], ...]:
        """(language, what it calls itself, relative address of this page in it) of the other languages."""
        return tuple(
            (language, label("site.language", language), self._relative(self.site.path(self.page, language)))
            for language in self.site.languages
            if language != self.lang
        )

    def _relative(self, path: str) -> str:
        here = PurePosixPath(self.site.path(self.page, self.lang)).parent
        return "../" * len(here.parts) + path
