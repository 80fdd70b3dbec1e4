"""The whole trial, step by step: folders, the way of a mail to the plain address and to sub-addresses, who checks what
comes in, and what the DNS says of the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moderator.errors import ModeratorError
from moderator.mail import domain, providers
from moderator.mail.bounce import is_own_list
from moderator.mail.open import foreign, open_mailbox, open_sender, ways
from moderator.mail.parts import parse
from moderator.mail.settings_file import Setting
from moderator.mail.trial import headers, letter
from moderator.mail.trial.box import Box, ImapBox
from moderator.mail.trial.foreign_box import ForeignBox
from moderator.mail.trial.journey import Journey, RoundTrip, plain_step, way_steps
from moderator.mail.trial.letter import Letter
from moderator.mail.trial.maildir_box import MaildirBox
from moderator.mail.trial.step import FOLDERS, Step

if TYPE_CHECKING:
    from dns.resolver import Resolver

    from moderator.config import Config

USUAL = "+"
"""Tried beside the separator of the configuration. No other is: at a provider where many have mailboxes,
``games-probe@`` may be somebody's."""
WAIT = 60.0
UNFETCHED = 5.0
"""Seconds after which a file that nobody has fetched from the outbox is no more waited for."""


COMPARE = (
    "Compare it with a mail from another provider (docs/mailboxes.md, »Who checks the senders«) before you write it as "
    "[mail] authserv_id."
)


@dataclass
class Trial:
    """``secret``: see letter.py. After ``steps`` the ways that were tried and those that work are known."""

    config: Config
    secret: str
    wait: float = WAIT
    resolver: Callable[[], Resolver] | None = None
    ways: tuple[str, ...] = ()
    good: tuple[str, ...] | None = None
    """None: the plain address did not work, so nothing is known of the others."""
    _plain: Journey | None = field(default=None, init=False)
    _mx: tuple[str, ...] | domain.Away | None = field(default=None, init=False)
    """None = not asked yet."""

    def steps(self, reachable: bool) -> Iterator[Step]:
        """``reachable``: both servers were there a moment ago; else nothing is sent. Its mails are removed also when it
        is left early."""
        if reachable:
            yield from self._mails()
        else:
            yield Step("mails to itself", doubt="none was sent. First mend what stands above.")
        yield from self._of_the_domain(reachable)

    def folders(self) -> Step:
        """That alone: a mail is put into the mailbox, moved about and removed. Raises OperatorError, TransientError."""
        box = self._box()
        try:
            return self._folders(box)
        finally:
            box.close()

    # ---- mails ----

    def _mails(self) -> Iterator[Step]:
        try:
            box = self._box()
        except ModeratorError as error:
            yield Step("mailbox", trouble=str(error))
            return
        try:
            yield self._folders(box)
            yield from self._travelling(box)
        finally:
            box.close()

    def _box(self) -> Box:
        config = self.config
        if name := foreign(config):
            return ForeignBox(name, open_mailbox(config))
        if config.mail.transport == "maildir":
            return MaildirBox(config.path(config.maildir.inbox), config.path(config.maildir.outbox))
        return ImapBox(config.imap)

    def _letter(self, way: str) -> Letter:
        return letter.write(self.config.mail.address, self.config.club.name, way, self.secret, self.config.now())

    def _folders(self, box: Box) -> Step:
        name, probe = FOLDERS, self._letter("")
        try:
            moved = box.move_about(probe)
        except ModeratorError as error:
            with suppress(ModeratorError):
                box.remove([probe])
            return Step(name, trouble=str(error))
        if moved.settings:
            names = ", ".join(map(str, moved.settings))
            return Step(name, trouble=f"this server wants other names. Set {names}.", settings=moved.settings)
        return Step(name, moved.says)

    def _travelling(self, box: Box) -> Iterator[Step]:
        mail = self.config.mail
        self.ways = tuple(dict.fromkeys(way for way in (mail.subaddress, USUAL) if way))
        letters = [self._letter(way) for way in ("", *self.ways)]
        trip = self._trip(box)
        try:
            journeys = trip.run(open_sender(self.config), mail.address, letters)
            self._plain = next(one for one in journeys if not one.letter.way)
            if self._plain.arrived:
                self.good = tuple(one.letter.way for one in journeys if one.letter.way and one.arrived)
            yield from self._told(box, journeys)
        except ModeratorError as error:
            yield Step("mails to itself", trouble=str(error))
        finally:
            removed = self._removed(box, letters, [one.letter for one in trip.journeys if not one.over])
        yield removed

    def _trip(self, box: Box) -> RoundTrip:
        trip = RoundTrip(box, self.wait)
        if isinstance(box, MaildirBox):
            begun = trip.clock()
            trip.given_up = lambda one: trip.clock() - begun > UNFETCHED and box.waits(one)
        return trip

    def _told(self, box: Box, journeys: Sequence[Journey]) -> Iterator[Step]:
        if isinstance(box, MaildirBox) and any(box.waits(one.letter) for one in journeys):
            outbox = self.config.path(self.config.maildir.outbox)
            yield Step("mails to itself", doubt=f"nobody fetches them from {outbox}, so their way could not be tried.")
            return
        if isinstance(box, ForeignBox) and (place := ways(self.config)[1].folder) and not any(map(_arrived, journeys)):
            waited = f"none came within {journeys[0].waited:.0f} s"
            yield Step("mails to itself", doubt=f"{waited}. Whatever is to fetch them from {place} was not there.")
            return
        yield plain_step(journeys[0])
        yield from way_steps(journeys, self.config.mail.subaddress)
        if journeys[0].came:
            yield self._checked(journeys[0].came.data)
            yield from self._through_a_list(journeys[0].came.data)

    def _removed(self, box: Box, letters: Sequence[Letter], under_way: Sequence[Letter]) -> Step:
        """``under_way``: those that were not seen to come; one may have come since."""
        name = "mails of the trial"
        try:
            removed = box.remove(letters)
        except ModeratorError as error:
            return Step(name, doubt=f"{error} Remove by hand what is named »Trial of the mailbox«.")
        missing = sum(not any(one.mark.encode() in data for data in removed) for one in under_way)
        later = f"; {missing} may still come, which the next run puts out of the way" if missing else ""
        gone = "filed away with the read ones" if isinstance(box, ForeignBox) else "removed"
        return Step(name, f"{len(removed)} {gone}{later}")

    def _through_a_list(self, data: bytes) -> Iterator[Step]:
        """Whether the club's own address is a list or a group, and what that means."""
        address = self.config.mail.address
        if is_own_list(parse(data)[0], address):
            yield Step(
                f"{address} is a list",
                doubt="What players write is read all the same, but every member of the list gets it, and may find"
                " tokens in it. A mailbox of its own is better.",
            )

    def _checked(self, data: bytes) -> Step:
        """Whose Authentication-Results may be trusted."""
        name, now = "who checks the senders", self.config.mail.authserv_id
        found = headers.checked_by(data)
        right = Setting("mail", "authserv_id", found.name)
        if found.name and (why := self._unsure(found)):
            untried = f". [mail] authserv_id = {now!r} stays untried" if now else ""
            return Step(name, doubt=f"maybe {found.name}, but {why}{untried}. {COMPARE}")
        if found.name and found.times > 1:
            several = (
                f"{found.name} writes {found.times} headers into a mail, so none counts. Let one filter write them"
            )
            return Step(
                name, trouble=f'{several}, or give that for DMARC a name of its own ("AuthservID" of OpenDMARC).'
            )
        if found.name and found.name == now.strip().lower():
            return Step(name, f"{found.name}, as [mail] authserv_id says")
        if found.name and now:
            wrong = f"{found.name}, and not {now}: no sender of a mail is believed. Set {right}."
            return Step(name, trouble=wrong, settings=(right,))
        if found.name:
            return Step(name, doubt=f"{found.name}. So that moderator believes it, set {right}.", settings=(right,))
        without = "Until [mail] authserv_id names one, no sender counts as checked."
        if now:
            return Step(name, doubt=f"not known, for {found.why}. [mail] authserv_id = {now!r} stays untried.")
        return Step(name, doubt=f"not known, for {found.why}. {without}")

    def _unsure(self, found: headers.Checked) -> str:
        """Why mails from outside may be checked by another server, or by none; "" = they pass the same one.

        The server through which a club sends may write such headers, too. Under its name no mail from outside would
        be believed but one whose sender has written that header."""
        if not found.senders:
            return "its header tells of the login alone, not of SPF, DKIM or DMARC"
        name = self._domain
        try:
            hosts = self._takers()
        except domain.Away as error:
            return f"which servers take mails for {name} could not be looked up: {error}"
        if not set(hosts) & set(found.after):
            return f"before it wrote that, no server had the mail that takes those from outside (MX of {name})"
        return ""

    # ---- the domain ----

    def _of_the_domain(self, reachable: bool) -> Iterator[Step]:
        name = self._domain
        known = providers.of_address(self.config.mail.address)
        if known and reachable:
            yield Step(f"DNS of {name}", f"SPF, DKIM and DMARC are up to {known.name}")
        elif known:
            yield Step(f"mailboxes of {name}", doubt=_hint(known))
        if known:
            return
        try:
            yield self._servers(name, reachable)
            yield from self._senders((self.resolver or domain.system_resolver)(), name)
        except domain.Away as error:
            yield Step(f"DNS of {name}", doubt=f"could not be looked at: {error}.")

    @property
    def _domain(self) -> str:
        return self.config.mail.address.rpartition("@")[2].lower()

    def _takers(self) -> tuple[str, ...]:
        """The hosts that take mails for the domain; the DNS is asked once. Raises domain.Away."""
        if self._mx is None:
            try:
                self._mx = domain.servers((self.resolver or domain.system_resolver)(), self._domain)
            except domain.Away as error:
                self._mx = error
        if isinstance(self._mx, domain.Away):
            raise self._mx
        return self._mx

    def _servers(self, name: str, reachable: bool) -> Step:
        title, hosts = f"mails for {name} (MX)", self._takers()
        if not hosts:
            without = "the DNS names no server for them. Enter an MX record, or nothing comes from outside."
            return Step(title, doubt=without)
        whose = providers.of_servers(hosts)
        if whose is None:
            return Step(title, f"go to {hosts[0]}")
        there = f"go to {hosts[0]} of {whose.name}"
        if self.config.mail.transport == "imap" and not reachable:
            return Step(title, doubt=f"{there}. {_hint(whose)}")
        return Step(title, there)

    def _senders(self, resolver: Resolver, name: str) -> Iterator[Step]:
        """Others refuse mails for which neither SPF nor DKIM speaks; the rest is only better than without."""
        came = self._plain.came if self._plain else None
        key = headers.signed_by(came.data, name) if came else None
        spf = domain.spf(resolver, name)
        dkim = domain.dkim(resolver, *key, name) if key else domain.Finding("")
        both = bool(spf.trouble) and not dkim.says
        yield _finding("SPF", spf, must=both)
        if key:
            yield _finding("DKIM", dkim, must=both)
        elif came:
            yield Step("DKIM", doubt="what came bears no signature; a mail to another provider would tell for sure.")
        yield _finding("DMARC", domain.dmarc(resolver, name), must=False)


def _arrived(journey: Journey) -> bool:
    return journey.arrived


def _finding(name: str, found: domain.Finding, must: bool) -> Step:
    if must and found.trouble:
        return Step(name, trouble=f"{found.trouble} Many refuse mails that neither SPF nor DKIM speaks for.")
    return Step(name, found.says, doubt=found.trouble)


def _hint(provider: providers.Provider) -> str:
    """For who cannot log in."""
    hosts = f"{provider.imap.host} and {provider.smtp.host}"
    return f"{provider.name} has its servers at {hosts}. {provider.note} See docs/mailboxes.md."
