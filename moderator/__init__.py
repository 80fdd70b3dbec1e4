"""A referee for postal games played by e-mail."""

from moderator.common.old_modules import install_old_modules

__version__ = "0.2.0"

install_old_modules()
