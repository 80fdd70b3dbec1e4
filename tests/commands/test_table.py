"""The table of commands, by enumeration: words, help and example of each in every language, none in another's way."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from moderator.commands import declaration, moderator_call
from moderator.commands.player import help
from moderator.commands.player.help import build_help_text
from moderator.common import message_files as texts_of
from moderator.common.disk import LANGUAGES
from moderator.common.errors import Impossible, Misused, ModeratorError, OperatorError
from moderator.common.mails import Line
from moderator.common.text import VALUE_LENGTH
from moderator.language.messages import fill_pattern, render_label
from moderator.notifications.content import HelpTopic
from moderator.service.create import get_player
from moderator.store.matches import list_current_seats
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club, club_of

EVERY = (*declaration.get_player_commands().values(), *declaration.get_staff_commands().values())


def texts() -> Iterator[tuple[declaration.Command, str, declaration.CommandText]]:
    for command in EVERY:
        for language in LANGUAGES:
            yield command, language, command.texts[language]


def test_every_command_has_words_help_and_example_in_every_language() -> None:
    for command, _, text in texts():
        assert text.first_word, command.name
        assert text.help.endswith("."), command.name
        assert len(text.help) < VALUE_LENGTH, command.name
        assert text.example or command.name == "help" or takes_nothing(command), command.name
        assert (command.group is None) == (command.who is declaration.CommandGiver.MODERATOR), command.name
    for language in LANGUAGES:
        told = [line.said for _, lines in build_help_text(language, HelpTopic.ALL).groups for line in lines]
        assert told == [one.get_text(language).name for one in declaration.get_player_commands().values()]
        assert all(render_label(f"commands-{group}", language) for group in declaration.CommandGroup)


def takes_nothing(command: declaration.Command) -> bool:
    """Whether the word alone is the command."""
    return re.fullmatch(command.pattern, "") is not None


def test_every_word_and_every_example_is_read_as_that_command() -> None:
    for command, _, text in texts():
        read = (
            declaration.find_staff_command
            if command.who is declaration.CommandGiver.MODERATOR
            else declaration.find_command
        )
        lines = [word.upper() + ":" * command.colon for word in text.words.split("|") if takes_nothing(command)]
        lines += [text.example.replace("{move}", "E5 w HAUS")] if text.example else []
        lines += [text.name] if command.who is not declaration.CommandGiver.MODERATOR else []
        for line in lines:
            found = read(line)
            assert found is not None, line
            assert found[0].name == command.name, line


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_the_short_help_is_read_as_what_it_says(language: str) -> None:
    for command in declaration.get_player_commands().values():
        text = command.get_text(language)
        for line in filter(None, (text.short, text.anywhere)):
            said, sign, what = line.partition(" = ")
            assert sign
            assert what
            found = declaration.find_command(said)
            assert found is not None, said
            assert found[0].name == command.name, said
    topics = build_help_text(language).topics
    for topic, line in topics.items():
        found = declaration.find_command(line)
        assert found is not None, line
        assert (found[0].name, help.parse_help_topic(found[1])) == ("help", topic)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_command_stands_once_in_the_topics_of_the_help(language: str) -> None:
    """The topics that say how to move, what mails come and how to join have nothing in common, and all has each."""
    every, *some = (
        [line.said for _, lines in build_help_text(language, topic).groups for line in lines]
        for topic in (HelpTopic.ALL, HelpTopic.MOVES, HelpTopic.MAILS, HelpTopic.JOINING)
    )
    said = [line for lines in some for line in lines]
    assert sorted(set(every)) == sorted(every)
    assert sorted(set(said)) == sorted(said)
    assert set(said) < set(every)


@pytest.mark.parametrize(
    ("line", "topic"),
    [
        ("Hilfe", ""),
        ("HILFE!", ""),
        ("HILFE bitte", ""),
        ("Hilfe Tausch", HelpTopic.MOVES),
        ("help emails", HelpTopic.MAILS),
        ("HELP new matches", HelpTopic.JOINING),
        ("Aide tout", HelpTopic.ALL),
        ("HILFE Wetter", "Wetter"),
        ("Hilfe ich verstehe gar nichts davon", None),
    ],
)
def test_what_help_is_asked_for(line: str, topic: HelpTopic | str | None) -> None:
    found = declaration.find_command(line)
    assert (found and help.parse_help_topic(found[1])) == topic


@pytest.fixture
def declare(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """One command more than there are, from a module and text files in a folder of its own."""
    declaration.get_player_commands()
    before = {who: dict(table) for who, table in declaration._declared.items()}

    def one(name: str, **files: str) -> None:
        for language, text in files.items():
            (tmp_path / f"one.messages.{language}.toml").write_text(text, encoding="utf-8")
        patch.setattr(declaration, "_declared", {who: dict(table) for who, table in before.items()})
        for cached in (declaration._sort_commands, texts_of.load_message_files, texts_of.load_synonyms):
            cached.cache_clear()
        scope: dict[str, object] = {"__file__": str(tmp_path / "one.py")}
        exec("def done(call): ...", scope)
        declaration.Command(name, scope=declaration.CommandScope.CLUB, group=declaration.CommandGroup.TALK)(
            scope["done"]
        )

    with pytest.MonkeyPatch.context() as patch:
        yield one
    declaration._sort_commands.cache_clear()


def entry(name: str, words: str) -> str:
    return f'[command.{name}]\nwords = "{words}"\nhelp = "x."\n'


def test_two_commands_of_one_name_a_lacking_language_and_other_keys_are_errors(
    declare: Callable[..., None],
) -> None:
    with pytest.raises(ValueError, match="board"):
        declare("board")
    declare("cheer", de=entry("cheer", "jubeln"))
    with pytest.raises(OperatorError, match=r"one\.messages\.en\.toml lacks \[command\] cheer"):
        declaration.get_player_commands()
    for line in ('helps = "x"', "", "help = 1"):
        wrong = f'[command.cheer]\nwords = "jubeln"\n{line}\n'
        declare("cheer", de=wrong, en=entry("cheer", "cheer"), fr=entry("cheer", "acclamer"))
        with pytest.raises(OperatorError, match=r"one\.messages\.de\.toml \[command\.cheer\] has words"):
            declaration.get_player_commands()


def test_a_word_of_two_commands_is_an_error_that_names_both_files(declare: Callable[..., None]) -> None:
    for german, english, word, where in (
        ("jubeln|ZURUECKZIEHEN", "cheer", "zurueckziehen", r"turn\.messages\.de\.toml \[command\.withdraw\]"),
        ("jubeln", "Brett", "brett", r"asking\.messages\.de\.toml \[command\.board\]"),
    ):
        declare("cheer", de=entry("cheer", german), en=entry("cheer", english), fr=entry("cheer", "acclamer"))
        with pytest.raises(OperatorError, match=rf"»{word}« stands in ") as error:
            declaration.get_player_commands()
        assert re.search(where, str(error.value))
        assert re.search(r"one\.messages\.(de|en)\.toml \[command\.cheer\]", str(error.value))


def test_the_folder_is_the_list() -> None:
    """Every module that declares something is asked for by looking into the folder; no entry in the files of words is
    left over from one that is gone."""
    for name, table in (("player", declaration.get_player_commands()), ("moderator", declaration.get_staff_commands())):
        folder = Path(declaration.__file__).parent / name
        declared = sum(
            len(re.findall(r"^@(?:Command|_declare)\(", file.read_text(encoding="utf-8"), re.MULTILINE))
            for file in folder.glob("*.py")
        )
        assert declared == len(table) > 15
        for language in LANGUAGES:
            assert sorted(key for _, key, _ in texts_of.iter_message_tables(folder, language, "command")) == sorted(
                table
            )


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    made = club_of(tmp_path_factory.mktemp("commands") / "club", "Anna", "Bert", "Cora")
    code = made.start("Anna", "Bert")
    live = made.live(code)
    seat = live.table.state.to_move[0]
    made.hand_in(("Anna", "Bert")[seat], code, seat, made.moves(code, seat)[0])
    return made, code


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_is_carried_out_or_stands_in_the_way_of_something_else(
    club: tuple[Club, str], language: str
) -> None:
    """Who writes what an answer shows as right is not told the same again."""
    made, code = club
    for command in EVERY:
        example = command.get_text(language).example.replace("K7Q2", code)
        done = _of_moderator if command.who is declaration.CommandGiver.MODERATOR else _of_player
        with made.work() as work, work.begin_trial() as apart:
            try:
                if example:
                    done(apart, command, example)
            except Impossible:
                continue
            except Misused as error:
                pytest.fail(f"{example}: {error}")
            except ModeratorError:
                continue


def _of_player(work: UnitOfWork, command: declaration.Command, example: str) -> None:
    player = get_player(work.session, "Anna")
    match, seat = list_current_seats(work.session, player.number)[0]
    live = work.cache.load_match(work.session, match)
    place = (
        ()
        if command.scope in (declaration.CommandScope.CLUB, declaration.CommandScope.TOURNAMENT)
        else (match, seat, live)
    )
    empty = declaration.CommandContext(work, player, declaration.CommandLine(command, Line(1, "")), match, seat, live)
    line = fill_pattern(example, player.language, **(command.fills(empty) if command.fills else {})).strip("»«“”")
    line = re.sub("[»«“”]", "", line)
    found = declaration.find_command(line)
    assert found is not None, line
    declaration.run_player_command(
        declaration.CommandContext(work, player, declaration.CommandLine(command, Line(1, line), found[1]), *place)
    )


def _of_moderator(work: UnitOfWork, command: declaration.Command, example: str) -> None:
    found = declaration.find_staff_command(example)
    assert found is not None, example
    moderator_call.run_staff_command(
        moderator_call.StaffCommandContext(work, declaration.CommandLine(command, Line(1, example), found[1]))
    )


JUNK = (
    "xyz", "-3", "nicht", "never", "pas encore", "2 Wochen", "until 12.12.", "R77", "Z9ZZ", "1.5", "(17)", "und Pause",
    "; Stand {code}",
)  # fmt: skip
REFUSED = {
    "boss-left-over", "boss-several", "boss-days", "boss-days-how", "boss-no-seat", "boss-no-player",
    "boss-no-player-but", "boss-no-referees", "boss-which-number", "boss-which-ruling", "boss-which-protest",
    "boss-to-whom", "boss-needs-round", "boss-no-match", "leave-no-dates", "leave-many-dates",
}  # fmt: skip


def with_junk(line: str, junk: str, takes_text: bool) -> Iterator[str]:
    """The junk between any two words of a command's head, and behind it; behind a text only one command more."""
    head, colon, text = line.partition(":")
    words = head.split()
    for place in range(1, len(words) + 1):
        head = " ".join((*words[:place], junk, *words[place:]))
        yield f"{head}{colon}{text}"
    if not takes_text or junk.startswith(";"):
        yield f"{line}{'' if colon else ': x'}{junk}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_of_the_moderators_is_done_whole_or_refused(club: tuple[Club, str], language: str) -> None:
    """Whatever stands between the arguments or behind them: nothing of it is passed over, and nothing else is done."""
    made, code = club
    tried = 0
    with made.work() as work, work.begin_trial() as apart:
        for command in declaration.get_staff_commands().values():
            text = command.get_text(language)
            example = (text.example or text.first_word).replace("K7Q2", code)
            takes_text = any(one.name in ("why", "text", "lines", "reason") for one in command.arguments)
            for junk in JUNK:
                for line in with_junk(example, junk.replace("{code}", code), takes_text):
                    found = declaration.find_staff_command(line)
                    if found is None or found[0].name != command.name:
                        continue  # it is quoted in the answer as no command, or is another one, which is tried itself
                    tried += 1
                    with pytest.raises(Misused) as error:
                        _of_moderator(apart, command, line)
                    assert error.value.code in REFUSED, (line, error.value.code)
    assert tried > 600
