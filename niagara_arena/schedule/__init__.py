"""Who meets whom, in which seats, from where and with which seeds: pure functions.

Same entrants, settings and seed: same schedule, to the byte, on any machine. Nothing here reads a
clock, a file or a random number; chance is derived from the tournament's seed (`chance`).
"""
