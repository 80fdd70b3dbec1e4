"""Steps that tests of a club take again and again: matches, robots' moves in tile games, referees."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from sqlmodel import select

from moderator import games
from moderator.cli.group import cli
from moderator.commands.declaration import Command, CommandReach, get_staff_commands
from moderator.common import tokens
from moderator.common.errors import PlayerError
from moderator.notifications.task import StaffMember
from moderator.rules.game import Game
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, view_for
from moderator.rules.table import MatchState, open_match_state, try_order
from moderator.rules.words import AnyWords
from moderator.run.log import RunSummary
from moderator.service.create import get_match
from moderator.service.staff import RefereeRoster, get_referee
from moderator.store.tables import MatchRow, PlayerRow, Protest, Question
from moderator.views.loaded_match import build_match_context, load_match_rules
from moderator.views.people import MatchCharge, build_staff_member, get_chief, get_staff_token
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club, club_of, no_word, text
from tests.schemas.validators import also_as_json

NAMES = ("Anna", "Bert", "Cici")
VOUCHED = {"Authentication_Results": "mx.club.example; dmarc=pass header.from=home.example"}


def deal(club: Club, *names: str, game: str = "dominos", **more: Any) -> str:
    """Deal a match in which the first seat is to move, of Dominos, which is the quickest; returns its code."""
    seats = names or NAMES[:2]
    if game != "topwords":
        more.setdefault("seed", lambda match: _first_seat_begins(match, len(seats)))
    return club.match(*seats, game=game, **more)


def _first_seat_begins(match: MatchRow, seats: int) -> bytes:
    game, options = load_match_rules(match)
    for number in range(200):
        match.seed = number.to_bytes(32, "big").hex()
        if game.setup(seats, options, build_match_context(match)).state.to_move[0] == 0:
            return bytes.fromhex(match.seed)
    raise AssertionError("another seat begins always")


def begin(club: Club, *names: str, **more: Any) -> str:
    """Deal a match and read its first mails."""
    code = deal(club, *names, **more)
    club.tick_unread()
    return code


def play(club: Club, code: str, seat: int, body: str = "", **headers: str) -> None:
    """Write from the seat of Anna, Bert or Cici, without a text its best move, and let the club read it."""
    club.hand_in(NAMES[seat], code, seat, body or club.moves(code, seat)[0], **headers)


def ask(club: Club, code: str, seat: int, body: str) -> str:
    """The first mail that answers what the seat has written."""
    play(club, code, seat, body)
    return next(text(mail) for mail in club.mails() if f"{NAMES[seat].lower()}@" in str(mail["To"]))


def wait_until(club: Club, moment: datetime) -> None:
    club.wait(seconds=(moment - club.now).total_seconds())


def tick_at(club: Club, moment: datetime) -> RunSummary:
    wait_until(club, moment)
    return club.tick()


def zat(club: Club, code: str) -> datetime:
    """When the turn that runs is over."""
    found = club.row(code).deadline
    assert found is not None
    return found


def player(club: Club, name: str) -> PlayerRow:
    with club.work() as work:
        return work.session.exec(select(PlayerRow).where(PlayerRow.name == name)).one()


def change(club: Club, name: str, **values: Any) -> None:
    """Give the player's row other values."""
    with club.work() as work:
        row = work.session.exec(select(PlayerRow).where(PlayerRow.name == name)).one()
        for key, value in values.items():
            setattr(row, key, value)


def seated(club: Club, code: str) -> list[str]:
    """Who plays there, by seat."""
    with club.at(code) as (work, match):
        return [player.name for player in work.list_players(match)]


def run(club: Club, *words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, ["--config", str(club.config.file), *words], input=stdin)


def run_well(club: Club, *words: str, stdin: bytes = b"") -> str:
    """What a command prints that must not fail."""
    done = run(club, *words, stdin=stdin)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.stdout


# Tile games: seeds that lead to a wanted position, and robots' moves mailed until it is there


TILE_GAMES = [key for key in sorted(games.REGISTRY) if not games.load_game(key).uses_words]
WITH_STANDING = ["dominos", "supertridom", "tridom"]
"""Games that know ``nach Ziehen: bester``."""
Wanted = Callable[[Game[Any, Any], MatchState[Any]], bool]
NO_WORDS = Context(AnyWords(), keep_order)
FOUND: dict[Any, bytes] = {}


def has_drawn(game: Game[Any, Any], table: MatchState[Any]) -> bool:
    """The seat to move has drawn in this turn, so that its standing order would be played."""
    if game.key not in WITH_STANDING:
        return False
    try:
        game.apply_move(table.state, table.state.to_move[0], AfterDraw(), NO_WORDS)
    except PlayerError:
        return False
    return True


def has_no_choice(game: Game[Any, Any], table: MatchState[Any]) -> bool:
    """The seat to move has exactly one legal move, and it is not the first of the match."""
    return table.entries > 0 and len(moves_of(game, table, 2)) == 1


def moves_of(game: Game[Any, Any], table: MatchState[Any], most: int) -> list[Any]:
    return list(islice(game.list_moves(view_for(table.state, table.state.to_move[0]), NO_WORDS), most))


def robots(match: MatchRow, seats: int, moves: int) -> Iterator[MatchState[Any]]:
    """The table after the deal and after each of at most ``moves`` moves of robots."""
    game, options = load_match_rules(match)
    context = build_match_context(match)
    table, _ = open_match_state(game, seats, options, context)
    yield table
    for _ in range(moves):
        if table.state.over:
            return
        seat = table.state.to_move[0]
        table, _ = try_order(game, table, seat, choose_robot_move(game, table.state, seat, context), context)
        yield table


def seed_where(wanted: Wanted, first: Wanted | None = None, moves: int = 12) -> Callable[[MatchRow], bytes]:
    """A seed from which two robots come to a wanted position within so many moves, before the match is over;
    ``first`` is what the deal must be."""

    def search(match: MatchRow) -> bytes:
        key = match.game, str(match.options), wanted, first, moves
        for number in range(400):
            if key in FOUND:
                return FOUND[key]
            game, match.seed = games.load_game(match.game), number.to_bytes(32, "big").hex()
            tables = [table for table in robots(match, 2, moves) if not table.state.over]
            if (first is None or first(game, tables[0])) and any(wanted(game, table) for table in tables):
                FOUND[key] = bytes.fromhex(match.seed)
        raise AssertionError("no seed leads there")

    return search


def robot_move(club: Club, code: str) -> str:
    live = club.live(code)
    return choose_robot_move(live.game, live.table.state, live.table.state.to_move[0], live.context)


def mail_moves(club: Club, code: str, until: Wanted, moves: int = 12) -> int:
    """Mail robots' moves until the position is the wanted one; returns the seat to move."""
    for _ in range(moves + 1):
        live = club.live(code)
        seat: int = live.table.state.to_move[0]
        if until(live.game, live.table):
            return seat
        summary = club.hand_in(NAMES[seat], code, seat, robot_move(club, code))
        assert (summary.quarantined, summary.troubles) == ([], [])
    raise AssertionError("the position was not reached")


# Two referees, Karl and Lea (who reads English), and how they and the chief are asked and answer


CHIEF = "boss@club.example"
COMMANDS = tuple(get_staff_commands().values())


def make_referee_club(folder: Path, kept: bool = False) -> Club:
    """Anna, Bert and Cici play there. ``kept``: for more than one test."""
    made = club_of(folder, "Anna", "Bert", "Cici", settings='subaddress = "+"')
    typed(made, "referee", "add", "Karl", "karl@ref.example")
    typed(made, "referee", "add", "Lea", "lea@ref.example", "--language", "en")
    return made


def typed(club: Club, *words: str, fails: bool = False) -> Result:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    assert (done.exit_code != 0) == fails, (words, done.output, done.exception)
    if not fails:
        also_as_json(club.config.file, *words)
    return done


def dealt(club: Club, *names: str) -> str:
    """A match that asks about unknown words."""
    return begin(club, *names, game="topwords", unknown_words="ask")


def led(club: Club, code: str, name: str, *more: str) -> None:
    typed(club, "match", "referee", code, name, *more)
    club.tick_unread()


def token(club: Club, name: str) -> str:
    with club.work() as work:
        return get_referee(work.session, name).token


def command(club: Club, name: str, body: str, key: str = "") -> str:
    """A mail of a referee's, with the token; the answer."""
    to = f"games+BOSS-{key or token(club, name)}@club.example"
    club.say(f"{name.lower()}@ref.example", body, to=to)
    (answer,) = [mail for mail in club.mails(f"{name.lower()}@") if mail["Auto-Submitted"] == "auto-replied"]
    return text(answer)


def named(work: UnitOfWork, name: str) -> StaffMember:
    return get_chief(work.config) if name == "chief" else build_staff_member(get_referee(work.session, name))


def away(club: Club, name: str, first: int, last: int) -> None:
    """Days from now on."""
    with club.work() as work:
        row, day = get_referee(work.session, name), club.now.date()
        RefereeRoster(work).set_leave(row, day + timedelta(days=first), day + timedelta(days=last))


def chief_says(club: Club, body: str) -> None:
    with club.work() as work:
        key = get_staff_token(work.session, get_chief(work.config))
    club.say(CHIEF, body, to=f"games+BOSS-{key}@club.example")


def in_charge_of(club: Club, code: str) -> StaffMember:
    with club.work() as work:
        return MatchCharge(work, get_match(work.session, code)).find_staff()


def code_of(club: Club) -> str:
    """Of its one match."""
    with club.work() as work:
        return work.session.exec(select(MatchRow.code)).one()


def play_in_a_cup(club: Club, code: str) -> None:
    """The match is one of a tournament."""
    typed(club, "cup", "add", "Herbst", "--game", "topwords", "--format", "robin")
    with club.at(code) as (_, match):
        match.tournament_id = 1


def protest_in(club: Club, code: str) -> int:
    with club.at(code) as (work, match):
        player = work.list_players(match)[0].number
        row = Protest(
            match_id=match.number, player_id=player, round=1, text="no", token=tokens.generate_token(), at=work.now
        )
        work.session.add(row)
        work.session.flush()
        return row.number


def asked(club: Club, code: str) -> str:
    """Anna plays a word that nobody knows."""
    word = no_word(club, code, 0, 3)
    club.hand_in("Anna", code, 0, f"E5 w {word}")
    return word


def question(club: Club) -> Question:
    with club.work() as work:
        return work.session.exec(select(Question)).one()


def answer_word(club: Club, mail: object, sender: str, body: str = "ERLAUBT") -> None:
    to = str(mail["Reply-To"])  # type: ignore[index]
    club.say(sender, body, to=to)


def line_of(one: Command, code: str, protest: int) -> str:
    """Its example, about this match and this protest; its first word where it has none."""
    example = one.get_text("de").example or one.get_text("de").first_word
    return re.sub(r"(?<!\w)12(?!\w)", str(protest), example.replace("K7Q2", code)) if one.scope else example


def every_line(code: str, protest: int) -> str:
    return "\n".join(
        line_of(one, code, protest) for one in COMMANDS if one.reach is CommandReach.MATCHES and not one.body
    )
