"""Dominos: double-six for two, points for open ends that divide by five."""
