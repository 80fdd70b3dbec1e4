"""Every sample mail, laid out once: those with made-up pages (sample_pages) and those of real matches (match_pages)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from moderator.mail.model import Rendered
from moderator.pages.mail import render
from moderator.pages.pages import Page
from tests.pages import (
    match_pages,
    sample_asking,
    sample_backlog,
    sample_boss,
    sample_joining,
    sample_letters,
    sample_pages,
    sample_tournaments,
)
from tests.pages.sample_pages import Language

ARCHIVED = {
    "end": "https://club.example/archive/matches/K7Q2.html",
    "cup-report-swiss": "https://club.example/archive/tournaments/T3.html",
}
"""Mails as a club sends them whose archive is on the web, with the address that they name."""


@cache
def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    found = (
        sample_pages.pages(language)
        | match_pages.pages(language)
        | sample_asking.pages(language)
        | sample_boss.pages(language)
        | sample_letters.pages(language)
        | sample_joining.pages(language)
        | sample_tournaments.pages(language)
        | sample_backlog.pages(language)
    )
    found |= {f"{name}-archive": replace(found[name], archive=address) for name, address in ARCHIVED.items()}
    return {name: sample_asking.signed(page) for name, page in found.items()}


@cache
def mail(language: Language, name: str) -> Rendered:
    return render(pages(language)[name])


@cache
def names() -> tuple[str, ...]:
    """All golden names. Not known before a test asks: matches are played to make the pages."""
    return tuple(sorted(pages("de")))
