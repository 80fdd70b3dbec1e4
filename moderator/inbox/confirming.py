"""What players say of a match that was moved in: that it stands here as it stood elsewhere, or what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

from moderator.club.confirmations import unconfirmed
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.inbox.sections import Section
from moderator.match.contract import Note
from moderator.pages.pages import LineRead
from moderator.play import moving_in
from moderator.states import Stopped
from moderator.store.models import Match, Seat
from moderator.texts import pattern

HERE = Path(__file__).parent
_RIGHT = re.compile(rf"\W*{pattern(HERE, 'right')}\W*", re.IGNORECASE)
_WRONG = re.compile(rf"\W*{pattern(HERE, 'wrong')}\b[\s:.,!]*(?P<what>.*)", re.IGNORECASE)


def heard(desk: Desk, match: Match, live: LiveMatch, seat: Seat, section: Section) -> list[LineRead]:
    """Takes the lines that say so out of the section, and does what they say. What is wrong goes to the end of it."""
    if match.stopped != Stopped.CONFIRM or seat.number in live.table.out:
        return []
    for n, line in enumerate(section.lines):
        if found := _WRONG.fullmatch(line.text.strip()):
            rest = section.lines[n + 1 :]
            del section.lines[n:]
            text = "\n".join([found["what"], *(one.text for one in rest)]).strip()
            moving_in.contradict(desk, match, live, seat.number, text)
            said = LineRead(line.number, line.text, "command", notes=(Note("move-in-wrong-told"),))
            return [said, *(LineRead(one.number, one.text, "command") for one in rest)]
        if _RIGHT.fullmatch(line.text.strip()):
            del section.lines[n]
            moving_in.confirm(desk, match, live, seat.number)
            names = [desk.players(match)[one].name for one in unconfirmed(desk, match, live)]
            note = Note("move-in-confirmed", {"names": names}) if names else Note("move-in-confirmed-last")
            return [LineRead(line.number, line.text, "command", notes=(note,))]
    return []
