"""What the pages to lay tiles on are held to: positions, moves on them, and what Python says of each. Each game has its
part in vectors_words.py or vectors_tiles.py; the test is the same for all (test_zug_vectors.py)."""

import dataclasses
import random
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from playwright.sync_api import Browser

from moderator.common.errors import PlayerError
from moderator.games import load_game
from moderator.render import touch_board
from moderator.render.mail import require_template_folder as templates
from moderator.render.turn_picture import add_moves
from moderator.rules import turn_data
from moderator.rules.game import State, Step
from moderator.rules.state import view_for
from moderator.rules.turn_data import TurnData, TurnReply

REPLY = TurnReply("games+K7Q2-8J3MZP4QXA@example.org", "Partie „Arratia“ [K7Q2-8J3MZP4QXA]")


@dataclass(frozen=True)
class Vector:
    """A move that somebody lays on the page, tile for tile."""

    key: str
    """Of the game."""
    state: State[Any]
    laid: tuple[tuple[int | str, str], ...]
    """Spots of the family's module and what is laid there, in order; nothing = the standing order."""
    move: Any
    code: str | None = None
    """What the page says of an illegal one, where it says so sooner than Python does."""
    done: tuple[tuple[Any, ...], ...] = ()
    """What is done before, or in place of laying: calls of the family's module, ("act", code, spot, way)."""
    way: str = "w"
    """In which direction a lone tile makes its word."""
    least: int = 0
    """Points without which the move is not to be played; 0 = it has no condition."""

    @cached_property
    def outcome(self) -> Step[Any] | PlayerError:
        """What Python says of it."""
        try:
            return load_game(self.key).apply_move(self.state, 0, self.move, turn_data.CONTEXT)
        except PlayerError as error:
            return error


def limit_kinds(vectors: Iterable[Vector], kinds: int) -> Iterator[Vector]:
    """Of the illegal ones at most one in so many is of the same kind."""
    forbidden = Counter[str]()
    for vector in vectors:
        if isinstance(vector.outcome, PlayerError):
            forbidden[vector.outcome.code] += 1
            if kinds * forbidden[vector.outcome.code] > forbidden.total() + 40:
                continue
        yield vector


def set_least(vector: Vector, dice: random.Random) -> Vector:
    """Some legal ones have a condition; of most of them the move is worth as much."""
    if isinstance(vector.outcome, PlayerError) or dice.random() > 0.25:
        return vector
    won = vector.outcome.points
    least = dice.choice([won, max(won - 1, 0), won + 1])
    return dataclasses.replace(vector, move=dataclasses.replace(vector.move, at_least=least or None), least=least)


def list_seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    """What a legal move has come across: its kind, how many parts it has and with which others, notes, and more."""
    move, kind = vector.move, type(vector.move).__name__
    parts = {name: len(value) for name in dir(move) if isinstance(value := getattr(move, name), tuple)}
    filled = [name for name, count in parts.items() if count]
    yield from (kind, *(f"{kind} with {name}" for name in filled))
    for name, count in parts.items():
        yield from (f"{count} {name}", *(f"{count} {name} with {other}" for other in filled))
    for note in (*step.notes, *step.after):
        yield from (note.code, f"{note.code} {note.params.get('count')}")
    yield from (f"{len(step.notes)} notes", f"{step.points} points", f"{len(vector.state.scores)} seats")
    yield from (str(one) for call in vector.done for one in call[:2])
    yield f"at {getattr(step.played, 'place', None)}"
    yield f"going {getattr(move, 'direction', None)}"
    if getattr(move, "goes_on", False):
        yield "goes on"
    if vector.least:
        yield "condition"
    if len(vector.state.hands[0]) == 1:
        yield "last tile"
    if "*" in load_game(vector.key).format_move(move):
        yield "jolly"


def names(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


@dataclass(frozen=True)
class Family:
    """Of games whose page is made of one module."""

    exported: str
    """Name of the object that the module exports."""
    vectors: Callable[[str], Iterator[Vector]]
    """Random ones of a game, without an end, always the same."""
    codes: frozenset[str]
    """All that there is against a move."""
    bonuses: frozenset[str]
    """Codes of the notes that the page foretells."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """What follows the move that it foretells, too: Python's code -> the page's."""
    blunt: frozenset[str] = frozenset()
    """What the page says in one sentence: the tile does not fit there."""
    params: bool = True
    """Whether what is filled into the sentences of illegal moves is compared, too."""
    words: Callable[[Step[Any]], object] = lambda step: step.detail.get("words", [])
    """What the page names with points."""
    wanted: frozenset[str] = frozenset()
    """What some of them have to have come across; see ``list_seen``."""


def ask_module(chromium: Browser, key: str, script: str, cases: list[Any], exported: str = "") -> list[Any]:
    """What a function of the browser says of each case; ``family`` is the module of the game's page."""
    texts = [(templates() / "site" / "zug_tools.js").read_text(encoding="utf-8"), touch_board.read_family_source(key)]
    sources = [b64encode(text.encode()).decode() for text in texts]
    page = chromium.new_page()
    answers: list[Any] = page.evaluate(
        f"""async ([shell, source, name, cases]) => {{
            const {{ atLeast }} = await import("data:text/javascript;base64," + shell);
            const family = (await import("data:text/javascript;base64," + source))[name];
            return cases.map({script});
        }}""",
        [*sources, exported or key, cases],
    )
    page.close()
    return answers


def turn_of(state: State[Any], game: str, seat: int = 0, language: str = "de") -> TurnData:
    """The turn that the seat gets."""
    view = view_for(state, seat)
    return add_moves(
        TurnData(
            match="K7Q2",
            name="Arratia",
            game=game,
            entry=17,
            round=1,
            deadline="2026-12-01T19:00:00Z",
            zone="Europe/Berlin",
            language=language,
            reply=REPLY,
            seat=seat,
            names=("Anna", "Jörg", "Cora", "Dora", "Emil", "Fred", "Gerd", "Hans")[: len(state.scores)],
            scores=state.scores,
            tiles=view.hand_counts if len(state.hands) > 1 else (),
            rack=view.hand,
            common=len(state.hands) == 1,
            stock=view.stock_count,
            options=dataclasses.asdict(getattr(state.public, "options", load_game(game).options())),
            board=turn_data.build_table_values(load_game(game), view),
        )
    )
