"""Submissions: find a bot, read its bot.toml, hash, stage and build it.

    submission = load("bots/otter")            # or "@greedy", or "python3 otter.py"
    ready = prepare(submission, backend)       # staged read-only, built in the cage, checked
    process = backend.start(ready.launch())

Everything in a submission is a stranger's: nothing of it runs before it was read and found in
order, and nothing but its own files is ever followed, copied or hashed.
"""

from __future__ import annotations

from niagara_arena.submissions.building import BuildFailed
from niagara_arena.submissions.bundled import bundled_bots, starter_kits
from niagara_arena.submissions.preparing import MAX_LIMITS, Ready, grant_limits, prepare
from niagara_arena.submissions.runtimes import (
    offered_runtimes,
    parse_runtime,
    read_runtimes,
    resolve_runtimes,
    runtime_digest,
)
from niagara_arena.submissions.staging import clean, default_cache, open_cache
from niagara_arena.submissions.submission import (
    Submission,
    find,
    load,
    read_manifest,
    resolve_params,
)

__all__ = [
    "MAX_LIMITS",
    "BuildFailed",
    "Ready",
    "Submission",
    "bundled_bots",
    "clean",
    "default_cache",
    "find",
    "grant_limits",
    "load",
    "offered_runtimes",
    "open_cache",
    "parse_runtime",
    "prepare",
    "read_manifest",
    "read_runtimes",
    "resolve_params",
    "resolve_runtimes",
    "runtime_digest",
    "starter_kits",
]
