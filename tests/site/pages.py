"""Publishes a club's pages and reads them: their text, links and anchors, and whether their tags fit together."""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any

from moderator.settings import SiteSettings as Settings
from moderator.site import build
from tests.club.club import Club

VOID = {"meta", "link", "br", "img", "input", "hr"}
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


@dataclass
class Link:
    to: str
    text: str = ""


@dataclass
class Page:
    path: str
    lang: str = ""
    title: str = ""
    links: list[Link] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    """Cells of all tables."""
    text: str = ""

    def to(self, start: str) -> list[Link]:
        """Links whose target, seen from the top of the site, begins so."""
        return [link for link in self.links if self.target(link.to).startswith(start)]

    def target(self, to: str) -> str:
        """The path of a relative link from the top of the folder."""
        parts = list(PurePosixPath(self.path).parent.parts)
        for part in PurePosixPath(to.partition("#")[0]).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        return "/".join(parts)


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (self.page.path, tag, names)
        values = dict(attrs)
        if tag == "html":
            self.page.lang = values["lang"] or ""
        if "id" in values:
            self.page.ids.append(values["id"] or "")
        for name in ("href", "src"):
            if name in values and tag != "use":
                self.page.links.append(Link(values[name] or ""))
        if tag == "tr":
            self.page.rows.append([])
        if tag in ("td", "th"):
            self.page.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1:] == [tag], (self.page.path, tag, self.open[-4:])
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "title" in self.open and "svg" not in self.open:
            self.page.title += data
        if "a" in self.open:
            self.page.links[-1].text += data
        if "td" in self.open or "th" in self.open:
            self.page.rows[-1][-1] += data
        self.page.text += data


def read(folder: Path, path: str) -> Page:
    """One page, with its text in single spaces."""
    page = Page(path)
    reader = _Reader(page)
    reader.feed((folder / path).read_text(encoding="utf-8"))
    reader.close()
    assert not reader.open, (path, reader.open)
    page.text = " ".join(page.text.split())
    page.rows = [[" ".join(cell.split()) for cell in row] for row in page.rows]
    for link in page.links:
        link.text = " ".join(link.text.split())
    return page


def pages(folder: Path) -> dict[str, Page]:
    """All pages by path."""
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    return {path: read(folder, path) for path in found}


def contents(folder: Path) -> dict[str, bytes]:
    """All files of the site that anybody would look at, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Paths that are new, gone or different."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def set_site(club: Club, **settings: Any) -> None:
    """Change ``[site]`` of the club's settings."""
    made = replace(club.config, site=Settings(**settings))
    object.__setattr__(made, "file", club.config.file)
    object.__setattr__(club, "config", made)


def publish(club: Club) -> Path:
    """Bring the site in its folder up to date."""
    build.update_site(club.config, club.now, club.folder / "site")
    return club.folder / "site"


def move(club: Club, code: str, seat: int, name: str = "") -> str:
    """The first move there is, of Anna or Bert, or of somebody else."""
    text = next(iter(club.moves(code, seat)), "passe")
    club.hand_in(name or ("Anna", "Bert")[seat], code, seat, text)
    return text


def pass_to_the_end(club: Club, *names: str) -> str:
    """A match that everybody has passed to its end."""
    code = club.match(*names, rounds=1)
    play_to_the_end(club, code, *names)
    return code


def play_to_the_end(club: Club, code: str, *names: str) -> None:
    while club.row(code).status == "running":
        seat = club.live(code).seats_to_act[0]
        club.hand_in(names[seat], code, seat, "passe")
