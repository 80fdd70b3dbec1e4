"""Mails as a telephone shows them, in a real browser: how long they are, how wide, where the button is; and pictures of
them. ``python -m bench.screens`` writes docs/mails/."""

from __future__ import annotations

import ast
import base64
import inspect
import io
import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from moderator.common.enums import MailKind
from moderator.common.mails import RenderedMail
from moderator.render.mail import render_mail
from tests.chromium import chromium
from tests.pages.all_pages import pages

WIDTH, HEIGHT = 390, 844
"""CSS pixels of the telephone that the figures are about."""
FOLDER = Path(__file__).parents[1] / "docs" / "mails"
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
def telephone(browser: Browser, *, dark: bool = False) -> Iterator[Page]:
    """An empty page of a telephone."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark" if dark else "light", java_script_enabled=True
    )
    yield context.new_page()
    context.close()


def show(page: Page, mail: RenderedMail) -> None:
    """Put the mail on the telephone, with its pictures."""
    images = {cid: base64.b64encode(data).decode() for cid, data in mail.images.items()}
    page.set_content(_PICTURE.sub(lambda found: f'src="data:image/png;base64,{images[found[1]]}"', mail.html))


def measure(page: Page, mail: RenderedMail) -> Shown:
    """How the mail looks there."""
    show(page, mail)
    width, height, button = page.evaluate(
        """() => { const all = document.documentElement, link = document.querySelector('a[href^="mailto:"]');
        return [all.scrollWidth, all.scrollHeight, link ? link.getBoundingClientRect().bottom : null]; }"""
    )
    return Shown(height / HEIGHT, width, None if button is None else button / HEIGHT)


def picture(page: Page, mail: RenderedMail) -> bytes:
    """The whole mail as a PNG of few colours."""
    show(page, mail)
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    made = io.BytesIO()
    whole.quantize(96).save(made, "PNG", optimize=True)
    return made.getvalue()


# ---- docs/mails/ ----


HEAD = """# The mails, as a telephone shows them

An example of each kind at 390 × 844 CSS pixels, written by `python -m bench.screens` from the pages that golden
files are made of. How long a mail is depends a little on the fonts of the machine. What changed in November 2026:
[before and after](before-and-after/README.md).

| kind | what it is | screens | button ends at |
|---|---|---|---|
"""


def examples() -> dict[MailKind, str]:
    """Kind -> golden name of its plainest page."""
    found: dict[MailKind, str] = {}
    for name, page in sorted(pages("de").items(), key=lambda item: (item[0] != item[1].kind, item[0])):
        found.setdefault(MailKind(page.kind), name)
    return {kind: found[kind] for kind in MailKind if kind in found}


def meanings() -> dict[str, str]:
    """Kind -> what common/enums.py says of it."""
    (kinds,) = (n for n in ast.parse(inspect.getsource(MailKind)).body if isinstance(n, ast.ClassDef))
    found: dict[str, str] = {}
    for one, below in itertools.pairwise(kinds.body):
        if isinstance(one, ast.Assign) and isinstance(below, ast.Expr):
            found[ast.literal_eval(one.value)] = " ".join(str(ast.literal_eval(below.value)).split())
    return found


def table(shown: Mapping[MailKind, Shown]) -> str:
    """The page with all of them."""
    said = meanings()
    lines = [
        f"| [{kind}]({kind}.png) | {said[kind]} | {one.screens:.1f} "
        f"| {'–' if one.button is None else f'{one.button:.1f}'} |\n"
        for kind, one in shown.items()
    ]
    return HEAD + "".join(lines)


def write(folder: Path = FOLDER) -> None:
    """Draw them all."""
    shown: dict[MailKind, Shown] = {}
    with chromium() as browser, telephone(browser) as page:
        for kind, name in examples().items():
            made = render_mail(pages("de")[name])
            shown[kind] = measure(page, made)
            (folder / f"{kind}.png").write_bytes(picture(page, made))
    (folder / "README.md").write_text(table(shown), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
