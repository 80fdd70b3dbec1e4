"""What decides: orders, turns, deadlines, tournaments, players, staff. Each change of a match is made here."""
