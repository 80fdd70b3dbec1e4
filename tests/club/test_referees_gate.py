"""Who may command where, for every command of the registry: what the gate says to each, in every situation."""

from pathlib import Path

import pytest

from moderator.commands import declaration
from moderator.commands.declaration import (
    Command,
    CommandGiver,
    CommandLine,
    CommandReach,
    CommandScope,
    find_staff_command,
    get_staff_commands,
)
from moderator.commands.moderator_call import StaffCommandContext, run_staff_command
from moderator.common.errors import Impossible, ModeratorError
from moderator.common.mails import Line
from moderator.notifications.task import StaffMember
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club, copied
from tests.club.steps import (
    CHIEF,
    COMMANDS,
    away,
    code_of,
    command,
    dealt,
    every_line,
    led,
    line_of,
    make_referee_club,
    named,
    protest_in,
    typed,
)
from tests.club.test_boss import rows


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = make_referee_club(tmp_path_factory.mktemp("referees") / "club", kept=True)
    dealt(club)
    return club


@pytest.fixture
def club(kept: Club, tmp_path: Path) -> Club:
    return copied(kept, tmp_path / "club")


@pytest.fixture
def code(kept: Club) -> str:
    return code_of(kept)


# ---- every command x who gives it x how things stand ----


OTHER, OTHER_CHIEF, PLAYS, PLAYS_CHIEF = "charge-other", "charge-other-chief", "charge-plays", "charge-plays-chief"
SITUATIONS = {
    "Karl's": ("Karl", "", ("", OTHER, "")),
    "Lea's": ("Lea", "", (OTHER, "", "")),
    "the chief's": ("", "", (OTHER_CHIEF, OTHER_CHIEF, "")),
    "handed over": ("Karl", "Karl hands over", (OTHER, "", "")),
    "on leave": ("Karl --deputy Lea", "Karl is away", (OTHER, "", "")),
    "on leave alone": ("Karl", "Karl is away", (OTHER_CHIEF, OTHER_CHIEF, "")),
    "plays": ("Karl --deputy Lea", "Karl plays", (PLAYS, "", "")),
    "plays alone": ("Karl", "Karl plays", (PLAYS_CHIEF, OTHER_CHIEF, "")),
    "the chief plays": ("chief --deputy Lea", "the chief plays", (OTHER, "", PLAYS)),
    "the chief plays alone": ("", "the chief plays", (OTHER_CHIEF, OTHER_CHIEF, "")),
    "removed": ("Lea", "Lea is removed", (OTHER_CHIEF, OTHER_CHIEF, "")),
}
"""Who leads the match, what happens then, and what the gate says of a command about the match to Karl, Lea, the chief.
"""


def bring_about(club: Club, code: str, situation: str) -> None:
    leads, then, _ = SITUATIONS[situation]
    if leads:
        led(club, code, *leads.split())
    match then:
        case "Karl hands over":
            command(club, "Karl", f"Leitung {code} an Lea")
        case "Karl is away":
            away(club, "Karl", 0, 400)
        case "Karl plays":
            take_a_seat(club, code, "Karl", "karl@home.example")
        case "the chief plays":
            take_a_seat(club, code, "Boss", CHIEF)
        case "Lea is removed":
            typed(club, "referee", "remove", "Lea")
            typed(club, "referee", "add", "Lea", "lea@ref.example")


def take_a_seat(club: Club, code: str, name: str, address: str) -> None:
    typed(club, "player", "add", name, address)
    typed(club, "match", "replace", code, "Bert", name)
    club.tick_unread()


def expected(one: Command, who: str, about_match: str) -> str:
    if one.reach is CommandReach.SELF:
        return ""
    if one.reach is CommandReach.CLUB:
        return "" if who == "chief" else "charge-club"
    return about_match


def refusal(work: UnitOfWork, who: StaffMember, line: str, code: str) -> str:
    """What the gate says of a line under the heading of a match; "" = it lets it through, whatever becomes of it."""
    found = find_staff_command(line, under=True)
    assert found is not None, line
    with work.begin_trial() as apart:
        apart.official = who
        request = CommandLine(found[0], Line(1, line), found[1])
        try:
            run_staff_command(
                StaffCommandContext(apart, request, code, (), lambda *_: pytest.fail("a mail counts"), lambda: ())
            )
        except Impossible as error:
            return error.code if error.code.startswith("charge-") else ""
        except ModeratorError:
            return ""
    return ""


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_command_in_every_situation(club: Club, code: str, situation: str) -> None:
    bring_about(club, code, situation)
    protest = protest_in(club, code)
    said, wanted = {}, {}
    with club.work() as work:
        for who, about_match in zip(("Karl", "Lea", "chief"), SITUATIONS[situation][2], strict=True):
            for one in COMMANDS:
                said[one.name, who] = refusal(work, named(work, who), line_of(one, code, protest), code)
                wanted[one.name, who] = expected(one, who, about_match)
    assert said == wanted
    assert len(said) == 3 * len(COMMANDS) > 60


def test_what_names_no_match_is_the_chiefs(club: Club, code: str) -> None:
    led(club, code, "Karl")
    with club.work() as work:
        for line in ("Wort HUGO erlaubt", "Amtlich an alle: Hallo"):
            assert refusal(work, named(work, "Karl"), line, "") == "charge-club"
            assert refusal(work, named(work, "chief"), line, "") == ""


def test_a_command_that_does_not_say_how_far_it_reaches_is_none() -> None:
    with pytest.raises(ValueError, match="must say how far it reaches"):
        Command("nosy", scope=CommandScope.MATCH, who=CommandGiver.MODERATOR)(lambda work, match: ())
    with pytest.raises(ValueError, match="must say how far it reaches"):
        Command("nosy", scope=CommandScope.MATCH, reach=CommandReach.MATCHES)(lambda call: ())
    assert "nosy" not in {**declaration.get_player_commands(), **get_staff_commands()}
    assert {one.name for one in COMMANDS if one.reach is None} == set()


def test_only_the_gate_gives_matches_to_commands() -> None:
    """Each command about matches asks for one, or for what belongs to one, by an argument: that is what is checked."""
    for one in COMMANDS:
        given = {argument.name for argument in one.arguments} & {"match", "matches", "protest"}
        assert bool(given) == (one.reach is CommandReach.MATCHES), one.name


@pytest.mark.parametrize("situation", ["Lea's", "handed over", "on leave", "plays", "plays alone"])
def test_who_may_not_is_told_who_may_and_nothing_happens(club: Club, code: str, situation: str) -> None:
    bring_about(club, code, situation)
    lines = every_line(code, protest_in(club, code))
    before = rows(club)[-1], len(club.log(code))
    answer = command(club, "Karl", lines.replace("Wort HUGO erlaubt: Grund", f"Wort HUGO in {code} erlaubt"))
    assert (rows(club)[-1], len(club.log(code))) == before
    about = [one for one in COMMANDS if one.reach is CommandReach.MATCHES and not one.body]
    decides = "der Spielleiter des Clubs" if situation == "plays alone" else "Lea"
    assert answer.count("Es ist nichts geschehen.") == len(about) > 15
    assert answer.count(decides) >= len(about)
