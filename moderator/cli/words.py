"""`moderator lexicon …` (dictionaries) and `moderator words …` (rulings of the house)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, cast

import click

from moderator.cli.group import print_rows, print_values, with_json_option
from moderator.cli.json_types import LexiconLine, RulingLine, WordVerdict
from moderator.cli.session import open_club, record_outside_change, write_mailed_rulings
from moderator.cli.texts import SPOKEN, render_text, say_lines
from moderator.common import disk
from moderator.common.errors import ConfigError, OperatorError
from moderator.language.messages import render_code
from moderator.rules.time.calendar import to_local_day
from moderator.rules.verdict import Verdict
from moderator.service.word_rulings import tell_players
from moderator.settings import Config, load_config
from moderator.store.matches import find_match_by_code
from moderator.words.build.sources import Format, build_lexicon
from moderator.words.compiled import SUFFIX, LexiconFacts, read_lexicon_facts, verify_lexicon
from moderator.words.dictionary import open_dictionary
from moderator.words.house_rulings import (
    ALL,
    SHIPPED,
    HouseRuling,
    append_ruling,
    filter_in_force,
    is_already_ruled,
    read_house_list,
    tidy_ruling,
    withdraw_rulings,
)
from moderator.words.kinds import POLICIES

FORMATS = ("auto", "plain", "hunspell", "tanglet", "simplemma", "shipped")


def _load_config_if_any(config_file: Path | None) -> Config | None:
    """Load the settings; None if none were named and there are none, for work that needs only a folder."""
    if config_file is None and "MODERATOR_CONFIG" not in os.environ and not os.path.exists(disk.DEFAULT_FILE):
        return None
    return load_config(config_file)


def _get_dictionary_folder(config_file: Path | None, folder: Path | None) -> Path:
    if folder is not None:
        return folder
    config = _load_config_if_any(config_file)
    if config is None:
        raise ConfigError("Where are the dictionaries?", "Name a folder with --folder, or run `moderator init` first.")
    return config.resolve_path(config.words.folder)


@click.command("build")
@click.argument("name", default="de")
@click.option(
    "--from",
    "sources",
    multiple=True,
    help="A word list, a hunspell .dic, a Tanglet list, or simplemma, shipped, both, each [:de|:en]. Repeatable. "
    "[default: both]",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="auto", help="How to read the sources.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="[default: the configuration's]")
@click.option("--language", default="", help="Of the words: de, en, … [default: what the sources say]")
@click.option("--edition", default="", help='How mails call it, e.g. "Duden, 28. Auflage".')
@with_json_option("lexicon")
@click.pass_obj
def build_named_dictionary(
    config_file: Path | None,
    name: str,
    sources: tuple[str, ...],
    form: str,
    folder: Path | None,
    language: str,
    edition: str,
    as_json: bool,
) -> None:
    """Build a dictionary from one or more sources. NAME is `de` if you leave it out.

    Without sources it has the words that both simplemma and moderator's own list know, in the language that NAME says.
    """
    target = _get_dictionary_folder(config_file, folder)
    with _show_build_progress(max(1, len(sources)) + 1) as step:
        path = build_lexicon(
            name, sources, target, form=cast(Format, form), edition=edition, language=language, step=step
        )
    facts = read_lexicon_facts(path)
    print_rows([(_build_lexicon_line(path, facts), "\n".join(_iter_build_lines(path, facts)))], as_json)
    config = _load_config_if_any(config_file)
    if config is not None:
        record_outside_change(config)


def _iter_build_lines(path: Path, facts: LexiconFacts) -> Iterator[str]:
    for source in facts.sources:
        yield f"{source.forms:>9,} forms from {source.label} ({source.format})"
    yield f"{path}: {facts.keys:,} words, {path.stat().st_size / 1e6:.1f} MB"
    if facts.twice:
        yield f"{facts.twice:>9,} that two sources know, which robots lay; {facts.everyday:,} everyday words"


def _build_lexicon_line(path: Path, facts: LexiconFacts) -> LexiconLine:
    return {"name": path.stem, "words": facts.keys, "fingerprint": facts.sha256, "edition": facts.edition}


@contextmanager
def _show_build_progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Show a bar on a terminal, nothing elsewhere. Each call of the value names the step that begins."""
    if not sys.stdout.isatty():
        yield lambda label: None
        return
    with click.progressbar(length=steps, label="reading", show_eta=False) as bar:
        begun = 0

        def advance_bar(label: str) -> None:
            nonlocal begun
            bar.label = label
            bar.update(1 if begun else 0)
            begun += 1

        yield advance_bar
        bar.update(1)


@click.command("list")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="[default: the configuration's]")
@click.option("--verify", "check", is_flag=True, help="Read the files completely and check their fingerprints.")
@with_json_option("lexicon", lines=True)
@click.pass_obj
def print_dictionaries(config_file: Path | None, folder: Path | None, check: bool, as_json: bool) -> None:
    """List the dictionaries that are installed."""
    target = _get_dictionary_folder(config_file, folder)
    paths = sorted(target.glob(f"*{SUFFIX}"))
    rows = []
    for path in paths:
        facts = read_lexicon_facts(path)
        if check:
            verify_lexicon(path)
        cells = (path.stem, f"{facts.keys:,}", facts.sha256[:12], facts.edition)
        rows.append((_build_lexicon_line(path, facts), cells))
    headings, empty = (
        ("name", "words", "fingerprint", "edition"),
        render_text("no-dictionaries", folder=target),
    )
    print_values(headings, rows, as_json, empty)


@click.command("check")
@click.argument("words", nargs=-1, required=True)
@click.option("--base", default=None, help="Base form that a player would name, e.g. ausixen for ixte.")
@click.option(
    "--policy", type=click.Choice(["topwords", "typdom"]), default="topwords", help="The games whose rules count."
)
@click.option("--lexicon", "names", multiple=True, help="Dictionary to ask. Repeatable. [default: the configuration's]")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="[default: the configuration's]")
@with_json_option("verdict", lines=True)
@click.pass_obj
def judge_typed_words(
    config_file: Path | None,
    words: tuple[str, ...],
    base: str | None,
    policy: str,
    names: tuple[str, ...],
    folder: Path | None,
    as_json: bool,
) -> None:
    """Ask whether words are valid, and why."""
    config = _load_config_if_any(config_file)
    lists = [config.resolve_path(config.words.house)] if config else []
    dictionary = open_dictionary(
        _get_dictionary_folder(config_file, folder),
        names or (config.words.lexicons if config else ("de",)),
        ask_if_in=config.words.ask_if_in if config and not names else (),
        house=[*lists, SHIPPED],
        policy=policy,
    )
    for word in words:
        values = _build_word_verdict(dictionary.judge(word, base))
        detail = "; ".join(filter(None, (values["text"], " < ".join(values["spellings"]), values["source"])))
        ruling = render_code(f"verdict-{values['ruling']}", SPOKEN.get())
        print_rows([(values, f"{values['word']:<12} {ruling:<7} {detail}".rstrip())], as_json)


def _build_word_verdict(verdict: Verdict) -> WordVerdict:
    known = [str(verdict.params[name]) for name in ("spelling", "lemma") if verdict.params.get(name)]
    return {
        "word": verdict.word,
        "ruling": verdict.ruling,
        "reason": verdict.reason,
        "text": render_code(f"word.{verdict.reason}", SPOKEN.get(), **verdict.params) if verdict.reason else "",
        "spellings": list(dict.fromkeys(known)),
        "source": verdict.source,
    }


@click.command("rule")
@click.argument("word")
@click.argument("ruling", type=click.Choice(["allow", "deny", "withdraw"]))
@click.option("--reason", default="", help="The reason that mails give, e.g. a page of the Duden.")
@click.option("--scope", default="all", help="all, a policy (topwords, typdom) or the code of one match.")
@click.option("--base", default="", help="Base form; with --tag split the word counts only where it is named.")
@click.option("--tag", "tags", multiple=True, help="Kind of word: place, first-name, brand, … Repeatable.")
@click.pass_obj
def set_house_ruling(
    config_file: Path | None, word: str, ruling: str, reason: str, scope: str, base: str, tags: tuple[str, ...]
) -> None:
    """Allow or deny a word, or withdraw your ruling. A WORD in capitals means every spelling, otherwise only this one.
    If the ruling is for one match, its players are told."""
    config = load_config(config_file)
    write_mailed_rulings(config)
    path = config.resolve_path(config.words.house)
    withdrawn = ruling == "withdraw"
    today = to_local_day(config.read_clock(), config.club.zone).isoformat()
    made = HouseRuling(
        word, "allow" if withdrawn else cast(Literal["allow", "deny"], ruling), base, tags, reason, today, scope
    )
    if not withdrawn and is_already_ruled(read_house_list(path), tidy_ruling(made)):
        say_lines(f"{path} says so already.")
        return
    told = False
    if scope in (ALL, *POLICIES):
        _enter(path, made, withdrawn)
    else:
        told = _enter_for_match(config_file, path, made, withdrawn)
    if not told:
        record_outside_change(config)
    say_lines(f"{path}: nothing is said of {word} any more." if withdrawn else f"{path}: {word} {ruling}.")


def _enter(path: Path, made: HouseRuling, withdrawn: bool) -> None:
    if not withdrawn:
        append_ruling(path, made)
    elif not withdraw_rulings(path, made.word, made.scope):
        raise OperatorError(f"{path} says nothing of {made.word!r} for {made.scope}.", "See `moderator words list`.")


def _enter_for_match(config_file: Path | None, path: Path, made: HouseRuling, withdrawn: bool) -> bool:
    """Enter a ruling for one match, or withdraw it. Returns whether its players are told. Raises OperatorError where
    there is no such match."""
    with open_club(config_file) as work:
        match = find_match_by_code(work.session, made.scope)
        if match is None:
            raise OperatorError(
                f"There is no match {made.scope!r}.", "See `moderator match list`, or leave out --scope."
            )
        _enter(path, made, withdrawn)
        return tell_players(work, match, made, withdrawn=withdrawn)


@click.command("list")
@click.option("--shipped", is_flag=True, help="Show the list that comes with moderator, not your own.")
@with_json_option("ruling", lines=True)
@click.pass_obj
def print_house_rulings(config_file: Path | None, shipped: bool, as_json: bool) -> None:
    """List your rulings that are in force, oldest first."""
    config = None if shipped else load_config(config_file)
    if config is None:
        path = Path(SHIPPED)
    else:
        write_mailed_rulings(config)
        path = config.resolve_path(config.words.house)
    rulings = read_house_list(path) if shipped else filter_in_force(read_house_list(path))
    rows = [(_build_ruling_line(ruling), _build_ruling_cells(ruling)) for ruling in rulings]
    headings = ("word", "ruling", "scope", "date", "base-form", "kind", "reason")
    print_values(headings, rows, as_json, render_text("no-rulings", file=path))


def _build_ruling_line(ruling: HouseRuling) -> RulingLine:
    return {
        "word": ruling.word,
        "ruling": ruling.ruling,
        "base": ruling.base,
        "tags": list(ruling.tags),
        "reason": ruling.reason,
        "date": ruling.date,
        "scope": ruling.scope,
    }


def _build_ruling_cells(ruling: HouseRuling) -> tuple[str, ...]:
    kinds = ", ".join(ruling.tags)
    return ruling.word, ruling.ruling, ruling.scope, ruling.date, ruling.base, kinds, ruling.reason
