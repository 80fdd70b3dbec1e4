"""`moderator player forget` and `export`: afterwards the name is nowhere, or everything of one is in one place."""

import email
import email.policy
import json
import sqlite3
import threading
import unicodedata
import zipfile
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import JSON, LargeBinary, String
from sqlmodel import SQLModel, select

from moderator.cli import player
from moderator.common.enums import InboxState, LogEntryKind
from moderator.common.errors import StoreError
from moderator.inbox import forget as forgotten
from moderator.settings import Config
from moderator.store import privacy as forgetting
from moderator.store.club_tables import Referee
from moderator.store.tables import EventRow, InboxRow, KeyValue, MatchRow, PlayerRow
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling
from tests.attack.post import started
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, club_of, copied, text

NAME, ADDRESS = "Zwirbelin Öhr", "zwirbelin@oehr.example"
SITE = '[site]\nfolder = "site"\nurl = "https://club.example/a"\n'


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """A club in which one player has left traces wherever a player can: a finished match and a running one, letters, a
    protest, a notice, a leave, a new address, a tournament, a ruling, mails of all kinds, the site."""
    club = club_of(tmp_path_factory.mktemp("forget") / "club", "Anna", "Bert", settings=SITE)
    type_command(club, "player", "add", NAME, ADDRESS, "--board", "text")
    done = club.start(NAME, "Anna", pass_rounds=1)
    for seat, name in enumerate((ADDRESS, "Anna")):
        club.hand_in(name, done, seat, "passe")
    assert club.row(done).status == "finished"
    runs = club.start("Anna", NAME)
    club.hand_in("Anna", runs, 0, f"{club.moves(runs, 0)[0]}\nAN ALLE SOFORT: Hallo {NAME}, alles gut?")
    club.order(ADDRESS, runs, 1, f"E5 q {NAME}\nEINSPRUCH: {NAME} meint, das gilt nicht")
    club.hand_in(ADDRESS, runs, 1, "Urlaub 24.12. bis 2.1.\nADRESSE neu@oehr.example\nERSATZSPIELER an")
    club.write(ADDRESS, f"Ich, {NAME}, frage mich was.", Authentication_Results="mx.club.example; spf=pass")
    club.say("fremd@example.org", f"Ich kenne {NAME} <{ADDRESS}>")
    type_command(club, "match", "notice", runs, f"Auf Wunsch von {NAME}")
    type_command(club, "words", "rule", "HUGO", "allow", "--reason", f"{NAME} hat es gefunden")
    type_command(club, "cup", "add", f"Pokal für {NAME}", "--game", "dominos", "--format", "robin")
    type_command(club, "cup", "open", "T1")
    type_command(club, "cup", "join", "T1", NAME)
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
    with club.work() as work:
        for table in SQLModel.metadata.sorted_tables:
            for row in work.session.connection().execute(select(table)):
                for value in row:
                    said.append(decoded(value) if isinstance(value, bytes) else str(value).casefold())
    return "\n".join(said)


@pytest.mark.slow
def test_afterwards_nothing_names_the_player(club: Club, tmp_path: Path) -> None:
    assert len(traces(club.folder)) > 5
    assert all(rows(club).count(form) > 3 for form in ("zwirbelin", ADDRESS, "neu@oehr.example"))
    with club.work() as work:
        number = work.session.exec(select(PlayerRow).where(PlayerRow.name == NAME)).one().number
        codes = [row.code for row in work.session.exec(select(MatchRow).where(MatchRow.status != "open"))]
    assert f"{NAME} still plays: " in refuse_command(club, "player", "forget", NAME, "--yes")
    club.mails()
    said = forget(club, "Zwirbelin")
    assert said.startswith(f"Spieler {number} has taken the name's place.")
    club.tick()
    mails = club.mails()
    assert f"Spieler {number}" in text(next(mail for mail in mails if "anna" in str(mail["To"]).lower()))
    assert not [mail for mail in mails if "zwirbelin" in decoded(mail.as_bytes()) or "oehr.example" in str(mail["To"])]
    type_command(club, "publish", club.folder / "site")
    if not club.config.store.url:
        type_command(club, "backup", club.folder)
    for code in codes:
        (club.folder / f"{code}.json").write_text(type_command(club, "export", code), encoding="utf-8")
        type_command(club, "verify", club.folder / f"{code}.json")
    letter = club.folder / "letter.html"
    type_command(club, "publish", "--since", "2026-11-01", "--letter", letter)
    type_command(club, "publish", tmp_path / "other")
    assert not [form for form in spelt() if form in rows(club)]
    assert traces(club.folder) == []
    assert traces(tmp_path / "other") == []
    assert f"Spieler {number}" in letter.read_text(encoding="utf-8")
    assert " 0 faults" in type_command(club, "doctor", "--deep")
    for words in (["player", "list"], ["audit"], ["match", "log", codes[-1]], ["today"], ["cup", "show", "T1"]):
        assert not [form for form in spelt() if form in type_command(club, *words).casefold()]
    assert "is forgotten already" in type_command(club, "player", "forget", f"Spieler {number}")


def forget(club: Club, name: str) -> str:
    return type_command(club, "player", "forget", name, "--resign", "--yes")


def test_it_asks_first(club: Club) -> None:
    before = rows(club)
    done = run_command(club, "player", "forget", NAME, "--resign", stdin="n\n")
    assert done.exit_code == 1
    assert f"Forget {NAME} for good? Still plays, and gives it up: " in done.output
    assert rows(club) == before


@pytest.mark.sqlite
def test_mail_that_waits_keeps_it_from_being_done(club: Club) -> None:
    club.say("fremd@example.org", "Hallo")
    with closing(sqlite3.connect(club.config.resolve_path(club.config.store.path))) as connection:
        connection.execute("UPDATE inbox SET state = 'received' WHERE id = 1")
        connection.commit()
    assert "not read yet" in refuse_command(club, "player", "forget", NAME, "--resign", "--yes")


def test_neither_a_referee_nor_a_robot_is_forgotten(club: Club) -> None:
    type_command(club, "player", "add", "R2D2", "--robot")
    assert "is a robot" in refuse_command(club, "player", "forget", "R2D2", "--yes")
    with club.work() as work:
        more = {"address": "other@x.example", "language": "de", "token": "T0KEN12345", "created_at": club.now}
        work.session.add(Referee(name=NAME, name_key=NAME.casefold(), **more))
    assert "is a referee, too" in refuse_command(club, "player", "forget", NAME, "--resign", "--yes")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
def test_a_common_word_is_a_name_too(tmp_path: Path, language: str) -> None:
    """Somebody called like a word on the board: the match still replays."""
    club = club_of(tmp_path / "club", "Anna", "Haus")
    object.__setattr__(club.config.club, "language", language)
    file = club.config.file
    file.write_text(file.read_text(encoding="utf-8").replace("[mail]", f'language = "{language}"\n[mail]'), "utf-8")
    code = started(club, "Anna", "Haus", pass_rounds=1)
    for number in range(4):
        for seat in club.live(code).table.state.to_move[:1]:
            order = "passe" if number > 1 else club.moves(code, seat)[0]
            club.hand_in(("Anna", "Haus")[seat], code, seat, order)
    assert forget(club, "Haus").startswith({"de": "Spieler 2", "en": "Player 2"}[language])
    assert " 0 faults" in type_command(club, "doctor", "--deep")


GAME = {
    *("order", "move", "withdraw", "miss", "evaluate", "retire", "hand-over", "stop", "flag", "excuse", "clock"),
    *("ask-undo", "refuse-undo", "undo", "move-in"),
}
"""Entries whose text is a move, a number, a code or nothing."""


def test_every_kind_of_entry_is_thought_of() -> None:
    assert {str(kind) for kind in LogEntryKind} == GAME | {str(kind) for kind in forgetting.TOLD} | {"tried"}


WORDS_STAY = {
    *("addresschange", "reviewrequest", "puzzleanswer", "standby", "watcher"),  # deleted
    *("turnreview", "puzzle", "tournamentstep", "leave", "seen"),  # moves by seat, steps, days, places
    *("question", "seat", "referee", "matter", "alembic_version", "deferrednews"),  # words, tokens, somebody else
    *("player", "letter"),  # the row itself, rewritten
}
"""Tables that hold texts, none of them anybody's name or words, or dealt with as a whole."""
COLUMNS_STAY = {
    "audit": {"by", "action", "about"},
    "event": {"kind", "outcome"},
    "inbox": {"digest", "content_digest", "message_id", "raw", "state", "token", "held_for", "machine_header"},
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
        kinds = {column.name: getattr(column.type, "impl", column.type) for column in table.columns}
        texts = {name for name, kind in kinds.items() if isinstance(kind, String | JSON | LargeBinary)}
        known = free.get(table.name, set()) | COLUMNS_STAY.get(table.name, set())
        assert table.name in WORDS_STAY or texts <= known, table.name


def test_all_that_is_stored_of_one_and_nothing_of_others(club: Club, tmp_path: Path) -> None:
    file = tmp_path / "zwirbelin.zip"
    assert f"of {NAME}" in type_command(club, "player", "export", "Zwirbelin", file)
    assert file.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        data = archive.read("data.json").decode()
        mails = [archive.read(name) for name in names if name.endswith(".eml")]
    found = json.loads(data)
    assert found["player"]["address"] == ADDRESS
    assert found["new_addresses"][0]["address"] == "neu@oehr.example"
    assert len(found["matches"]) == 2
    assert all(found[key] for key in ("leave", "protests", "stands_by", "mails_sent_to_you"))
    assert [row["code"] for row in found["tournaments"]] == ["T1"]
    assert any("passe" in row["text"] for row in found["entries"])
    assert len(mails) >= 3
    assert all(ADDRESS in decoded(mail) for mail in mails)
    for other in ("Anna", "Bert", "anna@", "bert@", "fremd@", "boss@"):
        assert other not in data
    for match in found["matches"]:
        assert club.token(match["code"], match["seat"]) not in data
    assert "is there already" in refuse_command(club, "player", "export", NAME, file)


@pytest.fixture
def two_players(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert")


def exported(two_players: Club, name: str) -> tuple[dict[str, list[dict[str, str]]], list[str]]:
    """(data, mails)"""
    file = two_players.folder / f"{name}.zip"
    type_command(two_players, "player", "export", name, file)
    with zipfile.ZipFile(file) as archive:
        mails = [archive.read(one).decode() for one in archive.namelist() if one.endswith(".eml")]
        return json.loads(archive.read("data.json")), mails


def played_by_anothers_mail(two_players: Club) -> tuple[str, str, str]:
    """A match in which one's mail has played what the other had stored: (code, the one's name, the other's)."""
    code = started(two_players)
    first = two_players.live(code).table.state.to_move[0]
    one, other = ("Anna", "Bert")[first], ("Anna", "Bert")[1 - first]
    for name, seat, order in ((other, 1 - first, "passe"), (one, first, two_players.moves(code, first)[0])):
        two_players.hand_in(name, code, seat, order)
    assert [entry.seat for entry in two_players.log(code) if entry.kind == LogEntryKind.MOVE] == [first, 1 - first]
    return code, one, other


def test_a_mail_that_played_anothers_order_is_its_writers(two_players: Club) -> None:
    code, one, other = played_by_anothers_mail(two_players)
    facts, mails = exported(two_players, other)
    assert len(mails) == 1
    assert "passe" in mails[0]
    assert [row["text"] for row in facts["entries"] if row["kind"] == "move"] == ["passe"]
    assert two_players.token(code, ("Anna", "Bert").index(one)) not in "".join(mails)
    forget(two_players, other)
    address = f"{one.lower()}@home.example"
    left = {row.sender: row.raw for row in two_players.stored(InboxRow)}
    assert address.encode() in left.pop(address)
    assert left == {"": b""}


def test_a_mail_from_elsewhere_to_the_own_seat_is_ones_own(two_players: Club) -> None:
    two_players.hand_in("work@elsewhere.example", started(two_players), 0, "passe")
    assert len(exported(two_players, "Anna")[1]) == 1
    assert exported(two_players, "Bert")[1] == []


def test_of_a_seat_that_changed_hands_only_the_own_entries_are_exported(two_players: Club) -> None:
    code, one, other = played_by_anothers_mail(two_players)
    two_players.players("Cici")
    type_command(two_players, "match", "replace", code, one, "Cici")
    facts, mails = exported(two_players, "Cici")
    assert mails == []
    assert [row["kind"] for row in facts["entries"]] == ["hand-over"]
    assert [row["kind"] for row in exported(two_players, other)[0]["entries"]].count("move") == 1
    assert exported(two_players, one)[0]["entries"] == []


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_what_was_sent_in_vain_changes_wherever_it_is_told(tmp_path: Path, pace: str) -> None:
    club = club_of(tmp_path / "club", "Anna", "Haus")
    code = started(club, "Anna", "Haus", pace=pace)
    seat = club.live(code).table.state.to_move[0]
    club.hand_in(("Anna", "Haus")[seat], code, seat, "E5 q HAUS")
    assert any(entry.kind == LogEntryKind.TRIED and "HAUS" in entry.text for entry in club.log(code))
    club.let_pass(days=60)

    def told() -> list[str]:
        """In evaluations."""
        return [move["text"] for entry in club.log(code) for move in entry.outcome.get("moves", ())]

    assert any("HAUS" in text for text in told())
    forget(club, "Haus")
    assert " 0 faults" in type_command(club, "doctor", "--deep")
    assert not [text for text in (*told(), *(entry.text for entry in club.log(code))) if "HAUS" in text]


@given(
    st.text("ab.+-_ö1", max_size=3),
    st.text("ab-_ö1", max_size=3),
    st.sampled_from(["", " ", "<", '"', "mailto:", "\n"]),
    st.sampled_from(["", ".", ". ", ">", ",", "?", "\n", ".x", ".de"]),
)
def test_an_address_within_another_one_is_not_changed(before: str, after: str, left: str, right: str) -> None:
    pattern = forgotten._build_name_pattern("Anna", {"anna@web.de"})
    written = f"{left}{before}anna@web.de{after}{right}"
    same = not before and not after and right not in (".x", ".de")
    assert forgotten._replace_names(pattern, "Spieler 3", written) == (f"{left}Spieler 3{right}" if same else written)


def test_a_name_over_two_lines_is_the_same_name() -> None:
    pattern = forgotten._build_name_pattern("Anna Berg", {"anna@web.de"})
    for name in ("Anna Berg", "Anna\nBerg", "Anna \r\n> Berg", "ANNA\n> > Berg", "anna  berg", "Anna\n  Berg"):
        assert forgotten._replace_names(pattern, "Spieler 3", f"Von {name}, heute") == "Von Spieler 3, heute"
    for name in ("Annaberg", "Anna Bergs", "Anna, Berg", "Anna Schmidt, Berg", "susanna@web.de", "anna.berg@web.de"):
        assert forgotten._replace_names(pattern, "Spieler 3", f"Von {name}, heute") == f"Von {name}, heute"


@pytest.mark.parametrize("held", [InboxState.CONFIRM, InboxState.WAITING, InboxState.QUARANTINE])
def test_mails_of_others_that_still_wait_are_not_emptied(two_players: Club, held: InboxState) -> None:
    two_players.write("bert", "Anna und ich machen mit")
    two_players.write("anna", "ich auch")
    two_players.say("fremd@example.org", "Grüße an Anna")
    with two_players.work() as work:
        for number in (1, 2):
            work.session.get_one(InboxRow, number).state = held
    assert "Mails that name them wait: 1." in refuse_command(two_players, "player", "forget", "Anna", "--yes")
    assert all(row.raw for row in two_players.stored(InboxRow))
    type_command(two_players, "quarantine", "drop", "1")
    type_command(two_players, "player", "forget", "Anna", "--yes")
    assert {(row.state, row.raw) for row in two_players.stored(InboxRow)} == {(InboxState.DROPPED, b"")}


def test_what_failed_after_the_deed_is_done_again(two_players: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    file = two_players.config.resolve_path(two_players.config.words.house)
    file.write_bytes(b"# f\xfcr Anna\n")
    assert "is not UTF-8" in refuse_command(two_players, "player", "forget", "Anna", "--yes")
    assert "Anna" in type_command(two_players, "player", "list")
    file.write_text("\ufeff# für Anna\r\nANNA\t\t\tallow\tAnna wollte es\t2026-11-01\r\n", encoding="utf-8", newline="")
    cleaned: list[bool] = []

    def fails(config: Config) -> None:
        cleaned.append(True)
        if len(cleaned) == 1:
            raise StoreError("The disk is full.", "Make room there.")

    monkeypatch.setattr(player, "_clean_traces", fails)
    said = refuse_command(two_players, "player", "forget", "Anna", "--yes")
    assert 'The disk is full. Make room there. Then once more: `moderator player forget "Spieler 1"`.' in said
    new = "\ufeff# für Spieler 1\r\nANNA\t\t\tallow\tSpieler 1 wollte es\t2026-11-01\r\n"
    assert file.read_bytes().decode() == new
    assert type_command(two_players, "player", "forget", "Spieler 1").startswith("Spieler 1 is forgotten already")
    assert len(cleaned) == 2


def test_a_ruling_that_comes_meanwhile_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "house.tsv"
    house_rulings.append_ruling(file, HouseRuling("HUGO", "allow", reason="Anna"))
    file.chmod(0o640)
    other = threading.Thread(
        target=house_rulings.append_ruling, args=(file, HouseRuling("OTTO", "deny", reason="Anna"))
    )

    def change(text: str) -> str:
        if not other.ident:
            other.start()
            other.join(0.2)
            assert other.is_alive(), "it waits"
        return text.replace("Anna", "Spieler 3")

    house_rulings.rewrite_remarks(file, change)
    other.join()
    assert [(one.word, one.reason) for one in house_rulings.read_house_list(file)] == [
        ("HUGO", "Spieler 3"),
        ("OTTO", "Anna"),
    ]
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["house.tsv"]


def test_an_address_that_one_had_goes_too_but_not_if_it_is_anothers_now(two_players: Club) -> None:
    two_players.hand_in("Anna", started(two_players), 0, "passe")
    type_command(two_players, "player", "set", "Anna", "--address", "new@anna.example")
    with two_players.work() as work:
        work.session.add(KeyValue(key="wrong-tokens", value='{"anna@home.example": 1}'))
    type_command(two_players, "player", "set", "Bert", "--address", "b@home.example")
    type_command(two_players, "player", "add", "Cici", "bert@home.example")
    forget(two_players, "Anna")
    forget(two_players, "Bert")
    with two_players.work() as work:
        assert work.session.get_one(KeyValue, "wrong-tokens").value == '{"Spieler 1": 1}'
        assert {row.sender for row in work.session.exec(select(InboxRow))} == {""}
        assert work.session.exec(select(EventRow)).all()
    assert "bert@home.example" in type_command(two_players, "player", "list")
    assert "anna" not in type_command(two_players, "audit").casefold()
