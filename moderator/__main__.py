"""``python -m moderator``"""

from moderator.cli import main

main()
