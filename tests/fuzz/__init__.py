"""Any text gives a value or a friendly error, soon: what is tried (``targets``), out of what (``material``), for how
long (``python -m tests.fuzz TARGET --seconds N``).

A few hundred tries of each are part of the suite, and every fault that was ever found lies in ``found`` and is tried
again each time.
"""
