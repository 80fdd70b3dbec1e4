"""What happened and what was read, as lines: move reports, the score table, the lines of a receipt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from moderator.match.conditions import AFTER_DRAW_TEXT
from moderator.match.contract import Note
from moderator.match.decision import RoundPlayed
from moderator.match.happened import FinalPosition
from moderator.pages import stored, theme, traits
from moderator.pages.aftermath import Chapter, chapters, note_line
from moderator.pages.ending import minus
from moderator.pages.messages import bare, in_marks, known, label, move, own, quoted, round_noun, say, sentence
from moderator.pages.notation import lays
from moderator.pages.pages import Failed, LineRead, MoveReport, Page, WordSum
from moderator.printable import clean_name
from moderator.states import MailKind


@dataclass(frozen=True)
class Happening:
    """One seat's move."""

    who: str
    you: bool
    move: str
    """In quotation marks, or a sentence that there was none."""
    played: bool
    points: str
    """``21 Punkte``; "" without a move."""
    sums: str
    """``HAUS 8 + AH 4 = 12``."""
    lines: tuple[str, ...]
    """Failed alternatives, bonuses, anything else about it."""
    laid: str
    """Pace ``common``: that it lies on the board; else ""."""
    before: tuple[Chapter, ...] = ()
    """What happened before it."""
    then: tuple[Chapter, ...] = ()
    """What happened by itself after it."""


@dataclass(frozen=True)
class Row:
    """One line of the score table."""

    name: str
    you: bool
    awaited: bool
    winner: bool
    colour: str
    shape: str
    remarks: tuple[str, ...]
    gained: str
    score: str
    cell: str
    """The score as it stands alone in a cell: a mere 64 might be read as a domino."""


@dataclass(frozen=True)
class Read:
    """One line of the player's mail."""

    number: str
    text: str
    """In quotation marks."""
    verdict: str
    sign: str
    """``ok``, ``no`` (does not count), ``-`` (no order)."""
    lines: tuple[str, ...]


def happenings(page: Page, names: Sequence[str]) -> tuple[Happening, ...]:
    """The reports; in pace ``common`` the laid move first, then by points."""
    reports = list(page.reports)
    if page.match and page.match.pace == "common":
        reports.sort(key=lambda r: (not (r.laid and r.played), -r.points))
        before = tuple(note for report in page.reports for note in report.before)
        reports = [replace(report, before=() if at else before) for at, report in enumerate(reports)]
    return tuple(_happening(report, page, names) for report in reports)


def _happening(report: MoveReport, page: Page, names: Sequence[str]) -> Happening:
    language, game = page.reader.language, page.game
    common = page.match is not None and page.match.pace == "common"
    lines = [_failed(failed, page, names) for failed in report.failed]
    if report.you and report.played and report.alternative > 1:  # how many plans somebody had is nobody else's business
        lines.append(label("first-fallback", language, number=report.alternative - 1))
    lines += [note_line(note, language, game, (), names) for note in report.notes]
    if common and report.same:
        lines.append(label("same-one" if report.same == 1 else "same", language, count=report.same))
    nothing = "no-legal-move" if report.failed else "no-move"
    return Happening(
        who=who(report, page),
        you=report.you,
        move=in_marks(move(report.played, language, game), language) if report.played else label(nothing, language),
        played=bool(report.played),
        points=_points(report, page) if report.played or report.points else "",
        sums=_formed(report, page),
        lines=tuple(lines),
        laid=label("laid", language) if common and report.laid and report.played else "",
        before=chapters(report.before, language, game, names),
        then=chapters(report.then, language, game, names),
    )


def _points(report: MoveReport, page: Page) -> str:
    """``21 Punkte``; "" where moves bring none."""
    language = page.reader.language
    if not report.points and scoreless(page.game, language):
        return ""
    return label("points", language, points=report.points)


def scoreless(game: str | None, language: str) -> bool:
    """Whether moves bring no points by themselves: then the game has a sentence for naming the words without."""
    return known("mail.words", language, game)


def _formed(report: MoveReport, page: Page) -> str:
    """The words with their points; where they bring none, those that the move does not name itself."""
    language, game = page.reader.language, page.game
    if not scoreless(game, language):
        return sums(report.words, report.points, language) if report.words else ""
    named = report.played.replace("*", "").split()
    more = [bare(word.word) for word in report.words if word.word not in named]
    return say("mail.words", language, game, words=more) if more else ""


def _failed(failed: Failed, page: Page, names: Sequence[str]) -> str:
    language = page.reader.language
    values = {"which": _which(failed.number, language), "move": move(failed.text, language, page.game)}
    return label("failed", language, **values, why=_why(failed.reason, page, names))


def who(report: MoveReport, page: Page) -> str:
    """``Anna zieht``, ``Du ziehst``; ``Anna:`` where nothing was played."""
    racing = "-race" if stored.race(page) else ""
    laid = bool(report.played) and (bool(racing) or lays(report.played))
    code = (f"moves{racing}" if laid else "none-of") + ("-you" if report.you else "")
    return label(code, page.reader.language, who=clean_name(report.name))


def _which(number: int, language: str) -> str:
    return label("which-main", language) if number <= 1 else label("which-fallback", language, number=number - 1)


def _why(reason: Note, page: Page, names: Sequence[str]) -> str:
    return sentence(reason, page.reader.language, page.game, names)


def sums(words: Sequence[WordSum], points: int, language: str) -> str:
    """``HAUS 8 + AH 4 = 12``; what is not in the words (bonuses) is named as such."""
    parts = [f"{bare(word.word)} {word.points}" for word in words]
    rest = points - sum(word.points for word in words)
    if rest:
        parts.append(f"{label('bonus' if rest > 0 else 'malus', language)} {rest}")
    joined = " + ".join(parts)
    return f"{joined} = {points}" if len(parts) > 1 else joined


def rows(page: Page) -> tuple[Row, ...]:
    """The score table in seat order; at the end the best first."""
    language = page.reader.language
    seats, ended = list(page.seats), page.ending
    won = ended.winners if ended and not ended.level else ()
    if page.kind == MailKind.END and ended:
        seats.sort(key=lambda seat: (ended.places[seat.number], -seat.score))
    lines = []
    for seat in seats:
        colour, shape = theme.player(seat.number + 1)
        remarks = []
        if seat.awaited and page.kind != MailKind.END:
            remarks.append(label("racing" if stored.race(page) else "to-move", language))
        if seat.number in won:
            remarks.append(label("winner", language))
        if ended and ended.charged:
            remarks.append(label("counts-as", language, score=minus(ended.shown(seat.number))))
        if seat.tiles is not None:
            remarks.append(own("tiles", language, page.game, count=seat.tiles))
        if seat.last:
            remarks.append(label("last", language, move=move(seat.last, language, page.game)))
        name, gained = clean_name(seat.name), "–" if seat.gained is None else _signed(seat.gained)
        score = minus(seat.score)
        cell = label("score-cell", language, score=score) if traits.dealt_anew(page.game) else score
        shown = (name, seat.you, seat.awaited, seat.number in won, colour, shape, tuple(remarks))
        lines.append(Row(*shown, gained, score, cell))
    return tuple(lines)


def _signed(points: int) -> str:
    """``+21``, ``0``, ``−4``."""
    return f"+{points}" if points > 0 else minus(points)


def final_lines(page: Page, final: FinalPosition) -> tuple[str, str]:
    """``Runde 2: die Endstellung`` and ``Anna +35 (gesamt 70), …``."""
    language = page.reader.language
    values = {"noun": round_noun(language, page.game), "round": final.round}
    title = own("final-title", language, page.game, **values)
    scores = (
        label("final-score", language, name=clean_name(name), gained=_signed(gained), total=minus(total))
        for name, gained, total in final.scores
    )
    return title[:1].upper() + title[1:], ", ".join(scores)


def gained_column(page: Page) -> str:
    """Heading of the points of the last turn: a round is a circle of turns, unless a match has rounds of its own. ""
    where turns bring none."""
    if scoreless(page.game, page.reader.language):
        return ""
    anew = traits.dealt_anew(page.game)
    return label("column-turn" if anew else "column-round", page.reader.language)


def score_lines(rows: Sequence[Row], gained: str, language: str) -> tuple[str, ...]:
    """Name, points of the last turn (under the heading ``gained``, if it has one), total in fixed columns; remarks on
    a line of their own."""
    if not rows:
        return ()
    you = f" ({label('you', language)})"
    names = [f"{'*' if row.awaited else ' '} {row.name}{you if row.you else ''}" for row in rows]
    head = (label("column-player", language), gained, label("column-total", language))
    wide = max(len(name) for name in (*names, f"  {head[0]}"))
    lines = [f"  {head[0]}".ljust(wide) + (f"{head[1]:>7}" if gained else "") + f"{head[2]:>7}"]
    for name, row in zip(names, rows, strict=True):
        lines.append(f"{name:<{wide}}" + (f"{row.gained:>7}" if gained else "") + f"{row.score:>7}")
        if row.remarks:
            lines.append("    " + " · ".join(row.remarks))
    return tuple(lines)


def read_lines(page: Page, names: Sequence[str]) -> tuple[Read, ...]:
    """What became of each line of the mail."""
    fallbacks = 0
    lines = []
    for line in page.receipt.lines if page.receipt else ():
        if line.canonical == AFTER_DRAW_TEXT and line.points is None:
            # It is kept whatever becomes of the moves; that it does not apply right now is no news.
            line = replace(line, status="command", notes=(), reached=True)
        fallbacks += line.status == "fallback"
        lines.append(_read(line, fallbacks, page, names))
    return tuple(lines)


def unopened_lines(page: Page) -> tuple[str, ...]:
    """What was not read of the mail, and what to do."""
    if page.receipt is None or not page.receipt.unopened:
        return ()
    language, right = page.reader.language, page.receipt.right
    lines = [sentence(note, language) for note in page.receipt.unopened]
    if right:
        code = "line-pattern" if page.match is None or _mere_pattern(right, page) else "line-example"
        lines.append(label(code, language, example=move(right, language, page.game)))
    return tuple(lines)


@dataclass(frozen=True)
class Asked:
    """A question back: its sentence, the line that answers it in quotation marks (so that it is none where the mail is
    quoted), and what a button for it opens ("" = no button)."""

    text: str
    line: str
    link: str = ""


def asked_back(page: Page, to_link: Callable[[str], str]) -> tuple[Asked, ...]:
    """What may have been meant by the mail. ``to_link``: an address that writes a line of an answer."""
    offers = page.receipt.offers if page.receipt else ()
    return tuple(
        Asked(
            sentence(one.note, page.reader.language),
            quoted(one.line, page.reader.language, traits.style(page.game)),
            to_link(one.line) if one.whole else "",
        )
        for one in offers
    )


def yes_is_enough(page: Page) -> bool:
    """Whether there is one such question, which a line of its own answers whole."""
    return page.receipt is not None and [one.whole for one in page.receipt.offers] == [True]


def _mere_pattern(example: str, page: Page) -> bool:
    """Whether a right line is one that shows how to write, but need not be possible now (match/robot.py)."""
    language, game = page.reader.language, page.game
    codes = [code for code in ("example.place", "example.start") if known(code, language, game)]
    return example in [say(code, language, game, **page.examples) for code in codes]


def _read(line: LineRead, fallback: int, page: Page, names: Sequence[str]) -> Read:
    language = page.reader.language
    style = traits.style(page.game)
    order = line.status in ("move", "fallback")
    details = [_why(note, page, names) for note in line.notes]
    kind = "standing" if line.canonical == AFTER_DRAW_TEXT else line.status
    boss = "-boss" if page.kind == MailKind.BOSS and kind in ("error", "text") else ""
    verdict = label(f"line-{kind}{boss}", language, number=fallback)
    # What it was worth before the others' moves need not hold any more.
    over = "line-before" if page.receipt and isinstance(page.receipt.decided, RoundPlayed) else "line"
    worthless = line.points == 0 and scoreless(page.game, language)
    if order and line.points is not None and (worthless or stored.race(page)):
        verdict = _with(verdict, label(f"{over}-valid", language), language)
    elif order and line.points is not None:
        code = f"{over}-points-sums" if len(line.words) > 1 else f"{over}-points"
        values = {"points": line.points, "sums": sums(line.words, line.points, language)}
        verdict = _with(verdict, label(code, language, **values), language)
    elif order and not line.reached:
        verdict = _with(verdict, label("line-unused", language), language)
    elif order and line.notes:
        verdict = _with(verdict, label("line-not-now", language), language)
    if line.canonical and bare(line.text, style) not in (line.canonical, move(line.canonical, language, page.game)):
        details.insert(0, label("line-read-as", language, move=move(line.canonical, language, page.game)))
    if line.example:
        code = "line-pattern" if _mere_pattern(line.example, page) else "line-example"
        details.append(label(code, language, example=move(line.example, language, page.game)))
    counts = (order and (line.points is not None or not line.notes)) or line.status == "command"
    sign = "-" if line.status == "text" or not line.reached else "ok" if counts else "no"
    # The mail's subject counts as line 0.
    where = label("line-number", language, number=line.number) if line.number else label("line-subject", language)
    return Read(where, quoted(line.text, language, style), verdict, sign, tuple(details))


def _with(verdict: str, more: str, language: str) -> str:
    return f"{label('followed', language, text=verdict)} {more}"
