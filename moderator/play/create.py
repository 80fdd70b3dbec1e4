"""New players, new matches, free seats in them and who takes one, and the start of a match."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from moderator import games
from moderator.club import same_person, tokens, watching
from moderator.club.desk import Desk
from moderator.club.live_match import rules_of, terms_of
from moderator.club.names import Unclear, player_called
from moderator.club.spelling import game_name
from moderator.errors import OperatorError, StoreError
from moderator.mail.clean import to_ascii
from moderator.match.contract import Note, new_options
from moderator.match.rng import SEED_BYTES
from moderator.outbox.tell import tell_in_charge
from moderator.play.announce import announce
from moderator.play.play import start
from moderator.play.trial_deal import try_deal
from moderator.states import BoardForm, Level, MatchStatus
from moderator.store import forgetting, inbox, matches, players
from moderator.store.db import Session
from moderator.store.matches import seats_of
from moderator.store.models import Match, Player, Referee, Seat


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
) -> Player:
    """A person, or a robot of that ``level`` when ``address`` is None. ``taken``: for whoever enters many, see
    ``taken_names``. Raises OperatorError for a name in use, and for an address in use unless it may be ``shared``."""
    name = checked_name(session, name, taken=taken)
    if address is not None:
        address = mail_address(address) if shared else checked_address(session, address)
    _check_zone(zone)
    player = Player(
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
        taken.update(dict.fromkeys(_as_taken(name), name))
    if address is not None:
        inbox.settle(session, address)
    return player


def mail_address(text: str) -> str:
    """The address in lower case. Raises OperatorError for one that cannot be."""
    address = to_ascii(text.strip().lower())
    local, at, domain = address.partition("@")
    fine = local and at and domain and "@" not in domain and len(address) <= 254
    if not fine or not address.isascii() or any(c in ' <>,;:"()\\' or not c.isprintable() for c in address):
        raise OperatorError(f"{address!r} is no mail address.", "Write it as name@domain.")
    return address


def checked_address(session: Session, text: str) -> str:
    """The address in lower case. Raises OperatorError for one that cannot be, or that a player has: that two people
    share one is only the moderator's to say."""
    address = mail_address(text)
    for taken in players.at_addresses(session, [address]):
        raise OperatorError(f"{address} belongs to {taken.name} already.", "The moderator may enter two there.")
    return address


Taken = dict[tuple[str, str], str]


def taken_names(session: Session, but: str = "") -> Taken:
    """As what nobody else may be called -> who is; asked for once where many are entered."""
    return {key: one for one in players.names(session) if one != but for key in _as_taken(one)}


def _as_taken(name: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("same", name.casefold()), ("alike", skeleton(name))


def checked_name(session: Session, name: str, but: str = "", taken: Taken | None = None) -> str:
    """The name as it is kept. Raises OperatorError for none, and for one in use or that looks like one in use; ``but``:
    the name that its player has now."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not 1 <= len(name) <= 40 or any(not c.isprintable() for c in name):
        raise OperatorError(f"{name!r} is no name.", "Take 1 to 40 letters.")
    taken = taken_names(session, but) if taken is None else taken
    same, alike = map(taken.get, _as_taken(name))
    if same:
        raise OperatorError(f"There is a player {name!r} already.", "Choose another name.")
    if alike:
        raise OperatorError(f"{name!r} looks like {alike!r} on a screen.", "Choose another name.")
    return name


def set_player(
    session: Session,
    player: Player,
    *,
    name: str | None = None,
    language: str | None = None,
    zone: str | None = None,
    board: BoardForm | None = None,
    auto_single: bool | None = None,
    same_subject: bool | None = None,
    level: Level | None = None,
) -> None:
    """Change what is given; a referee who is the same person is renamed, too. Raises OperatorError for an unknown time
    zone, and for a name that cannot be had."""
    if zone is not None:
        _check_zone(zone)
    if name is not None:
        called = checked_name(session, name, but=player.name)
        referee = same_person.renaming(session, player, called)
        same: list[Player | Referee] = [player, *([referee] if referee else [])]
        for row in same:
            row.name, row.name_key = called, called.casefold()
            session.add(row)
    texts = {"language": language, "zone": zone, "board": board, "level": level}
    switches = {"auto_single": auto_single, "same_subject": same_subject}
    for setting, value in (texts | switches).items():
        if value is not None:
            setattr(player, setting, value)
    session.add(player)


def _check_zone(zone: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise OperatorError(f"{zone!r} is no time zone.", "Write it as Europe/Berlin.") from None


def find_player(session: Session, name: str) -> Player:
    """By name (see ``club/names.py``) or address. Raises OperatorError with the nearest names."""
    try:
        return player_called(session, name)
    except Unclear as error:
        what = f"{name!r} may be one of several players." if error.several else f"There is no player {name!r}."
        close = f"Did you mean {', '.join(error.names)}?" if error.names else "See `moderator player list`."
        raise OperatorError(what, close) from None


def find_match(session: Session, code: str) -> Match:
    """By code, or by name if only one has it."""
    found = matches.by_code(session, code.upper())
    if found is None:
        named = matches.by_name(session, code)
        if not named:
            raise OperatorError(f"There is no match {code!r}.", "See `moderator match list`.")
        if len(named) > 1:
            codes = ", ".join(match.code for match in named)
            raise OperatorError(f"{len(named)} matches are called {code!r}: {codes}.", "Name one by its code.")
        found = named[0]
    return found


def new_match(
    desk: Desk,
    game_key: str,
    name: str,
    players: Sequence[Player],
    options: Mapping[str, Any],
    *,
    early: bool = False,
    terms: Mapping[str, Any] | None = None,
    wanted: int = 0,
    tried: bool = False,
) -> Match:
    """Seats in the order given; nothing is dealt or mailed yet. ``terms``: time rules where they differ from the
    club's; ``wanted``: so many seats in all, the others are free to be joined; ``tried``: its deal was tried before, as
    when its tournament was set up. Raises OperatorError for whatever its start would refuse, with each number of seats
    that it may begin with."""
    options = new_options(games.load(game_key), options, f"{game_key} options")
    if not tried:
        most = max(len(players), wanted)
        least = max(games.load(game_key).min_seats, len(players))
        try_deal(desk.cache, game_key, options, {*range(least, most), most})
        if len({p.id for p in players}) < len(players):
            raise OperatorError("A player is named twice.", "One seat per player.")
        check_terms(desk, game_key, terms or {})
    session = desk.session
    match = Match(
        code=_free_code(session),
        name=name,
        game=game_key,
        options=options,
        early=early,
        terms=dict(terms or {}),
        wanted=wanted if wanted > len(players) else 0,
        created_at=desk.now,
    )
    session.add(match)
    session.flush()
    for player in players:
        take_seat(session, match, player)
    return match


def free_match_name(session: Session, game_key: str, language: str) -> str:
    """``Topwords 3``: the game, and the first number that no match of that name has had."""
    game = game_name(game_key, language)
    return next(name for number in count(1) if not matches.by_name(session, name := f"{game} {number}"))


def check_terms(desk: Desk, game_key: str, terms: Mapping[str, Any]) -> None:
    """Raises ConfigError for time rules that cannot be, beside those of the club."""
    terms_of(Match(code="", name="", game=game_key, terms=dict(terms), created_at=desk.now), desk.config.deadlines)


def take_seat(session: Session, match: Match, player: Player) -> Seat:
    """The next free seat of a match that has not begun."""
    number = matches.taken_seats(session, match.number)
    seat = Seat(match_id=match.number, number=number, player_id=player.number, token=tokens.new_token())
    session.add(seat)
    session.flush()
    return seat


def _free_code(session: Session) -> str:
    for attempt in range(40):
        code = tokens.new_code(long=attempt >= 10)
        if not matches.code_is_taken(session, code):
            return code
    raise OperatorError("No free match code was found.", "Delete old matches.")


def start_match(desk: Desk, match: Match, salts: Sequence[str] = (), seed: bytes | None = None) -> None:
    """Pin rules and dictionary (if the game has one), draw the seed (if none of 32 bytes is given), deal, mail all."""
    deal(desk, match, salts, seed)
    announce(desk)


def deal(desk: Desk, match: Match, salts: Sequence[str] = (), seed: bytes | None = None) -> None:
    """``start_match`` without the mails, which the caller has made."""
    prepare(desk, match, salts, seed)
    start(desk, match)


def prepare(desk: Desk, match: Match, salts: Sequence[str] = (), seed: bytes | None = None) -> None:
    """Pin what an open match is begun with. Raises OperatorError."""
    if match.status != MatchStatus.OPEN:
        raise OperatorError(f"Match {match.code} is {match.status}.", "Only an open match can be started.")
    game, options = rules_of(match)
    seats = len(desk.seated(match))
    if not game.min_seats <= seats <= game.max_seats:
        raise OperatorError(
            f"Match {match.code} has {seats} players; {game.key} needs {game.min_seats} to {game.max_seats}.",
            "Wait until somebody joins.",
        )
    if game.uses_words:
        words = desk.cache.dictionary(options)
        match.lexicon, match.fingerprint = words.edition, words.fingerprint
    match.seed = (seed or secrets.token_bytes(SEED_BYTES)).hex()
    match.salts = list(salts)
    match.rules, match.trouble = game.version, ""
    desk.session.add(match)


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


def skeleton(name: str) -> str:
    """The same for names that a reader would not tell apart: letters of other scripts, invisible characters, a capital
    I and a small l, hyphens and blanks."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) not in ("Cf", "Cc", "Mn"))
    return " ".join(shown.translate(_ALIKE).translate(_STROKES).casefold().split())


# ---- matches with free seats ----


def free_seats(desk: Desk, match: Match) -> int:
    """Seats of a match that wait for somebody; 0 unless it is open and players may join."""
    if match.status != MatchStatus.OPEN:
        return 0
    return max(0, match.wanted - matches.taken_seats(desk.session, match.number))


def open_matches(desk: Desk, player: Player | None = None) -> list[Match]:
    """All with a free seat that ``player`` has none in, oldest first."""
    mine = {match.number for match, _ in seats_of(desk.session, player.number)} if player else set()
    return [match for match, _ in matches.with_free_seats(desk.session) if match.number not in mine]


def sit_down(desk: Desk, match: Match, player: Player) -> int:
    """Take a free seat; returns how many are left."""
    take_seat(desk.session, match, player)
    watching.sits_down(desk, match, player)
    desk.reseat(match)
    return free_seats(desk, match)


def stand_up(desk: Desk, match: Match, seat: Seat) -> None:
    """The seat of a match that has not begun is free again."""
    forgetting.leave_seat(desk.session, seat)
    desk.reseat(match)


def begin(desk: Desk, match: Match) -> bool:
    """The last seat is taken: deal. The mails are made with all others of this transaction. False = it cannot be dealt,
    the dictionary is gone, say: nothing of it is kept, whoever is in charge is told, and `match start` tries again."""
    try:
        with desk.kept_whole():
            deal(desk, match)
    except StoreError:
        raise
    except OperatorError as error:
        desk.undone(match)
        match.trouble = str(error)[:500]
        desk.session.add(match)
        tell_in_charge(desk, match, Note("match-not-begun", {"match": match.code, "reason": match.trouble}))
        return False
    return True


def invitations(desk: Desk, matches: Sequence[Match], player: Player) -> tuple[Note, ...]:
    """One note for each: what it is, who is there, how many are wanted, what to write."""
    return tuple(
        Note(
            "open-match",
            {
                "match": match.code,
                "title": match.name,
                "game": game_name(match.game, player.language),
                "names": [one.name for one in desk.players(match)] or ["–"],
                "count": free_seats(desk, match),
            },
        )
        for match in matches
    )
