//! Plays by a plan: knows from every space, with every hand, how many gems a canoe brings home.

mod arena;
mod json;
mod plan;
mod river;

use arena::{Decision, Game};
use json::Json;
use plan::{Plan, Speeds};
use river::{JETTY, LOST};

const GEMS: [&str; 5] = ["amethyst", "diamond", "amber", "sapphire", "ruby"];
const DECK: [&str; 10] = ["1", "2", "3", "4", "5", "6", "cloud", "7", "lasso", "123"];
const BASE_DECK: usize = 7;

type Bank = [i64; 5];

fn gem(name: &str) -> usize {
    GEMS.iter().position(|gem| *gem == name).unwrap_or(0)
}

fn gems(list: &Json) -> Vec<usize> {
    list.items().iter().map(|name| gem(name.text())).collect()
}

fn counts(bank: &Json) -> Bank {
    let mut out = [0; 5];
    for (name, number) in bank.members() {
        out[gem(name)] = number.integer();
    }
    out
}

/// How near a bank is to winning: each of the three sets counts more the less it misses [N-5.1].
fn potential(bank: &Bank) -> f64 {
    let total: i64 = bank.iter().sum();
    let most = bank.iter().copied().max().unwrap_or(0);
    let missing = bank.iter().filter(|number| **number == 0).count() as i64;
    if missing == 0 || most >= 4 || total >= 7 {
        return 200.0;
    }
    let near = |missing: i64| 0.5f64.powi(missing as i32);
    6.0 * total as f64 + 30.0 * (near(missing) + near(4 - most) + near(7 - total))
}

struct Canoe {
    at: usize,
    capacity: usize,
    cargo: Vec<usize>,
    ashore: bool,
}

fn canoes(player: &Json) -> Vec<Canoe> {
    let read = |canoe: &Json| Canoe {
        at: river::read(canoe["at"].text()),
        capacity: canoe["capacity"].integer() as usize,
        cargo: gems(&canoe["cargo"]),
        ashore: canoe["ashore"].is_true(),
    };
    player["canoes"].items().iter().map(read).collect()
}

/// What the bot knows while it answers one decision.
struct Table<'a> {
    plans: &'a [Plan],
    game: &'a Game,
    decision: &'a Decision<'a>,
    right: bool,
    weather: i64,
    whirlpool: usize,
    bank: Bank,
    worth: [f64; 5],
    /// What a gem of the plan is worth: the mean of all colours.
    scale: f64,
    places: Vec<Bank>,
    canoes: Vec<Canoe>,
    hand: usize,
}

impl<'a> Table<'a> {
    fn new(plans: &'a [Plan], game: &'a Game, decision: &'a Decision<'a>) -> Table<'a> {
        let position = decision.position;
        let bank = counts(&decision.me["bank"]);
        let mut worth = [0.0; 5];
        for (gem, value) in worth.iter_mut().enumerate() {
            let mut more = bank;
            more[gem] += 1;
            *value = potential(&more) - potential(&bank);
        }
        let hand = decision.me["hand"].items().iter();
        Table {
            plans,
            game,
            decision,
            right: position["next_arm"].text() == "R",
            weather: position["weather"].integer(),
            whirlpool: river::read(position["whirlpool"].text()),
            bank,
            worth,
            scale: 1.0 + worth.iter().map(|value| value.min(20.0)).sum::<f64>() / 5.0,
            places: GEMS.iter().map(|gem| counts(&position["places"][*gem])).collect(),
            canoes: canoes(decision.me),
            hand: hand.map(|card| 1 << plan::bit(card.text())).sum(),
        }
    }

    fn plan(&self, capacity: usize) -> &Plan {
        &self.plans[capacity.min(self.plans.len()) - 1]
    }

    /// The hand of the next round when a card has been played; a whole one comes back [N-3.5].
    fn next_hand(&self, card: usize) -> usize {
        let left = self.hand & !(1 << card);
        if left == 0 {
            self.plans[0].full
        } else {
            left
        }
    }

    fn forecast(&self, card: usize, weather: i64) -> Speeds {
        let mut others = Vec::new();
        for (seat, player) in self.decision.position["players"].items().iter().enumerate() {
            let shown = &self.decision.observation["played"][seat];
            if seat == self.game.seat || player["retired"].is_true() {
                continue;
            }
            if shown.is_null() {
                let hand = player["hand"].items().iter();
                others.push(hand.map(|card| plan::bit(card.text())).collect());
            } else {
                others.push(vec![plan::bit(shown.text())]);
            }
        }
        plan::speeds(plan::number(card), &others, weather)
    }

    /// What a canoe with so many gems, worth so much, promises at the start of the next round.
    fn promise(&self, hand: usize, at: usize, capacity: usize, count: usize, worth: f64) -> f64 {
        let plan = self.plan(capacity);
        let empty = plan.value(hand, at, 0);
        if at == LOST || at == JETTY || count == 0 {
            return empty * self.scale;
        }
        empty * self.scale + (plan.value(hand, at, count) - empty) / count as f64 * worth
    }

    /// The same, when the river has flowed; what lands is worth its full price.
    fn after(&self, card: usize, speeds: &Speeds, end: &End) -> f64 {
        let hand = self.next_hand(card);
        let promise = |at| self.promise(hand, at, end.capacity, end.count, end.worth);
        if end.at == JETTY {
            return promise(JETTY) + end.worth;
        }
        let flowed = |speed| promise(river::flow(end.at, speed, self.right));
        (0..plan::FASTEST).map(|speed| speeds[speed] * flowed(speed)).sum()
    }

    fn resting(&self, canoe: &Canoe) -> End {
        let worth = canoe.cargo.iter().map(|gem| self.worth[*gem]).sum();
        End { at: canoe.at, capacity: canoe.capacity, count: canoe.cargo.len(), worth }
    }

    /// The worth of the best gems that lie at a place; None if there are not so many.
    fn best_gems(&self, place: Option<usize>, number: usize) -> Option<f64> {
        if number == 0 {
            return Some(0.0);
        }
        let mut lie = Vec::new();
        for (gem, count) in self.places[place?].iter().enumerate() {
            lie.extend((0..*count.min(&2)).map(|_| self.worth[gem]));
        }
        lie.sort_by(|a, b| b.partial_cmp(a).expect("numbers"));
        lie.get(..number).map(|best| best.iter().sum())
    }

    /// The best gem that can be stolen on a space this round, if its owner moves after us.
    fn theft(&self, at: usize) -> f64 {
        let seats = self.game.seats;
        let start = self.decision.position["start"].integer() as usize;
        let turn = |seat: usize| (seat + seats - start) % seats;
        let mut best: f64 = 0.0;
        for (seat, player) in self.decision.position["players"].items().iter().enumerate() {
            if seat == self.game.seat || turn(seat) < turn(self.game.seat) {
                continue;
            }
            for canoe in canoes(player).iter().filter(|canoe| canoe.at == at && !canoe.ashore) {
                let worth = canoe.cargo.iter().map(|gem| self.worth[*gem]);
                best = worth.fold(best, f64::max);
            }
        }
        best
    }

    /// The best that one canoe can do with a card; unloading is left to the real list.
    fn best_move(&self, canoe: &Canoe, card: usize, speeds: &Speeds) -> f64 {
        let aboard = self.resting(canoe);
        let room = canoe.capacity - canoe.cargo.len();
        let points = if card == plan::ONE_TWO_THREE { 1..=3 } else { card + 1..=card + 1 };
        let mut best = f64::NEG_INFINITY;
        for points in points {
            river::moves(canoe.at, room, points, self.right, self.whirlpool, |end| {
                let here = self.best_gems(river::place(canoe.at), end.first);
                let there = self.best_gems(river::place(end.to), end.last);
                if let (Some(here), Some(there)) = (here, there) {
                    let may_steal = end.upward && end.last == 0 && end.first < room;
                    let may_steal = may_steal && river::afloat(end.to);
                    let stolen = if may_steal { self.theft(end.to) } else { 0.0 };
                    let count = aboard.count + end.first + end.last + (stolen > 0.0) as usize;
                    let worth = aboard.worth + here + there + stolen;
                    let end = End { at: end.to, capacity: canoe.capacity, count, worth };
                    best = best.max(self.after(card, speeds, &end));
                }
            });
        }
        best
    }

    /// What a card leads to for both canoes together [N-4.1, N-10].
    fn card(&self, card: usize) -> f64 {
        match card {
            plan::CLOUD => {
                let next = [self.weather - 1, self.weather + 1];
                let weather = next.iter().filter(|next| (-1..=2).contains(*next));
                return weather.map(|next| self.weather(*next)).fold(f64::NEG_INFINITY, f64::max);
            }
            plan::LASSO => {
                let mut still = [0.0; plan::FASTEST]; // ashore no river moves them
                still[0] = 1.0;
                return self
                    .canoes
                    .iter()
                    .map(|c| self.after(card, &still, &self.resting(c)))
                    .sum();
            }
            _ => (),
        }
        let speeds = self.forecast(card, self.weather);
        let (mut ride, mut must, mut extra) = (0.0, 0.0, f64::NEG_INFINITY);
        let mut out = false;
        for canoe in &self.canoes {
            let stays = self.after(card, &speeds, &self.resting(canoe));
            ride += stays;
            if canoe.at == LOST {
                continue;
            }
            let gain = self.best_move(canoe, card, &speeds) - stays;
            if river::afloat(canoe.at) && card != plan::ONE_TWO_THREE {
                out = true;
                must += gain;
            } else {
                extra = extra.max(gain);
            }
        }
        ride + must + if out { extra.max(0.0) } else { extra }
    }

    fn own_card(&self) -> usize {
        plan::bit(self.decision.observation["own"]["card"].text())
    }

    /// What one entry of the list changes for its canoe.
    fn canoe(&self, action: &Json) -> f64 {
        let card = self.own_card();
        let speeds = self.forecast(card, self.weather);
        let canoe = &self.canoes[action["canoe"].integer() as usize];
        let result = &action["result"];
        let cargo = gems(&result["cargo"]);
        let worth = cargo.iter().map(|gem| self.worth[*gem]).sum();
        let at = river::read(result["at"].text());
        let end = End { at, capacity: canoe.capacity, count: cargo.len(), worth };
        let mut bank = self.bank;
        for gem in gems(&result["banked"]) {
            bank[gem] += 1;
        }
        let mut value = self.after(card, &speeds, &end) + potential(&bank) - potential(&self.bank);
        for theft in action["steal"].items() {
            value += 0.3 * self.worth[gem(theft["gem"].text())];
        }
        if action["take_moose"].is_true() {
            value -= 1.0; // two points more that must be spent every time
        }
        value - self.after(card, &speeds, &self.resting(canoe))
    }

    /// What a weather is worth: our canoes ride, and others may fall.
    fn weather(&self, weather: i64) -> f64 {
        let speeds = self.forecast(plan::CLOUD, weather);
        let ride = |canoe| self.after(plan::CLOUD, &speeds, &self.resting(canoe));
        self.canoes.iter().map(ride).sum::<f64>() + self.harm(&speeds)
    }

    fn harm(&self, speeds: &Speeds) -> f64 {
        let players = self.decision.position["players"].items();
        let mut lost = 0.0;
        for (_, player) in players.iter().enumerate().filter(|p| p.0 != self.game.seat) {
            for canoe in canoes(player).iter().filter(|canoe| river::afloat(canoe.at)) {
                let falls = |speed: &usize| river::flow(canoe.at, *speed, self.right) == LOST;
                let chance: f64 = (0..plan::FASTEST).filter(falls).map(|s| speeds[s]).sum();
                lost += chance * 5.0 * (1 + canoe.cargo.len()) as f64;
            }
        }
        lost / players.len() as f64
    }
}

/// Where a canoe ends, with how many gems, worth how much.
struct End {
    at: usize,
    capacity: usize,
    count: usize,
    worth: f64,
}

/// Plans by ruleset and number of seats, the latest last: a match may come back to any.
#[derive(Default)]
struct Bot {
    solved: Vec<((String, usize), Vec<Plan>)>,
}

impl arena::Bot for Bot {
    fn choose(&mut self, game: &mut Game, decision: &mut Decision) -> usize {
        let mut scores = Vec::new();
        {
            let plans = &self.solved.last().expect("a game has started").1;
            let table = Table::new(plans, game, decision);
            for (index, action) in decision.legal.iter().enumerate() {
                let result = &action["result"];
                scores.push(match decision.kind {
                    "card" => table.card(plan::bit(action["card"].text())),
                    "canoe" => table.canoe(action),
                    "weather" => table.weather(result["weather"].integer()),
                    "buy" => potential(&counts(&result["bank"])),
                    "arm" if (action["arm"].text() == "R") == table.right => -1.0, // it moves first
                    "arm" => 0.0,
                    _ => -(index as f64), // leave the moose alone
                });
            }
        }
        let mut best = (0, f64::NEG_INFINITY);
        for (index, score) in scores.into_iter().enumerate() {
            let score = score + 0.01 * game.random.chance();
            if score > best.1 {
                best = (index, score);
            }
        }
        decision.note = format!("score {:.1}", best.1);
        best.0
    }

    fn started(&mut self, game: &Game) {
        let table = (game.rules.clone(), game.seats);
        if let Some(known) = self.solved.iter().position(|plan| plan.0 == table) {
            let plan = self.solved.remove(known);
            self.solved.push(plan);
            return;
        }
        let spirits = game.rules == "spirits";
        let deck = &DECK[..if spirits { DECK.len() } else { BASE_DECK }];
        let cards: Vec<usize> = deck.iter().map(|card| plan::bit(card)).collect();
        let capacities = if spirits { 1..=2 } else { 1..=1 };
        let plans = capacities.map(|room| Plan::solve(room, &cards, game.seats)).collect();
        self.solved.push((table, plans));
    }
}

fn main() -> std::io::Result<()> {
    arena::play(&mut Bot::default())
}
