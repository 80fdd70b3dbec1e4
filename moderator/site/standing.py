"""How a running match stands: scores, and who is awaited."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from moderator import games
from moderator.desk.live import Suspended
from moderator.lexicon import house
from moderator.site.site import Listed, Site
from moderator.store.models import Match


@dataclass(frozen=True)
class Standing:
    scores: tuple[int, ...] = ()
    """By seat; () where the log cannot be played again."""
    awaited: tuple[int, ...] = ()
    """Seats that have still to answer."""

    @property
    def leaders(self) -> tuple[int, ...]:
        """() while nobody is ahead."""
        if not self.scores or len(set(self.scores)) == 1:
            return ()
        return tuple(seat for seat, score in enumerate(self.scores) if score == max(self.scores))


def standing(site: Site, match: Listed) -> Standing:
    """Of a match that is not over."""
    # In a game of words a ruling may decide who is in.
    ruled = house.state(site.config.path(site.config.words.house)) if games.load(match.game).uses_words else ""
    key = f"{match.status} {match.entries} {ruled}"
    value = site.kept.value("standing", match.id, key, lambda: asdict(_found(site, match)))
    return Standing(tuple(value["scores"]), tuple(value["awaited"]))


def _found(site: Site, match: Listed) -> Standing:
    try:
        live = site.desk.shelf.look(site.desk.session, site.desk.session.get_one(Match, match.id))
    except Suspended:
        return Standing()
    return Standing(tuple(live.table.state.scores), tuple(live.missing))
