"""Orders by mail, through the whole pipeline: real mail files in, real mail files out."""

import re

import pytest

from tests.club.club import Club, text


def test_the_start_mails_everybody_their_own_rack(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    anna, bert = club.mail("anna"), club.mail("bert")
    hands = club.live(code).table.state.hands
    assert " ".join(hands[0]) in text(anna)
    assert " ".join(hands[1]) in text(bert)
    assert " ".join(hands[1]) not in text(anna)
    assert club.token(code, 0) in str(anna["Reply-To"])
    assert club.token(code, 1) not in anna.as_string()
    assert "bert@home.example" not in anna.as_string()
    assert anna["Content-Language"] == "de"
    assert bert["Content-Language"] == "en"


def test_a_legal_move_is_played_and_everybody_gets_the_board(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, move)
    club.tick()
    live = club.live(code)
    assert live.table.state.to_move == (1,)
    assert live.last[0][0] == move
    anna, bert = club.mail("anna"), club.mail("bert")
    assert "zählt" in anna["Subject"]
    assert anna["In-Reply-To"] == "<test-1@home.example>"
    assert anna["Auto-Submitted"] == "auto-replied"
    assert bert["Auto-Submitted"] == "auto-generated"
    assert str(live.table.state.scores[0]) in text(bert)
    assert any(part.get_content_type() == "image/png" for part in bert.walk())


def test_a_fallback_is_played_when_the_first_is_not_possible(club: Club) -> None:
    code = club.match("Anna", "Bert")
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, f"Hallo!\nE5 w XQXQ\nErsatz: {move}\nViele Grüße")
    club.tick()
    assert club.live(code).last[0][0] == move
    answer = text(club.mails("anna")[-1])
    assert "XQXQ" in answer


def test_a_move_that_cannot_be_read_is_a_move_all_the_same(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.order("Anna", code, 0, "E5 HAUS")
    club.tick()
    answer = club.mails("anna")[-1]
    assert "Dein Zug zählt NICHT" in str(answer["Subject"])
    assert text(answer).startswith("Dein Zug zählt NICHT.")


def test_a_refused_order_changes_nothing_and_says_why(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "E5 w XQXQ")
    club.tick()
    assert club.live(code).table.state.to_move == (0,)
    assert [entry.kind for entry in club.log(code)] == ["tried"]
    answer = club.mail("anna")
    assert "nicht" in str(answer["Subject"]).lower()
    assert not club.mails("bert")


def test_an_unreadable_line_gets_a_right_example_and_drops_no_other(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, f"E55 w HAUS\n{move}")
    club.tick()
    answer = text(club.mail("anna"))
    assert "E55 w HAUS" in answer
    assert club.live(code).last[0][0] == move


def test_an_early_order_waits_for_its_turn(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.order("Bert", code, 1, "passe")
    club.tick()
    assert club.live(code).table.orders == {1: "passe"}
    club.order("Anna", code, 0, "passe")
    club.tick()
    state = club.live(code).table
    assert state.state.to_move == (0,)
    assert state.orders == {}


def test_a_stored_order_is_repeated_and_can_be_taken_back(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.order("Bert", code, 1, "passe")
    club.tick()
    club.mails()
    club.order("Bert", code, 1, "withdraw")
    club.tick()
    assert club.live(code).table.orders == {}
    (answer,) = club.mails("bert")
    assert "withdrawn" in answer["Subject"]


def test_the_last_order_before_the_evaluation_counts(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    first, second = club.moves(code, 0)[:2]
    for order in (first, second):
        club.order("Anna", code, 0, order)
        club.tick()
    assert club.live(code).table.orders == {0: second}


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
@pytest.mark.parametrize("order", ["", "A1 w XQXQ"])
def test_who_has_sent_something_is_not_reminded_of_having_sent_nothing(club: Club, pace: str, order: str) -> None:
    code = club.match("Anna", "Bert", pace=pace)
    seat = club.live(code).table.state.to_move[0]
    name = ["Anna", "Bert"][seat]
    club.tick()
    if order:
        club.order(name, code, seat, order)
        club.tick()
    club.mails()
    club.wait(days=6)
    assert club.tick().reminders
    (told,) = map(text, club.mails(name))
    nothing = re.search(r"Von dir liegt noch kein Zug vor\.|No move of yours is here yet\.", told)
    in_vain = re.search(
        r"Was du geschickt hast, lässt sich jetzt nicht spielen\.|What you have sent cannot be played now\.", told
    )
    assert (in_vain is not None, nothing is not None) == (bool(order), not order), told


def test_a_round_is_evaluated_at_the_zat(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    club.tick()
    club.mails()
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, move)
    club.tick()
    assert "zählt" in str(club.mail("anna")["Subject"])
    for days in (3.5, 3):  # half way, and the day before
        club.wait(days=days)
        assert club.tick().reminders == 1
        assert club.mails("bert")
        assert not club.mails("anna")
    club.wait(days=3)
    assert club.tick().deadlines == 1
    live = club.live(code)
    assert live.table.round == 2
    assert live.last[0][0] == move
    assert club.mails("anna")
    assert club.mails("bert")


def test_an_early_round_needs_no_zat(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds", early=True)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    assert club.live(code).table.round == 1
    club.order("Bert", code, 1, "passe")
    club.tick()
    assert club.live(code).table.round == 2


def test_the_common_rack(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici", pace="common", early=True)
    club.tick()
    club.mails()
    best, second = club.moves(code, 0)[:2]
    club.order("Anna", code, 0, second)
    club.order("Bert", code, 1, best)
    club.order("Cici", code, 2, "passe")
    club.tick()
    live = club.live(code)
    assert live.table.round == 2
    scores = live.table.state.scores
    assert scores[1] >= scores[0] > scores[2] == 0
    for name in ("anna", "bert", "cici"):
        assert club.mails(name)


def test_the_zat_passes_a_seat_in_a_sequential_match(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.wait(days=9)
    club.tick()
    assert club.live(code).table.state.to_move == (1,)
    assert club.row(code).deadline > club.now


def test_a_match_ends_and_the_last_mail_holds_the_seed(club: Club) -> None:
    code = club.match("Anna", "Bert")
    for seat, name in ((0, "Anna"), (1, "Bert")) * 2:
        club.order(name, code, seat, "passe")
        club.tick()
        club.wait(minutes=11)
    row = club.row(code)
    assert row.status == "finished"
    assert row.seed[:16] in text(club.mails("anna")[-1]).replace(" ", "")


def test_robots_move_at_once(club: Club) -> None:
    club.players("R2D2")
    code = club.match("Anna", "R2D2")
    club.order("Anna", code, 0, "passe")
    club.tick()
    live = club.live(code)
    assert live.table.state.to_move == (0,)
    assert live.last[1][1] > 0


def test_two_matches_in_one_mail(club: Club) -> None:
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.order("Anna", one, 0, f"passe\n\nPartie {two}\n{club.moves(two, 0)[0]}")
    club.tick()
    assert club.live(one).table.state.to_move == (1,)
    assert club.live(two).table.state.to_move == (1,)


def test_a_mail_that_names_no_match_is_asked_back(club: Club) -> None:
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.tick()
    club.mails()
    vouched = "mx.club.example; dmarc=pass header.from=home.example"
    club.write("Anna", "passe", Authentication_Results=vouched)
    club.tick()
    answer = text(club.mail("anna"))
    assert one in answer
    assert two in answer


def test_the_order_is_found_above_the_quoted_mail(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    sent = club.mail("anna")
    club.mails()
    part = sent.get_body(("plain",))
    assert part is not None
    quoted = "\n".join("> " + line for line in part.get_content().splitlines())
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, f"{move}\n\nAm 20.11.2026 schrieb Testrunde:\n{quoted}", In_Reply_To=sent["Message-ID"])
    club.tick()
    assert club.live(code).last[0][0] == move


@pytest.mark.parametrize("prefix", ["", "> "])
def test_the_whole_mail_of_ours_returned_is_no_order(club: Club, prefix: str) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    sent = club.mail("anna")
    part = sent.get_body(("plain",))
    assert part is not None
    body = "\n".join(prefix + line for line in part.get_content().splitlines())
    club.order("Anna", code, 0, body, In_Reply_To=sent["Message-ID"])
    club.tick()
    assert club.row(code).entries == 0


def test_the_same_mail_twice_is_one_order(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    data = club.order("Anna", code, 0, "passe")
    from moderator.mail.maildir import deliver

    deliver(club.config.path(club.config.maildir.inbox), data)
    club.tick()
    assert club.row(code).entries == 1


def test_help_and_status(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "HILFE")
    club.order("Bert", code, 1, "status")
    club.tick()
    assert "tausche" in text(club.mail("anna"))
    assert " ".join(club.live(code).table.state.hands[1]) in text(club.mail("bert"))
    assert club.row(code).entries == 0


def test_the_receipt_says_what_became_of_every_alternative(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    move = club.moves(code, 0)[0]
    club.order("Anna", code, 0, f"E5 w XQXQ\nsonst {move}\nsonst passe")
    club.tick()
    answer = text(club.mail("anna"))
    points = club.live(code).last[0][1]
    assert "geht jetzt nicht" in answer
    assert f"1. Ersatzzug: gilt, bringt jetzt {points} Punkte" in answer
    assert "2. Ersatzzug: nicht mehr gebraucht" in answer
