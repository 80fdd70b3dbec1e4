"""Every line for the command line that a page for organisers prints is typed: those of a first tournament one after the
other, the others each in a copy of a club in which everything has happened that a page speaks of. The first steps from
an empty folder are taken in tests/e2e/test_real_servers.py."""

import re
import shlex
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from moderator.service.create import get_player
from moderator.store.tables import InboxRow, MatchRow, Protest
from tests.cli.running import run_command
from tests.club.club import Club, copied, make_club
from tests.club.pair_scenes import people, tournament
from tests.printed.pieces import ROOT

START, TOURNAMENT, *OTHERS = (
    ROOT / "docs" / "run" / f"{name}.md"
    for name in ("start", "first-tournament", "morning", "time", "referees", "robots", "trouble")
)
NOT_TYPED = {
    "moderator doctor --mail": "needs a name server: tests/e2e/test_doctor_mail.py",
    "moderator match start K7Q2": "needs a match that has not begun: tests/club/test_joining.py",
    "moderator watch": "goes on for ever: tests/e2e/test_real_servers.py",
    "moderator move-store postgresql://user@host/name": "needs a server: tests/store/test_postgres.py",
}
"""What is tried elsewhere, and why."""
LINE = re.compile(r"^ {4,}(moderator .*?)(?:\s{2,}#.*)?$|`(moderator [^`]+)`", re.MULTILINE)
FIRST_STEPS = "## From nothing to the first answered mail"


def lines(text: str) -> list[str]:
    """In the order in which they stand, each once."""
    return list(dict.fromkeys(block or " ".join(span.split()) for block, span in LINE.findall(text)))


def first_steps() -> list[str]:
    text = START.read_text(encoding="utf-8").partition(FIRST_STEPS)[2].partition("\n## ")[0]
    return [line for line in lines(text) if line not in NOT_TYPED]


def later() -> list[str]:
    found: list[str] = []
    for page in (START, *OTHERS):
        text = page.read_text(encoding="utf-8")
        begin = text.partition(FIRST_STEPS)[2]
        text = begin[begin.index("\n## ") :] if begin else text
        found += lines(text)
    return [line for line in dict.fromkeys(found) if line not in NOT_TYPED and not shape(line)]


def shape(line: str) -> bool:
    """`moderator quarantine list`, `show` … are typed where they stand whole; `COMMAND` is any."""
    return bool(re.search(r"\b(COMMAND|ARCHIVE|RECORD)\b", line))


def typed(file: Path, words: list[str]) -> tuple[int, str]:
    done = run_command(file, *words, stdin="y\ny\n")
    return done.exit_code, f"{done.output}{done.exception or ''}"


SAMPLES = {
    r"(?<=\bT1 )K7Q2\b": "game",
    r"\bK7Q2\b": "match",
    r"(?<=entry )17\b": "move",
    r"(?<=protest )12\b": "protest",
    r"(?<=[a-z] )17\b": "mail",
}
"""What a page calls by a name of its own -> whose name in the club here stands for it."""
FIRST = {
    "match referee K7Q2 Karl": "referee add Karl karl@example.org",
    "player set Ada": "player add Ada --robot",
    "match replace K7Q2 Bert Ada": "player add Ada --robot",
    "referee leave Karl": "referee add Karl karl@example.org",
    "cup referee": "referee add Karl karl@example.org",
    "match referee K7Q2 --deputy Lea": "referee add Lea lea@example.org",
    "match resume": "match pause K7Q2",
    "restore": "backup backups/moderator-2026-11-20-031700.zip",
}
"""What has to have happened before."""
INSTEAD = {
    "quarantine drop 33-99": "quarantine drop 1-99",
    "match replace K7Q2 Bert Ada": "match replace K7Q2 Anna Ada",
    "evaluate K7Q2 --round 5": "evaluate K7Q2 --round 6 --force",
    "031700.zip": "031700.zip --force",
    "match cancel K7Q2": "match cancel K7Q2 --force",
    "player forget Anna": "player forget Dora",
}
"""The round that is open here; here there is a database, and moves were made; and somebody who plays in nothing."""
ROUNDS = 5
JOIN = ("Bert", "Cici", "Dora", "Emil", "Fritz", "Gerda", "Hanna")


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Anna and Cici have played five rounds, and one protests; a mail waits; Anna and Bert have a game in a
    tournament; Anna's mailbox is full."""
    made = make_club(tmp_path_factory.mktemp("typed") / "club", 'subaddress = "+"', kept=True)
    people(made, "Anna", "Bert", "Cici")
    code = made.start("Anna", "Cici", early=True, pace="rounds", rounds=12)
    for _ in range(ROUNDS):
        for seat, name in enumerate(("Anna", "Cici")):
            made.wait(minutes=11)
            made.order(name, code, seat, next(iter(made.moves(code, seat)), "passe"))
        made.tick()
    made.order("Anna", code, 0, "Einspruch: das ist kein Wort")
    made.hand_in("Cici", code, 1, "passe", Precedence="bulk")
    tournament(made, "robin", "Anna", "Bert", running=True)
    with made.work() as work:
        get_player(work.session, "Anna").undeliverable = "552 mailbox full"
    return made


def names(club: Club) -> dict[str, str]:
    with club.work() as work:
        session = work.session
        match = session.exec(select(MatchRow).where(col(MatchRow.tournament_id).is_(None))).first()
        game = session.exec(select(MatchRow).where(col(MatchRow.tournament_id).is_not(None))).first()
        mail = session.exec(select(InboxRow).where(InboxRow.state == "waiting")).one()
        protest = session.exec(select(Protest)).one()
        found = {"match": match.code, "game": game.code, "mail": str(mail.id), "protest": str(protest.id)}
    move = next(number for number, entry in enumerate(club.log(found["match"]), 1) if entry.kind == "evaluate")
    return found | {"move": str(move)}


def words(line: str, named: dict[str, str]) -> list[str]:
    for printed, here in INSTEAD.items():
        line = line.replace(printed, here)
    for sample, which in SAMPLES.items():
        line = re.sub(sample, named[which], line)
    return shlex.split(line)


@pytest.mark.slow
def test_a_first_tournament_is_set_up_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of its page. Seven join by mail; Zoe comes late."""
    made = make_club(tmp_path / "club")
    people(made, "Anna", "Zoe", *JOIN)
    steps = [line for line in lines(TOURNAMENT.read_text(encoding="utf-8")) if line not in NOT_TYPED]
    assert len(steps) > 10
    game = ""
    for step in steps:
        if "cup start" in step:
            assert typed(made.config.file, ["cup", "join", "T1", *JOIN])[0] == 0
        soon = f"{made.now + timedelta(days=30):%d.%m.%Y}"
        code, said = typed(made.config.file, shlex.split(step.replace("24.12.2026", soon).replace("K7Q2", game))[1:])
        assert code == 0, (step, said)
        if "cup start" in step:
            assert typed(made.config.file, ["tick"])[0] == 0
            game = made.stored(select(MatchRow.code).order_by(col(MatchRow.id)))[-1]


def test_there_are_many_other_lines() -> None:
    assert len(later()) > 50


@pytest.mark.matrix("typed lines", seconds=0.5)
@pytest.mark.parametrize("line", later())
def test_every_other_line_is_typed(line: str, club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = copied(club, tmp_path / "copy")
    monkeypatch.chdir(here.folder)
    Path("backups").mkdir()
    before = [first for part, first in FIRST.items() if f"moderator {part}" in line]
    for one in (*before, line.removeprefix("moderator ")):
        code, said = typed(here.config.file, words(one, names(club)))
        assert code == 0, said
