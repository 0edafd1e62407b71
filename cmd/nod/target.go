package main

import (
	"context"

	"nod/internal/host/tmux"
)

// localServers are the tmux servers for a command that needs neither bot nor settings: where the
// settings can't be read, the default one.
func (p *program) localServers() []*tmux.Server {
	s, err := p.settings()
	if err != nil {
		return tmux.Servers(nil)
	}
	return tmux.Servers(s.TmuxSocket)
}

// look reads the screen of the pane that a person names, without the bot.
func (p *program) look(ctx context.Context, target string) (tmux.Look, error) {
	server, pane, err := tmux.Find(ctx, p.localServers(), target)
	if err != nil {
		return tmux.Look{}, err
	}
	return server.Look(ctx, pane.ID)
}
