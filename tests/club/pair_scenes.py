"""Where the mails of tests/pairs are written: each scene sets up a club and returns what a mail may refer to.

``code``: the match; ``seats``: its players in seat order. Other keys are addresses that a pair's ``to`` may name.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from moderator.commands.moderator import turns as clockwork
from moderator.common.enums import MatchStatus
from moderator.games.topwords.rules import Topwords
from moderator.review import puzzle as positions
from moderator.rules.game import Note
from moderator.rules.robots.choose import survey_position
from moderator.service import moving_in
from moderator.service.create import create_match, get_match, get_player, take_seat
from moderator.service.match.match import Match
from moderator.service.match.start import start_match
from moderator.service.notify import notify_match_events
from moderator.service.staff import RefereeRoster
from moderator.service.tournaments import registration
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.settings import load_config
from moderator.store import tournaments
from moderator.store.club_tables import PuzzleRow
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import AddressChange, InboxRow, Leave, MatchRow, PlayerRow, Tournament, WatcherRow
from moderator.views import puzzles, tournament_rows
from moderator.views.links import ensure_player_token
from moderator.views.puzzles import complete_match_review
from tests.club.club import Club, club_of, first_begins
from tests.review.played import little_thought

Scene = dict[str, Any]
RACKS = bytes.fromhex("00" * 31 + "07")
TWO, THREE = ("Anna", "Bert"), ("Anna", "Bert", "Cici")
EVERYBODY = (*THREE, "Dora", "Emil")
VOUCHED = "mx.club.example; dkim=pass header.d=home.example"
CUPS = ("Herbstpokal", "Winterliga 2", "Osterpokal")


def people(club: Club, *names: str) -> None:
    """Players, each once; Bert and Dora read English, everybody a board of characters."""
    there = set(club.stored(select(PlayerRow.name)))
    club.players(*(name for name in names if name not in there), Bert="en", Dora="en")


def begun(club: Club, game: str, names: tuple[str, ...], terms: dict[str, Any] | None = None, **options: Any) -> Scene:
    """A match that has just been dealt and mailed; the first seat is to move."""
    people(club, *names)
    with club.work() as work:
        seats = [get_player(work.session, name) for name in names]
        match = create_match(work, game, "Arratia", seats, first_begins(game) | options, terms=terms)
        start_match(work, match, seed=RACKS)
        code = match.code
    club.tick()
    return {"code": code, "seats": list(names)}


def two(club: Club, **more: Any) -> Scene:
    return begun(club, "topwords", TWO, **more)


def three(club: Club, **more: Any) -> Scene:
    return begun(club, "topwords", THREE, **more)


def alone(club: Club, *names: str) -> Scene:
    """They play in no match."""
    people(club, *names)
    return {"code": "", "seats": []}


def later(club: Club, scene: Scene, **span: float) -> Scene:
    club.wait(**span)
    return scene


def then(club: Club, scene: Scene, seat: int, body: str = "", which: int = 0) -> Scene:
    """The same after a mail of a seat's, ``{code}`` in it filled in; without one it plays its best move."""
    body = body.format(**scene) if body else club.moves(scene["code"], seat)[which]
    club.hand_in(scene["seats"][seat], scene["code"], seat, body)
    return scene


def writes(club: Club, name: str, body: str, **more: Any) -> None:
    """Somebody for whom the server vouches writes to the club."""
    club.say(name, body, Authentication_Results=VOUCHED, **more)


def on_leave(work: Any, player: PlayerRow, first: date, last: date) -> None:
    work.session.add(Leave(player_id=player.number, first=first, last=last, announced_at=work.now))


# ---- commands that ask for something ----


def told(club: Club, game: str = "topwords", moves: int = 2, **more: Any) -> Scene:
    """Anna and Bert have moved in turn, so many moves in all; each of the robot's choice."""
    scene = begun(club, game, TWO, **more)
    for _ in range(moves):
        seat = club.live(scene["code"]).table.state.to_move[0]
        club.order(TWO[seat], scene["code"], seat, club.moves(scene["code"], seat)[0])
        club.let_pass(days=1)
    return scene


def exchanged(club: Club) -> Scene:
    """Anna has moved, Bert has exchanged two tiles, Anna has passed."""
    scene = told(club, moves=1)
    hand = club.live(scene["code"]).table.state.hands[1]
    return then(club, then(club, scene, 1, f"exchange {hand[0]} {hand[1]}"), 0, "passe")


def taken_back(club: Club) -> Scene:
    """Two moves were taken back by the moderator; Anna has moved again."""
    scene = told(club)
    with club.work() as work:
        match = get_match(work.session, scene["code"])
        Match.load(work, match).undo_to_entry(0, Note("game-stopped"))
        work.progress.clear()
    return then(club, scene, 0, which=1)


def missed(club: Club) -> Scene:
    """In turn: Anna has missed hers, Bert has moved."""
    scene = two(club, terms={"bank": 3})
    club.let_pass(days=13)
    return then(club, scene, 1)


def round_over(club: Club, pace: str = "rounds") -> Scene:
    """One round is over: Anna has moved, Bert's move was not legal, Cici has sent nothing."""
    scene = three(club, pace=pace)
    club.order("Anna", scene["code"], 0, club.moves(scene["code"], 0)[0])
    then(club, scene, 1, "A1 w QUARZ")
    club.let_pass(days=8)
    return scene


def several(club: Club) -> Scene:
    """Anna in four matches: her turn, not her turn, an order stored, paused; another is open, and she has leave."""
    scene = told(club)
    begun(club, "dominos", ("Bert", "Anna"))
    then(club, three(club, pace="rounds"), 0)
    paused = begun(club, "tridom", TWO)
    people(club, "Dora")
    with club.work() as work:
        match = get_match(work.session, paused["code"])
        Match.load(work, match).pause_clock()
        create_match(work, "domijongg", "Winter", [get_player(work.session, "Dora")], {}, wanted=3)
        on_leave(work, get_player(work.session, "Anna"), date(2026, 12, 24), date(2027, 1, 2))
    return scene


def finished(club: Club) -> Scene:
    """The match was stopped after two moves; its review is made."""
    scene = then(club, told(club), 1, "resign {code} YES")
    with club.work() as work:
        complete_match_review(work.session, work.cache, get_match(work.session, scene["code"]), club.now)
    return scene


# ---- letters, protests, leave, undo and the clock ----


def moved(club: Club, **more: Any) -> Scene:
    """Of three Anna has moved: Bert is to move."""
    return then(club, three(club, **more), 0)


def with_robot(club: Club) -> Scene:
    """Anna has moved, then the robot; Anna is to move again."""
    club.players("R2D2")
    return then(club, begun(club, "topwords", ("Anna", "R2D2")), 0)


def boss_address(club: Club) -> str:
    with club.work() as work:
        return f"games+BOSS-{ensure_moderator_token(work.session)}@club.example"


def protested(club: Club) -> Scene:
    """Anna protests; ``protest`` is the address that the moderator answers to."""
    scene = then(club, then(club, moved(club), 1), 0, "Einspruch: HAUS war nicht verbunden.")
    (mail,) = [mail for mail in club.mails() if "boss@" in str(mail["To"])]
    return scene | {"protest": str(mail["Reply-To"]), "boss": boss_address(club)}


def away_now(club: Club) -> Scene:
    """Anna has been on leave since yesterday."""
    scene = two(club)
    with club.work() as work:
        today = club.now.date()
        on_leave(work, get_player(work.session, "Anna"), today.replace(day=19), today.replace(day=30))
    return scene


def press_watched(club: Club) -> Scene:
    """Dora watches what Anna, Bert and Cici play."""
    scene = three(club)
    people(club, "Dora")
    with club.work() as work:
        match, dora = get_match(work.session, scene["code"]), get_player(work.session, "Dora")
        work.session.add(WatcherRow(match_id=match.number, player_id=dora.number, since=club.now))
    return scene


def two_matches(club: Club) -> Scene:
    """Anna and Bert in two matches; in the second one leave does not count."""
    scene = two(club)
    begun(club, "topwords", ("Bert", "Anna"), terms={"leave": False})
    return scene


# ---- settings, addresses, joining, watching, and writers whom nobody knows ----


def lookers_on(club: Club) -> Scene:
    """Anna and Bert play; Cici and Dora (English) do not."""
    scene = two(club)
    people(club, "Cici", "Dora")
    return scene


def all_write(scene: Callable[[Club], Scene], names: tuple[str, ...], line: str) -> Callable[[Club], Scene]:
    """A scene in which each of them has written the line."""

    def made(club: Club) -> Scene:
        there = scene(club)
        for name in names:
            writes(club, name, line.format(**there))
        return there

    return made


def with_openings(club: Club, *openings: tuple[str, int]) -> Scene:
    """Open matches: game and seats wanted; Anna has the first seat of each."""
    people(club, *EVERYBODY[:4])
    with club.work() as work:
        for (game, wanted), name in zip(openings, ("Arratia", "Bozen", "Chur"), strict=False):
            seats = [get_player(work.session, "Anna")]
            create_match(work, game, name, seats, {}, wanted=wanted)
    return {"code": "K7Q2", "seats": ["Anna"]}


def stand_in(club: Club, left: bool = False, **terms: Any) -> Scene:
    """Anna, Bert and Cici, who may have ``left``; Dora (English) and Emil play nowhere."""
    scene = three(club, terms=terms or None)
    people(club, "Dora", "Emil")
    return then(club, scene, 2, "Aufgeben {code} JA") if left else scene


def moving(club: Club, *, said: bool = False, dead: bool = False) -> Scene:
    """Anna wants another address; ``said``: the old mailbox has said yes; ``dead``: it does not work any more."""
    scene = dead_mailbox(club) if dead else two(club)
    club.hand_in("anna@new.example", scene["code"], 0, "Adresse anna@new.example")
    (change,) = club.stored(AddressChange)
    scene |= {"old": f"games+ADDR-{change.old_token}@club.example"}
    scene |= {"new": f"games+ADDR-{change.new_token}@club.example"}
    if said:
        club.say("Anna", "JA", to=scene["old"])
    return scene


def elsewhere(club: Club) -> Scene:
    """Anna's seat may be reached from anywhere."""
    scene = two(club)
    return scene | {"seat-anna": f"games+{scene['code']}-{club.token(scene['code'], 0)}@club.example"}


def dead_mailbox(club: Club) -> Scene:
    """Mails to Anna come back."""
    scene = elsewhere(club)
    with club.work() as work:
        get_player(work.session, "Anna").undeliverable = "5.1.1"
    return scene


def strangers(club: Club, signup: str) -> Scene:
    """A club that lets everybody in, or nobody; a match waits for one more player."""
    object.__setattr__(club.config.club, "signup", signup)
    return with_openings(club, ("topwords", 2))


def newcomer(club: Club, line: str) -> Scene:
    """Zoe has written ``line`` and was asked whether it was her."""
    scene = strangers(club, "open")
    club.say("zoe@far.example", line)
    (held,) = club.stored(select(InboxRow).where(InboxRow.state == "confirm"))
    return scene | {"question": f"games+OK-{held.token}@club.example"}


# ---- the moderator's mails; ``boss`` is the address with the moderator's token ----


def boss(club: Club, game: str = "topwords", names: tuple[str, ...] = TWO, **more: Any) -> Scene:
    """A match that has just been dealt and mailed; Dora and Emil play in none."""
    people(club, *names, "Dora", "Emil")
    return begun(club, game, names, **more) | {"boss": boss_address(club)}


def play_best(club: Club, scene: Scene, *seats: int) -> Scene:
    """They play their best moves, three hours apart."""
    for seat in seats:
        club.wait(hours=3)
        then(club, scene, seat, "" if club.moves(scene["code"], seat) else "passe")
    return scene


def boss_evaluated(club: Club) -> Scene:
    """Round 1 of three in rounds is evaluated, all had sent an order."""
    scene = play_best(club, play_best(club, boss(club, names=THREE, pace="rounds"), 0), 1, 2)
    club.let_pass(days=8)
    return scene


def boss_paused(club: Club) -> Scene:
    """The clock stands."""
    scene = boss(club)
    with club.work() as work:
        clockwork.pause_clock_by_staff(work, get_match(work.session, scene["code"]))
    club.let_pass(days=2)
    return scene


def boss_held(club: Club) -> Scene:
    """Anna's move waits for a word that no list has."""
    scene = boss(club, unknown_words="ask")
    return then(club, scene, 0, "E5 w " + "".join(club.live(scene["code"]).table.state.hand(0)[:3]))


def boss_waiting(club: Club) -> Scene:
    """A mail of Anna's with her own token waits, because it says that a list has sent it."""
    scene = boss(club)
    club.hand_in("Anna", scene["code"], 0, club.moves(scene["code"], 0)[0], List_Id="<spiele.home.example>")
    return scene


def boss_late(club: Club) -> Scene:
    """Anna has missed a turn, Bert is awaited, on leave soon, and Cici's mail comes back."""
    scene = boss(club, names=THREE, terms={"bank": 3})
    club.let_pass(days=11)
    with club.work() as work:
        on_leave(work, get_player(work.session, "Bert"), date(2026, 12, 24), date(2027, 1, 2))
        get_player(work.session, "Cici").undeliverable = "550 no such user"
    return scene


def boss_led(club: Club) -> Scene:
    """Anna and Bert at Topwords; Karl is the referee, Lea, who reads English, the deputy."""
    scene = boss(club)
    with club.work() as work:
        match = get_match(work.session, scene["code"])
        for name, language in (("Karl", "de"), ("Lea", "en")):
            row = RefereeRoster(work).add_referee(name, f"{name.lower()}@ref.example", language)
            RefereeRoster(work).assign_referee(match, row, deputy=name == "Lea")
            scene[name.lower()] = f"games+BOSS-{row.token}@club.example"
    club.tick()
    return scene


def in_english(scene: Callable[[Club], Scene]) -> Callable[[Club], Scene]:
    """The same club with a moderator who reads English."""

    def made(club: Club) -> Scene:
        file = club.folder / "moderator.toml"
        german = file.read_text(encoding="utf-8")
        file.write_text(german.replace("[mail]", 'language = "en"\n[mail]', 1), encoding="utf-8")
        club.config = load_config(file)
        return scene(club)

    return made


# ---- tournaments: open, full, running, over; a ladder with challenges; ratings ----


def tournament(
    club: Club,
    format: str,
    *names: str,
    game: str = "dominos",
    opens: float | None = 0,
    closes: float | None = 7,
    running: bool = False,
    **settings: Any,
) -> Scene:
    """One more tournament of the club, which ``names`` have joined; days until it opens and closes. ``running``: it has
    begun, and everything is dealt and mailed."""
    people(club, *EVERYBODY)
    day = timedelta(days=1)
    with club.work() as work:
        number = int(work.session.exec(select(func.count()).select_from(Tournament)).one())
        made = registration.create_tournament(
            work,
            CUPS[number],
            game,
            format,
            options={"target": 30} if game == "dominos" else {},
            settings={"invite": False, "seeding": "order"} | settings,
            opens_at=None if opens is None else club.now + day * opens,
            closes_at=None if closes is None else club.now + day * closes,
            seed=5,
        )
        code = made.code
    club.tick()
    with club.work() as work:
        for name in names:
            ClubTournament(work, tournament_rows.get_tournament(work.session, code)).enter_player(
                get_player(work.session, name)
            )
            work.now += timedelta(seconds=1)
    if running:
        club.wait(days=7 if closes is None else closes)
        with club.work() as work:
            row = tournament_rows.get_tournament(work.session, code)
            row.closes_at = row.next_at = club.now
        club.tick()
        club.tick()
    return {}


def two_open(club: Club) -> Scene:
    """Nobody but Cici and Dora has joined one of them."""
    tournament(club, "swiss", "Cici", "Dora")
    return tournament(club, "robin", "Cici", closes=None, most=6)


def a_glance(club: Club) -> Scene:
    """Anna and Bert play in one, wait for another, and could join a third."""
    tournament(club, "robin", *THREE, running=True)
    tournament(club, "swiss", "Cici", "Dora", "Bert", "Anna", most=2)
    return tournament(club, "knockout", "Cici", "Dora", "Emil")


def ladder(club: Club, *, asked: bool = False, locked: bool = False, away: bool = False, **settings: Any) -> Scene:
    """Rungs: Dora, Cici, Bert, Anna, the robot R2a, Emil; two rungs up may be challenged. ``asked``: Anna has
    challenged Bert; ``locked``: Bert has refused her without a price; ``away``: Bert is on leave."""
    people(club, *EVERYBODY)
    club.players("R2a")
    on_it = ("Dora", "Cici", "Bert", "Anna", "R2a", "Emil")
    scene = tournament(club, "ladder", *on_it, running=True, reach=2, **settings)
    with club.work() as work:
        row = tournament_rows.get_tournament(work.session, "T1")
        if asked or locked:
            ClubTournament(work, row).challenge_entrant(4, 3)
        if locked:
            ClubTournament(work, row).refuse_ladder_game(3)
        if away:
            on_leave(work, get_player(work.session, "Bert"), work.today, work.today + timedelta(days=9))
    club.tick()
    return scene


def cup_over(club: Club) -> Scene:
    """A tournament of Anna and Bert is over, one was cancelled."""
    tournament(club, "robin", *TWO, running=True)
    tournament(club, "swiss", "Anna", "Cici")
    with club.work() as work:
        first, second = (tournament_rows.get_tournament(work.session, code) for code in ("T1", "T2"))
        first.status, first.finished_at, second.status = "finished", club.now, "cancelled"
        for at, (entry, _) in enumerate(tournaments.list_entries_with_players(work.session, first), 1):
            entry.place = at
    return {}


def rated(club: Club, games: int = 60) -> Scene:
    """Anna and Bert have played so often that their ratings of Topwords are settled; Cici has played once."""
    people(club, *EVERYBODY)
    with club.work() as work:
        for number in range(games):
            names = ("Anna", "Cici") if number == 0 else TWO
            match = MatchRow(code=f"Z9Z{number:03}", name="Arratia", game="topwords", created_at=club.now)
            scores, places = ([210, 150], [1, 2]) if number % 3 else ([120, 190], [2, 1])
            match.result = {"scores": scores, "points": scores, "places": places, "out": [], "moves": [9, 9]}
            match.status, match.finished_at = "finished", club.now + timedelta(minutes=number)
            work.session.add(match)
            work.session.flush()
            for name in names:
                take_seat(work.session, match, get_player(work.session, name))
    return {}


def cup_and_match(club: Club) -> Scene:
    """A match with a free seat and a tournament are open."""
    with_openings(club, ("topwords", 3))
    return tournament(club, "swiss", "Cici", "Dora")


# ---- a match that was begun elsewhere; a puzzle of the week from matches of robots ----

POSITION = {
    "round": 2,
    "turn": 1,
    "board": ["66", "62@L", "61@R"],
    "stock_order": "11 30 32 40 42 43 44 52 53 54 00",
    "player": [
        {"score": 35, "gains": [5], "rack": "64 31 55 21 10 63"},
        {"score": 20, "rack": "65 41 22 33 51 50 20 60"},
    ],
}


def moving_in_asked(club: Club, half: bool = False) -> Scene:
    """Anna (German) and Bert (English), who is to move, have been asked whether all is right; ``half``: Anna has said
    that it is."""
    people(club, *TWO)
    with club.work() as work:
        seats = [get_player(work.session, name) for name in TWO]
        match = create_match(work, "dominos", "Arratia", seats, {})
        moving_in.import_match(work, match, POSITION, None)
        notify_match_events(work)
        code = match.code
    club.tick()
    if half:
        with club.at(code) as (work, match):
            Match.load(work, match).confirm_position(0)
    return {"code": code, "seats": list(TWO)}


def review_all(club: Club) -> None:
    """What idle time does. What a puzzle is taken by are points, not what may follow."""
    with club.work() as work, little_thought(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Topwords, "estimate_equities", lambda *_: [])
        for match in work.session.exec(select(MatchRow).where(MatchRow.status == MatchStatus.FINISHED)).all():
            complete_match_review(work.session, work.cache, match, work.now)


def wants(club: Club, *names: str) -> None:
    """They have asked for it."""
    with club.work() as work:
        for name in names:
            player = get_player(work.session, name)
            player.puzzles, player.board = True, "text"


def last(club: Club) -> PuzzleRow:
    """The puzzle that was set last."""
    with club.work() as work:
        return work.session.exec(select(PuzzleRow).order_by(PuzzleRow.id.desc())).first()


def best(club: Club) -> str:
    return last(club).best


def poor(club: Club) -> str:
    """A move that is possible, and not the best one."""
    with club.work() as work:
        there = puzzles.find_puzzle_position(work.session, work.cache, last(club))
        return survey_position(there.game, there.state, there.seat, there.context).found[-1][0]


@contextmanager
def fewer_turns() -> Iterator[None]:
    """With five turns a position is enough for a puzzle: the little dictionary has no sixty words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positions, "FEWEST", 5)
        yield


def made(folder: Path, count: int) -> Club:
    """Of robots; Anna and Bert play nowhere."""
    club = club_of(folder, "Anna", "Bert", "Cora")
    play_puzzled(club, count)
    return club


def play_puzzled(club: Club, count: int) -> None:
    """So many matches to their end, and their reviews."""
    club.players("R2 Ada", "R2 Bob")
    for number in range(count):
        seats = ("R2 Ada", "R2 Bob") if number % 2 else ("R2 Bob", "R2 Ada")
        club.match(*seats, seed=lambda match: bytes([match.number, *range(31)]))
    while _running(club):
        club.tick()
    review_all(club)


def _running(club: Club) -> bool:
    with club.work() as work:
        return work.session.exec(select(MatchRow.id).where(MatchRow.status == MatchStatus.RUNNING)).first() is not None


def puzzle_wanted(club: Club) -> Scene:
    """Anna and Bert want it, and no match is over."""
    people(club, *TWO)
    wants(club, *TWO)
    return {"code": "", "seats": []}


def puzzle(club: Club) -> Scene:
    """It is Monday, and Anna and Bert have this week's."""
    people(club, *TWO)
    play_puzzled(club, 1)
    scene = puzzle_wanted(club)
    club.now = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
    with fewer_turns():
        club.tick()
    with club.work() as work:
        for name in TWO:
            secret = ensure_player_token(work.session, get_player(work.session, name))
            scene[f"puzzle-{name.lower()}"] = f"games+PUZZ-{secret}@club.example"
    return scene | {"best": best(club)}


BOSS: dict[str, Callable[[Club], Scene]] = {
    "boss-two": boss,
    "boss-three": lambda club: boss(club, names=THREE, terms={"bank": 3}),
    "boss-moved": lambda club: play_best(club, boss(club), 0, 1, 0),
    "boss-rounds": lambda club: play_best(club, boss(club, names=THREE, pace="rounds"), 0),
    "boss-evaluated": boss_evaluated,
    "boss-paused": boss_paused,
    "boss-held": boss_held,
    "boss-waiting": boss_waiting,
    "boss-tiles": lambda club: boss(club, "dominos"),
    "boss-late": boss_late,
    "boss-resigned": lambda club: then(club, play_best(club, boss(club), 0, 1, 0), 1, "Aufgeben {code} JA"),
    "boss-led": boss_led,
}
BY_NAME = (
    two, three, told, exchanged, taken_back, missed, round_over, several, finished, moved, with_robot, protested,
    away_now, press_watched, two_matches, lookers_on, moving, dead_mailbox, elsewhere, cup_over, cup_and_match,
    puzzle,
)  # fmt: skip
"""Scenes that are called as their function."""
SCENES: dict[str, Callable[[Club], Scene]] = {
    **{scene.__name__.replace("_", "-"): scene for scene in BY_NAME},
    "told-dominos": lambda club: told(club, "dominos", 3),
    "told-tridom": lambda club: told(club, "tridom"),
    "told-domijongg": lambda club: told(club, "domijongg"),
    "race": lambda club: begun(club, "presto", TWO),
    "kreuzwort": lambda club: begun(club, "kreuzwort", TWO),
    "common-over": lambda club: round_over(club, "common"),
    "nobody": lambda club: alone(club, "Emil", "Dora"),
    "two-moves": lambda club: then(club, moved(club), 1),
    "wish": lambda club: then(club, moved(club), 0, "Rücknahme"),
    "wish-half": lambda club: then(club, then(club, moved(club), 0, "Rücknahme"), 1, "agree"),
    "on-leave": lambda club: then(club, two(club), 0, "Urlaub 24.12. bis 2.1."),
    "two-leaves": lambda club: then(club, then(club, two(club), 0, "Urlaub 24.12. bis 2.1."), 0, "Urlaub 1.3.-5.3."),
    "resigned": lambda club: then(club, two(club), 1, "resign {code} YES"),
    "stored": lambda club: then(club, three(club, pace="rounds"), 0),
    "first-round": lambda club: three(club, pace="rounds"),
    "banked": lambda club: moved(club, terms={"bank": 5, "grace": 2}),
    "nobody-plays": lambda club: alone(club, *TWO),
    "watched": all_write(lookers_on, ("Cici", "Dora"), "watch {code}"),
    "one-opening": lambda club: with_openings(club, ("topwords", 2)),
    "openings": lambda club: with_openings(club, ("topwords", 3), ("tridom", 3)),
    "given-up": lambda club: stand_in(club, left=True),
    "stand-in": lambda club: stand_in(club, stand_in="club"),
    "held": lambda club: stand_in(club, left=True, stand_in="club"),
    "moving-half": lambda club: moving(club, said=True),
    "moving-dead": lambda club: moving(club, dead=True),
    "open-club": lambda club: strangers(club, "open"),
    "closed-club": lambda club: strangers(club, "closed"),
    "newcomer": lambda club: newcomer(club, "Mitspielen Zoë"),
    "newcomer-english": lambda club: newcomer(club, "join K7Q2"),
    "digests": all_write(two, TWO, "digest on"),
    "cup-open": lambda club: tournament(club, "swiss", "Cici", "Dora"),
    "cup-in": lambda club: tournament(club, "swiss", "Cici", "Dora", "Anna", "Bert"),
    "cup-full": lambda club: tournament(club, "swiss", "Cici", "Dora", most=2),
    "cup-waiting": lambda club: tournament(club, "swiss", "Cici", "Dora", "Anna", "Bert", most=2),
    "cup-planned": lambda club: tournament(club, "swiss", opens=5, closes=12),
    "cup-some-day": lambda club: tournament(club, "swiss", opens=None, closes=None),
    "cups-open": two_open,
    "cups-glance": a_glance,
    "cup-robin": lambda club: tournament(club, "robin", *THREE, running=True),
    "cup-swiss": lambda club: tournament(club, "swiss", *EVERYBODY[:4], running=True),
    "cup-knockout": lambda club: tournament(club, "knockout", "Cici", "Dora", "Emil", running=True),
    "cup-ladder": ladder,
    "cup-ladder-asked": lambda club: ladder(club, asked=True),
    "cup-ladder-free": lambda club: ladder(club, asked=True, refusal="none"),
    "cup-ladder-locked": lambda club: ladder(club, locked=True, refusal="none"),
    "cup-ladder-away": lambda club: ladder(club, away=True),
    "cup-rated": rated,
    "cup-new-ratings": lambda club: rated(club, 3),
    "moving-in": moving_in_asked,
    "moving-in-half": lambda club: moving_in_asked(club, half=True),
    "puzzle-none": puzzle_wanted,
    "puzzle-over": lambda club: later(club, puzzle(club), days=6, hours=20),
    **BOSS,
    **{f"{name}-en": in_english(scene) for name, scene in BOSS.items()},
}
