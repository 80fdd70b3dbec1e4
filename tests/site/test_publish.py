"""The site in its folder: by the command, and by tick, which it must never keep from its work."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moderator.cli import cli
from moderator.cli.doctor import examine
from moderator.club import tokens
from moderator.config import Site
from moderator.errors import OperatorError
from moderator.play.create import add_player
from moderator.site import run, tree
from moderator.store.db import open_store
from tests.club.club import Club, plain_boards

ADDRESS = re.compile(rb"[\w.+-]+@[\w-]+\.[\w.-]+")


@pytest.fixture
def club(club: Club) -> Club:
    """With a match, and a site that tick keeps."""
    plain_boards(club)
    with_site(club)
    return club


def with_site(club: Club, **settings: str | bool) -> None:
    object.__setattr__(club, "config", configured(club, **settings))


def configured(club: Club, **settings: str | bool):
    made = replace(club.config, site=Site(folder="site", **settings))  # type: ignore[arg-type]
    object.__setattr__(made, "file", club.config.file)
    return made


def move(club: Club, code: str, seat: int, name: str) -> None:
    club.order(name, code, seat, club.moves(code, seat)[0])


def times(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


# ---- tick ----


def test_tick_writes_the_site_after_a_move_and_nothing_when_idle(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = club.match("Anna", "Bert")
    move(club, code, 0, "Anna")
    club.tick()
    page, site = club.folder / "site" / "matches" / f"{code}.html", club.folder / "site"
    before = page.read_text(encoding="utf-8")
    written = times(site)

    def never(*_: object) -> None:
        pytest.fail("an idle tick looked at the site")

    with monkeypatch.context() as patched:
        patched.setattr(run, "after_tick", never)
        assert club.tick().quiet
    assert times(site) == written
    club.wait(days=1)
    move(club, code, 1, "Bert")
    club.tick()
    assert page.read_text(encoding="utf-8") != before


def test_without_a_folder_tick_writes_none(club: Club) -> None:
    object.__setattr__(club, "config", replace_site(club))
    move(club, club.match("Anna", "Bert"), 0, "Anna")
    club.tick()
    assert not (club.folder / "site").exists()


def replace_site(club: Club):
    made = replace(club.config, site=Site())
    object.__setattr__(made, "file", club.config.file)
    return made


def test_a_folder_of_somebody_else_is_left_alone_and_told(club: Club) -> None:
    folder = club.folder / "site"
    folder.mkdir()
    (folder / "diary.txt").write_text("mine", encoding="utf-8")
    move(club, club.match("Anna", "Bert"), 0, "Anna")
    summary = club.tick()
    assert [line for line in summary.troubles if line.startswith("the site: ")]
    assert "no site of ours" in summary.troubles[0]
    assert [path.name for path in folder.iterdir()] == ["diary.txt"]
    assert summary.sent == len(club.mails()) > 0


def test_a_bug_of_the_site_keeps_no_mail_back(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a page")

    monkeypatch.setattr(run, "publish", broken)
    code = club.match("Anna", "Bert")
    move(club, code, 0, "Anna")
    summary = club.tick()
    assert "ZeroDivisionError: a page" in summary.troubles[0]
    assert summary.sent == len(club.mails()) > 0
    assert club.row(code).entries == 1


def test_others_may_write_while_the_site_is_made(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.match("Anna", "Bert")
    real = run.publish

    def slow(desk, *more):
        len(desk.session.connection().exec_driver_sql("SELECT 1").all())
        store = open_store(club.config.database)
        with store.transaction() as session:
            add_player(session, "Dora", "dora@home.example", club.now)
        store.close()
        return real(desk, *more)

    monkeypatch.setattr(run, "publish", slow)
    assert run.bring_up(club.config, club.now, club.folder / "site").written


def test_a_second_one_at_the_same_time_waits_for_another_run(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    move(club, club.match("Anna", "Bert"), 0, "Anna")
    store = open_store(club.config.database)
    with run._only_one(club.config, store) as alone:
        assert alone
        with pytest.raises(OperatorError, match="being written"):
            run.bring_up(club.config, club.now, club.folder / "site")
        assert not club.tick().troubles
    store.close()
    assert not (club.folder / "site").exists()


def test_a_rehearsal_writes_no_site(club: Club) -> None:
    from moderator.run.rehearsal import rehearse

    move(club, club.match("Anna", "Bert"), 0, "Anna")
    assert list(rehearse(club.config))
    assert not (club.folder / "site").exists()


# ---- the command ----


def moderator(club: Club, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--config", str(club.folder / "moderator.toml"), *words])


@pytest.mark.slow
def test_the_command_says_in_one_line_what_it_did(club: Club) -> None:
    club.match("Anna", "Bert")
    folder = club.folder / "out"
    first = moderator(club, "publish", str(folder))
    found = re.fullmatch(r".*out: (\d+) of (\d+) files written, 0 removed\.\n", first.output)
    assert found, first.output
    assert found[1] == found[2]
    assert f"0 of {found[2]} files written" in moderator(club, "publish", str(folder)).output
    before = times(folder)
    assert f"0 of {found[2]} files written" in moderator(club, "publish", "--all", str(folder)).output
    assert {path: at for path, at in times(folder).items() if not path.endswith(".json")} == {
        path: at for path, at in before.items() if not path.endswith(".json")
    }


@pytest.mark.slow
def test_all_makes_every_file_anew(club: Club) -> None:
    club.match("Anna", "Bert")
    folder = club.folder / "out"
    run.bring_up(club.config, club.now, folder)
    (folder / "index.html").write_text("old", encoding="utf-8")
    assert run.bring_up(club.config, club.now, folder).written == 0
    assert run.bring_up(club.config, club.now, folder, anew=True).written == 1
    assert (folder / "index.html").read_text(encoding="utf-8") != "old"


def test_a_folder_must_be_named_somewhere(club: Club) -> None:
    done = moderator(club, "publish")
    assert isinstance(done.exception, OperatorError)
    assert "[site] folder" in str(done.exception)
    with (club.folder / "moderator.toml").open("a", encoding="utf-8") as file:
        file.write('[site]\nfolder = "pages"\n')
    assert moderator(club, "publish").exit_code == 0
    assert (club.folder / "pages" / "index.html").is_file()


@pytest.mark.parametrize(
    "words",
    [
        ("--since", "2026-11-01"),
        ("--language", "en"),
        ("--letter", "letter.doc"),
        ("--letter", "letter.html", "--all"),
        ("--letter", "letter.html", "--since", "soon"),
        ("folder", "--letter", "letter.html"),
    ],
)
def test_what_does_not_go_together_is_refused(
    club: Club, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(moderator(club, "publish", *words).exception, OperatorError)
    assert not list(tmp_path.glob("letter*"))


def test_doctor_looks_at_the_folder(club: Club) -> None:
    file = club.folder / "moderator.toml"
    assert not [name for name, _ in examine(file) if name.startswith("site")]
    with file.open("a", encoding="utf-8") as stream:
        stream.write('[site]\nfolder = "a/b"\n')
    assert [trouble for name, trouble in examine(file) if name.startswith("site")] == [""]
    (club.folder / "a").write_text("a file in the way", encoding="utf-8")
    (trouble,) = [trouble for name, trouble in examine(file) if name.startswith("site")]
    assert "may not be written" in trouble


@pytest.mark.parametrize(
    "url", ["notaurl", "club.example/archive", "ftp://club.example", "https://", "https://[x/", "a b"]
)
def test_doctor_tells_an_address_that_leads_nowhere(club: Club, url: str) -> None:
    file = club.folder / "moderator.toml"
    before = file.read_text(encoding="utf-8")
    file.write_text(f'{before}\n[site]\nurl = "{url}"\n', encoding="utf-8")
    (trouble,) = [trouble for name, trouble in examine(file) if name.startswith("address of the site")]
    assert trouble.startswith(f"{url} is no address on the web.")
    file.write_text(f'{before}\n[site]\nurl = "https://club.example:8080/archive/"\n', encoding="utf-8")
    assert [trouble for name, trouble in examine(file) if name.startswith("address of the site")] == [""]


def test_a_folder_that_is_in_use_is_no_place_for_a_site(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OperatorError, match="no site of ours"):
        tree.check(tmp_path)
    tree.check(tmp_path / "new")


# ---- what is in it ----


@pytest.mark.slow
def test_no_address_is_in_any_file(club: Club) -> None:
    with_site(club, url="https://club.example/archive")
    code = club.match("Anna", "Bert")
    move(club, code, 0, "Anna")
    club.tick()
    club.wait(days=40)
    club.tick()
    files = [path for path in (club.folder / "site").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".html", ".atom", ".ics", ".css", ".js"}
    for path in files:
        if path.suffix == ".png":
            continue  # pictures of boards: their bytes are no text
        assert not ADDRESS.findall(path.read_bytes()), path


@pytest.mark.slow
def test_the_text_of_a_match_tells_of_each_move_what_the_page_does(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "new_code", lambda long: "K7Q2")  # by which it is dealt
    code = club.match("Anna", "Bert", game="recht")
    for seat, name in ((0, "Anna"), (1, "Bert")):
        move(club, code, seat, name)
        club.tick()
    page, text = ((club.folder / "site" / "matches" / f"{code}.{kind}").read_text("utf-8") for kind in ("html", "txt"))
    told = [unescape(note) for note in re.findall(r'<span class="words">([^<]*)</span>', page)]
    assert len(told) == 2
    assert [note for note in told if note not in text] == []
