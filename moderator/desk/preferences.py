"""Commands in a mail that change how its writer plays, in whichever match they stand: ``Einzelzug an``."""

from __future__ import annotations

from collections.abc import Iterable

from moderator.desk.desk import Desk
from moderator.desk.identify import Identity
from moderator.desk.sections import SETTINGS, Section
from moderator.engine.contract import Note


def obey(desk: Desk, writer: Identity, sections: Iterable[Section]) -> dict[int, Note]:
    """Line number -> what holds from now on. A writer who may act for one seat only changes nothing."""
    said: dict[int, Note] = {}
    for section in sections:
        for line, command in section.commands:
            if command not in SETTINGS:
                continue
            if not writer.whole:
                said[line.number] = Note("settings-need-your-address")
                continue
            writer.player.auto_single = command == "single-on"
            desk.session.add(writer.player)
            said[line.number] = Note(f"auto-{command}")
    return said
