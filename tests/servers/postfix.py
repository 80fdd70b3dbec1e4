"""A Postfix of our own that delivers into our Dovecot and nowhere else. Needs root. Mails for ``gone.`` and our
domain it takes, and finds then that there is no such user."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from moderator.mail.settings import SmtpSettings
from tests.servers import DOMAIN
from tests.servers.dovecot import Dovecot
from tests.servers.process import (
    HOST,
    Server,
    ServerError,
    free_ports,
    greets,
    make_certificate,
    wait_until,
)

USERS = "(gm-|player)[^@]*"


def program() -> str | None:
    """Path of the postfix program, None where it is not installed."""
    return shutil.which("postfix", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


class Postfix(Server):
    """A running server. ``extra``: more lines of main.cf; ``users``: a pattern of the local parts that it takes mails
    for; ``aliases``: lines of patterns and of what becomes of addresses like that."""

    host = HOST
    domain = DOMAIN

    def __init__(self, folder: Path, dovecot: Dovecot, extra: str = "", users: str = USERS, aliases: str = "") -> None:
        self.folder = folder
        self._extra, self._users, self._aliases = extra, users, aliases
        (self.smtp_port,) = free_ports(1)
        self.ca_file = make_certificate(folder)
        self._dovecot = dovecot
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, which takes about two seconds. Raises ServerError."""
        command = program()
        if command is None or os.geteuid() != 0:
            raise ServerError("postfix is not installed, or this is not root")
        self._write_files()
        log = self.folder / "log" / "postfix.log"
        with (self.folder / "start.log").open("wb") as words:
            line, none = [command, "-c", str(self.folder / "conf"), "start-fg"], subprocess.DEVNULL
            self._process = subprocess.Popen(line, stdin=none, stdout=words, stderr=words, start_new_session=True)
        wait_until(lambda: greets(self.smtp_port), self._process, log)

    def stop(self) -> None:
        if self._process is not None:
            line = [str(program()), "-c", str(self.folder / "conf"), "stop"]
            subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def smtp(self, **changes: Any) -> SmtpSettings:
        """Settings that reach this server over STARTTLS, without a login."""
        smtp = SmtpSettings(host=HOST, port=self.smtp_port, security="starttls", ca_file=str(self.ca_file))
        return replace(smtp, **{"timeout": 20, "data_timeout": 20, **changes})

    def _write_files(self) -> None:
        for name in ("conf", "spool", "data", "log"):
            (self.folder / name).mkdir(exist_ok=True)
        shutil.chown(self.folder / "data", "postfix")
        values = {
            "d": self.folder,
            "smtp": self.smtp_port,
            "lmtp": self._dovecot.lmtp_port,
            "auth": self._dovecot.auth_port,
            "domain": DOMAIN,
            "logs": tempfile.gettempdir(),
            "daemons": _daemons(),
        }
        conf = self.folder / "conf"
        pattern = DOMAIN.replace(".", r"\.")
        (conf / "main.cf").write_text(_MAIN % values + self._extra)
        (conf / "master.cf").write_text(_MASTER % values)
        if self._aliases:
            (conf / "aliases").write_text(self._aliases)
            with (conf / "main.cf").open("a") as stream:
                stream.write(f"virtual_alias_maps = regexp:{conf}/aliases\n")
        (conf / "rcpt").write_text(rf"/^{self._users}@{pattern}$/ OK" + "\n")


def _daemons() -> str:
    """The folder of Postfix' programs, which differs between distributions."""
    answer = subprocess.run(["postconf", "-dh", "daemon_directory"], capture_output=True, text=True, check=True)
    return answer.stdout.strip()


_MAIN = """\
compatibility_level = 3.6
queue_directory = %(d)s/spool
data_directory = %(d)s/data
daemon_directory = %(daemons)s
mail_owner = postfix
setgid_group = postdrop
maillog_file = %(d)s/log/postfix.log
maillog_file_prefixes = %(logs)s
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = mx.%(domain)s
myorigin = %(domain)s
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = %(domain)s
virtual_mailbox_maps = regexp:%(d)s/conf/rcpt
virtual_transport = lmtp:inet:127.0.0.1:%(lmtp)s
# One recipient per delivery: only then Dovecot writes Delivered-To, which carries the +detail.
lmtp_destination_recipient_limit = 1
recipient_delimiter = +
transport_maps = inline:{ { gone.%(domain)s = gone: } }
default_transport = error:5.1.2 nothing leaves this machine
relay_transport = error:5.1.2 nothing leaves this machine
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_tls_security_level = may
smtpd_tls_cert_file = %(d)s/cert.pem
smtpd_tls_key_file = %(d)s/key.pem
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:%(auth)s
smtputf8_enable = yes
message_size_limit = 20000000
smtp_dns_support_level = disabled
smtpd_peername_lookup = no
queue_run_delay = 5s
minimal_backoff_time = 5s
maximal_backoff_time = 30s
"""

_MASTER = """\
127.0.0.1:%(smtp)s inet n - n - - smtpd
pickup    unix n - n 60 1 pickup
cleanup   unix n - n - 0 cleanup
qmgr      unix n - n 300 1 qmgr
tlsmgr    unix - - n 1000? 1 tlsmgr
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
trace     unix - - n - 0 bounce
flush     unix n - n 1000? 0 flush
proxymap  unix - - n - - proxymap
smtp      unix - - n - - smtp
showq     unix n - n - - showq
error     unix - - n - - error
retry     unix - - n - - error
discard   unix - - n - - discard
lmtp      unix - - n - - lmtp
gone      unix - n n - - pipe flags=q user=nobody argv=/bin/sh -c {exit 67}
anvil     unix - - n - 1 anvil
postlog   unix-dgram n - n - 1 postlogd
"""
