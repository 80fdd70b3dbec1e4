"""SIGKILL at every step of a tick, over real servers: no order lost or applied twice, no mail lost, and a mail
repeated only in the one window that cannot be closed (accepted by the server, not yet recorded), as the same mail.
"""

from pathlib import Path

import pytest

from tests.e2e.dying import LEASE_ENDS, Template, check
from tests.e2e.killer import Killer, Request

pytestmark = pytest.mark.servers
STRIPES = 1
SAMPLE = (17, 45, 73, 101)
"""Steps that the everyday run tries; all of them are tried with MODERATOR_SLOW=1."""


@pytest.mark.parametrize("stripe", range(STRIPES))
def test_a_tick_that_dies(stripe: int, tmp_path: Path, template: Template, killer: Killer) -> None:
    tried = 0
    for fatal in SAMPLE:
        steps = die_and_recover(killer, template, fatal, tmp_path / str(fatal))
        if not steps:
            break
        tried += 1
    assert tried == len(SAMPLE)


def die_and_recover(killer: Killer, template: Template, fatal: int, folder: Path) -> list[str]:
    """A match whose start mails are queued, and the first order, a pass and a wish for help, in the mailbox; a tick
    dies over them, two others come. The steps up to the one at which it died; [] when it ended before that step."""
    folder.mkdir()
    club = template.copy(folder / "club")
    club.box.deliver(template.letter(club, 1, "passe"), template.letter(club, 2, "HILFE"))
    log, recovery = folder / "steps", str(folder / "recovery")
    if not killer.run(Request(str(club.file), str(log), fatal=fatal)):
        return []
    for later in (LEASE_ENDS, 2 * LEASE_ENDS):
        killer.run(Request(str(club.file), recovery, later=later))
    steps = log.read_text().splitlines()
    check(club, steps, {"start": 2, "turn": 2, "help": 1}, filed=2)
    return steps
