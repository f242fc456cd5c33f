"""Ratings and tables: pure functions of the facts, from `RatedGame`s to what is published.

facts        which games count, and in which order
skill        TrueSkill on placings, in that order
strength     a Plackett–Luce fit of who wins, with intervals
"""
