"""Mails as a telephone shows them, in a real browser: how long they are, how wide, where the button is.
``python -m bench.screens [KIND…]`` prints the figures of each kind, game and language beside what is wanted
(bench/reach.py), and ends with 1 where something is missed."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from playwright.sync_api import Browser, Page

from bench.reach import REACH, Reach, by_kind, collect, count_words
from moderator.common.mails import RenderedMail
from tests import machine
from tests.chromium import chromium

WIDTH, HEIGHT = 390, 844
"""CSS pixels of the telephone that the figures are about."""
TYPEFACE = "Arial"
"""In place of the machine's own letters, which are wider on some desks: about as wide as those of a telephone."""
_PICTURE = re.compile(r'src="cid:([^"]+)"')


LOOK = """() => {
    const all = document.documentElement, buttons = [];
    const dark = colour => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return a > 0.5 && 0.3 * r + 0.6 * g + 0.1 * b < 140;
    };
    for (const link of document.querySelectorAll('a[href]')) {
        const text = link.textContent.trim();
        for (let box = link, up = 0; text && up < 3 && box.textContent.trim() === text; box = box.parentElement, up++) {
            const style = getComputedStyle(box), filled = dark(style.backgroundColor);
            const frame = ['Top', 'Right', 'Bottom', 'Left'].map(side => parseFloat(style[`border${side}Width`]));
            const framed = Math.min(...frame) > 0;
            if (filled || framed) {
                const area = box.getBoundingClientRect();
                buttons.push([area.bottom + scrollY, area.height, filled]);
                break;
            }
        }
    }
    const count = name => document.querySelectorAll(name).length;
    return [all.scrollWidth, document.body.getBoundingClientRect().bottom, count('h1'), count('svg'), buttons];
}"""
"""Width, height, headlines, drawings; and of each button where it ends, how high it is, and if it is filled. A button
is a link with a ground or a frame of its own."""


@dataclass(frozen=True)
class Shown:
    """A mail on a telephone."""

    screens: float
    """Its length, in screens."""
    width: int
    """CSS pixels that it takes; more than WIDTH = it can be pushed sideways."""
    button: float | None
    """Where its first button ends, in screens from the top; None without one."""
    buttons: int
    filled: int
    """Buttons on a dark ground; the others have a line around."""
    lowest: float | None
    """CSS pixels: how high the lowest button is."""
    headlines: int
    """How many h1 there are."""
    drawings: int
    """How many svg there are."""


@contextmanager
def telephone(browser: Browser, *, dark: bool = False) -> Iterator[Page]:
    """An empty page of a telephone."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark" if dark else "light", java_script_enabled=True
    )
    context.add_init_script("try { localStorage.setItem('zug hint', 'true'); } catch {}")  # has seen a touch board
    yield context.new_page()
    context.close()


def show(page: Page, mail: RenderedMail) -> None:
    """Put the mail on the telephone, with its pictures."""
    images = {cid: base64.b64encode(data).decode() for cid, data in mail.images.items()}
    html = mail.html.replace("system-ui", TYPEFACE)
    page.set_content(_PICTURE.sub(lambda found: f'src="data:image/png;base64,{images[found[1]]}"', html))


def measure(page: Page, mail: RenderedMail) -> Shown:
    """How the mail looks there."""
    show(page, mail)
    width, height, headlines, drawings, buttons = page.evaluate(LOOK)
    ends = [bottom / HEIGHT for bottom, _, _ in buttons]
    return Shown(
        height / HEIGHT,
        width,
        min(ends, default=None),
        len(buttons),
        sum(filled for _, _, filled in buttons),
        min((high for _, high, _ in buttons), default=None),
        headlines,
        drawings,
    )


def print_table(kinds: Collection[str] = ()) -> int:
    """Print the figures, of these kinds alone if any are named; return how much is missed."""
    machine.begin()
    missed = 0
    with chromium() as browser, telephone(browser) as page:
        print(f"{'kind':14} {'':24} {'':2} {'words':>6} {'screens':>7} {'button':>6}  filled  h1  wide")
        for kind, samples in by_kind(collect(kinds)).items():
            reach = REACH[kind]
            print(f"{kind:14} {'wanted at most':27} {reach.words:6} {reach.screens:7.1f} {reach.button:6}")
            for language, some in groupby(samples, key=lambda one: one.language):
                rows = [(one.name, Row.of(one.mail, measure(page, one.mail))) for one in some]
                for name, few in groupby(rows, key=lambda row: row[0]):
                    print(f"{'':14} {name:24} {language} {Row.between([row for _, row in few]).told(reach)}")
                middle = Row.between([row for _, row in rows])
                missed += len(middle.list_missed(reach))
                print(f"{'':14} {'median':24} {language} {middle.told(reach)}", flush=True)
            if not samples:
                print(f"{'':14} there is none")
    print(f"{missed} missed")
    return missed


@dataclass(frozen=True)
class Row:
    """The figures of a mail, or what lies between those of several; of buttons and headlines the worst."""

    words: float
    screens: float
    button: float | None
    filled: int
    headlines: int
    width: int

    @staticmethod
    def of(mail: RenderedMail, shown: Shown) -> Row:
        end = None if shown.button is None else shown.button * HEIGHT
        return Row(count_words(mail.text), shown.screens, end, shown.filled, shown.headlines, shown.width)

    @staticmethod
    def between(rows: Sequence[Row]) -> Row:
        ends = [row.button for row in rows if row.button is not None]
        return Row(
            median(row.words for row in rows),
            median(row.screens for row in rows),
            median(ends) if ends else None,
            max(row.filled for row in rows),
            max((row.headlines for row in rows), key=lambda count: abs(count - 1)),
            max(row.width for row in rows),
        )

    def list_missed(self, reach: Reach) -> dict[str, str]:
        """What is not as wanted, by name."""
        told = self.format_figures()
        met = {
            "words": self.words <= reach.words,
            "screens": round(self.screens, 2) <= reach.screens,
            "button": reach.is_met_by_button(self.button),
            "filled": self.filled <= 1,
            "h1": self.headlines == 1,
            "wide": self.width <= WIDTH,
        }
        return {name: told[name] for name, is_met in met.items() if not is_met}

    def format_figures(self) -> dict[str, str]:
        return {
            "words": f"{self.words:.0f}",
            "screens": f"{self.screens:.2f}",
            "button": "–" if self.button is None else f"{self.button:.0f}",
            "filled": f"{self.filled}",
            "h1": f"{self.headlines}",
            "wide": f"{self.width}",
        }

    def told(self, reach: Reach) -> str:
        """As a line of the table, with a star at what is missed."""
        missed = self.list_missed(reach)
        stars = [f"*{told}" if name in missed else told for name, told in self.format_figures().items()]
        return "{:>6} {:>7} {:>6} {:>6} {:>3} {:>5}".format(*stars)


if __name__ == "__main__":
    sys.exit(print_table(sys.argv[1:]) > 0)
