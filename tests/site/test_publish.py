"""The site in its folder: by the command, and by tick, which it must never keep from its work. In which languages it is
written; and, where it has an address, what a link shows in a messenger, pictures of boards, and the site map."""

import contextlib
import errno
import itertools
import re
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from moderator.cli.doctor import iter_checks
from moderator.common import tokens
from moderator.common.disk import LANGUAGES
from moderator.common.errors import ConfigError, OperatorError
from moderator.render import theme
from moderator.render.mail import load_style_tokens, require_template_folder
from moderator.run.rehearsal import preview_tick
from moderator.service.create import add_player
from moderator.settings import load_config
from moderator.site import board, build, matches, tree
from moderator.site.accent import READABLE, compute_contrast
from moderator.store.database import open_store
from moderator.views import links
from moderator.views.loaded_match import MatchSuspended
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club
from tests.site.pages import changed, contents, move, publish, set_site

URL = "https://club.example/archive"


@pytest.fixture
def club(club: Club) -> Club:
    """With a match, and a site that tick keeps."""
    set_site(club, folder="site")
    return club


def times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_tick_writes_the_site_after_a_move_and_nothing_when_idle(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = club.match("Anna", "Bert")
    move(club, code, 0)
    page, site = club.folder / "site" / "matches" / f"{code}.html", club.folder / "site"
    before = page.read_text(encoding="utf-8")
    written = times(site)

    def never(*_: object) -> None:
        pytest.fail("an idle tick looked at the site")

    with monkeypatch.context() as patched:
        patched.setattr(build, "update_site_after_run", never)
        assert club.tick().is_quiet
    assert times(site) == written
    club.wait(days=1)
    move(club, code, 1)
    assert page.read_text(encoding="utf-8") != before


def test_without_a_folder_and_in_a_rehearsal_no_site_is_written(club: Club) -> None:
    order_first(club)
    assert list(preview_tick(club.config))
    set_site(club)
    club.tick()
    assert not (club.folder / "site").exists()


def order_first(club: Club) -> str:
    """A match, and a move that the next tick will read."""
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    return code


def test_a_folder_of_somebody_else_is_left_alone_and_told(club: Club) -> None:
    folder = club.folder / "site"
    folder.mkdir()
    (folder / "diary.txt").write_text("mine", encoding="utf-8")
    order_first(club)
    summary = club.tick()
    assert [line for line in summary.troubles if line.startswith("the site: ")]
    assert "no site of ours" in summary.troubles[0]
    assert [path.name for path in folder.iterdir()] == ["diary.txt"]
    assert summary.sent == len(club.mails()) > 0


STEPS = [0, 1, 30, 61]
"""Writes that go well before the run dies; behind the last one it has ended."""


@pytest.mark.slow
@pytest.mark.parametrize("how", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("good", STEPS)
def test_a_run_that_dies_is_continued_by_the_next_one_whatever_that_is(
    club: Club, monkeypatch: pytest.MonkeyPatch, good: int, first: bool, how: BaseException
) -> None:
    """A command, or a tick that has nothing else to do; the text that names a full disk says so, too."""
    club.match("Anna", "Bert")
    site, calls = club.folder / "site", itertools.count()
    if not first:
        build.update_site(club.config, club.now, site)
    write = tree._write_file

    def dies(target: Path, data: bytes) -> int:
        if next(calls) >= good:
            (target.parent).mkdir(parents=True, exist_ok=True)
            target.with_name(f".{target.name}.new").write_bytes(data[:10])
            raise how
        return write(target, data)

    with monkeypatch.context() as patched:
        patched.setattr(tree, "_write_file", dies)
        if how is KeyboardInterrupt:
            with contextlib.suppress(KeyboardInterrupt):
                build.update_site(club.config, club.now, site, anew=True)
        else:
            assert "nothing is lost, the next run goes on" in refuse_command(club, "publish", site, "--all")
    if good % 2:
        club.tick()
    else:
        build.update_site(club.config, club.now, site)
    assert not tree.is_site_unfinished(site)
    other = club.folder / "other"
    build.update_site(club.config, club.now, other)
    assert {name for name in contents(site) if not name.endswith(".new")} == {*contents(other)}


def test_a_bug_of_the_site_keeps_no_mail_back(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a page")

    monkeypatch.setattr(build, "publish_site", broken)
    code = order_first(club)
    summary = club.tick()
    assert "ZeroDivisionError: a page" in summary.troubles[0]
    assert summary.sent == len(club.mails()) > 0
    assert club.row(code).entries == 1


def test_others_may_write_while_the_site_is_made(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.match("Anna", "Bert")
    real = build.publish_site

    def slow(site: Any, *more: Any) -> Any:
        len(site.work.session.connection().exec_driver_sql("SELECT 1").all())
        store = open_store(club.config.database)
        with store.begin_transaction() as session:
            add_player(session, "Dora", "dora@home.example", club.now)
        store.close()
        return real(site, *more)

    monkeypatch.setattr(build, "publish_site", slow)
    assert build.update_site(club.config, club.now, club.folder / "site").written


def test_a_second_one_at_the_same_time_waits_for_another_run(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    order_first(club)
    store = open_store(club.config.database)
    with build._lock_site(club.config, store) as alone:
        assert alone
        with pytest.raises(OperatorError, match="being written"):
            build.update_site(club.config, club.now, club.folder / "site")
        assert not club.tick().troubles
    store.close()
    assert not (club.folder / "site").exists()


@pytest.mark.slow
def test_the_command_says_in_one_line_what_it_did_and_all_makes_every_file_anew(club: Club) -> None:
    club.match("Anna", "Bert")
    folder = club.folder / "out"
    first = type_command(club, "publish", folder)
    found = re.fullmatch(r".*out: (\d+) of (\d+) files written, 0 removed\.\n", first)
    assert found, first
    assert found[1] == found[2]
    before = times(folder)
    assert f"0 of {found[2]} files written" in type_command(club, "publish", "--all", folder)
    assert {path: at for path, at in times(folder).items() if not path.endswith(".json")} == {
        path: at for path, at in before.items() if not path.endswith(".json")
    }
    (folder / "index.html").write_text("old", encoding="utf-8")
    assert f"0 of {found[2]} files written" in type_command(club, "publish", folder)
    assert f"1 of {found[2]} files written" in type_command(club, "publish", "--all", folder)
    assert (folder / "index.html").read_text(encoding="utf-8") != "old"


def test_the_folder_is_site_unless_another_one_is_named(club: Club) -> None:
    type_command(club, "publish")
    assert (club.folder / "site" / "index.html").is_file()
    with (club.folder / "moderator.toml").open("a", encoding="utf-8") as file:
        file.write('[site]\nfolder = "pages"\n')
    type_command(club, "publish")
    assert (club.folder / "pages" / "index.html").is_file()


@pytest.mark.parametrize(
    "words",
    [
        *("--since 2026-11-01", "--language en", "--letter letter.doc", "--letter letter.html --all"),
        *("--letter letter.html --since soon", "folder --letter letter.html"),
    ],
)
def test_what_does_not_go_together_is_refused(
    club: Club, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(run_command(club, "publish", *words.split()).exception, OperatorError)
    assert not list(tmp_path.glob("letter*"))


def test_doctor_looks_at_the_folder(club: Club) -> None:
    file = club.folder / "moderator.toml"
    assert not [name for name, _ in iter_checks(file) if name.startswith("site")]
    with file.open("a", encoding="utf-8") as stream:
        stream.write('[site]\nfolder = "a/b"\n')
    assert [trouble for name, trouble in iter_checks(file) if name.startswith("site")] == [""]
    (club.folder / "a").write_text("a file in the way", encoding="utf-8")
    (trouble,) = [trouble for name, trouble in iter_checks(file) if name.startswith("site")]
    assert "may not be written" in trouble


def test_doctor_tells_an_address_that_leads_nowhere(club: Club) -> None:
    file = club.folder / "moderator.toml"
    before, good = file.read_text(encoding="utf-8"), "https://club.example:8080/archive/"
    for url in ("notaurl", "club.example/archive", "ftp://club.example", "https://", "https://[x/", "a b", good):
        file.write_text(f'{before}\n[site]\nurl = "{url}"\n', encoding="utf-8")
        (trouble,) = [trouble for name, trouble in iter_checks(file) if name.startswith("address of the site")]
        assert trouble == "" if url == good else trouble.startswith(f"{url} is no address on the web.")


@pytest.mark.slow
def test_the_text_of_a_match_tells_of_each_move_what_the_page_does(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "generate_match_code", lambda long: "K7Q2")  # by which it is dealt
    code = club.match("Anna", "Bert", game="recht")
    for seat in (0, 1):
        move(club, code, seat)
    page, text = ((club.folder / "site" / "matches" / f"{code}.{kind}").read_text("utf-8") for kind in ("html", "txt"))
    told = [unescape(note) for note in re.findall(r'data-how="[^"]*? · ([^"]*)"', page)]
    assert len(told) == 2
    assert [note for note in told if note not in text] == []


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch, club: Club) -> Club:
    """A club with a match, of a program that speaks all that there is."""
    monkeypatch.setattr(links, "LANGUAGES", LANGUAGES)
    club.match("Anna", "Bert")
    club.tick()
    return club


def settled(club: Club, languages: str) -> None:
    text = club.config.file.read_text(encoding="utf-8").partition("\n[site]")[0]
    club.config.file.write_text(f"{text}\n[site]\nlanguages = {languages}\n", encoding="utf-8")
    club.config = load_config(club.config.file)


def list_pages(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}


@pytest.mark.slow
def test_it_is_written_in_all_that_there_are_or_in_some(spoken: Club, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build.update_site(spoken.config, spoken.now, site, False)
    whole = list_pages(site)
    home = {page for page in whole if page.partition("/")[0] not in LANGUAGES and not page.startswith("calendar/")}
    assert whole >= home | {f"{language}/{page}" for language in LANGUAGES[1:] for page in home}
    assert 'lang="fr"' in (site / "fr/index.html").read_text(encoding="utf-8")
    (match,) = (page for page in home if page.startswith("matches/"))
    assert ">Français<" in (site / match).read_text(encoding="utf-8")

    settled(spoken, '["de", "en"]')
    assert [links.build_page_path(spoken.config, "rules.html", one) for one in ("en", "fr", "de")] == [
        *("en/rules.html", "rules.html", "rules.html")
    ]
    build.update_site(spoken.config, spoken.now, site, False)
    assert list_pages(site) == whole, "an address in an old mail leads nowhere"
    assert not list((site / "fr").rglob("*.atom"))
    forward = (site / "fr" / match).read_text(encoding="utf-8")
    assert f'location.replace("../../{match}" + location.hash)' in forward
    assert f'<a href="../../{match}">' in forward
    assert (site / "fr" / match).parent.joinpath("../../" + match).resolve() == (site / match).resolve()
    assert "Français" not in (site / match).read_text(encoding="utf-8")
    build.update_site(spoken.config, spoken.now, site, False)
    assert list_pages(site) == whole

    anew = tmp_path / "anew"
    build.update_site(spoken.config, spoken.now, anew, False)
    assert not (anew / "fr").exists()
    assert (anew / "en" / match).exists()

    settled(spoken, "[]")
    build.update_site(spoken.config, spoken.now, site, False)
    assert 'lang="fr"' in (site / "fr" / match).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("languages", "wrong"),
    [('["de", "xy"]', "names 'xy', which is not known"), ('["en"]', r"lacks 'de', the \[club\] language")],
)
def test_a_language_that_cannot_be_is_named(spoken: Club, languages: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        settled(spoken, languages)


def tags(page: Path) -> dict[str, str]:
    """Name or property of the head's ``meta`` -> content."""
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page.read_text(encoding="utf-8"))
    assert len(found) == len(dict(found)), page
    return {name: unescape(text) for name, text in found}


@pytest.mark.slow
def test_a_link_shows_title_words_and_the_board_and_the_map_lists_every_page(club: Club) -> None:
    set_site(club, folder="site", url=f"{URL}/", public=True)
    code = club.match("Anna", "Bert")
    move(club, code, 0)
    site = publish(club)
    for language, start in (("", "de"), ("en/", "en")):
        said = tags(site / language / "matches" / f"{code}.html")
        assert said["og:title"].startswith("Topwords")
        assert said["og:description"] == said["description"]
        assert said["og:description"].startswith(f"Anna {club.live(code).table.state.scores[0]}, Bert 0. ")
        assert said["og:locale"].startswith(start)
        assert said["og:image"] == f"{URL}/matches/{code}.png"
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"calendar/index.html"}
    for page in pages:
        said = tags(site / page)
        assert said["description"]
        assert said["og:url"] == f"{URL}/{page}"
        picture = site / said["og:image"].removeprefix(f"{URL}/")
        assert min(Image.open(BytesIO(picture.read_bytes())).size) >= 200, page
    listed = [one.text or "" for one in ElementTree.parse(site / "sitemap.xml").iter() if one.tag.endswith("}loc")]
    assert sorted(listed) == sorted(f"{URL}/{page}" for page in pages)
    set_site(club, folder="site", url=URL)
    assert not (publish(club) / "sitemap.xml").exists(), "it is not public any more"
    set_site(club, folder="site", public=True)
    publish(club)
    assert not [name for name in tags(site / "matches" / f"{code}.html") if name.startswith("og:")]
    assert not list(site.rglob("*.png"))
    assert not (site / "sitemap.xml").exists()


@pytest.mark.slow
def test_pictures_follow_the_board_and_nothing_else(club: Club) -> None:
    set_site(club, folder="site", url=URL, public=True)
    code, other = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.tick()
    before = contents(publish(club))
    assert build.update_site(club.config, club.now, club.folder / "site").written == 0
    move(club, code, 0)
    now = changed(before, contents(publish(club)))
    assert {f"matches/{code}.svg", f"matches/{code}.png"} <= now
    assert not {f"matches/{other}.svg", f"matches/{other}.png", "sitemap.xml", "static/tile.png"} & now
    drawn = (club.folder / "site" / "matches" / f"{code}.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme:dark" in drawn
    assert set(re.findall(r"var\((--[\w-]+)\)", drawn)) <= set(re.findall(r"(--[\w-]+):", drawn))


def test_a_match_that_cannot_be_shown_has_the_sign(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    set_site(club, folder="site", url=URL)
    code = club.match("Anna", "Bert")
    row = club.row(code)

    def broken(*_: object) -> tuple[()]:
        raise MatchSuspended(row, "its log does not fit")

    monkeypatch.setattr(matches, "build_replay_frames", broken)
    site = publish(club)
    assert (site / "matches" / f"{code}.svg").read_bytes() == (site / "static" / "tile.svg").read_bytes()
    assert (site / "matches" / f"{code}.png").read_bytes() == (site / "static" / "tile.png").read_bytes()


def test_about_picture_and_colour_are_the_club_s_own(club: Club) -> None:
    (club.folder / "sign.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    set_site(club, about="Wer wir <b>sind", picture="sign.svg", accent="#FFD400")
    folder = publish(club)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Wer wir &lt;b&gt;sind" in page
    assert 'src="static/club.svg"' in page
    assert (folder / "static" / "club.svg").read_bytes() == (club.folder / "sign.svg").read_bytes()
    styles = (folder / "static" / "site.css").read_text(encoding="utf-8")
    light, dark = re.findall(r"--accent:(#\w{6})", styles)[-2:]
    assert (light, dark) != ("#FFD400", "#FFD400")
    assert compute_contrast(light, load_style_tokens()["ground"]) >= READABLE
    assert compute_contrast(dark, load_style_tokens(dark=True)["card"]) >= READABLE


def test_a_colour_stands_in_one_place() -> None:
    tokens = load_style_tokens()
    known = {**board.COLOURS, theme.CARD: "card", theme.ACCENT: "accent"}
    assert {colour: tokens[token] for colour, token in known.items()} == {colour: colour for colour in known}
    files = [*require_template_folder().rglob("*.css"), *Path(build.__file__).parents[1].rglob("*.py")]
    coloured = {file.name for file in files if re.search(r"#[0-9A-Fa-f]{6}\b", file.read_text(encoding="utf-8"))}
    assert coloured == {"tokens.css", "theme.py", "settings.py"}, "settings.py shows how a colour is written"


@pytest.mark.parametrize("setting", ['accent = "red"', 'picture = "gone.png"'])
def test_a_colour_or_picture_that_is_none_is_refused(club: Club, setting: str) -> None:
    with pytest.raises(ConfigError, match=setting.partition(" ")[0]):
        settled(club, f'["de"]\n{setting}')
