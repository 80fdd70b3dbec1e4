"""The states and kinds that the tables hold, each a closed set. What is stored is the text, never the member's name."""

from __future__ import annotations

from moderator.choice import Choice


class MatchStatus(Choice):
    """How far a match is."""

    OPEN = "open"
    """Seats are known or free; nothing was dealt."""
    RUNNING = "running"
    SUSPENDED = "suspended"
    """It cannot go on by itself; ``Match.trouble`` says why."""
    FINISHED = "finished"


class Stopped(Choice):
    """Why the clock of a running match stands."""

    NO = ""
    """It doesn't."""
    PAUSE = "pause"
    """The moderator said so."""
    MAIL = "mail"
    """Somebody awaited cannot be reached."""


class CupStatus(Choice):
    """How far a tournament is."""

    PLANNED = "planned"
    OPEN = "open"
    """Players may join."""
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class EntryState(Choice):
    """Whether somebody takes part in a tournament."""

    IN = "in"
    STANDBY = "standby"
    WITHDRAWN = "withdrawn"


class CupRuling(Choice):
    """How a game of a tournament was settled."""

    PLAYED = ""
    """By playing to the end."""
    SCORE = "score"
    """By the score less the racks, at its published latest end."""
    MODERATOR = "moderator"


class InboxState(Choice):
    """What became of a mail that was taken in."""

    RECEIVED = "received"
    """Not handled yet."""
    DONE = "done"
    UNKNOWN = "unknown"
    """From nobody we know."""
    MACHINE = "machine"
    """No person wrote it."""
    CONFIRM = "confirm"
    """Held until the mailbox that it claims to be from says yes."""
    WAITING = "waiting"
    """May be meant, but does not count by itself: the moderator lets it count, or not."""
    QUARANTINE = "quarantine"
    """Our own code could not handle it, or its match cannot go on."""
    DROPPED = "dropped"


class OutboxState(Choice):
    """How far a mail of ours is."""

    QUEUED = "queued"
    SENDING = "sending"
    """Leased by a worker that hands it to the server."""
    SENT = "sent"
    DEAD = "dead"
    """The server will not have it, or did not for too long."""
    RETURNED = "returned"
    """Sent, and then a delivery report came that proves itself."""


class WordRuling(Choice):
    """What the moderator said of a word."""

    NONE = ""
    """Nothing yet."""
    ALLOW = "allow"
    DENY = "deny"


class By(Choice):
    """Who did something by a command."""

    PLAYER = "player"
    MODERATOR = "moderator"
    """By mail."""
    CLI = "cli"
    """Somebody at the machine."""
