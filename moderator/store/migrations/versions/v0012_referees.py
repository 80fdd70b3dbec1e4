"""Referees: who is in charge of a match or a tournament, and what was put to whom; an index that no query used goes."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

LED = ("match", "tournament")
ROLES = ("referee", "deputy")
UNTOLD = sa.text("told_at IS NULL AND state IN ('confirm', 'waiting')")


def upgrade() -> None:
    op.create_table(
        "referee",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False, unique=True),
        sa.Column("address", sa.String(), nullable=False, unique=True),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("away_from", sa.Date(), nullable=True),
        sa.Column("away_until", sa.Date(), nullable=True),
        sa.Column("created_at", UTCDateTime(), nullable=False),
    )
    op.create_table(
        "matter",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("about", sa.Integer(), nullable=False),
        sa.Column("referee_id", sa.Integer(), sa.ForeignKey("referee.id"), nullable=True),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("put_at", UTCDateTime(), nullable=False),
        sa.Column("passed_at", UTCDateTime(), nullable=True),
    )
    op.create_index("matter_about", "matter", ["kind", "about"])
    op.create_index("matter_token", "matter", ["token"])
    for table in LED:
        for role in ROLES:
            # Alembic would make the table anew for a foreign key; both databases can add one with its column.
            op.execute(f'ALTER TABLE "{table}" ADD COLUMN {role}_id INTEGER REFERENCES referee (id)')
    op.drop_index("inbox_untold", "inbox")


def downgrade() -> None:
    op.create_index("inbox_untold", "inbox", ["taken_at"], sqlite_where=UNTOLD, postgresql_where=UNTOLD)
    for table in LED:
        for role in ROLES:
            with op.batch_alter_table(table) as led:
                led.drop_column(f"{role}_id")
    op.drop_index("matter_token", "matter")
    op.drop_index("matter_about", "matter")
    op.drop_table("matter")
    op.drop_table("referee")
