// The river as numbers: spaces, one push of the discs, a canoe's way up or down.
#pragma once

#include <algorithm>
#include <array>
#include <string>

namespace river {

// Spaces 1 to 5, then 6L 6R 7L 7R; Off stands for a whirlpool that is not on the board.
enum Space { Jetty = 0, Fork = 5, L6 = 6, R6 = 7, L7 = 8, R7 = 9, Lost = 10, Off = 11 };

inline int read(const std::string& name) {
  if (name == "jetty") return Jetty;
  if (name == "lost") return Lost;
  if (name.empty() || name == "next") return Off;
  int number = name[0] - '0';
  if (number <= 5) return number;
  return (number == 6 ? L6 : L7) + (name[1] == 'R');
}

inline int distance(int space) {
  constexpr std::array<int, 12> spaces{0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 0};
  return spaces[static_cast<std::size_t>(space)];
}

inline bool afloat(int space) { return space > Jetty && space < Lost; }

// The place beside a space, numbered like the gems: amethyst 0 ... ruby 4; -1 for none.
inline int place(int space) { return afloat(space) && space >= 3 ? distance(space) - 3 : -1; }

// One space down; `right` picks the arm at the fork.
inline int down(int space, bool right) {
  if (space == Fork) return right ? R6 : L6;
  if (space < Fork) return space + 1;
  return space >= L7 ? Lost : space + 2;
}

inline int up(int space) {
  if (space <= Fork) return space - 1;
  return space <= R6 ? static_cast<int>(Fork) : space - 2;
}

// Where a canoe drifts when the river pushes `speed` discs [N-6.2].
inline int flow(int space, int speed, bool right) {
  for (; speed > 0 && afloat(space); --speed, right = !right) {
    if (space <= Fork) space = down(space, right);
    else if ((space == R6 || space == R7) == right) space = down(space, right);
  }
  return space;
}

// Where a canoe ends that goes down `points` spaces, dragged by the whirlpool [N-9.2].
inline int paddle_down(int space, int points, bool right, int whirlpool) {
  for (; points > 0 && space != Lost; --points) space = down(space, right);
  return space == whirlpool ? down(space, right) : space;
}

// Where a canoe ends that goes up with `points`; `used` gets how many it took [N-9.3].
inline int paddle_up(int space, int points, bool right, int whirlpool, int& used) {
  used = 0;
  while (used < points && space != Jetty) {
    if (space == whirlpool && ++used == points) break;  // a point more inside it
    space = up(space);
    ++used;
  }
  return space == whirlpool ? down(space, right) : space;
}

}  // namespace river
