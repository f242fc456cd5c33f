// Talks to the arena, so that bot.js need not: one JSON object a line, in and out.
//
// You need not change this file. It uses nothing but node itself, 12 or newer.
"use strict";

const fs = require("fs");

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
class Random {
  constructor(seed) {
    // Seeds have up to 48 bits, this generator has 32: fold the upper ones in.
    this.state = (Math.floor(seed / 4294967296) ^ seed) >>> 0;
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}

/** What is known of the game from its beginning. */
class Game {
  constructor(message) {
    this.seat = message.seat;
    this.seats = message.seats;
    this.rules = message.rules; // "base" or "spirits"
    this.settings = message.settings || {};
    this.params = message.params || {}; // [params] of bot.toml
    this.seed = message.seed || 0;
    this.random = new Random(this.seed); // same seed, same game: take all chance from here
    this.position = message.position;
  }
}

/** One question of the arena: answer with an index into `legal`. */
class Decision {
  constructor(message, game) {
    this.began = process.cpuUsage();
    this.game = game;
    this.kind = message.kind; // buy, card, canoe, weather, arm or moose
    this.legal = message.legal; // actions; most say in `result` what they lead to
    this.events = message.events || []; // what happened since the last message
    this.observation = message.observation; // all that this seat may see
    this.position = this.observation.position;
    this.me = this.position.players[game.seat];
    this.clock = message.clock || null; // null when clocks are off
    this.note = null; // set it to a short text to find it in the game's record
  }

  /** How much of its CPU time the bot has spent on this decision. */
  spentMs() {
    const used = process.cpuUsage(this.began);
    return (used.user + used.system) / 1000;
  }

  /** A budget for this decision that lets the bank last: a fiftieth of it. */
  maySpendMs() {
    if (this.clock === null) return 1000;
    return Math.min(this.clock.bank_ms / 50 + this.clock.increment_ms, this.clock.wall_ms / 2);
  }

  outOfTime() {
    return this.spentMs() > this.maySpendMs();
  }
}

/** Writes to stderr, the bot's log: stdout belongs to the arena. */
function log(...words) {
  console.error(...words);
}

function send(message) {
  const bytes = Buffer.from(JSON.stringify(message) + "\n");
  for (let sent = 0; sent < bytes.length; ) sent += fs.writeSync(1, bytes, sent);
}

/** Waits for bytes: quicker than the event loop, and a bot has nothing else to do. */
function read(chunk) {
  for (;;) {
    try {
      return fs.readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // a terminal may answer "not yet"
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Answers the arena until it says `quit`; `choose(decision)` returns an index. */
function play(choose, started, ended) {
  let game = null;
  const handle = (message) => {
    if (message.type === "hello") {
      send({ type: "ready", protocol: 1 });
    } else if (message.type === "start") {
      game = new Game(message);
      if (started) started(game);
    } else if (message.type === "decide") {
      const decision = new Decision(message, game);
      const reply = { id: message.id, choice: choose(decision) };
      if (decision.note) reply.note = String(decision.note).slice(0, 200);
      send(reply);
    } else if (message.type === "ruling") {
      log("ruling:", message.sentence);
    } else if (message.type === "end") {
      if (ended) ended(message);
    }
    return message.type !== "quit";
  };

  const chunk = Buffer.alloc(65536);
  let waiting = Buffer.alloc(0);
  for (;;) {
    const count = read(chunk);
    if (count === 0) return; // the arena has hung up
    waiting = Buffer.concat([waiting, chunk.subarray(0, count)]);
    for (let end; (end = waiting.indexOf(10)) >= 0; ) {
      const line = waiting.toString("utf8", 0, end);
      waiting = waiting.subarray(end + 1);
      if (!handle(JSON.parse(line))) return;
    }
  }
}

module.exports = { play, log, Random };
