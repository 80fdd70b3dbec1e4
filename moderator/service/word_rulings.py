"""What the moderator rules: on a word that no dictionary settles, and the matches that go on by it; on a protest.

Protests: a player objects to what was reported last; the moderator answers by mail or by
`moderator match rule-protest`, and everybody reads the ruling. What a ruling takes back, the moderator takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from moderator.common import tokens
from moderator.common.enums import LogEntryKind, MailKind, MatchStatus, QuestionKind, WordRuling
from moderator.common.errors import Impossible, OperatorError
from moderator.common.mails import Line
from moderator.common.message_files import load_word_pattern
from moderator.common.text import capitalize_start, clean_line
from moderator.language.messages import render_note
from moderator.notifications.content import ProtestStatus, WordAsked, WordRuled
from moderator.notifications.pages import Content, LetterView
from moderator.notifications.task import StaffMember
from moderator.rules.replay import LogEntry
from moderator.rules.state import Note, view_for
from moderator.service.match.match import Match
from moderator.service.notifications import notify_seat, notify_staff_with_page
from moderator.service.notify import notify_match_events
from moderator.service.questions import build_question_reply, parse_word_answer
from moderator.service.round_letters import TO_CHIEF, TO_REFEREE
from moderator.store import database, key_values, matches_log, questions
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, Protest, Question, Tournament
from moderator.views import match_state
from moderator.views.links import build_staff_page
from moderator.views.loaded_match import find_match_ending
from moderator.views.match_cache import MatchCache, load_unwritten_rulings
from moderator.views.match_view import build_public_match_view, list_seat_views
from moderator.views.people import MatchCharge
from moderator.views.unit_of_work import UnitOfWork
from moderator.words import house_rulings
from moderator.words.house_rulings import ALL, HouseRuling

# ---- words ----


_STANDS = {WordRuling.ALLOW: "ruling-stands-allow", WordRuling.DENY: "ruling-stands-deny"}


def take_word_answer(work: UnitOfWork, question: Question, lines: Sequence[Line], who: StaffMember) -> None:
    """Enter the ruling of the chief or of the referee ``who`` in the house list and let its match go on; ask again when
    it was not understood. A referee's ruling is for that match alone, and changes none that was made.

    Other matches that wait for the same word go on with the next step of the tick.
    """
    match = work.session.get_one(MatchRow, question.match_id)
    if question.answered_at is not None and not who.is_chief:
        stands = Note(_STANDS[question.ruling], {"word": question.word, "match": match.code})
        notify_staff_with_page(work, who, build_staff_page(work, MailKind.BOSS, who, notes=(stands,)), answers=True)
        return
    answer = parse_word_answer(lines, question.word)
    content: Content = WordAsked(question.word, match.code, match.name, match.lexicon)
    if answer:
        ruling, reason = answer
        day, scope = work.today.isoformat(), ALL if who.is_chief else match.code
        made = HouseRuling(word=question.word, ruling=ruling, reason=reason, date=day, scope=scope)
        record_house_ruling(work.session, work.cache, made)
        question.ruling, question.answered_at = WordRuling(answer[0]), work.now
        work.session.add(question)
        content = WordRuled(question.word, question.ruling, reason, "" if who.is_chief else match.code)
        work.session.flush()
        resume_held_match(work, match.number)
        if not who.is_chief:
            tell_players(work, match, made)
    page = build_staff_page(
        work,
        MailKind.RULED if answer else MailKind.RULING,
        who,
        reply=build_question_reply(work, tokens.WORD, QuestionKind.WORD, question.number, question.token, who),
        notes=() if answer else (Note("ruling-not-understood"),),
        deadline=match.deadline,
        content=content,
    )
    notify_staff_with_page(work, who, page, answers=True)


def tell_players(work: UnitOfWork, match: MatchRow, made: HouseRuling, *, withdrawn: bool = False) -> bool:
    """A ruling for this match alone is told to its players, unless it would give away a rack. Those of a match that has
    not begun read it in its opening mail. False = nobody is told."""
    if match.status != MatchStatus.RUNNING:
        return False
    live = work.cache.load_match(work.session, match)
    if not live.game.uses_words or not match_state.is_ruling_public(work.session, match, made, live):
        return False
    told = (
        Note("word-here-withdrawn", {"word": made.word})
        if withdrawn
        else match_state.build_ruling_note("word-here", made)
    )
    for seat, _ in work.list_seated(match):
        notify_seat(work, match, live, seat, told)
    return True


def resume_held_match(work: UnitOfWork, match_id: int) -> None:
    """Try a held match again, and notify everybody if it goes on; if a word is still open, it is held as before. Of a
    round that is not evaluated yet, notify those whose order is impossible by the ruling."""
    match = Match.load(work, work.session.get_one(MatchRow, match_id))
    if match.row.status != MatchStatus.RUNNING:
        return
    if match.row.held:
        match.resume_held_round()
    else:
        match.apply_ruling()
    notify_match_events(work)


# ---- protests ----


REPORTED = (
    LogEntryKind.MOVE,
    LogEntryKind.EVALUATE,
    LogEntryKind.MISS,
    LogEntryKind.UNDO,
    LogEntryKind.RETIRE,
    LogEntryKind.HAND_OVER,
    LogEntryKind.STOP,
)
"""Log entries that a report came of."""
LONGEST_PROTEST = 1000
"""Characters of a ruling's reason."""
MODERATOR = -1
"""No seat: the reader is none of the players."""
_YES, _NO, _PROTEST, _NUMBER, _IS = (
    load_word_pattern(Path(__file__).parent, f"protest-{key}") for key in ("yes", "no", "called", "number", "is")
)
_ANSWER = re.compile(
    rf"\W*(?:{_PROTEST}\s*(?:{_NUMBER}|#)?\s*\d*\W*(?:{_IS} )?)?"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b\W*(?P<why>.*)",
    re.IGNORECASE | re.DOTALL,
)


def lodge_protest(match: Match, seat: int, player: PlayerRow, text: str) -> Protest:
    """Store a protest and put it to the one in charge. Raises Impossible("protest-too-early", "protest-too-late",
    "protest-open")."""
    if not matches_log.has_event_of_kind(match.session, match.row.number, REPORTED):
        raise Impossible("protest-too-early")
    end = match.row.deadline
    if match.row.status == MatchStatus.FINISHED and match.row.finished_at is not None:
        end = match.row.finished_at + timedelta(days=match.live.terms.days)
    if end is not None and match.work.received_at > end and not match.row.held:
        raise Impossible("protest-too-late", until=end)
    if questions.has_open_protest(match.session, match.row.number, player.number):
        raise Impossible("protest-open")
    row = Protest(
        match_id=match.row.number,
        player_id=player.number,
        round=match.live.table.state.public.round,
        text=text,
        token=tokens.generate_token(),
        at=match.now,
    )
    match.session.add(row)
    match.session.flush()
    match.apply_entry(LogEntry(LogEntryKind.PROTEST, seat, text))
    ProtestCase(match.work, row).ask_staff(MatchCharge(match.work, match.row).find_staff())
    return row


@dataclass(frozen=True)
class ProtestCase:
    """A protest, before whoever is in charge of its match."""

    work: UnitOfWork
    protest: Protest

    @property
    def match(self) -> MatchRow:
        return self.work.session.get_one(MatchRow, self.protest.match_id)

    def _build_note(self) -> Note:
        name = self.work.session.get_one(PlayerRow, self.protest.player_id).name
        facts = {"name": name, "match": self.match.code, "match_name": self.match.name, "number": str(self.protest.id)}
        return Note("protest-about", facts)

    def ask_staff(self, who: StaffMember, *notes: Note, ruled: bool = False) -> None:
        """Put the protest to somebody, with the board as everybody sees it and what each seat played last. ``ruled``:
        this answers a mail about it, and nothing is left to say."""
        work, row, match = self.work, self.protest, self.match
        live, players = work.cache.load_match(work.session, match), work.list_players(match)
        to = TO_CHIEF if who.is_chief else TO_REFEREE
        page = build_staff_page(
            work,
            MailKind.PROTEST,
            who,
            match=build_public_match_view(match, live, who.language),
            reply=build_question_reply(work, tokens.PROTEST, QuestionKind.PROTEST, row.number, row.token, who),
            notes=(self._build_note(), *notes),
            press=(_build_protest_letter(work.session, row, who.language, to),),
            scene=live.game.build_scene(view_for(live.table.state, None)),
            seats=list_seat_views(match, live, MODERATOR, players),
            ending=find_match_ending(work.session, match),
            names=tuple(player.name for player in players),
            content=ProtestStatus(ruled, match.status == MatchStatus.FINISHED),
        )
        notify_staff_with_page(work, who, page, answers=ruled)

    def take_answer(self, lines: Sequence[Line], who: StaffMember) -> None:
        """Take the mail of the chief or a referee about a protest; ask again when it was not understood."""
        answer = parse_protest_ruling(lines)
        if self.protest.answered_at is not None:
            note = Note("protest-was-ruled", {"at": self.protest.answered_at})
        elif answer is None:
            note = Note("protest-not-understood")
        else:
            self.rule_on_protest(*answer)
            note = _build_ruling_note(self.work.session, self.match, self.protest)
        self.ask_staff(who, note, ruled=self.protest.answered_at is not None)

    def rule_on_protest(self, upheld: bool, reason: str) -> None:
        """Enter the ruling and notify all players. Raises OperatorError for a protest that was ruled on before."""
        row, match = self.protest, self.match
        if row.answered_at is not None:
            raise OperatorError(f"Protest {row.id} was ruled on before.", "See `moderator match log`.")
        playing = Match.load(self.work, match)
        row.answered_at, row.upheld, row.answer = self.work.now, upheld, clean_line(reason, LONGEST_PROTEST)
        self.work.session.add(row)
        players = self.work.list_players(match)
        seat = next((n for n, player in enumerate(players) if player.number == row.player_id), None)
        said = f"{'upheld' if upheld else 'denied'}: {row.answer}".rstrip(": ")
        playing.apply_entry(LogEntry(LogEntryKind.RULING, seat, said))
        _notify_protest_ruling(playing, row)


def _build_protest_letter(session: Session, row: Protest, language: str, to: str = TO_CHIEF) -> LetterView:
    by = session.get_one(PlayerRow, row.player_id).name
    return LetterView(by, row.text, (render_note(Note(to), language),))


def parse_protest_ruling(lines: Sequence[Line]) -> tuple[bool, str] | None:
    """Parse (upheld, reason) from the moderator's lines; None when they say neither. Lines below the word belong to the
    reason."""
    for number, line in enumerate(lines):
        found = _ANSWER.fullmatch(line.text[:LONGEST_PROTEST])
        if found is not None:
            rest = [found["why"], *(after.text for after in lines[number + 1 :])]
            return found["yes"] is not None, clean_line(" ".join(rest).lstrip(" .:,;-–"), LONGEST_PROTEST)
    return None


def _build_ruling_note(session: Session, match: MatchRow, row: Protest) -> Note:
    """Build the note that says what the ruling means, and what is left to do for it."""
    tournament = session.get(Tournament, match.tournament_id) if match.tournament_id else None
    code = "protest-ruled-upheld" if row.upheld else "protest-ruled-denied"
    if row.upheld and match.status == MatchStatus.FINISHED:
        code = "protest-ruled-upheld-cup" if tournament else "protest-ruled-upheld-over"
    return Note(code, {"match": match.code, "cup": tournament.code if tournament else ""})


def _notify_protest_ruling(match: Match, row: Protest) -> None:
    by = match.session.get_one(PlayerRow, row.player_id).name
    note = Note("protest-upheld" if row.upheld else "protest-denied", {"name": by, "round": row.round})
    over = "-over" if match.row.status == MatchStatus.FINISHED else ""
    notes = (note, *((Note(f"protest-correction{over}"),) if row.upheld else ()))
    for seat, player in match.seated:
        boss = render_note(Note("the-moderator"), player.language)
        reason = (LetterView(capitalize_start(boss), row.answer),) if row.answer else ()
        letters = (_build_protest_letter(match.session, row, player.language), *reason)
        notify_seat(match.work, match.row, match.live, seat, *notes, press=letters)


def record_house_ruling(session: Session, cache: MatchCache, ruling: HouseRuling) -> None:
    """Record a ruling of the club's; it counts at once. Raises LexiconError for what is no word."""
    line = house_rulings.format_ruling(house_rulings.tidy_ruling(ruling))
    key_values.add_pending_ruling(session, line)
    cache.set_unwritten_rulings(load_unwritten_rulings(session))
    database.on_commit(session, cache.write_rulings)
