"""Atom feeds: valid by the standard's rules, with ids that stay, and with nothing in them that is not public."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import feedparser
import pytest
from sqlmodel import select

from moderator.commands.moderator import rollback
from moderator.config import Site as Settings
from moderator.pages.notation import in_words
from moderator.play import create
from moderator.play.create import add_player
from moderator.site import feeds, run
from moderator.store.models import Match
from tests.club import tournament_club
from tests.club.club import Club, plain_boards

ATOM = "{http://www.w3.org/2005/Atom}"
XHTML = "{http://www.w3.org/1999/xhtml}"
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
TAG = re.compile(r"tag:club\.example,2026:(de|en)/[A-Za-z0-9/-]+")


@pytest.fixture
def club(club: Club) -> Club:
    plain_boards(club)
    return club


def published(club: Club, **settings: str) -> Path:
    config = replace(club.config, site=Settings(**settings))
    object.__setattr__(config, "file", club.config.file)
    run.bring_up(config, club.now, club.folder / "site")
    return club.folder / "site"


def play(club: Club, code: str, moves: int, order: str = "") -> None:
    names = ("Anna", "Bert")
    for number in range(moves):
        club.wait(hours=2)
        seat = number % 2
        club.order(names[seat], code, seat, order or next(iter(club.moves(code, seat)), "passe"))
        club.tick()


def checked(file: Path) -> ElementTree.Element:
    """The feed, once it keeps to RFC 4287."""
    root = ElementTree.fromstring(file.read_bytes())
    assert root.tag == f"{ATOM}feed"
    _element(root, file)
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    selves = [link for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert len(selves) == 1
    entries = root.findall(f"{ATOM}entry")
    assert len({one.findtext(f"{ATOM}id") for one in entries}) == len(entries)
    stamps = [one.findtext(f"{ATOM}updated") for one in entries]
    assert stamps == sorted(stamps, reverse=True)
    for entry in entries:
        _element(entry, file)
        (content,) = entry.findall(f"{ATOM}content")
        assert content.get("type") == "xhtml"
        assert [child.tag for child in content] == [f"{XHTML}div"]
        assert {child.tag for child in content[0]} <= {f"{XHTML}{tag}" for tag in ("p", "pre", "ul", "table")}
    assert not feedparser.parse(file.read_bytes()).bozo
    return root


def _element(one: ElementTree.Element, file: Path) -> None:
    """What feed and entry must have: one id, title and time each, and a page."""
    texts = [one.findall(f"{ATOM}{name}") for name in ("id", "title", "updated")]
    assert [len(found) for found in texts] == [1, 1, 1]
    (name,), (title,), (updated,) = texts
    assert TAG.fullmatch(name.text or "")
    assert title.text
    assert not list(title)
    assert STAMP.fullmatch(updated.text or "")
    pages = [link for link in one.findall(f"{ATOM}link") if link.get("rel") == "alternate"]
    assert [(link.get("type"), bool(link.get("hreflang"))) for link in pages] == [("text/html", True)]
    href = urlsplit(pages[0].get("href") or "")
    if not href.netloc:
        assert (file.parent / href.path).is_file(), href


def ids(root: ElementTree.Element) -> list[str]:
    return [one.findtext(f"{ATOM}id") or "" for one in root.findall(f"{ATOM}entry")]


def words(root: ElementTree.Element) -> str:
    return " ".join(root.itertext())


def test_every_feed_is_valid_and_leads_to_pages_that_exist(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 3)
    folder = published(club)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.atom"))
    assert files == ["en/feed.atom", f"en/matches/{code}.atom", "feed.atom", f"matches/{code}.atom"]
    for file in files:
        assert ids(checked(folder / file))
    for page, feed in (("index.html", "feed.atom"), (f"matches/{code}.html", f"../matches/{code}.atom")):
        link = f'<link rel="alternate" type="application/atom+xml" href="{feed}"'
        assert link in (folder / page).read_text(encoding="utf-8")


def test_an_entry_says_who_played_what_for_how_many_points(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 1)
    move = club.live(code).last[0]
    folder = published(club)
    root = checked(folder / "matches" / f"{code}.atom")
    newest = root.find(f"{ATOM}entry")
    assert newest is not None
    assert newest.findtext(f"{ATOM}title") == f"Topwords „Arratia“: Anna {move[0]}, {move[1]} Punkte"
    (link,) = newest.findall(f"{ATOM}link")
    assert link.get("href") == f"../matches/{code}.html#zug1"
    assert 'id="zug1"' in (folder / "matches" / f"{code}.html").read_text(encoding="utf-8")
    english = checked(folder / "en" / "matches" / f"{code}.atom")
    assert f"Anna {in_words(move[0], 'en', 'topwords')}, {move[1]} points" in words(english)


@pytest.mark.slow
def test_ids_stay_and_times_are_those_of_the_log(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 2)
    before = ids(checked(published(club) / "feed.atom"))
    play(club, code, 2)
    root = checked(published(club, url="https://elsewhere.example/x") / "feed.atom")
    assert ids(root)[-len(before) :] == before
    assert len(ids(root)) == len(before) + 2
    newest = datetime.fromisoformat(root.findtext(f"{ATOM}updated") or "")
    assert newest == club.now.astimezone(UTC)


def test_links_are_absolute_where_the_site_has_an_address(club: Club) -> None:
    play(club, club.match("Anna", "Bert"), 1)
    folder = published(club, url="https://club.example/archive/")
    for file in folder.rglob("*.atom"):
        root = checked(file)
        links = [link.get("href") or "" for link in root.iter(f"{ATOM}link")]
        assert all(link.startswith("https://club.example/archive/") for link in links)
        for link in links:
            assert (folder / urlsplit(link).path.removeprefix("/archive/")).is_file()


def test_a_match_that_is_over_says_who_won(club: Club) -> None:
    code = club.match("Anna", "Bert", rounds=1)
    play(club, code, 6, order="passe")
    assert club.row(code).status == "finished"
    root = checked(published(club) / "matches" / f"{code}.atom")
    assert "ist zu Ende" in (root[-1 - len(ids(root)) + 1].findtext(f"{ATOM}title") or "")
    assert f"tag:club.example,2026:de/matches/{code}/end" in ids(root)


def test_what_waits_for_the_deadline_is_in_no_feed(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    order = club.moves(code, 0)[0]
    club.order("Anna", code, 0, order)
    club.tick()
    root = checked(published(club) / "feed.atom")
    assert len(ids(root)) == 1
    assert order not in words(root)
    club.order("Bert", code, 1, "passe")
    club.wait(days=9)
    club.tick()
    evaluated = checked(published(club) / "feed.atom")
    assert order.split()[-1] in words(evaluated)
    assert "2 Einträge" in words(evaluated)


def test_a_move_that_was_taken_back_leaves_the_feed(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 2)
    before = ids(checked(published(club) / "feed.atom"))
    with club.desk() as desk:
        rollback.rollback(desk, create.find_match(desk.session, code), None, 2)
    after = ids(checked(published(club) / "feed.atom"))
    assert set(before) - set(after) == {f"tag:club.example,2026:de/matches/{code}/2"}


@pytest.mark.slow
def test_the_newest_fifty_of_all_matches(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST", 4)
    old, new = club.match("Anna", "Bert"), club.match("Anna", "Bert")
    play(club, old, 4)
    play(club, new, 2)
    folder = published(club)
    assert len(ids(checked(folder / "matches" / f"{old}.atom"))) == 4
    found = [name.rpartition(":")[2].split("/")[2:] for name in ids(checked(folder / "feed.atom"))]
    assert found == [[new, "2"], [new, "1"], [old, "4"], [old, "3"]]


def test_robots_among_themselves_do_not_flood_the_clubs_feed(club: Club) -> None:
    club.players("R2 Eins", "R2 Zwei")
    theirs = club.match("R2 Eins", "R2 Zwei", game="dominos", target=30)
    mixed = club.match("Anna", "R2 Eins", game="dominos")
    club.tick()
    folder = published(club)
    assert club.row(theirs).status == "finished"
    told = [name.partition("/matches/")[2] for name in ids(checked(folder / "feed.atom"))]
    assert [name for name in told if name.startswith(theirs)] == [f"{theirs}/end"]
    assert f"{mixed}/0" in told
    assert len(ids(checked(folder / "matches" / f"{theirs}.atom"))) > 3


@pytest.mark.slow
def test_the_newest_entry_of_a_match_shows_how_it_stands(club: Club) -> None:
    code = club.match("Anna", "Bert")
    board, snake = club.match("Anna", "Bert", game="dominos"), club.match("Anna", "Cici")
    play(club, code, 2)
    club.order(("Anna", "Bert")[club.live(board).awaited[0]], board, club.live(board).awaited[0], first(club, board))
    club.tick()
    for url in ("", "https://club.example/archive"):
        folder = published(club, url=url)
        root = checked(folder / "matches" / f"{code}.atom")
        newest, older, *_ = root.findall(f"{ATOM}entry")
        scores = [(row[0].text, row[1].text) for row in newest.iter(f"{XHTML}tr")]
        assert scores == [
            (name, str(n)) for name, n in zip(("Anna", "Bert"), club.live(code).table.state.scores, strict=True)
        ]
        assert not list(older.iter(f"{XHTML}table"))
        pictures = [one.get("src") for one in newest.iter(f"{XHTML}img")]
        assert pictures == ([f"{url}/matches/{code}.png"] if url else [])
        assert bool(list(newest.iter(f"{XHTML}pre"))) is not bool(url)
        assert (folder / "matches" / f"{code}.png").exists() is bool(url)
        listed = checked(folder / "en" / "matches" / f"{board}.atom")
        assert bool(list(listed.iter(f"{XHTML}li"))) is not bool(url)
        begun = checked(folder / "matches" / f"{snake}.atom")
        assert not list(begun.iter(f"{XHTML}table")), "nothing was played yet"


def first(club: Club, code: str) -> str:
    return next(iter(club.moves(code, club.live(code).awaited[0])))


def test_names_and_titles_are_only_text(club: Club) -> None:
    wild = '<img onerror="x"> & ]]>'
    with club.desk() as desk:
        add_player(desk.session, wild, "wild@home.example", club.now)
    code = club.match(wild, "Anna")
    with club.desk() as desk:
        row = desk.session.exec(select(Match).where(Match.code == code)).one()
        row.name = "</title><script>\x0balert('a@b.example')</script>"
        desk.session.add(row)
    root = checked(published(club) / "matches" / f"{code}.atom")
    said = words(root)
    assert wild in said
    assert "</title><script> alert('…')</script>" in said
    assert not list(root.iter("script"))


@pytest.mark.slow
def test_a_tournament_tells_its_rounds(club: Club) -> None:
    names = ["R2 Eins", "R2 Zwei", "R2 Drei"]
    club.players(*names)
    tournament_club.found(club, "swiss", names, rounds=2, days=1)
    tournament_club.Table(club).to_the_end(most=20)
    folder = published(club)
    for file, title in (("tournaments/T1.atom", "Turnier"), ("en/tournaments/T1.atom", "Tournament")):
        root = checked(folder / file)
        steps = [name.rpartition("/")[2] for name in ids(root)]
        assert steps == ["finish", "pair-2", "report-1", "pair-1", "close"]
        assert words(root).count(title) >= 5
        assert re.search(r"1\.\sR2 (Eins|Zwei|Drei)", words(root))
    assert "tag:club.example,2026:de/tournaments/T1/finish" in ids(checked(folder / "feed.atom"))
