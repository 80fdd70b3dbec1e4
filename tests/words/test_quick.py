"""The dictionary that pip alone gives: what is in it and what is not, and which of its words robots lay."""

from dataclasses import replace
from pathlib import Path

import pytest

from moderator.common.enums import Level
from moderator.common.errors import LexiconError
from moderator.rules.game import Context
from moderator.rules.robots import choose
from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.rules.words import RecordingWords, WordList, WordsWithout, filter_robot_words
from moderator.words import compiled, shipped
from moderator.words.build import german, sources
from moderator.words.build.sources import build_lexicon, open_dictionary_source
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import SHIPPED
from moderator.words.kinds import ABBREVIATION, NAME, Reading, to_capitals_fast
from tests.match.toy import Options, Toy
from tests.words import noise
from tests.words.conftest import Make
from tests.words.noise import SHEET, by_kind, everyday

pytestmark = pytest.mark.slow

NOT = "ANTI NASIG USW BZW CA CDU USB KAEFIG AEH HUAS XQZ RW"
MOST = 1_500_000
"""Bytes that the lists may have together."""


def refused(words: Dictionary, wanted: list[str]) -> list[str]:
    return [word for word in wanted if words.judge(word).ruling != "accept"]


def test_everyday_words_count_and_noise_does_not(quick: Dictionary, english: Dictionary) -> None:
    for language, words, wrong in (("de", quick, f"{noise.GERMAN} {NOT}"), ("en", english, noise.ENGLISH)):
        assert len(everyday(language)) == 200
        assert refused(words, everyday(language)) == []
        assert refused(words, wrong.split()) == wrong.split()
    assert refused(quick, f"{noise.FOUND} {noise.DOUBTFUL} {noise.TOPWORDS}".split()) == []
    assert quick.judge("IXTE").reason == "needs-base-form"
    assert quick.judge("IXTE", "ausixen").ruling == "accept"


LENGTH = 10
"""Of the words of this dictionary, which is built for each state of the program, at most."""


def test_at_most_two_in_a_hundred_german_words_are_missing_and_one_in_two_hundred_others_counts(
    quick: Dictionary,
) -> None:
    for name, wrong, share in (("counts.de.txt", "accept", 0.02), ("refused.de.txt", "reject", 0.005)):
        words = [word for words in by_kind(name).values() for word in words if len(word) <= LENGTH]
        assert len(words) > 1000
        failing = [word for word in words if quick.judge(word).ruling != wrong]
        assert len(failing) <= share * len(words), failing


def test_what_the_clubs_own_sheet_of_words_refuses_is_refused(quick: Dictionary, typdom: Dictionary) -> None:
    for words in (quick, typdom):
        assert refused(words, SHEET.split()) == SHEET.split()
    assert quick.judge("ACTA").params["ruling"] == "nur in: ad acta"


def test_abbreviations_count_in_no_letters_and_robots_do_not_lay_them(quick: Dictionary) -> None:
    abbreviations = by_kind("refused.de.txt")["abbreviations"]
    assert refused(quick, abbreviations) == abbreviations
    assert not set(abbreviations) & set(filter_robot_words(quick).playable(LENGTH))
    assert {reading.kinds for reading in sources.iter_shipped_readings("de", 15) if reading.spelling.isupper()} == {
        ABBREVIATION
    }


def test_english_words_of_two_letters_count_and_a_myth_is_no_family(english: Dictionary, typdom: Dictionary) -> None:
    assert refused(english, ["QI", "AA", "ED", "EF", "EL", "VLOG", "APP", "CAFE", "LONDON"]) == []
    assert refused(english, ["NATO", "CHILDS", "NP", "CC"]) == ["NATO", "CHILDS", "NP", "CC"]
    assert refused(typdom, ["ZEUS", "ODIN", "THOR", "EUTIN", "HAYDN", *noise.TYPDOM.split()]) == ["HAYDN"]
    assert typdom.judge("HAYDN").reason == "family-name"


def test_every_word_is_known_twice_and_most_everyday_ones_are_frequent(quick: Dictionary, english: Dictionary) -> None:
    for language, words in (("de", quick), ("en", english)):
        whole, robots = words.playable(10), filter_robot_words(words).playable(10)
        assert set(whole) == set(robots)
        frequent = filter_robot_words(words, EVERYDAY).playable(10)
        assert 10_000 < len(frequent) < len(whole) / 5
        assert set(frequent) < set(whole)
        assert sum(to_capitals_fast(word) in set(frequent) for word in everyday(language)) > 150


def two(tmp_path: Path, **settings: object) -> Dictionary:
    (tmp_path / "a.txt").write_text("Haus\nMaus\nXyzzy\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Maus\nLaus\n", encoding="utf-8")
    build_lexicon("de", [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")], tmp_path, edition="Zwei", **settings)  # type: ignore[arg-type]
    return open_dictionary(tmp_path, ["de"])


def test_robots_lay_what_two_sources_know(tmp_path: Path) -> None:
    words = two(tmp_path)
    assert words.playable(9) == ("HAUS", "LAUS", "MAUS", "XYZZY")
    assert filter_robot_words(words).playable(9) == ("MAUS",)
    assert filter_robot_words(words) is filter_robot_words(words)
    assert filter_robot_words(words).judge("HAUS").ruling == "accept"
    assert filter_robot_words(RecordingWords(words)).playable(9) == ("MAUS",)
    assert filter_robot_words(WordsWithout(words, ["MAUS"])).playable(9) == []
    plain = WordList(["HAUS"])
    assert filter_robot_words(plain) is plain
    game, ctx = Toy(), Context(words, lambda label, items: tuple(items))
    state = game.setup(2, Options(), ctx).state
    assert [text for text, _ in choose.rank_moves(game, state, 0, ctx)] == ["A1 XYZZY", "A1 HAUS", "A1 LAUS", "A1 MAUS"]
    assert choose.choose_robot_move(game, state, 0, ctx) == "A1 MAUS"


def test_the_list_that_ships_is_a_source_where_the_language_is_known(tmp_path: Path) -> None:
    words = two(tmp_path, language="de")
    assert filter_robot_words(words).playable(9) == ("HAUS", "LAUS", "MAUS")
    assert filter_robot_words(words, EVERYDAY).playable(9) == ("HAUS", "MAUS")


def test_two_dictionaries_are_two_sources_and_rulings_hold_for_robots_too(tmp_path: Path) -> None:
    two(tmp_path)
    build_lexicon("more", [str(tmp_path / "b.txt")], tmp_path)
    assert filter_robot_words(open_dictionary(tmp_path, ["de", "more"])).playable(9) == ("LAUS", "MAUS")
    (tmp_path / "house.tsv").write_text("MAUS\t\t\tdeny\nHAUS\nABC\n", encoding="utf-8")
    words = open_dictionary(tmp_path, ["de"], house=[tmp_path / "house.tsv"])
    assert filter_robot_words(words).playable(9) == ("ABC", "HAUS")


def test_where_nobody_has_looked_all_words_are_laid(make: Make) -> None:
    """A list of its own in an unknown language, or a file of an earlier version: there is nothing to go by."""
    words = make("Haus Xyzzy")
    assert filter_robot_words(words) is words
    assert filter_robot_words(words, EVERYDAY).playable(9) == ("HAUS", "XYZZY")


def test_a_beginner_lays_everyday_words_as_long_as_there_are_any(tmp_path: Path) -> None:
    """Rarer words that two sources know come after them."""
    (tmp_path / "w.txt").write_text("Haus\nOtter\nXyzzyx\n", encoding="utf-8")
    build_lexicon("de", [str(tmp_path / "w.txt")], tmp_path, language="de")
    game = Toy()
    ctx = Context(open_dictionary(tmp_path, ["de"]), lambda label, items: tuple(items))
    state = game.setup(2, Options(), ctx).state
    assert [choose.choose_robot_move(game, state, 0, ctx, level) for level in Level] == [
        "A1 HAUS",
        "A1 OTTER",
        "A1 OTTER",
    ]
    later = replace(state, public=replace(state.public, said=("HAUS",)))
    assert choose.choose_robot_move(game, later, 0, ctx, Level.BEGINNER) == "A1 OTTER"


def test_the_lists_that_ship(tmp_path: Path) -> None:
    files = sorted(shipped.FOLDER.glob(f"*{shipped.SUFFIX}"))
    assert [file.name.partition(".")[0] for file in files] == shipped.list_shipped_languages()
    assert sum(file.stat().st_size for file in files) < MOST
    for language in shipped.list_shipped_languages():
        words = [word for word, _ in shipped.iter_shipped_words(language)]
        assert words == sorted(set(words))
        assert max(map(len, words)) == 15
        assert all(sources.SHAPE.fullmatch(word) for word in words)


def test_a_list_is_packed_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [("Haus", 1), ("Hausbau", 7), ("Häuser", 3), ("haus", 2), ("öl", 1)]
    (tmp_path / f"de{shipped.SUFFIX}").write_bytes(shipped.pack_shipped_words(reversed(entries)))
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    assert list(shipped.iter_shipped_words("de")) == entries
    with pytest.raises(KeyError):
        list(shipped.iter_shipped_words("../de"))


def test_a_source_is_opened_by_its_name_and_language(tmp_path: Path) -> None:
    assert open_dictionary_source("shipped:de").label == "german-wordlist (de)"
    assert open_dictionary_source("both:en", longest=4).language == "en"
    with pytest.raises(LexiconError, match="words for de and en only, none for 'fr'"):
        open_dictionary_source("both:fr")
    build_lexicon("en_short", [], tmp_path, max_length=3)
    assert compiled.read_lexicon_facts(tmp_path / "en_short.lex").language == "en"


def test_names_are_told_from_compounds(simplemma_folder: Path) -> None:
    listed = {"EIGEN", "ZEIT", "AMT", "LEUTE"}
    assert sources.is_compound("Eigenzeit", listed)
    assert sources.is_compound("Amtsleute", listed)
    assert not sources.is_compound("Ferdinand", listed)
    found = compiled.Lexicon(simplemma_folder / "de.lex")
    assert [reading.kinds for reading in found.list_readings("FOUCAULT")] == [NAME]
    assert found.list_readings("EIGENZEIT") == [Reading("Eigenzeit", 0, "Eigenzeit", TWICE)]


def test_imperatives_by_rule_are_all_that_the_house_list_denies() -> None:
    forms = {"helf": "hilf", "ables": "lies", "vergess": "vergiss", "sprech": "sprich", "atm": "atme"}
    none = dict.fromkeys(["lauf", "fahr", "geh", "werd", "schmelz", "lern", "angelt", "gelt", "komm", "haus"])
    assert {stem: german.find_imperative(stem) for stem in forms | none} == forms | none
    heading = "# Imperatives that do not exist: "
    text = Path(SHIPPED).read_text(encoding="utf-8")
    block = text.partition(heading)[2].strip().split("\n")[1:]
    assert len(block) > 350
    stems = [line.partition("\t")[0] for line in block]
    assert block == [f"{stem}\t{stem}en\tverb\tdeny\t{german.find_imperative(stem)}!" for stem in stems]
