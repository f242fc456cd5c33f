from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niagara_arena import rules
from niagara_arena.errors import InputError
from niagara_arena.records import (
    GameRecord,
    Measured,
    Played,
    Retired,
    Sanction,
    Settings,
    Standing,
    Void,
)
from niagara_arena.replay import Mismatch, encode, position_at, replay, verify, verify_bytes
from niagara_arena.replay.requests import rebuild
from tests.replay import games

replaced = msgspec.structs.replace

GAMES: list[tuple[str, int, int, dict[str, Any]]] = [
    ("base", 3, 1, {}),
    ("base", 4, 5, {"faulty": True}),
    ("base", 5, 2, {"faulty": True}),
    ("base", 3, 4, {"opening": 6}),
    ("spirits", 3, 1, {"faulty": True, "opening": 3}),
    ("spirits", 6, 19, {"faulty": True}),
    ("spirits", 4, 8, {"faulty": True, "mode": "wall"}),
    ("base", 4, 9, {"mode": "off", "absent": (1, 3)}),
    ("base", 3, 9, {"absent": (0, 1, 2)}),
]


@pytest.mark.parametrize(("ruleset", "seats", "seed", "more"), GAMES)
def test_a_true_record_verifies(ruleset: str, seats: int, seed: int, more: dict[str, Any]) -> None:
    record = games.record(ruleset, seats, seed, **more)
    assert verify(record) is None
    assert verify_bytes(encode(record)) is None


def test_the_games_above_have_faults_of_both_kinds() -> None:
    rulings = [
        ruling
        for ruleset, seats, seed, more in GAMES
        for ruling in games.record(ruleset, seats, seed, **more).end.rulings
    ]
    assert {ruling.sanction for ruling in rulings} == set(Sanction)
    assert {ruling.fault for ruling in rulings} == set(games.SENTENCES)


BASE = games.record("base", 3, 1)
FAULTY = games.record("base", 5, 2, faulty=True)


def with_end(record: GameRecord, **changes: Any) -> GameRecord:
    return replaced(record, end=replaced(record.end, **changes))


def with_header(record: GameRecord, **changes: Any) -> GameRecord:
    return replaced(record, header=replaced(record.header, **changes))


def with_act(record: GameRecord, line: int, index: int, *acts: Played | Retired) -> GameRecord:
    """Put acts in the place of one."""
    rounds = list(record.rounds)
    old = rounds[line].acts
    rounds[line] = replaced(rounds[line], acts=(*old[:index], *acts, *old[index + 1 :]))
    return replaced(record, rounds=tuple(rounds))


def untimed(record: GameRecord) -> GameRecord:
    return replaced(record, measured=replaced(record.measured, cpu_us=(), wall_us=(), wait_us=()))


def spelled(action: bytes) -> Played:
    return replaced(first(BASE), action=msgspec.Raw(action))


def first(record: GameRecord) -> Played:
    act = record.rounds[0].acts[0]
    assert isinstance(act, Played)
    return act


def fault_of(record: GameRecord) -> tuple[int, int, Played]:
    """Return where the first default action stands."""
    return next(
        (line, index, act)
        for line, row in enumerate(record.rounds)
        for index, act in enumerate(row.acts)
        if isinstance(act, Played) and act.fault
    )


def another(record: GameRecord) -> GameRecord:
    """Play something legal, but not the first action, for a seat with a fault."""
    line, index, act = fault_of(record)
    before = record.rounds[0].acts[0]
    assert before is not act
    state = next(
        moment.state
        for moment, later in zip(replay(record), list(replay(record))[1:], strict=False)
        if later.act is act
    )
    other = rules.action_to_json(rules.legal(state, act.seat)[-1])
    return with_act(
        record, line, index, replaced(act, action=msgspec.Raw(msgspec.json.encode(other)))
    )


def retirement(record: GameRecord) -> tuple[int, int]:
    return next(
        (line, index)
        for line, row in enumerate(record.rounds)
        for index, act in enumerate(row.acts)
        if isinstance(act, Retired)
    )


ALTERED: dict[str, tuple[Callable[[], GameRecord], str]] = {
    "an-illegal-card": (
        lambda: with_act(BASE, 0, 0, spelled(b'{"card":"7"}')),
        "round 1, act 0: seat",
    ),
    "an-action-of-another-kind": (
        lambda: with_act(BASE, 0, 0, spelled(b'{"weather":1}')),
        "round 1, act 0: seat",
    ),
    "a-misspelled-action": (
        lambda: with_act(BASE, 0, 0, spelled(b'{"card": "4"}')),
        'round 1, act 0: {"card": "4"} is not the canonical spelling',
    ),
    "an-action-that-is-none": (
        lambda: with_act(BASE, 0, 0, spelled(b'{"jump":1}')),
        "round 1, act 0: $: an action needs one of the keys",
    ),
    "a-seat-that-is-not-asked": (
        lambda: with_act(BASE, 0, 0, first(BASE), first(BASE)),
        "round 1, act 1: seat",
    ),
    "an-act-left-out": (lambda: with_act(BASE, 0, 0), "round 1, act "),
    "a-round-left-out": (lambda: replaced(BASE, rounds=BASE.rounds[1:]), "round 2, act 0: "),
    "rounds-in-disorder": (
        lambda: replaced(BASE, rounds=(BASE.rounds[0], BASE.rounds[0])),
        "round 1: the rounds are not in order",
    ),
    "a-game-cut-short": (
        lambda: untimed(replaced(BASE, rounds=BASE.rounds[:-1])),
        "end: the game is not over",
    ),
    "another-start": (
        lambda: with_header(BASE, position=position_at(BASE, 2)),
        "round 1, act 0: the game is in round 2 there",
    ),
    "a-position-of-other-rules": (
        lambda: with_header(BASE, position=position_at(games.record("spirits", 3, 1), 1)),
        "game: $.rules: the position is of another ruleset or seat count",
    ),
    "rules-for-fewer-seats": (
        lambda: with_header(BASE, seats=BASE.header.seats[:2]),
        "game: base is played by 3 to 5 seats, not 2 [N-2.1]",
    ),
    "another-reason": (lambda: with_end(BASE, reason="deserted"), "end.reason: recorded"),
    "another-winner": (
        lambda: with_end(BASE, winners=(0, 1, 2)),
        "end.winners: recorded [0, 1, 2]",
    ),
    "other-placings": (lambda: with_end(BASE, placings=(9, 9, 9)), "end.placings: recorded"),
    "other-rounds": (lambda: with_end(BASE, rounds=99), "end.rounds: recorded 99"),
    "a-void-verdict": (
        lambda: with_end(
            BASE, verdicts=(replaced(BASE.end.verdicts[0], standing=Standing.VOID),) * 3
        ),
        "end.verdicts[0]: recorded void with 0 faults, by the rulings finished with 0 faults",
    ),
    "a-verdict-missing": (
        lambda: with_end(BASE, verdicts=BASE.end.verdicts[:2]),
        "end.verdicts: 2 for 3 seats",
    ),
    "a-void-game-with-placings": (
        lambda: with_end(BASE, reason="void", void=Void.HOST),
        "end.placings: a void game has no winners",
    ),
    "void-without-a-cause": (
        lambda: with_end(BASE, reason="void", winners=(), placings=()),
        "end.void: `reason` and `void` must both say",
    ),
    "a-ruling-without-an-act": (
        lambda: with_end(
            FAULTY,
            rulings=(*FAULTY.end.rulings, replaced(FAULTY.end.rulings[0], decision=10_000)),
        ),
        f"end.rulings[{len(FAULTY.end.rulings)}]: no act of the game follows from it",
    ),
    "a-fault-without-a-ruling": (
        lambda: with_end(FAULTY, rulings=FAULTY.end.rulings[1:]),
        "round ",
    ),
    "a-free-act-under-a-ruling": (
        lambda: with_act(FAULTY, *fault_of(FAULTY)[:2], replaced(fault_of(FAULTY)[2], fault="")),
        "round ",
    ),
    "another-fault-than-ruled": (
        lambda: with_act(
            FAULTY, *fault_of(FAULTY)[:2], replaced(fault_of(FAULTY)[2], fault="flood")
        ),
        "round ",
    ),
    "a-default-that-is-not-the-first-action": (lambda: another(FAULTY), "round "),
    "a-milder-sanction": (
        lambda: with_end(
            FAULTY,
            rulings=tuple(replaced(r, sanction=Sanction.DEFAULT) for r in FAULTY.end.rulings),
        ),
        "",
    ),
    "a-seat-that-never-left": (lambda: with_act(FAULTY, *retirement(FAULTY)), ""),
    "other-seats-left": (
        lambda: with_act(FAULTY, *retirement(FAULTY), Retired((0, 1, 2))),
        "round ",
    ),
    "a-seat-that-is-not-there-left": (
        lambda: with_act(FAULTY, *retirement(FAULTY), Retired((7,))),
        "round ",
    ),
    "a-clock-that-does-not-exist": (
        lambda: with_header(BASE, settings=msgspec.convert({"clock": {"mode": "sun"}}, Settings)),
        "game: `clock.mode` is cpu or wall or off, not `sun`",
    ),
    "other-times": (
        lambda: replaced(
            BASE, measured=replaced(BASE.measured, cpu_us=(1,) * len(BASE.measured.cpu_us))
        ),
        "measured.streams[0]: what the seat was sent can't be rebuilt",
    ),
    "another-seed": (
        lambda: with_header(
            BASE, seats=(*BASE.header.seats[:2], replaced(BASE.header.seats[2], seed=99))
        ),
        "measured.streams[2]: what the seat was sent can't be rebuilt",
    ),
    "time-that-was-not-there": (
        lambda: replaced(
            BASE, measured=replaced(BASE.measured, cpu_us=(10**8, *BASE.measured.cpu_us[1:]))
        ),
        "decision 0: the record has no such fault of seat 0: used more than the cpu time",
    ),
    "times-of-other-decisions": (
        lambda: replaced(BASE, measured=replaced(BASE.measured, cpu_us=(1,))),
        "measured.cpu_us: it has 1 of",
    ),
    "logs-of-other-seats": (
        lambda: replaced(BASE, measured=replaced(BASE.measured, stderr=("",))),
        "measured.stderr: it has another number of seats",
    ),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_record_is_found_out(name: str) -> None:
    alter, message = ALTERED[name]
    record = alter()
    found = verify(record)
    assert isinstance(found, Mismatch)
    assert str(found).startswith(message)


def test_a_void_game_that_broke_off_verifies() -> None:
    verdicts = tuple(replaced(v, standing=Standing.VOID) for v in BASE.end.verdicts)
    record = with_end(
        untimed(replaced(BASE, rounds=BASE.rounds[:2])),
        reason="void",
        void=Void.INTERRUPT,
        winners=(),
        placings=(),
        rounds=3,
        verdicts=verdicts,
    )
    assert verify(record) is None


def test_lines_that_are_written_otherwise_are_found_out() -> None:
    data = encode(BASE).replace(b'"round":1,', b'"round": 1,')
    found = verify_bytes(data)
    assert found is not None
    assert found.where == "bytes"


def test_a_record_of_other_rules_is_refused() -> None:
    with pytest.raises(InputError, match="played by niagara-rules-0"):
        verify(with_header(BASE, rules_version="niagara-rules-0"))


def test_positions_at_the_start_of_each_round() -> None:
    for number in range(1, BASE.end.rounds + 1):
        position = position_at(BASE, number)
        assert position["round"] == number
        rules.start_from(position)
    later = games.record("base", 3, 4, opening=6)
    assert position_at(later, 7) == later.header.position


@pytest.mark.parametrize("number", [0, BASE.end.rounds + 1])
def test_a_round_that_was_not_played_has_no_position(number: int) -> None:
    with pytest.raises(InputError, match=f"has no round {number}"):
        position_at(BASE, number)


def test_a_faulty_game_without_its_times_still_verifies_by_the_rules() -> None:
    bare = replaced(untimed(FAULTY), measured=Measured())
    assert verify(bare) is None


@pytest.mark.parametrize(("ruleset", "seats", "seed", "more"), GAMES)
def test_every_byte_that_a_seat_was_sent_is_rebuilt(
    ruleset: str, seats: int, seed: int, more: dict[str, Any]
) -> None:
    game = games.played(ruleset, seats, seed, **more)
    rebuilt = rebuild(game.record)
    assert [[sent.line for sent in stream] for stream in rebuilt.streams] == game.lines
    assert rebuilt.hashes == game.record.measured.streams


def test_a_rebuilt_question_knows_what_was_answered() -> None:
    stream = rebuild(FAULTY).streams[fault_of(FAULTY)[2].seat]
    assert [sent.number for sent in stream][:2] == [
        0,
        FAULTY.measured.first_ids[fault_of(FAULTY)[2].seat],
    ]
    faults = [sent for sent in stream if sent.ruling is not None]
    assert faults
    for sent in stream:
        message = msgspec.json.decode(sent.line)
        assert (message["type"] == "decide") is bool(sent.number)
        if sent.number and sent.played:
            entries = [
                {key: value for key, value in entry.items() if key != "result"}
                for entry in message["legal"]
            ]
            assert msgspec.json.decode(sent.played) in entries


SMALL = [
    json.loads(line)
    for line in encode(games.record("spirits", 3, 3, faulty=True, max_rounds=3, opening=2)).split(
        b"\n"
    )
    if line
]
NASTY: list[object] = [
    None,
    -1,
    0,
    1,
    99,
    2**40,
    2**70,
    0.5,
    "",
    "x",
    "base",
    True,
    [],
    {},
    [0, 1],
    [[]],
    {"a": 1},
]


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of everything inside a JSON value."""
    items: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@settings(max_examples=150)
@given(st.sampled_from(list(places(SMALL))), st.sampled_from(NASTY), st.booleans())
def test_no_altered_record_makes_the_audit_fall_over(
    path: tuple[str | int, ...], value: object, remove: bool
) -> None:
    """Whatever stands in a record, the audit proves it, names a difference, or refuses it."""
    document: Any = copy.deepcopy(SMALL)
    inside = document
    for key in path[:-1]:
        inside = inside[key]
    if remove:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    lines = [json.dumps(line, separators=(",", ":")) for line in document]
    try:
        verify_bytes("".join(f"{line}\n" for line in lines).encode())
    except InputError:
        return
