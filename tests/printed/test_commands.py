"""Every command that a document or a mail names is sent by mail to a club with a match and a tournament, and carried
out; where something else would have to have happened before, a mail of tests/pairs with that command is. Every line for
the command line is accepted by the program."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.commands import declaration
from moderator.commands.player.tournament_words import parse_tournament_wish
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import MatchRow
from tests.club.club import Club, copied, make_club
from tests.club.pair_scenes import begun, tournament
from tests.printed.pieces import GENERAL, HEADING, PAIRS, ROOT, RULE, is_command, is_typed, pieces, quotes, repeats

DOCS = ROOT / "docs"
FOR_STAFF = DOCS / "run" / "by-mail.md"
BY_MAIL = [*sorted((DOCS / "play").glob("*.md")), *sorted((DOCS / "run").glob("*.md"))]
"""The pages that show commands by mail."""
DECIDE = ("What waits for you", "What you may decide")
REFUSED = re.compile(r"^! (?:Zeile|Line) \d", re.MULTILINE)
"""An answer's line on a command that was not carried out."""
OTHER_NAMES = {"Zug 17": "Zug 1", "move 17": "move 1", "R5": "R1", " T3": " T1", " T5": " T1", "[K7Q2]": "K7Q2"}
"""What samples name -> what the club here has."""
LEFT_OPEN = {"PROBE …": "PROBE passe", "PREVIEW …": "PREVIEW pass"}
CUT_SHORT = re.compile(r"(\w+) …( \w+ …)?")
"""`Evaluate …`: as in the language before it."""


def printed() -> Iterator[tuple[str, bool]]:
    """(command, whether it is for the moderator), of documents and mails."""
    for path in BY_MAIL:
        for piece in pieces(path):
            if is_command(piece.text) and re.match(r"[A-ZÄÖÜ]", piece.text) and not CUT_SHORT.fullmatch(piece.text):
                staffs = path == FOR_STAFF or piece.section in DECIDE
                yield piece.text, declaration.find_command(piece.text) is None or staffs
    for quote, mail in quotes():
        command = is_command(quote.text) and not HEADING.fullmatch(quote.text)
        if command and not (mail.written and repeats(mail, quote.text)):
            yield quote.text, quote.to_the_moderator and declaration.find_staff_command(quote.text) is not None


@cache
def done_in_pairs() -> frozenset[tuple[str, str]]:
    """The commands that mails of tests/pairs have carried out."""
    mails = [(path.read_text(encoding="utf-8").partition("\n\n")[2].partition(RULE)) for path in PAIRS.rglob("*.txt")]
    return frozenset(key(line) for mail, rule, answers in mails if done(rule + answers) for line in mail.splitlines())


def done(answers: str) -> bool:
    return "===== to " in answers and not REFUSED.search(answers)


def key(command: str) -> tuple[str, str]:
    """What a line is about: the command, of a tournament also what to do in it."""
    found = declaration.find_command(command) or declaration.find_staff_command(command)
    if found is None:
        return "", ""
    verb, argument = found
    wish = parse_tournament_wish(argument) if verb.name == "cup" else None
    return verb.name, wish.what if wish else ""


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Anna (German) and Bert play Topwords; a tournament takes entrants."""
    made = make_club(tmp_path_factory.mktemp("club") / "club", kept=True)
    begun(made, "topwords", ("Anna", "Bert", "Cici"), terms={"bank": 3})
    tournament(made, "swiss", "Cici", "Dora")
    made.mails()
    return made


@pytest.mark.slow
def test_every_command_is_carried_out(club: Club, tmp_path: Path) -> None:
    wrong: dict[tuple[str, bool], str] = {}
    sent = 0
    for n, (command, moderators) in enumerate(sorted(set(printed()))):
        if n % 12 == 0 or key(command) not in done_in_pairs():
            answer = carried_out(copied(club, tmp_path / str(n)), command, moderators)
            sent += 1
            if not done(answer) and key(command) not in done_in_pairs():
                wrong[command, moderators] = answer[:900]
    assert wrong == {}
    assert sent > (15)


def carried_out(club: Club, command: str, moderators: bool) -> str:
    """What the program answers."""
    with club.work() as work:
        code = work.session.exec(select(MatchRow.code)).one()
        token = ensure_moderator_token(work.session)
    line = LEFT_OPEN.get(command, command.replace("…", "Hallo"))
    for sample, own in OTHER_NAMES.items():
        line = line.replace(sample, own)
    line = re.sub(r"K7Q2", code, line)
    writer = "boss@club.example" if moderators else "Anna"
    if moderators:
        club.write(writer, line, to=f"games+BOSS-{token}@club.example")
    else:
        club.order("Anna", code, 0, line)
    club.tick()
    parts = [mail.get_body(("plain",)) for mail in club.mails(writer)]
    return "\n".join(f"===== to {writer}\n{part.get_content()}" for part in parts if part is not None)


def test_every_command_line_is_accepted() -> None:
    typed = {
        piece.text for path in GENERAL for piece in pieces(path) if re.match(r"(?:\S*/)?moderator (?!=)", piece.text)
    }
    found = {re.split(r"\s+#", re.sub(r"^\S*/moderator", "moderator", one))[0] for one in typed}
    shapes = {one for one in found if re.search(r"[\[/|]", one)}
    assert len(found - shapes) > 30
    assert sorted(one for one in found - shapes if not is_typed(one)) == []
