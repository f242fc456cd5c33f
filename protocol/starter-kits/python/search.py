"""Shows how to search with the arena's own rules: tries every card and plays the round out.

`niagara_arena.rules` is pure Python and can be imported in the cage. It answers what is legal, and
what follows: a state goes in, a new state comes out. Switch the search on with the parameter
`search` of bot.toml, or delete this file and its two lines in bot.py.
"""

import json

import arena

try:
    from niagara_arena import rules
except ImportError:  # outside the arena, as under a debugger
    rules = None


def available():
    """Say whether the rules can be searched with; log it if not."""
    if rules is None:
        arena.log("no search: niagara_arena.rules can't be imported; set PYTHONPATH to where it is")
    return rules is not None


def choose_card(decision, score_canoe):
    """Return the index of the card after which the round ends best, over some samples."""
    seat = decision.game.seat
    chance = decision.game.random
    now = rules.from_observation(decision.observation)  # what others will choose is still open
    cards = rules.legal(now, seat)  # in the order of decision.legal
    totals = [0.0] * len(cards)
    samples = 0
    while samples < 20 and not decision.out_of_time():
        for index, card in enumerate(cards):
            state = rules.apply(now, seat, card).state
            totals[index] += play_round(state, seat, chance, score_canoe)
        samples += 1
    decision.note = f"{samples} samples"
    return max(range(len(cards)), key=totals.__getitem__)


def play_round(state, seat, chance, score_canoe):
    """Play until the next round, others at random, and say what it has brought us."""
    this_round = state.round
    while not state.over and state.round == this_round:
        actor, kind = rules.pending(state)[0]
        actions = rules.legal(state, actor)
        action = chance.choice(actions)
        if actor == seat and kind == "canoe":
            bank = rules.observe(state, seat)["position"]["players"][seat]["bank"]
            results = [entry["result"] for entry in json.loads(rules.legal_text(state, seat))]
            best = max(range(len(actions)), key=lambda i: score_canoe(results[i], bank))
            action = actions[best]
        state = rules.apply(state, actor, action).state
    if state.over:
        return 1000 if seat in rules.outcome(state).winners else -1000
    return value(rules.observe(state, seat)["position"]["players"][seat], score_canoe)


def value(me, score_canoe):
    """Say how good it is to begin a round like this."""
    bank = me["bank"]
    worth = 40 * sum(bank.values()) + 20 * len(bank)  # five colours, four of one, or seven gems
    for canoe in me["canoes"]:
        here = {"at": canoe["at"], "cargo": canoe["cargo"], "banked": []}
        worth += score_canoe({**here, "lost": canoe["at"] == "lost"}, bank)
    return worth
