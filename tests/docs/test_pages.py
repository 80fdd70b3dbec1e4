"""The pages of the docs: each says who reads it and what they can do afterwards, is short, leads to pages that exist,
and uses one word for one thing. What is printed in them is played in tests/printed."""

import re
from pathlib import Path

import pytest

from tests.docs.reference import DOCS, MARKED, ROOT, renew

DOORS = ("play", "run", "build", "inside")
PAGES = sorted(DOCS.rglob("*.md"))
FRONT = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
WAY = [DOCS / "run" / f"{name}.md" for name in
       ("README", "start", "morning", "time", "first-tournament", "moving-in", "trouble")]  # fmt: skip
"""What an organiser reads in the first month."""
READER = re.compile(r"# .+\n\n\*(?:For .+\. Afterwards .+|Für .+\. Danach .+|Pour .+\. Après .+)\*\n")
LINK = re.compile(r"\]\(((?!https?:|mailto:)[^)\s]*)\)")
NAMED = re.compile(r"docs/[\w/-]+\.md")
OLD = re.compile(
    r"\bZAT\b|\bKopf\b|\bthe moderator\b|[Ww]ho is missing says|\bwhoever may\b|\bso many as\b|\bin the own\b"
)
"""Words that no reader knows, and sentences in German order."""


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def count_words(text: str) -> int:
    """Count what somebody reads: no code blocks, no remarks, no bars of tables."""
    text = re.sub(r"<!--.*?-->|^```.*?^```$|^ {4}[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def find_anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", read(path), flags=re.DOTALL | re.MULTILINE), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def name_page(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name_page)
def test_a_page_is_for_somebody_and_short(path: Path) -> None:
    assert path.parent.name in DOORS
    assert READER.match(read(path)), "say below the title who reads it, and what they can do afterwards"
    assert count_words(read(path)) <= 1500
    assert not OLD.findall(MARKED.sub("", read(path)))


@pytest.mark.parametrize("path", PAGES, ids=name_page)
def test_the_reference_is_what_the_program_declares(path: Path) -> None:
    assert read(path) == renew(read(path)), "python -m tests.docs.reference"


def test_all_of_it_can_be_read() -> None:
    assert sum(count_words(read(path)) for path in [*PAGES, *FRONT]) <= 32_000
    assert sum(count_words(read(path)) for path in WAY) <= 6_000
    assert len(read(FRONT[0]).splitlines()) <= 75


@pytest.mark.parametrize("path", [*PAGES, *FRONT, *sorted((ROOT / "moderator").rglob("*.md"))], ids=name_page)
def test_a_link_leads_somewhere(path: Path) -> None:
    gone = []
    for target in LINK.findall(read(path)):
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in find_anchors(there)):
            gone.append(target)
    assert gone == []


def test_every_page_is_reached_from_its_door() -> None:
    for door in DOORS:
        seen, waiting = set[Path](), [DOCS / door / "README.md"]
        while waiting:
            page = waiting.pop()
            if page not in seen:
                seen.add(page)
                links = (target.partition("#")[0] for target in LINK.findall(read(page)))
                waiting += [(page.parent / one).resolve() for one in links if one.endswith(".md")]
                waiting = [one for one in waiting if one.is_relative_to(DOCS / door)]
        assert {*(DOCS / door).rglob("*.md")} <= seen


def test_every_page_that_the_program_names_exists() -> None:
    """In texts, remarks, settings and tests: ``docs/run/start.md`` is a promise."""
    folders = ("moderator", "tests", "bench", "examples", "templates", "contrib")
    kinds = {".py", ".toml", ".js", ".mjs", ".md", ".j2", ".conf", ".service", ".css"}
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.suffix in kinds]
    files += [ROOT / name for name in ("config.example.toml", "Makefile", "README.md", "CONTRIBUTING.md")]
    gone = {
        (name_page(file), name) for file in files for name in NAMED.findall(read(file)) if not (ROOT / name).is_file()
    }
    assert gone == set()


def test_a_picture_of_the_docs_is_shown_and_small() -> None:
    shown = {
        (path.parent / name).resolve()
        for path in [*PAGES, *FRONT]
        for name in re.findall(r'src="([^"]+\.png)"|\]\(([^)]+\.png)\)', read(path))
        for name in name
        if name
    }
    there = {*DOCS.rglob("*.png")}
    assert there == shown
    assert all(file.read_bytes().startswith(b"\x89PNG") and file.stat().st_size < 200_000 for file in there)
