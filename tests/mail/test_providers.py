"""What is known of mail providers: the table, the document and what `init` writes say the same."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator import config
from moderator.cli import cli, session
from moderator.config import Config
from moderator.errors import ConfigError
from moderator.mail import providers
from moderator.mail.providers import Provider, filled, known, of_address
from moderator.paths import example_config

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "mailboxes.md").read_text(encoding="utf-8")
SECTIONS = {
    heading: text
    for heading, text in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    if "```toml" in text
}
PROVIDERS = {provider.name: provider for provider in known().values()}


def blocks(text: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", text, re.DOTALL)


def domains(text: str, word: str = "Domains") -> list[str]:
    line = re.search(rf"^{word}: (.+)$", text, re.MULTILINE)
    return re.findall(r"`([^`]+)`", line[1]) if line else []


def loaded(text: str, folder: Path) -> Config:
    file = folder / "moderator.toml"
    file.write_text(text, encoding="utf-8")
    return config.load(file)


def settings(read: Config) -> tuple[object, ...]:
    """What a provider has a say in."""
    return (
        read.mail.subaddress,
        *(
            (server.host, server.port, server.security, server.user, server.password_command, server.token_command)
            for server in (read.imap, read.smtp)
        ),
    )


def asked(address: str) -> Provider:
    found = of_address(address)
    assert found is not None, address
    return found


def test_the_document_names_each_domain_of_the_table_and_no_other() -> None:
    written = {heading: (tuple(domains(text)), tuple(domains(text, "MX"))) for heading, text in SECTIONS.items()}
    known = {provider.name: (provider.domains, provider.mx) for provider in PROVIDERS.values()}
    assert {heading: both for heading, both in written.items() if any(both)} == known


def test_no_domain_has_two_providers() -> None:
    every = [domain for provider in PROVIDERS.values() for domain in provider.domains]
    assert len(every) == len(set(every))
    hosts = [host for provider in PROVIDERS.values() for host in provider.mx]
    assert len(hosts) == len(set(hosts))
    assert all(domain == domain.lower() for domain in every)


@pytest.mark.parametrize("heading", sorted(SECTIONS))
def test_each_block_of_the_document_is_a_configuration(heading: str, tmp_path: Path) -> None:
    for block in blocks(SECTIONS[heading]):
        assert set(tomllib.loads(block)) == {"mail", "imap", "smtp"}
        read = loaded('[club]\nmoderator = "you@example.org"\n' + block, tmp_path)
        assert read.imap.port
        assert read.smtp.port


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_block_table_and_init_say_the_same(name: str, tmp_path: Path) -> None:
    block = blocks(SECTIONS[name])[0]
    address = tomllib.loads(block)["mail"]["address"]
    provider = PROVIDERS[name]
    assert of_address(address) is (provider if provider.domains else None)
    by_hand = loaded('[club]\nmoderator = "you@example.org"\n' + block, tmp_path)
    by_init = loaded(filled(example_config().read_text(encoding="utf-8"), address, provider), tmp_path)
    assert by_init.mail.address == by_hand.mail.address == address
    assert settings(by_init) == settings(by_hand)


@pytest.mark.parametrize("heading", sorted(SECTIONS))
def test_each_fact_has_a_source_or_says_that_it_has_none(heading: str) -> None:
    rows = [line for line in SECTIONS[heading].splitlines() if line.startswith("| ")][1:]
    assert rows
    for row in rows:
        what, fact, source, date = (cell.strip() for cell in row.strip("|").split("|"))
        assert what
        assert fact
        if fact != "yours":
            assert re.search(r"\]\(https?://|not verified|^tried", source), row
            assert re.search(r"\d{4}|undated", date) or "not verified" in source, row


def test_links_within_the_document_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", DOCUMENT, flags=re.DOTALL), re.MULTILINE)
    places = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", DOCUMENT)) <= places


# ---- the address ----


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("games@gmx.de", "GMX"),
        ("Games@GMX.De", "GMX"),
        ("games+x@googlemail.com", "Gmail"),
        ("games@club.onmicrosoft.com", "Microsoft 365"),
    ],
)
def test_the_domain_says_who_it_is(address: str, name: str) -> None:
    assert asked(address).name == name


@pytest.mark.parametrize(
    "address", ["games@club.example", "games@gmx.de.example", "games@mail.gmx.de", "games@onmicrosoft.com", "x", ""]
)
def test_what_is_not_known_is_not_guessed(address: str) -> None:
    assert of_address(address) is None


def test_remarks_of_the_example_stay() -> None:
    example = example_config().read_text(encoding="utf-8")
    text = filled(example, "games@gmx.de", asked("games@gmx.de"))
    assert len(text.splitlines()) == len(example.splitlines())
    assert 'security = "tls"                     # "tls" (port 993), "starttls" (143)' in text
    assert "# [maildir]" in text


def test_an_example_without_the_key_is_a_fault_of_ours() -> None:
    with pytest.raises(LookupError, match="mail"):
        filled("[imap]\n", "games@gmx.de", None)


# ---- moderator init ----


def run_init(file: Path, *options: str, keys: str | None = None) -> str:
    done = CliRunner().invoke(cli, ["--config", str(file), "init", *options], input=keys)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_init_fills_in_what_follows_from_the_address(tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    said = run_init(file, "--address", "games@gmx.de")
    assert "GMX" in said
    assert "application-specific password" in said
    assert file.stat().st_mode & 0o077 == 0
    read = config.load(file)
    assert (read.imap.host, read.smtp.host, read.mail.subaddress) == ("imap.gmx.net", "mail.gmx.net", "")
    assert "is ready" in run_init(file, "--address", "games@gmx.de")  # the second time makes the database


def test_init_says_what_is_left_to_do_for_a_domain_it_does_not_know(tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    assert "docs/mailboxes.md" in run_init(file, "--address", "games@club.example", "--offline")
    read = config.load(file)
    assert (read.mail.address, read.imap.user, read.smtp.user) == ("games@club.example",) * 3
    assert read.imap.host == "imap.example.org"


@pytest.mark.parametrize(
    "address", ["games", "games@", "@gmx.de", "a@b@c", "games@gmx.de\n", "jörg@gmx.de", "Games <g@gmx.de>"]
)
def test_init_writes_nothing_for_what_is_no_address(address: str, tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    with pytest.raises(ConfigError, match="no mail address"):
        run_init(file, "--address", address)
    assert not file.exists()


@pytest.mark.parametrize("address", ['"a"@gmx.de', "a\\b@gmx.de", "a'#b@gmx.de"])
def test_an_odd_address_is_written_as_it_is(address: str, tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    run_init(file, "--address", address)
    assert config.load(file).mail.address == address


def test_init_changes_nothing_that_is_there(tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    run_init(file, "--address", "games@gmx.de")
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="is there already"):
        run_init(file, "--address", "games@web.de")
    assert file.read_bytes() == before


def test_init_asks_nobody_who_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    assert "fill in your mailbox" in run_init(file, keys="games@gmx.de\n")
    assert file.read_bytes() == example_config().read_bytes()


@pytest.mark.parametrize(("keys", "host"), [("games@web.de\n", "imap.web.de"), ("\n", "imap.example.org")])
def test_init_asks_who_sits_there(keys: str, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "somebody_there", lambda: True)
    file = tmp_path / "moderator.toml"
    run_init(file, keys=keys)
    assert config.load(file).imap.host == host


# ---- the script that fetches tokens ----

MSAL = """
import json
class SerializableTokenCache:
    has_state_changed = False
    known = False
    def deserialize(self, text): self.known = json.loads(text)
    def serialize(self): return json.dumps(self.known)
class PublicClientApplication:
    def __init__(self, client, authority, token_cache): self.cache = token_cache
    def initiate_device_flow(self, scopes): return {"message": "Open the page, enter ABC.", "user_code": "ABC"}
    def acquire_token_by_device_flow(self, flow):
        self.cache.known = self.cache.has_state_changed = True
        return {"access_token": "T1"}
    def get_accounts(self): return [{"username": "games@outlook.com"}] if self.cache.known else []
    def acquire_token_silent(self, scopes, account):
        self.cache.has_state_changed = True
        return {"access_token": "T2"}
"""


def test_the_script_of_the_document_logs_in_once_and_then_prints_a_token(tmp_path: Path) -> None:
    """With a stand-in for msal: what is tested is the script's own part."""
    (script,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    (tmp_path / "moderator-token").write_text(script)
    (tmp_path / "msal.py").write_text(MSAL)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "moderator-token", *words]
        return subprocess.run(
            command, cwd=tmp_path, env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=False
        )

    first = run()
    assert (first.returncode, first.stdout) == (1, "")
    assert "log in once more" in first.stderr
    login = run("login")
    assert login.returncode == 0, login.stderr
    assert login.stdout == "Open the page, enter ABC.\nLogged in.\n"
    assert (tmp_path / ".moderator-token.json").stat().st_mode & 0o077 == 0
    assert run().stdout == "T2\n"
    assert providers.TOKEN_COMMAND in DOCUMENT
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == [
        ".moderator-token.json", "moderator-token", "msal.py"
    ]  # fmt: skip
