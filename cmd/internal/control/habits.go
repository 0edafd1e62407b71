package control

import (
	"context"
	"errors"
	"time"

	"nod/cmd/internal/control/habits"
	"nod/internal/words"
)

// HabitParams are those of habit.list.
type HabitParams struct {
	Agent string `json:"agent"` // empty: all agents
	Least int    `json:"least"` // how often a call was approved at least
}

// Habit is a call that was approved each time, or the form of several that were, in the result of habit.list.
type Habit struct {
	Agent   string    `json:"agent"`
	Project string    `json:"project"`
	Verb    string    `json:"verb"`  // what the call is; empty: a command
	Call    string    `json:"call"`  // whole, but for masked secrets
	Calls   int       `json:"calls"` // how many calls have this form; 0: it is one call
	Times   int       `json:"times"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	File    string    `json:"file,omitempty"`  // of the agent's settings, from the project's folder
	Entry   string    `json:"entry,omitempty"` // allows that very call, in File
	Why     string    `json:"why,omitempty"`   // there is no entry
}

// listHabits lists what is approved each time. It answers nothing and changes nothing.
func (c *Control) listHabits(_ context.Context, p HabitParams) ([]Habit, error) {
	all, err := c.cfg.Keeper.List(true)
	guarded, err2 := c.cfg.Keeper.AllDenials()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	list := []Habit{}
	for _, h := range habits.Of(all, guarded, max(p.Least, 1)) {
		if p.Agent != "" && p.Agent != h.Agent {
			continue
		}
		row := Habit{
			Agent: h.Agent, Project: h.Project, Verb: h.Verb, Call: h.Shown(), Calls: h.Calls, Times: h.Times,
			First: h.First.UTC(), Last: h.Last.UTC(), Why: words.Why(h.NoEntry),
		}
		row.File, row.Entry = h.Entry()
		list = append(list, row)
	}
	return list, nil
}
