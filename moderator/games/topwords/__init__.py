"""Topwords: words on a 10x10 board whose letters may be stacked. The rules stand in RULES.md."""
