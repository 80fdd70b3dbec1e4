"""Bad mails, words that must be asked about, logs that do not replay: nothing is lost and the rest goes on."""

import itertools

import pytest
from sqlmodel import select

from moderator.club.run_cache import RunCache
from moderator.mail.inbound import read_mail
from moderator.store.models import Event, Inbox, Match, Question
from tests.club.club import Club, text


def inbox(club: Club) -> list[Inbox]:
    with club.desk() as desk:
        return list(desk.session.exec(select(Inbox).order_by(Inbox.id)))


def test_an_unexpected_error_quarantines_that_mail_only(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    from moderator.inbox import handle

    def fragile(data: bytes, **how: bool) -> object:
        if b"BOOM" in data:
            raise RuntimeError("our bug")
        return read_mail(data, **how)

    monkeypatch.setattr(handle, "read_mail", fragile)
    club.order("Anna", code, 0, "BOOM")
    club.order("Anna", code, 0, "passe")
    summary = club.tick()
    assert len(summary.quarantined) == 1
    assert club.live(code).table.state.to_move == (1,)
    first, second = inbox(club)
    assert (first.state, second.state) == ("quarantine", "done")
    assert "our bug" in first.note
    assert "our bug" in text(club.mail("boss"))
    monkeypatch.undo()
    with club.desk() as desk:
        row = desk.session.get_one(Inbox, first.id)
        row.state = "received"
        desk.session.add(row)
    club.tick()
    assert inbox(club)[0].state == "done"


def test_a_mail_that_kills_the_process_is_put_aside(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    from moderator.mail.open import open_mailbox
    from moderator.run.intake import Summary, take_in
    from moderator.store.db import open_store

    store = open_store(club.config.database)
    box = open_mailbox(club.config)
    take_in(store, box, 10**6, club.clock, Summary())
    box.close()
    with store.transaction() as session:
        session.exec(select(Inbox)).one().attempts = 3
    store.close()
    club.tick()
    assert inbox(club)[0].state == "quarantine"
    assert club.live(code).table.state.to_move == (0,)


def test_a_mail_that_is_too_large_is_answered_not_read(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "passe\n" + "x" * 1_200_000)
    club.tick()
    assert club.live(code).table.state.to_move == (0,)
    assert "zu groß" in text(club.mail("anna"))
    assert len(inbox(club)[0].raw) < 100_000


def test_a_mail_that_cannot_be_taken_apart_is_kept_and_answered(club: Club) -> None:
    from moderator.mail.maildir import deliver

    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    head = f"From: anna@home.example\r\nSubject: [{code}-{club.token(code, 0)}]\r\nMessage-ID: <bomb@x>\r\n"
    nested = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\r\n\r\n--b{n}\r\n' for n in range(1500))
    deliver(club.config.path(club.config.maildir.inbox), (head + nested + "passe\r\n").encode())
    summary = club.tick()
    assert not summary.quarantined
    assert inbox(club)[0].state in ("quarantine", "done")
    assert club.live(code).table.state.to_move == (0,)
    assert len(club.mails("anna")) == 1


def test_ten_thousand_lines_are_answered_briefly(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.order("Anna", code, 0, "\n".join(f"Ersatz {n}: E5 w HAUS" for n in range(10_000)))
    club.tick()
    assert len(club.mail("anna").as_bytes()) < 200_000


def test_a_log_that_does_not_replay_suspends_only_that_match(club: Club) -> None:
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    for code in (one, two):
        club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.mails()
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == one)).one()
        event = desk.session.exec(select(Event).where(Event.match_id == match.id)).one()
        original = event.outcome
        event.outcome = {**original, "moves": [{**original["moves"][0], "points": 99}]}
        desk.session.add(event)
    club.order("Bert", one, 1, "pass")
    club.order("Cici", two, 1, "passe")
    summary = club.tick()
    assert any(one in trouble for trouble in summary.troubles)
    assert club.row(one).status == "suspended"
    assert club.live(two).table.state.to_move == (0,)
    assert one in text(club.mail("bert"))
    assert one in text(club.mail("boss"))
    with club.desk() as desk:
        event = desk.session.get_one(Event, event.id)
        event.outcome = original
        desk.session.add(event)
    from moderator.play.lifecycle import unsuspend

    with club.desk() as desk:
        unsuspend(desk, desk.session.exec(select(Match).where(Match.code == one)).one(), False)
    club.tick()
    assert club.row(one).status == "running"
    assert club.live(one).table.state.to_move == (0,)


def test_another_dictionary_suspends_the_match(club: Club) -> None:
    from moderator.words.sources import build

    code = club.match("Anna", "Bert")
    (club.folder / "others.txt").write_text("HAUS\nMOND", encoding="utf-8")
    build("de", [str(club.folder / "others.txt")], club.folder / "lexicons")
    club.order("Anna", code, 0, "passe")
    club.tick()
    row = club.row(code)
    assert row.status == "suspended"
    assert "dictionary" in row.trouble


def test_a_finished_match_does_not_mind_another_dictionary(club: Club) -> None:
    code = club.match("Anna", "Bert")
    for seat, name in ((0, "Anna"), (1, "Bert")) * 2:
        club.order(name, code, seat, "passe")
        club.tick()
        club.wait(minutes=11)
    (club.folder / "lexicons" / "de.lex").unlink()
    club.mails()
    club.order("Anna", code, 0, "Stand")
    club.tick()
    assert club.mails("anna")


def ask_club(club: Club, **options: object) -> tuple[str, str]:
    """A match that asks about unknown words, and a move of Anna's with one."""
    code = club.match("Anna", "Bert", unknown_words="ask", **options)
    club.tick()
    club.mails()
    live = club.live(code)
    hand, words = live.table.state.hands[0], RunCache(club.config).dictionary(live.options)
    tries = ("".join(tiles) for tiles in itertools.permutations([tile for tile in hand if tile.isalpha()], 4))
    return code, next(word for word in tries if words.judge(word).ruling == "ask")


def test_an_unknown_word_is_put_to_the_moderator_and_the_answer_plays_the_move(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    assert club.row(code).held
    question = club.mail("boss")
    assert word in text(question)
    assert word in text(club.mail("anna"))
    club.write("boss@club.example", f"{word} ERLAUBT steht im Duden", to=str(question["Reply-To"]))
    club.tick()
    live = club.live(code)
    assert live.last[0][0] == f"E5 w {word}"
    assert not club.row(code).held
    assert club.mails("anna")
    assert club.mails("bert")
    assert word in (club.folder / "house.tsv").read_text()


def test_a_word_that_is_refused_gives_the_turn_back(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    question = club.mail("boss")
    club.mails()
    club.write("boss@club.example", "ungültig", to=str(question["Reply-To"]))
    club.tick()
    assert club.live(code).table.state.to_move == (0,)
    assert club.live(code).table.orders == {}
    assert not club.row(code).held
    assert word in text(club.mails("anna")[-1])


def test_a_refused_word_falls_back_on_the_next_move(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}\nsonst passe")
    club.tick()
    question = club.mail("boss")
    club.write("boss@club.example", "UNGÜLTIG", to=str(question["Reply-To"]))
    club.tick()
    assert club.live(code).table.state.to_move == (1,)


def test_a_ruling_that_is_not_understood_is_asked_again(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    question = club.mail("boss")
    club.write("boss@club.example", "Da muss ich erst nachsehen.", to=str(question["Reply-To"]))
    club.tick()
    assert club.row(code).held
    assert word in text(club.mail("boss"))


def test_while_a_word_is_open_the_zat_waits(club: Club) -> None:
    code, word = ask_club(club, pace="rounds")
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    question = club.mail("boss")
    club.wait(days=10)
    club.tick()
    assert club.live(code).table.round == 1
    club.write("boss@club.example", "erlaubt", to=str(question["Reply-To"]))
    club.tick()
    live = club.live(code)
    assert live.table.round == 2
    assert live.last[0][1] > 0


def test_a_ruling_from_the_command_line_releases_the_match(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    from click.testing import CliRunner

    from moderator.cli import cli

    done = CliRunner().invoke(
        cli, ["--config", str(club.folder / "moderator.toml"), "words", "rule", word, "allow", "--reason", "test"]
    )
    assert done.exit_code == 0, done.output
    club.tick()
    with club.desk() as desk:
        assert desk.session.exec(select(Question)).one().word == word
    assert club.live(code).table.state.to_move == (1,)


def test_a_ruling_for_one_match_counts_in_that_match_only(club: Club) -> None:
    code, word = ask_club(club)
    other = club.match("Anna", "Cici")
    (club.folder / "house.tsv").write_text(f"{word}\t\t\tallow\tabgesprochen\t2026-11-20\t{code}\n", encoding="utf-8")
    with club.desk() as desk:
        options = club.live(code).options
        assert desk.cache.dictionary(options, code).judge(word).ruling == "accept"
        assert desk.cache.dictionary(options, other).judge(word).ruling != "accept"


def test_a_new_order_takes_the_place_of_one_that_waits(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    assert club.row(code).held
    club.order("Anna", code, 0, "passe")
    club.tick()
    row = club.row(code)
    assert not row.held
    assert row.deadline
    assert row.deadline > club.now
    assert club.live(code).table.state.to_move == (1,)
    assert club.live(code).table.orders == {}


def test_a_held_match_stays_held_without_asking_again(club: Club) -> None:
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    club.mails()
    entries = club.row(code).entries
    for _ in range(3):
        club.tick()
    assert club.row(code).held
    assert club.row(code).entries == entries
    assert not club.mails()
