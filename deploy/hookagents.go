package deploy

import (
	"os"
	"path/filepath"
	"slices"

	"nod/detect/agents"
)

// HookFor returns the hook of an agent; ok is false for one whose hooks are not proven to fire.
func HookFor(agent string, at Place) (h Hook, ok bool) {
	if !slices.Contains(agents.Hooked(), agent) {
		return Hook{}, false
	}
	hooks := agents.HooksOf(agent)
	s := hooks.Settings
	timeout := func(event string) int {
		if hooks.Door != nil && hooks.Door.Event == agents.PlainName(event) {
			return hooks.Door.Timeout // it waits for a human
		}
		return s.Timeout
	}
	h = Hook{Agent: agent, Path: filepath.Join(at.folder(s.Variable, s.Folder), s.File), Note: s.Note}
	events := s.Events
	if s.EventsOf != nil {
		events = s.EventsOf(at.Version(agent))
	}
	switch s.Form {
	case agents.Matchers:
		h.edit = jsonHooks{events, matcherEntry(s.Matcher, timeout)}
	case agents.Commands:
		h.edit = jsonHooks{events, commandEntry(s.Timeout)}
	case agents.Plugin:
		h.edit = pluginHooks{}
	}
	return h, h.edit != nil
}

// HooksInUse are the hooks of the agents that have been used here: their settings folder exists.
func HooksInUse(at Place) []Hook {
	var hooks []Hook
	for _, agent := range agents.Hooked() {
		if h, ok := HookFor(agent, at); ok && h.inUse() {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

func (h Hook) inUse() bool {
	dir := filepath.Dir(h.Path)
	if filepath.Base(dir) == "plugin" {
		dir = filepath.Dir(dir)
	}
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
