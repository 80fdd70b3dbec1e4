"""Why a mail is held, and what of it is asked about, stand in columns of their own instead of in its note."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

HELD_FOR = """UPDATE inbox SET held_for = CASE
    WHEN note LIKE 'tokens are guessed%' THEN 'guessing'
    WHEN note = 'an order came twice, word for word; its writer was asked' THEN 'repeat'
    WHEN note LIKE 'wants to join%' THEN 'newcomer'
    WHEN note LIKE 'machine-like header %' THEN 'machine-header'
    WHEN note LIKE 'a delivery report%' OR note LIKE '% takes no mail as large as ours are at least'
        THEN 'unproven-bounce'
    ELSE 'sender' END
    WHERE state IN ('confirm', 'waiting')"""
QUARANTINED = """UPDATE inbox SET held_for = CASE
    WHEN note LIKE 'waits for suspended match %' THEN 'match-suspended' ELSE 'crash' END
    WHERE state = 'quarantine'"""
MATCHES = """UPDATE inbox SET match_id =
    (SELECT id FROM "match" WHERE 'waits for suspended match ' || code = inbox.note)
    WHERE held_for = 'match-suspended'"""
HEADERS = """UPDATE inbox SET machine_header = substr(note, length('machine-like header ') + 1)
    WHERE held_for = 'machine-header'"""
OFFERED = """UPDATE inbox SET offered = substr(note, length('asked back: ') + 1)
    WHERE note LIKE 'asked back: %'"""


def upgrade() -> None:
    for name in ("held_for", "machine_header", "offered"):
        op.add_column("inbox", sa.Column(name, sa.String(), nullable=False, server_default=""))
    for statement in (HELD_FOR, QUARANTINED, MATCHES, HEADERS, OFFERED):
        op.execute(statement)


def downgrade() -> None:
    for name in ("offered", "machine_header", "held_for"):
        op.drop_column("inbox", name)
