"""Every registered format, also one that nobody here wrote, is played through command line and mail: set up, joined,
begun, dealt, ruled, asked for and finished."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest

from moderator.club.tournaments import results, rows
from moderator.club.tournaments.rows import Settings, plain, read
from moderator.errors import ConfigError
from moderator.pages.messages import label, labels, table
from moderator.paths import LANGUAGES
from moderator.play.create import find_match
from moderator.site.run import publish
from moderator.states import TournamentStatus
from moderator.store import tournaments
from moderator.tournaments import formats
from moderator.tournaments.tiebreaks import COLUMNS
from tests.cli.test_tournaments import refused, row, run
from tests.club.club import Club, make_club, plain_boards, text

NAMES = ("Anna", "Bert", "Cici", "Dora", "Emil", "Fritz")
LATE = "Gero"
MOST_ROUNDS = 12
VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
every = pytest.mark.parametrize("key", list(formats.REGISTRY))


@pytest.fixture
def club(tmp_path: Path) -> Club:
    club = make_club(tmp_path / "club")
    club.players(*NAMES, LATE)
    plain_boards(club)
    return club


@every
def test_it_answers_what_is_asked_of_all(key: str) -> None:
    found = formats.load(key)
    assert found.key == key
    assert set(found.tiebreaks) <= set(COLUMNS)
    assert found.days > 0


@every
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_both_languages(key: str, language: str) -> None:
    found = formats.load(key)
    assert f"word.cups-{found.words}" in table(language)
    assert label(f"cup-format-{found.words}", language, rounds=3, size=4, seats=4, reach=2)
    assert f"site.format-{found.words}" in labels(language)


@every
def test_its_own_settings_say_what_they_mean_and_take_what_they_are(key: str) -> None:
    own = dataclasses.fields(formats.load(key).options)
    common = {one.name for one in dataclasses.fields(Settings)}
    assert not common & {one.name for one in own}
    for one in own:
        assert all(table(language)[f"cup-option-{key}-{one.name}"] for language in LANGUAGES)
        least, most = one.metadata["bounds"]
        for value in {one.default, least, most} - {None}:
            chosen = read({one.name: value}, key)
            assert getattr(chosen.own, one.name) == value
            assert read(plain(chosen), key) == chosen
        if most is not None:
            with pytest.raises(ConfigError, match=f"{one.name} = {most + 1} cannot be"):
                read({one.name: most + 1}, key)
    with pytest.raises(ConfigError, match="has no setting 'nonesuch'"):
        read({"nonesuch": 1}, key)


def rule(club: Club) -> None:
    """Who sits first wins every open game, by the moderator's word."""
    with club.desk() as desk:
        found = rows.find_tournament(desk.session, "T1")
        matches = tournaments.matches_of(desk.session, found)
        open_ = rows.open_games(tournaments.pairings(desk.session, found))
        results = {matches[game.match_id].code: len(game.seats) for game in open_ if game.match_id in matches}
    for match, seats in results.items():
        run(club, "adjudicate", "T1", match, ":".join(str(90 - 10 * seat) for seat in range(seats)))


def begun(club: Club, key: str) -> None:
    """Six take part in a tournament that is running."""
    run(club, "new", "Herbst", "--game", "tridom", "--format", key, "--set", "invite=false", "--seed", "7")
    run(club, "open", "T1", "--until", "2026-12-24")
    run(club, "join", "T1", *NAMES)
    run(club, "start", "T1")
    club.tick()
    assert row(club).status == TournamentStatus.RUNNING


def order(club: Club) -> list[str]:
    """Who stands above whom."""
    shown = run(club, "standings", "T1").split()
    return sorted(NAMES, key=shown.index)


def write(club: Club, name: str, line: str) -> str:
    """What the mails say that come after it."""
    club.mails()
    club.write(name, line, Authentication_Results=VOUCHED)
    club.tick()
    return "\n".join(map(text, club.mails(name)))


def lasting(key: str) -> bool:
    """Whether rounds are built on results that cannot be taken back any more."""
    return formats.load(key).settled(1, 2)


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in formats.REGISTRY if not formats.load(key).in_rounds])
def test_players_challenge_each_other(club: Club, key: str) -> None:
    """By mail alone: a challenge, its acceptance, the game, what follows; then one that nobody answers."""
    begun(club, key)
    before = order(club)
    last, above = before[-1], before[-2]
    assert above in write(club, last, "Turnier T1 fordern")
    assert above in write(club, last, f"Turnier T1 fordern {above}")
    assert last in write(club, above, "Turnier")
    assert f"{last} challenges {above}" in run(club, "show", "T1")
    assert last in write(club, above, "Turnier T1 annehmen")
    with club.desk() as desk:
        (match,) = tournaments.matches_of(desk.session, rows.find_tournament(desk.session, "T1")).values()
        points = ["1" if player.name == last else "0" for player in desk.players(match)]
    run(club, "adjudicate", "T1", match.code, "-".join(points))
    club.tick()
    climbed = order(club)
    assert climbed.index(last) < climbed.index(above)
    assert "settled" in refused(club, "adjudicate", "T1", match.code, "½-½") or order(club) == climbed
    club.now += timedelta(days=60)  # whoever has met may meet again
    write(club, above, f"Turnier T1 fordern {last}")
    club.now += timedelta(days=30)
    club.tick()
    assert "challenges" not in run(club, "show", "T1")
    run(club, "join", "T1", LATE)
    assert LATE in run(club, "standings", "T1")
    write(club, LATE, "Turnier T1 aussteigen endgültig")
    assert LATE not in run(club, "standings", "T1")


@pytest.mark.parametrize("key", [key for key in formats.REGISTRY if lasting(key)])
def test_who_has_gone_through_stays_through(club: Club, key: str) -> None:
    begun(club, key)
    with club.desk() as desk:
        first = [match.code for match in tournaments.matches_of(desk.session, row(club)).values()]
    rule(club)
    club.tick()
    assert row(club).round == 2
    assert "settled for good" in refused(club, "adjudicate", "T1", first[0], "0-1")
    with club.desk() as desk:
        hung = results.hanging(desk, find_match(desk.session, first[0]))
        assert hung is not None
        assert hung.built.code == "hangs-winner"
        assert hung.built.params["name"] in NAMES


@pytest.mark.slow
@every
def test_a_tournament_from_its_announcement_to_its_end(club: Club, key: str) -> None:
    """Two join by mail, the others by the moderator's hand; every game is ruled; at the end all have a place."""
    run(club, "new", "Herbst", "--game", "tridom", "--format", key, "--set", "invite=false", "--seed", "7")
    run(club, "open", "T1", "--until", "2026-12-24")
    club.tick()
    for name in NAMES[:2]:
        club.write(name, "Turnier T1 mitspielen", Authentication_Results=VOUCHED)
    club.tick()
    assert "2 in" in run(club, "list")
    run(club, "join", "T1", *NAMES[2:])
    run(club, "start", "T1")
    club.tick()
    assert row(club).status == TournamentStatus.RUNNING
    if formats.load(key).endless:
        run(club, "finish", "T1")
    for _ in range(MOST_ROUNDS):
        rule(club)
        club.tick()
    assert (row(club).status, row(club).trouble) == (TournamentStatus.FINISHED, "")
    with club.desk() as desk:
        entries = tournaments.entries(desk.session, rows.find_tournament(desk.session, "T1"))
        assert all(entry.place for entry, _ in entries)
    assert all(name in run(club, "standings", "T1") for name in NAMES)
    club.mails()
    club.write("Anna", "Turnier T1 Stand", Authentication_Results=VOUCHED)
    club.tick()
    answer = text(club.mail("Anna"))
    assert all(name in answer for name in NAMES)
    with club.desk() as desk:
        publish(desk, club.folder / "site")
    page = (club.folder / "site" / "tournaments" / "T1.html").read_text(encoding="utf-8")
    assert all(name in page for name in NAMES)
