"""The aggregate: a match with its row, its table, its log and its clock. Nobody else writes the row of a match."""
