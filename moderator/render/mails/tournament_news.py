"""What a mail about a tournament says first: the fate of its reader, the reason, and what comes next, in this order and
in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moderator.common.enums import GameKind, MailKind, TournamentStatus
from moderator.common.text import capitalize_start, clean_name
from moderator.language import dates
from moderator.language.messages import load_labels, render_code, render_label, render_note
from moderator.notifications.content import TournamentGameLine, TournamentTable, TournamentTie, TournamentView
from moderator.notifications.pages import Page
from moderator.render.mails.headline import format_name_list, format_points
from moderator.render.mails.tournament import (
    find_own_table,
    find_reader_place,
    format_decimal,
    format_round_end,
    get_bracket,
    get_bye_suffix,
    get_page_tournament,
    get_stage,
    is_ladder,
    list_division_winners,
    list_open_games,
    list_opponent_names,
    render_own_game,
    render_stage,
    render_tournament_name,
    to_tie,
)
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import Crosstable, CrosstableLine

BEFORE_START = (TournamentStatus.PLANNED, TournamentStatus.OPEN)


def render_tournament_news(page: Page) -> str:
    """Return the headline of the mail, which is its subject, too."""
    view = get_page_tournament(page)
    if noted := _find_noted_headline(page):
        return noted
    if view.status in BEFORE_START:
        return _render_invitation(page, view)
    match view.topic:
        case "pairings":
            return _render_pairing(page, view)
        case "warning":
            return _render_warning(page, view)
        case "report":
            return _render_fate(page, view)
        case _ if view.topic == "final" or view.status == TournamentStatus.FINISHED:
            return _render_final(page, view)
        case _:
            return _render_status(page, view)


def iter_tournament_lines(page: Page) -> Iterator[str]:
    """Yield the lines under the headline: the reason, and what comes next until when."""
    view, language = get_page_tournament(page), page.reader.language
    if page.kind == MailKind.TOURNAMENT and page.notes:
        yield from filter(None, (render_note(note, language) for note in page.notes))
        if page.notes[0].code.startswith("cup-corrected"):  # the reader may have another place now
            over = view.status == TournamentStatus.FINISHED
            yield f"{_render_final(page, view) if over else _render_status(page, view)}."
        return
    if view.status in BEFORE_START:
        yield from _iter_invitation_lines(page, view)
    elif view.topic == "warning":
        yield from _iter_warning_lines(page, view)
    elif view.topic == "final" or view.status == TournamentStatus.FINISHED:
        language, table, place = page.reader.language, find_own_table(view), find_reader_place(view, page.reader.name)
        if view.own <= 1 and (place is None or place.place > 1):
            yield from _iter_winner(view, language)
        if table is not None and table.cross is not None:
            yield from iter_tie_break(table, table.cross, language)
        if view.rating is not None:
            rating, change = view.rating
            yield render_label("cup-rating", language, rating=rating, change=f"{change:+}".replace("-", "−"))
        if place is not None:
            yield render_label("cup-congratulation" if place.place == 1 else "cup-thanks", language)
    elif view.status == TournamentStatus.RUNNING:
        yield from _iter_running_lines(page, view)


def _find_noted_headline(page: Page) -> str:
    """Return the headline that the first of the notes has; an empty text where none has one."""
    language = page.reader.language
    for note in page.notes if page.kind == MailKind.TOURNAMENT else ():
        if f"cup-what-{note.code}" in load_labels(language):
            return render_label(f"cup-what-{note.code}", language, **note.params)
    return ""


# ---- before it begins ----


def _render_invitation(page: Page, view: TournamentView) -> str:
    language = page.reader.language
    if view.you_in:
        waits = page.reader.name in view.standby
        return render_label("cup-what-waiting" if waits else "cup-what-in", language, **_name_it(page, view))
    facts = {"game": render_code("name", language, view.game), **_name_it(page, view)}
    if view.status == TournamentStatus.PLANNED:
        return render_label("cup-what-planned", language, **facts)
    if view.closes_at is None:
        return render_label("cup-what-invite-open", language, **facts)
    day = dates.format_brief_day(view.closes_at, language, page.reader.zone)
    return render_label("cup-what-invite", language, day=day, **facts)


def _name_it(page: Page, view: TournamentView) -> dict[str, str]:
    return {"cup": render_tournament_name(view, page.reader.language)}


def _iter_invitation_lines(page: Page, view: TournamentView) -> Iterator[str]:
    language, reader = page.reader.language, page.reader
    if view.closes_at is None:
        yield render_label("cup-starts-open" if view.you_in else "cup-joining-open", language)
        return
    when = dates.format_moment(view.closes_at, page.now, language, reader.zone, page.club_zone)
    yield render_label("cup-starts" if view.you_in else "cup-joining-until", language, deadline=when)
    if view.you_in and reader.name in view.standby:
        ahead = view.standby.index(reader.name)
        yield render_label("cup-ahead" if ahead else "cup-ahead-none", language, count=ahead)


# ---- a round ----


def _render_pairing(page: Page, view: TournamentView) -> str:
    """Return how the round before went, and whom the reader meets in this one."""
    language = page.reader.language
    if view.at_once:
        return render_label("cup-pair-at-once" if view.yours else "cup-pair-none", language, count=len(view.yours))
    if not view.yours:
        return _render_fate(page, view) if view.before else render_label("cup-pair-none", language, round=view.round)
    if not view.before:
        return _render_meeting(page, view, "cup-pair")
    if get_bracket(view) is not None:
        return _render_fate(page, view)
    following = _render_meeting(page, view, "cup-next")
    return render_label("cup-then", language, text=_render_fate(page, view), next=following)


def _render_meeting(page: Page, view: TournamentView, code: str) -> str:
    """Return ``Runde 4: du gegen Amy``, ``Finale: du gegen Amy``."""
    language, game = page.reader.language, view.yours[0]
    facts = {"stage": _render_round(game, view, language), "round": game.round}
    if game.kind == GameKind.BYE:
        kind = get_bye_suffix(game) if get_format(view).table else "-knockout"
        return render_label(f"{code}-bye{kind}", language, **facts)
    others = tuple(dict.fromkeys(list_opponent_names(game)))
    several = "-several" if len(others) > 1 else ""
    return render_label(f"{code}{several}", language, names=format_name_list(others, language), **facts)


def _render_round(game: TournamentGameLine, view: TournamentView, language: str) -> str:
    if get_format(view).table:
        return render_label("cup-stage", language, round=game.round)
    return render_stage(to_tie(game, view), view, language)


def _render_fate(page: Page, view: TournamentView) -> str:
    """Return what the round that is over brought the reader."""
    language = page.reader.language
    if (bracket := get_bracket(view)) is not None:
        own = [tie for tie in bracket.ties if page.reader.name in tie.names and tie.through is not None]
        return _render_tie_fate(max(own, key=lambda tie: tie.round), view, page) if own else _render_over(page, view)
    if not view.before:
        return _render_over(page, view)
    text = _render_round_result(view.before[0], language)
    place = find_reader_place(view, page.reader.name)
    return render_label("cup-with-place", language, text=text, place=place.place) if place else text


def _render_over(page: Page, view: TournamentView) -> str:
    over = view.round - 1 if view.topic == "pairings" else view.round
    return render_label("cup-round-over", page.reader.language, round=over)


def _render_round_result(game: TournamentGameLine, language: str) -> str:
    assert game.you is not None
    if game.kind == GameKind.BYE:
        return render_label("cup-round-bye", language, round=game.round)
    others = list_opponent_names(game)
    mine = format_decimal(game.points[game.you], language) if game.points else ""
    how = "several" if len(others) > 1 else {"1": "won", "0": "lost"}.get(mine, "drawn")
    names = format_name_list(others, language)
    return render_label(f"cup-round-{how}", language, round=game.round, names=names, points=mine)


def _render_tie_fate(tie: TournamentTie, view: TournamentView, page: Page) -> str:
    language, name = page.reader.language, page.reader.name
    semi = tie.round == view.rounds - 1
    assert tie.through is not None
    if tie.names[tie.through] == name:
        code = "cup-fate-final" if semi else "cup-fate-through"
    else:
        code = "cup-fate-third" if semi and view.third else "cup-fate-out"
    if len(tie.names) == 1:
        return render_label("cup-fate-bye", language)
    return render_label(code, language, tie=render_own_tie(tie, name, language))


def render_own_tie(tie: TournamentTie, name: str, language: str) -> str:
    """Return ``1 : 1 gegen Ben, mit 5 Punkten mehr``: the rule that decided is named only where it did."""
    you = tie.names.index(name)
    other = clean_name(tie.names[1 - you])
    if not tie.points:
        return render_label("cup-tie-own-bare", language, name=other)
    facts = {"own": tie.points[you], "theirs": tie.points[1 - you], "name": other}
    text = render_label("cup-tie-own", language, **facts)
    if len(set(tie.points)) > 1 or tie.through is None:
        return text
    more = tie.sums[you] - tie.sums[1 - you] if tie.sums else 0
    code = "seed" if not more else "more" if more > 0 else "less"
    return render_label(f"cup-tie-own-{code}", language, text=text, count=abs(more))


def _iter_running_lines(page: Page, view: TournamentView) -> Iterator[str]:
    language, table = page.reader.language, find_own_table(view)
    if table is not None and table.cross is not None and view.topic != "table":
        yield from _iter_lead(table, table.cross, language)
    if view.topic == "pairings" and view.before and view.yours and get_bracket(view) is not None:
        legs = len({game.match for game in view.yours if game.match})
        text = _render_meeting(page, view, "cup-pair")
        yield render_label("cup-legs", language, text=text, count=legs) if legs > 1 else f"{text}."
    if table is not None and table.cross is not None:
        yield from iter_tie_break(table, table.cross, language)
    if view.topic == "report" or not get_format(view).in_rounds:
        return
    still = list_open_games(view)
    if not still and view.yours and not view.at_once:
        last = "-last" if view.rounds and view.round >= view.rounds else ""
        yield render_label(f"cup-nothing-to-do{last}", language)
    elif still and view.ends_at is not None:
        several = "-several" if len(still) > 1 else ""
        yield render_label(f"cup-by-{view.adjudicate}{several}", language, deadline=format_round_end(page, view))


def _iter_lead(table: TournamentTable, cross: Crosstable, language: str) -> Iterator[str]:
    """Yield who leads with how many points, and what the reader has."""
    own = _find_own_line(table, cross)
    first = next((line for line in cross.lines if line.place == "1"), None)
    if first is None:
        return
    points = format_decimal(first.points, language)
    facts = {"name": clean_name(first.name)}
    facts["points"] = render_label("cup-lead-one" if points == "1" else "cup-lead-points", language, points=points)
    if own is None:
        yield render_label("cup-lead-alone", language, **facts)
    elif own.number == first.number:
        yield render_label("cup-lead-you", language, **facts)
    else:
        yield render_label("cup-lead", language, own=format_decimal(own.points, language), **facts)


def _find_own_line(table: TournamentTable, cross: Crosstable) -> CrosstableLine | None:
    return next((line for line in cross.lines if line.number == table.you and line.place), None)


def iter_tie_break(table: TournamentTable, cross: Crosstable, language: str) -> Iterator[str]:
    """Yield which rule put the reader before or behind those with as many points; nothing where the points did."""
    own = _find_own_line(table, cross)
    if own is None or not any(any(line.cells) for line in cross.lines):
        return
    equal = [one for one in cross.lines if one.place and one.points == own.points and one.number != own.number]
    apart = [line for line in equal if line.place != own.place]
    at = next((n for n, value in enumerate(own.ties) if any(line.ties[n] != value for line in apart)), None)
    if at is None or len(equal) > MOST_EQUAL:
        return
    shown = [f"{clean_name(line.name)} {_format_tie(line.ties[at], language)}" for line in equal]
    mine = render_label("cup-equal-own", language, value=_format_tie(own.ties[at], language))
    yield render_label(
        "cup-equal",
        language,
        names=format_name_list([line.name for line in equal], language),
        rule=render_label(f"cup-tie-name-{cross.columns[at]}", language),
        values=", ".join((*shown, mine)),
    )


def _format_tie(value: str, language: str) -> str:
    return format_decimal(value or "0", language).replace("-", "−")


MOST_EQUAL = 3
"""With more others of as many points the sentence would be a table."""


# ---- shortly before the end of a round ----


def _render_warning(page: Page, view: TournamentView) -> str:
    language, still = page.reader.language, list_open_games(view)
    assert view.ends_at is not None
    left = dates.format_time_left(view.ends_at, page.now, language, page.reader.zone)
    left = capitalize_start(left)
    if len(still) != 1:
        return render_label("cup-warn-several", language, left=left, count=len(still))
    names = format_name_list(list_opponent_names(still[0]), language)
    return render_label("cup-warn", language, left=left, names=names)


def _iter_warning_lines(page: Page, view: TournamentView) -> Iterator[str]:
    language, still = page.reader.language, list_open_games(view)
    until = format_round_end(page, view)
    if len(still) != 1:
        yield render_label(f"cup-by-{view.adjudicate}-several", language, deadline=until)
        return
    game = still[0]
    if page.reader.name in game.awaited:
        yield render_label("cup-warn-you", language)
    elif game.awaited:
        yield render_label("cup-warn-other", language, names=format_name_list(game.awaited, language))
    if view.adjudicate != "score" or not game.standing or game.you is None:
        yield render_label(f"cup-by-{view.adjudicate}", language, deadline=until)
        return
    yield render_label("cup-warn-counts", language, deadline=until, sums=_format_standing(game, language))
    best = max(game.standing)
    ahead = "level" if game.standing.count(best) > 1 else "won" if game.standing[game.you] == best else "lost"
    if ahead != "level" or game.standing[game.you] == best:
        yield render_label(f"cup-warn-{ahead}", language)


def _format_standing(game: TournamentGameLine, language: str) -> str:
    parts = (
        (render_label("you", language) if seat == game.you else clean_name(name), format_points(points))
        for seat, (name, points) in enumerate(zip(game.names, game.standing, strict=True))
    )
    return ", ".join(f"{name} {points}" for name, points in parts)


# ---- at the end ----


def _render_final(page: Page, view: TournamentView) -> str:
    language, table, place = page.reader.language, find_own_table(view), find_reader_place(view, page.reader.name)
    if place is None:
        return render_label("cup-final-out" if view.own else "cup-final-over", language)
    facts = {"place": place.place, "count": place.count, "division": view.own}
    if table is not None and is_ladder(table):
        return render_label("cup-final-rung", language, **facts)
    if table is not None and len(view.fields) > 1:
        return render_label(f"cup-final-{_find_league_move(table, place.place, view)}", language, **facts)
    text = render_label("cup-final-won" if place.place == 1 else "cup-final-place", language, **facts)
    bracket = get_bracket(view)
    own = [tie for tie in bracket.ties if page.reader.name in tie.names] if bracket else []
    tie = max(own, key=lambda tie: tie.round, default=None)
    if tie is None or len(tie.names) < 2 or tie.through is None:
        return text
    return render_label("cup-final-tie", language, text=text, tie=render_own_tie(tie, page.reader.name, language))


def _find_league_move(table: TournamentTable, place: int, view: TournamentView) -> str:
    """Return whether the reader goes up or down in a league, wins it, or stays."""
    at = next((n for n, line in enumerate(table.cross.lines) if line.number == table.you), 0) if table.cross else 0
    if at < table.up:
        return "up"
    if table.cross is not None and at >= len(table.cross.lines) - table.down:
        return "down"
    return "champion" if place == 1 and view.own == 1 else "stays"


def _iter_winner(view: TournamentView, language: str) -> Iterator[str]:
    bracket = get_bracket(view)
    top = view.tables[0] if view.tables else None
    won = list_division_winners(top)
    if not won or len(won) > MOST_WINNERS:
        return
    final = next((t for t in bracket.ties if t.round == view.rounds and not t.third), None) if bracket else None
    if final is not None and final.through is not None and len(final.names) == 2 and final.points:
        winner, other = final.names[final.through], final.names[1 - final.through]
        points = (final.points[final.through], final.points[1 - final.through])
        stage = render_label(f"cup-stage-{get_stage(final, view)}", language)
        facts = {"name": clean_name(winner), "other": clean_name(other), "stage": stage}
        yield render_label("cup-won-final", language, own=points[0], theirs=points[1], **facts)
        return
    code = "cup-won" if len(won) == 1 else "cup-won-shared"
    yield render_label(code, language, names=format_name_list(won, language))


MOST_WINNERS = 4


def _render_status(page: Page, view: TournamentView) -> str:
    """Return where the reader stands in a running tournament."""
    language, place = page.reader.language, find_reader_place(view, page.reader.name)
    if view.status == TournamentStatus.CANCELLED:
        return render_label("cup-cancelled", language)
    if place is not None:
        code = "cup-status-rung" if is_ladder(find_own_table(view)) else "cup-status"
        return render_label(code, language, place=place.place, count=place.count)
    own: Sequence[TournamentTie] = ()
    if (bracket := get_bracket(view)) is not None:
        own = [tie for tie in bracket.ties if page.reader.name in tie.names and tie.through is not None]
    if own:
        return _render_tie_fate(max(own, key=lambda tie: tie.round), view, page)
    return render_label("cup-what-table", language)


def list_own_results(page: Page, view: TournamentView) -> tuple[str, ...]:
    """Return the reader's games of a tournament that is over, each with its result."""
    return tuple(
        render_own_game(game, view, page.reader.language)
        for game in view.yours
        if game.points and game.kind != GameKind.BYE
    )
