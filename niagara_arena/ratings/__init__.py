"""Ratings and tables: pure functions of the facts, from `RatedGame`s to what is published.

facts         which games count, and in which order; everything else starts from there
skill         TrueSkill on placings, in that order
strength      a Plackett–Luce fit of who wins (likelihood, columns), with intervals
standing      ranks, chances to be first, win chances, seats' worth: what the fit says
settle        is the leader known, near enough? how many more games?
tally, tables what was counted: games, wins, who met whom, head to head, seats
leaderboard   all of that as rows; `kept` holds it between two runs
trial         is B better than A? a sequential test on paired games
forecast      how well ratings foretell games
"""
