"""What is this game's own; what every game must pass, ``python -m moderator.conformance newgame`` looks at."""

from __future__ import annotations

from newgame.rules import GAME, Bid, Options, Public

from moderator.rules.game import Context, State, Step
from moderator.rules.words import AnyWords

CONTEXT = Context(AnyWords(), lambda label, items: tuple(items))


def bid(*cards: str) -> Step[Public]:
    """The first round, in which P1 lies open; "" misses the turn."""
    state: State[Public] = GAME.setup(len(cards), Options(), CONTEXT).state
    for seat, card in enumerate(cards):
        step = GAME.apply_move(state, seat, Bid(card), CONTEXT) if card else GAME.pass_turn(state, seat, CONTEXT)
        state = step.state
    return GAME.close_round(state, CONTEXT)


def test_the_highest_bid_that_stands_alone_takes_the_prize() -> None:
    assert bid("7", "7", "2").state.scores == (0, 0, 1)
    assert bid("3", "7", "2").state.scores == (0, 1, 0)
    assert [note.code for note in bid("4", "4").notes] == ["nobody"]


def test_who_sends_nothing_bids_the_lowest_card() -> None:
    assert bid("", "5").state.public.bids == (("1",), ("5",))


def test_the_match_is_over_after_the_last_prize_and_not_before() -> None:
    state = GAME.setup(2, Options(cards=2), CONTEXT).state
    for number in (1, 2):
        assert state.to_move == (0, 1)
        for seat in (0, 1):
            state = GAME.pass_turn(state, seat, CONTEXT).state
        state = GAME.close_round(state, CONTEXT).state
        assert state.over == (number == 2)
