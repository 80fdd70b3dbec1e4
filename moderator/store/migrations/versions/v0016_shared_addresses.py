"""Two players may have one address."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    names = {"uq": "player_%(column_0_name)s_key"}  # as PostgreSQL calls them; in SQLite they have no name
    with op.batch_alter_table("player", naming_convention=names) as batch:
        batch.drop_constraint("player_address_key", type_="unique")
    op.create_index("ix_player_address", "player", ["address"])


def downgrade() -> None:
    op.drop_index("ix_player_address", "player")
    with op.batch_alter_table("player") as batch:
        batch.create_unique_constraint("player_address_key", ["address"])
