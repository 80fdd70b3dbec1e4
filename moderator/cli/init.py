"""`moderator init` and `moderator upgrade`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from moderator.cli import session
from moderator.cli.player import recompute_results
from moderator.cli.progress import show_working
from moderator.cli.texts import SPOKEN, choose_language, say_lines, translate_text
from moderator.common import disk
from moderator.common.disk import LANGUAGES, get_example_config
from moderator.common.errors import ConfigError
from moderator.diagnostics import providers
from moderator.diagnostics.providers import Provider
from moderator.diagnostics.settings_file import Setting, replace_setting_line
from moderator.settings import Config, check_mail_address, load_config
from moderator.store import engines
from moderator.store.database import open_engine, translate_database_errors
from moderator.store.schema import migrate_database
from moderator.words.compiled import SUFFIX

EXAMPLE = ("@example.org", ".example.org")
"""Ends of the addresses and servers in config.example.toml."""


@click.command()
@click.option("--address", help="The mailbox that players write to; its servers are filled in.")
@click.option("--offline", is_flag=True, help="Do not look the mail servers up in the DNS.")
@click.pass_obj
def init(config_file: Path | None, address: str | None, offline: bool) -> None:
    """Set up a club: write moderator.toml, create the database, say what comes next. On a terminal it asks for what it
    needs. What is there already stays."""
    file = disk.choose_settings_file(config_file)
    if not file.exists():
        say_lines(_write_config(file, address, offline))
    config = load_config(file)
    SPOKEN.set(choose_language(file))
    if address not in (None, config.mail.address):
        raise ConfigError(
            f"{file} is there already, with [mail] address = {config.mail.address!r}.",
            "Edit it, or move it away first. docs/run/providers.md has the settings of many providers.",
        )
    place = create_database(config)
    if left := _list_example_values(config):
        say_lines(f"Still as in the example: {', '.join(left)}. Fill that in {file} before players write.", err=True)
    say_lines("\n".join((f"The database {place} is ready.", *_iter_next_steps(config))))


def _iter_next_steps(config: Config) -> Iterator[str]:
    """Yield what to do next, as lines to be typed."""
    folder, program = config.file.parent.resolve(), Path(sys.argv[0]).resolve()
    if shutil.which("moderator") is None and program.name == "moderator":
        yield "The shell does not find the command yet. This makes it known, from the next login on:"
        yield f"    mkdir -p ~/.local/bin && ln -s {program} ~/.local/bin/"
    yield "Next:"
    words = config.resolve_path(config.words.folder)
    missing = [name for name in config.words.lexicons if not (words / f"{name}{SUFFIX}").exists()]
    yield from (f"    moderator lexicon build {name}" for name in missing)
    yield "    moderator doctor" if config.mail.transport == "maildir" else "    moderator doctor --mail"
    yield "    moderator player add Anna anna@example.org"
    yield "    moderator player add Bert bert@example.org"
    yield "    moderator match add topwords Anna Bert --start"
    command = f"{program if program.name == 'moderator' else 'moderator'} --config {folder / config.file.name}"
    yield "Then two lines for `crontab -e`: the referee every five minutes, a backup every night:"
    yield f"    */5 * * * *  {command} tick"
    yield f"    17 3 * * *  {command} backup {folder / 'backups'} --keep 10 >/dev/null"


def _list_example_values(config: Config) -> list[str]:
    """Return the settings that nobody has filled in."""
    given = {
        "[club] moderator": config.club.moderator,
        "[mail] address": config.mail.address,
    }
    if config.mail.transport == "imap":
        given |= {"[imap] host": config.imap.host, "[smtp] host": config.smtp.host}
    return [f"{name} = {value}" for name, value in given.items() if value.endswith(EXAMPLE)]


def _write_config(file: Path, address: str | None, offline: bool) -> str:
    """Write the configuration, with what was asked for; returns what was found out about the mailbox."""
    asks = session.can_ask_operator()
    if address is None and asks:
        address = _ask("The mailbox that players will write to (nothing: you fill it in yourself)", "")
    text = get_example_config().read_text(encoding="utf-8")
    said = [f"Wrote {file}."]
    if address:
        check_mail_address("--address", address)
        provider, whose = _find_provider(address, offline)
        text = providers.fill_mail_settings(text, address, provider)
        said.append(_describe_mailbox(provider, whose))
        if asks:
            say_lines(said.pop())
            for setting, instead_of in _ask_for_settings(address, provider):
                text = replace_setting_line(text, setting, instead_of)
        else:
            said.append(_describe_gaps(provider))
    file.parent.mkdir(parents=True, exist_ok=True)
    disk.replace_file(file, text.encode("utf-8"))
    return " ".join(said)


def _ask(question: str, default: str, hide: bool = False) -> str:
    answer = click.prompt(
        translate_text(question), default=default, show_default=bool(default) and not hide, hide_input=hide
    )
    return str(answer).strip()


def _ask_for_settings(address: str, provider: Provider | None) -> Iterator[tuple[Setting, str]]:
    """Ask for all else that a club cannot do without; yield each setting with the key in whose place it stands."""
    yield Setting("club", "name", _ask("The club's name", "Postspielrunde")), ""
    yield (
        Setting(
            "club", "moderator", click.prompt(translate_text("Your own address, for questions and alarms")).strip()
        ),
        "",
    )
    language = click.prompt(
        translate_text("The club's language"), default=_guess_language(), type=click.Choice(LANGUAGES)
    )
    yield Setting("club", "language", language), ""
    if provider is None:
        yield Setting("imap", "host", _ask("The server that mails are read from (IMAP)", "imap.example.org")), ""
        yield Setting("smtp", "host", _ask("The server that mails are sent by (SMTP)", "smtp.example.org")), ""
    if provider is None or provider.login != "token":
        password = _ask("The mailbox's password, kept in this file only (nothing: later)", "", hide=True)
        for section in ("imap", "smtp") if password else ():
            yield Setting(section, "password", password), "password_command"


def _guess_language() -> str:
    """Guess the club's language by that of this terminal."""
    spoken = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return spoken[:2] if spoken[:2] in LANGUAGES else "de"


def _describe_mailbox(provider: Provider | None, whose: str) -> str:
    return whose if provider is None else f"The servers are those of {provider.name}{whose}. {provider.note}"


def _describe_gaps(provider: Provider | None) -> str:
    """Describe what must still be filled in by hand."""
    if provider is None:
        return "Fill in host under [imap] and [smtp] (docs/run/mailbox.md), [club] and a password."
    secret = "a token" if provider.login == "token" else "a password"
    return f"Fill in [club] and {secret} (docs/run/mailbox.md)."


def _find_provider(address: str, offline: bool) -> tuple[Provider | None, str]:
    """Return the provider of the mailbox, and how it is known; or None, and why it is not."""
    if provider := providers.find_provider_by_address(address):
        return provider, ""
    name = address.rpartition("@")[2]
    if offline:
        return None, f"Who has the mailboxes of {name} was not looked up (--offline)."
    try:
        hosts = providers.list_mail_servers(providers.build_system_resolver(), name)
    except providers.DnsUnavailable as error:
        return None, f"Who has the mailboxes of {name} could not be looked up: {error}."
    if provider := providers.find_provider_by_servers(hosts):
        return provider, f", to whose {hosts[0]} the mails for {name} go"
    if not hosts:
        return None, f"The DNS names no server that takes mails for {name}; is it spelt as you mean it?"
    return None, f"The mails for {name} go to {hosts[0]}; where one logs in does not follow from that."


@click.command()
@click.pass_obj
def upgrade(config_file: Path | None) -> None:
    """Bring the database up to the version of this program."""
    config = load_config(config_file)
    with show_working("Upgrading"):
        path = create_database(config)
        recompute_results(config_file, lacking=True)
    say_lines(f"The database {path} is up to date.")


def create_database(config: Config) -> str:
    """Create the database, or bring it up to date; returns where it is, as it may be printed."""
    place = config.database
    if isinstance(place, Path) and not place.exists():
        with suppress(OSError):  # which opening it will explain
            place.touch(mode=0o600)  # it holds everybody's mails and tiles
    with translate_database_errors():
        engine = open_engine(place)
        try:
            migrate_database(engine)
        finally:
            engine.dispose()
    return str(place) if isinstance(place, Path) else engines.mask_url_password(place)
