"""Faults that a club must get over: links cut, servers that refuse, full disks, locked databases, clocks that jump,
mailboxes that somebody else changes. After each of them every order counts once and every mail goes out once.
"""
