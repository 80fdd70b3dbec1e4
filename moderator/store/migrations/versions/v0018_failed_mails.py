"""What could not be made a mail of is kept, with what was wrong."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("deferrednews", sa.Column("fault", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("deferrednews", "fault")
