"""Real mail servers for tests and benches, out of a temporary folder: Dovecot (IMAP, LMTP) and Postfix (SMTP).

Fixtures (tests/conftest.py); mark tests that use them with ``@pytest.mark.servers``:

``dovecot``   session, tests.servers.dovecot.Dovecot: ``host``, ``imap_port`` (plain and STARTTLS), ``imaps_port``,
              ``lmtp_port``, ``auth_port`` (SASL for Postfix), ``ca_file``. Any user logs in with ``PASSWORD``, or by
              XOAUTH2 with ``token(user)``; a user's mailbox comes into being by the first login or delivery.
``mailbox``   function, tests.servers.dovecot.Box: a fresh user. ``user``, ``password``, ``address``
              (user@test.example), ``deliver(raw, to="")`` by LMTP (synchronous: when it returns, IMAP has the mail),
              ``client()`` a logged-in IMAPClient (closed at the end of the test), ``folder(name)`` list of raw mails
              by UID, ``imap(**changes)`` a config.Imap for it.
``new_box``   function: ``new_box("player1")`` makes further boxes; without a name a fresh one.
``postfix``   session, tests.servers.postfix.Postfix: ``host``, ``smtp_port``, ``ca_file``, ``domain`` "test.example".
              Accepts the local parts ``gm-…`` and ``player…`` (with or without +detail) and delivers into the Dovecot
              mailbox named by the local part without the detail, with Delivered-To; anything else is a 550. Nothing
              can leave the machine. STARTTLS; AUTH with any user and ``PASSWORD``. ``smtp(**changes)`` a config.Smtp.

Servers of another kind (without ``+``, with a junk folder, …): ``Dovecot.started(extra=…)``, ``Postfix.started(…)``;
see tests/e2e/test_doctor_mail.py. A name server with a zone of its own: tests.servers.name_server.NameServer.

Each pytest-xdist worker starts its own servers, on free ports, and only if a test asks for them. Without pytest:
``with Dovecot.started() as dovecot, Postfix.started(dovecot) as postfix: …`` (see bench/servers.py).

Missing servers skip a test; with REQUIRE_SERVERS=1 in the environment they fail it.
"""

import time
from collections.abc import Callable

PASSWORD = "pw"
DOMAIN = "test.example"


def eventually(found: Callable[[], bool], seconds: float = 20) -> bool:
    """What a server does by itself is done within milliseconds, but not before it has answered: Postfix delivers,
    PostgreSQL lets go of the locks of a connection that was closed."""
    end = time.monotonic() + seconds
    while not found():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
