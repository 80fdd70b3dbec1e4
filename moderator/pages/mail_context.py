"""A page as finished sentences: all that the templates need, in the reader's language, not yet escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.match.contract import Note
from moderator.match.decision import GaveUp, Held, NoOrder, NotPossible, StandingStored, Stored, TooLate
from moderator.match.turn_link import packed
from moderator.pages import asked, stored, tournament_sections, traits, turn_file
from moderator.pages import puzzle as puzzles
from moderator.pages import report as reports
from moderator.pages.aftermath import Chapter, chapters, next_deal, note_line, nothing_since
from moderator.pages.agreed import agreed_lines
from moderator.pages.content import Content, Doubted, Opening
from moderator.pages.flow import PHONE_COLUMNS, Letter, letters, mailto, orders, state_lines
from moderator.pages.head import Head, head, title
from moderator.pages.messages import bare, in_marks, known, label, own, round_noun, say, table
from moderator.pages.messages import move as shown
from moderator.pages.pages import Page
from moderator.pages.rack import Cell, Group, groups, letter_values, rack_rows, tile_width
from moderator.pages.report import Happening, Read, Row
from moderator.printable import clean_name
from moderator.quotations import quotations
from moderator.states import MailKind

_PLACEHOLDER = re.compile(r"\{(\w+)")
_FIXED = re.compile(r"[^{]*[\d=][^{]*")
"""What a sentence quotes whatever the position is, and is a move: a mere pattern."""


@dataclass(frozen=True)
class MailContext:
    """What a template prints. ``page`` is at hand for what needs no words."""

    page: Page
    head: Head
    title: str
    happenings: tuple[Happening, ...]
    notes: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    """The same notes, with the sums of rounds that are over by player."""
    situation: tuple[str, ...]
    """What holds now besides the board: an announced word, for example."""
    rack: tuple[Group, ...]
    letter_values: str
    """What the letters count, in games that print it on their tiles."""
    tiles_title: str
    stock: str
    rows: tuple[Row, ...]
    read: tuple[Read, ...]
    unopened: tuple[str, ...]
    """What was not read of the reader's mail."""
    asked_back: tuple[reports.Asked, ...]
    """What the reader may have meant."""
    asked_yes: str
    """How to agree to the only question."""
    ignored: str
    gained: str
    """Heading of the column with the points of the last turn."""
    scores_title: str
    standing: tuple[str, ...]
    """The stored order, one sentence for each alternative."""
    then: str
    """What happens if nothing more is sent."""
    board_title: str
    answer_change: str
    """What to do if a stored order is to be another one."""
    fallbacks: str
    """How fallbacks are written."""
    how_to: tuple[str, ...]
    """How a move is written, from the game's own sentences."""
    example: str
    hints: tuple[str, ...]
    """What else can be written, for the help, besides the game's own: orders ahead, moves without a choice."""
    options: tuple[str, ...]
    points: tuple[asked.Block, ...]
    """How points are made in the match that begins."""
    letters: tuple[Letter, ...]
    """What players wrote to the reader."""
    remarks: tuple[str, ...]
    """What is special about the clock and the seats now."""
    foot: tuple[str, ...]
    score_lines: tuple[str, ...]
    """The score table in fixed columns, for the text mail."""
    mailto: str
    """An answer, prefilled; "" where none is wanted."""
    content: Content | None
    """The page's, cleaned: each text is a single line."""
    tournament: tuple[tournament_sections.TournamentSection, ...] = ()
    """What there is to say about tournaments."""

    @property
    def lang(self) -> str:
        return self.page.reader.language

    @property
    def pace(self) -> str:
        """Code of how turns come."""
        match = self.page.match
        pace = (
            "" if match is None else "at-once" if match.pace == "rounds" and traits.at_once(match.game) else match.pace
        )
        return f"pace-{pace}"

    @property
    def last_move(self) -> str:
        """The move that the board shows as the last one, as a sentence; "" if none is reported."""
        shown = [h for h in self.happenings if h.played]
        common = self.page.match is not None and self.page.match.pace == "common"
        if not shown or next_deal(self.page):
            return ""
        last = shown[0] if common else shown[-1]
        return ", ".join(filter(None, (f"{last.who} {last.move}", last.points)))

    @property
    def tile_width(self) -> int:
        """Of a tile in the rack, in css pixels."""
        return tile_width(self.rack)

    @property
    def rack_rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The rack in rows that fit on a phone."""
        return rack_rows(self.rack)

    @property
    def short(self) -> bool:
        """Whether a few words on how to write a move are enough."""
        return _short(self.page)

    @property
    def waits(self) -> bool:
        """Whether the stored order will be tried, so that nothing more is wanted."""
        return stored.waits(self.page)

    @property
    def reminder(self) -> str:
        """The name of the sentence that says why the reader is reminded."""
        if stored.put_off(self.page):
            return "reminder-put-off"
        return "reminder-in-vain" if self.page.in_vain else "reminder-missing"

    @property
    def explains(self) -> bool:
        """Whether a receipt says how to write: where something is wanted, or what is kept may be replaced."""
        told = Stored | StandingStored | GaveUp | Held | NotPossible | TooLate | NoOrder
        return self.page.receipt is not None and isinstance(self.page.receipt.decided, told)

    @property
    def attached(self) -> bool:
        """Whether the turn goes along as a file, for programs."""
        return turn_file.of_match(self.page) is not None

    @property
    def board_link(self) -> str:
        """The page to lay tiles on, with this position; "" where there is none, or no move is asked for."""
        file = turn_file.of_match(self.page) if self.page.board_page else None
        fragment = packed(file.data) if file else ""
        return f"{self.page.board_page}#{fragment}" if fragment else self.page.board_page if file else ""

    @property
    def board_named(self) -> bool:
        """Whether it must be said what the board shows, above a picture, too."""
        return stored.race(self.page) or bool(self.page.finals)

    @property
    def finals_first(self) -> bool:
        """Whether final positions stand before the board. In a race the new tiles do, because time counts."""
        return not (stored.race(self.page) and self.page.kind == MailKind.TURN)

    @property
    def at_once(self) -> bool:
        """Whether moves are played as they arrive, and not in rounds."""
        paces = ("sequential", "race")
        return self.page.kind == MailKind.CORRECTION or (self.page.match is not None and self.page.match.pace in paces)

    @property
    def asked(self) -> tuple[asked.Block, ...]:
        """What the reader wanted to see besides the match as it stands."""
        return asked.parts(self.page)

    @property
    def puzzle(self) -> puzzles.Puzzle:
        """What is said around the position of a puzzle."""
        return puzzles.puzzle(self.page)

    @property
    def state_lines(self) -> tuple[str, ...]:
        """The signed state of the match, in lines that fit into a text mail."""
        return state_lines(self.page.state_line)

    @property
    def state_rows(self) -> tuple[str, ...]:
        """The same for a phone's width; no program may break them elsewhere."""
        return tuple(line.replace(" ", "\u00a0") for line in state_lines(self.page.state_line, PHONE_COLUMNS))

    @property
    def round_noun(self) -> str:
        return round_noun(self.lang, self.page.game)

    def t(self, code: str, **params: Any) -> str:
        """A label, for the templates."""
        return label(code, self.lang, **params)

    def in_marks(self, text: str) -> str:
        return in_marks(text, self.lang)


def context_of(page: Page) -> MailContext:
    """Everything said, nothing laid out."""
    language, match = page.reader.language, page.match
    game = match.game if match else None
    names = page.names or tuple(seat.name for seat in page.seats)
    rows, gained = reports.rows(page), reports.gained_column(page)
    return MailContext(
        page=page,
        head=head(page),
        title=title(match, language) if match else clean_name(page.club),
        happenings=reports.happenings(page, names),
        notes=tuple(note_line(note, language, game, names) for note in page.notes),
        chapters=chapters(page.notes, language, game, names),
        situation=tuple(note_line(note, language, game, (), names) for note in page.situation),
        rack=groups(page),
        letter_values=letter_values(page) if page.scene is not None or page.rack else "",
        tiles_title=own("section-tiles-common" if page.rack_common else "section-tiles", language, game),
        stock=_stock(page),
        rows=rows,
        read=reports.read_lines(page, names),
        unopened=reports.unopened_lines(page),
        asked_back=reports.asked_back(page, lambda line: _mailto(page, line)),
        asked_yes=label("wish-yes", language) if reports.yes_is_enough(page) else "",
        ignored=_ignored(page),
        gained=gained,
        scores_title=_scores_title(page),
        standing=stored.sentences(page),
        then=stored.then(page),
        board_title=_board_title(page),
        answer_change=label(_answer_change(page), language),
        fallbacks=_fallbacks(page),
        how_to=_how_to(page),
        example=_example(page),
        hints=_hints(page),
        options=_agreed(page, names),
        points=asked.points(page),
        letters=letters(page),
        remarks=_said_of(page.remarks, page, names),
        foot=_foot(page),
        score_lines=reports.score_lines(rows, gained, language),
        mailto=_mailto(page),
        content=_cleaned(page.content, game),
        tournament=tournament_sections.parts(page),
    )


def _short(page: Page) -> bool:
    """Whether a few words on how to write a move are enough; the help says all of it."""
    return page.knows_how and page.kind != MailKind.HELP


def _fallbacks(page: Page) -> str:
    """How fallbacks are written, and where to ask for all the rest if little is said here."""
    language, game = page.reader.language, page.game
    if not _short(page):
        return own("answer-fallbacks", language, game)
    has_own = known("mail.answer-fallbacks", language, game)
    said = own("answer-fallbacks", language, game) if has_own else label("answer-short", language)
    return f"{said} {label('answer-more', language)}"


def _agreed(page: Page, names: Sequence[str]) -> tuple[str, ...]:
    """What was agreed for a match that begins."""
    if not isinstance(page.content, Opening):
        return ()
    return (*agreed_lines(page.match, page.reader.language), *_said_of(page.content.terms, page, names))


def _board_title(page: Page) -> str:
    language = page.reader.language
    if not page.finals or page.match is None or stored.race(page):
        return own("section-board", language, page.game)
    return label("section-dealt", language, noun=round_noun(language, page.game), round=page.match.round)


def _answer_change(page: Page) -> str:
    if stored.gave_up(page):
        return "answer-gave-up"
    return "answer-kept" if stored.race(page) else "answer-change"


def _said_of(notes: Sequence[Note], page: Page, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(note_line(note, page.reader.language, page.game, (), names) for note in notes)


def _stock(page: Page) -> str:
    """In the game's words where it has its own (a wall is no bag)."""
    language, game = page.reader.language, page.game
    if page.stock is None:
        return ""
    kinds = page.stock_kinds if page.stock else {}
    for code in ("mail.stock-kinds" if kinds else "", "" if page.stock else "mail.stock-none", "stock"):
        if known(code, language, game):
            return say(code, language, game, count=page.stock, **kinds)
    return label("stock", language, count=page.stock)


def _scores_title(page: Page) -> str:
    """Numbered by the round that is over, or, where scores change with every turn, by the one that is being played."""
    language, match = page.reader.language, page.match
    if match is None or not match.round:
        return label("section-scores-now", language)
    if page.ending is not None:
        return label("section-scores-end", language)
    over = match.round - 1 if match.pace != "sequential" or nothing_since(page) else 0
    if not over and match.pace != "sequential":
        return label("section-scores-now", language)
    code, number = ("section-scores", over) if over else ("section-scores-in", match.round)
    return label(code, language, noun=round_noun(language, match.game), round=number)


def _mailto(page: Page, line: str = "") -> str:
    """``line``: what the answer says."""
    if page.reply is None:
        return ""
    language = page.reader.language
    reply = replace(page.reply, body=line) if line else page.reply
    return mailto(reply, title(page.match, language) if page.match else clean_name(page.club), language)


def _cleaned(content: Content | None, game: str | None) -> Content | None:
    style = traits.style(game)
    if isinstance(content, Doubted):
        # Each order on its own, so that all of them are shown.
        return replace(content, lines=tuple(str(order) for line in content.lines for order in orders(line, style)))
    if content is None:
        return None
    texts: dict[str, Any] = {name: bare(value, style) for name, value in vars(content).items() if type(value) is str}
    return replace(content, **texts)


def _ignored(page: Page) -> str:
    if page.receipt is None:
        return ""
    language = page.reader.language
    kinds = [
        label(f"ignored-{kind}", language, count=count)
        for kind in ("quote", "signature", "after-end", "own", "encrypted", "beyond")
        if (count := page.receipt.ignored.get(kind, 0))
    ]
    return label("ignored", language, what=kinds) if kinds else ""


def _how_to(page: Page) -> tuple[str, ...]:
    """How a move is written: the game's sentences ``how-to-1``, ``how-to-2``, … as far as what they show is there for
    this reader; else what its examples show."""
    language, game = page.reader.language, page.game
    values = {"move": _pattern(page), **page.examples}
    patterns = table(language, game)
    codes = [code for code in (f"how-to-{n}" for n in range(1, 10)) if code in patterns]
    codes = [code for code in codes if set(_PLACEHOLDER.findall(patterns[code])) <= values.keys()]
    codes = codes[:1] if _short(page) else codes
    if codes:
        only_patterns = "move" not in page.examples
        fixed = any(
            any(map(_FIXED.fullmatch, quotations(patterns[code]))) or (only_patterns and "{" in patterns[code])
            for code in codes
        )
        said = [say(code, language, game, **values) for code in codes]
        return (*said, label("how-to-pattern", language)) if fixed else tuple(said)
    return (label("how-to-place" if known("example.place", language, game) else "how-to-move", language),)


def _pattern(page: Page) -> str:
    """The pattern of a move that suits the position best; "" in a game that has none."""
    language, game = page.reader.language, page.game
    code = page.examples.get("pattern", "example.place")
    return say(code, language, game, **page.examples) if known(code, language, game) else ""


def _example(page: Page) -> str:
    """A move that the reader could play now, or a pattern that says that it is one; "" if there is neither."""
    language, game = page.reader.language, page.game
    if move := page.examples.get("move", ""):
        return label("example", language, example=in_marks(shown(move, language, game), language))
    pattern = _pattern(page)
    return (
        label("example-pattern", language, example=in_marks(shown(pattern, language, game), language))
        if pattern
        else ""
    )


def _hints(page: Page) -> tuple[str, ...]:
    language, match = page.reader.language, page.match
    if match is None:
        return ()
    codes = ["hint-ahead"] if match.pace == "sequential" else []
    if traits.played_alone(match.game):
        codes.append("hint-single")
    return tuple(label(code, language) for code in codes)


def _foot(page: Page) -> tuple[str, ...]:
    language, match, club = page.reader.language, page.match, clean_name(page.club)
    to_moderator = page.kind in (MailKind.RULING, MailKind.RULED, MailKind.NOTICE, MailKind.PROTEST, MailKind.BOSS)
    lines = []
    if match is not None:
        code = "foot-match-of" if match.last_round else "foot-match"
        values = {"code": match.code, "name": clean_name(match.name), "round": match.round, "last": match.last_round}
        lines.append(label(code, language, noun=round_noun(language, match.game), **values))
        if match.lexicon and not _short(page):
            lines.append(label("foot-lexicon", language, lexicon=match.lexicon))
    stranger = page.kind in (MailKind.SIGNUP, MailKind.CLOSED)
    # How to write a move names »HILFE«, too, where it is short.
    if not to_moderator and page.kind != MailKind.CONFIRM and not stranger and not _short(page):
        lines.append(label("foot-commands-cup" if page.kind == MailKind.TOURNAMENT else "foot-commands", language))
    official = "referee" if page.reader.referee else "moderator"
    why = official if to_moderator else "watch" if page.watching else "stranger" if stranger else "why"
    why = "puzzle" if page.kind == MailKind.PUZZLE else why
    lines.append(label(f"foot-{why}", language, club=club))
    return tuple(lines)
