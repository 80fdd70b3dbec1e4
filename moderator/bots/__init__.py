"""Robots of somebody else: a program that is given a line with a turn and answers by a line with an order. Which of
them plays for a robot of the club stands in ``[bots.NAME]``. Our own play by their level (rules/robots/choose.py)."""
