"""How a running match stands: scores, and who is awaited."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from moderator.games import load_game
from moderator.site.layout import ListedMatch, SiteContent
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended
from moderator.words import house_rulings


@dataclass(frozen=True)
class MatchStanding:
    scores: tuple[int, ...] = ()
    """By seat; () where the log cannot be played again."""
    awaited: tuple[int, ...] = ()
    """Seats that have still to answer."""

    @property
    def leaders(self) -> tuple[int, ...]:
        """The seats in the lead; () while nobody is ahead."""
        if not self.scores or len(set(self.scores)) == 1:
            return ()
        return tuple(seat for seat, score in enumerate(self.scores) if score == max(self.scores))


def get_match_standing(site: SiteContent, match: ListedMatch) -> MatchStanding:
    """Return scores and missing moves of a match that is not over."""
    # In a game of words a ruling may decide who is in.
    ruled = (
        house_rulings.find_list_state(site.config.resolve_path(site.config.words.house))
        if load_game(match.game).uses_words
        else ""
    )
    key = f"{match.status} {match.entries} {ruled}"
    value = site.values.get_or_make("standing", match.id, key, lambda: asdict(_compute_standing(site, match)))
    return MatchStanding(tuple(value["scores"]), tuple(value["awaited"]))


def _compute_standing(site: SiteContent, match: ListedMatch) -> MatchStanding:
    try:
        live = site.work.cache.load_readonly(site.work.session, site.work.session.get_one(MatchRow, match.id))
    except MatchSuspended:
        return MatchStanding()
    return MatchStanding(tuple(live.table.state.scores), tuple(live.seats_awaited))
