"""``Adresse``: a player moves to another mailbox."""

from __future__ import annotations

from pathlib import Path

from moderator.commands.call import CommandContext, CommandOutcome, done_with
from moderator.commands.declaration import Command, CommandGroup, CommandScope
from moderator.common import message_files
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.service.create import require_free_address
from moderator.service.players import address_change as addresses
from moderator.views import same_person


def _is_address_argument(argument: str) -> bool:
    """Return whether the argument may be meant: ``Adresse: Hauptstr. 5`` is none."""
    return not argument or "@" in argument


@Command(
    "address",  # its words are never a mere »E-Mail: …«, which stands in signatures
    scope=CommandScope.CLUB,
    group=CommandGroup.SETTINGS,
    rank=80,
    pattern=rf"(?:{message_files.load_word_pattern(Path(__file__).parent, 'address-becomes')}:? )*\S+@\S+",
    whole=True,
    short=_is_address_argument,
    above_closing=True,
    once=True,
)
def change_address_by_command(call: CommandContext) -> CommandOutcome:
    """Ask both mailboxes about ``Adresse neu@example.org``. Open also to a writer who came by a seat's token from
    elsewhere: whoever has lost a mailbox cannot write from it, and nothing changes without the old one or the
    moderator."""
    words = [word.strip("<>.,;()") for word in call.request.argument.split() if "@" in word]
    wanted = words[-1].lower() if words else ""
    if not wanted:
        raise Misused("address-which")
    mail, player = call.desk.config.mail, call.player
    if wanted == player.address:
        raise Impossible("address-yours", address=wanted)
    local, _, domain = wanted.partition("@")
    ours, _, here = mail.address.lower().partition("@")
    if domain == here and (local == ours or (mail.subaddress and local.startswith(ours + mail.subaddress))):
        raise Misused("address-invalid", address=wanted)
    try:
        same_person.find_moving_referee(call.desk.session, player, require_free_address(call.desk.session, wanted))
    except OperatorError as error:
        taken = "belongs" in str(error)
        raise (
            Impossible("address-taken", address=wanted) if taken else Misused("address-invalid", address=wanted[:80])
        ) from None
    if addresses.has_asked_too_often(call.desk, player):
        raise Impossible("address-too-often", most=addresses.DAILY)
    alive = addresses.request_address_change(call.desk, player, wanted)
    return done_with("address-asked" if alive else "address-asked-moderator", address=wanted, old=player.address)
