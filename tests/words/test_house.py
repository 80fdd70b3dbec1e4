"""House lists: what a line rules on, which line wins, and that rulings are never lost."""

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

from moderator.common import disk
from moderator.common.errors import LexiconError
from moderator.words import house_rulings
from moderator.words.house_rulings import (
    GENITIVE,
    HEADER,
    SHIPPED,
    SPLIT,
    HouseList,
    HouseRuling,
    append_ruling,
    filter_in_force,
    format_ruling,
    open_house_list,
    read_house_list,
    withdraw_rulings,
)
from moderator.words.kinds import KINDS, TAGS
from tests.cli.running import refuse_command, run_command, type_command


def write(folder: Path, text: str) -> Path:
    path = folder / "house.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_columns_and_bare_words(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "\ufeff# remark\n\nPola\nixte\tausixen\tsplit, verb\tallow\tseed, page 4\t2026-01-31\tK7Q2\n  Tee \t\t\tdeny\n",
    )
    assert read_house_list(path) == [
        HouseRuling("Pola", "allow"),
        HouseRuling("ixte", "allow", "ausixen", ("split", "verb"), "seed, page 4", "2026-01-31", "K7Q2"),
        HouseRuling("Tee", "deny"),
    ]
    assert read_house_list(tmp_path / "none.tsv") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Café", "'É'"),
        ("E-Mail\t\t\tallow", "'-'"),
        ("Haus\t\t\tperhaps", "allow or deny"),
        ("\t\t\tallow", "no word"),
        ("ixte\t\tsplit\tallow", "not named"),
        ("a\tb\tc\tallow\te\tf\tg\th", "8 columns"),
        ("Haus allow", "' '"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = write(tmp_path, f"Gut\n{line}\n")
    for reader in (read_house_list, lambda p: open_house_list(p, "topwords")):
        with pytest.raises(LexiconError) as caught:
            reader(path)
        assert f"{path}:2" in str(caught.value)
        assert said in str(caught.value)


def latest(text: str, word: str, *scopes: str) -> list[str]:
    return [f"{r.word} {r.ruling}" for r in HouseList("t", text, "topwords", scopes).list_latest(word)]


def test_the_newest_ruling_on_a_spelling_wins_where_it_holds() -> None:
    text = "Tee\t\t\tallow\nTEE\t\t\tdeny\n=TEE\t\t\tallow\ntee\t\t\tdeny\ntee\t\t\tallow"
    assert latest("Tee\t\t\tdeny\nTee\t\t\tallow", "TEE") == ["Tee allow"]
    assert latest(text, "TEE") == ["=TEE allow", "tee allow", "TEE deny"]
    assert latest(text, "TE") == latest(text, "TEES") == []
    text = "Abc\t\t\tallow\t\t\tall\nAbd\t\t\tallow\t\t\tK7Q2\nAbe\t\t\tallow\t\t\ttopwords"
    assert latest(text, "ABC") == ["Abc allow"]
    assert latest(text, "ABD") == latest(text, "ABE") == latest(text, "ABD", "XXXX") == []
    assert latest(text, "ABD", "K7Q2") == ["Abd allow"]
    assert latest(text, "ABE", "K7Q2", "topwords") == ["Abe allow"]


def test_a_ruling_that_a_later_one_has_made_void_is_not_in_force(tmp_path: Path) -> None:
    said = ["HUGO allow all", "Tee deny all", "HUGO deny K7Q2", "TEE allow all", "HUGO deny all", "=TEE deny all"]
    rulings = [HouseRuling(word, ruling, scope=scope) for word, ruling, scope in map(str.split, said)]
    assert [(one.word, one.ruling) for one in filter_in_force(rulings)] == [
        ("TEE", "allow"),
        ("HUGO", "deny"),
        ("=TEE", "deny"),
    ]
    path = tmp_path / "house.tsv"
    for ruling in rulings:
        append_ruling(path, ruling)
    path.write_text(path.read_text(encoding="utf-8") + "# a remark on HUGO\n", encoding="utf-8")
    for word, scope, left in (("HUGO", "all", 4), ("HUGO", "K7Q2", 3), ("tee", "all", 3), ("Tee", "all", 2)):
        assert withdraw_rulings(path, word, scope) == (word != "tee")
        assert len(read_house_list(path)) == left
    assert "# a remark on HUGO" in path.read_text(encoding="utf-8")


def test_typdom_has_keys_without_umlauts_and_a_names_line_may_hold_for_its_genitive() -> None:
    listed = HouseList("t", "Öl\t\t\tallow\n=ÄH\t\t\tdeny\nStraße", "typdom")
    assert [r.word for r in listed.list_latest("OEL")] == ["Öl"]
    assert [r.word for r in listed.list_latest("AEH")] == ["=ÄH"]
    assert listed.list_keys() == ["OEL", "AEH", "STRASSE"]
    listed = HouseList("t", "Anna\t\tfirst,s\tallow\nBruno\t\tfirst\tallow\nEVA\t\ts\tdeny\nAnnas\t\t\tdeny", "typdom")
    assert [(r.word, r.base, r.ruling) for r in listed.list_rulings("ANNAS")] == [
        *(("Annas", "Anna", "allow"), ("Annas", "", "deny"))
    ]
    assert [(r.word, r.ruling) for r in listed.list_latest("ANNAS")] == [("Annas", "deny")]
    assert [(r.spelling, r.ruling) for r in listed.list_latest("EVAS")] == [(None, "deny")]
    assert listed.list_latest("BRUNOS") == []
    assert sorted(listed.list_keys()) == ["ANNA", "ANNAS", "ANNAS", "BRUNO", "EVA", "EVAS"]


def test_append_makes_the_file_and_keeps_what_stands_in_it(tmp_path: Path) -> None:
    path = tmp_path / "club" / "house.tsv"
    first = HouseRuling("HUGO", "deny", "", ("first",), "  Vorname\tund\nso ", "2026-01-31")
    assert append_ruling(path, first)
    assert path.read_text(encoding="utf-8").startswith(HEADER)
    assert read_house_list(path) == [first._replace(reason="Vorname und so")]
    with path.open("a", encoding="utf-8") as stream:
        stream.write("Pola")  # by hand, without an end of line
    assert append_ruling(path, HouseRuling("O\u0308l", "allow"))
    assert [ruling.word for ruling in read_house_list(path)] == ["HUGO", "Pola", "Öl"]


def test_the_same_ruling_is_entered_once_and_none_that_could_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "house.tsv"
    assert append_ruling(path, HouseRuling("HUGO", "deny", reason="a"))
    assert not append_ruling(path, HouseRuling("HUGO", "deny", reason="b"))
    assert append_ruling(path, HouseRuling("HUGO", "deny", scope="K7Q2"))
    assert append_ruling(path, HouseRuling("HUGO", "allow"))
    assert append_ruling(path, HouseRuling("HUGO", "deny"))
    assert [ruling.ruling for ruling in read_house_list(path)] == ["deny", "deny", "allow", "deny"]
    for word in ("", "Café", "a b", "#x"):
        with pytest.raises(LexiconError):
            append_ruling(tmp_path / "none.tsv", HouseRuling(word, "allow"))
    assert not (tmp_path / "none.tsv").exists()


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "house.tsv"
    append_ruling(path, HouseRuling("anfang", "allow"))
    letters = "abcdefghijklmnopqrst"

    def write_all(first: str) -> None:
        for second in letters:
            append_ruling(path, HouseRuling(first + second, "allow"))

    writers = [Thread(target=write_all, args=(first,)) for first in "xy"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(r.word for r in read_house_list(path)[1:]) == sorted(a + b for a in "xy" for b in letters)


def test_a_file_in_another_encoding_and_a_folder_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes("Öl\n".encode("latin-1"))
    with pytest.raises(LexiconError, match="UTF-8"):
        read_house_list(tmp_path / "file")
    with pytest.raises(LexiconError, match="Cannot"):
        append_ruling(tmp_path / "file" / "house.tsv", HouseRuling("Haus", "allow"))


def test_the_shipped_list_is_tidy() -> None:
    text = Path(SHIPPED).read_text(encoding="utf-8")
    assert text == unicodedata.normalize("NFC", text)
    rulings = read_house_list(SHIPPED)
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    written = [(line + "\t\t\t").split("\t")[:4] for line in lines]
    assert [format_ruling(ruling).split("\t")[:4] for ruling in rulings] == written
    spellings = [ruling.word for ruling in rulings]
    assert len(set(spellings)) == len(spellings)
    assert all(ruling.tags and set(ruling.tags) <= {*TAGS, SPLIT, GENITIVE} for ruling in rulings)
    assert {ruling.scope for ruling in rulings} == {"all", "typdom"}
    assert not [ruling.word for ruling in rulings if GENITIVE in ruling.tags and ruling.word[-1] in "sxzß"]


def test_the_shipped_list_is_read_fast_and_slowly_alike_and_tags_what_policies_ask_for() -> None:
    for policy in ("topwords", "typdom"):
        fast = open_house_list(SHIPPED, policy, [policy])
        for ruling in read_house_list(SHIPPED):
            assert (ruling in fast.list_rulings(ruling.to_key(policy))) == (ruling.scope in ("all", policy))
    marks = [TAGS.get(tag, 0) for ruling in read_house_list(SHIPPED) for tag in ruling.tags]
    for kind, least in {"first-name": 150, "place": 300, "brand": 20, "abbreviation": 50}.items():
        assert sum(bool(mark & KINDS[kind]) for mark in marks) >= least


SELF, OTHER, GROUP = 54321, 54322, 54323


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that a group may write; nobody but root gets to those of ``tmp_path``."""
    with TemporaryDirectory() as made:
        os.chown(made, -1, GROUP)
        os.chmod(made, 0o770)
        yield Path(made)


@contextmanager
def _somebody() -> Iterator[None]:
    """This process is a member of the group, and not root."""
    groups = os.getgroups()
    os.setgroups([GROUP])
    os.setegid(GROUP + 1)
    os.seteuid(SELF)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_house_list_of_another_user_in_a_folder_of_the_group_is_written(shared: Path) -> None:
    file = shared / "house.tsv"
    file.write_text("QUARK\t\t\tallow\tBert sagt ja\n", encoding="utf-8")
    os.chown(file, OTHER, GROUP)
    file.chmod(0o664)
    with _somebody():
        house_rulings.rewrite_remarks(file, lambda words: words.replace("Bert", "-"))
    found = file.stat()
    assert file.read_text(encoding="utf-8") == "QUARK\t\t\tallow\t- sagt ja\n"
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (SELF, GROUP, 0o664)
    assert [path.name for path in shared.iterdir()] == ["house.tsv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_file_to_whose_it_was(tmp_path: Path) -> None:
    file = tmp_path / "house.tsv"
    file.write_bytes(b"old")
    os.chown(file, OTHER, GROUP)
    disk.replace_file(file, b"new")
    assert (file.read_bytes(), file.stat().st_uid, file.stat().st_gid) == (b"new", OTHER, GROUP)


MAIL = '[mail]\naddress = "games@club.example"\ntransport = "maildir"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MODERATOR_CONFIG", raising=False)
    (tmp_path / "words.txt").write_text("Haus\nwiederkäuen\nwiederkäute\nKäfig\nUSB\n", encoding="utf-8")
    return tmp_path


def configure(folder: Path, language: str = "de") -> None:
    club = f'[club]\nmoderator = "boss@club.example"\nlanguage = "{language}"\n'
    (folder / "moderator.toml").write_text(club + MAIL, encoding="utf-8")


def test_build_list_and_check_without_a_configuration(folder: Path) -> None:
    words = ("--from", "words.txt", "--folder", "lex", "--edition", "Testduden")
    assert "5 words" in type_command(None, "lexicon", "build", "de", *words)
    listed = type_command(None, "lexicon", "list", "--folder", "lex", "--verify").splitlines()[1].split()
    assert listed[:2] == ["de", "5"]
    assert listed[-1] == "Testduden"
    checked = type_command(None, "lexicon", "check", "--folder", "lex", "haus", "HUAS", "USB", "KAEFIG", "Café", "MY")
    rows = [line.split(maxsplit=2) for line in checked.splitlines()]
    assert [row[1] for row in rows] == ["yes", "no", "no", "no", "no", "yes"]
    assert "not in the dictionary; Testduden" in rows[1][2]
    assert "KÄFIG" in rows[3][2]


def test_check_follows_the_clubs_list_and_speaks_as_the_shell_does(folder: Path) -> None:
    configure(folder)
    type_command(None, "lexicon", "build", "--from", "words.txt")
    assert (folder / "lexicons" / "de.lex").exists()
    assert "no      it is not in the dictionary" in type_command(None, "lexicon", "check", "KÄUTE")
    assert "separable verb" in type_command(None, "lexicon", "check", "KÄUTE", "--base", "wiederkäuen")
    type_command(None, "words", "rule", "Haus", "deny", "--reason", "nur zur Probe")
    assert "nur zur Probe" in type_command(None, "lexicon", "check", "HAUS")
    assert "yes" in type_command(None, "lexicon", "check", "--policy", "typdom", "KAEFIG")
    assert "no      ruled out by the house list" in type_command(None, "lexicon", "check", "HAUS")


def test_rulings_are_entered_and_listed(folder: Path) -> None:
    configure(folder)
    assert "No rulings" in type_command(None, "words", "list")
    line = ("words", "rule", "Pola", "allow", "--tag", "place", "--scope", "typdom")
    type_command(None, *line, "--reason", "Atlas")
    assert "already" in type_command(None, *line)
    (ruling,) = read_house_list(folder / "house.tsv")
    assert (ruling.word, ruling.ruling, ruling.reason, ruling.scope) == ("Pola", "allow", "Atlas", "typdom")
    assert ruling.tags == ("place",)
    assert len(ruling.date) == len("2026-01-31")
    headings, listed = map(str.split, type_command(None, "words", "list").splitlines())
    assert headings == ["Word", "Ruling", "Scope", "Date", "Kind", "Reason"]
    assert listed == ["Pola", "allow", "typdom", ruling.date, "place", "Atlas"]
    assert len(type_command(None, "words", "list", "--shipped").splitlines()) == 1 + len(read_house_list(SHIPPED))


def test_what_is_missing_is_said(folder: Path) -> None:
    assert "Build one: moderator lexicon build" in type_command(None, "lexicon", "list", "--folder", "lex")
    for words, told in (
        (("lexicon", "list"), "--folder"),
        (("words", "rule", "Haus", "allow"), "init"),
        (("lexicon", "check", "HAUS", "--folder", "lex"), "lexicon build de"),
    ):
        assert told in refuse_command(None, *words)
    assert run_command(None, "words", "rule", "Haus", "perhaps").exit_code == 2
