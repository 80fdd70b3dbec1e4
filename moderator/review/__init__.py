"""A finished match looked at again: what each turn could have been, turning points, the find, luck and skill. Pure."""
