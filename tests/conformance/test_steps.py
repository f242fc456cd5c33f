"""Each bot of the zoo fails at the step, and for the reason, that it should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

from niagara_arena import conformance
from niagara_arena.conformance import STEPS, Duty, Result, Verdict, passed
from niagara_arena.records import Clock
from niagara_arena.sandbox import Backend
from niagara_arena.submissions import bundled_bots, starter_kits
from tests.conformance.conftest import SMALL, CheckBot, animal, odd

POOR = Clock(bank_ms=40, increment_ms=0, wall_ms=60_000)
HASTY = Clock(wall_ms=200)
EAGER = Clock(startup_ms=500)

PATIENT = structs.replace(SMALL, growth_mb=20, games=6, silence_ms=1_000, idle_ms=300)
"""Listens long enough even on a busy machine; a bot that speaks ends the step at once."""

CARD = "base card"
ANIMALS = [
    # animal, step, clause, words of the sentence
    ("crash", CARD, "P-6.2", "exited with code 1"),
    ("segfault", CARD, "P-6.2", "SIGSEGV"),
    ("exit_zero", CARD, "P-6.2", "exited with code 0"),
    ("leave_daemon", CARD, "P-6.2", "exited with code 1"),
    ("die_of_memory_error", CARD, "P-6.2", "used more memory than it may"),
    ("close_stdout", CARD, "P-6.2", "closed its stdout while it was still running"),
    ("long_line", CARD, "P-1.5", "a line longer than 65536 bytes"),
    ("babble", CARD, "P-1.4", "the first character is 'T'"),
    ("wrong_id", CARD, "P-4.4", "`$.id` is 1001"),
    ("no_id", CARD, "P-1.3", "`id`"),
    ("deep_json", CARD, "P-1.3", "`$.id`"),
    ("deep_action", CARD, "P-1.2", "nested too deeply"),
    ("bad_utf8", CARD, "P-1.1", "is not valid UTF-8"),
    ("not_json", CARD, "P-1.1", "double quotes, not single ones"),
    ("nan", CARD, "P-1.1", "NaN and Infinity do not exist"),
    ("huge_number", CARD, "P-4.2", "`$.choice` is a number of 400 digits"),
    ("unknown_field", CARD, "P-1.3", "`chioce`"),
    ("both", CARD, "P-4.2", "both `choice` and `action`"),
    ("neither", CARD, "P-4.2", "this one has neither"),
    ("empty_line", CARD, "P-1.1", "an empty line"),
    ("byte_order_mark", CARD, "P-1.1", "byte order mark"),
    ("choice_out_of_range", CARD, "P-4.2", "`$.choice` is 7, but `legal` has the indices 0 to 6"),
    ("negative_choice", CARD, "P-1.3", "`$.choice`"),
    ("card_not_in_hand", CARD, "", "illegal: "),
    ("nonsense_card", CARD, "", "malformed: "),
    ("another_kind", CARD, "", "illegal: "),
    ("long_note", CARD, "P-1.3", "`$.note`"),
    ("twice", "silence", "P-1.6", "spoke again after its answer"),
    ("twice_in_one_write", "silence", "P-1.6", "spoke again after its answer"),
    ("early", "silence", "P-1.6", "spoke again after its answer"),
    ("banner", "handshake", "P-1.4", "the first character is 'O'"),
    ("wrong_protocol", "handshake", "P-2.2", "the bot speaks protocol 2"),
    ("exit_at_once", "handshake", "P-2.2", "exited with code 3 before it was ready"),
    ("unknown_ready_field", "handshake", "P-1.3", "`nmae`"),
    ("windows_line_ends", "plain lines", "P-1.1", "lines end with CRLF"),
    ("flood_stderr", "log", "P-1.4", "bytes a game"),
]
ODD = [
    ("banner first", "start-up", "P-1.4", "spoke before `hello`: Otter 1.0"),
    ("byte order mark", "handshake", "P-1.1", "byte order mark"),
    ("over-eager", "silence", "P-1.6", "spoke after `ready` without being asked"),
    ("chatty", "silence", "P-1.6", "spoke again after its answer"),
    ("duplicate", "plain lines", "P-1.3", '"choice" is there twice in one object (bytes 8 and 19)'),
    ("duplicate inside", "plain lines", "P-1.3", '"card" is there twice'),
    ("base only", "spirits card", "P-6.2", "exited with code 1"),
    ("wants its arms", "spirits arm", "P-6.2", "exited with code 1"),
    ("no canoes", "base canoe", "P-6.2", "exited with code 1"),
    ("one card only", "base card", "P-6.2", "exited with code 1"),
    ("four seats", "seat counts", "P-6.2", "exited with code 1"),
    ("counts itself", "ids", "P-4.4", "an earlier question"),
    ("strict reader", "unknown fields", "P-6.2", "exited with code 1"),
    ("strict about events", "unknown kinds", "P-6.2", "exited with code 1"),
    ("short buffer", "long lines", "P-6.2", "exited with code 1"),
    ("argues", "rulings", "P-1.6", "spoke after a `ruling`"),
    ("one game only", "many games", "P-6.2", "exited with code 1"),
    ("hoards", "memory", "P-2.4", "grows from"),
    ("ponders", "idle", "P-5.5", "of a core while it is not asked"),
    ("colours", "log", "P-1.4", "control characters"),
    ("traceback", "log", "P-1.4", "logs an exception"),
    ("unseeded", "repeatable", "P-3.1", "chooses otherwise at decision"),
    ("exits with 5", "quit", "P-2.3", "ends with exit 5 after `quit`"),
    ("one game only", "self-play", "P-6.2", "crash: exited with code 1"),
]


def test_every_clause_that_is_cited_exists() -> None:
    text = (Path(__file__).parent.parent.parent / "protocol" / "README.md").read_text("utf-8")
    known = set(re.findall(r"\*\*(P-\d+\.\d+)\*\*", text))
    package = Path(conformance.__file__).parent
    cited = {
        clause
        for file in package.glob("*.py")
        for clause in re.findall(r"P-\d+\.\d+", file.read_text("utf-8"))
    }
    assert cited <= known
    assert {step.clause for step in STEPS} <= known | {"docs/bot-toml.md"}


def failure(results: list[Result]) -> Result:
    """Return the last result, which must be the only failed one and all before passed."""
    assert [r.verdict for r in results] == [Verdict.FAILED], results
    return results[-1]


@pytest.mark.parametrize(("kind", "step", "clause", "words"), ANIMALS, ids=lambda text: text)
def test_an_animal_fails_where_and_why_it_should(
    kind: str, step: str, clause: str, words: str, check_bot: CheckBot
) -> None:
    result = failure(check_bot(animal(kind), step=step, sizes=PATIENT))
    assert result.step == step
    assert words in result.detail
    assert not clause or result.clause == clause
    assert re.fullmatch(r"[PN]-\d+\.\d+", result.clause)


@pytest.mark.parametrize(("kind", "step", "clause", "words"), ODD, ids=lambda text: text)
def test_an_odd_bot_fails_where_and_why_it_should(
    kind: str, step: str, clause: str, words: str, check_bot: CheckBot
) -> None:
    result = failure(check_bot(odd(kind), step=step, sizes=PATIENT))
    assert result.step == step
    assert words in result.detail
    assert result.clause == clause
    assert result.hint


@pytest.mark.parametrize(
    ("bot", "step", "clock", "clause", "words"),
    [
        (animal("burn"), CARD, POOR, "P-5.2", "used more than the CPU time left"),
        (animal("stall"), CARD, HASTY, "P-5.3", "did not answer within 600 ms"),
        (animal("burn_in_threads"), CARD, POOR, "P-5.2", "used more than the CPU time left"),
        (animal("late"), CARD, HASTY, "P-5.3", "did not answer within 600 ms"),
        (animal("ignore_sigterm"), CARD, HASTY, "P-5.3", "did not answer within 600 ms"),
        (animal("close_stdin"), "ids", HASTY, "P-5.3", "did not answer within"),
        (animal("never_read"), CARD, HASTY, "P-5.3", "did not answer within 600 ms"),
        (animal("never_ready"), "handshake", EAGER, "P-2.2", "sent no `ready` within 500 ms"),
        (odd("slow"), "time", POOR, "P-5.2", "used more than the"),
    ],
    ids=[
        "burn",
        "stall",
        "burn_in_threads",
        "late",
        "ignore_sigterm",
        "close_stdin",
        "never_read",
        "never_ready",
        "slow",
    ],
)
def test_a_slow_bot_runs_out_of_time(
    bot: str, step: str, clock: Clock, clause: str, words: str, check_bot: CheckBot
) -> None:
    result = failure(check_bot(bot, step=step, clock=clock))
    assert words in result.detail
    assert result.clause == clause


def test_a_bot_that_needs_most_of_its_time_is_warned(check_bot: CheckBot) -> None:
    clock = Clock(bank_ms=500, increment_ms=0, wall_ms=60_000)
    sizes = structs.replace(SMALL, games=1, game_rounds=4)
    result = failure(check_bot(odd("slow"), step="time", clock=clock, sizes=sizes))
    assert result.duty is Duty.SHOULD
    assert re.search(r"p50 \d+\.\d\d ms, p99 \d+\.\d\d ms, worst \d+", result.detail)


def test_a_slow_start_is_warned_of(check_bot: CheckBot) -> None:
    sizes = structs.replace(SMALL, quick_ms=200)
    result = failure(check_bot(odd("slow start"), step="quick start", sizes=sizes))
    assert "is ready only after" in result.detail


def test_a_bot_that_does_not_quit_is_told(check_bot: CheckBot) -> None:
    result = failure(check_bot(odd("stays"), step="quit"))
    assert "is still running 2000 ms after `quit`" in result.detail
    result = failure(check_bot(odd("outlives its stdin"), step="hang-up"))
    assert "after the end of its stdin" in result.detail


def test_a_flood_of_lines_is_noticed_however_it_is_cut(check_bot: CheckBot) -> None:
    result = failure(check_bot(animal("many_lines"), step="silence", sizes=PATIENT))
    assert re.search(r"lines in a game that nobody asked for|spoke again after", result.detail)


def test_a_program_of_another_kind_of_machine_is_told(check_bot: CheckBot, tmp_path: Path) -> None:
    (tmp_path / "bot").write_bytes(b"\x7fELF" + bytes(200))
    (tmp_path / "bot").chmod(0o755)
    (tmp_path / "bot.toml").write_text('name = "alien"\nrun = "./bot"\n')
    result = failure(check_bot(str(tmp_path), step="start-up"))
    assert result.clause in ("P-2.1", "P-2.3")


def test_a_memory_hog_is_named_as_such(check_bot: CheckBot, tmp_path: Path) -> None:
    directory = tmp_path / "hog"
    directory.mkdir()
    (directory / "animal.py").write_bytes(
        (Path(__file__).parent.parent / "zoo/animal.py").read_bytes()
    )
    (directory / "bot.toml").write_text(
        'name = "hog"\nrun = "python3 animal.py hog_memory 1"\n[limits]\nmemory_mb = 100\n'
    )
    result = failure(check_bot(str(directory), step=CARD))
    assert "memory" in result.detail.lower()


def test_the_first_failed_must_ends_the_check_and_a_failed_should_does_not(
    check_bot: CheckBot,
) -> None:
    results = check_bot(odd("strict reader"))
    names = [step.name for step in STEPS]
    assert [r.step for r in results] == names[: names.index("unknown fields") + 1]
    assert [r.verdict for r in results if r.duty is Duty.MUST][-1] is Verdict.FAILED
    assert not passed(results)


@pytest.mark.parametrize(
    ("kind", "step"), [("no canoes", "base canoe"), ("one card only", "base card")]
)
def test_a_failure_is_that_of_the_kind_that_was_asked(
    kind: str, step: str, check_bot: CheckBot
) -> None:
    results = check_bot(odd(kind))
    assert results[-1].step == step
    assert results[-1].verdict is Verdict.FAILED
    asked = step.split()[1]
    assert f'"kind":"{asked}"' in results[-1].evidence.request


def test_a_bot_that_fails_at_one_kind_can_pass_another(check_bot: CheckBot) -> None:
    (result,) = check_bot(odd("no canoes"), step="base weather")
    assert result.verdict is Verdict.PASSED


def test_a_failure_shows_request_reply_and_log(check_bot: CheckBot) -> None:
    evidence = failure(check_bot(animal("crash"), step=CARD)).evidence
    assert evidence.request.startswith('{"type":"decide","id":1,"kind":"card"')
    assert evidence.reply == ""
    assert evidence.stderr.rstrip().endswith("RuntimeError: the crasher crashes")
    evidence = failure(check_bot(animal("exit_at_once"), step="handshake")).evidence
    assert evidence.request.startswith('{"type":"hello"')
    assert evidence.stderr == "cannot find my opening book\n"
    evidence = failure(check_bot(animal("nan"), step=CARD)).evidence
    assert evidence.reply == '{"id":1,"choice":NaN}'
    evidence = failure(check_bot(odd("one game only"), step="self-play")).evidence
    assert '"type":"decide"' in evidence.request
    assert "I have played already" in evidence.stderr


@pytest.mark.parametrize("kind", ["spell_out", "echo_legal", "split_utf8", "good_note"])
def test_an_unusual_but_right_bot_passes(kind: str, check_bot: CheckBot) -> None:
    for step in (CARD, "seat counts", "self-play"):
        (result,) = check_bot(animal(kind), step=step)
        assert result.verdict is Verdict.PASSED, result


@pytest.mark.parametrize(
    "reference",
    [*(f"@{name}" for name in bundled_bots()), *map(str, starter_kits().values())],
    ids=lambda text: Path(text).name,
)
def test_every_bundled_bot_and_kit_passes_in_the_cage(
    reference: str, check_bot: CheckBot, caged: Backend
) -> None:
    results = check_bot(reference, backend=caged)
    assert len(results) == len(STEPS)
    assert [r for r in results if r.verdict is Verdict.FAILED] == []
