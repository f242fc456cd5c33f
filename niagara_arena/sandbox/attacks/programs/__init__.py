"""Hold the programs of the attack suite: what hostile bots do, one function an attack.

They run inside the cage, by `python3 -m programs GROUP FUNCTION MARKER`, from a copy of this folder
that is the bot's own directory. So they import nothing of the arena, only the standard library.
Every bomb is bounded: a machine that no cage protects stays usable.
"""
