"""Typ-Dom: crosswords on a table, in four variants with the same tiles, table and notation. See RULES.md."""
