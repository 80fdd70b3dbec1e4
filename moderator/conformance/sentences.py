"""What a game says: all of it in every language, nothing of another one, and what it quotes can be played."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from moderator.conformance.finding import Finding, Found, Said, Skipped, shown
from moderator.conformance.notation import readable
from moderator.conformance.subject import Subject, context, moves_of
from moderator.errors import OperatorError, PlayerError
from moderator.games import OWN, REGISTRY, folder
from moderator.games.rules_text import rules_text
from moderator.match import orders
from moderator.match.contract import Context, Game, Note, View, view_for
from moderator.match.rng import unshuffled
from moderator.match.robot import Exemplary
from moderator.match.words import AnyWords
from moderator.pages.messages import FOLDERS, PACKAGE, known, say, sentence, table
from moderator.paths import FALLBACK, LANGUAGES
from moderator.quotations import quotations
from moderator.texts import READ, parsed

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
def spoken_by(key: str, language: str) -> dict[str, str]:
    """The sentences that lie beside the game's module; variants share them. Raises OperatorError."""
    found: dict[str, str] = {}
    for values in parsed(folder(key), language).values():
        found |= _flat({code: text for code, text in values.items() if code not in READ})
    return found


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for code, value in values.items():
        flat |= _flat(value, f"{prefix}{code}.") if isinstance(value, Mapping) else {prefix + code: str(value)}
    return flat


def variants(key: str) -> list[str]:
    """All games of its folder."""
    return [other for other in REGISTRY if REGISTRY.package(other) == REGISTRY.package(key)]


def plain(key: str, language: str) -> list[str]:
    """The game's own codes, as it speaks them."""
    begin = tuple(f"{other}." for other in variants(key))
    own = [code.removeprefix(f"{key}.") for code in spoken_by(key, language)]
    return [code for code in own if "." not in code and not code.startswith(begin)]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def opened(game: Game[Any, Any]) -> View[Any]:
    """What the first to move sees, with every tile of the game in hand: more lines are moves then than ever."""
    ctx = Context(AnyWords(), unshuffled)
    state = game.setup(game.min_seats, game.options(), ctx).state
    every = tuple(sorted({*state.stock, *(tile for hand in state.hands for tile in hand)}))
    return dataclasses.replace(view_for(state, state.to_move[0]), hand=every)


# ---- nothing is missing ----


def there(subject: Subject) -> Iterator[Found]:
    """Files, and what mails ask for by themselves."""
    place = folder(subject.key)
    if not parsed(place, FALLBACK):
        yield Finding(str(place / f"messages.{FALLBACK}.toml"), "it is missing or empty, and read where a language is")
        return
    codes = {language: set(plain(subject.key, language)) for language in subject.languages}
    every = set().union(*codes.values())
    for language in subject.languages:
        for code in NEEDED:
            if not known(code, language, subject.key):
                yield Finding(f"messages.{language}.toml", f"{code!r} is missing")
        for code in sorted(every - codes[language]):
            yield Finding(f"messages.{language}.toml", f"{code!r} is missing, and there in another language")
    for code in sorted(set.intersection(*codes.values())):
        texts = [table(language, subject.key)[code] for language in subject.languages]
        if len({frozenset(placeholders(text)) for text in texts}) > 1:
            yield Finding(f"{code!r}", f"languages say different things: {' | '.join(texts)}")
    yield from _options(subject)
    yield from _rules(subject)
    if lacking := [language for language in LANGUAGES if language not in subject.languages]:
        yield Said(f"nothing in {', '.join(lacking)}, whose readers read English")


def _options(subject: Subject) -> Iterator[Found]:
    hints = typing.get_type_hints(subject.game.options)
    for language in subject.languages:
        sentences = table(language, subject.key)
        for field in dataclasses.fields(subject.game.options):
            code = f"option.{field.name}"
            if field.name != "pace" and not placeholders(sentences.get(code, "")) & {"value", "count"}:
                yield Finding(f"messages.{language}.toml", f"{code!r} is missing, or has no {{value}}")
            values = ["true", "false"] if hints[field.name] is bool else typing.get_args(hints[field.name])
            for value in values if field.name != "pace" or len(subject.game.paces) > 1 else ():
                if isinstance(value, str) and f"{code}.{value}" not in sentences:
                    yield Finding(f"messages.{language}.toml", f"'{code}.{value}' is missing")


def _rules(subject: Subject) -> Iterator[Found]:
    for language in subject.languages:
        file = f"rules.{subject.key}.{language}.md"
        try:
            rules = rules_text(subject.key, language)
        except OperatorError as error:
            yield Finding(file, str(error))
            continue
        if rules.language != language:
            continue  # they are told that they read the English ones
        title = rules.title
        if title != say("name", language, subject.key):
            yield Finding(file, f"its title is {title!r}, the game's name {say('name', language, subject.key)!r}")


def codes_in_source(subject: Subject) -> Iterator[Found]:
    """Whatever looks like a code in the game's Python has a sentence."""
    for language in subject.languages:
        sentences = {code for other in variants(subject.key) for code in table(language, other)}
        sentences |= {code.rpartition(".")[2] for code in sentences if code.startswith("option.")}
        for file in sorted(folder(subject.key).glob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Constant):
                    continue
                text = node.value
                if isinstance(text, str) and re.fullmatch("[a-z]+(?:-[a-z0-9]+)+", text) and text not in sentences:
                    yield Finding(f"{file.name}:{node.lineno}", f"{text!r} has no sentence in {language!r}")


def told(subject: Subject) -> Iterator[Found]:
    """What happens in matches is told without gaps."""
    for match in subject.matches:
        steps = [match.first, *(call.step for call in match.calls)]
        for number, step in enumerate(steps):
            said = match.game.situation(view_for(step.state, None))
            for note in (*step.notes, *step.after, *said):
                if fault := gap(note, subject.key, subject.languages):
                    where = f"{shown(note)} of {match.calls[number - 1].shown()}" if number else "a note of setup"
                    yield Finding(f"{where} after {match.at(max(0, number - 1))}", fault, match.seed)
                    return


def gap(note: Note, key: str, languages: Sequence[str]) -> str:
    """What a note's sentences lack."""
    for language in languages:
        if not known(note.code, language, key):
            return f"{note.code!r} has no sentence in {language!r}"
        why = note.params.get("why", ())
        lacking = placeholders(table(language, key)[note.code]) - {"name"} - {*note.params, *why}
        if lacking:
            return f"the sentence of {note.code!r} in {language!r} wants {sorted(lacking)}, which the note has not"
    return ""


# ---- nothing of another language ----


@cache
def vocabulary(language: str, but: str) -> frozenset[str]:
    """All words of our sentences in a language, in small letters; without those of one game."""
    folders = [PACKAGE / name for name in FOLDERS] + [PACKAGE / "pages"]
    folders += [folder(key) for key in OWN if REGISTRY.package(key) != REGISTRY.package(but)]
    texts = [text for one in folders for values in parsed(one, language).values() for text in _flat(values).values()]
    for one in folders:
        texts += [path.read_text("utf-8") for path in one.glob(f"rules.*.{language}.md")]
    return frozenset(word for text in texts for word in words(text))


def words(text: str) -> list[str]:
    """Its words but those in capitals, which are laid."""
    return [word.casefold() for word in WORD.findall(MARKED.sub(" ", text)) if not word.isupper()]


def foreign(text: str, language: str, key: str) -> list[str]:
    """The words of it that only sentences of other languages have, where there are more of those than of its own."""
    own = vocabulary(language, key)
    for other in LANGUAGES:
        theirs = vocabulary(other, key) - own
        wrong = [word for word in words(text) if word in theirs]
        right = [word for word in words(text) if word in own - vocabulary(other, key)]
        if other != language and len(wrong) >= 2 and len(wrong) > len(right):
            return wrong
    return []


def languages(subject: Subject) -> Iterator[Found]:
    """Each sentence, and the rules."""
    for language in subject.languages:
        for code, text in spoken_by(subject.key, language).items():
            wrong = foreign(text, language, subject.key)
            if wrong and code.rpartition(".")[2] != "name":  # which a game has in whichever language it likes
                told = f"{code!r} is no sentence in {language!r} ({', '.join(wrong[:5])}): {text}"
                yield Finding(f"messages.{language}.toml", told)
        rules = rules_text(subject.key, language)
        for section in rules.sections if rules.language == language else ():
            for block in section.blocks:
                for text in [block] if isinstance(block, str) else block:
                    if wrong := foreign(text, language, subject.key):
                        told = f"no paragraph in {language!r} ({', '.join(wrong[:5])}): {text[:80]}"
                        yield Finding(f"rules.{subject.key}.{language}.md", told)


# ---- what is quoted ----


def quoted(subject: Subject) -> Iterator[Found]:
    """All that stands in quotation marks in a game's sentences, and its examples, can be read, in one position or
    another: what hangs on the table is no move on every table."""
    game, key, views = subject.game, subject.key, _positions(subject)
    given = game.examples(views[0]) if isinstance(game, Exemplary) else {}
    moves = (game.format(move) for view in views for move, _ in game.moves(view, context(0, AnyWords())))
    move = next(moves, None) or say("example.place", FALLBACK, key, **given)
    values = {**given, "move": move}
    for language in subject.languages:
        sentences = table(language, key)
        own = [code for code in sentences if _example(code, key, language)]
        lines = [(code, say(code, language, key, **given)) for code in own]
        for code in plain(key, language):
            for mark in filter(None, quotations(sentences[code])):
                teaches = code.startswith("how-to-")
                line = re.sub(r"\{(\w+)\}", lambda hit: values.get(hit[1], hit[0]), mark) if teaches else mark
                lines += [(code, one.text) for one in orders.split(line, game.style)] if "{" not in line else []
        for code, line in lines:
            if not any(readable(game, line, view) for view in views):
                yield Finding(f"parse({line!r}, view)", f"{code!r} in {language!r} shows it, and it cannot be read")


def _positions(subject: Subject) -> list[View[Any]]:
    """What seats to move see, with every tile of the game in hand."""
    every = opened(subject.game)
    states = [state for match in subject.matches for state in match.states if not state.over]
    return [every, *(dataclasses.replace(view_for(state, state.to_move[0]), hand=every.hand) for state in states)]


def _example(code: str, key: str, language: str) -> bool:
    own = {one.removeprefix(f"{key}.") for one in spoken_by(key, language)}
    return code.startswith("example.") and code != "example.fallback" and code in own


def no_moves(subject: Subject) -> Iterator[Found]:
    """No sentence is a move itself: it would be played when it is quoted in an answer."""
    game, view = subject.game, opened(subject.game)
    params = {**PARAMS, "tile": view.hand[0], "tiles": list(view.hand[:2])} if view.hand else dict(PARAMS)
    for language in subject.languages:
        for code in plain(subject.key, language):
            if code in OURS or code.startswith("zug-"):  # no mail says what the page does
                continue
            line = sentence(Note(code, params, seat=0), language, subject.key, ["Anna", "Bert"])
            for text in (line, f"Anna: {line}"):
                try:
                    move = game.parse(text, view)
                except PlayerError:
                    continue
                yield Finding(f"parse({text!r}, view)", f"{code!r} in {language!r} is read as {shown(move)}")


def examples(subject: Subject) -> Iterator[Found]:
    """The move that mails show as an example can be played, where it is shown."""
    if subject.game.uses_words:
        yield Skipped("games of words show a pattern")
        return
    from moderator.match.robot import shown as example

    for match, number, state in subject.positions():
        for seat in state.to_move:
            move = example(match.game, view_for(state, seat), match.ctx).get("move", "")
            if not move:
                if any(True for _ in moves_of(match, state, 1)):
                    told = "no example, though there is a move"
                    yield Finding(f"robot.shown(…) after {match.at(number)}", told, match.seed)
                continue
            try:
                match.game.apply(state, seat, match.game.parse(move, view_for(state, seat)), match.ctx)
            except PlayerError as error:
                told = f"{move!r} is shown as an example and refused: {error.code}"
                yield Finding(f"robot.shown(…) after {match.at(number)}", told, match.seed)
