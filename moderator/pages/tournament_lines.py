"""Games of a tournament as sentences: pairings, results, byes, ties of a knock-out.

A result stands behind the names in the same piece (no-break spaces): ``1–0`` at the beginning of a line would be a
domino. No line is a match's code alone, which would name the match that the lines below it belong to.
"""

from __future__ import annotations

from collections.abc import Sequence

from moderator.pages.messages import label
from moderator.pages.report import minus
from moderator.pages.tournament_view import TournamentGameLine, TournamentTie, TournamentView
from moderator.printable import clean_name
from moderator.states import GameKind
from moderator.tournaments.formats import of

HOLD = "\u00a0"


def pairing(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """``Tisch 1: Anna – Bert (K7Q2)``; with its result once it has one."""
    what = _bye(game, language) if game.kind == GameKind.BYE else _named(game, language)
    if not of(view).table:
        return what
    return label("cup-table", language, table=game.board, what=what)


def _bye(game: TournamentGameLine, language: str) -> str:
    return label(f"cup-names-bye{_bye_kind(game)}", language, name=clean_name(game.names[0]))


def _bye_kind(game: TournamentGameLine) -> str:
    return {"½": "-half", "0": "-none"}.get("".join(game.points), "")


def _named(game: TournamentGameLine, language: str) -> str:
    names = [clean_name(name) for name in game.names]
    two = len(names) == 2
    if not game.points:
        text = " – ".join(names) if two else ", ".join(names)
        return f"{text}{HOLD}({game.match})" if game.match else text
    scores = game.scores if any(game.scores) else ()
    if two:
        text = f"{' – '.join(names)}:{HOLD}{'–'.join(game.points)}"
        text += f"{HOLD}({':'.join(map(minus, scores))})" if scores else ""
    else:
        behind = [f"{HOLD}({minus(score)})" for score in scores] or [""] * len(names)
        text = ", ".join(f"{n}{HOLD}{p}{s}" for n, p, s in zip(names, game.points, behind, strict=True))
    ruled = "forfeit" if game.kind == GameKind.FORFEIT else game.ruling.value
    return f"{text}, {label(f'cup-ruled-{ruled}', language)}" if ruled else text


def own(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """A game as one of those who play it reads it."""
    assert game.you is not None
    if game.kind == GameKind.BYE:
        kind = "-knockout" if of(view).eliminates else _bye_kind(game)
        return label(f"cup-own-bye{kind}", language)
    others = [clean_name(name) for seat, name in enumerate(game.names) if seat != game.you]
    if game.points:
        return _own_result(game, others, language)
    starts = "-you" if game.you == 0 else ""
    facts = {"who": clean_name(game.names[0]), "match": game.match, "name": others[0], "names": others}
    return label(f"cup-own-open{'' if len(others) == 1 else '-several'}{starts}", language, **facts)


def _own_result(game: TournamentGameLine, others: Sequence[str], language: str) -> str:
    assert game.you is not None
    mine = game.points[game.you]
    if len(others) > 1:
        text = label("cup-own-several", language, names=list(others), points=mine)
    else:
        how = {"1": "won", "0": "lost"}.get(mine, "drawn")
        scores = game.scores if any(game.scores) else ()
        kind = "-forfeit" if game.kind == GameKind.FORFEIT and how != "drawn" else "" if scores else "-bare"
        facts = {"own": minus(scores[game.you]), "theirs": minus(scores[1 - game.you])} if scores else {}
        text = label(f"cup-own-{how}{kind}", language, name=others[0], **facts)
    return f"{text}, {label(f'cup-ruled-{game.ruling}', language)}" if game.ruling else text


def stage(tie: TournamentTie, view: TournamentView, language: str) -> str:
    """``Halbfinale``."""
    if tie.third:
        return label("cup-stage-third", language)
    ties = 2 ** max(0, view.rounds - tie.round)
    return label(f"cup-stage-{ties}" if ties <= 8 else "cup-stage", language, round=tie.round)


def tie(one: TournamentTie, view: TournamentView, language: str) -> str:
    """The two, how it stands between them, and who goes on."""
    names = [clean_name(name) for name in one.names]
    if len(names) == 1:
        return label("cup-tie-bye", language, one=names[0])
    facts = {"one": names[0], "other": names[1], "points": "–".join(one.points)}
    if one.through is None:
        return label("cup-tie-points" if one.points else "cup-tie-open", language, **facts).replace(": ", f":{HOLD}")
    last = one.round == view.rounds
    code = "cup-tie-over-bare" if not one.points else "cup-tie-over-final" if last else "cup-tie-over"
    text = label(code, language, winner=names[one.through], **facts)
    return text.replace(f": {facts['points']}", f":{HOLD}{facts['points']}") if one.points else text
