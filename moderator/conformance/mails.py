"""What players get: mails of all phases, and the page of the match, in both languages."""

from __future__ import annotations

import re
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import PlayerError
from moderator.common.mails import Line
from moderator.common.text import count_noun, list_quotations
from moderator.conformance.notation import is_readable_move
from moderator.conformance.sentences import build_full_hand_view, list_foreign_words
from moderator.conformance.subject import (
    CheckFigure,
    Finding,
    Found,
    GameSubject,
    SampleMatch,
    Unseen,
    build_check_context,
    format_in_one_line,
    iter_sample_moves,
)
from moderator.inbox.read import extract_race_claims, split_sections
from moderator.language.messages import has_sentence, render_code, render_label
from moderator.mail.html_text import parse_html_lines
from moderator.rules import turn_data
from moderator.rules.game import Game, State
from moderator.rules.orders.parse import parse_order_lines
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.silence import MissEffect, find_miss_effect
from moderator.rules.state import View, view_for
from moderator.site.build import update_site
from moderator.testing.club import SampleClub, SentMail, open_sample_club

OWN = "mail.then-missing"
IF = re.compile(r"\bif\b[^,]*,", re.IGNORECASE)
NOTHING = re.compile(r"\b(?:nothing|not|no (?:card|tile|bid|move)s?)\b", re.IGNORECASE)
LOSES = re.compile(r"\b(?:laid|lays?|bids?|played|plays?|puts?|discards?|discarded|thrown|dropped)\b", re.IGNORECASE)
GETS = re.compile(r"\b(?:gets?|takes?|draws?|drawn|receives?|loses?)\b", re.IGNORECASE)
LOWEST = re.compile(r"\b(?:lowest|smallest)\b", re.IGNORECASE)
HIGHEST = re.compile(r"\b(?:highest|largest|biggest)\b", re.IGNORECASE)
"""As the English sentence says it: each game has one."""


@dataclass(frozen=True)
class MissedTurn:
    """A turn that nobody took."""

    match: SampleMatch
    number: int
    seat: int
    before: State[Any]
    after: State[Any]
    """In pace ``rounds`` when the round has been evaluated."""

    @property
    def effect(self) -> MissEffect:
        step = self.match.calls[self.number].step
        return find_miss_effect(self.match.game, self.match.options.pace, self.seat, (*step.notes, *step.after))

    @property
    def lost_tiles(self) -> list[str]:
        """The tiles that are no longer in the hand."""
        return list((Counter(self.before.hands[self.seat]) - Counter(self.after.hands[self.seat])).elements())

    @property
    def has_other_change(self) -> bool:
        """True where the hand or the score became another one otherwise."""
        more = Counter(self.after.hands[self.seat]) - Counter(self.before.hands[self.seat])
        return bool(more) or self.after.scores[self.seat] != self.before.scores[self.seat]

    def build_finding(self, what: str, promised: str) -> Finding:
        call = self.match.calls[self.number]
        return Finding(
            f"{call.format_call()} after {self.match.describe_moment(self.number)}",
            f"{what}, and mails say before it: {format_in_one_line(promised)}",
            self.match.seed,
        )


def iter_missed_turn_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that without a sentence of the game's own, where mails say that the turn is missed, nothing else happens
    then."""
    turns = list(_iter_missed_turns(subject))
    told = defaultdict[str, list[MissedTurn]](list)
    for turn in turns:
        told[f"{OWN}-{turn.effect}"].append(turn)
    own = {code for code in told if all(has_sentence(code, language, subject.key) for language in LANGUAGES)}
    lacking = [language for language in LANGUAGES if not has_sentence(OWN, language, subject.key)]
    if own:
        yield CheckFigure("(in the game's own words)")
    for code in sorted(own):
        yield from _iter_promise_findings(told[code], render_code(code, FALLBACK, subject.key, deadline="…"))
    rest = [turn for code, some in told.items() if code not in own for turn in some]
    if lacking:
        said = render_label("then-missing", lacking[0], deadline="…")
        for turn in rest:
            if what := _describe_effect(subject, turn):
                yield turn.build_finding(f"{what} (say what happens: {OWN!r} in {lacking})", said)
                return
        return
    if not own:
        yield CheckFigure("(in the game's own words)")
    if rest or not turns:
        yield from _iter_promise_findings(rest, render_code(OWN, FALLBACK, subject.key, deadline="…"))


def _iter_promise_findings(turns: list[MissedTurn], promised: str) -> Iterator[Found]:
    """Check that one of the turns did what mails say before it in the game's own words."""
    what = IF.sub("", promised, count=1)
    if NOTHING.search(what) or not (LOSES.search(what) or GETS.search(what)):
        return
    if not turns:
        yield Unseen("no turn was missed")
    elif LOSES.search(what) and not any(turn.lost_tiles for turn in turns):
        yield turns[0].build_finding("nothing leaves the hand", promised)
    elif not LOSES.search(what) and not any(turn.has_other_change for turn in turns):
        yield turns[0].build_finding("nothing comes to the hand, and the score stays", promised)
    else:
        yield from _iter_outermost_findings(turns, promised)


def _iter_outermost_findings(turns: list[MissedTurn], promised: str) -> Iterator[Found]:
    """Check that it is the lowest or the highest, where mails say so and tiles are numbers."""
    for pattern, chosen in ((LOWEST, min), (HIGHEST, max)):
        for turn in turns if pattern.search(promised) else ():
            hand, lost = turn.before.hands[turn.seat], turn.lost_tiles
            if len(lost) == 1 and all(tile.isdecimal() for tile in hand) and int(lost[0]) != chosen(map(int, hand)):
                yield turn.build_finding(f"of {', '.join(hand)} it is {lost[0]} that leaves the hand", promised)
                return


def _iter_missed_turns(subject: GameSubject) -> Iterator[MissedTurn]:
    """Yield the missed turns in which each seat has a hand of its own, and nothing is dealt anew."""
    for match in subject.matches:
        ends = [n for n, call in enumerate(match.calls) if call.seat is None]
        for number, call in enumerate(match.calls):
            if call.name != "pass_turn" or call.seat is None:
                continue
            last = next((n for n in ends if n > number), number)
            before, after = call.before, match.calls[last].step.state
            if len(after.hands) == after.seats and before.past == after.past:
                yield MissedTurn(match, number, call.seat, before, after)


def _describe_effect(subject: GameSubject, turn: MissedTurn) -> str:
    """Return the effect of the turn besides being over; "" for nothing. Where the round or the match ends with it,
    there is nothing to compare, and where all share one hand nothing is the seat's own."""
    call, before = turn.match.calls[turn.number], turn.before
    after = call.step.state
    if after.over or before.public.round != after.public.round:
        return ""
    lost = [Counter(hand) - Counter(then) for hand, then in zip(before.hands, after.hands, strict=True)]
    if lost[turn.seat]:
        return f"{format_in_one_line(list(lost[turn.seat].elements()))} has left the hand"
    now, then = (Counter(subject.game.list_table_tiles(one.public) or ()) for one in (after, before))
    if lying := list((now - then - sum(lost, Counter())).elements()):  # what others lay by the rules is not its doing
        return f"{format_in_one_line(lying)} lies on the table"
    return f"it scored {call.step.points} points" if call.step.points else ""


# ---- A match by mail from deal to archive, with all that happens in one.


RUBBISH = "Unsinn@@"
REMINDED = "the day before the deadline"
TURNS = {True: 3, False: 12}
"""Moves that are mailed."""


@dataclass(frozen=True)
class MailedMatch:
    """One match, played and published."""

    pace: str
    mails: tuple[SentMail, ...]
    done: tuple[str, ...]
    """Each thing after which somebody has to hear something."""
    site: Mapping[str, bytes]
    """Path -> what stands there."""


def get_mailed_matches(subject: GameSubject) -> tuple[MailedMatch, ...]:
    """Return one match for each pace, and for each table that it takes until somebody has played in each language;
    stored with the subject, also that it could not be played. Raises the exception that prevented that."""
    if "_seasons" not in vars(subject):
        try:
            vars(subject)["_seasons"] = tuple(
                _play_mailed_match(subject, pace, languages)
                for pace in subject.game.paces
                for languages in _list_language_tables(subject)
            )
        except Exception as error:
            vars(subject)["_seasons"] = error
    kept: tuple[MailedMatch, ...] | Exception = vars(subject)["_seasons"]
    if isinstance(kept, Exception):
        raise kept
    return kept


def _play_mailed_match(subject: GameSubject, pace: str, languages: Sequence[str]) -> MailedMatch:
    with open_sample_club(subject, pace, languages) as club:
        for _ in range(2):  # so that each language has been in each place once
            play_phases(club)
        end_by_resigning(club)
        return MailedMatch(pace, tuple(club.mails), tuple(club.done), publish_match_pages(club))


def _list_language_tables(subject: GameSubject) -> list[Sequence[str]]:
    """Return the languages at one table; of a quick look there is only one."""
    spoken, seats = subject.languages, subject.game.min_seats
    return [spoken[at:] + spoken[:at] for at in range(0, 1 if subject.quick else len(spoken), seats)]


def play_phases(club: SampleClub) -> None:
    """Play rubbish, a move that is refused, moves, an order ahead, a question, a reminder, a missed turn."""
    with club.open_match() as (_, _, live):
        if live.table.state.over:
            return
        seat, others = live.table.state.to_move[0], live.table.state.seats
    club.deliver_and_run(seat, RUBBISH, "a line that is no move")
    if wrong := find_refused_move(club, seat):
        club.deliver_and_run(seat, wrong, f"a move that is refused ({wrong})")
    for _ in range(TURNS[club.subject.quick]):
        play_club_turn(club)
    club.deliver_and_run(0, "STATUS", "a question")
    ahead = next((s for s in range(others) if s not in list_awaited_seats(club)), None)
    if ahead is not None and (move := find_robot_move(club, ahead)):
        club.deliver_and_run(ahead, move, f"an order ahead ({move})")
    advance_club_to(club, "remind_at", REMINDED)
    advance_club_to(club, "final", "a missed deadline")


def advance_club_to(club: SampleClub, moment: str, doing: str) -> None:
    """Let the time come, if somebody is missing then."""
    with club.open_match() as (_, row, live):
        at = getattr(row, moment) if live.seats_awaited else None
    if at is not None:
        club.pass_time(seconds=max(0, (at - club.now).total_seconds()) + 7200)
        club.run_and_collect(doing)


def list_awaited_seats(club: SampleClub) -> tuple[int, ...]:
    with club.open_match() as (_, _, live):
        return tuple(live.seats_to_act)


def find_robot_move(club: SampleClub, seat: int) -> str:
    """Return the move of a robot there now; "" where there is nothing."""
    with club.open_match() as (work, _, live):
        state = live.table.state
        if state.over:
            return ""
        state = state if seat in state.to_move else replace(state, to_move=(seat,))
        return choose_robot_move(live.game, state, seat, work.cache.build_context(live))


def find_refused_move(club: SampleClub, seat: int) -> str:
    """Return a move that can be read and not be played now; "" where none was found."""
    with club.open_match() as (work, _, live):
        state, game, ctx = live.table.state, live.game, work.cache.build_context(live)
        for match, _, other in club.subject.iter_positions():
            for _, move, _ in iter_sample_moves(match, other, 20):
                line = game.format_move(move)
                try:
                    game.apply_move(state, seat, game.parse_move(line, view_for(state, seat)), ctx)
                except PlayerError as error:
                    if error.code != "words-undecided":
                        return line
    return ""


def play_club_turn(club: SampleClub) -> None:
    """Let each seat that is awaited send the move of a robot, or nothing where there is nothing to do; where all are
    evaluated together, the deadline comes."""
    awaited = list_awaited_seats(club)
    for seat in awaited:
        if move := find_robot_move(club, seat):
            club.deliver_and_run(seat, move, f"a move ({move})")
    with club.open_match() as (_, row, live):
        at = row.final if live.table.is_simultaneous and not live.seats_awaited else None
    if at is not None:
        club.pass_time(seconds=(at - club.now).total_seconds() + 7200)
        club.run_and_collect("the deadline of a round")


def end_by_resigning(club: SampleClub) -> None:
    """Let all but one resign."""
    with club.open_match() as (_, row, live):
        code, seats = row.code, live.table.state.seats
    for seat in range(1, seats):
        with club.open_match() as (_, _, live):
            if live.table.state.over:
                return
        club.deliver_and_run(seat, f"RESIGN {code} YES", f"seat {seat} has resigned")


def publish_match_pages(club: SampleClub) -> dict[str, bytes]:
    """Publish the site and return the pages of the match."""
    folder = club.config.file.parent / "site"
    update_site(club.config, club.now, folder)
    return {str(file.relative_to(folder)): file.read_bytes() for file in _iter_match_files(folder)}


def _iter_match_files(folder: Path) -> Iterator[Path]:
    yield from (file for file in sorted(folder.rglob("*")) if file.is_file() and "matches" in file.parts)


UNSAID = re.compile(r"\b[a-z]+(?:-[a-z0-9]+)+ \(\w+ = |\{[a-z_]+(?::[^{}]*\|[^{}]*)?\}(?! \{0\} %s)")
"""What a code without a sentence looks like in a mail, and a value that is missing."""


def iter_phase_mail_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that each phase has its mails, with subject, text and HTML, and no gap in them."""
    count = 0
    for season in get_mailed_matches(subject):
        for unheard in dict.fromkeys(season.done):
            if not any(mail.when == unheard for mail in season.mails):
                yield Finding(f"a match by mail ({season.pace}), {unheard}", "nobody got a mail")
        for mail in season.mails:
            count += 1
            for what, text in (("subject", str(mail.message["Subject"])), ("text", mail.get_body_part("plain"))):
                if not text.strip():
                    yield Finding(mail.description, f"its {what} is empty")
                if (gap := UNSAID.search(text)) is not None:
                    yield Finding(
                        mail.description, f"a sentence or a value is missing: {_get_line_at(text, gap.start())!r}"
                    )
            if mail.when == "the deal" and not mail.get_body_part("html"):
                yield Finding(mail.description, "it has no HTML")
    yield CheckFigure(f"({count_noun(count, 'mail')})")


def _get_line_at(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()


def iter_mail_language_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that a mail speaks its reader's language only."""
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            name = render_code("name", mail.language, subject.key)
            for line in mail.get_body_part("plain").replace(name, "").splitlines():
                if not line.lstrip().startswith(("¦", ">")) and (
                    wrong := list_foreign_words(line, mail.language, subject.key)
                ):
                    yield Finding(
                        mail.description, f"no sentence in {mail.language!r} ({', '.join(wrong[:5])}): {line}"
                    )


# ---- harmless ----


def iter_quoted_order_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that no line of a mail is an order, however it is quoted: an answer below it moves nothing."""
    view = build_full_hand_view(subject.game)
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            text, html = mail.get_body_part("plain").splitlines(), mail.get_body_part("html")
            ways = (
                text,
                [line.strip(" -+!·*") for line in text],
                flatten_html(html),
                flatten_html_rows(html),
                to_html_lines(html),
            )
            for lines in ways:
                if taken := list_orders_in_lines(subject.game, view, lines):
                    yield Finding(mail.description, f"quoted in an answer, this is played: {taken[0]!r}")
                    return


def list_orders_in_lines(game: Game[Any, Any], view: View[Any], lines: Iterable[str]) -> list[str]:
    """Return all that the referee would take out of these lines: commands and moves."""
    found: list[str] = []
    for section in split_sections([Line(number, line) for number, line in enumerate(lines, 1)]):
        if "race" in game.paces:
            extract_race_claims(section)
        found += [command.line.text for command in section.commands]
        read = parse_order_lines(section.lines, lambda text: game.parse_move(text, view), game.format_move, game.style)
        found += [line.text for line in read.orders]
    return found


def flatten_html(html: str) -> list[str]:
    """Return HTML as a program may turn it into text: each block and cell on a line of its own."""
    body = re.sub(r"(?s)<(style|title)\b.*?</\1>", "", html)
    text = re.sub(r"(?i)</?(?:p|td|th|tr|table|h1|h2|h3|li|ul|div|br|pre|body|img)\b[^>]*>", "\n", body)
    return unescape(re.sub(r"<[^>]+>", "", text)).splitlines()


def flatten_html_rows(html: str) -> list[str]:
    """Return HTML like ``flatten_html``, with the cells of a row on one line."""
    return flatten_html(re.sub(r"(?i)</t[dh]>\s*<t[dh]\b[^>]*>", " \t", html))


def to_html_lines(html: str) -> list[str]:
    """Return HTML as we read it ourselves."""
    return [line for line, _ in parse_html_lines(html)]


# ---- names, pictures, files ----


class _TagCollector(HTMLParser):
    """The tags of a page, and the attributes of its pictures."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.pictures: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag == "img":
            self.pictures.append(dict(attrs))


def iter_name_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the name of a player is text, whatever it is: no tag, no escape that shows, no value of a sentence."""
    for season in get_mailed_matches(subject):
        pages = [(mail.description, mail.get_body_part("html")) for mail in season.mails]
        pages += [(path, page.decode()) for path, page in season.site.items() if path.endswith(".html")]
        for where, html in pages:
            if "x-evil" in _TagCollector(html).names:
                yield Finding(where, "a name has become a tag of the page")
            if re.search(r"&amp;(?:lt|quot|#39|#34|amp;amp);", html):
                yield Finding(where, "something is escaped twice")


def iter_mail_picture_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that each picture of a mail is there, has an alt text, and is no wider than its place."""
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            shown = _TagCollector(mail.get_body_part("html")).pictures
            for picture in shown:
                if not (picture.get("alt") or "").strip():
                    yield Finding(mail.description, "a picture has no alt text")
            for data in mail.list_files_of_kind("image/png"):
                across, _ = struct.unpack(">II", data[16:24])
                told = [int(picture.get("width") or 0) for picture in shown]
                if across // 2 not in told:
                    yield Finding(mail.description, f"the picture is {across // 2} css pixels wide, its place {told}")


def iter_mail_turn_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the turn as data that a mail carries can be read by other programs, and gives the same position."""
    count = 0
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            for data in mail.list_files_of_kind(turn_data.KIND):
                count += 1
                read = turn_data.decode_turn(data)
                if read.game != subject.key or read.seat != mail.seat:
                    yield Finding(mail.description, f"its file is for {read.game}, seat {read.seat}")
                view = turn_data.build_turn_view(read, subject.game)
                if view is not None and turn_data.build_table_values(subject.game, view) != read.board:
                    yield Finding(mail.description, "read back and written again, its board is another one")
    if not count:
        yield Finding("a match by mail", "no mail carries the turn as data: is it too large?")
    yield CheckFigure(f"({count} files)")


def iter_mail_example_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that of all that a mail quotes and is a move, something can be played by the seat that is asked for one."""
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            if fault := _find_example_fault(subject, mail):
                yield Finding(mail.description, fault)


def _find_example_fault(subject: GameSubject, mail: SentMail) -> str:
    game, view = subject.game, mail.view
    if mail.when != REMINDED or view is None or game.uses_words:
        return ""
    playable = [move for move, _ in game.list_moves(view, build_check_context(0))]
    quoted = [one for one in list_quotations(mail.get_body_part("plain")) if one and one != RUBBISH]
    if not playable or any(
        game.parse_move(one, view) in playable for one in quoted if is_readable_move(game, one, view)
    ):
        return ""
    return f"a move is asked for, and of what is shown ({', '.join(quoted)}) nothing can be played now"


def iter_site_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the page of the match is there in each language, with its board, and nothing is missing."""
    for season in get_mailed_matches(subject):
        pages = {path: page.decode() for path, page in season.site.items() if path.endswith((".html", ".txt"))}
        if not pages:
            yield Finding(f"the site ({season.pace})", "it has no page of the match")
        for path, page in pages.items():
            text = (
                "\n".join(flatten_html(re.sub(r"(?s)<script\b.*?</script>", "", page)))
                if path.endswith(".html")
                else page
            )
            if (gap := UNSAID.search(text)) is not None:
                yield Finding(path, f"a sentence or a value is missing: {_get_line_at(text, gap.start())!r}")
