"""The words that players write in moves are data: each language has its own in tables, and no Python knows one."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.common import message_files
from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import OperatorError
from moderator.conformance.notation import parse_mail_text
from moderator.conformance.sentences import load_game_sentences
from moderator.games.typdom.presto import GAME as PRESTO
from moderator.games.typdom.rules import POINT
from moderator.language.messages import WITHOUT_TILES, load_labels, load_move_words, translate_move
from moderator.rules.game import view_for
from moderator.rules.orders import SHARED_WORDS
from tests.games.matches import a_match
from tests.games.typdom_table import Match
from tests.games.written import GAMES, Written

PACKAGE = Path(games.__file__).parent.parent


def written(key: str) -> Written:
    if key == "presto":
        return Written(PRESTO, view_for(a_match("presto", "race", 1).first.state, 0), {}, {})
    if key == "point":
        return Written(POINT, view_for(Match("point", "AENHUS", "B", starter=0).state, 0), {}, {})
    return GAMES[key]


WORDS = [
    ("topwords", ["E5 w HAUS 14"], {
        "de": ["E5 waagerecht HAUS für 14 Punkte", "Ich lege HAUS ab E5 waagerecht, 14 Punkte", "E fünf w HAUS 14"],
        "en": ["E5 across HAUS for 14 points", "I play HAUS at E5 across, 14 points", "E five across HAUS 14"],
        "fr": ["E5 horizontal HAUS pour 14 points", "Je pose HAUS en E5 horizontal, 14 points",
               "HAUS à E5 horizontalement 14", "E cinq horizontal HAUS 14", "Bonjour, E5 horizontal HAUS 14, merci !"],
    }),
    ("topwords", ["tausche A E N"], {
        "de": ["Ich tausche A, E und N aus"], "en": ["I exchange A, E and N"],
        "fr": ["J’échange A, E et N", "j'echange AEN", "échange A E N"],
    }),
    ("topwords", ["tausche A L L E S X Y"], {
        "de": [], "en": ["exchange everything"], "fr": ["échange tout"],  # »alles« is what the rack may lay
    }),
    ("topwords", ["E5 w HAUS", "C3 s MOND", "passe"], {
        "de": ["Zug: E5 w HAUS; sonst C3 s MOND; sonst passe", "E5 w HAUS oder C3 s MOND; sonst ich passe diesmal",
               "E5 w HAUS\nErsatz: C3 senkrecht MOND\nfalls das nicht geht: ich passe"],
        "en": ["Move: E5 w HAUS; else C3 s MOND; else pass", "E5 across HAUS or C3 down MOND; else I pass this time",
               "E5 w HAUS\nfallback: C3 down MOND\nif that not possible: I pass"],
        "fr": ["Coup : E5 w HAUS ; sinon C3 s MOND ; sinon passe",
               "E5 horizontal HAUS ou C3 vertical MOND ; sinon passe",
               "E5 w HAUS\nCoup de réserve : C3 vertical MOND\nsi ce n’est pas possible : je passe cette fois",
               "Coup de reserve 2 : je passe\nE5 w HAUS\nCoup de reserve 1 : C3 verticalement MOND"],
    }),
    ("kreuzwort", ["kaufe schwarz"], {
        "de": ["kaufe schwarz", "Ich kaufe einen schwarzen Stein"], "en": ["buy black", "I buy one black tile"],
        "fr": ["achète noir", "ACHETE NOIR", "J’achète un jeton noir"],
    }),
    ("point", ["kaufe 2 rot 1 schwarz"], {
        "de": ["kaufe zwei rote und 1 schwarzen Stein"], "en": ["buy two red and 1 black"],
        "fr": ["achète 2 rouges 1 noir", "achète deux rouges et 1 noir", "j'achète 2 voyelles, une consonne"],
    }),
    ("kreuzwort", ["tausche A an H7; H9 w *AN", "kaufe rot"], {
        "de": ["tausche den Joker auf H7 gegen A, dann H9 w *AN\nsonst kaufe rot"],
        "en": ["exchange the star at H7 for A, then H9 w *AN\nelse buy red"],
        "fr": ["échange A à H7, puis H9 horizontal *AN\nsinon achète rouge",
               "Échange A en H7\nH9 w *AN\nsinon j’achète rouge",
               "Je prends l’étoile en H7 contre A et pose H9 horizontal *AN\nautrement achète rouge"],
    }),
    ("kreuzwort", ["T20 s POLA + U22 w PHON"], {
        "de": ["T20 senkrecht POLA und U22 waagerecht PHON"], "en": ["T20 down POLA and U22 across PHON"],
        "fr": ["T20 vertical POLA et U22 horizontal PHON", "T20 vertical POLA\npuis U22 horizontal PHON"],
    }),
    ("recht", ["hinten T = NAHT"], {
        "de": ["hinten T = NAHT", "Ich lege T hinten und sage NAHT an"], "en": ["I put T at the back and say NAHT"],
        "fr": ["derrière T = NAHT", "T derriere, NAHT", "Je pose T à droite et j’annonce NAHT", "T à la fin = NAHT"],
    }),
    ("recht", ["weiter vorn S"], {"de": ["weiter vorn S"], "en": ["continue front S"], "fr": ["continue devant S"]}),
    ("recht", ["E an T20 = REISE", "kaufe rot, passe"], {
        "de": ["E an T20 = REISE; sonst kaufe rot, passe"], "en": ["E at T20 = REISE; else buy red, pass"],
        "fr": ["E à T20 = REISE ; sinon achète rouge, passe", "E en T20 = REISE\nsinon j’achète un rouge, passe"],
    }),
    ("recht", ["vollende ab T19"], {"de": ["vollende ab T19"], "en": ["complete T19"],
        "fr": ["complète en T19", "complète dès T19", "complète à partir de T19"]}),
    ("presto", ["Gitter (..B / EXAMEN / ..R)"], {
        "de": ["Gitter (..B / EXAMEN / ..R)", "T20 w EXAMEN und V19 s BAR"],
        "en": ["My crossword: ..B / EXAMEN / ..R", "T20 across EXAMEN and V19 down BAR"],
        "fr": ["Ma grille : ..B / EXAMEN / ..R", "T20 horizontal EXAMEN et V19 vertical BAR",
               "Mots croisés (..B / EXAMEN / ..R)"],
    }),
    ("presto", ["passe"], {"de": ["Ich gebe auf"], "en": ["I give up"], "fr": ["J’abandonne", "je passe"]}),
    ("tridom", ["225@8 ab 10", "nach Ziehen: bester"], {
        "de": ["Lege die 225 auf Platz 8, mindestens 10 Punkte; sonst nach dem Ziehen immer der beste Platz"],
        "en": ["lay the tile 225 at place 8, at least 10 points; else after the draw: always the best place"],
        "fr": ["Je pose la pièce 225 à la place 8, au moins 10 points ; sinon après la pioche : la meilleure place",
               "225 sur la case n° 8 si au moins 10 ; sinon après la pioche : au mieux",
               "225@8 au moins 10 ; sinon après pioche : le meilleur",
               "225 sur 8 dès 10\nsinon après pioche : le meilleur"],
    }),
    ("supertridom", ["132@8"], {"de": ["an Platz 8: 132"], "en": ["on space 8: 132"], "fr": ["à la place 8 : 132"]}),
    ("dominos", ["42@L"], {
        "de": ["lege 42 links an", "vier-zwei ans linke Ende", "42 links, 8 Punkte"],
        "en": ["lay 42 on the left side", "four-two left", "42 left for 8 points"],
        "fr": ["je pose le 42 à gauche", "quatre-deux côté gauche", "42 à l’ouest", "42 à gauche, 8 points"],
    }),
    ("dominos", ["66@S ab 5"], {
        "de": ["Doppelsechs unten, nur ab 5"], "en": ["double six bottom, only if at least 5"],
        "fr": ["double six en bas, seulement si au moins 5", "double-six au sud à partir de 5 points"],
    }),
    ("domijongg", ["1: T3+E, T2; 3: N, DR"], {
        "de": ["links: Tausend 3 + Ost, dann T2; Kopf 3: Nord, roter Drache"],
        "en": ["left: character 3 + east, then T2; head 3: north, red dragon"],
        "fr": ["à gauche : caractère 3 + est, puis T2 ; tête 3 : nord, dragon rouge",
               "gauche: caractere 3 + vent d’est, T2; tete 3: nord, rouge"],
    }),
    ("domijongg", ["2: B3, K4, F2, J4"], {
        "de": ["rechts: Bambus 3, Kreis 4, Blume 2, Jahreszeit 4"],
        "en": ["right: bamboo 3, circle 4, flower 2, season 4"],
        "fr": ["à droite : bambou 3, cercle 4, fleur 2, saison 4"],
    }),
]  # fmt: skip
"""Game, moves in canonical form, and mails that mean them, by language."""


@pytest.mark.parametrize(("key", "moves", "mails"), WORDS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_move_is_written_in_each_language(key: str, moves: list[str], mails: Mapping[str, list[str]]) -> None:
    assert mails.keys() == set(LANGUAGES)
    game, view = written(key).game, written(key).view
    for mail in (mail for several in mails.values() for mail in several):
        sheet = parse_mail_text(game, view, mail)
        assert [line.canonical for line in sheet.orders] == moves, (mail, sheet)
        assert not sheet.errors, mail


def test_each_of_our_games_is_there() -> None:
    assert {key for key, *_ in WORDS} == {key for key in games.REGISTRY if games.folder(key).is_relative_to(PACKAGE)}


@pytest.mark.parametrize(
    "line",
    [
        "E5 w EN",
        "Hallo, G6 s EN",
        "E5 w POUR 14",
        "E5 w JE (EN)",
        "E5 w EN, SUR",
        "EN, SUR, E5 w",
        "E5 s OU",
    ],
)
def test_a_word_that_links_others_may_be_laid(line: str) -> None:
    (move,) = parse_mail_text(GAMES["topwords"].game, GAMES["topwords"].view, line).moves
    assert move.word == next(word for word in ("POUR", "JE", "OU", "EN") if word in line)


# ---- a word means one thing ----

TWICE = [
    ("placement", "rules", "down", "waagerecht"),
    ("placement", "rules", "exchange", "passe"),
    ("typdom.notation", "games/typdom", "black", "rouge"),
    ("typdom.notation", "games/typdom", "take", "buy"),
    ("typdom.recht_notation", "games/typdom", "back-end", "vor"),
    ("dominos.notation", "games/dominos", "bottom", "haut"),
    ("domijongg.notation", "games/domijongg", "west", "o"),
    ("domijongg.notation", "games/domijongg", "right-too", "left"),
]


@pytest.mark.parametrize(("module", "folder", "key", "word"), TWICE)
def test_a_word_with_two_meanings_is_refused(
    module: str, folder: str, key: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = message_files.load_per_language

    def with_one_more(place: Path, kind: str, asked: str) -> Mapping[str, tuple[Path, Any]]:
        found = dict(loaded(place, kind, asked))
        if (place, asked) == (PACKAGE / folder, key):
            found["fr"] = (found["fr"][0], f"{found['fr'][1]}|{word}")
        return found

    monkeypatch.setattr(message_files, "load_per_language", with_one_more)
    with pytest.raises(OperatorError, match=f"»{word}« stands in .* and in .*"):
        runpy.run_path(str(PACKAGE / "games" / f"{module.replace('.', '/')}.py"))


# ---- what is taught and written is read, in the same language ----

CRY = "fertig"
"""Stands for a solution that is not shown: nobody writes it as a move."""
SHARED_WITH_ENGLISH = {("de", "pass")}
"""»kauf oder pass«: a word that two languages have."""


def small_words(texts: Iterable[str], least: int) -> set[str]:
    """Without what is filled in, and without letters to lay."""
    found = re.findall(rf"[^\W\d_]{{{least},}}", " ".join(re.sub(r"\{[^{}]*\}", "", text) for text in texts))
    return {word.lower() for word in found if not word.isupper()}


def heard(key: str, language: str, *folders: Path) -> set[str]:
    folders = (*folders, games.folder(key))
    return small_words(
        (text for one in folders for *_, text in message_files.iter_message_tables(one, language, "heard")), 1
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", sorted(games.OWN))
def test_a_language_writes_moves_in_words_of_its_own_that_it_reads(key: str, language: str) -> None:
    written = {word: text for word, text in load_move_words(language, key).items() if word != CRY and len(word) > 1}
    assert small_words(written.values(), 1) - heard(key, language, SHARED_WORDS) == set()


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != FALLBACK])
@pytest.mark.parametrize("key", sorted(games.OWN))
def test_no_sentence_has_a_word_for_moves_that_only_english_has(key: str, language: str) -> None:
    """In quotation marks or not: »Écris complete from et la case« would teach one as well."""
    english = small_words(load_move_words(FALLBACK, key).values(), 3) | heard(key, FALLBACK)
    sentences = {**load_labels(language), **load_game_sentences(key, language)}
    said = small_words((text for code, text in sentences.items() if not code.endswith("name")), 3)
    said -= heard(key, language, SHARED_WORDS)
    assert {word for word in said & english if (language, word) not in SHARED_WITH_ENGLISH} == set()


FORMS = "move order orders played text what laid"
"""Parameters that hold a move."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", sorted(games.REGISTRY))
def test_behind_a_name_a_move_is_told_and_no_sentence_puts_an_order_there(key: str, language: str) -> None:
    """»Emil passt«, where the order is »passe«; English tells which words are verbs."""
    told = load_move_words(language, key, "told")
    verbs = {
        word
        for word, text in load_move_words(FALLBACK, key).items()
        if translate_move(word, FALLBACK, key, told=True) != text
    }
    assert verbs == told.keys() >= WITHOUT_TILES & load_move_words(language, key).keys()
    if language == "de":
        assert not {*told.values()} & {*verbs}
    assert translate_move("passe", language, key, told=True) == told["passe"]
    bare = re.compile(rf"\{{(?:name|who)\}} \{{(?:{FORMS.replace(' ', '|')})\}}")
    sentences = {**load_labels(language), **load_game_sentences(key, language)}
    assert {code for code, text in sentences.items() if bare.search(text)} <= {"site.says-move", "site.says-plain"}


# ---- no Python knows a word ----

LOADERS = re.compile(r"_?(?:load_\w+|heard|shared|leading|build_respeller|partial|TypeVar)")
READERS = [
    *(PACKAGE / "rules" / "orders").glob("*.py"),
    *(PACKAGE / "games").rglob("*notation.py"),
    *(PACKAGE / "games").rglob("*reading.py"),
    PACKAGE / "games" / "placement.py",
    PACKAGE / "language" / "messages.py",
]
OURS = {
    "AFTER_DRAW_TEXT": "a canonical form",
    "JOIN": "a canonical form",
    "PASS_TEXT": "a canonical form",
    "GERMAN": "canonical forms",
    "GERMAN_SIDE": "canonical forms",
    "COLOURS": "values of ours",
    "WITHOUT_TILES": "canonical forms",
    "_DIRECTION": "a parameter",
    "SIGNS": "names of signs",
    "SHARED": "keys of tables",
    "FOLDERS": "folders",
    "_FILES": "parameters",
    "_MOVES": "parameters",
    "_ORDERS": "parameters",
    "_TILES": "parameters",
    "__all__": "names of Python",
}
NO_WORD = re.compile(r"\(\?P?<?[a-z]*[>:=!)]?|\(\?P=\w+\)|\[(?:\\.|[^\]\\])*\]|\\.|\{[^{}]*\}")
"""Names of groups, classes of signs, escapes, what is filled in."""
WORD = re.compile(r"[^\W\d_]{3,}")


def texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The string constants below a node, but for those by which a table is asked for, and for docstrings."""
    if isinstance(node, ast.Call) and LOADERS.fullmatch(getattr(node.func, "id", getattr(node.func, "attr", ""))):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Expr | ast.FunctionDef | ast.ClassDef | ast.Subscript):
            yield from texts(child)


def known_words(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Words of letters in expressions and sets of a module, and those that a function compares with (but for the kinds
    of signs that Unicode calls so)."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
            if statement.value is not None and not any(name in OURS or name.endswith("_KEYS") for name in names):
                yield from texts(statement.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(getattr(node.func, "value", None), "id", "") == "re":
            yield from texts(node)
        elif isinstance(node, ast.Compare):
            yield from ((line, text) for line, text in texts(node) if text.isupper() and text != "LMN")


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_python_knows_a_word_of_a_move(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {(line, word) for line, text in known_words(tree) for word in WORD.findall(NO_WORD.sub(" ", text))}
    assert found == set(), "it belongs into a table [heard]"


def test_a_word_in_python_is_found() -> None:
    lines = (
        'A = re.compile(rf"(?P<name>[a-z]{x}\\s+sonst)")', '_B = r"(?:and|aber)\\b"', 'C = "MEIN DEIN".split()',
        'def f():\n    return text == "PLUS"', 'D = load("x") | frozenset({"oder"})',
        'E = re.compile("[swhvd]+\\bhaus")',
    )  # fmt: skip
    for line in lines:
        assert [word for _, text in known_words(ast.parse(line)) for word in WORD.findall(NO_WORD.sub(" ", text))], line
