"""A mail about a tournament in sentences: subject, headline and first lines; pairings, results, byes, ties of a
knock-out.

A result stands behind the names in the same piece (no-break spaces): ``1–0`` at the beginning of a line would be a
domino. No line is a match's code alone, which would name the match that the lines below it belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from moderator.common.enums import GameKind, TournamentStatus
from moderator.common.text import clean_name
from moderator.language import dates
from moderator.language.messages import load_labels, render_label
from moderator.notifications.content import (
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.notifications.pages import Page, list_tournament_views
from moderator.render.mails.headline import format_points
from moderator.rules.ending import EndCause
from moderator.tournaments.formats import get_format

# ---- at the head of a mail ----


MOST_WINNERS: Final = 4


@dataclass(frozen=True)
class TournamentPlace:
    """The place of the reader in the table."""

    place: int
    count: int
    possible: tuple[int, int] | None = None
    """Places that are still possible; None = not said."""


def get_page_tournament(page: Page) -> TournamentView:
    """Return the tournament of a mail about one."""
    return list_tournament_views(page.content)[0]


def render_tournament_titles(page: Page) -> tuple[str, str]:
    """Return ``„Herbstturnier“``, and with the code, which tells the answers apart: ``„Herbstturnier“ (T3)``."""
    view, language = get_page_tournament(page), page.reader.language
    name = clean_name(view.name)
    return render_label("cup-title", language, name=name), render_label(
        "cup-about", language, name=name, code=view.code
    )


def render_tournament_news(page: Page) -> str:
    """Return ``Runde 2 beginnt``, ``Das Finale beginnt``."""
    view, language = get_page_tournament(page), page.reader.language
    topic = f"cup-what-{view.topic}"
    codes = [f"cup-what-{note.code}" for note in page.notes]
    codes += [f"{topic}-league"] if get_format(view).divisions else []
    codes += [f"{topic}-at-once"] if view.at_once else []
    if view.topic == "pairings" and view.yours and not get_format(view).table:
        codes.append(f"cup-what-stage-{_get_stage(_to_tie(view.yours[0], view), view)}")
    code = next((one for one in codes if one in load_labels(language)), topic)
    return render_label(code, language, round=view.round)


def iter_tournament_head_lines(page: Page) -> Iterator[str]:
    """Yield the lines directly under the headline: until when, and the place of the reader."""
    view, language = get_page_tournament(page), page.reader.language
    if view.topic == "news":
        return
    if view.status in (TournamentStatus.PLANNED, TournamentStatus.OPEN):
        yield _render_registration(page)
    elif view.topic == "final" or view.status == TournamentStatus.FINISHED:
        yield from _iter_final_lines(page)
    elif view.status == TournamentStatus.CANCELLED:
        yield render_label("cup-cancelled", language)
    else:
        if view.topic == "table" and not view.at_once and get_format(view).in_rounds:
            yield render_label(
                "cup-runs" if view.rounds else "cup-runs-open", language, round=view.round, rounds=view.rounds
            )
        if view.topic == "pairings" and view.own and len(view.fields) > 1:
            yield render_label("cup-division", language, division=view.own)
        yield from iter_reader_standing(page, view)
        if view.topic != "report" and view.ends_at is not None:
            yield render_label("cup-ends", language, deadline=format_round_end(page))


def _render_registration(page: Page) -> str:
    view, language = get_page_tournament(page), page.reader.language
    if view.status == TournamentStatus.PLANNED:
        return render_label("cup-planned", language)
    if view.closes_at is None:
        return render_label("cup-joining-open", language)
    reader = page.reader
    when = dates.format_deadline(view.closes_at, page.now, language, reader.zone, page.club_zone)
    return render_label("cup-joining-until", language, deadline=when)


def format_round_end(page: Page) -> str:
    """Return the latest end of the round on the reader's clock."""
    view, reader = get_page_tournament(page), page.reader
    assert view.ends_at is not None
    return dates.format_deadline(view.ends_at, page.now, reader.language, reader.zone, page.club_zone)


def find_own_table(view: TournamentView) -> TournamentTable | None:
    """Return the table of the reader's division, or of the highest one; None if there is none."""
    wanted = view.own or 1
    return next((table for table in view.tables if table.division == wanted), None)


def find_reader_place(view: TournamentView, name: str) -> TournamentPlace | None:
    """Return the place or rung of the reader, who has that name; None for a reader without one."""
    table = find_own_table(view)
    if table is None:
        return None
    if table.cross is None:
        found = [at for at, one in table.order if one == name]
        return TournamentPlace(found[0], len(table.order)) if found else None
    counted = [line for line in table.cross.lines if line.place]
    own = next((line for line in counted if line.number == table.you), None)
    if own is None:
        return None
    first, _, last = own.range.partition("–")
    return TournamentPlace(int(own.place), len(counted), (int(first), int(last or first)) if first else None)


def iter_reader_standing(page: Page, view: TournamentView) -> Iterator[str]:
    """Yield the reader's place in a running tournament, if there is a table in the mail."""
    language, table = page.reader.language, find_own_table(view)
    if table is not None and isinstance(table.table, TournamentBracket):
        yield from _iter_bracket_standing(page, view, table.table)
    own = find_reader_place(view, page.reader.name)
    if own is None:
        return
    code = "cup-rung" if is_ladder(table) else "cup-place-now"
    yield render_label(code, language, place=own.place, count=own.count)
    if own.possible is not None:
        first, last = own.possible
        code = "cup-range" if first != last else "cup-range-sure"
        yield render_label(code, language, first=first, last=last)


def is_ladder(table: TournamentTable | None) -> bool:
    """Return whether its places are called rungs."""
    return table is not None and isinstance(table.table, TournamentRungs)


def _iter_bracket_standing(page: Page, view: TournamentView, bracket: TournamentBracket) -> Iterator[str]:
    """Yield whether the reader goes on; nothing while that is open, or while a loser may still play for third place."""
    name = page.reader.name
    own = [tie for tie in bracket.ties if name in tie.names]
    latest = max(own, key=lambda tie: tie.round, default=None)
    if latest is None or latest.through is None or latest.round >= view.rounds:
        return
    semi = latest.round == view.rounds - 1
    on = "cup-through-final" if semi else "cup-through"
    out = "cup-third-next" if semi and view.third else "cup-knocked-out"
    yield render_label(on if latest.names[latest.through] == name else out, page.reader.language)


def list_division_winners(table: TournamentTable | None) -> tuple[str, ...]:
    """Return the names on the first place of a division."""
    if table is None:
        return ()
    if table.cross is None:
        return tuple(name for at, name in table.order if at == 1)
    return tuple(line.name for line in table.cross.lines if line.place == "1")


def _iter_final_lines(page: Page) -> Iterator[str]:
    view, language, table = get_page_tournament(page), page.reader.language, find_own_table(get_page_tournament(page))
    own, several = find_reader_place(view, page.reader.name), len(view.fields) > 1
    won = [clean_name(name) for name in list_division_winners(view.tables[0] if view.tables else None)]
    if own is not None and own.place == 1 and len(won) == 1 and view.own <= 1:
        yield render_label("cup-won-you", language)
        yield from _iter_league_moves(view, table, language)
        return
    if len(won) > MOST_WINNERS:
        won = [*won[:MOST_WINNERS], f"+{len(won) - MOST_WINNERS}"]
    if won:
        yield render_label("cup-won" if len(won) == 1 else "cup-won-shared", language, names=won)
    if own is not None:
        code = "cup-rung" if is_ladder(table) else "cup-place-division" if several else "cup-place"
        yield render_label(code, language, place=own.place, count=own.count, division=view.own)
        if several and view.own > 1 and own.place > 1:
            first = [clean_name(name) for name in list_division_winners(table)]
            yield render_label("cup-first-division", language, names=first)
        yield from _iter_league_moves(view, table, language)
        yield render_label("cup-congratulation" if own.place <= 3 < own.count else "cup-thanks", language)
    elif view.own:
        yield render_label("cup-out", language)


def _iter_league_moves(view: TournamentView, table: TournamentTable | None, language: str) -> Iterator[str]:
    """Yield whether the reader goes up or down in a league."""
    if table is None or len(view.fields) < 2 or view.topic != "final":
        return
    at = next((n for n, line in enumerate(table.cross.lines) if line.number == table.you), 0) if table.cross else 0
    down = table.cross is not None and at >= len(table.cross.lines) - table.down
    yield render_label("cup-goes-up" if at < table.up else "cup-goes-down" if down else "cup-stays", language)


# ---- pairings and results ----


HOLD = "\u00a0"


def render_pairing(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """Return ``Tisch 1: Anna – Bert (K7Q2)``; with its result once it has one."""
    what = _render_bye(game, language) if game.kind == GameKind.BYE else _render_players(game, language)
    if not get_format(view).table:
        return _render_stage_game(game, view, what, language)
    return render_label("cup-table", language, table=game.board, what=what)


def _render_stage_game(game: TournamentGameLine, view: TournamentView, what: str, language: str) -> str:
    """Return ``Finale: Anna – Bert``, where a round has a name and is not only a number."""
    if not view.rounds or game.round < view.rounds - 3 or game.kind == GameKind.BYE:
        return what
    return render_label("cup-stage-game", language, stage=render_stage(_to_tie(game, view), view, language), what=what)


def _to_tie(game: TournamentGameLine, view: TournamentView) -> TournamentTie:
    return TournamentTie(game.round, game.names, third=game.round == view.rounds and game.board > 2)


def _render_bye(game: TournamentGameLine, language: str) -> str:
    return render_label(f"cup-names-bye{_get_bye_suffix(game)}", language, name=clean_name(game.names[0]))


def _get_bye_suffix(game: TournamentGameLine) -> str:
    return {"½": "-half", "0": "-none"}.get("".join(game.points), "")


def _render_players(game: TournamentGameLine, language: str) -> str:
    names = [clean_name(name) for name in game.names]
    two = len(names) == 2
    if not game.points:
        text = " – ".join(names) if two else ", ".join(names)
        return f"{text}{HOLD}({game.match})" if game.match else text
    scores = game.scores if any(game.scores) else ()
    if two:
        text = f"{' – '.join(names)}:{HOLD}{'–'.join(game.points)}"
        text += f"{HOLD}({':'.join(map(format_points, scores))})" if scores else ""
    else:
        behind = [f"{HOLD}({format_points(score)})" for score in scores] or [""] * len(names)
        text = ", ".join(f"{n}{HOLD}{p}{s}" for n, p, s in zip(names, game.points, behind, strict=True))
    how = render_settlement(game, language)
    return f"{text}, {how}" if how else text


def render_settlement(game: TournamentGameLine, language: str) -> str:
    """Return ``abgeschätzt, berichtigt``; an empty text for a game that was played to its end."""
    how = EndCause.FORFEIT if game.kind == GameKind.FORFEIT and game.how == EndCause.RULED else game.how
    codes = ([] if how == EndCause.PLAYED else [how.value]) + (["corrected"] if game.corrected else [])
    return ", ".join(render_label(f"cup-ended-{code}", language) for code in codes)


def render_own_game(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    """Return a game as one of those who play it reads it."""
    assert game.you is not None
    if game.kind == GameKind.BYE:
        kind = _get_bye_suffix(game) if get_format(view).table else "-knockout"
        return render_label(f"cup-own-bye{kind}", language)
    others = [clean_name(name) for seat, name in enumerate(game.names) if seat != game.you]
    if game.points:
        return _render_own_result(game, others, language)
    starts = "" if view.starter is None else "-you" if game.you == view.starter else "-other"
    who = clean_name(game.names[view.starter or 0])
    facts = {"who": who, "match": game.match, "name": others[0], "names": others}
    return render_label(f"cup-own-open{'' if len(others) == 1 else '-several'}{starts}", language, **facts)


def _render_own_result(game: TournamentGameLine, others: Sequence[str], language: str) -> str:
    assert game.you is not None
    mine = game.points[game.you]
    if len(others) > 1:
        text = render_label("cup-own-several", language, names=list(others), points=mine)
    else:
        how = {"1": "won", "0": "lost"}.get(mine, "drawn")
        scores = game.scores if any(game.scores) else ()
        kind = "" if scores else "-bare"
        facts = (
            {"own": format_points(scores[game.you]), "theirs": format_points(scores[1 - game.you])} if scores else {}
        )
        text = render_label(f"cup-own-{how}{kind}", language, name=others[0], **facts)
    ended = render_settlement(game, language)
    return f"{text}, {ended}" if ended else text


def render_stage(tie: TournamentTie, view: TournamentView, language: str) -> str:
    """Return ``Halbfinale``."""
    code = f"cup-stage-{_get_stage(tie, view)}"
    return render_label(code if code in load_labels(language) else "cup-stage", language, round=tie.round)


def _get_stage(tie: TournamentTie, view: TournamentView) -> str:
    """Return ``third``, or how many ties the stage has, which give it its name."""
    return "third" if tie.third else str(2 ** max(0, view.rounds - tie.round))


def render_tie(one: TournamentTie, view: TournamentView, language: str) -> str:
    """Return the two of a tie, the result between them, and who goes on."""
    names = [clean_name(name) for name in one.names]
    if len(names) == 1:
        return render_label("cup-tie-bye", language, one=names[0])
    facts = {"one": names[0], "other": names[1], "points": "–".join(one.points)}
    if one.through is None:
        return render_label("cup-tie-points" if one.points else "cup-tie-open", language, **facts).replace(
            ": ", f":{HOLD}"
        )
    last = one.round == view.rounds
    code = "cup-tie-over-bare" if not one.points else "cup-tie-over-final" if last else "cup-tie-over"
    text = render_label(code, language, winner=names[one.through], **facts)
    if len(set(one.points)) == 1:
        why = "scores" if len(set(one.sums)) > 1 else "seed"
        text = render_label(f"cup-tie-by-{why}", language, text=text, sums=" : ".join(map(format_points, one.sums)))
    return text.replace(f": {facts['points']}", f":{HOLD}{facts['points']}") if one.points else text
