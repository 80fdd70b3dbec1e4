"""The tables of moderator 0.2.0. What is older is upgraded by that program first (``schema.refuse_older_version``)."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0010"
down_revision = None
branch_labels = None
depends_on = None

FLAG, NUMBER, TEXT, TIME, VALUES = sa.Boolean(), sa.Integer(), sa.String(), UTCDateTime(), sa.JSON()
UNTOLD = sa.text("told_at IS NULL AND state IN ('confirm', 'waiting')")


def upgrade() -> None:
    _players()
    _tournaments()
    _matches()
    _mails()
    _seats_and_moves()
    _between_players()
    _results_of_tournaments()
    _notes()


def _id() -> sa.Column[int]:
    return sa.Column("id", NUMBER, primary_key=True)


def _of(table: str, name: str = "", nullable: bool = False, link: str | None = None) -> sa.Column[int]:
    """A link to a row; ``link``: its own name, if it has one."""
    return sa.Column(name or f"{table}_id", NUMBER, sa.ForeignKey(f"{table}.id", name=link), nullable=nullable)


def _all(kind: Any, *names: str, default: Any = None) -> list[sa.Column[Any]]:
    """Columns that are never empty."""
    return [sa.Column(name, kind, nullable=False, server_default=default) for name in names]


def _some(kind: Any, *names: str) -> list[sa.Column[Any]]:
    """Columns that may be empty."""
    return [sa.Column(name, kind, nullable=True) for name in names]


def _players() -> None:
    op.create_table(
        "player",
        _id(),
        *_all(TEXT, "name", "name_key"),
        *_some(TEXT, "address"),
        *_all(TEXT, "language", "zone", "board"),
        *_all(FLAG, "robot"),
        *_all(TIME, "created_at"),
        *_all(TEXT, "undeliverable"),
        *_all(FLAG, "auto_single", "digest", default=sa.false()),
        *_some(TIME, "digest_at"),
        *_all(TEXT, "unsubscribe", default=""),
        *_all(FLAG, "invitations", default=sa.true()),
        sa.UniqueConstraint("address"),
        sa.UniqueConstraint("name_key"),
    )


def _tournaments() -> None:
    op.create_table(
        "tournament",
        _id(),
        *_all(TEXT, "code", "name", "game", "format"),
        *_all(VALUES, "options", "terms", "settings"),
        *_all(TEXT, "seed", "status"),
        *_some(TIME, "opens_at", "closes_at"),
        *_all(NUMBER, "round"),
        *_all(VALUES, "state"),
        *_some(TIME, "next_at"),
        *_all(TEXT, "trouble"),
        _of("tournament", "previous_id", nullable=True),
        *_all(TIME, "created_at"),
        *_some(TIME, "finished_at"),
        sa.UniqueConstraint("code"),
    )
    op.create_index("tournament_next", "tournament", ["next_at"])


def _matches() -> None:
    op.create_table(
        "match",
        _id(),
        *_all(TEXT, "code", "name", "game"),
        *_all(VALUES, "options"),
        *_all(TEXT, "status"),
        *_all(FLAG, "early"),
        *_all(TEXT, "seed"),
        *_all(VALUES, "salts"),
        *_all(TEXT, "lexicon", "fingerprint", "rules"),
        *_all(NUMBER, "entries"),
        *_some(TIME, "deadline", "remind_at"),
        *_all(FLAG, "held"),
        *_all(TEXT, "trouble"),
        *_all(TIME, "created_at"),
        *_some(TIME, "started_at", "finished_at"),
        *_all(NUMBER, "wanted", default="0"),
        *_all(VALUES, "terms", default="{}"),
        *_some(TIME, "turn_at", "final", "stopped_at"),
        *_all(TEXT, "stopped", default=""),
        *_some(VALUES, "result"),
        _of("tournament", nullable=True, link="match_tournament"),
        sa.UniqueConstraint("code"),
    )
    op.create_index("match_final", "match", ["status", "held", "final"])
    op.create_index("match_remind", "match", ["status", "remind_at"])


def _mails() -> None:
    op.create_table(
        "inbox",
        _id(),
        *_all(TEXT, "digest", "message_id", "sender", "subject"),
        *_all(TIME, "received_at", "taken_at"),
        *_all(NUMBER, "size"),
        *_all(sa.LargeBinary(), "raw"),
        *_all(TEXT, "state"),
        *_all(NUMBER, "attempts"),
        *_all(TEXT, "token", "note"),
        *_all(NUMBER, "lane", default="0"),
        _of("match", nullable=True),
        _of("player", nullable=True),
        *_some(TIME, "told_at"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("inbox_token", "inbox", ["token"])
    op.create_index("inbox_waiting", "inbox", ["state", "received_at"])
    op.create_index("inbox_lane", "inbox", ["lane", "state", "received_at"])
    op.create_index("inbox_sender", "inbox", ["sender", "taken_at"])
    op.create_index("inbox_taken", "inbox", ["taken_at"])
    op.create_index("inbox_match", "inbox", ["match_id", "state"])
    op.create_index("inbox_untold", "inbox", ["taken_at"], sqlite_where=UNTOLD, postgresql_where=UNTOLD)
    op.create_table("seen", sa.Column("key", TEXT, primary_key=True), _of("inbox"), *_all(FLAG, "filed"))
    op.create_index("seen_filed", "seen", ["filed"])
    op.create_table(
        "outbox",
        _id(),
        *_all(TEXT, "message_id", "recipient", "kind"),
        _of("match", nullable=True),
        _of("player", nullable=True),
        _of("inbox", nullable=True),
        *_all(TEXT, "state"),
        *_all(NUMBER, "attempts"),
        *_all(TIME, "next_at", "created_at"),
        *_some(TIME, "sent_at"),
        *_all(TEXT, "answer"),
        *_all(NUMBER, "round", default="0"),
        *_all(TEXT, "return_token", default=""),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index("outbox_due", "outbox", ["state", "next_at"])
    op.create_index("outbox_recipient", "outbox", ["recipient", "created_at"])
    op.create_index("outbox_player", "outbox", ["player_id", "created_at"])
    op.create_index("outbox_return", "outbox", ["return_token"])
    op.create_table(
        "letter",
        sa.Column("outbox_id", NUMBER, sa.ForeignKey("outbox.id"), primary_key=True, autoincrement=False),
        *_all(sa.LargeBinary(), "raw"),
    )


def _seats_and_moves() -> None:
    op.create_table(
        "seat",
        _id(),
        _of("match"),
        *_all(NUMBER, "number"),
        _of("player"),
        *_all(TEXT, "token", "thread"),
        sa.UniqueConstraint("match_id", "number"),
    )
    op.create_index("seat_player", "seat", ["player_id"])
    op.create_table(
        "event",
        _id(),
        _of("match"),
        *_all(NUMBER, "n"),
        *_all(TEXT, "kind"),
        *_some(NUMBER, "seat"),
        *_all(TEXT, "text"),
        *_all(VALUES, "outcome"),
        *_all(TIME, "at"),
        _of("inbox", nullable=True),
        sa.UniqueConstraint("match_id", "n"),
    )
    op.create_table(
        "question",
        _id(),
        _of("match"),
        *_all(TEXT, "word", "token"),
        *_all(TIME, "asked_at"),
        *_some(TIME, "answered_at"),
        *_all(TEXT, "ruling"),
        sa.UniqueConstraint("match_id", "word"),
    )
    op.create_index("question_token", "question", ["token"])
    op.create_table(
        "protest",
        _id(),
        _of("match"),
        _of("player"),
        *_all(NUMBER, "round"),
        *_all(TEXT, "text", "token"),
        *_all(TIME, "at"),
        *_some(TIME, "answered_at"),
        *_all(FLAG, "upheld"),
        *_all(TEXT, "answer"),
    )
    op.create_index("protest_token", "protest", ["token"])


def _between_players() -> None:
    op.create_table(
        "leave",
        _id(),
        _of("player"),
        *_all(sa.Date(), "first", "last"),
        *_all(TIME, "announced_at"),
        *_some(TIME, "cancelled_at"),
    )
    op.create_index("leave_player", "leave", ["player_id", "last"])
    op.create_table(
        "standby",
        _id(),
        _of("player"),
        *_all(TEXT, "game"),
        *_all(TIME, "since"),
        sa.UniqueConstraint("player_id", "game"),
    )
    op.create_table(
        "watcher",
        _id(),
        _of("match"),
        _of("player"),
        *_all(TIME, "since"),
        *_all(FLAG, "told"),
        sa.UniqueConstraint("match_id", "player_id"),
    )
    op.create_table(
        "addresschange",
        _id(),
        _of("player"),
        *_all(TEXT, "address", "old_token", "new_token"),
        *_all(FLAG, "old_said", "new_said"),
        *_all(TIME, "at"),
        *_some(TIME, "closed_at"),
    )
    op.create_index("address_change_tokens", "addresschange", ["old_token", "new_token"])
    op.create_table(
        "press",
        _id(),
        _of("match"),
        _of("player"),
        *_all(VALUES, "seats"),
        *_all(TEXT, "text"),
        *_all(TIME, "at"),
        *_some(TIME, "delivered_at"),
    )
    op.create_index("press_match", "press", ["match_id", "delivered_at"])


def _results_of_tournaments() -> None:
    op.create_table(
        "tournamententry",
        _id(),
        _of("tournament"),
        _of("player"),
        *_all(NUMBER, "number", "division"),
        *_all(TEXT, "state"),
        *_all(sa.Float(), "rating"),
        *_all(NUMBER, "joined"),
        *_some(NUMBER, "left", "place"),
        *_some(sa.Float(), "rated"),
        *_all(TIME, "at"),
        sa.UniqueConstraint("tournament_id", "player_id"),
    )
    op.create_index("tournamententry_player", "tournamententry", ["player_id"])
    op.create_table(
        "tournamentgame",
        _id(),
        _of("tournament"),
        *_all(NUMBER, "division", "round", "board"),
        *_all(TEXT, "kind"),
        *_all(VALUES, "seats"),
        _of("match", nullable=True),
        *_some(VALUES, "result"),
        *_all(TEXT, "ruling"),
        *_some(TIME, "ends_at"),
        sa.UniqueConstraint("tournament_id", "division", "round", "board"),
    )
    op.create_index("tournamentgame_match", "tournamentgame", ["match_id"])
    op.create_table(
        "tournamentstep",
        _id(),
        _of("tournament"),
        *_all(TEXT, "step"),
        *_all(TIME, "at"),
        sa.UniqueConstraint("tournament_id", "step"),
    )


def _notes() -> None:
    """What is to be told after a backlog, who did what by a command, values by their keys."""
    op.create_table(
        "deferrednews",
        _id(),
        _of("player", nullable=True),
        _of("match", nullable=True),
        _of("inbox", nullable=True),
        *_all(TEXT, "kind"),
        *_all(NUMBER, "entry"),
        *_all(VALUES, "said"),
        *_all(TIME, "at"),
    )
    op.create_index("deferrednews_player", "deferrednews", ["player_id"])
    op.create_table(
        "audit",
        _id(),
        *_all(TIME, "at"),
        *_all(TEXT, "by", "who", "action", "about", "detail", "outcome"),
        _of("inbox", nullable=True),
    )
    op.create_index("audit_at", "audit", ["at"])
    op.create_index("audit_inbox", "audit", ["inbox_id"])
    op.create_table("keyvalue", sa.Column("key", TEXT, primary_key=True), *_all(TEXT, "value"))
