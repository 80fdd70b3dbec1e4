"""What waits is found by index, in its order of arrival and of each sender; so are the mails of a sender by time."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("inbox_state", "inbox")
    op.create_index("inbox_waiting", "inbox", ["state", "received_at"])
    op.create_index("inbox_lane", "inbox", ["lane", "state", "received_at"])
    op.create_index("inbox_sender", "inbox", ["sender", "taken_at"])
    op.create_index("inbox_taken", "inbox", ["taken_at"])


def downgrade() -> None:
    for name in ("inbox_taken", "inbox_sender", "inbox_lane", "inbox_waiting"):
        op.drop_index(name, "inbox")
    op.create_index("inbox_state", "inbox", ["state"])
