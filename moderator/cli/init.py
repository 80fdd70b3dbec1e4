"""`moderator init` and `moderator upgrade`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import click

from moderator.cli import session
from moderator.cli.player import recompute_results
from moderator.common import disk
from moderator.common.disk import get_example_config
from moderator.common.errors import ConfigError
from moderator.diagnostics import dns_records, providers
from moderator.diagnostics.providers import Provider
from moderator.settings import DEFAULT_FILE, Config, check_mail_address, load_config
from moderator.store import postgres
from moderator.store.database import open_engine, translate_database_errors
from moderator.store.schema import migrate_database

EXAMPLE = ("@example.org", ".example.org")
"""Ends of the addresses and servers in config.example.toml."""


@click.command()
@click.option("--address", help="The mailbox that players will write to: what follows from it is filled in.")
@click.option("--offline", is_flag=True, help="Do not ask the DNS who has the mailboxes of the address's domain.")
@click.pass_obj
def init(config_file: Path | None, address: str | None, offline: bool) -> None:
    """Write moderator.toml from the example if there is none; make the database."""
    file = config_file or Path(os.environ.get("MODERATOR_CONFIG", DEFAULT_FILE))
    if not file.exists():
        click.echo(_write_config(file, _ask_address() if address is None else address, offline))
        return
    config = load_config(file)
    if address not in (None, config.mail.address):
        raise ConfigError(
            f"{file} is there already, with [mail] address = {config.mail.address!r}.",
            "Edit it, or move it away first. docs/run/providers.md has the settings of many providers.",
        )
    if left := _list_example_values(config):
        click.echo(f"Still as in the example: {', '.join(left)}. Fill that in {file} before players write.", err=True)
    look = "doctor" if config.mail.transport == "maildir" else "doctor --mail"
    click.echo(f"The database {create_database(config)} is ready. Next: `moderator {look}`.")


def _list_example_values(config: Config) -> list[str]:
    """Return the settings that nobody has filled in."""
    given = {
        "[club] moderator": config.club.moderator,
        "[mail] address": config.mail.address,
    }
    if config.mail.transport == "imap":
        given |= {"[imap] host": config.imap.host, "[smtp] host": config.smtp.host}
    return [f"{name} = {value}" for name, value in given.items() if value.endswith(EXAMPLE)]


def _ask_address() -> str:
    """Ask for the address, where somebody sits there who can be asked; "" = to be filled in by hand."""
    if not session.can_ask_operator():
        return ""
    question = "The mailbox that players will write to (nothing: you fill it in yourself)"
    return str(click.prompt(question, default="", show_default=False)).strip()


def _write_config(file: Path, address: str, offline: bool) -> str:
    """Write the configuration; returns what to do next."""
    text = get_example_config().read_text(encoding="utf-8")
    provider, whose = None, ""
    if address:
        check_mail_address("--address", address)
        provider, whose = _find_provider(address, offline)
        text = providers.fill_mail_settings(text, address, provider)
    file.parent.mkdir(parents=True, exist_ok=True)
    disk.replace_file(file, text.encode("utf-8"))
    again = "then run `moderator init` again."
    if not address:
        return f"Wrote {file}: fill in your mailbox, {again}"
    if provider is None:
        return (
            f"Wrote {file}. {whose} Fill in host under [imap] and [smtp] (docs/run/mailbox.md), [club] and a password, "
            f"{again}"
        )
    secret = "a token" if provider.login == "token" else "a password"
    return (
        f"Wrote {file} with the servers of {provider.name}{whose}. {provider.note} Fill in [club] and {secret} "
        f"(docs/run/mailbox.md), {again}"
    )


def _find_provider(address: str, offline: bool) -> tuple[Provider | None, str]:
    """Return the provider of the mailbox, and how it is known; or None, and why it is not."""
    if provider := providers.find_provider_by_address(address):
        return provider, ""
    name = address.rpartition("@")[2]
    if offline:
        return None, f"Who has the mailboxes of {name} was not looked up (--offline)."
    try:
        hosts = dns_records.list_mail_servers(dns_records.build_system_resolver(), name)
    except dns_records.DnsUnavailable as error:
        return None, f"Who has the mailboxes of {name} could not be looked up: {error}."
    if provider := providers.find_provider_by_servers(hosts):
        return provider, f", to whose {hosts[0]} the mails for {name} go"
    if not hosts:
        return None, f"The DNS names no server that takes mails for {name}; is it spelt as you mean it?"
    return None, f"The mails for {name} go to {hosts[0]}; where one logs in does not follow from that."


@click.command()
@click.pass_obj
def upgrade(config_file: Path | None) -> None:
    """Bring the database to this program's version, and the results of old matches into it."""
    config = load_config(config_file)
    path = create_database(config)
    recompute_results(config_file, lacking=True)
    click.echo(f"The database {path} is up to date.")


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
    return str(place) if isinstance(place, Path) else postgres.mask_url_password(place)
