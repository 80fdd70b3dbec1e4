"""Atom feeds: valid by the standard's rules, with ids that stay, and with nothing in them that is not public."""

import re
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import feedparser
import pytest
from sqlmodel import select

from moderator.commands.moderator import turns
from moderator.language.messages import translate_move
from moderator.service import create
from moderator.site import feeds
from moderator.store.tables import MatchRow
from tests.club import tournament_club
from tests.club.club import Club
from tests.site.pages import move, publish, set_site

ATOM = "{http://www.w3.org/2005/Atom}"
XHTML = "{http://www.w3.org/1999/xhtml}"
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
TAG = re.compile(r"tag:club\.example,2026:(de|en)/[A-Za-z0-9/-]+")


def play(club: Club, code: str, moves: int) -> None:
    for _ in range(moves):
        club.wait(hours=2)
        move(club, code, club.live(code).seats_to_act[0])


def read(file: Path) -> ElementTree.Element:
    """The feed, once it keeps to RFC 4287."""
    root = ElementTree.fromstring(file.read_bytes())
    assert root.tag == f"{ATOM}feed"
    _check_element(root, file)
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    assert [link.get("rel") for link in root.findall(f"{ATOM}link")].count("self") == 1
    entries = root.findall(f"{ATOM}entry")
    assert len({one.findtext(f"{ATOM}id") for one in entries}) == len(entries)
    stamps = [one.findtext(f"{ATOM}updated") for one in entries]
    assert stamps == sorted(stamps, reverse=True)
    for entry in entries:
        _check_element(entry, file)
        (content,) = entry.findall(f"{ATOM}content")
        assert content.get("type") == "xhtml"
        assert [child.tag for child in content] == [f"{XHTML}div"]
        assert {child.tag for child in content[0]} <= {f"{XHTML}{tag}" for tag in ("p", "pre", "ul", "table")}
    assert not feedparser.parse(file.read_bytes()).bozo
    return root


def _check_element(one: ElementTree.Element, file: Path) -> None:
    """What feed and entry must have: one id, title and time each, and a page."""
    (name,), (title,), (updated,) = (one.findall(f"{ATOM}{kind}") for kind in ("id", "title", "updated"))
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


def test_every_feed_is_valid_and_says_who_played_what_for_how_many_points(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 1)
    text, points = club.live(code).last[0][:2]
    folder = publish(club)
    found = {path.relative_to(folder).as_posix(): read(path) for path in folder.rglob("*.atom")}
    assert found.keys() == {"en/feed.atom", f"en/matches/{code}.atom", "feed.atom", f"matches/{code}.atom"}
    assert all(map(ids, found.values()))
    for page, feed in (("index.html", "feed.atom"), (f"matches/{code}.html", f"../matches/{code}.atom")):
        named = f'<link rel="alternate" type="application/atom+xml" href="{feed}"'
        assert named in (folder / page).read_text(encoding="utf-8")
    newest = found[f"matches/{code}.atom"].find(f"{ATOM}entry")
    assert newest.findtext(f"{ATOM}title") == f"Topwords „Arratia“: Anna {text}, {points} Punkte"
    (link,) = newest.findall(f"{ATOM}link")
    assert link.get("href") == f"../matches/{code}.html#zug1"
    assert 'id="zug1"' in (folder / "matches" / f"{code}.html").read_text(encoding="utf-8")
    said = f"Anna {translate_move(text, 'en', 'topwords')}, {points} points"
    assert said in " ".join(found[f"en/matches/{code}.atom"].itertext())


@pytest.mark.slow
def test_ids_stay_times_are_those_of_the_log_and_links_begin_with_the_address_of_the_site(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 1)
    before = ids(read(publish(club) / "feed.atom"))
    play(club, code, 1)
    set_site(club, url="https://club.example/archive/")
    folder = publish(club)
    for file in folder.rglob("*.atom"):
        for link in (link.get("href") or "" for link in read(file).iter(f"{ATOM}link")):
            assert link.startswith("https://club.example/archive/")
            assert (folder / urlsplit(link).path.removeprefix("/archive/")).is_file()
    root = read(folder / "feed.atom")
    assert ids(root)[-len(before) :] == before
    assert len(ids(root)) == len(before) + 1
    assert datetime.fromisoformat(root.findtext(f"{ATOM}updated") or "") == club.now.astimezone(UTC)


@pytest.mark.slow
def test_what_waits_for_the_deadline_is_in_no_feed(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    order = move(club, code, 0)
    root = read(publish(club) / "feed.atom")
    assert len(ids(root)) == 1
    assert order not in " ".join(root.itertext())
    club.order("Bert", code, 1, "passe")
    club.let_pass(days=9)
    evaluated = " ".join(read(publish(club) / "feed.atom").itertext())
    assert order.split()[-1] in evaluated
    assert "2 Einträge" in evaluated


@pytest.mark.slow
def test_a_move_that_was_taken_back_leaves_the_feed(club: Club) -> None:
    code = club.match("Anna", "Bert")
    play(club, code, 2)
    before = ids(read(publish(club) / "feed.atom"))
    with club.work() as work:
        turns.rollback_match_by_staff(work, create.get_match(work.session, code), None, 2)
    after = ids(read(publish(club) / "feed.atom"))
    assert set(before) - set(after) == {f"tag:club.example,2026:de/matches/{code}/2"}


@pytest.mark.slow
def test_the_newest_fifty_of_all_matches(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST", 2)
    old, new = club.match("Anna", "Bert"), club.match("Anna", "Bert")
    play(club, old, 2)
    play(club, new, 1)
    folder = publish(club)
    assert len(ids(read(folder / "matches" / f"{old}.atom"))) == 2
    found = [name.rpartition(":")[2].split("/")[2:] for name in ids(read(folder / "feed.atom"))]
    assert found == [[new, "1"], [old, "2"]]


@pytest.mark.slow
def test_robots_among_themselves_do_not_flood_the_clubs_feed(club: Club) -> None:
    club.players("R2 Eins", "R2 Zwei")
    theirs = club.match("R2 Eins", "R2 Zwei", game="dominos", target=30)
    mixed = club.start("Anna", "R2 Eins", game="dominos")
    folder = publish(club)
    assert club.row(theirs).status == "finished"
    told = [name.partition("/matches/")[2] for name in ids(read(folder / "feed.atom"))]
    assert [name for name in told if name.startswith(theirs)] == [f"{theirs}/end"]
    assert f"{mixed}/0" in told
    over = read(folder / "matches" / f"{theirs}.atom")
    assert len(ids(over)) > 3
    assert ids(over)[0] == f"tag:club.example,2026:de/matches/{theirs}/end"
    assert "ist zu Ende" in (over.findtext(f"{ATOM}entry/{ATOM}title") or "")


@pytest.mark.slow
@pytest.mark.parametrize("url", ["", "https://club.example/archive"])
def test_the_newest_entry_of_a_match_shows_how_it_stands(club: Club, url: str) -> None:
    """With an address of the site as a picture, without one as text."""
    set_site(club, url=url)
    code, begun = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    board = club.match("Anna", "Bert", game="dominos")
    play(club, code, 2)
    move(club, board, club.live(board).seats_to_act[0])
    folder = publish(club)
    newest, older, *_ = read(folder / "matches" / f"{code}.atom").findall(f"{ATOM}entry")
    scores = [(row[0].text, row[1].text) for row in newest.iter(f"{XHTML}tr")]
    assert scores == list(zip(("Anna", "Bert"), map(str, club.live(code).table.state.scores), strict=True))
    assert not list(older.iter(f"{XHTML}table"))
    pictures = [one.get("src") for one in newest.iter(f"{XHTML}img")]
    assert pictures == ([f"{url}/matches/{code}.png"] if url else [])
    assert bool(list(newest.iter(f"{XHTML}pre"))) is not bool(url)
    assert (folder / "matches" / f"{code}.png").exists() is bool(url)
    listed = read(folder / "en" / "matches" / f"{board}.atom")
    assert bool(list(listed.iter(f"{XHTML}li"))) is not bool(url)
    assert not list(read(folder / "matches" / f"{begun}.atom").iter(f"{XHTML}table")), "nothing was played yet"


def test_names_and_titles_are_only_text(club: Club) -> None:
    wild = '<img onerror="x"> & ]]>'
    with club.work() as work:
        create.add_player(work.session, wild, "wild@home.example", club.now)
    code = club.match(wild, "Anna")
    with club.work() as work:
        row = work.session.exec(select(MatchRow).where(MatchRow.code == code)).one()
        row.name = "</title><script>\x0balert('a@b.example')</script>"
    root = read(publish(club) / "matches" / f"{code}.atom")
    assert wild in " ".join(root.itertext())
    assert "</title><script> alert('…')</script>" in " ".join(root.itertext())
    assert not list(root.iter("script"))


@pytest.mark.slow
def test_a_tournament_tells_its_rounds(club: Club) -> None:
    names = ["R2 Eins", "R2 Zwei", "R2 Drei"]
    club.players(*names)
    tournament_club.found(club, "swiss", names, rounds=2, days=1)
    tournament_club.Table(club).to_the_end(most=20)
    folder = publish(club)
    for file, title in (("tournaments/T1.atom", "Turnier"), ("en/tournaments/T1.atom", "Tournament")):
        root = read(folder / file)
        steps = [name.rpartition("/")[2] for name in ids(root)]
        assert steps == ["finish", "pair-2", "report-1", "pair-1", "close"]
        assert " ".join(root.itertext()).count(title) >= 5
        assert re.search(r"1\.\sR2 (Eins|Zwei|Drei)", " ".join(root.itertext()))
    assert "tag:club.example,2026:de/tournaments/T1/finish" in ids(read(folder / "feed.atom"))
