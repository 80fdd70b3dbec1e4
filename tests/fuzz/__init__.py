"""Any text gives a value or a friendly error, soon: what is tried (``targets``), out of what (``material``).

Every input that ever made a fault lies in ``found`` and is tried again each time.
"""
