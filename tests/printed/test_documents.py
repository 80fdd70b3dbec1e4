"""Every move that README, docs and the rules print is played in a position that is declared for it, and is what the
document says of it. A new example without a position fails here.

In a general document a piece counts as a move if it looks like one or if some game could read it; in the rules also
everything that stands below »How a … is written«, and every mail. What is left over is listed in ``NO_MOVES``.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.common.disk import LANGUAGES
from moderator.conformance.notation import is_readable_move
from moderator.conformance.sentences import build_full_hand_view
from moderator.language.messages import load_sentences
from moderator.rules.game import View
from moderator.rules.orders.parse import list_alternatives
from moderator.rules.records import record as records
from tests.printed.pieces import DOCUMENTS, GAMES, GENERAL, ROOT, Piece, pieces, strings, written
from tests.printed.positions import Row, declared, play, positions, squares

KEYS = sorted(games.OWN)
LOOKS = re.compile(r"\b[A-Z]{1,2}\d{1,2} ?[ws]\b|\b\d{2,3}@|^\d+: [A-Z]|= [A-ZÄÖÜ]{3}|\(\.\.|\ban [A-Z]\d")
HOW = re.compile(r"How an? .* is written")
NO_MOVES = {
    "domijongg/RULES.md": {"moves"},
    "topwords/RULES.md": {"exchange<n>"},
    "docs/run/tournaments.md": {"1-0", "0-1", "1/2"},
    "docs/build/touch-board.md": {"pass(position)"},
    "docs/play/befehle.md": {"AUFGEBEN"},
    "docs/build/contract.md": {"pass_turn"},
    "docs/build/your-game.md": {"pass_turn"},
    "docs/run/moving-in.md": {  # boards as they are written down; test_move_in.py moves them in
        'board = ["66", "62@L", "61@R"]',
        "66",
        "225@2",
        "T20 w POLA",
        "U20 s *ORT",
        "herbst.toml:5: '52@L' cannot be laid there (does-not-fit).",
    },
}
"""What a document prints that reads like a move, or stands among moves, and is a name."""
NAMES_A_MATCH = re.compile(r"\b[A-Z]\d[A-Z]\d\b")
"""K7Q2: no move, whatever a game could read. A move in such a piece is a piece of its own."""
PLAYED = re.compile(r"<!-- play: (.*?) -->")
FENCED = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(GAMES if path.is_relative_to(GAMES) else ROOT).as_posix()


def keys(path: Path) -> list[str]:
    """The games that a document is about."""
    if path in GENERAL:
        return KEYS
    if path.name == "RULES.md":
        return [key for key in KEYS if games.folder(key) == path.parent]
    return [path.name.split(".")[1]]


@cache
def generous(key: str) -> View[Any]:
    return build_full_hand_view(games.load_game(key))


def could_be_read(key: str, text: str) -> bool:
    game = games.load_game(key)
    found = list_alternatives(text, game.style)
    return bool(found) and all(is_readable_move(game, one.text, generous(key)) for one in found)


def expected(path: Path, piece: Piece) -> bool:
    """Whether the piece has to be played."""
    if not re.search(r"[^\W_]", piece.text) or piece.text in NO_MOVES.get(relative(path), ()):
        return False
    if piece.text.startswith(("{", "[", '"')) or NAMES_A_MATCH.search(piece.text) or command(piece.text):
        return False
    if piece.said and piece.text.endswith((".", "?", "!", "…")):
        return False  # an answer of the program, whose moves are pieces of their own
    if piece.section.startswith("Records"):
        return bool(LOOKS.search(piece.text))
    how = path.name == "RULES.md" and HOW.match(piece.section) is not None
    return (
        piece.mail or how or bool(LOOKS.search(piece.text)) or any(could_be_read(key, piece.text) for key in keys(path))
    )


def command(text: str) -> bool:
    """Whether it is for the command line, or a command by mail; test_commands.py looks at those."""
    return text.startswith("moderator ") or ".venv/bin/moderator" in text


@cache
def fenced_records(path: Path) -> tuple[dict[str, Any], ...]:
    blocks = FENCED.findall(path.read_text(encoding="utf-8"))
    return tuple(json.loads(block) for block in blocks if '"record": 1' in block)


@cache
def recorded(path: Path) -> frozenset[str]:
    """The orders of the records that a document prints: a test below plays them."""
    return frozenset(move["text"] for value in fenced_records(path) for move in value["moves"])


@cache
def turns(path: Path) -> frozenset[str]:
    """What positions as data hold, and the order below each, which tests/match/test_turn_data.py plays there; those of
    the pages beside it, too."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(path.parent.glob("*.md")))
    blocks = [json.loads(block) for block in FENCED.findall(text) if re.search(r'"turn": ?1\b', block)]
    return frozenset(one for block in blocks for one in strings(block)) | frozenset(PLAYED.findall(text))


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_every_printed_move_has_its_position(path: Path) -> None:
    known = frozenset[str]().union(*(declared(key) for key in keys(path)), recorded(path), turns(path))
    assert [piece.text for piece in pieces(path) if expected(path, piece) and piece.text not in known] == []


@pytest.mark.parametrize("key", KEYS)
def test_every_position_is_played_as_it_is_printed(key: str) -> None:
    for position in positions(key):
        play(key, position)


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_no_position_is_left_over(key: str) -> None:
    """Each row is printed in some document or shown in the mails' sentences about this game."""
    printed = {piece.text for path in DOCUMENTS if key in keys(path) for piece in pieces(path)}
    printed |= {quoted for language in LANGUAGES for quoted in shown(key, language)}
    assert declared(key) - printed == set()


def shown(key: str, language: str) -> set[str]:
    """What the sentences of a game show in quotation marks, or as an example."""
    there = squares(key)
    sentences = {
        code: re.sub(r"\{(\w+)\}", lambda hit: there.get(hit[1], hit[0]), text)
        for code, text in load_sentences(language, key).items()
    }
    return {text for code, text in sentences.items() if code.startswith("example.")} | {
        quoted for text in sentences.values() for quoted in written(text, language)
    }


def mailed(position: Mapping[str, Any]) -> list[Row]:
    """The rows that are mails, in their order."""
    return [*position.get("in_turn", ()), *position.get("together", ())]


def mails(path: Path, section: str) -> list[str]:
    return [piece.text for piece in pieces(path) if piece.mail and piece.section == section]


def test_worked_mails_are_played_in_the_order_in_which_they_stand() -> None:
    sections = 0
    for folder in {games.folder(key) for key in KEYS}:
        path = folder / "RULES.md"
        of_folder = [position for key in keys(path) for position in positions(key) if "section" in position]
        for section in {piece.section for piece in pieces(path) if piece.mail}:
            written = mails(path, section)
            told = [row[0] for one in of_folder if one["section"] == section for row in mailed(one)]
            assert [text for text in told if text in written] == written, section
            sections += 1
    assert sections == 8


def test_the_records_that_a_document_prints_are_played() -> None:
    count = 0
    for path in GENERAL:
        for value in fenced_records(path):
            count += 1
            report = records.build_replay_report(records.parse_record_values(value, games.load_game))
            assert [move["text"] for move in report["moves"]] == [move["text"] for move in value["moves"]]
            for move in report["moves"]:
                assert move["played"] is not None, move
    assert count == 2
