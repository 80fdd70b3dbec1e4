"""Tridom and SuperTridom: dominoes with three numbers, laid corner to corner. The rules stand in RULES.md."""
