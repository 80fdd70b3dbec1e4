"""Mails to the moderator and to referees: each thing one sentence, with the lines that answer it; what these decide, as
it is asked and entered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moderator.common.text import clean_line
from moderator.language import traits
from moderator.language.messages import load_labels, render_code, render_label, render_note, strip_quotes
from moderator.notifications.content import CommandReport, ProtestStatus, WordRuled
from moderator.notifications.pages import Page
from moderator.render.document import Action, Block, Heading, Para, Quote
from moderator.render.mails.event import WORDS, describe_missing, is_question, list_matters, render_head, unwrap_note
from moderator.render.mails.sections import (
    build_action,
    build_answer_link,
    render_letters,
    render_notes,
    show_buttons,
    show_letters,
    tell_lines,
    write_label,
)
from moderator.render.rows import ActionRow, ActionRows
from moderator.render.text import build_mailto
from moderator.rules.game import Note

REMEDIES: Mapping[str, tuple[str, ...]] = {"match-suspended": ("do-go-on",), "match-suspended-referee": ("do-go-on",)}
"""Code of a note in a notice -> codes of the lines that do something about it."""


def show_notices(page: Page) -> Iterator[Block]:
    """Yield each thing in one sentence, with the lines that answer it."""
    if is_question(page):
        # The words of a player, and the way to answer.
        note, letter = page.notes[0], render_letters(page)[0]
        yield Quote(letter.lines)
        address = str(note.params.get("address") or "")
        if page.reply is not None and page.reply.address == address:
            link = build_mailto(page.reply, f"Re: {clean_line(' '.join(page.press[0].text.split()), WORDS)}")
            yield show_buttons(page, Action(write_label(page, "button-reply"), link, "", "main"))
        elif address:
            yield Para((write_label(page, "question-private", address=address),), "item m")
        return
    rows: list[ActionRow] = []
    for note in page.notes:
        if note.code == "today-still":
            yield _show_rows(page, rows)
            rows = []
            yield Heading(render_note(note, page.reader.language).rstrip(" :"))
            continue
        rows += _iter_rows(page, note)
    yield _show_rows(page, rows)
    yield from _offer_more_time(page)
    yield from show_letters(page)
    actions = [one for note in page.notes for one in note.params.get("actions", ())]
    if actions and not is_about_missing(page):
        shell = any("shell" in one for one in actions)
        how = ("notice-how", *(["notice-how-shell"] if shell else []))
        yield Para((" ".join(write_label(page, code) for code in how),), "item m", only="text")


def _show_rows(page: Page, rows: list[ActionRow]) -> Block:
    return ActionRows(tuple(rows), page.reader.language)


def _iter_rows(page: Page, note: Note) -> Iterator[ActionRow]:
    """Yield the row of a note; of players who are missing one for each."""
    language = page.reader.language
    actions = tuple(_build_remedy(page, one) for one in note.params.get("actions", ()))
    plain = {name: value for name, value in note.params.items() if name != "actions"}
    code = f"{note.code}-alone" if actions and note.code in TASKS else note.code
    inner = unwrap_note(note)
    if seats := inner.params.get("seats"):
        yield from _iter_seat_rows(page, inner, seats, actions)
        return
    remedies = REMEDIES.get(note.code, ()) if not actions else ()
    actions += tuple(_build_remedy(page, {"code": remedy, **plain}) for remedy in remedies)
    yield ActionRow("", render_note(Note(code, plain), language), actions)


def _iter_seat_rows(
    page: Page, note: Note, seats: Sequence[Mapping[str, Any]], actions: tuple[Action, ...]
) -> Iterator[ActionRow]:
    """Yield what it means that these players are missing, where the headline has not said it, and a row for each."""
    language = page.reader.language
    if len(list_matters(page)) > 1:
        yield ActionRow("", f"{render_head(note, language)}. {describe_missing(note, language)}")
    for seat in seats:
        params = {name: value for name, value in seat.items() if name != "code"}
        yield ActionRow(f"{seat['name']} · {seat['title']}", render_code(seat["code"], language, None, **params))
    if actions and len(list_matters(page)) > 1:
        yield ActionRow("", "", actions)


def is_about_missing(page: Page) -> bool:
    """Return whether a notice only tells who is missing today."""
    matters = list_matters(page)
    return len(matters) == 1 and unwrap_note(matters[0]).code == "today-due"


def _offer_more_time(page: Page) -> Iterator[Block]:
    """Yield more time for all who are missing today, and for each who would lose a seat."""
    if not is_about_missing(page):
        return
    seats = unwrap_note(list_matters(page)[0]).params["seats"]
    names = [seat["name"] for seat in seats if seat["code"].startswith("missing-lost") and len(seats) > 1]
    more = [_build_remedy(page, {"code": "do-extend-of", "name": name}) for name in dict.fromkeys(names)]
    yield show_buttons(page, replace(_build_remedy(page, {"code": "do-extend-all"}), look="main"), *more)


TASKS = frozenset({"today-task", "today-task-led"})
"""Codes of notes on tasks; without the lines that settle them they end in ``-alone``."""


def _build_remedy(page: Page, said: Mapping[str, Any]) -> Action:
    """Return a link that is a mail with the line of a remedy; only the line itself where it belongs elsewhere."""
    language = page.reader.language
    if "shell" in said:
        return Action("", "", str(said["shell"]))
    params = {name: value for name, value in said.items() if name != "code"}
    line = render_code(said["code"], language, None, **params)
    label = f"label-{said['code']}"
    shown = render_label(label, language, **params) if label in load_labels(language) else line
    return Action(shown, build_answer_link(page, line), line)


# ---- a word, a protest, an official notice ----


def ask_about_word(page: Page) -> Iterator[Block]:
    """Yield the two answers to the question whether a word counts."""
    yield show_buttons(
        page,
        build_action(page, "button-allow", write_label(page, "line-allow"), "main"),
        build_action(page, "button-deny", write_label(page, "line-deny")),
    )
    yield Para((write_label(page, "word-reason-here" if page.reader.referee else "word-reason"),), "item m")


def confirm_ruling(page: Page) -> Iterator[Block]:
    """Yield what a ruling on a word means."""
    content = page.content
    assert isinstance(content, WordRuled)
    style = traits.get_notation_style(page.game)
    if content.reason:
        yield Para((write_label(page, "ruled-because", because=strip_quotes(content.reason, style)),))
    yield Para((write_label(page, "ruled-follows-here" if content.match else "ruled-follows", match=content.match),))


def ask_about_protest(page: Page) -> Iterator[Block]:
    """Yield what is protested, and the two answers, as long as there is none."""
    content = page.content
    assert isinstance(content, ProtestStatus)
    yield from (Quote(letter.lines) for letter in render_letters(page))
    yield from tell_lines(render_notes(page))
    if not content.ruled:
        yield show_buttons(
            page,
            build_action(page, "button-uphold", write_label(page, "line-uphold")),
            build_action(page, "button-deny-protest", write_label(page, "line-deny-protest")),
        )
        yield Para((write_label(page, "protest-how-over" if content.over else "protest-how"),), "item m")


def show_official_word(page: Page) -> Iterator[Block]:
    """Yield to whom it goes, and the words."""
    content = page.content
    assert isinstance(content, CommandReport)
    style = traits.get_notation_style(page.game)
    if content.match:
        names = {"name": strip_quotes(content.match_name or content.match, style)}
        yield Para((write_label(page, "official-match", **names),))
    yield from (Quote(letter.lines) for letter in render_letters(page))
