"""Tournaments; the result of a match beside its row, so that standings and ratings need no replay."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), primary_key=True)


def _of(table: str, name: str = "", nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name or f"{table}_id", sa.Integer(), sa.ForeignKey(f"{table}.id"), nullable=nullable)


def _needed(name: str, kind: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False)


def upgrade() -> None:
    op.create_table(
        "cup",
        _id(),
        sa.Column("code", sa.String(), nullable=False, unique=True),
        *(_needed(name, sa.String()) for name in ("name", "game", "format")),
        *(_needed(name, sa.JSON()) for name in ("options", "terms", "settings")),
        *(_needed(name, sa.String()) for name in ("seed", "status")),
        *(sa.Column(name, UTCDateTime()) for name in ("opens_at", "closes_at")),
        _needed("round", sa.Integer()),
        _needed("state", sa.JSON()),
        sa.Column("next_at", UTCDateTime()),
        _needed("trouble", sa.String()),
        _of("cup", "previous_id", nullable=True),
        _needed("created_at", UTCDateTime()),
        sa.Column("finished_at", UTCDateTime()),
    )
    op.create_index("cup_next", "cup", ["next_at"])
    _entries_and_games()
    op.add_column("match", sa.Column("result", sa.JSON()))
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("cup_id", sa.Integer(), sa.ForeignKey("cup.id", name="match_cup"), nullable=True))


def _entries_and_games() -> None:
    op.create_table(
        "cupentry",
        _id(),
        _of("cup"),
        _of("player"),
        *(_needed(name, sa.Integer()) for name in ("number", "division")),
        _needed("state", sa.String()),
        _needed("rating", sa.Float()),
        _needed("joined", sa.Integer()),
        sa.Column("left", sa.Integer()),
        sa.Column("place", sa.Integer()),
        sa.Column("rated", sa.Float()),
        _needed("at", UTCDateTime()),
        sa.UniqueConstraint("cup_id", "player_id"),
    )
    op.create_index("cupentry_player", "cupentry", ["player_id"])
    op.create_table(
        "cupgame",
        _id(),
        _of("cup"),
        *(_needed(name, sa.Integer()) for name in ("division", "round", "board")),
        _needed("kind", sa.String()),
        _needed("seats", sa.JSON()),
        _of("match", nullable=True),
        sa.Column("result", sa.JSON()),
        _needed("ruling", sa.String()),
        sa.Column("ends_at", UTCDateTime()),
        sa.UniqueConstraint("cup_id", "division", "round", "board"),
    )
    op.create_index("cupgame_match", "cupgame", ["match_id"])
    op.create_table(
        "cupstep",
        _id(),
        _of("cup"),
        _needed("step", sa.String()),
        _needed("at", UTCDateTime()),
        sa.UniqueConstraint("cup_id", "step"),
    )


def downgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.drop_column("cup_id")
        match.drop_column("result")
    op.drop_index("cupgame_match", "cupgame")
    op.drop_index("cupentry_player", "cupentry")
    op.drop_index("cup_next", "cup")
    for name in ("cupstep", "cupgame", "cupentry", "cup"):
        op.drop_table(name)
