"""Every sample mail, laid out once: those of the other modules, and those that a player asked for (overview, board,
tiles, history, calendar, rules, all commands, puzzles), with what commands without a match led to."""

from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from itertools import groupby
from typing import Any

import pytest

from moderator.commands.player.help import build_help_text
from moderator.common.mails import File, RenderedMail
from moderator.language.messages import load_rules_text
from moderator.notifications import content
from moderator.notifications.content import HelpTopic, MoveView, ReplyAddress
from moderator.notifications.content import build_review_text as review_content
from moderator.notifications.pages import LineOutcome, Page, Receipt
from moderator.render import boards
from moderator.render.mail import render_mail
from moderator.review.review import review_match
from moderator.rules.game import Note, View
from moderator.rules.outcomes import CommandDone, CommandRefused
from moderator.rules.silence import SeatStatus
from moderator.views.match_view import WITH_STATE
from tests.pages import match_pages, sample_club_pages, sample_pages, sample_tournaments
from tests.pages.sample_pages import BARE, DEADLINE, NOBODY, QUIET, Language, reply, turn
from tests.review.played import play

LONG = sample_pages.LONG_NAME
PROMPT = content.Promptness(
    (
        content.PromptnessFigures("Anna", 100, 12, 14, 0, 3),
        content.PromptnessFigures("Jörg", 83, 10, 35, 2, 0),
        content.PromptnessFigures(LONG, None),
    )
)
WITHOUT: dict[str, Any] = {"match": None, **BARE, **NOBODY, "deadline": None}
NO_MATCH = {**WITHOUT, "reply": ReplyAddress("games@example.org", ""), "names": (), "examples": {}}
ARCHIVED = {
    "end": "https://club.example/archive/matches/K7Q2.html",
    "cup-report-swiss": "https://club.example/archive/tournaments/T3.html",
}
"""Mails as a club sends them whose archive is on the web, with the address that they name."""


@cache
def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    found: dict[str, Page] = {}
    for make in (sample_pages, match_pages, sample_club_pages, sample_tournaments):
        found |= make.pages(language)
    found |= asked(language)
    found |= {f"{name}-archive": replace(found[name], archive=address) for name, address in ARCHIVED.items()}
    return {name: signed(page) for name, page in found.items()}


@cache
def mail(language: Language, name: str) -> RenderedMail:
    """Its pictures are empty: drawing them takes most of the time, and only tests of pictures look at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, "render_board_png", lambda scene, crop=None: b"")
        return render_mail(pages(language)[name])


@cache
def names() -> tuple[str, ...]:
    """All golden names. Not known before a test asks: matches are played to make the pages."""
    return tuple(sorted(pages("de")))


def signed(page: Page) -> Page:
    """With the line thin the unit of work puts under it; of the help, with what the commands say."""
    if isinstance(page.content, content.HelpText) and not page.content.groups:
        return replace(page, content=replace(build_help_text(page.reader.language), moves=page.content.moves))
    match = page.match
    if page.kind not in WITH_STATE or match is None or not page.seats:
        return page
    scores = ", ".join(f"{seat.name[:20].rstrip()} {seat.score}" for seat in page.seats)
    until = "2025-11-24T20:00+01:00" if page.deadline else "-"
    line = f":: {match.code} {match.game_name} · R{match.round} · 17 · {scores} · ZAT {until} · 3f9a1c2b44"
    return replace(page, state_line=line)


def overview() -> content.Overview:
    def line(code: str, name: str, game: str, **more: Any) -> content.OverviewMatch:
        return content.OverviewMatch(code, name, game, reply(code), **more)

    return content.Overview(
        matches=(
            line("M4RA", "Winter", "dominos", awaited=("Anna", LONG), deadline=DEADLINE),
            line("K7Q2", "Arratia", "topwords", status=SeatStatus.TO_MOVE, deadline=DEADLINE - timedelta(days=2)),
            line("P8TE", "E5 w HAUS", "recht", status=SeatStatus.SUBMITTED, deadline=DEADLINE),
            line("W3UG", "Sommer", "presto", awaited=("Anna",), state="pause", deadline=DEADLINE),
            line("T5ZK", "Herbst", "tridom", state="held", deadline=DEADLINE),
            line("B2CD", "Ruhe", "point", state="suspended"),
            line("C3EF", "Alt", "kreuzwort", awaited=("Anna",), status=SeatStatus.LEFT, deadline=DEADLINE),
            line("D4GH", "Post", "supertridom", awaited=("Anna",), state="mail", deadline=DEADLINE),
        ),
        open=(
            content.OpenMatch("E5JK", "Frühling", "domijongg", ("Anna", "Bert"), 2),
            content.OpenMatch("F6LM", "passe", "topwords", (), 1),
        ),
        leaves=((date(2025, 12, 24), date(2026, 1, 2)),),
    )  # fmt: skip


def history() -> content.MatchHistory:
    """Of a match of Topwords: moves, a fallback, an exchange of one's own and another's, what was taken back."""
    anna = MoveView(0, "Anna", played="D5 s RATTE", alternative=3, points=21)
    joerg = MoveView(1, "Jörg", True, "passe", 1)
    exchange = Note("exchanged", {"count": 2})
    first = (
        content.HistoryTurn(replace(anna, played="E5 w HAUS", alternative=1, points=8), 8),
        content.HistoryTurn(replace(joerg, played="tausche Q Y", notes=(replace(exchange, seat=1),)), 0),
        content.HistoryTurn(
            MoveView(2, LONG, played="tausche 2", alternative=1, notes=(replace(exchange, seat=2),)), 0
        ),
    )
    second = (
        content.HistoryTurn(anna, 29),
        content.UndoneTurns(2),
        content.HistoryTurn(joerg, 0),
        content.HistoryTurn(MoveView(2, LONG, points=-4, failed=(sample_pages.NO_Z,)), -4),
        Note("seat-resigned", {"name": LONG}),
        Note("history-taken-over", {"name": "Dörte"}),
    )
    rounds = (
        content.HistoryRound(1, first, (("Anna", 8), ("Jörg", 0), (LONG, 0))),
        content.HistoryRound(2, second, (("Anna", 29), ("Jörg", 0), (LONG, -4))),
    )
    return content.MatchHistory(rounds, PROMPT)


@cache
def review() -> content.ReviewText:
    """Of a short match of Topwords, whose second seat plays by chance."""
    return review_content(review_match(play("topwords", 11, who="mixed", most=8).work))


SOLVED = (
    Note("puzzle-solution", {"count": 11, "move": "50@R", "points": 15}),
    Note("puzzle-from", {"match": "M4RA", "name": "Winter"}),
    Note("puzzle-found-by", {"names": ("Jörg", LONG)}),
    Note("puzzle-seated-found", {"names": ("Dörte",)}),
)
PUZZLE = content.PuzzleNotification(
    12,
    (
        Note("puzzle-task", {"turns": 422}),
        Note("puzzle-score", {"own": 118, "others": [96, 140]}),
        Note("puzzle-you-sat-there"),
    ),
    (
        Note("puzzle-answered", {"move": "E5 w HAUS", "points": 8}),
        Note("puzzle-how", {"until": DEADLINE}),
        Note("puzzle-stop"),
    ),
    SOLVED,
    "dominos",
)
"""The position is that of the sample match."""


def played_history(key: str) -> content.MatchHistory:
    """Every move of the sample match of a game."""
    rounds = []
    for number, run in groupby(match_pages.played(key).moments, key=lambda one: one.before.state.public.round):
        moments = list(run)
        turns = tuple(
            content.HistoryTurn(match_pages.report(one.result), one.after.state.scores[one.result.moves[0].seat])
            for one in moments
        )
        scores = moments[-1].after.state.scores
        rounds.append(content.HistoryRound(number, turns, tuple(zip(match_pages.NAMES, scores, strict=False))))
    return content.MatchHistory(tuple(rounds), content.Promptness(()))


def asked(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    dates = content.DeadlineList(
        (
            content.DeadlineLine("K7Q2", "Arratia", "topwords", DEADLINE, True),
            content.DeadlineLine("M4RA", "Winter", "dominos", DEADLINE + timedelta(days=3), False),
        ),
        address="https://club.example/calendar/abcdefgh234567abcdefgh2345.ics",
    )
    ics = File("zat.ics", "text/calendar; charset=utf-8; method=PUBLISH", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
    ambiguous = Note("game-ambiguous", {"name": "dom", "games": ["Dominos", "Domi Jongg"]})
    wrong = LineOutcome(2, "regeln dom", "error", notes=(ambiguous,), example="Regeln Topwords")
    single = LineOutcome(0, "Einzelzug an", "command", notes=(Note("auto-single-on"),))
    noted = (Note("puzzle-kept", {"until": DEADLINE}), Note("puzzle-replaces", {"order": "C3 s MOND"}))
    kept = LineOutcome(1, "e5 w haus", "move", "E5 w HAUS", points=8, notes=noted)
    unknown = (Note("puzzle-word", {"words": ["QZ"]}), Note("puzzle-unchanged"))
    refused = LineOutcome(1, "B2 w QZ", "impossible", "B2 w QZ", notes=unknown)
    corrected = (Note("score-corrected", {"old": 118, "new": 97}, seat=0), Note("starts", seat=1))
    about_match = WITHOUT | {"match": sample_pages.match(language)}
    answered = NO_MATCH | {"reply": reply("PUZZ"), "about_game": "topwords"}
    position = {**NOBODY, **QUIET, "match": None, "seats": (), "deadline": None, "reply": reply("PUZZ")}

    def plain(kind: str, **more: Any) -> Page:
        return turn(language, kind=kind, **NO_MATCH | more)

    def puzzle(asked: content.PuzzleNotification) -> Page:
        return turn(language, kind="puzzle", about_game="topwords", content=asked, **position)

    found = {
        "overview": plain("overview", content=overview()),
        "overview-none": plain("overview", content=content.Overview()),
        "board": turn(language, kind="board"),
        "board-table": turn(language, kind="board", reader=replace(turn(language).reader, board="table")),
        "rack": turn(language, kind="rack", scene=None),
        "rack-empty": turn(language, kind="rack", scene=None, rack=None),
        "history": turn(language, kind="history", content=history(), **about_match),
        "review": turn(language, kind="review", content=review(), **about_match),
        "puzzle": puzzle(PUZZLE),
        "puzzle-first": puzzle(replace(PUZZLE, number=1, solved=(), solved_game="")),
        "puzzle-solved": plain("puzzle", content=content.PuzzleNotification(solved=SOLVED, solved_game="dominos")),
        "calendar": plain("calendar", content=dates, files=(ics,)),
        "help-plain": plain("help", content=build_help_text(language, "Wetter", is_of_match=False)),
        **{f"help-{one}": turn(language, kind="help", content=build_help_text(language, one)) for one in HelpTopic},
        "status-prompt": turn(language, kind="status", content=PROMPT, **QUIET),
        "done": plain("done", receipt=Receipt(CommandDone(), (single,))),
        "done-puzzle": plain("done", receipt=Receipt(CommandDone(), (kept,)), **answered),
        "done-puzzle-not": plain("done", receipt=Receipt(CommandRefused(), (refused,)), **answered),
        "done-misused": plain("done", receipt=Receipt(CommandRefused(), (single, wrong))),
        "correction": turn(language, kind="correction", reports=(), notes=corrected),
    }
    for key in match_pages.TILE_GAMES:
        match = match_pages.played(key)
        last = match_pages.page(key, language, len(match.moments) - 1, 0)
        found[f"{key}-history"] = replace(last, kind="history", content=played_history(key), scene=None, rack=None)
        early = match_pages.page(key, language, match_pages.moment(match, "turn"), 0)
        found[f"{key}-rack"] = replace(early, kind="rack", scene=None)
    for key in ("topwords", "tridom", "recht"):
        found[f"{key}-rules"] = plain("rules", content=load_rules_text(key, language))
    return found


def views() -> dict[str, tuple[str, View[Any]]]:
    """Golden name of a mail about a match of tiles -> (game, what its reader sees, with all tiles in hand)."""
    found = match_pages.views()
    for key in match_pages.TILE_GAMES:
        match = match_pages.played(key)
        at = match_pages.moment(match, "turn")
        found[f"{key}-history"] = key, match_pages.greedy_view(key, match.moments[-1].before.state)
        found[f"{key}-rack"] = key, match_pages.greedy_view(key, match.moments[at].after.state)
    return found
