"""The moderator's commands: who may give them, what they change, and what they leave alone."""

from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import col, func, select

from moderator.commands.declaration import find_staff_command
from moderator.commands.moderator import people, show, turns
from moderator.rules.game import Note
from moderator.service.create import get_match
from moderator.service.notifications import notify_chief
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import EventRow, Leave, MatchRow, OutboxRow, PlayerRow, Question, StandbyRow
from moderator.words.house_rulings import read_house_list as read_house
from tests.cli.running import run_command
from tests.club.club import Club, no_word, part, text
from tests.club.memory import MemoryClub
from tests.club.pair_scenes import boss_address
from tests.club.steps import begin, play, tick_at, zat
from tests.helpers import list_lines


def boss(club: Club, body: str, **headers: str) -> EmailMessage:
    club.say("boss@club.example", body, to=boss_address(club), **headers)
    return club.mail("boss@club.example")


def rows(club: Club) -> tuple[object, ...]:
    """All that an action could change in the database."""
    with club.work() as work:
        counts = [work.session.exec(select(func.count()).select_from(kind)).one() for kind in KINDS]
        matches = [row.model_dump() for row in work.session.exec(select(MatchRow).order_by(col(MatchRow.id)))]
    return (*counts, matches)


KINDS = (EventRow, OutboxRow, Question, PlayerRow, Leave, StandbyRow)


LINES = Path(__file__).parent / "commands.txt"


def test_commands_are_found_and_prose_is_none() -> None:
    for line in list_lines(LINES, "commands"):
        said, name, argument = (part.strip() for part in line.split(" |"))
        found = find_staff_command(said)
        assert found is not None, line
        assert (found[0].name, found[1]) == (name, argument)
    for line in ("", *list_lines(LINES, "prose")):
        assert find_staff_command(line) is None, line


@pytest.mark.slow
@pytest.mark.parametrize("shell", [False, True])
def test_a_deadline_is_put_off_by_what_was_written_or_not_at_all(club: Club, shell: bool) -> None:
    code = begin(club)
    with club.at(code) as (_, match):
        match.deadline = match.final = club.now.replace(month=12, day=5, hour=19, minute=0)
    before = zat(club, code)
    for line in list_lines(LINES, "longer"):
        words, said = (part.strip() for part in line.split("|"))
        days = None if said == "None" else int(said)
        if shell:
            done = run_command(club, "match", "extend", code, *words.split())
            told, refused = f"{done.output} {done.exception}", done.exit_code != 0
        else:
            told = text(boss(club, f"Verlängern {code} {words}"))
            refused = "✓ »" not in told
        assert refused is (days is None), (words, told)
        assert refused or words == "" or f"{days} T" in told or "7 T" in told or f"{days} days" in told, told
        written = told.replace("« »… ", " ")  # a line that is quoted is quoted anew where it is wrapped
        assert not refused or shell or not words or f"{code} {words}".rstrip(".") in written, told
        assert zat(club, code) == before + timedelta(days=days or 0), words
        with club.at(code) as (_, match):
            match.deadline = match.final = before


@pytest.mark.parametrize("line", ["Aufschub 1 Tag", "EXTEND 1 day", "Délai 1 jour"])
def test_all_who_are_missing_today_get_more_time_or_one_of_them(club: Club, line: str) -> None:
    codes = [begin(club), begin(club)]
    club.wait(days=3)
    codes.append(begin(club))
    club.let_pass(days=4)
    club.skip_mails()

    def days_more(words: str) -> list[int]:
        before = [zat(club, code) for code in codes]
        boss(club, words)
        return [(zat(club, code) - old).days for code, old in zip(codes, before, strict=True)]

    assert days_more(line) == [1, 1, 0]
    assert days_more(line) == [0, 0, 0]
    club.let_pass(days=1)
    club.skip_mails()
    seat = club.live(codes[0]).seats_awaited[0]
    with club.at(codes[0]) as (work, match):
        missing = work.list_seated(match)[seat][1].name
    assert days_more(f"{line} Niemand") == [0, 0, 0]
    assert days_more(f"{line} {missing}")[0] == 1


def test_a_word_cut_too_short_is_answered_with_what_it_may_mean_and_of_a_long_line_nothing_is_cut_off(
    club: Club,
) -> None:
    code = begin(club)
    before = rows(club)[-1]
    for line in (f"A {code}", f"ent {code} Anna", f"{code}: A"):
        told = text(boss(club, line))
        assert "Auswerten" in told or "Entfernen" in told, told
        assert line in told
        assert "wie es in der Partie steht" not in told, "the whole list"
    assert rows(club)[-1] == before
    boss(club, f"Amtlich {code}: {'lang ' * 300}ENDLICH")
    assert "ENDLICH" in text(club.mail("anna"))


def test_only_a_mail_with_the_moderators_token_commands(club: Club) -> None:
    code = begin(club)
    before = rows(club)
    for to in ("games@club.example", "games+BOSS-0000000000@club.example"):
        club.write("boss@club.example", "Gruß\nWie geht es so?", to=to)
        club.write("mallory@evil.example", f"Pause {code}", to=to)
    club.tick()
    assert club.mails() == []
    assert rows(club) == before
    club.say("boss@club.example", f"Pause {code}", subject="Hallo")
    answer = club.mail("boss@club.example")
    assert "BOSS-" in str(answer["Subject"])
    assert "Es ist noch nichts geschehen" in text(answer)
    assert club.row(code).stopped == ""


def test_a_token_that_was_renewed_and_that_of_a_seat_open_nothing(club: MemoryClub) -> None:
    code = begin(club)
    old = boss_address(club)
    with club.work() as work:
        ensure_moderator_token(work.session, new=True)
    club.write("boss@club.example", f"Pause {code}", to=old)
    play(club, code, 0, f"Auswerten {code} R1!\nPause {code}\nwer fehlt")
    assert club.row(code).stopped == ""
    assert [entry.kind for entry in club.log(code)] == ["tried"]


def test_every_notice_can_be_answered_with_a_command(club: Club) -> None:
    code = begin(club)
    with club.work() as work:
        notify_chief(work, Note("mail-refused", {"address": "a@b.example", "answer": "no", "who": "Anna"}))
    club.tick()
    notice = club.mail("boss@club.example")
    assert str(notice["Reply-To"]) == boss_address(club)
    subject = f"Re: {notice['Subject']}"
    club.say("boss@club.example", f"Pause {code}", to=str(notice["Reply-To"]), subject=subject)
    assert club.row(code).stopped == "pause"


def test_an_answer_with_our_mail_quoted_below_does_nothing_of_it(club: Club) -> None:
    code = begin(club)
    help_ = boss(club, "Hilfe")
    ours = part(help_)
    before = club.live(code).entries
    answer = boss(club, f"Danke!\n\n{ours}", In_Reply_To=str(help_["Message-ID"]))
    assert club.live(code).entries == before
    assert "Kürzel" not in text(answer)
    for line in ours.splitlines():
        assert find_staff_command(line.strip(" -+!·*")) is None, line


def preview(club: Club, code: str) -> list[Note]:
    """What a dry run tells; it changes nothing."""
    before, live = rows(club), club.live(code)
    with club.work() as work:
        told = show.preview_evaluation(work, get_match(work.session, code))
    assert rows(club) == before
    assert club.live(code).table == live.table
    return told


@pytest.mark.parametrize("game", ["topwords", "dominos"])
def test_a_dry_run_foretells_what_comes(club: MemoryClub, game: str) -> None:
    code = begin(club, game=game)
    told = preview(club, code)
    with club.work() as work:
        turns.end_turn_by_staff(work, get_match(work.session, code), 1, force=True)
    scores = club.live(code).table.state.scores
    foretold = next(note.params["names"] for note in told if note.code.startswith("boss-then"))
    assert foretold == [f"{name} {score}" for name, score in zip(("Anna", "Bert"), scores, strict=True)]


def test_a_dry_run_of_a_seat_that_would_be_given_up(club: MemoryClub) -> None:
    code = begin(club, "Anna", "Bert", "Cici", game="topwords", terms={"abandon_after": 1, "excused": 0})
    assert "boss-would-give-up" in [note.code for note in preview(club, code)]
    club.players("Dora")
    with club.work() as work:
        dora = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Dora")).one()
        work.session.add(StandbyRow(player_id=dora.number, game="", since=club.now))
    assert "boss-would-hand-over" in [note.code for note in preview(club, code)]


def test_a_dry_run_asks_nobody_of_an_unknown_word_and_tells_no_hidden_tile(club: Club) -> None:
    code = begin(club, game="topwords", pace="rounds", unknown_words="ask")
    play(club, code, 0)
    assert not any(note.only is not None or note.code.startswith("drew") for note in preview(club, code))
    play(club, code, 0, f"E5 w {no_word(club, code, 0, 3)}")
    club.skip_mails()
    assert [note.code for note in preview(club, code)][1] == "boss-would-hold"
    club.tick()
    assert club.mails() == []


def test_after_the_zat_nobody_has_to_insist(club: MemoryClub) -> None:
    code = begin(club, terms={"bank": 5})
    tick_at(club, zat(club, code) + timedelta(minutes=1))
    assert club.live(code).seats_to_act == (0,)
    with club.work() as work:
        turns.end_turn_by_staff(work, get_match(work.session, code), 1)
    assert club.live(code).seats_to_act == (1,)


def test_a_wrong_ruling_put_right(club: Club) -> None:
    """Evaluated, taken back, ruled, evaluated anew: what was stored counts by the new ruling."""
    code = begin(club, game="topwords", pace="rounds")
    order = club.moves(code, 0)[0]
    play(club, code, 0, order)
    play(club, code, 1)
    boss(club, f"Auswerten {code} R1")
    assert club.live(code).table.state.scores[0] > 0
    club.skip_mails()
    word = order.split()[2]
    orders = f"Zurück {code} R1: falsch entschieden\nWort {word} ungültig: Probe\nAuswerten {code} R1!"
    assert text(boss(club, orders)).count("✓ »") == 3
    (mail,) = club.mails("anna")
    assert "Berichtigt" in str(mail["Subject"])
    assert "falsch entschieden" in text(mail)
    assert "Bert" in text(mail)
    assert club.live(code).table.state.scores[0] == 0
    house = read_house(club.config.resolve_path(club.config.words.house))
    assert [(ruling.word, ruling.ruling) for ruling in house] == [(word, "deny")]


def test_an_excuse_counts(club: MemoryClub) -> None:
    code = begin(club, terms={"excused": 0, "abandon_after": 3})
    club.let_pass(days=9)
    assert club.live(code).ledger.seats[0].in_row == 1
    with club.work() as work:
        (told,) = people.clear_missed_turns(work, get_match(work.session, code), "Anna")
    assert told.params["missed"] == 1
    assert club.live(code).ledger.seats[0].in_row == 0


def test_of_a_match_that_is_called_off_nothing_else_is_told(club: Club) -> None:
    code = begin(club, "Anna", "Bert")
    club.mails()
    with club.at(code) as (work, match):
        people.announce_to_players(work, match, ["Gruß"])
        turns.cancel_match_by_staff(work, match)
    club.tick()
    assert [str(mail["Subject"]).partition(" „")[0] for mail in club.mails("anna")] == ["Die Partie"]


def test_a_notice_stands_in_the_log_and_goes_to_each_once(club: Club) -> None:
    one, two = begin(club, "Anna", "Bert"), begin(club, "Anna", "Cici")
    with club.work() as work:
        people.announce_to_players(work, None, ["E5 w HAUS; sonst passe", "", "Gruß"])
    club.tick()
    mails = club.mails()
    assert sorted(str(mail["To"]).partition(" ")[0] for mail in mails) == ["Anna", "Bert", "Cici"]
    assert all("¦ E5 w HAUS; sonst passe ¦ ¦ Gruß" in text(mail) for mail in mails)
    for code in (one, two):
        notices = [entry.text for entry in club.log(code) if entry.kind == "notice"]
        assert notices == ["E5 w HAUS; sonst passe\n\nGruß"]


def test_a_suspended_match_is_named_and_can_be_resumed(club: Club) -> None:
    code = begin(club)
    with club.at(code) as (_, match):
        match.status, match.trouble = "suspended", "a test"
    assert "a test" in text(boss(club, "wer fehlt"))
    assert "a test" in text(boss(club, f"Auswerten {code} R1!"))
    assert "läuft wieder" in text(boss(club, f"weiter {code}"))
    assert club.row(code).status == "running"
