"""How moves are written: read back as they were, in every language, and rubbish is refused as rubbish."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from moderator.common.disk import LANGUAGES
from moderator.common.errors import PlayerError
from moderator.common.mails import Line
from moderator.common.text import count_noun
from moderator.conformance.subject import (
    CheckFigure,
    Finding,
    Found,
    GameSubject,
    SampleMatch,
    format_in_one_line,
    iter_sample_moves,
)
from moderator.language.messages import has_sentence, render_note, write_move
from moderator.rules.game import Game
from moderator.rules.orders.parse import ParsedOrders, parse_order_lines
from moderator.rules.state import Note, View, view_for

SLIPS = "§%~#<>&\u202e\x00  @@;:,.-+=*0189ÄßẞéΩ中'\"»“()[]{}\t"
"""Letters of which rubbish is made, besides those of moves."""
JOINED = (" dann ", ", dann ", " und dann ", " Then ", " and then ", "; dann ", "; then ", " oder ", " or ", "; oder ",
          " und ", " and ", ", ", " + ", "\n+ ")  # fmt: skip
"""What may join two orders, or an order and what nobody can read."""
PARTED = (" sonst ", "; sonst ", "; else ", "; Ersatz: ", "\nErsatz 1: ", "\nsonst ", "; Ersatz 2: ")
"""What announces a fallback, so that the order before it stands by itself."""
TALK = (
    "; viele Grüße", "; schönes Wochenende", "; good luck", "\nViele Grüße und bis dann", "\nBis dann!",
    "\nOder auch nicht",
)  # fmt: skip


def parse_mail_text(game: Game[Any, Any], view: View[Any], text: str) -> ParsedOrders:
    """Return the lines of a mail as the referee reads them."""
    lines = [Line(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    return parse_order_lines(lines, lambda line: game.parse_move(line, view), game.format_move, game.style)


def iter_round_trip_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that ``parse_move(format_move(move)) == move``, by itself and as a line of a mail."""
    count = 0
    for match, number, state in subject.iter_positions():
        for seat, move, _ in iter_sample_moves(match, state, 200):
            view, text = view_for(state, seat), match.game.format_move(move)
            count += 1
            where = f"parse_move({text!r}, view) after {match.describe_moment(number)}"
            if fault := _find_read_back_fault(match.game, move, text, view):
                yield Finding(where, f"{format_in_one_line(move)} is written {text!r} and {fault}", match.seed)
                return
            if count % 5 == 0 and (fault := _find_line_fault(match.game, text, view, text)):
                yield Finding(where, fault, match.seed)
                return
    yield CheckFigure(f"({count_noun(count, 'move')})")


def iter_printed_move_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that a move as mails print it in each language is read as that move."""
    for match, number, state in subject.iter_positions():
        for seat, move, _ in iter_sample_moves(match, state, 30):
            view, text = view_for(state, seat), match.game.format_move(move)
            for language in LANGUAGES:
                written = write_move(text, language, subject.key)
                where = f"parse_move({written!r}, view) after {match.describe_moment(number)}"
                if fault := _find_read_back_fault(match.game, move, written, view):
                    told = f"{text!r} is printed as {written!r} in {language!r} and {fault}"
                    yield Finding(where, told, match.seed)
                    return
                if fault := _find_line_fault(match.game, written, view, text):
                    yield Finding(where, f"in {language!r}: {fault}", match.seed)
                    return


def _find_read_back_fault(game: Game[Any, Any], move: Any, text: str, view: View[Any]) -> str:
    try:
        read = game.parse_move(text, view)
    except PlayerError as error:
        return f"refused as {error.code} {format_in_one_line(error.params)}"
    return "" if read == move else f"read as {format_in_one_line(read)}"


def _find_line_fault(game: Game[Any, Any], text: str, view: View[Any], canonical: str) -> str:
    read = [one.canonical for one in parse_mail_text(game, view, text).orders]
    return "" if read == [canonical] else f"a mail with the line {text!r} is read as {read}"


# ---- rubbish ----


def iter_rubbish_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that any line is a move or a PlayerError with a sentence in every language, and any move is played or
    refused."""
    dice = random.Random(subject.seed)
    tries = 150 if subject.quick else 1000
    places = list(subject.iter_positions(2))
    known_moves = [
        [m.game.format_move(move) for _, move, _ in iter_sample_moves(m, state, 20)] for m, _, state in places
    ]
    for number in range(tries if places else 0):
        match, calls, state = places[number % len(places)]
        line = _build_rubbish_line(known_moves[number % len(places)], dice)
        for seat in state.to_move[:1]:
            if fault := _find_rubbish_fault(match, state, seat, line, subject.key):
                call, found = fault
                yield Finding(f"{call} after {match.describe_moment(calls)}", found, match.seed)
                return


def _build_rubbish_line(moves: Sequence[str], dice: random.Random) -> str:
    """Build a move with slips in it, or nothing but slips."""
    letters = "".join(moves) + SLIPS
    if not moves or dice.random() < 0.3:
        return "".join(dice.choice(letters) for _ in range(dice.randint(0, 40)))
    text = list(dice.choice(moves))
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(text))
        text[at : at + dice.randint(0, 2)] = [dice.choice(letters) for _ in range(dice.randint(0, 2))]
    return "".join(text)


def _find_rubbish_fault(match: SampleMatch, state: Any, seat: int, line: str, key: str) -> tuple[str, str] | None:
    """Return (the call, the fault in how the line is taken); None for none."""
    game, view, call = match.game, view_for(state, seat), f"parse_move({line!r}, view)"
    try:
        move = game.parse_move(line, view)
        written = game.format_move(move)
        if game.parse_move(written, view) != move:
            return call, f"it is {format_in_one_line(move)}, written {written!r} and read as something else"
        if game.is_standing_order(move) or match.options.pace == "common":
            return None
        call = f"apply_move(state, {seat}, {format_in_one_line(move)}, ctx)"
        game.apply_move(state, seat, move, match.ctx)
    except PlayerError as error:
        for language in LANGUAGES:
            if error.code != "words-undecided" and not has_sentence(error.code, language, key):
                return call, f"refused as {error.code!r}, which has no sentence in {language!r}"
            told = render_note(Note(error.code, error.params), language, key)
            if "{" in told and "{" not in line:
                return call, f"refused as {error.code!r}; the sentence lacks a value in {language!r}: {told}"
    except Exception as error:
        return call, f"{type(error).__name__}: {format_in_one_line(error)}"
    return None


# ---- half read ----


def list_slips(game: Game[Any, Any], move: str, view: View[Any]) -> list[str]:
    """Return texts that look like the move and cannot be read."""
    return [slip for slip in (f"{move[:-1]}§", f"{move}§", f"{move[:-1]}77") if not is_readable_move(game, slip, view)]


def is_readable_move(game: Game[Any, Any], text: str, view: View[Any]) -> bool:
    try:
        game.parse_move(text, view)
    except PlayerError:
        return False
    return True


def iter_half_read_findings(
    game: Game[Any, Any], view: View[Any], move: str, rests: Sequence[str]
) -> Iterator[Finding]:
    """Check that a line of which only the beginning was understood is no move. ``rests``: texts behind it that nobody
    can read."""
    alone = [one.canonical for one in parse_mail_text(game, view, move).orders]
    for join in (*JOINED, "; ") if game.style.joined is not None else JOINED:
        if join == "\n+ " and game.style.chain is None:
            continue  # a bullet, and what stands behind it another order
        for rest in rests:
            read = parse_mail_text(game, view, f"{move}{join}{rest}")
            if alone[0] in [one.canonical for one in read.orders] or not read.errors:
                yield Finding(f"a mail with {move + join + rest!r}", f"{alone[0]!r} is played, and the rest forgotten")


def iter_lost_move_findings(
    game: Game[Any, Any], view: View[Any], move: str, rests: Sequence[str]
) -> Iterator[Finding]:
    """Check that beside a fallback that says so, and before a greeting, the move counts."""
    alone = [one.canonical for one in parse_mail_text(game, view, move).orders]
    lines = [(f"{move}{between}{rest}", False) for between in PARTED for rest in rests]
    for line, only in [*lines, *((move + talk, True) for talk in TALK)]:
        read = [one.canonical for one in parse_mail_text(game, view, line).orders]
        if (read if only else read[:1]) != alone:
            yield Finding(f"a mail with {line!r}", f"it is read as {read}, and {alone} was meant")


def iter_part_line_findings(subject: GameSubject) -> Iterator[Found]:
    """Check half-read lines and lost moves for some moves of each match."""
    for match, _, state in subject.iter_positions(3):
        for seat, move, _ in iter_sample_moves(match, state, 2):
            view, text = view_for(state, seat), match.game.format_move(move)
            rests = list_slips(match.game, text, view)
            yield from iter_half_read_findings(match.game, view, text, rests)
            yield from iter_lost_move_findings(match.game, view, text, rests)
