"""A mail that says the same as one before is known by a digest."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("content_digest", sa.String(), nullable=False, server_default=""))
    op.create_index("inbox_content_digest", "inbox", ["content_digest"])


def downgrade() -> None:
    op.drop_index("inbox_content_digest", "inbox")
    op.drop_column("inbox", "content_digest")
