"""What players say of a match that was moved in: that it stands here as it stood elsewhere, or what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

from moderator.common.enums import ClockStop
from moderator.common.message_files import load_word_pattern
from moderator.inbox.read import MailSection
from moderator.notifications.pages import LineOutcome
from moderator.rules.game import Note
from moderator.service import moving_in
from moderator.service.desk import Desk
from moderator.store.tables import MatchRow, SeatRow
from moderator.views.confirmations import list_unconfirmed_seats
from moderator.views.loaded_match import LiveMatch

HERE = Path(__file__).parent
_RIGHT = re.compile(rf"\W*{load_word_pattern(HERE, 'right')}\W*", re.IGNORECASE)
_WRONG = re.compile(rf"\W*{load_word_pattern(HERE, 'wrong')}\b[\s:.,!]*(?P<what>.*)", re.IGNORECASE)


def read_import_confirmation(
    desk: Desk, match: MatchRow, live: LiveMatch, seat: SeatRow, section: MailSection
) -> list[LineOutcome]:
    """Take the lines that confirm a moved-in match, or contradict it, out of the section, and do what they say. What is
    wrong goes on to the end of the section."""
    if match.stopped != ClockStop.CONFIRM or seat.number in live.table.out:
        return []
    for n, line in enumerate(section.lines):
        if found := _WRONG.fullmatch(line.text.strip()):
            rest = section.lines[n + 1 :]
            del section.lines[n:]
            text = "\n".join([found["what"], *(one.text for one in rest)]).strip()
            moving_in.reject_position(desk, match, live, seat.number, text)
            said = LineOutcome(line.number, line.text, "command", notes=(Note("move-in-wrong-told"),))
            return [said, *(LineOutcome(one.number, one.text, "command") for one in rest)]
        if _RIGHT.fullmatch(line.text.strip()):
            del section.lines[n]
            moving_in.confirm_position(desk, match, live, seat.number)
            names = [desk.list_players(match)[one].name for one in list_unconfirmed_seats(desk, match, live)]
            note = Note("move-in-confirmed", {"names": names}) if names else Note("move-in-confirmed-last")
            return [LineOutcome(line.number, line.text, "command", notes=(note,))]
    return []
