package main

import "nod/internal/tmux"

// localServers are the tmux servers for a command that needs neither bot nor settings: where the
// settings can't be read, the default one.
func (p *program) localServers() []*tmux.Server {
	s, err := p.settings()
	if err != nil {
		return tmux.Servers(nil)
	}
	return tmux.Servers(s.TmuxSocket)
}
