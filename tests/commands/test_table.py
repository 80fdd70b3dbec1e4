"""The table of commands, by enumeration: words, help and example of each in every language, none in another's way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from moderator.commands import call, moderator_call
from moderator.commands.declaration import (
    Command,
    Group,
    Scope,
    Text,
    Who,
    find,
    find_of_moderator,
    moderators,
    players,
)
from moderator.commands.player.guide import all_commands
from moderator.errors import Impossible, Misused, ModeratorError
from moderator.mail.model import Line
from moderator.pages.messages import filled, label
from moderator.paths import LANGUAGES
from moderator.people.identify import Identity
from moderator.printable import VALUE_LENGTH
from moderator.store.matches import seats_of
from tests.club.club import Club, make_club
from tests.every import for_every

EVERY = (*players().values(), *moderators().values())


def texts() -> Iterator[tuple[Command, str, Text]]:
    for command in EVERY:
        for language in LANGUAGES:
            yield command, language, command.texts[language]


def test_every_command_has_words_help_and_example_in_every_language() -> None:
    for command, _, text in texts():
        assert text.first, command.name
        assert text.help.endswith("."), command.name
        assert len(text.help) < VALUE_LENGTH, command.name
        assert text.example or command.name == "help" or takes_nothing(command), command.name
        assert (command.group is None) == (command.who is Who.MODERATOR), command.name
    for language in LANGUAGES:
        told = [line.said for _, lines in all_commands(language).groups for line in lines]
        assert told == [one.text(language).name for one in players().values()]
        assert all(label(f"commands-{group}", language) for group in Group)


def takes_nothing(command: Command) -> bool:
    """Whether the word alone is the command."""
    return re.fullmatch(command.pattern, "") is not None


def test_every_word_and_every_example_is_read_as_that_command() -> None:
    for command, _, text in texts():
        read = find_of_moderator if command.who is Who.MODERATOR else find
        lines = [word.upper() for word in text.words.split("|") if takes_nothing(command)]
        lines += [text.example.replace("{move}", "E5 w HAUS")] if text.example else []
        lines += [text.name] if command.who is not Who.MODERATOR else []
        for line in lines:
            found = read(line)
            assert found is not None, line
            assert found[0].name == command.name, line


@for_every("name, words", [("cheer", "brett"), ("board", "jubeln"), ("cheer", "jubeln|ZURUECKZIEHEN")])
def test_no_two_commands_have_a_name_or_a_word_in_common(name: str, words: str) -> None:
    text = Text(words, "x.")
    command = Command(name, {"de": text, "en": text}, scope=Scope.CLUB, group=Group.TALK)
    with pytest.raises(ValueError, match=name):
        command(lambda call: call)
    assert players()["board"].act is not command.act


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    made = make_club(tmp_path_factory.mktemp("commands") / "club")
    made.players("Anna", "Bert", "Cora")
    code = made.match("Anna", "Bert")
    made.tick()
    live = made.live(code)
    seat = live.table.state.to_move[0]
    made.order(("Anna", "Bert")[seat], code, seat, made.moves(code, seat)[0])
    made.tick()
    return made, code


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_is_carried_out_or_stands_in_the_way_of_something_else(
    club: tuple[Club, str], language: str
) -> None:
    """Who writes what an answer shows as right is not told the same again."""
    made, code = club
    for command in EVERY:
        example = command.text(language).example.replace("K7Q2", code)
        if not example:
            continue
        with made.desk() as desk, desk.trial() as apart:
            done = _of_moderator if command.who is Who.MODERATOR else _of_player
            try:
                done(apart, command, example)
            except Impossible:
                continue
            except Misused as error:
                pytest.fail(f"{example}: {error}")
            except ModeratorError:
                continue


def _of_player(desk, command: Command, example: str) -> None:
    from moderator.play.create import find_player

    player = find_player(desk.session, "Anna")
    match, seat = seats_of(desk.session, player.number)[0]
    live = desk.cache.live(desk.session, match)
    place = () if command.scope in (Scope.CLUB, Scope.TOURNAMENT) else (match, seat, live)
    empty = call.Call(desk, Identity(player, match, seat), call.Request(command, Line(1, "")), match, seat, live)
    line = filled(example, player.language, **(command.fills(empty) if command.fills else {})).strip("»«")
    line = line.replace("»", "").replace("«", "")
    found = find(line)
    assert found is not None, line
    call.act(call.Call(desk, Identity(player, match, seat), call.Request(command, Line(1, line), found[1]), *place))


def _of_moderator(desk, command: Command, example: str) -> None:
    found = find_of_moderator(example)
    assert found is not None, example
    moderator_call.act(moderator_call.ModeratorCall(desk, call.Request(command, Line(1, example), found[1])))


def test_the_folder_is_the_list() -> None:
    """Every module that declares something is asked for by looking into the folder."""
    for name, table in (("player", players()), ("moderator", moderators())):
        folder = Path(call.__file__).parent / name
        declared = sum(file.read_text(encoding="utf-8").count("\n@Command(") for file in folder.glob("*.py"))
        assert declared == len(table) > 15
