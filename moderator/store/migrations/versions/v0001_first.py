"""The first tables."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("sender", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("received_at", UTCDateTime(), nullable=False),
        sa.Column("taken_at", UTCDateTime(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("inbox_state", "inbox", ["state"], unique=False)
    op.create_index("inbox_token", "inbox", ["token"], unique=False)
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("early", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("salts", sa.JSON(), nullable=False),
        sa.Column("lexicon", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("deadline", UTCDateTime(), nullable=True),
        sa.Column("remind_at", UTCDateTime(), nullable=True),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("started_at", UTCDateTime(), nullable=True),
        sa.Column("finished_at", UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
    )
    op.create_index("match_due", "match", ["status", "held", "deadline"], unique=False)
    op.create_index("match_remind", "match", ["status", "remind_at"], unique=False)
    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("board", sa.String(), nullable=False),
        sa.Column("robot", sa.Boolean(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("undeliverable", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("address"),
        sa.UniqueConstraint("name_key"),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("outcome", sa.JSON(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["inbox_id"],
            ["inbox.id"],
        ),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "n"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("recipient", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("inbox_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", UTCDateTime(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("sent_at", UTCDateTime(), nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["inbox_id"],
            ["inbox.id"],
        ),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["player.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index("outbox_due", "outbox", ["state", "next_at"], unique=False)
    op.create_index("outbox_recipient", "outbox", ["recipient", "created_at"], unique=False)
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("word", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("asked_at", UTCDateTime(), nullable=False),
        sa.Column("answered_at", UTCDateTime(), nullable=True),
        sa.Column("ruling", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "word"),
    )
    op.create_index("question_token", "question", ["token"], unique=False)
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["match.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["player.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "number"),
    )
    op.create_index("seat_player", "seat", ["player_id"], unique=False)
    op.create_table(
        "seen",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("filed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["inbox_id"],
            ["inbox.id"],
        ),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("seen_filed", "seen", ["filed"], unique=False)
    op.create_table(
        "letter",
        sa.Column("outbox_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["outbox_id"],
            ["outbox.id"],
        ),
        sa.PrimaryKeyConstraint("outbox_id"),
    )


def downgrade() -> None:
    op.drop_table("letter")
    op.drop_index("seen_filed", table_name="seen")
    op.drop_table("seen")
    op.drop_index("seat_player", table_name="seat")
    op.drop_table("seat")
    op.drop_index("question_token", table_name="question")
    op.drop_table("question")
    op.drop_index("outbox_recipient", table_name="outbox")
    op.drop_index("outbox_due", table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("event")
    op.drop_table("player")
    op.drop_index("match_remind", table_name="match")
    op.drop_index("match_due", table_name="match")
    op.drop_table("match")
    op.drop_index("inbox_token", table_name="inbox")
    op.drop_index("inbox_state", table_name="inbox")
    op.drop_table("inbox")
