"""What waits to be told after a backlog."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "untold",
        sa.Column("id", sa.Integer(), primary_key=True),
        *(
            sa.Column(f"{table}_id", sa.Integer(), sa.ForeignKey(f"{table}.id"), nullable=True)
            for table in ("player", "match", "inbox")
        ),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
    )
    op.create_index("untold_player", "untold", ["player_id"])


def downgrade() -> None:
    op.drop_index("untold_player", "untold")
    op.drop_table("untold")
