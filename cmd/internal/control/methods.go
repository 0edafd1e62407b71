package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/text/agentname"
	"nod/internal/words"
	"nod/nudge"
	"nod/store"
)

// This file has the methods about the bot and panes.

func (c *Control) health(context.Context, none) (Health, error) {
	result := Health{
		Status: "ok", Problems: append([]string{}, c.cfg.Health()...), Held: []Held{},
		UptimeMS: time.Since(c.started).Milliseconds(), Version: c.cfg.Version, PID: os.Getpid(), Tmux: socketsOf(c.cfg.Settings().TmuxSocket), Telegram: "on",
	}
	if !c.cfg.Settings().Telegram {
		result.Telegram = "off"
	}
	if len(result.Problems) > 0 {
		result.Status = "degraded"
	}
	hooks := c.server.Counts()
	result.Hooks = HookEvents{Events: hooks.Events, Refused: hooks.Refused, Last: c.lastEvents()}
	for _, h := range c.cfg.Keeper.Held() {
		result.Held = append(result.Held, Held{Nudge: h.Nudge, Until: h.Until.UTC(), Why: h.Why})
	}
	return result, nil
}

// socketsOf returns the sockets of the tmux servers that the settings name.
func socketsOf(names []string) (sockets []string) {
	for _, server := range tmux.Servers(names) {
		sockets = append(sockets, server.Socket())
	}
	return sockets
}

func (c *Control) listPanes(context.Context, none) ([]Pane, error) {
	queue, err := c.cfg.Keeper.Queue()
	if err != nil {
		return nil, err
	}
	waiting := map[detect.PaneRef]nudge.Nudge{}
	for _, n := range queue {
		waiting[n.Pane] = n
	}
	result := []Pane{}
	for _, s := range c.cfg.Panes() {
		pane := paneSeen(s)
		if n, ok := waiting[s.Pane]; ok {
			pane.Nudge = n.ID
			if n.Stuck() {
				pane.State = "stuck"
			}
		}
		result = append(result, pane)
	}
	return result, nil
}

func paneSeen(s detect.Sighting) Pane {
	session, _, _ := strings.Cut(s.Where, ":")
	pane := Pane{
		Machine: s.Pane.Machine, Pane: s.Pane.ID, Server: s.Pane.Address(), Session: session, Where: s.Where, Agent: s.Agent,
		Name: s.Name, Project: s.Project, State: string(s.State), Since: s.Since.UTC(), Unasked: []string{},
	}
	for _, why := range s.Unasked {
		pane.Unasked = append(pane.Unasked, words.Why(why))
	}
	return pane
}

// listBackground lists the sessions of agents without a pane.
func (c *Control) listBackground(context.Context, none) ([]Pane, error) {
	queue, err := c.cfg.Keeper.Queue()
	if err != nil {
		return nil, err
	}
	result := []Pane{}
	for _, s := range c.cfg.Background.Sessions() {
		pane := paneSeen(s)
		for _, n := range queue {
			if n.Pane.Outside() && n.Runs(s.Process) {
				pane.Nudge = n.ID
			}
		}
		result = append(result, pane)
	}
	return result, nil
}

// find finds a pane of this machine for a method that works only here.
func (c *Control) find(ctx context.Context, name string) (*tmux.Server, detect.PaneRef, error) {
	server, ref, err := c.findHere(ctx, name)
	if err == nil {
		err = c.bothHere(name, ref)
	}
	return server, ref, err
}

// findHere finds a pane on the servers that the bot watches; on other servers nobody may type. The name of an
// agent or its project also means its pane, if nothing else here has that name.
func (c *Control) findHere(ctx context.Context, name string) (*tmux.Server, detect.PaneRef, error) {
	watched := tmux.Servers(c.cfg.Settings().TmuxSocket)
	server, pane, err := tmux.Find(ctx, watched, name)
	if called := c.called(name); len(called) > 0 {
		switch {
		case len(called) == 1 && errors.Is(err, tmux.ErrNoPane):
			server, err = tmux.New(called[0].Pane.Server.Socket), nil
			pane.ID = called[0].Pane.ID
		case err == nil && len(called) == 1 && called[0].Pane.ID == pane.ID && called[0].Pane.Server.Socket == server.Socket():
		default:
			return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.Ambiguous), severalCalled(name, called))
		}
	}
	switch {
	case errors.Is(err, tmux.ErrAmbiguous):
		return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.Ambiguous), err.Error())
	case errors.Is(err, tmux.ErrNoPane), errors.Is(err, tmux.ErrNoServer):
		if _, there, _ := c.elsewhere(name); there {
			machine, rest, _ := strings.Cut(name, ":")
			return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.NotOwner), fmt.Sprintf("%s is on %s, and this is done only for panes of this machine: do it there.", rest, machine))
		}
		return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	case err != nil:
		return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	case !slices.ContainsFunc(watched, func(s *tmux.Server) bool { return s.Socket() == server.Socket() }):
		return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.NotOwner), fmt.Sprintf("nod does not watch the tmux server %s: name it in NOD_TMUX_SOCKET", server.Socket()))
	}
	look, err := server.Look(ctx, pane.ID)
	if err != nil {
		return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	return server, detect.PaneRef{Server: look.Life, ID: pane.ID}, nil
}

// called returns the watched panes whose agent or project has this name. Names in tmux's form (%12, main:2.0)
// never match: an agent can choose its folder, and so its project's name. Nothing names nothing: many agents have no name.
func (c *Control) called(name string) (found []detect.Sighting) {
	if name == "" || strings.ContainsAny(name, "%:") {
		return nil
	}
	for _, s := range c.cfg.Panes() {
		if s.Pane.Here() && (s.Name == name || s.Project == name) {
			found = append(found, s)
		}
	}
	return found
}

func severalCalled(name string, called []detect.Sighting) string {
	var wheres []string
	for _, s := range called {
		wheres = append(wheres, s.Where)
	}
	return fmt.Sprintf("%q may mean several panes (%s, or a tmux session of that name): name one, as in %s", name, strings.Join(wheres, ", "), called[0].Where)
}

// findForHuman is find for a method that no agent may call.
func (c *Control) findForHuman(ctx context.Context, name string) (*tmux.Server, detect.PaneRef, error) {
	server, ref, err := c.find(ctx, name)
	if err == nil {
		err = c.onlyHumans(ctx)
	}
	return server, ref, err
}

func (c *Control) capturePane(ctx context.Context, p CaptureParams) (Capture, error) {
	ref, err := c.findPane(ctx, p.Pane)
	if err != nil {
		return Capture{}, err
	}
	if !ref.Here() {
		rows, err := c.cfg.Away(ctx, ref, max(p.Lines, 1))
		if err != nil {
			return Capture{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
		}
		return Capture{Content: strings.Join(rows, "\n") + "\n"}, nil
	}
	look, err := tmux.New(ref.Server.Socket).History(ctx, ref.ID, p.Lines)
	if err != nil {
		return Capture{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	return Capture{Content: look.Text(p.Lines, p.Color)}, nil
}

func (c *Control) checkPane(ctx context.Context, p PaneParams) (Check, error) {
	server, ref, err := c.find(ctx, p.Pane)
	if err != nil {
		return Check{}, err
	}
	look, err := server.Look(ctx, ref.ID)
	if err != nil {
		return Check{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	s, _ := c.sighting(ref)
	return CheckOf(detect.ReadPane(look, s.Agent, c.cfg.Read)), nil
}

func (c *Control) sighting(ref detect.PaneRef) (detect.Sighting, bool) {
	for _, s := range c.cfg.Panes() {
		if s.Pane == ref {
			return s, true
		}
	}
	return detect.Sighting{}, false
}

func (c *Control) watchPane(ctx context.Context, p WatchParams) (none, error) {
	if !agentname.Is(p.Agent) || p.Agent == tmux.Unwatched {
		return none{}, jrpc2.Errorf(jrpc2.InvalidParams, "an agent's name is a word such as claude or codex")
	}
	return c.override(ctx, p.Pane, p.Agent)
}

func (c *Control) unwatchPane(ctx context.Context, p PaneParams) (none, error) {
	return c.override(ctx, p.Pane, tmux.Unwatched)
}

// override records in the pane itself which agent nod shall take it for. The record survives a restart of nod
// and ends with the pane. An agent may not do this, because it could escape the guard that way.
func (c *Control) override(ctx context.Context, name, agent string) (none, error) {
	server, ref, err := c.findForHuman(ctx, name)
	if err != nil {
		return none{}, err
	}
	if err := server.SetPaneOption(ctx, ref.Server, ref.ID, tmux.AgentOption, agent); err != nil {
		return none{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	return none{}, nil
}

// tryTime is how long a server is watched for somebody who tries nod.
const tryTime = 10 * time.Minute

// tryServer watches one more tmux server for a while. An agent may not do this: nod would type into programs
// that the agent started there.
func (c *Control) tryServer(ctx context.Context, p TryParams) (none, error) {
	if !filepath.IsAbs(p.Socket) {
		return none{}, jrpc2.Errorf(jrpc2.InvalidParams, "the socket's path must be absolute")
	}
	if err := c.onlyHumans(ctx); err != nil {
		return none{}, err
	}
	if !c.cfg.WatchFor(p.Socket, time.Now().Add(tryTime)) {
		return none{}, errors.New("too many servers are being tried: wait ten minutes")
	}
	return none{}, nil
}

func (c *Control) listLog(_ context.Context, p LogParams) (Log, error) {
	limit := min(max(p.Limit, 1), 1000)
	read := c.cfg.Store.Tail
	if p.After > 0 {
		read = func(n int) ([]store.Line, error) { return c.cfg.Store.After(p.After, n) }
	}
	events, err := read(limit)
	return Log{Events: append([]store.Line{}, events...)}, err
}

func (c *Control) listSettings(context.Context, none) (Settings, error) {
	return Settings{Settings: c.cfg.Settings().Rows()}, nil
}
