"""After a backlog everybody gets one mail, and it says all that the many would have said."""

from __future__ import annotations

import pytest
from sqlmodel import select

from moderator.club import clock
from moderator.inbox import catching_up
from moderator.pages.notation import in_words
from moderator.store import probe
from moderator.store.models import DeferredNews, Outbox
from tests.club.club import Club, text

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"


def deferred_news(club: Club) -> int:
    with club.desk() as desk:
        return len(desk.session.exec(select(DeferredNews)).all())


def kinds(club: Club) -> list[tuple[str, str]]:
    with club.desk() as desk:
        query = select(Outbox.recipient, Outbox.kind).where(Outbox.kind != "start").order_by(Outbox.id)
        return [(to.partition("@")[0], kind) for to, kind in desk.session.exec(query)]


def two_matches(club: Club) -> list[str]:
    codes = [club.match("Anna", "Bert") for _ in range(2)]
    club.tick()
    club.mails()
    club.wait(minutes=5)
    return codes


def test_one_mail_each_with_a_receipt_of_every_mail(club: Club) -> None:
    codes = two_matches(club)
    moves = [club.moves(code, 0)[0] for code in codes]
    for code, move in zip(codes, moves, strict=True):
        club.wait(minutes=5)
        club.order("Anna", code, 0, move)
    club.order("Anna", codes[0], 0, "A1 waagrecht QQQ X")
    club.tick()
    assert kinds(club) == [("anna", "backlog"), ("bert", "backlog")]
    anna, bert = text(club.mail("anna")), text(club.mail("bert"))
    assert anna.startswith("Alle Post ist gelesen. ")
    assert anna.index(moves[0]) < anna.index("A1 waagrecht QQQ X")
    assert "So schreibt man es zum Beispiel" in anna
    for code, move in zip(codes, moves, strict=True):
        assert f"zu {code} " in anna
        assert f"({code})" in bert
        assert in_words(move.split(" (")[0], "en", "topwords") in bert
    assert bert.startswith("All mail has been read, it is your turn in 2 matches. ")
    assert deferred_news(club) == 0


def test_one_thing_to_tell_is_the_ordinary_mail(club: Club) -> None:
    codes = two_matches(club)
    move = club.moves(codes[0], 0)[0]
    club.order("Anna", codes[0], 0, move)
    for _ in range(2):
        club.write("stranger@else.example", "Hallo")
    club.tick()
    assert [kind for kind in kinds(club) if kind[0] in ("anna", "bert")] == [("anna", "turn"), ("bert", "turn")]
    anna = club.mail("anna")
    assert text(anna).startswith("Dein Zug zählt")
    assert anna["In-Reply-To"] == "<test-1@home.example>"
    bert = text(club.mail("bert"))
    assert bert.startswith("Your turn: Topwords “Arratia”")
    assert in_words(move.split(" (")[0], "en", "topwords") in bert


def test_what_is_asked_for_often_is_answered_once_as_things_stand(club: Club) -> None:
    codes = two_matches(club)
    for _ in range(3):
        club.order("Anna", codes[0], 0, "HILFE")
        club.order("Anna", codes[0], 0, "Brett")
    club.order("Anna", codes[0], 0, "Verlauf")
    club.order("Anna", codes[0], 0, club.moves(codes[0], 0)[0])
    club.tick()
    mine = [kind for who, kind in kinds(club) if who == "anna"]
    assert sorted(mine) == ["help", "history", "turn"]
    assert club.moves(codes[0], 1)


def test_an_ask_alone_is_answered_by_its_own_mail(club: Club) -> None:
    codes = two_matches(club)
    for _ in range(4):
        club.order("Anna", codes[0], 0, "Brett")
    club.tick()
    assert kinds(club) == [("anna", "board")]


def test_a_wrong_ask_is_explained(club: Club) -> None:
    codes = two_matches(club)
    for _ in range(3):
        club.order("Anna", codes[0], 0, "Regeln Halma")
    club.tick()
    assert "»Regeln Halma«" in text(club.mail("anna"))


def test_beginnings_ends_and_questions_stay_mails_of_their_own(club: Club) -> None:
    codes = two_matches(club)
    club.order("Anna", codes[0], 0, "passe")
    club.order("Bert", codes[0], 1, "resign " + codes[0])
    club.write("Bert", f"pass {codes[1]}")
    club.tick()
    assert ("anna", "end") in kinds(club)
    assert ("bert", "end") in kinds(club)
    assert ("bert", "confirm") in kinds(club)


def test_a_few_mails_are_answered_as_ever(club: Club) -> None:
    codes = two_matches(club)
    club.order("Anna", codes[0], 0, "passe")
    club.order("Anna", codes[1], 0, "passe")
    club.tick()
    assert sorted(kinds(club)) == [("anna", "turn")] * 2 + [("bert", "turn")] * 2


def test_after_an_outage_few_mails_are_enough(club: Club) -> None:
    codes = two_matches(club)
    club.wait(days=5, away=True)
    club.order("Anna", codes[0], 0, "passe")
    club.tick()
    assert sorted(kinds(club)) == [("anna", "backlog"), ("bert", "turn"), ("boss", "notice")]
    anna = text(club.mail("anna"))
    assert anna.count("verschoben") >= 1


def test_a_run_that_dies_is_continued(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = two_matches(club)
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    with monkeypatch.context() as dying:

        def dies(*_: object) -> None:
            raise KeyboardInterrupt

        dying.setattr(catching_up, "tell", dies)
        with pytest.raises(KeyboardInterrupt):
            club.tick()
    assert deferred_news(club) == 5
    assert kinds(club) == []
    assert probe.look(club.config.database, club.now, club.config.guard.settle, club.now).due
    club.order("Bert", codes[0], 1, "pass")  # the next run has one mail only, and still catches up
    club.tick()
    assert sorted(kinds(club)) == [("anna", "backlog"), ("anna", "help"), ("bert", "backlog")]
    assert deferred_news(club) == 0


def test_a_mail_that_cannot_be_made_keeps_nobody_else_waiting(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = two_matches(club)
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    real = catching_up.tell
    monkeypatch.setattr(catching_up, "tell", lambda desk, number: 1 // 0 if number == 1 else real(desk, number))
    (trouble,) = club.tick().troubles
    assert "ZeroDivisionError" in trouble
    assert kinds(club) == [("bert", "backlog")]
    monkeypatch.undo()
    club.tick()
    assert {kind for who, kind in kinds(club) if who == "anna"} == {"backlog", "help"}


def test_what_was_undone_meanwhile_is_not_told_as_a_move(club: Club) -> None:
    codes = two_matches(club)
    move = club.moves(codes[0], 0)[0]
    club.order("Anna", codes[0], 0, move)
    club.order("Anna", codes[0], 0, "Zug zurück")
    club.order("Bert", codes[0], 1, "agree")
    club.tick()
    assert club.live(codes[0]).table.state.to_move == (0,)
    bert = text(club.mails("bert")[-1])
    assert f"Anna plays »{in_words(move.split(' (')[0], 'en', 'topwords')}«" not in bert
    assert [kind for who, kind in kinds(club) if who == "anna"] == ["backlog"]


def test_a_turn_begins_with_the_one_mail(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = two_matches(club)
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    monkeypatch.setattr(catching_up, "tell", lambda desk, number: False)
    club.tick()
    monkeypatch.undo()

    def begun() -> object:
        match = club.row(codes[0])
        with club.desk() as desk:
            return clock.accepted(desk, match, desk.players(match)[1])

    assert begun() is None
    club.wait(days=2)
    club.tick()
    assert begun() == club.now


def test_watchers_and_letters_are_in_it(club: Club) -> None:
    codes = two_matches(club)
    club.write("Cici", f"Zuschauen {codes[0]}", Authentication_Results=VOUCHED)
    club.tick()
    club.mails()
    club.order("Anna", codes[0], 0, "passe\nPresse an alle:\nBis bald!\nEnde")
    club.order("Bert", codes[0], 1, "pass\npress now to all:\nSee you!\nend")
    club.order("Anna", codes[0], 0, "Presse an Spielleiter:\nHallo Chef\nEnde")
    club.tick()
    cici = club.mail("cici")
    assert "Bis bald!" in text(cici)
    assert "See you!" in text(cici)
    assert "Bis bald!" in text(club.mail("bert"))
    assert "See you!" in text(club.mail("anna"))
    assert "Hallo Chef" in text(club.mail("boss"))


def test_the_moderator_gets_one_notice_of_many(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.inbox import handle

    def fails(*_: object) -> None:
        raise RuntimeError("no")

    two_matches(club)
    monkeypatch.setattr(handle, "identify", fails)
    count = catching_up.MOST_NOTICES + 10
    for number in range(count):
        club.write("Anna", f"Mail {number}")
    assert len(club.tick().quarantined) == count
    notice = text(club.mail("boss"))
    assert notice.count("moderator quarantine show") == catching_up.MOST_NOTICES
    assert "noch 10 Meldungen" in notice


@pytest.mark.matrix("backlog")
def test_many_mails_of_one_player_are_counted(club: Club) -> None:
    codes = two_matches(club)
    for number in range(130):
        club.order("Anna", codes[0], 0, f"Hallo zum {number}. Mal")
    club.tick()
    anna = text(club.mail("anna"))
    assert "30 weiteren Mails" in anna
    assert anna.count("Deine Mail von") == 100


@pytest.mark.slow
def test_above_the_daily_cap_there_is_no_mail_without_news(club: Club) -> None:
    object.__setattr__(club.config.mail, "replies_per_day", 6)
    codes = two_matches(club)
    cap = club.config.mail.replies_per_day
    for number in range(cap + 5):
        for _ in range(3):
            club.order("Anna", codes[0], 0, f"Hallo {number}")
        club.tick()
    assert len(club.mails("anna")) == cap
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "Hallo")
    club.tick()
    assert len(club.mails("anna")) == 1
