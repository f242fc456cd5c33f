"""Niagara Arena: a tournament runner for bots that play the board game Niagara."""

from os.path import dirname, exists

__version__ = "0.1.0"

if exists(f"{dirname(__file__)}/_compiled"):  # never so in the cage, where starting must be quick
    from niagara_arena import compiled

    compiled.install()
