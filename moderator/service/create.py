"""New players, new matches, free seats in them and who takes one."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from moderator import games
from moderator.common import tokens
from moderator.common.enums import BoardForm, Level, MatchStatus
from moderator.common.errors import MistypedError, ModeratorError, OperatorError
from moderator.common.text import ask_if_meant, suggest, to_ascii_address
from moderator.language.spelling import get_game_name
from moderator.rules import shuffling, table
from moderator.rules.game import Context, Game, Note, new_options, read_options
from moderator.rules.words import AnyWords
from moderator.settings import Config
from moderator.store import inbox, matches, players, privacy
from moderator.store.club_tables import Referee
from moderator.store.database import Session
from moderator.store.matches import list_current_seats
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import people
from moderator.views.loaded_match import build_match_terms
from moderator.views.match_cache import MatchCache
from moderator.views.people import UnclearName, resolve_player
from moderator.views.unit_of_work import UnitOfWork


def try_deal(cache: MatchCache, game_key: str, values: Mapping[str, Any], seats: Iterable[int]) -> None:
    """Deal to each of these numbers of seats, and open the dictionary. Raises OperatorError with what cannot be, and
    what is possible."""
    game = games.load_game(game_key)
    options = read_options(game, values, f"{game_key} options")
    words = cache.get_dictionary(options) if game.uses_words else AnyWords()
    for number in seats:
        if not game.min_seats <= number <= game.max_seats:
            raise OperatorError(
                f"{game_key} is for {_format_seat_range(game)} seats, not {number}.", "Take another number of seats."
            )
        try:
            table.open_match_state(game, number, options, Context(words, shuffling.keep_order))
        except ModeratorError:
            raise
        except Exception as error:  # of somebody else's game: this one line is all that it costs
            message = f"{game_key} with {dict(values)} cannot be dealt to {number} seats: {error!r}."
            raise OperatorError(message, "Take other options, or mend the game.") from error


def _format_seat_range(game: Game[Any, Any]) -> str:
    """Format the numbers of seats: ``2 to 4``, or ``2``."""
    return str(game.min_seats) if game.min_seats == game.max_seats else f"{game.min_seats} to {game.max_seats}"


def add_player(
    session: Session,
    name: str,
    address: str | None,
    now: datetime,
    *,
    language: str = "de",
    zone: str = "Europe/Berlin",
    board: BoardForm = BoardForm.PNG,
    auto_single: bool = False,
    level: Level = Level.CLUB,
    shared: bool = False,
    taken: Taken | None = None,
) -> PlayerRow:
    """Add a person, or a robot of that ``level`` when ``address`` is None. ``taken``: for whoever enters many, see
    ``load_taken_names``. Raises OperatorError for a name in use, and for an address in use unless it may be
    ``shared``."""
    name = require_free_name(session, name, taken=taken)
    if address is not None:
        address = parse_mail_address(address) if shared else require_free_address(session, address)
    zone = parse_time_zone(zone)
    player = PlayerRow(
        name=name,
        name_key=name.casefold(),
        address=address,
        language=language,
        zone=zone,
        board=board,
        auto_single=auto_single,
        robot=address is None,
        level=level,
        created_at=now,
    )
    session.add(player)
    session.flush()
    if taken is not None:
        taken.update(dict.fromkeys(_build_name_keys(name), name))
    if address is not None:
        inbox.release_strangers(session, address)
    return player


def parse_mail_address(text: str) -> str:
    """Parse the address to lower case. Raises OperatorError for one that cannot be."""
    address = to_ascii_address(text.strip().lower())
    local, at, domain = address.partition("@")
    fine = local and at and domain and "@" not in domain and len(address) <= 254
    if not fine or not address.isascii() or any(c in ' <>,;:"()\\' or not c.isprintable() for c in address):
        raise OperatorError(f"{address!r} is no mail address.", "Write it as name@domain.")
    return address


def require_free_address(session: Session, text: str) -> str:
    """Return the address in lower case. Raises OperatorError for one that cannot be, or that a player has: that two
    people share one is only the moderator's to say."""
    address = parse_mail_address(text)
    for taken in players.list_players_at_addresses(session, [address]):
        raise OperatorError(f"{address} belongs to {taken.name} already.", "The moderator may enter two there.")
    return address


Taken = dict[tuple[str, str], str]


def load_taken_names(session: Session, excluded: str = "") -> Taken:
    """Load the keys of the names that nobody else may have, each with the name; loaded once where many are entered."""
    return {key: one for one in players.list_player_names(session) if one != excluded for key in _build_name_keys(one)}


def _build_name_keys(name: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("same", name.casefold()), ("alike", compute_lookalike_key(name))


def require_free_name(session: Session, name: str, excluded: str = "", taken: Taken | None = None) -> str:
    """Return the name as it is stored. Raises OperatorError for none, and for one in use or that looks like one in use;
    ``excluded``: the name that its player has now."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not 1 <= len(name) <= 40 or any(not c.isprintable() for c in name):
        raise OperatorError(f"{name!r} is no name.", "Take 1 to 40 letters.")
    taken = load_taken_names(session, excluded) if taken is None else taken
    same, alike = map(taken.get, _build_name_keys(name))
    if same:
        raise OperatorError(f"There is a player {name!r} already.", "Choose another name.")
    if alike:
        raise OperatorError(f"{name!r} looks like {alike!r} on a screen.", "Choose another name.")
    return name


def ensure_robot(session: Session, now: datetime, level: Level, excluded: Collection[int] = ()) -> PlayerRow:
    """Return the club's robot of a level, none of those ``excluded``; created where there is none yet."""
    found = players.find_robot_of_level(session, level, excluded)
    if found is not None:
        return found
    names = {known.casefold() for known in players.list_player_names(session)}
    tried = (f"Robot {level.value}{number}" for number in ("", *(f" {n}" for n in range(2, 1000))))
    return add_player(session, next(name for name in tried if name.casefold() not in names), None, now, level=level)


def set_player(
    session: Session,
    player: PlayerRow,
    *,
    name: str | None = None,
    language: str | None = None,
    zone: str | None = None,
    board: BoardForm | None = None,
    auto_single: bool | None = None,
    same_subject: bool | None = None,
    level: Level | None = None,
) -> None:
    """Set what is given; a referee who is the same person is renamed, too. Raises OperatorError for an unknown time
    zone, and for a name that cannot be had."""
    if zone is not None:
        zone = parse_time_zone(zone)
    if name is not None:
        called = require_free_name(session, name, excluded=player.name)
        referee = people.find_renamed_referee(session, player, called)
        same: list[PlayerRow | Referee] = [player, *([referee] if referee else [])]
        for row in same:
            row.name, row.name_key = called, called.casefold()
            session.add(row)
    texts = {"language": language, "zone": zone, "board": board, "level": level}
    switches = {"auto_single": auto_single, "same_subject": same_subject}
    for setting, value in (texts | switches).items():
        if value is not None:
            setattr(player, setting, value)
    session.add(player)


def parse_time_zone(text: str) -> str:
    """Parse the name of a time zone: as it stands, in small letters, or its city alone. Raises OperatorError."""
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(text).key
    zones, wanted = sorted(available_timezones()), text.strip().casefold()
    alike = [zone for zone in zones if wanted in (zone.casefold(), zone.rpartition("/")[2].casefold())]
    if len(alike) == 1:
        return alike[0]
    raise MistypedError(f"{text!r} is no time zone.", suggest(text, alike or zones, "Write it as Europe/Berlin."))


def get_player(session: Session, name: str) -> PlayerRow:
    """Return the player of a name (see ``views/people.py``) or address. Raises OperatorError with the nearest names."""
    try:
        return resolve_player(session, name)
    except UnclearName as error:
        what = f"{name!r} may be one of several players." if error.several else f"There is no player {name!r}."
        raise MistypedError(what, ask_if_meant(error.names) or "See `moderator player list`.") from None


def get_match(session: Session, code: str) -> MatchRow:
    """Return the match of a code, or of a name if only one has it; of one that is not over, the beginning of its name
    will do. Raises OperatorError."""
    found = matches.find_match_by_code(session, code.upper())
    if found is None:
        going = matches.list_all_matches(session, finished=False)
        named = matches.list_matches_by_name(session, code) or people.list_named_alike(code, going)
        if not named:
            known = [name for match in going for name in (match.code, match.name)]
            raise MistypedError(f"There is no match {code!r}.", suggest(code, known, "See `moderator match list`."))
        if len(named) > 1:
            codes = ", ".join(match.code for match in named)
            raise MistypedError(f"{len(named)} matches are called {code!r}: {codes}.", "Name one by its code.")
        found = named[0]
    return found


def create_match(
    work: UnitOfWork,
    game_key: str,
    name: str,
    players: Sequence[PlayerRow],
    options: Mapping[str, Any],
    *,
    early: bool = False,
    terms: Mapping[str, Any] | None = None,
    wanted: int = 0,
    tried: bool = False,
    training: bool = False,
    tournament: int | None = None,
) -> MatchRow:
    """Create a match with its seats in the order given; nothing is dealt or mailed yet. ``terms``: time rules where
    they differ from the club's; ``wanted``: so many seats in all, the others are free to be joined; ``tried``: its deal
    was tried before, as when its tournament was set up. Raises OperatorError for whatever its start would refuse, with
    each number of seats that it may begin with."""
    options = new_options(games.load_game(game_key), options, f"{game_key} options")
    if not tried:
        most = max(len(players), wanted)
        least = max(games.load_game(game_key).min_seats, len(players))
        try_deal(work.cache, game_key, options, {*range(least, most), most})
        if len({p.id for p in players}) < len(players):
            raise OperatorError("A player is named twice.", "One seat per player.")
        check_time_rules(work.config, work.now, game_key, terms or {})
    session = work.session
    match = MatchRow(
        code=_find_free_code(session),
        name=name,
        game=game_key,
        options=options,
        early=early,
        terms=dict(terms or {}),
        wanted=wanted if wanted > len(players) else 0,
        training=training,
        tournament_id=tournament,
        created_at=work.now,
    )
    session.add(match)
    session.flush()
    for player in players:
        take_seat(session, match, player)
    return match


def find_free_match_name(session: Session, game_key: str, language: str) -> str:
    """Find the game's name with the first number that no match of that name has had: ``Topwords 3``."""
    game = get_game_name(game_key, language)
    return next(name for number in count(1) if not matches.list_matches_by_name(session, name := f"{game} {number}"))


def check_time_rules(config: Config, now: datetime, game_key: str, terms: Mapping[str, Any]) -> None:
    """Check time rules beside those of the club. Raises ConfigError for those that cannot be."""
    build_match_terms(MatchRow(code="", name="", game=game_key, terms=dict(terms), created_at=now), config.deadlines)


def take_seat(session: Session, match: MatchRow, player: PlayerRow) -> SeatRow:
    """Take the next free seat of a match that has not begun."""
    number = matches.count_taken_seats(session, match.number)
    seat = SeatRow(match_id=match.number, number=number, player_id=player.number, token=tokens.generate_token())
    session.add(seat)
    session.flush()
    return seat


def _find_free_code(session: Session) -> str:
    for attempt in range(40):
        code = tokens.generate_match_code(long=attempt >= 10)
        if not matches.is_match_code_taken(session, code):
            return code
    raise OperatorError("No free match code was found.", "Delete old matches.")


# ---- names that look alike ----
#
# Names that look alike on a screen: nobody shall be taken for somebody else.


_ALIKE = str.maketrans(
    dict(zip("АВЕКМНОРСТУХІЈЅаеорсухіјѕԁһԛԝӏк", "ABEKMHOPCTYXIJSaeopcyxijsdhqwlk", strict=True))  # Cyrillic
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυκγϲ", "ABEZHIKMNOPTYXaivopukyc", strict=True))  # Greek
    | dict(zip("ıɡɑ0-’`´", "igao '''", strict=True))
)
_STROKES = str.maketrans("I1|", "lll")
"""One upright line in most types."""


def compute_lookalike_key(name: str) -> str:
    """Compute a key that is the same for names that a reader would not tell apart: letters of other scripts, invisible
    characters, a capital I and a small l, hyphens and blanks."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) not in ("Cf", "Cc", "Mn"))
    return " ".join(shown.translate(_ALIKE).translate(_STROKES).casefold().split())


# ---- matches with free seats ----


def count_free_seats(session: Session, match: MatchRow) -> int:
    """Count the seats of a match that wait for somebody; 0 unless it is open and players may join."""
    if match.status != MatchStatus.OPEN:
        return 0
    return max(0, match.wanted - matches.count_taken_seats(session, match.number))


def list_open_matches(session: Session, player: PlayerRow | None = None) -> list[MatchRow]:
    """List all matches with a free seat in which ``player`` has none, oldest first."""
    mine = {match.number for match, _ in list_current_seats(session, player.number)} if player else set()
    return [match for match, _ in matches.list_matches_with_free_seats(session) if match.number not in mine]


def seat_player(work: UnitOfWork, match: MatchRow, player: PlayerRow) -> int:
    """Take a free seat for the player; returns how many are left."""
    take_seat(work.session, match, player)
    people.stop_watching(work.session, match, player)
    work.forget_seats(match)
    return count_free_seats(work.session, match)


def release_seat(work: UnitOfWork, match: MatchRow, seat: SeatRow) -> None:
    """Make the seat of a match that has not begun free again."""
    privacy.remove_seat_before_start(work.session, seat)
    work.forget_seats(match)


def list_open_match_notes(work: UnitOfWork, matches: Sequence[MatchRow], player: PlayerRow) -> tuple[Note, ...]:
    """List one note for each match: what it is, who is there, how many are wanted, what to write."""
    return tuple(
        Note(
            "open-match",
            {
                "match": match.code,
                "title": match.name,
                "game": get_game_name(match.game, player.language),
                "names": [one.name for one in work.list_players(match)] or ["–"],
                "count": count_free_seats(work.session, match),
            },
        )
        for match in matches
    )
