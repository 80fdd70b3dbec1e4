"""Who did what by a command."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", UTCDateTime(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("by", "who", "action", "about", "detail", "outcome")
        ),
        sa.Column("inbox_id", sa.Integer(), sa.ForeignKey("inbox.id"), nullable=True),
    )
    op.create_index("audit_at", "audit", ["at"])
    op.create_index("audit_inbox", "audit", ["inbox_id"])


def downgrade() -> None:
    op.drop_index("audit_inbox", "audit")
    op.drop_index("audit_at", "audit")
    op.drop_table("audit")
