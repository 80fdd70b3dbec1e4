"""What a button of a small mail writes is read as what its label says, in each language."""

import pytest

from moderator.commands.declaration import find_command
from moderator.common.mails import Line
from moderator.language.messages import load_labels, render_label
from moderator.language.spelling import parse_yes_no
from moderator.service.questions import parse_word_answer
from moderator.service.word_rulings import parse_protest_ruling

LANGUAGES = ("de", "en", "fr")
COMMANDS = {
    "line-agree": "agree",
    "line-refuse": "refuse",
    "line-status": "status",
    "line-digest-off": "digest",
    "line-help": "help",
    "line-question": "question",
}
"""Label of a line -> the command that it is."""


def lines(code: str, language: str) -> list[Line]:
    return [Line(1, render_label(code, language).strip())]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answers_to_questions_are_read(language: str) -> None:
    assert parse_yes_no(lines("line-yes", language)) is True
    assert parse_yes_no(lines("line-no", language)) is False
    assert parse_word_answer(lines("line-allow", language), "HUGO") == ("allow", "")
    assert parse_word_answer(lines("line-deny", language), "HUGO") == ("deny", "")
    assert parse_protest_ruling(lines("line-uphold", language)) == (True, "")
    assert parse_protest_ruling(lines("line-deny-protest", language)) == (False, "")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", COMMANDS)
def test_the_lines_of_links_are_commands(code: str, language: str) -> None:
    found = find_command(load_labels(language)[code])
    assert found is not None
    assert found[0].name == COMMANDS[code]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_place_is_asked_for_by_the_line_of_its_link(language: str) -> None:
    found = find_command(render_label("line-join", language, match="K7Q2"))
    assert found is not None
    assert found[0].name == "join"
