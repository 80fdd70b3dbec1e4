"""Spectators: every report, nothing that not everybody may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator import games
from moderator.commands.declaration import find
from moderator.match import rng
from moderator.match.contract import Game
from moderator.store.models import Watcher
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.test_hidden_tiles import CODE, WRONG, Worlds, fixed, other, worlds
from tests.club.tile_club import NAMES, TILE_GAMES

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
__all__ = ["fixed"]


def cici_writes(club: Club, body: str) -> None:
    club.write("Cici", body, Authentication_Results=VOUCHED)
    assert not club.tick().quarantined


@pytest.fixture
def code(club: Club) -> str:
    plain_boards(club)
    made = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    return made


def test_every_report_until_the_end(club: Club, code: str) -> None:
    cici_writes(club, f"Zuschauen {code}")
    first = club.mail("cici")
    assert str(first["Reply-To"]) == "games@club.example"
    assert code in str(first["Subject"])
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, club.moves(code, seat)[0])
        club.tick()
        club.mail("cici")
    club.order("Anna", code, 0, f"Aufgeben {code}")
    club.tick()
    assert "zu Ende" in str(club.mail("cici")["Subject"])


def test_the_players_read_of_it_once(club: Club, code: str) -> None:
    cici_writes(club, f"watch {code}")
    club.mails()
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert ["Cici" in text(club.mail(name)) for name in ("anna", "bert")] == [True, True]
    club.order("Bert", code, 1, "pass")
    club.tick()
    assert ["Cici" in text(club.mail(name)) for name in ("anna", "bert")] == [False, False]


def test_no_token_and_no_rack(club: Club, code: str) -> None:
    cici_writes(club, f"Zuschauen {code}")
    club.order("Anna", code, 0, "passe")
    club.tick()
    held = ["".join(hand) for hand in club.live(code).table.state.hands]
    for mail in club.mails("cici"):
        raw = mail.as_string() + text(mail)
        for seat in (0, 1):
            assert club.token(code, seat) not in raw
            assert " ".join(held[seat]) not in raw
        assert "Deine Steine" not in raw


def test_enough_seen(club: Club, code: str) -> None:
    cici_writes(club, f"Zuschauen {code}")
    cici_writes(club, f"Nicht mehr zuschauen {code}")
    club.mails()
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.mails("cici") == []


def test_nobody_watches_a_match_of_their_own(club: Club, code: str) -> None:
    club.write("Anna", f"Zuschauen {code}", Authentication_Results=VOUCHED)
    cici_writes(club, f"Zuschauen {code}")
    club.order("Bert", code, 1, f"Resign {code}")
    club.tick()
    with club.desk() as desk:
        assert len(desk.session.exec(select(Watcher)).all()) == 1
    third = club.match("Anna", "Bert", "Cici")
    club.write("Cici", f"watch {third}", Authentication_Results=VOUCHED)
    club.tick()
    with club.desk() as desk:
        assert len(desk.session.exec(select(Watcher)).all()) == 1


def test_who_takes_a_seat_watches_no_more(club: Club) -> None:
    plain_boards(club)
    code = _three(club)
    cici_writes(club, f"Zuschauen {code}")
    club.order("Bert", code, 1, f"Resign {code}")
    club.tick()
    cici_writes(club, f"Übernehmen {code}")
    with club.desk() as desk:
        assert desk.session.exec(select(Watcher)).first() is None


def _three(club: Club) -> str:
    club.players("Dora")
    plain_boards(club)
    return club.match("Anna", "Bert", "Dora")


def test_their_moves_are_not_taken(club: Club, code: str) -> None:
    cici_writes(club, f"Zuschauen {code}")
    club.mails()
    cici_writes(club, f"{code}: passe")
    assert club.live(code).table.state.to_move == (0,)


def test_a_watcher_with_a_daily_mail_reads_a_line_there(club: Club, code: str) -> None:
    cici_writes(club, "Sammelmail an")
    cici_writes(club, f"Zuschauen {code}")
    club.mails()
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.mails("cici") == []
    club.wait(days=1)
    club.tick()
    assert code in text(club.mail("cici"))


def test_its_words_are_found() -> None:
    for line in (f"Zuschauen {CODE}", f"watch {CODE}", f"Zuschauen bei Partie {CODE}"):
        found = find(line)
        assert found is not None, line
        assert found[0].name == "watch"
    for line in (f"nicht mehr zuschauen {CODE}", f"stop watching {CODE}", "Nicht mehr zuschauen"):
        found = find(line)
        assert found is not None, line
        assert found[0].name == "unwatch"


def watched(club: Club, game: Game[Any, Any], world: Worlds) -> Iterator[bytes]:
    """All mails to somebody who watches a match in one world."""
    club.players(*NAMES[:2], "Zuschauerin")
    code = club.match(*NAMES[:2], game=game.key, seed=lambda match: world.seed)
    club.write("Zuschauerin", f"Zuschauen {code}", Authentication_Results=VOUCHED)
    for move in (*world.moves, ""):
        club.tick()
        # Wrong orders name tiles that nobody has seen; their receipts go to who wrote them.
        club.order(NAMES[world.reader], code, world.reader, "\n".join(WRONG[game.key](t) for t in world.unseen[:20]))
        club.write("Zuschauerin", f"Zuschauen {code}", Authentication_Results=VOUCHED)
        club.tick()
        if move:
            seat = club.live(code).table.state.to_move[0]
            club.order(NAMES[seat], code, seat, move)
            club.tick()
    for mail in club.mails("zuschauerin@"):
        yield mail.as_bytes()


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", TILE_GAMES)
def test_hidden_tiles_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixed: Callable[[], None], game: str
) -> None:
    """What one player cannot see nobody who watches can see either."""
    rules = games.load(game)
    world = worlds(rules, 0)
    fixed()
    ours = list(watched(make_club(tmp_path / "ours"), rules, world))
    real = rng.shuffler
    monkeypatch.setattr(rng, "shuffler", lambda *values: other(real(*values), world.exchanged))
    fixed()
    theirs = list(watched(make_club(tmp_path / "theirs"), rules, world))
    assert len(ours) == len(theirs) >= len(world.moves)
    for mine, yours in zip(ours, theirs, strict=True):
        assert mine == yours
