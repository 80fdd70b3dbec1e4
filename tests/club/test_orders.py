"""Orders by mail, through the whole pipeline: real mail files in, real mail files out."""

import re
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.common.mails import Line
from moderator.games import OWN, REGISTRY, load_game
from moderator.language.messages import render_label, render_note
from moderator.rules.game import Note
from moderator.rules.outcomes import OrderIllegal
from moderator.rules.table import open_match_state
from moderator.service.match.match import Match
from moderator.service.orders import answer_order_lines
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import build_match_context, load_match_rules
from tests.club.club import Club, club_of, part, text
from tests.club.steps import NAMES, VOUCHED, ask, begin, play

ROBOTS = ("R2a", "R2b", "Anna")


@pytest.mark.parametrize("game", [k for k in OWN if load_game(k).seeded_rounds and "sequential" in load_game(k).paces])
def test_the_opening_stands_before_what_robots_have_moved(tmp_path: Path, game: str) -> None:
    club = club_of(tmp_path / "club", *ROBOTS)
    names = ROBOTS[-min(load_game(game).max_seats, len(ROBOTS)) :]
    opening: list[Note] = []

    def robots_begin(match: MatchRow) -> bytes:
        rules, options = load_match_rules(match)
        for number in range(200):
            seed = number.to_bytes(32, "big")
            match.seed = seed.hex()
            opened, step = open_match_state(rules, len(names), options, build_match_context(match))
            opening[:] = (*step.notes, *step.after)
            if opened.state.to_move != (len(names) - 1,):
                return seed
        raise AssertionError("Anna is always first")

    code = club.start(*names, game=game, seed=robots_begin)
    body = text(club.mails("Anna")[0])
    happened = " ".join(body.split())
    moved = min(
        happened.find(f"{name} {verb}") % 10**6 for name in names[:-1] for verb in ("legt »", "»", "kauft", "tauscht")
    )
    assert 0 < moved < 10**6, body
    assert club.live(code).table.entries
    public = [note for note in opening if note.only is None]
    assert public
    for note in public:
        said = " ".join(render_note(note, "de", game, names).split())
        assert 0 < happened.lower().find(said.lower()) < moved, (said, body)  # "Anna eröffnet mit …"


def test_a_legal_move_is_played_and_everybody_gets_the_board(club: Club, code: str) -> None:
    move = club.moves(code, 0)[0]
    play(club, code, 0, move)
    live = club.live(code)
    assert live.table.state.to_move == (1,)
    assert live.last[0][0] == move
    anna, bert = club.mail("anna"), club.mail("bert")
    assert anna["Subject"].startswith("✓")
    assert anna["In-Reply-To"] == "<test-1@home.example>"
    assert (anna["Auto-Submitted"], bert["Auto-Submitted"]) == ("auto-replied", "auto-generated")
    assert str(live.table.state.scores[0]) in text(bert)


@pytest.mark.parametrize(
    ("body", "why"),
    [("E5 w XQXQ", "Dafür fehlen dir Steine: Q, Q, X, X."), ("E5 HAUS", "Schreib hinter E5 noch, in welche Richtung")],
)
def test_a_refused_order_changes_nothing_and_says_so_first(club: Club, code: str, body: str, why: str) -> None:
    play(club, code, 0, body)
    assert club.live(code).table.state.to_move == (0,)
    assert [entry.kind for entry in club.log(code)] == ["tried"]
    answer = club.mail("anna")
    assert str(answer["Subject"]).startswith(why.rstrip("."))
    assert text(answer).startswith(why)
    assert "einen anderen Zug." in text(answer)
    assert not club.mails("bert")


@pytest.mark.parametrize("lines", ["E55 w HAUS\n{}", "E5 w XQXQ\nsonst {}\nsonst passe"])
def test_a_line_that_is_no_move_drops_no_other_and_each_is_told_of(club: Club, code: str, lines: str) -> None:
    move = club.moves(code, 0)[0]
    answer = ask(club, code, 0, lines.format(move))
    played, points = club.live(code).last[0]
    assert played == move
    assert lines.partition("\n")[0] in answer
    if "sonst" in lines:
        assert "Das war der 1. Ersatzzug." in answer
        assert f"liegt: {points} Punkte" in answer
        assert "»passe«: nicht mehr gebraucht" in answer


def test_a_mail_that_names_no_match_is_asked_back(club: Club) -> None:
    codes = [begin(club), begin(club, "Anna", "Cici")]
    club.say("Anna", "passe", **VOUCHED)
    answer = text(club.mail("anna"))
    assert all(code in answer for code in codes)
    for wish in ("AUFGEBEN", "Ich gebe auf.", "Ich gebe die Partie gegen Bert auf"):
        club.say("Anna", wish, **VOUCHED)
        answer = text(club.mail("anna"))
        assert "Welche Partie" in answer
        offered = re.findall(r"»(\w{4} [^«]+)«", answer)
        assert sorted(one[:4] for one in offered) == sorted(codes)
        club.say("Anna", offered[0], **VOUCHED)
        assert "aufgeben?" in text(club.mail("anna"))  # it is as if it had been written to the match


@pytest.mark.parametrize(("prefix", "moves"), [("> ", True), ("", False), ("> ", False)])
def test_nothing_of_our_own_mail_below_an_order_counts(club: Club, prefix: str, moves: bool) -> None:
    code = club.start("Anna", "Bert")
    sent = club.mail("anna")
    body = "\n".join(prefix + line for line in part(sent).splitlines())
    move = club.moves(code, 0)[0]
    if moves:
        body = f"{move}\n\nAm 20.11.2026 schrieb Testrunde:\n{body}"
    play(club, code, 0, body, In_Reply_To=sent["Message-ID"])
    assert [entry.text for entry in club.log(code)] == [move] * moves


def test_a_round_is_evaluated_at_the_zat_by_the_last_order(club: Club) -> None:
    code = begin(club, game="topwords", pace="rounds")
    move, other = club.moves(code, 0)[:2]
    play(club, code, 0, other)
    play(club, code, 0, move)
    assert club.live(code).table.orders == {0: move}
    assert "Gespeichert" in str(club.mails("anna")[-1]["Subject"])
    for days in (3.5, 3):  # half way, and the day before
        assert club.let_pass(days=days).reminders == 1
        assert club.mails("bert")
        assert not club.mails("anna")
    assert club.let_pass(days=3).deadlines == 1
    live = club.live(code)
    assert live.table.round == 2
    assert live.last[0][0] == move
    assert club.mails("anna")
    assert club.mails("bert")


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
@pytest.mark.parametrize("sent", ["", "A1 w XQXQ"])
def test_who_has_sent_something_is_not_reminded_of_having_sent_nothing(club: Club, pace: str, sent: str) -> None:
    code = begin(club, game="topwords", pace=pace)
    if sent:
        play(club, code, 0, sent)
    club.skip_mails()
    assert club.let_pass(days=6).reminders
    told = text(club.mail("anna"))
    assert (render_label("reminder-sent", "de") in told) == (not sent), told


# The orders of all seats in one run: each mail is true when it is read, also the first, behind which a round has ended


PACES: dict[str, tuple[str, dict[str, Any]]] = {
    "rounds": ("topwords", {"pace": "rounds", "early": True}),
    "common": ("topwords", {"pace": "common", "early": True}),
    "sequential": ("topwords", {}),
    "race": ("presto", {}),
}


def play_at_once(club: Club, pace: str, *, ready: bool = False) -> tuple[str, dict[str, list[EmailMessage]]]:
    with club.work() as work:
        for one in work.session.exec(select(PlayerRow)):
            one.language = "de"
    game, options = PACES[pace]
    code = club.start(*NAMES, game=game, **options | ({"early": False} if ready else {}))
    club.skip_mails()
    for seat, name in enumerate(NAMES):
        move = next(iter(club.moves(code, seat)), "passe")
        club.order(name, code, seat, f"{move}\nFERTIG" if ready else move)
    club.tick()
    found = club.mails()
    return code, {name: [mail for mail in found if name in str(mail["To"])] for name in NAMES}


@pytest.mark.slow
@pytest.mark.parametrize("pace", PACES)
def test_the_last_mail_to_each_says_how_it_stands(club: Club, pace: str) -> None:
    code, mails = play_at_once(club, pace)
    live = club.live(code)
    assert live.table.pace == pace
    for seat, name in enumerate(NAMES):
        said = text(mails[name][-1])  # a subject leaves it out where the event is long
        if live.seats_awaited:
            noun = f"Runde {live.table.state.public.round}: Schick deine"
            assert ("Du bist dran" in said or noun in said) == (seat in live.seats_awaited), said
    if pace == "race":  # nobody is promised a place before it is decided
        assert sorted(live.table.state.scores) == [0, 2, 4]
        for name in NAMES:
            receipt, report = mails[name]
            said = text(receipt)
            assert "steht fest, wenn die Runde zu Ende ist" in said
            assert "Fehlerfrei!" in said
            assert "Nummer" not in said
            assert "bringt jetzt" not in said
            assert "Gewonnen hat Anna" in text(report) or name == "Anna"


@pytest.mark.parametrize("ready", [False, True])
@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_what_the_first_ones_read_holds_although_the_round_has_ended(club: Club, pace: str, ready: bool) -> None:
    code, mails = play_at_once(club, pace, ready=ready)
    assert club.live(code).table.state.public.round == 2
    for name in NAMES[:2]:
        receipt, report = mails[name]
        said = text(receipt)
        assert said.startswith("✓ Gespeichert:")
        assert "noch ändern" in said
        assert re.search("für dich in Runde 1|keiner deiner Züge war möglich", str(report["Subject"]))
    (last,) = mails[NAMES[2]]
    said = text(last)
    assert "✓" not in said, "it was worth that before the others' moves"
    assert re.search(r"\d+ Punkte? für dich|war möglich", said)


@pytest.mark.parametrize(("body", "refused"), [("{}", True), ("{}\npass", True), ("pass\n{}", False)])
def test_of_an_evaluated_round_nothing_is_told_but_what_came_of_it(club: Club, body: str, refused: bool) -> None:
    code = begin(club, game="topwords", pace="rounds", early=True)
    pairs = ((first, second) for first in club.moves(code, 0) for second in club.moves(code, 1))
    first, second = next((a, b) for a, b in pairs if a.split()[:2] == b.split()[:2] and len(a) > len(b))
    play(club, code, 0, first)
    club.mails()
    said = ask(club, code, 1, body.format(second))
    assert "✓" not in said
    assert ("is not the whole word" in said) == refused


# An answer to the mail of a round that is over names places that are gone: it is asked about, not played


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_an_answer_to_an_older_round_is_asked_about_where_rounds_are_dealt_anew(club: Club, key: str) -> None:
    code = club.match("Anna", "Bert", game=key, seed=lambda match: bytes(32))
    number = club.live(code).table.state.to_move[0]
    move = (club.moves(code, number) or ["passe"])[0]
    with club.at(code) as (work, match):
        seat, player = work.list_seated(match)[number]
        playing = Match.load(work, match)
        object.__setattr__(playing.live.table.state.public, "round", 2)
        for answered, asked in ((1, load_game(key).seeded_rounds), (2, False), (0, False)):
            read = answer_order_lines(playing, player, seat, [Line(1, move)], answered)
            codes = [note.code for line in read.lines for note in line.notes]
            assert ("older-round" in codes) is asked
            assert not asked or read.decided == OrderIllegal()
        work.session.rollback()


@pytest.mark.slow
def test_the_question_about_an_older_round_can_be_answered(club: Club) -> None:
    code = club.start("Anna", "Bert", game="dominos", seed=lambda match: bytes(32))
    start = club.mail("Anna")["Message-ID"]
    for _ in range(80):
        state = club.live(code).table.state
        if state.public.round == 2 and 0 in state.to_move:
            break
        play(club, code, state.to_move[0])
    club.skip_mails()
    move, before = club.moves(code, 0)[0], club.row(code).entries
    play(club, code, 0, move, In_Reply_To=start)
    asked = club.mail("Anna")
    assert club.row(code).entries == before
    assert "Du antwortest auf die Mail zu Runde 1; gespielt wird Runde 2." in text(asked)
    play(club, code, 0, move, In_Reply_To=asked["Message-ID"], References=f"{start} {asked['Message-ID']}")
    assert club.row(code).entries == before + 1


@pytest.mark.parametrize("body", ["passe", "H7 w EIS", "Unsinn@@", "STATUS"])
def test_a_match_that_is_over_is_answered_without_a_word_on_how_to_move(club: Club, body: str) -> None:
    code = club.start("Anna", "Bert", pass_rounds=1)
    while club.row(code).status != "finished":
        seat = club.live(code).table.state.to_move[0]
        club.hand_in(NAMES[seat], code, seat, "passe")
    club.skip_mails()
    club.hand_in("Anna", code, 0, body)
    said = text(club.mail("anna"))
    assert render_label("link-how", "de") not in said
    assert render_label("answer-button", "de") not in said
