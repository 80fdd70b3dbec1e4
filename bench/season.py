"""1,000 order mails in 100 matches, through real Dovecot and real Postfix, against the same bytes with no game at all.

They come by 50 and are handled by 20 ticks, because more than 100 at once are a backlog, which is answered otherwise.
Floor: fetch the same mails by 50, parse them, send the very bytes that the moderator sent, move the mails; measured
in the same run with the same connections. Targets: boards as tables, at least 40 % of the floor's mails per second;
boards as pictures, at most 1.3 times (the floor and drawing each new position once).
"""

from __future__ import annotations

import email
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sqlmodel import col, select

from bench.servers import running
from bench.target import at_least, at_most
from moderator.cli.init import create_database
from moderator.cli.session import open_club
from moderator.common.mails import Ready, Sent
from moderator.mail.imap import ImapMailbox
from moderator.mail.smtp import SmtpSender
from moderator.render import boards as pictures
from moderator.rules import table
from moderator.rules.robots import choose
from moderator.rules.state import view_for
from moderator.run.tick import run_tick
from moderator.service.create import add_player, create_match
from moderator.service.match.start import start_match
from moderator.settings import Config, load_config
from moderator.store.tables import MatchRow, OutboxBody, OutboxRow
from moderator.views.loaded_match import build_match_context, load_match_rules
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.build.sources import build_quick_lexicon
from tests.e2e.server_club import CONFIG
from tests.servers import DOMAIN, PASSWORD
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

MATCHES, ORDERS, PLAYERS = 100, 10, 50
AT_ONCE = 50
"""Mails in a delivery."""
T = TypeVar("T")


@dataclass
class Season:
    """One club with all its order mails prepared."""

    config: Config
    box: Box
    mails: list[bytes]
    scenes: list[object]
    """Each new position's drawing."""


def run(matches: int = MATCHES, boards: Sequence[str] = ("table", "png")) -> None:
    with running() as servers, tempfile.TemporaryDirectory() as name:
        dovecot, postfix = servers.dovecot, servers.postfix
        for board in boards:
            folder = Path(name) / board
            folder.mkdir()
            season = _prepare(folder, dovecot, postfix, board, matches)
            ours, sent = _play(season)
            floor = _floor(season, sent, dovecot, postfix)
            mails = len(season.mails) + len(sent)
            print(f"  boards as {board}: {len(season.mails)} mails in, {len(sent)} out")
            print(f"    moderator {ours:6.2f} s  {mails / ours:6.0f} mails/s")
            print(f"    no game   {floor:6.2f} s  {mails / floor:6.0f} mails/s")
            if board == "table":
                at_least("beside no game, boards as tables", floor / ours, 0.4)
            else:
                drawing = _draw(season)
                print(f"    drawing {len(season.scenes)} positions once: {drawing:.2f} s")
                at_most("beside no game and drawing, boards as pictures", ours / (floor + drawing), 1.3)


def _prepare(folder: Path, dovecot: Dovecot, postfix: Postfix, board: str, matches: int) -> Season:
    box = Box(dovecot)
    file = folder / "moderator.toml"
    values = {
        "boss": "playerboss", "user": box.user, "host": dovecot.host, "imap_port": dovecot.imap_port,
        "smtp_port": postfix.smtp_port, "imap_ca": dovecot.ca_file, "smtp_ca": postfix.ca_file,
        "password": PASSWORD, "security": "starttls",
    }  # fmt: skip
    file.write_text(CONFIG.format(**values), encoding="utf-8")
    config = load_config(file)
    create_database(config)
    build_quick_lexicon(folder / "lexicons")
    with open_club(file) as work:
        players = [
            add_player(work.session, f"Player {n}", f"player{n}@{DOMAIN}", work.now, board=board)
            for n in range(PLAYERS)
        ]
        for n in range(matches):
            pair = [players[(2 * n) % PLAYERS], players[(2 * n + 1) % PLAYERS]]
            start_match(
                work,
                create_match(work, "topwords", f"Match {n}", pair, {"pass_rounds": 100}),
                seed=bytes([n]) * 32,
            )
        mails, scenes = _orders(work)
    run_tick(config)  # the starting mails go out before the clock runs
    return Season(config, box, mails, scenes)


def _orders(work: UnitOfWork) -> tuple[list[bytes], list[object]]:
    """Ten orders of three alternatives for each match, one after the other, as mails of 1 to 2 kB with a quote."""
    rounds: list[list[bytes]] = [[] for _ in range(ORDERS)]
    scenes: list[object] = []
    for match in work.session.exec(select(MatchRow).order_by(col(MatchRow.id))).all():
        game, options = load_match_rules(match)
        seats = [seat for seat, _ in work.list_seated(match)]
        players = work.list_players(match)
        context = replace(build_match_context(match), words=work.cache.get_dictionary(options))
        state, _ = table.open_match_state(game, len(seats), options, context)
        for number in range(ORDERS):
            seat = state.state.to_move[0]
            moves = [text for text, _ in choose.rank_moves(game, state.state, seat, context)[:3]]
            text = "\r\n".join([*moves[:1], *(f"Ersatz: {move}" for move in moves[1:])]) or "passe"
            state, _ = table.try_order(game, state, seat, "; sonst ".join(moves) or "passe", context)
            scenes.append(game.build_scene(view_for(state.state, None)))
            head = (
                f"From: {players[seat].name} <{players[seat].address}>\r\nTo: {work.config.mail.address}\r\n"
                f"Subject: Re: [{match.code}-{seats[seat].token}] Topwords\r\n"
                f"Message-ID: <{match.code}.{number}@home.example>\r\nDate: Fri, 20 Nov 2026 12:00:00 +0000\r\n"
            )
            quote = "\r\n".join(f"> {n}  .   .   .   .   .   .   .   .   .   ." for n in range(20))
            body = f"{text}\r\n\r\nAm 20.11.2026 um 10:15 schrieb Testrunde:\r\n{quote}\r\n"
            rounds[number].append(f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{body}".encode())
    return [mail for mails in rounds for mail in mails], scenes


def _play(season: Season) -> tuple[float, list[Ready]]:
    took = 0.0
    for mails in _deliveries(season.mails):
        season.box.deliver(*mails)
        began = time.perf_counter()
        summary = run_tick(season.config)
        took += time.perf_counter() - began
        if summary.handled != len(mails) or summary.troubles or summary.away or summary.quarantined:
            sys.exit(f"the run was not clean: {summary}")
    with open_club(season.config.file) as work:
        query = (
            select(OutboxRow.id, OutboxRow.recipient, OutboxBody.raw).join(OutboxBody).where(OutboxRow.kind != "start")
        )
        rows = work.session.exec(query.order_by(col(OutboxRow.id))).all()
        if len(rows) < len(season.mails):
            sys.exit(f"{len(season.mails)} orders led to {len(rows)} mails only: not each was answered")
        return took, [Ready(number or 0, season.config.mail.address, to, raw) for number, to, raw in rows]


def _deliveries(mails: list[T]) -> list[list[T]]:
    return [mails[at : at + AT_ONCE] for at in range(0, len(mails), AT_ONCE)]


def _floor(season: Season, sent: list[Ready], dovecot: Dovecot, postfix: Postfix) -> float:
    """The same bytes through the same servers and libraries, with nothing in between."""
    box = Box(dovecot)
    config = replace(season.config.imap, user=box.user)
    deliveries = _deliveries(season.mails)
    share = -(-len(sent) // len(deliveries))
    took = 0.0
    for number, mails in enumerate(deliveries):
        box.deliver(*mails)
        began = time.perf_counter()
        mailbox = ImapMailbox(config)
        keys = []
        for batch in mailbox.fetch(lambda keys: set(), 10**6):
            for mail in batch:
                email.message_from_bytes(mail.data).get_payload(decode=True)
                keys.append(mail.key)
        SmtpSender(season.config.smtp).send(sent[number * share : (number + 1) * share], lambda mail: True, _complain)
        mailbox.file_away(keys, [])
        mailbox.close()
        took += time.perf_counter() - began
    return took


def _complain(sent: Sent) -> None:
    if sent.result != "sent":
        sys.exit(f"the floor's mail was not taken: {sent}")


def _draw(season: Season) -> float:
    pictures.render_board_png.cache_clear()
    began = time.perf_counter()
    for scene in season.scenes:
        pictures.render_board_png(scene, pictures.get_mail_crop(scene))  # type: ignore[arg-type]
    return time.perf_counter() - began


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES, sys.argv[2:] or ("table", "png"))
