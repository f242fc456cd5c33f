"""Hold the scenarios of the suite: how each attack is set up, and how its success is seen.

One module a group of attacks; each ends with its `PROBES`.
"""
