// Fetches near gems and always comes home.
"use strict";

const arena = require("./arena");

/** The places from the jetty down, by distance. */
const PLACES = { 3: "amethyst", 4: "diamond", 5: "amber" };

/** How many spaces a canoe is from the jetty. */
function distance(space) {
  return space === "jetty" || space === "lost" ? 0 : Number(space[0]);
}

/** How good it is when a move leads to this result: home first, then gems, then near spaces. */
function scoreCanoe(result, bank) {
  if (result.lost) return -100;
  let score = 0;
  for (const gem of result.banked) score += gem in bank ? 30 : 50;
  for (const gem of result.cargo) score += gem in bank ? 20 : 25;
  // A second canoe on the river must move with every card: only a loaded one is worth it.
  return score - 2 * distance(result.at);
}

/** The most gems that a canoe from the jetty can load with this many points, near home. */
function loads(points, position, room) {
  let most = 0;
  for (const [far, place] of Object.entries(PLACES)) {
    const left = points - Number(far);
    if (left < 2 || left % 2) continue; // every point must be spent, a gem costs two
    const stock = Object.values(position.places[place]).reduce((sum, n) => sum + n, 0);
    if (left / 2 <= Math.min(room, stock)) most = Math.max(most, left / 2);
  }
  return most;
}

function scoreCard(card, decision) {
  const points = card === "123" ? 3 : Number(card) || 0;
  const afloat = decision.me.canoes.filter((canoe) => canoe.at !== "lost");
  const farthest = Math.max(...afloat.map((canoe) => distance(canoe.at)));
  if (farthest > 0) return points >= farthest ? 20 - points : points - farthest;
  const room = Math.max(...afloat.map((canoe) => canoe.capacity));
  const gems = card === "123" ? 0 : loads(points, decision.position, room);
  // With nothing to load wait (cloud, lasso), else go out a little and come back.
  return gems > 0 ? 10 * gems - points : -points;
}

function score(decision, action, index) {
  switch (decision.kind) {
    case "card":
      return scoreCard(action.card, decision);
    case "canoe":
      return scoreCanoe(action.result, decision.me.bank);
    case "buy": {
      const kept = Object.values(action.result.bank);
      return 10 * kept.reduce((sum, n) => sum + n, 0) + kept.length;
    }
    case "weather":
      return -action.result.weather;
    case "arm":
      return action.result.lost ? -100 : 0;
    default:
      return -index;
  }
}

function choose(decision) {
  let best = 0;
  let bestScore = -Infinity;
  decision.legal.forEach((action, index) => {
    const points = score(decision, action, index) + decision.game.random.next() / 2;
    if (points > bestScore) [best, bestScore] = [index, points];
  });
  return best;
}

arena.play(choose);
