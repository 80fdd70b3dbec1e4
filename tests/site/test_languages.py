"""In which languages the site is written, and what becomes of the pages of one that is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderator.club import archive
from moderator.config import load
from moderator.errors import ConfigError
from moderator.paths import LANGUAGES
from moderator.site.run import bring_up
from tests.club.club import Club


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch, club: Club) -> Club:
    """A club with a match, of a program that speaks all that there is."""
    monkeypatch.setattr(archive, "LANGUAGES", LANGUAGES)
    club.match("Anna", "Bert")
    club.tick()
    return club


def settled(club: Club, languages: str) -> None:
    text = club.config.file.read_text(encoding="utf-8").partition("\n[site]")[0]
    club.config.file.write_text(f"{text}\n[site]\nlanguages = {languages}\n", encoding="utf-8")
    club.config = load(club.config.file)


def pages(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}


@pytest.mark.slow
def test_it_is_written_in_all_that_there_are_or_in_some(spoken: Club, tmp_path: Path) -> None:
    site = tmp_path / "site"
    bring_up(spoken.config, spoken.now, site, False)
    whole = pages(site)
    home = {page for page in whole if page.partition("/")[0] not in LANGUAGES and not page.startswith("calendar/")}
    assert whole >= home | {f"{language}/{page}" for language in LANGUAGES[1:] for page in home}
    assert 'lang="fr"' in (site / "fr/index.html").read_text(encoding="utf-8")
    (match,) = (page for page in home if page.startswith("matches/"))
    assert ">Français<" in (site / match).read_text(encoding="utf-8")

    settled(spoken, '["de", "en"]')
    bring_up(spoken.config, spoken.now, site, False)
    assert pages(site) == whole, "an address in an old mail leads nowhere"
    assert not list((site / "fr").rglob("*.atom"))
    forward = (site / "fr" / match).read_text(encoding="utf-8")
    assert f'location.replace("../../{match}" + location.hash)' in forward
    assert f'<a href="../../{match}">' in forward
    assert (site / "fr" / match).parent.joinpath("../../" + match).resolve() == (site / match).resolve()
    assert "Français" not in (site / match).read_text(encoding="utf-8")
    bring_up(spoken.config, spoken.now, site, False)
    assert pages(site) == whole

    anew = tmp_path / "anew"
    bring_up(spoken.config, spoken.now, anew, False)
    assert not (anew / "fr").exists()
    assert (anew / "en" / match).exists()

    settled(spoken, "[]")
    bring_up(spoken.config, spoken.now, site, False)
    assert 'lang="fr"' in (site / "fr" / match).read_text(encoding="utf-8")


def test_who_reads_one_that_it_has_not_is_led_to_the_clubs(spoken: Club) -> None:
    settled(spoken, '["de", "en"]')
    assert archive.path(spoken.config, "rules.html", "en") == "en/rules.html"
    assert (
        archive.path(spoken.config, "rules.html", "fr")
        == archive.path(spoken.config, "rules.html", "de")
        == "rules.html"
    )


@pytest.mark.parametrize(
    ("languages", "wrong"),
    [('["de", "xy"]', "names 'xy', which is not known"), ('["en"]', r"lacks 'de', the \[club\] language")],
)
def test_a_language_that_cannot_be_is_named(spoken: Club, languages: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        settled(spoken, languages)
