"""The states and kinds that the tables hold, each a closed set. What is stored is the text, never the member's name."""

from __future__ import annotations

from enum import StrEnum


# The base of every closed set of words: states, kinds, rulings. A word that is not in the set is a mistake, and mypy
# says so wherever one is assigned or stored.
class StoredEnum(StrEnum):
    """One of a closed set of words: text where it is stored, shown or sent."""


class MatchStatus(StoredEnum):
    OPEN = "open"
    """Seats are known or free; nothing was dealt."""
    RUNNING = "running"
    SUSPENDED = "suspended"
    """It cannot go on by itself; ``Match.trouble`` says why."""
    FINISHED = "finished"
    CANCELLED = "cancelled"
    """It was set up by mistake: it counts nowhere, and is shown to nobody but the moderator."""


class ClockStop(StoredEnum):
    """The reason why the clock of a running match stands."""

    NO = ""
    """It doesn't."""
    PAUSE = "pause"
    """The moderator said so."""
    MAIL = "mail"
    """Somebody awaited cannot be reached."""
    CONFIRM = "confirm"
    """It was moved in, and not all have said yet that board and racks are right."""


class Level(StoredEnum):
    """The strength of a robot."""

    BEGINNER = "beginner"
    """The best of the moves that it sees, or one of the better half."""
    CLUB = "club"
    """The move with the most points."""
    STRONG = "strong"
    """It thinks of what may follow."""


class TournamentStatus(StoredEnum):
    PLANNED = "planned"
    OPEN = "open"
    """Players may join."""
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class EntryState(StoredEnum):
    """The part that somebody takes in a tournament."""

    IN = "in"
    STANDBY = "standby"
    WITHDRAWN = "withdrawn"


class TournamentRuling(StoredEnum):
    """The way in which a game of a tournament was settled."""

    PLAYED = ""
    """By playing to the end."""
    SCORE = "score"
    """By the score less the racks, at its published latest end."""
    MODERATOR = "moderator"


class InboxState(StoredEnum):
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


class HeldFor(StoredEnum):
    NOTHING = ""
    """It is not held."""
    SENDER = "sender"
    """It has no token, and nothing proves that its sender is the player who has the address, or can become one."""
    GUESSING = "guessing"
    """Its token is right, but tokens are being guessed."""
    REPEAT = "repeat"
    """It says word for word what the last mail said."""
    NEWCOMER = "newcomer"
    """Somebody whom nobody knows wants to join."""
    MACHINE = "machine-header"
    """Its token is right, but it looks like a machine's."""
    BOUNCE = "unproven-bounce"
    """It is a delivery report that proves nothing, or that nothing can be done about."""
    MATCH = "match-suspended"
    """Its match cannot go on."""
    CRASH = "crash"
    """Our own code could not handle it."""


class OutboxState(StoredEnum):
    QUEUED = "queued"
    SENDING = "sending"
    """Leased by a worker that hands it to the server."""
    SENT = "sent"
    DEAD = "dead"
    """The server will not have it, or did not for too long."""
    RETURNED = "returned"
    """Sent, and then a delivery report came that proves itself."""
    REPEATED = "repeated"
    """Dead or returned; when mail got through again, another one said what it says."""


class WordRuling(StoredEnum):
    NONE = ""
    """Nothing yet."""
    ALLOW = "allow"
    DENY = "deny"


class Actor(StoredEnum):
    """The one who did something by a command."""

    PLAYER = "player"
    MODERATOR = "moderator"
    """By mail."""
    REFEREE = "referee"
    """By mail."""
    CLI = "cli"
    """Somebody at the machine."""


class QuestionKind(StoredEnum):
    """The kind of a question that is put to the one in charge of a match, and waits for an answer."""

    WORD = "word"
    PROTEST = "protest"
    SUSPENDED = "suspended"


class ClockCause(StoredEnum):
    """The cause for which a deadline has moved, as the log calls it."""

    STAFF = "extend"
    """The moderator, or a referee, has put it off."""
    PAUSE_ENDED = "go-on"
    """The moderator lets the clock run again."""
    OUTAGE = "outage"
    """The mailbox was not read for some time."""
    NMR_BREAKER = "breaker"
    """So much was missing at once that it may have been the mail."""
    MAIL_LATE = "mail-late"
    """The mail server took the mail that began the turn on a later day."""
    MAIL_BACK = "mail-back"
    """Somebody awaited can be reached again."""
    PUT_BACK = "put-back"
    """It had moved by itself, and the moderator has taken that back."""
    CLOCK_JUMP = "clock"
    """The clock had been wrong."""
    SEAT_LEFT = "seat-left"
    """A seat was given up, so that the turn began anew for the others; the log says so by its entry."""
    SEAT_TAKEN = "seat-taken"
    """Somebody else has a seat, likewise; the sentence about that says so."""
    CORRECTION = "correction"
    """Something was taken back; likewise."""


class LogEntryKind(StoredEnum):
    ORDER = "order"
    """Stored until the ZAT (rounds, common), until its turn or a ruling (sequential)."""
    MOVE = "move"
    """Played or refused at once (sequential, race)."""
    WITHDRAW = "withdraw"
    """The stored or held order is gone."""
    TRIED = "tried"
    """The awaited seat has sent something of which nothing was possible; nothing of it is kept."""
    MISS = "miss"
    """The ZAT passed without a move (sequential, race)."""
    EVALUATE = "evaluate"
    """The ZAT of a round."""
    RETIRE = "retire"
    """The seat plays no more: resigned, abandoned or ejected (text says which)."""
    HAND_OVER = "hand-over"
    """Somebody else has the seat now; text = the player's number."""
    STOP = "stop"
    """The game ends as it stands."""
    FLAG = "flag"
    """Text = wait, ready or nothing."""
    ASK_UNDO = "ask-undo"
    """Text = number of the entry after which all is to be undone; the others agree by the same entry."""
    REFUSE_UNDO = "refuse-undo"
    UNDO = "undo"
    """Everything after entry number text never happened; what was ordered by then holds again. With the outcome
    ``seed`` (text = 0) the match was dealt anew: that is the seed until then, which everybody knows."""
    MOVE_IN = "move-in"
    """The match was begun elsewhere; always the first entry. Its outcome has the position that is taken up instead of a
    deal, as a diagram (rules/position.py): nothing was played here before it, so nothing goes back behind it."""
    CONFIRM = "confirm"
    """The player says that what was moved in is right; text = what is wrong with it, "" = nothing."""
    # What follows leaves the table as it is: it is told, and counted by the clock (rules/time/clock.py).
    EXCUSE = "excuse"
    """The seat's missed turns in a row are forgiven."""
    CLOCK = "clock"
    """The deadline was moved, stopped or started again; text = why, outcome = from when to when."""
    NOTICE = "notice"
    """An official word of the moderator."""
    PROTEST = "protest"
    RULING = "ruling"
    """The moderator's answer to a protest."""


class SeatLeftReason(StoredEnum):
    RESIGNED = "resigned"
    ABANDONED = "abandoned"
    """Its player has not answered several times."""
    EJECTED = "ejected"
    """The moderator has taken the player out."""


class GameKind(StoredEnum):
    """The way in which a pairing came to its result."""

    GAME = "game"
    """It was played, also if someone gave up half-way."""
    BYE = "bye"
    FORFEIT = "forfeit"
    """Decided without having been played."""


class MailKind(StoredEnum):
    START = "start"
    """The match begins: options in force, commitment, who plays."""
    TURN = "turn"
    """Something happened; perhaps you are to move."""
    RECEIPT = "receipt"
    """Your order was read and is kept until the ZAT, or was refused."""
    REMINDER = "reminder"
    """The ZAT is near and nothing of you is here."""
    END = "end"
    """The match is over: result, seed."""
    STATUS = "status"
    """The player asked for the state."""
    OVERVIEW = "overview"
    """The player asked for the state of all matches."""
    BOARD = "board"
    """The player asked for the board alone."""
    RACK = "rack"
    """The player asked for the tiles alone."""
    HISTORY = "history"
    """The player asked for all moves of the match."""
    REVIEW = "review"
    """The player asked what there was in each turn of a match that is over."""
    PUZZLE = "puzzle"
    """Once a week, or on demand: a position to find the best move of, and the solution of the one before."""
    CALENDAR = "calendar"
    """The player asked for the deadlines as a calendar file."""
    RULES = "rules"
    """The player asked for the rules of a game."""
    DONE = "done"
    """The player's commands, which belong to no match."""
    CORRECTION = "correction"
    """What was reported before does not hold any more."""
    HELP = "help"
    """The player asked how to write."""
    CONFIRM = "confirm"
    """Somebody wrote in your name: was it you?"""
    UNREAD = "unread"
    """A mail we could make nothing of."""
    RULING = "ruling"
    """To the moderator: a word waits."""
    RULED = "ruled"
    """To the moderator: the answer was understood."""
    NOTICE = "notice"
    """To the moderator: something needs a look."""
    BACKLOG = "backlog"
    """After an outage: all matches of the player, and what became of each mail that had waited."""
    DIGEST = "digest"
    """Once a day: all matches where it is your turn, and what else happened."""
    WELCOME = "welcome"
    """A new player."""
    REPEATED = "repeated"
    """An order came twice, word for word: is the second one meant?"""
    SIGNUP = "signup"
    """Somebody unknown wants to play: was it you?"""
    CLOSED = "closed"
    """The same, but the moderator has to let them in."""
    ADDRESS = "address"
    """Somebody wants to change the address of a player: is that right?"""
    NEWS = "news"
    """Something that has no report: leave, a wish to undo, press at once, a ruling on a protest."""
    PROTEST = "protest"
    """To the moderator: a player objects."""
    BOSS = "boss"
    """To the moderator: what became of the commands."""
    OFFICIAL = "official"
    """The moderator's word to the players."""
    TOURNAMENT = "cup"
    """Pairings, results and tables of a tournament."""
    REFEREE = "referee"
    """The moderator has moved the deadline, stopped the clock, stored a move."""
    # What follows has no page of its own.
    AGAIN = "again"
    """A report that the player was sent before, once more."""
    CONFIRM_TOKEN = "confirm-token"
    """CONFIRM about a mail with a right token: there may be as many as answers in a day."""
    ASKED = "asked"
    """A command that asks for a mail and waits to be carried out."""


class BoardForm(StoredEnum):
    """The form in which a player's mails show boards."""

    PNG = "png"
    """As a picture."""
    TABLE = "table"
    """As a table of the mail's own."""
    TEXT = "text"
    """In characters."""


REVIEWER = 3
"""Version of what makes a review. Raise it where a review of the same match would come out differently: what is kept of
older versions is then made again in idle time."""
