"""The expansion as a ruleset: the base game's stages with its own among them [N-7]."""

from __future__ import annotations

from typing import Final

from niagara_arena.rules.base import NUMBER_PLAY, open_cloud, weather_menus
from niagara_arena.rules.components import CLOUD, HIGHEST_NUMBER, LASSO, ONE_TWO_THREE
from niagara_arena.rules.river import check_winners, next_round
from niagara_arena.rules.spirits.animals import (
    moose_of_removed,
    moose_returns,
    perform_weather_with_beaver,
)
from niagara_arena.rules.spirits.cards import (
    CAPACITIES,
    arm_menus,
    canoe_menus,
    moose_menus,
    open_lasso,
    open_one_two_three,
    perform_arm,
    perform_canoe,
    perform_moose,
    return_canoes,
)
from niagara_arena.rules.spirits.whirlpool import flow
from niagara_arena.rules.state import AT_PLACE, CardPlay, Question, Ruleset

_GEMS_A_PLACE: Final = {3: 6, 4: 7, 5: 7, 6: 8}

SPIRITS: Final = Ruleset(
    name="spirits",
    seat_counts=range(3, 7),
    deck=(1, 2, 3, 4, 5, 6, 7, CLOUD, LASSO, ONE_TWO_THREE),
    capacities=CAPACITIES,
    interchangeable=False,
    gems_a_place=_GEMS_A_PLACE.__getitem__,
    extras=(3, 0, AT_PLACE),
    cards=dict.fromkeys(range(1, HIGHEST_NUMBER + 1), NUMBER_PLAY)
    | {
        CLOUD: CardPlay(open_cloud, "weather"),
        LASSO: CardPlay(open_lasso, "moose"),
        ONE_TWO_THREE: CardPlay(open_one_two_three, "canoe"),
    },
    questions={
        "canoe": Question(canoe_menus, perform_canoe),
        "weather": Question(weather_menus, perform_weather_with_beaver),
        "moose": Question(moose_menus, perform_moose),
        "arm": Question(arm_menus, perform_arm),
    },
    closing=(check_winners, flow, moose_returns, return_canoes, next_round),
    on_removed=moose_of_removed,
)
