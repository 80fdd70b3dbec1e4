"""Mails that wait know whose they are; a delivery report proves itself; who wants no invitations."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

OWNERS = ("match", "player")
UNTOLD = sa.text("told_at IS NULL AND state IN ('confirm', 'waiting')")


def upgrade() -> None:
    for owner in OWNERS:
        # Alembic would make the table anew for a foreign key; both databases can add one with its column.
        op.execute(f'ALTER TABLE inbox ADD COLUMN {owner}_id INTEGER REFERENCES "{owner}" (id)')
    op.create_index("inbox_match", "inbox", ["match_id", "state"])
    op.add_column("inbox", sa.Column("told_at", UTCDateTime(), nullable=True))
    # What was held before today is on no daily list; `moderator quarantine list` has it.
    op.execute("UPDATE inbox SET told_at = taken_at WHERE state = 'confirm'")
    op.create_index("inbox_untold", "inbox", ["taken_at"], sqlite_where=UNTOLD, postgresql_where=UNTOLD)
    op.add_column("outbox", sa.Column("return_token", sa.String(), nullable=False, server_default=""))
    op.create_index("outbox_return", "outbox", ["return_token"])
    op.add_column("player", sa.Column("unsubscribe", sa.String(), nullable=False, server_default=""))
    op.add_column("player", sa.Column("invitations", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    op.drop_column("player", "invitations")
    op.drop_column("player", "unsubscribe")
    op.drop_index("outbox_return", "outbox")
    op.drop_column("outbox", "return_token")
    op.drop_index("inbox_untold", "inbox")
    with op.batch_alter_table("inbox") as inbox:
        inbox.drop_column("told_at")
    op.drop_index("inbox_match", "inbox")
    for owner in OWNERS:
        with op.batch_alter_table("inbox") as inbox:
            inbox.drop_column(f"{owner}_id")
