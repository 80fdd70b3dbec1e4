"""Robots play at levels, those of before at the middle one; a match may be for training."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("level", sa.String(), nullable=False, server_default="club"))
    op.add_column("match", sa.Column("training", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("match", "training")
    op.drop_column("player", "level")
