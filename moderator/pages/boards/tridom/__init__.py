"""Triangles on the table: Tridom and SuperTridom."""
