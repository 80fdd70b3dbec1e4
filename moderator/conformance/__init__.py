"""What every game must pass, run on any that is installed: ``python -m moderator.conformance NAME``.

Each check is a function that gets a ``GameSubject`` (the game, and seeded matches of it) and yields findings;
``checks.py`` lists them all with what the contract says. Nothing here needs more than moderator itself.
"""
