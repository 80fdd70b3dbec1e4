"""What is other people's stays whole when somebody is forgotten, and is not exported; what is played replays."""

from __future__ import annotations

import json
import threading
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from moderator.cli import privacy
from moderator.config import Config
from moderator.errors import StoreError
from moderator.people import forgotten
from moderator.states import EntryKind, InboxState
from moderator.store.models import Event, Inbox, KeyValue
from moderator.words import house
from moderator.words.house import Ruling
from tests.club.club import Club, make_club, plain_boards
from tests.test_forget import moderator, ok


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def exported(club: Club, name: str) -> tuple[dict[str, list[dict[str, str]]], list[str]]:
    file = club.folder / f"{name}.zip"
    ok(club, "player", "export", name, str(file))
    with zipfile.ZipFile(file) as archive:
        mails = [archive.read(one).decode() for one in archive.namelist() if one.endswith(".eml")]
        return json.loads(archive.read("data.json")), mails


def played_by_anothers_mail(club: Club) -> tuple[str, str, str]:
    """A match in which one's mail has played what the other had stored: (code, the one's name, the other's)."""
    code = club.match("Anna", "Bert")
    club.tick()
    first = club.live(code).table.state.to_move[0]
    one, other = ("Anna", "Bert")[first], ("Anna", "Bert")[1 - first]
    club.order(other, code, 1 - first, "passe")
    club.tick()
    club.order(one, code, first, club.moves(code, first)[0])
    club.tick()
    moves = [entry.seat for entry in club.log(code) if entry.kind == EntryKind.MOVE]
    assert moves == [first, 1 - first]
    return code, one, other


def test_a_mail_that_played_anothers_order_is_its_writers(club: Club) -> None:
    code, one, other = played_by_anothers_mail(club)
    facts, mails = exported(club, other)
    assert len(mails) == 1
    assert "passe" in mails[0]
    assert [row["text"] for row in facts["entries"] if row["kind"] == "move"] == ["passe"]
    assert club.token(code, ("Anna", "Bert").index(one)) not in "".join(mails)
    ok(club, "player", "forget", other, "--resign", "--yes")
    with club.desk() as desk:
        left = {row.sender: row.raw for row in desk.session.exec(select(Inbox))}
    assert f"{one.lower()}@home.example".encode() in left.pop(f"{one.lower()}@home.example")
    assert left == {"": b""}


def test_a_mail_from_elsewhere_to_the_own_seat_is_ones_own(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.order("work@elsewhere.example", code, 0, "passe")
    club.tick()
    assert len(exported(club, "Anna")[1]) == 1
    assert exported(club, "Bert")[1] == []


def test_of_a_seat_that_changed_hands_only_the_own_entries_are_exported(club: Club) -> None:
    code, one, other = played_by_anothers_mail(club)
    club.players("Cici")
    ok(club, "match", "replace", code, one, "Cici")
    facts, mails = exported(club, "Cici")
    assert mails == []
    assert [row["kind"] for row in facts["entries"]] == ["hand-over"]
    assert [row["kind"] for row in exported(club, other)[0]["entries"]].count("move") == 1
    assert exported(club, one)[0]["entries"] == []


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_what_was_sent_in_vain_changes_wherever_it_is_told(tmp_path: Path, pace: str) -> None:
    club = make_club(tmp_path / "club")
    club.players("Anna", "Haus")
    plain_boards(club)
    code = club.match("Anna", "Haus", pace=pace)
    club.tick()
    seat = club.live(code).table.state.to_move[0]
    club.order(("Anna", "Haus")[seat], code, seat, "E5 q HAUS")
    club.tick()
    assert any(entry.kind == EntryKind.TRIED and "HAUS" in entry.text for entry in club.log(code))
    club.wait(days=60)
    club.tick()
    told = [move["text"] for entry in club.log(code) for move in entry.outcome.get("moves", ())]
    assert any("HAUS" in text for text in told), told
    ok(club, "player", "forget", "Haus", "--resign", "--yes")
    assert " 0 faults" in ok(club, "doctor", "--deep")
    for entry in club.log(code):
        said = [entry.text, *(move["text"] for move in entry.outcome.get("moves", ()))]
        assert not [text for text in said if "HAUS" in text]


@given(
    st.text("ab.+-_ö1", max_size=3),
    st.text("ab-_ö1", max_size=3),
    st.sampled_from(["", " ", "<", '"', "mailto:", "\n"]),
    st.sampled_from(["", ".", ". ", ">", ",", "?", "\n", ".x", ".de"]),
)
def test_an_address_within_another_one_is_not_changed(before: str, after: str, left: str, right: str) -> None:
    pattern = forgotten._pattern("Anna", {"anna@web.de"})
    text = f"{left}{before}anna@web.de{after}{right}"
    same = not before and not after and right not in (".x", ".de")
    assert forgotten._changed(pattern, "Spieler 3", text) == (f"{left}Spieler 3{right}" if same else text)


def test_a_name_over_two_lines_is_the_same_name() -> None:
    pattern = forgotten._pattern("Anna Berg", {"anna@web.de"})
    for text in ("Anna Berg", "Anna\nBerg", "Anna \r\n> Berg", "ANNA\n> > Berg", "anna  berg", "Anna\n  Berg"):
        assert forgotten._changed(pattern, "Spieler 3", f"Von {text}, heute") == "Von Spieler 3, heute"
    for text in ("Annaberg", "Anna Bergs", "Anna, Berg", "Anna Schmidt, Berg", "susanna@web.de", "anna.berg@web.de"):
        assert forgotten._changed(pattern, "Spieler 3", f"Von {text}, heute") == f"Von {text}, heute"


def state(club: Club, number: int, new: InboxState) -> None:
    with club.desk() as desk:
        row = desk.session.get_one(Inbox, number)
        row.state = new
        desk.session.add(row)


@pytest.mark.parametrize("held", [InboxState.CONFIRM, InboxState.WAITING, InboxState.QUARANTINE])
def test_mails_of_others_that_still_wait_are_not_emptied(club: Club, held: InboxState) -> None:
    club.write("bert", "Anna und ich machen mit")
    club.write("anna", "ich auch")
    club.write("fremd@example.org", "Grüße an Anna")
    club.tick()
    for number in (1, 2):
        state(club, number, held)
    done = moderator(club, "player", "forget", "Anna", "--yes")
    assert "Mails that name them wait: 1." in str(done.exception)
    with club.desk() as desk:
        assert all(row.raw for row in desk.session.exec(select(Inbox)))
    ok(club, "quarantine", "drop", "1")
    ok(club, "player", "forget", "Anna", "--yes")
    with club.desk() as desk:
        rows = desk.session.exec(select(Inbox)).all()
        assert {row.state for row in rows} == {InboxState.DROPPED}
        assert not any(row.raw for row in rows)


def test_what_failed_after_the_deed_is_done_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    file = club.config.path(club.config.words.house)
    file.write_bytes(b"# f\xfcr Anna\n")
    assert "is not UTF-8" in str(moderator(club, "player", "forget", "Anna", "--yes").exception)
    assert "Anna" in ok(club, "player", "list")
    file.write_text("\ufeff# für Anna\r\nANNA\t\t\tallow\tAnna wollte es\t2026-11-01\r\n", encoding="utf-8", newline="")
    cleaned: list[bool] = []

    def fails(config: Config) -> None:
        cleaned.append(True)
        if len(cleaned) == 1:
            raise StoreError("The disk is full.", "Make room there.")

    monkeypatch.setattr(privacy, "_site", fails)
    said = str(moderator(club, "player", "forget", "Anna", "--yes").exception)
    assert 'The disk is full. Make room there. Then once more: `moderator player forget "Spieler 1"`.' in said
    new = "\ufeff# für Spieler 1\r\nANNA\t\t\tallow\tSpieler 1 wollte es\t2026-11-01\r\n"
    assert file.read_bytes().decode() == new
    assert ok(club, "player", "forget", "Spieler 1").startswith("Spieler 1 is forgotten already")
    assert len(cleaned) == 2


def test_a_ruling_that_comes_meanwhile_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "house.tsv"
    house.append(file, Ruling("HUGO", "allow", reason="Anna"))
    file.chmod(0o640)
    other = threading.Thread(target=house.append, args=(file, Ruling("OTTO", "deny", reason="Anna")))

    def change(text: str) -> str:
        if not other.ident:
            other.start()
            other.join(0.2)
            assert other.is_alive(), "it waits"
        return text.replace("Anna", "Spieler 3")

    house.rewrite(file, change)
    other.join()
    assert [(one.word, one.reason) for one in house.read(file)] == [("HUGO", "Spieler 3"), ("OTTO", "Anna")]
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["house.tsv"]


def test_an_address_that_one_had_goes_too_but_not_if_it_is_anothers_now(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.order("Anna", code, 0, "passe")
    club.tick()
    ok(club, "player", "set", "Anna", "--address", "new@anna.example")
    with club.desk() as desk:
        desk.session.add(KeyValue(key="wrong-tokens", value='{"anna@home.example": 1}'))
    ok(club, "player", "set", "Bert", "--address", "b@home.example")
    ok(club, "player", "add", "Cici", "bert@home.example")
    ok(club, "player", "forget", "Anna", "--resign", "--yes")
    ok(club, "player", "forget", "Bert", "--resign", "--yes")
    with club.desk() as desk:
        assert desk.session.get_one(KeyValue, "wrong-tokens").value == '{"Spieler 1": 1}'
        assert {row.sender for row in desk.session.exec(select(Inbox))} == {""}
        assert desk.session.exec(select(Event)).all()
    assert "bert@home.example" in ok(club, "player", "list")
    assert "anna" not in ok(club, "audit").casefold()
