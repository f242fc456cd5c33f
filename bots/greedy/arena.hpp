// Talks to the arena, so that bot.cpp need not: one JSON object a line, in and out.
//
// You need not change this file. It uses nothing but C++17's standard library and json.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iostream>
#include <random>
#include <string>

#include "json.hpp"

namespace arena {

// What is known of the game from its beginning.
struct Game {
  int seat = 0;
  int seats = 0;
  std::string rules;  // "base" or "spirits"
  std::uint64_t seed = 0;
  json::Value params;    // [params] of bot.toml
  json::Value position;  // where the game begins
  std::mt19937_64 random;  // same seed, same game: take all chance from here

  Game() = default;
  explicit Game(const json::Value& message)
      : seat(message["seat"].integer()),
        seats(message["seats"].integer()),
        rules(message["rules"].text()),
        seed(static_cast<std::uint64_t>(message["seed"].number())),
        params(message["params"]),
        position(message["position"]),
        random(seed) {}

  // A number from 0 to 1.
  double chance() { return static_cast<double>(random() >> 11) / 9007199254740992.0; }
};

// One question of the arena: answer with an index into legal.
struct Decision {
  Game& game;
  std::string kind;                // buy, card, canoe, weather, arm or moose
  const json::Value& legal;        // actions; most say in "result" what they lead to
  const json::Value& events;       // what happened since the last message
  const json::Value& observation;  // all that this seat may see
  const json::Value& position;
  const json::Value& me;     // this seat's canoes, bank and hand
  const json::Value& clock;  // null when clocks are off
  std::string note;          // set it to a short text to find it in the game's record

  Decision(const json::Value& message, Game& in, std::clock_t began)
      : game(in),
        kind(message["kind"].text()),
        legal(message["legal"]),
        events(message["events"]),
        observation(message["observation"]),
        position(observation["position"]),
        me(position["players"][in.seat]),
        clock(message["clock"]),
        began_(began) {}

  // How much of its CPU time the bot has spent on this decision.
  double spent_ms() const {
    return 1000.0 * static_cast<double>(std::clock() - began_) / CLOCKS_PER_SEC;
  }

  // A budget for this decision that lets the bank last: a fiftieth of it.
  double may_spend_ms() const {
    if (clock.is_null()) return 1000;
    double share = clock["bank_ms"].number() / 50 + clock["increment_ms"].number();
    return std::min(share, clock["wall_ms"].number() / 2);
  }

  bool out_of_time() const { return spent_ms() > may_spend_ms(); }

 private:
  std::clock_t began_;
};

// Writes to stderr, the bot's log: stdout belongs to the arena.
inline void log(const std::string& words) { std::cerr << words << std::endl; }

// At most 200 bytes of a text, never half a character.
inline std::string shortened(const std::string& text) {
  std::size_t end = std::min<std::size_t>(text.size(), 200);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

inline void send(const json::Value& message) { std::cout << message.dump() + "\n" << std::flush; }

using Choose = std::function<int(Decision&)>;
using Started = std::function<void(Game&)>;

// Answers the arena until it says "quit"; choose returns an index into the legal actions.
inline int play(const Choose& choose, const Started& started = nullptr) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  Game game;
  for (std::string line; std::getline(std::cin, line);) {
    std::clock_t began = std::clock();
    json::Value message = json::parse(line);
    const std::string& type = message["type"].text();
    json::Value reply = json::Value::object();
    if (type == "hello") {
      reply.set("type", "ready");
      reply.set("protocol", 1);
      send(reply);
    } else if (type == "start") {
      game = Game(message);
      if (started) started(game);
    } else if (type == "decide") {
      Decision decision(message, game, began);
      reply.set("id", message["id"]);
      reply.set("choice", choose(decision));
      if (!decision.note.empty()) reply.set("note", shortened(decision.note));
      send(reply);
    } else if (type == "ruling") {
      log("ruling: " + message["sentence"].text());
    } else if (type == "quit") {
      break;
    }
  }
  return 0;
}

}  // namespace arena
