package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"nod/cmd/internal/control"
	"nod/internal/host/tmux"
)

// localServers returns the tmux servers for a command that needs neither bot nor settings. If the settings
// can't be read, it returns the default server.
func (p *program) localServers() []*tmux.Server {
	s, err := p.settings()
	if err != nil {
		return tmux.Servers(nil)
	}
	return tmux.Servers(s.TmuxSocket)
}

// find finds the pane that a person names, without the bot. Only the bot knows names of agents and projects.
func (p *program) find(ctx context.Context, target string) (*tmux.Server, tmux.Pane, error) {
	server, pane, err := tmux.Find(ctx, p.localServers(), target)
	if !errors.Is(err, tmux.ErrNoPane) && !errors.Is(err, tmux.ErrNoServer) {
		return server, pane, err
	}
	var panes []control.Pane
	if p.call(ctx, "pane.list", nil, &panes) != nil {
		return server, pane, err
	}
	machine, rest, _ := strings.Cut(target, ":")
	var called []string
	for _, seen := range panes {
		if seen.Machine != "" && seen.Machine == machine {
			return nil, tmux.Pane{}, fmt.Errorf("%s is on %s, and this is done only for panes of this machine: do it there", rest, machine)
		}
		if seen.Machine == "" && (seen.Name == target || seen.Project == target) {
			called = append(called, seen.Pane+"@"+seen.Server)
		}
	}
	if len(called) != 1 {
		return server, pane, err
	}
	return tmux.Find(ctx, p.localServers(), called[0])
}

// look reads the screen of the pane that a person names, without the bot.
func (p *program) look(ctx context.Context, target string) (tmux.Look, error) {
	server, pane, err := p.find(ctx, target)
	if err != nil {
		return tmux.Look{}, err
	}
	return server.Look(ctx, pane.ID)
}
