"""A mail that comes twice: what was played is asked about, what still waits says that nothing has changed. And a move
that is stored when a round ends: it names a board that is gone, and ends with the round; standing orders stay."""

import json
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.common.enums import InboxState, LogEntryKind
from moderator.inbox.pipeline import accept_held
from moderator.language.messages import render_code, render_label
from moderator.rules import replay
from moderator.rules.replay import LogEntry
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.store import matches_log
from moderator.store.tables import InboxRow
from tests.club.club import Club, club_of, text
from tests.club.memory import MemoryClub
from tests.club.steps import WITH_STANDING, begin, robot_move, run_well
from tests.club.tournament_club import fixed

ASKED = "Deine Mail kam zweimal"


def moves(club: Club, code: str) -> list[tuple[int | None, str]]:
    return [
        (entry.seat, entry.text) for entry in club.log(code) if entry.kind in (LogEntryKind.MOVE, LogEntryKind.ORDER)
    ]


def asked(club: Club, name: str) -> EmailMessage:
    mail = club.mail(name)
    assert str(mail["Subject"]).startswith(ASKED), mail["Subject"]
    return mail


def answer(club: Club, name: str, mail: EmailMessage, body: str) -> None:
    club.say(name, body, to=str(mail["Reply-To"]), subject=f"Re: {mail['Subject']}", in_reply_to=mail["Message-ID"])


def passes(club: Club, code: str, times: int = 1) -> None:
    """Anna, each time in a mail of its own and a run of its own."""
    for _ in range(times):
        club.hand_in("Anna", code, 0, "passe")


def states(club: Club) -> list[InboxState]:
    return [row.state for row in club.stored(select(InboxRow).order_by(InboxRow.id))]


def test_a_pass_that_comes_twice_is_asked_about_yes_plays_it_and_no_leaves_it(club: Club, code: str) -> None:
    passes(club, code, 2)
    assert moves(club, code) == [(0, "passe")]
    assert not club.live(code).table.orders
    played, question = club.mails("Anna")
    assert str(played["Subject"]).startswith(render_label("answer-passed", "de"))
    said = text(question)
    assert str(question["Subject"]).startswith(ASKED)
    assert f"In der Partie „{club.row(code).name}“ ({code}) gilt aus der ersten Mail: »passe«." in said
    assert "Dran ist dort: Bert." in said
    assert states(club) == [InboxState.DONE, InboxState.CONFIRM]
    answer(club, "Anna", question, "Nein")
    assert moves(club, code) == [(0, "passe")]
    assert not club.mails("Anna")
    assert states(club)[1] == InboxState.DROPPED
    passes(club, code)
    answer(club, "Anna", asked(club, "Anna"), "Ja")
    assert moves(club, code) == [(0, "passe"), (0, "passe")]
    assert club.live(code).table.orders == {0: "passe"}, "for the next turn"
    assert str(club.mail("Anna")["Subject"]).startswith(render_label("answer-stored", "de", what="»passe«"))


def test_another_move_as_the_answer_counts_in_its_place(club: Club, code: str) -> None:
    move = club.moves(code, 0)[0]
    passes(club, code, 2)
    question = club.mails("Anna")[-1]
    answer(club, "Anna", question, move)
    assert club.live(code).table.orders == {0: move}
    assert states(club)[1] == InboxState.DROPPED
    answer(club, "Anna", question, "Ja")
    assert club.live(code).table.orders == {0: move}, "the question is answered"


def test_when_it_is_her_turn_again_she_reads_that(club: Club, code: str) -> None:
    passes(club, code)
    club.hand_in("Bert", code, 1, "passe")
    club.skip_mails()
    club.wait(minutes=9)
    passes(club, code)
    question = asked(club, "Anna")
    assert "Jetzt bist du dort wieder dran." in text(question)
    answer(club, "Anna", question, "Ja.\n\nGruß, Anna")
    assert moves(club, code) == [(0, "passe"), (1, "passe"), (0, "passe")]


@pytest.mark.parametrize(
    ("minutes", "body", "headers"),
    [
        (11, "passe", {}),
        (1, "passe\n\nJetzt aber wirklich", {}),
        (1, "passe", {"in_reply_to": "<another@club.example>"}),
        (1, "passe", {"subject": "passe ich eben wieder"}),
    ],
)
def test_what_is_no_copy_is_played(club: Club, code: str, minutes: int, body: str, headers: dict[str, str]) -> None:
    passes(club, code)
    club.wait(minutes=minutes)
    club.hand_in("Anna", code, 0, body, **headers)
    assert moves(club, code) == [(0, "passe"), (0, "passe")]
    assert ASKED not in {str(mail["Subject"])[: len(ASKED)] for mail in club.mails("Anna")}


def test_two_that_come_before_one_tick_and_a_third(club: Club, code: str) -> None:
    for _ in range(3):
        passes(club, code)
    assert moves(club, code) == [(0, "passe")]
    assert [str(mail["Subject"])[: len(ASKED)] == ASKED for mail in club.mails("Anna")] == [False, True], "asked once"
    assert states(club) == [InboxState.DONE, InboxState.CONFIRM, InboxState.DROPPED]


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_what_still_waits_is_not_asked_about(club: Club, pace: str) -> None:
    code = begin(club, game="topwords", pace=pace)
    move = club.moves(code, 0)[0]
    for _ in range(2):
        club.hand_in("Anna", code, 0, move)
    assert moves(club, code) == [(0, move)], "the clock neither"
    first, second = map(text, club.mails("Anna"))
    said = render_code("same-order", "de")
    assert said not in first
    assert said in second


def test_the_copy_of_what_ended_the_round_is_asked_about(club: Club) -> None:
    code = begin(club, game="topwords", pace="rounds", early=True)
    moves_of = [club.moves(code, seat)[0] for seat in (0, 1)]
    club.order("Anna", code, 0, moves_of[0])
    for _ in range(2):
        club.order("Bert", code, 1, moves_of[1])
    club.tick()
    live = club.live(code)
    assert (live.table.state.public.round, live.table.orders) == (2, {})
    assert "It waits for your next move." in text(club.mails("Bert")[-1])


def test_what_was_refused_or_taken_back_may_come_again(club: Club) -> None:
    code = begin(club, game="topwords", pace="rounds")
    move = club.moves(code, 0)[0]
    for body in (move, "ZURÜCK", move, "A1 w XYZ", "A1 w XYZ"):
        club.hand_in("Anna", code, 0, body)
    assert not [mail for mail in club.mails("Anna") if str(mail["Subject"]).startswith(ASKED)]
    assert club.live(code).table.orders == {0: move}


def test_the_moderator_can_let_it_count(club: MemoryClub, code: str) -> None:
    passes(club, code, 2)
    with club.work() as work:
        held = work.session.exec(select(InboxRow).where(InboxRow.state == InboxState.CONFIRM)).one()
        assert held.told_at is not None, "no matter for the daily notice"
        accept_held(work, held.id or 0)
    assert moves(club, code) == [(0, "passe"), (0, "passe")]


def test_what_is_no_copy_is_known_before_matches_are_asked_for(
    club: Club, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for = []
    find = matches_log.list_events_of_mails
    monkeypatch.setattr(
        matches_log, "list_events_of_mails", lambda *given: (asked_for.append(given[1]), find(*given))[1]
    )
    passes(club, code)
    for number in range(12):
        club.hand_in("Anna", code, 0, f"kein Zug {number}")
    assert asked_for == []
    passes(club, code)
    assert [len(before) for before in asked_for] == [1]
    assert moves(club, code) == [(0, "passe")]


NAMES = ("Anna", "Bert")
STANDING = "nach Ziehen: bester"
LONGEST = 5
"""Rounds that are played on until one ends with a move that is stored."""


def play_a_round(folder: Path, game: str, standing: bool) -> tuple[Club, str, list[LogEntry]]:
    """Whoever is not to move stores what the other one is about to play, until a round has ended with something
    stored. Each mail to somebody whose move was dropped says so. The club, the code and the log."""
    club = club_of(folder, *NAMES)
    with pytest.MonkeyPatch.context() as patch:
        fixed(patch)
        code = club.start(*NAMES, game=game)
    dropped = 0
    state = club.live(code).table.state
    while not state.over and state.public.round <= (1 if dropped else 1 + LONGEST):
        seat, order = state.to_move[0], robot_move(club, code)
        other = 1 - seat
        if club.live(code).table.orders.get(other, STANDING) == STANDING:
            club.hand_in(NAMES[other], code, other, f"{order}\n{STANDING}" if standing else order)
            assert other in club.live(code).table.orders
        club.skip_mails()
        assert club.hand_in(NAMES[seat], code, seat, order).troubles == []
        before, table = state, club.live(code).table
        state = table.state
        if state.public.round != before.public.round and not state.over:
            assert set(table.orders.values()) <= {STANDING}
            told = [
                name
                for name in NAMES
                for mail in club.mails(name)
                if "war für die Runde, die zu Ende ist" in text(mail)
            ]
            assert NAMES[other] in told or not any(entry.outcome.get("dropped") for entry in club.log(code)[-8:])
            dropped += len(told)
    assert dropped
    return club, code, club.log(code)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.matrix("stored moves", seconds=seconds))
        for game, seconds in (("domijongg", 5), ("dominos", 2), ("supertridom", 4), ("tridom", 3))
    ],
)
def test_nothing_stored_is_tried_on_the_next_deal(game: str, tmp_path: Path) -> None:
    club, code, log = play_a_round(tmp_path / "club", game, standing=game in WITH_STANDING)
    drops = [entry for entry in log if "dropped" in entry.outcome]
    assert drops
    assert {entry.kind for entry in drops} == ({"order"} if game in WITH_STANDING else {"withdraw"})
    with club.at(code) as (work, match):
        if match.status == "running":
            Match.load(work, match).stop_match()
            notify_match_events(work)
    record = tmp_path / "record.json"
    record.write_text(run_well(club, "export", code), encoding="utf-8")
    assert json.loads(record.read_text(encoding="utf-8"))["game"] == game
    run_well(club, "verify", str(record))
    run_well(club, "match", "check", code)


@pytest.mark.slow
def test_what_a_round_dropped_comes_back_when_its_last_move_is_taken_back(tmp_path: Path) -> None:
    """A log from before moves were dropped is played as it was: what was stored is still there, and tried."""
    club, code, log = play_a_round(tmp_path / "club", "dominos", standing=False)
    live = club.live(code)
    old = [entry for entry in log if "dropped" not in entry.outcome]
    tables, _, _ = replay.walk_log(live.game, 2, live.options, live.context, None, old)
    assert tables[-1].orders != live.table.orders
    assert tables[-1].state == live.table.state

    number = max(n for n, entry in enumerate(log, 1) if "dropped" in entry.outcome)
    ended = max(n for n, entry in enumerate(log[:number], 1) if entry.kind == "move")
    dropped = log[number - 1]
    run_well(club, "match", "rollback", code, "--entry", str(ended))
    assert dropped.seat is not None
    assert club.live(code).table.orders[dropped.seat] == dropped.outcome["dropped"]


@pytest.mark.parametrize("head", ["Anna írta:", "Od Anny, wczoraj:", "アンナ：", "Zorp Anna vimka:"])
def test_what_a_player_sent_before_is_a_quote_below_any_line_with_a_colon(club: Club, head: str) -> None:
    code = club.start("Anna", "Bert")
    old = "A1 w KATZENJAMMER"
    club.hand_in("Anna", code, 0, old)
    club.mails("anna")
    club.hand_in("Anna", code, 0, f"A1 w XYLO\n\n{head}\n\n{old}")
    said = text(club.mails("anna")[-1])
    assert "XYLO" in said
    assert "KATZENJAMMER" not in said
