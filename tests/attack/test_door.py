"""Nothing is lost in silence at the door: what may be meant counts, or is asked about, or waits for the moderator."""

import re
from collections.abc import Callable, Iterable
from datetime import timedelta

import pytest
from sqlmodel import col, select

from moderator.commands import moderator_call
from moderator.commands.moderator import show
from moderator.common import tokens
from moderator.inbox.pipeline import QUESTIONS, accept_held
from moderator.rules.game import Note
from moderator.service.create import get_match
from moderator.store import due_work
from moderator.store.tables import InboxRow, OutboxRow, Question
from moderator.views.unit_of_work import UnitOfWork
from tests.attack.post import MARKS, VOUCHED, started, ticked, to_move
from tests.cli.running import refuse_command, type_command
from tests.club.club import Club, text
from tests.club.pair_scenes import boss_address

SIGNED = {"Authentication_Results": VOUCHED}


def spoken(club: Club, tell: Callable[[UnitOfWork], Iterable[Note]]) -> str:
    """What a command of the moderator's answers, at the club's own time."""
    with club.work() as work:
        return "\n".join(moderator_call.render_sentences(work.config, work.now, tell(work), "en"))


def missing(club: Club, code: str) -> str:
    return spoken(club, lambda work: show.report_missing_players(work, (get_match(work.session, code),)))


def states(club: Club) -> list[str]:
    return club.stored(select(InboxRow.state).order_by(col(InboxRow.id)))


def accepted(club: Club, *numbers: int) -> str:
    return spoken(club, lambda work: [accept_held(work, number) for number in numbers])


def next_day(club: Club) -> str:
    """What the moderator's notice says then; "" = there is none."""
    club.let_pass(days=1)
    return " ".join(text(mail) for mail in club.mails("boss"))


# ---- a machine's headers ----


def marked(header: str) -> dict[str, str]:
    return {header.replace("-", "_") if header != "Subject" else "subject": MARKS[header]}


def with_mark(club: Club, code: str, header: str, way: str = "address") -> None:
    """Anna passes in a mail that looks like a machine's."""
    if way == "address":
        club.order("Anna", code, 0, "passe", **marked(header))
    elif way == "subject":
        club.write("Anna", "passe", **{"subject": f"[{code}-{club.token(code, 0)}]", **marked(header)})
    else:
        club.write("Anna", f"{code}: passe", **marked(header), **SIGNED)


@pytest.mark.parametrize("header", ["List-Id", "Return-Path"])
def test_a_right_token_under_a_machines_header(club: Club, header: str) -> None:
    """Nobody is answered, the moderator is told once, sees it with the seat, and lets it count by one line."""
    code = started(club)
    for number, way in enumerate(("address", "subject", "vouched"), 1):
        with_mark(club, code, header, way)
        ticked(club)
        assert f"quarantine accept {number}" in missing(club, code)
    assert (states(club), club.mails(), to_move(club, code)) == (["waiting"] * 3, [], (0,))
    assert missing(club, code).count(header) == 3
    assert len(re.findall(r"waiting +anna@home\.example", type_command(club, "quarantine", "list"))) == 3
    told = next_day(club)
    assert all(f"»Annehmen {number}«" in told for number in (1, 2, 3))
    assert (told.count(header), told.count(f"Anna zur Partie {code}")) == (3, 2)
    assert "passe" not in told  # a move is nobody's business before it is played
    assert "quarantine" not in next_day(club)
    type_command(club, "quarantine", "drop", "3")
    assert accepted(club, 1, 2).count("counts") == 2
    club.tick()
    assert (states(club), to_move(club, code)) == (["done", "done", "dropped"], (1,))
    assert "quarantine" not in missing(club, code)
    assert len(club.mails("anna")) >= 1


def test_the_moderator_lets_it_count_by_mail_too(club: Club) -> None:
    one, two = started(club), started(club)
    with_mark(club, one, "List-Id")
    with_mark(club, two, "List-Id")
    club.tick()
    came = club.now
    club.let_pass(days=1)
    notice = club.mail("boss")
    club.wait(hours=5)
    club.say("boss@club.example", "Annehmen 1\nVerwerfen 2\nAnnehmen 9", to=str(notice["Reply-To"]))
    answer = text(club.mail("boss"))
    assert "Mail 1 von anna@home.example zählt" in answer
    assert "Mail 2 von anna@home.example ist von der Liste" in answer
    assert "Mail 9 wartet nicht" in answer
    assert (to_move(club, one), to_move(club, two)) == ((1,), (0,))
    with club.work() as work:
        kept = work.session.get_one(InboxRow, 1)
        assert (kept.state, kept.received_at) == ("done", came)


def test_what_answers_a_question_waits_too(club: Club) -> None:
    code = started(club)
    club.say("Anna", "passe")
    question = str(club.mail("anna")["Reply-To"])
    with club.work() as work:
        match = club.row(code)
        work.session.add(Question(match_id=match.number, word="QUARK", token="ABCDEFGHJK", asked_at=club.now))
    club.write("Anna", "Ja", to=question, List_Id="<x>")
    club.write("boss@club.example", "erlaubt", to="games+WORD-ABCDEFGHJK@club.example", List_Id="<x>")
    club.say("boss@club.example", f"Pause {code}", to=boss_address(club), List_Id="<x>")
    assert states(club) == ["confirm", "waiting", "waiting", "waiting"]
    type_command(club, "quarantine", "accept", "2", "3", "4")
    assert states(club) == ["done"] * 4
    assert (to_move(club, code), club.row(code).stopped) == ((1,), "pause")
    assert club.stored(select(Question.ruling)) == ["allow"]


def test_guesses_are_counted_whatever_the_headers(club: Club) -> None:
    """Nobody tries tokens for nothing by saying that a machine does."""
    code = started(club)
    for number in range(4):
        to = ", ".join(f"games+{code}-00000{number}{n:04d}@club.example" for n in range(tokens.MOST))
        club.write("evil@evil.example", "passe", to=to, List_Id="<x>")
    club.tick()
    assert states(club) == ["machine"] * 4
    assert "evil@evil.example" in text(club.mail("boss"))


# ---- shutting somebody out ----


def forged(club: Club, count: int, tokens_each: int) -> None:
    """Mails under Anna's name, with so many wrong tokens each."""
    for number in range(count):
        wrong = [f"games+OK-{number:05d}{n:05d}@club.example" for n in range(tokens_each)]
        club.write("anna@home.example", f"passe {number}", to=", ".join(wrong) or "games@club.example")


def test_a_stranger_under_her_name_shuts_nobody_out(club: Club) -> None:
    """3 mails with 8 wrong tokens each and 10 without: her order with the right token is asked about all the same."""
    code = started(club)
    forged(club, 3, tokens.MOST)
    forged(club, 10, 0)
    ticked(club)
    asked = club.mails("anna")
    assert len(asked) == QUESTIONS
    assert ["So frage ich dich heute nicht noch einmal" in text(mail) for mail in asked[-2:]] == [False, True]
    club.order("Anna", code, 0, "passe")
    assert ticked(club).state == "confirm"
    question = club.mail("anna")
    assert "quarantine accept 14" in missing(club, code)
    club.write("Anna", "Ja", to=str(question["Reply-To"]))
    ticked(club)
    assert to_move(club, code) == (1,)
    # What nobody was asked about is not lost either.
    told = next_day(club)
    held = [number for number, state in enumerate(states(club), 1) if state == "confirm"]
    assert len(held) == 13
    assert "10 Mails einer Art warten" in told
    assert (told.count("»Annehmen"), told.count("nicht gefragt")) == (3, 3)


@pytest.mark.parametrize("count", [13, pytest.param(45, marks=pytest.mark.slow)])
def test_while_tokens_are_guessed_every_order_is_counted_or_asked_about(club: Club, count: int) -> None:
    """14 mails with 8 wrong tokens each; then Bert's orders. Above his answers of a day the moderator has them."""
    codes = [started(club, "Bert", "Anna") for _ in range(3)]
    forged(club, 14, tokens.MOST)
    ticked(club)
    club.mails()
    for number in range(count):
        club.order("Bert", codes[number % 3], 0, f"passe\nGruß {number}")
    ticked(club)
    asked = [mail for mail in club.mails("bert") if "OK-" in str(mail["Reply-To"])]
    most = club.config.mail.replies_per_day
    assert len(asked) == min(count, most)
    assert ("So frage ich dich heute nicht noch einmal" in text(asked[-1])) == (count >= most)
    rows = club.stored(select(InboxRow).where(InboxRow.sender == "bert@home.example"))
    unasked = [row.id for row in rows if not row.token]
    assert {row.state for row in rows} == {"confirm"}
    seen = "".join(missing(club, code) for code in codes)
    assert seen.count("quarantine accept") >= count
    assert all(f"quarantine accept {number}." in seen for number in unasked)
    for mail in asked:
        club.write("Bert", "Ja", to=str(mail["Reply-To"]))
    ticked(club)
    accepted(club, *unasked)
    assert [to_move(club, code) for code in codes] == [(1,)] * 3


# ---- the moderator ----


@pytest.mark.slow
def test_the_moderator_is_always_answered(club: Club) -> None:
    """Whatever he commands, however often; what only says to be his is capped, and so is what commands nothing."""
    code, most = started(club), club.config.mail.replies_per_day
    for number in range(most + 15):
        club.write("boss@club.example", f"Stand {code}\n\n-- \n{number}", to=boss_address(club))
    ticked(club)
    answers = club.mails("boss")
    assert len(answers) == most + 15
    assert all("Es steht" in text(mail) for mail in answers)
    club.write("boss@club.example", f"Verlängern {code} 1", to=boss_address(club))
    ticked(club)
    assert "1 Tag mehr" in text(club.mail("boss"))
    for number in range(20):  # a machine that hides, at the moderator's address
        club.write("boss@club.example", f"Ich bin im Urlaub {number}", to=boss_address(club))
    ticked(club)
    assert club.mails("boss") == []


# ---- answers of a day ----


@pytest.mark.slow
def test_the_last_answer_of_a_day_says_so(club: Club) -> None:
    """From then on silence means something; a move that is played is reported all the same."""
    code, most = started(club), club.config.mail.replies_per_day
    for number in range(most + 5):
        club.order("Anna", code, 0, f"E5 w QUARK{number}")
    ticked(club)
    told = [text(mail) for mail in club.mails("anna")]
    assert len(told) == most
    assert [f"meine {most}. Antwort" in one for one in told] == [False] * (most - 1) + [True]
    club.order("Anna", code, 0, "passe")
    ticked(club)
    assert len(club.mails("anna")) == 1
    club.wait(days=1, minutes=1)
    club.order("Anna", code, 0, "E5 w QUARK")
    ticked(club)
    assert f"meine {most}. Antwort" not in text(club.mail("anna"))


# ---- the daily notice ----


def test_an_idle_tick_does_not_look_twice(club: Club) -> None:
    code = started(club)
    place, settle = club.config.database, club.config.guard.settling_time

    def is_due() -> bool:
        return due_work.check_idle(place, club.now, settle, club.config.club.compute_last_daily_time(club.now)).due

    assert not is_due()
    with_mark(club, code, "List-Id")
    club.tick()
    assert not is_due()
    club.now = club.config.club.compute_last_daily_time(club.now) + timedelta(days=1, seconds=-1)
    assert not is_due()
    club.now += timedelta(seconds=1)
    assert is_due()
    club.tick()
    assert len(club.mails("boss")) == 1
    assert not is_due()
    with_mark(club, code, "X-Loop")
    club.tick()
    assert not is_due()
    (told,) = [notice for notice in (next_day(club), next_day(club), next_day(club)) if notice]
    assert told.index("»Annehmen 2«") < told.index("Schon gemeldet") < told.index("»Annehmen 1«")


# ---- strangers ----

WISHES = (
    "Ich moechte mitspielen", "Ich möchte gerne mitspielen.", "Darf ich noch mitspielen?", "Kann man noch mitmachen?",
    "Hallo, ich hätte Lust, bei euch mitzuspielen", "Wir würden gern mitmachen", "Hätte Interesse mitzuspielen!",
    "Ich würde mich gern anmelden", "Ich will am Turnier teilnehmen", "Ich bin gern dabei", "Ich spiele gerne mit",
    "Sind noch Plätze frei?", "Mitspielen", "anmelden: Zoe", "I would like to join", "May I take part?",
    "Can I still sign up?", "We'd love to play with you", "I am interested in playing",
    "Interested in joining your club", "Count me in", "join", "Could I participate in the tournament?",
    "I want to play too",
)  # fmt: skip
NO_WISHES = (
    "Hallo, wer seid ihr?", "passe", "E5 w HAUS", "Stand", "HILFE", "Ja", "", "Jetzt mitmachen und gewinnen!",
    "Teilnehmen lohnt sich: 1000 Euro", "Bitte das Formular ausfüllen", "Your account will be closed",
    "Play now and win big", "Register today for 50 % off", "Sonderangebot: Brettspiele", "Wie sind die Regeln?",
    "Take part in our survey", "Ich bin bis zum 5. im Urlaub", "Thank you for your order",
    "Ich kündige mein Abonnement",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("signup", ["closed", "open"])
def test_who_wants_in_is_told_where_he_stands_and_the_moderator_is_told_of_him(club: Club, signup: str) -> None:
    object.__setattr__(club.config.club, "signup", signup)
    for number, line in enumerate((*WISHES, *NO_WISHES)):
        club.write(f"x{number}@far.example", f"{line}\nGruß, Xaver")
    ticked(club)
    answers = club.mails()
    readers = [str(mail["To"]).partition("@")[0].partition("<")[2] for mail in answers]
    assert readers == [f"x{number}" for number in range(len(WISHES))]
    assert set(states(club)) == {"waiting" if signup == "closed" else "confirm", "unknown"}
    assert not any("Anna" in text(mail) for mail in answers)
    assert type_command(club, "quarantine", "list").count("@far.example") == len(WISHES)
    told = next_day(club)
    assert f"{len(WISHES)} Mails einer Art warten" in told
    assert f"{len(NO_WISHES)} Mails. Ansehen" in told
    assert "has joined" in accepted(club, 1)
    type_command(club, "player", "add", "Xenia", "x1@far.example")
    club.tick()
    assert [str(mail["To"]).partition("<")[2] for mail in club.mails("@far")] == ["x0@far.example>"]
    listed = type_command(club, "quarantine", "list")
    assert "x0@far.example" not in listed
    assert ("x1@far.example" in listed) == (signup == "open")  # whose own yes is still to come


@pytest.mark.parametrize("signup", ["closed", "open"])
def test_machines_lists_and_bounces_that_want_in_get_nothing(club: Club, signup: str) -> None:
    object.__setattr__(club.config.club, "signup", signup)
    for header in MARKS:
        club.write("zoe@far.example", "Ich möchte mitspielen", **{"subject": "Mitspielen", **marked(header)})
    for sender in ("no-reply", "mailer-daemon", "postmaster", "bounces", "liste-request"):
        club.write(f"{sender}@far.example", "Mitspielen")
    for sender in ("games@club.example", "boss@club.example"):
        club.write(sender, "Mitspielen")
    club.tick()
    assert [mail for mail in club.mails() if "boss@" not in str(mail["To"])] == []
    assert club.stored(select(OutboxRow.id).where(col(OutboxRow.kind).in_(("closed", "signup")))) == []


def test_a_closed_club_does_not_tell_which_names_are_taken(club: Club) -> None:
    club.write("Anna@far.example", "Mitspielen Anna")
    club.say("Xaver@far.example", "Mitspielen Xaver")
    one, two = (re.sub("Anna|Xaver|anna|xaver", "x", str(mail["To"]) + text(mail)) for mail in club.mails("@far"))
    assert one == two


def test_what_can_never_count_says_so(club: Club) -> None:
    started(club)
    club.say("Anna", "passe")
    with club.work() as work:
        row = work.session.get_one(InboxRow, 1)
        row.sender, row.raw = "nobody@far.example", b"From: nobody@far.example\r\n\r\npasse"
    assert "moderator player add" in refuse_command(club, "quarantine", "accept", "1")
    assert states(club) == ["confirm"]
