"""The mailbox of a trial over a transport that another package brings: it can do what any run does, and no more."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.diagnostics.mailbox import ArrivedMail, MoveTrialResult
from moderator.mail.model import Mailbox, RawMail
from moderator.mail.trial_letter import TrialMail

LARGEST = 1_000_000
"""Bytes; a mail of the trial, and a report that quotes it, has a few thousand."""


class ForeignBox:
    """A mailbox of another package's transport; see ``TrialBox``. Mails of the trial are filed with the read ones, for
    nothing can be removed."""

    def __init__(self, name: str, mailbox: Mailbox) -> None:
        self._name, self._mailbox = name, mailbox
        self._before: set[str] = set()
        self._come: dict[str, bytes] = {}
        """By key, since the trial began."""

    def move_trial_mail(self, letter: TrialMail) -> MoveTrialResult:
        """Do nothing: a mail can be put into the mailbox only by sending it."""
        return MoveTrialResult("tried below, with the mails of the trial")

    def skip_present_mails(self) -> None:
        def mark_all_known(keys: Sequence[str]) -> set[str]:
            self._before |= set(keys)
            return set(keys)

        for batch in self._mailbox.fetch(mark_all_known, LARGEST):
            self._before |= {mail.key for mail in batch}

    def fetch_arrived(self, everywhere: bool = False) -> list[ArrivedMail]:
        return [ArrivedMail("inbox", f"the mailbox of {self._name}", mail.data) for mail in self._fetch_new_mails()]

    def _fetch_new_mails(self) -> list[RawMail]:
        there = self._before | self._come.keys()
        batches = [*self._mailbox.fetch(lambda keys: there & set(keys), LARGEST)]
        found = [mail for batch in batches for mail in batch if mail.key not in there]
        self._come |= {mail.key: mail.data for mail in found}
        return found

    def remove_trial_mails(self, letters: Sequence[TrialMail]) -> list[bytes]:
        self._fetch_new_mails()
        marks = [letter.mark.encode() for letter in letters]
        ours = {key: data for key, data in self._come.items() if any(mark in data for mark in marks)}
        self._mailbox.file_away([*ours], [])
        return [*ours.values()]

    def close(self) -> None:
        self._mailbox.close()
