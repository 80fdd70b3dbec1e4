"""Does the everyday suite notice what is wrong? The program with one small wrong change each, and who fails then.

``python -m tests.mutants --seed 1 --count 60`` draws the changes, runs the everyday suite once over a copy of the tree
in which each of those places notes which test passes it, and then each change against the tests that pass its place. A
change that they all let through is shown as a diff, and meets the whole suite with ``--whole``. The tree itself is left
alone; only what is committed or staged is copied.
"""
