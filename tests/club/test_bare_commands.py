"""Every command of a player's, sent as its word and nothing else: what is missing behind it is asked for, and never
quoted as if it were there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from moderator.commands.declaration import players
from moderator.paths import LANGUAGES
from tests.club.club import Club, copied, make_club, plain_boards, text

EMPTY = re.compile('«\\s*»|„\\s*[“”]|“\\s*”|»\\s*«|"\\s*"|‚\\s*[‘’]|‘\\s*’')
WRITER = {"de": "Anna", "en": "Bert", "fr": "Cora"}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    made = make_club(tmp_path_factory.mktemp("bare") / "club", kept=True)
    made.players(*WRITER.values(), Bert="en", Cora="fr")
    plain_boards(made)
    code = made.match(*WRITER.values())
    made.tick()
    made.mails()
    return made, code


def answered(made: Club, code: str, name: str, line: str) -> list[str]:
    made.order(name, code, [*WRITER.values()].index(name), line)
    made.tick()
    return [text(mail) for mail in made.mails(name)]


@pytest.mark.matrix("club")
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_quotes_what_is_not_there(club: tuple[Club, str], tmp_path: Path, language: str) -> None:
    made, code = club
    empty: dict[str, list[str]] = {}
    unanswered = []
    for n, command in enumerate([*players().values()][::4]):
        told = answered(copied(made, tmp_path / str(n)), code, WRITER[language], command.text(language).first)
        empty[command.name] = [one for one in told if EMPTY.search(one)]
        unanswered += [] if told else [command.name]
    assert {name: told for name, told in empty.items() if told} == {}
    assert unanswered == []
