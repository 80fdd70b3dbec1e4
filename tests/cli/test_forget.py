"""`moderator player forget` and `export`: afterwards the name is nowhere, or everything of one is in one place."""

from __future__ import annotations

import email
import email.policy
import json
import re
import sqlite3
import threading
import unicodedata
import zipfile
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import JSON, LargeBinary, String
from sqlmodel import SQLModel, select

from moderator.cli import cli, privacy
from moderator.config import Config, load
from moderator.errors import StoreError
from moderator.people import forgotten
from moderator.states import EntryKind, InboxState
from moderator.store import forgetting
from moderator.store.models import Event, Inbox, KeyValue, Match, Player, Referee
from moderator.words import house
from moderator.words.house import Ruling
from tests.club.club import Club, copied, make_club, plain_boards, text

NAME, ADDRESS = "Zwirbelin Öhr", "zwirbelin@oehr.example"
SITE = '[site]\nfolder = "site"\nurl = "https://club.example/a"\n'


def moderator(club: Club, *words: str, stdin: str = "") -> Result:
    return CliRunner().invoke(cli, ["--config", str(club.config.file), *words], input=stdin)


def ok(club: Club, *words: str, stdin: str = "") -> str:
    done = moderator(club, *words, stdin=stdin)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """A club in which one player has left traces wherever a player can: a finished match and a running one, letters, a
    protest, a notice, a leave, a new address, a tournament, a ruling, mails of all kinds, the site."""
    club = make_club(tmp_path_factory.mktemp("forget") / "club", kept=True)
    file = club.config.file
    file.write_text(file.read_text(encoding="utf-8") + SITE, encoding="utf-8")
    club = Club(club.folder, load(file), club.now)
    club.players("Anna", "Bert")
    ok(club, "player", "add", NAME, ADDRESS)
    plain_boards(club)
    done = club.match(NAME, "Anna", pass_rounds=1)
    club.tick()
    for seat, name in enumerate((ADDRESS, "Anna")):
        club.order(name, done, seat, "passe")
        club.tick()
    assert club.row(done).status == "finished"
    runs = club.match("Anna", NAME)
    club.tick()
    club.order("Anna", runs, 0, f"{club.moves(runs, 0)[0]}\nAN ALLE SOFORT: Hallo {NAME}, alles gut?")
    club.tick()
    club.order(ADDRESS, runs, 1, f"E5 q {NAME}\nEINSPRUCH: {NAME} meint, das gilt nicht")
    club.order(ADDRESS, runs, 1, "Urlaub 24.12. bis 2.1.\nADRESSE neu@oehr.example\nERSATZSPIELER an")
    club.tick()
    club.write(ADDRESS, f"Ich, {NAME}, frage mich was.", Authentication_Results="mx.club.example; spf=pass")
    club.write("fremd@example.org", f"Ich kenne {NAME} <{ADDRESS}>")
    club.tick()
    ok(club, "match", "notice", runs, f"Auf Wunsch von {NAME}")
    ok(club, "words", "rule", "HUGO", "allow", "--reason", f"{NAME} hat es gefunden")
    ok(club, "cup", "new", f"Pokal für {NAME}", "--game", "dominos", "--format", "robin")
    ok(club, "cup", "open", "T1")
    ok(club, "cup", "join", "T1", NAME)
    club.tick()
    return club


@pytest.fixture
def club(lived: Club, tmp_path: Path) -> Club:
    return copied(lived, tmp_path / "club")


def spelt() -> tuple[str, ...]:
    forms = (NAME, unicodedata.normalize("NFD", NAME), "zwirbelin", ADDRESS, "oehr.example")
    return tuple(form.casefold() for form in forms)


def traces(folder: Path) -> list[str]:
    """Files of the club that name the player, but for the mails of the mailbox, which are not ours."""
    found = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_relative_to(folder / "mail"):
            continue
        pieces = [path.read_bytes()]
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                pieces += [archive.read(name) for name in archive.namelist()]
        for data in pieces:
            said = data.decode("utf-8", "replace").casefold()
            found += [f"{path.name}: {form}" for form in spelt() if form in said]
    return found


def decoded(raw: bytes) -> str:
    """All that a mail says, its parts decoded."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    parts = [part for part in message.walk() if not part.is_multipart()]
    heads = [str(value) for part in message.walk() for value in part.values()]
    return " ".join([*heads, *(part.get_payload(decode=True).decode("utf-8", "replace") for part in parts)]).casefold()


def rows(club: Club) -> str:
    """Every value of every row, mails decoded, as one text."""
    said = []
    with club.desk() as desk:
        for table in SQLModel.metadata.sorted_tables:
            for row in desk.session.connection().execute(select(table)):
                for value in row:
                    said.append(decoded(value) if isinstance(value, bytes) else str(value).casefold())
    return "\n".join(said)


@pytest.mark.slow
def test_the_traces_are_there_before(club: Club) -> None:
    assert len(traces(club.folder)) > 5
    said = rows(club)
    for form in ("zwirbelin", ADDRESS, "neu@oehr.example"):
        assert said.count(form) > 3


@pytest.mark.slow
def test_afterwards_nothing_names_the_player(club: Club, tmp_path: Path) -> None:
    with club.desk() as desk:
        number = desk.session.exec(select(Player).where(Player.name == NAME)).one().number
        codes = [row.code for row in desk.session.exec(select(Match).where(Match.status != "open"))]
    assert f"{NAME} still plays: " in str(moderator(club, "player", "forget", NAME, "--yes").exception)
    said = ok(club, "player", "forget", "Zwirbelin", "--resign", "--yes")
    assert said.startswith(f"Spieler {number} has taken the name's place.")
    club.tick()
    ok(club, "publish", str(club.folder / "site"))
    if not club.config.store.url:
        ok(club, "backup", str(club.folder))
    for code in codes:
        (club.folder / f"{code}.json").write_text(ok(club, "export", code), encoding="utf-8")
        ok(club, "verify", str(club.folder / f"{code}.json"))
    letter = club.folder / "letter.html"
    ok(club, "publish", "--since", "2026-11-01", "--letter", str(letter))
    ok(club, "publish", str(tmp_path / "other"))
    assert not [form for form in spelt() if form in rows(club)]
    assert traces(club.folder) == []
    assert traces(tmp_path / "other") == []
    assert f"Spieler {number}" in letter.read_text(encoding="utf-8")
    deep = ok(club, "doctor", "--deep")
    assert " 0 faults" in deep, deep
    for words in (["player", "list"], ["audit"], ["match", "log", codes[-1]], ["today"], ["cup", "show", "T1"]):
        assert not [form for form in spelt() if form in ok(club, *words).casefold()]
    assert "is forgotten already" in ok(club, "player", "forget", f"Spieler {number}")


@pytest.mark.slow
def test_the_others_are_told_by_number_only(club: Club) -> None:
    club.mails()
    said = ok(club, "player", "forget", NAME, "--resign", "--yes")
    number = re.findall(r"^Spieler \d+", said)[0]
    club.tick()
    mails = club.mails()
    assert mails
    assert number in text(next(mail for mail in mails if "anna" in str(mail["To"]).lower()))
    for mail in mails:
        assert "zwirbelin" not in decoded(mail.as_bytes())
        assert "oehr.example" not in str(mail["To"])


def test_it_asks_first(club: Club) -> None:
    before = rows(club)
    done = moderator(club, "player", "forget", NAME, "--resign", stdin="n\n")
    assert done.exit_code == 1
    assert f"Forget {NAME} for good? Still plays, and gives it up: " in done.output
    assert rows(club) == before


def test_mail_that_waits_keeps_it_from_being_done(club: Club) -> None:
    club.write("fremd@example.org", "Hallo")
    tokens = ("player", "forget", NAME, "--resign", "--yes")
    assert moderator(club, "receive").exit_code in (0, 75)
    ok(club, "tick")
    with closing(sqlite3.connect(club.config.path(club.config.store.path))) as connection:
        if club.config.store.url:
            pytest.skip("made by hand in the file")
        connection.execute("UPDATE inbox SET state = 'received' WHERE id = 1")
        connection.commit()
    assert "not read yet" in str(moderator(club, *tokens).exception)


def test_a_robot_is_nobody_to_forget(club: Club) -> None:
    ok(club, "player", "add", "R2D2", "--robot")
    assert "is a robot" in str(moderator(club, "player", "forget", "R2D2", "--yes").exception)


def test_a_referee_is_not_forgotten(club: Club) -> None:
    with club.desk() as desk:
        desk.session.add(
            Referee(
                name=NAME,
                name_key=NAME.casefold(),
                address="other@x.example",
                language="de",
                token="T0KEN12345",
                created_at=club.now,
            )
        )
    assert "is a referee, too" in str(moderator(club, "player", "forget", NAME, "--resign", "--yes").exception)


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_common_word_is_a_name_too(tmp_path: Path, language: str) -> None:
    """Somebody called like a word on the board: the match still replays."""
    club = make_club(tmp_path)
    file = club.config.file
    file.write_text(file.read_text(encoding="utf-8").replace("[mail]", f'language = "{language}"\n[mail]'), "utf-8")
    club = Club(club.folder, load(file), club.now)
    club.players("Anna", "Haus")
    plain_boards(club)
    code = club.match("Anna", "Haus", pass_rounds=1)
    club.tick()
    for number in range(4):
        seat = club.live(code).table.state.to_move
        if seat:
            club.order(
                ("Anna", "Haus")[seat[0]], code, seat[0], "passe" if number > 1 else club.moves(code, seat[0])[0]
            )
            club.tick()
    said = ok(club, "player", "forget", "Haus", "--resign", "--yes")
    assert said.startswith({"de": "Spieler 2", "en": "Player 2"}[language])
    assert " 0 faults" in ok(club, "doctor", "--deep")


GAME = {
    *("order", "move", "withdraw", "miss", "evaluate", "retire", "hand-over", "stop", "flag", "excuse", "clock"),
    *("ask-undo", "refuse-undo", "undo", "move-in"),
}
"""Entries whose text is a move, a number, a code or nothing."""


def test_every_kind_of_entry_is_thought_of() -> None:
    assert {str(kind) for kind in EntryKind} == GAME | {str(kind) for kind in forgetting.TOLD} | {"tried"}


WORDS_STAY = {
    "addresschange": "deleted",
    "alembic_version": "",
    "deferrednews": "",
    "leave": "days only",
    "matter": "",
    "reviewrequest": "deleted",
    "turnreview": "moves by seat",
    "puzzle": "moves by seat",
    "puzzleanswer": "deleted",
    "player": "the row itself",
    "question": "words and tokens",
    "referee": "somebody else",
    "seat": "tokens and Message-IDs",
    "seen": "places in the mailbox",
    "standby": "deleted",
    "tournamentstep": "steps",
    "watcher": "deleted",
    "letter": "rewritten",
}
"""Tables that hold texts, none of them anybody's name or words, or dealt with as a whole."""
COLUMNS_STAY = {
    "audit": {"by", "action", "about"},
    "event": {"kind", "outcome"},
    "inbox": {"digest", "message_id", "raw", "state", "token"},
    "keyvalue": {"key"},
    "match": {
        *("code", "game", "options", "status", "seed", "salts", "lexicon", "fingerprint", "rules", "terms", "stopped"),
        "result",
    },
    "matchreview": {"edition", "content"},
    "outbox": {"message_id", "recipient", "kind", "state", "return_token"},
    "press": {"seats"},
    "protest": {"token"},
    "tournament": {"code", "game", "format", "options", "terms", "settings", "seed", "status", "state", "trouble"},
    "tournamententry": {"state"},
    "tournamentgame": {"kind", "seats", "result", "ruling"},
}


def test_every_column_that_holds_text_is_thought_of() -> None:
    free = {table.__tablename__: set(columns) for table, columns, _ in forgetting.FREE}
    for table in SQLModel.metadata.sorted_tables:
        if table.name in WORDS_STAY:
            continue
        texts = {
            column.name
            for column in table.columns
            if isinstance(column.type.dialect_impl, object)
            and isinstance(getattr(column.type, "impl", column.type), String | JSON | LargeBinary)
        }
        assert texts <= free.get(table.name, set()) | COLUMNS_STAY.get(table.name, set()), table.name


def test_all_that_is_stored_of_one_and_nothing_of_others(club: Club, tmp_path: Path) -> None:
    file = tmp_path / "zwirbelin.zip"
    said = ok(club, "player", "export", "Zwirbelin", str(file))
    assert f"of {NAME}" in said
    assert file.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        data = archive.read("data.json").decode()
        mails = [archive.read(name) for name in names if name.endswith(".eml")]
    found = json.loads(data)
    assert found["player"]["address"] == ADDRESS
    assert found["new_addresses"][0]["address"] == "neu@oehr.example"
    assert len(found["matches"]) == 2
    assert found["leave"]
    assert found["protests"]
    assert found["stands_by"]
    assert [row["code"] for row in found["tournaments"]] == ["T1"]
    assert any("passe" in row["text"] for row in found["entries"])
    assert found["mails_sent_to_you"]
    assert len(mails) >= 3
    for mail in mails:
        assert ADDRESS in decoded(mail)
    for other in ("Anna", "Bert", "anna@", "bert@", "fremd@", "boss@"):
        assert other not in data
    for code, seat in (row.values() for row in ({"c": m["code"], "s": m["seat"]} for m in found["matches"])):
        assert club.token(code, seat) not in data
    assert "is there already" in str(moderator(club, "player", "export", NAME, str(file)).exception)


@pytest.fixture
def two_players(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def exported(two_players: Club, name: str) -> tuple[dict[str, list[dict[str, str]]], list[str]]:
    file = two_players.folder / f"{name}.zip"
    ok(two_players, "player", "export", name, str(file))
    with zipfile.ZipFile(file) as archive:
        mails = [archive.read(one).decode() for one in archive.namelist() if one.endswith(".eml")]
        return json.loads(archive.read("data.json")), mails


def played_by_anothers_mail(two_players: Club) -> tuple[str, str, str]:
    """A match in which one's mail has played what the other had stored: (code, the one's name, the other's)."""
    code = two_players.match("Anna", "Bert")
    two_players.tick()
    first = two_players.live(code).table.state.to_move[0]
    one, other = ("Anna", "Bert")[first], ("Anna", "Bert")[1 - first]
    two_players.order(other, code, 1 - first, "passe")
    two_players.tick()
    two_players.order(one, code, first, two_players.moves(code, first)[0])
    two_players.tick()
    moves = [entry.seat for entry in two_players.log(code) if entry.kind == EntryKind.MOVE]
    assert moves == [first, 1 - first]
    return code, one, other


def test_a_mail_that_played_anothers_order_is_its_writers(two_players: Club) -> None:
    code, one, other = played_by_anothers_mail(two_players)
    facts, mails = exported(two_players, other)
    assert len(mails) == 1
    assert "passe" in mails[0]
    assert [row["text"] for row in facts["entries"] if row["kind"] == "move"] == ["passe"]
    assert two_players.token(code, ("Anna", "Bert").index(one)) not in "".join(mails)
    ok(two_players, "player", "forget", other, "--resign", "--yes")
    with two_players.desk() as desk:
        left = {row.sender: row.raw for row in desk.session.exec(select(Inbox))}
    assert f"{one.lower()}@home.example".encode() in left.pop(f"{one.lower()}@home.example")
    assert left == {"": b""}


def test_a_mail_from_elsewhere_to_the_own_seat_is_ones_own(two_players: Club) -> None:
    code = two_players.match("Anna", "Bert")
    two_players.tick()
    two_players.order("work@elsewhere.example", code, 0, "passe")
    two_players.tick()
    assert len(exported(two_players, "Anna")[1]) == 1
    assert exported(two_players, "Bert")[1] == []


def test_of_a_seat_that_changed_hands_only_the_own_entries_are_exported(two_players: Club) -> None:
    code, one, other = played_by_anothers_mail(two_players)
    two_players.players("Cici")
    ok(two_players, "match", "replace", code, one, "Cici")
    facts, mails = exported(two_players, "Cici")
    assert mails == []
    assert [row["kind"] for row in facts["entries"]] == ["hand-over"]
    assert [row["kind"] for row in exported(two_players, other)[0]["entries"]].count("move") == 1
    assert exported(two_players, one)[0]["entries"] == []


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_what_was_sent_in_vain_changes_wherever_it_is_told(tmp_path: Path, pace: str) -> None:
    two_players = make_club(tmp_path / "club")
    two_players.players("Anna", "Haus")
    plain_boards(two_players)
    code = two_players.match("Anna", "Haus", pace=pace)
    two_players.tick()
    seat = two_players.live(code).table.state.to_move[0]
    two_players.order(("Anna", "Haus")[seat], code, seat, "E5 q HAUS")
    two_players.tick()
    assert any(entry.kind == EntryKind.TRIED and "HAUS" in entry.text for entry in two_players.log(code))
    two_players.wait(days=60)
    two_players.tick()
    told = [move["text"] for entry in two_players.log(code) for move in entry.outcome.get("moves", ())]
    assert any("HAUS" in text for text in told), told
    ok(two_players, "player", "forget", "Haus", "--resign", "--yes")
    assert " 0 faults" in ok(two_players, "doctor", "--deep")
    for entry in two_players.log(code):
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
    written = f"{left}{before}anna@web.de{after}{right}"
    same = not before and not after and right not in (".x", ".de")
    assert forgotten._changed(pattern, "Spieler 3", written) == (f"{left}Spieler 3{right}" if same else written)


def test_a_name_over_two_lines_is_the_same_name() -> None:
    pattern = forgotten._pattern("Anna Berg", {"anna@web.de"})
    for name in ("Anna Berg", "Anna\nBerg", "Anna \r\n> Berg", "ANNA\n> > Berg", "anna  berg", "Anna\n  Berg"):
        assert forgotten._changed(pattern, "Spieler 3", f"Von {name}, heute") == "Von Spieler 3, heute"
    for name in ("Annaberg", "Anna Bergs", "Anna, Berg", "Anna Schmidt, Berg", "susanna@web.de", "anna.berg@web.de"):
        assert forgotten._changed(pattern, "Spieler 3", f"Von {name}, heute") == f"Von {name}, heute"


def state(two_players: Club, number: int, new: InboxState) -> None:
    with two_players.desk() as desk:
        row = desk.session.get_one(Inbox, number)
        row.state = new
        desk.session.add(row)


@pytest.mark.parametrize("held", [InboxState.CONFIRM, InboxState.WAITING, InboxState.QUARANTINE])
def test_mails_of_others_that_still_wait_are_not_emptied(two_players: Club, held: InboxState) -> None:
    two_players.write("bert", "Anna und ich machen mit")
    two_players.write("anna", "ich auch")
    two_players.write("fremd@example.org", "Grüße an Anna")
    two_players.tick()
    for number in (1, 2):
        state(two_players, number, held)
    done = moderator(two_players, "player", "forget", "Anna", "--yes")
    assert "Mails that name them wait: 1." in str(done.exception)
    with two_players.desk() as desk:
        assert all(row.raw for row in desk.session.exec(select(Inbox)))
    ok(two_players, "quarantine", "drop", "1")
    ok(two_players, "player", "forget", "Anna", "--yes")
    with two_players.desk() as desk:
        rows = desk.session.exec(select(Inbox)).all()
        assert {row.state for row in rows} == {InboxState.DROPPED}
        assert not any(row.raw for row in rows)


def test_what_failed_after_the_deed_is_done_again(two_players: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    file = two_players.config.path(two_players.config.words.house)
    file.write_bytes(b"# f\xfcr Anna\n")
    assert "is not UTF-8" in str(moderator(two_players, "player", "forget", "Anna", "--yes").exception)
    assert "Anna" in ok(two_players, "player", "list")
    file.write_text("\ufeff# für Anna\r\nANNA\t\t\tallow\tAnna wollte es\t2026-11-01\r\n", encoding="utf-8", newline="")
    cleaned: list[bool] = []

    def fails(config: Config) -> None:
        cleaned.append(True)
        if len(cleaned) == 1:
            raise StoreError("The disk is full.", "Make room there.")

    monkeypatch.setattr(privacy, "_site", fails)
    said = str(moderator(two_players, "player", "forget", "Anna", "--yes").exception)
    assert 'The disk is full. Make room there. Then once more: `moderator player forget "Spieler 1"`.' in said
    new = "\ufeff# für Spieler 1\r\nANNA\t\t\tallow\tSpieler 1 wollte es\t2026-11-01\r\n"
    assert file.read_bytes().decode() == new
    assert ok(two_players, "player", "forget", "Spieler 1").startswith("Spieler 1 is forgotten already")
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


def test_an_address_that_one_had_goes_too_but_not_if_it_is_anothers_now(two_players: Club) -> None:
    code = two_players.match("Anna", "Bert")
    two_players.tick()
    two_players.order("Anna", code, 0, "passe")
    two_players.tick()
    ok(two_players, "player", "set", "Anna", "--address", "new@anna.example")
    with two_players.desk() as desk:
        desk.session.add(KeyValue(key="wrong-tokens", value='{"anna@home.example": 1}'))
    ok(two_players, "player", "set", "Bert", "--address", "b@home.example")
    ok(two_players, "player", "add", "Cici", "bert@home.example")
    ok(two_players, "player", "forget", "Anna", "--resign", "--yes")
    ok(two_players, "player", "forget", "Bert", "--resign", "--yes")
    with two_players.desk() as desk:
        assert desk.session.get_one(KeyValue, "wrong-tokens").value == '{"Spieler 1": 1}'
        assert {row.sender for row in desk.session.exec(select(Inbox))} == {""}
        assert desk.session.exec(select(Event)).all()
    assert "bert@home.example" in ok(two_players, "player", "list")
    assert "anna" not in ok(two_players, "audit").casefold()
