"""The Spirits expansion: double canoes, the whirlpool, three new cards, beaver and moose.

Everything that only the expansion knows lives in this package; the base game imports none of it.
"""
