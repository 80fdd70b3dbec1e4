"""Sources become one file: what is kept, what is marked, and that the bytes are always the same; German forms by rule,
our own words, and which listed forms they confirm."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.common.errors import LexiconError
from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.words.build.grammar import FOLDER, GermanGrammar, iter_conjugated_forms, iter_own_readings
from moderator.words.build.hunspell import expand_dictionary
from moderator.words.build.sources import build_lexicon
from moderator.words.compiled import Lexicon, pack_reading, read_lexicon_facts, unpack_readings, verify_lexicon
from moderator.words.dictionary import open_dictionary
from moderator.words.kinds import ABBREVIATION, COMMON, INFINITIVE, PARTICIPLE, VERB_FORM, Reading, to_word_key


def lexicon(folder: Path, text: str, name: str = "words.txt", **settings: str) -> Lexicon:
    (folder / name).write_text(text, encoding="utf-8")
    return Lexicon(build_lexicon("t", [str(folder / name)], folder / "lexicons", **settings))  # type: ignore[arg-type]


def spellings(found: Lexicon, word: str, typdom: bool = False) -> list[tuple[str, int]]:
    return [(reading.spelling, reading.kinds) for reading in found.list_readings(word, typdom)]


def test_a_plain_list_is_cleaned(tmp_path: Path) -> None:
    text = "# remark\nHaus 17\nTee\nTEE\nusw.\nE-Mail\nCafé\nTamilIn\nx\nStraße\nO\u0308l\n" + "sehr" * 4 + "\n"
    found = lexicon(tmp_path, text)
    assert spellings(found, "HAUS") == [("Haus", 0)]
    assert spellings(found, "TEE") == [("TEE", ABBREVIATION), ("Tee", 0)]
    assert spellings(found, "USW") == [("usw", ABBREVIATION)]
    assert spellings(found, "STRASSE") == [("Straße", 0)]
    assert spellings(found, "ÖL") == [("Öl", 0)]
    assert found.facts.keys == 5
    capital = lexicon(tmp_path, "AARDVARK\nZEBRA\nQUIZ\n", edition="Duden,\n 28.\tAuflage")
    assert spellings(capital, "QUIZ") == [("QUIZ", 0)], "in capitals there are no abbreviations"
    assert capital.edition == "Duden, 28. Auflage", "an edition is one line"


FRENCH = {
    "fr.aff": "SET UTF-8\nSFX S Y 1\nSFX S 0 s .\nSFX V Y 2\nSFX V er âmes er\nSFX V er a er\n",
    "fr.dic": "9\nété/S po:nom\nleçon/S po:nom\nNoël po:prn\ncœur/S po:nom\nchanter/V po:v1\nuser/V po:v1\n"
    "ADN po:nom\nkm\nanti po:pfx\n",
}
"""In the manner of Debian's hunspell-fr."""


def test_french_words_keep_their_accents_and_are_laid_without(tmp_path: Path) -> None:
    for name, text in FRENCH.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    build_lexicon("fr", [str(tmp_path / "fr.dic")], tmp_path)
    words = open_dictionary(tmp_path, ["fr"])
    for word, spelling in {"ETE": "été", "ÉTÉS": "étés", "LECON": "leçon", "Noël": "Noël", "COEUR": "cœur"}.items():
        assert words.judge(word).params["spelling"] == spelling
    assert words.judge("cœur").word == "COEUR"
    assert words.judge("CHANTAMES").params["lemma"] == "chanter"
    assert words.judge("USA").params["spelling"] == "usa", "il usa, of user; not the country"
    reasons = {word: words.judge(word).reason for word in ("ADN", "KM", "ANTI", "HAUS")}
    assert reasons == {"ADN": "abbreviation", "KM": "abbreviation", "ANTI": "unknown", "HAUS": "unknown"}
    assert {word.isascii() for word in words.playable(15)} == {True}
    assert open_dictionary(tmp_path, ["fr"], policy="typdom").judge("ETE").ruling == "accept"
    (tmp_path / "mots.txt").write_text("Forêt\nmaïs\n", encoding="utf-8")
    build_lexicon("fr_mots", [str(tmp_path / "mots.txt")], tmp_path)
    assert open_dictionary(tmp_path, ["fr_mots"]).playable(9) == ("FORET", "MAIS")


@pytest.mark.parametrize("name", ["fr", "es", "it_IT", "francais", "spiel"])
def test_no_dictionary_is_german_under_another_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(LexiconError, match=f"lexicon build {name} --from words.txt"):
        build_lexicon(name, [], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_tanglet_list_is_recognised_and_its_spellings_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "de"
    folder.mkdir()
    text = "AALARTIG\nBAEUME Bäume\nMASSE Masse Maße\nTEE TEE Tee\n"
    (folder / "words").write_bytes(gzip.compress(text.encode()))
    found = Lexicon(build_lexicon("t", [str(folder / "words")], tmp_path))
    assert found.edition == "tanglet de"
    assert found.facts.language == "de"
    assert spellings(found, "AALARTIG") == [("aalartig", 0)]
    assert spellings(found, "BÄUME") == [("Bäume", COMMON)]
    assert spellings(found, "BAEUME") == []
    assert spellings(found, "BAEUME", typdom=True) == [("Bäume", COMMON)]
    assert [name for name, _ in spellings(found, "MASSE")] == ["Masse", "Maße"]
    assert {"MASSE", "BAEUME"} & {
        name for length in (5, 6) for name, _ in found.iter_packed_keys(length, typdom=True)
    } == {"BAEUME"}


@pytest.mark.slow
def test_a_hunspell_dictionary_tells_verbs_by_their_stems(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX V Y 4\nSFX V en e en\nSFX V en te en\nSFX V 0 d en\nSFX V 0 der en\nSFX A Y 1\nSFX A 0 e .\n"
    (tmp_path / "de_XX.aff").write_text(aff, encoding="utf-8")
    (tmp_path / "de_XX.dic").write_text("4\nspielen/V\noffen/A\nUSB\nz.B.\n", encoding="utf-8")
    found = Lexicon(build_lexicon("t", [str(tmp_path / "de_XX.dic")], tmp_path))
    assert found.list_readings("SPIELEN") == [Reading("spielen", INFINITIVE, "spielen", TWICE | EVERYDAY)]
    assert found.list_readings("SPIELTE") == [Reading("spielte", VERB_FORM, "spielen", TWICE | EVERYDAY)]
    assert found.list_readings("SPIELENDER") == [Reading("spielender", PARTICIPLE, "spielen", TWICE)]
    assert found.list_readings("OFFENE") == [Reading("offene", 0, "offen", TWICE | EVERYDAY)]
    assert spellings(found, "USB") == [("USB", ABBREVIATION)]
    assert spellings(found, "ZB") == [("ZB", ABBREVIATION)]


def test_sources_add_up(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Haus\nMaus\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Maus\nLaus\nHAUS\n", encoding="utf-8")
    labels: list[str] = []
    path = build_lexicon("t", [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")], tmp_path, step=labels.append)
    facts = read_lexicon_facts(path)
    assert [(source.label, source.forms) for source in facts.sources] == [("a", 2), ("b", 3)]
    assert (facts.forms, facts.keys, facts.edition) == (4, 3, "a, b")
    assert [reading.spelling for reading in Lexicon(path).list_readings("HAUS")] == ["HAUS", "Haus"]
    assert labels == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "t.lex"]


def test_the_same_words_give_the_same_bytes(tmp_path: Path) -> None:
    words = ["Haus", "Öl", "Bäume", "Maße", "Masse", "usw."]
    files = []
    for number, order in enumerate((words, words[::-1])):
        (tmp_path / "w.txt").write_text("\n".join(order), encoding="utf-8")
        files.append(build_lexicon(f"t{number}", [str(tmp_path / "w.txt")], tmp_path).read_bytes())
    assert files[0] == files[1]


READINGS = st.builds(
    Reading,
    st.from_regex(r"\A([A-ZÄÖÜ]?[a-zäöüßéèçœ]{1,7}|[A-ZÄÖÜẞÉ]{2,8})\Z"),
    st.integers(0, 2047),
    st.none() | st.from_regex(r"\A[A-ZÄÖÜ]?[a-zäöüß]{0,12}\Z"),
    st.integers(0, 3),
)


@given(st.lists(READINGS, max_size=4))
def test_readings_survive_packing(readings: list[Reading]) -> None:
    for profile in ("topwords", "typdom"):
        for reading in readings:
            word = to_word_key(reading.spelling, profile, accents=not frozenset("éèçœÉ").isdisjoint(reading.spelling))  # type: ignore[arg-type]
            assert unpack_readings(word, pack_reading(word, reading) * 2) == [reading, reading]


def test_a_missing_dictionary_says_how_to_build_it_and_every_cut_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="moderator lexicon build de --folder") as caught:
        Lexicon(tmp_path / "de.lex")
    assert caught.value.exit_code == 78
    whole = lexicon(tmp_path, "Haus\nÖl\n").path.read_bytes()
    cut = tmp_path / "cut.lex"
    for length in [*range(0, 400, 7), len(whole) // 2, len(whole) - 1]:
        cut.write_bytes(whole[:length])
        with pytest.raises(LexiconError):
            Lexicon(cut)
    cut.write_bytes(whole + b"x")
    with pytest.raises(LexiconError):
        Lexicon(cut)
    cut.write_bytes(whole.replace(b"MODLEX01", b"MODLEX99", 1))
    with pytest.raises(LexiconError, match="another version"):
        Lexicon(cut)


def test_verify_finds_a_changed_byte_anywhere(tmp_path: Path) -> None:
    path = lexicon(tmp_path, "Haus\nÖl\n").path
    verify_lexicon(path)
    whole = bytearray(path.read_bytes())
    start = len(whole) - read_lexicon_facts(path).words - read_lexicon_facts(path).typdom
    edition = whole.index(b"words")
    for place in (edition, start + 20, len(whole) - 1):
        changed = whole.copy()
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(LexiconError):
            verify_lexicon(path)


def test_what_nobody_has_looked_up_is_not_spoken_of(tmp_path: Path) -> None:
    """So files of versions that graded no words keep their fingerprints, and a plain list gives the same bytes."""
    facts = lexicon(tmp_path, "Haus\n").facts
    assert (facts.twice, facts.everyday) == (0, 0)
    assert "twice" not in facts.to_text()
    assert "twice\t1" in facts._replace(twice=1).to_text()


def test_names_and_sources_that_are_none(tmp_path: Path) -> None:
    for name in ("", "a/b", "ä", ".."):
        with pytest.raises(LexiconError, match="no name"):
            build_lexicon(name, ["simplemma"], tmp_path)
    (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    (tmp_path / "x.dic").write_text("1\nHaus\n", encoding="utf-8")
    with pytest.raises(LexiconError, match="no usable words"):
        build_lexicon("t", [str(tmp_path / "empty.txt")], tmp_path)
    with pytest.raises(LexiconError, match="no word list"):
        build_lexicon("t", [str(tmp_path / "missing.txt")], tmp_path)
    with pytest.raises(LexiconError, match=r"\.aff"):
        build_lexicon("t", [str(tmp_path / "x.dic")], tmp_path, form="hunspell")
    with pytest.raises(LexiconError, match="no language 'xx'"):
        build_lexicon("t", ["simplemma:xx"], tmp_path)
    assert not list(tmp_path.glob("*.lex"))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lexicon(tmp_path, "Haus\n").path
    before = path.read_bytes()

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(LexiconError, match=r"the disk (is full|takes no more)"):
        lexicon(tmp_path, "Maus\n")
    assert [file.name for file in path.parent.iterdir()] == ["t.lex"]
    assert path.read_bytes() == before


def forms(folder: Path, aff: str, dic: str, encoding: str = "utf-8") -> set[str]:
    (folder / "t.aff").write_bytes(aff.encode(encoding))
    (folder / "t.dic").write_bytes(f"{len(dic.split())}\n{dic}".encode(encoding))
    return {form for form, *_ in expand_dictionary(folder / "t.dic")}


@pytest.mark.parametrize("head", ["3\n", "", "\ufeff", "\ufeff3\n", "3 words\n"])
def test_no_word_is_lost_where_the_count_is_missing(tmp_path: Path, head: str) -> None:
    (tmp_path / "t.aff").write_text("SET UTF-8\nSFX S Y 1\nSFX S 0 es .\n", encoding="utf-8")
    (tmp_path / "t.dic").write_text(f"{head}Haus/S\nBär\nMaus\n", encoding="utf-8")
    assert {form for form, *_ in expand_dictionary(tmp_path / "t.dic")} == {"Haus", "Hauses", "Bär", "Maus"}


def test_a_form_has_the_affixes_that_its_flags_allow(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX P Y 3\nSFX P 0 s [^ye]\nSFX P y ies [^aeiou]y\nSFX P 0 n e\n"
    found = forms(tmp_path, aff, "wort/P\nbaby/P\nboy/P\nHase/P\n")
    assert found == {"wort", "worts", "baby", "babies", "boy", "Hase", "Hasen"}
    aff = "PFX U Y 1\nPFX U 0 un .\nPFX N N 1\nPFX N 0 nix .\nSFX E Y 1\nSFX E 0 e .\nSFX F N 1\nSFX F 0 f .\n"
    found = forms(tmp_path, aff, "schön/UNEF\n", "iso8859-1")
    assert found == {"schön", "unschön", "nixschön", "schöne", "unschöne", "schönf"}
    aff = (
        "SET UTF-8\nPFX U Y 1\nPFX U 0 un .\n"
        "SFX A Y 1\nSFX A 0 bar/BU .\nSFX B Y 2\nSFX B 0 keit .\nSFX B 0 e .\nSFX C Y 1\nSFX C 0 zzz .\n"
    )
    found = forms(tmp_path, aff, "les/A\n")
    assert found == {"les", "lesbar", "lesbarkeit", "lesbare", "unlesbar"}, "the prefix is with the first suffix only"
    aff = "PFX G Y 1\nPFX G 0 ge/T .\nSFX T Y 1\nSFX T 0 t .\n"
    assert forms(tmp_path, aff, "spiel/G\n") == {"spiel", "gespiel", "gespielt"}


def test_need_affix_only_in_compound_forbidden_words_and_circumfix_leave_forms_out(tmp_path: Path) -> None:
    aff = "NEEDAFFIX h\nONLYINCOMPOUND o\nFORBIDDENWORD d\nSFX S Y 2\nSFX S 0 s .\nSFX S 0 x/o .\n"
    aff += "SFX H Y 1\nSFX H 0 q/Sh .\n"
    found = forms(tmp_path, aff, "Stamm/hS\nnur/oS\nfalsch/Sd\nfalschs\ngut\nweit/H\n")
    assert found == {"Stamms", "gut", "weit", "weitqs"}
    aff = "CIRCUMFIX X\nPFX A Y 1\nPFX A 0 leg/X .\nPFX B Y 1\nPFX B 0 legesleg/X .\n"
    aff += "SFX C Y 3\nSFX C 0 obb .\nSFX C 0 obb/AX .\nSFX C 0 obb/BX .\n"
    assert forms(tmp_path, aff, "nagy/C\n") == {"nagy", "nagyobb", "legnagyobb", "legeslegnagyobb"}


def test_flags_of_all_four_types_are_read(tmp_path: Path) -> None:
    types = (
        ("", "aB", "B"),
        ("FLAG UTF-8\n", "äß", "ß"),
        ("FLAG long\n", "aaBb", "Bb"),
        ("FLAG num\n", "7,1021", "1021"),
    )
    for kind, flags, rule in types:
        aff = f"SET UTF-8\n{kind}SFX {rule} Y 1\nSFX {rule} 0 e .\n"
        assert forms(tmp_path, aff, f"Tag/{flags}\n") == {"Tag", "Tage"}


@pytest.mark.parametrize("kind", ["", "FLAG num\n"])
def test_flags_may_be_given_by_the_number_of_an_alias(tmp_path: Path, kind: str) -> None:
    first, second = ("1", "2") if kind else ("A", "B")
    aff = f"{kind}AF 2\nAF {first}\nAF {first}{',' if kind else ''}{second} # both\n"
    aff += f"SFX {first} Y 1\nSFX {first} 0 e .\nSFX {second} Y 1\nSFX {second} 0 s/1 .\n"
    assert forms(tmp_path, aff, "Tag/1\nHut/2\n") == {"Tag", "Tage", "Hut", "Hute", "Huts", "Hutse"}


def test_encodings_and_morphology_spaces_and_slashes_in_a_line(tmp_path: Path) -> None:
    for name, encoding, word in (
        ("ISO8859-1", "latin-1", "Öl"),
        ("UTF-8", "utf-8-sig", "Öl"),
        ("KOI8-R", "koi8-r", "дом"),
    ):
        aff = f"SET {name}\nSFX E Y 1\nSFX E 0 e .\n"
        assert forms(tmp_path, aff, f"{word}/E\n", encoding) == {word, f"{word}e"}
    aff = "SET UTF-8\nSFX E Y 1\nSFX E 0 e .\n"
    dic = "Tag/E po:noun\nHut\tpo:noun\nnach Hause\nkm\\/h\n"
    assert forms(tmp_path, aff, dic) == {"Tag", "Tage", "Hut", "nach Hause", "km/h"}


@pytest.mark.parametrize(
    ("aff", "fix"),
    [("SET UTF-8\nSFX A Y 1\nSFX A 0\n", "t.aff:3"), ("SET nonsense\n", "SET"), ("SET ascii\n", "SET"), (None, ".aff")],
)
def test_what_is_wrong_is_said(tmp_path: Path, aff: str | None, fix: str) -> None:
    if aff is not None:
        (tmp_path / "t.aff").write_text(aff, encoding="utf-8")
    (tmp_path / "t.dic").write_text("1\nÖl\n", encoding="utf-8")
    with pytest.raises(LexiconError) as caught:
        list(expand_dictionary(tmp_path / "t.dic"))
    assert fix in str(caught.value)


USED = {
    "abschotten": "abschottet abschottete abschottest abzuschotten abgeschottet abgeschottetem",
    "fechten": "ficht fichtst fichst focht föchte gefochten",
    "schreien": "schrie schriee schrieet schrieen geschrien geschrieen",
    "wandeln": "wandle wandele wandelst wandelt wandelte gewandelt wandelnd",
    "rechnen": "rechne rechnest rechnet rechnete gerechnet",
    "mitwachsen": "mitwächst mitwuchs mitgewachsen mitzuwachsen",
    "tindern": "tindere tindre tinderst tindert getindert tindernder",
    "sein": "bin ist war wäre seiend",
}
NEVER = {
    "helfen": "helf helfte gehelft",
    "gehen": "gehte gegeht",
    "rechnen": "rechn rechnt rechnst",
    "reden": "red redt redte redst",
    "atmen": "atm atmt",
    "wandeln": "wandel",
    "fassen": "fassst",
}


@pytest.mark.parametrize("verb", USED | NEVER)
def test_a_verb_has_the_forms_that_people_use_and_no_others(verb: str) -> None:
    forms = {form for form, _ in iter_conjugated_forms(verb)}
    assert set(USED.get(verb, "").split()) <= forms
    assert not set(NEVER.get(verb, "").split()) & forms


def test_a_form_of_a_word_that_counts_is_confirmed_and_nothing_else() -> None:
    counted = "fromm frommes heiter heitere müde versunken wachsen wachsend redlich redliche vorwachsen"
    forms = ["frömmste", "frömmerem", "heitrem", "heiterm", "müdste", "versunkner", "mitwachsen", "mitwächst"]
    forms += ["vorwuchs", "unredlich", "unredlicher", "Mausens", "Delegatin", "Delegatinnen", "Wachsens", "umherwuchs"]
    others = ["Hausmaus", "frommelig", "mitgehst", "Mäusin", "wachste"]
    grammar = GermanGrammar([*counted.split(), "Maus", "Mäuse", "Delegat"], [*forms, *others])
    assert [form for form in forms if not grammar.is_known_form(form)] == []
    assert [form for form in others if grammar.is_known_form(form)] == []
    assert grammar.is_declined("Mäusen", "Maus"), "of a list that says base forms, more is believed of nouns"
    assert not grammar.is_declined("frommerem", "fromm"), "and less of adjectives"


def test_our_own_words_are_written_once_and_inflected_by_their_heading() -> None:
    german = {reading.spelling: reading for reading in iter_own_readings("de")}
    assert len(german) > 7000
    assert all(to_word_key(spelling).isalpha() for spelling in german), "German words have no accents"
    assert german["Influencern"] == Reading("Influencern", COMMON, "Influencer")
    assert [german[word].kinds for word in ("tindern", "tindert", "getinderte")] == [INFINITIVE, VERB_FORM, PARTICIPLE]
    assert {german[form].lemma for form in ("woke", "wokes", "wokem")} == {"woke"}
    assert {"apps", "qi", "cafes"} <= {reading.spelling for reading in iter_own_readings("en")}
    assert list(iter_own_readings("fr")) == []
    for language in ("de", "en"):
        lines = (FOLDER / f"own.{language}.txt").read_text(encoding="utf-8").splitlines()
        words = [word for line in lines if line[:1] not in ("#", "[") for word in line.split()]
        assert sorted({word for word in words if words.count(word) > 1}) == []
