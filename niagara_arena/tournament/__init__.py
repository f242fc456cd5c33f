"""Plan, run, resume and check tournaments; the only writer of the store.

A tournament is a function of entrants, settings and seed. Workers play matches in any order and on
any number of cores; what is stored depends on none of that.
"""
