from __future__ import annotations

import pytest

from niagara_arena.wire.session import FROM_BOT, TABLE, Phase, Session


def test_a_whole_life_goes_through_the_table() -> None:
    session = Session()
    for message in ("hello", "ready", "start", "decide", "act", "decide", "ruling", "end", "quit"):
        session.move(message)
    assert session.phase is Phase.GONE


def test_a_message_out_of_place_is_a_bug_of_ours() -> None:
    session = Session()
    with pytest.raises(AssertionError, match="no decide in state launched"):
        session.move("decide")
    assert session.phase is Phase.LAUNCHED


def test_a_bot_may_speak_only_when_it_was_greeted_or_asked() -> None:
    speaking = {phase for phase, message in TABLE if message in FROM_BOT}
    assert speaking == {Phase.GREETED, Phase.ASKED}


def test_every_phase_can_be_reached_and_only_the_last_one_is_final() -> None:
    reached = {Phase.LAUNCHED} | set(TABLE.values())
    assert reached == set(Phase)
    assert {phase for phase, _ in TABLE} == set(Phase) - {Phase.GONE}
