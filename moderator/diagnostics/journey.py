"""Mails sent to oneself, to the plain address and to sub-addresses: which of them come, where to, and how soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from moderator.common.mails import Ready, Sender, Sent
from moderator.diagnostics.headers import extract_report_reason
from moderator.diagnostics.mailbox import ArrivedMail, TrialBox, TrialStep
from moderator.diagnostics.settings_file import Setting
from moderator.mail.trial_letter import TrialMail

LONGER = 30.0
"""Seconds that a sub-address is waited for when the plain address has come."""
PAUSE, LONGEST_PAUSE = 0.2, 2.0


@dataclass
class Journey:
    """The way of one mail of the trial."""

    letter: TrialMail
    came: ArrivedMail | None = None
    sent_at: float = 0.0
    """When the server had answered."""
    after: float = 0.0
    """Seconds from then until it was seen."""
    refused: str = ""
    """Why it did not set out, or was sent back."""
    waited: float = 0.0
    """Seconds, where nothing came."""

    @property
    def is_over(self) -> bool:
        return self.came is not None or bool(self.refused)

    @property
    def has_arrived(self) -> bool:
        """True if it came to where moderator looks for mail."""
        return self.came is not None and self.came.kind == "inbox"


@dataclass
class RoundTrip:
    """The ways of all mails of a trial, on one clock."""

    box: TrialBox
    longest: float
    """Seconds to wait."""
    given_up: Callable[[TrialMail], bool] = lambda letter: False
    """Whether a letter that has not come need not be waited for."""
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    journeys: list[Journey] = field(default_factory=list)
    """Those that have set out, also where ``run`` fails over a later one."""

    def run(self, sender: Sender, address: str, letters: Sequence[TrialMail]) -> list[Journey]:
        """Send the mails and wait for them. Raises OperatorError, TransientError where none could be sent."""
        self.box.skip_present_mails()
        for letter in letters:
            one = Journey(letter)
            self._send_mail(sender, address, one)
            self.journeys.append(one)
        self._wait_for_mails()
        return self.journeys

    def _send_mail(self, sender: Sender, address: str, one: Journey) -> None:
        def record_result(sent: Sent) -> None:
            one.refused = "" if sent.result == "sent" else sent.answer or sent.result

        # It is in no queue, so it has no number there.
        sender.send([Ready(0, address, one.letter.recipient, one.letter.data)], lambda mail: True, record_result)
        one.sent_at = self.clock()

    def _wait_for_mails(self) -> None:
        began, pause = self.clock(), PAUSE
        until = {one.letter.mark: began + self.longest for one in self.journeys}
        while True:
            self._look_for_mails(everywhere=False)
            plain = next((one for one in self.journeys if not one.letter.way), None)
            if plain and plain.came:
                until = {mark: min(end, plain.sent_at + plain.after + LONGER) for mark, end in until.items()}
            now = self.clock()
            left = [one for one in self.journeys if not one.is_over and now < until[one.letter.mark]]
            left = [one for one in left if not self.given_up(one.letter)]
            if not left:
                break
            self.pause(pause)
            pause = min(pause * 1.3, LONGEST_PAUSE)
        if not all(one.is_over for one in self.journeys):
            self._look_for_mails(everywhere=True)
        for one in self.journeys:
            one.waited = self.clock() - began

    def _look_for_mails(self, everywhere: bool) -> None:
        for came in self.box.fetch_arrived(everywhere):
            for one in self.journeys:
                if came.is_copy_of(one.letter) and one.came is None:
                    one.came, one.after = came, self.clock() - one.sent_at
                elif came.is_report_about(one.letter) and not one.is_over:
                    one.refused = extract_report_reason(came.data) or "a report says so, and not why"


# ---- what they tell ----


def build_plain_step(one: Journey) -> TrialStep:
    """Build the step of the plain address: without it nothing works."""
    name = f"mail to {one.letter.recipient}"
    if one.has_arrived and one.came:
        return TrialStep(name, f"came to {one.came.folder} after {one.after:.1f} s")
    if one.came:
        if one.came.kind == "junk":
            so = ", and so may players' mails. Switch the junk filter off, or let it pass all for this address"
        else:
            so = ". Remove the rule that files it there"
        where = f"came to the folder {one.came.folder!r}, where moderator does not look"
        return TrialStep(name, trouble=f"{where}{so}, in the mailbox's settings; then try again.")
    if one.refused:
        return TrialStep(name, trouble=f"was not taken: {one.refused}. Correct [mail] address, or ask the provider.")
    return TrialStep(
        name,
        trouble=f"did not come within {one.waited:.0f} s. Is it the address of this mailbox, and forwarded nowhere? "
        "Look into the mailbox, at its website, too; then try again.",
    )


def iter_way_steps(journeys: Sequence[Journey], configured: str) -> Iterator[TrialStep]:
    """Yield the steps of the sub-addresses; the settings belong to what the configuration says today."""
    plain = next(one for one in journeys if not one.letter.way)
    ways = [one for one in journeys if one.letter.way]
    good = [one.letter.way for one in ways if one.has_arrived]
    for one in ways:
        way, name = one.letter.way, f"mail to {one.letter.recipient}"
        where = _describe_arrival(one)
        if one.has_arrived and way == configured:
            yield TrialStep(name, f"{where}, so answers bring their match along")
        elif one.has_arrived and configured in good:
            yield TrialStep(name, f"{where}, too")
        elif one.has_arrived:
            better = Setting("mail", "subaddress", way)
            yield TrialStep(
                name, doubt=f"{where}: answers can bring their match along. Set {better}.", settings=(better,)
            )
        elif not plain.has_arrived:
            yield TrialStep(name, doubt=f"{where}. That says nothing as long as the plain address does not work.")
        elif way == configured:
            other = Setting("mail", "subaddress", good[0] if good else "")
            works = "" if good else " All works without: the subject carries the match."
            yield TrialStep(
                name, trouble=f"{where}, so players' answers would be lost. Set {other}.{works}", settings=(other,)
            )
        else:
            yield TrialStep(name, f"{where}; such addresses are not used")


def _describe_arrival(one: Journey) -> str:
    if one.came:
        return (
            f"came to {one.came.folder} after {one.after:.1f} s" if one.has_arrived else f"came to {one.came.folder!r}"
        )
    return f"was not taken ({one.refused})" if one.refused else f"did not come within {one.waited:.0f} s"
