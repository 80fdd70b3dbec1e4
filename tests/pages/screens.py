"""Mails as a telephone shows them, in a real browser: how long they are, how wide, where the button is; and pictures of
them. ``python -m tests.pages.screens`` writes docs/mails/."""

from __future__ import annotations

import base64
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from moderator.mail.model import Rendered

WIDTH, HEIGHT = 390, 844
"""CSS pixels of the telephone that the figures are about."""
FOLDER = Path(__file__).parents[2] / "docs" / "mails"
_PICTURE = re.compile(r'src="cid:([^"]+)"')


@dataclass(frozen=True)
class Shown:
    """A mail on a telephone."""

    screens: float
    """Its length, in screens."""
    width: int
    """CSS pixels that it takes; more than WIDTH = it can be pushed sideways."""
    button: float | None
    """Where its first button ends, in screens from the top; None without one."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's. Raises LookupError without one."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise LookupError("there is no chromium: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def telephone(browser: Browser, *, dark: bool = False) -> Iterator[Page]:
    """An empty page of a telephone."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark" if dark else "light", java_script_enabled=True
    )
    yield context.new_page()
    context.close()


def show(page: Page, mail: Rendered) -> None:
    """Put the mail on the telephone, with its pictures."""
    images = {cid: base64.b64encode(data).decode() for cid, data in mail.images.items()}
    page.set_content(_PICTURE.sub(lambda found: f'src="data:image/png;base64,{images[found[1]]}"', mail.html))


def measure(page: Page, mail: Rendered) -> Shown:
    """How the mail looks there."""
    show(page, mail)
    width, height, button = page.evaluate(
        """() => { const all = document.documentElement, link = document.querySelector('a[href^="mailto:"]');
        return [all.scrollWidth, all.scrollHeight, link ? link.getBoundingClientRect().bottom : null]; }"""
    )
    return Shown(height / HEIGHT, width, None if button is None else button / HEIGHT)


def take(browser: Browser, mail: Rendered, file: Path, *, dark: bool = False) -> None:
    """A picture of the whole mail."""
    with telephone(browser, dark=dark) as page:
        show(page, mail)
        page.screenshot(path=str(file), full_page=True)


if __name__ == "__main__":
    from dataclasses import replace

    from moderator.pages.mail import render
    from tests.pages.all_pages import mail, pages

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name in sys.argv[2:]:
            for dark in (False, True):
                take(browser, mail("de", name), folder / f"{name}{'-dark' if dark else ''}.png", dark=dark)
            with telephone(browser) as page:
                print(
                    name,
                    measure(page, mail("de", name)),
                    measure(page, render(replace(pages("de")[name], knows_how=True))),
                )
