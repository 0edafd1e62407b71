package deliver

import (
	"context"
	"slices"
	"time"

	"nod/deliver/door"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// serverTime is how long an agent's own server may take to report its requests, and to take an answer.
const serverTime = 5 * time.Second

// throughServer gives a decision to the server that runs the agent's session, if there is one. It asks the
// server first and then looks at the screen: a request that waits while the dialog is shown is the request of
// that dialog. It reports false if nothing was handed over, so that keys must answer.
func (j *job) throughServer(ctx context.Context) (Result, bool) {
	if j.r.Decision != screen.Approve && j.r.Decision != screen.Deny || !j.r.Because.IsZero() || j.t.cfg.Servers == nil || !j.t.cfg.Servers() {
		return Result{}, false
	}
	s, no := j.look(ctx)
	if no != nil || !j.r.asksAs(s.reading.Prompt) {
		return Result{}, false
	}
	server, command := j.server(s), commandIn(s.reading.Prompt)
	if server == nil || command == "" {
		return Result{}, false
	}
	asking, stop := context.WithTimeout(ctx, serverTime)
	defer stop()
	a, err := door.Reach(asking, server, command, j.t.cfg.Trust)
	if err != nil {
		j.t.cfg.Log.Debug("keys answer", "pane", j.r.Pane.ID, "error", err)
		return Result{}, false
	}
	defer a.Close()
	if s, no = j.look(ctx); no != nil || !j.r.asksAs(s.reading.Prompt) || !a.Waits() || ctx.Err() != nil {
		return Result{}, false
	}
	if err := j.start(); err != nil {
		return j.failed(err), true
	}
	j.door = true
	taken, stop := context.WithTimeout(context.WithoutCancel(ctx), serverTime)
	defer stop()
	err = a.Decide(taken, j.r.Decision)
	res := j.watch(context.WithoutCancel(ctx), map[string]bool{j.r.Fingerprint: true}, false)
	if err != nil {
		j.t.cfg.Log.Warn("it is unknown whether the agent's server got the answer", "pane", j.r.Pane.ID, "error", err)
		res = j.notGivenOn(res)
	}
	return res, true
}

// commandIn returns the command that a prompt asks about. It is empty if a part may be unseen, or if the
// command was drawn in several rows, because the number of blanks between them is unknown.
func commandIn(p *screen.Prompt) string {
	if p.Partial || p.Verb != "" || p.Lead != 1 {
		return ""
	}
	return p.Leading()
}

// server returns the server that runs the session of the answered agent; nil: none known.
func (j *job) server(s *look) *agents.Server {
	if j.barred(s) != nil {
		return nil
	}
	front, err := j.t.cfg.Foreground(s.Pane.PID)
	at := slices.IndexFunc(front, func(q proc.Process) bool { return q.ID == j.r.Process })
	if err != nil || at < 0 {
		return nil
	}
	return agents.ServerOf(j.r.Agent, front[at].Args)
}
