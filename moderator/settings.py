"""The operator's settings: one TOML file, read into frozen dataclasses. See config.example.toml for every key.

Light on purpose (tomllib and dataclasses only): a tick with nothing to do loads this and little more.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from moderator.common import clock, disk, secret_settings
from moderator.common.disk import LANGUAGES
from moderator.common.errors import ConfigError
from moderator.common.typed import build_dataclass
from moderator.mail.settings import TRANSPORTS, ImapSettings, MaildirSettings, MailSettings, SmtpSettings
from moderator.rules.time.calendar import LeaveRules, resolve_local_hour
from moderator.rules.time.clock import TimeRules

CLOCK = "sandbox.clock"
"""File beside the settings of a sandbox: what time it is there."""


@dataclass(frozen=True)
class ClubSettings:
    """The club that runs the games. ``moderator`` is the address that questions and alarms are sent to."""

    moderator: str
    name: str = "Moderator"
    language: str = "de"
    """Of mails to nobody known, and of new players; one of ``disk.LANGUAGES``."""
    zone: str = "Europe/Berlin"
    digest_hour: int = 7
    """Local hour of the daily mail for players who want one, and of the moderator's notice of what waits."""
    backup_days: int = 7
    """After so many days without `moderator backup` the moderator is reminded of it; 0 = never."""
    signup: Literal["closed", "open"] = "closed"
    """open: who writes JOIN from an unknown address becomes a player once that mailbox has confirmed it; closed: the
    moderator decides. Both are told so, and the moderator of both."""

    def compute_last_daily_time(self, now: datetime) -> datetime:
        """Compute when the daily mails were due last, on the club's clock."""
        place = ZoneInfo(self.zone)
        day = now.astimezone(place).date()
        moment = resolve_local_hour(day, self.digest_hour, place)
        return moment if moment <= now else resolve_local_hour(day - timedelta(days=1), self.digest_hour, place)


@dataclass(frozen=True)
class StoreSettings:
    path: Path = Path("moderator.sqlite")
    """The database file."""
    url: str = field(default="", repr=False)
    """postgresql://user@host/name instead of the file, where several workers share the work."""


@dataclass(frozen=True)
class WordSettings:
    """The dictionaries that decide. ``lexicons`` are names made by `moderator lexicon build`."""

    folder: Path = Path("lexicons")
    lexicons: tuple[str, ...] = ("de",)
    ask_if_in: tuple[str, ...] = ()
    """A word that is only in one of these is put to the moderator."""
    house: Path = Path("house.tsv")
    """The club's own rulings; the list that ships with moderator comes after it."""
    reference: str = ""
    """Printed in every report, e.g. "Duden, 28. Auflage"; "" = the lexicon's own edition."""


@dataclass(frozen=True)
class GuardSettings:
    """The limits beyond which the moderator does not trust what it sees."""

    settle_minutes: int = 60
    """Nobody is late before a poll that began so long after the deadline."""
    outage_hours: int = 36
    """After so long without a poll all deadlines move by that time."""
    nmr_breaker: float = 0.5
    """If more than this share of the awaited orders is missing, nothing is evaluated for a day; 1 = never mind."""
    nmr_least: int = 4
    """Fewer missing orders than that are nothing unusual."""
    backlog: int = 100
    """Where more mails than that wait, or after an outage, each player is told of it all in one mail."""

    @property
    def settling_time(self) -> timedelta:
        """The time ``settle_minutes`` as a span."""
        return timedelta(minutes=self.settle_minutes)

    def is_outage(self, before: datetime, now: datetime) -> bool:
        """Return whether so much time between two polls is too much to hold anybody to a deadline."""
        return now - before >= timedelta(hours=self.outage_hours)


@dataclass(frozen=True)
class PuzzleSettings:
    """The puzzle of the week, for players who want it."""

    weekly: bool = True
    """False = none is set."""


@dataclass(frozen=True)
class SiteSettings:
    """The archive: pages that any web space can hold, see `moderator publish`."""

    folder: str = ""
    """Where tick keeps it up to date; "" = only `moderator publish` writes one."""
    url: str = ""
    """Its address on the web, for feeds and for links in mails; "" = it has none."""
    public: bool = False
    """Search engines may list it."""
    languages: tuple[str, ...] = ()
    """Those it is written in, the club's own among them; () = all that there are."""
    about: str = ""
    """Who the club is, for its first page; "" = how many play how many games."""
    picture: str = ""
    """A picture file that stands beside the club's name; "" = a sign of ours."""
    accent: str = ""
    """The colour of buttons and links, ``#1F6B46``; "" = our green."""


@dataclass(frozen=True)
class ReviewSettings:
    """The reviews of finished matches: docs/inside/reviews.md."""

    seconds_per_tick: float = 5
    """Of CPU: so long a run works on them that has nothing else to do, and so long at most when a match has just ended
    or a player asks. 0 = only `moderator review` makes one."""


@dataclass(frozen=True)
class LogSettings:
    """The log of what runs did, a line each: docs/run/machine.md."""

    file: str = ""
    """"" = none is kept."""


@dataclass(frozen=True)
class BotSettings:
    """A robot whose moves a program of somebody else chooses, see docs/build/bots.md."""

    command: tuple[str, ...] = ()
    """Started in the folder ``bots`` beside this file."""
    seconds: int = 5
    """For each move."""
    mebibytes: int = 512
    """Of memory, for the program with all that it starts."""


@dataclass(frozen=True)
class Config:
    club: ClubSettings
    mail: MailSettings
    imap: ImapSettings = field(default_factory=ImapSettings)
    smtp: SmtpSettings = field(default_factory=SmtpSettings)
    maildir: MaildirSettings = field(default_factory=MaildirSettings)
    transport: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """Settings of transports of other packages, by their names: read by them alone."""
    store: StoreSettings = field(default_factory=StoreSettings)
    words: WordSettings = field(default_factory=WordSettings)
    deadlines: TimeRules = field(default_factory=TimeRules)
    """Time rules of new matches that name no others."""
    leave: LeaveRules = field(default_factory=LeaveRules)
    guard: GuardSettings = field(default_factory=GuardSettings)
    puzzle: PuzzleSettings = field(default_factory=PuzzleSettings)
    site: SiteSettings = field(default_factory=SiteSettings)
    review: ReviewSettings = field(default_factory=ReviewSettings)
    log: LogSettings = field(default_factory=LogSettings)
    bots: Mapping[str, BotSettings] = field(default_factory=dict)
    """By the name of the robot."""
    file: Path = field(default=Path(disk.DEFAULT_FILE), init=False)

    @property
    def database(self) -> Path | str:
        """The place of the database: a file, or a URL."""
        return self.store.url or self.resolve_path(self.store.path)

    @property
    def site_folder(self) -> Path | None:
        """The folder that runs keep the site in; None = they write none."""
        return self.resolve_path(Path(self.site.folder)) if self.site.folder else None

    @property
    def passwords(self) -> tuple[str, ...]:
        """The secrets in the file, which must be read by nobody else and stand in no log."""
        return tuple(secret_settings.iter_secrets(asdict(self)))

    def read_clock(self) -> datetime:
        """Read the time, aware UTC: by the machine's clock, or by that of a sandbox (run/rehearsal.py)."""
        try:
            return datetime.fromisoformat((self.file.parent / CLOCK).read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            return clock.get_wall_time()

    def resolve_path(self, path: Path) -> Path:
        """Return a path of the file, relative to the file's own folder."""
        return path if path.is_absolute() else self.file.parent / path


def load_config(file: Path | None = None) -> Config:
    """Load the settings of ``file``, of $MODERATOR_CONFIG or of ./moderator.toml. Raises ConfigError."""
    file = disk.choose_settings_file(file)
    try:
        with file.open("rb") as stream:
            values = tomllib.load(stream)
    except FileNotFoundError:
        raise ConfigError(f"No configuration at {file}.", "Run `moderator init` or name one with --config.") from None
    except OSError as error:
        raise ConfigError(
            *disk.describe_os_error(error, "read", file, "Check the file and its permissions.")
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"Cannot read {file}: {error}.", "Save it with the encoding UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}.", "Texts stand in quotes, lists in [ ].") from error
    _refuse_packaged_robots(values)
    config = build_dataclass(Config, values, str(file))
    object.__setattr__(config, "file", file.resolve())
    _check_config(config)
    return config


def _refuse_packaged_robots(values: Mapping[str, Any]) -> None:
    """Raise ConfigError where a robot of another package is to play, which was possible once."""
    bots = values.get("bots")
    for name, bot in bots.items() if isinstance(bots, Mapping) else ():
        if isinstance(bot, Mapping) and "robot" in bot:
            raise ConfigError(
                f"[bots.{name}] robot = {bot['robot']!r}: a package can bring no robot any more.",
                f"Put a command in its place, a program that asks it (docs/build/bots.md); without [bots.{name}] the "
                f"robot "
                "plays by itself, at its level.",
            )


def _check_config(config: Config) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if config.club.language not in LANGUAGES:
        known = ", ".join(map(repr, LANGUAGES))
        raise ConfigError(f"[club] language = {config.club.language!r} is not known.", f"Possible: {known}.")
    if wrong := _find_wrong_languages(config):
        raise ConfigError(f"[site] languages {wrong}", f"Possible: {', '.join(map(repr, LANGUAGES))}.")
    if config.site.accent and not re.fullmatch("#[0-9A-Fa-f]{6}", config.site.accent):
        raise ConfigError(f"[site] accent = {config.site.accent!r} is no colour.", 'Write it as "#1F6B46".')
    picture = config.site.picture
    if picture and not config.resolve_path(Path(picture)).is_file():
        raise ConfigError(f"[site] picture = {picture!r} is no file.", "Name it as seen from the settings file.")
    for name, address in (
        ("[club] moderator", config.club.moderator),
        ("[mail] address", config.mail.address),
    ):
        check_mail_address(name, address)
    try:
        ZoneInfo(config.club.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError(f"[club] zone = {config.club.zone!r} is not known.", 'Write it as "Europe/Berlin".') from None
    _check_transports(config)
    if config.mail.transport == "imap" and not (config.imap.host and config.smtp.host):
        raise ConfigError('transport = "imap" needs [imap] host and [smtp] host.', "See config.example.toml.")
    for name, bot in config.bots.items():
        _check_bot(f"[bots.{name}]", bot)
    config.deadlines.check_values("[deadlines]")
    config.leave.check_values("[leave]")
    _check_number_ranges(config)


def _check_transports(config: Config) -> None:
    if config.mail.transport not in TRANSPORTS:
        known = ", ".join(map(repr, TRANSPORTS))
        raise ConfigError(f"[mail] transport = {config.mail.transport!r} is not known.", f"Possible: {known}.")
    for name in config.transport:
        if name in TRANSPORTS.own:
            raise ConfigError(f"[transport.{name}] is not read: {name} is one of our own.", "See config.example.toml.")
        if name not in TRANSPORTS:
            raise ConfigError(
                f"[transport.{name}]: no package here brings that transport.", "Install it, or remove it."
            )


def _check_bot(where: str, bot: BotSettings) -> None:
    wrong = ""
    if not bot.command:
        wrong = "needs a command"
    elif not 1 <= bot.seconds <= 60:
        wrong = "needs seconds from 1 to 60"
    elif bot.mebibytes < 16:
        wrong = "needs mebibytes of at least 16"
    if wrong:
        raise ConfigError(f"{where} {wrong}.", "See docs/build/bots.md.")


def _find_wrong_languages(config: Config) -> str:
    """Return what is wrong with the languages of the site, "" = nothing."""
    languages = config.site.languages
    if unknown := [one for one in languages if one not in LANGUAGES]:
        return f"names {unknown[0]!r}, which is not known."
    if languages and config.club.language not in languages:
        return f"lacks {config.club.language!r}, the [club] language."
    return ""


def check_mail_address(name: str, address: str) -> None:
    """Raise ConfigError unless this looks like a mail address."""
    unusable = not (address.isascii() and address.isprintable()) or any(c in address for c in " <>,")
    if unusable or address.count("@") != 1 or address[0] == "@" or address[-1] == "@":
        raise ConfigError(f"{name} = {address!r} is no mail address.", 'Write it as "name@domain".')


def _check_number_ranges(config: Config) -> None:
    guard = config.guard
    if not 0 <= config.club.digest_hour <= 23:
        raise ConfigError(f"[club] digest_hour = {config.club.digest_hour} is no hour.", "Possible: 0 to 23.")
    if config.club.backup_days < 0:
        raise ConfigError(
            f"[club] backup_days = {config.club.backup_days} is no number of days.", "Possible: 0 and more."
        )
    if not (0 <= guard.settle_minutes <= 1440 and guard.outage_hours >= 1 and guard.nmr_least >= 1):
        raise ConfigError(
            "[guard] needs settle_minutes from 0 to 1440, outage_hours and nmr_least of at least 1.",
            "See config.example.toml.",
        )
    if guard.backlog < 0:
        raise ConfigError(f"[guard] backlog = {guard.backlog} is no number of mails.", "Possible: 0 and more.")
    if not 0 <= config.review.seconds_per_tick <= 60:
        raise ConfigError(
            f"[review] seconds_per_tick = {config.review.seconds_per_tick} is no time for a run.", "Possible: 0 to 60."
        )
    if not 0 < guard.nmr_breaker <= 1:
        raise ConfigError(f"[guard] nmr_breaker = {guard.nmr_breaker} is no share.", "Write it as 0.5; 1 = never.")
