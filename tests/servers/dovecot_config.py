"""Configurations of Dovecot 2.3 (Debian 12, Ubuntu 22.04/24.04) and 2.4 (Debian 13).

The one for 2.4 follows the project's upgrade guide; it could not be tried where it was written.
As root the mailboxes belong to user ``mail``; as anybody else everything belongs to that user.
"""

from __future__ import annotations

import grp
import os
import pwd
from pathlib import Path

from tests.servers import PASSWORD

ISSUER = "https://rig.test.example"


def render(version: tuple[int, ...], folder: Path, ports: dict[str, int], prefix: str) -> str:
    """The text of dovecot.conf. ``ports``: imap, imaps, lmtp, auth; ``prefix``: of the personal namespace."""
    template = _NEW if version >= (2, 4) else _OLD
    return template % {
        "d": folder,
        "password": PASSWORD,
        "issuer": ISSUER,
        "prefix": prefix,
        "separator": prefix[-1:] or "/",
        **_owner(),
        **ports,
    } + _services(ports, version)


def _owner() -> dict[str, object]:
    if os.geteuid() == 0:
        mail = pwd.getpwnam("mail")
        users = "default_internal_user = dovecot\ndefault_internal_group = dovecot\ndefault_login_user = dovenull\n"
        return {"uid": mail.pw_uid, "gid": mail.pw_gid, "users": users}
    me, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    users = f"default_internal_user = {me}\ndefault_login_user = {me}\ndefault_internal_group = {group}\n"
    return {"uid": os.geteuid(), "gid": os.getegid(), "users": users}


def _services(ports: dict[str, int], version: tuple[int, ...]) -> str:
    """Listeners; without root no chroot; no penalty for wrong passwords (tests give many)."""
    address = "listen" if version >= (2, 4) else "address"
    chroot = "" if os.geteuid() == 0 else "  chroot =\n"

    def listener(name: str, port: int, extra: str = "") -> str:
        return f"  inet_listener {name} {{\n    {address} = 127.0.0.1\n    port = {port}\n{extra}  }}\n"

    login = listener("imap", ports["imap"]) + listener("imaps", ports["imaps"], "    ssl = yes\n")
    penalty = "  unix_listener anvil-auth-penalty {\n    mode = 0\n  }\n"
    return (
        f"service imap-login {{\n{chroot}{login}}}\n"
        f"service lmtp {{\n{listener('lmtp', ports['lmtp'])}}}\n"
        f"service auth {{\n{listener('smtpauth', ports['auth'])}}}\n"
        f"service anvil {{\n{chroot}{penalty}}}\n"
        f"service stats {{\n{chroot}}}\n"
    )


_COMMON = """\
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
"""

_OLD = (
    _COMMON
    + """\
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
)

_NEW = (
    "dovecot_config_version = 2.4.0\ndovecot_storage_version = 2.4.0\n"
    + _COMMON
    + """\
ssl_server_cert_file = %(d)s/cert.pem
ssl_server_key_file = %(d)s/key.pem
auth_allow_cleartext = yes
auth_mechanisms = plain login xoauth2 oauthbearer
auth_username_format = %%{user | username | lower}
mail_driver = maildir
mail_path = %(d)s/mail/%%{user | username}
mail_home = %(d)s/mail/%%{user | username}
oauth2 {
  introspection_mode = local
  username_attribute = sub
  issuers = %(issuer)s
  oauth2_local_validation {
    dict fs {
      fs posix {
        fs_posix_prefix = %(d)s/keys/
      }
    }
  }
}
passdb oauth2 {
  mechanisms_filter = xoauth2 oauthbearer
}
passdb static {
  mechanisms_filter = plain login
  password = %(password)s
}
userdb static {
  allow_all_users = yes
  fields {
    uid = %(uid)s
    gid = %(gid)s
    home = %(d)s/mail/%%{user | username}
  }
}
namespace inbox {
  inbox = yes
  prefix = %(prefix)s
  separator = %(separator)s
}
"""
)

OAUTH2_OLD = """\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix=%(d)s/keys/
username_attribute = sub
issuers = %(issuer)s
"""
