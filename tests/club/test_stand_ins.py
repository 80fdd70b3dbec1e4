"""A robot holds a seat until a person is found: put there by the moderator or by the terms of the match, offered to
whoever looks for a seat, taken over by mail with all that lies on the rack, told to everybody."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from moderator.club import ratings
from moderator.club.tokens import moderator_token
from moderator.match import robot
from moderator.match.outcome import borrowed, holders
from moderator.play import create, lifecycle
from moderator.site.players import Careers
from moderator.site.records import chapters, recorded
from moderator.site.site import Site
from moderator.states import EntryKind, Level, SeatLoss
from moderator.store import events
from moderator.store.models import Match
from moderator.today.daily_notice import tasks
from moderator.tournaments.csvfile import export_results
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.pair_scenes import writes
from tests.match.test_outcome import toy

TERMS = {"days": 1, "abandon_after": 1, "excused": 0, "stand_in": "beginner"}


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert", "Cici", "Dora", "Emil", Bert="en", Emil="en")
    plain_boards(made)
    return made


def begun(club: Club, *names: str, terms: dict[str, object] | None = None, game: str = "tridom") -> str:
    code = club.match(*(names or ("Anna", "Bert", "Cici")), game=game, terms=TERMS if terms is None else terms)
    club.tick()
    club.mails()
    return code


def names(club: Club, code: str) -> list[str]:
    with club.desk() as desk:
        return [player.name for player in desk.players(create.find_match(desk.session, code))]


def resigns(club: Club, name: str, code: str, seat: int) -> None:
    club.order(name, code, seat, f"resign {code}")
    club.tick()


def asks(club: Club, name: str, line: str) -> str:
    """What is answered to a mail without a token."""
    club.mails()
    club.wait(minutes=11)
    writes(club, name, line)
    return text(club.mails(name)[-1])


def boss(club: Club, line: str) -> str:
    with club.desk() as desk:
        token = moderator_token(desk.session)
    club.write("boss@club.example", line, to=f"games+BOSS-{token}@club.example")
    club.tick()
    return text(club.mails("boss")[-1])


# ---- a robot comes in ----


def test_who_resigns_leaves_the_seat_to_a_robot_and_all_are_told(club: Club) -> None:
    code = begun(club)
    hand = club.live(code).table.state.hand(2)
    resigns(club, "Cici", code, 2)
    assert names(club, code) == ["Anna", "Bert", "Robot beginner"]
    assert club.live(code).table.out == ()
    assert club.live(code).table.state.hand(2) == hand or 2 not in club.live(code).table.state.to_move
    german, english = text(club.mail("Anna")), text(club.mail("Bert"))
    assert "hält ihn ein Roboter (Robot beginner)" in german
    assert "schreibt »ÜBERNEHMEN« und das Kürzel der Partie" in german
    assert "a robot (Robot beginner) holds it" in english
    assert "writes “TAKEOVER” and the code of the match" in english
    assert "aufgegeben" in text(club.mail("Cici"))


def test_what_stands_below_is_no_order_for_the_robots_seat(club: Club) -> None:
    code = begun(club)
    seat = club.live(code).awaited[0]
    name, move = names(club, code)[seat], club.moves(code, seat)[-1]
    live = club.live(code)
    own = robot.choose(live.game, live.table.state, seat, live.context, Level.BEGINNER)
    club.order(name, code, seat, f"resign {code}\n{move}\nnach Ziehen: bester\nwarten")
    club.tick()
    entries = [(one.kind, one.text) for one in club.log(code) if one.seat == seat]
    assert entries[0][0] == EntryKind.HAND_OVER
    assert [text for _, text in entries[1:]] == [own]
    assert not [kind for kind, _ in entries if kind in (EntryKind.ORDER, EntryKind.FLAG)]
    assert len(club.mails(name)) == 1


def test_who_does_not_answer_loses_the_seat_to_it(club: Club) -> None:
    code = begun(club)
    for _ in range(4):
        club.wait(days=1, hours=2)
        club.tick()
    assert "Robot beginner" in names(club, code)


# ---- who sat there before ----


def test_who_did_not_answer_is_told_and_takes_the_seat_back(club: Club) -> None:
    code = begun(club)
    seat = club.live(code).awaited[0]
    name = names(club, code)[seat]
    told = until_nobody_waits(club, code, seat, name)
    assert names(club, code)[seat] == "Robot beginner"
    shown = one_line(told)
    assert re.search(r"mehrmals nicht gemeldet. Deshalb spielt Robot beginner|not answered several times", shown)
    (line,) = re.findall(rf"[»“]((?:ÜBERNEHMEN|TAKEOVER) {code})[«”]", shown)
    writes(club, name, line)
    club.tick()
    assert names(club, code)[seat] == name


def test_for_whom_somebody_comes_in_is_told_so(club: Club) -> None:
    code = begun(club, terms={"days": 1, "abandon_after": 1, "excused": 0})
    writes(club, "Dora", "Ersatzspieler an")
    club.mails()
    seat = club.live(code).awaited[0]
    told = until_nobody_waits(club, code, seat, names(club, code)[seat])
    assert names(club, code)[seat] == "Dora"
    assert re.search(
        r"spielt Dora von jetzt an für dich|from now on Dora therefore plays for you", one_line(told), re.I
    )
    assert "Roboter" not in text(told)


@pytest.mark.parametrize("successor", ["Dora", "Emil"])
def test_whom_the_moderator_replaces_is_told_so(club: Club, successor: str) -> None:
    code = begun(club, terms={"days": 1})
    boss(club, f"Ersetzen {code} Cici durch {successor}")
    (told,) = club.mails("Cici")
    assert f"{successor} spielt von jetzt an für dich" in one_line(told)
    assert str(told["Subject"]) == f"In der Partie {code} spielst du nicht mehr mit: Testrunde"


def test_who_resigns_reads_it_in_the_answer_alone(club: Club) -> None:
    code = begun(club)
    resigns(club, "Cici", code, 2)
    assert len(club.mails("Cici")) == 1


def test_whose_seat_nobody_has_played_for_long_reads_nothing_of_who_takes_it(club: Club) -> None:
    """That the seat passes was told; the moderator has decided nothing."""
    code = begun(club, terms={"days": 1})
    resigns(club, "Cici", code, 2)
    club.mails()
    writes(club, "Dora", f"ÜBERNEHMEN {code}")
    assert "Dora" in names(club, code)
    assert not club.mails("Cici")


def test_a_robot_that_gives_way_is_told_nothing(club: Club) -> None:
    code = begun(club)
    resigns(club, "Cici", code, 2)
    club.mails()
    writes(club, "Dora", f"ÜBERNEHMEN {code}")
    assert "Dora" in names(club, code)
    assert not [mail for mail in club.mails() if "Robot" in str(mail["To"])]


def until_nobody_waits(club: Club, code: str, seat: int, name: str) -> EmailMessage:
    """Days go by until the seat that somebody does not play is another's: the last mail to who sat there."""
    for _ in range(5):
        club.mails()
        club.wait(days=1, hours=2)
        club.tick()
        if names(club, code)[seat] != name:
            return club.mails(name)[-1]
    raise AssertionError("the seat was kept")


def one_line(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def test_who_is_on_the_standby_list_comes_first(club: Club) -> None:
    code = begun(club)
    writes(club, "Dora", "Ersatzspieler an")
    club.mails()
    resigns(club, "Cici", code, 2)
    assert names(club, code) == ["Anna", "Bert", "Dora"]
    assert "Dora spielt von jetzt an für Cici" in text(club.mail("Anna"))
    assert code in str(club.mail("Dora")["Subject"])


def test_without_the_term_the_seat_passes(club: Club) -> None:
    code = begun(club, terms={"days": 1})
    resigns(club, "Cici", code, 2)
    assert names(club, code) == ["Anna", "Bert", "Cici"]
    assert club.live(code).table.out == (2,)


def test_who_is_left_alone_has_won_and_plays_no_robot(club: Club) -> None:
    code = begun(club, "Anna", "Bert", game="dominos")
    resigns(club, "Bert", code, 1)
    assert club.row(code).status == "finished"
    assert names(club, code) == ["Anna", "Bert"]


def test_a_second_one_is_another_robot(club: Club) -> None:
    code = begun(club, "Anna", "Bert", "Cici", "Dora")
    for name, seat in (("Cici", 2), ("Dora", 3)):
        resigns(club, name, code, seat)
    assert names(club, code) == ["Anna", "Bert", "Robot beginner", "Robot beginner 2"]


def test_the_first_mail_says_so_where_it_may_come_to_that(club: Club) -> None:
    said = "hält ein Roboter den Platz"
    for seated, terms, expected in (
        (("Anna", "Bert", "Cici"), TERMS, True),
        (("Anna", "Bert"), TERMS, False),
        (("Anna", "Bert", "Cici"), {}, False),
    ):
        club.match(*seated, game="tridom", terms=terms)
        club.tick()
        assert (said in text(club.mail("Anna"))) is expected
        club.mails()


# ---- a person is found ----


def held(club: Club) -> str:
    """Robot beginner holds Cici's seat."""
    code = begun(club)
    resigns(club, "Cici", code, 2)
    club.mails()
    return code


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("Dora", "Ersatzspieler an", "ein Platz, den ein Roboter hält (Robot beginner)"),
        ("Dora", "Ersatzspieler Tridom", "ein Platz, den ein Roboter hält (Robot beginner)"),
        ("Dora", "Mitspielen", "Platz wartet auf jemanden. Einen übernimmst du mit »ÜBERNEHMEN«"),
        ("Dora", "Übernehmen", "ein Platz, den ein Roboter hält (Robot beginner)"),
        ("Emil", "Standby on", "a seat that a robot holds (Robot beginner)"),
        ("Emil", "Join Tridom", "1 seat waits for a person. Take one over with “TAKEOVER”"),
        ("Emil", "Takeover", "a seat that a robot holds (Robot beginner)"),
    ],
)
def test_whoever_looks_for_a_seat_is_offered_it(club: Club, name: str, line: str, said: str) -> None:
    code = held(club)
    told = asks(club, name, line)
    assert said in told
    assert code in told


def test_nobody_is_offered_another_game_nor_the_own_match(club: Club) -> None:
    code = held(club)
    assert code not in asks(club, "Dora", "Ersatzspieler Dominos")
    assert code not in asks(club, "Dora", "Mitspielen Topwords")
    assert "wartet" not in asks(club, "Anna", "Ersatzspieler an")


def test_a_stranger_who_joins_reads_of_it(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.players("Anna", "Bert", "Cici")
    object.__setattr__(club.config.club, "signup", "open")
    plain_boards(club)
    code = held(club)
    club.write("zoe@far.example", "Mitspielen")
    club.tick()
    club.write("zoe@far.example", "Ja", to=str(club.mail("zoe@far")["Reply-To"]))
    club.tick()
    told = text(club.mail("zoe@far"))
    assert f"Kürzel {code}: Tridom" in told
    assert "den ein Roboter hält (Robot beginner)" in told


@pytest.mark.parametrize(("name", "line"), [("Dora", "Übernehmen {}"), ("Emil", "Take over {}")])
def test_a_mail_takes_it_over_with_all_that_lies_on_the_rack(club: Club, name: str, line: str) -> None:
    code = held(club)
    before, token = club.live(code).table.state, club.token(code, 2)
    writes(club, name, line.format(code))
    after = club.live(code).table.state
    assert names(club, code) == ["Anna", "Bert", name]
    assert (after.hands, after.scores, after.stock) == (before.hands, before.scores, before.stock)
    assert club.token(code, 2) != token
    assert f"{name} spielt von jetzt an für Robot beginner" in text(club.mail("Anna"))
    assert f"{name} plays for Robot beginner from now on" in text(club.mail("Bert"))
    own = text(club.mail(name))
    assert code in own
    club.order(name, code, 2, "Stand")
    club.tick()
    assert "Roboter am Tisch" not in text(club.mail(name))


def test_it_is_taken_once(club: Club) -> None:
    code = held(club)
    writes(club, "Dora", f"Übernehmen {code}")
    club.mails()
    assert "There is no seat to take over" in asks(club, "Emil", f"Übernehmen {code}")
    assert names(club, code) == ["Anna", "Bert", "Dora"]


def test_an_empty_seat_is_taken_before_a_robot_goes(club: Club) -> None:
    code = held(club)
    with club.desk() as desk:
        match = create.find_match(desk.session, code)
        lifecycle.retire(desk, match, desk.cache.live(desk.session, match), 1, SeatLoss.EJECTED)
    writes(club, "Dora", f"Übernehmen {code}")
    assert names(club, code) == ["Anna", "Dora", "Robot beginner"]


def test_the_moderator_puts_one_in_and_is_told_as_long_as_it_stays(club: Club) -> None:
    """Also where two play: the organiser wants the match to go on."""
    code = begun(club, "Anna", "Bert", terms={}, game="dominos")
    with club.desk() as desk:
        create.add_player(desk.session, "Ada", None, club.now, level=Level.STRONG)

    def waits() -> list[str]:
        with club.desk() as desk:
            return [str(task.facts["player"]) for task in tasks(desk) if task.note.code == "today-stand-in"]

    assert waits() == []
    assert "Ada" in boss(club, f"Ersetzen {code} Bert durch Ada")
    assert "hält ihn ein Roboter (Ada)" in text(club.mails("Anna")[0])
    assert waits() == ["Ada"]
    writes(club, "Dora", f"Übernehmen {code}")
    assert names(club, code) == ["Anna", "Dora"]
    assert waits() == []


def test_a_robot_that_was_dealt_in_keeps_its_seat(club: Club) -> None:
    with club.desk() as desk:
        create.add_player(desk.session, "Ada", None, club.now)
    code = begun(club, "Anna", "Ada", terms={}, game="dominos")
    assert names(club, code) == ["Anna", "Ada"]
    assert "kein Platz zu übernehmen" in asks(club, "Dora", f"Übernehmen {code}")
    assert "wartet" not in asks(club, "Dora", "Ersatzspieler an")


def test_at_a_table_for_training_nobody_comes_in(club: Club) -> None:
    writes(club, "Anna", "Üben Dominos")
    with club.desk() as desk:
        match = desk.session.get_one(Match, 1)
        code = match.code
        other = create.add_player(desk.session, "Ada", None, club.now, level=Level.STRONG)
        lifecycle.hand_over(desk, match, desk.cache.live(desk.session, match), 1, other)
    assert "kein Platz zu übernehmen" in asks(club, "Dora", f"Übernehmen {code}")


# ---- what it counts ----


def test_a_seat_counts_for_who_made_more_than_half_of_its_moves() -> None:
    match = toy(2).enter("move", 0, "A1 HAUS").enter("move", 1, "A1 ROT").enter("hand-over", 0, "7")
    assert borrowed(match.log, [7, 9]) == {0}  # none of one
    match.enter("move", 0, "A1 TOR").enter("move", 1, "pass")
    assert borrowed(match.log, [7, 9]) == {0}  # one of two
    match.enter("move", 0, "A1 NASE")
    assert borrowed(match.log, [7, 9]) == frozenset()  # two of three
    match.enter("undo", text=str(len(match.log) - 1))
    assert borrowed(match.log, [7, 9]) == {0}


def test_who_had_a_seat_before_its_first_change_nobody_knows() -> None:
    match = toy(2).enter("move", 0, "A1 HAUS").enter("hand-over", 0, "8").enter("move", 1, "pass")
    match.enter("hand-over", 0, "7")
    assert [here for _, here in holders(match.log, [7, 9])] == [(None, 9), (8, 9), (8, 9), (7, 9)]


def rated(club: Club, code: str) -> list[tuple[tuple[str, ...], frozenset[int], tuple[int, ...]]]:
    with club.desk() as desk:
        match = create.find_match(desk.session, code)
        lifecycle.stop(desk, match, desk.cache.live(desk.session, match))
    with club.desk() as desk:
        return [(one.players, one.forfeits, one.moves) for one in ratings.ledger(desk.session, "tridom")]


def play(club: Club, code: str, turns: int) -> None:
    for _ in range(turns):
        seat = club.live(code).awaited[0]
        club.order(names(club, code)[seat], code, seat, club.moves(code, seat)[0])
        club.tick()


@pytest.mark.slow
def test_a_seat_that_a_person_took_late_is_rated_for_nobody(club: Club) -> None:
    """Neither for who gave it up nor for who has it; the others are rated among themselves."""
    code = begun(club, terms={"stand_in": "beginner"})
    play(club, code, 15)
    resigns(club, "Cici", code, 2)
    writes(club, "Dora", f"Übernehmen {code}")
    ((players, gone, moves),) = rated(club, code)
    assert gone == {2}
    assert moves[2] == 0
    assert min(moves[:2]) >= 3
    with club.desk() as desk:
        known = ratings.rated(desk.session, "tridom")
        by_name = {name: create.find_player(desk.session, name).number for name in ("Anna", "Bert", "Cici", "Dora")}
    assert set(known) == {by_name["Anna"], by_name["Bert"]}
    assert players[2] == str(by_name["Dora"])
    with club.desk() as desk:
        site = Site(desk)
        careers = Careers(site)
        played = {name: sum(one.played for one in careers.records(number)) for name, number in by_name.items() if
                  number in site.people}  # fmt: skip
        assert played == {"Anna": 1, "Bert": 1, "Dora": 0}
        assert {name: careers.finished(by_name[name]) for name in played} == played
        assert [one.player.name for one in careers.against(by_name["Anna"])] == ["Bert"]
        assert careers.against(by_name["Dora"]) == ()
        (chapter,) = chapters(site, [match for match in site.matches if recorded(match)])
        held = {one.kind: one.player.name for one in chapter.best if one.player is not None}
        assert "Dora" not in (held["score"], held.get("lead"))


@pytest.mark.slow
def test_a_seat_that_was_taken_early_is_rated_for_who_has_played_it(club: Club) -> None:
    code = begun(club, terms={"stand_in": "beginner"})
    play(club, code, 3)
    resigns(club, "Cici", code, 2)
    writes(club, "Dora", f"Übernehmen {code}")
    play(club, code, 9)
    ((_, gone, moves),) = rated(club, code)
    assert gone == frozenset()
    assert moves[2] > 2
    with club.desk() as desk:
        dora = create.find_player(desk.session, "Dora").number
        (record,) = Careers(Site(desk)).records(dora)
        assert record.played == 1


def test_a_list_of_results_for_another_club_rates_it_alike(club: Club) -> None:
    code = begun(club, terms={"stand_in": "beginner"})
    play(club, code, 9)
    resigns(club, "Cici", code, 2)
    rated(club, code)
    with club.desk() as desk:
        (game,), _ = ratings.as_results(desk.session, "tridom")
    assert game.moves[2] == 0
    assert game.result.forfeits == {2}
    assert "Robot beginner" in export_results([game])


def test_of_matches_in_which_nobody_came_in_no_log_is_read(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = begun(club)
    play(club, code, 3)
    asked: list[list[int]] = []
    real = events.logs
    monkeypatch.setattr(events, "logs", lambda session, ids: asked.append(list(ids)) or real(session, ids))
    assert len(rated(club, code)) == 1
    assert asked == [[]]
    assert not [entry for entry in club.log(code) if entry.kind == EntryKind.HAND_OVER]
