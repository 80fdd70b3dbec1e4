"""The whole desk as a target: a player's or the moderator's mail is handled and everything it led to is undone."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from moderator.club.desk import Desk
from moderator.club.run_cache import RunCache
from moderator.club.tokens import moderator_token
from moderator.inbox.handle import handle
from moderator.store.db import Store, open_store
from moderator.store.models import Inbox
from tests.club.club import Club, make_club, plain_boards


class _UndoneError(Exception):
    """Raised to end the transaction."""


@cache
def _club() -> tuple[Club, Store, dict[str, str]]:
    """A club with matches of several kinds, its open database, and who writes to which address."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    club = make_club(folder / "club")
    club.players("Anna", "Bert", "R2D2", Bert="en")
    plain_boards(club)
    codes = [
        club.match("Anna", "Bert"),
        club.match("Anna", "Bert", game="tridom"),
        club.match("Anna", "Bert", game="recht"),
    ]
    club.tick()
    local = {
        f"{name} {n}": f"games+{code}-{club.token(code, seat)}"
        for n, code in enumerate(codes)
        for seat, name in enumerate(("anna", "bert"))
    }
    with club.desk() as desk:
        local["boss"] = f"games+BOSS-{moderator_token(desk.session)}"
    local["plain"] = "games"
    return club, open_store(club.config.path(club.config.store.path)), local


def handled(writer: str, text: str) -> None:
    """Handle a mail with that text; its first line may be the subject."""
    club, store, addresses = _club()
    sender = "boss@club.example" if writer == "boss" else f"{writer.partition(' ')[0]}@home.example"
    subject, _, body = text.partition("\n") if len(text) % 3 == 0 else ("", "", text)
    head = (
        f"From: {sender}\nTo: {addresses.get(writer, 'games')}@club.example\nMessage-ID: <fuzz@home.example>\n"
        f"Authentication-Results: mx.club.example; dkim=pass header.d=home.example\n"
        f"Subject: {' '.join(subject[:200].split())}\nContent-Type: text/plain; charset=utf-8\n\n"
    )
    raw = (head + body).encode("utf-8", "surrogatepass")
    try:
        with store.transaction() as session:
            row = Inbox(digest="fuzz", received_at=club.now, taken_at=club.now, size=len(raw), raw=raw)
            session.add(row)
            session.flush()
            handle(Desk(club.config, session, club.now, RunCache(club.config), row))
            session.flush()
            assert row.state != "quarantine"
            raise _UndoneError
    except _UndoneError:
        pass
