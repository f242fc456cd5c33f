"""The steps of the conversation: start-up, handshake, ids, unknown fields, rulings, the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from niagara_arena import __version__
from niagara_arena.conformance.drill import Game, play
from niagara_arena.conformance.model import Check, Finding, StepFailed
from niagara_arena.conformance.scenes import KINDS, SEATS, scene
from niagara_arena.conformance.talk import QUIT_MS, Reply, Talk
from niagara_arena.referee import Request
from niagara_arena.referee.translate import ruling_line
from niagara_arena.sandbox import Exit
from niagara_arena.wire.limits import REQUEST_BYTES
from niagara_arena.wire.messages import hello_line

__all__ = [
    "decision",
    "handshake",
    "hang_up",
    "ids",
    "long_lines",
    "quick_start",
    "quit_cleanly",
    "rulings",
    "silence",
    "start_up",
    "unknown_fields",
    "unknown_kinds",
]

_SHORT = Game("base", 3, 1, 2)
_FAR_ID = 1_000_000


def start_up(check: Check) -> Finding:
    """Start the process and listen: it may not speak first [P-2.1]."""
    with Talk(check) as talk:
        talk.silence(check.sizes.silence_ms, "before `hello`")
    return Finding("runs and waits")


def handshake(check: Check) -> Finding:
    """Say hello, take ready [P-2.2]."""
    with Talk(check) as talk:
        talk.greet()
        return Finding(f"ready in {talk.startup_ms} ms")


def quick_start(check: Check) -> Finding:
    """Look how long the start-up takes at best."""
    if not check.startups_ms:
        handshake(check)
    best = min(check.startups_ms)
    if best > check.sizes.quick_ms:
        raise StepFailed(
            f"is ready only after {best} ms",
            "P-2.2",
            f"every match waits for it; aim for less than {check.sizes.quick_ms} ms",
        )
    return Finding(f"{best} ms")


def silence(check: Check) -> Finding:
    """Listen when the bot has nothing to say [P-1.6]."""
    pause = check.sizes.silence_ms
    with Talk(check) as talk:
        talk.greet()
        talk.silence(pause, "after `ready` without being asked")

        def listen(request: Request, reply: Reply) -> None:
            if request.number <= 2:
                talk.silence(pause, "again after its answer")

        play(talk, _SHORT, check.settings, interlude=listen)
        talk.silence(pause, "after the end of the game")
    return Finding("speaks only when asked")


def decision(rules: str, kind: str) -> Callable[[Check], Finding]:
    """Return the step that asks one kind of decision of a ruleset [P-4.1]."""

    def run(check: Check) -> Finding:
        answers = check.scenes.setdefault(rules, {})
        while kind not in answers:
            _ask_kinds(check, rules, answers)
        found = answers[kind]
        if isinstance(found, StepFailed):
            raise found
        return found

    return run


def _ask_kinds(check: Check, rules: str, answers: dict[str, Finding | StepFailed]) -> None:
    """Ask the kinds that have no answer yet, in one process, up to a failure.

    After the question that a scene is for come others of its round, and a failure belongs to the
    kind of the question at which it happens. At least one kind gets its answer.
    """
    kind = ""

    def note(request: Request, reply: Reply) -> None:
        if request.kind == kind:
            text = reply.line.decode("utf-8", "replace").strip()[:60]
            answers.setdefault(kind, Finding(text))

    try:
        with Talk(check) as talk:
            talk.greet()
            for kind in [kind for kind in KINDS[rules] if kind not in answers]:
                game = Game(rules, SEATS, 1, 1, 0, scene(rules, kind, 1))
                play(talk, game, check.settings, interlude=note)
                if kind not in answers:
                    raise AssertionError(f"the scene for {rules} {kind} did not ask it")
    except StepFailed as failure:
        if not kind:  # it was not even ready
            kind = next(kind for kind in KINDS[rules] if kind not in answers)
        asked = _kind_asked(failure) if kind in answers else ""
        answers[asked or kind] = failure


def _kind_asked(failure: StepFailed) -> str:
    """Return the kind of the question at which a bot failed; empty if it was none."""
    request = failure.evidence.request if failure.evidence is not None else ""
    kind: str = json.loads(request).get("kind", "") if request else ""
    return kind


def ids(check: Check) -> Finding:
    """Ask with ids that do not begin at 1 [P-4.4]."""
    with Talk(check) as talk:
        talk.greet()
        talk.last_id = _FAR_ID
        play(talk, _SHORT, check.settings)
        return Finding(f"{_FAR_ID + 1} to {talk.last_id} echoed")


def unknown_fields(check: Check) -> Finding:
    """Send messages with fields of a later version in many places [P-8.2]."""
    with Talk(check) as talk:
        talk.greet(with_unknown_fields(hello_line(__version__)))
        play(talk, _SHORT, check.settings, with_unknown_fields)
    return Finding("ignored")


def with_unknown_fields(line: bytes) -> bytes:
    """Return a line with fields that no version has, wherever a later one might add some.

    Legal actions stay as they are, as a bot may send one of them back.
    """
    message: dict[str, Any] = json.loads(line)
    inner = [message]
    for key in ("limits", "settings", "clock", "observation", "position"):
        inner += [found for place in list(inner) if isinstance(found := place.get(key), dict)]
    inner += [event for event in message.get("events", []) if isinstance(event, dict)]
    for place in inner:
        place["x_future"] = {"numbers": [1, 2.5, None], "text": "ignore me ✓"}
    return _line(message)


def unknown_kinds(check: Check) -> Finding:
    """Send events and a whole message of kinds that no version has [P-8.2]."""

    def with_event(line: bytes) -> bytes:
        message: dict[str, Any] = json.loads(line)
        if "events" in message:
            message["events"].insert(0, {"event": "x_future", "seat": 0, "to": ["somewhere"]})
        return _line(message)

    with Talk(check) as talk:
        talk.greet()
        talk.tell(_line({"type": "x_future", "text": "ignore me"}))
        talk.silence(check.sizes.silence_ms, "after a message of an unknown kind")
        play(talk, _SHORT, check.settings, with_event)
    return Finding("ignored")


def long_lines(check: Check) -> Finding:
    """Send each line as long as lines may ever be [P-1.8]."""

    def padded(line: bytes) -> bytes:
        message: dict[str, Any] = json.loads(line)
        message["x_future"] = ""
        message["x_future"] = "x" * (REQUEST_BYTES - len(_line(message)) + 1)
        return _line(message)

    with Talk(check) as talk:
        talk.greet()
        play(talk, _SHORT, check.settings, padded)
    return Finding(f"{REQUEST_BYTES:,} bytes")


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def rulings(check: Check) -> Finding:
    """Tell the bot of a fault, as if it had made one; it must go on without a word [P-6.1]."""
    with Talk(check) as talk:
        talk.greet()

        def rule(request: Request, reply: Reply) -> None:
            if request.number <= 2:
                played = json.dumps(json.loads(request.line)["legal"][0])
                talk.tell(
                    ruling_line(request.number, "timeout", "a trial of `niagara check`", played, 2)
                )
                talk.silence(check.sizes.silence_ms, "after a `ruling`")

        play(talk, _SHORT, check.settings, interlude=rule)
    return Finding("taken")


def quit_cleanly(check: Check) -> Finding:
    """Play a little, then say quit [P-2.3]."""
    with Talk(check) as talk:
        talk.greet()
        play(talk, _SHORT, check.settings)
        _check_exit(talk.quit(), "`quit`")
    return Finding(f"exit 0 within {QUIT_MS} ms")


def hang_up(check: Check) -> Finding:
    """Close the bot's stdin without a word [P-2.3]."""
    with Talk(check) as talk:
        talk.greet()
        _check_exit(talk.hang_up(), "the end of its stdin")
    return Finding("exit 0")


def _check_exit(status: Exit, after: str) -> None:
    if status.code != 0:
        raise StepFailed(
            f"ends with {status.detail} after {after}", "P-2.3", "leave with exit code 0"
        )
