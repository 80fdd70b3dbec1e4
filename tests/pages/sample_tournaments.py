"""Sample pages about tournaments: every topic and every format, from tournaments that were really worked out."""

from dataclasses import replace
from datetime import timedelta
from functools import cache

from moderator.notifications.content import (
    AboutTournament,
    ReplyAddress,
    Topic,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentView,
)
from moderator.notifications.pages import DigestNotification, Page, Reader
from moderator.rules.ending import EndCause
from moderator.rules.game import Note
from moderator.tournaments import formats
from moderator.tournaments.field import Entrant, Game, TournamentState, build_result, decide_by_absence
from moderator.tournaments.formats import knockout, swiss, tables
from moderator.tournaments.standings import (
    build_crosstable,
    compute_place_ranges,
    compute_places_by_round,
    format_fraction,
)
from moderator.views.tournament_view import to_named_standings
from tests.pages import sample_pages
from tests.pages.sample_pages import DEADLINE, NOW, Language

NAMES = (
    *("Anna", "Jörg", "Maximiliane-Charlotte von Größenbrück", "Dora", "passe", "Fritz", "Gerda", "Hilfe"),
    *("Ida", "Johann Wolfgang", "Käthe", "Lothar", "E5 w HAUS", "Nora", "Otto", "Paula"),
)
CODES = (
    "K7Q2", "M4RA", "P8TE", "W3UG", "T5ZK", "B2CM", "C6DN", "D9EP", "E4FQ", "F5GR", "G6HS", "H7JT", "J8KU", "L9LV",
    "N2MW", "Q3NX", "R4PY", "S5QZ", "U6RA", "V7SB",
)  # fmt: skip
SCORES = ((310, 250), (188, 240), (201, 201), (415, 118), (96, 97))
ENDS = DEADLINE + timedelta(days=40)
YOU = 2
"""The number of the reader, Jörg."""


def field(count: int, left: int = 0) -> tuple[Entrant, ...]:
    return tuple(Entrant(n, NAMES[n - 1], 1500 - 20 * n, left=2 if n == left else None) for n in range(1, count + 1))


def end(game: Game, at: int) -> Game:
    """The game with some result; that of a table of more than two, too."""
    if game.result is not None:
        return game
    if at % 9 == 8:
        return decide_by_absence(game, game.seats[-1:])
    scores = SCORES[at % 5] if len(game.seats) == 2 else tuple((37 * (at + 3 * n)) % 190 for n in game.seats)
    return replace(game, result=build_result(scores))


def played(games: tuple[Game, ...], until: int) -> tuple[Game, ...]:
    return tuple(end(game, at) if at < until else game for at, game in enumerate(games))


@cache
def robin(count: int, share: float, double: bool = False, left: int = 0) -> TournamentState:
    games = tuple(sorted(tables.build_round_robin(range(1, count + 1), double), key=lambda g: (g.round, g.table)))
    name = "double" if double else "robin"
    t = TournamentState(name, field(count, left), rounds=max(game.round for game in games))
    return t.with_games(played(games, round(share * len(games))))


@cache
def swiss_of(count: int, rounds: int, last: int) -> TournamentState:
    """``rounds`` of ``last`` are over, the next one is not paired."""
    t = TournamentState("swiss", field(count), rounds=last, seed=7)
    for round in range(1, rounds + 1):
        games = swiss.pair_swiss_round(t, round)
        t = t.with_games(played(games, len(games)))
    return t


def paired(t: TournamentState) -> TournamentState:
    """With the next round."""
    following = 1 + max((game.round for game in t.games), default=0)
    pair = (
        knockout.pair_knockout_round(t, following) if t.format == "knockout" else swiss.pair_swiss_round(t, following)
    )
    return t.with_games(pair)


@cache
def rotation(share: float) -> TournamentState:
    games = tables.build_rotation(range(1, 8), 3, None, 5)
    t = TournamentState("tables", field(7), rounds=max(game.round for game in games))
    return t.with_games(played(tuple(games), round(share * len(games))))


@cache
def bracket(rounds: int) -> TournamentState:
    """Six players, ``rounds`` are over."""
    t = TournamentState("knockout", field(6), rounds=3, options={"legs": 2, "third": True})
    for round in range(1, rounds + 1):
        games = tuple(knockout.pair_knockout_round(t, round))
        t = t.with_games(played(games, len(games)))
    return t


def game_line(t: TournamentState, game: Game, at: int, how: EndCause = EndCause.PLAYED) -> TournamentGameLine:
    result = game.result
    return TournamentGameLine(
        game.round,
        game.table,
        tuple(t.get_entrant(number).name for number in game.seats),
        you=game.seats.index(YOU) if YOU in game.seats else None,
        match=CODES[at % len(CODES)] if game.kind == "game" else "",
        kind=game.kind,
        points=tuple(map(format_fraction, result.points)) if result else (),
        scores=result.scores if result and game.kind == "game" else (),
        how=EndCause.FORFEIT if game.kind == "forfeit" else how,
    )


def shown(t: TournamentState, topic: Topic, division: int = 1, you: int | None = YOU) -> TournamentTable:
    last = max((game.round for game in t.games), default=0)
    stands = formats.get_format(t).build_standing(t, {}, last, topic == "final")
    if stands is not None:
        return TournamentTable(division, to_named_standings(stands, {one.number: one.name for one in t.entrants}))
    table = build_crosstable(t, None if topic == "final" else compute_place_ranges(t))
    return TournamentTable(division, table, compute_places_by_round(t) if topic == "final" else None, you=you)


def view(t: TournamentState, topic: Topic, name: str = "Herbstturnier", **more: object) -> TournamentView:
    at_once = t.format in ("robin", "double", "league", "tables")
    round = 1 if at_once else max((game.round for game in t.games), default=0)
    games = [game for game in t.games if at_once or game.round == round]
    lines = tuple(
        game_line(t, game, at, EndCause.DEADLINE if at % 4 == 3 and game.result else EndCause.PLAYED)
        for at, game in enumerate(games)
    )
    values: dict[str, object] = {
        "topic": topic,
        "code": "T3",
        "name": name,
        "game": "topwords",
        "format": t.format,
        "status": "finished" if topic == "final" else "running",
        "round": round,
        "rounds": t.rounds,
        "entrants": tuple(one.name for one in t.entrants),
        "ends_at": ENDS,
        "at_once": at_once,
        "seats": 3 if t.format == "tables" else 2,
        "legs": 2 if t.format in ("double", "knockout", "league") else 1,
        "third": bool(t.options.get("third")),
        "starter": 0,
        "round_days": 12,
        "move_days": 7,
        "fields": (tuple(one.name for one in t.entrants),),
        "own": 1,
        "you_in": True,
    }
    if topic in ("pairings", "warning", "report", "table"):
        values |= {"games": lines, "yours": tuple(line for line in lines if line.you is not None)}
    if topic in ("report", "final", "table"):
        values["tables"] = (shown(t, topic),)
    if topic == "final":
        every = tuple(game_line(t, game, at) for at, game in enumerate(t.games))
        values |= {"yours": tuple(line for line in every if line.you is not None), "rating": (1238, 50)}
    if topic == "report":
        values["before"] = tuple(line for line in lines if line.you is not None)
    return TournamentView(**(values | more))  # type: ignore[arg-type]


def invite(format: str, **more: object) -> TournamentView:
    values: dict[str, object] = {
        "status": "open",
        "closes_at": DEADLINE + timedelta(days=9),
        "round": 0,
        "rounds": 0,
        "entrants": NAMES[:5],
        "fields": (),
        "own": 0,
        "you_in": False,
        "reach": 3,
        "division": 8,
        "ends_at": None,
    }
    return replace(view(TournamentState(format, ()), "invite"), **(values | more))  # type: ignore[arg-type]


def warning() -> TournamentView:
    """One game is open, and somebody else has to move."""
    found = view(paired(swiss_of(8, 2, 5)), "warning")
    own = tuple(replace(game, standing=(-42, -28)[: len(game.names)], awaited=game.names[:1]) for game in found.yours)
    return replace(found, yours=own, ends_at=NOW + timedelta(days=2))


def ladder(topic: Topic = "table") -> TournamentView:
    rungs = tuple(enumerate(("Anna", "passe", "Jörg", "Dora", NAMES[2]), 1))
    running = (("Jörg", "Anna", False), (NAMES[2], "Dora", True))
    table = TournamentTable(1, TournamentRungs(rungs, running), you=YOU)
    base = view(
        TournamentState("ladder", field(5)), topic, "Leiter", rounds=0, round=1, ends_at=None, games=(), yours=()
    )
    open_ = TournamentGameLine(1, 1, (NAMES[2], "Dora"), match="D4GH")
    return replace(base, tables=(table,), games=(open_,), challengeable=("Anna", "passe"), reach=3)


def league(topic: Topic) -> TournamentView:
    """The reader is in the second of three divisions."""
    divisions = (robin(4, 0.6), robin(6, 0.5, left=5), robin(5, 0.3))
    if topic == "final":
        divisions = (robin(4, 1), robin(6, 1, left=5), robin(5, 1))
    own = view(divisions[1], topic, "Liga Nord 2", format="league", own=2)
    fields = (("Zoë", "Bert", "Cem", "Dan"), tuple(one.name for one in divisions[1].entrants), NAMES[6:11])
    every = tuple(shown(t, topic, n, YOU if n == 2 else None) for n, t in enumerate(divisions, 1))
    if topic == "final":
        every = (replace(every[0], down=1), replace(every[1], up=1, down=1), replace(every[2], up=1))
    return replace(own, fields=fields, tables=every if own.tables else (), division=6, season=2)


def following(t: TournamentState, **more: object) -> TournamentView:
    """What whoever plays on reads when the next round of ``t`` begins, with how the last one was."""
    now, over = view(paired(t), "pairings"), view(t, "report")
    return replace(now, before=over.before, tables=over.tables, **more)  # type: ignore[arg-type]


def page(language: Language, one: TournamentView, *notes: Note, board: str = "png") -> Page:
    reader = Reader("Jörg", "joerg@example.org", language, "Europe/Berlin", board)  # type: ignore[arg-type]
    reply = ReplyAddress("games@example.org", "")
    return Page("cup", reader, "Spielerkreis", NOW, reply=reply, content=AboutTournament(one), notes=notes)


def views() -> dict[str, TournamentView]:
    """Golden name -> what the mail tells."""
    half, whole = robin(8, 0.5), robin(8, 1)
    third = paired(swiss_of(9, 2, 5))
    return {
        "cup-invite-robin": invite("robin", places=8, standby=("Paula",)),
        "cup-invite-swiss": invite("swiss", rounds=5),
        "cup-invite-swiss-in": invite("swiss", you_in=True, entrants=(*NAMES[:3], "Jörg"), closes_at=None),
        "cup-invite-tables": invite("tables", seats=4, entrants=(), places=4),
        "cup-invite-knockout": invite("knockout", legs=1, places=5, standby=("Paula", "Jörg"), you_in=True),
        "cup-invite-ladder": invite("ladder"),
        "cup-invite-league": invite("league"),
        "cup-pairings-robin": view(robin(8, 0), "pairings"),
        "cup-pairings-swiss": view(third, "pairings"),
        "cup-pairings-tables": view(rotation(0), "pairings", at_once=False, adjudicate="moderator"),
        "cup-pairings-knockout": view(paired(bracket(0)), "pairings"),
        "cup-pairings-knockout-2": view(paired(bracket(1)), "pairings"),
        "cup-pairings-league": league("pairings"),
        "cup-pairings-bye": following(swiss_of(9, 2, 5)),
        "cup-pairings-out": replace(following(bracket(2)), yours=(), third=False),
        "cup-warning-robin": view(half, "warning"),
        "cup-warning-swiss": warning(),
        "cup-report-swiss": view(swiss_of(9, 2, 5), "report"),
        "cup-report-tables": view(rotation(0.5), "report", at_once=False),
        "cup-report-knockout": view(bracket(1), "report"),
        "cup-table-robin": view(half, "table"),
        "cup-table-double": view(robin(6, 0.6, True, left=4), "table"),
        "cup-table-14": view(robin(14, 0.7), "table"),
        "cup-table-double-14": view(robin(14, 0.3, True), "table"),
        "cup-table-swiss": view(third, "table"),
        "cup-table-tables": view(rotation(0.5), "table"),
        "cup-table-knockout": view(paired(bracket(2)), "table"),
        "cup-table-league": league("table"),
        "cup-final-robin": view(whole, "final"),
        "cup-final-swiss": view(swiss_of(16, 5, 5), "final"),
        "cup-final-tables": view(rotation(1), "final"),
        "cup-final-knockout": view(bracket(3), "final"),
        "cup-final-league": league("final"),
    }


END = (
    Note("cup-point-won", {"cup": "Herbstturnier"}),
    Note("cup-point-lost", {"cup": "Herbstturnier"}),
    Note("cup-point-part", {"cup": "Herbstturnier", "points": "½"}),
    Note("cup-now", {"place": 3, "count": 8}),
    Note("cup-now-division", {"place": 3, "count": 8, "division": 2}),
)
"""One of each kind; a real mail has two at most."""
START = (Note("cup-match", {"cup": "Herbstturnier"}), Note("cup-match-ends", {"until": ENDS}))
TO_MODERATOR = (
    Note("cup-too-few", {"cup": "T3", "count": 1, "least": 4}),
    Note("cup-no-pairing", {"cup": "T3", "why": "Round 4 cannot be paired: all have met.", "fix": "Allow rematches."}),
    Note("cup-judge", {"cup": "T3", "match": "K7Q2"}),
)


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    found = {name: page(language, one) for name, one in views().items()}
    facts = {"name": "Dora", "own": 3, "before": 5, "theirs": 4, "down": 4}
    until = DEADLINE + timedelta(days=5)
    ladder_codes = (
        *("cup-challenged", "cup-challenged-free", "cup-accepted", "cup-refused", "cup-refused-up", "cup-refused-late"),
        *("cup-refused-late-up", "cup-refused-cost", "cup-refused-cost-late", "cup-rungs-won", "cup-rungs-lost"),
        *("cup-rungs-defended", "cup-rungs-kept", "cup-rungs-same", "cup-ladder-begins"),
    )
    for code in ladder_codes:
        sums = (Note("cup-rungs-sums", {"own": 0, "theirs": 10}),) if "rungs" in code else ()
        name = code.replace("cup-", "cup-ladder-", 1).replace("ladder-ladder", "ladder")
        found[name] = page(language, ladder(), Note(code, facts | {"until": until}), *sums)
    known = {"cup": "T3", "title": "Herbstturnier", "count": 3, "round": 2, "name": "Kim", "until": until, "place": 2}
    known |= {"game": "Topwords", "reason": "cups-swiss", "most": 8}
    news_codes = (
        *("cup-moved-up", "cup-moved-up-late", "cup-let-in", "cup-late-entry", "cup-prolonged", "cup-extended"),
        *("cup-cancelled", "cup-cancelled-games", "cup-taken-out", "cups-joined", "cups-joined-late", "cups-standby"),
        *("cups-left", "cups-leave-asks", "cups-withdrawn"),
    )
    plain = replace(invite("swiss", rounds=5), topic="news")
    found |= {f"cup-news-{code.partition('-')[2]}": page(language, plain, Note(code, known)) for code in news_codes}
    found["cup-table-ladder"] = page(language, ladder())
    third = replace(view(swiss_of(16, 3, 6), "table", "Liga 3"), code="T5")
    for what, several in (
        ("digest-cup", (view(robin(8, 0.5), "table"), league("table"), third)),
        ("digest-cup-other", (view(paired(bracket(1)), "table"), ladder(), view(rotation(0.5), "table"))),
    ):
        found[what] = replace(
            page(language, several[0]), kind="digest", content=DigestNotification(tournaments=several)
        )
    found["end-cup"] = replace(sample_pages.pages(language)["end"], remarks=END)
    start = sample_pages.pages(language)["start"]
    found["start-cup"] = replace(start, remarks=START)
    for name, one in (
        ("start-cup-first", view(swiss_of(8, 0, 5).with_games(paired(swiss_of(8, 0, 5)).games), "pairings")),
        ("start-cup-swiss", following(swiss_of(8, 2, 5))),
        ("start-cup-knockout", following(bracket(2))),
    ):
        found[name] = replace(start, content=replace(start.content, tournament=one))  # type: ignore[type-var]
    found["notice-cup"] = replace(sample_pages.pages(language)["notice"], notes=TO_MODERATOR)
    found["cup-final-text"] = page(language, view(robin(5, 1), "final"), board="text")
    return found
