package detect

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/text/lazy"
)

// Background knows the sessions that agents run in no pane, as the agents' own programs list them. It asks at an event of an agent in no
// pane, once a minute at most, and only the program that nod finds itself, in the environment that nod itself has: what runs in an agent
// may hold another program ready under the agent's name, and would have it run outside of whatever holds the agent. Its methods may be
// called from any goroutine.
type Background struct {
	log  *slog.Logger
	wake chan struct{} // has room for one

	mu       sync.Mutex            // guards the fields below
	due      map[string]bool       // agents that an event has come of since their program was asked
	sessions map[string][]Sighting // of the last lists, by agent
}

const (
	askEvery  = time.Minute
	askTakes  = 10 * time.Second
	maxListed = 50
)

// NewBackground makes a Background. It asks nothing before Run.
func NewBackground(log *slog.Logger) *Background {
	return &Background{log: log, wake: make(chan struct{}, 1), due: map[string]bool{}, sessions: map[string][]Sighting{}}
}

// Heard handles an event of an agent without a pane.
func (b *Background) Heard(e HookEvent, version string) {
	known := agents.HooksOf(e.Agent).Sessions
	if known == nil || !known.Takes(version) {
		return
	}
	if state := stateTold[e.Kind]; state != "" && !e.Subagent {
		b.tell(e.Agent, e.Session, state, time.Now())
	}
	b.note(e.Agent)
}

// stateTold is a session's state by one of its events, which comes sooner than the next list.
var stateTold = map[HookKind]screen.State{
	Asks: screen.Permission, Submitted: screen.Working, Before: screen.Working, Ran: screen.Working, Stopped: screen.Idle,
}

func (b *Background) tell(agent, session string, state screen.State, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.sessions[agent] {
		if s := &b.sessions[agent][i]; s.Session == session && s.State != state {
			s.State, s.Since, s.At = state, now, now
		}
	}
}

// namesAlone are the variables that say whose sessions a program lists. The rest of nod's environment may hold its token.
func namesAlone(env []string) []string {
	return slices.DeleteFunc(slices.Sorted(slices.Values(env)), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains([]string{"HOME", "PATH", "TMPDIR", "CLAUDE_CONFIG_DIR"}, name)
	})
}

// note makes Run ask an agent's program as soon as it may.
func (b *Background) note(agent string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due[agent] = true
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Run asks until ctx ends.
func (b *Background) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.wake:
		}
		b.askDue(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(askEvery):
		}
	}
}

// askDue asks the programs of agents that events have come of.
func (b *Background) askDue(ctx context.Context) {
	b.mu.Lock()
	due := b.due
	b.due = map[string]bool{}
	b.mu.Unlock()
	for agent := range due {
		b.ask(ctx, agent)
	}
}

func (b *Background) ask(ctx context.Context, agent string) {
	ctx, stop := context.WithTimeout(ctx, askTakes)
	defer stop()
	known := agents.HooksOf(agent).Sessions
	cmd := exec.CommandContext(ctx, known.Program, known.Args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = namesAlone(os.Environ()), "/", time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // nod's own terminal is a person's
	text, err := cmd.Output()
	if err != nil {
		b.log.Warn("the sessions that an agent runs in the background could not be listed: nod runs "+strings.Join(cmd.Args, " ")+" as it finds it in its own PATH", "agent", agent, "error", err)
		return
	}
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions[agent] = listed(agent, text, b.sessions[agent], now)
}

// sessionID matches the name of a listed session, which the agent's own commands take.
var sessionID = lazy.MustCompile(`^[0-9A-Za-z-]{1,40}$`)

// listed reads a program's list of sessions and keeps those in the background. before is its previous list.
func listed(agent string, text []byte, before []Sighting, now time.Time) (sessions []Sighting) {
	var list []struct {
		PID                                          int
		ID, Kind, Cwd, SessionID, Status, WaitingFor string
	}
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	for _, l := range list {
		process, err := proc.Of(l.PID)
		if l.Kind != "background" || !sessionID().MatchString(l.ID) || err != nil || len(sessions) >= maxListed {
			continue
		}
		s := Sighting{
			Whereabouts: Whereabouts{Process: process, Agent: agent, Project: FolderName(l.Cwd), Where: "background " + l.ID},
			Session:     l.SessionID, State: stateListed(l.Status, l.WaitingFor), Since: now, At: now,
		}
		for _, old := range before {
			if old.Process == process && old.State == s.State {
				s.Since = old.Since
			}
		}
		sessions = append(sessions, s)
	}
	return sessions
}

func stateListed(status, waitingFor string) screen.State {
	switch {
	case status == "idle":
		return screen.Idle
	case status == "waiting" && strings.Contains(waitingFor, "permission"):
		return screen.Permission
	case status == "waiting":
		return screen.Question
	}
	return screen.Working
}

// Sessions are the sessions of the last list that still run. None has a pane.
func (b *Background) Sessions() (list []Sighting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, sessions := range b.sessions {
		for _, s := range sessions {
			if proc.Alive(s.Process) {
				list = append(list, s)
			}
		}
	}
	return list
}
