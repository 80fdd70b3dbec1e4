"""The handling of a mail as a target: a player's or the moderator's, and everything it led to is undone."""

import atexit
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from moderator.commands.declaration import find_command
from moderator.common.errors import PlayerError
from moderator.common.mails import Line, ParsedMail
from moderator.games import REGISTRY, load_game
from moderator.inbox import staff_mail
from moderator.inbox.match_names import MatchNameReader
from moderator.inbox.read import limit_lines, split_sections
from moderator.language.spelling import parse_yes_no
from moderator.mail.html_text import parse_html_lines
from moderator.mail.parse import parse_mail_bytes
from moderator.rules.game import Game
from moderator.rules.orders.parse import OrderLine, ParsedOrders, list_alternatives, parse_order_lines
from moderator.rules.state import View, view_for
from moderator.store.database import Store, open_store
from moderator.store.key_values import ensure_moderator_token
from tests.attack import post
from tests.club.club import Club, club_of
from tests.games.matches import a_match
from tests.mail.new_text import new_text


@cache
def _club() -> tuple[Club, Store, dict[str, str]]:
    """A club with matches of several kinds, its open database, and who writes to which address."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    club = club_of(folder / "club", "Anna", "Bert", "R2D2", Bert="en")
    codes = [
        club.match("Anna", "Bert"),
        club.match("Anna", "Bert", game="tridom"),
        club.match("Anna", "Bert", game="recht"),
    ]
    club.tick()
    local = {
        f"{name} {n}": f"games+{code}-{club.token(code, seat)}"
        for n, code in enumerate(codes)
        for seat, name in enumerate(("anna", "bert"))
    }
    with club.work() as work:
        local["boss"] = f"games+BOSS-{ensure_moderator_token(work.session)}"
    local["plain"] = "games"
    return club, open_store(club.config.resolve_path(club.config.store.path)), local


def handled(writer: str, text: str) -> None:
    """Handle a mail with that text; its first line may be the subject."""
    club, store, addresses = _club()
    sender = "boss@club.example" if writer == "boss" else f"{writer.partition(' ')[0]}@home.example"
    subject, _, body = text.partition("\n") if len(text) % 3 == 0 else ("", "", text)
    head = (
        f"From: {sender}\nTo: {addresses.get(writer, 'games')}@club.example\nMessage-ID: <fuzz@home.example>\n"
        f"Authentication-Results: mx.club.example; dkim=pass header.d=home.example\n"
        f"Subject: {' '.join(subject[:200].split())}\nContent-Type: text/plain; charset=utf-8\n\n"
    )
    raw = (head + body).encode("utf-8", "surrogatepass")
    assert post.undone(store, lambda session: post.handled(club, session, raw)[1].state) != "quarantine"


MOST = 2.0
"""Seconds of processor time for one input of at most ``LONGEST`` characters; mostly far less."""
LONGEST = 30_000


def run(name: str, data: str | bytes) -> None:
    """Try one input. Raises for a fault."""
    start = time.process_time()
    TARGETS[name](data)
    assert time.process_time() - start < MOST, "it took too long"


def reply(text: str) -> None:
    lines, ignored = new_text(text)
    assert len(lines) + sum(ignored.values()) <= len(text) + 1
    assert [line.number for line in lines] == sorted({line.number for line in lines})
    assert all(line.text.strip() and clean(line.text) for line in lines)
    assert not any(line.text.lstrip().startswith((">", "|")) for line in lines)


def html(text: str) -> None:
    lines = parse_html_lines(text)
    assert all(clean(line) and "\n" not in line for line, _ in lines)
    assert {kind for _, kind in lines} <= {"", "quote", "signature"}


def mail(data: bytes) -> None:
    got = parse_mail_bytes(data)
    assert all(clean(text) for text in texts(got))
    assert got.sender == got.sender.lower()
    assert got.machine or not got.bounce
    parse_mail_bytes(data, full=False)


def sections(text: str) -> None:
    """Every line comes out once: in a section, as a command, or in a command's text; headings alone may vanish, and a
    line for two matches comes out in its parts."""
    lines = lines_of(text)
    found = split_sections(lines, text[:80])
    kept = [line.number for section in found for line in section.lines]
    used = [one.number for section in found for command in section.commands for one in (command.line, *command.below)]
    numbers = sorted(number for number in [*kept, *used] if number)
    refs = {line.number: MatchNameReader().find_references(line.text) for line in lines}
    twice = {number for number, count in Counter(numbers).items() if count > 1}
    assert all(len(refs[number]) > 0 for number in twice), "a line came out twice"
    assert set(numbers) <= {line.number for line in lines}
    lost = {line.number: line.text for line in lines if line.number not in numbers}
    assert not [text for number, text in lost.items() if len(text.split()) > 2 and not refs[number]], "a line was lost"
    assert parse_yes_no(lines) in (True, False, None)


def commands(text: str) -> None:
    for line in lines_of(text):
        found = find_command(line.text)
        assert found is None or isinstance(found[1], str)


def boss(text: str) -> None:
    lines = lines_of(text)
    told, unread = staff_mail.parse_staff_commands(lines, text[:80], ended=len(text) % 2 == 0)
    numbers = [request.line.number for request, *_ in told if request.line.number] + [one.number for one in unread]
    refs = {line.number: MatchNameReader().find_references(line.text) for line in lines}
    twice = {number for number, count in Counter(numbers).items() if count > 1}
    assert all(len(refs[number]) > 0 for number in twice), "a line came out twice"
    bodies = sum(len(request.body) for request, *_ in told)
    assert len(numbers) + bodies <= len(lines)


def orders(key: str, text: str) -> None:
    game = load_game(key)
    lines = lines_of(text)
    for view in views(key):
        sheet = parse_order_lines(
            lines, lambda line, view=view: game.parse_move(line, view), game.format_move, game.style
        )
        for line in sheet.lines:
            _check_line(line)
        _check_again(game, view, sheet)


def _check_line(line: OrderLine) -> None:
    if line.status in ("move", "fallback"):
        assert line.canonical
        assert " ".join(line.canonical.split()) == line.canonical
    elif line.status == "error":
        assert line.error is not None
        assert line.error.code
    else:
        assert line.move is None


def _check_again(game: Game[Any, Any], view: View[Any], sheet: ParsedOrders) -> None:
    kept = list_alternatives(sheet.text, game.style) if sheet.text else ()
    assert len(kept) == len(sheet.orders), f"{sheet.text!r} was cut into {[one.text for one in kept]}"
    for one, line in zip(kept, sheet.orders, strict=True):
        again = _reading(game, view, one.text)
        # A bare tile counts only if it is held; ``lege 31`` may be kept as 31 for when it is.
        assert again in (line.canonical, "tile-not-held"), f"{line.canonical!r} was read as {again!r}"


def _reading(game: Game[Any, Any], view: View[Any], text: str) -> str:
    try:
        return game.format_move(game.parse_move(text, view))
    except PlayerError as error:
        return error.code


def lines_of(text: str) -> list[Line]:
    """The lines of a mail with that text, as far as we read them."""
    return limit_lines(new_text(text)[0], 100, LONGEST)


@cache
def views(key: str) -> tuple[View[Any], ...]:
    found: list[View[Any]] = []
    for pace in load_game(key).paces:
        match = a_match(key, pace, 5)
        states = [match.first.state, *(call.step.state for call in match.calls[3:20:8])]
        found += [view_for(state, state.to_move[0]) for state in states if not state.over]
    return tuple(found)


def texts(got: ParsedMail) -> Iterator[str]:
    """Everything of a mail that may reach the database."""
    yield from (got.message_id, got.sender, got.sender_name, got.subject, *got.recipients, *got.in_reply_to)
    yield from got.authentication
    yield from (line.text for line in got.lines)
    if got.bounce:
        yield from (got.bounce.status, *got.bounce.addresses, *got.bounce.original_ids)


def clean(text: str) -> bool:
    """Without NUL and lone surrogates, which no database takes."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def player(text: str) -> None:
    writers = ("anna 0", "bert 0", "anna 1", "bert 2", "anna", "carla")
    handled(writers[len(text) % len(writers)], text)


def moderator(text: str) -> None:
    handled("boss", text)


def _orders_of(key: str) -> Callable[[Any], None]:
    return lambda text: orders(key, text)


TARGETS: dict[str, Callable[[Any], None]] = {
    "reply": reply,
    "html": html,
    "mail": mail,
    "sections": sections,
    "commands": commands,
    "boss": boss,
    "player": player,
    "moderator": moderator,
    **{key: _orders_of(key) for key in REGISTRY},
}
BYTES = ("mail",)
"""Targets that take bytes."""
