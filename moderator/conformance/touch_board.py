"""The touch board: its script, its sentences, and what it says of moves beside what Python says."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from moderator import games
from moderator.common.disk import LANGUAGES
from moderator.common.errors import PlayerError
from moderator.common.text import count_noun
from moderator.conformance.sentences import load_game_sentences
from moderator.conformance.subject import (
    CODE,
    CheckFigure,
    Finding,
    Found,
    GameSubject,
    SampleMatch,
    Skipped,
    Unseen,
    describe_difference,
    iter_sample_moves,
)
from moderator.language import traits
from moderator.language.messages import load_labels, load_sentences
from moderator.render import touch_board
from moderator.render.mail import require_template_folder
from moderator.render.turn_picture import add_moves
from moderator.rules import turn_data
from moderator.rules.game import Game, State
from moderator.rules.state import view_for
from moderator.rules.table import MatchState, preview_order
from moderator.rules.turn_data import TurnData, TurnReply
from moderator.rules.words import AnyWords

LONG = "Maximiliane-Charlotte von Größenbrück-Ho"
"""A name of as many letters as one can have."""


def build_full_turn_data(game: Game[Any, Any], state: State[Any], seat: int, options: Any) -> TurnData:
    """Build the turn as the mail has it that asks the seat for a move."""
    view = view_for(state, seat)
    common = len(state.hands) == 1 < state.seats
    turn = TurnData(
        match=CODE,
        name=LONG,
        game=game.key,
        entry=999,
        round=state.public.round,
        deadline="2026-12-01T19:00:00Z",
        zone="Europe/Berlin",
        language="de",
        reply=TurnReply(f"postspiele+{CODE}-8J3MZP4QXA@mail.example.org", f"{game.key} {LONG} [{CODE}-8J3MZP4QXA]"),
        seat=seat,
        names=(LONG,) * state.seats,
        scores=state.scores,
        tiles=() if common else view.hand_counts,
        rack=view.hand,
        common=common,
        stock=view.stock_count,
        options=dataclasses.asdict(options),
        board=turn_data.build_table_values(game, view),
    )
    return add_moves(turn)


def iter_turn_file_findings(subject: GameSubject) -> Iterator[Found]:
    """Check size, board, situation and drawing; and that a move is worth the same there."""
    largest = 0
    for match, number, state in subject.iter_positions(8):
        for seat in state.to_move[:1]:
            data = build_full_turn_data(match.game, state, seat, match.options)
            written = turn_data.encode_turn(data)
            if written is None:
                told = f"its board is too large for a file of {turn_data.MOST} bytes"
                yield Finding(f"table(public) after {match.describe_moment(number)}", told, match.seed)
                return
            largest = max(largest, len(written))
            if fault := _find_difference(match, state, seat, turn_data.decode_turn(written), data):
                yield Finding(f"placed(table(public), …) after {match.describe_moment(number)}", fault, match.seed)
                return
    yield CheckFigure(f"({largest} bytes at most)")


def _find_difference(match: SampleMatch, state: State[Any], seat: int, read: TurnData, data: TurnData) -> str:
    """Return the first thing that is not the same in the file read back; "" = all is."""
    game, own = match.game, view_for(state, seat)
    view = turn_data.build_turn_view(read, game)
    if view is None:
        return "" if read.board == game.export(state.public) else "the board is not what export gives"
    if (again := turn_data.build_table_values(game, view)) != data.board:
        return f"written again: {describe_difference(data.board, again)}"
    if game.describe_situation(view) != game.describe_situation(own):
        return f"situation: {describe_difference(game.describe_situation(own), game.describe_situation(view))}"
    if _without_word_frames(game.build_scene(view)) != _without_word_frames(game.build_scene(own)):
        scenes = _without_word_frames(game.build_scene(own)), _without_word_frames(game.build_scene(view))
        return f"scene: {describe_difference(*scenes)}"
    there = MatchState(turn_data.build_possible_state(game, view, match.options), match.options.pace, seat)
    here, ctx = MatchState(state, match.options.pace, seat), dataclasses.replace(turn_data.CONTEXT, words=AnyWords())
    for order in ("passe", *(game.format_move(move) for _, move, _ in iter_sample_moves(match, state, 8))):
        ours, theirs = (
            [(o.canonical, o.points, o.refused) for o in preview_order(game, t, seat, order, ctx)]
            for t in (here, there)
        )
        if ours != theirs:
            return f"{order!r} is worth something else: {describe_difference(ours, theirs)}"
    return ""


def _without_word_frames(scene: Any) -> Any:
    """Return the scene without the frames around the words of the last move, which are not sent along."""
    return dataclasses.replace(scene, words=()) if hasattr(scene, "words") else scene


MOST = 12
"""Positions that are looked at."""
LONGEST = 120
"""Seconds that node may take."""
ASKS = Path(__file__).parent / "page.mjs"
REMARKS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
TOP = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)", re.MULTILINE)
SAYS = re.compile(r"\b(?:why|code|says): (?:\"([^\"]+)\"|'([^']+)')")
HYPHENED = re.compile(r"\"([a-z]+(?:-[a-z0-9]+)+)\"(?!\s*:)")
"""What looks like a code; not attributes of drawings, which are keys."""
OF_PAGES = re.compile(r"\"(zug-[a-z0-9-]+)\"")


def iter_page_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the page; running its script needs node, the rest does not."""
    key = subject.key
    if traits.find_board_module(key) is None:
        # Check a game that no module names.
        modules = sorted(games.folder(key).glob(traits.BOARDS))
        others = {other for other in games.REGISTRY if games.folder(other) == games.folder(key)} - {key}
        if modules and not any(traits.find_board_module(other) for other in others):
            yield Finding(
                modules[0].name,
                f'no module has the line `  games: ["{key}"],` as its first member: no mail leads to it',
            )
        else:
            yield Skipped("it has no touch board")
        return
    if not touch_board.find_family_object(key):
        yield Finding(
            _get_module_file(key),
            "it must export an object that begins with its games: `export const … = {\\n  games: […]`",
        )
        return
    for name in sorted({*TOP.findall(_get_bare_source(key))} & collect_reserved_names()):
        yield Finding(
            _get_module_file(key),
            f"{name!r} is a name of the shell, with which it stands in one script: call it otherwise",
        )
    yield from _iter_sentence_findings(key)
    node = shutil.which("node")
    if node is None:
        yield Unseen("names and sentences are as they must be; its script needs node to be run, and there is none")
    elif trouble := _find_parse_error(node, touch_board.build_board_script(key)):
        yield Finding(_get_module_file(key), f"the page's script is none: {trouble}")
    else:
        yield from _iter_move_findings(subject, node)


def collect_reserved_names() -> set[str]:
    """Return the names of the shell, beside which those of a game's modules stand in one script."""
    return {name for text in touch_board.read_shell_modules() for name in TOP.findall(text)}


def _get_module_file(key: str) -> str:
    module = traits.find_board_module(key)
    return module.name if module else traits.BOARDS


# ---- names and sentences ----


def _get_bare_source(key: str) -> str:
    return REMARKS.sub("", touch_board.read_family_source(key))


def _iter_sentence_findings(key: str) -> Iterator[Found]:
    """Check that every code that is quoted has its sentence; and those of pages that the game has are said by somebody,
    and by one."""
    others = (require_template_folder() / "site" / name for name in ("zug.html.j2", touch_board.LAYING))
    texts = [*touch_board.read_shell_modules(), *(file.read_text(encoding="utf-8") for file in others)]
    source, shells = _get_bare_source(key), {code for text in texts for code in OF_PAGES.findall(text)}
    double, single = ({found[n] for found in SAYS.findall(source)} - {""} for n in (0, 1))
    for code in sorted(single):
        yield Finding(
            _get_module_file(key),
            f"'{code}' must stand in double quotes: the page brings the sentences of such codes alone",
        )
    quoted = double | {*HYPHENED.findall(source)}
    for language in LANGUAGES:
        for code in sorted(quoted):
            if not _has_sentence(code, key, language):
                yield Finding(_get_module_file(key), f"{code!r} has no sentence in {language!r}")
    said = {
        code for file in games.folder(key).glob("*.js") for code in OF_PAGES.findall(file.read_text(encoding="utf-8"))
    }
    own = {code.rpartition(".")[2] for code in load_game_sentences(key, LANGUAGES[0]) if "zug-" in code}
    for code in sorted(own & quoted & shells):
        yield Finding(
            f"messages.{LANGUAGES[0]}.toml",
            f"{code!r} is a sentence of the shell, and the page says it of something else, too",
        )
    for code in sorted(own - said - shells):
        yield Finding(
            f"messages.{LANGUAGES[0]}.toml",
            f"{code!r} is said by no page: neither a module of the game nor the shell names it",
        )


def _has_sentence(code: str, key: str, language: str) -> bool:
    """Return whether a code has its sentence; on the page that the game shares with others, one of them has it."""
    served = touch_board.list_page_games(traits.find_board_page(key))
    return code in load_labels(language) or any(code in load_sentences(language, one) for one in served)


# ---- the script itself ----


def _find_parse_error(node: str, script: str) -> str:
    """Return why the script cannot be read; "" = it can."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "page.mjs"
        file.write_text(script, encoding="utf-8")
        done = subprocess.run([node, "--check", str(file)], capture_output=True, text=True, timeout=LONGEST)
    return "" if done.returncode == 0 else _extract_error(done.stderr)


def _iter_move_findings(subject: GameSubject, node: str) -> Iterator[Found]:
    """Lay each tile of a rack on each spot of some positions: each move that the page lets through, Python plays with
    the same points; and each that Python plays with one tile, the page lets through."""
    asked, compared = list(islice(_iter_asked_turns(subject), MOST)), 0
    told, fault = _run_page_script(subject.key, node, [turn for *_, turn in asked])
    if fault:
        yield Finding(_get_module_file(subject.key), f"its script ends: {fault}")
        return
    for (match, number, state, _), answer in zip(asked, told, strict=True):
        where = f"of the turn after {match.describe_moment(number)}"
        if trouble := answer.get("trouble"):
            call, _, fault = trouble.rpartition(": ")
            yield Finding(f"{call or _get_module_file(subject.key)} {where}", fault, match.seed)
            continue
        for code in answer["whys"]:
            if not all(_has_sentence(code, subject.key, language) for language in LANGUAGES):
                yield Finding(f"put or judge {where}", f"why is {code!r}, which lacks a sentence", match.seed)
        yield from (
            Finding(f"{call} {where}", fault, match.seed)
            for call, fault in _iter_differences(match, state, answer["moves"])
        )
        compared += len(answer["moves"])
    yield CheckFigure(f"({count_noun(compared, 'move')})")


def _iter_asked_turns(subject: GameSubject) -> Iterator[tuple[SampleMatch, int, State[Any], Any]]:
    """Yield (match, number of calls, state, its turn as the page gets it)."""
    for match, number, state in subject.iter_positions(2):
        written = turn_data.encode_turn(build_full_turn_data(match.game, state, state.to_move[0], match.options))
        if written is not None:
            yield match, number, state, json.loads(written)


def _run_page_script(key: str, node: str, turns: list[Any]) -> tuple[list[Any], str]:
    """Return the answer of page.mjs to each turn; or why it gave none."""
    given = {"source": touch_board.read_family_source(key), "name": touch_board.find_family_object(key), "turns": turns}
    said = json.dumps(given)
    done = subprocess.run([node, str(ASKS)], input=said, capture_output=True, text=True, timeout=LONGEST)
    return (json.loads(done.stdout), "") if done.returncode == 0 else ([], _extract_error(done.stderr))


def _extract_error(said: str) -> str:
    """Return the line of node's output that names the fault."""
    return next((line for line in said.splitlines() if "Error" in line), said[:200].strip() or "it says nothing")


def _iter_differences(match: SampleMatch, state: State[Any], told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (call, the thing that is not the same in Python)."""
    game, seat, reached = match.game, state.to_move[0], set()
    ctx, view = replace(match.ctx, words=AnyWords()), view_for(state, state.to_move[0])
    for text, one in told.items():
        try:
            move = game.parse_move(text, view)
            step = game.apply_move(state, seat, move, ctx)
        except PlayerError as error:
            yield f"judge({one['call']})", f"it says {text!r}, and Python refuses that: {error.code}"
            continue
        reached.add(game.format_move(move))
        if one["points"] not in (None, step.points):
            wrong = f"it says {one['points']} points for {text!r}, and apply_move gives {step.points}"
            yield f"judge({one['call']})", wrong
    tiles = game.list_table_tiles(state.public)
    if game.uses_words or tiles is None:
        return
    lying = len([*tiles])
    for move, _ in match.list_legal_moves(state, seat):
        text = game.format_move(move)
        after = game.apply_move(state, seat, move, ctx).state
        if text not in reached and len([*(game.list_table_tiles(after.public) or ())]) == lying + 1:
            yield f"apply_move(state, {seat}, {text!r}, ctx)", "it is played, and the page lets no tile be put so"
            return
