package deliver

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// job is one request in progress.
type job struct {
	t        *Typist
	r        Request
	keyboard Keyboard
	begin    func() error
	begun    bool
	typed    []string
	door     bool // the answer went to the agent's own hook or server
}

// look is one look at the pane, with the agent's screen as detection reads it.
type look struct {
	tmux.Look
	reading screen.Reading
	rows    []string  // the screen's rows as tmux compares them
	taken   time.Time // just before the look
	doubted int       // the server's doubts just before the look
}

// look reads the pane. The caller judges it.
func (j *job) look(ctx context.Context) (*look, *refusal) {
	s := &look{taken: time.Now(), doubted: j.t.doubted(j.r.Pane.Server.Socket)}
	var err error
	s.Look, err = j.keyboard.Look(ctx, j.r.Pane.ID)
	if err != nil {
		if errors.Is(err, tmux.ErrHung) {
			j.t.doubt(j.r.Pane.Server.Socket)
		}
		return nil, unread(err)
	}
	if s.Life != j.r.Pane.Server {
		return nil, refuse(Gone, reason.ServerRestarted)
	}
	shown := screen.Parse(s.Capture)
	shown.Columns = s.Pane.Width
	s.rows = plainRows(s.Capture)
	if len(shown.Rows) < len(s.rows)-1 {
		// Detection counts rows from where it began to read, the guard from the top.
		return nil, refuse(Unreadable, reason.PaneTooTall).naming(strconv.Itoa(len(s.rows)))
	}
	s.reading = j.t.cfg.Read(j.r.Agent, shown)
	return s, nil
}

// ready looks at the pane and returns judge's result. If only copy mode is in the way, and leaving it
// disturbs nobody, ready leaves it and looks again.
func (j *job) ready(ctx context.Context, judge func(*look) (stand, *refusal)) (stand, *refusal) {
	for left := false; ; left = true {
		s, no := j.look(ctx)
		if no != nil {
			return stand{}, no
		}
		if no := j.barred(s); no != nil {
			return stand{}, no
		}
		at, no := judge(s)
		if no != nil || !s.Pane.InMode {
			return at, no
		}
		if left || s.displayed() && !j.r.LeaveMode {
			return stand{}, refuse(CopyMode, reason.KeysInCopyMode)
		}
		if err := j.keyboard.LeaveMode(ctx, s.Life, s.Pane.ID); err != nil {
			return stand{}, unread(err)
		}
		j.t.cfg.Log.Info("left copy mode", "pane", j.r.Pane.ID, "nudge", j.r.Nudge)
	}
}

// displayed reports whether a person's terminal shows the pane.
func (s *look) displayed() bool {
	return slices.ContainsFunc(s.Clients, func(c tmux.Client) bool {
		return c.Pane == s.Pane.ID || slices.Contains(c.Shows, s.Pane.ID)
	})
}

// barred returns what forbids every key, whatever the screen shows. Copy mode does not count, because nod can
// leave it.
func (j *job) barred(s *look) *refusal {
	switch p := s.Pane; {
	case p.Dead:
		return refuse(Gone, reason.ProgramEnded)
	case p.Synchronized:
		return refuse(Synchronized, reason.PanesSynchronized)
	case p.InputOff:
		return refuse(Unreadable, reason.InputOff)
	}
	if j.r.Process == (proc.ID{}) {
		return nil
	}
	return j.otherProgram(s)
}

// otherProgram refuses a pane whose foreground process is not the agent that the human answered.
func (j *job) otherProgram(s *look) *refusal {
	p := s.Pane
	front, err := j.t.cfg.Foreground(p.PID)
	if err != nil {
		return refuse(Unreadable, reason.ProgramUnknown).naming(err.Error())
	}
	at := slices.IndexFunc(front, func(q proc.Process) bool { return q.ID == j.r.Process })
	if at < 0 {
		return j.replaced(front)
	}
	if by := detect.DrawnBy(s.reading, j.r.Process, front); by != "" {
		return refuse(Changed, reason.ProgramBeside).naming(by)
	}
	// A pane whose agent was named by hand (behind ssh, in a container) runs no program that nod knows.
	if p.Agent == j.r.Agent {
		return nil
	}
	if name, _, _ := agents.Of(front[at : at+1]); name != j.r.Agent {
		return refuse(Changed, reason.NoAgentAnyMore)
	}
	return nil
}

// replaced says what is in the foreground instead of the agent.
func (j *job) replaced(front []proc.Process) *refusal {
	if name, _, ok := agents.Of(front); ok {
		return refuse(Changed, reason.AnotherAgent).naming(name)
	}
	if slices.ContainsFunc(front, func(p proc.Process) bool { return proc.IsShell(p.Comm) }) {
		return refuse(Shell, reason.ExitedToShell)
	}
	if len(front) == 0 {
		return refuse(Gone, reason.Exited)
	}
	return refuse(Changed, reason.NotInFront).naming(front[0].Comm)
}
