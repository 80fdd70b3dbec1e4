"""What a game says: all of it in every language, nothing of another one, and what it quotes can be played."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import OperatorError, PlayerError
from moderator.common.message_files import READ, iter_message_tables, load_message_files
from moderator.common.text import list_quotations
from moderator.conformance.notation import is_readable_move
from moderator.conformance.subject import (
    CheckFigure,
    Finding,
    Found,
    GameSubject,
    SampleMatch,
    Skipped,
    build_check_context,
    format_in_one_line,
    iter_sample_moves,
)
from moderator.games import OWN, REGISTRY, folder
from moderator.language.messages import (
    FOLDERS,
    PACKAGE,
    has_sentence,
    load_rules_text,
    load_sentences,
    render_code,
    render_note,
)
from moderator.render import boards
from moderator.rules.game import Game
from moderator.rules.orders import parse
from moderator.rules.robots.choose import example_moves
from moderator.rules.scenes import Grid, Scene
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, Note, View, view_for
from moderator.rules.words import AnyWords

OURS = ("name", "stock", "example")
"""Codes that mails ask for by themselves, as they do for ``how-to-1`` and on, and files to fill in for ``form-…``."""
NEEDED = ("name", "how-to-1", "example.place")
WORD = re.compile(r"(?<![\w@./+-])[A-Za-zÄÖÜäöüßàâçéèêëîïôûùœ]{2,}(?![\w@/+-]|\.\w)")
MARKED = re.compile(r"«[\u00a0 ][^«»]*»|[»“„][^«”“]*[«”“]|\{\w+:?|\}|`[^`]*`")
PARAMS: Mapping[str, Any] = {
    "count": 2, "points": 5, "round": 2, "total": 64, "items": [10, 5], "sum": 10, "limit": 200, "words": ["x"],
    "readings": [], "square": "T20", "word": "NAHT",
}  # fmt: skip
"""What sentences are filled with, to see what they look like."""


@cache
def load_game_sentences(key: str, language: str) -> dict[str, str]:
    """Return the sentences that lie beside the game's module; variants share them. Raises OperatorError."""
    found: dict[str, str] = {}
    for values in load_message_files(folder(key), language).values():
        found |= _flatten_sentences({code: text for code, text in values.items() if code not in READ})
    return found


def _flatten_sentences(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for code, value in values.items():
        flat |= (
            _flatten_sentences(value, f"{prefix}{code}.") if isinstance(value, Mapping) else {prefix + code: str(value)}
        )
    return flat


def list_game_variants(key: str) -> list[str]:
    """Return all games of its folder."""
    return [other for other in REGISTRY if REGISTRY.get_package(other) == REGISTRY.get_package(key)]


def list_own_codes(key: str, language: str) -> list[str]:
    """Return the game's own codes, as it speaks them."""
    begin = tuple(f"{other}." for other in list_game_variants(key))
    own = [code.removeprefix(f"{key}.") for code in load_game_sentences(key, language)]
    return [code for code in own if "." not in code and not code.startswith(begin)]


def extract_placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def build_full_hand_view(game: Game[Any, Any]) -> View[Any]:
    """Return the view of the first to move, with every tile of the game in hand: more lines are moves then than
    ever."""
    ctx = Context(AnyWords(), keep_order)
    state = game.setup(game.min_seats, game.options(), ctx).state
    every = tuple(sorted({*state.stock, *(tile for hand in state.hands for tile in hand)}))
    return dataclasses.replace(view_for(state, state.to_move[0]), hand=every)


# ---- nothing is missing ----


def iter_missing_sentence_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the files, and the sentences that mails ask for by themselves."""
    place = folder(subject.key)
    if not load_message_files(place, FALLBACK):
        yield Finding(str(place / f"messages.{FALLBACK}.toml"), "it is missing or empty, and read where a language is")
        return
    codes = {language: set(list_own_codes(subject.key, language)) for language in subject.languages}
    every = set().union(*codes.values())
    for language in subject.languages:
        for code in NEEDED:
            if not has_sentence(code, language, subject.key):
                yield Finding(f"messages.{language}.toml", f"{code!r} is missing")
        for code in sorted(every - codes[language]):
            yield Finding(f"messages.{language}.toml", f"{code!r} is missing, and there in another language")
    for code in sorted(set.intersection(*codes.values())):
        texts = [load_sentences(language, subject.key)[code] for language in subject.languages]
        if len({frozenset(extract_placeholders(text)) for text in texts}) > 1:
            yield Finding(f"{code!r}", f"languages say different things: {' | '.join(texts)}")
    yield from _iter_option_findings(subject)
    yield from _iter_rules_findings(subject)
    if lacking := [language for language in LANGUAGES if language not in subject.languages]:
        yield CheckFigure(f"nothing in {', '.join(lacking)}, whose readers read English")


def _iter_option_findings(subject: GameSubject) -> Iterator[Found]:
    hints = typing.get_type_hints(subject.game.options)
    for language in subject.languages:
        sentences = load_sentences(language, subject.key)
        for field in dataclasses.fields(subject.game.options):
            code = f"option.{field.name}"
            if field.name != "pace" and not extract_placeholders(sentences.get(code, "")) & {"value", "count"}:
                yield Finding(f"messages.{language}.toml", f"{code!r} is missing, or has no {{value}}")
            values = ["true", "false"] if hints[field.name] is bool else typing.get_args(hints[field.name])
            for value in values if field.name != "pace" or len(subject.game.paces) > 1 else ():
                if isinstance(value, str) and f"{code}.{value}" not in sentences:
                    yield Finding(f"messages.{language}.toml", f"'{code}.{value}' is missing")


def _iter_rules_findings(subject: GameSubject) -> Iterator[Found]:
    for language in subject.languages:
        file = f"rules.{subject.key}.{language}.md"
        try:
            rules = load_rules_text(subject.key, language)
        except OperatorError as error:
            yield Finding(file, str(error))
            continue
        if rules.language != language:
            continue  # they are told that they read the English ones
        title = rules.title
        if title != render_code("name", language, subject.key):
            yield Finding(
                file, f"its title is {title!r}, the game's name {render_code('name', language, subject.key)!r}"
            )


def iter_source_code_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that all that looks like a code in the game's Python has a sentence."""
    for language in subject.languages:
        sentences = {code for other in list_game_variants(subject.key) for code in load_sentences(language, other)}
        sentences |= {code.rpartition(".")[2] for code in sentences if code.startswith("option.")}
        heard = (PACKAGE / "rules", folder(subject.key))
        sentences |= {key for place in heard for _, key, _ in iter_message_tables(place, language, "heard")}
        for file in sorted(folder(subject.key).glob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Constant):
                    continue
                text = node.value
                if isinstance(text, str) and re.fullmatch("[a-z]+(?:-[a-z0-9]+)+", text) and text not in sentences:
                    yield Finding(f"{file.name}:{node.lineno}", f"{text!r} has no sentence in {language!r}")


def iter_note_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the notes of matches are written without gaps."""
    for match in subject.matches:
        steps = [match.first, *(call.step for call in match.calls)]
        for number, step in enumerate(steps):
            said = match.game.describe_situation(view_for(step.state, None))
            for note in (*step.notes, *step.after, *said):
                if fault := find_sentence_gap(note, subject.key, subject.languages):
                    where = (
                        f"{format_in_one_line(note)} of {match.calls[number - 1].format_call()}"
                        if number
                        else "a note of setup"
                    )
                    yield Finding(f"{where} after {match.describe_moment(max(0, number - 1))}", fault, match.seed)
                    return


def find_sentence_gap(note: Note, key: str, languages: Sequence[str]) -> str:
    """Return what a note's sentences lack; "" for nothing."""
    for language in languages:
        if not has_sentence(note.code, language, key):
            return f"{note.code!r} has no sentence in {language!r}"
        why = note.params.get("why", ())
        lacking = extract_placeholders(load_sentences(language, key)[note.code]) - {"name"} - {*note.params, *why}
        if lacking:
            return f"the sentence of {note.code!r} in {language!r} wants {sorted(lacking)}, which the note has not"
    return ""


# ---- nothing of another language ----


@cache
def load_vocabulary(language: str, but: str) -> frozenset[str]:
    """Return all words of our sentences in a language, in small letters; without those of one game."""
    folders = [PACKAGE / name for name in FOLDERS] + [PACKAGE / "language"]
    folders += [folder(key) for key in OWN if REGISTRY.get_package(key) != REGISTRY.get_package(but)]
    texts = [
        text
        for one in folders
        for values in load_message_files(one, language).values()
        for text in _flatten_sentences(values).values()
    ]
    for one in folders:
        texts += [path.read_text("utf-8") for path in one.glob(f"rules.*.{language}.md")]
    return frozenset(word for text in texts for word in list_prose_words(text))


def list_prose_words(text: str) -> list[str]:
    """Return the words of a text but those in capitals, which are laid."""
    return [word.casefold() for word in WORD.findall(MARKED.sub(" ", text)) if not word.isupper()]


def list_foreign_words(text: str, language: str, key: str) -> list[str]:
    """Return the words of a text that only sentences of other languages have, where there are more of those than of its
    own."""
    own = load_vocabulary(language, key)
    for other in LANGUAGES:
        theirs = load_vocabulary(other, key) - own
        wrong = [word for word in list_prose_words(text) if word in theirs]
        right = [word for word in list_prose_words(text) if word in own - load_vocabulary(other, key)]
        if other != language and len(wrong) >= 2 and len(wrong) > len(right):
            return wrong
    return []


def iter_sentence_language_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that each sentence, and the rules, are in their language."""
    for language in subject.languages:
        for code, text in load_game_sentences(subject.key, language).items():
            wrong = list_foreign_words(text, language, subject.key)
            if wrong and code.rpartition(".")[2] != "name":  # which a game has in whichever language it likes
                told = f"{code!r} is no sentence in {language!r} ({', '.join(wrong[:5])}): {text}"
                yield Finding(f"messages.{language}.toml", told)
        rules = load_rules_text(subject.key, language)
        for section in rules.sections if rules.language == language else ():
            for block in section.blocks:
                for text in [block] if isinstance(block, str) else block:
                    if wrong := list_foreign_words(text, language, subject.key):
                        told = f"no paragraph in {language!r} ({', '.join(wrong[:5])}): {text[:80]}"
                        yield Finding(f"rules.{subject.key}.{language}.md", told)


# ---- what is quoted ----


def iter_quoted_move_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that all that stands in quotation marks in a game's sentences, and its examples, can be read, in one
    position or another: a move that hangs on the table is no move on every table."""
    game, key, views = subject.game, subject.key, _list_views(subject)
    given = game.build_examples(views[0])
    moves = (
        game.format_move(move)
        for view in views
        for move, _ in game.list_moves(view, build_check_context(0, AnyWords()))
    )
    move = next(moves, None) or render_code("example.place", FALLBACK, key, **given)
    values = {**given, "move": move}
    for language in subject.languages:
        sentences = load_sentences(language, key)
        own = [code for code in sentences if _is_own_example(code, key, language)]
        lines = [(code, render_code(code, language, key, **given)) for code in own]
        for code in list_own_codes(key, language):
            for mark in filter(None, list_quotations(sentences[code])):
                teaches = code.startswith("how-to-")
                line = re.sub(r"\{(\w+)\}", lambda hit: values.get(hit[1], hit[0]), mark) if teaches else mark
                lines += (
                    [(code, one.text) for one in parse.list_alternatives(line, game.style)] if "{" not in line else []
                )
        for code, line in lines:
            if not any(is_readable_move(game, line, view) for view in views):
                yield Finding(
                    f"parse_move({line!r}, view)", f"{code!r} in {language!r} shows it, and it cannot be read"
                )


def _list_views(subject: GameSubject) -> list[View[Any]]:
    """Return the views of seats to move, with every tile of the game in hand."""
    every = build_full_hand_view(subject.game)
    states = [state for match in subject.matches for state in match.states if not state.over]
    return [every, *(dataclasses.replace(view_for(state, state.to_move[0]), hand=every.hand) for state in states)]


def _is_own_example(code: str, key: str, language: str) -> bool:
    own = {one.removeprefix(f"{key}.") for one in load_game_sentences(key, language)}
    return code.startswith("example.") and code != "example.fallback" and code in own


def iter_sentence_move_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that no sentence is a move itself: it would be played when it is quoted in an answer."""
    game, view = subject.game, build_full_hand_view(subject.game)
    params = {**PARAMS, "tile": view.hand[0], "tiles": list(view.hand[:2])} if view.hand else dict(PARAMS)
    for language in subject.languages:
        for code in list_own_codes(subject.key, language):
            if code in OURS or code.startswith("zug-"):  # no mail says what the page does
                continue
            line = render_note(Note(code, params, seat=0), language, subject.key, ["Anna", "Bert"])
            for text in (line, f"Anna: {line}"):
                try:
                    move = game.parse_move(text, view)
                except PlayerError:
                    continue
                yield Finding(
                    f"parse_move({text!r}, view)", f"{code!r} in {language!r} is read as {format_in_one_line(move)}"
                )


def iter_example_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the move that mails show as an example can be played, where it is shown."""
    if subject.game.uses_words:
        yield Skipped("games of words show a pattern")
        return
    for match, number, state in subject.iter_positions():
        for seat in state.to_move:
            move = example_moves(match.game, view_for(state, seat), match.ctx).get("move", "")
            if not move:
                if any(True for _ in iter_sample_moves(match, state, 1)):
                    told = "no example, though there is a move"
                    yield Finding(f"robot.shown(…) after {match.describe_moment(number)}", told, match.seed)
                continue
            try:
                match.game.apply_move(state, seat, match.game.parse_move(move, view_for(state, seat)), match.ctx)
            except PlayerError as error:
                told = f"{move!r} is shown as an example and refused: {error.code}"
                yield Finding(f"robot.shown(…) after {match.describe_moment(number)}", told, match.seed)


# ---- What is drawn can be seen on a telephone and heard by those who see nothing.


SMALLEST = 6
"""Css pixels of the smallest letters in a mail on a telephone."""
HEAVIEST = 40_000
"""Bytes of a picture: each mail carries it."""


def iter_match_scenes(subject: GameSubject) -> Iterator[tuple[SampleMatch, int, Scene]]:
    """Yield scenes of moments of all matches, the last one too."""
    for match in subject.matches:
        states = match.states
        for number in sorted({0, len(states) // 2, len(states) - 1}):
            yield match, number, match.game.build_scene(view_for(states[number], None))


def iter_picture_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the picture at 390 pixels."""
    least, heaviest = float("inf"), 0
    for match, number, scene in iter_match_scenes(subject):
        where = f"build_scene(view) after {match.describe_moment(number)}"
        crop = boards.get_mail_crop(scene)
        data, (paper, shapes) = boards.render_board_png(scene, crop), boards.draw_board(scene, crop)
        sizes = [float(size) for shape in shapes for size in re.findall(r'font-size="([\d.]+)', shape.svg)]
        smallest = min(sizes, default=SMALLEST) * crop.compute_zoom(paper)
        least, heaviest = min(least, smallest), max(heaviest, len(data))
        if smallest < SMALLEST:
            told = f"in a mail its letters are {smallest:.1f} css pixels high, and {SMALLEST} can be read"
            yield Finding(where, told, match.seed)
            return
        if len(data) > HEAVIEST:
            yield Finding(where, f"the picture has {len(data)} bytes, at most {HEAVIEST} go with a mail", match.seed)
            return
    yield CheckFigure(f"(letters of {least:.0f} pixels, {heaviest // 1000} kB)")


def iter_alt_text_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that in each language there is an alt text, and with the lines below it, it says what lies there."""
    for match in subject.matches:
        told: dict[tuple[str, str], tuple[int, Any]] = {}
        for number, state in enumerate(match.states):
            scene = match.game.build_scene(view_for(state, None))
            for language in LANGUAGES:
                words, where = (
                    boards.describe_board(scene, language),
                    f"build_scene(view) after {match.describe_moment(number)}",
                )
                lines = "\n".join(boards.describe_board_lines(scene, language))
                if fault := _find_alt_text_fault(scene, words, lines):
                    yield Finding(
                        where, f"the alt text in {language!r} {fault}: {format_in_one_line(words)}", match.seed
                    )
                    return
                before, lying = told.setdefault((language, words + lines), (number, _list_lying_tiles(scene)))
                if lying != _list_lying_tiles(scene):
                    what = f"the board in words in {language!r} is that after {before} calls, where something else lies"
                    yield Finding(where, f"{what}: {format_in_one_line(words)}", match.seed)
                    return


def _find_alt_text_fault(scene: Scene, words: str, lines: str) -> str:
    if not words.strip():
        return "is empty"
    for cell in scene.cells if isinstance(scene, Grid) else ():
        if not cell.letter.strip():
            return f"cannot name what lies at {cell.x}, {cell.y}"
        if cell.letter.upper() not in lines.upper():
            return f"and the lines with it do not name {cell.letter!r}"
    return ""


def _list_lying_tiles(scene: Scene) -> Any:
    """Return the tiles that lie there, without those that were laid last."""
    if isinstance(scene, Grid):
        return sorted((cell.x, cell.y, cell.letter, cell.joker) for cell in scene.cells)
    return None
