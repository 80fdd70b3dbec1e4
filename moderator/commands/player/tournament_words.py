"""What a line that begins with ``Turnier`` or ``cup`` asks for, in any order of its words.

The tournament is named by its code (T3) or its name, before or behind what is wanted. A line that is more than that
is a remark: nothing is done for ``Turnier war schön, danke``.

Which tournament a line means: the one it names, the one of the mail that it answers, or the only one in question."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from moderator.commands.declaration import CommandContext, CommandLine, CommandOutcome, get_player_commands
from moderator.common.disk import FALLBACK
from moderator.common.enums import TournamentStatus
from moderator.common.errors import Impossible
from moderator.common.message_files import load_synonyms, load_words_by_language, normalize_spelling
from moderator.language.spelling import PLEASE
from moderator.rules.game import Note
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.tables import Tournament

What = Literal["list", "table", "pairings", "join", "leave", "ratings", "challenge", "accept", "refuse", "unclear"]
HERE = Path(__file__).parent
COMMAND = "cup"
"""Name of the command that these words stand behind."""
_ASKED: tuple[What | Literal["ranking"], ...] = (
    *("accept", "refuse", "join", "leave", "pairings", "ratings", "ranking", "challenge", "table", "list"),
)
"""The first that fits is meant (``challenge accepted`` is no challenge). A ranking is the table of a tournament that is
named, else a list of ratings."""
_PHRASES = tuple(
    (phrase.split(), what)
    for what in _ASKED
    for said in load_words_by_language(HERE, f"cup-{what}").values()
    for phrase in said
)
_CODE = re.compile(r"t\d{1,4}[:,]?")
_FINAL = load_synonyms(HERE, "for-good")
_FILLING, _AGAINST = load_synonyms(HERE, "cup-filling"), load_synonyms(HERE, "cup-against")
_MARKS = re.compile(r"[,;:!?()\[\]=„“”«»]")
"""What stands in a sentence, and in none of these lines. (Our own texts put names in such quotation marks.)"""
MOST_WORDS = 4
"""Of a player's or a game's name."""
UNKNOWN_WORDS = 2
"""Of a tournament's name that nobody knows; with more it is a remark."""


@dataclass(frozen=True)
class TournamentWish:
    """The wish of a line about tournaments. ``tournament``: code or name of the tournament, "" = none was named.
    ``rest``: the player to be challenged, the game of a rating list. All words spelt plain."""

    what: What
    tournament: str = ""
    rest: str = ""
    final: bool = False
    """It says that it is meant for good."""


def list_name_keys(name: str) -> tuple[str, ...]:
    """Return the ways in which a tournament may be called behind the command word: its name, and what of it is no such
    word itself (``Liga 2`` in ``Liga 2 Stand``)."""
    whole = _normalize_words(name)
    first, _, others = whole.partition(" ")
    return (whole, others) if others and first in get_player_commands()["cup"].all_words else (whole,)


def is_tournament_code(text: str) -> bool:
    return re.fullmatch(r"t\d{1,4}", text, re.IGNORECASE) is not None


def parse_tournament_wish(argument: str, names: Collection[str] = ()) -> TournamentWish | None:
    """Return the wish that follows the command word, or None if that is a remark. ``list_all_name_keys``: of
    tournaments, as ``list_name_keys`` has them."""
    words, final = _extract_final(
        [word for word in _normalize_words(argument).split() if not re.fullmatch(PLEASE, word)]
    )
    tournament, words = _extract_tournament(words, names)
    if any(_MARKS.search(word) for word in words):
        return None
    found = _find_wanted_phrase(words)
    if found is None:
        return _interpret_rest(tournament, words)
    what, before, behind = found
    if final and what != "leave":
        return None
    if what == "challenge":
        before, behind = (_strip_filling(part, _FILLING | _AGAINST) for part in (before, behind))
        if len(before) > MOST_WORDS or len(behind) > MOST_WORDS or (tournament and before and behind):
            return None
        if before and behind:
            return TournamentWish("challenge", " ".join(before), " ".join(behind))
        return TournamentWish("challenge", tournament, " ".join(before or behind))
    rest = _strip_filling([*before, *behind], _FILLING | _AGAINST if what in ("accept", "refuse") else _FILLING)
    if what == "ranking":
        what = "table" if tournament else "ratings"
    if what == "ratings":
        return TournamentWish(what, tournament, " ".join(rest)) if len(rest) <= MOST_WORDS else None
    if len(rest) > UNKNOWN_WORDS or (rest and (tournament or what == "list")):
        return TournamentWish("unclear", tournament) if tournament else None
    return TournamentWish(what, tournament or " ".join(rest), final=final)


def _interpret_rest(tournament: str, words: list[str]) -> TournamentWish | None:
    """Return the wish where no word says what is wanted. A single word behind a tournament is meant as a wish all the
    same."""
    if not words:
        return TournamentWish("table", tournament) if tournament else TournamentWish("list")
    return TournamentWish("unclear", tournament) if tournament and len(words) == 1 else None


def _normalize_words(text: str) -> str:
    return normalize_spelling(text.replace('"', " ")).strip(" .!?")


def _extract_tournament(words: list[str], names: Collection[str]) -> tuple[str, list[str]]:
    """Return (the tournament that is named, the other words)."""
    for at, word in enumerate(words):
        if _CODE.fullmatch(word):
            return word.rstrip(":,"), [
                *_strip_filling(words[:at], _FILLING),
                *_strip_filling(words[at + 1 :], _FILLING),
            ]
    for name in sorted(names, key=len, reverse=True):
        own = name.split()
        count = len(own)
        if own and [*words[: count - 1], *(word.rstrip(":,") for word in words[count - 1 : count])] == own:
            return name, words[count:]
        if own and words[-count:] == own:
            return name, _strip_filling(words[:-count], _FILLING)
    return "", words


def _find_wanted_phrase(words: list[str]) -> tuple[What | Literal["ranking"], list[str], list[str]] | None:
    """Return (what is wanted, the words before it, those behind it). The player who is challenged may stand on either
    side."""
    for phrase, what in _PHRASES:
        last = len(words) - len(phrase)
        for at in range(last + 1) if what == "challenge" else sorted({0, last} if last >= 0 else ()):
            if words[at : at + len(phrase)] == phrase:
                return what, words[:at], words[at + len(phrase) :]
    return None


def _extract_final(words: list[str]) -> tuple[list[str], bool]:
    text = f" {' '.join(words)} "
    for one in _FINAL:
        if f" {one} " in text:
            return text.replace(f" {one} ", " ").split(), True
    return words, False


def _strip_filling(words: Sequence[str], filling: Collection[str]) -> list[str]:
    """Return the words without those at both ends that say nothing."""
    kept = list(words)
    while kept and kept[-1] in filling:
        kept.pop()
    while kept and kept[0] in filling:
        kept.pop(0)
    return kept


# ---- which tournament is meant ----


_IN_SUBJECT = re.compile(r"\((T\d{1,4})\)")
_ANSWERS: dict[str, What] = {
    "join": "join",
    "agree": "accept",
    "refuse": "refuse",
    "status": "table",
    "withdraw": "leave",
}
"""Commands of one word, and what they mean in the answer to a mail about a tournament."""
MOST_NAMED = 8


def get_wish_phrase(what: What, language: str = FALLBACK) -> str:
    said = load_words_by_language(HERE, f"cup-{what}")
    return next(iter(said.get(language) or said[FALLBACK]))


def list_all_name_keys(session: Session) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(key for one in tournaments.list_tournament_names(session) for key in list_name_keys(one))
    )


def find_tournament_in_subject(subject: str) -> str:
    """Return the code of the tournament that a mail of ours was about, from the subject of the answer; "" = none."""
    found = _IN_SUBJECT.findall(subject[:500])
    return found[-1] if found else ""


def expand_short_answer(code: str, request: CommandLine) -> CommandLine:
    """Return ``Turnier T3 annehmen`` for ``annehmen`` alone, in the answer to a mail about tournament ``code``; else
    the command as it is."""
    if not code or request.argument or request.body or request.name not in _ANSWERS:
        return request
    what, said = _ANSWERS[request.name], normalize_spelling(request.line.text).partition(" ")[0].rstrip(":.!,")
    if what == "table" and not any(
        word.startswith(said) for word in load_synonyms(HERE, "cup-table")
    ):  # Liste, matches
        return request
    return replace(request, command=get_player_commands()["cup"], argument=f"{code} {get_wish_phrase(what)}")


def choose_tournament(
    call: CommandContext, wish: TournamentWish, among: Callable[[CommandContext], Sequence[Tournament]]
) -> Tournament | CommandOutcome:
    """Return the tournament; or a list, if nobody can tell which of several. ``list_own``: those in question where none
    is named. Raises Impossible for a name that none has, or if none is in question."""
    if wish.tournament:
        return _get_named_tournament(call, wish.tournament)
    found = among(call)
    code = find_tournament_in_subject(call.work.mail.subject) if call.work.mail else ""
    of_mail = [tournament for tournament in found if tournament.code == code]
    if len(found) == 1 or of_mail:
        return (of_mail or found)[0]
    if not found:
        raise Impossible(f"cups-none-{wish.what}")
    facts = ({"cup": tournament.code, "title": tournament.name} for tournament in found)
    return CommandOutcome((Note("cups-which"), *(Note(f"cups-way-{wish.what}", one) for one in facts)))


def _get_named_tournament(call: CommandContext, wanted: str) -> Tournament:
    every = tournaments.list_all_tournaments(call.work.session)[::-1]
    found = [tournament for tournament in every if tournament.code.lower() == wanted]
    found = found or [tournament for tournament in every if wanted in list_name_keys(tournament.name)]
    found = found or [
        tournament for tournament in every if any(key.startswith(wanted) for key in list_name_keys(tournament.name))
    ]
    if len(found) > 1:  # seasons of the same name, or the beginning of several
        found = [tournament for tournament in found if tournament.status in tournaments.GOING] or found[:1]
    if len(found) == 1:
        return found[0]
    known = sorted(
        found or (tournament for tournament in every if tournament.status != TournamentStatus.CANCELLED),
        key=lambda tournament: tournament.number,
    )
    if not known:
        raise Impossible("cups-none-here")
    raise Impossible(
        "cups-several" if found else "cups-unknown",
        cups=[f"{tournament.code} ({tournament.name})" for tournament in known[-MOST_NAMED:]],
    )


def build_own_lister(*states: TournamentStatus) -> Callable[[CommandContext], Sequence[Tournament]]:
    """Return a function that lists the tournaments in one of these states in which the writer takes part or waits
    to."""

    def list_own(call: CommandContext) -> Sequence[Tournament]:
        return tournaments.list_tournaments_of_player(call.work.session, call.player.number, states)

    return list_own


def list_askable_tournaments(call: CommandContext) -> Sequence[Tournament]:
    """Return the tournaments that somebody may ask about without a name: their own that are on, else all that are on,
    else the last one of their own."""
    on = (TournamentStatus.OPEN, TournamentStatus.RUNNING)
    every = tournaments.list_tournaments_in_states(call.work.session, on)
    return (
        build_own_lister(TournamentStatus.RUNNING)(call)
        or build_own_lister(TournamentStatus.OPEN)(call)
        or every
        or build_own_lister(TournamentStatus.FINISHED)(call)[-1:]
    )
