"""What counts as somebody's best move, and what is kept of it between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from moderator.match.replay import Entry
from moderator.match.result import Played, Result
from moderator.site.records import Feat, of_log
from moderator.site.site import VALUES, ValueCache


def move(seat: int, text: str, points: int, *words: tuple[str, int], kind: Any = "move", alternative: int = 1) -> Entry:
    detail = {"words": [{"word": word, "points": worth} for word, worth in words]}
    played = Played(seat, text, text, alternative, points, detail)
    return Entry(kind, seat, text, Result((played,)).to_json())


def test_the_best_move_and_the_longest_word_of_each_player() -> None:
    log = [
        move(0, "A1 w HAUS", 8, ("HAUS", 8)),
        move(1, "A1 s HUND", 12, ("HUND", 9), ("AU", 3)),
        move(0, "B1 w UHR", 20, ("UHR", 14), ("TIER", 6)),
        move(1, "C1 w EI", 12, ("EI", 12)),
    ]
    found = of_log(log, [7, 9])
    assert found.best == (Feat(7, 20, "B1 w UHR", 3), Feat(9, 12, "A1 s HUND", 2))
    assert found.words == (Feat(7, 8, "HAUS", 1), Feat(9, 9, "HUND", 2))


def test_what_was_undone_does_not_count_and_moments_close_up() -> None:
    log = [move(0, "eins", 5), move(1, "zwei", 50), Entry("undo", None, "1"), move(1, "drei", 6)]
    assert of_log(log, [7, 9]).best == (Feat(7, 5, "eins", 1), Feat(9, 6, "drei", 2))


def test_entries_that_tell_nothing_are_no_moments() -> None:
    log = [
        Entry("order", 0, "eins"),
        move(1, "nur versucht", 0, alternative=0),
        Entry("notice", None, "Hallo"),
        move(0, "eins", 5),
        Entry("retire", 1, "resigned"),
        move(0, "zwei", 9),
    ]
    assert of_log(log, [7, 9]).best == (Feat(7, 9, "zwei", 3),)


def test_a_round_is_one_moment_for_all() -> None:
    round = Result((Played(0, "a", "a", 1, 4), Played(1, "b", "b", 1, 6)))
    log = [Entry("evaluate", None, "", round.to_json())]
    assert of_log(log, [7, 9]).best == (Feat(7, 4, "a", 1), Feat(9, 6, "b", 1))


def test_moves_belong_to_who_had_the_seat_then() -> None:
    log = [
        move(0, "von wem", 99),
        Entry("hand-over", 0, "8"),
        move(0, "acht", 30),
        Entry("hand-over", 0, "7"),
        move(0, "sieben", 10),
    ]
    assert of_log(log, [7, 9]).best == (Feat(8, 30, "acht", 3), Feat(7, 10, "sieben", 5))


def test_of_exchanged_tiles_only_the_number_is_told() -> None:
    values = move(0, "tausche A B", 1).outcome
    note = {"code": "exchanged", "params": {"count": 2}, "seat": 0, "points": 0, "only": None}
    log = [Entry("move", 0, "tausche A B", {"moves": [{**values["moves"][0], "notes": [note]}]})]
    assert of_log(log, [7]).best == (Feat(7, 1, "tausche 2", 1),)


def test_values_are_kept_for_their_key_and_their_match_only(tmp_path: Path) -> None:
    first = ValueCache(tmp_path)
    assert first.value("standing", 1, "a", lambda: [1, 2]) == [1, 2]
    assert first.value("standing", 2, "a", lambda: [3]) == [3]
    first.save({1})
    second = ValueCache(tmp_path)
    assert second.has("standing", 1, "a")
    assert not second.has("standing", 1, "b")
    assert not second.has("standing", 2, "a")
    assert second.value("standing", 1, "b", lambda: [4]) == [4]


def test_a_file_of_another_version_or_a_damaged_one_is_worth_nothing(tmp_path: Path) -> None:
    kept = ValueCache(tmp_path)
    kept.put("standing", 1, "a", [1])
    kept.save({1})
    text = (tmp_path / VALUES).read_text(encoding="utf-8")
    for damaged in (text.replace('"version": "', '"version": "0.'), text[:-3], "[]", '{"version": 1}'):
        (tmp_path / VALUES).write_text(damaged, encoding="utf-8")
        assert not ValueCache(tmp_path).has("standing", 1, "a")


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    kept = ValueCache(None)
    assert kept.value("standing", 1, "a", lambda: [1]) == [1]
    kept.save({1})
    assert list(tmp_path.iterdir()) == []
