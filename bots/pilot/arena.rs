//! Talks to the arena, so that bot.rs need not: one JSON object a line, in and out.
//!
//! You need not change this file. It uses nothing but Rust's standard library and json.rs.
#![allow(dead_code)] // a bot need not use all of it

use crate::json::{self, Json};
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// Numbers that depend on the seed alone (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to 1.
    pub fn chance(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What is known of the game from its beginning.
pub struct Game {
    pub seat: usize,
    pub seats: usize,
    pub rules: String, // "base" or "spirits"
    pub seed: u64,
    pub params: Json,   // [params] of bot.toml
    pub position: Json, // where the game begins
    pub random: Random, // same seed, same game: take all chance from here
}

impl Game {
    fn new(message: &Json) -> Game {
        let seed = message["seed"].number() as u64;
        Game {
            seat: message["seat"].integer() as usize,
            seats: message["seats"].integer() as usize,
            rules: message["rules"].text().to_string(),
            seed,
            params: message["params"].clone(),
            position: message["position"].clone(),
            random: Random::new(seed),
        }
    }
}

/// One question of the arena: answer with an index into `legal`.
pub struct Decision<'a> {
    pub kind: &'a str,         // buy, card, canoe, weather, arm or moose
    pub legal: &'a [Json],     // actions; most say in "result" what they lead to
    pub events: &'a [Json],    // what happened since the last message
    pub observation: &'a Json, // all that this seat may see
    pub position: &'a Json,
    pub me: &'a Json,    // this seat's canoes, bank and hand
    pub clock: &'a Json, // null when clocks are off
    pub note: String,    // set it to a short text to find it in the game's record
    began: Instant,
}

impl<'a> Decision<'a> {
    fn new(message: &'a Json, seat: usize, began: Instant) -> Decision<'a> {
        let observation = &message["observation"];
        Decision {
            kind: message["kind"].text(),
            legal: message["legal"].items(),
            events: message["events"].items(),
            observation,
            position: &observation["position"],
            me: &observation["position"]["players"][seat],
            clock: &message["clock"],
            note: String::new(),
            began,
        }
    }

    /// How long the bot has thought: about its CPU time, as it runs alone on its core.
    pub fn spent_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    /// A budget for this decision that lets the bank last: a fiftieth of it.
    pub fn may_spend_ms(&self) -> f64 {
        if self.clock.is_null() {
            return 1000.0;
        }
        let share = self.clock["bank_ms"].number() / 50.0 + self.clock["increment_ms"].number();
        share.min(self.clock["wall_ms"].number() / 2.0)
    }

    pub fn out_of_time(&self) -> bool {
        self.spent_ms() > self.may_spend_ms()
    }
}

/// What a bot does.
pub trait Bot {
    /// Returns an index into the legal actions.
    fn choose(&mut self, game: &mut Game, decision: &mut Decision) -> usize;

    /// Is told of each game that begins.
    fn started(&mut self, _game: &Game) {}
}

/// Writes to stderr, the bot's log: stdout belongs to the arena.
pub fn log(words: &str) {
    eprintln!("{}", words);
}

fn send(members: Vec<(&str, Json)>) -> io::Result<()> {
    let named = members.into_iter().map(|(key, value)| (key.to_string(), value));
    let line = Json::Object(named.collect()).write() + "\n";
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// Answers the arena until it says "quit".
pub fn play(bot: &mut dyn Bot) -> io::Result<()> {
    let mut game = Game::new(&Json::Null);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let began = Instant::now();
        let invalid = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let message = json::parse(&line).map_err(invalid)?;
        match message["type"].text() {
            "hello" => send(vec![
                ("type", Json::Text("ready".to_string())),
                ("protocol", Json::Number(1.0)),
            ])?,
            "start" => {
                game = Game::new(&message);
                bot.started(&game);
            }
            "decide" => {
                let mut decision = Decision::new(&message, game.seat, began);
                let choice = bot.choose(&mut game, &mut decision);
                let mut reply =
                    vec![("id", message["id"].clone()), ("choice", Json::Number(choice as f64))];
                if !decision.note.is_empty() {
                    let note = decision.note.chars().take(200).collect();
                    reply.push(("note", Json::Text(note)));
                }
                send(reply)?;
            }
            "ruling" => log(&format!("ruling: {}", message["sentence"].text())),
            "quit" => break,
            _ => (), // `end`, and whatever later protocols may tell
        }
    }
    Ok(())
}
