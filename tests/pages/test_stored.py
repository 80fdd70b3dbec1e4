"""Orders that are kept: what a mail says of them, and when they are still wanted."""

from dataclasses import replace

import pytest

from moderator.notifications.pages import AlternativeState, DigestNotification, Receipt
from moderator.render.mail import render_mail
from moderator.render.mails.stored_order import (
    consequence_sentence,
    has_pending_order,
    render_stored_order,
)
from moderator.render.mails.subject import build_mail_head
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.outcomes import OrderStored, StandingOrderStored
from moderator.rules.silence import SeatStatus
from tests.pages.sample_club_pages import plain
from tests.pages.sample_pages import arrange, keep, match, turn

BOTH = f"64@L ab 10; sonst 31@R; sonst {AFTER_DRAW_TEXT}"


FAILED = {"stored": keep(BOTH, AlternativeState.ILLEGAL), "status": SeatStatus.ILLEGAL}
DEFERRED = {"stored": keep(BOTH), "status": SeatStatus.DEFERRED}


def said(page):
    return " ".join(render_mail(page).text.split())


def test_a_standing_order_is_told_apart_from_the_moves():
    assert render_stored_order(turn("de", stored=keep(BOTH))) == (
        "Zuerst gilt »64@L ab 10«",
        "Geht das nicht, dann gilt »31@R«",
        "Jedes Mal, wenn du ziehen musst, gilt »nach Ziehen: bester«",
    )
    assert len(render_stored_order(turn("de", stored=keep(AFTER_DRAW_TEXT)))) == 1


def test_in_turn_a_stored_order_that_is_still_there_was_not_possible():
    page = turn("de", **FAILED, reports=(), notes=())
    assert not has_pending_order(page)
    assert build_mail_head(page).headline == "Du bist dran. Zeit hast du bis Montag, 24. November, 20:00 Uhr."
    assert "war jetzt nicht möglich" in consequence_sentence(page)
    assert "Kommt bis Montag, 24. November, 20:00 Uhr kein gültiger Zug von dir" in consequence_sentence(page)
    assert "»64@L ab 10«" in said(page)


def test_in_turn_a_stored_order_that_is_possible_waits():
    page = turn("de", **DEFERRED, reports=(), notes=())
    assert not has_pending_order(page)
    assert build_mail_head(page).headline == "Du bist am Zug, dein gespeicherter Zug wartet"
    assert "Montag, 24. November, 20:00 Uhr" in consequence_sentence(page)
    assert "»FERTIG«" in consequence_sentence(replace(page, deadline=None))
    assert "war jetzt nicht möglich" not in said(page)
    stored = replace(page, kind="receipt", receipt=Receipt(OrderStored()))
    assert build_mail_head(stored).headline == "✓ Gespeichert: »64@L ab 10«."


def test_a_standing_order_alone_is_no_move():
    page = turn("de", stored=keep(AFTER_DRAW_TEXT))
    assert build_mail_head(page).headline == "Anna legt RATTE, 21 Punkte."
    assert consequence_sentence(page).startswith("Kommt bis Montag")
    early = arrange(page, SeatStatus.IDLE, ("Anna",))
    assert consequence_sentence(early) == ""
    assert "Jetzt ist Anna dran. Du musst nichts tun." in said(early)


@pytest.mark.parametrize(
    ("decided", "standing", "your_turn", "headline", "words"),
    [
        (OrderStored(), BOTH, False, "✓ Gespeichert: »64@L ab 10«.", "Du kannst ihn noch ändern"),
        (StandingOrderStored(), AFTER_DRAW_TEXT, False, "✓ Gemerkt für jedes Mal, wenn du ziehen musst.",
         "Das gilt, bis du es mit »ZURÜCKZIEHEN« löschst."),
        (StandingOrderStored(), AFTER_DRAW_TEXT, True, "✓ Gemerkt für jedes Mal, wenn du ziehen musst.",
         "Das gilt, bis du es mit »ZURÜCKZIEHEN« löschst."),
    ],
)  # fmt: skip
def test_receipts_of_what_is_kept(decided, standing, your_turn, headline, words):
    status = SeatStatus.TO_MOVE if your_turn else SeatStatus.IDLE
    page = turn("de", kind="receipt", stored=keep(standing), status=status, receipt=Receipt(decided))
    assert build_mail_head(page).headline == headline
    assert words in consequence_sentence(page)
    assert "gilt dieser Zug, sobald" not in said(page)


def test_while_the_moderator_is_asked_nothing_is_missing():
    page = turn("de", kind="status", stored=keep("E5 w XYLOFON"), status=SeatStatus.ON_HOLD, held=True)
    assert consequence_sentence(page).startswith("Du bekommst Bescheid")


def test_a_daily_mail_counts_what_is_wanted_and_not_what_will_be_tried():
    """One value decides it for the daily mail and for the match's own."""

    def part(code, **more):
        return turn("de", reports=(), notes=(), match=match(code=code), **more)

    def daily(*parts):
        return plain("digest", "de", content=DigestNotification(parts))

    wanted, put_off, failed = part("K7Q2"), part("M4RA", **DEFERRED), part("P8TE", **FAILED)
    assert [page.status.is_wanted for page in (wanted, put_off, failed)] == [True, False, True]
    assert build_mail_head(daily(wanted, put_off, failed)).headline == "Du bist in 2 Partien dran."
    assert build_mail_head(daily(put_off)).headline == "In 1 Partie ging es weiter."
