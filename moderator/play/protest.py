"""Protests: a player objects to what was reported last; the moderator answers by mail or by
`moderator match rule-protest`, and everybody reads the ruling. What a ruling takes back, the moderator takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.club.log import enter
from moderator.errors import Impossible, OperatorError
from moderator.mail.model import Line
from moderator.match.contract import Note, view_for
from moderator.match.replay import Entry
from moderator.outbox.post import moderator, new_page, reader, reply_to
from moderator.outbox.tell import To, tell
from moderator.pages.content import Objection
from moderator.pages.messages import sentence
from moderator.pages.pages import PressItem
from moderator.printable import clean
from moderator.states import EntryKind, MailKind, MatchStatus
from moderator.store import events, protests
from moderator.store.models import Match, Player, Protest

REPORTED = (
    EntryKind.MOVE,
    EntryKind.EVALUATE,
    EntryKind.MISS,
    EntryKind.UNDO,
    EntryKind.RETIRE,
    EntryKind.HAND_OVER,
    EntryKind.STOP,
)
"""Log entries that a report came of."""
LONGEST = 1000
"""Characters of a ruling's reason."""
MODERATOR = -1
"""No seat: the reader is none of the players."""
_YES = (
    r"statt\s?gegeben|ich gebe (?:ihm |dem )?statt|angenommen|berechtigt"
    r"|upheld|uphold|granted|sustained|ja|yes"
)
_NO = r"abgelehnt|ablehnen|zur(?:ü|ue)ckgewiesen|unberechtigt|denied|deny|rejected|dismissed|overruled|nein|no"
_ANSWER = re.compile(
    rf"\W*(?:(?:der |the )?(?:einspruch|protest)\s*(?:nr\.?|no\.?|#)?\s*\d*\W*(?:wird |ist |is )?)?"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b\W*(?P<why>.*)",
    re.IGNORECASE | re.DOTALL,
)


def lodge(desk: Desk, match: Match, live: LiveMatch, seat: int, player: Player, text: str) -> Protest:
    """Keep a protest and put it to the moderator. Raises Impossible("protest-too-early", "protest-too-late",
    "protest-open")."""
    _check_time(desk, match, live)
    if protests.waits(desk.session, match.number, player.number):
        raise Impossible("protest-open")
    row = Protest(
        match_id=match.number,
        player_id=player.number,
        round=live.table.state.public.round,
        text=text,
        token=tokens.new_token(),
        at=desk.now,
    )
    desk.session.add(row)
    desk.session.flush()
    enter(desk, match, live, Entry(EntryKind.PROTEST, seat, text))
    _ask(desk, match, live, row, (_about(desk, match, row),))
    return row


def _check_time(desk: Desk, match: Match, live: LiveMatch) -> None:
    if not events.has(desk.session, match.number, REPORTED):
        raise Impossible("protest-too-early")
    end = match.deadline
    if match.status == MatchStatus.FINISHED and match.finished_at is not None:
        end = match.finished_at + timedelta(days=live.terms.days)
    if end is not None and desk.arrived > end and not match.held:
        raise Impossible("protest-too-late", until=end)


def _about(desk: Desk, match: Match, row: Protest) -> Note:
    name = desk.session.get_one(Player, row.player_id).name
    return Note("protest-about", {"name": name, "match": match.code, "match_name": match.name, "number": str(row.id)})


def _ask(desk: Desk, match: Match, live: LiveMatch, row: Protest, notes: tuple[Note, ...], ruled: bool = False) -> None:
    """Put it to the moderator, with the board as everybody sees it and what each seat played last."""
    from moderator.outbox.match_pages import match_info, seat_lines

    boss = moderator(desk)
    page = new_page(
        desk,
        MailKind.PROTEST,
        boss,
        match=match_info(match, live, boss.language),
        reply=reply_to(desk, tokens.PROTEST, row.token),
        notes=notes,
        press=(_item(desk, row, boss.language),),
        scene=live.game.scene(view_for(live.table.state, None)),
        seats=seat_lines(live, MODERATOR, desk.players(match)),
        names=tuple(player.name for player in desk.players(match)),
        content=Objection(ruled),
    )
    tell(desk, To(), page, answers=ruled)


def _item(desk: Desk, row: Protest, language: str) -> PressItem:
    by = desk.session.get_one(Player, row.player_id).name
    return PressItem(by, row.text, (sentence(Note("to-the-moderator"), language),))


def read_answer(lines: Sequence[Line]) -> tuple[bool, str] | None:
    """(upheld, reason) from the moderator's lines; None when they say neither. Lines below the word belong to the
    reason."""
    for number, line in enumerate(lines):
        found = _ANSWER.fullmatch(line.text[:LONGEST])
        if found is not None:
            rest = [found["why"], *(after.text for after in lines[number + 1 :])]
            return found["yes"] is not None, clean(" ".join(rest).lstrip(" .:,;-–"), LONGEST)
    return None


def take_answer(desk: Desk, row: Protest, lines: Sequence[Line]) -> None:
    """The moderator's mail about a protest; asked again when it was not understood."""
    match = desk.session.get_one(Match, row.match_id)
    live = desk.cache.live(desk.session, match)
    answer = read_answer(lines)
    if row.answered_at is not None:
        note = Note("protest-was-ruled", {"at": row.answered_at})
    elif answer is None:
        note = Note("protest-not-understood")
    else:
        rule(desk, row, *answer)
        note = Note("protest-ruled-upheld" if row.upheld else "protest-ruled-denied", {"match": match.code})
    _ask(desk, match, live, row, (_about(desk, match, row), note), ruled=row.answered_at is not None)


def rule(desk: Desk, row: Protest, upheld: bool, reason: str) -> None:
    """Enter the ruling and tell all players. Raises OperatorError for a protest that was ruled on before."""
    match = desk.session.get_one(Match, row.match_id)
    if row.answered_at is not None:
        raise OperatorError(f"Protest {row.id} was ruled on before.", "See `moderator match log`.")
    live = desk.cache.live(desk.session, match)
    row.answered_at, row.upheld, row.answer = desk.now, upheld, clean(reason, LONGEST)
    desk.session.add(row)
    players = desk.players(match)
    seat = next((n for n, player in enumerate(players) if player.number == row.player_id), None)
    said = f"{'upheld' if upheld else 'denied'}: {row.answer}".rstrip(": ")
    enter(desk, match, live, Entry(EntryKind.RULING, seat, said))
    _tell(desk, match, live, row)


def _tell(desk: Desk, match: Match, live: LiveMatch, row: Protest) -> None:
    from moderator.outbox.match_pages import match_info

    by = desk.session.get_one(Player, row.player_id).name
    note = Note("protest-upheld" if row.upheld else "protest-denied", {"name": by, "round": row.round})
    for seat, player in desk.seated(match):
        if player.address is None:
            continue
        boss = sentence(Note("the-moderator"), player.language)
        reason = (PressItem(boss[:1].upper() + boss[1:], row.answer),) if row.answer else ()
        page = new_page(
            desk,
            MailKind.NEWS,
            reader(player),
            match=match_info(match, live, player.language),
            reply=reply_to(desk, match.code, seat.token),
            notes=(note, *((Note("protest-correction"),) if row.upheld else ())),
            press=(_item(desk, row, player.language), *reason),
        )
        tell(desk, To(player, match, seat), page)
