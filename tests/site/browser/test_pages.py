"""All pages of the archive in a real browser: nothing sticks out, nothing is asked from outside, all can use them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.site.browser.conftest import Archive, looked

SEVERE = ("serious", "critical")
REGIONS = "landmark-unique"
"""Not severe by axe, but who jumps from region to region is told the same name twice."""


def kinds(archive: Archive) -> list[str]:
    """A page of each kind and family, in both languages."""
    found: dict[str, str] = {}
    for file in sorted(archive.folder.rglob("*.html")):
        page = file.relative_to(archive.folder).as_posix()
        found.setdefault(re.sub(r"/[A-Z0-9-]+\.html$", "/*", page), page)
    for game in archive.codes:
        found[game] = f"matches/{archive.codes[game]}.html"
    return sorted(set(found.values()))


@pytest.mark.matrix("browser")
@pytest.mark.parametrize("look", ["390 light", "390 dark", "1200 light", "1200 dark"])
def test_every_kind_of_page(chromium: Browser, archive: Archive, look: str) -> None:
    width, dark = int(look.split()[0]), look.endswith("dark")
    for view in looked(chromium, archive, width=width, dark=dark):
        for page in kinds(archive):
            view.page.goto(archive.address(page))
            across = view.page.evaluate("document.documentElement.scrollWidth")
            assert across <= width, f"{page} is {across} wide"
            if (width == 390) == dark:
                continue  # axe's findings hang on the colours, or on the width, not on both
            findings = (
                Axe().run(view.page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
            )
            severe = [
                f"{one['id']}: {[n['html'][:120] for n in one['nodes'][:3]]}"
                for one in findings
                if one["impact"] in SEVERE or one["id"] == REGIONS
            ]
            assert not severe, f"{page}: {severe}"


def test_no_address_on_any_page(archive: Archive) -> None:
    files = [file for file in archive.folder.rglob("*") if file.is_file()]
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        # Moves of the domino games are written 64@L; an address has a name before the @ and a dot behind it.
        assert not re.search(r"[\w.+-]+@[\w-]+\.[a-z]", text), file.name


def test_every_link_leads_somewhere(archive: Archive) -> None:
    count = 0
    for file in archive.folder.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#]+)', text):
            assert not re.match(r"[a-z]+:", target), f"{file.name}: {target}"
            there = Path(file.parent, target)
            assert there.exists(), f"{file.relative_to(archive.folder)}: {target}"
            count += 1
    assert count > 100
