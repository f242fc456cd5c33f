from __future__ import annotations

import hashlib

import pytest

from niagara_arena.errors import InputError, RulesError
from niagara_arena.records import Fault, Played, Retired, Sanction, Standing, Void
from niagara_arena.referee import Answer, Ask, Done, FaultReport, Referee, Request, Tell
from niagara_arena.rules import observe
from niagara_arena.wire.messages import Act, Decide, End, Ruling, Start, arena_decoder
from tests.referee.games import Player, drive, first, header, settings


def faulty(seat: int, fault: Fault, times: int = 99, after: int = 0) -> Player:
    """Return a player who, in one seat, commits a fault so many times."""
    count = [0, 0]

    def player(request: Request) -> Answer:
        if request.seat == seat:
            count[1] += 1
            if count[1] > after and count[0] < times:
                count[0] += 1
                return Answer(seat, None, FaultReport(fault, "test", "did wrong [P-0]"), 5, 6, 7)
        return first(request)

    return player


@pytest.mark.parametrize(("rules", "seats"), [("base", 3), ("base", 5), ("spirits", 6)])
def test_every_message_of_a_game_fits_its_type(rules: str, seats: int) -> None:
    under = settings("standard", {"rules": rules, "max_rounds": 6})
    done, sent = drive(Referee(header(under, seats), [0] * seats))
    assert done.end.reason == "max_rounds"
    for seat in range(seats):
        messages = [arena_decoder.decode(line) for line in sent[seat]]
        assert isinstance(messages[0], Start)
        assert isinstance(messages[-1], End)
        assert messages[0].seat == seat
        asked = [m for m in messages if isinstance(m, Decide)]
        assert [m.id for m in asked] == list(range(1, len(asked) + 1))
        assert {m.observation.seat for m in asked} == {seat}
        assert all(len(m.legal) > 1 for m in asked)


def test_the_same_answers_give_the_same_bytes() -> None:
    runs = [drive(Referee(header(), [0, 0, 0])) for _ in range(2)]
    assert runs[0] == runs[1]


def test_in_the_secret_phase_all_seats_are_asked_at_once() -> None:
    referee = Referee(header(), [0, 0, 0])
    referee.next_step()
    step = referee.next_step()
    assert isinstance(step, Ask)
    assert [(r.seat, r.kind) for r in step.requests] == [(0, "card"), (1, "card"), (2, "card")]
    assert {r.wall_ms for r in step.requests} == {15_000}


def test_nothing_of_a_secret_answer_shows_in_what_others_are_sent() -> None:
    def lines(choice: int) -> list[bytes]:
        """Return what seat 2 is sent up to seat 0's turn, when seat 0 chooses so."""
        referee = Referee(header(), [0, 0, 0])
        sent = []
        for _ in range(2):
            step = referee.next_step()
            if isinstance(step, Tell):
                sent += [line for seat, line in step.messages if seat == 2]
            elif isinstance(step, Ask):
                sent += [request.line for request in step.requests if request.seat == 2]
        acts = [Act(1, choice=choice), Act(1, choice=0), Act(1, choice=0)]
        referee.answer([Answer(seat, act, None) for seat, act in enumerate(acts)])
        return sent

    assert lines(0) == lines(3)


def test_the_clock_adds_the_increment_and_takes_what_was_used() -> None:
    _, sent = drive(Referee(header(), [0, 0, 0]))
    banks = [
        message.clock.bank_ms
        for line in sent[0]
        if isinstance(message := arena_decoder.decode(line), Decide) and message.clock
    ]
    assert banks == [5_000 + 20 * (n + 1) - n for n in range(len(banks))]


def test_with_the_clock_off_none_is_sent_and_none_is_charged() -> None:
    under = settings("standard", {"max_rounds": 2, "clock": {"mode": "off"}})

    def slow(request: Request) -> Answer:
        answer = first(request)
        answer.cpu_us = answer.wall_us = 10**12
        return answer

    done, sent = drive(Referee(header(under), [0, 0, 0]), slow)
    assert done.end.rulings == ()
    asked = [m for line in sent[1] if isinstance(m := arena_decoder.decode(line), Decide)]
    assert {m.clock for m in asked} == {None}


def test_an_answer_that_used_more_than_the_bank_is_a_timeout() -> None:
    def slow(request: Request) -> Answer:
        answer = first(request)
        if request.seat == 1:
            answer.cpu_us = 6_000_000
        return answer

    done, _ = drive(Referee(header(), [0, 0, 0]), slow)
    rulings = [r for r in done.end.rulings if r.seat == 1]
    assert [(r.fault, r.detail) for r in rulings] == [(Fault.TIMEOUT, "cpu")] * 3
    assert done.end.verdicts[1].standing is Standing.FORFEITED


@pytest.mark.parametrize("fault", [Fault.ILLEGAL, Fault.MALFORMED, Fault.TIMEOUT])
def test_a_lesser_fault_plays_the_first_legal_action_and_tells_the_bot(fault: Fault) -> None:
    player = faulty(1, fault, times=1)
    done, sent = drive(Referee(header(), [0, 0, 0]), player)
    clean, _ = drive(Referee(header(), [0, 0, 0]))
    [ruling] = done.end.rulings
    assert (ruling.fault, ruling.sanction, ruling.seat) == (fault, Sanction.DEFAULT, 1)
    told = [m for line in sent[1] if isinstance(m := arena_decoder.decode(line), Ruling)]
    assert [(m.fault, m.faults_left, m.id) for m in told] == [(fault.value, 2, 1)]
    assert done.end.verdicts[1].standing is Standing.FINISHED
    assert done.end.verdicts[1].faults == 1
    played = [a for page in done.rounds for a in page.acts if isinstance(a, Played)]
    same = [a for page in clean.rounds for a in page.acts if isinstance(a, Played)]
    assert [(a.seat, a.action) for a in played] == [(a.seat, a.action) for a in same]
    assert [a.fault for a in played if a.fault] == [fault.value]


def test_the_third_lesser_fault_retires() -> None:
    player = faulty(1, Fault.ILLEGAL)
    done, sent = drive(Referee(header(), [0, 0, 0]), player)
    sanctions = [r.sanction for r in done.end.rulings]
    assert sanctions == [Sanction.DEFAULT, Sanction.DEFAULT, Sanction.RETIRE]
    assert done.end.placings[1] == 3
    verdict = done.end.verdicts[1]
    assert (verdict.standing, verdict.fault, verdict.faults) == (
        Standing.FORFEITED,
        Fault.ILLEGAL,
        3,
    )
    assert not isinstance(arena_decoder.decode(sent[1][-1]), End)


@pytest.mark.parametrize("fault", [Fault.CRASH, Fault.MEMORY, Fault.FLOOD])
def test_a_grave_fault_retires_at_once(fault: Fault) -> None:
    player = faulty(2, fault, after=1)
    done, _ = drive(Referee(header(), [0, 0, 0]), player)
    [ruling] = done.end.rulings
    assert ruling.sanction is Sanction.RETIRE
    retired = [a for page in done.rounds for a in page.acts if isinstance(a, Retired)]
    assert retired == [Retired((2,))]


def test_seats_that_fall_in_one_step_share_a_place_and_the_last_one_wins() -> None:
    def player(request: Request) -> Answer:
        if request.seat:
            return Answer(request.seat, None, FaultReport(Fault.CRASH, "exit 1", "died"))
        return first(request)

    done, sent = drive(Referee(header(), [0, 0, 0]), player)
    assert done.end.reason == "last_seat"
    assert done.end.winners == (0,)
    assert done.end.placings == (1, 2, 2)
    assert isinstance(arena_decoder.decode(sent[0][-1]), End)


def test_when_all_fall_nobody_wins() -> None:
    def player(request: Request) -> Answer:
        return Answer(request.seat, None, FaultReport(Fault.CRASH, "exit 1", "died"))

    done, _ = drive(Referee(header(), [0, 0, 0]), player)
    assert (done.end.reason, done.end.winners) == ("deserted", ())
    assert done.end.placings == (1, 1, 1)


def test_a_seat_that_never_started_is_retired_before_the_first_question() -> None:
    absent = {1: FaultReport(Fault.STARTUP, "exit 3", "exited with code 3 before it was ready")}
    done, sent = drive(Referee(header(), [0, 0, 0], absent))
    assert 1 not in sent
    assert done.rounds[0].acts[0] == Retired((1,))
    assert done.end.verdicts[1].fault is Fault.STARTUP


def test_a_void_game_blames_nobody_and_tells_those_who_are_there() -> None:
    referee = Referee(header(), [0, 0, 0])
    referee.next_step()
    referee.next_step()
    referee.void(Void.HOST, "the machine was too busy")
    done, sent = drive(referee)
    assert (done.end.reason, done.end.void, done.end.placings) == ("void", Void.HOST, ())
    assert {v.standing for v in done.end.verdicts} == {Standing.VOID}
    assert all(isinstance(arena_decoder.decode(lines[-1]), End) for lines in sent.values())


def test_the_stream_hash_is_of_what_was_sent() -> None:
    referee = Referee(header(), [0, 0, 0])
    _, sent = drive(referee)
    for seat, digest in enumerate(referee.stream_hashes()):
        assert digest == hashlib.sha256(b"".join(sent[seat])).hexdigest()


def test_ids_go_on_where_the_last_game_of_the_process_ended() -> None:
    referee = Referee(header(), [10, 0, 5])
    _, sent = drive(referee)
    asked = [m for line in sent[0] if isinstance(m := arena_decoder.decode(line), Decide)]
    assert asked[0].id == 11
    assert referee.first_ids() == (11, 1, 6)


def test_a_game_can_start_from_a_position() -> None:
    source = Referee(header(), [0, 0, 0])
    position = None
    while not isinstance(step := source.next_step(), Done):
        if isinstance(step, Ask):
            if source.state.round == 3 and position is None:
                position = observe(source.state, 0)["position"]
            source.answer([first(request) for request in step.requests])
    done, sent = drive(Referee(header(position=position), [0, 0, 0]))
    start = arena_decoder.decode(sent[0][0])
    assert isinstance(start, Start)
    assert start.position.round == 3
    assert done.rounds[0].round == 3
    whole = [page for page in step.rounds if page.round >= 3]
    assert list(done.rounds) == whole


def test_a_position_of_another_game_is_refused() -> None:
    position = observe(Referee(header(seats=4), [0] * 4).state, 0)["position"]
    with pytest.raises(RulesError, match="another ruleset or seat count"):
        Referee(header(position=position), [0, 0, 0])


def test_names_are_told_only_when_the_settings_say_so() -> None:
    for names, told in ((False, None), (True, ["bot0", "bot1", "bot2"])):
        under = settings("standard", {"max_rounds": 1, "names": names})
        _, sent = drive(Referee(header(under), [0, 0, 0]))
        start = arena_decoder.decode(sent[0][0])
        assert isinstance(start, Start)
        assert start.names == told


BAD_SETTINGS: tuple[tuple[dict[str, object], str, str | None], ...] = (
    ({"clock": {"bank_sm": 5}}, "no setting `clock.bank_sm`", "did you mean `clock.bank_ms`"),
    ({"clocks": {}}, "no setting `clocks`", "did you mean `clock`"),
    ({"clock": {"mode": "sundial"}}, "`clock.mode` is cpu or wall or off", None),
    ({"clock": {"bank_ms": "long"}}, "settings: Expected `int`", "niagara docs settings"),
    ({"clock": {"bank_ms": 0}}, "`clock.bank_ms` is from 1", None),
    ({"sanctions": {"crash": "forgive"}}, "settings: Invalid enum value", "niagara docs settings"),
    ({"sanctions": {"faults": 0}}, "`sanctions.faults` is from 1", None),
)


@pytest.mark.parametrize(("changes", "words", "hint"), BAD_SETTINGS)
def test_a_bad_setting_is_refused_with_what_was_meant(
    changes: dict[str, object], words: str, hint: str | None
) -> None:
    with pytest.raises(InputError) as refusal:
        settings("standard", changes)
    assert words in refusal.value.message
    assert (hint or "") in (refusal.value.hint or "")


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(InputError, match="unknown profile `harsh`"):
        settings("harsh")
