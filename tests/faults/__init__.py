"""Runs that die, disks that are full, links that break: one injector over one evening."""
