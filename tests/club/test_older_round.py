"""An answer to the mail of a round that is over names places that are gone: it is asked about, not played."""

from __future__ import annotations

import pytest
from sqlmodel import select

from moderator import games
from moderator.mail.model import Line
from moderator.match.decision import NotPossible
from moderator.play.orders import order
from moderator.store.models import Match
from tests.club.club import Club, text


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(games.REGISTRY))
def test_an_answer_to_an_older_round_is_asked_about_where_rounds_are_dealt_anew(club: Club, key: str) -> None:
    code = club.match("Anna", "Bert", game=key, seed=lambda match: bytes(32))
    number = club.live(code).table.state.to_move[0]
    move = (club.moves(code, number) or ["passe"])[0]
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        seat, player = desk.seated(match)[number]
        live = desk.cache.live(desk.session, match)
        object.__setattr__(live.table.state.public, "round", 2)
        for answered, asked in ((1, games.load(key).seeded_rounds), (2, False), (0, False)):
            read = order(desk, player, match, live, seat, [Line(1, move)], answered)
            codes = [note.code for line in read.lines for note in line.notes]
            assert ("older-round" in codes) is asked
            if asked:
                assert read.decided == NotPossible()
        desk.session.rollback()


@pytest.mark.slow
def test_by_mail_the_question_can_be_answered(club: Club) -> None:
    code = club.match("Anna", "Bert", game="dominos", seed=lambda match: bytes(32))
    club.tick()
    start = club.mail("Anna")["Message-ID"]
    for _ in range(80):
        state = club.live(code).table.state
        if state.public.round == 2 and 0 in state.to_move:
            break
        seat = state.to_move[0]
        club.order(["Anna", "Bert"][seat], code, seat, club.moves(code, seat)[0])
        club.tick()
    club.mails()
    move, before = club.moves(code, 0)[0], club.row(code).entries
    club.order("Anna", code, 0, move, In_Reply_To=start)
    club.tick()
    asked = club.mail("Anna")
    assert club.row(code).entries == before
    assert "Du antwortest auf die Mail zu Runde 1; gespielt wird Runde 2." in text(asked)
    club.order("Anna", code, 0, move, In_Reply_To=asked["Message-ID"], References=f"{start} {asked['Message-ID']}")
    club.tick()
    assert club.row(code).entries == before + 1
