"""A certificate that is not taken: which, why, and who mends it; also by real handshakes with one that has expired."""

from __future__ import annotations

import contextlib
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from moderator.config import Imap, Smtp
from moderator.errors import ModeratorError, OperatorError, TransientError
from moderator.mail import network
from moderator.mail.imap import ImapMailbox
from moderator.mail.smtp import SmtpSender
from tests.servers.process import HOST

CA = """
[ca]
default_ca = d
[d]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = p
x509_extensions = e
unique_subject = no
[p]
commonName = supplied
[e]
subjectAltName = DNS:localhost,IP:127.0.0.1
basicConstraints = critical,CA:TRUE
"""
DATES = {"expired": ("20250101000000Z", "20260102030405Z"), "coming": ("20600101000000Z", "20610101000000Z")}


@pytest.fixture(scope="module", params=sorted(DATES))
def certificate(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """(which, its folder): cert.pem is its own authority."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "ca.cnf").write_text(CA)
    (folder / "index.txt").touch()
    (folder / "serial").write_text("01")
    begins, ends = DATES[request.param]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"]
    for line in (
        ["req", "-new", *key, "-subj", "/CN=localhost", "-out", "asked.pem"],
        ["ca", "-batch", "-config", "ca.cnf", "-selfsign", "-keyfile", "key.pem", "-in", "asked.pem",
         "-out", "cert.pem", "-startdate", begins, "-enddate", ends, "-notext"],
    ):  # fmt: skip
        subprocess.run(["openssl", *line], cwd=folder, check=True, capture_output=True)
    return request.param, folder


@contextlib.contextmanager
def server(folder: Path, kind: str) -> Iterator[int]:
    """The port of one that speaks TLS at once ("tls"), or after the words of IMAP or SMTP that ask for it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                if kind == "imap":
                    self.say("* OK [CAPABILITY IMAP4rev1 STARTTLS] ready")
                    self._imap()
                elif kind == "smtp":
                    self._smtp()
                with context.wrap_socket(self.request, server_side=True) as tls:
                    self.rfile, self.wfile = tls.makefile("rb"), tls.makefile("wb", buffering=0)
                    self._imap()

        def say(self, line: str) -> None:
            self.wfile.write(line.encode() + b"\r\n")

        def _imap(self) -> None:
            while line := self.rfile.readline().decode("latin-1"):
                tag, _, verb = line.strip().partition(" ")
                if verb.upper() == "CAPABILITY":
                    self.say("* CAPABILITY IMAP4rev1 STARTTLS")
                self.say(f"{tag} OK done")
                if verb.upper() == "STARTTLS":
                    return

        def _smtp(self) -> None:
            self.say("220 fake ESMTP")
            while line := self.rfile.readline().decode("latin-1").strip().upper():
                self.say("250-fake\r\n250 STARTTLS" if line.startswith("EHLO") else "220 go on")
                if line == "STARTTLS":
                    return

    with socketserver.ThreadingTCPServer((HOST, 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield made.server_address[1]
        finally:
            made.shutdown()
            thread.join()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("section", ["imap", "smtp"])
@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_one_out_of_date_is_told_with_its_date(certificate: tuple[str, Path], section: str, security: Any) -> None:
    which, folder = certificate
    with server(folder, section if security == "starttls" else "tls") as port:
        common: Any = {"host": "localhost", "port": port, "security": security, "ca_file": str(folder / "cert.pem")}
        with pytest.raises(TransientError) as caught:
            _connect(section, common)
    line = str(caught.value)
    if which == "expired":
        assert line == f"The certificate of localhost:{port} has expired on 2026-01-02; its operator must renew it."
    else:
        assert line.startswith(f"The certificate of localhost:{port} is not valid before 2060-01-01 00:00 UTC.")
        assert "clock (NTP)" in line


def _connect(section: str, common: Any) -> None:
    if section == "imap":
        ImapMailbox(Imap(user="gm", password="pw", timeout=5, **common))
    else:
        SmtpSender(Smtp(timeout=5, **common)).check()


TABLE: dict[int, tuple[type[ModeratorError], str]] = {
    2: (OperatorError, "ca_file"),
    9: (TransientError, "is not valid yet"),
    10: (TransientError, "has expired; its operator must renew it"),
    18: (OperatorError, "ca_file"),
    19: (OperatorError, "ca_file"),
    20: (OperatorError, "ca_file"),
    21: (OperatorError, "ca_file"),
    23: (TransientError, "revoked; its operator"),
    24: (OperatorError, "ca_file"),
    26: (OperatorError, "ca_file"),
    28: (OperatorError, "ca_file"),
    62: (OperatorError, r"another name.*Correct \[imap\] host"),
    64: (OperatorError, r"another name.*Correct \[imap\] host"),
    66: (TransientError, "too weak"),
    67: (TransientError, "too weak"),
    68: (TransientError, "too weak"),
}
"""verify_code of openssl-verify(1) -> what is raised, and what it says where the server gives no dates."""


@pytest.mark.parametrize("code", sorted(TABLE))
def test_each_reason_has_its_own_fix(code: int) -> None:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code, error.verify_message = code, "as OpenSSL says"
    kind, words = TABLE[code]
    found = network.certificate_refused("imap", HOST, 1, error)
    assert type(found) is kind
    with pytest.raises(kind, match=words):
        raise found
    assert ("orrect [imap] host" in str(found)) == (kind is OperatorError)
