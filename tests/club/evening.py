"""Evenings of a small club, as its members live them: every game in every pace, readers of three languages, moves that
are played, stored and refused, wishes in people's own words, silence, an outage, a tournament. What was sent is kept
with what it is: the kind of `bench/reach.py`, the game, the reader's language.

    python -m tests.club.evening FOLDER 40
    python -m tests.outside.statements FOLDER

writes each mail of forty hours to FOLDER, as .eml and .html, and the texts of each match as .txt. (The dictionary is
small and German, whatever a player reads.)
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from moderator.common.enums import BoardForm, MailKind, MatchStatus
from moderator.common.mails import RenderedMail
from moderator.games import OWN, load_game
from moderator.store.tables import InboxRow, MatchRow, OutboxBody, OutboxRow
from tests import machine
from tests.club import tournament_club
from tests.club.club import make_club, no_word, parsed, part
from tests.helpers import list_lines
from tests.outside.statements import BETWEEN

SITE = '[site]\nurl = "https://club.example"\n'
PLAYERS = {"Anna": "de", "Bert": "en", "Cora": "fr"}
BOSS = "boss@club.example"
SHORT: Mapping[str, Mapping[str, Any]] = {
    "dominos": {"target": 60}, "tridom": {"target": 120}, "supertridom": {"target": 150}, "presto": {"rounds": 3},
    "kreuzwort": {"games": 2}, "point": {"games": 2},
}  # fmt: skip
"""Options, so that a round and a match come to an end in an evening."""
SAID: Mapping[str, Sequence[str]] = {
    key: said for key, *said in (line.split(" | ") for line in list_lines(Path(__file__).with_suffix(".txt"), "said"))
}
"""What players write, besides moves, in the languages of PLAYERS."""
DIGEST = ("SAMMELMAIL AN", "DIGEST ON", "RÉSUMÉ OUI")


@dataclass(frozen=True)
class Sent:
    """A mail that was sent."""

    kind: str
    """As `bench/reach.py` names them; else the mail's own kind."""
    to: str
    language: str
    mail: RenderedMail
    raw: bytes
    match: str = ""
    game: str = ""
    pace: str = ""

    @property
    def name(self) -> str:
        """Its game where it is about one, with the pace where there are several."""
        several = self.game in OWN and len(load_game(self.game).paces) > 1
        return f"{self.game} {self.pace}".strip() if several else self.game


def to_rendered(mail: EmailMessage) -> RenderedMail:
    """The parts of a mail that was sent."""
    pictures = [one for one in mail.walk() if one.get_content_type() == "image/png"]
    images = {str(one["Content-ID"]).strip("<>"): one.get_payload(decode=True) for one in pictures}
    html = part(mail, "html") if mail.get_body(("html",)) else ""
    return RenderedMail(str(mail["Subject"]), part(mail), html, images)  # type: ignore[arg-type]


def list_tables() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Game, pace, who plays: each language at each game."""
    for key in OWN:
        game = load_game(key)
        for pace in game.paces:
            if game.max_seats > 2 and game.min_seats <= 3:
                yield key, pace, tuple(PLAYERS)
            else:
                yield from ((key, pace, pair) for pair in (("Anna", "Bert"), ("Cora", "Anna"), ("Bert", "Cora")))


@dataclass
class Evening:
    """A club at play."""

    folder: Path
    seed: str = "evening"
    board: BoardForm = BoardForm.PNG
    sent: list[Sent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.club = make_club(self.folder, SITE)
        self.club.players(*PLAYERS, board=self.board, **PLAYERS)
        self.lots = random.Random(self.seed)
        self.asked: dict[str, str] = {}
        """Message-ID -> what was written: a move, or a key of SAID."""
        self.awaited: dict[str, frozenset[str]] = {}
        """Who is to act now, by match."""
        self.paces: dict[str, str] = {}
        self.seen, self.rounds = 0, dict[tuple[str, str], int]()

    def open(self, game: str, pace: str, names: Sequence[str]) -> str:
        options = {**SHORT.get(game, {}), **({"pace": pace} if len(load_game(game).paces) > 1 else {})}
        return self.club.match(*names, game=game, early=pace != "sequential", **options)

    def look(self) -> list[Sent]:
        """Let the program work, and take what it sent."""
        self.club.tick()
        with self.club.work() as work:
            for match in work.session.exec(select(MatchRow).where(MatchRow.status != MatchStatus.OPEN)):
                live = work.cache.load_match(work.session, match)
                names = [player.name for _, player in work.list_seated(match)]
                self.awaited[match.code] = frozenset(names[seat] for seat in live.seats_to_act)
                self.paces[match.code] = live.table.pace
            query = select(OutboxRow, OutboxBody, MatchRow, InboxRow).join(OutboxBody).outerjoin(MatchRow)
            query = query.outerjoin(InboxRow, col(InboxRow.id) == col(OutboxRow.inbox_id))
            rows = work.session.exec(query.where(col(OutboxRow.id) > self.seen).order_by(col(OutboxRow.id))).all()
            new = [self._take(*row) for row in rows]
        self.sent += new
        return new

    def _take(self, row: OutboxRow, body: OutboxBody, match: MatchRow | None, asked: InboxRow | None) -> Sent:
        self.seen = row.id or 0
        to = next((name for name in PLAYERS if row.recipient == f"{name.lower()}@home.example"), BOSS)
        answers = asked is not None and asked.sender == row.recipient
        code, game, pace = (match.code, match.game, self.paces[match.code]) if match else ("", "", "")
        kind = self._name_kind(row, to, code, game, pace, self.asked.get(asked.message_id, "") if answers else "")
        language = PLAYERS.get(to, "de")
        return Sent(kind, to, language, to_rendered(parsed(body.raw)), body.raw, code, game, pace)

    def _name_kind(self, row: OutboxRow, to: str, code: str, game: str, pace: str, said: str) -> str:
        before, self.rounds[to, code] = self.rounds.get((to, code), row.round), row.round
        if to == BOSS:
            return "organiser"
        if said and row.kind in (MailKind.TURN, MailKind.RECEIPT, MailKind.DONE, MailKind.HELP):
            evaluated = row.kind is MailKind.TURN and pace in ("rounds", "common")
            played = "round" if evaluated else "played" if row.kind is MailKind.TURN else "stored"
            return played if said == "move" or evaluated else said
        if row.kind is MailKind.START:
            return "first"
        if row.kind is MailKind.TURN and pace in ("rounds", "common"):
            return "round"
        if row.kind is MailKind.TURN:
            new_deal = load_game(game).seeded_rounds and row.round != before
            return "round-over" if new_deal else "turn" if to in self.awaited[code] else "seen"
        return {"backlog": "outage"}.get(row.kind, str(row.kind))

    def write(self, name: str, code: str, body: str, said: str) -> None:
        """Let somebody answer the mail of a match."""
        with self.club.at(code) as (work, match):
            seat = [player.name for _, player in work.list_seated(match)].index(name)
        self.club.order(name, code, seat, body)
        self.asked[f"<test-{self.club.sent}@home.example>"] = said

    def say(self, name: str, code: str, said: str) -> None:
        """Let somebody write what stands in SAID, in the own language."""
        self.write(name, code, SAID[said][[*PLAYERS].index(name)], said)

    def move(self, name: str, code: str, how: str = "move") -> bool:
        """Send a legal move; "refused-word": with letters that make no word; "refused-near": without its direction.
        False = there is none."""
        with self.club.at(code) as (work, match):
            seat = [player.name for _, player in work.list_seated(match)].index(name)
        moves = self.club.moves(code, seat)[:4]
        if not moves:
            return False
        text, *_ = moves if how != "move" else [self.lots.choice(moves)]
        if how == "refused-word":
            text = " ".join([*text.split()[:2], no_word(self.club, code, seat, 4)])
        elif how == "refused-near":
            text = " ".join([text.split()[0], *text.split()[2:]])
        self.write(name, code, text, how)
        return True

    def play(self, hours: int, *, calm: bool = False) -> None:
        """Each hour somebody writes in each match; now and then days pass. ``calm``: moves alone."""
        for hour in range(hours):
            for code, names in self.awaited.items():
                if names:
                    self._act(code, sorted(names), calm)
            self.club.wait(hours=1)
            self.look()
            if not calm and hour % 4 == 3:
                self.club.wait(hours=self.lots.choice((20, 40, 80)))
                self.look()

    def _act(self, code: str, names: Sequence[str], calm: bool) -> None:
        name, drawn = self.lots.choice(names), 0.0 if calm else self.lots.random()
        topwords = self.club.row(code).game == "topwords"
        if drawn < 0.8:
            self.move(name, code)
        elif drawn < 0.9 and topwords:
            self.move(name, code, self.lots.choice(("refused-word", "refused-near")))
        else:
            self.say(name, code, self.lots.choice([said for said in SAID if said != "ask-buy"]))

    def talk(self) -> None:
        """Let each player write everything of SAID, each time in a new match in which it is their turn; and a move
        that is refused, played and stored."""
        for name in PLAYERS:
            other = next(one for one in PLAYERS if one != name)
            for said in (*SAID, "refused-word", "refused-near", "move"):
                code = self._find_turn("kreuzwort" if said == "ask-buy" else "topwords", name, other)
                if said in ("refused-word", "refused-near", "move"):
                    self.move(name, code, said)
                else:
                    if said == "ask-undo":
                        self.move(name, code)
                        self.look()
                    self.say(name, code, said)
                self.look()
            code = self.open("topwords", "rounds", (name, other))
            self.look()
            self.move(name, code)
            self.look()

    def _find_turn(self, game: str, name: str, other: str) -> str:
        """A new match where it is somebody's turn; first mails are out."""
        code = self.open(game, "sequential", (name, other))
        self.look()
        return code if name in self.awaited[code] else self._find_turn(game, other, name)

    def fall_out(self) -> None:
        """Play four matches, leave the mailbox unread for days, go on; then one daily mail for everybody."""
        for game, pace in (("topwords", "sequential"), ("topwords", "rounds"), ("tridom", ""), ("recht", "")):
            code = self.open(game, pace, tuple(PLAYERS))
        self.look()
        self.play(4, calm=True)
        self.club.wait(away=True, days=1)
        for at, name in self.awaited.items():
            for one in sorted(name):
                self.move(one, at)
        self.club.wait(away=True, days=3)
        self.look()
        for name, line in zip(PLAYERS, DIGEST, strict=True):
            self.write(name, code, line, "settings")
        self.play(4, calm=True)
        self.club.wait(days=1)
        self.look()


def play(folder: Path, hours: int) -> list[Sent]:
    """Whole evenings, with a tournament; then a club that talks, and one whose mail falls out."""
    with machine.lots_of("evening"):
        return _play(folder, hours)


def _play(folder: Path, hours: int) -> list[Sent]:
    evening, talking, away = (Evening(folder / name) for name in ("evening", "talk", "away"))
    tournament_club.found(evening.club, "robin", list(PLAYERS), days=1, invite=True, game="dominos")
    for table in list_tables():
        evening.open(*table)
    evening.look()
    evening.play(hours)
    talking.talk()
    away.fall_out()
    return [*evening.sent, *talking.sent, *away.sent]


def keep(sent: Sequence[Sent], folder: Path) -> None:
    """Write the mails to files: each as it is, and those of each match as ``tests.outside.statements`` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    texts: dict[str, list[str]] = {}
    for number, one in enumerate(sent):
        name = "-".join(filter(None, (f"{number:04}", one.kind, one.game, one.language)))
        (folder / f"{name}.eml").write_bytes(one.raw)
        (folder / f"{name}.html").write_text(one.mail.html, encoding="utf-8")
        text = f"To: {one.to}\nSubject: {one.mail.subject}\n\n{one.mail.text}\n{BETWEEN}\n"
        texts.setdefault(one.match or "club", []).append(text)
    for match, found in texts.items():
        (folder / f"match-{match}.txt").write_text("".join(found), encoding="utf-8")


def main(folder: str, hours: str = "40") -> None:
    machine.begin()
    target = Path(folder)
    sent = play(target / "club", int(hours))
    keep(sent, target)
    for kind, count in Counter(one.kind for one in sent).most_common():
        print(f"{count:5} {kind}")
    print(f"{len(sent):5} mails in {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
