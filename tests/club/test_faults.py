"""What goes wrong, and what comes in masses: a full disk, a locked database, a missing dictionary, a log that was
altered, many wishes. One line says it, and nothing is lost."""

from typing import Any

import pytest
from sqlmodel import select

from moderator.common.errors import StoreError, TransientError
from moderator.render import boards, pieces, png
from moderator.rules import replay
from moderator.run import tick
from moderator.service.create import get_match
from moderator.store import due_work
from moderator.store.tables import EventRow, InboxRow
from moderator.views import loaded_match
from moderator.views.loaded_match import LiveMatch, MatchSuspended, rebuild_match, rebuild_with_history
from tests.club.club import Club
from tests.club.memory import MemoryClub
from tests.club.steps import begin, change, deal, play


def attempts(club: Club) -> list[tuple[str, int]]:
    return club.stored(select(InboxRow.state, InboxRow.attempts).order_by(InboxRow.id))


def test_a_missing_dictionary_is_nobodys_fault(club: Club) -> None:
    code = club.match("Anna", "Bert")
    lexicon = club.folder / "lexicons" / "de.lex"
    kept = lexicon.read_bytes()
    lexicon.unlink()
    club.order("Anna", code, 0, "passe")
    club.order("Anna", code, 0, "HILFE")
    for _ in range(6):
        (trouble,) = club.tick().troubles
        assert "lexicon build" in trouble
    assert attempts(club) == [("received", 0), ("received", 0)]
    lexicon.write_bytes(kept)
    club.tick()
    assert club.row(code).entries == 1
    assert [state for state, _ in attempts(club)] == ["done", "done"]


def test_a_letter_that_would_come_out_blank_is_not_sent(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = begin(club, game="topwords")
    change(club, "Anna", board="png")
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    boards.render_board_png.cache_clear()
    pieces.forget_pieces()
    monkeypatch.setattr(png, "load_font_characters", lambda: frozenset("0123456789"))
    assert any("blank" in trouble for trouble in club.tick().troubles)
    assert not club.mails("anna")
    assert club.row(code).entries == 0
    monkeypatch.undo()
    club.tick()
    assert club.row(code).entries == 1


def test_a_newer_database_is_left_alone(club: Club) -> None:
    with club.work() as work:
        work.session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="9999"):
        club.say("Anna", "HILFE")
    assert due_work.load_schema_version(club.config.database) == "9999"


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
