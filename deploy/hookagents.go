package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nod/detect/agents"
)

// HookFor returns the hook of an agent. ok is false if the agent's hooks are not proven to fire.
func HookFor(agent string, at Place) (h Hook, ok bool) {
	if !slices.Contains(agents.Hooked(), agent) {
		return Hook{}, false
	}
	hooks := agents.HooksOf(agent)
	s := hooks.Settings
	h = Hook{Agent: agent, Path: at.settingsOf(s), Note: s.Note, root: at.Root}
	events := h.learnEvents(s, at)
	switch s.Form {
	case agents.Matchers:
		h.edit = jsonHooks{events, matcherEntry(s.Matcher, hooks.Timeout)}
	case agents.Commands:
		h.edit = jsonHooks{events, commandEntry(s.Timeout)}
	case agents.Plugin:
		h.edit = pluginHooks{}
	}
	return h, h.edit != nil
}

// settingsOf returns the path of an agent's settings file.
func (at Place) settingsOf(s agents.HookSettings) string {
	return filepath.Join(at.folder(s.Variable, s.Folder), s.File)
}

// learnEvents returns the events known to every program that reads the file. It records the events that it
// leaves out, and the program that does not know them.
func (h *Hook) learnEvents(s agents.HookSettings, at Place) []string {
	var versions []string
	var read []Reader
	if len(s.Later) > 0 && at.Readers != nil {
		read = at.Readers(h.Agent)
	}
	for _, i := range read {
		versions = append(versions, i.Version)
	}
	events, missing := s.EventsFor(versions...)
	if len(missing) == 0 {
		return events
	}
	h.Lacks = missing
	for _, r := range read {
		if _, unknown := s.EventsFor(r.Version); len(unknown) == len(missing) {
			h.Older = r.String()
			break
		}
	}
	return events
}

// Missing says which events a hook leaves out, and why; empty if it leaves out none.
func (h Hook) Missing() string {
	switch {
	case len(h.Lacks) == 0:
		return ""
	case h.Older == "":
		return "no " + h.Agent + " was found, so nod asks for none of " + strings.Join(h.Lacks, ", ") + ", which only newer versions know"
	}
	return "without " + strings.Join(h.Lacks, ", ") + ", which only newer versions know, and whose names break the settings of older ones: " + h.Older
}

// HooksInUse returns the hooks of the agents that have been used here, judging by their settings folder.
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
