"""A Dovecot of our own, of 2.3 (Debian 12, Ubuntu 22.04/24.04). See the package's docstring for the interface. As root
the mailboxes belong to user ``mail``; as anybody else everything belongs to that user."""

import base64
import contextlib
import grp
import hashlib
import hmac
import json
import os
import pwd
import shutil
import signal
import smtplib
import subprocess
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

from moderator.mail.settings import ImapSettings
from tests.servers import DOMAIN, PASSWORD
from tests.servers.process import (
    HOST,
    Server,
    ServerError,
    free_ports,
    greets,
    make_certificate,
    wait_until,
)

_KEY = b"a key that only this test server knows"
ISSUER = "https://rig.test.example"


def program() -> str | None:
    """Path of the dovecot program, None where it is not installed."""
    return shutil.which("dovecot", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


class Dovecot(Server):
    """A running server. ``prefix``: of the personal namespace, e.g. "INBOX."; ``extra``: more lines of its
    configuration."""

    host = HOST

    def __init__(self, folder: Path, prefix: str = "", extra: str = "") -> None:
        self.folder = folder
        self.prefix = prefix
        self._extra = extra
        self.imap_port, self.imaps_port, self.lmtp_port, self.auth_port = free_ports(4)
        self.ca_file = make_certificate(folder)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start (again), on the same ports and with the same mailboxes. Raises ServerError."""
        command = program()
        if command is None:
            raise ServerError("dovecot is not installed")
        self._write_files()
        with (self.folder / "stderr.log").open("ab") as words:
            line, none = [command, "-F", "-c", str(self.folder / "dovecot.conf")], subprocess.DEVNULL
            self._process = subprocess.Popen(line, stdin=none, stdout=none, stderr=words, start_new_session=True)
        log = self.folder / "dovecot.log"
        wait_until(lambda: greets(self.imap_port) and greets(self.lmtp_port), self._process, log)

    def stop(self) -> None:
        """Stop at once, and cut every connection: SIGTERM would take a second, SIGQUIT leaves children behind."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=10)
            self._process = None

    def token(self, user: str, seconds: int = 3600) -> str:
        """A signed access token for ``user`` that is good for ``seconds``; negative = expired."""

        def part(data: bytes) -> bytes:
            return base64.urlsafe_b64encode(data).rstrip(b"=")

        now = int(time.time())
        claims = {"sub": user, "iss": ISSUER, "iat": now - 7200, "exp": now + seconds}
        head = part(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "default"}).encode())
        signed = head + b"." + part(json.dumps(claims).encode())
        return (signed + b"." + part(hmac.new(_KEY, signed, hashlib.sha256).digest())).decode()

    def _write_files(self) -> None:
        ports = {"imap": self.imap_port, "imaps": self.imaps_port, "lmtp": self.lmtp_port, "auth": self.auth_port}
        values = {"d": self.folder, "password": PASSWORD, "prefix": self.prefix, "separator": self.prefix[-1:] or "/"}
        text = _CONF % {**values, **_owner()} + _services(ports)
        (self.folder / "dovecot.conf").write_text(text + self._extra)
        (self.folder / "oauth2.conf.ext").write_text(_OAUTH2 % {"d": self.folder, "issuer": ISSUER})
        keys = self.folder / "keys" / "default" / "HS256"
        keys.mkdir(parents=True, exist_ok=True)
        (keys / "default").write_bytes(base64.b64encode(_KEY))
        (self.folder / "mail").mkdir(exist_ok=True)
        if os.geteuid() == 0:
            shutil.chown(self.folder / "mail", "mail")


class Box:
    password = PASSWORD

    def __init__(self, dovecot: Dovecot, user: str = "") -> None:
        self.dovecot = dovecot
        self.user = user or f"gm-{uuid.uuid4().hex[:12]}"
        self.address = f"{self.user}@{DOMAIN}"
        self._clients: list[Any] = []

    def imap(self, **changes: Any) -> ImapSettings:
        """Settings that reach this mailbox over TLS."""
        server, ca_file = self.dovecot, str(self.dovecot.ca_file)
        imap = ImapSettings(
            host=HOST, port=server.imaps_port, user=self.user, password=PASSWORD, ca_file=ca_file, timeout=10
        )
        return replace(imap, **changes)

    def deliver(self, *raw: bytes, to: str = "", sender: str = f"player1@{DOMAIN}") -> None:
        """Put mails into the inbox. ``to`` may carry a +detail; it becomes Delivered-To."""
        with smtplib.LMTP(HOST, self.dovecot.lmtp_port) as lmtp:
            for mail in raw:
                lmtp.sendmail(sender, [to or self.address], mail)

    def client(self) -> Any:
        client = self._client()
        self._clients.append(client)
        client.login(self.user, PASSWORD)
        return client

    def _client(self) -> Any:
        from imapclient import IMAPClient

        return IMAPClient(HOST, port=self.dovecot.imap_port, ssl=False, timeout=10)

    def folder(self, name: str) -> list[bytes]:
        """The raw mails of a folder, by UID; [] if there is no such folder."""
        with self._client() as client:
            client.login(self.user, PASSWORD)
            if not client.folder_exists(name):
                return []
            client.select_folder(name, readonly=True)
            found = client.fetch(client.search(["ALL"]), ["BODY.PEEK[]"])
            return [found[uid][b"BODY[]"] for uid in sorted(found)]

    def close(self) -> None:
        for client in self._clients:
            with contextlib.suppress(Exception):
                client.logout()
        self._clients.clear()


# ---- its configuration ----


def _owner() -> dict[str, object]:
    if os.geteuid() == 0:
        mail = pwd.getpwnam("mail")
        users = "default_internal_user = dovecot\ndefault_internal_group = dovecot\ndefault_login_user = dovenull\n"
        return {"uid": mail.pw_uid, "gid": mail.pw_gid, "users": users}
    me, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    users = f"default_internal_user = {me}\ndefault_login_user = {me}\ndefault_internal_group = {group}\n"
    return {"uid": os.geteuid(), "gid": os.getegid(), "users": users}


def _services(ports: dict[str, int]) -> str:
    """Listeners; without root no chroot; no penalty for wrong passwords (tests give many)."""
    chroot = "" if os.geteuid() == 0 else "  chroot =\n"

    def listener(name: str, port: int, extra: str = "") -> str:
        return f"  inet_listener {name} {{\n    address = 127.0.0.1\n    port = {port}\n{extra}  }}\n"

    login = listener("imap", ports["imap"]) + listener("imaps", ports["imaps"], "    ssl = yes\n")
    penalty = "  unix_listener anvil-auth-penalty {\n    mode = 0\n  }\n"
    return (
        f"service imap-login {{\n{chroot}{login}}}\n"
        f"service lmtp {{\n{listener('lmtp', ports['lmtp'])}}}\n"
        f"service auth {{\n{listener('smtpauth', ports['auth'])}}}\n"
        f"service anvil {{\n{chroot}{penalty}}}\n"
        f"service stats {{\n{chroot}}}\n"
    )


_CONF = """\
protocols = imap lmtp
base_dir = %(d)s/run
state_dir = %(d)s/state
log_path = %(d)s/dovecot.log
listen = 127.0.0.1
%(users)s
mail_uid = %(uid)s
mail_gid = %(gid)s
first_valid_uid = 1
first_valid_gid = 1
default_vsz_limit = 0
ssl = yes
auth_failure_delay = 0
mailbox_list_index = yes
mail_fsync = never
lmtp_save_to_detail_mailbox = no
recipient_delimiter = +
mail_max_userip_connections = 100
ssl_cert = <%(d)s/cert.pem
ssl_key = <%(d)s/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2 oauthbearer
auth_username_format = %%Ln
mail_location = maildir:%(d)s/mail/%%n
mail_home = %(d)s/mail/%%n
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = %(d)s/oauth2.conf.ext
}
passdb {
  driver = static
  mechanisms = plain login
  args = password=%(password)s
}
userdb {
  driver = static
  args = uid=%(uid)s gid=%(gid)s home=%(d)s/mail/%%n allow_all_users=yes
}
namespace inbox {
  inbox = yes
  prefix = %(prefix)s
  separator = %(separator)s
}
"""

_OAUTH2 = """\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix=%(d)s/keys/
username_attribute = sub
issuers = %(issuer)s
"""
