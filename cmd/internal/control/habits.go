package control

import (
	"context"
	"errors"
	"time"

	"nod/cmd/internal/control/habits"
	"nod/internal/words"
)

// HabitParams are the parameters of habit.list.
type HabitParams struct {
	Agent string `json:"agent"` // empty for all agents
	Least int    `json:"least"` // the smallest number of approvals
}

// Habit is a call that was approved each time, or a form of calls, in the result of habit.list.
type Habit struct {
	Agent   string    `json:"agent"`
	Project string    `json:"project"`
	Verb    string    `json:"verb"`  // the kind of call; empty for a command
	Call    string    `json:"call"`  // whole, except masked secrets
	Calls   int       `json:"calls"` // how many calls have this form; 0 for one call
	Times   int       `json:"times"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	File    string    `json:"file,omitempty"`  // the agent's settings file, relative to the project
	Entry   string    `json:"entry,omitempty"` // the line for File that allows exactly this call
	Why     string    `json:"why,omitempty"`   // why there is no entry
}

// listHabits lists the calls that are approved each time. It answers and changes nothing.
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
			Agent: h.Agent, Project: h.Project, Verb: h.Verb, Call: h.Displayed(), Calls: h.Calls, Times: h.Times,
			First: h.First.UTC(), Last: h.Last.UTC(), Why: words.Why(h.NoEntry),
		}
		row.File, row.Entry = h.Entry()
		list = append(list, row)
	}
	return list, nil
}
