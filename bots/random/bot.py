"""Plays any legal action, each as likely as another."""

import arena


def choose(decision):
    """Return the index of an action drawn with the seed of the game."""
    return decision.game.random.randrange(len(decision.legal))


if __name__ == "__main__":
    arena.play(choose)
