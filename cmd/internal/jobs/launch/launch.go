// Package launch starts agents in tmux sessions of their own, on a running server, and ends the sessions that
// it started.
package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/text/plural"
	"nod/nudge"
)

// Records stores the started sessions, a small value for each name.
type Records interface {
	Get(name string) ([]byte, error)
	All(prefix string) (map[string][]byte, error)
	Put(name string, value []byte) error // nil removes it
}

// Config is the input of Sessions. Every field is required.
type Config struct {
	Roots   func() []string // NOD_LAUNCH
	Records Records
	Sockets func() []string                   // of the watched servers
	Server  func(socket string) *tmux.Server  // nil if nod may not act there
	Panes   func() []detect.Sighting          // the watched panes, as last seen
	Queued  func(detect.PaneRef) (int, error) // number of instructions that wait for a pane
	Note    func(nudge.Event) error           // writes to the audit trail
}

// Sessions starts agents and ends them.
type Sessions struct{ cfg Config }

// New makes Sessions. It does no I/O.
func New(cfg Config) *Sessions { return &Sessions{cfg: cfg} }

// Spec describes an agent to start.
type Spec struct {
	Name  string // of the session, and of the agent in messages
	Agent string // "claude"
	Cwd   string // absolute
	Args  []string
}

// Session is a started session.
type Session struct {
	Spec
	Pane detect.PaneRef
}

// The kinds of errands.
const (
	DoNew = "new"
	// DoLaunch is DoNew for somebody in a chat: only in the folders that this machine's NOD_LAUNCH names. Without consent
	// the outcome is the folder, as Lost.
	DoLaunch  = "launch"
	DoEnd     = "end"
	DoRestart = "restart"
	DoList    = "list"
)

// Errand is a request about sessions, from a command or from the bot's machine.
type Errand struct {
	Do string
	Spec
	Sure bool   // accept the loss of what ends with the session
	By   string // the person who requests it
}

// Row is a session and its agent's state: as of a pane, or "ended" if its pane is gone, or "unknown" if nod
// can't see it.
type Row struct {
	Session
	State string
}

// Done is the result of an errand: the sessions concerned, or why nothing was done.
type Done struct {
	Sessions []Row    `json:",omitempty"`
	Lost     []string `json:",omitempty"` // what would be lost, a sentence each, if the consent is missing
	Error    string   `json:",omitempty"`
}

// Do does an errand. If something would be lost and Sure is not set, it only reports the loss.
func (l *Sessions) Do(ctx context.Context, e Errand) Done {
	sessions, lost, err := l.do(ctx, e)
	if err != nil {
		return Done{Error: err.Error()}
	}
	return Done{Sessions: sessions, Lost: lost}
}

func (l *Sessions) do(ctx context.Context, e Errand) (sessions []Row, lost []string, err error) {
	var s Session
	switch e.Do {
	case DoList:
		sessions, err = l.list(ctx)
		return sessions, nil, err
	case DoNew:
		s, err = l.startAtHome(ctx, e)
	case DoLaunch:
		s, lost, err = l.launch(ctx, e)
	case DoEnd, DoRestart:
		s, lost, err = l.endIfSure(ctx, e)
	default:
		err = errors.New("nod there does not know what is to be done: update it")
	}
	if err != nil || len(lost) > 0 {
		return nil, lost, err
	}
	return []Row{{Session: s}}, nil, nil
}

// startAtHome starts an agent, in the home folder if none is named.
func (l *Sessions) startAtHome(ctx context.Context, e Errand) (s Session, err error) {
	if e.Cwd == "" {
		if e.Cwd, err = os.UserHomeDir(); err != nil {
			return s, err
		}
	}
	return l.Start(ctx, e.Spec, e.By)
}

// launch starts an agent in the folder that somebody in a chat has named. Once they are sure, it must be the one that
// they were shown.
func (l *Sessions) launch(ctx context.Context, e Errand) (s Session, lost []string, err error) {
	folder, err := folderIn(l.cfg.Roots(), e.Cwd)
	switch {
	case err != nil:
		return s, nil, err
	case !e.Sure:
		shown := e.Spec
		shown.Cwd = folder
		if err := shown.Check(); err != nil {
			return s, nil, err
		}
		return s, []string{folder}, nil
	case folder != e.Cwd:
		return s, nil, errors.New("the folder is no longer allowed")
	}
	s, err = l.Start(ctx, e.Spec, e.By)
	return s, nil, err
}

// endIfSure ends or restarts a session. One that has ended can be restarted, or taken off the list.
func (l *Sessions) endIfSure(ctx context.Context, e Errand) (s Session, lost []string, err error) {
	_, lost, err = l.Find(ctx, e.Name)
	switch {
	case err != nil && !errors.Is(err, errGone):
		return s, nil, err
	case len(lost) > 0 && !e.Sure:
		return s, lost, nil
	case e.Do == DoEnd:
		s, err = l.End(ctx, e.Name, e.By)
	default:
		s, err = l.Restart(ctx, e.Name, e.By)
	}
	return s, nil, err
}

// startLimit is how long a program must have run to count as started.
const startLimit = 500 * time.Millisecond

const largestArgs = 16 << 10

// Check says in a sentence what is wrong with a spec.
func (s Spec) Check() error {
	size := 0
	for _, arg := range s.Args {
		size += len(arg)
		if strings.ContainsAny(arg, "\n\r\x00") {
			return errors.New("an argument must be one line of text")
		}
	}
	info, err := os.Stat(s.Cwd)
	switch {
	case !tmux.ValidSession(s.Name):
		return fmt.Errorf("%q is no name for a session: letters, digits, dashes and underscores, 40 at most", s.Name)
	case !slices.Contains(agents.Names(), s.Agent):
		return fmt.Errorf("nod knows no agent %q: it knows %s", s.Agent, strings.Join(agents.Names(), ", "))
	case size > largestArgs:
		return fmt.Errorf("the arguments have %d KB: %d are the most", size>>10, largestArgs>>10)
	case !filepath.IsAbs(s.Cwd), err != nil, !info.IsDir():
		return fmt.Errorf("there is no folder %q", s.Cwd)
	}
	return nil
}

// Start starts an agent in a new session at somebody's request, and gives its pane the name. It never starts
// a tmux server. The error is a sentence for the human.
func (l *Sessions) Start(ctx context.Context, s Spec, by string) (Session, error) {
	if err := s.Check(); err != nil {
		return Session{}, err
	}
	server, err := l.server(ctx)
	if err != nil {
		return Session{}, err
	}
	pane, err := server.NewSession(ctx, s.Name, s.Cwd, append([]string{agents.Program(s.Agent)}, s.Args...))
	if err != nil {
		return Session{}, fmt.Errorf("no session was made: %w", err)
	}
	look, err := server.Look(ctx, pane)
	if err == nil { // at once, because the agent may ask something immediately
		err = server.SetPaneOption(ctx, look.Life, pane, tmux.NameOption, s.Name)
	}
	if err == nil {
		err = stays(ctx, server, pane)
	}
	switch {
	case errors.Is(err, errEnded), errors.Is(err, tmux.ErrNoPane):
		return Session{}, fmt.Errorf("%s has ended at once in %s: is it installed where tmux finds it?", agents.Program(s.Agent), s.Cwd)
	case err != nil:
		return Session{}, fmt.Errorf("nothing shows that %s has started in %s: %w", agents.Program(s.Agent), s.Cwd, err)
	}
	made := Session{Spec: s, Pane: detect.PaneRef{Server: look.Life, ID: pane}}
	record, err := json.Marshal(made)
	if err == nil {
		err = errors.Join(l.cfg.Records.Put(key(s.Name), record), l.note(nudge.SessionStarted, made, by))
	}
	if err != nil {
		return Session{}, fmt.Errorf("the session runs, but was not noted, so `nod end` won't know it: %w", err)
	}
	return made, nil
}

func (l *Sessions) note(kind string, s Session, by string) error {
	return l.cfg.Note(Event(kind, s, by))
}

// Event returns an event for the audit trail about a session.
func Event(kind string, s Session, by string) nudge.Event {
	return nudge.Event{Kind: kind, Involved: nudge.Involved{Pane: s.Pane.ID, Server: s.Pane.Address(), Agent: s.Agent, Subject: s.Name + " in " + s.Cwd}, Act: nudge.Act{By: by}}
}

// server returns the only running one of the watched servers.
func (l *Sessions) server(ctx context.Context) (*tmux.Server, error) {
	var found []*tmux.Server
	var unread error
	for _, socket := range l.cfg.Sockets() {
		server := l.cfg.Server(socket)
		if server == nil {
			continue
		}
		if _, err := server.List(ctx); !errors.Is(err, tmux.ErrNoServer) { // one that does not answer runs as well
			found, unread = append(found, server), errors.Join(unread, err)
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("no tmux server runs on which nod may act, and nod starts none: start tmux first")
	case 1:
		return found[0], unread
	}
	return nil, errors.New("several tmux servers run: start the agent in the one that you mean by hand")
}

// errEnded: the pane is there, and its program has ended.
var errEnded = errors.New("its pane shows that it has ended")

// stays waits until the program in a pane has run for startLimit. It returns an error if the program ended
// before.
func stays(ctx context.Context, server *tmux.Server, pane string) error {
	for end := time.Now().Add(startLimit); time.Now().Before(end); {
		look, err := server.Look(ctx, pane)
		if err == nil && look.Pane.Dead {
			err = errEnded
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(startLimit / 10):
		}
	}
	return nil
}

const prefix = "session/"

func key(name string) string { return prefix + name }

// list returns the sessions that were started and not ended by nod, by name, with the state of each agent.
func (l *Sessions) list(ctx context.Context) (list []Row, err error) {
	kept, err := l.cfg.Records.All(prefix)
	if err != nil {
		return nil, err
	}
	for _, record := range slices.Sorted(maps.Keys(kept)) {
		s, _, err := l.Find(ctx, strings.TrimPrefix(record, prefix))
		if s.Name == "" {
			continue // nobody can read it, so nobody can end it
		}
		s.Args = nil // they may be long, and nobody sees them
		list = append(list, Row{s, l.stateOf(s, err)})
	}
	return list, nil
}

// stateOf returns the state of a session's agent; err is the result of finding the session.
func (l *Sessions) stateOf(s Session, err error) string {
	switch {
	case errors.Is(err, errGone):
		return "ended"
	case err != nil:
		return "unknown"
	}
	for _, seen := range l.cfg.Panes() {
		if seen.Pane == s.Pane {
			return string(seen.State)
		}
	}
	return "unknown"
}

// Find returns the session with that name if its pane still exists, and what would be lost with it, a
// sentence each.
func (l *Sessions) Find(ctx context.Context, name string) (s Session, lost []string, err error) {
	record, err := l.cfg.Records.Get(key(name))
	if err != nil {
		return s, nil, err
	}
	if json.Unmarshal(record, &s) != nil { // also where there is none
		return s, nil, fmt.Errorf("nod has started no session %q: `nod new` starts one", name)
	}
	server := l.cfg.Server(s.Pane.Server.Socket)
	if server == nil {
		return s, nil, fmt.Errorf("the tmux server of %s is not watched any more", name)
	}
	listing, err := server.List(ctx)
	if err != nil && !errors.Is(err, tmux.ErrNoServer) {
		return s, nil, err
	}
	at := slices.IndexFunc(listing.Panes, func(p tmux.Pane) bool { return p.ID == s.Pane.ID })
	if listing.Life != s.Pane.Server || at < 0 {
		return s, nil, errGone
	}
	return s, l.lost(s, listing, listing.Panes[at].Session), nil
}

// errGone says that the pane of a session is gone.
var errGone = errors.New("that session has ended already")

// lost says what would be lost with a session.
func (l *Sessions) lost(s Session, listing tmux.Listing, session string) (lost []string) {
	for _, seen := range l.cfg.Panes() {
		if seen.Pane != s.Pane {
			continue
		}
		switch {
		case seen.State.Asks():
			lost = append(lost, fmt.Sprintf("%s asks something there.", s.Agent))
		case seen.State == screen.Working:
			lost = append(lost, fmt.Sprintf("%s is at work.", s.Agent))
		default:
			lost = append(lost, fmt.Sprintf("The conversation with %s ends.", s.Agent))
		}
	}
	if n, err := l.cfg.Queued(s.Pane); err == nil && n > 0 {
		lost = append(lost, plural.Of(n, "queued instruction is", "queued instructions are")+" dropped.")
	}
	others, clients := 0, 0
	for _, p := range listing.Panes {
		if p.Session == session && p.ID != s.Pane.ID {
			others++
		}
	}
	for _, c := range listing.Clients {
		if slices.Contains(c.Shows, s.Pane.ID) {
			clients++
		}
	}
	if others > 0 {
		lost = append(lost, plural.Of(others, "other pane of the session ends", "other panes of the session end")+" with it.")
	}
	if clients > 0 {
		lost = append(lost, plural.Of(clients, "terminal shows", "terminals show")+" it.")
	}
	return lost
}

// End ends a session that was started here, with all of its panes.
func (l *Sessions) End(ctx context.Context, name, by string) (Session, error) {
	s, _, err := l.Find(ctx, name)
	if err != nil && !errors.Is(err, errGone) {
		return s, err
	}
	if err == nil {
		if err := l.cfg.Server(s.Pane.Server.Socket).EndSession(ctx, s.Pane.Server, s.Pane.ID); err != nil {
			return s, err
		}
		if err := l.note(nudge.SessionEnded, s, by); err != nil {
			return s, err
		}
	}
	return s, errors.Join(err, l.cfg.Records.Put(key(name), nil))
}

// Restart ends a session, if it is still running, and starts it again with its original spec.
func (l *Sessions) Restart(ctx context.Context, name, by string) (Session, error) {
	s, err := l.End(ctx, name, by)
	if err != nil && !errors.Is(err, errGone) {
		return s, err
	}
	return l.Start(ctx, s.Spec, by)
}
