"""Every way to misbehave, by a real process: each has a named fault, or no effect."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest

from niagara_arena.records import Fault, Limits, Played, Sanction, Standing, Void
from tests.match.playing import contestant, play, settings
from tests.zoo import animal

WALL = {"startup_ms": 60_000, "bank_ms": 60_000, "increment_ms": 1, "wall_ms": 400}
CPU = {"startup_ms": 60_000, "bank_ms": 300, "increment_ms": 1, "wall_ms": 60_000}
WALL_BANK = {"mode": "wall", "startup_ms": 60_000, "bank_ms": 2_000, "wall_ms": 60_000}
STARTUP = {"startup_ms": 1_500, "bank_ms": 60_000, "wall_ms": 60_000}


class Case(NamedTuple):
    """What an animal's deed is judged to be."""

    kind: str
    fault: Fault
    detail: str
    sentence: str
    sanction: Sanction
    clock: dict[str, Any] | None = None


D, R = Sanction.DEFAULT, Sanction.RETIRE

CASES = (
    Case("crash", Fault.CRASH, "exit 1", "exited with code 1 in the middle of a game", R),
    Case("segfault", Fault.CRASH, "SIGSEGV", "ended by SIGSEGV", R),
    Case("exit_zero", Fault.CRASH, "exit 0", "exited with code 0", R),
    Case("stall", Fault.TIMEOUT, "wall", r"did not answer within \d+ ms", D, WALL),
    Case("stall", Fault.TIMEOUT, "wall", r"wall time left in its bank \[P-5.2\]", D, WALL_BANK),
    Case("late", Fault.TIMEOUT, "wall", "did not answer within", D, WALL),
    Case("burn", Fault.TIMEOUT, "cpu", "cpu time left in its bank", D, CPU),
    Case("burn_in_threads", Fault.TIMEOUT, "cpu", "cpu time left in its bank", D, CPU),
    Case("ignore_sigterm", Fault.TIMEOUT, "wall", "did not answer within", D, WALL),
    Case("never_read", Fault.TIMEOUT, "wall", "did not answer within", R, WALL),
    Case("long_line", Fault.FLOOD, "line", "longer than 65536 bytes", R),
    Case("many_lines", Fault.FLOOD, "lines", "more than 100 lines", R),
    Case("close_stdout", Fault.CRASH, "stdout", "closed its stdout", R),
    Case("close_stdin", Fault.TIMEOUT, "wall", "did not answer within", D, WALL),
    Case("leave_daemon", Fault.CRASH, "exit 1", "exited with code 1", R),
    Case("babble", Fault.MALFORMED, "json", "first character is 'T'", D),
    Case("wrong_id", Fault.MALFORMED, "id", r"`\$.id` is \d+, but the question", D),
    Case("no_id", Fault.MALFORMED, "fields", "missing required field `id`", D),
    Case("deep_json", Fault.MALFORMED, "nesting|fields", "nested too deeply|Expected `int`", D),
    Case("deep_action", Fault.MALFORMED, "nesting", "nested too deeply", D),
    Case("bad_utf8", Fault.MALFORMED, "utf-8", r"byte \d+ of the line is not valid UTF-8", D),
    Case("not_json", Fault.MALFORMED, "json", "double quotes", D),
    Case("nan", Fault.MALFORMED, "json", "NaN", D),
    Case("huge_number", Fault.ILLEGAL, "choice", "has the indices 0 to", D),
    Case("unknown_field", Fault.MALFORMED, "fields", "unknown field `chioce`", D),
    Case("both", Fault.MALFORMED, "fields", "both `choice` and `action`", D),
    Case("neither", Fault.MALFORMED, "fields", "has neither", D),
    Case("empty_line", Fault.MALFORMED, "empty", "an empty line", D),
    Case("byte_order_mark", Fault.MALFORMED, "bom", "byte order mark", D),
    Case("negative_choice", Fault.MALFORMED, "fields", r"\$.choice", D),
    Case("long_note", Fault.MALFORMED, "fields", r"\$.note", D),
    Case("nonsense_card", Fault.MALFORMED, "action", r"\$.action.card: not a card", D),
    Case("choice_out_of_range", Fault.ILLEGAL, "choice", "has the indices 0 to", D),
    Case("card_not_in_hand", Fault.ILLEGAL, "action", "N-", D),
    Case("another_kind", Fault.ILLEGAL, "action", "N-", D),
    Case("banner", Fault.STARTUP, "json", "first character is 'O'", R),
    Case("wrong_protocol", Fault.STARTUP, "protocol", "speaks protocol 2", R),
    Case("exit_at_once", Fault.STARTUP, "exit 3", "code 3 before it was ready", R),
    Case("never_ready", Fault.STARTUP, "timeout", "sent no `ready` within", R, STARTUP),
    Case("unknown_ready_field", Fault.STARTUP, "fields", "nmae", R),
    Case("hog_memory", Fault.MEMORY, "", "used more memory than it may", R),
    Case("die_of_memory_error", Fault.MEMORY, "words", "MemoryError", R),
)

ABOUT_CARDS = ("card_not_in_hand", "nonsense_card", "another_kind")

HARMLESS = (
    "partial_lines",
    "split_utf8",
    "windows_line_ends",
    "twice",
    "twice_in_one_write",
    "early",
    "flood_stderr",
    "leave_children",
    "good_note",
    "echo_legal",
    "spell_out",
    "sleep_a_little",
    "slow",
    "fork_bomb",
    "random_play",
)


@pytest.mark.parametrize("case", CASES, ids=[case.kind for case in CASES])
def test_each_misbehaviour_is_named_and_costs_what_the_table_says(case: Case) -> None:
    under = settings(clock=case.clock) if case.clock else settings()
    # A hog that the limit does not stop would take the machine down with it.
    when = 1 if case.kind in ABOUT_CARDS else 2  # the first question is always for a card
    bot = contestant(case.kind, when, limits=Limits(memory_mb=200))
    for _ in range(3):  # as a tournament does when the machine was too busy
        [record] = play("random_play", bot, "random_play", under=under)
        if record.end.void is not Void.HOST:
            break
    assert record.end.void is None, record.measured.trouble
    ours = [ruling for ruling in record.end.rulings if ruling.seat == 1]
    assert ours, record.measured.stderr
    ruling = ours[0]
    assert (ruling.fault, ruling.sanction) == (case.fault, case.sanction) or (
        case.kind == "never_read" and ruling.fault is case.fault
    )
    assert re.search(case.detail, ruling.detail), ruling
    assert re.search(case.sentence, ruling.sentence), ruling
    retired = any(one.sanction is Sanction.RETIRE for one in ours)
    expected = Standing.FORFEITED if retired else Standing.FINISHED
    assert record.end.verdicts[1].standing is expected
    others = [ruling for ruling in record.end.rulings if ruling.seat != 1]
    assert others == []
    assert record.end.verdicts[0].standing is Standing.FINISHED
    sent = ruling.fault in (Fault.ILLEGAL, Fault.MALFORMED) or ruling.detail == "line"
    if sent and case.kind != "empty_line":
        assert record.measured.evidence[0].reply, "the author sees what the bot sent [P-6.4]"
    if not retired:
        acts = [act for page in record.rounds for act in page.acts if isinstance(act, Played)]
        assert [act.fault for act in acts if act.fault] == [one.fault.value for one in ours]


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_is_odd_but_harmless_has_no_effect(kind: str) -> None:
    [record] = play("random_play", kind, "random_play")
    assert record.end.rulings == ()
    assert record.end.reason == "max_rounds"
    assert {verdict.standing for verdict in record.end.verdicts} == {Standing.FINISHED}


def test_every_animal_of_the_zoo_is_tested() -> None:
    """A new animal needs a row in CASES or a place in HARMLESS."""
    helpers = {"send", "reply", "main"}
    animals = {
        name
        for name, thing in vars(animal).items()
        if callable(thing) and getattr(thing, "__module__", "") == animal.__name__
    } - helpers
    assert animals == {case.kind for case in CASES} | set(HARMLESS)


def test_notes_and_numbers_are_kept_with_their_decision() -> None:
    [record] = play("random_play", "good_note", "random_play")
    [(decision, note)] = record.measured.notes.items()
    assert note == "I \x1b[31mlike\x1b[0m this card"
    assert record.measured.data == {decision: {"depth": 3.0, "win": 0.25}}
    acts = [act for page in record.rounds for act in page.acts if isinstance(act, Played)]
    assert acts[int(decision)].seat == 1


def test_a_flooded_log_keeps_its_end() -> None:
    [record] = play("random_play", "flood_stderr", "random_play")
    log = record.measured.stderr[1]
    assert log.endswith("the end of the log\n")
    assert re.match(r"… \d+ bytes before this\n", log)
    assert len(log) < 10_000


def test_a_strict_profile_retires_at_the_first_fault() -> None:
    [record] = play(
        "random_play", contestant("wrong_id", when=1), "random_play", under=settings("strict")
    )
    assert [one.sanction for one in record.end.rulings] == [Sanction.RETIRE]
    assert record.end.placings[1] == 3
