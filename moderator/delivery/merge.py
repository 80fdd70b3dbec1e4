"""Of one transaction, or of one backlog, a reader gets one mail about a match, as it stands at the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from moderator.common.enums import MailKind
from moderator.notifications.pages import MailPayload
from moderator.views.notification import MatchNews, Notification

REPORTS = (MailKind.END, MailKind.CORRECTION, MailKind.START, MailKind.TURN, MailKind.RECEIPT)
"""Mails that report what has happened; of two the one that is named first says what the mail is."""


def merge_notifications(noted: Sequence[Notification]) -> list[Notification]:
    """Merge the reports of a match to one reader into the last of them: all of them would show the same position."""
    merged: dict[object, Notification] = {}
    for number, one in enumerate(noted):
        key: object = number
        if isinstance(one.news, MatchNews) and one.kind in REPORTS and one.to.player and one.to.match:
            key = one.to.player.number, one.to.match.number
            if key in merged:
                one = _merge_reports(merged.pop(key), one)
        merged[key] = one
    return list(merged.values())


def _merge_reports(earlier: Notification, later: Notification) -> Notification:
    assert isinstance(earlier.news, MatchNews)
    assert isinstance(later.news, MatchNews)
    first, then = earlier.news.payload, later.news.payload
    if then.reports:  # what was noted before these moves is told before them
        reports = (
            dataclasses.replace(then.reports[0], before=(*first.notes, *then.reports[0].before)),
            *then.reports[1:],
        )
        first, then = dataclasses.replace(first, notes=()), dataclasses.replace(then, reports=reports)
    payload = dataclasses.replace(
        merge_payloads((first, then)), press=(*first.press, *then.press), receipt=then.receipt or first.receipt
    )
    kind = min(earlier.kind, later.kind, key=REPORTS.index)
    news = MatchNews(kind, payload, later.news.with_tournament)
    answers, once = earlier.answers or later.answers, earlier.once or later.once
    return dataclasses.replace(later, news=news, answers=answers, once=once)


def merge_payloads(payloads: Sequence[MailPayload]) -> MailPayload:
    """Merge what has happened in one match: moves, notes, events; each note once."""
    notes = {repr(note): note for one in payloads for note in one.notes}
    since = [one.since for one in payloads if one.since is not None]
    reports = tuple(report for one in payloads for report in one.reports)
    happened = tuple(dict.fromkeys(each for one in payloads for each in one.happened))
    return MailPayload(reports=reports, notes=tuple(notes.values()), since=min(since, default=None), happened=happened)
