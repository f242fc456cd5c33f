// Talks to the arena, so that bot.go need not: one JSON object a line, in and out.
//
// You need not change this file. It uses nothing but Go's standard library, 1.16 or newer.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"syscall"
	"time"
)

// Game is what is known of the game from its beginning.
type Game struct {
	Seat     int                    `json:"seat"`
	Seats    int                    `json:"seats"`
	Rules    string                 `json:"rules"` // "base" or "spirits"
	Seed     int64                  `json:"seed"`
	Params   map[string]interface{} `json:"params"` // [params] of bot.toml
	Position Position               `json:"position"`
	Random   *rand.Rand             `json:"-"` // same seed, same game: take all chance from here
}

// Position is what lies on the table.
type Position struct {
	Round     int                       `json:"round"`
	Start     int                       `json:"start"`
	Weather   int                       `json:"weather"`
	NextArm   string                    `json:"next_arm"`
	Places    map[string]map[string]int `json:"places"`
	Players   []Player                  `json:"players"`
	Whirlpool *string                   `json:"whirlpool"`
	Beaver    *string                   `json:"beaver"`
}

// Player is one seat's side of the table.
type Player struct {
	Canoes  []Canoe        `json:"canoes"`
	Bank    map[string]int `json:"bank"`
	Hand    []string       `json:"hand"`
	Retired bool           `json:"retired"`
}

// Canoe is on a space of the river, at the "jetty", or "lost".
type Canoe struct {
	Capacity int      `json:"capacity"`
	At       string   `json:"at"`
	Cargo    []string `json:"cargo"`
	Ashore   bool     `json:"ashore"`
}

// Turn says whose canoes move now.
type Turn struct {
	Seat int   `json:"seat"`
	Must []int `json:"must"`
	May  []int `json:"may"`
	One  bool  `json:"one"`
}

// Observation is all that this seat may see.
type Observation struct {
	Phase    string    `json:"phase"`
	Played   []*string `json:"played"` // by seat: the card of this round once it is revealed
	Turn     *Turn     `json:"turn"`
	Position Position  `json:"position"`
}

// Theft is one gem taken from another's canoe.
type Theft struct {
	Seat  int    `json:"seat"`
	Canoe int    `json:"canoe"`
	Gem   string `json:"gem"`
}

// Action is one entry of the legal actions; which fields count depends on the decision's kind.
type Action struct {
	Card    string  `json:"card"`
	Canoe   int     `json:"canoe"`
	Steal   []Theft `json:"steal"`
	Weather int     `json:"weather"`
	Arm     string  `json:"arm"`
	Moose   *int    `json:"moose"`
	Result  Result  `json:"result"` // what it leads to
}

// Result is what an action leads to.
type Result struct {
	At      string         `json:"at"`
	Cargo   []string       `json:"cargo"`
	Banked  []string       `json:"banked"`
	Lost    bool           `json:"lost"`
	Bank    map[string]int `json:"bank"`
	Canoes  int            `json:"canoes"`
	Weather int            `json:"weather"`
}

// Clock is the time that is left.
type Clock struct {
	BankMs      float64 `json:"bank_ms"`
	IncrementMs float64 `json:"increment_ms"`
	WallMs      float64 `json:"wall_ms"`
}

// Decision is one question of the arena: answer with an index into Legal.
type Decision struct {
	ID          int64             `json:"id"`
	Kind        string            `json:"kind"` // buy, card, canoe, weather, arm or moose
	Legal       []Action          `json:"legal"`
	Events      []json.RawMessage `json:"events"` // what happened since the last message
	Observation Observation       `json:"observation"`
	Clock       *Clock            `json:"clock"` // nil when clocks are off
	Note        string            `json:"-"`     // a short text to find in the game's record
	Game        *Game             `json:"-"`
	began       time.Duration
}

// Me returns this seat's side of the table.
func (d *Decision) Me() *Player { return &d.Observation.Position.Players[d.Game.Seat] }

// SpentMs returns how much of its CPU time the bot has spent on this decision.
func (d *Decision) SpentMs() float64 { return (cpuTime() - d.began).Seconds() * 1000 }

// MaySpendMs returns a budget for this decision that lets the bank last: a fiftieth of it.
func (d *Decision) MaySpendMs() float64 {
	if d.Clock == nil {
		return 1000
	}
	share := d.Clock.BankMs/50 + d.Clock.IncrementMs
	if share > d.Clock.WallMs/2 {
		return d.Clock.WallMs / 2
	}
	return share
}

// OutOfTime says whether the budget is spent.
func (d *Decision) OutOfTime() bool { return d.SpentMs() > d.MaySpendMs() }

func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Log writes to stderr, the bot's log: stdout belongs to the arena.
func Log(format string, words ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", words...)
}

func send(message interface{}) {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = os.Stdout.Write(append(line, '\n'))
	}
	if err != nil {
		Log("can't answer: %v", err)
		os.Exit(1)
	}
}

func read(line []byte, into interface{}) {
	if err := json.Unmarshal(line, into); err != nil {
		Log("can't read the arena's message: %v", err)
		os.Exit(1)
	}
}

type envelope struct {
	Type     string `json:"type"`
	Sentence string `json:"sentence"` // of a ruling
}

// Play answers the arena until it says quit; choose returns an index into the legal actions.
func Play(choose func(*Decision) int, started func(*Game)) {
	input := bufio.NewReaderSize(os.Stdin, 65536)
	var game *Game
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return // the arena has hung up
		}
		began := cpuTime()
		var message envelope
		read(line, &message)
		switch message.Type {
		case "hello":
			send(map[string]interface{}{"type": "ready", "protocol": 1})
		case "start":
			game = new(Game)
			read(line, game)
			game.Random = rand.New(rand.NewSource(game.Seed))
			if started != nil {
				started(game)
			}
		case "decide":
			decision := &Decision{Game: game, began: began}
			read(line, decision)
			reply := map[string]interface{}{"id": decision.ID, "choice": choose(decision)}
			if decision.Note != "" {
				reply["note"] = fmt.Sprintf("%.200s", decision.Note)
			}
			send(reply)
		case "ruling":
			Log("ruling: %s", message.Sentence)
		case "quit":
			return
		}
	}
}
