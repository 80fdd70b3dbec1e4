"""The mailbox over IMAP. Progress is kept in our database, never in IMAP keywords (Exchange has none).

One connection, used by one thread. Whoever has no mailbox to open does not load this: imapclient takes its time.
"""

from __future__ import annotations

import imaplib
import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Self

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import CapabilityError, IMAPClientAbortError, IMAPClientError, LoginError
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

from moderator.common import clock
from moderator.common.errors import ModeratorError, OperatorError, TransientError
from moderator.common.mails import Mark, RawMail, UnreadableMailsError
from moderator.mail import network
from moderator.mail.imap_folders import move_mails, move_mails_back, read_every_mark, write_mark
from moderator.mail.network import build_tls_context, check_security, explain_connection_error, format_server_words
from moderator.mail.settings import ImapSettings

# ---- a connection that is logged in, and what imapclient's exceptions mean to the operator ----


CONNECT_SECONDS = 15
_PASSING = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]", "[CONTACTADMIN]", "TOO MANY", "TEMPORAR", "TRY AGAIN")
"""Words of a refused login that are no fault of the password (RFC 5530; "too many" is Gmail's and Dovecot's)."""


def get_imap_port(imap: ImapSettings) -> int:
    return imap.port or (993 if imap.security == "tls" else 143)


def connect_imap(imap: ImapSettings) -> Any:
    """Connect and log in; returns an ``IMAPClient`` with nothing selected. Raises OperatorError, TransientError."""
    check_security("imap", imap.host, imap.security)
    context = None if imap.security == "plain" else build_tls_context("imap", imap.ca_file)
    # The secret comes before the connection: its command may ask a slow key store.
    secret = network.fetch_secret("imap", imap)
    with translate_imap_errors(imap):
        client = _build_client(imap, context)
    try:
        with translate_imap_errors(imap):
            if imap.security == "starttls":
                _start_tls(imap, client, context)
            _log_in(imap, client, secret)
    except ModeratorError as error:
        disconnect_imap(client)
        raise network.mask_secret(error, imap.user, secret) from error.__cause__
    return client


def disconnect_imap(client: Any) -> None:
    """Log out if that is quick, and close. Never raises."""
    try:
        client.socket().settimeout(5)
        client.logout()
    except Exception:
        # Whatever a dying connection throws, there is nothing left to do with it but to drop it.
        try:
            client.shutdown()
        except Exception:
            return


@contextmanager
def translate_imap_errors(imap: ImapSettings) -> Iterator[None]:
    """Translate whatever the library raises, and what we raise over an answer that is not as it has to be, into an
    error of ours.

    A plain NO or BAD becomes a TransientError with its words."""
    # imapclient's own classes are subclasses of imaplib's; sockets and TLS throw OSErrors.
    where = f"{imap.host}:{get_imap_port(imap)}"
    try:
        yield
    except (ModeratorError, MemoryError):
        raise
    except (OSError, UnicodeError) as error:
        raise explain_connection_error("imap", imap.host, get_imap_port(imap), error) from error
    except (imaplib.IMAP4.error, EOFError) as error:
        raise TransientError(f"{where}: {format_server_words(error)}.") from error
    except Exception as error:
        why = format_server_words(f"{type(error).__name__}: {error}").rstrip(": .")
        raise TransientError(f"{where}: the server's answer cannot be read ({why}).") from error


def _build_client(imap: ImapSettings, context: Any) -> Any:
    # It tells the log that a server's answer was no ASCII (it quotes "Erledigte Züge"), and cron would mail that. What
    # matters comes as an exception.
    logging.getLogger("imapclient").setLevel(logging.CRITICAL)
    client = BoundedImapClient(
        imap.host,
        port=get_imap_port(imap),
        ssl=imap.security == "tls",
        ssl_context=context,
        timeout=SocketTimeout(min(CONNECT_SECONDS, imap.timeout), imap.timeout),
    )
    # Otherwise imapclient gives naive local times, and the hour of a clock change twice.
    client.normalise_times = False
    return client


def _start_tls(imap: ImapSettings, client: Any, context: Any) -> None:
    try:
        client.starttls(context)
    except CapabilityError:
        raise OperatorError(
            f"{imap.host}:{get_imap_port(imap)} offers no STARTTLS.",
            'Write [imap] security = "tls", or correct the port.',
        ) from None


def _log_in(imap: ImapSettings, client: Any, secret: str) -> None:
    try:
        ways = [way for way in ("XOAUTH2", "OAUTHBEARER") if client.has_capability(f"AUTH={way}")]
        by_password = not client.has_capability("LOGINDISABLED") or client.has_capability("AUTH=PLAIN")
        if not (ways if imap.token_command else by_password):
            raise network.build_no_login_error(
                "imap", f"{imap.host}:{get_imap_port(imap)}", imap, bool(ways), by_password
            )
        if ways[:1] == ["OAUTHBEARER"] and imap.token_command:
            client.oauthbearer_login(imap.user, secret)
        elif imap.token_command:
            client.oauth2_login(imap.user, secret)
        elif (imap.user + secret).isascii():
            client.login(imap.user, secret)
        else:
            # LOGIN has no charset; PLAIN is UTF-8 by definition (RFC 4616).
            client.plain_login(imap.user, secret)
    except LoginError as error:
        # imapclient wraps a lost connection as a failed login, too.
        if isinstance(error.__context__, IMAPClientAbortError | OSError):
            raise TransientError(f"{imap.host}:{get_imap_port(imap)}: {format_server_words(error)}.") from None
        # imapclient makes a text of imaplib's bytes.
        words = re.sub(r"^b(['\"])(.*)\1$", r"\2", format_server_words(error)).rstrip(".")
        if any(passing in words.upper() for passing in _PASSING):
            raise TransientError(f"{imap.host}:{get_imap_port(imap)}: login refused for now: {words}.") from None
        raise OperatorError(
            f"{imap.host} refuses the login of {imap.user!r}: {words}.",
            f"Correct {network.describe_login_settings('imap', imap)}.",
        ) from None
    # A server may offer more after the login (Exchange: MOVE); what it said before must not be remembered.
    client.capabilities()


# ---- the mailbox ----


HEAD_BYTES = 65_536
"""So much is fetched of a mail that is too large."""
BATCH_MAILS = 100
BATCH_BYTES = 8_000_000
"""At most so much in one answer and in memory, unless a single mail is larger."""
KEYS_AT_ONCE = 1000
CONNECTIONS = 5
"""So often a run connects anew where the server hangs up over mails."""
SEARCH_SPAN = 50_000
"""imaplib refuses answers of more than 1 MB in a line, which is a SEARCH over 140,000 mails."""
IDLE_SECONDS = 270
"""IDLE is renewed after this time: routers forget quiet connections, servers log out after 29 minutes."""
POLL_SECONDS = 20
"""Between two NOOPs where the server has no IDLE."""


class ImapMailbox:
    """A mailbox on an IMAP server; see ``moderator.common.mails.Mailbox``.

    Connects at once. Raises ConfigError (a password would travel in clear, a secret is missing), OperatorError
    (wrong login, certificate or host) and TransientError (the server is away or answers oddly).
    """

    def __init__(self, imap: ImapSettings) -> None:
        self._imap = imap
        self._client: Any = connect_imap(imap)
        self._validity = 0
        """UIDVALIDITY of the selected inbox; 0 = nothing is selected."""
        self._next_uid = 1
        """Mails from this UID on have not been looked at."""
        self._exists = 0
        """How many mails were there when the inbox was selected."""
        self._connections_left = CONNECTIONS
        self._fetched = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def waiting(self) -> int:
        """Return the number of mails in the inbox; one STATUS, nothing is selected."""
        with self._refuse_missing_inbox():
            return int(self._client.folder_status(self._imap.inbox, ["MESSAGES"])[b"MESSAGES"])

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        """Yield new mails by UID, in batches of at most 100 mails and about 8 MB.

        A mail that vanishes meanwhile is left out. So is one that lies there but cannot be read, at which the server
        may even hang up; ``UnreadableMailsError`` names it after the last batch."""
        # Selected anew each time: over a long connection the folder may have been replaced.
        self._select_inbox(again=True)
        uids = self._search_uids()
        self._fetched = True
        if uids:
            self._next_uid = uids[-1] + 1
        unread: list[int] = []
        for start in range(0, len(uids), KEYS_AT_ONCE):
            keys = {self._build_key(uid): uid for uid in uids[start : start + KEYS_AT_ONCE]}
            old = known(list(keys))
            fresh = [uid for key, uid in keys.items() if key not in old]
            for first in range(0, len(fresh), BATCH_MAILS):
                yield from self._fetch_batch(fresh[first : first + BATCH_MAILS], max_bytes, unread)
        if unread:
            raise UnreadableMailsError(
                {self._build_key(uid): f"UID {uid}, {self._imap.inbox}, {self._imap.host}" for uid in unread}
            )

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        """Move mails of this inbox to the two folders, which are made when they are missing.

        Keys of an earlier UIDVALIDITY and vanished mails are no error: there is nothing left to move. Raises
        OperatorError, naming the setting, where the server moves none to one of them; the other is tried all the same.
        """
        self._select_inbox()
        troubles: list[str] = []
        for setting, folder, keys in (
            ("processed", self._imap.processed, processed),
            ("failed", self._imap.failed, failed),
        ):
            prefix = f"{self._validity}:"
            uids = sorted({int(key[len(prefix) :]) for key in keys if key.startswith(prefix)})
            with translate_imap_errors(self._imap):
                try:
                    move_mails(self._client, uids, folder)
                except IMAPClientAbortError:
                    raise
                except IMAPClientError as error:
                    reason = format_server_words(error).rstrip(".")
                    why = f"{self._imap.host} moves no mail to the folder {folder!r}: {reason}"
                    troubles.append(f"{why}. Correct [imap] {setting}, or make that folder by hand.")
        if troubles:
            raise OperatorError(" ".join(troubles), "Meanwhile mails are answered, and stay in the inbox.")

    def bring_back(self, since: datetime) -> int:
        """Move mails of both folders back, by INTERNALDATE, which a server keeps when it moves a mail."""
        self._validity = 0
        with translate_imap_errors(self._imap):
            folders = (self._imap.processed, self._imap.failed)
            return sum(move_mails_back(self._client, folder, self._imap.inbox, since) for folder in folders)

    def marks(self) -> list[Mark]:
        """Read the marks, which are mails in a folder of their own."""
        self._validity = 0
        with translate_imap_errors(self._imap):
            return read_every_mark(self._client)

    def mark(self, mark: Mark, alone: bool) -> None:
        """Write a mark as a mail that tells people, too, what it is."""
        self._validity = 0
        with translate_imap_errors(self._imap):
            write_mark(self._client, mark, alone)

    def idle(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for a mail that ``fetch`` has not seen; without a fetch, for any. By IDLE, or
        by NOOP where there is none."""
        self._select_inbox()
        if not self._fetched and self._exists:
            return True  # it came since the inbox was empty, and no "new mail" will be said of it
        end = time.monotonic() + seconds
        with translate_imap_errors(self._imap):
            pushed = self._client.has_capability("IDLE")
            # The first span is short: an announcement that arrives together with the server's "+ idling" waits
            # unseen in imaplib's buffer until the span ends.
            span: float = 5 if pushed else POLL_SECONDS
            while not self._has_new_mail():
                left = end - time.monotonic()
                if left <= 0:
                    return False
                if pushed:
                    self._wait_idle(min(left, span))
                    span = IDLE_SECONDS
                else:
                    time.sleep(min(left, span))
                    self._client.noop()
            return True

    def close(self) -> None:
        """Log out. Never raises."""
        disconnect_imap(self._client)

    # ---- below: one step each ----

    def _build_key(self, uid: int) -> str:
        return f"{self._validity}:{uid}"

    def _select_inbox(self, again: bool = False) -> None:
        if self._validity and not again:
            return
        with self._refuse_missing_inbox():
            answer = self._client.select_folder(self._imap.inbox)
            self._validity = int(answer.get(b"UIDVALIDITY", 0))
            self._next_uid = int(answer.get(b"UIDNEXT", 1))
            self._exists = int(answer.get(b"EXISTS", 0))
        if not self._validity:
            raise OperatorError(f"{self._imap.host} gives no UIDVALIDITY.", "This server cannot be used for the games.")

    @contextmanager
    def _refuse_missing_inbox(self) -> Iterator[None]:
        """Translate errors, and raise OperatorError where one comes of a configured inbox that does not exist."""
        with translate_imap_errors(self._imap):
            try:
                yield
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                if self._client.folder_exists(self._imap.inbox):
                    raise
                raise OperatorError(
                    f"{self._imap.host} has no folder {self._imap.inbox!r}: {format_server_words(error).rstrip('.')}.",
                    'Correct [imap] inbox (nearly always "INBOX").',
                ) from error

    def _search_uids(self) -> list[int]:
        """Search all UIDs of the inbox, ascending."""
        with translate_imap_errors(self._imap):
            if self._exists <= SEARCH_SPAN:
                return sorted(self._client.search(["ALL"]))
            spans = range(1, self._exists + 1, SEARCH_SPAN)
            found = (self._client.search([f"{first}:{first + SEARCH_SPAN - 1}"]) for first in spans)
            return sorted({uid for uids in found for uid in uids})

    def _fetch_batch(self, uids: list[int], max_bytes: int, unread: list[int]) -> Iterator[list[RawMail]]:
        """Fetch at most 100 UIDs, sizes first, then bodies in groups that fit into BATCH_BYTES."""
        facts = self._fetch_items(uids, ["RFC822.SIZE", "INTERNALDATE"], unread)
        group: list[int] = []
        weight = 0
        with translate_imap_errors(self._imap):
            sizes = {uid: int(facts[uid].get(b"RFC822.SIZE", 0)) for uid in sorted(facts)}
        for uid in sizes:
            size = min(sizes[uid], max_bytes)
            if group and weight + size > BATCH_BYTES:
                yield from self._fetch_bodies(group, facts, sizes, max_bytes, unread)
                group, weight = [], 0
            group.append(uid)
            weight += size
        yield from self._fetch_bodies(group, facts, sizes, max_bytes, unread)

    def _fetch_bodies(
        self, uids: list[int], facts: Any, sizes: dict[int, int], max_bytes: int, unread: list[int]
    ) -> Iterator[list[RawMail]]:
        head = min(HEAD_BYTES, max_bytes)
        large = [uid for uid in uids if sizes[uid] > max_bytes]
        bodies = self._fetch_items([uid for uid in uids if uid not in large], ["BODY.PEEK[]"], unread)
        bodies.update(self._fetch_items(large, [f"BODY.PEEK[]<0.{head}>"], unread))
        mails: list[RawMail] = []
        with translate_imap_errors(self._imap):
            for uid in uids:
                data = bodies.get(uid, {}).get(b"BODY[]<0>" if uid in large else b"BODY[]")
                if data is None:
                    continue
                data = memoryview(data).tobytes()  # and nothing else
                # A whole mail has the size it has: some servers only estimate RFC822.SIZE.
                complete = uid not in large or len(data) < head
                size = len(data) if complete else max(sizes[uid], len(data) + 1)
                came = _to_utc(facts[uid].get(b"INTERNALDATE"))
                mails.append(RawMail(self._build_key(uid), data, came, size, came.isoformat()))
        if mails:
            yield mails

    def _fetch_items(self, uids: list[int], items: list[str], unread: list[int]) -> dict[int, Any]:
        """Fetch these items; those that are missing are asked for one by one.

        A server may answer NO when one of the mails was deleted meanwhile (RFC 2180), or leave out or stumble over one
        that is damaged."""
        found = self._fetch_readable(uids, items)
        missing = [uid for uid in uids if uid not in found]
        if not missing:
            return found
        with translate_imap_errors(self._imap):
            self._client.noop()
            there = self._client.search(["UID", ",".join(map(str, missing))])
        for uid in there:
            one = self._fetch_readable([uid], items)
            found.update(one)
            unread.extend([uid] if uid not in one else [])
        return found

    def _fetch_readable(self, uids: list[int], items: list[str]) -> dict[int, Any]:
        """Fetch what the server gives of these mails; {} where it refuses, or hangs up or falls silent over them."""
        if not uids:
            return {}
        with translate_imap_errors(self._imap):
            try:
                given = self._client.fetch(uids, items)
            except (IMAPClientAbortError, OSError, EOFError):
                if not self._connections_left:
                    raise
            except IMAPClientError:
                return {}
            else:
                wanted = items[0].partition("<")[0].replace(".PEEK", "").encode()
                return {
                    uid: facts
                    for uid, facts in given.items()
                    if any(name.startswith(wanted) and value is not None for name, value in facts.items())
                }
        self._reconnect()
        return {}

    def _reconnect(self) -> None:
        """Go on over a new connection, as if nothing had been. Raises TransientError where it is another mailbox
        then."""
        was = self._validity, self._next_uid
        self._connections_left -= 1
        disconnect_imap(self._client)
        self._client = connect_imap(self._imap)
        self._select_inbox(again=True)
        if self._validity != was[0]:
            raise TransientError(
                f"{self._imap.host}:{get_imap_port(self._imap)}: the inbox was replaced in the middle."
            )
        self._next_uid = was[1]

    def _has_new_mail(self) -> bool:
        # "n:*" always names the last mail, also when its UID is below n.
        return any(uid >= self._next_uid for uid in self._client.search(["UID", f"{self._next_uid}:*"]))

    def _wait_idle(self, seconds: float) -> None:
        """Wait in one IDLE of at most ``seconds``; ends at the first answer. Raises when the connection is lost, or
        when news arrive before the "+ idling" (imapclient takes them for a wrong answer; the next fetch has them)."""
        self._client.idle()
        answers = self._client.idle_check(timeout=seconds)
        # After a lost connection idle_check returns [] at once and for ever; here idle_done notices.
        self._client.idle_done()
        if any(answer and answer[0] == b"BYE" for answer in answers):
            raise TransientError(f"{self._imap.host} closed the connection.")


def _to_utc(moment: datetime | None) -> datetime:
    """Convert INTERNALDATE to aware UTC; now, where a server gives none that can be read."""
    if moment is None or moment.tzinfo is None:
        return clock.get_wall_time()
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return clock.get_wall_time()


# ---- A client of IMAP that takes no answer which is larger, or nested deeper, than any that is asked for.


LARGEST, MOST_LINES, DEEPEST = 128 << 20, 200_000, 1000
"""Bytes and lines of the whole answer to a command, and opening brackets in one of its lines."""


class _Bounded:
    """A connection that counts all that comes from the server between two commands, from the greeting on."""

    host: str
    port: int
    _lines = _bytes = 0

    def send(self, data: bytes) -> None:
        self._lines = self._bytes = 0
        super().send(data)  # type: ignore[misc]

    def read(self, size: int) -> bytes:
        self._check_growth(size, f"it announces {size} bytes at once")
        return bytes(super().read(size))  # type: ignore[misc]

    def readline(self) -> bytes:
        line = bytes(super().readline())  # type: ignore[misc]
        self._lines += 1
        self._check_growth(len(line), f"it has more than {self._lines - 1} lines")
        if line.count(b"(") > DEEPEST:
            self._refuse_answer("it is nested too deep")
        return line

    def _check_growth(self, by: int, what: str) -> None:
        self._bytes += by
        if self._bytes > LARGEST or self._lines > MOST_LINES:
            self._refuse_answer(what)

    def _refuse_answer(self, what: str) -> None:
        raise TransientError(f"{self.host}:{self.port}: the server's answer cannot be read: {what}.")


class _Plain(_Bounded, IMAP4WithTimeout):  # type: ignore[misc]
    pass


class _Tls(_Bounded, IMAP4_TLS):  # type: ignore[misc]
    pass


class BoundedImapClient(IMAPClient):  # type: ignore[misc]
    def _create_IMAP4(self) -> Any:  # noqa: N802 - imapclient's name
        seconds = self._timeout.connect
        if self.ssl:
            return _Tls(self.host, self.port, self.ssl_context, seconds)
        return _Plain(self.host, self.port, seconds)
