"""The whole trial, step by step: folders, the way of a mail to the plain address and to sub-addresses, who checks what
comes in, and what the DNS says of the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moderator.common.errors import ModeratorError
from moderator.diagnostics import headers, providers
from moderator.diagnostics.mailbox import (
    FOLDERS,
    ForeignBox,
    ImapBox,
    Journey,
    MaildirBox,
    RoundTrip,
    TrialBox,
    TrialStep,
    build_plain_step,
    iter_way_steps,
)
from moderator.diagnostics.settings_file import Setting
from moderator.mail import trial_letter
from moderator.mail.bounces import is_own_list
from moderator.mail.mime import parse_mime
from moderator.mail.transports import find_foreign_transport, get_mail_ways, open_mailbox, open_sender
from moderator.mail.trial_letter import TrialMail
from moderator.settings import Config

if TYPE_CHECKING:
    from dns.resolver import Resolver

USUAL = "+"
"""Tried beside the separator of the configuration. No other is: at a provider where many have mailboxes,
``games-probe@`` may be somebody's."""
WAIT = 60.0
UNFETCHED = 5.0
"""Seconds after which a file that nobody has fetched from the outbox is no more waited for."""


COMPARE = (
    "Compare it with a mail from another provider (docs/run/mailbox.md, »Who checks the senders«) before you write "
    "it as "
    "[mail] authserv_id."
)


@dataclass
class Trial:
    """A trial of the mailbox. ``secret``: see letter.py. After ``iter_steps`` the separators that were tried and those
    that work are known."""

    config: Config
    secret: str
    wait: float = WAIT
    resolver: Callable[[], Resolver] | None = None
    ways: tuple[str, ...] = ()
    good: tuple[str, ...] | None = None
    """None: the plain address did not work, so nothing is known of the others."""
    _plain: Journey | None = field(default=None, init=False)
    _mx: tuple[str, ...] | providers.DnsUnavailable | None = field(default=None, init=False)
    """None = not asked yet."""

    def iter_steps(self, reachable: bool) -> Iterator[TrialStep]:
        """Run the trial and yield its steps.

        ``reachable``: both servers were there a moment ago; else nothing is sent. Its mails are removed also when it is
        left early."""
        if reachable:
            yield from self._iter_mail_steps()
        else:
            yield TrialStep("mails to itself", doubt="none was sent. First mend what stands above.")
        yield from self._iter_domain_steps(reachable)

    def test_folders(self) -> TrialStep:
        """Test the folders only: a mail is put into the mailbox, moved about and removed. Raises OperatorError,
        TransientError."""
        box = self._open_box()
        try:
            return self._test_folders_in(box)
        finally:
            box.close()

    # ---- mails ----

    def _iter_mail_steps(self) -> Iterator[TrialStep]:
        try:
            box = self._open_box()
        except ModeratorError as error:
            yield TrialStep("mailbox", trouble=str(error))
            return
        try:
            yield self._test_folders_in(box)
            yield from self._iter_travel_steps(box)
        finally:
            box.close()

    def _open_box(self) -> TrialBox:
        config = self.config
        if name := find_foreign_transport(config):
            return ForeignBox(name, open_mailbox(config))
        if config.mail.transport == "maildir":
            return MaildirBox(config.resolve_path(config.maildir.inbox), config.resolve_path(config.maildir.outbox))
        return ImapBox(config.imap)

    def _compose_mail(self, way: str) -> TrialMail:
        return trial_letter.compose_trial_mail(
            self.config.mail.address, self.config.club.name, way, self.secret, self.config.read_clock()
        )

    def _test_folders_in(self, box: TrialBox) -> TrialStep:
        name, probe = FOLDERS, self._compose_mail("")
        try:
            moved = box.move_trial_mail(probe)
        except ModeratorError as error:
            with suppress(ModeratorError):
                box.remove_trial_mails([probe])
            return TrialStep(name, trouble=str(error))
        if moved.settings:
            names = ", ".join(map(str, moved.settings))
            return TrialStep(name, trouble=f"this server wants other names. Set {names}.", settings=moved.settings)
        return TrialStep(name, moved.says)

    def _iter_travel_steps(self, box: TrialBox) -> Iterator[TrialStep]:
        mail = self.config.mail
        self.ways = tuple(dict.fromkeys(way for way in (mail.subaddress, USUAL) if way))
        letters = [self._compose_mail(way) for way in ("", *self.ways)]
        trip = RoundTrip(box, self.wait)
        if isinstance(box, MaildirBox):
            begun = trip.clock()
            trip.given_up = lambda one: trip.clock() - begun > UNFETCHED and box.is_unfetched(one)
        try:
            journeys = trip.run(open_sender(self.config), mail.address, letters)
            self._plain = next(one for one in journeys if not one.letter.way)
            if self._plain.has_arrived:
                self.good = tuple(one.letter.way for one in journeys if one.letter.way and one.has_arrived)
            yield from self._iter_arrival_steps(box, journeys)
        except ModeratorError as error:
            yield TrialStep("mails to itself", trouble=str(error))
        finally:
            removed = self._remove_mails(box, letters, [one.letter for one in trip.journeys if not one.is_over])
        yield removed

    def _iter_arrival_steps(self, box: TrialBox, journeys: Sequence[Journey]) -> Iterator[TrialStep]:
        if isinstance(box, MaildirBox) and any(box.is_unfetched(one.letter) for one in journeys):
            outbox = self.config.resolve_path(self.config.maildir.outbox)
            yield TrialStep(
                "mails to itself", doubt=f"nobody fetches them from {outbox}, so their way could not be tried."
            )
            return
        if (
            isinstance(box, ForeignBox)
            and (place := get_mail_ways(self.config)[1].folder)
            and not any(map(_has_arrived, journeys))
        ):
            waited = f"none came within {journeys[0].waited:.0f} s"
            yield TrialStep("mails to itself", doubt=f"{waited}. Whatever is to fetch them from {place} was not there.")
            return
        yield build_plain_step(journeys[0])
        yield from iter_way_steps(journeys, self.config.mail.subaddress)
        if journeys[0].came:
            yield self._build_authserv_step(journeys[0].came.data)
            yield from self._iter_list_steps(journeys[0].came.data)

    def _remove_mails(self, box: TrialBox, letters: Sequence[TrialMail], under_way: Sequence[TrialMail]) -> TrialStep:
        """Remove the mails of the trial. ``under_way``: those that were not seen to arrive; one may have arrived
        since."""
        name = "mails of the trial"
        try:
            removed = box.remove_trial_mails(letters)
        except ModeratorError as error:
            return TrialStep(name, doubt=f"{error} Remove by hand what is named »Trial of the mailbox«.")
        missing = sum(not any(one.mark.encode() in data for data in removed) for one in under_way)
        later = f"; {missing} may still come, which the next run puts out of the way" if missing else ""
        gone = "filed away with the read ones" if isinstance(box, ForeignBox) else "removed"
        return TrialStep(name, f"{len(removed)} {gone}{later}")

    def _iter_list_steps(self, data: bytes) -> Iterator[TrialStep]:
        """Yield a step where the club's own address is a list or a group, and say what that means."""
        address = self.config.mail.address
        if is_own_list(parse_mime(data)[0], address):
            yield TrialStep(
                f"{address} is a list",
                doubt="What players write is read all the same, but every member of the list gets it, and may find"
                " tokens in it. A mailbox of its own is better.",
            )

    def _build_authserv_step(self, data: bytes) -> TrialStep:
        """Build the step that says whose Authentication-Results may be trusted."""
        name, now = "who checks the senders", self.config.mail.authserv_id
        found = headers.inspect_auth_headers(data)
        right = Setting("mail", "authserv_id", found.name)
        if found.name and (why := self._explain_doubt(found)):
            untried = f". [mail] authserv_id = {now!r} stays untried" if now else ""
            return TrialStep(name, doubt=f"maybe {found.name}, but {why}{untried}. {COMPARE}")
        if found.name and found.times > 1:
            several = f"{found.name} writes several headers ({found.times}) into a mail. Let one filter write one"
            return TrialStep(
                name, trouble=f'{several}, or give that for DMARC a name of its own ("AuthservID" of OpenDMARC).'
            )
        if found.name and found.name == now.strip().lower():
            return TrialStep(name, f"{found.name}, as [mail] authserv_id says")
        if found.name and now:
            wrong = f"{found.name}, and not {now}: no sender of a mail is believed. Set {right}."
            return TrialStep(name, trouble=wrong, settings=(right,))
        if found.name:
            return TrialStep(
                name, doubt=f"{found.name}. So that moderator believes it, set {right}.", settings=(right,)
            )
        without = "Until [mail] authserv_id names one, no sender counts as checked."
        if now:
            return TrialStep(name, doubt=f"not known, for {found.why}. [mail] authserv_id = {now!r} stays untried.")
        return TrialStep(name, doubt=f"not known, for {found.why}. {without}")

    def _explain_doubt(self, found: headers.HeaderCheck) -> str:
        """Explain why mails from outside may be checked by another server, or by none; "" = they pass the same one.

        The server through which a club sends may write such headers, too. Under its name no mail from outside would be
        believed but one whose sender has written that header."""
        if not found.senders:
            return "its header tells of the login alone, not of SPF, DKIM or DMARC"
        name = self._domain
        try:
            hosts = self._load_mail_servers()
        except providers.DnsUnavailable as error:
            return f"which servers take mails for {name} could not be looked up: {error}"
        if not set(hosts) & set(found.after):
            return f"before it wrote that, no server had the mail that takes those from outside (MX of {name})"
        return ""

    # ---- the domain ----

    def _iter_domain_steps(self, reachable: bool) -> Iterator[TrialStep]:
        name = self._domain
        known = providers.find_provider_by_address(self.config.mail.address)
        if known and reachable:
            yield TrialStep(f"DNS of {name}", f"SPF, DKIM and DMARC are up to {known.name}")
        elif known:
            yield TrialStep(f"mailboxes of {name}", doubt=_format_provider_hint(known))
        if known:
            return
        try:
            yield self._build_mx_step(name, reachable)
            yield from self._iter_dns_steps((self.resolver or providers.build_system_resolver)(), name)
        except providers.DnsUnavailable as error:
            yield TrialStep(f"DNS of {name}", doubt=f"could not be looked at: {error}.")

    @property
    def _domain(self) -> str:
        return self.config.mail.address.rpartition("@")[2].lower()

    def _load_mail_servers(self) -> tuple[str, ...]:
        """Load the hosts that take mails for the domain; the DNS is asked once. Raises domain.DnsUnavailable."""
        if self._mx is None:
            try:
                self._mx = providers.list_mail_servers(
                    (self.resolver or providers.build_system_resolver)(), self._domain
                )
            except providers.DnsUnavailable as error:
                self._mx = error
        if isinstance(self._mx, providers.DnsUnavailable):
            raise self._mx
        return self._mx

    def _build_mx_step(self, name: str, reachable: bool) -> TrialStep:
        title, hosts = f"mails for {name} (MX)", self._load_mail_servers()
        if not hosts:
            without = "the DNS names no server for them. Enter an MX record, or nothing comes from outside."
            return TrialStep(title, doubt=without)
        whose = providers.find_provider_by_servers(hosts)
        if whose is None:
            return TrialStep(title, f"go to {hosts[0]}")
        there = f"go to {hosts[0]} of {whose.name}"
        if self.config.mail.transport == "imap" and not reachable:
            return TrialStep(title, doubt=f"{there}. {_format_provider_hint(whose)}")
        return TrialStep(title, there)

    def _iter_dns_steps(self, resolver: Resolver, name: str) -> Iterator[TrialStep]:
        """Yield the steps of SPF, DKIM and DMARC. Others refuse mails for which neither SPF nor DKIM speaks; the rest
        is only better than without."""
        came = self._plain.came if self._plain else None
        key = headers.find_dkim_signature(came.data, name) if came else None
        spf = providers.inspect_spf(resolver, name)
        dkim = providers.inspect_dkim(resolver, *key, name) if key else providers.DnsFinding("")
        both = bool(spf.trouble) and not dkim.says
        yield _build_finding_step("SPF", spf, must=both)
        if key:
            yield _build_finding_step("DKIM", dkim, must=both)
        elif came:
            yield TrialStep(
                "DKIM", doubt="what came bears no signature; a mail to another provider would tell for sure."
            )
        yield _build_finding_step("DMARC", providers.inspect_dmarc(resolver, name), must=False)


def _has_arrived(journey: Journey) -> bool:
    return journey.has_arrived


def _build_finding_step(name: str, found: providers.DnsFinding, must: bool) -> TrialStep:
    if must and found.trouble:
        return TrialStep(name, trouble=f"{found.trouble} Many refuse mails that neither SPF nor DKIM speaks for.")
    return TrialStep(name, found.says, doubt=found.trouble)


def _format_provider_hint(provider: providers.Provider) -> str:
    """Format a hint for operators who cannot log in."""
    hosts = f"{provider.imap.host} and {provider.smtp.host}"
    return f"{provider.name} has its servers at {hosts}. {provider.note} See docs/run/providers.md."
