"""Pages of real matches: each game whose rounds are dealt anew, played by robots from a fixed seed, and the mails of
its telling moments. Those of Typ-Dom begin with a script: fixed racks, the orders that lead to all that a mail can
tell, and the words that count."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import SimpleNamespace
from typing import Any

from moderator.commands.player.help import list_help_lines
from moderator.common.errors import Unreadable
from moderator.common.mails import Line
from moderator.common.typed import build_dataclass
from moderator.games import REGISTRY, load_game
from moderator.games.typdom.tiles import BLACK, RED
from moderator.language.messages import has_sentence
from moderator.notifications.content import HelpText, MoveView
from moderator.notifications.pages import LineOutcome, Page, Reader, Receipt
from moderator.rules import outcomes, shuffling, table, turn_data
from moderator.rules.ending import build_ending, build_match_outcome
from moderator.rules.events import build_final_positions, events_of_result
from moderator.rules.game import Game, State
from moderator.rules.log import EngineResult
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.orders.parse import merge_stored
from moderator.rules.outcomes import OrderIllegal, OrderStored, StandingOrderStored
from moderator.rules.robots import choose
from moderator.rules.robots.choose import choose_robot_move, rank_moves
from moderator.rules.state import Context, Note, View, view_for
from moderator.rules.table import MatchState
from moderator.rules.time.clock import TimeRules, build_accounts
from moderator.rules.verdict import Verdict
from moderator.rules.words import AnyWords, WordList
from moderator.service.orders import build_line_outcomes, find_example_line, parse_seat_lines
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_view import build_move_view, build_public_match_view, filter_visible, list_seat_views
from tests.pages.sample_pages import DEADLINE, LONG_NAME, NOTHING_MORE, NOW, Language, keep, reply

KNOWN = """
ABER ACHT ADLER AFFE ALLE ALT AM AMEISE AN ANGEL APFEL ARM ART AST AUGE AUS AXT BACH BAD BAER BALL BAND BANK BAR BAUER
BAUM BEIN BERG BETT BILD BIN BIRNE BLATT BLAU BLEI BODEN BOOT BOTE BRETT BROT BUCH BUNT BUS CLUB DACH DAME DANK DAS
DER DORF DOSE DREI DU DURST EBER ECHO ECKE EHE EI EIMER EIN EIS ELF ENDE ENTE ER ERBE ERDE ERNTE ES ESEL ESSEN EULE
EXAMEN FADEN FAHNE FARBE FELD FEST FEUER FISCH FLUR FROH FUSS GABEL GANS GAST GAUL GELB GELD GLAS GOLD GRAS GRUEN GUT
HAAR HAFEN HAHN HALM HALS HAND HASE HAUS HAUT HEFT HEIM HELD HEMD HERZ HIMMEL HIRSCH HOCH HOF HOLZ HONIG HOSE HUHN
HUND HUT IDEE IGEL IM IN INSEL JA JAHR KAMM KANNE KATZE KERN KIND KINO KLEE KNIE KOCH KOPF KORB KRONE KUH LAMPE LAND
LATTE LAUB LEITER LICHT LIED LINDE LOB LOS LUFT MAI MANN MAST MAUS MEER MEHL MESSER MILCH MOND MOOS MUT NACHT NADEL
NAHT NAME NASE NEIN NEST NETZ NEU NOT NUSS OBEN OBST OFEN OHR OMA OPA ORT OSTEN PAAR PFERD PLATZ POST RABE RAD RAND
RAT RAUM REGEN REH REIM REIS REISE RING ROCK ROSE ROT RUF RUND SAAL SACK SAFT SALZ SAND SATZ SCHAF SCHAL SEE SEGEL
SEIFE SEIL SIEB SILBER SO SOFA SOHN SONNE SPIEL STADT STALL STAR STEIN STERN STIER STROH STUHL TAG TAL TANNE TASSE
TAUBE TAXI TEE TEIL TIER TISCH TOPF TOR TUCH TUER TURM UFER UHR UM UND UNTEN VATER VIER VOGEL WAGEN WALD WAND WEG WEIN
WELT WIESE WIND WOLF WOLKE WORT ZAHL ZAUN ZEIT ZELT ZIEL ZU ZUG ZWEI
"""


class _Words(WordList):
    """Some words are refused for a reason that only a real dictionary has."""

    def judge(self, word: str, base: str | None = None) -> Verdict:
        if word == "KAM":
            return Verdict(word, "reject", "verb-form", self.source, {"lemma": "kommen"})
        return super().judge(word, base)


WORDS = _Words(KNOWN.split(), "Probewörter")


@dataclass(frozen=True)
class Script:
    """A match with fixed racks; ``orders`` are (seat, text), "" = nothing comes before the ZAT."""

    racks: tuple[str, ...]
    orders: tuple[tuple[int, str], ...]
    options: dict[str, Any] = field(default_factory=dict)

    def fixed(self) -> dict[str, Any]:
        """The deal as a record would fix it."""
        racks = [rack.split() for rack in self.racks]
        gone = Counter(tile for rack in racks for tile in rack)
        left = list((Counter((*RED, *BLACK)) - gone).elements())
        # Neither sorted nor shuffled: every third tile, so that both colours come soon.
        mixed = [*left[::3], *left[1::3], *left[2::3]]
        return {"racks": racks, "stock": mixed, "starter": 0}


_RACKS = ("A U U E I H S T N R D L B", "*r I E A O F B N N R K G M", "E I E A O M R X T S L C H")
_WORDS = (
    (0, "T20 w HAUS"),
    (1, "W20 s S*EIFE"),
    (2, "tausche E an W21; W24 w EIMER"),
    (0, "T20 s HUT"),
    (1, "kaufe rot"),
    (2, "T22 w TAXI + AA24 s ROT"),
    (0, ""),
)

_CROSSINGS = Script(_RACKS, _WORDS, {"games": 2})
SCRIPTS = {
    "kreuzwort": _CROSSINGS,
    "point": _CROSSINGS,
    "recht": Script(
        ("H E L T I R", "A N O B E *b", "C S L"),
        (
            (0, "H an T20 w = HAUS"),
            (1, "passe"),
            (2, "passe"),
            (1, "hinten A = HALM"),
            (2, "vorn C = SCHAL"),
            (1, "kaufe rot"),
            (1, "passe"),
        ),
    ),
    "presto": Script(
        ("E A E X M N B R", "A U U H S T", "A E I O N D *b"),
        ((0, "Gitter (..B / EXAMEN / ..R)"), (1, "Gitter (HAUS / U / T)"), (0, "passe"), (2, ""), (1, "")),
        {"rounds": 2},
    ),
}

MAILS = {
    "kreuzwort": ("Y24 s MOABN", "Y22 s KAM", "sonst Y24 s M*OND", "Y24 MOND", "Viele Grüße an alle!"),
    "point": ("Y24 s MOABN", "Y22 s KAM", "sonst Y24 s M*OND", "Y24 MOND", "Viele Grüße an alle!"),
    "recht": ("hinten *L = SCHALK", "sonst weiter L", "hinten T", "Viele Grüße an alle!"),
    "presto": ("HAUS", "U...", "ZIEL", "", "Viele Grüße an alle!"),
}
"""Nothing of these mails can be played in the positions that they are sent to."""


CODE = "K7Q2"
NAMES = ("Anna", "Jörg", LONG_NAME, "Dörte")
PLAYERS: list[Any] = [SimpleNamespace(name=name) for name in NAMES]
SEED = bytes(range(32))
SEATS = {"dominos": 2, "tridom": 3, "supertridom": 2, "domijongg": 4}
SHORT = {"dominos": {"target": 100}, "tridom": {"target": 400}, "supertridom": {"target": 150}}
"""Options, so that a match doesn't last too long."""
WRONG = {"dominos": "77@L", "tridom": "998@3", "supertridom": "998@3", "domijongg": "links: Q7"}
"""Meant as a move, but none."""
TILE_GAMES = tuple(key for key in REGISTRY if load_game(key).seeded_rounds)
WORD_GAMES = tuple(key for key in TILE_GAMES if key in SCRIPTS)
"""Those that are played with a dictionary; their matches begin with a script."""
TELLING = {
    "kreuzwort": {"turn": 3, "missed": 2, "ahead": 1, "exchange": 2, "bought": 4, "second": 5},
    "point": {"turn": 3, "missed": 2, "ahead": 1, "exchange": 2, "bought": 4, "second": 5},
    "recht": {"turn": 4, "missed": 4, "ahead": 1, "bought": 5, "out": 2},
    "presto": {"turn": 0, "missed": 1},
}
"""Of the word games: number of the order after which a mail is shown; of ``missed``: of the one that is not sent."""
YOU = 1


@dataclass(frozen=True)
class Moment:
    """A match before and after one order."""

    before: MatchState[Any]
    result: EngineResult
    after: MatchState[Any]


@dataclass
class Played:
    """A whole match, played by robots."""

    key: str
    game: Game[Any, Any]
    options: Any
    ctx: Context
    opened: MatchState[Any]
    opening: tuple[Note, ...]
    moments: list[Moment] = field(default_factory=list)


@cache
def played(key: str) -> Played:
    """The match of that game; always the same."""
    game = load_game(key)
    script = SCRIPTS.get(key)
    options = build_dataclass(game.options, dict(script.options if script else SHORT.get(key, {})), "options")
    ctx = Context(
        WORDS if script else AnyWords(),
        shuffling.build_shuffle(shuffling.build_round_seeds(SEED), ("anna:herbst", "joerg:regen"), CODE),
    )
    seats, fixed = (len(script.racks), script.fixed()) if script else (SEATS.get(key, game.min_seats), None)
    opened, step = table.open_match_state(game, seats, options, ctx, fixed)
    match = Played(key, game, options, ctx, opened, (*step.notes, *step.after))
    now, orders = opened, list(script.orders if script else ())
    while not now.state.over:
        seat, text = orders.pop(0) if orders else (now.state.to_move[0], None)
        text = choose_robot_move(game, now.state, seat, ctx) if text is None else text
        after, result = table.try_order(game, now, seat, text, ctx) if text else table.miss_seat(game, now, seat, ctx)
        assert after != now, (key, seat, text, result.moves)
        match.moments.append(Moment(now, result, after))
        now = after
    return match


def moment(match: Played, name: str) -> int:
    """Number of the first telling moment: ``turn`` (you are next, after somebody had to draw), ``round`` (a round
    ends and the next begins), ``end``."""
    if name in TELLING.get(match.key, {}):
        return TELLING[match.key][name]
    for number, one in enumerate(match.moments):
        codes = {note.code for note in one.result.notes}
        if name == "turn" and "drew" in codes | {n.code for m in one.result.moves for n in m.notes}:
            if one.after.state.to_move == (YOU,) and "next-round" not in codes:
                return number
        elif name == "round" and codes & {"next-round", "next-round-double"}:
            return number
    return len(match.moments) - 1


def page(
    key: str, language: Language, at: int, moves: int = 1, told: tuple[Moment, ...] | None = None, **changes: Any
) -> Page:
    """What seat 1 reads after moment ``at`` (-1 = the deal), with the last ``moves`` moves; or after ``told``."""
    match = played(key)
    if told is None:
        told = tuple(match.moments[max(0, at - moves + 1) : at + 1]) if moves else ()
    now = told[-1].after if told else match.moments[at].after if at >= 0 else match.opened
    state = now.state
    turns = (*match.moments[: at + 1], *(one for one in told if not any(one is other for other in match.moments)))
    names, live = NAMES[: state.seats], live_match(match, now, turns)
    view = view_for(state, YOU)
    row: Any = SimpleNamespace(
        code=CODE,
        name="Arratia",
        game=key,
        entries=at + 1,
        lexicon="",
        seed=SEED.hex(),
        salts=(),
        stopped="",
        held=False,
    )
    since = 0 if at < 0 else told[0].before.state.public.round if told else None
    happened = tuple(each for one in told for each in events_of_result(match.game, one.before, one.after, one.result))
    made = Page(
        kind="end" if state.over else "turn",
        reader=Reader("Jörg", "joerg@example.org", language),
        club="Postspielrunde",
        now=NOW,
        match=build_public_match_view(row, live, language, since),
        reply=reply(CODE),
        deadline=None if state.over else DEADLINE,
        scene=match.game.build_scene(view),
        table=turn_data.build_table_values(match.game, view),
        rack=view.hand,
        stock=view.stock_count,
        stock_kinds=getattr(view.public, "left", {}),
        situation=match.game.describe_situation(view),
        seats=list_seat_views(row, live, YOU, PLAYERS[: state.seats]),
        silence=live.foresee_silence(YOU),
        ending=build_ending(build_match_outcome(match.game, live.table, ())) if state.over else None,
        reports=tuple(report(one.result) for one in told),
        notes=filter_visible(match.opening, YOU) if at < 0 else (),
        happened=happened,
        finals=build_final_positions(match.game, state, names, happened),
        names=tuple(names),
        examples=choose.example_moves(match.game, view, match.ctx),
    )
    content = NOTHING_MORE.get(changes.get("kind", made.kind))
    if isinstance(content, HelpText):
        race = match.options.pace == "race"
        content = HelpText(moves=list_help_lines(match.game, state, YOU, match.ctx, is_race=race))
    return replace(made, **{"content": content} | changes)


TERMS = TimeRules()


def live_match(match: Played, now: MatchState[Any], turns: Sequence[Moment] = ()) -> LiveMatch:
    """The table as what makes mails has it, after these turns."""
    accounts = build_accounts(now.state.seats, TERMS, ())
    live = LiveMatch(0, CODE, match.game, match.options, match.ctx, now, TERMS, accounts, words=lambda: match.ctx.words)
    for one in turns:
        live.record_last_moves(one.before, one.after, one.result)
    return live


def report(result: EngineResult) -> MoveView:
    return build_move_view(result.moves[0], YOU, PLAYERS, filter_visible(result.notes, YOU))


def missed(key: str, language: Language) -> Page:
    """Somebody sent nothing before the ZAT."""
    match, at = played(key), missed_at(key)
    now = match.moments[at].before
    after, result = table.miss_seat(match.game, now, now.state.to_move[-1], match.ctx)
    return page(key, language, at - 1, told=(Moment(now, result, after),))


def missed_at(key: str) -> int:
    """Number of the order that does not come."""
    if key in TELLING:
        return TELLING[key]["missed"]
    others = [n for n, one in enumerate(played(key).moments) if one.before.state.to_move != (YOU,)]
    return next((n for n in others if n > 5), others[-1])


def ahead_at(key: str) -> int:
    """Number of the order after which somebody else is to move."""
    least = TELLING[key]["ahead"] if key in TELLING else 4
    others = [n for n, one in enumerate(played(key).moments) if YOU not in one.after.state.to_move]
    return next((n for n in others if n >= least), others[-1])


def without_choice(made: Page) -> Page:
    """The same, but the last mover had no other move."""
    last = made.reports[-1]
    told = replace(last, notes=(*last.notes, Note("auto-single", seat=last.seat)))
    return replace(made, reports=(*made.reports[:-1], told))


def read(match: Played, now: MatchState[Any], lines: list[str], language: Language) -> tuple[LineOutcome, ...]:
    """The lines of a mail as the receipt names them, with what each would be worth now."""
    live = live_match(match, now)
    sheet = parse_seat_lines(live, YOU, [Line(n, line) for n, line in enumerate(lines, 1)])
    previews = table.preview_order(match.game, now, YOU, sheet.text, match.ctx) if sheet.text else ()
    return build_line_outcomes(sheet, previews, live, find_example_line(live, YOU, language))


def refused(key: str, language: Language) -> Page:
    """Nothing of the mail can be played: conditions that are not met, a slip, a remark."""
    match = played(key)
    at = moment(match, "turn")
    now = match.moments[at].after
    if key in MAILS:
        mail = list(MAILS[key])
    else:
        best = [text for text, _ in rank_moves(match.game, now.state, YOU, match.ctx)[:2]]
        conditions = [f"{best[0]} ab 99", f"sonst {best[-1]} ab 88"] if best else []
        mail = [*conditions, WRONG.get(key, "@@"), "Viele Grüße an alle!"]
    receipt = Receipt(OrderIllegal(), read(match, now, mail, language), {"quote": 12})
    return page(key, language, at, 0, kind="receipt", receipt=receipt)


def ahead(key: str, language: Language) -> Page:
    """Sent before one's turn: two moves, one with a condition, and a standing order where the game knows it."""
    match, at = played(key), ahead_at(key)
    now = match.moments[at].after
    state = replace(now.state, to_move=(YOU,))
    view = view_for(state, YOU)
    best = [text for text, _ in rank_moves(match.game, state, YOU, match.ctx)[:2]]
    if key not in WORD_GAMES:
        best = [_with_condition(match.game, view, best[0]), best[-1]] if best else [WRONG.get(key, "@@")]
    mail = [*best, AFTER_DRAW_TEXT] if has_sentence("no-draw", language, key) else best
    standing = "; sonst ".join(match.game.format_move(match.game.parse_move(line, view)) for line in mail)
    receipt = Receipt(OrderStored(), read(match, now, mail, language))
    return page(key, language, at, 0, kind="receipt", receipt=receipt, stored=keep(standing))


def _with_condition(game: Any, view: Any, text: str) -> str:
    """With a condition, in games that know any."""
    try:
        game.parse_move(f"{text} ab 5", view)
    except Unreadable:
        return text
    return f"{text} ab 5"


def standing_only(key: str, language: Language) -> Page:
    """You are to move, your stored order was not possible, and you leave a standing order."""
    match = played(key)
    at = moment(match, "turn")
    now = match.moments[at].after
    tried = read(match, now, [AFTER_DRAW_TEXT], language)
    standing = merge_stored(match.game, view_for(now.state, YOU), "", AFTER_DRAW_TEXT)
    receipt = Receipt(StandingOrderStored(), tried)
    return page(key, language, at, 0, kind="receipt", receipt=receipt, stored=keep(standing))


def bought(key: str, language: Language) -> Page:
    """Your tile is bought."""
    match, at = played(key), TELLING[key]["bought"]
    text = match.moments[at].result.moves[0].text
    receipt = Receipt(outcomes.OrderPlayed(), (LineOutcome(1, text, "move", text, 0),))
    return page(key, language, at, receipt=receipt)


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page, for every tile game in the registry."""
    found: dict[str, Page] = {}
    table_reader = Reader("Jörg", "joerg@example.org", language, board="table")
    for key in TILE_GAMES:
        match = played(key)
        turn, over = moment(match, "turn"), moment(match, "round")
        if over < len(match.moments) - 1:
            found[f"{key}-round"] = page(key, language, over, 3)
        found |= {
            f"{key}-start": page(key, language, -1, kind="start"),
            f"{key}-turn": page(key, language, turn, 2)
            if key in WORD_GAMES
            else without_choice(page(key, language, turn)),
            f"{key}-missed": missed(key, language),
            f"{key}-end": page(key, language, len(match.moments) - 1),
            f"{key}-refused": refused(key, language),
            f"{key}-status-table": page(key, language, turn, 0, kind="status", reader=table_reader),
            f"{key}-help": page(key, language, turn, 0, kind="help"),
        }
        if match.options.pace == "sequential":
            found[f"{key}-ahead"] = ahead(key, language)
        for name in {"exchange", "second", "out"} & TELLING.get(key, {}).keys():
            found[f"{key}-{name}"] = page(key, language, TELLING[key][name])
        if "bought" in TELLING.get(key, {}):
            found[f"{key}-bought"] = bought(key, language)
        if has_sentence("no-draw", language, key):
            found[f"{key}-standing"] = standing_only(key, language)
    return found


def views() -> dict[str, tuple[str, View[Any]]]:
    """Golden name -> (game, what the reader saw when the mail came, and all tiles in hand)."""
    found: dict[str, tuple[str, MatchState[Any]]] = {}
    for key in TILE_GAMES:
        match = played(key)
        at = moment(match, "turn")
        found |= {f"{key}-{name}": (key, match.moments[at].after) for name in ("turn", "refused", "help", "standing")}
        found |= {f"{key}-status-table": (key, match.moments[at].after), f"{key}-start": (key, match.opened)}
        found[f"{key}-round"] = key, match.moments[moment(match, "round")].after
        found[f"{key}-missed"] = key, match.moments[missed_at(key)].after
        found |= {f"{key}-{name}": (key, match.moments[n].after) for name, n in TELLING.get(key, {}).items()}
        found[f"{key}-end"] = key, match.moments[-1].before
        if match.options.pace == "sequential":
            found[f"{key}-ahead"] = key, match.moments[ahead_at(key)].after
    return {name: (key, greedy_view(key, now.state)) for name, (key, now) in found.items()}


def greedy_view(key: str, state: State[Any]) -> View[Any]:
    """What seat 1 sees, as if it were to move and held every tile of the game: more lines are moves then than ever."""
    dealt = played(key).opened.state
    every = tuple(sorted({*dealt.stock, *(tile for hand in dealt.hands for tile in hand)}))
    return replace(view_for(replace(state, to_move=(YOU,)), YOU), hand=every)
