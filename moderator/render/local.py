"""Moments in notes become words on the reader's clock, before any sentence is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from moderator.engine.contract import Note
from moderator.render import dates
from moderator.render.pages import Page


def localised(page: Page) -> Page:
    """The page with every datetime (aware UTC) and date in its notes as text."""
    receipt = page.receipt
    if receipt is not None:
        lines = tuple(replace(line, notes=worded(line.notes, page)) for line in receipt.lines)
        receipt = replace(receipt, lines=lines)
    return replace(
        page,
        receipt=receipt,
        notes=worded(page.notes, page),
        remarks=worded(page.remarks, page),
        terms=worded(page.terms, page),
    )


def worded(notes: Iterable[Note], page: Page) -> tuple[Note, ...]:
    """The notes with moments and days as words."""
    return tuple(
        replace(note, params={key: _said(value, page) for key, value in note.params.items()})
        if any(isinstance(value, date | list | tuple) for value in note.params.values())
        else note
        for note in notes
    )


def _said(value: Any, page: Page) -> Any:
    reader = page.reader
    if isinstance(value, datetime):
        return dates.moment(value, page.now, reader.language, reader.zone, page.club_zone)
    if isinstance(value, date):
        return dates.day(value, page.now, reader.language)
    if isinstance(value, list | tuple):
        return [_said(item, page) for item in value]
    if isinstance(value, dict):
        return {key: _said(item, page) for key, item in value.items()}
    return value
