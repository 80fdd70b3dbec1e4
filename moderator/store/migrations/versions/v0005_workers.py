"""Mails of one sender are handled in their order, however many workers there are."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("lane", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("inbox", "lane")
