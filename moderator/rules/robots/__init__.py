"""Robots: how a move is chosen, played on in thought, and weighed."""
