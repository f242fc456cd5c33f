"""Niagara Arena: a tournament runner for bots that play the board game Niagara."""

__version__ = "0.1.0"
