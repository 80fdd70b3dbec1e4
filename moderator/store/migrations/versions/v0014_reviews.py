"""Reviews of finished matches are kept, turn by turn, and so is who waits for one. What is finished already is due."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

MATCH = "match.id"


def upgrade() -> None:
    op.create_table(
        "matchreview",
        sa.Column("match_id", sa.Integer(), sa.ForeignKey(MATCH), primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("edition", sa.String(), nullable=False),
        sa.Column("due_at", UTCDateTime(), nullable=True),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=True),
    )
    op.create_index("match_review_due", "matchreview", ["due_at"])
    op.create_index("match_review_version", "matchreview", ["version"])
    op.create_table(
        "turnreview",
        sa.Column("match_id", sa.Integer(), sa.ForeignKey(MATCH), primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("content", sa.JSON(), nullable=False),
    )
    op.create_table(
        "reviewrequest",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match_id", sa.Integer(), sa.ForeignKey(MATCH), nullable=False),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.UniqueConstraint("match_id", "player_id"),
    )
    op.create_index("review_request_player", "reviewrequest", ["player_id"])
    op.execute(
        "INSERT INTO matchreview (match_id, version, entries, edition, due_at, trouble)"
        " SELECT id, 0, entries, '', COALESCE(finished_at, created_at), '' FROM \"match\" WHERE status = 'finished'"
    )


def downgrade() -> None:
    op.drop_table("reviewrequest")
    op.drop_table("turnreview")
    op.drop_index("match_review_version", "matchreview")
    op.drop_index("match_review_due", "matchreview")
    op.drop_table("matchreview")
