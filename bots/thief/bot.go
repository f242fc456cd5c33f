// Lies in wait below laden canoes and takes their gems on its way up.
package main

import (
	"math"
	"strconv"
)

var placeAt = map[int]string{3: "amethyst", 4: "diamond", 5: "amber", 6: "sapphire", 7: "ruby"}

// thief is what the bot knows while it answers one decision.
type thief struct {
	*Decision
	position *Position
	malice   float64
}

func distance(space string) int {
	if space == "jetty" || space == "lost" {
		return 0
	}
	return int(space[0] - '0')
}

func pointsOf(card string) int {
	if card == "123" {
		return 3
	}
	points, err := strconv.Atoi(card)
	if err != nil {
		return 0
	}
	return points
}

// upstream says whether a canoe that goes up from one space passes the other.
func upstream(from, to string) bool {
	if distance(to) >= distance(from) || distance(to) == 0 {
		return false
	}
	return len(to) == 1 || to[1] == from[1] // out of an arm only through this arm
}

// worth is what a gem is worth in the bank, by what lies there.
func (t *thief) worth(gem string) float64 {
	bank := t.Me().Bank
	switch {
	case bank[gem] == 0:
		return 12 // five different colours win
	case bank[gem] == 3:
		return 16 // and so do four of one
	default:
		return 8
	}
}

// stays is the chance that a seat's canoe is still where it is when it is our turn.
func (t *thief) stays(seat int) float64 {
	if t.Observation.Phase == "turns" {
		return 1
	}
	turn := func(s int) int { return (s - t.position.Start + t.Game.Seats) % t.Game.Seats }
	if turn(seat) > turn(t.Game.Seat) {
		return 1
	}
	return 0.15 // unless it plays the cloud, it moves before us
}

// prey is the value of the best theft from canoes that lie some spaces up; any distance with 0.
func (t *thief) prey(from string, points int) float64 {
	best := 0.0
	for seat, player := range t.position.Players {
		if seat == t.Game.Seat {
			continue
		}
		for _, canoe := range player.Canoes {
			if !upstream(from, canoe.At) || canoe.Ashore {
				continue
			}
			if points != 0 && distance(from)-distance(canoe.At) != points {
				continue
			}
			for _, gem := range canoe.Cargo {
				best = math.Max(best, t.stays(seat)*(t.worth(gem)+6*t.malice))
			}
		}
	}
	return best
}

// stock says whether a gem lies at the place at this distance.
func (t *thief) stock(far int) bool {
	place, ok := placeAt[far]
	return ok && len(t.position.Places[place]) > 0
}

// afloat values what a card does for a canoe on the river.
func (t *thief) afloat(canoe Canoe, points int) float64 {
	far := distance(canoe.At)
	if len(canoe.Cargo) > 0 {
		load := 0.0
		for _, gem := range canoe.Cargo {
			load += t.worth(gem)
		}
		if points >= far {
			return 2*load - float64(points) // the smallest card that comes home
		}
		return load - float64(4*(far-points))
	}
	value := -float64(far)
	if points >= far {
		value = -float64(points) / 2
	}
	if points >= 2 && t.stock(far) && points-2 < far {
		value = math.Max(value, 10-float64(far-points+2))
	}
	return math.Max(value, t.prey(canoe.At, points))
}

// departs values what a card does for a canoe at the jetty.
func (t *thief) departs(points int) float64 {
	switch {
	case points >= 5 && points <= 7 && t.stock(points-2):
		return 11 - float64(points)/2
	case points == 3 || points == 4: // down to where it can load or turn on somebody
		return 4 + float64(points)/4
	default:
		return -float64(points)
	}
}

func (t *thief) scoreCard(card string) float64 {
	points := pointsOf(card)
	sum, out := 0.0, false
	for _, canoe := range t.Me().Canoes {
		if distance(canoe.At) > 0 {
			sum += t.afloat(canoe, points)
			out = true
		}
	}
	if !out {
		return t.departs(points)
	}
	return sum
}

func (t *thief) scoreCanoe(action Action) float64 {
	result := action.Result
	if result.Lost {
		return -100
	}
	far := distance(result.At)
	score := -float64(2 * far)
	if far >= 6 {
		score -= 8 // the falls are near
	}
	for _, gem := range result.Banked {
		score += 3 * t.worth(gem)
	}
	for _, gem := range result.Cargo {
		score += 1.5 * t.worth(gem)
	}
	if len(result.Cargo) == 0 && far > 0 && t.prey(result.At, 0) > 0 {
		score += 4
	}
	return score + 8*t.malice*float64(len(action.Steal))
}

func (t *thief) score(index int) float64 {
	action := t.Legal[index]
	switch t.Kind {
	case "card":
		return t.scoreCard(action.Card)
	case "canoe":
		return t.scoreCanoe(action)
	case "buy":
		score := float64(len(action.Result.Bank))
		for _, number := range action.Result.Bank {
			score += float64(10 * number)
		}
		return score
	case "weather":
		return -float64(action.Result.Weather)
	case "arm":
		if action.Result.Lost {
			return -100
		}
		return 0
	default:
		return -float64(index)
	}
}

func choose(d *Decision) int {
	malice, given := d.Game.Params["malice"].(float64)
	if !given {
		malice = 1
	}
	t := &thief{Decision: d, position: &d.Observation.Position, malice: malice}
	best, bestScore := 0, math.Inf(-1)
	for index := range d.Legal {
		if points := t.score(index) + d.Game.Random.Float64(); points > bestScore {
			best, bestScore = index, points
		}
	}
	return best
}

func main() {
	Play(choose, nil)
}
