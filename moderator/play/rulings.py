"""What the moderator rules: on a word that no dictionary settles, and the matches that go on by it; on a protest.

Protests: a player objects to what was reported last; the moderator answers by mail or by
`moderator match rule-protest`, and everybody reads the ruling. What a ruling takes back, the moderator takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from moderator.club import house_list, tokens
from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch
from moderator.errors import Impossible, OperatorError
from moderator.mail.model import Line
from moderator.match.contract import Note, view_for
from moderator.match.replay import Entry
from moderator.outbox.post import moderator, new_page, reader, reply_to
from moderator.outbox.questions import read_answer
from moderator.outbox.tell import To, tell
from moderator.pages.content import Content, Objection, WordAsked, WordRuled
from moderator.pages.messages import sentence
from moderator.pages.pages import PressItem
from moderator.play.announce import announce
from moderator.play.paces import resume, ruled
from moderator.printable import clean
from moderator.states import EntryKind, MailKind, MatchStatus, WordRuling
from moderator.store import events, questions
from moderator.store.models import Match, Player, Protest, Question
from moderator.texts import pattern
from moderator.words.house import Ruling

# ---- words ----


def take_word_answer(desk: Desk, question: Question, lines: Sequence[Line]) -> None:
    """Enter the ruling in the house list and let its match go on; ask again when it was not understood.

    Other matches that wait for the same word go on with the next step of the tick.
    """
    answer = read_answer(lines, question.word)
    match = desk.session.get_one(Match, question.match_id)
    content: Content = WordAsked(question.word, match.code, match.name, match.lexicon)
    if answer:
        ruling, reason = answer
        made = Ruling(word=question.word, ruling=ruling, reason=reason, date=desk.now.date().isoformat())
        house_list.enter(desk, made)
        question.ruling, question.answered_at = WordRuling(answer[0]), desk.now
        desk.session.add(question)
        content = WordRuled(question.word, question.ruling, reason)
        desk.session.flush()
        release(desk, match.number)
    page = new_page(
        desk,
        MailKind.RULED if answer else MailKind.RULING,
        moderator(desk),
        reply=reply_to(desk, tokens.WORD, question.token),
        notes=() if answer else (Note("ruling-not-understood"),),
        deadline=match.deadline,
        content=content,
    )
    tell(desk, To(), page, answers=True)


def release(desk: Desk, match_id: int) -> None:
    """Try a held match again, and mail everybody if it goes on; if a word is still open, it is held as before. Of a
    round that is not evaluated yet, tell those whose order is impossible by the ruling."""
    match = desk.session.get_one(Match, match_id)
    live = desk.cache.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        return
    act = resume if match.held else ruled
    act(desk, match, live)
    announce(desk)


# ---- protests ----


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
LONGEST_PROTEST = 1000
"""Characters of a ruling's reason."""
MODERATOR = -1
"""No seat: the reader is none of the players."""
_YES, _NO, _PROTEST, _NUMBER, _IS = (
    pattern(Path(__file__).parent, f"protest-{key}") for key in ("yes", "no", "called", "number", "is")
)
_ANSWER = re.compile(
    rf"\W*(?:{_PROTEST}\s*(?:{_NUMBER}|#)?\s*\d*\W*(?:{_IS} )?)?"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b\W*(?P<why>.*)",
    re.IGNORECASE | re.DOTALL,
)


def lodge(desk: Desk, match: Match, live: LiveMatch, seat: int, player: Player, text: str) -> Protest:
    """Keep a protest and put it to the moderator. Raises Impossible("protest-too-early", "protest-too-late",
    "protest-open")."""
    _check_time(desk, match, live)
    if questions.protest_waits(desk.session, match.number, player.number):
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


def read_ruling(lines: Sequence[Line]) -> tuple[bool, str] | None:
    """(upheld, reason) from the moderator's lines; None when they say neither. Lines below the word belong to the
    reason."""
    for number, line in enumerate(lines):
        found = _ANSWER.fullmatch(line.text[:LONGEST_PROTEST])
        if found is not None:
            rest = [found["why"], *(after.text for after in lines[number + 1 :])]
            return found["yes"] is not None, clean(" ".join(rest).lstrip(" .:,;-–"), LONGEST_PROTEST)
    return None


def take_protest_answer(desk: Desk, row: Protest, lines: Sequence[Line]) -> None:
    """The moderator's mail about a protest; asked again when it was not understood."""
    match = desk.session.get_one(Match, row.match_id)
    live = desk.cache.live(desk.session, match)
    answer = read_ruling(lines)
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
    row.answered_at, row.upheld, row.answer = desk.now, upheld, clean(reason, LONGEST_PROTEST)
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
