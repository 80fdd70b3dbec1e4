"""Tournaments as pure functions: fields, schedules, pairings, standings. No clock, no database, no mail."""
