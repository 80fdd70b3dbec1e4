"""Robots that are programs of somebody else: a line with a turn goes in, a line with an order comes out."""
