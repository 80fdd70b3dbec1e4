"""Tables and columns have the names that the code has: a tournament, values by key, news that wait."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TABLES = {
    "cup": "tournament",
    "cupentry": "tournamententry",
    "cupgame": "tournamentgame",
    "cupstep": "tournamentstep",
    "memo": "keyvalue",
    "untold": "deferrednews",
}
COLUMN = "cup_id", "tournament_id"
WITH_COLUMN = ("cupentry", "cupgame", "cupstep")
INDEXES = {  # what it is of, and its columns
    "cup_next": ("cup", "tournament_next", ["next_at"]),
    "cupentry_player": ("cupentry", "tournamententry_player", ["player_id"]),
    "cupgame_match": ("cupgame", "tournamentgame_match", ["match_id"]),
    "untold_player": ("untold", "deferrednews_player", ["player_id"]),
}


def upgrade() -> None:
    for name, (table, _, _) in INDEXES.items():
        op.drop_index(name, table)
    for old, new in TABLES.items():
        op.rename_table(old, new)
        _rename_parts(new, {old: new, COLUMN[0]: COLUMN[1]})
    for table in WITH_COLUMN:
        _rename_column(TABLES[table], *COLUMN)
    for table, name, columns in INDEXES.values():
        op.create_index(name, TABLES[table], columns)
    _match("match_cup", "match_tournament", "tournament", *COLUMN)


def downgrade() -> None:
    for table, name, _ in INDEXES.values():
        op.drop_index(name, TABLES[table])
    for table in WITH_COLUMN:
        _rename_column(TABLES[table], *reversed(COLUMN))
    for old, new in TABLES.items():
        op.rename_table(new, old)
        _rename_parts(old, {COLUMN[1]: COLUMN[0], new: old})
    for name, (table, _, columns) in INDEXES.items():
        op.create_index(name, table, columns)
    _match("match_tournament", "match_cup", "cup", *reversed(COLUMN))


def _rename_column(table: str, old: str, new: str) -> None:
    # Alembic would make the table anew; both databases can rename a column with all that is said of it.
    op.execute(f'ALTER TABLE "{table}" RENAME COLUMN {old} TO {new}')


def _match(old: str, new: str, table: str, column: str, to: str) -> None:
    """The one link with a name of its own."""
    _rename_column("match", column, to)
    with op.batch_alter_table("match") as match:
        match.drop_constraint(old, type_="foreignkey")
        match.create_foreign_key(new, table, [to], ["id"])


def _rename_parts(table: str, words: dict[str, str]) -> None:
    """PostgreSQL has given a name to each constraint and to the counter of the primary key; SQLite gives none."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    known = {"table": table}
    constraints = sa.text("SELECT conname FROM pg_constraint WHERE conrelid = CAST(:table AS regclass)")
    for (name,) in connection.execute(constraints, known).all():
        if (said := _said(name, words)) != name:
            op.execute(f'ALTER TABLE "{table}" RENAME CONSTRAINT "{name}" TO "{said}"')
    counters = sa.text(
        "SELECT relname FROM pg_class JOIN pg_depend ON pg_class.oid = objid"
        " WHERE relkind = 'S' AND refobjid = CAST(:table AS regclass)"
    )
    for (name,) in connection.execute(counters, known).all():
        op.execute(f'ALTER SEQUENCE "{name}" RENAME TO "{_said(name, words)}"')


def _said(name: str, words: dict[str, str]) -> str:
    for old, new in words.items():
        if name.startswith(f"{old}_"):
            name = new + name[len(old) :]
        elif f"_{old}_" in name:
            name = name.replace(f"_{old}_", f"_{new}_")
    return name
