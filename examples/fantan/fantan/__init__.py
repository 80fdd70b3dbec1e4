"""Fan Tan (Sevens) for moderator: cards in four rows, from the sevens outwards."""
