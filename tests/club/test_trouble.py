"""Whose mails count, and what bad ones do: doubt, machines, words that must be asked about, logs that do not replay.
What becomes of a mail that is held, and of one that nobody has written. What goes wrong, and what comes in masses: one
line says it. Nothing is lost and the rest goes on."""

import itertools
from email.message import EmailMessage
from typing import Any

import pytest
from sqlmodel import select

from moderator.common.enums import HeldFor
from moderator.common.errors import TransientError
from moderator.common.mails import RenderedMail
from moderator.delivery import compose
from moderator.inbox import pipeline
from moderator.mail.parse import parse_mail_bytes
from moderator.mail.transports import open_mailbox
from moderator.notifications.pages import Page
from moderator.render.mail import render_mail
from moderator.rules import replay
from moderator.run import tick
from moderator.run.fetch import FEW, fetch_mails
from moderator.service.create import get_match
from moderator.service.held_mails import HeldAnswer, next_step
from moderator.service.match.halt import resume_suspended_match
from moderator.store.database import open_store
from moderator.store.tables import DeferredNews, EventRow, InboxRow, Question
from moderator.views import loaded_match
from moderator.views.loaded_match import LiveMatch, MatchSuspended, rebuild_match, rebuild_with_history
from moderator.views.match_cache import MatchCache
from moderator.words.build.sources import build_lexicon
from tests.cli.running import run_command, type_command
from tests.club.club import Club, taken_once, text
from tests.club.memory import MemoryClub
from tests.club.steps import VOUCHED, begin, deal, play, run_well
from tests.club.tournament_club import found


def inbox(club: Club) -> list[InboxRow]:
    return club.stored(select(InboxRow).order_by(InboxRow.id))


def states(club: Club) -> list[str]:
    return [row.state for row in inbox(club)]


def to_move(club: Club, code: str) -> int:
    return club.live(code).table.state.to_move[0]


def test_an_unexpected_error_quarantines_that_mail_only(club: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fragile(data: bytes, **how: bool) -> object:
        if b"BOOM" in data:
            raise RuntimeError("our bug")
        return parse_mail_bytes(data, **how)

    monkeypatch.setattr(pipeline, "parse_mail_bytes", fragile)
    club.order("Anna", code, 0, "BOOM")
    club.order("Anna", code, 0, "passe")
    assert len(club.tick().quarantined) == 1
    assert to_move(club, code) == 1
    first, second = inbox(club)
    assert (first.state, second.state) == ("quarantine", "done")
    assert "our bug" in first.note
    assert "our bug" in text(club.mail("boss"))
    monkeypatch.undo()
    with club.work() as work:
        work.session.get_one(InboxRow, first.id).state = "received"
    club.tick()
    assert states(club)[0] == "done"


def test_a_mail_that_cannot_be_made_takes_nothing_back_and_is_made_once_it_can_be(
    club: Club, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(page: Page) -> RenderedMail:
        if page.reader.name == "Bert":
            raise RuntimeError("our bug")
        return render_mail(page)

    monkeypatch.setattr(compose, "render_mail", fragile)
    club.order("Anna", code, 0, "passe")
    summary = club.tick()
    assert not summary.quarantined
    (trouble,) = summary.troubles
    assert "a mail to Bert could not be made (RuntimeError at test_trouble.py" in trouble
    assert (states(club), to_move(club, code)) == (["done"], 1), "the move stands"
    assert len(club.mails("anna")) == 1
    assert "Bert" in type_command(club, "today")
    club.say("Anna", "Stand", **VOUCHED)
    assert not club.mails("bert")
    monkeypatch.undo()
    club.say("Anna", "Stand", **VOUCHED)
    assert text(club.mail("bert")).startswith("Anna passes. It’s your turn"), (
        "and not in one mail for everybody, as after a backlog"
    )
    assert club.stored(DeferredNews) == []


def test_what_can_be_looked_up_again_is_kept_by_its_name(
    club: Club, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compose, "render_mail", lambda page: 1 / 0)
    found(club, "robin", (), invite=True)
    assert "a mail to Anna could not be made (ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.undo()
    assert not club.tick().troubles
    assert "Herbstcup" in text(club.mail("anna"))


def test_a_mail_that_only_shows_something_is_set_aside_where_it_cannot_be_made(
    club: Club, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(page: Page) -> RenderedMail:
        if page.content is not None:
            raise RuntimeError("our bug")
        return render_mail(page)

    monkeypatch.setattr(compose, "render_mail", fragile)
    club.order("Anna", code, 0, "Regeln")
    assert len(club.tick().quarantined) == 1
    assert states(club) == ["quarantine"]


def test_a_mail_that_kills_the_process_is_put_aside(club: Club, code: str) -> None:
    club.order("Anna", code, 0, "passe")
    store, box = open_store(club.config.database), open_mailbox(club.config)
    fetch_mails(club.context(store), box)
    box.close()
    with store.begin_transaction() as session:
        session.exec(select(InboxRow)).one().attempts = 3
    store.close()
    club.tick()
    assert states(club) == ["quarantine"]
    assert to_move(club, code) == 0


@pytest.mark.parametrize("number", [1, 2, FEW, FEW + 1])
def test_mails_that_cannot_be_read_stop_nothing_for_more_than_an_hour_unless_they_are_many(
    club: Club, code: str, number: int
) -> None:
    deadline = club.row(code).deadline
    assert deadline
    inbox_of = club.config.resolve_path(club.config.maildir.inbox)
    files = [inbox_of / "new" / f"{n}.loop" for n in range(number)]
    for file in files:
        file.symlink_to(file.name)
    club.wait(seconds=(deadline - club.now).total_seconds() + 7200)
    assert not club.hand_in("Anna", code, 0, "Stand").troubles or number > FEW
    assert club.mails("anna"), "the others are read"
    assert bool(list((inbox_of / ".Processed" / "cur").glob("*"))) is (number <= FEW), "and filed away"
    assert to_move(club, code) == 0, "one of them may have been an order"
    told: list[str] = []
    for _ in range(4):
        told += club.let_pass(minutes=30).troubles
    assert to_move(club, code) == int(number <= FEW)
    assert sum("Delete it" in line for line in told) == (number if number <= FEW else 0)
    today = type_command(club, "today")
    assert today.count("in your mail program") == (number if number <= FEW else 0)
    assert ("Delete it" in run_command(club, "doctor").output) is True
    for file in files:
        file.unlink()
    club.tick()
    assert "mail program" not in type_command(club, "today")


def test_a_mail_that_is_too_large_is_answered_not_read(club: Club, code: str) -> None:
    club.hand_in("Anna", code, 0, "passe\n" + "x" * 1_200_000)
    assert "zu groß" in text(club.mail("anna"))
    assert len(inbox(club)[0].raw) < 100_000
    club.say("Anna", "passe\n" + "x" * 1_200_000)  # nor after it was confirmed
    club.say("Anna", "Ja", to=str(club.mail("anna")["Reply-To"]))
    assert to_move(club, code) == 0
    assert "zu groß" in text(club.mail("anna"))


@pytest.mark.slow
def test_ten_thousand_lines_are_answered_briefly(club: Club, code: str) -> None:
    club.hand_in("Anna", code, 0, "\n".join(f"Ersatz {n}: E5 w HAUS" for n in range(10_000)))
    assert len(club.mail("anna").as_bytes()) < 200_000


def test_a_log_that_does_not_replay_suspends_only_that_match(club: Club) -> None:
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    for code in (one, two):
        club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick_unread()
    with club.at(one) as (work, match):
        event = work.session.exec(select(EventRow).where(EventRow.match_id == match.id)).one()
        original = event.outcome
        event.outcome = {**original, "moves": [{**original["moves"][0], "points": 99}]}
    club.order("Bert", one, 1, "pass")
    club.order("Cici", two, 1, "passe")
    assert any(one in trouble for trouble in club.tick().troubles)
    assert club.row(one).status == "suspended"
    assert to_move(club, two) == 0
    assert one in text(club.mail("bert"))
    assert one in text(club.mail("boss"))
    with club.work() as work:
        work.session.get_one(EventRow, event.id).outcome = original
    with club.at(one) as (work, match):
        resume_suspended_match(work, match, False)
    club.tick()
    assert club.row(one).status == "running"
    assert to_move(club, one) == 0


def test_another_dictionary_suspends_the_match(club: Club, code: str) -> None:
    (club.folder / "others.txt").write_text("HAUS\nMOND", encoding="utf-8")
    build_lexicon("de", [str(club.folder / "others.txt")], club.folder / "lexicons")
    club.hand_in("Anna", code, 0, "passe")
    row = club.row(code)
    assert row.status == "suspended"
    assert "dictionary" in row.trouble


def test_while_a_dictionary_is_missing_mails_wait_and_no_attempt_is_counted(club: Club) -> None:
    code, words = club.match("Anna", "Bert"), club.folder / "lexicons" / "de.lex"
    kept = words.rename(club.folder / "kept.lex")
    club.order("Anna", code, 0, "passe")
    club.order("Anna", code, 0, "HILFE")
    for _ in range(6):
        (trouble,) = club.tick().troubles
        assert "lexicon build" in trouble
    assert [(row.state, row.attempts) for row in club.stored(InboxRow)] == [("received", 0), ("received", 0)]
    kept.rename(words)
    club.tick()
    assert club.row(code).entries == 1
    assert states(club) == ["done", "done"]


def test_a_finished_match_does_not_mind_another_dictionary(club: Club) -> None:
    code = club.match("Anna", "Bert", pass_rounds=1)
    for seat, name in enumerate(("Anna", "Bert")):
        club.hand_in(name, code, seat, "passe")
    assert club.row(code).status == "finished"
    (club.folder / "lexicons" / "de.lex").unlink()
    club.skip_mails()
    club.hand_in("Anna", code, 0, "Stand")
    assert club.mails("anna")


def ask_club(club: Club, **options: object) -> tuple[str, str]:
    """A match that asks about unknown words, and a move of Anna's with one."""
    code = begin(club, game="topwords", unknown_words="ask", **options)
    live = club.live(code)
    hand, words = live.table.state.hands[0], MatchCache(club.config).get_dictionary(live.options)
    tries = ("".join(tiles) for tiles in itertools.permutations([tile for tile in hand if tile.isalpha()], 4))
    return code, next(word for word in tries if words.judge(word).ruling == "ask")


def asked(club: Club, more: str = "", **options: object) -> tuple[str, str, str]:
    """The match, the word and the address of the question, when Anna has laid the word."""
    code, word = ask_club(club, **options)
    club.hand_in("Anna", code, 0, f"E5 w {word}{more}")
    question = club.mail("boss")
    assert word in text(question)
    assert word in text(club.mail("anna"))
    return code, word, str(question["Reply-To"])


def test_an_unknown_word_is_put_to_the_moderator_and_the_answer_plays_the_move(club: Club) -> None:
    code, word, to = asked(club)
    entries = club.row(code).entries
    for _ in range(3):
        club.tick()
    assert (club.row(code).held, club.row(code).entries) == (True, entries)
    assert not club.mails(), "it is asked once"
    for unclear in ("Da muss ich erst nachsehen.", "erlaubt nicht", f"{word} allowed never", "valable pas"):
        club.say("boss@club.example", unclear, to=to)
        assert club.row(code).held
        assert word in text(club.mail("boss")), "what is not understood is asked again"
    club.say("boss@club.example", f"{word} ERLAUBT steht im Duden", to=to)
    assert club.live(code).last[0][0] == f"E5 w {word}"
    assert not club.row(code).held
    assert club.mails("anna")
    assert club.mails("bert")
    assert word in (club.folder / "house.tsv").read_text()


def test_a_word_that_is_refused_gives_the_turn_back(club: Club) -> None:
    code, word, to = asked(club)
    club.say("boss@club.example", "ungültig", to=to)
    assert to_move(club, code) == 0
    assert club.live(code).table.orders == {}
    assert not club.row(code).held
    assert word in text(club.mails("anna")[-1])


def test_while_a_word_is_open_the_zat_waits(club: Club) -> None:
    code, _, to = asked(club, pace="rounds")
    club.skip_mails()
    assert club.let_pass(days=10).reminders == 0
    assert not club.mails(), "nobody's move is missing"
    assert club.live(code).table.round == 1
    club.say("boss@club.example", "erlaubt", to=to)
    live = club.live(code)
    assert live.table.round == 2
    assert live.last[0][1] > 0


def test_a_ruling_from_the_command_line_releases_the_match(club: Club) -> None:
    code, word, _ = asked(club)
    run_well(club, "words", "rule", word, "allow", "--reason", "test")
    club.tick()
    with club.work() as work:
        assert work.session.exec(select(Question)).one().word == word
    assert to_move(club, code) == 1


def test_a_new_order_takes_the_place_of_one_that_waits(club: Club) -> None:
    code, _, _ = asked(club)
    assert club.row(code).held
    club.hand_in("Anna", code, 0, "passe")
    row = club.row(code)
    assert not row.held
    assert row.deadline
    assert row.deadline > club.now
    assert to_move(club, code) == 1
    assert club.live(code).table.orders == {}


ANSWERS = "yes no other accept drop resumed ask-limit"
TABLE = """
sender           release  discard  ask-again    release  discard  stay     stay
guessing         release  discard  ask-again    release  discard  stay     stay
repeat           release  discard  read-answer  release  discard  stay     stay
newcomer         release  discard  ask-again    release  discard  stay     stay
machine-header   stay     stay     stay         release  discard  stay     stay
unproven-bounce  stay     stay     stay         release  discard  stay     stay
match-suspended  stay     stay     stay         stay     discard  release  stay
crash            stay     stay     stay         stay     discard  stay     stay
"""


def test_each_reason_and_answer_lead_to_one_step() -> None:
    rows = {held_for: steps for held_for, *steps in map(str.split, TABLE.strip().splitlines())}
    assert [*HeldAnswer] == ANSWERS.split()
    assert [held_for for held_for in HeldFor if held_for] == [*rows]
    for held_for, steps in rows.items():
        assert [next_step(HeldFor(held_for), answer) for answer in HeldAnswer] == steps, held_for
    for answer in HeldAnswer:
        with pytest.raises(ValueError, match="not held"):
            next_step(HeldFor.NOTHING, answer)


AWAY = {
    "pl": "Automatyczna odpowiedź", "ru": "Автоматический ответ", "zh": "自动答复", "ja": "自動応答",
    "pt": "Resposta automática",
    "da": "Ikke til stede", "hu": "Szabadságon vagyok", "tr": "Otomatik yanıt", "ko": "자동 회신", "ar": "رد تلقائي",
    "de, holiday": "Urlaubsmeldung", "de, absent": "Abwesend", "en": "OOO", "nobody's": "Zorp vimka",
}  # fmt: skip


Seated = tuple[str, str, str]


@pytest.fixture
@taken_once
def seated(club: Club) -> Seated:
    """A match, and subject and Message-ID of the mail that Anna was sent about it."""
    code = club.start("Anna", "Bert")
    mail = club.mails("anna")[-1]
    return code, str(mail["Subject"]), str(mail["Message-ID"])


def answers(club: Club, code: str, body: str, subject: str, **headers: str) -> list[EmailMessage]:
    """The mails that Anna gets as the answer to one from her seat."""
    club.mails("anna")
    club.hand_in("Anna", code, 0, body, subject=subject, **headers)
    return club.mails("anna")


@pytest.mark.parametrize("language", AWAY)
@pytest.mark.parametrize("body", ["Ich bin bis 15.12. nicht da.", "Urlaub 1.12. bis 15.12.", "Zorp 15.12. vimka"])
def test_an_absence_note_gets_no_answer_and_enters_nothing(
    club: Club, seated: Seated, language: str, body: str
) -> None:
    code, subject, number = seated
    assert answers(club, code, body, f"{AWAY[language]}: {subject}", In_Reply_To=number) == []
    assert states(club)[-1] == "waiting"
    with club.work() as work:
        assert work.cache.list_player_leaves(work.session, 1) == []


@pytest.mark.parametrize("prefix", ["Re", "AW", "Antw", "Odp", "Vá", "回复", "Antwort", "Re: AW", "[extern] Re"])
def test_an_answer_of_a_person_is_answered(club: Club, seated: Seated, prefix: str) -> None:
    code, subject, number = seated
    assert len(answers(club, code, "Was ist hier los?", f"{prefix}: {subject}", In_Reply_To=number)) == 1


def test_an_order_counts_under_any_subject_and_the_same_text_again_is_answered_once(club: Club, seated: Seated) -> None:
    code, subject, number = seated
    assert len(answers(club, code, "passe", f"Automatyczna odpowiedź: {subject}", In_Reply_To=number)) == 1
    text = "Vielen Dank für Ihre Nachricht, wir melden uns bald."
    (first,) = answers(club, code, text, subject, In_Reply_To=number)
    assert answers(club, code, text, subject, In_Reply_To=str(first["Message-ID"])) == []


@pytest.mark.parametrize(
    "body",
    [
        "😂", "👍 👍", "❤️", "Anna Lind reacted to your message:\n\n👍", "👍 Anna hat auf Ihre Nachricht reagiert",
        "Please click here to confirm that you are human:\nhttps://filter.example/c?x=1",
        "Ihre Nachricht wird zugestellt, sobald Sie sie bestätigen: https://filter.example/c?x=1",
    ],
)  # fmt: skip
def test_smileys_and_filters_get_no_board(club: Club, seated: Seated, body: str) -> None:
    code, subject, number = seated
    assert answers(club, code, body, f"Re: {subject}", In_Reply_To=number) == []


def test_a_mailbox_that_is_away_holds_up_nothing_and_nobody_is_late(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(config: Any) -> Any:
        raise TransientError("the mailbox is away")

    code = deal(club)
    monkeypatch.setattr(tick, "open_mailbox", away)
    summary = club.tick()
    assert (summary.sent, summary.away) == (2, ["the mailbox is away"])
    monkeypatch.undo()
    club.tick()
    club.wait(days=10)
    monkeypatch.setattr(tick, "open_mailbox", away)
    assert club.tick().deadlines == 0
    monkeypatch.undo()
    assert club.tick().deadlines == 1
    assert club.row(code).entries == 1


# A match that this process has played before is played on from there, but only while its log begins as it did


@pytest.fixture
def played(club: Club) -> str:
    code = deal(club)
    for seat in (0, 1):
        play(club, code, seat)
    return code


@pytest.fixture
def stepped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the entries that were played from now on."""
    texts: list[str] = []
    step = replay.apply_log_entry

    def noted(game: Any, table: Any, entry: Any, *more: Any) -> Any:
        texts.append(entry.text)
        return step(game, table, entry, *more)

    monkeypatch.setattr(replay, "apply_log_entry", noted)
    return texts


def said(live: LiveMatch) -> tuple[Any, ...]:
    return live.table, live.table.entries, live.ledger, live.terms, live.entries, live.last, live.options


def rebuilt(work: Any, code: str, stepped: list[str]) -> int:
    """How many entries are played to rebuild it; it says the same as the whole log, played from the deal."""
    match = get_match(work.session, code)
    stepped.clear()
    live = rebuild_match(work.session, match, work.config.deadlines)
    count = len(stepped)
    assert said(live) == said(rebuild_with_history(work.session, match, work.config.deadlines).live)
    return count


def test_only_what_is_new_is_played(club: MemoryClub, played: str, stepped: list[str]) -> None:
    with club.work() as work:
        rebuilt(work, played, stepped)
        assert rebuilt(work, played, stepped) == 0
    play(club, played, 0)
    with club.work() as work:
        assert rebuilt(work, played, stepped) <= 1


def test_what_was_taken_back_is_played_from_the_deal(club: MemoryClub, played: str, stepped: list[str]) -> None:
    with club.work() as work:
        rebuilt(work, played, stepped)
        match = get_match(work.session, played)
        undo = EventRow(match_id=match.number, n=match.entries + 1, kind="undo", text="0", outcome={}, at=work.now)
        work.session.add(undo)
        work.session.flush()
        assert rebuilt(work, played, stepped) == match.entries
        work.session.rollback()


@pytest.mark.parametrize("altered", ["log", "seed"])
def test_a_log_or_a_deal_that_was_altered_is_played_from_the_deal(club: MemoryClub, played: str, altered: str) -> None:
    with club.at(played) as (work, match):
        rebuild_match(work.session, match, work.config.deadlines)
        if altered == "seed":
            match.seed = "ab" * 32
        else:
            first = work.session.exec(
                select(EventRow).where(EventRow.match_id == match.id).order_by(EventRow.n)
            ).first()
            first.outcome = {**first.outcome, "moves": [{**first.outcome["moves"][0], "points": 999}]}
            work.session.flush()
        with pytest.raises(MatchSuspended):
            rebuild_match(work.session, match, work.config.deadlines)
        work.session.rollback()


def test_what_somebody_does_with_a_match_stays_theirs_and_only_the_last_ones_are_kept(
    club: MemoryClub, played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = deal(club)
    monkeypatch.setattr(loaded_match, "MOST_PLAYED", 1)
    with club.work() as work:
        for code in (other, played):
            match = get_match(work.session, code)
            found = rebuild_match(work.session, match, work.config.deadlines)
            assert list(loaded_match._PLAYED) == [match.id]
        found.last[0] = ("changed", 0)
        assert rebuild_match(work.session, match, work.config.deadlines).last[0] != ("changed", 0)


@pytest.mark.parametrize(("line", "reader", "most"), [
    ("Presse sofort an alle: hu {0}", "bert@", 10), ("Presse an den Spielleiter: hu {0}", "boss@", 10),
    ("Adresse neu{0}@far.example", "@far.example", 3), ("Hilfe", "anna@", 1), ("Regeln", "anna@", 1),
])  # fmt: skip
def test_one_mail_of_many_wishes_makes_few_mails(club: Club, line: str, reader: str, most: int) -> None:
    play(club, begin(club), 0, "\n".join(line.format(number) for number in range(60)))
    assert sum(reader in str(mail["To"]) for mail in club.mails()) == most
