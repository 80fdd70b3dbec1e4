"""Several referees: what goes to whom and who is named, also as time passes and names change; that who plays in a match
learns nothing of it as its referee; and for every command of the registry what the gate says to each, however things
stand."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

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
from moderator.common import tokens
from moderator.common.enums import MatchStatus
from moderator.common.errors import Impossible, ModeratorError
from moderator.common.mails import Line
from moderator.notifications.task import StaffMember
from moderator.service.create import get_match, get_player
from moderator.service.match.halt import suspend_match
from moderator.service.staff import resolve_referee
from moderator.store import key_values
from moderator.store.club_tables import Matter, Referee
from moderator.store.database import Session
from moderator.store.players import list_all_referees
from moderator.store.tables import MatchRow, Protest
from moderator.views.loaded_match import LiveMatch, MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.people import MatchCharge, build_staff_member
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.house_rulings import read_house_list as read_house
from tests.club.club import Club, club_of, copied, text
from tests.club.steps import (
    CHIEF,
    COMMANDS,
    answer_word,
    asked,
    away,
    chief_says,
    code_of,
    command,
    dealt,
    every_line,
    in_charge_of,
    led,
    line_of,
    make_referee_club,
    named,
    play,
    play_in_a_cup,
    protest_in,
    question,
    seated,
    token,
    typed,
)
from tests.club.test_boss import rows


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = make_referee_club(tmp_path_factory.mktemp("referees") / "club", kept=True)
    dealt(club)
    return club


@pytest.fixture(scope="module")
def kept_of_karl(kept: Club, tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = copied(kept, tmp_path_factory.mktemp("karls") / "club")
    led(club, code_of(club), "Karl")
    return club


@pytest.fixture
def code(kept: Club) -> str:
    """Of the match that Anna and Bert play in each of these clubs."""
    return code_of(kept)


@pytest.fixture
def chiefs(kept: Club, tmp_path: Path) -> Club:
    """The match is the chief's."""
    return copied(kept, tmp_path / "club")


@pytest.fixture
def karls(kept_of_karl: Club, tmp_path: Path) -> Club:
    """The match is Karl's."""
    return copied(kept_of_karl, tmp_path / "club")


def told(club: Club, name: str) -> list[str]:
    return [text(mail) for mail in club.mails(name)]


def says_protest(club: Club, code: str) -> None:
    play(club, code, 0)
    play(club, code, 1, "protest: that is no word")


def put_out_of_play(club: Club, code: str) -> None:
    with club.work() as work:
        suspend_match(work, get_match(work.session, code).number, "its log does not replay")
    club.tick()


def test_a_referee_commands_in_the_own_language_and_all_are_named_in_log_and_audit(chiefs: Club, code: str) -> None:
    chief_says(chiefs, f"Verlängern {code} 3")
    typed(chiefs, "match", "extend", code, "2")
    led(chiefs, code, "Lea")
    deadline = chiefs.row(code).deadline
    assert "has 3 days more" in command(chiefs, "Lea", f"Extend {code} 3: holidays")
    assert chiefs.row(code).deadline == deadline + timedelta(days=3)
    audit = map(json.loads, typed(chiefs, "audit", "--since", "2026-01-01", "--json").output.splitlines())
    deed = [(one["who"], one["about"]) for one in audit if one["what"].startswith("extend")][-1]
    assert deed == ("referee Lea", code)
    entries = map(json.loads, typed(chiefs, "match", "log", code, "--json").output.splitlines())
    by_mail, by_hand, by_referee = (one["by"] for one in entries if one["what"].startswith("clock"))
    assert (by_mail, by_hand[:4], by_referee) == ("moderator", "cli ", "referee Lea")
    assert "(by referee Lea)" in typed(chiefs, "match", "log", code).output


def test_the_address_alone_is_not_enough(karls: Club, code: str) -> None:
    before = rows(karls)[-1]
    karls.say("karl@ref.example", f"Verlängern {code} 3")
    (answer,) = karls.mails("karl")
    assert "das Kennwort" in text(answer)
    assert f"BOSS-{token(karls, 'Karl')}" in str(answer["Reply-To"])
    assert "Spielleiter" not in text(answer)
    assert rows(karls)[-1] == before


def test_a_new_token_and_a_removed_referee_open_nothing_any_more(karls: Club, code: str) -> None:
    wish, to = f"Verlängern {code} 3", "games+BOSS-{}@club.example"
    old = token(karls, "Karl")
    typed(karls, "referee", "set", "Karl", "--renew")
    before = rows(karls)[-1]
    karls.tick()
    key = token(karls, "Karl")
    (mail,) = karls.mails("karl")
    assert key in str(mail["Reply-To"])
    karls.say("karl@ref.example", wish, to=to.format(old))
    assert f"({code})" not in typed(karls, "referee", "remove", "Karl").output
    karls.say("karl@ref.example", wish, to=to.format(key))
    assert [{**row, "referee_id": None} for row in before] == rows(karls)[-1]  # type: ignore[union-attr,attr-defined]
    assert in_charge_of(karls, code).is_chief


def test_help_names_what_a_referee_may_command(chiefs: Club) -> None:
    answer = command(chiefs, "Karl", "Hilfe")
    for one in COMMANDS:
        text_of = " ".join(one.get_text("de").help.split())
        assert (text_of in answer) == (one.reach is not CommandReach.CLUB), one.name


def test_a_referees_leave_by_mail_gives_the_match_to_the_deputy(chiefs: Club, code: str) -> None:
    led(chiefs, code, "Karl", "--deputy", "Lea")
    assert "liegt vor dem ersten" in command(chiefs, "Karl", "Urlaub 2027-01-09 bis 2027-01-02")
    answer = command(chiefs, "Karl", "Urlaub 24.12. bis 2.1.")
    assert "von Donnerstag, 24. Dezember bis Samstag, 2. Januar 2027" in answer
    assert in_charge_of(chiefs, code).name == "Karl"
    chiefs.wait(days=40)
    assert in_charge_of(chiefs, code).name == "Lea"
    command(chiefs, "Karl", "Urlaub löschen")
    assert in_charge_of(chiefs, code).name == "Karl"


def test_who_is_in_charge_takes_no_seat_by_mail(karls: Club, code: str) -> None:
    typed(karls, "player", "add", "Zoe", "karl@ref.example")
    assert "nicht selbst setzen" in command(karls, "Karl", f"Ersetzen {code} Anna durch Zoe")
    assert seated(karls, code) == ["Anna", "Bert"]
    assert "spielt in der Partie" in command(karls, "Karl", f"Ersetzen {code} Anna durch Cici")


def test_who_gives_a_match_back_or_is_removed_leaves_nobody_in_the_dark(karls: Club, code: str) -> None:
    command(karls, "Karl", f"Leitung {code} an Spielleiter")
    assert any("Karl leitet die Partie" in one and "jetzt entscheidest du" in one for one in told(karls, "boss"))
    with karls.work() as work:
        number = resolve_referee(work.session, "Karl").number
        key_values.save_value(work.session, key_values.build_notice_key(number), "{}")
    typed(karls, "referee", "remove", "Karl")
    with karls.work() as work:
        assert key_values.find_value(work.session, key_values.build_notice_key(number)) is None
    karls.tick()
    assert any("leitest du keine Partien mehr" in one for one in told(karls, "karl"))


def test_the_matches_of_a_tournament_have_its_referee(chiefs: Club, code: str) -> None:
    play_in_a_cup(chiefs, code)
    typed(chiefs, "cup", "referee", "T1", "Karl", "--deputy", "Lea")
    assert in_charge_of(chiefs, code).name == "Karl"
    typed(chiefs, "match", "referee", code, "Lea")
    assert in_charge_of(chiefs, code).name == "Lea"
    assert "is Karl" in typed(chiefs, "match", "referee", code, "chief").output
    said = str(typed(chiefs, "match", "referee", code, "chief", fails=True).exception)
    assert "moderator cup referee T1 chief" in said, "a match of a tournament is not taken back alone"
    assert "referee chief" in typed(chiefs, "cup", "referee", "T1", "chief").output


def test_a_word_is_asked_of_the_referee_who_rules_for_that_match(karls: Club, code: str) -> None:
    asked(karls, code)
    (mail,) = karls.mails("karl")
    assert karls.mails("boss") == []
    assert "leitest" in text(mail)
    answer_word(karls, mail, "karl@ref.example")
    assert question(karls).ruling == "allow"
    (ruling,) = read_house(karls.config.resolve_path(karls.config.words.house))
    assert ruling.scope == code
    assert f"Das gilt in der Partie {code}." in text(karls.mail("karl"))


def test_new_tokens_and_a_hand_over_close_the_addresses_of_questions(karls: Club, code: str) -> None:
    asked(karls, code)
    (old,) = karls.mails("karl")
    typed(karls, "referee", "set", "Karl", "--renew")
    karls.tick()
    (renewed,) = [mail for mail in karls.mails("karl") if "WORD-" in str(mail["Reply-To"])]
    answer_word(karls, old, "karl@ref.example")
    assert question(karls).ruling == ""
    typed(karls, "match", "referee", code, "Lea")
    karls.tick()
    first, new = karls.mails("lea")
    assert "You are now the referee of match" in text(first)
    answer_word(karls, renewed, "karl@ref.example")
    assert question(karls).ruling == ""
    assert any("leitet gerade Lea" in one for one in told(karls, "karl"))
    answer_word(karls, new, "lea@ref.example", "INVALID")
    assert question(karls).ruling == "deny"


def test_a_ruling_of_the_chief_is_not_undone_by_an_older_question(chiefs: Club, code: str) -> None:
    asked(chiefs, code)
    (to_chief,) = chiefs.mails("boss")
    led(chiefs, code, "Karl")
    (key,) = chiefs.stored(select(Matter.token).where(Matter.token != ""))
    answer_word(chiefs, to_chief, CHIEF, "UNGÜLTIG")
    chiefs.skip_mails()
    chiefs.say("karl@ref.example", "ERLAUBT", to=f"games+WORD-{key}@club.example")
    (answer,) = told(chiefs, "karl")
    assert "schon entschieden: Es ist nicht erlaubt." in answer
    assert question(chiefs).ruling == "deny"
    assert [one.ruling for one in read_house(chiefs.config.resolve_path(chiefs.config.words.house))] == ["deny"]


def test_what_waits_for_three_days_goes_to_the_chief_once_and_the_referee_knows(karls: Club, code: str) -> None:
    asked(karls, code)
    karls.skip_mails()
    start, seen = karls.now, []
    for day in (1, 2, 3, 4, 6, 8):
        karls.let_pass(days=day - (karls.now - start).days)
        for mail in karls.mails("boss"):
            if "Karl" in text(mail) and "ERLAUBT" in text(mail):
                assert "seit 3 Tagen nicht geantwortet" in text(mail)
                seen.append((day, "chief"))
                to_chief = mail
        seen += [(day, "karl") for one in told(karls, "karl") if "Jetzt weiß auch der Spielleiter" in one]
    assert seen == [(3, "chief"), (3, "karl")]
    answer_word(karls, to_chief, CHIEF)
    assert question(karls).ruling == "allow"


def test_leave_that_begins_brings_what_waits_to_the_deputy(chiefs: Club, code: str) -> None:
    led(chiefs, code, "Karl", "--deputy", "Lea")
    away(chiefs, "Karl", 1, 9)
    asked(chiefs, code)
    assert len(chiefs.mails("karl")) == 1
    chiefs.let_pass(days=1)
    assert len([one for one in told(chiefs, "lea") if "ALLOWED" in one]) == 1


@pytest.mark.slow
def test_who_comes_back_from_leave_has_their_time_to_answer(karls: Club, code: str) -> None:
    away(karls, "Karl", 1, 10)
    asked(karls, code)
    karls.skip_mails()
    start, seen = karls.now, []
    for day in (1, 2, 5, 10, 11, 13, 14, 15, 17):
        karls.let_pass(days=day - (karls.now - start).days)
        asks = [one for one in told(karls, "boss") if "ERLAUBT" in one]
        seen += [(day, "seit 3 Tagen nicht geantwortet" in one) for one in asks]
    assert seen == [(1, False), (14, True)]


def test_protests_letters_and_faults_go_to_the_one_in_charge(karls: Club, code: str) -> None:
    says_protest(karls, code)
    (protest,) = karls.mails("karl")
    karls.hand_in("Bert", code, 1, "Presse an die Leitung: wie lange noch?")
    (letter,) = told(karls, "karl")
    assert "wie lange noch?" in letter
    assert letter.startswith("Bert hat eine Frage.")
    karls.say("karl@ref.example", "ABGELEHNT: es ist eins", to=str(protest["Reply-To"]))
    (row,) = karls.stored(Protest)
    assert (row.upheld, row.answer) == (False, "es ist eins")
    karls.skip_mails()
    put_out_of_play(karls, code)
    (fault,) = told(karls, "karl")
    assert f"»Weiter {code}«" in fault
    assert karls.mails("boss") == []
    assert "läuft wieder" in command(karls, "Karl", f"Weiter {code}")
    assert karls.row(code).status == MatchStatus.RUNNING
    assert [row for row in karls.stored(Matter) if row.kind == "suspended"] == []


@pytest.mark.parametrize(
    ("waits", "says"),
    [(asked, "ERLAUBT"), (says_protest, "ABGELEHNT"), (put_out_of_play, "its log does not replay")],
    ids=["word", "protest", "fault"],
)
def test_what_waited_for_a_referee_who_is_removed_is_put_to_the_chief(
    karls: Club, code: str, waits: Callable[[Club, str], object], says: str
) -> None:
    waits(karls, code)
    assert any(says in one for one in told(karls, "karl"))
    assert told(karls, "boss") == []
    typed(karls, "referee", "remove", "Karl")
    karls.tick()
    assert [one for one in told(karls, "boss") if says in one and code in one]
    karls.let_pass(days=1)
    assert not any("Karl" in one for one in told(karls, "boss"))


def test_a_match_that_fails_holds_up_no_other(chiefs: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = code, dealt(chiefs, "Anna", "Cici")
    for one in (bad, good):
        protest_in(chiefs, one)
        protest_in(chiefs, one)
        led(chiefs, one, "Karl")
    live = MatchCache.load_match

    def broken(self: MatchCache, session: Session, match: MatchRow) -> LiveMatch:
        if match.code == bad:
            raise MatchSuspended(match, "its log does not replay")
        return live(self, session, match)

    monkeypatch.setattr(MatchCache, "load_match", broken)
    typed(chiefs, "referee", "remove", "Karl")
    assert chiefs.row(bad).status == MatchStatus.SUSPENDED
    assert chiefs.row(good).status == MatchStatus.RUNNING
    chiefs.tick()
    mails = told(chiefs, "boss")
    assert sum("its log does not replay" in one for one in mails) == 1
    assert sum("STATTGEGEBEN" in one and good in one for one in mails) == 2


def test_the_first_mail_says_who_referees(tmp_path: Path) -> None:
    club = make_referee_club(tmp_path / "club")
    typed(club, "match", "add", "topwords", "Anna", "Bert", "--name", "Arratia")
    code = code_of(club)
    typed(club, "match", "referee", code, "Karl")
    typed(club, "match", "start", code)
    club.tick()
    for name in ("Anna", "Bert"):
        assert text(club.mail(f"{name.lower()}@")).count("Spielleiter dieser Partie: Karl.") == 1


def test_today_shows_each_what_is_theirs_and_the_chief_all(karls: Club, code: str) -> None:
    other = dealt(karls)
    for one in (code, other):
        asked(karls, one)
    karls.skip_mails()
    answer = command(karls, "Karl", "Heute")
    assert code in answer
    assert other not in answer
    assert re.search(rf"Wort \w+ in {code} erlaubt", answer)
    chief_says(karls, "Heute")
    whole = text(karls.mail("boss"))
    assert code in whole
    assert other in whole
    assert "Es leitet Karl." in whole
    found = [json.loads(line) for line in typed(karls, "today", "--json").output.splitlines()]
    assert {(one.get("match"), one.get("referee")) for one in found} >= {(code, "Karl"), (other, None)}


def test_no_mail_to_a_referee_calls_them_moderator_or_names_the_command_line(chiefs: Club, code: str) -> None:
    typed(chiefs, "match", "referee", code, "Karl")
    asked(chiefs, code)
    chiefs.let_pass(days=4)
    mails = [*told(chiefs, "karl"), command(chiefs, "Karl", f"Heute\nStand {code}\nWer fehlt\nUnsinn")]
    assert len(mails) > 2
    command_line = re.compile(r"moderator (match|words|quarantine|player|cup|doctor|today|referee)")
    for one in mails:
        assert not command_line.search(one), one
        assert "als Spielleiter" not in one
        assert "weil du bei Testrunde Partien leitest" in one


def read_as_a_referee_who_plays(folder: Path, seed: int) -> list[str]:
    """All that Karl reads as the referee of a match in which he sits at the second place."""
    club = club_of(folder, "Anna", "Karl", settings='subaddress = "+"')
    typed(club, "referee", "add", "Karl", "k@ref.example")
    code = club.start("Anna", "Karl", game="dominos", seed=lambda match: seed.to_bytes(32, "big"))
    with club.at(code) as (work, row):
        row.referee_id = work.session.exec(select(Referee)).one().number
    club.tick_unread()
    key = token(club, "Karl")
    for body in (every_line(code, protest_in(club, code)), "Heute\nWer fehlt\nHilfe"):
        club.write("k@ref.example", body, to=f"games+BOSS-{key}@club.example")
    club.tick()
    club.let_pass(days=30)
    return [one.replace(key, "…") for one in told(club, "k@ref")]


def test_what_a_referee_who_plays_reads_depends_on_no_tile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "generate_match_code", lambda long=False: "K7Q2")
    one, other = (read_as_a_referee_who_plays(tmp_path / str(seed), seed) for seed in (1, 2))
    assert len(one) >= 2
    assert one == other


@pytest.fixture(scope="module", params=["by address", "by name"])
def kept_seated(request: pytest.FixtureRequest, kept_of_karl: Club, tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Karl has a seat in the match: under another name, or with another address."""
    club = copied(kept_of_karl, tmp_path_factory.mktemp("seated") / "club")
    player, address = {"by address": ("Zoe", "karl@ref.example"), "by name": ("Karl", "k@home.example")}[request.param]
    typed(club, "player", "add", player, address)
    typed(club, "match", "replace", code_of(club), "Bert", player)
    club.tick_unread()
    return club


def moves_by_mail(club: Club, player: str) -> None:
    with club.work() as work:
        old = get_player(work.session, player).address
    vouched = f"mx.club.example; dmarc=pass header.from={old.rpartition('@')[2]}"
    club.say(old, "Adresse new@else.example", Authentication_Results=vouched)
    for mail in [*club.mails(old), *club.mails("new@else")]:
        if "games+ADDR" in str(mail["Reply-To"]):
            club.write(old, "JA", to=str(mail["Reply-To"]))
    club.tick()
    with club.work() as work:
        assert get_player(work.session, player).address == "new@else.example"


@pytest.mark.parametrize(("change", "refused_of"), [
    ("by mail", ()), ("player set {} --address new@else.example", ()), ("player set {} --name Quirin", ()),
    ("referee set Karl --address new@else.example", ("Zoe",)), ("referee set Karl --name Quirin", ("Karl",)),
    ("referee set Karl --name Quirin --address new@else.example", ("Karl", "Zoe")),
])  # fmt: skip
def test_no_new_address_or_name_lets_a_referee_see_the_own_match(
    kept_seated: Club, code: str, change: str, refused_of: tuple[str, ...], tmp_path: Path
) -> None:
    club = copied(kept_seated, tmp_path / "club")
    player = seated(club, code)[1]
    if change == "by mail":
        moves_by_mail(club, player)
    else:
        typed(club, *change.format(player).split(), fails=player in refused_of)
    with club.work() as work:
        (karl,) = [row for row in list_all_referees(work.session) if row.name != "Lea"]
        match = get_match(work.session, code)
        assert MatchCharge(work, match).has_seat(build_staff_member(karl))
        assert not MatchCharge(work, match).may_command(build_staff_member(karl))
    assert in_charge_of(club, code).is_chief


def test_a_player_takes_no_other_referees_address_or_name_along(chiefs: Club) -> None:
    typed(chiefs, "player", "add", "Zoe", "karl@ref.example")
    typed(chiefs, "player", "set", "Zoe", "--address", "lea@ref.example", fails=True)
    typed(chiefs, "player", "add", "Karl", "k@home.example")
    typed(chiefs, "player", "set", "Karl", "--name", "Lea", fails=True)
    chiefs.tick_unread()
    vouched = "mx.club.example; dmarc=pass header.from=ref.example"
    chiefs.say("karl@ref.example", "Adresse lea@ref.example", Authentication_Results=vouched)
    assert any("lea@ref.example" in one for one in told(chiefs, "karl"))
    with chiefs.work() as work:
        addresses = {row.name: row.address for row in list_all_referees(work.session)}
    assert addresses == {"Karl": "karl@ref.example", "Lea": "lea@ref.example"}
    assert told(chiefs, "lea") == []


def test_referees_on_the_command_line(chiefs: Club, code: str) -> None:
    typed(chiefs, "match", "referee", code, "Karl", "--deputy", "lea")
    listed = [json.loads(line) for line in typed(chiefs, "referee", "list", "--json").output.splitlines()]
    assert [(one["name"], one["address"], one["language"], one["matches"]) for one in listed] == [
        ("Karl", "karl@ref.example", "de", [code]),
        ("Lea", "lea@ref.example", "en", [code]),
    ]
    assert "The referee of match" in typed(chiefs, "match", "referee", code).output
    typed(chiefs, "referee", "set", "Karl", "--address", "karl@elsewhere.example", "--name", "Karla")
    assert in_charge_of(chiefs, code).address == "karl@elsewhere.example"
    typed(chiefs, "referee", "add", "Karla", "x@ref.example", fails=True)
    typed(chiefs, "referee", "add", "Max", "lea@ref.example", fails=True)
    typed(chiefs, "referee", "add", "Max", CHIEF, fails=True)
    typed(chiefs, "referee", "remove", "Otto", fails=True)
    for word in ("chief", "Spielleiter", "Niemand"):
        typed(chiefs, "referee", "add", word, "x@ref.example", fails=True)
        typed(chiefs, "referee", "set", "Lea", "--name", word, fails=True)
    typed(chiefs, "referee", "add", "Bert", "bert@home.example")
    assert "cannot be its referee" in str(typed(chiefs, "match", "referee", code, "Bert", fails=True).exception)
    assert "is no referee any more" in typed(chiefs, "referee", "remove", "Karla").output


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


def gate_answer(one: Command, who: str, about_match: str) -> str:
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
def test_every_command_in_every_situation(chiefs: Club, code: str, situation: str) -> None:
    bring_about(chiefs, code, situation)
    protest = protest_in(chiefs, code)
    said, wanted = {}, {}
    with chiefs.work() as work:
        for who, about_match in zip(("Karl", "Lea", "chief"), SITUATIONS[situation][2], strict=True):
            for one in COMMANDS:
                said[one.name, who] = refusal(work, named(work, who), line_of(one, code, protest), code)
                wanted[one.name, who] = gate_answer(one, who, about_match)
    assert said == wanted
    assert len(said) == 3 * len(COMMANDS) > 60


def test_what_names_no_match_is_the_chiefs(chiefs: Club, code: str) -> None:
    led(chiefs, code, "Karl")
    with chiefs.work() as work:
        for line in ("Wort HUGO erlaubt", "Amtlich an alle: Hallo"):
            assert refusal(work, named(work, "Karl"), line, "") == "charge-club"
            assert refusal(work, named(work, "chief"), line, "") == ""


def test_each_command_says_how_far_it_reaches_and_only_the_gate_gives_it_matches() -> None:
    """Each command about matches asks for one, or for what belongs to one, by an argument: that is what is checked."""
    for one in COMMANDS:
        given = {argument.name for argument in one.arguments} & {"match", "matches", "protest"}
        assert bool(given) == (one.reach is CommandReach.MATCHES), one.name
    with pytest.raises(ValueError, match="must say how far it reaches"):
        Command("nosy", scope=CommandScope.MATCH, who=CommandGiver.MODERATOR)(lambda work, match: ())
    with pytest.raises(ValueError, match="must say how far it reaches"):
        Command("nosy", scope=CommandScope.MATCH, reach=CommandReach.MATCHES)(lambda call: ())
    assert "nosy" not in {**declaration.get_player_commands(), **get_staff_commands()}
    assert {one.name for one in COMMANDS if one.reach is None} == set()


@pytest.mark.parametrize("situation", ["Lea's", "handed over", "on leave", "plays", "plays alone"])
def test_who_may_not_is_told_who_may_and_nothing_happens(chiefs: Club, code: str, situation: str) -> None:
    bring_about(chiefs, code, situation)
    lines = every_line(code, protest_in(chiefs, code))
    before = rows(chiefs)[-1], len(chiefs.log(code))
    answer = command(chiefs, "Karl", lines.replace("Wort HUGO erlaubt: Grund", f"Wort HUGO in {code} erlaubt"))
    assert (rows(chiefs)[-1], len(chiefs.log(code))) == before
    about = [one for one in COMMANDS if one.reach is CommandReach.MATCHES and not one.body]
    decides = "der Spielleiter des Clubs" if situation == "plays alone" else "Lea"
    assert answer.count("Es ist nichts geschehen.") == len(about) > 15
    assert answer.count(decides) >= len(about)
