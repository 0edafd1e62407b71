package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/nudge"
)

// This file handles requests and reports of agents' own servers that no watched pane shows, because the
// agents run outside tmux.

const (
	// paneTime is how long a pane may take to show a server's request.
	paneTime = 3 * time.Second
	// deniedTime is how long a pane may take to show a denied call, once its agent has gone on.
	deniedTime = 10 * time.Second
	// reviewTime is how long a server may take to accept another review of a call.
	reviewTime = 4 * time.Second
)

// AskedAt opens a nudge and a door for a server's request. One that can't be answered through nod is only
// reported. done is false while a pane shows the request, or still may.
func (c *Control) AskedAt(a door.Asked) (w *door.Door, done bool) {
	if c.inPane(a) {
		return nil, false
	}
	if a.Once {
		w = c.openAt(a)
	}
	if w == nil {
		c.cfg.Outside(toldOutside(a))
	}
	return w, true
}

// openAt opens a nudge and a door for a request; nil: it can't be answered, or too many wait already.
func (c *Control) openAt(a door.Asked) *door.Door {
	settings := c.cfg.Settings()
	q := nudge.ProgramQuestion{
		Call: &nudge.Call{Subject: a.Text, Lead: 1 + strings.Count(a.Text, "\n")}, Program: a.Server.Agent, Agent: a.Process, Timeout: settings.Expiry,
		Door: true, Project: projectOf(a.Folder),
	}
	if a.Folder != "" {
		q.Call.Subject += "\nIn " + a.Folder
	}
	if a.Reason != "" {
		q.Call.Subject += "\nReason: " + a.Reason
	}
	if !q.Flaw().IsZero() {
		return nil
	}
	n, err := c.cfg.Keeper.Ask(q)
	if err != nil {
		c.cfg.Log.Error("can't open the question of an agent outside tmux", "agent", a.Server.Agent, "error", err)
		return nil
	}
	w := c.cfg.Doors.OpenAt(n.ID, time.Now())
	if w == nil {
		c.endOutside(n.ID, door.ErrShut)
		return nil
	}
	if err := c.cfg.Keeper.Attend(n.ID, true); err != nil {
		c.cfg.Log.Error("can't record that an agent's server waits", "nudge", n.ID, "error", err)
	}
	return w
}

// toldOutside returns a request that nod can only report, as an event of an agent outside tmux.
func toldOutside(a door.Asked) detect.HookEvent {
	e := detect.HookEvent{Agent: a.Server.Agent, Kind: detect.Asks, Session: a.Thread, Cwd: a.Folder}
	e.Tool = strings.TrimSpace(a.Verb)
	e.Input, _ = json.Marshal(strings.TrimSpace(a.Text + "\n" + a.Reason)) // marshalling a string can't fail
	return e
}

func projectOf(folder string) string {
	if folder == "" {
		return ""
	}
	return filepath.Base(folder)
}

// EndedAt ends the nudge of a request that is over at its server, and records how.
func (c *Control) EndedAt(id string, how error) { c.endOutside(id, how) }

// inPane reports whether a watched pane shows a server's request, or still may.
func (c *Control) inPane(a door.Asked) bool {
	for _, s := range c.clients(a.Server) {
		if s.State.Asks() && (a.Verb != "" || s.Prompt == nil || resembles(s.Prompt.Subject, a.Text)) || time.Since(a.Since) < paneTime {
			return true
		}
	}
	return false
}

// clients returns the watched panes whose agents may be clients of a server.
func (c *Control) clients(at *agents.Server) (panes []detect.Sighting) {
	for _, s := range c.cfg.Panes() {
		if s.Agent != at.Agent {
			continue
		}
		line, _ := proc.Lineage(s.Process.PID) // empty on an error
		if len(line) == 0 || line[0].ID != s.Process {
			continue
		}
		if may, _ := at.MayServe(s.Agent, line[0].Args); may {
			panes = append(panes, s)
		}
	}
	return panes
}

// resembled is how many characters of a command, without blanks, a pane must show to match it. A pane may cut
// off the rest.
const resembled = 40

// resembles reports whether the shown text contains the beginning of a command.
func resembles(shown, command string) bool {
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), "") }
	begins := []rune(squeeze(command))
	return strings.Contains(squeeze(shown), string(begins[:min(len(begins), resembled)]))
}

// served reports whether an event belongs to a session whose server reports its requests itself.
func (c *Control) served(e detect.HookEvent) bool {
	_, server, ok := c.outsideOf(e)
	return ok && c.cfg.Served(server)
}

// DeniedAt handles a call that the reviewer of a server's session has denied, unless a pane shows it, or
// still may.
func (c *Control) DeniedAt(d door.Denied, claimed bool) (done bool) {
	if claimed {
		return true
	}
	if time.Since(d.Since) < deniedTime && len(c.clients(d.Server)) > 0 {
		return false
	}
	s := detect.Sighting{Whereabouts: detect.Whereabouts{Agent: d.Server.Agent, Process: d.Process, Project: projectOf(d.Folder), Where: "outside tmux"}}
	call := d.Call()
	call.Session = d.Thread
	b := nudge.BlockedBy(s, call)
	if b.Taking != nudge.ByServer {
		b.Flaw = reason.Why{Kind: reason.DenialUncomparable}
	}
	if _, _, _, err := c.cfg.Keeper.Deny(s, b, 0); err != nil {
		c.cfg.Log.Error("can't record a call that an agent's reviewer denied", "agent", d.Server.Agent, "error", err)
	}
	return true
}

// TurnAt records that a session of a server goes on: its next denied call begins another message.
func (c *Control) TurnAt(agent string, server proc.ID) {
	if err := c.cfg.Keeper.EndTurn(detect.Whereabouts{Agent: agent, Process: server}, time.Time{}); err != nil {
		c.cfg.Log.Error("can't record that an agent goes on", "agent", agent, "error", err)
	}
}

// PassReviews tells agents' own servers which denied calls a supervisor allows, until ctx ends.
func (c *Control) PassReviews(ctx context.Context) error {
	for {
		of, review, err := c.cfg.Keeper.NextReview(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if err := c.cfg.Keeper.Reviewed(of, c.reviewAgain(review)); err != nil {
			return err
		}
	}
}

// reviewAgain tells a server about one allowed call and returns the result. It finishes even if ctx ends
// meanwhile.
func (c *Control) reviewAgain(review string) deliver.Result {
	telling, stop := context.WithTimeout(context.Background(), reviewTime)
	defer stop()
	err := fmt.Errorf("%w: NOD_DOORS is off", door.ErrUnsent)
	if bool(c.cfg.Settings().Doors) {
		err = door.ReviewAgain(telling, review, door.OwnServer)
	}
	switch {
	case err == nil:
		return deliver.Result{Outcome: deliver.Delivered, Door: true}
	case errors.Is(err, door.ErrUnsent):
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.NotFound, Detail: reason.Why{Kind: reason.DenialUnserved, What: err.Error()}}
	}
	c.cfg.Log.Warn("the agent's server may not have received the permission for a call", "error", err)
	return deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Door: true}
}
