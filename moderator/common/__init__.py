"""What every package may use and what knows no game: errors, closed sets of values, files, plug-ins, tokens."""
