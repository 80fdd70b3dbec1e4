"""The help: short, in one language, and whatever it shows to write is read as what it says."""

import re
from dataclasses import replace

import pytest

from moderator.commands.declaration import find_command
from moderator.commands.player.help import parse_help_topic
from moderator.common.disk import LANGUAGES
from moderator.language.messages import write_move
from moderator.notifications.content import HelpText
from moderator.render.document import Links
from moderator.render.mail import build_document
from moderator.render.mails.answering import HelpRows
from moderator.rules.state import view_for
from tests.pages import match_pages
from tests.pages.all_pages import mail, pages
from tests.pages.sample_pages import Language

SHORT = ("help", "help-plain", *(f"{key}-help" for key in match_pages.TILE_GAMES))
MOST_WORDS = 190


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SHORT)
def test_the_help_is_short_and_each_line_of_it_is_read_as_what_it_says(language: Language, name: str) -> None:
    assert len(re.findall(r"\w+", mail(language, name).text)) <= MOST_WORDS
    page = pages(language)[name]
    content = page.content
    assert isinstance(content, HelpText)
    blocks = build_document(page).blocks
    lines = [line for block in blocks if isinstance(block, HelpRows) for line, _ in block.rows if line]
    moves = [write_move(one.line, language, page.game) for one in content.moves if one.line]
    assert lines[: len(moves)] == moves
    assert lines[len(moves) :] == [one.said for _, listed in content.groups for one in listed]
    assert [line for line in lines[len(moves) :] if find_command(line) is None] == []
    links = [action for block in blocks if isinstance(block, Links) for action in block.actions]
    assert [action.line for action in links] == [*content.topics.values()]
    for topic, line in content.topics.items():
        assert parse_help_topic(line.partition(" ")[2]) is topic


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", match_pages.TILE_GAMES)
def test_each_move_of_the_help_can_be_played_by_its_reader(language: Language, key: str) -> None:
    content, match = pages(language)[f"{key}-help"].content, match_pages.played(key)
    assert isinstance(content, HelpText)
    state = match.moments[match_pages.moment(match, "turn")].after.state
    for one in content.moves:
        at_turn = replace(state, to_move=(match_pages.YOU,))
        if one.line:
            move = match.game.parse_move(write_move(one.line, language, key), view_for(at_turn, match_pages.YOU))
            assert match.game.format_move(move) == one.line
            match.game.apply_move(at_turn, match_pages.YOU, move, match.ctx)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_help_names_a_word_of_another_language(language: Language) -> None:
    for name in (*SHORT, "help-moves", "help-mails", "help-joining", "help-all"):
        said = mail(language, name).text
        others = {"de": "HILFE", "en": "HELP", "fr": "AIDE"}
        assert not [word for one, word in others.items() if one != language and re.search(rf"\b{word}\b", said)], name
