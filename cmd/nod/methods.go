package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/tmux"
	"nod/nudge"
	"nod/store"
)

// methods answers what programs ask on the socket.
type methods struct {
	keeper  *nudge.Keeper
	typist  *deliver.Typist
	store   *store.Store
	holder  *settings.Holder
	panes   func() []detect.Sighting // the watched panes as they were last seen
	health  func() []string          // what is wrong, in sentences
	heard   func() rpc.Heard         // the events that came in on the socket
	started time.Time
	log     *slog.Logger
}

func (m *methods) table() rpc.Methods {
	return rpc.Methods{
		"health":        rpc.Method(m.healthNow),
		"pane.list":     rpc.Method(m.listPanes),
		"pane.capture":  rpc.Method(m.capturePane),
		"pane.check":    rpc.Method(m.checkPane),
		"pane.send":     rpc.Method(m.sendKeys),
		"pane.tell":     rpc.Method(m.tellPane),
		"pane.watch":    rpc.Method(m.watchPane),
		"pane.unwatch":  rpc.Method(m.unwatchPane),
		"nudge.list":    rpc.Method(m.listNudges),
		"nudge.queue":   rpc.Method(m.listQueue),
		"nudge.reply":   rpc.Method(m.reply),
		"nudge.skip":    rpc.Method(m.skip),
		"log.list":      rpc.Method(m.listLog),
		"settings.list": rpc.Method(m.listSettings),
		"store.backup":  rpc.Method(m.backup),
	}
}

func (m *methods) healthNow(context.Context, none) (healthResult, error) {
	result := healthResult{
		Status: "ok", Problems: append([]string{}, m.health()...), Held: []heldResult{},
		UptimeMS: time.Since(m.started).Milliseconds(), Version: version(),
	}
	if len(result.Problems) > 0 {
		result.Status = "degraded"
	}
	heard := m.heard()
	result.Hooks = hooksResult{Events: heard.Events, Refused: heard.Refused}
	for _, h := range m.keeper.Held() {
		result.Held = append(result.Held, heldResult{Nudge: h.Nudge, Until: h.Until.UTC(), Why: h.Why})
	}
	return result, nil
}

func (m *methods) listPanes(context.Context, none) ([]paneResult, error) {
	queue, err := m.keeper.Queue()
	if err != nil {
		return nil, err
	}
	waiting := map[detect.PaneRef]nudge.Nudge{}
	for _, n := range queue {
		waiting[n.Pane] = n
	}
	result := []paneResult{}
	for _, s := range m.panes() {
		session, _, _ := strings.Cut(s.Where, ":")
		pane := paneResult{
			Pane: s.Pane.ID, Server: s.Pane.Server.Socket, Session: session, Where: s.Where, Agent: s.Agent,
			Name: s.Name, Project: s.Project, State: string(s.State), Since: s.Since.UTC(),
		}
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

// find is findPane for the servers that the bot watches: another one is nobody's to type on.
func (m *methods) find(ctx context.Context, name string) (*tmux.Server, detect.PaneRef, error) {
	watched := servers(m.holder.Current())
	server, pane, err := findPane(ctx, watched, name)
	switch {
	case errors.Is(err, errAmbiguous):
		return nil, detect.PaneRef{}, rpc.Refuse(string(deliver.Ambiguous), err.Error())
	case errors.Is(err, tmux.ErrNoPane), errors.Is(err, tmux.ErrNoServer):
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

func (m *methods) capturePane(ctx context.Context, p captureParams) (captureResult, error) {
	server, ref, err := m.find(ctx, p.Pane)
	if err != nil {
		return captureResult{}, err
	}
	look, err := server.History(ctx, ref.ID, p.Lines)
	if err != nil {
		return captureResult{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	return captureResult{Content: contentOf(look, p.Lines, p.Color)}, nil
}

func (m *methods) checkPane(ctx context.Context, p paneParams) (checkResult, error) {
	server, ref, err := m.find(ctx, p.Pane)
	if err != nil {
		return checkResult{}, err
	}
	look, err := server.Look(ctx, ref.ID)
	if err != nil {
		return checkResult{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	s, _ := m.sighting(ref)
	return checkResultOf(readLook(look, s.Agent)), nil
}

func (m *methods) sighting(ref detect.PaneRef) (detect.Sighting, bool) {
	for _, s := range m.panes() {
		if s.Pane == ref {
			return s, true
		}
	}
	return detect.Sighting{}, false
}

var agentWord = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

func (m *methods) watchPane(ctx context.Context, p watchParams) (none, error) {
	if !agentWord.MatchString(p.Agent) || p.Agent == tmux.Unwatched {
		return none{}, jrpc2.Errorf(jrpc2.InvalidParams, "an agent's name is a word such as claude or codex")
	}
	return m.override(ctx, p.Pane, p.Agent)
}

func (m *methods) unwatchPane(ctx context.Context, p paneParams) (none, error) {
	return m.override(ctx, p.Pane, tmux.Unwatched)
}

// override notes at the pane itself what nod is to take it for: that outlives a restart of nod, and
// ends with the pane. An agent may not: it could slip from the guard that way.
func (m *methods) override(ctx context.Context, name, agent string) (none, error) {
	server, ref, err := m.find(ctx, name)
	if err != nil {
		return none{}, err
	}
	if err := m.guard(ctx, ref); err != nil {
		return none{}, err
	}
	if err := server.SetPaneOption(ctx, ref.Server, ref.ID, tmux.AgentOption, agent); err != nil {
		return none{}, rpc.Refuse(string(deliver.Unreadable), err.Error())
	}
	return none{}, nil
}

func (m *methods) listLog(_ context.Context, p logParams) (logResult, error) {
	limit := min(max(p.Limit, 1), 1000)
	read := m.store.Tail
	if p.After > 0 {
		read = func(n int) ([]store.Line, error) { return m.store.After(p.After, n) }
	}
	events, err := read(limit)
	return logResult{Events: append([]store.Line{}, events...)}, err
}

func (m *methods) listSettings(context.Context, none) (settingsResult, error) {
	return settingsResult{Settings: m.holder.Current().Rows()}, nil
}

func (m *methods) backup(_ context.Context, p backupParams) (backupResult, error) {
	if !filepath.IsAbs(p.File) {
		return backupResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "the file's path must be absolute")
	}
	f, err := os.OpenFile(p.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return backupResult{}, fmt.Errorf("%s exists already and was left as it is: name another file", p.File)
	}
	if err != nil {
		return backupResult{}, fmt.Errorf("write the copy: %w", err)
	}
	size, err := m.store.Backup(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return backupResult{}, errors.Join(err, os.Remove(p.File))
	}
	return backupResult{Bytes: size}, nil
}

// login is who answers at the command line: the socket lets in only the bot's own user.
func login() nudge.Person {
	if me, err := user.Current(); err == nil {
		return nudge.Person{Name: me.Username}
	}
	return nudge.Person{Name: fmt.Sprintf("uid %d", os.Getuid())}
}
