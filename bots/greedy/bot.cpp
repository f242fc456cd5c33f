// Looks one move ahead: plays what leaves the most when the river has flowed, as it forecasts it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "arena.hpp"
#include "river.hpp"

using json::Value;

namespace {

constexpr int colours = 5;
constexpr int fastest = 10;  // card 7, weather +2, and one to spare
constexpr double patience = 0.85;  // what waiting a round leaves of a gem's worth
constexpr double home = 5;         // what an empty canoe at the jetty is worth
const std::array<const char*, colours> gems{"amethyst", "diamond", "amber", "sapphire", "ruby"};

using Gems = std::array<int, colours>;
using Speeds = std::array<double, fastest>;  // how likely the river has which speed

Gems read_gems(const Value& counts) {
  Gems out{};
  for (int gem = 0; gem < colours; ++gem) out[gem] = counts[gems[gem]].integer();
  return out;
}

int gem_number(const std::string& name) {
  return static_cast<int>(std::find(gems.begin(), gems.end(), name) - gems.begin());
}

int card_points(const std::string& card) { return card.size() == 1 ? card[0] - '0' : 0; }

struct Canoe {
  int at = river::Lost;
  int room = 0;
  std::vector<int> cargo;
};

Canoe read_canoe(const Value& value) {
  Canoe canoe;
  canoe.at = river::read(value["at"].text());
  for (const Value& gem : value["cargo"].items()) canoe.cargo.push_back(gem_number(gem.text()));
  canoe.room = value["capacity"].integer() - static_cast<int>(canoe.cargo.size());
  return canoe;
}

// How near a bank is to winning: each of the three sets counts more the less it misses [N-5.1].
double potential(const Gems& bank) {
  int total = 0, most = 0, missing = colours;
  for (int number : bank) {
    total += number;
    most = std::max(most, number);
    missing -= number > 0;
  }
  if (missing == 0 || most >= 4 || total >= 7) return 200;
  double sets = std::pow(0.5, missing) + std::pow(0.5, 4 - most) + std::pow(0.5, 7 - total);
  return 6 * total + 30 * sets;
}

class Table {
 public:
  explicit Table(const arena::Decision& decision) : seat_(decision.game.seat), decision_(decision) {
    const Value& position = decision.position;
    right_ = position["next_arm"].text() == "R";
    weather_ = position["weather"].integer();
    whirlpool_ = river::read(position["whirlpool"].text());
    bank_ = read_gems(decision.me["bank"]);
    for (int gem = 0; gem < colours; ++gem) {
      Gems more = bank_;
      ++more[gem];
      worth_[gem] = potential(more) - potential(bank_);
      places_[gem] = read_gems(position["places"][gems[gem]]);
    }
    for (const Value& canoe : decision.me["canoes"].items()) canoes_.push_back(read_canoe(canoe));
    own_card_ = decision.observation["own"]["card"].text();
    set_hand(own_card_);
  }

  double card(const std::string& card);
  double canoe(int index);
  double weather(int weather, const std::string& card);
  double after(int at, const std::vector<int>& cargo, const Speeds& speeds) const;
  Speeds forecast(const std::string& own, int weather) const;
  double buy(const Value& bank) const { return potential(read_gems(bank)); }
  const std::string& own_card() const { return own_card_; }

 private:
  void set_hand(const std::string& played);
  double stay(const Canoe& canoe, const Speeds& speeds) const {
    return after(canoe.at, canoe.cargo, speeds);
  }
  double promise(int at, const std::vector<int>& cargo) const;
  double best_gem(int place, bool second = false) const;
  int rounds_home(int distance) const;
  double best_move(const Canoe& canoe, int points, const Speeds& speeds) const;
  double end_of_move(const Canoe& canoe, int at, double loaded, int count,
                     const Speeds& speeds) const;
  double theft(int at) const;
  bool moves_later(int other) const;
  double harm(const Speeds& speeds) const;

  int seat_;
  const arena::Decision& decision_;
  bool right_ = false;
  int weather_ = 0;
  int whirlpool_ = river::Off;
  Gems bank_{};
  std::array<double, colours> worth_{};
  std::array<Gems, colours> places_{};
  std::vector<Canoe> canoes_;
  std::vector<int> hand_;  // points of the number cards that are left for the next rounds
  std::string own_card_;
};

// Notes which cards are left when one has been played; a whole hand comes back after the last.
void Table::set_hand(const std::string& played) {
  hand_.clear();
  for (const Value& card : decision_.me["hand"].items())
    if (int points = card_points(card.text()); points > 0 && card.text() != played)
      hand_.push_back(points);
  if (decision_.me["hand"].size() <= 1) hand_ = {1, 2, 3, 4, 5, 6};
  std::sort(hand_.rbegin(), hand_.rend());
}

// How likely the river has which speed: the lowest number card and the weather [N-6.1].
Speeds Table::forecast(const std::string& own, int weather) const {
  std::array<double, 9> at_least{};  // chance that no card is lower than this; 8: no number card
  int mine = card_points(own);
  for (int low = 1; low <= 8; ++low) at_least[low] = mine > 0 && mine < low ? 0 : 1;
  const auto& players = decision_.position["players"].items();
  for (int seat = 0; seat < static_cast<int>(players.size()); ++seat) {
    if (seat == seat_ || players[seat]["retired"]) continue;
    const Value& shown = decision_.observation["played"][seat];
    std::vector<std::string> may;
    if (!shown.is_null()) may.push_back(shown.text());
    else for (const Value& card : players[seat]["hand"].items()) may.push_back(card.text());
    for (int low = 1; low <= 8; ++low) {
      double fits = 0;
      for (const std::string& card : may)
        fits += card_points(card) == 0 || card_points(card) >= low;
      at_least[low] *= fits / static_cast<double>(std::max<std::size_t>(1, may.size()));
    }
  }
  Speeds speeds{};
  for (int low = 1; low <= 7; ++low)
    speeds[std::clamp(low + weather, 0, fastest - 1)] += at_least[low] - at_least[low + 1];
  speeds[std::max(0, weather)] += at_least[8];
  return speeds;
}

// The best gem of a place, or the second of two.
double Table::best_gem(int place, bool second) const {
  std::vector<double> lie;
  for (int gem = 0; gem < colours; ++gem)
    for (int i = 0; i < std::min(2, places_[place][gem]); ++i) lie.push_back(worth_[gem]);
  std::sort(lie.rbegin(), lie.rend());
  return lie.size() > second ? lie[second] : 0;
}

// How many rounds the way home takes with the cards that are left and a river of speed two.
int Table::rounds_home(int distance) const {
  int rounds = 1;
  for (int points : hand_) {
    if (points >= distance) return rounds;
    distance += 2 - points;
    ++rounds;
  }
  return rounds + 1;
}

// What a canoe promises at the start of the next round.
double Table::promise(int at, const std::vector<int>& cargo) const {
  if (at == river::Lost) return 0;
  if (at == river::Jetty) {
    double best = 0;
    for (int points : hand_)
      if (points >= 5) best = std::max(best, best_gem(points - 5) * std::pow(patience, 2));
    return home + best / 4;
  }
  int far = river::distance(at);
  double gems_aboard = 0;
  for (int gem : cargo) gems_aboard += worth_[gem];
  double value = (home + gems_aboard) * std::pow(patience, rounds_home(far));
  int place = river::place(at);
  if (cargo.empty() && place >= 0)
    for (int points : hand_) {
      if (points < 2) continue;
      int left = std::max(0, far - (points - 2));
      int rounds = left == 0 ? 1 : 1 + rounds_home(std::min(7, left + 2));
      value = std::max(value, (home + best_gem(place)) * std::pow(patience, rounds) * 0.9);
    }
  return value;
}

// What a canoe promises when the river has flowed.
double Table::after(int at, const std::vector<int>& cargo, const Speeds& speeds) const {
  if (!river::afloat(at)) return promise(at, cargo);
  double value = 0;
  for (int speed = 0; speed < fastest; ++speed)
    if (speeds[speed] > 0) value += speeds[speed] * promise(river::flow(at, speed, right_), cargo);
  return value;
}

bool Table::moves_later(int other) const {
  int seats = decision_.game.seats, start = decision_.position["start"].integer();
  return (other - start + seats) % seats > (seat_ - start + seats) % seats;
}

// The best gem that can be stolen on a space this round, if its owner moves after us.
double Table::theft(int at) const {
  double best = 0;
  const auto& players = decision_.position["players"].items();
  for (int seat = 0; seat < static_cast<int>(players.size()); ++seat) {
    if (seat == seat_ || !moves_later(seat)) continue;
    for (const Value& value : players[seat]["canoes"].items()) {
      Canoe canoe = read_canoe(value);
      if (canoe.at == at && !value["ashore"])
        for (int gem : canoe.cargo) best = std::max(best, worth_[gem]);
    }
  }
  return best;
}

double Table::end_of_move(const Canoe& canoe, int at, double loaded, int count,
                          const Speeds& speeds) const {
  if (at == river::Jetty) {
    for (int gem : canoe.cargo) loaded += worth_[gem];
    return loaded + promise(at, {});
  }
  // Gems loaded just now count as much as a gem of the canoe would, so far from home.
  double value = after(at, canoe.cargo, speeds);
  if (count > 0) {
    double share = after(at, {0}, speeds) - after(at, {}, speeds);
    value += loaded * std::max(0.0, worth_[0] > 0 ? share / worth_[0] : 0);
  }
  return value;
}

// The best that one canoe can do with so many points; unloading is left to the real list.
double Table::best_move(const Canoe& canoe, int points, const Speeds& speeds) const {
  double best = -1000;
  int here = river::place(canoe.at);
  for (int first = 0; first <= canoe.room && 2 * first <= points; ++first) {
    if (first > 0 && (here < 0 || best_gem(here, first > 1) == 0)) break;
    double taken = (first > 0 ? best_gem(here) : 0) + (first > 1 ? best_gem(here, true) : 0);
    int left = points - 2 * first;
    if (left == 0) best = std::max(best, end_of_move(canoe, canoe.at, taken, first, speeds));
    for (int last = 0; last <= canoe.room - first && 2 * last < left; ++last) {
      int way = left - 2 * last, used = 0;
      std::vector<int> ends;
      if (canoe.at != river::Jetty) {
        int end = river::paddle_up(canoe.at, way, right_, whirlpool_, used);
        if (end == river::Jetty || used == way) ends.push_back(end);
      }
      for (bool arm : {false, true})
        ends.push_back(river::paddle_down(canoe.at, way, arm, whirlpool_));
      for (std::size_t i = 0; i < ends.size(); ++i) {
        int end = ends[i], there = river::place(end);
        if (last > 0 && (there < 0 || best_gem(there, last > 1) == 0)) continue;
        double more = (last > 0 ? best_gem(there) : 0) + (last > 1 ? best_gem(there, true) : 0);
        bool upward = canoe.at != river::Jetty && i == 0;
        bool may_steal = upward && last == 0 && first < canoe.room && river::afloat(end);
        double stolen = may_steal ? theft(end) : 0;
        int count = first + last + (stolen > 0);
        best = std::max(best, end_of_move(canoe, end, taken + more + stolen, count, speeds));
      }
    }
  }
  return best;
}

// What a card leads to for both canoes together [N-4.1, N-10].
double Table::card(const std::string& card) {
  set_hand(card);
  if (card == "cloud") {
    double best = -1000;
    for (int step : {-1, 1})
      if (int next = weather_ + step; next >= -1 && next <= 2)
        best = std::max(best, weather(next, card));
    return best;
  }
  Speeds speeds = forecast(card, weather_);
  std::vector<int> ways{card_points(card)};
  if (card == "123") ways = {1, 2, 3};
  double ride = 0, best_extra = -1000, must = 0;
  bool out = false;
  for (const Canoe& canoe : canoes_) {
    double stays = card == "lasso" ? promise(canoe.at, canoe.cargo) : stay(canoe, speeds);
    ride += stays;
    if (canoe.at == river::Lost || card == "lasso") continue;
    double moves = -1000;
    for (int points : ways) moves = std::max(moves, best_move(canoe, points, speeds));
    if (river::afloat(canoe.at)) {
      out = true;
      must += moves - stays;
    }
    if (card == "123" || !river::afloat(canoe.at)) best_extra = std::max(best_extra, moves - stays);
  }
  if (card == "lasso") return ride;
  if (card == "123") return ride + best_extra;
  if (out) return ride + must + std::max(0.0, best_extra);
  return ride + best_extra;
}

// What one entry of the list leads to, the seat's other canoe included.
double Table::canoe(int index) {
  Speeds speeds = forecast(own_card_, weather_);
  const Value& action = decision_.legal[index];
  const Value& result = action["result"];
  std::vector<int> cargo;
  for (const Value& gem : result["cargo"].items()) cargo.push_back(gem_number(gem.text()));
  Gems bank = bank_;
  for (const Value& gem : result["banked"].items()) ++bank[gem_number(gem.text())];
  double value = after(river::read(result["at"].text()), cargo, speeds);
  value += potential(bank) - potential(bank_);
  for (const Value& stolen : action["steal"].items())
    value += 0.3 * worth_[gem_number(stolen["gem"].text())];
  if (!action["take_moose"].is_null()) value -= 1;  // two points more that must be spent every time
  // Entries of different canoes compare only by what they change.
  const Canoe& moved = canoes_[action["canoe"].integer()];
  return value - stay(moved, speeds);
}

// What others lose when the river has such a speed.
double Table::harm(const Speeds& speeds) const {
  double lost = 0;
  const auto& players = decision_.position["players"].items();
  for (int seat = 0; seat < static_cast<int>(players.size()); ++seat) {
    if (seat == seat_) continue;
    for (const Value& value : players[seat]["canoes"].items()) {
      Canoe canoe = read_canoe(value);
      if (!river::afloat(canoe.at)) continue;
      for (int speed = 0; speed < fastest; ++speed)
        if (river::flow(canoe.at, speed, right_) == river::Lost)
          lost += speeds[speed] * (home + 5 * static_cast<double>(canoe.cargo.size()));
    }
  }
  return lost / static_cast<double>(players.size());
}

double Table::weather(int weather, const std::string& card) {
  Speeds speeds = forecast(card, weather);
  double value = harm(speeds);
  for (const Canoe& canoe : canoes_) value += stay(canoe, speeds);
  return value;
}

double score(Table& table, const arena::Decision& decision, int index) {
  const Value& action = decision.legal[index];
  const Value& result = action["result"];
  if (decision.kind == "card") return table.card(action["card"].text());
  if (decision.kind == "canoe") return table.canoe(index);
  if (decision.kind == "weather")
    return table.weather(result["weather"].integer(), table.own_card());
  if (decision.kind == "buy") return table.buy(result["bank"]);
  if (decision.kind == "arm") return -river::distance(river::read(result["at"].text()));
  return -index;  // moose: leave it alone
}

int choose(arena::Decision& decision) {
  Table table(decision);
  int best = 0;
  double best_score = -1e9;
  for (int index = 0; index < static_cast<int>(decision.legal.size()); ++index) {
    double points = score(table, decision, index) + 0.01 * decision.game.chance();
    if (points > best_score) best = index, best_score = points;
  }
  return best;
}

}  // namespace

int main() { return arena::play(choose); }
