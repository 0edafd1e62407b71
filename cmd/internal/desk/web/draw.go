package web

import "nod/cmd/internal/desk"

// change is a desk.Change whose cards carry the texts of their buttons.
type change struct {
	desk.Change
	Cards []card `json:"cards,omitempty"`
}

// card is a desk.Card with the texts of its buttons.
type card struct {
	desk.Card
	What    string   `json:"what"` // what it is about, in one line
	Actions []action `json:"actions,omitempty"`
}

// action is a desk.Action with the text of its button.
type action struct {
	desk.Action
	Key   string `json:"key"`
	Label string `json:"label"`
	Help  string `json:"help"`
	// Lengths are the choices for desk.Snooze.
	Lengths []desk.Length `json:"lengths,omitempty"`
}

// draw draws a change. watch disables every button that answers.
func draw(c desk.Change, watch bool) change {
	drawn := change{Change: c}
	for _, of := range c.Cards {
		one := card{Card: of, What: of.Leading()}
		for _, a := range of.Actions {
			if d := a.Do.Deed(); d.Key != "" {
				if watch {
					a.Refused = watching
				}
				one.Actions = append(one.Actions, action{Action: a, Key: d.Key, Label: d.Label, Help: d.Help})
				if a.Do == desk.Snooze {
					one.Actions[len(one.Actions)-1].Lengths = desk.Snoozes()
				}
			}
		}
		drawn.Cards = append(drawn.Cards, one)
	}
	return drawn
}
