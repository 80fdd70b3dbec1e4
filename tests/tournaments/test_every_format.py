"""Every registered format, also one that nobody here wrote, is played through command line and mail: set up, joined,
begun, dealt, ruled, asked for and finished."""

import dataclasses
import itertools
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.common.disk import LANGUAGES
from moderator.common.enums import TournamentStatus
from moderator.common.errors import ConfigError
from moderator.language.messages import load_labels, load_sentences, render_label
from moderator.site.build import publish_site
from moderator.site.layout import SiteContent
from moderator.store import tournaments
from moderator.tournaments import formats
from moderator.tournaments.field import Game, TournamentState, build_result, decide_by_absence
from moderator.tournaments.formats import tables
from moderator.tournaments.standings import compute_place_ranges, compute_standings
from moderator.tournaments.tiebreaks import COLUMNS
from moderator.views import tournament_rows
from moderator.views.tournament_rows import TournamentSettings, encode_tournament_settings, parse_tournament_settings
from tests.cli.test_tournaments import refused, row, run
from tests.club.club import Club, club_of, text
from tests.tournaments.fields import OUTCOMES, end, entrants, robins

NAMES = ("Anna", "Bert", "Cici", "Dora", "Emil", "Fritz")
LATE = "Gero"
MOST_ROUNDS = 12
VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
every = pytest.mark.parametrize("key", list(formats.REGISTRY))


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", *NAMES, LATE)


@every
def test_it_answers_what_is_asked_of_all_and_speaks_every_language(key: str) -> None:
    found = formats.load_format(key)
    assert found.key == key
    assert set(found.tiebreaks) <= set(COLUMNS)
    assert found.days > 0
    for language in LANGUAGES:
        assert f"word.cups-{found.words}" in load_sentences(language)
        assert render_label(f"cup-format-{found.words}", language, rounds=3, size=4, seats=4, reach=2)
        assert f"site.format-{found.words}" in load_labels(language)


@every
def test_its_own_settings_say_what_they_mean_and_take_what_they_are(key: str) -> None:
    own = dataclasses.fields(formats.load_format(key).options)
    common = {one.name for one in dataclasses.fields(TournamentSettings)}
    assert not common & {one.name for one in own}
    for one in own:
        least, most = one.metadata["bounds"]
        for value in {one.default, least, most} - {None}:
            chosen = parse_tournament_settings({one.name: value}, key)
            assert getattr(chosen.own, one.name) == value
            assert parse_tournament_settings(encode_tournament_settings(chosen), key) == chosen
        if most is not None:
            with pytest.raises(ConfigError, match=f"{one.name} = {most + 1} cannot be"):
                parse_tournament_settings({one.name: most + 1}, key)
    with pytest.raises(ConfigError, match="has no setting 'nonesuch'"):
        parse_tournament_settings({"nonesuch": 1}, key)


def rule(club: Club) -> None:
    """Who sits first wins every open game, by the moderator's word."""
    with club.work() as work:
        found = tournament_rows.get_tournament(work.session, "T1")
        matches = tournaments.load_tournament_matches(work.session, found)
        open_ = tournament_rows.filter_open_games(tournaments.list_pairings(work.session, found))
        results = {matches[game.match_id].code: len(game.seats) for game in open_ if game.match_id in matches}
    for match, seats in results.items():
        run(club, "adjudicate", "T1", match, ":".join(str(90 - 10 * seat) for seat in range(seats)))


def begun(club: Club, key: str) -> None:
    """Six take part in a tournament that is running."""
    run(club, "add", "Herbst", "--game", "tridom", "--format", key, "--set", "invite=false", "--seed", "7")
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
    club.say(name, line, Authentication_Results=VOUCHED)
    return "\n".join(map(text, club.mails(name)))


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in formats.REGISTRY if not formats.load_format(key).in_rounds])
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
    with club.work() as work:
        (match,) = tournaments.load_tournament_matches(
            work.session, tournament_rows.get_tournament(work.session, "T1")
        ).values()
        points = ["1" if player.name == last else "0" for player in work.list_players(match)]
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


@pytest.mark.slow
@every
def test_a_tournament_from_its_announcement_to_its_end(club: Club, key: str) -> None:
    """Two join by mail, the others by the moderator's hand; every game is ruled; at the end all have a place."""
    run(club, "add", "Herbst", "--game", "tridom", "--format", key, "--set", "invite=false", "--seed", "7")
    run(club, "open", "T1", "--until", "2026-12-24")
    club.tick()
    for name in NAMES[:2]:
        club.write(name, "Turnier T1 mitspielen", Authentication_Results=VOUCHED)
    club.tick()
    assert json.loads(run(club, "list", "--json"))["entrants"] == 2
    run(club, "join", "T1", *NAMES[2:])
    run(club, "start", "T1")
    club.tick()
    assert row(club).status == TournamentStatus.RUNNING
    if formats.load_format(key).endless:
        run(club, "finish", "T1")
    for _ in range(MOST_ROUNDS):
        rule(club)
        club.tick()
    assert (row(club).status, row(club).trouble) == (TournamentStatus.FINISHED, "")
    with club.work() as work:
        entries = tournaments.list_entries_with_players(
            work.session, tournament_rows.get_tournament(work.session, "T1")
        )
        assert all(entry.place for entry, _ in entries)
    assert all(name in run(club, "standings", "T1") for name in NAMES)
    club.mails()
    club.say("Anna", "Turnier T1 Stand", Authentication_Results=VOUCHED)
    answer = text(club.mail("Anna"))
    assert all(name in answer for name in NAMES)
    with club.work() as work:
        publish_site(SiteContent(work, club.folder / "site"), club.folder / "site")
    page = (club.folder / "site" / "tournaments" / "T1.html").read_text(encoding="utf-8")
    assert all(name in page for name in NAMES)


def open_games(t: TournamentState) -> list[Game]:
    return [game for game in t.games if game.result is None]


def places(t: TournamentState) -> dict[int, int]:
    return {row.entrant.number: row.place for row in compute_standings(t).rows if row.place is not None}


def inside(t: TournamentState, later: TournamentState) -> bool:
    """The ranges of ``later`` lie in those of ``t``."""
    before, after = compute_place_ranges(t), compute_place_ranges(later)
    return all(before[n][0] <= after[n][0] <= after[n][1] <= before[n][1] for n in after)


def test_what_is_final_before_and_between_rounds() -> None:
    before = TournamentState("robin", entrants(5), rounds=5).with_games(tables.build_round_robin(range(1, 6)))
    assert set(compute_place_ranges(before).values()) == {(1, 5)}
    games = [Game(1, 1, (1, 2), build_result((5, 1))), Game(1, 2, (3, 4), build_result((5, 1)))]
    t = TournamentState("swiss", entrants(4), rounds=2).with_games(games)
    assert set(compute_place_ranges(t).values()) == {(1, 4)}, "rounds that are not paired yet are open"
    assert compute_place_ranges(replace(t, rounds=1)) == {1: (1, 1), 3: (1, 1), 2: (3, 3), 4: (3, 3)}


@settings(max_examples=25, deadline=None)
@given(robins(most=4, withdrawals=False))
def test_exact_without_withdrawals_and_never_too_narrow(t: TournamentState) -> None:
    """All ends of the open games, with points alone: no range is narrower, and worst places are no wider."""
    running = open_games(t)[:4]
    t = t.with_games(end(game, "draw") for game in open_games(t)[4:])
    worst = dict.fromkeys(compute_place_ranges(t), 0)
    bounds = compute_place_ranges(t, withdrawals=False)
    best = dict.fromkeys(bounds, 99)
    for ends in itertools.product(("first", "second", "draw", "nobody"), repeat=len(running)):
        done = t.with_games(end(game, outcome) for game, outcome in zip(running, ends, strict=True))
        table = {row.entrant.number: row.points for row in compute_standings(done).rows}
        for n, place in places(done).items():
            assert bounds[n][0] <= place <= bounds[n][1]
            worst[n] = max(worst[n], sum(points >= table[n] for points in table.values()))
            best[n] = min(best[n], 1 + sum(points > table[n] for points in table.values()))
    if running:
        assert bounds == {n: (best[n], worst[n]) for n in bounds}


@settings(max_examples=40, deadline=None)
@given(robins(most=6), st.data())
def test_ranges_only_narrow_and_hold_the_final_place(t: TournamentState, data: st.DataObject) -> None:
    """Games end one by one in any way, and now and then somebody leaves, who plays no more."""
    states = [t]
    while running := open_games(states[-1]):
        now = states[-1]
        if data.draw(st.integers(0, 9)) == 0:
            number = data.draw(st.sampled_from([one.number for one in now.entrants]))
            states.append(now.with_entrants([replace(now.get_entrant(number), left=1)]))
            continue
        game = data.draw(st.sampled_from(running))
        gone = [number for number in game.seats if now.get_entrant(number).left is not None]
        ended = decide_by_absence(game, gone) if gone else end(game, data.draw(st.sampled_from(OUTCOMES)))
        states.append(now.with_games([ended]))
    final = places(states[-1])
    for before, after in itertools.pairwise(states):
        assert inside(before, after)
    for state in states:
        ranges = compute_place_ranges(state)
        assert all(ranges[n][0] <= place <= ranges[n][1] for n, place in final.items())


def test_nothing_is_final_while_somebody_may_leave() -> None:
    """4 has left without a point, so that its games count no more; while one of them runs 2 can leave, too."""
    t = TournamentState("robin", entrants(4), rounds=3).with_games(tables.build_round_robin((1, 2, 3, 4)))
    t = t.with_games(end(g, "absent" if 2 in g.seats else "draw") for g in t.games if set(g.seats) != {2, 4})
    gone = t.with_entrants([replace(t.get_entrant(4), left=1)])
    assert inside(gone, gone.with_entrants([replace(t.get_entrant(2), left=1)]))
