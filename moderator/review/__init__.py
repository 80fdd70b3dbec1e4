"""A finished match looked at again: what each turn could have been, the turning point, the find, luck, skill. Pure."""
