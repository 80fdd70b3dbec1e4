"""A mail about a tournament in sentences: subject, headline and first lines; pairings, results, byes, ties of a
knock-out.

A result stands behind the names in the same piece (no-break spaces): ``1–0`` at the beginning of a line would be a
domino. No line is a match's code alone, which would name the match that the lines below it belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from moderator.match.ending import How
from moderator.pages import dates
from moderator.pages.content import tournaments
from moderator.pages.ending import minus
from moderator.pages.messages import label, labels
from moderator.pages.pages import Page
from moderator.pages.tournament_view import (
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.printable import clean_name
from moderator.states import GameKind, TournamentStatus
from moderator.tournaments.formats import of

# ---- at the head of a mail ----


MOST_WINNERS: Final = 4


@dataclass(frozen=True)
class Place:
    """Where the reader stands."""

    place: int
    count: int
    possible: tuple[int, int] | None = None
    """Places that are still possible; None = not said."""


def about(page: Page) -> TournamentView:
    """The tournament of such a mail."""
    return tournaments(page.content)[0]


def titles(page: Page) -> tuple[str, str]:
    """``„Herbstturnier“``, and with its code, by which the answers are told apart: ``„Herbstturnier“ (T3)``."""
    view, language = about(page), page.reader.language
    name = clean_name(view.name)
    return label("cup-title", language, name=name), label("cup-about", language, name=name, code=view.code)


def news(page: Page) -> str:
    """``Runde 2 beginnt``."""
    view, language = about(page), page.reader.language
    topic = f"cup-what-{view.topic}"
    codes = [f"cup-what-{note.code}" for note in page.notes]
    codes += [f"{topic}-league"] if of(view).divisions else []
    codes += [f"{topic}-at-once"] if view.at_once else []
    code = next((one for one in codes if one in labels(language)), topic)
    return label(code, language, round=view.round)


def lines(page: Page) -> Iterator[str]:
    """What belongs directly under the headline: until when, and where the reader stands."""
    view, language = about(page), page.reader.language
    if view.topic == "news":
        return
    if view.status in (TournamentStatus.PLANNED, TournamentStatus.OPEN):
        yield _joining(page)
    elif view.topic == "final" or view.status == TournamentStatus.FINISHED:
        yield from _final(page)
    elif view.status == TournamentStatus.CANCELLED:
        yield label("cup-cancelled", language)
    else:
        if view.topic == "table" and not view.at_once and of(view).in_rounds:
            yield label("cup-runs" if view.rounds else "cup-runs-open", language, round=view.round, rounds=view.rounds)
        if view.topic == "pairings" and view.own and len(view.fields) > 1:
            yield label("cup-division", language, division=view.own)
        yield from standing(page, view)
        if view.topic != "report" and view.ends_at is not None:
            yield label("cup-ends", language, deadline=ends(page))


def _joining(page: Page) -> str:
    view, language = about(page), page.reader.language
    if view.status == TournamentStatus.PLANNED:
        return label("cup-planned", language)
    if view.closes_at is None:
        return label("cup-joining-open", language)
    reader = page.reader
    when = dates.deadline(view.closes_at, page.now, language, reader.zone, page.club_zone)
    return label("cup-joining-until", language, deadline=when)


def ends(page: Page) -> str:
    """The latest end of the round on the reader's clock."""
    view, reader = about(page), page.reader
    assert view.ends_at is not None
    return dates.deadline(view.ends_at, page.now, reader.language, reader.zone, page.club_zone)


def own_table(view: TournamentView) -> TournamentTable | None:
    """The one of the reader's division, or the highest."""
    wanted = view.own or 1
    return next((table for table in view.tables if table.division == wanted), None)


def place(view: TournamentView, name: str) -> Place | None:
    """The place or rung of the reader, whose name this is; None for somebody without one."""
    table = own_table(view)
    if table is None:
        return None
    if table.cross is None:
        found = [at for at, one in table.order if one == name]
        return Place(found[0], len(table.order)) if found else None
    counted = [line for line in table.cross.lines if line.place]
    own = next((line for line in counted if line.number == table.you), None)
    if own is None:
        return None
    first, _, last = own.range.partition("–")
    return Place(int(own.place), len(counted), (int(first), int(last or first)) if first else None)


def standing(page: Page, view: TournamentView) -> Iterator[str]:
    """Where the reader stands in a running tournament, if there is a table in the mail."""
    language, table = page.reader.language, own_table(view)
    if table is not None and isinstance(table.table, TournamentBracket):
        yield from _in_the_bracket(page, view, table.table)
    own = place(view, page.reader.name)
    if own is None:
        return
    code = "cup-rung" if on_rungs(table) else "cup-place-now"
    yield label(code, language, place=own.place, count=own.count)
    if own.possible is not None:
        first, last = own.possible
        code = "cup-range" if first != last else "cup-range-sure"
        yield label(code, language, first=first, last=last)


def on_rungs(table: TournamentTable | None) -> bool:
    """Whether places are called rungs in it."""
    return table is not None and isinstance(table.table, TournamentRungs)


def _in_the_bracket(page: Page, view: TournamentView, bracket: TournamentBracket) -> Iterator[str]:
    """Whether the reader goes on; nothing while that is open, or who loses may still play for third place."""
    name = page.reader.name
    own = [tie for tie in bracket.ties if name in tie.names]
    latest = max(own, key=lambda tie: tie.round, default=None)
    if latest is None or latest.through is None or latest.round >= view.rounds:
        return
    semi = latest.round == view.rounds - 1
    on = "cup-through-final" if semi else "cup-through"
    out = "cup-third-next" if semi and view.third else "cup-knocked-out"
    yield label(on if latest.names[latest.through] == name else out, page.reader.language)


def winners(table: TournamentTable | None) -> tuple[str, ...]:
    """Names on the first place of a division."""
    if table is None:
        return ()
    if table.cross is None:
        return tuple(name for at, name in table.order if at == 1)
    return tuple(line.name for line in table.cross.lines if line.place == "1")


def _final(page: Page) -> Iterator[str]:
    view, language, table = about(page), page.reader.language, own_table(about(page))
    own, several = place(view, page.reader.name), len(view.fields) > 1
    won = [clean_name(name) for name in winners(view.tables[0] if view.tables else None)]
    if own is not None and own.place == 1 and len(won) == 1 and view.own <= 1:
        yield label("cup-won-you", language)
        yield from _moves(view, table, language)
        return
    if len(won) > MOST_WINNERS:
        won = [*won[:MOST_WINNERS], f"+{len(won) - MOST_WINNERS}"]
    if won:
        yield label("cup-won" if len(won) == 1 else "cup-won-shared", language, names=won)
    if own is not None:
        code = "cup-rung" if on_rungs(table) else "cup-place-division" if several else "cup-place"
        yield label(code, language, place=own.place, count=own.count, division=view.own)
        if several and view.own > 1 and own.place > 1:
            first = [clean_name(name) for name in winners(table)]
            yield label("cup-first-division", language, names=first)
        yield from _moves(view, table, language)
        yield label("cup-congratulation" if own.place <= 3 < own.count else "cup-thanks", language)
    elif view.own:
        yield label("cup-out", language)


def _moves(view: TournamentView, table: TournamentTable | None, language: str) -> Iterator[str]:
    """Whether the reader goes up or down in a league."""
    if table is None or len(view.fields) < 2 or view.topic != "final":
        return
    at = next((n for n, line in enumerate(table.cross.lines) if line.number == table.you), 0) if table.cross else 0
    down = table.cross is not None and at >= len(table.cross.lines) - table.down
    yield label("cup-goes-up" if at < table.up else "cup-goes-down" if down else "cup-stays", language)


# ---- pairings and results ----


HOLD = "\u00a0"


def pairing(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """``Tisch 1: Anna – Bert (K7Q2)``; with its result once it has one."""
    what = _bye(game, language) if game.kind == GameKind.BYE else _named(game, language)
    if not of(view).table:
        return _staged(game, view, what, language)
    return label("cup-table", language, table=game.board, what=what)


def _staged(game: TournamentGameLine, view: TournamentView, what: str, language: str) -> str:
    """``Finale: Anna – Bert``, where a round has a name and is not only a number."""
    if not view.rounds or game.round < view.rounds - 3 or game.kind == GameKind.BYE:
        return what
    meeting = TournamentTie(game.round, game.names, third=game.round == view.rounds and game.board > 2)
    return label("cup-stage-game", language, stage=stage(meeting, view, language), what=what)


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
    how = settled(game, language)
    return f"{text}, {how}" if how else text


def settled(game: TournamentGameLine, language: str) -> str:
    """``abgeschätzt, berichtigt``; "" for a game that came to its own end."""
    how = How.FORFEIT if game.kind == GameKind.FORFEIT and game.how == How.RULED else game.how
    codes = ([] if how == How.PLAYED else [how.value]) + (["corrected"] if game.corrected else [])
    return ", ".join(label(f"cup-ended-{code}", language) for code in codes)


def own(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """A game as one of those who play it reads it."""
    assert game.you is not None
    if game.kind == GameKind.BYE:
        kind = _bye_kind(game) if of(view).table else "-knockout"
        return label(f"cup-own-bye{kind}", language)
    others = [clean_name(name) for seat, name in enumerate(game.names) if seat != game.you]
    if game.points:
        return _own_result(game, others, language)
    starts = "" if view.starter is None else "-you" if game.you == view.starter else "-other"
    who = clean_name(game.names[view.starter or 0])
    facts = {"who": who, "match": game.match, "name": others[0], "names": others}
    return label(f"cup-own-open{'' if len(others) == 1 else '-several'}{starts}", language, **facts)


def _own_result(game: TournamentGameLine, others: Sequence[str], language: str) -> str:
    assert game.you is not None
    mine = game.points[game.you]
    if len(others) > 1:
        text = label("cup-own-several", language, names=list(others), points=mine)
    else:
        how = {"1": "won", "0": "lost"}.get(mine, "drawn")
        scores = game.scores if any(game.scores) else ()
        kind = "" if scores else "-bare"
        facts = {"own": minus(scores[game.you]), "theirs": minus(scores[1 - game.you])} if scores else {}
        text = label(f"cup-own-{how}{kind}", language, name=others[0], **facts)
    ended = settled(game, language)
    return f"{text}, {ended}" if ended else text


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
    if len(set(one.points)) == 1:
        why = "scores" if len(set(one.sums)) > 1 else "seed"
        text = label(f"cup-tie-by-{why}", language, text=text, sums=" : ".join(map(minus, one.sums)))
    return text.replace(f": {facts['points']}", f":{HOLD}{facts['points']}") if one.points else text
