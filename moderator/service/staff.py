"""Who is named referee or deputy, and what follows from it: whoever is in charge has been asked what waits.

``OpenQuestions`` sees to that, once a day and whenever somebody is named: what was put to one who is not in charge
any more, or is on leave, is put to the one who is; what has had no answer for days goes to the chief, once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from moderator.common import tokens
from moderator.common.enums import MatchStatus, QuestionKind
from moderator.common.errors import Impossible, MistypedError, OperatorError
from moderator.common.text import NAME_LENGTH, ask_if_meant, clean_name
from moderator.rules.game import Note
from moderator.rules.time.calendar import to_local_day
from moderator.service import questions as words
from moderator.service.create import parse_mail_address
from moderator.service.match import halt
from moderator.service.notifications import notify_staff_member
from moderator.service.word_rulings import ProtestCase
from moderator.store import matches, players, questions
from moderator.store.database import Session
from moderator.store.tables import MatchRow, Referee, Tournament
from moderator.views import people
from moderator.views.loaded_match import MatchSuspended
from moderator.views.people import (
    MatchCharge,
    UnclearName,
    build_staff_member,
    get_chief,
    get_commander,
    resolve_name_index,
)
from moderator.views.unit_of_work import UnitOfWork

PATIENCE = 3
"""Days after which the chief is asked what a referee has not answered."""


def get_referee(session: Session, name: str) -> Referee:
    """Return the referee of a name or address. Raises OperatorError."""
    try:
        return resolve_referee(session, name)
    except UnclearName as error:
        if error.several:
            raise MistypedError(f"{name!r} may be {' or '.join(error.names)}.", "Write more of the name.") from error
        known = ", ".join(row.name for row in players.list_all_referees(session))
        fix = f"{ask_if_meant(error.names)} There are: {known}." if known else "`moderator referee add` enters one."
        raise MistypedError(f"There is no referee {name!r}.", fix.lstrip()) from error


def resolve_referee(session: Session, name: str) -> Referee:
    """Return the referee of a name or address. Raises UnclearName."""
    found = players.find_referee_by_address(session, name.strip().lower())
    if found is not None:
        return found
    known = players.list_all_referees(session)
    return known[resolve_name_index(name, [row.name for row in known])]


@dataclass(frozen=True)
class RefereeRoster:
    """The club's referees, and where each of them is named."""

    work: UnitOfWork

    def add_referee(self, name: str, address: str, language: str) -> Referee:
        """Add a referee, who is notified how to command. Raises OperatorError for a name or an address in use."""
        called = self._require_free_name(None, name)
        row = Referee(
            name=called,
            name_key=called.casefold(),
            address=self._require_free_address(None, address),
            language=language,
            token=tokens.generate_token(),
            created_at=self.work.now,
        )
        self.work.session.add(row)
        self.work.session.flush()
        self._welcome_referee(row)
        return row

    def change_referee(
        self,
        row: Referee,
        *,
        name: str | None = None,
        address: str | None = None,
        language: str | None = None,
        renew: bool = False,
    ) -> None:
        """Change what is given; of a new address, or token (``renew``), the referee is notified there. Raises
        OperatorError, also where a referee who plays would be another person than the player by it."""
        new_name = self._require_free_name(row, name) if name is not None else row.name
        new_address = self._require_free_address(row, address) if address is not None else row.address
        people.check_still_same_person(self.work.session, row, new_address, new_name.casefold())
        row.name, row.name_key, row.address = new_name, new_name.casefold(), new_address
        row.language = language or row.language
        self.work.session.add(row)
        self.work.session.flush()
        if renew:
            self._replace_token(row)
        if address is not None or renew:
            self._welcome_referee(row)

    def _welcome_referee(self, row: Referee) -> None:
        facts = {"name": row.name, "club": self.work.config.club.name}
        notify_staff_member(self.work, build_staff_member(row), Note("referee-welcome", facts))

    def _replace_token(self, row: Referee) -> None:
        """Replace the token of the referee: no address that was mailed before opens anything; what waits for this
        referee is asked again, from a new one."""
        row.token = tokens.generate_token()
        for matter in players.list_matters_of_referee(self.work.session, row.number):
            matter.token = tokens.generate_token() if matter.token else ""
        self.work.session.flush()
        waiting, who = OpenQuestions(self.work), build_staff_member(row)
        for kind, about, match, put in list(waiting.iter_questions()):
            asked = {one.referee_id for one in players.list_matters_about(self.work.session, kind, about)}
            # What a suspended match needs is a command, for which the new token is mailed anyway.
            mine = kind is not QuestionKind.SUSPENDED and row.number in asked
            if mine and MatchCharge(self.work, match).find_staff() == who:
                waiting.act_or_suspend(match, partial(put, who))

    def _require_free_name(self, row: Referee | None, name: str) -> str:
        called = clean_name(name)
        if not called or called.casefold() == self.work.config.club.name.casefold():
            raise OperatorError(f"{name!r} is no name.", f"Take 1 to {NAME_LENGTH} letters.")
        taken = players.find_referee_by_name(self.work.session, called.casefold())
        if taken is not None and taken is not row:
            raise OperatorError(f"There is a referee {called!r} already.", "Choose another name.")
        return called

    def _require_free_address(self, row: Referee | None, address: str) -> str:
        plain = parse_mail_address(address)
        if plain in (self.work.config.club.moderator.lower(), self.work.config.mail.address.lower()):
            raise OperatorError(f"{plain} is the club's own address or the chief's.", "Give the referee's own.")
        taken = players.find_referee_by_address(self.work.session, plain)
        if taken is not None and taken is not row:
            raise OperatorError(f"{plain} belongs to the referee {taken.name} already.", "One address is one referee.")
        return plain

    def remove_referee(self, row: Referee) -> tuple[list[str], list[str]]:
        """Remove a referee: all that the referee was named for goes back to the chief, or stays with who else is named.
        Returns the codes of the matches and tournaments."""
        led = players.list_assigned_codes(self.work.session, row.number)
        notify_staff_member(
            self.work, build_staff_member(row), Note("referee-removed", {"club": self.work.config.club.name})
        )
        asked = players.load_matter_keys(self.work.session, row.number)
        players.delete_referee(self.work.session, row)
        OpenQuestions(self.work).reassign_questions(asked)
        return led

    def set_leave(self, row: Referee, first: date | None, last: date | None) -> None:
        """Set the leave from the first day to the last one; None = no leave. Raises OperatorError for one that is
        over."""
        if first is not None and last is not None and (last < first or last < self.work.today):
            raise OperatorError(f"A leave from {first} to {last} is none.", "Name the first day, then the last one.")
        row.away_from, row.away_until = first, last
        self.work.session.add(row)
        self.work.session.flush()
        OpenQuestions(self.work).reassign_questions()

    def assign_referee(self, place: MatchRow | Tournament, referee: Referee | None, deputy: bool = False) -> None:
        """Make somebody referee or deputy there; None = nobody. Raises Impossible("charge-seated") for who plays there,
        ("charge-both") for a referee as the own deputy, ("charge-of-cup") for taking back what the tournament says."""
        before = place.deputy_id if deputy else place.referee_id
        self._check_assignable(place, referee, before, deputy)
        number = referee.number if referee else None
        if deputy:
            place.deputy_id = number
        else:
            place.referee_id = number
            place.deputy_id = None if place.deputy_id == number else place.deputy_id
        self.work.session.add(place)
        self.work.session.flush()
        if before != number:
            self._notify_assignment(place, referee, before, deputy)
            OpenQuestions(self.work).reassign_questions()

    def _check_assignable(
        self, place: MatchRow | Tournament, referee: Referee | None, before: int | None, deputy: bool
    ) -> None:
        """Check that the referee may be named there. Raises Impossible as ``assign_referee``; ``before``: who is named
        now."""
        if referee is not None and deputy and place.referee_id == referee.number:
            raise Impossible("charge-both", name=referee.name, match=place.code)
        if isinstance(place, Tournament):
            return
        if referee is not None and MatchCharge(self.work, place).has_seat(build_staff_member(referee)):
            raise Impossible("charge-seated", name=referee.name, match=place.code)
        if referee is None and before is None:
            tournament = self.work.session.get(Tournament, place.tournament_id) if place.tournament_id else None
            number = (tournament.deputy_id if deputy else tournament.referee_id) if tournament else None
            if tournament is not None and number is not None:
                name = self.work.session.get_one(Referee, number).name
                raise Impossible("charge-of-cup", match=place.code, tournament=tournament.code, name=name)

    def _notify_assignment(
        self, place: MatchRow | Tournament, referee: Referee | None, before: int | None, deputy: bool
    ) -> None:
        """Notify the one who was named, the one who is it no more, and the chief where a match comes back."""
        facts = {"match": place.code, "title": place.name}
        sort = "cup" if isinstance(place, Tournament) else "match"
        role = "deputy" if deputy else "referee"
        if before is not None and (self.work.official is None or self.work.official.number != before):
            earlier = build_staff_member(self.work.session.get_one(Referee, before))
            notify_staff_member(self.work, earlier, Note(f"{role}-no-more-{sort}", facts))
        if referee is not None:
            notify_staff_member(self.work, build_staff_member(referee), Note(f"{role}-of-{sort}", facts))
        giver = get_commander(self.work)
        if deputy or giver.is_chief or isinstance(place, Tournament):
            return
        if (chief := MatchCharge(self.work, place).find_staff()).is_chief:
            notify_staff_member(self.work, chief, Note("charge-back", {**facts, "name": giver.name}))


Put = Callable[..., None]
"""Puts something to somebody, with notes."""


@dataclass(frozen=True)
class OpenQuestions:
    """All that is put to somebody in charge, and waits for an answer."""

    work: UnitOfWork

    def reassign_questions(self, removed: Collection[tuple[QuestionKind, int]] = ()) -> None:
        """Put each open question to whoever is in charge now, as the module says. ``removed``: what was put to somebody
        who is a referee no more, of which no row is left."""
        for kind, about, match, put in list(self.iter_questions()):
            if kind is QuestionKind.PROTEST and match.status == MatchStatus.SUSPENDED:  # by another protest, just now
                continue
            self.act_or_suspend(match, partial(self._reassign_question, kind, about, match, put, removed))

    def act_or_suspend(self, match: MatchRow, act: Callable[[], None]) -> None:
        """Run ``act``, and suspend its match at its fault, so that no other match is kept from being handled."""
        try:
            act()
        except MatchSuspended as error:
            halt.suspend_match(self.work, match.number, error.reason)

    def _reassign_question(
        self, kind: QuestionKind, about: int, match: MatchRow, put: Put, removed: Collection[tuple[QuestionKind, int]]
    ) -> None:
        who = MatchCharge(self.work, match).find_staff()
        rows = players.list_matters_about(self.work.session, kind, about)
        mine = next((row for row in rows if row.referee_id == who.number), None)
        if mine is None:
            # Without any row it was put to the chief by an earlier version, or to who is gone.
            if rows or not who.is_chief or (kind, about) in removed:
                put(who)
            return
        if rows[-1] is not mine:  # the charge has come back, and with it the time to answer
            mine.put_at = self.work.now
        elif not who.is_chief and not any(row.passed_at for row in rows) and self._is_answer_overdue(mine.put_at):
            boss, facts = get_chief(self.work.config), {"match": match.code, "name": who.name, "count": PATIENCE}
            if MatchCharge(self.work, match).may_command(boss):
                put(boss, Note("passed-on", facts))
            else:
                notify_staff_member(self.work, boss, Note("passed-on-hidden", facts))
            notify_staff_member(self.work, who, Note("was-passed-on", facts))
            mine.passed_at = self.work.now
        self.work.session.add(mine)

    def _is_answer_overdue(self, moment: datetime) -> bool:
        """Return whether the referee's days to answer are over, by the club's calendar: the daily look is not taken at
        the very hour."""
        return (self.work.today - to_local_day(moment, self.work.config.club.zone)).days >= PATIENCE

    def iter_questions(self) -> Iterator[tuple[QuestionKind, int, MatchRow, Put]]:
        """Yield all that is put to somebody in charge and waits for an answer."""
        work = self.work
        for question, match in questions.list_open_questions(work.session):
            put: Put = partial(words.ask_staff_about_word, work, match, question)
            yield QuestionKind.WORD, question.number, match, put
        for protest, match, _ in questions.list_protests(work.session):
            if match.status != MatchStatus.SUSPENDED:
                yield QuestionKind.PROTEST, protest.number, match, ProtestCase(work, protest).ask_staff
        for match in matches.list_running(work.session):
            if match.status == MatchStatus.SUSPENDED:
                yield QuestionKind.SUSPENDED, match.number, match, partial(halt.notify_suspended, work, match)
