"""The keeper: a small process beside the runner that starts bots and outlives nothing of theirs.

    runner ── keeper ── warden ── bot
                    └── warden ── bwrap ── (namespace) bot

The runner may have threads and a large memory; forking it is slow and unsafe, and a parent-death
signal would be tied to one of its threads. So it starts this process, once: small, with one thread,
isolated from the site's packages (`python -I -S`). For each bot the keeper forks a *warden*, which
forks the bot and stays its parent for life.

- The warden watches the runner by a pidfd. When the runner dies, however it dies, the warden kills
  all it has. It is the reaper of whatever the bot leaves behind, in whatever session.
- The bot asks for SIGKILL when its warden dies. What a dead warden leaves is adopted, and killed,
  by the keeper.
- The bot's exit is seen, reported, and reaped only when the runner has let go, so that its pid
  can't come to mean another process meanwhile.

Modules here import the standard library and each other, nothing else of the arena.
"""
