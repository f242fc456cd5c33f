//! How many gems one canoe will bring home: for every space, cargo and hand of cards, solved by
//! going through all of them until the values settle.
//!
//! The plan knows one canoe, gems of equal worth that never run out, and a river as fast as others
//! make it who play their cards at random. Gems count less the later they come.

use crate::river::{self, JETTY, LOST, OFF};

/// What waiting a round leaves of a gem's worth.
const PATIENCE: f64 = 0.9;
/// What a lost canoe costs: a gem buys it back.
const LOSS: f64 = 1.0;
const SWEEPS: usize = 8;

/// Cards as bits: numbers 1 to 7, then cloud, lasso and 123.
pub const CLOUD: usize = 7;
pub const LASSO: usize = 8;
pub const ONE_TWO_THREE: usize = 9;
const CARDS: usize = 10;
pub const FASTEST: usize = 10;
/// How likely the river has which speed.
pub type Speeds = [f64; FASTEST];

pub fn bit(card: &str) -> usize {
    match card {
        "cloud" => CLOUD,
        "lasso" => LASSO,
        "123" => ONE_TWO_THREE,
        _ => card.parse::<usize>().map_or(CLOUD, |number| number - 1),
    }
}

/// The number of a card, if it counts for the speed of the river.
pub fn number(bit: usize) -> Option<usize> {
    if bit < CLOUD {
        Some(bit + 1)
    } else {
        None
    }
}

/// The lowest number of all seats and the weather [N-6.1]; `others` are the cards each may have.
pub fn speeds(own: Option<usize>, others: &[Vec<usize>], weather: i64) -> Speeds {
    let at_least = |low: usize| -> f64 {
        let fits = |bit: &&usize| number(**bit).map_or(true, |n| n >= low);
        let mine = own.map_or(true, |n| n >= low);
        others
            .iter()
            .map(|cards| cards.iter().filter(fits).count() as f64 / cards.len().max(1) as f64)
            .product::<f64>()
            * mine as u8 as f64
    };
    let mut speeds = [0.0; FASTEST];
    let clamp = |speed: i64| speed.clamp(0, FASTEST as i64 - 1) as usize;
    for low in 1..=7 {
        speeds[clamp(low as i64 + weather)] += at_least(low) - at_least(low + 1);
    }
    speeds[clamp(weather)] += at_least(8);
    speeds
}

/// By space: where the river takes a canoe, and how likely; either arm may be next.
type Drift = Vec<Vec<(usize, f64)>>;

fn drift(speeds: &Speeds) -> Drift {
    let from = |at: usize| -> Vec<(usize, f64)> {
        let mut chances = [0.0; LOST + 1];
        for (speed, chance) in speeds.iter().enumerate() {
            chances[river::flow(at, speed, false)] += chance / 2.0;
            chances[river::flow(at, speed, true)] += chance / 2.0;
        }
        chances.iter().copied().enumerate().filter(|end| end.1 > 0.0).collect()
    };
    (0..LOST).map(from).collect()
}

pub struct Plan {
    capacity: usize,
    pub full: usize,
    values: Vec<f64>,
    lost: f64,
}

impl Plan {
    /// What a canoe is worth at the start of a round, in gems.
    pub fn value(&self, hand: usize, at: usize, cargo: usize) -> f64 {
        if at == LOST {
            return self.lost;
        }
        self.values[(hand * LOST + at) * 3 + cargo.min(self.capacity)]
    }

    pub fn solve(capacity: usize, cards: &[usize], seats: usize) -> Plan {
        let full = cards.iter().map(|bit| 1 << bit).sum();
        let values = vec![0.0; (full + 1) * LOST * 3];
        let mut plan = Plan { capacity, full, values, lost: 0.0 };
        let others = vec![cards.to_vec(); seats - 1];
        let drifts: Vec<Drift> =
            (0..CARDS).map(|bit| drift(&speeds(number(bit), &others, 0))).collect();
        for _ in 0..SWEEPS {
            plan.lost = PATIENCE * plan.value(full, JETTY, 0) - LOSS;
            for hand in (1..=full).filter(|hand| hand & !full == 0) {
                plan.improve(hand, &drifts);
            }
        }
        plan
    }

    /// Find the best card and move for every space and cargo, with one hand.
    fn improve(&mut self, hand: usize, drifts: &[Drift]) {
        let mut best = [[f64::NEG_INFINITY; 3]; LOST];
        for bit in (0..CARDS).filter(|bit| hand >> bit & 1 == 1) {
            let next = if hand == 1 << bit { self.full } else { hand & !(1 << bit) };
            let after = self.after_flow(next, &drifts[bit]);
            for (at, row) in best.iter_mut().enumerate() {
                for cargo in 0..=if at == JETTY { 0 } else { self.capacity } {
                    let value = match bit {
                        LASSO => self.value(next, at, cargo),
                        CLOUD => after[at][cargo],
                        _ => self.best_move(at, cargo, bit, &after),
                    };
                    row[cargo] = row[cargo].max(PATIENCE * value);
                }
            }
        }
        for (at, row) in best.iter().enumerate() {
            for (cargo, value) in row.iter().enumerate().filter(|cell| cell.1.is_finite()) {
                self.values[(hand * LOST + at) * 3 + cargo] = *value;
            }
        }
    }

    /// What it is worth to end a move on a space, when the river has flowed.
    fn after_flow(&self, next: usize, drift: &Drift) -> [[f64; 3]; LOST + 1] {
        let mut after = [[self.lost; 3]; LOST + 1];
        for (at, row) in after.iter_mut().enumerate().take(LOST) {
            for (cargo, value) in row.iter_mut().enumerate().take(self.capacity + 1) {
                if at == JETTY {
                    *value = self.value(next, JETTY, 0) + cargo as f64; // landed
                    continue;
                }
                let there = |(to, chance): &(usize, f64)| chance * self.value(next, *to, cargo);
                *value = drift[at].iter().map(there).sum();
            }
        }
        after
    }

    fn best_move(&self, at: usize, cargo: usize, bit: usize, after: &[[f64; 3]; LOST + 1]) -> f64 {
        // A canoe at the jetty may stay while the other moves; with 123 either may.
        let free = at == JETTY || bit == ONE_TWO_THREE;
        let mut best = if free { after[at][cargo] } else { f64::NEG_INFINITY };
        let points = if bit == ONE_TWO_THREE { 1..=3 } else { bit + 1..=bit + 1 };
        for points in points {
            river::moves(at, self.capacity - cargo, points, false, OFF, |end| {
                let aboard = if end.to == LOST { 0 } else { cargo + end.first + end.last };
                best = best.max(after[end.to][aboard]);
            });
        }
        best
    }
}
