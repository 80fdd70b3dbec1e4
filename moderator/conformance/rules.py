"""The rules: pure, the same each time, true to what they promise."""

from __future__ import annotations

import copy
import dataclasses
import json
import typing
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from moderator.common.errors import OperatorError, PlayerError
from moderator.conformance.subject import (
    Finding,
    Found,
    GameCall,
    GameSubject,
    SampleMatch,
    Skipped,
    deal_sample_match,
    describe_difference,
    format_in_one_line,
    iter_sample_moves,
    repeat_call,
)
from moderator.rules.ending import compute_stopped_scores, subtract_racks
from moderator.rules.game import State
from moderator.rules.replay import count_match_tiles
from moderator.rules.scenes import Grid
from moderator.rules.state import View, view_for
from moderator.rules.table import MatchState, stop_in_state


def iter_declaration_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the attributes that a game declares."""
    game, seats = subject.game, (subject.game.min_seats, subject.game.max_seats)
    if game.key != subject.key:
        yield Finding("key", f"it is registered as {subject.key!r} and calls itself {game.key!r}")
    if not 1 <= game.min_seats <= game.max_seats:
        yield Finding("min_seats, max_seats", f"they are {seats}")
    if not game.version:
        yield Finding("version", "it is empty")
    for name in ("pace", *(("policy", "unknown_words") if game.uses_words else ())):
        if name not in {field.name for field in dataclasses.fields(game.options)}:
            yield Finding("options", f"there is no option {name!r}")
            return
    for field in dataclasses.fields(game.options):
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            yield Finding("options", f"{field.name} has no default")
            return
    named = typing.get_args(typing.get_type_hints(game.options)["pace"])
    if not game.paces or not set(named) >= set(game.paces) or game.options().pace not in game.paces:
        yield Finding("paces", f"paces are {game.paces}, the option knows {named} and is {game.options().pace!r}")
        return
    try:
        game.setup(game.max_seats + 1, game.options(), subject.build_context(0))
    except OperatorError:
        return
    yield Finding(f"setup({game.max_seats + 1}, …)", "no OperatorError, though that many cannot play")


def iter_replay_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that from the log, by notation, the same match comes out."""
    for match in subject.matches:
        game, ctx = match.game, subject.build_context(match.seed)
        state = game.setup(match.seats, match.options, ctx).state
        for number, call in enumerate(match.calls):
            if call.name == "apply_move":
                move = game.parse_move(game.format_move(call.move), view_for(state, call.seat))
                call = dataclasses.replace(call, move=move)
            step = repeat_call(game, call, state, ctx)
            if step != match.calls[number].step:
                what = describe_difference(match.calls[number].step, step)
                yield Finding(
                    f"{call.format_call()} after {match.describe_moment(number)}", f"replayed: {what}", match.seed
                )
                break
            state = step.state


def iter_purity_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that arguments are left as they are, and the same question has the same answer."""
    for match in subject.matches:
        yield from _iter_fresh_play_findings(subject, match)
    for match, number, state in subject.iter_positions():
        kept = copy.deepcopy(state)
        for call in _iter_question_calls(match, state):
            answers = [repeat_call(match.game, call, state, match.ctx) for _ in range(2)]
            where = f"{call.format_call()} after {match.describe_moment(number)}"
            if state != kept:
                yield Finding(where, f"it changed its state: {describe_difference(kept, state)}", match.seed)
                return
            if answers[0] != answers[1]:
                yield Finding(where, f"asked twice: {describe_difference(answers[0], answers[1])}", match.seed)
                return
        yield from _iter_view_findings(match, number, state, kept)


def _iter_fresh_play_findings(subject: GameSubject, match: SampleMatch) -> Iterator[Found]:
    """Check a deal that nothing was played on yet: the changes of a call to states that the match has shared since its
    deal are there already wherever else they are looked for."""
    game, ctx = match.game, subject.build_context(match.seed)
    state = game.setup(match.seats, match.options, ctx).state
    for number, call in enumerate(match.calls):
        kept = copy.deepcopy(state)
        step = repeat_call(game, call, state, ctx)
        if state != kept:
            what = f"it changed its state: {describe_difference(kept, state)}"
            yield Finding(f"{call.format_call()} after {match.describe_moment(number)}", what, match.seed)
            return
        state = step.state


def _iter_question_calls(match: SampleMatch, state: State[Any]) -> Iterator[GameCall]:
    nothing: Any = None
    if match.options.pace == "common":
        choices = {seat: move for seat, move, _ in iter_sample_moves(match, state, 2)}
        yield GameCall("evaluate_round", None, choices, state, nothing)
        return
    for seat, move, _ in iter_sample_moves(match, state, 12):
        yield GameCall("apply_move", seat, move, state, nothing)
    for seat in state.to_move:
        yield GameCall("pass_turn", seat, None, state, nothing)


def _iter_view_findings(match: SampleMatch, number: int, state: State[Any], kept: State[Any]) -> Iterator[Found]:
    game = match.game
    for seat in state.to_move:
        view = view_for(state, seat)
        asked: dict[str, Callable[[], Any]] = {
            "list_moves(view, ctx)": partial(_list_moves, match, view),
            "build_scene(view)": partial(game.build_scene, view),
            "describe_situation(view)": partial(game.describe_situation, view),
            "export(public)": partial(game.export, view.public),
        }
        for name, ask in asked.items():
            first, second = ask(), ask()
            if first != second:
                yield Finding(
                    f"{name} after {match.describe_moment(number)}",
                    f"asked twice: {describe_difference(first, second)}",
                    match.seed,
                )
            if state != kept:
                what = f"it changed its state: {describe_difference(kept, state)}"
                yield Finding(f"{name} after {match.describe_moment(number)}", what, match.seed)
                return


def _list_moves(match: SampleMatch, view: View[Any]) -> list[tuple[str, int]]:
    return [(match.game.format_move(move), points) for move, points in match.game.list_moves(view, match.ctx)]


def iter_isolation_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that matches know nothing of each other: played side by side they go as each by itself."""
    before = copy.deepcopy(vars(subject.game))
    for one, two in zip(subject.matches, subject.matches[1:], strict=False):
        states = [one.first.state, two.first.state]
        deal_sample_match(subject, one.options.pace, one.seed), deal_sample_match(subject, two.options.pace, two.seed)
        for number in range(min(len(one.calls), len(two.calls))):
            for which, match in enumerate((one, two)):
                call = match.calls[number]
                step = repeat_call(match.game, call, states[which], match.ctx)
                if step != call.step:
                    told = f"beside another match: {describe_difference(call.step, step)}"
                    yield Finding(f"{call.format_call()} after {match.describe_moment(number)}", told, match.seed)
                    return
                states[which] = step.state
    if vars(subject.game) != before:
        yield Finding("vars(GAME)", f"something is kept on the game: {describe_difference(before, vars(subject.game))}")


def iter_conservation_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that no tile is lost or made."""
    for match in subject.matches:
        first = count_match_tiles(match.game, match.first.state)
        if first is None:
            yield Skipped("list_table_tiles says nothing, so the game promises nothing")
            return
        for number, call in enumerate(match.calls):
            now = count_match_tiles(match.game, call.step.state)
            if now != first and now is not None:
                lost, made = dict(first - now), dict(now - first)
                told = f"missing: {lost or 'none'}, too many: {made or 'none'}"
                yield Finding(f"{call.format_call()} after {match.describe_moment(number)}", told, match.seed)
                break


def iter_legality_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that ``list_moves`` and ``apply_move`` agree."""
    for match in subject.matches:
        for _, seat, move, error in match.refused[:1]:
            told = f"list_moves has it and apply_move refuses it: {error.code} {format_in_one_line(error.params)}"
            yield Finding(
                f"apply_move(state, {seat}, {format_in_one_line(move)}, ctx) in {match.describe_moment(0)} …",
                told,
                match.seed,
            )
    for match, number, state in subject.iter_positions():
        if match.options.pace == "common":
            continue
        for seat, move, _ in iter_sample_moves(match, state):
            try:
                match.game.apply_move(state, seat, move, match.ctx)
            except PlayerError as error:
                told = f"list_moves has it and apply_move refuses it: {error.code} {format_in_one_line(error.params)}"
                yield Finding(
                    f"apply_move(state, {seat}, {format_in_one_line(move)}, ctx) after {match.describe_moment(number)}",
                    told,
                    match.seed,
                )
                return
    yield from _iter_unlisted_findings(subject)


def _iter_unlisted_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that a move of another moment that ``list_moves`` leaves out now is refused now. (The moves that it always
    leaves out, a pass or an exchange, are listed nowhere. Of a game that cannot list all, nothing is said.)"""
    most = 6 if subject.quick else 12
    for match in subject.matches:
        if match.options.pace == "common":
            continue
        met = match.list_moments(most, "where a move comes from")
        other = {match.game.format_move(m): m for _, state in met for _, m, _ in iter_sample_moves(match, state, 30)}
        for number, state in match.list_moments(most, "where it is tried"):
            for seat in state.to_move[:1]:
                # Whether the game says that it lists all there is.
                view = view_for(state, seat)
                survey = match.game.survey_moves(view, match.ctx)
                if not (match.game.can_list_moves(view) and (survey is None or survey[1] != "some")):
                    continue
                listed = {match.game.format_move(move) for move, _ in match.list_legal_moves(state, seat)}
                for name in [name for name in other if name not in listed][:60]:
                    try:
                        match.game.apply_move(state, seat, other[name], match.ctx)
                    except PlayerError:
                        continue
                    move = format_in_one_line(other[name])
                    where = f"apply_move(state, {seat}, {move}, ctx) after {match.describe_moment(number)}"
                    yield Finding(where, "apply_move plays what list_moves does not have", match.seed)
                    return


def iter_points_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that a move scores the points that ``list_moves`` says."""
    for match, number, state in subject.iter_positions():
        if match.options.pace == "common":
            continue
        for seat, move, points in iter_sample_moves(match, state):
            try:
                scored = match.game.apply_move(state, seat, move, match.ctx).points
            except PlayerError:
                continue
            if scored != points:
                where = (
                    f"apply_move(state, {seat}, {format_in_one_line(move)}, ctx) after {match.describe_moment(number)}"
                )
                yield Finding(where, f"moves promises {points} points, apply gives {scored}", match.seed)
                return


def iter_score_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that scores change by the points of the step and its notes. Where all are evaluated together, and where the
    end costs something, there are no single sums."""
    for match in subject.matches:
        for number, call in enumerate(match.calls):
            before, after = call.before, call.step.state
            if len(after.scores) != len(before.scores):
                yield Finding(
                    f"{call.format_call()} after {match.describe_moment(number)}",
                    "the number of scores changed",
                    match.seed,
                )
                return
            if call.name == "evaluate_round" or (after.over and not match.game.seeded_rounds):
                continue
            notes = (*call.step.notes * (call.seat is None), *call.step.after)
            for seat in range(after.seats):
                then = sum(note.points for note in notes if note.seat == seat)
                told = then + (call.step.points if seat == call.seat else 0)
                came = after.scores[seat] - before.scores[seat]
                if told != came:
                    what = f"seat {seat} was told {told} points and its score changed by {came}"
                    yield Finding(f"{call.format_call()} after {match.describe_moment(number)}", what, match.seed)
                    return


def iter_plain_json_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that all that is written down is plain JSON, and drawings lie on their boards."""
    for match, number, state in subject.iter_positions():
        game, where = match.game, match.describe_moment(number)
        plain: list[tuple[str, Any]] = [("export(public)", game.export(state.public))]
        steps = [match.first, *(call.step for call in match.calls[:number])]
        plain += [("detail", dict(step.detail)) for step in steps]
        plain += [(f"note {n.code}", dict(n.params)) for step in steps for n in (*step.notes, *step.after)]
        for name, value in plain:
            try:
                same = json.loads(json.dumps(value)) == value or name.startswith("note")
            except (TypeError, ValueError):
                same = False
            if not same:
                yield Finding(f"{name} after {where}", f"it is no plain JSON: {format_in_one_line(value)}", match.seed)
                return
        scene = game.build_scene(view_for(state, None))
        if isinstance(scene, Grid) and (fault := _find_grid_fault(scene)):
            yield Finding(f"build_scene(view) after {where}", fault, match.seed)
            return


def _find_grid_fault(scene: Grid) -> str:
    places = Counter((cell.x, cell.y) for cell in scene.cells)
    if twice := [place for place, count in places.items() if count > 1]:
        return f"two cells lie at {twice[0]}"
    if beside := [(x, y) for x, y in places if not (0 <= x < len(scene.columns) and 0 <= y < len(scene.rows))]:
        return f"a cell lies at {beside[0]}, beside a board of {len(scene.columns)} by {len(scene.rows)}"
    for x0, y0, x1, y1 in scene.words:
        if not (0 <= x0 <= x1 < len(scene.columns) and 0 <= y0 <= y1 < len(scene.rows)):
            return f"a word is framed from {x0}, {y0} to {x1}, {y1}, beside the board"
    return ""


def iter_situation_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the notes on the situation are the same for all and count nothing."""
    for match, number, state in subject.iter_positions():
        said = match.game.describe_situation(view_for(state, None))
        for seat in range(state.seats):
            mine = match.game.describe_situation(view_for(state, seat))
            if mine != said:
                what = f"seat {seat} reads {format_in_one_line(mine)}, others {format_in_one_line(said)}"
                yield Finding(f"describe_situation(view) after {match.describe_moment(number)}", what, match.seed)
                return
        for note in said:
            if note.only is not None or note.points:
                yield Finding(
                    f"describe_situation(view) after {match.describe_moment(number)}",
                    f"{format_in_one_line(note)} is no such note",
                    match.seed,
                )
                return


def iter_broken_off_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that a match that is broken off has a result."""
    settled = False
    for match, number, state in subject.iter_positions():
        here = MatchState(state, match.options.pace, 0)
        points, where = (
            compute_stopped_scores(match.game, here),
            f"find_rack_value(state, seat) after {match.describe_moment(number)}",
        )
        if points is None or subtract_racks(match.game, state) is None:
            continue
        settled = True
        if any(left > score for left, score in zip(points, state.scores, strict=True)):
            yield Finding(where, f"scores {state.scores} become {points}: more than they were", match.seed)
            return
        if len(state.hands) > 1 and subtract_racks(match.game, stop_in_state(here).state) != points:
            yield Finding(where, "stopped, it is worth something else", match.seed)
            return
        bare = dataclasses.replace(state, hands=((),) * len(state.hands))
        if (left := subtract_racks(match.game, bare)) != state.scores:
            yield Finding(where, f"empty racks cost something: {state.scores} become {left}", match.seed)
            return
    if not settled:
        yield Skipped("find_rack_value says nothing; its moderator decides")
