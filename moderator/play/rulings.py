"""What the moderator rules: on a word that no dictionary settles, and the matches that go on by it; on a protest.

Protests: a player objects to what was reported last; the moderator answers by mail or by
`moderator match rule-protest`, and everybody reads the ruling. What a ruling takes back, the moderator takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from moderator.club import house_list, match_rulings, tokens
from moderator.club.desk import Desk, enter
from moderator.club.endings import ending_of
from moderator.club.live_match import LiveMatch
from moderator.club.referees import Official, in_charge
from moderator.errors import Impossible, OperatorError
from moderator.mail.model import Line
from moderator.match.contract import Note, view_for
from moderator.match.replay import Entry
from moderator.outbox.match_pages import match_info, seat_lines
from moderator.outbox.post import new_page, official_page, reader, reply_to
from moderator.outbox.press import TO_CHIEF, TO_REFEREE
from moderator.outbox.questions import own_reply, read_answer
from moderator.outbox.tell import To, tell, tell_official
from moderator.pages.content import Content, Objection, WordAsked, WordRuled
from moderator.pages.messages import sentence
from moderator.pages.pages import PressItem
from moderator.play.announce import announce
from moderator.play.paces import resume, ruled
from moderator.printable import clean
from moderator.states import EntryKind, MailKind, MatchStatus, MatterKind, WordRuling
from moderator.store import events, questions
from moderator.store.models import Match, Player, Protest, Question, Tournament
from moderator.texts import pattern
from moderator.words.house import ALL, Ruling

# ---- words ----


_STANDS = {WordRuling.ALLOW: "ruling-stands-allow", WordRuling.DENY: "ruling-stands-deny"}


def take_word_answer(desk: Desk, question: Question, lines: Sequence[Line], who: Official) -> None:
    """Enter the ruling of the chief or of the referee ``who`` in the house list and let its match go on; ask again when
    it was not understood. A referee's ruling is for that match alone, and changes none that was made.

    Other matches that wait for the same word go on with the next step of the tick.
    """
    match = desk.session.get_one(Match, question.match_id)
    if question.answered_at is not None and not who.chief:
        stands = Note(_STANDS[question.ruling], {"word": question.word, "match": match.code})
        tell_official(desk, who, official_page(desk, MailKind.BOSS, who, notes=(stands,)), answers=True)
        return
    answer = read_answer(lines, question.word)
    content: Content = WordAsked(question.word, match.code, match.name, match.lexicon)
    if answer:
        ruling, reason = answer
        day, scope = desk.today.isoformat(), ALL if who.chief else match.code
        made = Ruling(word=question.word, ruling=ruling, reason=reason, date=day, scope=scope)
        house_list.enter(desk, made)
        question.ruling, question.answered_at = WordRuling(answer[0]), desk.now
        desk.session.add(question)
        content = WordRuled(question.word, question.ruling, reason, "" if who.chief else match.code)
        desk.session.flush()
        release(desk, match.number)
        if not who.chief:
            tell_players(desk, match, made)
    page = official_page(
        desk,
        MailKind.RULED if answer else MailKind.RULING,
        who,
        reply=own_reply(desk, tokens.WORD, MatterKind.WORD, question.number, question.token, who),
        notes=() if answer else (Note("ruling-not-understood"),),
        deadline=match.deadline,
        content=content,
    )
    tell_official(desk, who, page, answers=True)


def tell_players(desk: Desk, match: Match, made: Ruling, *, withdrawn: bool = False) -> bool:
    """A ruling for this match alone is told to its players, unless it would give away a rack. Those of a match that has
    not begun read it in its opening mail. False = nobody is told."""
    if match.status != MatchStatus.RUNNING:
        return False
    live = desk.cache.live(desk.session, match)
    if not live.game.uses_words or not match_rulings.may_be_told(desk, match, made, live):
        return False
    told = Note("word-here-withdrawn", {"word": made.word}) if withdrawn else match_rulings.as_note("word-here", made)
    for seat, player in desk.seated(match):
        if player.address is not None:
            page = new_page(
                desk,
                MailKind.NEWS,
                reader(player),
                match=match_info(match, live, player.language),
                reply=reply_to(desk, match.code, seat.token),
                notes=(told,),
            )
            tell(desk, To(player, match, seat), page)
    return True


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
    """Keep a protest and put it to the one in charge. Raises Impossible("protest-too-early", "protest-too-late",
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
    put(desk, match, row, in_charge(desk, match))
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


def put(desk: Desk, match: Match, row: Protest, who: Official, *notes: Note, ruled: bool = False) -> None:
    """Put it to somebody, with the board as everybody sees it and what each seat played last. ``ruled``: this answers
    a mail about it, and nothing is left to say."""
    live = desk.cache.live(desk.session, match)
    page = official_page(
        desk,
        MailKind.PROTEST,
        who,
        match=match_info(match, live, who.language),
        reply=own_reply(desk, tokens.PROTEST, MatterKind.PROTEST, row.number, row.token, who),
        notes=(_about(desk, match, row), *notes),
        press=(_item(desk, row, who.language, TO_CHIEF if who.chief else TO_REFEREE),),
        scene=live.game.scene(view_for(live.table.state, None)),
        seats=seat_lines(live, MODERATOR, desk.players(match)),
        ending=ending_of(desk.session, match),
        names=tuple(player.name for player in desk.players(match)),
        content=Objection(ruled, match.status == MatchStatus.FINISHED),
    )
    tell_official(desk, who, page, answers=ruled)


def _item(desk: Desk, row: Protest, language: str, to: str = TO_CHIEF) -> PressItem:
    by = desk.session.get_one(Player, row.player_id).name
    return PressItem(by, row.text, (sentence(Note(to), language),))


def read_ruling(lines: Sequence[Line]) -> tuple[bool, str] | None:
    """(upheld, reason) from the moderator's lines; None when they say neither. Lines below the word belong to the
    reason."""
    for number, line in enumerate(lines):
        found = _ANSWER.fullmatch(line.text[:LONGEST_PROTEST])
        if found is not None:
            rest = [found["why"], *(after.text for after in lines[number + 1 :])]
            return found["yes"] is not None, clean(" ".join(rest).lstrip(" .:,;-–"), LONGEST_PROTEST)
    return None


def take_protest_answer(desk: Desk, row: Protest, lines: Sequence[Line], who: Official) -> None:
    """The mail of the chief or a referee about a protest; asked again when it was not understood."""
    match = desk.session.get_one(Match, row.match_id)
    answer = read_ruling(lines)
    if row.answered_at is not None:
        note = Note("protest-was-ruled", {"at": row.answered_at})
    elif answer is None:
        note = Note("protest-not-understood")
    else:
        rule(desk, row, *answer)
        note = _ruled(desk, match, row)
    put(desk, match, row, who, note, ruled=row.answered_at is not None)


def _ruled(desk: Desk, match: Match, row: Protest) -> Note:
    """What the ruling means, and what is left to do for it."""
    tournament = desk.session.get(Tournament, match.tournament_id) if match.tournament_id else None
    code = "protest-ruled-upheld" if row.upheld else "protest-ruled-denied"
    if row.upheld and match.status == MatchStatus.FINISHED:
        code = "protest-ruled-upheld-cup" if tournament else "protest-ruled-upheld-over"
    return Note(code, {"match": match.code, "cup": tournament.code if tournament else ""})


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
    by = desk.session.get_one(Player, row.player_id).name
    note = Note("protest-upheld" if row.upheld else "protest-denied", {"name": by, "round": row.round})
    over = "-over" if match.status == MatchStatus.FINISHED else ""
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
            notes=(note, *((Note(f"protest-correction{over}"),) if row.upheld else ())),
            press=(_item(desk, row, player.language), *reason),
        )
        tell(desk, To(player, match, seat), page)
