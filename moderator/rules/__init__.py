"""A match as values: contract of games, engine, orders, records, time, robots. Nothing here reads or writes files."""
