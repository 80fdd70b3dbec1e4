"""Orders as players write them: lines, alternatives, conditions."""
