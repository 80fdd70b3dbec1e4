"""Somebody guesses tokens: in constant time, few of a mail, and above a limit a right one alone opens nothing."""

import ast
import hmac
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.common import tokens
from moderator.inbox import identify
from moderator.service.create import get_player
from moderator.service.match.match import Match
from moderator.store.tables import AddressChange, MatchRow, Protest, Question
from tests.attack.post import BOSS, VOUCHED, Still, everything, raw, seat_address, started, ticked, to_move
from tests.club.club import Club, text
from tests.club.pair_scenes import boss_address

PACKAGE = Path(tokens.__file__).parent.parent
HANDLE_TOKENS = ("club", "commands", "inbox", "outbox", "people", "play")
"""Packages that see the tokens of mails; elsewhere the word means a piece of text."""
EVIL = "evil@evil.example"


def wrong(number: int, code: str = "OK") -> str:
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    tail = "".join(digits[number // 32**place % 32] for place in range(6))
    return f"games+{code}-0000{tail}@club.example"


def guess(club: Club, sender: str, count: int, code: str = "OK") -> None:
    """So many wrong tokens, in as few mails as are looked at."""
    for first in range(0, count, tokens.MOST):
        some = range(first, min(count, first + tokens.MOST))
        club.write(sender, f"passe {club.sent}", to=", ".join(wrong(n, code) for n in some))
    club.tick()
    club.wait(seconds=1)


def guessed(club: Club, sender: str = EVIL) -> None:
    """So many tokens were guessed that none opens anything by itself for an hour."""
    guess(club, sender, identify.PER_CLUB)
    club.mails()


def agree(club: Club, name: str) -> None:
    """Say yes to the newest mail to somebody."""
    club.write(name, "Ja", to=str(club.mails(name)[-1]["Reply-To"]))
    ticked(club)


@pytest.fixture
def code(club: Club) -> str:
    """Of a match in which it is Anna's turn."""
    return started(club)


def ask_about_a_word(club: Club, code: str) -> str:
    match = club.row(code).number
    with club.work() as work:
        work.session.add(Question(match_id=match, word="QUARK", token="ABCDEFGHJK", asked_at=club.now))
    return "games+WORD-ABCDEFGHJK@club.example"


@pytest.mark.slow
def test_each_token_is_compared_in_constant_time() -> None:
    """Nothing of ours compares a token by == or != in Python, and what compares is hmac's."""
    files = [path for name in HANDLE_TOKENS for path in (PACKAGE / name).rglob("*.py")]
    assert [path.name for path in files if compared_plainly(path.read_text("utf-8"))] == []
    assert "hmac.compare_digest" in Path(tokens.__file__).read_text("utf-8")
    assert tokens.tokens_equal("o1l0000000", "0110000000")
    assert not tokens.tokens_equal("0110000001", "0110000000")


def compared_plainly(source: str) -> list[int]:
    """Lines that compare something called token with == or != outside a database query."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    queries = {id(part) for call in calls if getattr(call.func, "attr", "") == "where" for part in ast.walk(call)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and id(node) not in queries
        if any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        if any("token" in getattr(side, "attr", getattr(side, "id", "")) for side in (node.left, *node.comparators))
    ]


def test_all_seats_are_compared_and_what_a_query_finds_is_compared_again(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No early end tells by its time how far a guess was right."""
    code = started(club, "Anna", "Bert", "Cici")
    compared: list[str] = []
    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda given, own: compared.append(own.decode()) or real(given, own))
    raw(club, "passe", f"From: {EVIL}", to=f"games+{code}-0000000000@club.example")
    assert len(compared) == 3
    compared.clear()
    raw(club, "passe", "From: anna@home.example", to=seat_address(club, code, 0))
    assert len(compared) == 3


def test_of_one_mail_few_tokens_are_looked_at(club: Club, code: str) -> None:
    guesses = [wrong(n, code) for n in range(tokens.MOST)]
    assert raw(club, "passe", f"From: {EVIL}", to=", ".join([*guesses, seat_address(club, code, 0)])).state == "unknown"
    subject = " ".join(f"[{code}-{n:010d}]" for n in range(40)) + f" [{code}-{club.token(code, 0)}]"
    assert raw(club, "passe", f"From: {EVIL}", f"Subject: {subject}").state == "unknown"
    assert to_move(club, code) == (0,)


@pytest.mark.slow
def test_below_the_limit_nothing_changes(club: Club, code: str) -> None:
    guess(club, OFFICE, identify.PER_SENDER - 1)
    assert raw(club, "passe", f"From: {OFFICE}", to=seat_address(club, code, 0)).state == "done"
    assert to_move(club, code) == (1,)


def test_who_has_guessed_too_often_opens_nothing_by_a_token(club: Club, code: str) -> None:
    guess(club, EVIL, identify.PER_SENDER)
    assert [str(mail["To"]) for mail in club.mails() if "boss@club" in str(mail["To"])] != []
    assert raw(club, "passe", f"From: {EVIL}", to=seat_address(club, code, 0)).state == "confirm"
    assert to_move(club, code) == (0,)
    club.write("Anna", "Nein", to=str(club.mail("anna")["Reply-To"]))
    ticked(club)
    assert to_move(club, code) == (0,)
    assert club.mails(EVIL) == []
    raw(club, "passe", "From: bert@home.example", to=seat_address(club, code, 0))  # others are not concerned
    assert to_move(club, code) == (1,)


@pytest.mark.slow
def test_the_moderator_is_told_once_a_day(club: Club) -> None:
    for sender in (EVIL, "other@evil.example", "third@evil.example"):
        guess(club, sender, 2 * identify.PER_SENDER)
    assert EVIL in text(club.mail("boss"))
    club.wait(days=1)
    guess(club, EVIL, identify.PER_SENDER)
    assert len(club.mails()) == 1


@pytest.mark.slow
def test_guesses_with_many_senders_are_bounded_too(club: Club, code: str) -> None:
    for number in range(identify.PER_CLUB // 10):
        guess(club, f"x{number}@evil.example", 10)
    assert [str(mail["To"]).partition("<")[2] for mail in club.mails()] == ["boss@club.example>"]
    for state, seat in (("confirm", 0), ("done", 1)):
        assert raw(club, "passe", "From: fresh@evil.example", to=seat_address(club, code, 0)).state == state
        assert to_move(club, code) == (seat,)
        club.wait(hours=1)


@pytest.mark.parametrize("guesser", ["anna@home.example", pytest.param(EVIL, marks=pytest.mark.slow)])
def test_anna_is_not_shut_out(club: Club, code: str, guesser: str) -> None:
    """Vouched for, her right token counts as ever; else she says yes once."""
    guessed(club, guesser)
    headers = ["From: anna@home.example", "Authentication-Results: " + VOUCHED]
    assert raw(club, "passe", *headers, to=seat_address(club, code, 0)).state == "done"
    assert to_move(club, code) == (1,)
    club.order("Bert", code, 1, "passe")
    ticked(club)
    agree(club, "bert")
    assert to_move(club, code) == (0,)


@pytest.mark.slow
def test_the_released_mail_counts_for_its_own_seat(club: Club, code: str) -> None:
    """Though its subject is empty and it came from elsewhere: the token still says which seat it is for."""
    other = started(club)
    guessed(club, "x@office.example")
    club.write(OFFICE, f"passe\n{code}: passe", to=seat_address(club, other, 0))
    assert ticked(club).state == "confirm"
    club.write("Anna", "Wie bitte?", to=str(club.mail("anna")["Reply-To"]))
    ticked(club)
    agree(club, "anna")
    assert (to_move(club, code), to_move(club, other)) == ((0,), (1,))


@pytest.mark.slow
def test_commands_and_rulings_wait_for_the_moderators_yes(club: Club, code: str) -> None:
    command, ruling = boss_address(club), ask_about_a_word(club, code)
    guessed(club)
    club.write("boss@club.example", f"Pause {code}", to=command)
    assert ticked(club).state == "confirm"
    assert not club.row(code).stopped
    agree(club, "boss@club.example")
    assert club.row(code).stopped == "pause"
    club.mails()
    club.write("boss@club.example", "erlaubt", to=ruling)
    assert ticked(club).state == "confirm"
    agree(club, "boss@club.example")
    assert club.stored(select(Question.ruling)) == ["allow"]


def test_counting_takes_no_more_room_for_more_senders(club: Club) -> None:
    with club.work() as work:
        for number in range(3 * identify.KEPT_SENDERS):
            identify.count_wrong_tokens(work.session, club.now, f"x{number}@evil.example", 1)
        known = identify.load_wrong_tokens(work.session, club.now)
        assert (len(known.senders), known.in_hour) == (identify.KEPT_SENDERS, 3 * identify.KEPT_SENDERS)
        later = identify.load_wrong_tokens(work.session, club.now + timedelta(days=1))
        assert (later.senders, later.in_hour, later.told) == ({}, 0, False)


def test_a_token_has_fifty_bits() -> None:
    made = {tokens.generate_token() for _ in range(2000)}
    assert len(made) == 2000
    assert {letter for token in made for letter in token} == set(tokens.CROCKFORD)
    assert len(tokens.CROCKFORD) ** tokens.TOKEN_LENGTH == 2**50


OFFICE = "anna@office.example"
OWN = (
    "Sprache englisch", "Zeitzone Asia/Tokyo", "Brettform Tabelle", "Sammelmail an", "Einzelzug an",
    "Abwesend 1.12.2026 - 5.12.2026", "Übersicht", "Turnier",
)  # fmt: skip
"""Commands about the player, not about one match."""


def test_berts_token_does_nothing_for_annas_seat(still: Still) -> None:
    """It is Anna's turn. Bert names her seat, her match, her name in every way."""
    code, other = still.one, still.two
    body = (
        f"passe\n{other}: passe\n[{other}]\npasse\nPartie {other}\npasse\nZug {code} Anna: passe\nAufgeben {other} JA"
    )
    found = still.tried(body, "From: bert@home.example", to=still.seat(1))
    assert not found.moved
    assert {match["status"] for match in found.matches} == {"running"}
    assert set(found.to) == {"bert@home.example"}
    assert "Cici" not in text(found.mails[0])


@pytest.mark.parametrize(
    "line", ["Brett", "Steine", "Stand", "Verlauf", "Kalender", "Mail noch einmal", "Presse an alle: hu"]
)
def test_berts_token_reads_nothing_of_a_match_that_is_not_his(still: Still, line: str) -> None:
    hands = still.club.live(still.two).table.state.hands
    word, colon, rest = line.partition(":")
    found = still.tried(f"{word} {still.two}{colon}{rest}", "From: bert@home.example", to=still.seat(1))
    assert set(found.to) <= {"bert@home.example", BOSS}
    for hand in hands:
        assert " ".join(hand) not in found.told
    assert still.club.token(still.two, 0) not in found.told


@pytest.mark.parametrize("line", OWN)
def test_a_token_that_was_forwarded_changes_no_settings(still: Still, line: str) -> None:
    before = still.tried("", f"From: {OFFICE}")
    found = still.tried(line, f"From: {OFFICE}", to=still.seat(0))
    assert (found.players, found.leaves) == (before.players, 0)
    assert found.to == ["anna@home.example"]  # who so learns of it
    own = still.tried(line, "From: anna@home.example", to=still.seat(0))
    assert (own.players, own.leaves) != (before.players, 0) or line in ("Übersicht", "Turnier")


def test_nor_does_it_move_her_to_another_address(club: Club, code: str) -> None:
    """Both mailboxes must say yes; the thief has only one of them."""
    club.write(OFFICE, f"Adresse {OFFICE}", to=seat_address(club, code, 0))
    ticked(club)
    question = club.mail(OFFICE)
    assert len(club.mails("anna@home")) >= 1
    club.write(OFFICE, "Ja", to=str(question["Reply-To"]))
    ticked(club)
    with club.work() as work:
        assert get_player(work.session, "Anna").address == "anna@home.example"
        change = work.session.exec(select(AddressChange)).one()
        assert (change.old_said, change.new_said) == (False, True)
        assert change.old_token not in everything(question)


@pytest.mark.slow
def test_the_token_of_a_match_that_is_over_opens_no_other(club: Club) -> None:
    over, other = started(club, pass_rounds=1), started(club)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, over, seat, "passe")
        ticked(club)
    assert club.row(over).status == "finished"
    club.write(OFFICE, f"passe\n{other}: passe\nAufgeben {other} JA\nSprache englisch", to=seat_address(club, over, 0))
    ticked(club)
    assert (to_move(club, other), club.row(other).status) == ((0,), "running")
    with club.work() as work:
        assert get_player(work.session, "Anna").language == "de"


def test_the_token_of_who_has_left_opens_nothing(club: Club, code: str) -> None:
    """Bert's seat goes to Cici, who gets a token of her own; what was written to Bert's is nobody's then."""
    old = seat_address(club, code, 1)
    with club.work() as work:
        match = work.session.exec(select(MatchRow)).one()
        Match.load(work, match).hand_over_seat(1, get_player(work.session, "Cici"))
    club.order("Anna", code, 0, "passe")
    ticked(club)
    assert to_move(club, code) == (1,)
    club.mails()
    assert raw(club, "passe", "From: bert@office.example", to=old).state == "unknown"
    assert raw(club, "Steine", "From: bert@home.example", "Authentication-Results: " + VOUCHED, to=old).state == "done"
    assert to_move(club, code) == (1,)
    hand = club.live(code).table.state.hands[1]
    assert not [mail for mail in club.mails() if " ".join(hand) in everything(mail)]
    club.order("Cici", code, 1, "passe")
    ticked(club)
    assert to_move(club, code) == (0,)


COMMANDS = (
    "Pause {0}", "Verlängern {0} 5", "Auswerten {0}!", "Zurück {0} R1", "Wort QUARK erlaubt",
    "Ersetzen {0} Anna durch Cici",
    "Ausschließen {0} Anna", "Zug {0} Anna: passe", "Amtlich {0}: Hallo", "Amtlich an alle: Hallo",
    "Entschuldigen {0} Bert",
    "Vorschau {0}", "Fehlende", "Einspruch 1 stattgegeben",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_player_commands_nothing(still: Still, command: str) -> None:
    before = still.tried("", f"From: {OFFICE}")
    found = still.tried(command.format(still.one), "From: bert@home.example", to=still.seat(1))
    assert (found.matches, found.players, found.moved) == (before.matches, before.players, False)
    assert not still.club.config.resolve_path(still.club.config.words.house).exists()
    assert set(found.to) <= {"bert@home.example", BOSS}
    assert "BOSS-" not in "".join(everything(mail) for mail in found.mails if BOSS not in str(mail["To"]))


@pytest.mark.slow
def test_questions_to_the_moderator_are_answered_by_nobody_else(club: Club, code: str) -> None:
    """A word's and a protest's number are known to players; their tokens are not."""
    ask_about_a_word(club, code)
    match = club.row(code).number
    with club.work() as work:
        bert, about = get_player(work.session, "Bert").number, {"text": "x", "token": "KJHGFEDCBA", "at": club.now}
        work.session.add(Protest(match_id=match, player_id=bert, round=1, **about))
    club.order("Bert", code, 1, "QUARK erlaubt\nEinspruch 1 stattgegeben")
    for to in ("games+WORD-KJHGFEDCBA@club.example", "games+PROT-ABCDEFGHJK@club.example"):
        club.write("Bert", "erlaubt\nstattgegeben", to=to)
    ticked(club)
    with club.work() as work:
        assert work.session.exec(select(Question.answered_at)).one() is None
        assert [one.answered_at for one in work.session.exec(select(Protest)).all()].count(None) >= 1
        assert not work.session.exec(select(Protest).where(Protest.upheld)).all()
