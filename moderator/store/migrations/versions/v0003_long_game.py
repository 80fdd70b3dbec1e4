"""The long game: time rules of each match, stopped clocks, leave, standby, watchers, press, protests, new addresses."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NO_TEXT = sa.text("''")


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), primary_key=True)


def _of(table: str) -> sa.Column[int]:
    return sa.Column(f"{table}_id", sa.Integer(), sa.ForeignKey(f"{table}.id"), nullable=False)


def _needed(name: str, kind: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False)


def upgrade() -> None:
    op.add_column("player", sa.Column("digest", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("player", sa.Column("digest_at", UTCDateTime()))
    op.add_column("match", sa.Column("wanted", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("match", sa.Column("terms", sa.JSON(), nullable=False, server_default="{}"))
    for name in ("turn_at", "final", "stopped_at"):
        op.add_column("match", sa.Column(name, UTCDateTime()))
    op.add_column("match", sa.Column("stopped", sa.String(), nullable=False, server_default=_NO_TEXT))
    op.execute('UPDATE "match" SET final = deadline')
    op.drop_index("match_due", "match")
    op.create_index("match_final", "match", ["status", "held", "final"])
    op.add_column("outbox", sa.Column("round", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("outbox_player", "outbox", ["player_id", "created_at"])
    _people()
    _words()
    op.create_table("memo", sa.Column("key", sa.String(), primary_key=True), _needed("value", sa.String()))


def _people() -> None:
    op.create_table(
        "leave",
        _id(),
        _of("player"),
        _needed("first", sa.Date()),
        _needed("last", sa.Date()),
        _needed("announced_at", UTCDateTime()),
        sa.Column("cancelled_at", UTCDateTime()),
    )
    op.create_index("leave_player", "leave", ["player_id", "last"])
    op.create_table(
        "standby",
        _id(),
        _of("player"),
        _needed("game", sa.String()),
        _needed("since", UTCDateTime()),
        sa.UniqueConstraint("player_id", "game"),
    )
    op.create_table(
        "watcher",
        _id(),
        _of("match"),
        _of("player"),
        _needed("since", UTCDateTime()),
        _needed("told", sa.Boolean()),
        sa.UniqueConstraint("match_id", "player_id"),
    )
    op.create_table(
        "addresschange",
        _id(),
        _of("player"),
        *(_needed(name, sa.String()) for name in ("address", "old_token", "new_token")),
        *(_needed(name, sa.Boolean()) for name in ("old_said", "new_said")),
        _needed("at", UTCDateTime()),
        sa.Column("closed_at", UTCDateTime()),
    )
    op.create_index("address_change_tokens", "addresschange", ["old_token", "new_token"])


def _words() -> None:
    op.create_table(
        "press",
        _id(),
        _of("match"),
        _of("player"),
        _needed("seats", sa.JSON()),
        _needed("text", sa.String()),
        _needed("at", UTCDateTime()),
        sa.Column("delivered_at", UTCDateTime()),
    )
    op.create_index("press_match", "press", ["match_id", "delivered_at"])
    op.create_table(
        "protest",
        _id(),
        _of("match"),
        _of("player"),
        _needed("round", sa.Integer()),
        _needed("text", sa.String()),
        _needed("token", sa.String()),
        _needed("at", UTCDateTime()),
        sa.Column("answered_at", UTCDateTime()),
        _needed("upheld", sa.Boolean()),
        _needed("answer", sa.String()),
    )
    op.create_index("protest_token", "protest", ["token"])


def downgrade() -> None:
    for name in ("memo", "protest", "press", "addresschange", "watcher", "standby", "leave"):
        op.drop_table(name)
    op.drop_index("outbox_player", "outbox")
    op.drop_column("outbox", "round")
    op.drop_index("match_final", "match")
    op.create_index("match_due", "match", ["status", "held", "deadline"])
    for name in ("stopped", "stopped_at", "final", "turn_at", "terms", "wanted"):
        op.drop_column("match", name)
    for name in ("digest_at", "digest"):
        op.drop_column("player", name)
