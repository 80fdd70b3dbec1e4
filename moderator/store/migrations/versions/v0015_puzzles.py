"""A puzzle is set each week, players answer it, and each says whether they want it."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "puzzle",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match_id", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("best", sa.String(), nullable=False),
        sa.Column("most", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("hardness", sa.Float(), nullable=False),
        sa.Column("set_at", UTCDateTime(), nullable=False),
        sa.Column("until", UTCDateTime(), nullable=False),
        sa.Column("told_at", UTCDateTime(), nullable=True),
        sa.Column("withdrawn_at", UTCDateTime(), nullable=True),
        sa.UniqueConstraint("match_id", "entry", "seat"),
    )
    op.create_index("puzzle_until", "puzzle", ["until"])
    op.create_table(
        "puzzleanswer",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("puzzle_id", sa.Integer(), sa.ForeignKey("puzzle.id"), nullable=False),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.UniqueConstraint("puzzle_id", "player_id"),
    )
    op.create_index("puzzle_answer_player", "puzzleanswer", ["player_id"])
    op.add_column("player", sa.Column("puzzles", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("player", "puzzles")
    op.drop_index("puzzle_answer_player", "puzzleanswer")
    op.drop_table("puzzleanswer")
    op.drop_index("puzzle_until", "puzzle")
    op.drop_table("puzzle")
